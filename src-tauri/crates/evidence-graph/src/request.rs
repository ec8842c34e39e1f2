//! A request taken apart without a model: what is to be found out, and what the report is to look like.

use std::sync::LazyLock;

use regex::Regex;

/// Words that begin what is said of the report: "Format: …", "Output: …", "as a table", "in two pages".
static SPECIFICATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:(?:output\s+)?format|output|sections?|structure)\s*:\s*[^\n]+|\b(?:as|in|into)\s+(?:a\s+)?(?:table|bullet(?:ed)?\s+list|list|report|memo(?:randum)?)(?:\s+(?:of|with)\s+[^.\n]+)?|\bin\s+(?:at\s+most\s+|about\s+)?\S+\s+(?:words|pages|sentences|paragraphs)\b",
    )
    .ok()
});

/// The objective, and what is said of the report where something is.
pub fn split_request(request: &str) -> (String, Option<String>) {
    let Some(pattern) = SPECIFICATION.as_ref() else { return (request.trim().to_owned(), None) };
    let said: Vec<&str> = pattern.find_iter(request).map(|found| found.as_str().trim()).collect();
    if said.is_empty() {
        return (request.trim().to_owned(), None);
    }
    let objective = pattern.replace_all(request, " ");
    let objective = objective.split_whitespace().collect::<Vec<_>>().join(" ");
    let objective = objective.replace(" ?", "?").replace(" .", ".").replace("..", ".");
    let objective = objective.trim().trim_end_matches([',', ';', ':']).trim().to_owned();
    // Words that are nothing but a form leave nothing to find out: then all of them are the objective.
    if objective.chars().filter(|c| c.is_alphabetic()).count() < 3 {
        return (request.trim().to_owned(), Some(said.join(". ")));
    }
    (objective, Some(said.join(". ")))
}

/// The questions of an objective: its sentences, and the parts of a list.
pub fn questions_of(objective: &str) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    for line in objective.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•']).trim();
        for sentence in sentences(line) {
            if sentence.chars().filter(|c| c.is_alphabetic()).count() >= 3
                && !questions.iter().any(|known| known == sentence)
            {
                questions.push(sentence.to_owned());
            }
        }
    }
    if questions.is_empty() {
        questions.push(objective.trim().to_owned());
    }
    questions
}

/// The sentences of a line, each with its sign.
fn sentences(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, mark) in line.char_indices().filter(|(_, c)| matches!(c, '?' | '!' | '.')) {
        if domain::ends_sentence(&line[from..at], mark, &line[at + 1..]) {
            out.push(line[from..=at].trim());
            from = at + 1;
        }
    }
    out.push(line[from..].trim());
    out.retain(|sentence| !sentence.is_empty());
    out
}
