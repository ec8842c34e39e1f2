/** The agent that answers when none is named. */
const AGENT = "isa-deep-research";

/**
 * The program's arguments: `--agent` becomes the first one of `run`, everything else passes as it is.
 * @param {string[]} args
 * @returns {string[]}
 */
export function researchArguments(args) {
    const rest = [];
    let agent = AGENT;
    for (let i = 0; i < args.length; i += 1) {
        const arg = args[i];
        if (arg === "--") {
            rest.push(...args.slice(i));
            break;
        }
        if (arg === "--agent" && i + 1 < args.length) {
            i += 1;
            agent = args[i];
        } else if (arg.startsWith("--agent=")) {
            agent = arg.slice("--agent=".length);
        } else {
            rest.push(arg);
        }
    }
    return ["run", agent, ...rest];
}
