// Documents made up for tests, as bytes: a PDF and a DOCX without any library.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

/**
 * A PDF whose pages each hold these lines, one below the other; a line that begins with `# ` is set large.
 * @param {string[][]} pages
 */
export function pdf(pages) {
    const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
    const objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ];
    for (const [index, lines] of pages.entries()) {
        const text = lines
            .map((line, row) => {
                const [size, words] = line.startsWith("# ") ? [18, line.slice(2)] : [11, line];
                return `BT /F1 ${size} Tf 72 ${720 - row * 30} Td (${words.replaceAll(/[\\()]/g, "\\$&")}) Tj ET`;
            })
            .join("\n");
        objects.push(
            `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        );
        objects.push(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
    }
    return file(objects.map((object) => Buffer.from(object, "latin1")));
}

/** A PDF that says it is encrypted with a password that nobody has. */
export function encryptedPdf() {
    const locked = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> >> /ID [<00112233> <00112233>]`;
    const pages = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"];
    return file(
        pages.map((object) => Buffer.from(object, "latin1")),
        locked,
    );
}

/**
 * A PDF whose one page is a stream that unfolds to that many megabytes of nothing.
 * @param {number} megabytes
 */
export function bombPdf(megabytes) {
    const packed = deflateSync(Buffer.alloc(megabytes << 20, " "), { level: 9 });
    return file([
        Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
        Buffer.from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        Buffer.from("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>"),
        Buffer.concat([
            Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
            packed,
            Buffer.from("\nendstream"),
        ]),
    ]);
}

/** A PDF with an array in an array in an array. */
export function nestedPdf(depth = 200_000) {
    return file([
        Buffer.from(`<< /Type /Catalog /Pages 2 0 R /X ${"[".repeat(depth)}${"]".repeat(depth)} >>`),
        Buffer.from("<< /Type /Pages /Kids [] /Count 0 >>"),
    ]);
}

/**
 * @param {Buffer[]} objects from number 1
 * @param {string} [more] of the trailer
 */
function file(objects, more = "") {
    const parts = [Buffer.from("%PDF-1.4\n")];
    let at = parts[0].length;
    const places = [];
    for (const [index, object] of objects.entries()) {
        const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
        places.push(at);
        at += part.length;
        parts.push(part);
    }
    const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
    const size = objects.length + 1;
    parts.push(
        Buffer.from(
            `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${more} >>\nstartxref\n${at}\n%%EOF\n`,
        ),
    );
    return Buffer.concat(parts);
}

/**
 * A DOCX of paragraphs; one that begins with `# ` is a heading.
 * @param {string[]} paragraphs
 */
export function docx(paragraphs) {
    const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    const body = paragraphs
        .map((text) => {
            const heading = text.startsWith("# ");
            const style = heading ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : "";
            return `<w:p>${style}<w:r><w:t xml:space="preserve">${heading ? text.slice(2) : text}</w:t></w:r></w:p>`;
        })
        .join("");
    const office = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    const relations = "http://schemas.openxmlformats.org/package/2006/relationships";
    const document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
    return zip({
        "[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${office}.document.main+xml"/></Types>`,
        "_rels/.rels": `<?xml version="1.0"?><Relationships xmlns="${relations}"><Relationship Id="r1" Type="${document}" Target="word/document.xml"/></Relationships>`,
        "word/document.xml": `<?xml version="1.0"?><w:document ${w}><w:body>${body}</w:body></w:document>`,
    });
}

/**
 * A spreadsheet of one sheet with these rows of texts.
 * @param {string[][]} rows
 */
export function xlsx(rows) {
    const row = (/** @type {string[]} */ cells) =>
        `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join("")}</row>`;
    const relations = "http://schemas.openxmlformats.org/package/2006/relationships";
    const sheet = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    return zip({
        "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>`,
        "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${sheet}" Target="worksheets/sheet1.xml"/></Relationships>`,
        "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows.map(row).join("")}</sheetData></worksheet>`,
    });
}

/**
 * A ZIP archive whose entries are stored as they are.
 * @param {Record<string, string>} entries
 */
function zip(entries) {
    const parts = [];
    const directory = [];
    let at = 0;
    for (const [name, text] of Object.entries(entries)) {
        const [title, data] = [Buffer.from(name), Buffer.from(text)];
        const facts = Buffer.alloc(26);
        facts.writeUInt16LE(20, 0);
        facts.writeUInt16LE(0x21, 8);
        facts.writeUInt32LE(crc32(data), 10);
        facts.writeUInt32LE(data.length, 14);
        facts.writeUInt32LE(data.length, 18);
        facts.writeUInt16LE(title.length, 22);
        const place = Buffer.alloc(14);
        place.writeUInt32LE(at, 10);
        directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), facts, place, title);
        parts.push(Buffer.from("PK\x03\x04", "latin1"), facts, title, data);
        at += 30 + title.length + data.length;
    }
    const listed = Buffer.concat(directory);
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06", "latin1");
    end.writeUInt16LE(Object.keys(entries).length, 8);
    end.writeUInt16LE(Object.keys(entries).length, 10);
    end.writeUInt32LE(listed.length, 12);
    end.writeUInt32LE(at, 16);
    return Buffer.concat([...parts, listed, end]);
}

/**
 * Twenty files of eight kinds; one of them answers.
 * @param {string} folder
 */
export function folderOfPapers(folder) {
    mkdirSync(join(folder, "more"), { recursive: true });
    const write = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) =>
        writeFileSync(join(folder, name), content);
    const about = (/** @type {number} */ number) =>
        `Project ${number} is led from office ${number * 7}. Its report goes to the board in month ${(number % 12) + 1}.`;
    write("retention.pdf", pdf([["# Retention", "Working papers are kept for seven years after the report."]]));
    for (const number of [1, 2, 3]) {
        write(`minutes-${number}.pdf`, pdf([[`# Minutes ${number}`, about(number)]]));
        write(`memo-${number}.docx`, docx([`# Memo ${number}`, about(number + 3)]));
        write(`note-${number}.md`, `# Note ${number}\n\n${about(number + 6)}\n`);
        write(`list-${number}.txt`, `${about(number + 9)}\n`);
        write(
            `more/page-${number}.html`,
            `<html><body><h1>Page ${number}</h1><p>${about(number + 12)}</p></body></html>`,
        );
    }
    write("more/plan.md", `# Plan\n\n${about(20)}\n`);
    write("photo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
    write("data.bin", Buffer.from([0, 1, 2, 255, 254]));
    write("table.csv", "name,office\nA,1\n");
}
