// The vault in words. Pure.

import type { VaultEntry, VaultProtection } from "@/backend";

const PROTECTIONS: { readonly [P in VaultProtection]: { label: string; hint: string } } = {
    keychain: {
        label: "The desktop keychain",
        hint: "Unlocks with your login. Protects against other users of this machine and copies of the disk, but not against programs that run as you.",
    },
    passphrase: {
        label: "A passphrase",
        hint: "Entered once after each start. Nothing on this machine can unlock the vault without you.",
    },
    key_file: {
        label: "A key file next to the vault",
        hint: "Less secure: anyone who can copy this data directory can read the secrets. For machines without a keychain.",
    },
};

export function protectionWords(protection: VaultProtection): { label: string; hint: string } {
    return PROTECTIONS[protection] ?? { label: protection, hint: "" };
}

/** `connection/our-gateway/key` as "Key of our-gateway"; what is named otherwise stays. */
export function entryWord(name: string): string {
    const [kind, slug, ...rest] = name.split("/");
    const what = rest.join("/");
    if (slug === undefined || what === "") return name;
    if (kind === "connection")
        return what === "key" ? `Key of ${slug}` : what === "oauth" ? `Sign-in of ${slug}` : `${what} of ${slug}`;
    return kind === "source" ? `${what} of the source ${slug}` : name;
}

const DAY_MS = 86_400_000;

/** How long ago a secret was stored; a token that expires is renewed by itself. */
export function ageWord(entry: Pick<VaultEntry, "at" | "expiresAt">, now: number): string {
    if (entry.expiresAt !== null) return "Renewed by itself";
    const days = Math.max(0, Math.floor((now - entry.at) / DAY_MS));
    return days === 0 ? "Stored today" : days === 1 ? "Stored a day ago" : `Stored ${days} days ago`;
}

/** Whether a secret is so old that the user is reminded of it: half a year. */
export function isOld(entry: Pick<VaultEntry, "at" | "expiresAt">, now: number): boolean {
    return entry.expiresAt === null && now - entry.at > 182 * DAY_MS;
}

/** Entries that something uses first, then by name. */
export function inOrder(entries: readonly VaultEntry[]): VaultEntry[] {
    return [...entries].sort(
        (a, b) => Number(a.usedBy === "") - Number(b.usedBy === "") || a.name.localeCompare(b.name),
    );
}

export type Strength = "empty" | "short" | "weak" | "fair" | "good";

const STRENGTHS: { readonly [S in Strength]: string } = {
    empty: "Four or more unrelated words are strong and easy to remember.",
    short: "Too short: at least 8 characters.",
    weak: "Weak: an attacker with a copy of the vault could guess it within days. Add words.",
    fair: "Fair: resists one attacker machine, not a cluster.",
    good: "Strong, unless you use it elsewhere.",
};

/**
 * How hard a passphrase is to guess, by its length and how many different characters it has. Well-known phrases look strong to it: that is why the words
 * ask for unrelated ones.
 */
export function strengthOf(passphrase: string): Strength {
    const text = passphrase.trim();
    if (text === "") return "empty";
    if ([...text].length < 8) return "short";
    const words = text.split(/[\s_-]+/).filter((word) => word.length > 2);
    const different = new Set(text.toLowerCase()).size;
    if (different < 5 || isRun(text)) return "weak";
    const length = [...text].length;
    if (new Set(words.map((word) => word.toLowerCase())).size >= 4 && length >= 18) return "good";
    if (length >= 16 && different >= 10) return "good";
    const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(text)).length;
    return length >= 12 && different >= 8 && (kinds >= 2 || length >= 14) ? "fair" : "weak";
}

/** Whether it only counts up or down: `12345678`, `abcdefgh`. */
function isRun(text: string): boolean {
    const codes = [...text].map((letter) => letter.codePointAt(0) ?? 0);
    const step = (codes[1] ?? 0) - (codes[0] ?? 0);
    return Math.abs(step) <= 1 && codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
}

export function strengthWord(strength: Strength): string {
    return STRENGTHS[strength];
}
