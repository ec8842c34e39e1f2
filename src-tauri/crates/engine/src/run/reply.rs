//! What a person's reply to a pause means. Conservative patterns from the agent's
//! configuration decide, never a model.

use domain::agent::{Choice, ChoiceAction};
use engine_types::Reply;
use regex::{Regex, RegexBuilder};

/// What a reply means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meaning<'a> {
    /// This choice; the text, where there is one left, is content.
    Choice { choice: &'a Choice, text: Option<String> },
    /// Nothing is decided: a question or a bare no.
    Open,
    /// No such choice.
    Unknown(String),
}

/// Reads a reply against the choices offered.
pub(crate) fn read<'a>(reply: &Reply, choices: &[&'a Choice]) -> Meaning<'a> {
    let text = reply.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if let Some(id) = &reply.choice {
        return match choices.iter().find(|choice| &choice.id == id) {
            Some(choice) => Meaning::Choice { choice, text: text.map(str::to_owned) },
            None => Meaning::Unknown(id.clone()),
        };
    }
    let default = choices.iter().find(|choice| choice.goes_on());
    let Some(text) = text else {
        return match default {
            Some(choice) => Meaning::Choice { choice, text: None },
            None => Meaning::Open,
        };
    };
    if let Some(choice) = named(text, choices) {
        return Meaning::Choice { choice, text: None };
    }
    if is_question(text) || is_bare_negation(text) {
        return Meaning::Open;
    }
    match default {
        Some(choice) => Meaning::Choice { choice, text: Some(text.to_owned()) },
        None => Meaning::Open,
    }
}

/// The choice that a text names: its exact id or label, or a pattern of it. Cancelling takes the exact word.
fn named<'a>(text: &str, choices: &[&'a Choice]) -> Option<&'a Choice> {
    let exact =
        |choice: &Choice| text.eq_ignore_ascii_case(&choice.id) || text.eq_ignore_ascii_case(&choice.label);
    if let Some(choice) = choices.iter().find(|choice| exact(choice)) {
        return Some(choice);
    }
    let any = |patterns: &[String]| {
        patterns.iter().filter_map(|pattern| compile(pattern)).any(|p| p.is_match(text))
    };
    let mut hits = choices.iter().filter(|choice| {
        !matches!(choice.action, ChoiceAction::Cancel) && any(&choice.matches) && !any(&choice.never)
    });
    // Two choices that both claim a text leave it undecided: it is then content or a question.
    match (hits.next(), hits.next()) {
        (Some(choice), None) => Some(choice),
        _ => None,
    }
}

fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 20).build().ok()
}

/// Whether a text asks something.
pub(crate) fn is_question(text: &str) -> bool {
    const OPENERS: [&str; 10] =
        ["why", "what", "how", "which", "who", "when", "where", "explain", "huh", "hm"];
    let first = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    text.ends_with('?') || (OPENERS.contains(&first.as_str()) && text.split_whitespace().count() <= 6)
}

/// A bare yes.
pub(crate) fn is_agreement(text: &str) -> bool {
    const BARE: [&str; 12] = [
        "yes",
        "yes please",
        "y",
        "ok",
        "okay",
        "sure",
        "go ahead",
        "go on",
        "proceed",
        "continue",
        "again",
        "do it",
    ];
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    BARE.contains(&bare.as_str())
}

fn is_bare_negation(text: &str) -> bool {
    const BARE: [&str; 14] = [
        "no",
        "nope",
        "nah",
        "not",
        "stop",
        "wait",
        "hold on",
        "not yet",
        "no thanks",
        "no thank you",
        "don't",
        "do not",
        "not now",
        "no no",
    ];
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    BARE.contains(&bare.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::agent::AgentConfig;

    fn config() -> AgentConfig {
        let text = include_str!("../../../../../agents/isa-deep-research/config.json");
        serde_json::from_str(text).unwrap()
    }

    fn meaning(stage: usize, text: &str) -> String {
        let config = config();
        let pause = config.control_flow.stages[stage].pause.clone().unwrap();
        let offered: Vec<&Choice> =
            pause.choices.iter().filter(|c| c.when.as_deref() != Some("not depth.enableWebSearch")).collect();
        match read(&Reply { text: Some(text.to_owned()), ..Reply::default() }, &offered) {
            Meaning::Choice { choice, text: None } => choice.id.clone(),
            Meaning::Choice { choice, text: Some(_) } => format!("{} with content", choice.id),
            Meaning::Open => "open".to_owned(),
            Meaning::Unknown(id) => format!("unknown {id}"),
        }
    }

    #[test]
    fn the_first_pause_reads_free_text_conservatively() {
        for (text, expected) in [
            ("b", "skip_web"),
            ("B.", "skip_web"),
            ("B. No - proceed directly", "skip_web"),
            ("no web search please", "skip_web"),
            ("No, no web search", "skip_web"),
            ("proceed directly", "skip_web"),
            ("skip the web", "skip_web"),
            ("skip web", "skip_web"),
            ("no, proceed", "skip_web"),
            ("proceed", "search"),
            ("Yes search", "search"),
            ("yes", "search"),
            ("a", "search"),
            ("cancel", "cancel"),
            ("CANCEL", "cancel"),
            ("amend", "amend"),
            ("why?", "open"),
            ("no", "open"),
            ("No.", "open"),
            ("stop", "open"),
            ("what will this change?", "open"),
            ("wait", "open"),
            ("continue now", "search with content"),
            ("please do not cancel, go ahead", "search with content"),
            ("3", "search with content"),
            ("It is about listed entities in the EU", "search with content"),
            ("banks only", "search with content"),
            ("should we skip the web?", "open"),
        ] {
            assert_eq!(meaning(0, text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_skip_is_only_read_where_it_is_offered() {
        assert_eq!(meaning(1, "no web search"), "proceed with content");
        assert_eq!(meaning(1, "b"), "proceed with content");
        assert_eq!(meaning(1, "1"), "proceed");
        assert_eq!(meaning(1, "continue now"), "proceed");
        assert_eq!(meaning(1, "no"), "open");
    }

    #[test]
    fn a_button_keeps_its_meaning_whatever_the_text_says() {
        let config = config();
        let pause = config.control_flow.stages[0].pause.clone().unwrap();
        let offered: Vec<&Choice> = pause.choices.iter().collect();
        let reply = Reply { choice: Some("amend".into()), text: Some("cancel".into()), ..Reply::default() };
        assert!(
            matches!(read(&reply, &offered), Meaning::Choice { choice, text: Some(text) } if choice.id == "amend" && text == "cancel")
        );
        let reply = Reply { choice: Some("3".into()), ..Reply::default() };
        assert_eq!(read(&reply, &offered), Meaning::Unknown("3".into()));
        assert!(
            matches!(read(&Reply::default(), &offered), Meaning::Choice { choice, text: None } if choice.id == "search")
        );
    }
}
