// PDF files, written by hand: text, rules, annotations and fields at their places.

/** Widths of Helvetica's signs from the blank to the tilde, in thousandths of its size. */
const WIDTHS = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
/** Fonts that every reader knows. */
const KNOWN = { F1: "Helvetica", F2: "Helvetica-Bold", F3: "Symbol", F4: "ZapfDingbats" };

/**
 * A font without a file of its own: a predefined CMap, or codes that are Unicode with a ToUnicode map.
 * @typedef {{ cmap: string, ordering: string } | "unicode"} Composite
 */

/**
 * @typedef {object} Page
 * @property {string} content operators
 * @property {(file: File) => { annotations?: string[], fields?: string[] }} [parts]
 */

/** The objects of a file in the making. */
export class File {
    /** @type {Buffer[]} */
    objects = [];

    /**
     * @param {string | Buffer} body
     * @returns {string} the reference to it
     */
    add(body) {
        return `${this.objects.push(Buffer.from(body))} 0 R`;
    }

    /**
     * @param {string} dictionary its inside
     * @param {string} content
     */
    stream(dictionary, content) {
        return this.add(
            `<<${dictionary} /Length ${Buffer.byteLength(content, "latin1")}>>\nstream\n${content}\nendstream`,
        );
    }

    /**
     * The appearance of a field or a remark.
     * @param {number[]} box its rectangle
     * @param {string} text
     */
    appearance(box, text) {
        const [left = 0, bottom = 0, right = 0, top = 0] = box;
        const content = `/Tx BMC BT /F1 10 Tf 2 4 Td ${string(text)} Tj ET EMC`;
        return this.stream(
            `/Type /XObject /Subtype /Form /BBox [0 0 ${right - left} ${top - bottom}] /Resources <</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>>>>>`,
            content,
        );
    }
}

/** @param {string | Buffer} text Latin text, or bytes as they stand */
export const string = (text) => `<${Buffer.from(/** @type {string} */ (text), "latin1").toString("hex")}>`;

/** @param {string} text as codes of the font that knows all of Unicode */
export const unicode = (text) => `<${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;

/**
 * The width of Latin text in Helvetica.
 * @param {string} text
 * @param {number} [size]
 */
export const width = (text, size = 11) =>
    [...text].reduce((sum, sign) => sum + (WIDTHS[sign.charCodeAt(0) - 32] ?? 556), 0) * (size / 1000);

/**
 * Text at a place. A string in angle brackets is taken as it stands.
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {{ size?: number, font?: string }} [look]
 */
export const text = (x, y, text, { size = 11, font = "F1" } = {}) =>
    `BT /${font} ${size} Tf ${x} ${y} Td ${/^<[0-9a-f]*>$/.test(text) ? text : string(text)} Tj ET\n`;

/**
 * A line whose pieces follow each other: each with a size and a rise of its own.
 * @param {number} x
 * @param {number} y
 * @param {(string | { text: string, size?: number, rise?: number, font?: string })[]} pieces
 */
export const pieces = (x, y, pieces) =>
    `BT ${x} ${y} Td ${pieces
        .map((piece) => (typeof piece === "string" ? { text: piece } : piece))
        .map(({ text, size = 11, rise = 0, font = "F1" }) => `/${font} ${size} Tf ${rise} Ts ${string(text)} Tj`)
        .join(" ")} ET\n`;

/**
 * Lines one below the other.
 * @param {number} x
 * @param {number} y of the first
 * @param {string[]} lines
 */
export const lines = (x, y, lines) => lines.map((line, at) => text(x, y - 14 * at, line)).join("");

/**
 * A filled rectangle, as most programs draw a rule.
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} high
 */
export const rule = (x, y, wide, high) => `0 g ${x} ${y} ${wide} ${high} re f\n`;

/**
 * A drawn line.
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 */
export const stroke = (x, y, toX, toY) => `0.7 w ${x} ${y} m ${toX} ${toY} l S\n`;

/** Lines of a letter, so that a page has a body of text to compare with. */
export const BODY = lines(72, 640, [
    "The parties have read this agreement and signed it on the day named above.",
    "It replaces all that they agreed before, in writing or by word of mouth, and",
    "each of them has kept one copy of it together with the annex named therein.",
]);

/**
 * @param {Page[]} pages
 * @param {Record<string, Composite>} [fonts] composite fonts by name
 * @param {{ shown: string, membership?: string }} [layers] how two layers are shown, `@` and `%`; the first is `L1` of every page, or the
 *   membership of these
 * @returns {import("./input.mjs").Input}
 */
export function pdfOf(pages, fonts = {}, layers) {
    const file = new File();
    const catalog = file.add("");
    const tree = file.add("");
    const known = Object.entries(KNOWN).map(([name, base]) => {
        const encoding = base.startsWith("Helvetica") ? " /Encoding /WinAnsiEncoding" : "";
        return `/${name} ${file.add(`<</Type /Font /Subtype /Type1 /BaseFont /${base}${encoding}>>`)}`;
    });
    const own = Object.entries(fonts).map(([name, font]) => `/${name} ${composite(file, font)}`);
    const [first, second] =
        layers === undefined ? [] : ["One", "Two"].map((name) => file.add(`<</Type /OCG /Name (${name})>>`));
    const named = (/** @type {string} */ text) => text.replaceAll("@", first ?? "").replaceAll("%", second ?? "");
    const layer = layers?.membership === undefined ? first : file.add(`<</Type /OCMD ${named(layers.membership)}>>`);
    const properties = layer === undefined ? "" : ` /Properties <</L1 ${layer}>>`;
    const optional =
        layers === undefined ? "" : ` /OCProperties <</OCGs [${first} ${second}] /D <<${named(layers.shown)}>>>>`;
    const resources = `<</Font <<${[...known, ...own].join(" ")}>>${properties}>>`;
    const fields = /** @type {string[]} */ ([]);
    const kids = pages.map(({ content, parts }) => {
        const { annotations = [], fields: more = [] } = parts?.(file) ?? {};
        fields.push(...more);
        return file.add(
            `<</Type /Page /Parent ${tree} /MediaBox [0 0 595 842] /Resources ${resources} /Contents ${file.stream("", content)}${annotations.length > 0 ? ` /Annots [${annotations.join(" ")}]` : ""}>>`,
        );
    });
    const form =
        fields.length === 0
            ? ""
            : ` /AcroForm <</Fields [${fields.join(" ")}] /DA (/Helv 10 Tf 0 g) /DR <</Font <</Helv <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>>`;
    file.objects[0] = Buffer.from(`<</Type /Catalog /Pages ${tree}${form}${optional}>>`);
    file.objects[1] = Buffer.from(`<</Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}]>>`);
    const chunks = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
    let at = chunks[0]?.length ?? 0;
    const offsets = file.objects.map((body, index) => {
        const chunk = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from("\nendobj\n")]);
        chunks.push(chunk);
        at += chunk.length;
        return at - chunk.length;
    });
    const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
    chunks.push(
        Buffer.from(
            `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${offsets.length + 1} /Root ${catalog}>>\nstartxref\n${at}\n%%EOF\n`,
        ),
    );
    return { extension: "pdf", bytes: Buffer.concat(chunks) };
}

/**
 * @param {File} file
 * @param {Composite} font
 */
function composite(file, font) {
    const descriptor = file.add(
        "<</Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80>>",
    );
    const isUnicode = font === "unicode";
    const { cmap, ordering } = isUnicode ? { cmap: "Identity-H", ordering: "Identity" } : font;
    const descendant = file.add(
        `<</Type /Font /Subtype /CIDFontType${isUnicode ? "2" : "0"} /BaseFont /Own /CIDSystemInfo <</Registry (Adobe) /Ordering (${ordering}) /Supplement 0>> /DW ${isUnicode ? 550 : 1000}${isUnicode ? " /W [32 32 280]" : ""} /FontDescriptor ${descriptor}>>`,
    );
    const map = isUnicode ? ` /ToUnicode ${file.stream("", identity())}` : "";
    return file.add(
        `<</Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /${cmap} /DescendantFonts [${descendant}]${map}>>`,
    );
}

/** A map of every code to the sign of the same number. */
function identity() {
    const pages = Array.from({ length: 256 }, (_, high) => high.toString(16).padStart(2, "0"));
    const ranges = pages.map((high) => `<${high}00> <${high}ff> <${high}00>`);
    const blocks = [0, 64, 128, 192].map(
        (from) => `64 beginbfrange\n${ranges.slice(from, from + 64).join("\n")}\nendbfrange`,
    );
    return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n1 begincodespacerange <0000> <ffff> endcodespacerange\n${blocks.join("\n")}\nendcmap end end`;
}

/** @param {string} content of the only page, above a body of text */
export const pdf = (content) => pdfOf([{ content: content + BODY }]);

/**
 * A table whose cells hold lines. Drawn with `strokes`, thin `bars`, a `boxes` for each cell, `rows` alone, `shades`, or nothing; `open`
 * names cells (row and column) without a line below them.
 * @param {string[][]} rows a cell's lines are parted by line breaks
 * @param {{ drawn?: "strokes" | "bars" | "boxes" | "rows" | "shades" | "", open?: string[], wide?: number[], top?: number, x?: number, right?: string[], align?: "top" | "middle" | "bottom" }} [look] `right`: cells without a line at their right
 */
export function grid(rows, { drawn = "strokes", open = [], wide, top = 800, x = 72, right = [], align = "top" } = {}) {
    const widths = wide ?? (rows[0] ?? []).map(() => 110);
    const lefts = widths.map((_, at) => x + widths.slice(0, at).reduce((sum, one) => sum + one, 0));
    const heights = rows.map((cells) => 6 + 14 * Math.max(...cells.map((one) => one.split("\n").length)));
    const tops = heights.map((_, at) => top - heights.slice(0, at).reduce((sum, one) => sum + one, 0));
    const edge = (
        /** @type {number} */ ax,
        /** @type {number} */ ay,
        /** @type {number} */ bx,
        /** @type {number} */ by,
    ) => (drawn === "bars" ? rule(ax, by, Math.max(bx - ax, 0.5), Math.max(ay - by, 0.5)) : stroke(ax, ay, bx, by));
    const out = rows.flatMap((cells, at) =>
        cells.map((cell, column) => {
            const [left = 0, upper = 0, w = 0, h = 0] = [lefts[column], tops[at], widths[column], heights[at]];
            const shade = drawn === "shades" && at % 2 === 0 ? `0.9 g ${left} ${upper - h} ${w} ${h} re f 0 g\n` : "";
            const own = cell.split("\n");
            const free = h - 6 - 14 * own.length;
            const down = align === "top" ? 0 : align === "middle" ? free / 2 : free;
            const words = lines(left + 4, upper - 14 - down, own);
            if (drawn === "" || drawn === "shades") return shade + words;
            if (drawn === "boxes") return `${words}0.5 w ${left} ${upper - h} ${w} ${h} re S\n`;
            const above = at === 0 ? edge(left, upper, left + w, upper) : "";
            const below = open.includes(`${at},${column}`) ? "" : edge(left, upper - h, left + w, upper - h);
            if (drawn === "rows") return words + above + below;
            const before = column === 0 ? edge(left, upper, left, upper - h) : "";
            const behind = right.includes(`${at},${column}`) ? "" : edge(left + w, upper, left + w, upper - h);
            return words + above + below + before + behind;
        }),
    );
    return out.join("");
}
