// What a theme looks like, read from the style sheet that says so.

const WANTED = ["--page", "--surface", "--ink", "--ink-2", "--hairline", "--accent"] as const;

export type Swatch = Record<(typeof WANTED)[number], string>;

/** The colours of a theme; those that it does not set are the standard ones. */
export function swatchOf(theme: string): Partial<Swatch> {
    const found: Partial<Swatch> = {};
    const take = (selector: string) => {
        for (const sheet of document.styleSheets) {
            for (const rule of rulesOf(sheet)) {
                if (rule.selectorText !== selector) continue;
                for (const name of WANTED) {
                    const value = rule.style.getPropertyValue(name).trim();
                    if (value !== "") found[name] = value;
                }
            }
        }
    };
    take(":root");
    take(`:root[data-theme="${theme}"]`);
    return found;
}

function* rulesOf(sheet: CSSStyleSheet | CSSGroupingRule): Generator<CSSStyleRule> {
    let rules: CSSRuleList;
    try {
        rules = sheet.cssRules;
    } catch {
        // A sheet of another origin.
        return;
    }
    for (const rule of rules) {
        if (rule instanceof CSSStyleRule) yield rule;
        else if ("cssRules" in rule) yield* rulesOf(rule as CSSGroupingRule);
    }
}
