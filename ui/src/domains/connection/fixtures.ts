// For tests: connections as a core would tell of them.

import type { ConnectionPreset, ConnectionRow, ConnectionTest, ConnectionView, ModelRow } from "@/backend";

export const testOf = (over: Partial<ConnectionTest> = {}): ConnectionTest => ({
    verdict: "works",
    message: "It answered.",
    action: "",
    model: "big-1",
    firstMs: 800,
    ms: 1_400,
    usage: { input: 8, output: 2 },
    requestId: null,
    at: Date.now() - 210_000,
    models: 2,
    ...over,
});

export const rowOf = (over: Partial<ConnectionRow> = {}): ConnectionRow => ({
    slug: "acme",
    name: "Acme",
    description: "A provider.",
    provider: "openai-chat",
    address: "https://api.acme.example/v1",
    credential: "stored",
    defaultModel: "big-1",
    models: ["big-1", "small-1"],
    default: false,
    builtIn: false,
    flatRate: false,
    tested: null,
    problem: null,
    ...over,
});

export const OFFLINE = rowOf({
    slug: "offline",
    name: "Offline engine",
    description: "Selects and quotes.",
    provider: "offline",
    address: "",
    credential: "not_needed",
    defaultModel: null,
    models: ["extractive"],
    default: true,
    builtIn: true,
});

export const modelOf = (over: Partial<ModelRow> = {}): ModelRow => ({
    id: "big-1",
    connection: "acme",
    contextWindow: 200_000,
    maxOutput: 8_000,
    structured: true,
    thinking: true,
    tools: true,
    images: false,
    documents: false,
    inputPrice: 3,
    outputPrice: 15,
    cacheReadPrice: 0.3,
    cacheWritePrice: 3.75,
    ownPrice: false,
    knownFrom: "table",
    ...over,
});

export const viewOf = (row: ConnectionRow, over: Partial<ConnectionView> = {}): ConnectionView => ({
    row,
    config: row.builtIn
        ? null
        : {
              slug: row.slug,
              name: row.name,
              provider: row.provider,
              baseUrl: row.address,
              auth: { kind: "key" },
              defaultModel: row.defaultModel,
          },
    models: row.builtIn
        ? []
        : [
              modelOf(),
              modelOf({
                  id: "small-1",
                  inputPrice: null,
                  outputPrice: null,
                  cacheReadPrice: null,
                  cacheWritePrice: null,
                  knownFrom: "assumed",
              }),
          ],
    listedAt: null,
    tableDate: "2026-10-01",
    ...over,
});

export const PRESET: ConnectionPreset = {
    preset: "acme",
    name: "Acme",
    description: "Models of Acme.",
    keyHint: "Make a key at https://acme.example/keys",
    connection: { slug: "acme", name: "Acme", provider: "openai-chat", auth: { kind: "key" } },
    asksAddress: false,
    asksModel: true,
    asksKey: true,
    addressExample: "",
};
