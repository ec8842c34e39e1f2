//! Two hundred documents with numbers and labels in brackets, as papers, encyclopedias, law reports and forms have them: nothing of
//! theirs is read as a mark of ours, without a model and with one. `-- --nocapture` prints the count.

use std::collections::BTreeSet;

use answers::{DocumentInput, Keyed, ListedCitation, build, cited_sentences, resolve_keys, to_markdown};
use citations::{Cited, Sentence, check_answer};
use context::{Body, ContextParagraph, Section, assemble};
use domain::{KeyForm, SentenceRecord, SentenceVerdict};
use knowledge::Base;
use llm::{Message, ModelRequest};
use offline_engine::OfflineEngine;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::world::World;

const DOCUMENTS: usize = 208;

/// A document: its subject, the sentence that is asked for, what it must not lose, and its whole text.
struct Sample {
    subject: String,
    sentence: String,
    marks: Vec<String>,
    text: String,
}

fn sample(at: usize, dice: &mut Dice) -> Sample {
    let syllables = ["kel", "mor", "tan", "vik", "sol", "bre", "dun", "far", "gil", "hob", "lus", "nep"];
    let subject: String = (0..4).map(|_| syllables[dice.below(syllables.len())]).collect();
    let (a, b, c) = (1 + dice.below(30), 1 + dice.below(9), 40 + dice.below(50));
    let year = 1950 + dice.below(70);
    let (sentence, marks): (String, Vec<String>) = match at % 13 {
        0 => (
            format!("Earlier work [{a}] found that the {subject} halves the outage time."),
            vec![format!("[{a}]")],
        ),
        1 => (format!("The greatest depth of the {subject} is {c} metres.[{b}]"), vec![format!(".[{b}]")]),
        2 => (
            format!("The court held in {subject} v Beta [{year}] UKSC {b} that seven days are too short."),
            vec![format!("[{year}]")],
        ),
        3 => (
            format!("The score of the {subject} lies in the interval [0, {a}] for every answer."),
            vec![format!("[0, {a}]")],
        ),
        4 => (format!("The {subject} customer pays [{a}] days after receipt."), vec![format!("[{a}]")]),
        5 => (format!("Part [P{b}] of the {subject} rules binds every member."), vec![format!("[P{b}]")]),
        6 => (format!("The {subject} page [W{b}] names two towns."), vec![format!("[W{b}]")]),
        7 => (
            format!("The {subject} list has items (1), (2) and [{b}.{a}] of its annex."),
            vec!["(1), (2)".to_owned(), format!("[{b}.{a}]")],
        ),
        8 => (format!("Two teams [{a}][{b}] measured the {subject} twice."), vec![format!("[{a}][{b}]")]),
        9 => (format!("The {subject} rate is [{b}.5] percent of the price."), vec![format!("[{b}.5]")]),
        10 => (
            format!("Every {subject} record [{b}-{a}; {c}] stands in the table."),
            vec![format!("[{b}-{a}; {c}]")],
        ),
        11 => (
            format!("The {subject} form says [unverified] beside each name (Art. {b})."),
            vec!["[unverified]".to_owned(), format!("(Art. {b})")],
        ),
        _ => (format!("The {subject} guide writes [@{b}.1] behind every word."), vec![format!("[@{b}.1]")]),
    };
    let text = format!("Nobody wrote a preface of any kind. {sentence} Another matter closes the page.");
    Sample { subject, sentence, marks, text }
}

fn records(base: &Base, synthesis: &str, citations: &Value) -> Vec<SentenceRecord> {
    let field = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let listed: Vec<ListedCitation> = citations
        .as_array()
        .unwrap()
        .iter()
        .map(|one| ListedCitation {
            source_ref: field(one, "source_ref"),
            claim: field(one, "claim"),
            quote: field(one, "quote"),
            paragraph_id: one["paragraph_id"].as_str().map(str::to_owned),
        })
        .collect();
    let sentences: Vec<Sentence> = cited_sentences(synthesis, &listed, &["Primer 1".to_owned()])
        .into_iter()
        .map(|one| Sentence {
            text: one.text,
            claim: one.claim,
            elsewhere: one.labelled,
            citations: one
                .citations
                .into_iter()
                .map(|one| Cited {
                    source_ref: one.source_ref,
                    quote: one.quote,
                    paragraph_id: one.paragraph_id,
                })
                .collect(),
        })
        .collect();
    check_answer(&[base], &sentences, &[]).unwrap().records
}

/// The answer of the offline engine to a question about the subject, from the paragraph and two beside it.
fn offline(sample: &Sample, paragraph: &ContextParagraph) -> Value {
    let path = "../../../agents/standards-research/schemas/synthesis.schema.json";
    let schema = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let beside = |id: &str, text: &str| ContextParagraph {
        id: id.into(),
        reference: format!("(Primer {id})"),
        score: 0.1,
        heading: "Other".into(),
        text: text.into(),
        ..ContextParagraph::default()
    };
    let paragraphs = vec![
        paragraph.clone(),
        beside("x.1", "Lamps are cleaned on Mondays by the warden."),
        beside("x.2", "Boats are painted white in spring."),
    ];
    let question = format!("What is said of the {}?", sample.subject);
    let sections = [
        Section::new("REQUEST", Body::Text(question)),
        Section::new("SETTINGS", Body::Json(json!({ "depth": "standard" }))),
        Section::new("CORPUS_CONTEXT", Body::Sentences(paragraphs, KeyForm::Marked)),
    ];
    OfflineEngine::answer(&ModelRequest {
        model: "offline-1".into(),
        system: "Read the <REQUEST> section.".into(),
        messages: vec![Message::user(assemble(&sections, 1_000_000).unwrap().text)],
        schema: Some(serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap()),
        max_output_tokens: 64_000,
        ..ModelRequest::default()
    })
}

/// What a model writes of the sentence with its key: quoted, as its own, behind other words, and in a table.
fn written(sentence: &str, key: &str) -> [(String, &'static [SentenceVerdict]); 4] {
    const QUOTED: &[SentenceVerdict] = &[SentenceVerdict::Verified];
    const OPEN: &[SentenceVerdict] = &[SentenceVerdict::Unverified, SentenceVerdict::Verified];
    let bare = sentence.trim_end_matches('.');
    [
        (format!("\u{201c}{sentence}\u{201d} {key}"), QUOTED),
        (format!("{bare} {key}."), QUOTED),
        (format!("In short it is so that {bare} {key}."), OPEN),
        (format!("| what | words |\n|---|---|\n| it | {bare} {key} |"), OPEN),
    ]
}

#[test]
fn nothing_that_a_document_has_in_brackets_is_read_as_ours() {
    let mut dice = Dice(42);
    let samples: Vec<Sample> = (0..DOCUMENTS).map(|at| sample(at, &mut dice)).collect();
    let lines = samples.iter().enumerate().map(|(at, one)| {
        json!({ "id": format!("{}.1", at + 1), "doc": "Primer", "title": "Words", "text": one.text })
            .to_string()
    });
    let world = World::with(&[("primer.jsonl", &lines.collect::<Vec<_>>().join("\n"))]);
    let base = world.base();
    let mut faults = Vec::new();
    let mut tried = 0;
    for (at, one) in samples.iter().enumerate() {
        let paragraph = ContextParagraph {
            id: format!("{}.1", at + 1),
            reference: format!("(Primer {}.1)", at + 1),
            score: 0.9,
            heading: "Words".into(),
            text: one.text.clone(),
            ..ContextParagraph::default()
        };
        let mut tell = |way: &str, fault: String| faults.push(format!("{way}, {:?}: {fault}", one.sentence));
        // Without a model.
        let answer = offline(one, &paragraph);
        tried += 1;
        let found = records(&base, answer["synthesis"].as_str().unwrap(), &answer["citations"]);
        let quoted = |record: &&SentenceRecord| record.claim.contains(&one.sentence);
        match found.iter().find(quoted) {
            None => tell("offline", format!("not quoted: {}", answer["synthesis"])),
            Some(record) if record.verdict != SentenceVerdict::Verified => {
                tell("offline", format!("{record:?}"))
            }
            Some(_) => {}
        }
        // With a model.
        let paragraphs = [paragraph];
        let given = &context::keyed(&paragraphs, KeyForm::Marked)[0];
        let keyed = [Keyed {
            id: paragraphs[0].id.clone(),
            source_ref: format!("Primer {}.1", at + 1),
            sentences: (1..=given.sentences.len())
                .filter_map(|n| given.sentence(n).map(str::to_owned))
                .collect(),
        }];
        let number = keyed[0].sentences.iter().position(|words| *words == one.sentence);
        let Some(number) = number else {
            tell("keys", format!("{:?}", keyed[0].sentences));
            continue;
        };
        let key = KeyForm::Marked.key(1, number + 1);
        for (text, verdicts) in written(&one.sentence, &key) {
            tried += 1;
            let resolved = resolve_keys(&json!({ "synthesis": text }), &keyed, KeyForm::Marked);
            let shown = resolved.answer["synthesis"].as_str().unwrap().to_owned();
            let expected = text.replace(&format!(" {key}"), &format!(" (Primer {}.1)", at + 1));
            if shown != expected || !resolved.unknown.is_empty() {
                tell(
                    "resolved",
                    format!("{shown:?} instead of {expected:?}; unknown {:?}", resolved.unknown),
                );
            }
            let found = records(&base, &shown, &resolved.answer["citations"]);
            let record = found.last();
            let whole = |record: &SentenceRecord| one.marks.iter().all(|mark| record.claim.contains(mark));
            if !record.is_some_and(|record| whole(record) && verdicts.contains(&record.verdict)) {
                tell("checked", format!("{text:?}: {found:?}"));
            }
            let document = build(&DocumentInput {
                answer: resolved.answer.clone(),
                verification: Some(json!({ "answer": { "records": found }, "citations": { "results": [] } })),
                ..DocumentInput::default()
            });
            let markdown = to_markdown(&document).replace('\\', "");
            if !one.marks.iter().all(|mark| markdown.contains(mark)) || document.citations.len() != 1 {
                tell("document", markdown);
            }
        }
    }
    println!("{tried} answers to {DOCUMENTS} documents, {} faults", faults.len());
    let kinds: BTreeSet<&String> = faults.iter().take(12).collect();
    assert_eq!(faults.len(), 0, "{kinds:#?}");
}

#[test]
fn another_number_in_the_brackets_and_one_that_is_lost_from_a_quotation_are_refused() {
    let text = "The customer pays [30] days after receipt. Another matter closes the page.";
    let world =
        World::with(&[("primer.jsonl", &json!({ "id": "1.1", "doc": "Primer", "text": text }).to_string())]);
    let base = world.base();
    let keyed = [Keyed {
        id: "1.1".into(),
        source_ref: "Primer 1.1".into(),
        sentences: vec![
            "The customer pays [30] days after receipt.".into(),
            "Another matter closes the page.".into(),
        ],
    }];
    for (written, verdict) in [
        ("The customer pays [30] days after receipt [@1.1].", SentenceVerdict::Verified),
        ("The customer pays [31] days after receipt [@1.1].", SentenceVerdict::Mismatch),
        ("The customer pays [30] days after receipt [@1.1; @4.7].", SentenceVerdict::Missing),
        ("The customer pays [30] days after receipt [@2.1].", SentenceVerdict::Missing),
    ] {
        let resolved = resolve_keys(&json!({ "synthesis": written }), &keyed, KeyForm::Marked);
        let shown = resolved.answer["synthesis"].as_str().unwrap();
        let found = records(&base, shown, &resolved.answer["citations"]);
        assert_eq!(found[0].verdict, verdict, "{written}: {found:?}");
    }
    let lost = resolve_keys(
        &json!({ "synthesis": "\u{201c}The customer pays days after receipt\u{201d} [@1.1]." }),
        &keyed,
        KeyForm::Marked,
    );
    let found = records(&base, lost.answer["synthesis"].as_str().unwrap(), &lost.answer["citations"]);
    assert_ne!(found[0].verdict, SentenceVerdict::Verified, "{found:?}");
}
