//! HTML and the pages of EUR-Lex.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use documents::{BlockKind, Document, Format, Limits, Link, ReadError};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn read(page: impl AsRef<[u8]>) -> Document {
    documents::read_bytes(page.as_ref(), Format::Html, &Limits::default(), &AtomicBool::new(false)).unwrap()
}

/// Kind, label and text of each block.
fn shape(document: &Document) -> Vec<(BlockKind, Option<&str>, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.label.as_deref(), block.text.as_str())).collect()
}

fn all_text(document: &Document) -> String {
    document.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
}

use BlockKind::{Footnote, Heading, Item, Paragraph, Preformatted, Quote, Table, Term};

#[test]
fn headings_give_their_numbers_as_labels() {
    let document = read(
        "<title>Manual</title><h1>2. Scope</h1><h2>2.1.3 What it covers</h2><h2>4 packages</h2><h2>A.1 Tools<a href='#x'>¶</a></h2><h1>Chapter 3. Rest<br>of it</h1>",
    );
    assert_eq!(document.title.as_deref(), Some("Manual"));
    assert_eq!(
        shape(&document),
        [
            (Heading(1), Some("2"), "Scope"),
            (Heading(2), Some("2.1.3"), "What it covers"),
            (Heading(2), None, "4 packages"),
            (Heading(2), Some("A.1"), "Tools"),
            (Heading(1), Some("3"), "Rest of it"),
        ]
    );
}

#[test]
fn signs_that_only_link_to_a_place_are_no_words() {
    let document = read(
        "<h2><a href='spec.xhtml#a'>\u{203a}</a> 2.2.2 Lamps <a href='https://lamps.example/spec#a'>\u{bb}</a></h2><p>A lamp \u{203a} rope <a href='other'>\u{203a}</a>.</p>",
    );
    assert_eq!(shape(&document)[0], (Heading(2), Some("2.2.2"), "Lamps"));
    assert_eq!(document.blocks[1].text, "A lamp \u{203a} rope \u{203a}.");
}

#[test]
fn nested_lists_carry_the_numbers_a_browser_shows() {
    let document = read(
        "<ol start=3><li>three<ol type=a><li value=2>b<p>more of b<li>c</ol><li>four</ol><ul><li>dot<ol type=I start=4><li>IV</ol></ul>",
    );
    assert_eq!(
        shape(&document),
        [
            (Item(1), Some("3"), "three"),
            (Item(2), Some("b"), "b"),
            (Item(2), None, "more of b"),
            (Item(2), Some("c"), "c"),
            (Item(1), Some("4"), "four"),
            (Item(1), None, "dot"),
            (Item(2), Some("IV"), "IV"),
        ]
    );
}

#[test]
fn tables_of_data_are_one_block_with_a_line_for_each_row() {
    let document = read(
        "<table><caption>Limits</caption><thead><tr><th>Kind<th>Most<th>Unit</thead>
         <tr><td rowspan=2>Text<td>4<td>MB<tr><td>9<td>GB<tr><td colspan=2>None<td>-</table>",
    );
    assert_eq!(
        shape(&document),
        [
            (Paragraph, None, "Limits"),
            (Table, None, "Kind | Most | Unit\nText | 4 | MB\nText | 9 | GB\nNone | None | -"),
        ]
    );
}

#[test]
fn tables_of_layout_are_unwrapped_around_nested_ones() {
    let document =
        read("<table><tr><td><p>Left<td><h2>Right</h2><table><tr><td>a<td>b<tr><td>c<td>d</table></table>");
    assert_eq!(
        shape(&document),
        [(Paragraph, None, "Left"), (Heading(2), None, "Right"), (Table, None, "a | b\nc | d")]
    );
}

#[test]
fn code_quotes_terms_and_notes_keep_their_kinds() {
    let document = read(
        "<pre>\na = 1\n\n    b</pre><blockquote><p>Said so.</blockquote><dl><dt>Risk<dd>What may happen.</dl>
         <aside role=doc-footnote id=n1>[1] See there.</aside><p>Area is 10<sup>6</sup> m<sup>2</sup>.<br>Next",
    );
    assert_eq!(
        shape(&document),
        [
            (Preformatted, None, "a = 1\n\n    b"),
            (Quote, None, "Said so."),
            (Term, None, "Risk"),
            (Paragraph, None, "What may happen."),
            (Footnote, Some("[1]"), "See there."),
            (Paragraph, None, "Area is 10⁶ m².\nNext"),
        ]
    );
}

#[test]
fn links_lead_to_the_anchor_of_the_block_that_has_their_id() {
    let document = read(
        "<section id=scope><span id=s-scope></span><h2>Scope</h2></section>
         <p>See <a href='#s-scope'>the <b>scope</b></a>, <a href='b.html#x'>there</a> and <a href='javascript:x()'>run</a>.",
    );
    assert_eq!(document.blocks[0].anchor.as_deref(), Some("scope"));
    assert_eq!(
        document.blocks[1].links,
        [
            Link { text: "the scope".into(), target: "#scope".into() },
            Link { text: "there".into(), target: "b.html#x".into() },
        ]
    );
    assert_eq!(document.blocks[1].text, "See the scope, there and run.");
}

#[test]
fn what_nobody_sees_is_never_read() {
    let hidden = [
        "<script>SECRET</script>",
        "<script><!--<script></script>SECRET--></script>",
        "<style>SECRET</style>",
        "<!-- SECRET -->",
        "<!-- a > SECRET --!>",
        "<template><p>SECRET</template>",
        "<noscript>SECRET</noscript>",
        "<nav><p>SECRET</nav>",
        "<header><p>SECRET</header>",
        "<div role=navigation>SECRET</div>",
        "<p hidden>SECRET</p>",
        "<div hidden><p>SECRET<div>SECRET</div></div>",
        "<span hidden><div>SECRET</span>SECRET</div></span>",
        "<p aria-hidden=TRUE>SECRET</p>",
        "<p style='color:red; DISPLAY : none'>SECRET</p>",
        "<p style='display:/**/none!important'>SECRET</p>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p style='font-size:0px'>SECRET</p>",
        "<p style='opacity:0.0'>SECRET</p>",
        "<style>.x, #y { display: none }</style><p class='a x'>SECRET</p><p id=y>SECRET</p>",
        "<p><b hidden>SECRET</p><p>SECRET</b></p>",
        "<p title=SECRET>",
        "<select><option>SECRET</select>",
        "<textarea hidden>SECRET</textarea>",
        "<svg><title>SECRET</title><text>SECRET</text></svg>",
        "<iframe>SECRET</iframe>",
        "<dialog>SECRET</dialog>",
        "<x-a hidden>SECRET</x-b>SECRET</x-a>",
        "<? SECRET ?>",
        "<a title='SECRET",
    ];
    for page in hidden {
        let document = read(format!("<p>before</p>{page}"));
        assert_eq!(all_text(&document), "before", "{page}");
    }
    // A browser may take XHTML for HTML, where such a tag is open and such a section a comment.
    let document = read(
        "<?xml version='1.0'?><html><p>before<a id='x'/></p><![CDATA[ SECRET ]]><div hidden=''/>SECRET</html>",
    );
    assert_eq!(all_text(&document), "before");
    // What follows the hidden part is read.
    for page in hidden.iter().filter(|page| page.ends_with("></div>") || page.ends_with("</p>")) {
        let document = read(format!("<p>before</p>{page}<p>after"));
        assert_eq!(all_text(&document), "before\nafter", "{page}");
    }
}

#[test]
fn hidden_text_stays_hidden_beyond_the_depth_that_is_kept() {
    let deep = "<div>".repeat(400);
    let out = "</div>".repeat(400);
    let document = read(format!("<div hidden>{deep}SECRET{out}SECRET</div><p>after"));
    assert_eq!(all_text(&document), "after");
    let document = read(format!("{deep}<div hidden>SECRET</div>{out}<p>after"));
    assert!(!all_text(&document).contains("SECRET"));
    assert!(all_text(&document).contains("after"));
    assert!(document.notes.iter().any(|note| note.what.contains("nested too deep")));
}

#[test]
fn invisible_characters_are_removed_and_counted() {
    let document = read("<p>pay\u{200b}ment \u{202e}now\u{e0041}\u{feff}");
    assert_eq!(all_text(&document), "payment now");
    assert_eq!(document.notes.last().unwrap().what, "4 invisible characters removed");
}

#[test]
fn encodings_are_taken_from_mark_declaration_or_bytes() {
    let text = |bytes: &[u8]| all_text(&read(bytes));
    assert_eq!(text("\u{feff}<p>café €".as_bytes()), "café €");
    assert_eq!(text(b"<meta charset='windows-1252'><p>caf\xe9 \x80"), "café €");
    assert_eq!(text(b"<?xml version='1.0' encoding='ISO-8859-1'?><html><p>caf\xe9</p></html>"), "café");
    assert_eq!(text(b"<p>caf\xe9"), "café");
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("<p>café €".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(text(&utf16), "café €");
}

#[test]
fn character_references_are_resolved_as_browsers_do() {
    let document = read(
        "<p>&lt;b&gt; &amp;amp; &copy &#8364; &#x41; &#128; &notin; &nosuch; &#0; &#xffffff; AT&T &sect;&nbsp;4",
    );
    assert_eq!(all_text(&document), "<b> &amp; © € A € ∉ &nosuch; \u{fffd} \u{fffd} AT&T § 4");
}

#[test]
fn entities_that_a_document_declares_are_never_expanded() {
    let mut page = String::from("<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a0 'ha'>");
    for level in 1..30 {
        page += &format!("<!ENTITY a{level} '&a{};&a{};'>", level - 1, level - 1);
    }
    page += "]><html><body><p>&a29;</p></body></html>";
    assert_eq!(all_text(&read(page)), "&a29;");
}

/// A page that is bigger than it is meaningful must be done within the time; the bound is generous for busy machines.
fn quick(page: &[u8]) -> Result<Document, ReadError> {
    let start = Instant::now();
    let done = documents::read_bytes(page, Format::Html, &Limits::default(), &AtomicBool::new(false));
    assert!(start.elapsed() < Duration::from_secs(60), "took {:?}", start.elapsed());
    done
}

#[test]
fn deep_wide_and_unclosed_pages_are_read_in_bounded_time() {
    let deep = quick(&[b"<div>".repeat(100_000), b"text".to_vec()].concat()).unwrap();
    assert_eq!(all_text(&deep), "text");
    assert_eq!(quick(&b"<div>".repeat(10 << 20)).unwrap().blocks, []);
    for unit in [
        "<p><b><i><font a=1>x",
        "<table><tr><td>",
        "<a><ol><li>",
        "</p></b></div>",
        "<b hidden><p>",
        "<<<&&&<!",
        "<a \"",
        "<!-",
        "<dd><dt>x",
        "<svg><math>",
    ] {
        let _ = quick(&unit.repeat(200_000).into_bytes());
    }
    let attributes: String = (0..300_000).map(|n| format!("a{n}=1 ")).collect();
    assert_eq!(all_text(&quick(format!("<p {attributes}>x").as_bytes()).unwrap()), "x");
}

#[test]
fn more_blocks_or_text_than_allowed_is_an_error() {
    let limits = Limits { blocks: 10, ..Limits::default() };
    let read = |page: &str, limits: &Limits| {
        documents::read_bytes(page.as_bytes(), Format::Html, limits, &AtomicBool::new(false))
    };
    assert_eq!(read(&"<p>x".repeat(11), &limits), Err(ReadError::TooLarge { limit: 10, what: "blocks" }));
    let limits = Limits { text_bytes: 100, ..Limits::default() };
    assert_eq!(
        read(&"<p>12345".repeat(21), &limits),
        Err(ReadError::TooLarge { limit: 100, what: "bytes of text" })
    );
    let done = documents::read_bytes(b"<p>x", Format::Html, &Limits::default(), &AtomicBool::new(true));
    assert_eq!(done, Err(ReadError::Cancelled));
}

/// A made-up act in the form of the Official Journal.
const ACT: &str = r##"<html><body>
<div class="eli-container"><div class="eli-main-title" id="tit_1"><p class="oj-doc-ti">REGULATION (EU) 2099/7</p>
<p class="oj-doc-ti">on the keeping of lighthouses</p></div>
<div class="eli-subdivision" id="rct_1"><table><tr><td><p class="oj-normal">(1)</p></td>
<td><p class="oj-normal">Ships need light.</p></td></tr></table></div>
<div class="eli-subdivision" id="enc_1"><div id="cpt_I"><p class="oj-ti-section-1"><span>CHAPTER I</span></p>
<div class="eli-title"><p class="oj-ti-section-2"><span>GENERAL</span></p></div>
<div class="eli-subdivision" id="art_6"><p id="d1e9-1-1" class="oj-ti-art">Article 6</p>
<div class="eli-title" id="art_6.tit_1"><p class="oj-sti-art">Duties of keepers</p></div>
<div id="006.001"><p class="oj-normal">1.&#160;&#160;&#160;A keeper shall:</p>
<table><tbody><tr><td><p class="oj-normal">(a)</p></td><td><p class="oj-normal">light the lamp:</p>
<table><tr><td><p class="oj-normal">(i)</p></td><td><p class="oj-normal">at dusk;</p></td></tr></table></td></tr></tbody></table>
<table><tbody><tr><td><p class="oj-normal">(b)</p></td><td><p class="oj-normal">keep the log.</p></td></tr></tbody></table></div></div>
<div class="eli-subdivision" id="art_7"><p class="oj-ti-art">Article 7</p><p class="oj-normal">See <a href="#d1e9-1-1">Article 6</a>.</p></div>
</div></div></div>
<div class="eli-container" id="anx_III"><p class="oj-doc-ti">ANNEX III</p><p class="oj-doc-ti">Lamps</p>
<table class="oj-table"><tr><td><p>Kind</p></td><td><p>Reach</p></td></tr><tr><td><p>Oil</p></td><td><p>9</p></td></tr></table>
<table><tr><td><p class="oj-normal">1.</p></td><td><p class="oj-normal">Oil lamps.</p></td></tr></table></div>
<hr class="oj-note"><p class="oj-note"><a id="ntr1" href="#ntc1">(<span class="oj-super">1</span>)</a> OJ L 1, p. 2.</p>
</body></html>"##;

#[test]
fn an_act_of_the_official_journal_gives_articles_recitals_points_and_annexes() {
    let document = read(ACT);
    assert_eq!(document.title.as_deref(), Some("REGULATION (EU) 2099/7 on the keeping of lighthouses"));
    assert_eq!(
        shape(&document),
        [
            (Heading(1), None, "REGULATION (EU) 2099/7 on the keeping of lighthouses"),
            (Paragraph, Some("(1)"), "Ships need light."),
            (Heading(2), Some("CHAPTER I"), "GENERAL"),
            (Heading(4), Some("Article 6"), "Duties of keepers"),
            (Paragraph, Some("1"), "A keeper shall:"),
            (Item(1), Some("(a)"), "light the lamp:"),
            (Item(2), Some("(i)"), "at dusk;"),
            (Item(1), Some("(b)"), "keep the log."),
            (Heading(4), Some("Article 7"), "Article 7"),
            (Paragraph, None, "See Article 6."),
            (Heading(1), Some("ANNEX III"), "Lamps"),
            (Table, None, "Kind | Reach\nOil | 9"),
            (Item(1), Some("1."), "Oil lamps."),
            (Footnote, Some("(1)"), "OJ L 1, p. 2."),
        ]
    );
    let anchors: Vec<_> = document.blocks.iter().filter_map(|block| block.anchor.as_deref()).collect();
    assert_eq!(anchors, ["tit_1", "rct_1", "cpt_I", "art_6", "006.001", "art_7", "anx_III", "ntr1"]);
    assert_eq!(document.blocks[9].links, [Link { text: "Article 6".into(), target: "#art_6".into() }]);
}

/// Tag soup: words between tags of all kinds, and words that nobody sees.
fn soup() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "p",
        "div",
        "b",
        "span",
        "ul",
        "ol",
        "li",
        "table",
        "tr",
        "td",
        "th",
        "tbody",
        "caption",
        "h1",
        "h3",
        "pre",
        "dl",
        "dt",
        "dd",
        "a",
        "sup",
        "section",
        "aside",
        "blockquote",
        "br",
        "hr",
        "svg",
        "form",
        "button",
        "x-y",
        "em",
    ]);
    let rest = prop::sample::select(vec![
        "",
        "",
        "",
        " id=a",
        " hidden",
        " style='display:none'",
        " class=toc",
        " rowspan=3",
        " colspan=2",
        " href='#a'",
    ]);
    let piece = prop_oneof![
        4 => (names.clone(), rest).prop_map(|(name, rest)| format!("<{name}{rest}>")),
        3 => names.prop_map(|name| format!("</{name}>")),
        4 => (0..1000_u32).prop_map(|n| format!("v{n} ")),
        1 => prop::sample::select(vec!["<script>unseen</script>", "<!-- unseen -->", "<template>unseen</template>", "&amp;", "&#65", "\u{200b}", "\n"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_filter("it makes no tag", |c| !"<>/!'\"=".contains(*c)).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_tag_soup_is_read_the_same_way_twice_within_the_limits(page in soup()) {
        let limits = Limits { blocks: 1_000, text_bytes: 1 << 20, depth: 12, ..Limits::default() };
        let read = || documents::read_bytes(page.as_bytes(), Format::Html, &limits, &AtomicBool::new(false));
        let first = read();
        prop_assert_eq!(&first, &read());
        let Ok(document) = first else { return Ok(()) };
        prop_assert!(document.blocks.iter().all(|block| !block.text.trim().is_empty()));
        prop_assert!(!all_text(&document).contains("unseen"));
    }

    #[test]
    fn every_block_says_words_of_the_page_in_their_order(words in prop::collection::vec("[a-z]{1,6}", 1..40), seed in any::<u64>()) {
        let tags = ["<p>", "<li>", "<td>", "<div>", "</div>", "<b>", "</p>", "<table>", "</table>", "<h2>", "</h2>", "<ul>", "</ul>", " "];
        let mut state = seed;
        let mut page = String::new();
        for word in &words {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            page.push_str(tags[(state >> 33) as usize % tags.len()]);
            page.push(' ');
            page.push_str(word);
        }
        let source = words.concat();
        for block in read(&page).blocks {
            prop_assert!(source.contains(&squeezed(&block.text)), "{:?} in {page:?}", block.text);
        }
    }

    #[test]
    fn broken_markup_is_read_the_same_way_twice(page in "(<|</|<!--|-->|<!|<p|<b hidden|<table|<td|[a-z\"'=>& ;/-]){0,80}") {
        prop_assert_eq!(read(&page), read(&page));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = documents::read_bytes(&bytes, Format::Html, &Limits::default(), &AtomicBool::new(false));
    }
}

fn notes(document: &Document) -> Vec<&str> {
    document.notes.iter().map(|note| note.what.as_str()).collect()
}

#[test]
fn struck_words_are_no_text() {
    let ways = [
        "It shall <s>not</s> tell.",
        "It shall <strike>not</strike> tell.",
        "It shall <del>not</del> tell.",
        "It shall <del><b>not</b></del> tell.",
        "It shall <span style='color:red; text-decoration: underline LINE-THROUGH'>n<b>o</b>t</span> tell.",
        "It shall <span style='text-decoration-line:line-through'>n<span>o</span>t</span> tell.",
        "<style>.old, span.gone { text-decoration: line-through }</style>It shall <b class=gone>not</b> tell.",
        "It shall<s> not </s> tell.",
        "<ins>It</ins> shall <s>not</s> tell.",
    ];
    for page in ways {
        let document = read(format!("<p>{page}"));
        assert_eq!(all_text(&document), "It shall tell.", "{page}");
        let struck: Vec<_> =
            document.blocks[0].struck.iter().map(|one| (one.at, one.text.as_str())).collect();
        assert_eq!(struck, [(9, "not")], "{page}");
        assert_eq!(notes(&document), ["1 stretch of struck-out text is no part of the text"]);
    }
    let document = read(
        "<del><p>Gone.</p><p>Gone too.</p></del><p>Kept.<p><s>a</p><p>b</s> c</p><pre>if x:\n    <s>y</s>\n    z</pre>
         <table><tr><td>a<td><s>b</s><td>c<tr><td><del>d</del><td>e<td>f</table>",
    );
    assert_eq!(all_text(&document), "Kept.\nc\nif x:\n    z\na |  | c\n | e | f");
}

#[test]
fn what_stands_raised_or_lowered_keeps_its_meaning() {
    let pairs = [
        ("10<sup>6</sup> and 10<sup>1.5</sup> kg", "10⁶ and 10^(1.5) kg"),
        ("a<sup>n+1</sup>, x<sub>2</sub>, H<sub>2</sub>O", "aⁿ⁺¹, x₂, H₂O"),
        ("10<sup>-<b>6</b></sup>", "10⁻⁶"),
        ("the 1<sup>st</sup>, 2<SUP>nd</SUP> and 3<sup> rd</sup>", "the 1st, 2nd and 3 rd"),
        (
            "Brand<sup>™</sup> and Name<sup>®</sup>, 5<sup>*</sup>, 45<sup>°</sup>",
            "Brand™ and Name®, 5*, 45°",
        ),
        ("said<sup><a href='#fn1'>1</a></sup> so<sup><a href='#fn2'>[a]</a></sup>", "said¹ so[a]"),
        ("m<span style='vertical-align: super'>2</span> and m<span class='oj-super'>3</span>", "m² and m³"),
        ("p<sub>eff, net</sub>", "p_(eff, net)"),
        ("10<sup><s>6</s>7</sup>", "107"),
    ];
    for (page, text) in &pairs[..8] {
        assert_eq!(all_text(&read(format!("<p>{page}"))), *text, "{page}");
        assert_eq!(
            all_text(&read(format!("<table><tr><td>{page}<td>b</table>"))),
            format!("{text} | b"),
            "{page}"
        );
    }
    assert_eq!(all_text(&read("<pre>x<sup>12</sup></pre>")), "x¹²");
    assert_eq!(
        all_text(&read("<p><sup>All figures in thousands of EUR.</sup>")),
        "All figures in thousands of EUR."
    );
}

#[test]
fn mathml_is_written_in_one_line() {
    let pairs = [
        ("<mfrac><mn>3</mn><mn>4</mn></mfrac>", "3/4"),
        ("<msup><mi>x</mi><mn>12</mn></msup>", "x¹²"),
        (
            "<mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mo>&#x2062;</mo><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>",
            "x=(−b±√(b²−4ac))/(2a)",
        ),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>",
            "∑_(i=1)^n xᵢ",
        ),
        ("<mroot><mi>x</mi><mn>3</mn></mroot><mo>+</mo><msqrt><mn>16</mn></msqrt>", "∛x+√16"),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a,b]"),
        (
            "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>)</mo>",
            "(1, 0; 0, 1)",
        ),
        ("<mo>(</mo><mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>", "(n¦k)"),
        (
            "<semantics><mrow><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi></mrow><annotation encoding='tex'>SECRET</annotation></semantics>",
            "sin x",
        ),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mphantom><mi>z</mi></mphantom>", "x\u{305}"),
        ("<mmultiscripts><mi>U</mi><mprescripts/><mn>92</mn><mn>238</mn></mmultiscripts>", "²³⁸₉₂U"),
        ("<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "2 1/2"),
    ];
    for (math, text) in pairs {
        let document = read(format!(
            "<p>It is <math>{math}</math> today.<table><tr><td><math>{math}</math><td>b</table>"
        ));
        assert_eq!(all_text(&document), format!("It is {text} today.\n{text} | b"), "{math}");
        assert_eq!(notes(&document), Vec::<&str>::new());
    }
    let document = read(
        "<p>So <math alttext='a plus b'><apply><plus/><ci>a</ci><ci>b</ci></apply></math>.<p>2<math><mn>3</mn></math>",
    );
    assert_eq!(all_text(&document), "So a plus b.\n2 3");
    assert!(notes(&document)[0].starts_with("1 formula has parts"));
}

#[test]
fn what_a_form_shows_is_text() {
    let document = read(
        "<form><p>Name: <input value='Alice'> <input type=password value=SECRET><input type=hidden value=SECRET>
         <p>Agreed <input type=checkbox checked> or not <input type=radio>
         <p>Rate <select><option>10 %<option selected>20 %</select> a year
         <p>Remark <textarea>Paid &amp; closed</textarea><input type=submit value=SECRET><p><input type=checkbox id=menu></form>
         <ul><li><input type=checkbox checked><p>Counted</ul>",
    );
    assert_eq!(
        all_text(&document),
        "Name: Alice\nAgreed ☑ or not ☐\nRate 20 % a year\nRemark Paid & closed\n☑ Counted"
    );
    assert_eq!(
        notes(&document),
        ["buttons and aids: 1 word left out", "1 choice that is not selected left out"]
    );
}

#[test]
fn furniture_that_holds_the_text_is_none() {
    let words = "Every keeper lights the lamp at dusk. ".repeat(30);
    for page in [
        "<section><h1>A</h1><div class='toctree-wrapper compound'><section><p>TEXT</section></div></section>",
        "<div class=toc><p>TEXT</div>",
        "<div class='a footer'><p>TEXT</div>",
        "<nav><p>TEXT</nav>",
        "<header><p>TEXT</header>",
        "<div role=banner><p>TEXT</div>",
    ] {
        let document = read(page.replace("TEXT", &words));
        assert!(all_text(&document).contains(words.trim()), "{page}");
    }
    let small = read(
        "<section><h1>A</h1><div class='toctree-wrapper compound'><section><p>Text.</p></section></div></section>",
    );
    assert_eq!(all_text(&small), "A\nText.");
    let links = "<li><a href=x>Lamps and ropes</a>".repeat(40);
    let page = format!(
        "<p>{words}<div class=toctree-wrapper><p>Contents:<ul>{links}</ul></div><footer>All rights kept</footer>"
    );
    let document = read(page);
    assert_eq!(all_text(&document), words.trim());
    assert_eq!(
        notes(&document),
        ["navigation: 121 words left out", "head and foot of the page: 3 words left out"]
    );
    assert!(document.notes.iter().all(|note| note.minor));
}

#[test]
fn what_is_left_out_of_a_page_is_told() {
    let document = read(
        "<p>Text <ruby>漢<rt>kan</rt></ruby>.<svg><text>Drawn</text></svg><img src=a><noscript><p>Switch it on</noscript>
         <button>Copy</button><h2><button>Scope</button></h2>",
    );
    assert_eq!(all_text(&document), "Text 漢.\nScope");
    assert_eq!(
        notes(&document),
        [
            "1 picture not read",
            "1 drawing with text in it not read",
            "1 reading aid above characters left out",
            "buttons and aids: 1 word left out",
            "text in place of scripts or media: 3 words left out",
        ]
    );
}
