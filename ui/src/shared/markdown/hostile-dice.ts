// For tests: hostile texts and values without end, the same for the same seed.

/** Numbers from 0 to 1 (mulberry32). */
export function dice(seed: number): () => number {
    let state = seed | 0;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    };
}

export type Dice = ReturnType<typeof dice>;

export function pick<T>(roll: Dice, from: readonly T[]): T {
    return from[Math.floor(roll() * from.length)] as T;
}

/** Names that every object has. */
export const PROTOTYPE = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length"];

const PIECES = [
    ...PROTOTYPE,
    ..."\n |\n\n| |    |\t|- |* |1. |> |# |###### |---\n|===\n|[ ] |- [x] |\\|\\\n|*|**|_|~~|`|``|\ud800|\udc00|\u200f|\u202e|\u200b|\ufeff|\u0000|a|b c|é|💥".split(
        "|",
    ),
    ..."```\n ```js\n ```constructor\n ```__proto__\n ```mermaid\ngraph ```mermaid\n\ud800 ```diff\n@@ ```csv\na;b\n ```tsv\n ```datatable\n[[]] ```datatable\n{} ```json-table\n[null] ```math\n\\frac ~~~ $$ $$\n\\href{javascript:x}{y} $$\\def\\a{\\a}\\a$$".split(
        " ",
    ),
    "|",
    "|a|b|\n|-|:-:|\n",
    "| |\n|--|\n",
    "[^1]",
    "[^1]: x",
    "[x]: javascript:x",
    "[x]",
    "[",
    "](",
    "](javascript:alert(1))",
    "](https://evil.example/%E0%A4%A)",
    "](#attachment-%E0%A4%A)",
    "](#cite-constructor)",
    "![",
    "![x](https://evil.example/p.png)",
    "![x](data:image/svg+xml,<svg onload=x>)",
    "<",
    ">",
    "<div>",
    "</div>",
    "<table><tr>",
    "</table>",
    "<details><summary>",
    "<svg><style>",
    "<math><mi>",
    "<!--",
    "-->",
    "<img src=https://evil.example/x.png onerror=x>",
    "<iframe src=https://evil.example>",
    "<link rel=stylesheet href=https://evil.example>",
    "<p style=background:url(https://evil.example)>",
    "<template>",
    "<select>",
    "<plaintext>",
    "<textarea>",
    "<a href=javascript:x id=__proto__ name=body>",
    "&#0;",
    "&#x110000;",
    "https://evil.example/a",
    "a@b.example",
    "/a/.constructor",
    "{",
    '{"a":[1,{"b":null}]}',
    '["__proto__",{}]',
] as const;

/** A text that nobody writes by accident. */
export function hostileText(roll: Dice): string {
    switch (Math.floor(roll() * 24)) {
        case 0:
            return "";
        case 1:
            return pick(roll, PROTOTYPE);
        case 2:
            return pick(roll, [">", "- ", "[", "(", "<div>", "*", "![", "{", "`"]).repeat(300);
        case 3:
            return `${"|a".repeat(60)}|\n${"|-".repeat(60)}|\n${`${"|\ud800".repeat(60)}|\n`.repeat(20)}`;
        case 4:
            return "x".repeat(20_000);
        default:
            return Array.from({ length: 1 + Math.floor(roll() * 14) }, () => pick(roll, PIECES)).join("");
    }
}

/** A value that JSON can say, of any shape. */
export function hostileValue(roll: Dice, depth = 3): unknown {
    const kind = Math.floor(roll() * (depth > 0 ? 10 : 6));
    switch (kind) {
        case 0:
            return null;
        case 1:
            return pick(roll, [0, -1, 1e308, 0.1, 2 ** 53]);
        case 2:
            return roll() < 0.5;
        case 3:
            return [];
        case 4:
            return {};
        case 5:
            return hostileText(roll);
        case 6:
        case 7:
            return Array.from({ length: Math.floor(roll() * 5) }, () => hostileValue(roll, depth - 1));
        default:
            // As it is read from JSON: `__proto__` is a field like any other.
            return JSON.parse(
                `{${Array.from({ length: Math.floor(roll() * 5) }, () => {
                    const name = roll() < 0.4 ? pick(roll, PROTOTYPE) : hostileText(roll).slice(0, 40);
                    return `${JSON.stringify(name)}:${JSON.stringify(hostileValue(roll, depth - 1))}`;
                }).join(",")}}`,
            );
    }
}

/** An object with these fields, each as it should be, of another shape, or not there. */
export function hostileObject(roll: Dice, fields: { readonly [name: string]: (roll: Dice) => unknown }): object {
    return Object.fromEntries(
        Object.entries(fields).flatMap(([name, of]) => {
            const luck = roll();
            return luck < 0.2 ? [] : [[name, luck < 0.6 ? of(roll) : hostileValue(roll, 2)]];
        }),
    );
}
