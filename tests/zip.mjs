// Zip archives, read and written as the format's description says: so that tests need not trust the program's own reader.

import { createHash } from "node:crypto";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {Buffer} bytes
 * @property {number} [mode] the Unix mode with its type; default: a plain file
 * @property {boolean} [stored] not compressed
 * @property {number} [says] the size that its head says
 */

/**
 * @param {Buffer} archive
 * @returns {Map<string, Buffer>} entries by name
 */
export function unzip(archive) {
    const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
    const count = archive.readUInt16LE(end + 10);
    let at = archive.readUInt32LE(end + 16);
    const entries = new Map();
    for (let index = 0; index < count; index += 1) {
        if (archive.readUInt32LE(at) !== CENTRAL) throw new Error("this is no entry of an archive");
        const [method, packed] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
        const [name, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place));
        const local = archive.readUInt32LE(at + 42);
        const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
        const data = archive.subarray(begin, begin + packed);
        entries.set(
            archive.toString("utf8", at + 46, at + 46 + name),
            method === 0 ? Buffer.from(data) : inflateRawSync(data),
        );
        at += 46 + name + extra + comment;
    }
    return entries;
}

/**
 * @param {Entry[]} entries any names, also those that no program should write
 * @returns {Buffer}
 */
export function zip(entries) {
    const [parts, heads] = [/** @type {Buffer[]} */ ([]), /** @type {Buffer[]} */ ([])];
    let offset = 0;
    for (const { name, bytes, mode = 0o100600, stored = false, says = bytes.length } of entries) {
        const data = stored ? bytes : deflateRawSync(bytes);
        const [title, method, sum] = [Buffer.from(name), stored ? 0 : 8, crc32(bytes)];
        const local = Buffer.alloc(30);
        local.writeUInt32LE(LOCAL, 0);
        local.writeUInt16LE(20, 4);
        local.writeUInt16LE(method, 8);
        local.writeUInt32LE(sum, 14);
        local.writeUInt32LE(data.length, 18);
        local.writeUInt32LE(says, 22);
        local.writeUInt16LE(title.length, 26);
        const head = Buffer.alloc(46);
        head.writeUInt32LE(CENTRAL, 0);
        head.writeUInt16LE(0x0314, 4);
        head.writeUInt16LE(20, 6);
        head.writeUInt16LE(method, 10);
        head.writeUInt32LE(sum, 16);
        head.writeUInt32LE(data.length, 20);
        head.writeUInt32LE(says, 24);
        head.writeUInt16LE(title.length, 28);
        head.writeUInt32LE((mode << 16) >>> 0, 38);
        head.writeUInt32LE(offset, 42);
        parts.push(local, title, data);
        heads.push(head, title);
        offset += local.length + title.length + data.length;
    }
    const directory = Buffer.concat(heads);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(entries.length, 8);
    end.writeUInt16LE(entries.length, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(offset, 16);
    return Buffer.concat([...parts, directory, end]);
}

/** @param {Buffer} bytes */
export const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/**
 * A bundle with other contents and a manifest that names them as they are.
 * @param {Map<string, Buffer>} entries
 * @param {(manifest: any) => void} [change]
 */
export function bundle(entries, change = () => undefined) {
    const manifest = JSON.parse(String(entries.get("manifest.json")));
    const rest = [...entries].filter(([name]) => name !== "manifest.json");
    manifest.entries = rest.map(([name, bytes]) => ({ name, bytes: bytes.length, sha256: sha256(bytes) }));
    change(manifest);
    return zip([
        ...rest.map(([name, bytes]) => ({ name, bytes })),
        { name: "manifest.json", bytes: Buffer.from(JSON.stringify(manifest)) },
    ]);
}
