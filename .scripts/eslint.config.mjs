import js from "@eslint/js";
import tseslint from "typescript-eslint";

const own = { files: [".scripts/**/*.mjs", "tests/**/*.mjs"] };

export default tseslint.config(
    { ...own, ...js.configs.recommended },
    ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, ...own })),
    {
        ...own,
        languageOptions: {
            globals: {
                console: "readonly",
                process: "readonly",
                performance: "readonly",
                setTimeout: "readonly",
                clearTimeout: "readonly",
            },
            parserOptions: { project: "tsconfig.json", tsconfigRootDir: import.meta.dirname },
        },
        linterOptions: { reportUnusedDisableDirectives: "error" },
        rules: {
            eqeqeq: "error",
            "no-var": "error",
            "prefer-const": "error",
            // Types come from the compiler here; parsed JSON is `any` until it is checked.
            "no-undef": "off",
            "@typescript-eslint/no-unsafe-assignment": "off",
            "@typescript-eslint/no-unsafe-return": "off",
            "@typescript-eslint/no-unsafe-member-access": "off",
            "@typescript-eslint/no-unsafe-argument": "off",
            "@typescript-eslint/no-unsafe-call": "off",
            "@typescript-eslint/no-floating-promises": [
                "error",
                {
                    allowForKnownSafeCalls: [
                        { from: "package", package: "node:test", name: ["test", "describe", "it", "suite"] },
                    ],
                },
            ],
        },
    },
);
