//! Where the words of a paragraph stand: their item, their pages.

use documents::PageBreak;
use knowledge::{Paragraph, pages_in_words};
use pretty_assertions::assert_eq;

use crate::paper::{Page, Paper};
use crate::world::World;

#[test]
fn words_are_named_by_the_item_that_holds_them() {
    let text = "The tenant shall:\n(a) pay the rent each month;\n(b) keep the hall:\n(i) dry in every season;\n(c) insure the hall against fire.";
    let items = [
        ("12.3(a)", "pay the rent each month;"),
        ("12.3(b)", "keep the hall:\n(i) dry in every season;"),
        ("12.3(b)(i)", "dry in every season;"),
        ("12.3(c)", "insure the hall against fire."),
    ];
    let items: Vec<_> =
        items.iter().map(|(id, text)| serde_json::json!({ "id": id, "text": text })).collect();
    let line = serde_json::json!({ "id": "12.3", "text": text, "items": items }).to_string();
    let base = World::with(&[("lease.jsonl", &line)]).base();
    let whole = base.paragraph("12.3").unwrap();
    let label = |words: &str| {
        let from = text.find(words).unwrap();
        base.words_label(whole, &(from..from + words.len()))
    };
    for (words, item) in [
        ("insure the hall", Some("Primer 12.3(c)")),
        ("(c) insure the hall", Some("Primer 12.3(c)")),
        ("dry in every season", Some("Primer 12.3(b)(i)")),
        ("keep the hall:\n(i) dry", Some("Primer 12.3(b)")),
        ("The tenant shall", None),
        ("each month;\n(b) keep", None),
        ("season;\n(c) insure", None),
    ] {
        assert_eq!(label(words).as_deref(), item, "{words}");
    }
    let places = ["pay the rent", "insure the hall"].map(|words| {
        let from = text.find(words).unwrap();
        from..from + words.len()
    });
    assert_eq!(base.places_label(whole, &places), None, "two items: the whole");
    assert_eq!(base.places_label(whole, &places[1..]).as_deref(), Some("Primer 12.3(c)"));
}

#[test]
fn a_paragraph_of_a_file_knows_the_pages_of_its_words() {
    let first = Page::default().lines(72.0, 690.0, &[
        "The clockwork turns the lens once in ninety seconds, and the keeper winds it every four hours so",
        "that the beam never stops, for a ship at sea knows the coast by nothing but the time between two",
    ]);
    let second = Page::default().lines(72.0, 150.0, &["flashes of the light."]);
    let world = World::new();
    world.write("lamp.pdf", &Paper::new([first, second]).bytes());
    let base = world.base();
    let all: Vec<_> = base.paragraphs().iter().collect();
    let [paragraph] = all.as_slice() else { panic!("{} paragraphs", all.len()) };
    let at = paragraph.text.find("flashes").unwrap();
    assert_eq!((paragraph.page, paragraph.breaks.as_slice()), (Some(1), &[PageBreak { at, page: 2 }][..]));
    let pages = |words: &str| {
        let from = paragraph.text.find(words).unwrap();
        paragraph.pages(from..from + words.len())
    };
    assert_eq!(pages("The clockwork"), Some((1, 1)));
    assert_eq!(pages("of the light"), Some((2, 2)));
    assert_eq!(pages("between two flashes"), Some((1, 2)));
}

#[test]
fn words_stand_on_the_page_where_they_are_and_a_whole_on_all_of_its_pages() {
    let text = "Begins here. Goes on there. Ends at last.";
    let at = |words: &str| text.find(words).unwrap();
    let paragraph = Paragraph {
        text: text.into(),
        page: Some(4),
        breaks: vec![PageBreak { at: at("Goes"), page: 5 }, PageBreak { at: at("Ends"), page: 6 }],
        ..Paragraph::default()
    };
    for (words, pages) in
        [("Begins", (4, 4)), ("Goes on", (5, 5)), ("here. Goes", (4, 5)), ("at last.", (6, 6))]
    {
        assert_eq!(paragraph.pages(at(words)..at(words) + words.len()), Some(pages), "{words}");
    }
    assert_eq!(paragraph.all_pages(), Some((4, 6)));
    assert_eq!([(4, 4), (4, 6)].map(pages_in_words), ["page 4", "pp. 4-6"]);
    assert_eq!(Paragraph { text: text.into(), ..Paragraph::default() }.all_pages(), None);
    // As it is stored, and as bases of earlier versions have it.
    let stored = serde_json::to_string(&paragraph).unwrap();
    assert_eq!(serde_json::from_str::<Paragraph>(&stored).unwrap(), paragraph);
    assert_eq!(serde_json::from_str::<Paragraph>(r#"{"id":"1","text":"x"}"#).unwrap().breaks, []);
}
