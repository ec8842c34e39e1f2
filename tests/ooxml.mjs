// What has to hold in a file of Word by its format (ECMA-376), tested over its parts: so that a file is known to be sound where no
// other program is there to open it.

/**
 * An element with what stands in it.
 * @typedef {{ name: string, attributes: Record<string, string>, children: Element[], parent: Element | null }} Element
 */

const OPENS = /<(?:\?[^?]*\?|!--[\s\S]*?--|(\/?)([\w:.-]+)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?))>/gy;
const TEXT = "text/xml";
const RELATIONSHIPS = "application/vnd.openxmlformats-package.relationships+xml";
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";
/** Content types that a part of this kind has to have. */
const KINDS = /** @type {[RegExp, string][]} */ ([
    [/^word\/document\.xml$/, `${WORD}.document.main+xml`],
    [/^word\/styles\.xml$/, `${WORD}.styles+xml`],
    [/^word\/numbering\.xml$/, `${WORD}.numbering+xml`],
    [/^word\/settings\.xml$/, `${WORD}.settings+xml`],
    [/^word\/footnotes\.xml$/, `${WORD}.footnotes+xml`],
    [/^word\/header\d+\.xml$/, `${WORD}.header+xml`],
    [/^word\/footer\d+\.xml$/, `${WORD}.footer+xml`],
    [/\.rels$/, RELATIONSHIPS],
]);

/**
 * Reads a part. Throws where it is not well-formed.
 * @param {string} xml
 * @returns {Element}
 */
export function parsed(xml) {
    const root = /** @type {Element} */ ({ name: "", attributes: {}, children: [], parent: null });
    let at = 0;
    let open = root;
    for (;;) {
        const next = xml.indexOf("<", at);
        const between = xml.slice(at, next < 0 ? undefined : next);
        if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/.test(between)) throw new Error(`a bare & in ${between}`);
        if (open === root && between.trim() !== "") throw new Error(`text outside the root: ${between.trim()}`);
        if (next < 0) break;
        OPENS.lastIndex = next;
        const found = OPENS.exec(xml);
        if (found === null) throw new Error(`no element: ${xml.slice(next, next + 80)}`);
        at = OPENS.lastIndex;
        const [, closes, name, attributes = "", isEmpty] = found;
        if (name === undefined) continue;
        if (closes) {
            if (open.name !== name) throw new Error(`</${name}> closes <${open.name}>`);
            open = /** @type {Element} */ (open.parent);
            continue;
        }
        const names = [...attributes.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]);
        if (new Set(names.map(([key]) => key)).size < names.length)
            throw new Error(`an attribute stands twice: ${found[0]}`);
        const element = { name, attributes: Object.fromEntries(names), children: [], parent: open };
        open.children.push(element);
        if (!isEmpty) open = element;
    }
    if (open !== root) throw new Error(`<${open.name}> is not closed`);
    if (root.children.length !== 1) throw new Error(`${root.children.length} roots`);
    return /** @type {Element} */ (root.children[0]);
}

/**
 * Every element of this name below one, in order.
 * @param {Element} element
 * @param {string} name
 * @returns {Element[]}
 */
export function all(element, name) {
    return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

/**
 * @param {Element} element
 * @param {string} name
 */
const isWithin = (element, name) => {
    for (let above = element.parent; above !== null; above = above.parent) if (above.name === name) return true;
    return false;
};

/**
 * The target of a relationship as the name of a part.
 * @param {string} from the name of the part of relationships
 * @param {string} target
 */
function partOf(from, target) {
    if (target.startsWith("/")) return target.slice(1);
    const folder = from.replace(/_rels\/[^/]*$/, "");
    return new URL(target, `file:///${folder}`).pathname.slice(1);
}

/**
 * What is wrong with a file of Word; nothing where it is sound.
 * @param {Map<string, Buffer | string>} entries its parts
 * @returns {string[]}
 */
export function faults(entries) {
    const found = /** @type {string[]} */ ([]);
    const parts = /** @type {Map<string, Element>} */ (new Map());
    for (const [name, bytes] of entries) {
        if (!/\.(xml|rels)$/.test(name)) continue;
        try {
            parts.set(name, parsed(String(bytes)));
        } catch (problem) {
            found.push(`${name}: not well-formed: ${/** @type {Error} */ (problem).message}`);
        }
    }
    contentTypes(entries, parts, found);
    const ids = relationships(entries, parts, found);
    const document = parts.get("word/document.xml");
    if (document === undefined) return [...found, "there is no word/document.xml"];
    references(parts, ids, found);
    styles(parts, found);
    footnotes(parts, found);
    lists(parts, found);
    tables(parts, found);
    changes(parts, found);
    bookmarks(parts, found);
    return found;
}

/**
 * Every part has a content type, its own where its kind has one, and no type is declared for a part that is not there.
 * @param {Map<string, unknown>} entries
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function contentTypes(entries, parts, found) {
    const types = parts.get("[Content_Types].xml");
    if (types === undefined) return found.push("there is no [Content_Types].xml");
    const defaults = new Map(
        all(types, "Default").map(({ attributes }) => [attributes.Extension, attributes.ContentType]),
    );
    const overrides = new Map(
        all(types, "Override").map(({ attributes }) => [attributes.PartName, attributes.ContentType]),
    );
    for (const part of overrides.keys())
        if (!entries.has(String(part).slice(1))) found.push(`a content type for ${part}, which is not there`);
    for (const name of entries.keys()) {
        if (name === "[Content_Types].xml") continue;
        const type = overrides.get(`/${name}`) ?? defaults.get(name.replace(/^.*\./, ""));
        const wanted = KINDS.find(([pattern]) => pattern.test(name))?.[1];
        if (type === undefined) found.push(`${name} has no content type`);
        else if (wanted !== undefined && type !== wanted) found.push(`${name} is ${type}, not ${wanted}`);
        else if (type === TEXT) found.push(`${name} is only XML`);
    }
    return found.length;
}

/**
 * Every relationship leads to a part or to an address outside. Gives the ids by the part that they belong to.
 * @param {Map<string, unknown>} entries
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function relationships(entries, parts, found) {
    const ids = /** @type {Map<string, Map<string, string>>} */ (new Map());
    const reached = new Set(["[Content_Types].xml"]);
    for (const [name, root] of parts) {
        if (!name.endsWith(".rels")) continue;
        reached.add(name);
        const owner = name.replace("_rels/", "").replace(/\.rels$/, "");
        const own = /** @type {Map<string, string>} */ (new Map());
        for (const { attributes } of all(root, "Relationship")) {
            const { Id, Target, TargetMode, Type } = attributes;
            if (Id === undefined || Target === undefined || Type === undefined) {
                found.push(`${name}: a relationship without id, type or target`);
                continue;
            }
            if (own.has(Id)) found.push(`${name}: ${Id} stands twice`);
            own.set(Id, Type.replace(/^.*\//, ""));
            if (TargetMode === "External") {
                if (!/^(https?|mailto):/.test(Target)) found.push(`${name}: ${Id} leads to ${Target}`);
                continue;
            }
            const part = partOf(name, Target);
            reached.add(part);
            if (!entries.has(part)) found.push(`${name}: ${Id} leads to ${part}, which is not there`);
        }
        ids.set(owner, own);
        if (owner !== "" && !entries.has(owner)) found.push(`${name} belongs to ${owner}, which is not there`);
    }
    for (const name of entries.keys()) if (!reached.has(name)) found.push(`no relationship leads to ${name}`);
    return ids;
}

/**
 * Every id that a part names is one of its own relationships, of the right kind.
 * @param {Map<string, Element>} parts
 * @param {Map<string, Map<string, string>>} ids
 * @param {string[]} found
 */
function references(parts, ids, found) {
    const kinds = /** @type {[string, string][]} */ ([
        ["w:hyperlink", "hyperlink"],
        ["w:headerReference", "header"],
        ["w:footerReference", "footer"],
    ]);
    for (const [name, root] of parts) {
        for (const [element, kind] of kinds) {
            for (const { attributes } of all(root, element)) {
                const id = attributes["r:id"];
                if (id === undefined) {
                    if (element !== "w:hyperlink") found.push(`${name}: ${element} without r:id`);
                    continue;
                }
                const is = ids.get(name)?.get(id);
                if (is !== kind) found.push(`${name}: ${element} names ${id}, which is ${is ?? "nothing"}`);
            }
        }
    }
}

/**
 * Every style that is used is declared as what it is used for, and every style's base and follower, too.
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function styles(parts, found) {
    const root = parts.get("word/styles.xml");
    if (root === undefined) return found.push("there is no word/styles.xml");
    const declared = /** @type {Map<string | undefined, string | undefined>} */ (new Map());
    for (const { attributes } of all(root, "w:style")) {
        if (declared.has(attributes["w:styleId"])) found.push(`the style ${attributes["w:styleId"]} stands twice`);
        declared.set(attributes["w:styleId"], attributes["w:type"]);
    }
    const uses = /** @type {[string, string | null][]} */ ([
        ["w:pStyle", "paragraph"],
        ["w:rStyle", "character"],
        ["w:tblStyle", "table"],
        ["w:basedOn", null],
        ["w:next", null],
        ["w:link", null],
    ]);
    for (const [name, part] of parts) {
        for (const [element, type] of uses) {
            for (const { attributes } of all(part, element)) {
                const is = declared.get(attributes["w:val"]);
                if (is === undefined) found.push(`${name}: the style ${attributes["w:val"]} is not declared`);
                else if (type !== null && is !== type)
                    found.push(`${name}: ${attributes["w:val"]} is a style of a ${is}`);
            }
        }
    }
    return found.length;
}

/**
 * Every mark has its footnote and every footnote its mark, once; separators are there.
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function footnotes(parts, found) {
    const root = parts.get("word/footnotes.xml");
    const document = /** @type {Element} */ (parts.get("word/document.xml"));
    const marks = all(document, "w:footnoteReference").map(({ attributes }) => attributes["w:id"]);
    if (root === undefined) return marks.length > 0 && found.push("marks, and no word/footnotes.xml");
    const notes = all(root, "w:footnote");
    const own = notes.filter(({ attributes }) => attributes["w:type"] === undefined);
    const ids = notes.map(({ attributes }) => attributes["w:id"]);
    if (new Set(ids).size < ids.length) found.push("a footnote's id stands twice");
    for (const kind of ["separator", "continuationSeparator"])
        if (!notes.some(({ attributes }) => attributes["w:type"] === kind)) found.push(`footnotes without ${kind}`);
    const has = new Set(own.map(({ attributes }) => attributes["w:id"]));
    for (const id of new Set(marks)) if (!has.has(id)) found.push(`the mark ${id} has no footnote`);
    for (const id of has) if (!marks.includes(id)) found.push(`the footnote ${id} has no mark`);
    for (const note of own) {
        const { "w:id": id } = note.attributes;
        if (all(note, "w:p").length === 0) found.push(`the footnote ${id} has no paragraph`);
        if (all(note, "w:footnoteRef").length !== 1) found.push(`the footnote ${id} does not show its number once`);
    }
    return found.length;
}

/**
 * Every list that a paragraph names is declared, on a level that it has.
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function lists(parts, found) {
    const root = parts.get("word/numbering.xml");
    const declared = new Set((root ? all(root, "w:num") : []).map(({ attributes }) => attributes["w:numId"]));
    const forms = new Set(
        (root ? all(root, "w:abstractNum") : []).map(({ attributes }) => attributes["w:abstractNumId"]),
    );
    for (const { attributes } of root ? all(root, "w:abstractNumId") : [])
        if (!forms.has(attributes["w:val"]))
            found.push(`a list of the form ${attributes["w:val"]}, which is not declared`);
    for (const [name, part] of parts)
        for (const { attributes } of all(part, "w:numId"))
            if (!declared.has(attributes["w:val"]))
                found.push(`${name}: the list ${attributes["w:val"]} is not declared`);
}

/**
 * Every row has a cell for each column of its table, every cell ends with a paragraph, and something follows each table.
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function tables(parts, found) {
    for (const [name, part] of parts) {
        for (const table of all(part, "w:tbl")) {
            const columns = all(
                /** @type {Element} */ (table.children.find((one) => one.name === "w:tblGrid")),
                "w:gridCol",
            );
            for (const row of table.children.filter((one) => one.name === "w:tr")) {
                const cells = row.children.filter((one) => one.name === "w:tc");
                if (cells.length !== columns.length)
                    found.push(`${name}: a row of ${cells.length} cells in a table of ${columns.length} columns`);
                for (const cell of cells)
                    if (cell.children.at(-1)?.name !== "w:p")
                        found.push(`${name}: a cell that does not end with a paragraph`);
            }
            const around = /** @type {Element} */ (table.parent).children;
            if (!["w:p", "w:tbl"].includes(around[around.indexOf(table) + 1]?.name ?? ""))
                found.push(`${name}: nothing follows a table`);
        }
    }
}

/**
 * Every tracked change says who and when under an id of its own; what was deleted is no text, and what is text is not deleted.
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function changes(parts, found) {
    const ids = new Set();
    for (const [name, part] of parts) {
        for (const kind of ["w:ins", "w:del"]) {
            for (const change of all(part, kind)) {
                const { "w:id": id, "w:author": author, "w:date": date } = change.attributes;
                if (id === undefined || ids.has(id)) found.push(`${name}: ${kind} with the id ${id}`);
                ids.add(id);
                if (!author) found.push(`${name}: ${kind} ${id} names nobody`);
                if (date !== undefined && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date))
                    found.push(`${name}: ${kind} ${id} has the date ${date}`);
                if (isWithin(change, kind)) found.push(`${name}: ${kind} ${id} stands in another`);
            }
        }
        for (const text of all(part, "w:t")) if (isWithin(text, "w:del")) found.push(`${name}: text in w:del`);
        for (const text of all(part, "w:delText"))
            if (!isWithin(text, "w:del")) found.push(`${name}: w:delText outside w:del`);
    }
}

/**
 * Every place begins and ends once, under a name of its own, and every link within the document leads to one.
 * @param {Map<string, Element>} parts
 * @param {string[]} found
 */
function bookmarks(parts, found) {
    const names = new Set();
    const [begun, ended] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
    for (const part of parts.values()) {
        for (const { attributes } of all(part, "w:bookmarkStart")) {
            if (names.has(attributes["w:name"])) found.push(`the place ${attributes["w:name"]} stands twice`);
            names.add(attributes["w:name"]);
            begun.push(String(attributes["w:id"]));
        }
        ended.push(...all(part, "w:bookmarkEnd").map(({ attributes }) => String(attributes["w:id"])));
    }
    if (new Set(begun).size < begun.length) found.push("two places have one id");
    if (begun.sort().join() !== ended.sort().join()) found.push("a place that begins or ends alone");
    for (const [name, part] of parts)
        for (const { attributes } of all(part, "w:hyperlink")) {
            const to = attributes["w:anchor"];
            if (to !== undefined && !names.has(to)) found.push(`${name}: a link to ${to}, which is nowhere`);
        }
}
