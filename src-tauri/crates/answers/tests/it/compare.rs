//! Two documents beside each other.

use answers::{Document, DocumentInput, MatchKind, build, compare, to_markdown};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn record(n: usize, claim: &str, verdict: &str, paragraph: &str) -> Value {
    let proof = if verdict == "verified" { "quoted" } else { "none" };
    json!({
        "n": n, "sentence": claim, "claim": claim, "verdict": verdict, "proof": proof, "method": "lookup", "reason": "r",
        "citations": [{
            "source_ref": format!("Manual {paragraph}"), "base": "b", "generation": "1", "paragraph_id": paragraph,
            "quote": "", "verdict": "unverified", "method": "lookup", "reason": "r",
        }],
    })
}

/// A document of these statements: words, verdict, paragraph.
fn document(statements: &[(&str, &str, &str)]) -> (Document, String) {
    let synthesis: Vec<String> =
        statements.iter().map(|(text, _, of)| format!("{text} (Manual {of})")).collect();
    let records: Vec<Value> =
        (1..).zip(statements).map(|(n, (text, verdict, of))| record(n, text, verdict, of)).collect();
    let results: Vec<Value> = statements
        .iter()
        .map(|(text, _, of)| {
            json!({ "source_ref": format!("Manual {of}"), "claim": text, "quote": "", "verdict": "unverified",
                "paragraph_id": of, "text": format!("The text of {of}.") })
        })
        .collect();
    let input = DocumentInput {
        title: "How long is it kept?".into(),
        question: "How long?".into(),
        answer: json!({ "synthesis": synthesis.join("\n\n") }),
        verification: Some(json!({ "citations": { "results": results }, "answer": { "records": records } })),
        citation_forms: vec!["Manual 1.1".into()],
        ..DocumentInput::default()
    };
    let document = build(&input);
    let markdown = to_markdown(&document);
    (document, markdown)
}

fn compared(left: &[(&str, &str, &str)], right: &[(&str, &str, &str)]) -> answers::DocumentComparison {
    let (left, right) = (document(left), document(right));
    compare((&left.0, &left.1), (&right.0, &right.1))
}

const KEPT: (&str, &str, &str) = ("The working papers are kept for ten years.", "unverified", "1.1");
const SIGNED: (&str, &str, &str) = ("The partner signs the report on completion.", "unverified", "1.2");

#[test]
fn a_document_compared_with_itself_differs_in_nothing() {
    let found = compared(&[KEPT, SIGNED], &[KEPT, SIGNED]);
    assert!(found.same);
    assert!(found.statements.len() == 2 && found.statements.iter().all(answers::StatementMatch::is_same));
    assert!(found.sources.len() == 2 && found.sources.iter().all(answers::SourceMatch::is_same));
    assert!(!found.rows.is_empty() && found.rows.iter().all(answers::WordRow::is_same));
}

#[test]
fn a_changed_number_is_the_same_statement_in_other_words_with_that_word_marked() {
    let changed = ("The working papers are kept for seven years.", "unverified", "1.1");
    let found = compared(&[KEPT, SIGNED], &[SIGNED, changed]);
    let kinds: Vec<MatchKind> = found.statements.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [MatchKind::Reworded, MatchKind::Same]);
    let (left, right) = found.statements[0].words.as_ref().unwrap();
    let marked = |spans: &[answers::WordSpan]| {
        spans.iter().filter(|span| span.changed).map(|span| span.text.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((marked(left), marked(right)), (vec!["ten".to_owned()], vec!["seven".to_owned()]));
    assert_eq!(left.iter().map(|span| span.text.as_str()).collect::<String>(), KEPT.0);
}

#[test]
fn what_a_statement_cites_is_named_as_its_document_names_it() {
    let label = "guide.md, Scope ¶1";
    let verification = json!({
        "citations": {
            "results": [{ "source_ref": "Manual 1.1", "claim": KEPT.0, "quote": "", "verdict": "unverified",
                "paragraph_id": "1.1", "text": "The text of 1.1." }],
            "source_texts": [{ "id": "1.1", "ref": "Manual 1.1", "label": label, "text": "The text of 1.1.",
                "file": "guide.md" }],
        },
        "answer": { "records": [record(1, KEPT.0, KEPT.1, KEPT.2)] },
    });
    let input = DocumentInput {
        title: "How long is it kept?".into(),
        answer: json!({ "synthesis": format!("{} (Manual 1.1)", KEPT.0) }),
        verification: Some(verification),
        citation_forms: vec!["Manual 1.1".into()],
        ..DocumentInput::default()
    };
    let labelled = build(&input);
    let markdown = to_markdown(&labelled);
    let plain = document(&[KEPT]);
    let found = compare((&labelled, &markdown), (&plain.0, &plain.1));
    let [one] = found.statements.as_slice() else { panic!("{:?}", found.statements) };
    let held = |side: &Option<answers::StatementSide>| {
        side.as_ref().map(|side| (side.sources.clone(), side.names.clone()))
    };
    let of = |name: &str| Some((vec!["1.1".to_owned()], vec![name.to_owned()]));
    assert_eq!((held(&one.left), held(&one.right)), (of(label), of("Manual 1.1")));
    assert!(one.is_same(), "names say nothing of what is cited");
    let csv = answers::to_csv(&labelled);
    assert!(csv.contains("\"guide.md, Scope ¶1\",\"1.1\""), "{csv}");
}

#[test]
fn what_one_document_alone_says_and_cites_stands_on_its_side() {
    let found =
        compared(&[KEPT, SIGNED], &[KEPT, ("Nobody has to be told of the change.", "unverified", "4.7")]);
    let kinds: Vec<MatchKind> = found.statements.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [MatchKind::Same, MatchKind::RightOnly, MatchKind::LeftOnly]);
    let sources: Vec<(&str, bool, bool)> =
        found.sources.iter().map(|one| (one.id.as_str(), one.left.is_some(), one.right.is_some())).collect();
    assert_eq!(sources, [("1.1", true, true), ("1.2", true, false), ("4.7", false, true)]);
    let alone = |row: &&answers::WordRow| row.left.is_none() || row.right.is_none();
    assert!(found.rows.iter().any(|row| row.is_same()) && found.rows.iter().any(|row| alone(&row)));
}

#[test]
fn a_statement_in_another_state_is_no_more_the_same() {
    let proved = (KEPT.0, "verified", "1.1");
    let found = compared(&[KEPT], &[proved]);
    assert_eq!(found.statements[0].kind, MatchKind::Same);
    assert!(!found.statements[0].is_same());
}

#[test]
fn a_statement_that_rests_on_another_paragraph_is_no_more_the_same() {
    let found = compared(&[KEPT], &[(KEPT.0, KEPT.1, "1.2")]);
    assert!(found.statements[0].kind == MatchKind::Same && !found.statements[0].is_same());
}

#[test]
fn every_word_of_both_documents_is_shown_once_and_in_order() {
    let (left, right) = (
        document(&[KEPT, SIGNED]),
        document(&[SIGNED, ("Else nothing at all is said.", "unverified", "2.2")]),
    );
    let found = compare((&left.0, &left.1), (&right.0, &right.1));
    let words = |markdown: &str| markdown.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let shown = |side: fn(&answers::WordRow) -> &Option<Vec<answers::WordSpan>>| {
        let spans = found.rows.iter().filter_map(|row| side(row).as_ref());
        words(
            &spans
                .map(|spans| spans.iter().map(|span| span.text.as_str()).collect::<String>())
                .collect::<Vec<_>>()
                .join("\n"),
        )
    };
    // Links into the document stand as their words.
    let plain = |markdown: &str| {
        let mut text = markdown.to_owned();
        for n in 1..9 {
            for target in [format!("](#statement-{n})"), format!("](#cite-{n})")] {
                text = text.replace(&target, "");
            }
        }
        words(&text.replace('[', ""))
    };
    assert_eq!(shown(|row| &row.left).join(" ").replace('[', ""), plain(&left.1).join(" "));
    assert_eq!(shown(|row| &row.right).join(" ").replace('[', ""), plain(&right.1).join(" "));
}

#[test]
fn a_document_without_records_is_compared_by_its_sentences() {
    let plain = |text: &str| {
        let input = DocumentInput { answer: json!({ "synthesis": text }), ..DocumentInput::default() };
        let document = build(&input);
        let markdown = to_markdown(&document);
        (document, markdown)
    };
    let left = plain("The papers are kept for ten years. The partner signs the report.");
    let right = plain("The papers are kept for nine years. The partner signs the report.");
    let found = compare((&left.0, &left.1), (&right.0, &right.1));
    let kinds: Vec<MatchKind> = found.statements.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [MatchKind::Reworded, MatchKind::Same]);
}
