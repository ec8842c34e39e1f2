//! Keys of sentences, from an answer to its document: whatever the ids of a corpus look like.

use answers::{DocumentInput, Keyed, ListedCitation, build, cited_sentences, resolve_keys, to_markdown};
use domain::{KeyForm, Verdict};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// Ids with everything that people put into them, each with ids that begin as it does.
fn ids() -> Vec<String> {
    let heads = [
        "AC-2",
        "SA-9(5)",
        "Art. 5(1)(a)",
        "2 CFR 200.516(a)(7)",
        "§ 4",
        "#12",
        "[A]",
        "x/y/z.md",
        "a, b",
        "k; l",
        "Über 3",
        "条 7",
        "A*b*",
        "_under_",
        "a|b",
        "`c`",
        "<tag>",
        "a & b",
        "R&amp;D",
        "(open",
        "close)",
        "a (b) c",
        "doc:sec/p3",
        "V6.2.1",
        "it's 4",
        "\"q\"",
        "a\\b",
        "İ 9",
        "W1",
        "1",
        "1.1",
        "see 4",
        "x  y",
    ];
    let tails = ["", "(1)", ".1", "-2", "#M", "/p1", " ¶2", "a"];
    let all: std::collections::BTreeSet<String> =
        heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect();
    all.into_iter().collect()
}

fn keyed() -> Vec<Keyed> {
    ids()
        .into_iter()
        .enumerate()
        .map(|(at, id)| Keyed {
            source_ref: id.clone(),
            sentences: vec![
                format!("The first rule of number {at} says this."),
                format!("The second rule of number {at} says more."),
            ],
            id,
        })
        .collect()
}

#[test]
fn every_key_comes_out_as_the_right_reference_whatever_the_ids_are_made_of() {
    let paragraphs = keyed();
    // Alone, and with the one behind it: prefixes of each other stand in one group.
    for together in [1, 2] {
        let lines: Vec<String> = (1..=paragraphs.len())
            .map(|n| {
                let next = n % paragraphs.len() + 1;
                let group = if together == 1 { format!("[@{n}.2]") } else { format!("[@{n}.2; @{next}.1]") };
                format!("Number {n} of the rules says something of its own {group}.")
            })
            .collect();
        let answer = resolve_keys(&json!({ "synthesis": lines.join("\n\n") }), &paragraphs, KeyForm::Marked);
        assert_eq!(answer.unknown, Vec::<String>::new());
        let citations = answer.answer["citations"].as_array().unwrap().clone();
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        let listed: Vec<ListedCitation> = citations
            .iter()
            .map(|one| ListedCitation {
                source_ref: text(one, "source_ref"),
                claim: text(one, "claim"),
                quote: text(one, "quote"),
                paragraph_id: Some(text(one, "paragraph_id")),
            })
            .collect();
        // As they are checked.
        let sentences = cited_sentences(answer.answer["synthesis"].as_str().unwrap(), &listed, &[]);
        assert_eq!(sentences.len(), paragraphs.len());
        for (at, sentence) in sentences.iter().enumerate() {
            let found: Vec<(Option<&str>, &str)> = sentence
                .citations
                .iter()
                .map(|one| (one.paragraph_id.as_deref(), one.quote.as_str()))
                .collect();
            let own = (Some(paragraphs[at].id.as_str()), paragraphs[at].sentences[1].as_str());
            let next = &paragraphs[(at + 1) % paragraphs.len()];
            let mut wanted = vec![own];
            if together == 2 {
                wanted.push((Some(&next.id), &next.sentences[0]));
            }
            assert_eq!(found, wanted, "{:?}", paragraphs[at].id);
            assert_eq!(sentence.claim, format!("Number {} of the rules says something of its own.", at + 1));
        }
        // As the document shows them.
        let results: Vec<Value> = citations
            .iter()
            .map(|one| {
                let id = text(one, "paragraph_id");
                let quote = text(one, "quote");
                json!({ "source_ref": id, "quote": quote, "verdict": "verified", "reason": "", "paragraph_id": id,
                        "text": quote, "start": 0, "end": quote.len() })
            })
            .collect();
        let document = build(&DocumentInput {
            answer: answer.answer,
            verification: Some(json!({ "citations": { "results": results } })),
            ..DocumentInput::default()
        });
        assert_eq!(document.citations.len(), paragraphs.len());
        for citation in &document.citations {
            assert!(citation.checked && citation.verdict == Verdict::Verified, "{:?}", citation.source_ref);
        }
        let markdown = to_markdown(&document);
        assert!(!markdown.contains("not checked") && !markdown.contains("names no paragraph"));
    }
}
