// Tables of PDF: what the drawn lines hold together belongs together.

import { BODY, grid, lines, pdf, pdfOf, stroke, text } from "../make/pdf.mjs";
import { row } from "./shape.mjs";

const CLAIM = "includes a claim of 120\nagainst a customer\nin liquidation";
const SAID = "includes a claim of 120 against a customer in liquidation";
const WRAPPED = [
    ["Item", "2024", "2025", "Remark"],
    ["Cash", "500", "650", ""],
    ["Receivables", "700", "720", CLAIM],
    ["Stock", "90", "80", "counted"],
];
const WIDE = [110, 70, 70, 150];
const RIGHT = {
    stands: [row("Receivables", "700", "720", SAID), /Cash[^\n]*500[^\n]*650(?![^\n]*claim)/],
    absent: [/Cash[^\n]*claim/, /^(in liquidation|against a customer)/m],
};

/** A wrapped cell in each way of drawing, its row's other cells at the top, in the middle or at the bottom. */
const wrapped = /** @type {const} */ (["strokes", "bars", "boxes", "rows"]).flatMap((drawn) =>
    /** @type {const} */ (["top", "middle", "bottom"]).map(
        (align) =>
            /** @type {import("./all.mjs").Case} */ ([
                `a wrapped cell in ${drawn}, the others at the ${align}`,
                pdf(grid(WRAPPED, { wide: WIDE, drawn, align })),
                RIGHT,
            ]),
    ),
);

/** @type {import("./all.mjs").Cases} */
export const lattice = [
    ...wrapped,
    [
        "a wrapped first cell",
        pdf(
            grid([
                ["Item", "2024", "2025"],
                ["Claims against\ncustomers", "700", "720"],
                ["Stock", "90", "80"],
            ]),
        ),
        { stands: [row("Claims against customers", "700", "720"), row("Stock", "90", "80")] },
    ],
    [
        "two wrapped cells",
        pdf(
            grid([
                ["Duty", "Who", "When"],
                ["Reconcile the\nbank accounts", "The head of\naccounting", "monthly"],
                ["Count stock", "The keeper", "yearly"],
            ]),
        ),
        { stands: [row("Reconcile the bank accounts", "The head of accounting", "monthly")] },
    ],
    [
        "a wrapped name of a column",
        pdf(
            grid([
                ["Item", "Costs of\nthe year", "Share"],
                ["Rent", "500", "5 %"],
                ["Heat", "90", "1 %"],
            ]),
        ),
        { stands: [row("Rent", "500", "5 %"), /Costs of the year/], absent: [/the year \|? ?Rent/] },
    ],
    [
        "a label over three rows",
        pdf(
            grid(
                [
                    ["Office", "Form", "Deadline"],
                    ["", "Wage tax", "5th"],
                    ["Tax office", "Sales tax", "10th"],
                    ["", "Income tax", "31st"],
                    ["Court", "Register", "15th"],
                ],
                { open: ["1,0", "2,0"] },
            ),
        ),
        {
            stands: [
                row("Tax office", "Wage tax", "5th"),
                row("Tax office", "Income tax", "31st"),
                row("Court", "Register", "15th"),
            ],
        },
    ],
    [
        "a name over two columns",
        pdf(
            grid(
                [
                    ["Region", "Rate", ""],
                    ["", "2024", "2025"],
                    ["North", "19", "7"],
                    ["South", "20", "8"],
                ],
                { right: ["0,1"] },
            ),
        ),
        { stands: [/Rate[^\n]*2024|Rate[^\n]*\n[^\n]*2024/, row("North", /(?:Rate 2024: )?19/, /(?:Rate 2025: )?7/)] },
    ],
    [
        "empty cells",
        pdf(
            grid([
                ["Account", "Debit", "Credit"],
                ["Cash", "500", ""],
                ["Payables", "", "300"],
            ]),
        ),
        { stands: [/Payables( \|\s+\| 300|; Credit: 300)/] },
    ],
    [
        "an empty first cell",
        pdf(
            grid([
                ["Account", "Debit", "Credit"],
                ["Cash", "500", "1"],
                ["", "20", "300"],
            ]),
        ),
        { stands: [/^\s*(\|? ?20 \| 300|Debit: 20; Credit: 300)/m] },
    ],
    [
        "no lines",
        pdf(
            grid(
                [
                    ["Item", "2024", "2025"],
                    ["Rent", "500", "510"],
                    ["Heat", "90", "80"],
                    ["Wages", "700", "710"],
                ],
                { drawn: "" },
            ),
        ),
        { stands: [row("Rent", "500", "510"), row("Wages", "700", "710")] },
    ],
    [
        "shaded rows",
        pdf(
            grid(
                [
                    ["Item", "2024", "2025"],
                    ["Rent", "500", "510"],
                    ["Heat", "90", "80"],
                    ["Wages", "700", "710"],
                ],
                { drawn: "shades" },
            ),
        ),
        { stands: [row("Rent", "500", "510"), row("Heat", "90", "80")] },
    ],
    [
        "two tables",
        pdf(
            grid(
                [
                    ["Item", "Cost"],
                    ["Rent", "500"],
                    ["Heat", "90"],
                ],
                { top: 800 },
            ) +
                text(72, 725, "The second list:") +
                grid(
                    [
                        ["Name", "Role"],
                        ["Alice", "partner"],
                        ["Bob", "manager"],
                    ],
                    { top: 715 },
                ),
        ),
        { stands: [row("Rent", "500"), row("Alice", "partner"), /The second list:/], absent: [/Heat[^\n]*Name/] },
    ],
    [
        "cells written column by column",
        pdf(
            [
                text(76, 700, "Item"),
                text(76, 680, "Rent"),
                text(76, 660, "Heat"),
                text(186, 700, "Cost"),
                text(186, 680, "500"),
                text(186, 660, "90"),
            ].join("") +
                grid(
                    [
                        ["", ""],
                        ["", ""],
                        ["", ""],
                    ],
                    { top: 714 },
                ),
        ),
        { stands: [row("Rent", "500"), row("Heat", "90")] },
    ],
    [
        "a title above",
        pdf(
            text(72, 740, "Table 1: Costs of the year") +
                grid(
                    [
                        ["Item", "Cost"],
                        ["Rent", "500"],
                        ["Heat", "90"],
                    ],
                    { top: 730 },
                ),
        ),
        { stands: [/Table 1: Costs of the year/, row("Rent", "500")] },
    ],
    [
        "words around it",
        pdfOf([
            {
                content:
                    lines(72, 800, ["The costs of the year are as follows, as the ledger has them."]) +
                    grid(WRAPPED, { wide: WIDE, top: 780 }) +
                    BODY,
            },
        ]),
        {
            stands: [
                /^The costs of the year are as follows/m,
                /^The parties have read/m,
                row("Receivables", "700", "720", SAID),
            ],
        },
    ],
    [
        "a frame around a paragraph",
        pdf(
            lines(80, 740, [
                "The auditor shall count every invented thing, and shall",
                "write down what was counted and by whom it was seen.",
            ]) +
                stroke(72, 755, 500, 755) +
                stroke(72, 715, 500, 715) +
                stroke(72, 755, 72, 715) +
                stroke(500, 755, 500, 715),
        ),
        {
            stands: [
                "The auditor shall count every invented thing, and shall write down what was counted and by whom it was seen.",
            ],
        },
    ],
    [
        "a drawing of lines",
        pdf(
            Array.from(
                { length: 9 },
                (_, at) => stroke(72, 700 + 8 * at, 300, 700 + 8 * at) + stroke(72 + 28 * at, 700, 72 + 28 * at, 764),
            ).join("") + text(72, 780, "Figure 1: Heat over time"),
        ),
        { stands: [/Figure 1: Heat over time/, /The parties have read/], absent: [/\|/] },
    ],
    [
        "two columns of text",
        pdf(
            lines(72, 780, ["The left column begins", "here and it goes on in", "this line of its own."]) +
                lines(320, 780, ["The right column stands", "beside it and is read", "behind the left one."]),
        ),
        {
            stands: [
                /The left column begins here and it goes on in this line of its own\./,
                /The right column stands beside it and is read behind the left one\./,
            ],
        },
    ],
];
