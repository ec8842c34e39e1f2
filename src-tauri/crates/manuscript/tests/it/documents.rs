//! Integrity, headings, tables of contents, assembly, differences.

use manuscript::assemble::{AssemblyRubric, TitlePage, assemble};
use manuscript::diff::{PartChange, PartDiff, changes, diff};
use manuscript::headings::{HeadingRubric, apply, census, insertions};
use manuscript::integrity::{IntegrityRubric, check};
use manuscript::parts::{PartsError, counts, validate};
use manuscript::pattern::{Pattern, PatternError};
use manuscript::{Note, Part, Rubric, Rule, toc, words};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::rig::{part, parts, rubric};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn rules(text: &str, rubric: &IntegrityRubric) -> Vec<(Rule, Option<u32>)> {
    check("a", text, rubric).into_iter().map(|fault| (fault.rule, fault.place.line)).collect()
}

#[test]
fn words_hold_a_letter_or_a_digit() {
    assert_eq!(words("## A heading — with 3 words | and | more"), 7);
    assert_eq!(words("***"), 0);
    let noted = Part {
        footnotes: vec![Note { label: "1".into(), text: "two words".into() }],
        ..part("a", "", "one")
    };
    let count = &counts(&[noted])[0];
    assert_eq!((count.text, count.footnotes), (1, 2));
}

#[test]
fn the_minimum_is_reached_at_its_very_number() {
    let rubric = IntegrityRubric { min_words: Some(3), max_words: Some(4), ..IntegrityRubric::default() };
    assert_eq!(rules("one two", &rubric), [(Rule::TooShort, None)]);
    assert_eq!(rules("one two three", &rubric), []);
    assert_eq!(rules("one two three four five", &rubric), [(Rule::TooLong, None)]);
    assert_eq!(rules(" \n ", &rubric), [(Rule::Empty, None)]);
}

#[test]
fn marks_of_truncation_count_at_the_end_only() {
    let rubric: IntegrityRubric =
        read(json!({ "truncation_marks": ["^\\.\\.\\.$", "^…$", "^\\[continue", "\\[TBD\\]"] }));
    for end in ["...", "…", "[continued in the next answer]", "see [TBD]"] {
        assert_eq!(rules(&format!("Words.\n\n{end}\n\n"), &rubric), [(Rule::Truncated, Some(3))], "{end}");
    }
    assert_eq!(rules("...\nOne.\nTwo.\nThree.\n", &rubric), []);
    assert_eq!(rules("An end... of a sentence.", &rubric), []);
}

#[test]
fn any_of_the_footers_is_enough_and_its_place_can_be_required() {
    let mut rubric: IntegrityRubric = read(json!({ "footers": ["^---$", "^## Footnotes"] }));
    for text in ["Words.\n\n---\n", "Words.\n\n## Footnotes\n\n[^1]: one\n"] {
        assert_eq!(rules(text, &rubric), [], "{text}");
    }
    assert_eq!(rules("Words.\n\nMore.", &rubric), [(Rule::FooterMissing, Some(3))]);
    rubric.footer_lines = Some(1);
    assert_eq!(rules("Words.\n\n---\n\nMore.\n", &rubric), [(Rule::FooterMissing, Some(5))]);
}

#[test]
fn headings_and_fences_have_to_be_complete() {
    let rubric: IntegrityRubric = read(json!({ "footers": ["^---$"], "headings": ["(?i)^scope"] }));
    assert_eq!(rules("## Scope\n\nWords.\n\n---\n", &rubric), []);
    assert_eq!(
        rules("## Scope\n\nWords.\n\n## Results\n\n---\n", &rubric),
        [(Rule::HeadingIncomplete, Some(5))]
    );
    assert_eq!(rules("## Scope\n\n##\n\nWords.\n\n---\n", &rubric), [(Rule::HeadingEmpty, Some(3))]);
    assert_eq!(rules("## Aim\n\nWords.\n\n---\n", &rubric), [(Rule::HeadingMissing, None)]);
    assert_eq!(rules("## Scope\n\n---\n\n```\n# no heading\n", &rubric), [(Rule::FenceOpen, Some(5)),]);
}

#[test]
fn placeholders_are_found_outside_code() {
    let rubric: IntegrityRubric = read(json!({ "placeholders": ["\\[TBD\\]", "\\[T"] }));
    let text = "Words [TBD] and [TBD].\n\n```\n[TBD]\n```\n";
    assert_eq!(rules(text, &rubric), [(Rule::Placeholder, Some(1)), (Rule::Placeholder, Some(1))]);
}

fn heading_rubric() -> HeadingRubric {
    read(rubric()["headings"].clone())
}

#[test]
fn a_missing_heading_is_inserted_before_its_paragraph() {
    let text = "### Conclusion\n\nThe claim holds.\n\nA transfer needs consent.\nIn writing.\n\nHowever, it may not.\n";
    let parts = [part("a", "", text)];
    let map = insertions(&parts, &heading_rubric());
    let places: Vec<(&str, Option<u32>)> =
        map.iter().map(|insertion| (insertion.kind.as_str(), insertion.before_line)).collect();
    assert_eq!(places, [("rule", Some(5)), ("counter_analysis", Some(8))]);
    let changed = apply(&parts, &map);
    assert_eq!(
        changed[0].markdown,
        "### Conclusion\n\nThe claim holds.\n\n### Rule\n\nA transfer needs consent.\nIn writing.\n\n### Counter-Analysis\n\nHowever, it may not.\n"
    );
    assert_eq!(census(&changed, &heading_rubric()).complete, ["a"]);
    assert_eq!(insertions(&changed, &heading_rubric()), []);
}

#[test]
fn the_paragraph_of_a_typed_heading_gets_no_second_one() {
    let text = "### Rule\n\nIt holds, and it needs consent.\nHowever, not always.\n";
    let map = insertions(&[part("a", "", text)], &heading_rubric());
    assert!(map.iter().all(|insertion| insertion.before_line.is_none()), "{map:?}");
}

#[test]
fn a_paragraph_gets_one_heading() {
    let text = "### Conclusion\n\nThe claim holds.\n\nIt needs consent, however.\n";
    let map = insertions(&[part("a", "", text)], &heading_rubric());
    let places: Vec<Option<u32>> = map.iter().map(|insertion| insertion.before_line).collect();
    assert_eq!(places, [Some(5), None]);
}

#[test]
fn bold_lines_are_headings_and_code_is_none() {
    let text = "**Conclusion**\n\nWords.\n\n```\n### Rule\n```\n\n**Rule** of thumb.\n";
    let found = census(&[part("a", "", text)], &heading_rubric());
    assert_eq!(found.by_type["conclusion"], 1);
    assert_eq!(found.incomplete["a"], ["rule", "counter_analysis"]);
}

#[test]
fn a_table_of_contents_has_unique_anchors() {
    let text = "# One [^1] *two*\n\n## A & B\n\n## A & B\n\n## A & B\n\n### Deep\n";
    let entries = toc::entries(&[part("a", "", text), part("b", "", "## A & B-1\n")], 2);
    let anchors: Vec<&str> = entries.iter().map(|entry| entry.anchor.as_str()).collect();
    assert_eq!(anchors, ["one-two", "a--b", "a--b-1", "a--b-2", "a--b-1-1"]);
    assert_eq!(toc::markdown(&entries[..2]), "- [One two](#one-two)\n  - [A & B](#a--b)\n");
}

#[test]
fn a_document_is_assembled_in_its_order() {
    let title = TitlePage { title: "Report".into(), lines: vec!["For the board".into()] };
    let frame: AssemblyRubric =
        read(json!({ "toc_title": "Contents", "notes_title": "Footnotes", "footer": "END OF DOCUMENT" }));
    let texts = [
        Part { title: "Scope".into(), ..part("I", "I", "Words.[^1]\n\n[^1]: one\n") },
        part("II", "II", "## II. Results\n\nMore.[^1]\n\n[^1]: two\n"),
    ];
    let found = assemble(&title, &texts, &frame);
    assert_eq!(
        found.markdown,
        "# Report\n\nFor the board\n\n---\n\n## Contents\n\n- [I. Scope](#i-scope)\n- [II. Results](#ii-results)\n\n\
         ## I. Scope\n\nWords.[^1]\n\n## II. Results\n\nMore.[^2]\n\n## Footnotes\n\n[^1]: one\n[^2]: two\n\nEND OF DOCUMENT\n"
    );
    assert_eq!(found.faults, []);
    assert_eq!((found.metrics.sections_count, found.metrics.footnote_count), (2, 2));
    assert_eq!(found.metrics.line_count, found.markdown.lines().count() as u64);
    assert_eq!(assemble(&title, &texts, &frame), found);
}

#[test]
fn parts_without_ids_or_with_one_name_are_refused() {
    assert_eq!(validate(&parts()), Ok(()));
    assert_eq!(validate(&[]), Err(PartsError::None));
    assert_eq!(validate(&[part(" - ", "", "")]), Err(PartsError::NoId(1)));
    let twice = [part("IV-A", "IV.A", ""), part("x", "iv a", "")];
    assert_eq!(validate(&twice), Err(PartsError::Duplicate("x".into())));
}

#[test]
fn differences_count_words_by_part() {
    let old = [part("a", "", "one two three four"), part("b", "", "same"), part("c", "", "lost words")];
    let new = [part("d", "", "new"), part("a", "", "one 2 three  four five"), part("b", "", "same\n")];
    let row = |part: &str, change, added, removed| PartDiff { part: part.into(), change, added, removed };
    assert_eq!(
        diff(&old, &new),
        [
            row("d", PartChange::Added, 1, 0),
            row("a", PartChange::Changed, 2, 1),
            row("b", PartChange::Same, 0, 0),
            row("c", PartChange::Removed, 0, 2),
        ]
    );
}

/// The longest common subsequence by the table of the definition.
fn slow(old: &[&str], new: &[&str]) -> usize {
    let mut table = vec![vec![0; new.len() + 1]; old.len() + 1];
    for (i, a) in old.iter().enumerate() {
        for (j, b) in new.iter().enumerate() {
            table[i + 1][j + 1] = if a == b { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
        }
    }
    table[old.len()][new.len()]
}

/// Words of a small vocabulary, or of one so large that most stretches of 64 words have nothing in common.
fn texts() -> impl Strategy<Value = Vec<&'static str>> {
    const WORDS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let stretch = prop_oneof![
        proptest::collection::vec(0..4_usize, 0..100),
        (0..12_usize, 0..150_usize).prop_map(|(word, count)| vec![word; count]),
    ];
    let text = proptest::collection::vec(stretch, 0..5);
    text.prop_map(|stretches| stretches.concat().into_iter().map(|word| WORDS[word]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_difference_is_the_shortest_edit(old in texts(), new in texts()) {
        let common = slow(&old, &new);
        prop_assert_eq!(changes(&old, &new), (new.len() - common, old.len() - common));
    }
}

#[test]
fn patterns_are_bounded() {
    assert_eq!(Pattern::new("").unwrap_err(), PatternError::Empty);
    assert_eq!(Pattern::new(&"a".repeat(5_000)).unwrap_err(), PatternError::TooLong(5_000));
    assert!(matches!(Pattern::new("a{1000}{1000}").unwrap_err(), PatternError::Invalid { .. }));
    assert!(matches!(Pattern::new("(?<open").unwrap_err(), PatternError::Invalid { .. }));
}

#[test]
fn a_rubric_survives_json_and_refuses_unknown_fields() {
    let whole: Rubric = read(rubric());
    let written = serde_json::to_value(&whole).unwrap();
    assert_eq!(read::<Rubric>(written), whole);
    assert!(serde_json::from_value::<Rubric>(json!({ "weights": {} })).is_err());
    assert_eq!(read::<Rubric>(json!({})), Rubric::default());
}
