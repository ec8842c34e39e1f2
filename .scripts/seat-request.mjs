// A request of the Messages wire as a page to read: what the model is told, with rough token counts.

/** @param {unknown} value */
const tokens = (value) => Math.ceil((typeof value === "string" ? value : JSON.stringify(value ?? "")).length / 4);

/**
 * @param {any} body
 * @returns {number} tokens of all that is said, four characters each
 */
export function roughTokens(body) {
    return counts(body).reduce((sum, { count, part }) => sum + (part ? 0 : count), 0);
}

/** @param {any} content of a message or the system prompt */
function blocks(content) {
    return typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
}

/** @param {any} content */
function textOf(content) {
    return blocks(content)
        .map((/** @type {any} */ block) => block.text ?? "")
        .join("\n");
}

/** @param {any} body */
function schemaOf(body) {
    return body.output_config?.format?.schema ?? body.output_format?.schema;
}

/**
 * @param {any} body
 * @returns {{ name: string, count: number, part: boolean }[]} `part`: it is counted in the row above, too
 */
function counts(body) {
    const rows = [];
    if (body.system !== undefined) rows.push({ name: "system", count: tokens(textOf(body.system)), part: false });
    for (const [index, message] of (body.messages ?? []).entries()) {
        const said = blocks(message.content);
        const plain = said.every((/** @type {any} */ block) => block.type === "text");
        rows.push({
            name: `message ${index + 1}, ${message.role}`,
            count: plain ? tokens(textOf(said)) : tokens(said),
            part: false,
        });
        for (const [, name, inner] of textOf(said).matchAll(/^<([A-Z][A-Z0-9_]*)(?: [^>]*)?>\n?([\s\S]*?)^<\/\1>/gm))
            rows.push({ name: `of it ${name}`, count: tokens(inner), part: true });
    }
    const schema = schemaOf(body);
    if (schema !== undefined) rows.push({ name: "schema", count: tokens(schema), part: false });
    for (const tool of body.tools ?? [])
        rows.push({ name: `tool ${tool.name ?? tool.type}`, count: tokens(tool), part: false });
    return rows;
}

/** @param {unknown} value */
function json(value) {
    return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/**
 * @param {any} block
 * @returns {string}
 */
function shown(block) {
    switch (block.type) {
        case "text":
            return block.text;
        case "tool_use":
            return `**calls ${block.name}** (${block.id})\n\n${json(block.input)}`;
        case "tool_result":
            return `**result of ${block.tool_use_id}**${block.is_error === true ? " (an error)" : ""}\n\n${typeof block.content === "string" ? block.content : blocks(block.content).map(shown).join("\n\n")}`;
        case "image":
        case "document":
            return `*${block.type}, ${block.source?.media_type ?? block.source?.type ?? "unknown"}*`;
        default:
            return json(block);
    }
}

/**
 * @param {string} number
 * @param {any} body
 * @returns {string} Markdown
 */
export function readable(number, body) {
    const { system, messages, tools, ...rest } = body;
    const schema = schemaOf(body);
    const table = counts(body).map(({ name, count }) => `| ${name} | ${count} |`);
    const parts = [
        `# Request ${number}`,
        `Answer in \`${number}-answer.json\`, \`.txt\` or \`.md\`.`,
        ["| part | tokens, about |", "|---|---:|", ...table, `| all | ${roughTokens(body)} |`].join("\n"),
    ];
    if (system !== undefined) parts.push("## System", textOf(system));
    parts.push("## Messages");
    for (const [index, message] of (messages ?? []).entries())
        parts.push(`### ${index + 1}, ${message.role}`, ...blocks(message.content).map(shown));
    if (schema !== undefined) parts.push("## Schema of the answer", json(schema));
    if (tools !== undefined)
        parts.push(
            "## Tools",
            ...tools.flatMap((/** @type {any} */ tool) => [
                `### ${tool.name ?? tool.type}`,
                tool.description ?? "",
                json(tool.input_schema ?? tool),
            ]),
        );
    parts.push(
        "## Other fields",
        json({
            ...rest,
            output_config: undefined,
            output_format: undefined,
            ...(rest.output_config?.effort === undefined ? {} : { effort: rest.output_config.effort }),
        }),
    );
    return `${parts.join("\n\n")}\n`;
}
