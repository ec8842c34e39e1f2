//! Exhibits, and the references that name them.

use docx::{Exhibit, Exhibits, HeadingCase};
use pretty_assertions::assert_eq;

fn exhibits(files: &[&str]) -> Exhibits {
    let named = |file: &&str| Exhibit { file: (*file).to_owned(), ..Exhibit::default() };
    Exhibits::all(files.iter().map(named).collect())
}

#[test]
fn a_reference_names_a_document_and_the_place_in_it() {
    let all = exhibits(&["lease.md", "deal/msa (v2).pdf.md", "lease.md.txt"]);
    for (reference, number, place) in [
        ("lease.md, 12 \u{b6}4", 1, "12 \u{b6}4"),
        ("lease.md.txt, 2", 3, "2"),
        ("msa (v2).pdf.md, page 3", 2, "page 3"),
        ("msa (v2).pdf", 2, ""),
        ("lease.md, Slide 4 (Q1 2026) \u{b6}1", 1, "Slide 4 (Q1 2026) \u{b6}1"),
        ("4.1 (deal/msa (v2).pdf.md, page 7)", 2, "4.1, page 7"),
    ] {
        assert_eq!(all.pinpoint(reference), Some((number, place.to_owned())), "{reference}");
    }
    assert_eq!(exhibits(&["orchard.md"]).pinpoint("orchard:2.1 (orchard.md)"), Some((1, "2.1".to_owned())));
    for none in ["Primer 4.1", "leases.md, 2", ""] {
        assert_eq!(all.pinpoint(none), None, "{none}");
    }
}

#[test]
fn a_name_of_two_documents_names_neither() {
    let all = exhibits(&["a/terms.pdf", "b/terms.pdf"]);
    assert_eq!(all.find("terms.pdf, 2"), None);
    assert_eq!(all.find("b/terms.pdf, 2"), Some((2, ", 2")));
}

#[test]
fn a_file_and_its_copy_are_one_exhibit_with_the_names_of_both() {
    let one = Exhibit {
        file: "a/terms.pdf".to_owned(),
        copies: vec!["b/terms.pdf".to_owned()],
        aliases: vec!["a/terms.pdf.md".to_owned()],
        title: "TERMS OF SALE".to_owned(),
        distinction: "with Larkspur, Inc.".to_owned(),
        ..Exhibit::default()
    };
    let case = HeadingCase::default();
    assert_eq!(one.name(&case), "Terms of Sale with Larkspur, Inc. (a/terms.pdf, the same as b/terms.pdf)");
    assert_eq!(
        one.short_name(&case),
        "Terms of Sale with Larkspur, Inc., a/terms.pdf, the same as b/terms.pdf"
    );
    let all = Exhibits::all(vec![one]);
    for reference in ["terms.pdf, 2", "b/terms.pdf, 2", "terms.pdf.md, 2"] {
        assert_eq!(all.pinpoint(reference), Some((1, "2".to_owned())), "{reference}");
    }
    assert!(
        all.scope().contains("the same byte by byte are one exhibit. Where a text that was made of a file")
    );
}

#[test]
fn a_reference_names_a_section_in_the_form_that_is_asked_for() {
    let one = Exhibit { file: "lease.pdf".to_owned(), ..Exhibit::default() };
    let all = Exhibits::all(vec![one]).with_section_form(Some("s. {section}".to_owned()));
    for (place, shown) in [
        ("12.3", "s. 12.3"),
        ("12.3, page 7", "s. 12.3, page 7"),
        ("12 \u{b6}5", "s. 12 \u{b6}5"),
        ("2.1 (a)", "s. 2.1 (a)"),
        ("4(b)(ii)", "s. 4(b)(ii)"),
        ("page 7", "page 7"),
        ("2026 \u{b6}1", "2026 \u{b6}1"),
        ("12.3 [2]", "12.3 [2]"),
        ("30 June, 2026 \u{b6}1", "30 June, 2026 \u{b6}1"),
    ] {
        assert_eq!(all.pinpoint(&format!("lease.pdf, {place}")), Some((1, shown.to_owned())));
    }
}

#[test]
fn a_text_that_was_made_of_a_file_takes_no_name_from_another_document() {
    let made =
        Exhibit { file: "msa.pdf".to_owned(), aliases: vec!["msa.pdf.md".to_owned()], ..Exhibit::default() };
    let other = Exhibit { file: "msa.docx".to_owned(), ..Exhibit::default() };
    let all = Exhibits::all(vec![made, other]);
    for (reference, number) in [("msa.pdf, 2", 1), ("msa.pdf.md, 2", 1), ("msa.docx, 2", 2), ("msa, 2", 2)] {
        assert_eq!(all.pinpoint(reference), Some((number, "2".to_owned())), "{reference}");
    }
}
