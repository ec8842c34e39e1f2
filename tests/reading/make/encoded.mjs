// Text in the charsets that a browser knows: the encoders are the decoders, turned round.

/** The signs of windows-1252 from 0x80 to 0x9f. */
const WESTERN = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

const tables = /** @type {Map<string, Map<string, Buffer>>} */ (new Map());

/** @param {string} charset */
function table(charset) {
    const known = tables.get(charset);
    if (known !== undefined) return known;
    const made = /** @type {Map<string, Buffer>} */ (new Map());
    const decoder = new TextDecoder(charset, { fatal: true });
    const note = (/** @type {number[]} */ bytes) => {
        try {
            const sign = decoder.decode(Uint8Array.from(bytes));
            if ([...sign].length === 1 && !made.has(sign)) made.set(sign, Buffer.from(bytes));
        } catch {
            // These bytes are no sign.
        }
    };
    for (let first = 0; first < 256; first += 1) note([first]);
    for (let first = 0x81; first < 255; first += 1)
        for (let second = 0x40; second < 255; second += 1) note([first, second]);
    // Some versions of Node decode these bytes as Latin-1.
    if (charset === "windows-1252") [...WESTERN].forEach((sign, at) => made.set(sign, Buffer.from([0x80 + at])));
    tables.set(charset, made);
    return made;
}

/**
 * @param {string} text
 * @param {string} charset
 * @returns {Buffer}
 */
export function encoded(text, charset) {
    if (charset === "utf-16le") return Buffer.from(text, "utf16le");
    if (charset === "utf-16be") return Buffer.from(text, "utf16le").swap16();
    if (charset === "utf-32le")
        return Buffer.from(Uint32Array.from([...text], (sign) => sign.codePointAt(0) ?? 0).buffer);
    if (charset === "iso-2022-jp") return shifted(text);
    const known = table(charset);
    return Buffer.concat(
        [...text].map((sign) => {
            const bytes = known.get(sign);
            if (bytes === undefined) throw new Error(`${charset} has no ${sign}`);
            return bytes;
        }),
    );
}

/** @param {string} text in ISO-2022-JP: EUC-JP's signs without their high bits, between escapes */
function shifted(text) {
    const known = table("euc-jp");
    let isWide = false;
    const parts = [...text].flatMap((sign) => {
        const bytes = known.get(sign) ?? Buffer.from("?");
        const turn = (bytes.length === 2) === isWide ? "" : isWide ? "\x1b(B" : "\x1b$B";
        isWide = bytes.length === 2;
        return [Buffer.from(turn), Buffer.from(bytes.map((byte) => byte & 0x7f))];
    });
    return Buffer.concat([...parts, Buffer.from(isWide ? "\x1b(B" : "")]);
}
