// Cells over several rows or columns: each row says what it belongs to.

import { cell, docx, table } from "../make/docx.mjs";
import { epub } from "../make/epub.mjs";
import { html } from "../make/input.mjs";
import { workbook } from "../make/xlsx.mjs";
import { named, row } from "./shape.mjs";

const OFFICE = {
    stands: [
        row("Tax office", "Wage tax", "5th"),
        row("Tax office", "Sales tax", "10th"),
        row("Tax office", "Income tax", "31st"),
        row("Court", "Register", "15th"),
    ],
};
const [START, MORE] = ['<w:vMerge w:val="restart"/>', "<w:vMerge/>"];
const FORMS = ["Office", "Form", "Deadline"];
const SHEET = [
    FORMS,
    ["Tax office", "Wage tax", "5th"],
    [null, "Sales tax", "10th"],
    [null, "Income tax", "31st"],
    ["Court", "Register", "15th"],
];
/**
 * @param {string} rows
 * @param {string} [head]
 */
const page = (rows, head = "<tr><th>Office</th><th>Form</th><th>Deadline</th></tr>") =>
    html(`<table>${head}${rows}</table>`);
const BY_ROWS =
    '<tr><td rowspan="3">Tax office</td><td>Wage tax</td><td>5th</td></tr><tr><td>Sales tax</td><td>10th</td></tr><tr><td>Income tax</td><td>31st</td></tr><tr><td>Court</td><td>Register</td><td>15th</td></tr>';
/** The names of five columns, of which two belong to each year. */
const YEARS = { stands: [/Rate 2024[^\n]*Rate 2025|2024[^\n|]*\|[^\n|]*2024[^\n|]*\|[^\n|]*2025[^\n|]*\|[^\n|]*2025/] };

/** @type {import("./all.mjs").Cases} */
export const spans = [
    ["down in a workbook", workbook([{ rows: SHEET, merged: ["A2:A4"] }]), OFFICE],
    [
        "down in the middle",
        workbook([
            {
                rows: [
                    ["Form", "Office", "Deadline"],
                    ["Wage tax", "Tax office", "5th"],
                    ["Sales tax", null, "10th"],
                ],
                merged: ["B2:B3"],
            },
        ]),
        { stands: [row("Sales tax", "Tax office", "10th")] },
    ],
    [
        "a number down",
        workbook([
            {
                rows: [
                    ["Item", "Total"],
                    ["Rent", 500],
                    ["Heat", null],
                ],
                merged: ["B2:B3"],
            },
        ]),
        { stands: [named("Item: Heat", "Total: 500")] },
    ],
    [
        "across in a workbook",
        workbook([
            {
                rows: [
                    ["Item", "2024", "2025"],
                    ["Rent", "not known", null],
                    ["Wages", 1, 2],
                ],
                merged: ["B2:C2"],
            },
        ]),
        { stands: [named("Item: Rent", "2024: not known", "2025: not known")] },
    ],
    [
        "a block in a workbook",
        workbook([
            {
                rows: [
                    ["Item", "2024", "2025"],
                    ["Rent", "not known", null],
                    ["Heat", null, null],
                    ["Wages", 1, 2],
                ],
                merged: ["B2:C3"],
            },
        ]),
        { stands: [named("Item: Heat", "2024: not known", "2025: not known")] },
    ],
    [
        "names across",
        workbook([
            {
                rows: [
                    ["Region", "Rate", null, "Tax", null],
                    [null, 2024, 2025, 2024, 2025],
                    ["North", 19, 7, 3, 4],
                    ["South", 20, 8, 5, 6],
                ],
                merged: ["A1:A2", "B1:C1", "D1:E1"],
            },
        ]),
        { stands: [named("Region: North", "Rate 2024: 19", "Rate 2025: 7", "Tax 2024: 3", "Tax 2025: 4")] },
    ],
    [
        "a merge that holds nothing",
        workbook([
            {
                rows: [
                    ["Item", "Cost"],
                    ["Rent", 100],
                    [null, 50],
                ],
                merged: ["D2:D3"],
            },
        ]),
        { stands: ["Item: Rent; Cost: 100", "Cost: 50"], absent: [/Item: Rent; Cost: 50/] },
    ],
    [
        "cells that are not merged",
        workbook([{ rows: SHEET }]),
        { stands: [/Form: Sales tax; Deadline: 10th/], absent: [/Tax office.*Sales tax/] },
    ],

    [
        "down in Word",
        docx(
            "A list.",
            table(
                FORMS,
                [cell("Tax office", START), "Wage tax", "5th"],
                [cell("", MORE), "Sales tax", "10th"],
                [cell("", '<w:vMerge w:val="continue"/>'), "Income tax", "31st"],
                ["Court", "Register", "15th"],
            ),
        ),
        OFFICE,
    ],
    [
        "two columns down in Word",
        docx(
            "A list.",
            table(
                ["Office", "City", "Form"],
                [cell("Tax office", START), cell("Vienna", START), "Wage tax"],
                [cell("", MORE), cell("", MORE), "Sales tax"],
            ),
        ),
        { stands: [row("Tax office", "Vienna", "Sales tax")] },
    ],
    [
        "two merges below each other",
        docx(
            "A list.",
            table(
                ["Office", "Form"],
                [cell("Tax office", START), "Wage tax"],
                [cell("", MORE), "Sales tax"],
                [cell("Court", START), "Register"],
                [cell("", MORE), "Appeal"],
            ),
        ),
        { stands: [row("Tax office", "Sales tax"), row("Court", "Appeal")], absent: [/Tax office[^\n]*Appeal/] },
    ],
    [
        "across in Word",
        docx(
            "A list.",
            table(
                ["Item", "2024", "2025"],
                ["Rent", cell("not known", '<w:gridSpan w:val="2"/>')],
                ["Wages", "1", "2"],
            ),
        ),
        { stands: [/Rent( \| |; 2024: )not known( \| |; 2025: )not known/] },
    ],
    [
        "names across in Word",
        docx(
            "A list.",
            table(
                [
                    cell("Region", START),
                    cell("Rate 2024", '<w:gridSpan w:val="2"/>'),
                    cell("Rate 2025", '<w:gridSpan w:val="2"/>'),
                ],
                [cell("", MORE), "net", "gross", "net", "gross"],
                ["North", "19", "20", "7", "8"],
            ),
        ),
        YEARS,
    ],
    [
        "a column before in Word",
        docx(
            "A list.",
            table(["Item", "2024", "2025"], ["Rent", "1", "2"]).replace(
                '<w:tr><w:tc><w:tcPr></w:tcPr><w:p><w:r><w:t xml:space="preserve">Rent',
                '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc><w:tcPr></w:tcPr><w:p><w:r><w:t xml:space="preserve">Rent',
            ),
        ),
        { stands: [/(\| |2024: )Rent/] },
    ],

    ["down in HTML", page(BY_ROWS), OFFICE],
    [
        "down to the end",
        page(
            '<tr><td rowspan="0">Tax office</td><td>Wage tax</td><td>5th</td></tr><tr><td>Sales tax</td><td>10th</td></tr>',
        ),
        { stands: [row("Tax office", "Sales tax", "10th")] },
    ],
    [
        "across in HTML",
        page(
            '<tr><td>Rent</td><td colspan="2">not known</td></tr>',
            "<tr><th>Item</th><th>2024</th><th>2025</th></tr>",
        ),
        { stands: [/Rent( \| |; 2024: )not known( \| |; 2025: )not known/] },
    ],
    [
        "names across in HTML",
        page(
            "<tr><td>North</td><td>19</td><td>20</td><td>7</td><td>8</td></tr>",
            '<tr><th rowspan="2">Region</th><th colspan="2">Rate 2024</th><th colspan="2">Rate 2025</th></tr><tr><th>net</th><th>gross</th><th>net</th><th>gross</th></tr>',
        ),
        YEARS,
    ],
    [
        "down and across in HTML",
        page(
            '<tr><td>Rent</td><td rowspan="2" colspan="2">not known</td></tr><tr><td>Heat</td></tr>',
            "<tr><th>Item</th><th>2024</th><th>2025</th></tr>",
        ),
        { stands: [/Heat( \| |; 2024: )not known( \| |; 2025: )not known/] },
    ],
    ["down in a book", epub(`<table><tr><th>Office</th><th>Form</th><th>Deadline</th></tr>${BY_ROWS}</table>`), OFFICE],
    [
        "a table within a table",
        html(
            "<table><tr><th>Item</th><th>Detail</th></tr><tr><td>Rent</td><td><table><tr><td>net</td><td>100</td></tr><tr><td>gross</td><td>119</td></tr></table></td></tr></table>",
        ),
        { stands: [/net.*100/, /gross.*119/, /Rent/] },
    ],
];
