//! What style, roles and old elements of a page say of its words.

use std::sync::atomic::AtomicBool;

use documents::{BlockKind, Document, Format, Limits};
use pretty_assertions::assert_eq;

fn read(page: &str) -> Document {
    documents::read_bytes(page.as_bytes(), Format::Html, &Limits::default(), &AtomicBool::new(false)).unwrap()
}

fn text(page: &str) -> String {
    read(page).blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn notes(page: &str) -> Vec<String> {
    read(page).notes.into_iter().map(|note| note.what).collect()
}

#[test]
fn sheets_strike_raise_and_number_by_class_and_element() {
    for (style, page, wanted) in [
        (".e{vertical-align:super}", "10<span class=e>6</span> kg", "10⁶ kg"),
        ("i.e { vertical-align: sub }", "CO<i class=e>2</i>", "CO₂"),
        ("em{text-decoration:line-through}", "shall <em>not</em> pay", "shall pay"),
        ("#x { text-decoration : line-through !important }", "shall <b id=x>not</b> pay", "shall pay"),
        ("div em{text-decoration:line-through}", "shall <em>not</em> pay", "shall not pay"),
        (".w{font-family:'Wingdings 2', serif}", "<span class=w>P</span> done", "✓ done"),
        ("@media print{em{text-decoration:line-through}}", "shall <em>not</em> pay", "shall not pay"),
    ] {
        assert_eq!(text(&format!("<style>{style}</style><p>{page}</p>")), wanted, "{style}");
    }
}

#[test]
fn fonts_of_signs_show_signs_until_another_font_begins() {
    assert_eq!(text("<p><font face=Wingdings>þ</font> tested"), "☑ tested");
    assert_eq!(text("<p><span style=\"font-family:Symbol\">£</span> 5"), "≤ 5");
    assert_eq!(
        text("<p><span style=\"font-family:Symbol\">m <i style=\"font-family:Arial\">m</i></span>m"),
        "μ mm"
    );
    assert_eq!(
        notes("<p><font face=Webdings>zz</font>"),
        ["2 signs without a known character are given as \u{fffd}"]
    );
}

#[test]
fn quotations_have_their_marks() {
    assert_eq!(text("<p>She said <q>not now</q>, twice."), "She said “not now”, twice.");
    assert_eq!(text("<p>A <q>b <b>c</b><p>d</q> e"), "A “b c”\nd e");
    assert_eq!(text("<table><tr><td><q>a</q><td>b<tr><td>c<td>d</table>"), "“a” | b\nc | d");
    assert_eq!(text("<p>A <q hidden>b</q>c"), "A c");
}

#[test]
fn lists_have_the_marks_that_are_shown() {
    let labels = |page: &str| {
        read(page).blocks.into_iter().map(|block| block.label.unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(labels("<ol reversed><li>a<li>b<li>c</ol>"), ["3", "2", "1"]);
    assert_eq!(labels("<ol reversed start=9><li>a<li>b</ol>"), ["9", "8"]);
    assert_eq!(labels("<ol style='list-style-type: lower-alpha'><li>a<li>b</ol>"), ["a", "b"]);
    assert_eq!(
        labels("<style>.r{list-style:upper-roman inside}</style><ol class=r><li>a<li>b</ol>"),
        ["I", "II"]
    );
    assert_eq!(labels("<ul style='list-style-type:decimal'><li>a<li>b</ul>"), ["1", "2"]);
    assert_eq!(labels("<ol style='list-style: none'><li>a<li>b</ol>"), ["", ""]);
    assert_eq!(labels("<ul type=disc><li>a</ul>"), [""]);
}

#[test]
fn roles_are_what_they_name() {
    let kinds = |page: &str| read(page).blocks.into_iter().map(|block| block.kind).collect::<Vec<_>>();
    assert_eq!(
        kinds("<div role=heading aria-level=1>A</div><span role=heading>B</span><p>c"),
        [BlockKind::Heading(1), BlockKind::Heading(2), BlockKind::Paragraph]
    );
    assert_eq!(
        text(
            "<div role=table><div role=row><span role=columnheader>Item</span><span role=columnheader>Cost</span></div><div role=row><span role=cell>Rent</span><span role=cell>5</span></div></div>"
        ),
        "Item | Cost\nRent | 5"
    );
    assert_eq!(kinds("<div role=list><div role=listitem>a</div></div>"), [BlockKind::Item(1)]);
    assert_eq!(kinds("<h1 role=presentation>A</h1>"), [BlockKind::Heading(1)]);
}

#[test]
fn what_the_page_says_of_a_table_is_kept() {
    let table = |page: &str| {
        let blocks = read(page).blocks;
        let table = blocks.into_iter().find(|block| block.kind == BlockKind::Table).unwrap();
        (table.table.head, table.context, table.text)
    };
    let rows = "<tr><td>Ann<td>red<tr><td>Bo<td>blue";
    let (head, context, _) =
        table(&format!("<table><caption>Colours.</caption><tr><th>1<th>2{rows}</table>"));
    assert_eq!((head, context.as_str()), (1, "Colours."));
    assert_eq!(table(&format!("<table><thead><tr><td>1<td>2</thead>{rows}</table>")).0, 1);
    assert_eq!(table(&format!("<table>{rows}</table>")).0, 0);
    assert_eq!(table("<table><tr><th>Ann<td>red<tr><th>Bo<td>blue</table>").0, 0);
    let (head, _, text) = table(
        "<table><tr><th colspan=2>Fees<tr><th>Item<th>Cost<tr><td>Rent<td>5<tr><td colspan=2>none</table>",
    );
    assert_eq!((head, text.as_str()), (2, "Fees\nItem | Cost\nRent | 5\nnone"));
    assert_eq!(table("<table><tr><td>a<td>b<td>c<tr><td>d<td colspan=2>e</table>").2, "a | b | c\nd | e | e");
}

#[test]
fn formulas_of_scripts_and_pictures_stand_once() {
    assert_eq!(text("<p>Here <script type='math/tex'>x^2</script> is"), "Here x^2 is");
    assert_eq!(
        text(
            "<p>Here <span id='M-1-Frame'><math><mi>y</mi></math></span><script type='math/tex' id='M-1'>y</script> is"
        ),
        "Here y is"
    );
    assert_eq!(text("<p>Here <img class='latex' alt='x_1'> is"), "Here x_1 is");
    assert_eq!(text("<p>Here <img class='photo' alt='a cat'> is"), "Here is");
    assert_eq!(
        text(
            "<p>Is <span class='mwe-math-element'><span style='display:none'><math><msup><mi>x</mi><mn>2</mn></msup></math></span><img alt='x^2'></span> it"
        ),
        "Is x² it"
    );
    assert_eq!(text("<p>a<script>var b</script> c"), "a c");
}

#[test]
fn what_stands_within_a_page_and_is_not_read_is_told() {
    assert_eq!(notes("<p>a<iframe srcdoc='<p>b'></iframe>"), ["1 page within the page not read"]);
    assert_eq!(
        notes("<frameset><frame src=a><frame src=b></frameset>"),
        ["2 pages within the page not read"]
    );
    assert_eq!(notes("<p>a<embed src=a.swf>"), ["1 sound, film or model not read"]);
    assert_eq!(text("<p>a</p><object data=a.swf><p>b</p></object>"), "a\nb");
    assert_eq!(text("<blockquote>a<footer>Ada</footer></blockquote>"), "a\nAda");
}
