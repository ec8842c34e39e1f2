// What names the columns of a table, so that a figure keeps its meaning wherever its row is quoted.

import { cell, docx, paragraph, run, table } from "../make/docx.mjs";
import { csv, html, md, tsv } from "../make/input.mjs";
import { grid, pdf } from "../make/pdf.mjs";
import { workbook, xlsx } from "../make/xlsx.mjs";
import { named, row } from "./shape.mjs";

const TITLE = "Trial balance at 31 December 2025";
const BALANCE = {
    stands: [named("Account: 1000 Cash", "Debit: 500"), named("Account: 2000 Payables", "Credit: 300")],
    absent: [/Debit: 300/],
    under: /** @type {[string, string][]} */ ([[TITLE, "2000 Payables"]]),
};
const RATES = {
    stands: [
        named("Region: North", "Rate 2024: 19", "Rate 2025: 7"),
        named("Region: South", "Rate 2024: 20", "Rate 2025: 8"),
    ],
};
const TWINS = { stands: [named("Item: Rent", "Budget (B): 10", "Actual (C): 11", "Budget (D): 12", "Actual (E): 13")] };
/** @param {string[]} cells */
const bold = (...cells) => cells.map((one) => cell(paragraph(run(one, "<w:b/>"))));
const DATE = "yyyy-mm-dd";

/** @type {import("./all.mjs").Cases} */
export const columns = [
    [
        "years",
        csv("Region,2019,2020,2021\nNorth,100,90,95\nSouth,80,70,60\n"),
        {
            stands: [named("Region: North", "2019: 100", "2020: 90", "2021: 95"), named("Region: South", "2019: 80")],
            absent: [/^Region; 2019/m],
        },
    ],
    [
        "years without a first name",
        csv(",2019,2020\nNorth,100,90\nSouth,80,70\n"),
        { stands: [named("2019: 100", "2020: 90"), /North/] },
    ],
    [
        "years of business",
        csv("Item;2023/24;2024/25\nRent;100;110\nWages;200;210\n"),
        { stands: [named("Item: Rent", "2023/24: 100", "2024/25: 110")] },
    ],
    ["quarters", csv("Item,Q1,Q2,Q3\nRent,1,2,3\n"), { stands: [named("Item: Rent", "Q1: 1", "Q2: 2", "Q3: 3")] }],
    [
        "months",
        csv("Item,Jan 25,Feb 25\nRent,1,2\nWages,3,4\n"),
        { stands: [named("Item: Rent", "Jan 25: 1", "Feb 25: 2")] },
    ],
    [
        "ends of months",
        csv("Item,2025-01-31,2025-02-28\nRent,100,110\nWages,300,310\n"),
        { stands: [named("Item: Rent", "2025-01-31: 100", "2025-02-28: 110")] },
    ],
    [
        "a download with lines above",
        csv(
            '"Data Source","World Development Indicators"\n\n"Last Updated Date","2025-07-01"\n\n"Country Name","Country Code","Indicator Name","2019","2020","2021"\n"Atlantis","ATL","GDP growth","1.5","-4.2","3.9"\n"Utopia","UTO","GDP growth","2.5","-1.2","4.9"\n',
        ),
        {
            stands: [
                named("Country Name: Atlantis", "Country Code: ATL", "2019: 1.5", "2020: -4.2", "2021: 3.9"),
                /World Development Indicators/,
            ],
            absent: ["Data Source: Atlantis"],
        },
    ],
    ["a title above", csv(`${TITLE},,\nAccount,Debit,Credit\n1000 Cash,500,\n2000 Payables,,300\n`), BALANCE],
    [
        "a title above a blank line",
        csv(`${TITLE}\n\nAccount,Debit,Credit\n1000 Cash,500,\n2000 Payables,,300\n`),
        BALANCE,
    ],
    ["twins", csv("Item,Budget,Actual,Budget,Actual\nRent,10,11,12,13\nWages,20,21,22,23\n"), TWINS],
    ["two rows of names", csv("Region,Rate,Rate\n,2024,2025\nNorth,19,7\nSouth,20,8\n"), RATES],
    ["two rows with gaps", csv("Region,Rate,\n,2024,2025\nNorth,19,7\nSouth,20,8\n"), RATES],
    [
        "no names",
        csv("1,17.5,200\n2,18.5,210\n3,19.5,220\n"),
        { stands: [named("B: 17.5", "C: 200"), /A: 1\b/], absent: ["1: 2"] },
    ],
    [
        "no names and gaps",
        csv("North,500,\nSouth,,300\nEast,100,\n"),
        { stands: [named("A: North", "B: 500"), named("A: South", "C: 300")], absent: ["North: South"] },
    ],
    ["names without a row", csv("Item,Q1,Q2\n"), { stands: [/Item.*Q1.*Q2/] }],
    [
        "names that say yes and no",
        csv("Control,Tested,Passed\nAccess,yes,no\nBackup,no,yes\n"),
        { stands: [named("Control: Access", "Tested: yes", "Passed: no")] },
    ],
    [
        "words alone",
        csv("Name,Note\nAlice,partner\nBob,manager\n"),
        { stands: [named("Name: Alice", "Note: partner")] },
    ],
    [
        "a column without a name",
        csv("Item,,Q1\nRent,net,100\nWages,gross,200\n"),
        { stands: [/Item: Rent/, named("Q1: 100"), /B: net/] },
    ],
    [
        "numbers in quotes",
        csv('Item;"Amount; net"\nRent;"1.234,50"\n'),
        { stands: ["Item: Rent; Amount; net: 1.234,50"] },
    ],
    [
        "a separator that is named",
        csv("sep=;\nItem;2024;2025\nRent;1,5;2,5\nWages;3,5;4,5\n"),
        { stands: [named("Item: Rent", "2024: 1,5", "2025: 2,5")] },
    ],
    [
        "a decimal comma",
        csv("Item;Price;Tax\nRent, heat;1,50;0,19\nWages, all;2,50;0,38\n"),
        { stands: [named("Item: Rent, heat", "Price: 1,50")] },
    ],
    [
        "tabs",
        tsv("Region\t2019\t2020\nNorth\t100\t90\nSouth\t80\t70\n"),
        { stands: [named("Region: North", "2019: 100", "2020: 90")] },
    ],
    ["tabs with a title", tsv(`${TITLE}\nAccount\tDebit\tCredit\n1000 Cash\t500\t\n2000 Payables\t\t300\n`), BALANCE],
    [
        "notes below",
        csv("Item,2024,2025\nRent,100,110\nWages,200,210\n\nSource: the ledger.\n"),
        { stands: [named("Item: Rent", "2024: 100"), /^[^:]*Source: the ledger\./m], absent: ["Item: Source"] },
    ],
    [
        "numbers of items",
        csv("No.,Finding,2025\n1,No approval,3\n2,No backup,5\n"),
        { stands: [named("No.: 1", "Finding: No approval", "2025: 3")] },
    ],

    [
        "years in a workbook",
        xlsx(["Region", 2019, 2020], ["North", 100, 90], ["South", 80, 70]),
        { stands: [named("Region: North", "2019: 100", "2020: 90")] },
    ],
    [
        "months as dates",
        xlsx(
            ["Item", { value: 45688, format: DATE }, { value: 45716, format: DATE }],
            ["Revenue", 10, 12],
            ["Costs", 8, 9],
        ),
        { stands: [named("Item: Revenue", "2025-01-31: 10", "2025-02-28: 12")] },
    ],
    [
        "months as words of dates",
        xlsx(
            ["Item", { value: 45688, format: "mmm yy" }, { value: 45716, format: "mmm yy" }],
            ["Revenue", 10, 12],
            ["Costs", 8, 9],
        ),
        { stands: [/(Jan 25|2025-01(-31)?): 10; (Feb 25|2025-02(-28)?): 12/] },
    ],
    [
        "a title in a workbook",
        xlsx([TITLE], ["Account", "Debit", "Credit"], ["1000 Cash", 500, null], ["2000 Payables", null, 300]),
        BALANCE,
    ],
    [
        "a title in two cells",
        xlsx(
            ["Trial balance", "as at 31 December 2025"],
            [null],
            ["Account", "Debit", "Credit"],
            ["1000 Cash", 500, null],
            ["2000 Payables", null, 300],
        ),
        {
            stands: [
                named("Account: 1000 Cash", "Debit: 500"),
                named("Account: 2000 Payables", "Credit: 300"),
                /Trial balance.*as at 31 December 2025/,
            ],
            absent: ["Trial balance: 2000", "2025: 500"],
        },
    ],
    [
        "a merged title",
        workbook([
            {
                rows: [[TITLE], ["Account", "Debit", "Credit"], ["1000 Cash", 500, null], ["2000 Payables", null, 300]],
                merged: ["A1:C1"],
            },
        ]),
        BALANCE,
    ],
    [
        "two merged rows of names",
        workbook([
            {
                rows: [
                    ["Region", "Rate", null],
                    [null, 2024, 2025],
                    ["North", 19, 7],
                    ["South", 20, 8],
                ],
                merged: ["B1:C1", "A1:A2"],
            },
        ]),
        RATES,
    ],
    [
        "twins in a workbook",
        xlsx(["Item", "Budget", "Actual", "Budget", "Actual"], ["Rent", 10, 11, 12, 13], ["Wages", 20, 21, 22, 23]),
        TWINS,
    ],
    [
        "no names in a workbook",
        xlsx(["North", 500, null], ["South", null, 300], ["East", 100, null]),
        { stands: [named("A: North", "B: 500"), named("A: South", "C: 300")] },
    ],
    [
        "a filter's row",
        workbook([
            {
                rows: [
                    ["Note", "words"],
                    ["Code", "Meaning"],
                    ["A", "open"],
                    ["B", "closed"],
                ],
                after: '<autoFilter ref="A2:B4"/>',
            },
        ]),
        { stands: [named("Code: A", "Meaning: open")], absent: ["Note: A"] },
    ],
    [
        "two sheets",
        workbook([
            {
                name: "2024",
                rows: [
                    ["Item", "Cost"],
                    ["Rent", 100],
                ],
            },
            {
                name: "2025",
                rows: [
                    ["Item", "Cost"],
                    ["Rent", 110],
                ],
            },
        ]),
        {
            stands: ["Item: Rent; Cost: 100", "Item: Rent; Cost: 110"],
            under: [
                ["2024", "Cost: 100"],
                ["2025", "Cost: 110"],
            ],
        },
    ],
    [
        "a table far from the corner",
        xlsx(
            [null],
            [null],
            [null, null, "Item", "2024", "2025"],
            [null, null, "Rent", 1, 2],
            [null, null, "Wages", 3, 4],
        ),
        { stands: [named("Item: Rent", "2024: 1", "2025: 2")] },
    ],
    [
        "two tables on a sheet",
        xlsx(["Item", "Cost"], ["Rent", 100], [null], ["Name", "Role"], ["Alice", "partner"]),
        { stands: [named("Item: Rent", "Cost: 100"), named("Name: Alice", "Role: partner")], absent: ["Item: Alice"] },
    ],

    [
        "years in Word",
        docx("A report.", table(["Region", "2019", "2020"], ["North", "100", "90"])),
        { stands: [/Region.*2019.*2020/, row("North", "100", "90")] },
    ],
    [
        "an empty cell in Word",
        docx(TITLE, table(bold("Account", "Debit", "Credit"), ["1000 Cash", "500", ""], ["2000 Payables", "", "300"])),
        { stands: [/2000 Payables( \|\s+\| 300|; Credit: 300)/] },
    ],
    [
        "an empty cell of HTML",
        html(
            "<table><caption>Trial balance</caption><tr><th>Account</th><th>Debit</th><th>Credit</th></tr><tr><td>2000 Payables</td><td></td><td>300</td></tr></table>",
        ),
        { stands: [/2000 Payables( \|\s+\| 300|; Credit: 300)/, /Trial balance/] },
    ],
    [
        "an empty cell of Markdown",
        md("# Trial balance\n\n| Account | Debit | Credit |\n|---|---|---|\n| 2000 Payables | | 300 |\n"),
        { stands: [/2000 Payables ?(\|\s*\| 300|; Credit: 300)/] },
    ],
    [
        "an empty cell in PDF",
        pdf(
            grid([
                ["Account", "Debit", "Credit"],
                ["1000 Cash", "500", ""],
                ["2000 Payables", "", "300"],
            ]),
        ),
        { stands: [/2000 Payables( \|\s+\| 300|; Credit: 300)/] },
    ],
    [
        "a name over nothing",
        csv("Item,Cost,Remark\nRent,100,\nHeat,50,\n"),
        { stands: [/Item: Rent; Cost: 100/], either: [/Remark/], told: [/column/i] },
    ],
    [
        "names that no row uses",
        xlsx(["Only the first line", null, "has these words"], [null, "text here", null]),
        { stands: [/Only the first line/, /has these words/, /text here/] },
    ],
];
