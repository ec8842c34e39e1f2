//! Unicode, empty and huge inputs.

use std::time::{Duration, Instant};

use manuscript::checks::run;
use manuscript::facts::MAX_STATEMENTS;
use manuscript::findings::MAX_FINDINGS;
use manuscript::footnotes::{NoteRubric, renumber};
use manuscript::numbers::MAX_ROWS;
use manuscript::parts::MAX_PARTS;
use manuscript::{CheckName, ExitCode, Part};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::rig::{clean, part, set};

/// After how long a check counts as hanging: many times what a busy machine needs.
const MAX_SECONDS: u64 = 120;

const WITH_PARTS: [CheckName; 9] = [
    CheckName::PreQaValidate,
    CheckName::ApplyHeadings,
    CheckName::AnalyzeXrefs,
    CheckName::DetectCounterAnalysis,
    CheckName::ExtractCitations,
    CheckName::CheckNumbers,
    CheckName::Integrity,
    CheckName::RenumberFootnotes,
    CheckName::Assemble,
];

fn huge() -> Vec<Part> {
    let paragraph =
        "The customer pays 3% of a recurring revenue of $41.2 million under Section IV.B, which holds. ";
    (0..400)
        .map(|at| {
            let notes = if at % 2 == 0 {
                "[^1] [^2]\n\n[^1]: Smith v. Jones, 10 F.3d 20, at 25 [VERIFIED]\n[^2]: Doe\n"
            } else {
                "[^x]\n\n[^x]: Roe\n"
            };
            let body = format!("{paragraph}\n\n").repeat(15);
            part(&format!("P-{at}"), &format!("{at}.0"), &format!("## Part {at}\n\n{body}End.{notes}"))
        })
        .collect()
}

#[test]
fn four_hundred_parts_with_six_hundred_footnotes_take_no_time() {
    let parts = huge();
    let began = Instant::now();
    let found = renumber(&parts, &NoteRubric::default());
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(found.rows.len(), 600);
    assert_eq!(found.rows[599].number, 600);
    assert_eq!(renumber(&found.parts, &NoteRubric::default()).parts, found.parts);
}

#[test]
fn every_check_of_a_huge_document_ends_soon() {
    let parts = json!(huge());
    for check in WITH_PARTS {
        let input = set(clean(check), "/parts", parts.clone());
        let began = Instant::now();
        let report = run(check, &input);
        assert_ne!(report.exit_code, ExitCode::Error, "{check}: {:?}", report.blocking);
        assert!(began.elapsed() < Duration::from_secs(MAX_SECONDS), "{check}: {:?}", began.elapsed());
    }
}

#[test]
fn registers_at_their_limits_end_soon() {
    let parts = json!(huge());
    let numbers: Vec<Value> = (0..MAX_ROWS)
        .map(|at| json!({ "id": at.to_string(), "keys": ["recurring revenue", format!("customer {at}")], "value": at, "unit": "USD" }))
        .collect();
    let findings: Vec<Value> = (0..MAX_FINDINGS)
        .map(|at| json!({ "id": format!("customer {at}"), "part": "P-1", "severity": "LOW" }))
        .collect();
    let provisions: Vec<Value> = (0..MAX_FINDINGS)
        .map(|at| json!({ "id": at.to_string(), "kind": "k", "text": format!("The customer settles customer {at}.") }))
        .collect();
    let statements: Vec<Value> = (0..MAX_STATEMENTS)
        .map(
            |at| json!({ "category": "c", "fact": "f", "value": format!("${at}"), "source": at.to_string() }),
        )
        .collect();
    let inputs = [
        (CheckName::CheckNumbers, json!({ "parts": parts, "numbers": numbers })),
        (CheckName::AnalyzeXrefs, json!({ "parts": parts, "findings": findings, "rubric": {} })),
        (CheckName::ValidateProvisions, json!({ "findings": findings, "provisions": provisions })),
        (CheckName::ExtractFactRegistry, json!({ "statements": statements })),
        (
            CheckName::ExtractCitations,
            json!({
                "parts": [{ "id": "a", "footnotes": [{ "label": "1", "text": "Smith v. Jones, 1 F.3d 2; ".repeat(20_000) }] }],
                "rubric": clean(CheckName::ExtractCitations)["rubric"],
            }),
        ),
    ];
    for (check, input) in inputs {
        let began = Instant::now();
        let report = run(check, &input);
        assert_ne!(report.exit_code, ExitCode::Error, "{check}: {:?}", report.blocking);
        assert!(began.elapsed() < Duration::from_secs(MAX_SECONDS), "{check}: {:?}", began.elapsed());
    }
}

#[test]
fn a_difference_of_two_long_texts_ends_soon() {
    let words =
        |step: usize| (0..40_000).map(|at| (at * step % 977).to_string()).collect::<Vec<_>>().join(" ");
    let (old, new) = (part("a", "", &words(3)), part("a", "", &words(5)));
    let began = Instant::now();
    let rows = manuscript::diff::diff(&[old], &[new]);
    assert!(rows[0].added > 0 && rows[0].added == rows[0].removed);
    assert!(began.elapsed() < Duration::from_secs(MAX_SECONDS), "{:?}", began.elapsed());
}

#[test]
fn too_many_parts_are_refused() {
    let parts: Vec<Part> = (0..=MAX_PARTS).map(|at| part(&at.to_string(), "", "")).collect();
    let report = run(CheckName::Integrity, &set(clean(CheckName::Integrity), "/parts", json!(parts)));
    assert_eq!(report.exit_code, ExitCode::Error);
    assert_eq!(report.blocking[0].place.at, "parts");
}

#[test]
fn empty_texts_are_findings_and_not_errors() {
    for check in
        [CheckName::PreQaValidate, CheckName::Integrity, CheckName::Assemble, CheckName::ExtractCitations]
    {
        let input = set(clean(check), "/parts", json!([{ "id": "IV-A" }]));
        assert_eq!(run(check, &input).exit_code, ExitCode::Findings, "{check}");
    }
    let none = json!({ "exposures": [] });
    let report = run(CheckName::AggregateRiskTables, &none);
    assert_eq!((report.exit_code, &report.output["gross_total"]), (ExitCode::Pass, &json!(0)));
}

#[test]
fn text_of_every_script_is_read() {
    let text = "## Überblick — 概要\n\nDie Käuferin zahlt 3 % von €41,2 Mio.[^ß] 这是一个句子。[^注]\n\n[^ß]: Größe\n[^注]: 注释 🎉\n";
    let found = renumber(&[part("Ä-1", "Ä.1", text)], &NoteRubric::default());
    assert_eq!(found.faults, []);
    let texts: Vec<&str> = found.rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, ["Größe", "注释 🎉"]);
    let long = "ü".repeat(500);
    let report = run(
        CheckName::Integrity,
        &json!({ "parts": [{ "id": "a", "markdown": format!("[{long}]") }], "rubric": { "placeholders": ["\\[ü+\\]"] } }),
    );
    let quoted = &report.blocking[0].found;
    assert!(quoted.ends_with('…') && quoted.chars().count() == 121, "{quoted}");
}

/// Texts of pieces that the checks look at, in any order.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("## ".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("**".to_owned()),
        Just("| a | $5m |\n|---|---|\n".to_owned()),
        Just("|".to_owned()),
        Just("```".to_owned()),
        Just("`".to_owned()),
        Just("[^1]".to_owned()),
        Just("[^1]: Smith v. Jones, 1 F.3d 2, at 3; ".to_owned()),
        Just("Section IV.B. ".to_owned()),
        Just("$41.2 million recurring revenue ".to_owned()),
        Just("employees 1,247. ".to_owned()),
        Just("\r\n".to_owned()),
        Just("İstanbul ẞ 5% ".to_owned()),
        "\\PC{0,12}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn no_text_breaks_a_check(first in markdown(), second in markdown()) {
        let parts: Value = json!([
            { "id": "IV-A", "number": "IV.A", "markdown": first },
            { "id": "IV-B", "number": "IV.B", "title": "B", "markdown": second },
        ]);
        for check in WITH_PARTS {
            let input = set(clean(check), "/parts", parts.clone());
            let report = run(check, &input);
            prop_assert_ne!(report.exit_code, ExitCode::Error);
            prop_assert_eq!(run(check, &input), report);
        }
    }
}
