//! Footnotes: extraction and numbers over the whole document.

use manuscript::footnotes::{NoteRubric, consolidated, extract, renumber, slice, tests};
use manuscript::{Note, Part, Rule};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use crate::rig::{part, parts};

fn rules(faults: &[manuscript::Fault]) -> Vec<Rule> {
    faults.iter().map(|fault| fault.rule).collect()
}

#[test]
fn numbers_follow_the_marks_through_all_parts() {
    let found = renumber(&parts(), &NoteRubric::default());
    assert_eq!(rules(&found.faults), []);
    let numbers: Vec<(u32, &str, &str)> =
        found.rows.iter().map(|row| (row.number, row.part.as_str(), row.label.as_str())).collect();
    assert_eq!(numbers, [(1, "IV-A", "1"), (2, "IV-A", "2"), (3, "IV-B", "1"), (4, "IV-B", "a")]);
    assert!(found.parts[1].markdown.contains("12% of them.[^3]"), "{}", found.parts[1].markdown);
    assert!(!found.parts[1].markdown.contains("## Footnotes"));
    let last: Vec<(u32, u32)> =
        found.sections.iter().map(|part| (part.footnotes_extracted, part.last_global_number)).collect();
    assert_eq!(last, [(2, 2), (2, 4)]);
}

#[test]
fn the_consolidated_list_has_one_line_a_footnote() {
    let parts =
        [part("a", "", "Text.[^x][^y]\n\n[^y]: second\n[^x]: first line\n    goes on\n\n    and on\n")];
    let found = renumber(&parts, &NoteRubric::default());
    let list = consolidated(&found.rows);
    assert_eq!(list, "[^1]: first line goes on and on\n[^2]: second\n");
    assert_eq!(list.lines().filter(|line| line.starts_with('[')).count(), found.rows.len());
}

#[test]
fn a_mark_without_a_footnote_can_never_be_taken_for_another() {
    let parts = [part("a", "", "One.[^2]\n"), part("b", "", "Two.[^x] Three.[^y]\n\n[^x]: x\n[^y]: y\n")];
    let found = renumber(&parts, &NoteRubric::default());
    assert_eq!(found.parts[0].markdown, "One.[^?2]\n");
    assert_eq!(rules(&found.faults), [Rule::NoteMissing]);
    assert_eq!(found.faults[0].place.line, Some(1));
    let again = renumber(&found.parts, &NoteRubric::default());
    assert_eq!(again.parts, found.parts);
    assert_eq!(rules(&again.faults), [Rule::NoteMissing]);
}

#[test]
fn unused_doubled_and_empty_footnotes_are_kept_and_reported() {
    let text = "One.[^a]\n\n[^u]: unused\n[^a]: first\n[^a]: second\n[^e]:\n";
    let found = renumber(&[part("a", "", text)], &NoteRubric::default());
    assert_eq!(
        rules(&found.faults),
        [Rule::NoteDuplicate, Rule::NoteEmpty, Rule::NoteUnused, Rule::NoteUnused, Rule::NoteUnused]
    );
    let texts: Vec<&str> = found.rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, ["first", "unused", "second", ""]);
}

#[test]
fn code_is_left_alone() {
    let text = "A regex `[^a]` and a mark.[^a]\n\n```\n[^a]: not a footnote\n```\n\n[^a]: one\n";
    let found = renumber(&[part("a", "", text)], &NoteRubric::default());
    assert_eq!(found.parts[0].markdown, "A regex `[^a]` and a mark.[^1]\n\n```\n[^a]: not a footnote\n```\n");
    assert_eq!(found.rows.len(), 1);
}

#[test]
fn marks_and_references_within_footnotes_are_renumbered_with_them() {
    let rubric: NoteRubric =
        serde_json::from_value(json!({ "note_references": ["(?i)\\bnote (?<label>\\w+)"] })).unwrap();
    let parts = [
        part("a", "", "One.[^1]\n\n[^1]: Smith.\n"),
        part("b", "", "Two.[^1] Three.[^2]\n\n[^1]: Doe.\n[^2]: See note 1; but see [^1] and note 9.\n"),
    ];
    let found = renumber(&parts, &rubric);
    assert_eq!(found.rows[2].text, "See note 2; but see [^2] and note 9.");
    assert_eq!(renumber(&found.parts, &rubric).parts, found.parts);
}

#[test]
fn footnotes_given_beside_the_text_count_as_those_in_it() {
    let note = |label: &str| Note { label: label.into(), text: format!("text of {label}") };
    let given = Part {
        footnotes: vec![note("b"), note("a")],
        ..part("a", "", "One.[^a] Two.[^b] Three.[^c]\n\n[^c]: c\n")
    };
    let found = renumber(std::slice::from_ref(&given), &NoteRubric::default());
    let labels: Vec<&str> = found.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["a", "b", "c"]);
    assert_eq!(extract(&extract(&given)), extract(&given));
}

#[test]
fn a_heading_over_text_and_footnotes_stays() {
    let text =
        "Text.[^1]\n\n## Notes\n\nSome words.\n\n[^1]: one\n\n## Sources\n\n[^2]: two\n\n## End\n\nWords.\n";
    let found = extract(&part("a", "", text));
    assert_eq!(found.markdown, "Text.[^1]\n\n## Notes\n\nSome words.\n\n## End\n\nWords.\n");
}

#[test]
fn places_tags_and_placeholders_are_tested() {
    let rubric: NoteRubric = serde_json::from_value(json!({
        "pincites": ["\\bp\\. \\d+", "\\bat \\d+"], "tags": ["\\[VERIFIED\\]"], "placeholders": ["\\[TBD\\]"],
        "exempt": ["^Id\\."],
    }))
    .unwrap();
    let text = "A.[^1]B.[^2]C.[^3]D.[^4]\n\n[^1]: Smith, p. 3 [VERIFIED]\n[^2]: Doe [VERIFIED]\n[^3]: Roe, at 5\n[^4]: Id. [TBD]\n";
    let found = renumber(&[part("a", "", text)], &rubric);
    let faults = tests(&found.rows, &rubric);
    let said: Vec<(&str, Rule)> = faults.iter().map(|fault| (fault.place.at.as_str(), fault.rule)).collect();
    assert_eq!(
        said,
        [("a[^2]", Rule::PinciteMissing), ("a[^3]", Rule::TagMissing), ("a[^4]", Rule::Placeholder)]
    );
}

#[test]
fn the_slice_of_footnotes_does_not_change_with_the_text() {
    let changed = [part("IV-A", "IV.A", &crate::rig::FIRST.replace("transfer", "sale")), parts()[1].clone()];
    assert_ne!(changed[0].markdown, parts()[0].markdown);
    assert_eq!(slice(&changed), slice(&parts()));
}

/// Texts of pieces that footnotes are made of, in any order.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("[^1]"),
        Just("[^2]"),
        Just("[^a]"),
        Just("[^?1]"),
        Just("\n[^1]: one"),
        Just("\n[^2]: see [^1]"),
        Just("\n[^a]: α"),
        Just("\n[^3]:"),
        Just("\n"),
        Just("\n\n"),
        Just("    "),
        Just("word "),
        Just("\n## Notes\n"),
        Just("\n---\n"),
        Just("`[^1]`"),
        Just("\n```\n"),
        Just("é "),
        Just("\r\n"),
        Just("note 1 "),
        Just("[^"),
        Just("]"),
        Just(": "),
        Just("~~~"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn numbering_twice_changes_nothing(texts in proptest::collection::vec(markdown(), 1..4)) {
        let rubric: NoteRubric =
            serde_json::from_value(json!({ "note_references": ["note (?<label>\\d+)"] })).unwrap();
        let parts: Vec<Part> =
            texts.iter().zip(["a", "b", "c"]).map(|(text, id)| part(id, "", text)).collect();
        let once = renumber(&parts, &rubric);
        let twice = renumber(&once.parts, &rubric);
        prop_assert_eq!(&twice.parts, &once.parts);
        let numbers: Vec<u32> = once.rows.iter().map(|row| row.number).collect();
        let expected: Vec<u32> = (1..).take(numbers.len()).collect();
        prop_assert_eq!(numbers, expected);
        let again: Vec<&str> = twice.rows.iter().map(|row| row.text.as_str()).collect();
        let texts: Vec<&str> = once.rows.iter().map(|row| row.text.as_str()).collect();
        prop_assert_eq!(again, texts);
    }
}
