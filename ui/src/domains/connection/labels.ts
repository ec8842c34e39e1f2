// How connections, their credentials, tests and models are told to a person.

import type { ConnectionRow, ConnectionTest, CredentialState, ModelRow, ProviderKind, TestVerdict } from "@/backend";
import type { State } from "@/shared";

const PROVIDERS: { readonly [K in ProviderKind]: string } = {
    offline: "No model",
    anthropic: "Anthropic Messages",
    openai: "OpenAI Responses",
    "openai-chat": "OpenAI Chat Completions",
    gemini: "Google Gemini",
    ollama: "Ollama",
};

export function providerWord(kind: ProviderKind): string {
    return PROVIDERS[kind] ?? kind;
}

export interface StatusLabel {
    state: State;
    word: string;
}

const CREDENTIALS: { readonly [S in CredentialState]: StatusLabel } = {
    not_needed: { state: "idle", word: "No key needed" },
    stored: { state: "done", word: "Key stored" },
    environment: { state: "done", word: "Key from the environment" },
    missing: { state: "needs-you", word: "Key missing" },
    locked: { state: "needs-you", word: "Vault locked" },
    expired: { state: "needs-you", word: "Sign-in expired" },
};

export function credentialStatus(state: CredentialState): StatusLabel {
    return CREDENTIALS[state] ?? { state: "idle", word: state };
}

const VERDICTS: { readonly [V in TestVerdict]: StatusLabel } = {
    works: { state: "done", word: "Works" },
    key_missing: { state: "needs-you", word: "No key" },
    key_wrong: { state: "failed", word: "Key refused" },
    not_allowed: { state: "failed", word: "Not allowed" },
    model_unknown: { state: "failed", word: "Model unknown" },
    no_credit: { state: "needs-you", word: "No credit" },
    busy: { state: "needs-you", word: "Busy" },
    unreachable: { state: "failed", word: "Unreachable" },
    tls: { state: "failed", word: "Certificate not trusted" },
    clock: { state: "failed", word: "Clock is wrong" },
    wrong_protocol: { state: "failed", word: "Wrong protocol" },
    refused: { state: "failed", word: "Refused" },
};

export function verdictStatus(test: Pick<ConnectionTest, "verdict">): StatusLabel {
    return VERDICTS[test.verdict] ?? { state: "failed", word: test.verdict };
}

/** Whether a run can be given to it, as far as is known here. */
export function isReady(row: Pick<ConnectionRow, "credential" | "problem">): boolean {
    return row.problem === null && !["missing", "locked", "expired"].includes(row.credential);
}

/** Why it can't be used, in a few words; undefined where it can. */
export function lacks(row: Pick<ConnectionRow, "credential" | "problem">): string | undefined {
    if (row.problem !== null) return row.problem.message;
    return isReady(row) ? undefined : credentialStatus(row.credential).word;
}

/** "200k", "1M": tokens of a window, rounded as providers write them; empty where unknown. */
export function windowWord(tokens: number): string {
    if (tokens <= 0) return "";
    if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(tokens % 1_000_000 < 50_000 ? 0 : 1)}M`;
    return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

/** "$3", "$0.25" per million tokens; a dash where no price is known. */
export function priceWord(price: number | null): string {
    if (price === null) return "–";
    return `$${price.toLocaleString("en-GB", { minimumFractionDigits: Number.isInteger(price) ? 0 : 2, maximumFractionDigits: 4 })}`;
}

/** What a model can do, as short words. */
export function abilities(model: ModelRow): string[] {
    const words: [boolean, string][] = [
        [model.structured, "structured"],
        [model.tools, "tools"],
        [model.thinking, "thinking"],
        [model.images, "images"],
        [model.documents, "PDF"],
    ];
    return words.filter(([has]) => has).map(([, word]) => word);
}

const KNOWN_FROM: { readonly [from: string]: string } = {
    provider: "the provider’s list",
    table: "the built-in table",
    person: "your own values",
    assumed: "assumptions, as nothing is known about this model",
};

export function knownFromWord(from: string): string {
    return KNOWN_FROM[from] ?? from;
}
