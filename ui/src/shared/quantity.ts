const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** "412 B", "3.4 KB", "1.2 GB": thousands, as file managers count. */
export function formatBytes(bytes: number): string {
    let value = bytes;
    let unit = 0;
    while (value >= 999.5 && unit < UNITS.length - 1) {
        value /= 1_000;
        unit += 1;
    }
    return `${unit === 0 || value >= 99.5 ? Math.round(value).toLocaleString("en-GB") : value.toFixed(1)}\u00a0${UNITS[unit]}`;
}

/** "1 document", "12,400 documents". */
export function count(number: number, one: string, many = `${one}s`): string {
    return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}

/**
 * The sum that a text names, in dollars: undefined for none, null where it is no sum up to 100,000. A comma parts thousands where three
 * digits follow, else the cents.
 */
export function dollarsOf(text: string): number | undefined | null {
    const trimmed = text.trim().replace(/^\$\s*/, "");
    if (trimmed === "") return undefined;
    const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(trimmed) ? trimmed.replaceAll(",", "") : trimmed.replace(",", ".");
    const dollars = /^\d+(\.\d+)?$|^\.\d+$/.test(plain) ? Number(plain) : NaN;
    return dollars > 0 && dollars <= 100_000 ? dollars : null;
}
