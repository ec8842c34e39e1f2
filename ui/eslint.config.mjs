import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

import { tiers } from "./eslint-tiers.mjs";

const own = { files: ["ui/src/**/*.{ts,tsx}", "ui/dev/**/*.{ts,tsx}", "src/**/*.{ts,tsx}", "dev/**/*.{ts,tsx}"] };

export default tseslint.config(
    { ignores: ["**/generated.ts"] },
    { ...own, ...js.configs.recommended },
    ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, ...own })),
    {
        ...own,
        plugins: { "react-hooks": hooks, tiers: { rules: { tiers } } },
        languageOptions: { parserOptions: { project: "tsconfig.json", tsconfigRootDir: import.meta.dirname } },
        linterOptions: { reportUnusedDisableDirectives: "error" },
        rules: {
            eqeqeq: "error",
            "no-var": "error",
            "prefer-const": "error",
            "no-undef": "off",
            "no-console": ["error", { allow: ["error"] }],
            "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
            "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
            "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
            "react-hooks/rules-of-hooks": "error",
            "react-hooks/exhaustive-deps": "error",
            "tiers/tiers": "error",
            "no-restricted-syntax": [
                "error",
                {
                    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
                    message: "text from outside becomes elements, never HTML",
                },
                {
                    selector: "JSXOpeningElement[name.name='style']",
                    message: "the content security policy refuses style elements",
                },
                {
                    selector: "Literal[value=/^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i]",
                    message: "a colour is a token of shared/theme/tokens.css",
                },
                {
                    selector: "Literal[value=/-\\[#[0-9a-f]{3,8}\\]/i]",
                    message: "a colour is a token of shared/theme/tokens.css",
                },
            ],
        },
    },
    {
        files: ["ui/src/**/*.test.{ts,tsx}", "src/**/*.test.{ts,tsx}", "ui/src/test-setup.ts", "src/test-setup.ts"],
        rules: {
            "@typescript-eslint/require-await": "off",
            "@typescript-eslint/unbound-method": "off",
            "@typescript-eslint/no-empty-function": "off",
            "no-restricted-syntax": "off",
        },
    },
    // Where tokens come from.
    { files: ["ui/src/shared/theme/*.ts", "src/shared/theme/*.ts"], rules: { "no-restricted-syntax": "off" } },
    // Pictures of diagrams know no token: they are given numbers.
    {
        files: ["ui/src/diagram/*.ts", "src/diagram/*.ts"],
        rules: { "no-restricted-syntax": "off", "@typescript-eslint/unbound-method": "off" },
    },
);
