//! Keys of sentences in an answer, such as `[@3.2]`: the program puts the reference in their place and the sentence's own
//! words beside it, so that neither is ever written by a model.

mod marks;

use std::collections::BTreeSet;
use std::ops::Range;

use domain::KeyForm;
use serde_json::{Value, json};

use self::marks::{Key, groups};

use crate::quotes::cite_quotations;
use crate::sentences::{ListedCitation, cited_sentences};
use crate::{close_quotes, text};

/// A paragraph whose sentences can be cited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyed {
    /// The paragraph's id.
    pub id: String,
    /// How it is cited, without outer parentheses.
    pub source_ref: String,
    /// Its sentences, word for word.
    pub sentences: Vec<String>,
}

/// An answer with its keys resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedAnswer {
    /// The answer: references in `synthesis`, and in `citations` an entry `{source_ref, claim, quote, key}` for each
    /// statement and sentence, before those that the model listed itself.
    pub answer: Value,
    /// Keys that name no sentence that was given, as they were written. The text has them as unknown citations.
    pub unknown: Vec<String>,
    /// What else a person should know.
    pub notes: Vec<String>,
}

/// How a key that names nothing is cited. No paragraph has this name: the check finds that it is missing.
fn unknown_citation(key: &str) -> String {
    format!("unknown citation {key}")
}

/// Resolves the keys of an answer `{ synthesis, citations, … }` of a model by the paragraphs with the numbers 1, 2, …
///
/// Nothing but keys changes: a number in brackets that is none stays where it is. A key that names nothing becomes an unknown
/// citation, so that a reader and the check see it; in the form of earlier versions it is taken out.
pub fn resolve_keys(answer: &Value, paragraphs: &[Keyed], form: KeyForm) -> ResolvedAnswer {
    let mut answer = answer.clone();
    let Some(synthesis) = answer.get("synthesis").and_then(Value::as_str).map(text::clean) else {
        return ResolvedAnswer { answer, unknown: Vec::new(), notes: Vec::new() };
    };
    let groups = groups(&synthesis, paragraphs, form);
    let mut unknown = Vec::new();
    let mut shown = String::with_capacity(synthesis.len());
    // The same text with a stand-in for each group: which sentence a group belongs to is found in it.
    let mut marked = String::with_capacity(synthesis.len());
    let mut stand_ins = Vec::new();
    let mut cited: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for (index, group) in groups.iter().enumerate() {
        let before = &synthesis[at..group.range.start];
        shown.push_str(before);
        marked.push_str(before);
        unknown.extend(group.unknown.iter().cloned());
        let mut refs: Vec<String> = Vec::new();
        let named = group.keys.iter().map(|(number, _)| paragraphs[number - 1].source_ref.clone());
        let missing = group.unknown.iter().filter(|_| form == KeyForm::Marked);
        for source_ref in named.chain(missing.map(|key| unknown_citation(key))) {
            if !refs.contains(&source_ref) {
                refs.push(source_ref);
            }
        }
        if refs.is_empty() {
            // Nothing is left of the group: neither is the blank before it.
            let trimmed = shown.trim_end_matches(' ').len();
            shown.truncate(trimmed);
            let trimmed = marked.trim_end_matches(' ').len();
            marked.truncate(trimmed);
        } else {
            let blank = if shown.is_empty() || shown.ends_with(char::is_whitespace) { "" } else { " " };
            let refs: Vec<String> = refs.iter().map(|one| text::inline(one)).collect();
            let from = shown.len();
            shown.push_str(&format!("{blank}({})", refs.join("; ")));
            cited.push(from..shown.len());
            marked.push_str(&format!("{blank}({STAND_IN} {index})"));
            stand_ins.push(ListedCitation {
                source_ref: format!("{STAND_IN} {index}"),
                ..ListedCitation::default()
            });
        }
        at = group.range.end;
    }
    shown.push_str(&synthesis[at..]);
    marked.push_str(&synthesis[at..]);
    let mut citations = Vec::new();
    for sentence in cited_sentences(&marked, &stand_ins, &[]) {
        let mut seen = BTreeSet::new();
        let named = sentence.citations.iter();
        let indices =
            named.filter_map(|one| one.source_ref.strip_prefix(STAND_IN)?.trim().parse::<usize>().ok());
        for group in indices.filter_map(|index| groups.get(index)) {
            for key in &group.keys {
                if seen.insert(*key) {
                    citations.push(entry(*key, &sentence.claim, paragraphs, form));
                }
            }
            for key in group.unknown.iter().filter(|_| form == KeyForm::Marked) {
                citations.push(json!({
                    "source_ref": unknown_citation(key), "claim": sentence.claim, "quote": "", "key": key,
                }));
            }
        }
    }
    let own = answer.get("citations").and_then(Value::as_array).cloned().unwrap_or_default();
    let (shown, quoted) = cite_quotations(&shown, &cited, &own, paragraphs);
    citations.extend(quoted);
    citations.extend(own);
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("synthesis".to_owned(), json!(shown));
        fields.insert("citations".to_owned(), Value::Array(citations));
    }
    let notes = match close_quotes::mend_quotes(&mut answer, paragraphs) {
        0 => Vec::new(),
        1 => vec!["1 quote was not copied exactly; the paragraph's own words stand in its place".to_owned()],
        many => vec![format!(
            "{many} quotes were not copied exactly; the paragraphs' own words stand in their places"
        )],
    };
    ResolvedAnswer { answer, unknown, notes }
}

/// A citation that no text of others looks like, with a form that is read as one.
const STAND_IN: &str = "Keyed Sentence Group";

fn entry((number, sentence): Key, claim: &str, paragraphs: &[Keyed], form: KeyForm) -> Value {
    let paragraph = &paragraphs[number - 1];
    // The mark of an item is no part of what is quoted.
    let quote = sentence.checked_sub(1).and_then(|at| paragraph.sentences.get(at));
    let mark = |quote: &str| if form == KeyForm::Marked { domain::list_mark(quote) } else { 0 };
    let quote = quote.map(|quote| quote[mark(quote)..].trim_start()).filter(|quote| !quote.is_empty());
    let key = if sentence == 0 { number.to_string() } else { format!("{number}.{sentence}") };
    json!({
        "source_ref": paragraph.source_ref,
        "paragraph_id": paragraph.id,
        "claim": claim,
        "quote": quote.unwrap_or_default(),
        "key": key,
    })
}

#[cfg(test)]
mod tests;
