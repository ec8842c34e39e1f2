// What a cell of a workbook shows, not what it stores; and formulas that nobody computed.

import { workbook, xlsx } from "../make/xlsx.mjs";

/**
 * A value with its format and what may stand for it.
 * @param {string | number} value
 * @param {string} format
 * @param {string | RegExp} shown
 * @param {RegExp[]} [absent]
 * @returns {import("./all.mjs").Case}
 */
function shows(value, format, shown, absent) {
    const wanted = typeof shown === "string" ? shown.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : shown.source;
    return [
        `${value} as ${format}`,
        xlsx(["Item", "Value"], ["One", { value, format }], ["Two", "text"]),
        { stands: [new RegExp(`Item: One; Value: ${wanted}$`, "m")], absent },
    ];
}
/** @type {import("./all.mjs").Expected} */
const COUNTED = { told: [/\b\d+ formulas? .*(stored|saved|value)/i] };
const RENT = [
    ["Item", "Q1", "Q2", "Total"],
    ["Rent", 100, 110, { formula: "B2+C2" }],
    ["Wages", 200, 210, { formula: "B3+C3" }],
];

/** @type {import("./all.mjs").Cases} */
export const numbers = [
    shows(0.395833333333333, "hh:mm", "09:30"),
    shows(0.395833333333333, "h:mm AM/PM", "9:30 AM"),
    shows(0.5, "h:mm AM/PM", "12:00 PM"),
    shows(1.52083333333333, "[h]:mm", "36:30"),
    shows(0.0625, "[mm]:ss", "90:00"),
    shows(0.000578703703703704, "mm:ss", "00:50"),
    shows(45717, "mmmm", /March/),
    shows(45717, "mmm yyyy", /Mar 2025/),
    shows(45717, "mmmm yyyy", /March 2025/),
    shows(45717, "dd/mm/yyyy", /2025-03-01|01\/03\/2025/),
    shows(45717, "m/d/yy", /2025-03-01/),
    shows(45717, "#14", "2025-03-01"),
    shows(45717, "[$-407]d. mmmm yyyy", /2025-03-01|1\. (März|March) 2025/),
    shows(45717.75, "yyyy-mm-dd hh:mm", "2025-03-01 18:00"),
    shows(45717.7604166667, "hh:mm", "18:15"),
    shows(7, "0\\ \\d", "7 d"),
    shows(7, '0" days"', "7 days"),
    shows(7, '"day "0', "day 7"),
    shows(123, "00000", "00123"),
    shows(12345678, "000-00-0000", "012-34-5678"),
    shows(1234.5, "#,##0.00", /1,234\.50|1234\.50?/),
    shows(1234.5, '"€" #,##0.00', /€ ?1,234\.50/),
    shows(1234.5, "[$€-407] #,##0.00", /€ ?1,234\.50/),
    shows(1234.5, "#,##0.00\\ [$EUR]", /1,234\.50 EUR/),
    shows(-1234.5, "#,##0.00;(#,##0.00)", /\(1,234\.50\)|-1,?234\.50?/),
    shows(-5, '0;"minus "0', "minus 5"),
    shows(0, '0;-0;"none"', "none"),
    shows(0.195, "0.0%", "19.5%"),
    shows(0.285, "0%", /29% ?(\((0\.285|28\.5%)\))?|28\.5%/, [/28%$/m]),
    shows(1999999, "#,##0,", /2,000 ?\(?(1999999|1,999,999)?\)?|1999999|1,999,999/, [/1,999$/m]),
    shows(1.005, "0.00", /1\.01 ?(\(1\.005\))?|1\.005/, [/1\.00$/m]),
    shows(0.1, "General", "0.1"),
    shows("0.30000000000000004", "General", "0.3"),
    shows("1.5E+20", "General", /1\.5E\+20|150000000000000000000/),
    shows(59, "yyyy-mm-dd", "1900-02-28"),
    shows(61, "yyyy-mm-dd", "1900-03-01"),
    shows(1, "yyyy-mm-dd", "1900-01-01"),
    shows(12, "@", "12"),
    shows(0.5, "# ?/?", /1\/2|0\.5/),
    shows(3, '[<100]"low "0;"high "0', "low 3"),
    shows(300, '[<100]"low "0;"high "0', "high 300"),
    shows(5, '0"dyd"', "5dyd"),
    shows(1234, "0.00E+00", /1\.23E\+0?3 ?(\(1234\))?|1234/),
    [
        "a day of 1904",
        workbook(
            [
                {
                    rows: [
                        ["Item", "Day"],
                        ["One", { value: 44255, format: "yyyy-mm-dd" }],
                        ["Two", "text"],
                    ],
                },
            ],
            { from1904: true },
        ),
        { stands: ["Item: One; Day: 2025-03-01"] },
    ],
    [
        "the first day of 1904",
        workbook(
            [
                {
                    rows: [
                        ["Item", "Day"],
                        ["One", { value: 0, format: "yyyy-mm-dd" }],
                        ["Two", "text"],
                    ],
                },
            ],
            { from1904: true },
        ),
        { stands: ["Item: One; Day: 1904-01-01"] },
    ],
    [
        "a time that rounds up",
        workbook([
            {
                rows: [
                    ["Item", "Day"],
                    ["One", { value: 44927.9999988, format: "yyyy-mm-dd hh:mm" }],
                    ["Two", "text"],
                ],
            },
        ]),
        { stands: [/Day: (2023-01-01 (23:59|24:00)|2023-01-02 00:00|2023-01-02)$/m], absent: ["2023-01-01 00:00"] },
    ],
    [
        "an error",
        workbook([
            {
                rows: [
                    ["Item", "Value"],
                    ["One", { value: "#DIV/0!", formula: "1/0" }],
                ],
            },
        ]),
        { stands: ["Value: #DIV/0!"] },
    ],

    [
        "formulas without values",
        xlsx(...RENT),
        { stands: ["Item: Rent; Q1: 100; Q2: 110; Total: =B2+C2", /Total: =B3\+C3/], ...COUNTED },
    ],
    [
        "one formula without a value",
        xlsx(["Item", "Total"], ["Rent", { formula: "SUM(B3:B4)" }], ["Heat", 5], ["Cold", 6]),
        { stands: ["Item: Rent; Total: =SUM(B3:B4)"], told: [/(\b1|one) formula/i] },
    ],
    [
        "formulas with values",
        xlsx(["Item", "Total"], ["Rent", { formula: "1+2", value: 3 }]),
        { stands: ["Item: Rent; Total: 3"], untold: [/formula/i] },
    ],
    [
        "a formula that gives text",
        xlsx(["Item", "Risk"], ["Rent", { formula: 'IF(1>0,"high","low")', value: "high" }]),
        { stands: ["Item: Rent; Risk: high"], untold: [/formula/i] },
    ],
    [
        "a shared formula",
        xlsx(
            ["Item", "A", "Total"],
            ["Rent", 1, { formula: "B2*2", attributes: 't="shared" ref="C2:C3" si="0"' }],
            ["Heat", 2, { attributes: 't="shared" si="0"' }],
        ),
        {
            stands: [/Item: Rent; A: 1; Total: =B2\*2/, /Item: Heat; A: 2; Total: (=B3\*2|=B2\*2.*|.*as in C2.*)/],
            ...COUNTED,
        },
    ],
    [
        "a formula over a list",
        xlsx(["Item", "Total"], ["Rent", { formula: "SUM(B3:B3*2)", attributes: 't="array" ref="B2"' }], ["Heat", 5]),
        { stands: [/Item: Rent; Total: \{?=SUM\(B3:B3\*2\)\}?/], told: [/formula/i] },
    ],
    [
        "a formula with an empty value",
        workbook([
            {
                rows: [
                    ["Item", "Total"],
                    ["Rent", { formula: 'B3&""', value: "" }],
                    ["Heat", 5],
                ],
            },
        ]),
        { stands: [/Rent/], absent: ["NaN"] },
    ],
    [
        "a sheet of formulas alone",
        xlsx(["Total", { formula: "Data!B9" }], ["Mean", { formula: "Data!B9/7" }]),
        { stands: [/=Data!B9\b/, /=Data!B9\/7/], ...COUNTED },
    ],
];
