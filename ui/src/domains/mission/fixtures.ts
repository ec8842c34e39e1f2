// Missions for tests.

import type { MissionView } from "@/backend";

import type { Claim, Provenance } from "./graph";

export function mission(over: Partial<MissionView> = {}): MissionView {
    return {
        mission: "run-m",
        session: "s1",
        previous: null,
        base: null,
        profile: "general-research",
        profileName: "General research",
        status: "running",
        phase: "research",
        request: "What is materiality? Format: a table",
        objective: "What is materiality?",
        outputSpecification: "Format: a table",
        iteration: 2,
        criteria: {
            coverage: { value: 400_000, target: 800_000, met: false },
            sources: { value: 3, target: 2, met: true },
            "critical gaps": { value: 1, target: 0, met: false },
        },
        facts: {
            version: 4,
            counts: {
                entities: 0,
                relations: 0,
                sources: 3,
                citations: 2,
                supported_claims: 1,
                unsupported_claims: 1,
                disputed_claims: 0,
                rejected_claims: 0,
                open_gaps: 1,
                open_critical_gaps: 1,
                closed_gaps: 1,
                open_contradictions: 0,
                open_leads: 0,
            },
            coverage: 400_000,
            confidence: 550_000,
            quality: 500_000,
            sources_per_claim: 1,
            validations: {},
            agenda: [],
        },
        graphVersion: 4,
        newestClaims: [],
        limits: [
            { dimension: "money", used: 250_000_000, limit: 1_000_000_000 },
            { dimension: "tokens", used: 20_000, limit: null },
            { dimension: "invocations", used: 22, limit: 24 },
        ],
        leftOut: [],
        invocations: [
            {
                key: "1.0",
                role: "research",
                agent: "library-researcher",
                name: "Library Researcher",
                task: "What is materiality?",
                status: "done",
                problem: null,
                run: "run-c",
                reused: null,
                ms: 1_200,
                tokens: 9_000,
            },
        ],
        pauses: [],
        outcome: null,
        unmet: [],
        ended: null,
        open: [],
        problem: null,
        report: null,
        files: [],
        usage: { input: 15_000, output: 5_000 },
        cost: 250_000_000,
        activeMs: 90_000,
        workingSince: null,
        ...over,
    };
}

export function claim(over: Partial<Claim> = {}): Claim {
    return {
        item: "claim",
        id: "c1",
        key: "materi",
        text: "Materiality is set in planning.",
        wordings: [],
        kind: "fact",
        dated: false,
        entities: [],
        answers: ["t1"],
        citations: ["q1"],
        status: "supported",
        pinned: false,
        confidence: 550_000,
        parts: { support: 600_000, penalty: 50_000, origins: 1 },
        by: "library-researcher 1.0",
        revision: 1,
        ...over,
    };
}

export function provenance(): Provenance {
    return {
        claim: claim(),
        citations: [
            {
                citation: {
                    id: "q1",
                    of: "c1",
                    source: "s1",
                    quote: "Materiality is set when planning.",
                    paragraph: "4.1",
                    page: 12,
                    verdict: "verified",
                    proof: "quoted",
                    by: "library-researcher 1.0",
                },
                source: {
                    id: "s1",
                    title: "Primer",
                    address: "kb:isa-primer/04.jsonl",
                    kind: "standard",
                    origin: "kb:isa-primer",
                    object: "ddfc157521ee",
                },
            },
        ],
        contradictions: [],
    };
}
