//! Form fields, comments and other annotations of PDF files.

use std::time::{Duration, Instant};

use documents::BlockKind::Remark;
use pretty_assertions::assert_eq;

use crate::paper::{Page, Paper};
use crate::pdf::{blocks, notes, read, texts};

/// A page with `words` and annotations; each entry is what stands in its dictionary.
fn annotated(page: Page, annotations: &[&str]) -> Paper {
    let mut paper = Paper::new([]);
    add(&mut paper, page, annotations);
    paper
}

fn add(paper: &mut Paper, page: Page, annotations: &[&str]) {
    let all: String = annotations
        .iter()
        .map(|entries| format!("{} 0 R ", paper.object(&format!("<</Type/Annot{entries}>>"))))
        .collect();
    paper.page(&page.entry(&format!("/Annots[{all}]")));
}

#[test]
fn values_without_an_appearance_stand_in_their_fields() {
    let page = Page::default().lines(72.0, 100.0, &["First Name"]).lines(72.0, 130.0, &["Town"]).lines(
        72.0,
        160.0,
        &["Remarks"],
    );
    let document = read(annotated(
        page,
        &[
            "/Subtype/Widget/FT/Tx/T(a)/V(Alice)/Rect[130 688 300 704]",
            "/Subtype/Widget/FT/Ch/Ff 131072/T(b)/V(zh)/Opt[[(be)(Bern)][(zh)(Zurich)]]/Rect[130 658 300 674]",
            "/Subtype/Widget/FT/Tx/Ff 4096/T(c)/V(Keep dry.\\rNo fire.)/Rect[130 600 300 644]",
            "/Subtype/Widget/FT/Tx/Ff 8192/T(d)/V(secret)/Rect[130 560 300 576]",
            "/Subtype/Widget/F 2/FT/Tx/T(e)/V(unseen)/Rect[130 530 300 546]",
        ],
    ));
    let all = texts(&document).join(" ").replace(" |", "").replace('\n', " ");
    assert_eq!(all, "First Name Alice Town Zurich Remarks Keep dry. No fire.");
    let told = notes(&document);
    assert!(
        told.contains("1 password field not read") && told.contains("1 stretch of hidden text"),
        "{told}"
    );
}

#[test]
fn a_field_inherits_from_its_parents_and_shows_what_it_looks_like() {
    let mut paper = Paper::new([]);
    let looks = paper.stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 3 0 R>>>>",
        b"/Tx BMC BT /F1 10 Tf 2 6 Td (Bob the keeper) Tj ET EMC",
    );
    let parent = paper.object("<</FT/Tx/T(name)/V(Bob the keeper)>>");
    add(
        &mut paper,
        Page::default().lines(72.0, 100.0, &["Name:"]),
        &[
            &format!("/Subtype/Widget/Parent {parent} 0 R/AP<</N {looks} 0 R>>/Rect[110 686 310 706]"),
            &format!("/Subtype/Widget/Parent {parent} 0 R/Rect[110 586 310 606]"),
        ],
    );
    assert_eq!(texts(&read(paper)), ["Name: Bob the keeper", "Bob the keeper"]);
}

#[test]
fn an_old_appearance_gives_way_to_the_value_and_a_comb_is_one_word() {
    let mut paper = Paper::new([]);
    let looks = paper.stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 3 0 R>>>>",
        b"BT /F1 10 Tf 2 6 Td (1) Tj 20 0 Td (2) Tj 20 0 Td (3) Tj ET",
    );
    let field = format!("/Subtype/Widget/FT/Tx/AP<</N {looks} 0 R>>");
    add(
        &mut paper,
        Page::default(),
        &[
            &format!("{field}/Ff 16777216/V(123)/Rect[72 686 272 706]"),
            &format!("{field}/V(new value)/Rect[72 586 272 606]"),
        ],
    );
    assert_eq!(texts(&read(paper.catalog("/AcroForm<</NeedAppearances true>>"))), ["123", "new value"]);
}

#[test]
fn boxes_are_checked_or_not_and_have_words() {
    let page = Page::default().lines(90.0, 100.0, &["The control was tested."]).lines(
        90.0,
        130.0,
        &["The control failed."],
    );
    let document = read(annotated(
        page,
        &[
            "/Subtype/Widget/FT/Btn/T(a)/V/Yes/AS/Yes/Rect[74 690 84 700]",
            "/Subtype/Widget/FT/Btn/T(b)/AS/Off/Rect[74 660 84 670]",
            "/Subtype/Widget/FT/Btn/T(c)/TU(Signed by both)/V/On/AS/On/Rect[74 600 84 610]",
            "/Subtype/Widget/FT/Btn/Ff 32768/T(Colour red)/V/red/AP<</N<</blue null>>>>/Rect[74 560 84 570]",
        ],
    ));
    assert_eq!(
        texts(&document),
        ["☑ The control was tested.", "☐ The control failed.", "☑ Signed by both", "☐ Colour red"]
    );
}

#[test]
fn a_list_tells_what_is_chosen() {
    let document = read(annotated(
        Page::default(),
        &["/Subtype/Widget/FT/Ch/V[(b)(c)]/Opt[[(a)(Oil)][(b)(Gas)](c)]/Rect[72 600 272 660]"],
    ));
    assert_eq!(texts(&document).join(" "), "Gas, c");
}

#[test]
fn what_is_written_on_a_page_stands_in_its_place_and_comments_behind_its_text() {
    let mut paper = Paper::new([]);
    let looks = paper.stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Matrix[1 0 0 1 -5 -5]/Resources<</Font<</F1 3 0 R>>>>",
        b"BT /F1 10 Tf 2 6 Td (DRAFT) Tj ET",
    );
    add(
        &mut paper,
        Page::default().lines(72.0, 100.0, &["The fee is 80 EUR a day."]),
        &[
            &format!("/Subtype/Stamp/AP<</N {looks} 0 R>>/Rect[72 640 172 660]"),
            "/Subtype/FreeText/Contents(Written on the page)/Rect[72 600 372 616]",
            "/Subtype/Text/T(Ann)/Contents(Is that net?)/Rect[300 690 310 700]",
            "/Subtype/Highlight/Contents(See clause 4)/Rect[72 690 100 700]",
            "/Subtype/Stamp/Name/Approved/Rect[72 500 172 520]",
            "/Subtype/Link/Contents(no text)/Rect[72 690 100 700]",
        ],
    );
    add(&mut paper, Page::default().lines(72.0, 100.0, &["The second page."]), &[]);
    let document = read(paper);
    assert_eq!(
        texts(&document),
        [
            "The fee is 80 EUR a day.",
            "DRAFT",
            "Written on the page",
            "Comment (Ann): Is that net?",
            "Comment: See clause 4",
            "Comment: Stamp: Approved",
            "The second page.",
        ]
    );
    assert_eq!(blocks(&document)[3].0, Remark);
    assert!(notes(&document).contains("3 comments are blocks of their own"), "{}", notes(&document));
}

#[test]
fn a_person_can_strike_words_out() {
    let text = "The supplier shall not disclose the data.";
    let document = read(annotated(
        Page::default().lines(72.0, 100.0, &[text]),
        &[
            "/Subtype/StrikeOut/QuadPoints[155 702 170 702 155 689 170 689]/Rect[155 689 170 702]/T(Bo)/Contents(No)",
        ],
    ));
    assert_eq!(texts(&document), ["The supplier shall disclose the data.", "Comment (Bo): No"]);
    assert_eq!(document.blocks[0].struck[0].text, "not");
}

#[test]
fn forms_of_other_kinds_and_attached_files_are_told() {
    let mut paper = annotated(
        Page::default().lines(72.0, 100.0, &["Please wait."]),
        &["/Subtype/FileAttachment/Rect[72 600 82 610]", "/Subtype/Movie/Rect[72 500 82 510]"],
    );
    let file = paper.object("<</Type/Filespec>>");
    let names = format!("/Names<</EmbeddedFiles<</Names[(a){file} 0 R]>>>>/AcroForm<</Fields[]/XFA[]>>");
    let told = notes(&read(paper.catalog(&names)));
    for what in ["XFA", "2 embedded files", "1 sound, film or model"] {
        assert!(told.contains(what), "{what}: {told}");
    }
}

#[test]
fn fields_in_a_circle_and_floods_of_them_end_quickly() {
    let start = Instant::now();
    let mut paper = Paper::new([]);
    let (a, b) = (paper.next(), paper.next() + 1);
    paper.object(&format!("<</T(a)/Parent {b} 0 R>>"));
    paper.object(&format!("<</T(b)/Parent {a} 0 R>>"));
    let many = format!("{a} 0 R ").repeat(50_000);
    let circle = format!("/Subtype/Widget/Parent {a} 0 R/Rect[72 600 172 616]");
    let entry = paper.object(&format!("<</Type/Annot{circle}>>"));
    let page = Page::default().lines(72.0, 100.0, &["Words."]);
    paper.page(&page.entry(&format!("/Annots[{entry} 0 R {many}]")));
    let document = read(paper);
    assert_eq!(texts(&document), ["Words."]);
    assert!(notes(&document).contains("in part"), "{}", notes(&document));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
