/**
 * How well a query fits a text: higher is better, undefined where its letters don't occur in order. Whole words and their beginnings count more than
 * letters strewn about.
 */
export function fuzzyScore(query: string, text: string): number | undefined {
    const wanted = query.trim().toLowerCase();
    const given = text.toLowerCase();
    if (wanted === "") return 0;
    const whole = given.indexOf(wanted);
    if (whole === 0 || (whole > 0 && /\W/.test(given[whole - 1] ?? ""))) return 1_000 - whole - given.length / 100;
    if (whole > 0 && wanted.length > 2) return 500 - whole - given.length / 100;
    let score = 0;
    let from = 0;
    let run = 0;
    for (const letter of wanted) {
        if (letter === " ") continue;
        const at = given.indexOf(letter, from);
        if (at < 0) return undefined;
        run = at === from ? run + 1 : 0;
        score += 1 + run * 3 + (at === 0 || /\W/.test(given[at - 1] ?? "") ? 8 : 0) - Math.min(4, (at - from) / 4);
        from = at + 1;
    }
    return score - given.length / 100;
}
