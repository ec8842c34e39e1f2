// Formulas written in two dimensions become a line that says the same.

import { cell, docx, math, mathRun as t, paragraph, table } from "../make/docx.mjs";
import { epub } from "../make/epub.mjs";
import { html, md } from "../make/input.mjs";

/** @param {string} content */
const e = (content) => `<m:e>${content}</m:e>`;
/**
 * @param {string} over
 * @param {string} under
 * @param {string} [type]
 */
const fraction = (over, under, type) =>
    `<m:f>${type ? `<m:fPr><m:type m:val="${type}"/></m:fPr>` : ""}<m:num>${over}</m:num><m:den>${under}</m:den></m:f>`;
/**
 * @param {string} base
 * @param {string} raised
 */
const power = (base, raised) => `<m:sSup>${e(base)}<m:sup>${raised}</m:sup></m:sSup>`;
/**
 * @param {string} base
 * @param {string} lowered
 */
const index = (base, lowered) => `<m:sSub>${e(base)}<m:sub>${lowered}</m:sub></m:sSub>`;
/**
 * @param {string} content
 * @param {string} [degree]
 */
const root = (content, degree = "") =>
    `<m:rad><m:radPr><m:degHide m:val="${degree ? 0 : 1}"/></m:radPr><m:deg>${degree}</m:deg>${e(content)}</m:rad>`;
/**
 * @param {string} content
 * @param {string} [look]
 */
const brackets = (content, look = "") => `<m:d><m:dPr>${look}</m:dPr>${e(content)}</m:d>`;
/** @param {string} formula */
const word = (formula) => docx("A note.", paragraph("Here is ", math(formula), " in the text."));
/** @param {string} formula */
const page = (formula) => html(`<p>A note.</p><p>Here is <math>${formula}</math> in the text.</p>`);

/** @param {RegExp} line */
const is = (line, absent = /** @type {(string | RegExp)[]} */ ([])) => ({ stands: [line], absent });
const HALF = is(/Here is 1\/2 in the text/, ["is 12 in"]);
const SUM = is(/Here is \(a ?\+ ?b\)\/(\(?2 ?c\)?) in the text/);
const NESTED = is(/Here is \(1\/2\)\/3 in the text/);
const ROOT = is(/Here is √\(?16\)? in the text/, ["is 16 in"]);
const ROOT_OF_SUM = is(/Here is √\(a ?\+ ?b\) in the text/);
const CUBE = is(/Here is (∛\(?8\)?|√\(3 ?& ?8\)|\^3√8|³√8) in the text/, ["is 38 in", "is 83 in"]);
const POWER = is(/Here is 10(⁶|\^6) in the text/, ["106"]);
const POWER_OF_SUM = is(/Here is x(ⁿ⁺¹|\^\(n ?\+ ?1\)) in the text/, ["xn+1"]);
const INDEX = is(/Here is x(₁|_1) in the text/, ["is x1 in"]);
const BOTH = is(/Here is x(₁²|_1\^2|²₁) in the text/, ["x12"]);
const SIGMA = is(/Here is ∑_?\(?(i ?= ?1|ᵢ₌₁)\)?(\^n|ⁿ|\^\(n\)) ?\(?x(ᵢ|_i)\)? in the text/, ["i=1nx"]);
const MATRIX = is(/Here is [([]? ?a, ?b; ?c, ?d ?[)\]]? in the text/, ["abcd"]);
const BINOMIAL = is(/Here is \(?\(?n ?[¦|]? ?(choose|¦|over) ?k\)?\)? in the text/, ["is nk in", "n/k"]);
const MIXED = is(/Here is \(?[-−]b ?± ?√\(b(²|\^2) ?[-−] ?4 ?ac\)\)?\/(\(2 ?a\)) in the text/);
const LIMIT = is(/Here is lim_?\(?(n ?→ ?∞)\)? ?a(ₙ|_n) in the text/);

/** @type {import("./all.mjs").Cases} */
export const formulas = [
    ["a fraction of Word", word(fraction(t("1"), t("2"))), HALF],
    ["a fraction of sums", word(fraction(t("a+b"), t("2c"))), SUM],
    ["a fraction within a fraction", word(fraction(fraction(t("1"), t("2")), t("3"))), NESTED],
    ["a slanted fraction", word(fraction(t("1"), t("2"), "skw")), HALF],
    ["a fraction without a bar", word(brackets(fraction(t("n"), t("k"), "noBar"))), BINOMIAL],
    ["a root of Word", word(root(t("16"))), ROOT],
    ["a root of a sum", word(root(t("a+b"))), ROOT_OF_SUM],
    ["a cube root", word(root(t("8"), t("3"))), CUBE],
    ["a power of Word", word(power(t("10"), t("6"))), POWER],
    ["a power of a sum", word(power(t("x"), t("n+1"))), POWER_OF_SUM],
    ["an index of Word", word(index(t("x"), t("1"))), INDEX],
    [
        "index and power",
        word(`<m:sSubSup>${e(t("x"))}<m:sub>${t("1")}</m:sub><m:sup>${t("2")}</m:sup></m:sSubSup>`),
        BOTH,
    ],
    [
        "signs before",
        word(`<m:sPre><m:sub>${t("1")}</m:sub><m:sup>${t("2")}</m:sup>${e(t("H"))}</m:sPre>`),
        is(/Here is (₁²|_1\^2 ?|²₁|\^2_1 ?)H in/, ["12H"]),
    ],
    [
        "a sum of Word",
        word(
            `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${t("i=1")}</m:sub><m:sup>${t("n")}</m:sup>${e(index(t("x"), t("i")))}</m:nary>`,
        ),
        SIGMA,
    ],
    [
        "an integral",
        word(`<m:nary><m:sub>${t("0")}</m:sub><m:sup>${t("1")}</m:sup>${e(t("x dx"))}</m:nary>`),
        is(/Here is ∫(₀¹|_0\^1) ?\(?x ?dx\)? in/, ["01x"]),
    ],
    ["brackets", word(brackets(t("a+b"))), is(/Here is \(a ?\+ ?b\) in/)],
    ["bars", word(brackets(t("x"), '<m:begChr m:val="|"/><m:endChr m:val="|"/>')), is(/Here is \|x\| in/)],
    [
        "a matrix of Word",
        word(brackets(`<m:m><m:mr>${e(t("a"))}${e(t("b"))}</m:mr><m:mr>${e(t("c"))}${e(t("d"))}</m:mr></m:m>`)),
        MATRIX,
    ],
    [
        "equations below each other",
        word(`<m:eqArr>${e(t("x=1"))}${e(t("y=2"))}</m:eqArr>`),
        is(/Here is x ?= ?1; ?y ?= ?2 in/, ["1y"]),
    ],
    [
        "a function",
        word(`<m:func><m:fName>${t("sin")}</m:fName>${e(t("x"))}</m:func>`),
        is(/Here is sin ?\(?x\)? in/, ["sinx"]),
    ],
    [
        "a limit",
        word(
            `<m:func><m:fName><m:limLow>${e(t("lim"))}<m:lim>${t("n→∞")}</m:lim></m:limLow></m:fName>${e(index(t("a"), t("n")))}</m:func>`,
        ),
        LIMIT,
    ],
    [
        "an accent",
        word(`<m:acc><m:accPr><m:chr m:val="̂"/></m:accPr>${e(t("x"))}</m:acc>`),
        is(/Here is (x̂|hat\(x\)) in/),
    ],
    [
        "a bar over it",
        word(`<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>${e(t("x"))}</m:bar>`),
        is(/Here is (x̅|x̄|¯\(?x\)?|bar\(x\)|overline\(x\)) in/),
    ],
    ["a box", word(`<m:borderBox>${e(t("x=1"))}</m:borderBox>`), is(/Here is .?x ?= ?1.? in/)],
    ["the whole solution", word(fraction(t("−b±") + root(power(t("b"), t("2")) + t("−4ac")), t("2a"))), MIXED],
    [
        "a formula of its own paragraph",
        docx("A note.", paragraph(`<m:oMathPara>${math(fraction(t("1"), t("2")))}</m:oMathPara>`)),
        is(/^1\/2$/m),
    ],
    [
        "a formula in a cell",
        docx("A note.", table(["Share", "Who"], [cell(paragraph(math(fraction(t("1"), t("2"))))), "Acme"])),
        is(/1\/2.*Acme/, ["12"]),
    ],
    [
        "two shares",
        docx(
            "A note.",
            paragraph(
                "Acme has ",
                math(fraction(t("1"), t("2"))),
                " and Beta ",
                math(fraction(t("1"), t("3"))),
                " of it.",
            ),
        ),
        is(/Acme has 1\/2 and Beta 1\/3 of it/),
    ],
    [
        "an element nobody knows",
        word(`<m:strange>${e(t("q"))}</m:strange>`),
        { stands: [/Here is q in/], told: [/formula|equation|math/i] },
    ],

    ["a fraction of a page", page("<mfrac><mn>1</mn><mn>2</mn></mfrac>"), HALF],
    [
        "a fraction of sums on a page",
        page("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>c</mi></mrow></mfrac>"),
        SUM,
    ],
    ["a root on a page", page("<msqrt><mn>16</mn></msqrt>"), ROOT],
    ["a root of a sum on a page", page("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>"), ROOT_OF_SUM],
    ["a cube root on a page", page("<mroot><mn>8</mn><mn>3</mn></mroot>"), CUBE],
    ["a power on a page", page("<msup><mn>10</mn><mn>6</mn></msup>"), POWER],
    [
        "a power of a sum on a page",
        page("<msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup>"),
        POWER_OF_SUM,
    ],
    ["an index on a page", page("<msub><mi>x</mi><mn>1</mn></msub>"), INDEX],
    ["index and power on a page", page("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"), BOTH],
    [
        "a sum on a page",
        page(
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>",
        ),
        SIGMA,
    ],
    [
        "a limit on a page",
        page(
            "<munder><mi>lim</mi><mrow><mi>n</mi><mo>→</mo><mi>∞</mi></mrow></munder><msub><mi>a</mi><mi>n</mi></msub>",
        ),
        LIMIT,
    ],
    [
        "a matrix on a page",
        page(
            "<mrow><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo></mrow>",
        ),
        MATRIX,
    ],
    ["fences", page("<mfenced><mi>a</mi><mi>b</mi></mfenced>"), is(/Here is \(a, ?b\) in/)],
    ["an invisible product", page("<mn>2</mn><mo>&#x2062;</mo><mi>x</mi>"), is(/Here is 2 ?x in/, ["⁢"])],
    [
        "an annotation",
        page(
            '<semantics><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation encoding="application/x-tex">\\frac{1}{2}</annotation></semantics>',
        ),
        is(/Here is 1\/2 in/, ["frac"]),
    ],
    [
        "a formula shown twice",
        html(
            '<p>Here is <span class="katex"><span class="katex-mathml"><math><semantics><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation encoding="application/x-tex">\\frac{1}{2}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>1</span><span>2</span></span></span> in the text.</p>',
        ),
        is(/Here is 1\/2 in the text/, ["frac", "12"]),
    ],
    [
        "a formula as a picture with its words",
        html(
            '<p>Here is <span class="mwe-math-element"><span style="display: none;"><math alttext="{\\displaystyle x^{2}}"><msup><mi>x</mi><mn>2</mn></msup></math></span><img src="a.svg" aria-hidden="true" alt="{\\displaystyle x^{2}}"></span> in the text.</p>',
        ),
        is(/Here is .*x(²|\^2|\^\{2\}).* in the text/),
    ],
    [
        "a formula of a script",
        html('<p>Here is <script type="math/tex">x^2</script> in the text.</p>'),
        { stands: [/Here is .*in the text/], either: [/x(²|\^2)/], told: [/formula|script/i] },
    ],
    [
        "a formula of a book",
        epub(
            '<p>Here is <math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mn>3</mn><mn>4</mn></mfrac></math> in the text.</p>',
        ),
        is(/Here is 3\/4 in/, ["34"]),
    ],
    [
        "a formula with a prefix",
        epub(
            '<p>Here is <m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:msup><m:mi>x</m:mi><m:mn>12</m:mn></m:msup></m:math> in the text.</p>',
        ),
        is(/Here is x(¹²|\^12|\^\(12\)) in/, ["x12"]),
    ],
    [
        "a formula of Markdown",
        md("# A note\n\nHere is $\\frac{1}{2}$ in the text.\n"),
        is(/Here is .*(1\/2|\\frac\{1\}\{2\}).* in the text/),
    ],
    ["a block of Markdown", md("# A note\n\nHere it is:\n\n$$\nE = mc^2\n$$\n"), is(/E = mc(²|\^2)/)],
    ["money in Markdown", md("# A note\n\nIt costs $5 or $6 a day.\n"), is(/It costs \$5 or \$6 a day\./)],
];
