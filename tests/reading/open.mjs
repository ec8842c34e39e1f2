// Cases that are not yet read as they must be, by kind: the test fails as soon as one of them is.

/** @type {Record<string, string[]>} */
export const OPEN = {
    struck: [
        "a class of a book's sheet",
        "a sheet's element",
        "a rule through the end of one line and the next one's begin",
    ],
    raised: ["an exponent by class", "a footnote's mark in PDF"],
    formula: ["equations below each other", "a formula as a picture with its words", "a formula of a script"],
    symbol: [
        "a page's letter in Wingdings",
        "a page's span in Wingdings",
        "a page's letter in Symbol",
        "a tick in PDF",
    ],
    form: ["text of several lines", "two chosen entries", "a text of a page"],
    charset: ["undeclared koi8-r", "a short list in Japanese"],
    "table header": ["notes below", "numbers of items", "two tables on a sheet", "a name over nothing"],
    spans: [
        "across in a workbook",
        "a block in a workbook",
        "across in Word",
        "across in HTML",
        "down and across in HTML",
    ],
    script: [
        "Chinese in md",
        "Japanese in html",
        "Korean in epub",
        "Thai in xlsx",
        "the map ETen-B5-H",
        "the map 90ms-RKSJ-V",
    ],
    bidi: ["two lines of Hebrew"],
    spine: ["no type", "notes beside the line"],
    remarks: [
        "a comment of a cell",
        "two comments of cells",
        "a last heading",
        "a heading above a heading",
        "a last heading in Word",
        "a last heading of a page",
        "a head of Markdown",
    ],
    element: [
        "a picture with its words",
        "a page within the page",
        "quotation marks",
        "words under an object",
        "a switch of a book",
        "a box of a workbook",
    ],
    layer: ["a layer that is off"],
    list: ["a list from behind", "letters by style"],
    place: ["headings by role"],
    furniture: ["a quotation's source", "help on keys", "pages that differ in a number"],
};
