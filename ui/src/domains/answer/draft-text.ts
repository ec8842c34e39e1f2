// The readable part of a structured answer while it is being written: the longest text among the fields of the JSON object
// that has arrived so far. Each character is looked at once, however often more arrives.

/** Reads JSON that is still arriving. */
export class DraftReader {
    private read = 0;
    private source = "";
    private depth = 0;
    private inString = false;
    /** What an escape has so far, without its backslash. */
    private escape: string | undefined;
    /** Whether the string being read is the value of a field of the outermost object. */
    private isValue = false;
    private afterColon = false;
    private current = "";
    private longest = "";

    /** The readable text of what has arrived. `source` is everything that has arrived; text that does not go on from before begins anew. */
    draft(source: string): string {
        if (!source.startsWith(this.source)) Object.assign(this, new DraftReader());
        this.source = source;
        for (; this.read < source.length; this.read += 1) this.take(source.charAt(this.read));
        return this.isValue && this.current.length > this.longest.length ? this.current : this.longest;
    }

    private take(c: string): void {
        if (!this.inString) {
            if (c === '"') {
                this.inString = true;
                this.isValue = this.depth === 1 && this.afterColon;
                this.current = "";
            } else if (c === "{" || c === "[") this.depth += 1;
            else if (c === "}" || c === "]") this.depth -= 1;
            if (c === ":") this.afterColon = true;
            else if (!/\s/.test(c)) this.afterColon = false;
            return;
        }
        if (this.escape !== undefined) {
            this.escape += c;
            if (this.escape.startsWith("u") && this.escape.length < 5) return;
            this.add(unescaped(this.escape));
            this.escape = undefined;
        } else if (c === "\\") this.escape = "";
        else if (c === '"') {
            this.inString = false;
            if (this.isValue && this.current.length > this.longest.length) this.longest = this.current;
            this.isValue = false;
        } else this.add(c);
    }

    private add(text: string): void {
        if (this.isValue) this.current += text;
    }
}

function unescaped(escape: string): string {
    const plain: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
    if (escape.startsWith("u")) return String.fromCharCode(Number.parseInt(escape.slice(1), 16) || 0xfffd);
    return plain[escape] ?? escape;
}
