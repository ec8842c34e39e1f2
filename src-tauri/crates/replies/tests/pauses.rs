//! What words mean at the pauses of the agents that ship with the program: `sentences.tsv`, one a line.

#![allow(clippy::unwrap_used)]

use domain::agent::{AgentConfig, Choice, OutsideAct};
use replies::{Meaning, Offered, is_agreement, is_refusal, meaning, subject};

fn choices(agent: &str, stage: usize) -> Vec<Choice> {
    let config: AgentConfig = serde_json::from_str(agent).unwrap();
    let pauses = config.control_flow.stages.into_iter().filter_map(|stage| stage.pause);
    pauses.filter(|pause| !pause.choices.is_empty()).nth(stage).unwrap().choices
}

/// The choices of a pause as it offers them, and why one of them is not to be had.
fn pause(name: &str) -> (Vec<Choice>, Option<&'static str>) {
    let isa = include_str!("../../../../agents/isa-deep-research/config.json");
    let mut first = choices(isa, 0);
    first.retain(|choice| choice.when.as_deref() != Some("not depth.enableWebSearch"));
    match name {
        "isa" => (first, None),
        "isa-off" => {
            first.swap(0, 1);
            (first, Some("search"))
        }
        "isa-2" => (choices(isa, 1), None),
        "standards" => (choices(include_str!("../../../../agents/standards-research/config.json"), 0), None),
        "code" => (choices(include_str!("../../../../agents/code-task/config.json"), 0), None),
        "facts" => (choices(include_str!("../../../../agents/deal-memorandum/config.json"), 1), None),
        other => panic!("no pause {other}"),
    }
}

fn said(name: &str, text: &str) -> (String, Option<String>) {
    let (choices, off) = pause(name);
    let offer = |choice| -> Offered<'_> {
        let choice: &Choice = choice;
        Offered {
            choice,
            unavailable: off.filter(|off| choice.id == *off).map(|_| "No web search is set up."),
        }
    };
    let offered: Vec<Offered<'_>> = choices.iter().map(offer).collect();
    match meaning(None, text, std::iter::empty(), &offered) {
        Meaning::Choice { at, rest } => (choices[at].id.clone(), rest),
        Meaning::Question => ("question".to_owned(), None),
        Meaning::Unknown => ("unknown".to_owned(), None),
        Meaning::Open(open) => match open.less {
            Some(at) => (format!("open>{}", choices[at].id), open.rest),
            None => ("open".to_owned(), open.rest),
        },
    }
}

/// The sentences that are understood otherwise. An "open" pause keeps whatever is left of the words.
fn misunderstood(table: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for line in table.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, text, expected, ..] = fields[..] else { panic!("{line:?} has too few fields") };
        let (found, rest) = said(name, text);
        let opens = expected.starts_with("open");
        let same = found == expected || expected == "open" && found.starts_with("open");
        let same_rest =
            fields.get(3).map_or(opens || rest.is_none(), |words| rest.as_deref() == Some(*words));
        if !same || !same_rest {
            wrong.push(format!("{name}: {text:?} is {found} with {rest:?}, not {:?}", &fields[2..]));
        }
    }
    wrong
}

#[test]
fn every_sentence_of_the_table_is_understood() {
    let table = include_str!("sentences.tsv");
    assert!(table.lines().count() >= 150);
    let wrong = misunderstood(table);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.lines().count(), wrong.join("\n"));
}

#[test]
fn money_takes_a_clear_consent() {
    let words = ["raise", "increase", "double", "verdopple"];
    let consents = |text: &str| replies::consents(text, &words, &[OutsideAct::Money]);
    for text in [
        "$5",
        "raise it to $5",
        "yes",
        "ja bitte",
        "up to $10",
        "no more than $2",
        "400000 tokens",
        "verdopple",
    ] {
        assert!(consents(text), "{text}");
    }
    for text in [
        "no",
        "don't raise it",
        "do not raise it to $5",
        "not 50",
        "not $5",
        "no, stop",
        "do I need $5?",
        "cancel",
        "",
        "don't spend another 5 dollars",
        "maybe $5",
        "hm",
        "the cost is too high",
    ] {
        assert!(!consents(text), "{text}");
    }
}

#[test]
fn a_yes_is_a_yes_and_a_no_is_a_no() {
    for text in ["y", "Yes", "yes, please", "ja", "ok, go ahead", "J", "sure"] {
        assert!(is_agreement(text) && !is_refusal(text), "{text}");
    }
    for text in
        ["n", "", "yes?", "yes and no", "don't", "maybe", "yesterday", "yes, no web search", "yes but later"]
    {
        assert!(!is_agreement(text), "{text}");
    }
    for text in ["no", "Nein danke", "please don't", "lieber nicht", "I refuse"] {
        assert!(is_refusal(text), "{text}");
    }
    let (accept, again): (&[&str], &[&str]) = (&["accept*", "as it stands"], &["again", "retry"]);
    let named = |text: &str| replies::by_words(text, &[accept, again]);
    assert_eq!(named("accept it as it stands"), Some(0));
    assert_eq!(named("try again, and mind groups"), Some(1));
    for text in ["I can't accept this", "don't try again", "again?", "accept or retry", "yes"] {
        assert_eq!(named(text), None, "{text}");
    }
}

#[test]
fn a_decision_is_no_subject() {
    for text in ["Please don't search the web", "ohne Websuche", "go ahead", "no"] {
        assert_eq!(subject(text), None, "{text}");
    }
    assert_eq!(subject("Proceed, and mind groups").as_deref(), Some("mind groups"));
    assert_eq!(subject("banks only").as_deref(), Some("banks only"));
}
