// A conversation about a small project, for pictures: payments that are matched with invoices, and a model on loopback that looks into it,
// plans a change and carries it out.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What is asked first. */
export const ASKS = "Which payments end up with the wrong invoice, and why?";
/** What is asked for then. */
export const PLANS = "Plan the change.";

const MATCH = `"""Matches payments of a bank's statement with open invoices."""

import csv
from dataclasses import dataclass


@dataclass
class Invoice:
    number: str
    customer: str
    amount: float


@dataclass
class Payment:
    text: str
    amount: float


def invoices(path):
    with open(path, newline="") as file:
        return [Invoice(row["number"], row["customer"], float(row["amount"])) for row in csv.DictReader(file)]


def payments(path):
    with open(path, newline="") as file:
        return [Payment(row["text"], float(row["amount"])) for row in csv.DictReader(file)]


def match(payments, invoices):
    """Pairs each payment with an invoice."""
    left = list(invoices)
    pairs = []
    for payment in payments:
        for invoice in left:
            if invoice.amount == payment.amount:
                pairs.append((payment, invoice))
                left.remove(invoice)
                break
    return pairs, left
`;

const BEFORE = `        for invoice in left:
            if invoice.amount == payment.amount:
                pairs.append((payment, invoice))
                left.remove(invoice)
                break
`;
const AFTER = `        named = [each for each in left if each.number in payment.text]
        same = [each for each in left if each.amount == payment.amount]
        # Two open invoices of one amount are left open rather than guessed.
        candidates = named or (same if len(same) == 1 else [])
        if candidates:
            pairs.append((payment, candidates[0]))
            left.remove(candidates[0])
`;

const FILES = {
    "match.py": MATCH,
    "invoices.csv":
        "number,customer,amount\n2026-0107,Alder & Sons,1180.10\n2026-0108,Birch Logistics,420.00\n2026-0109,Cedar Print,420.00\n2026-0110,Dogwood GmbH,76.35\n2026-0111,Elm & Partners,93.00\n",
    "bank.csv":
        "text,amount\nALDER+SONS 2026-0107,1180.10\nCEDAR PRINT INV 2026-0109,420.00\nBIRCH LOGISTICS 0108,419.998\nDOGWOOD 2026-0110,76.35\n",
    "test_match.py":
        'from match import Invoice, Payment, match\n\n\ndef test_the_number_wins():\n    birch, cedar = Invoice("2026-0108", "Birch", 420.0), Invoice("2026-0109", "Cedar", 420.0)\n    pairs, _ = match([Payment("CEDAR PRINT INV 2026-0109", 420.0)], [birch, cedar])\n    assert pairs[0][1] is cedar\n',
    "README.md": "# Invoice matching\n\nPairs payments with open invoices: `python -m match`.\n",
};

const PLAN = `# Match by invoice number first

**What is wrong.** \`match\` pairs by amount alone, so Cedar Print's payment of 420.00 closes the invoice of Birch Logistics.

## Steps

1. **Number first.** A payment whose text names an open invoice is paired with that one (\`match.py\`, line 32).
2. **Then the amount, if it is unambiguous.** Two open invoices of one amount stay open rather than being guessed.
3. **A test** for each of the two, beside the one that is there.
4. **Run** all tests, then the matching, and compare the list with today's.

## What stays as it is

The columns, the printed table, the names of the functions. 419.998 is not rounded to 420.00: that is for you to decide.

| Payment | Paired today | Paired then |
|---|---|---|
| CEDAR PRINT INV 2026-0109 | 2026-0108 | 2026-0109 |
| BIRCH LOGISTICS 0108, 419.998 | none | none |
`;

const FOUND = `One payment is with the wrong invoice, and one stays unmatched:

- **CEDAR PRINT INV 2026-0109** closes *2026-0108* of Birch Logistics: \`match\` compares amounts alone, and 420.00 is due on both.
- **BIRCH LOGISTICS 0108** matches nothing: 419.998 is not 420.00, and amounts are floats.

The other two are right. I can plan the change if you like.`;

const DONE = `The payment of **Cedar Print** now closes Cedar Print's invoice.

| Invoice | Customer | Amount | Paid by |
|---|---|---:|---|
| 2026-0107 | Alder & Sons | 1,180.10 | ALDER+SONS 2026-0107 |
| 2026-0109 | Cedar Print | 420.00 | CEDAR PRINT INV 2026-0109 |
| 2026-0110 | Dogwood GmbH | 76.35 | DOGWOOD 2026-0110 |

How a payment finds its invoice:

\`\`\`mermaid
flowchart LR
  A[Payment] --> B{Number in text?}
  B -->|yes| C[That invoice]
  B -->|no| D{One open invoice of the amount?}
  D -->|yes| C
  D -->|no| E[Stays open]
\`\`\`

Open: *2026-0108* (419.998 was paid, 420.00 is due: a case for you to decide) and *2026-0111*.`;

/** Tokens that grow with the conversation. */
const usage = (/** @type {number} */ step) => ({ input_tokens: 1_800 + 900 * step, output_tokens: 120 });

/**
 * The steps of one message: calls of tools, then words.
 * @param {string} message
 * @param {([string, object] | [string, object][])[]} calls
 * @param {string} [answer] absent where the last call ends the turn
 * @param {string} [before] what is said with the first call
 */
function turn(message, calls, answer, before = "") {
    const steps = calls.map((call, at) => ({
        match: { userMessage: message, sequenceIndex: at },
        response: {
            content: at === 0 ? before : "",
            toolCalls: /** @type {[string, object][]} */ (Array.isArray(call[0]) ? call : [call]).map(
                ([name, args]) => ({
                    name,
                    arguments: JSON.stringify(args),
                }),
            ),
            usage: usage(at),
        },
    }));
    if (answer === undefined) return steps;
    return [...steps, { match: { userMessage: message }, response: { content: answer, usage: usage(calls.length) } }];
}

/** What the model says, for the server of models on loopback. */
export const FIXTURES = [
    ...turn(
        ASKS,
        [
            ["list", { path: "." }],
            [
                ["read", { path: "match.py" }],
                ["read", { path: "bank.csv" }],
                ["read", { path: "invoices.csv" }],
            ],
            ["search", { pattern: "amount ==", literal: true }],
            [
                "shell",
                {
                    command: "cut -d, -f3 invoices.csv | sort | uniq -d",
                    description: "Find amounts that several invoices share",
                },
            ],
        ],
        FOUND,
        "I'll look at the script and at both files.",
    ),
    ...turn(PLANS, [["plan", { title: "Match by invoice number first", text: PLAN }]]),
    ...turn("The plan is accepted", [["edit", { path: "match.py", old: BEFORE, new: AFTER }]], DONE),
];

/**
 * Writes the project.
 * @param {string} parent
 * @returns {string} its folder
 */
export function project(parent) {
    const folder = join(parent, "invoice-matching");
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    return folder;
}
