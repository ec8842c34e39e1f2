// A folder of made-up deal documents: what a memorandum has to say stands in one of them, in two, or in none; a figure differs between two.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @type {Record<string, string>} */
const DOCUMENTS = {
    "capitalization.md": `# Capitalization of Larkspur Analytics, Inc.

## 1. Shares

1.1 The company is a Delaware corporation. 10,000,000 shares of common stock and 2,000,000 shares of preferred stock are authorized.

1.2 The founder holds 6,100,000 shares of common stock, which is 61.0% of the fully diluted shares.

1.3 The holders of preferred stock receive one times their purchase price before any payment to holders of common stock.

## 2. Sale of the company

2.1 A change of control needs the consent of the holders of a majority of the preferred stock.

2.2 On a change of control all unvested options of the founder vest at once.
`,
    "agreement-orchard.md": `# Master Agreement with Orchard Foods

## 1. Term

1.1 This agreement takes effect on 1 March 2025 and is governed by the laws of the State of Ohio.

1.2 The annual subscription fee is $4,200,000.

## 2. Change of control

2.1 On a change of control of the provider the customer may terminate this agreement within sixty days by written notice.

2.2 On such a termination the provider refunds prepaid fees for the time after the termination.

## 3. Liability

3.1 The liability of the provider is limited to the fees of the last twelve months. The cap does not apply to a breach of confidentiality.
`,
    "agreement-quarry.md": `# Master Agreement with Quarry Stone

## 1. Term

1.1 This agreement takes effect on 1 June 2025. The annual subscription fee is $1,800,000.

## 2. Assignment

2.1 Neither party may assign this agreement without the written consent of the other party.

2.2 A change of control does not by itself give a party a right to terminate this agreement.

2.3 The customer may terminate this agreement for convenience on ninety days' notice.
`,
    "revenue-schedule.md": `# Schedule of Recurring Revenue

## 1. Summary

1.1 Annual recurring revenue is $7,500,000 as of 31 March 2026.

1.2 Orchard Foods accounts for 56.0% of annual recurring revenue and Quarry Stone for 24.0%.

1.3 The contract with Orchard Foods was prepaid for three years, and the whole amount was recognized as revenue when it was invoiced.
`,
    "board-report.md": `# Report to the Board

## 1. Business

1.1 Annual recurring revenue is $7,900,000 as of 31 March 2026. Customer concentration is low.

1.2 No litigation is pending against the company.
`,
    "contractor.md": `# Contractor Agreement for the Forecast Engine

## 1. Work

1.1 The contractor develops the forecast engine, which is a core component of the platform.

## 2. Ownership

2.1 The contractor keeps ownership of the forecast engine and grants the company a non-exclusive license to use it.

2.2 The license ends when the company is sold, unless the contractor consents.
`,
    "employment.md": `# Employment Agreement

## 1. Inventions

1.1 The employee assigns all inventions that are made in the course of employment to the company.

1.2 For twelve months after the end of employment the employee does not solicit customers of the company.
`,
    "data-processing.md": `# Data Processing Addendum with Orchard Foods

## 1. Sub-processors

1.1 The processor engages only the sub-processors of Annex 1: Cirrus Hosting in Frankfurt.

1.2 Personal data is not transferred outside the European Economic Area without standard contractual clauses.

1.3 The processor gives notice of a personal data breach within 48 hours.
`,
    "sub-processors.md": `# Register of Sub-processors

## 1. Register

1.1 Cirrus Hosting in Frankfurt hosts personal data of Orchard Foods.

1.2 Beacon Support in Manila processes personal data of Orchard Foods. No standard contractual clauses are signed with it.
`,
};

/**
 * Writes the documents and the inputs of a run over them.
 * @param {string} folder where
 * @returns {{ documents: string, input: string }} the folder of the documents, and the file with the inputs
 */
export function dealRoom(folder) {
    const documents = join(folder, "larkspur");
    mkdirSync(documents, { recursive: true });
    for (const [name, text] of Object.entries(DOCUMENTS)) writeFileSync(join(documents, name), text);
    const input = join(folder, "deal.json");
    const inputs = {
        title: "Acquisition of Larkspur Analytics",
        documents,
        target: "Larkspur Analytics, Inc.",
        acquirer: "Harrow Holdings",
        matter: "2026-0417",
        prepared_for: "Board of Harrow Holdings",
        prepared_by: "Example LLP",
        privilege: "Privileged and confidential",
        focus: ["change of control in customer agreements", "ownership of the forecast engine"],
    };
    writeFileSync(input, JSON.stringify(inputs));
    return { documents, input };
}
