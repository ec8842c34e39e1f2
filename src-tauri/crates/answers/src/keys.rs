//! Keys of sentences in an answer, such as `[3.2]`: the program puts the reference in their place and the sentence's own
//! words beside it, so that neither is ever written by a model.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Value, json};

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
    /// Keys that name no sentence that was given, as they were written. They are taken out of the text.
    pub unknown: Vec<String>,
    /// What else a person should know.
    pub notes: Vec<String>,
}

/// One sentence, or a whole paragraph where the sentence is 0.
type Key = (usize, usize);

/// The most sentences that one range of keys stands for.
const MAX_RANGE_SENTENCES: usize = 40;

/// Resolves the keys of an answer `{ synthesis, citations, … }` by the paragraphs with the numbers 1, 2, …
pub fn resolve_keys(answer: &Value, paragraphs: &[Keyed]) -> ResolvedAnswer {
    let mut answer = answer.clone();
    let Some(synthesis) = answer.get("synthesis").and_then(Value::as_str).map(text::clean) else {
        return ResolvedAnswer { answer, unknown: Vec::new(), notes: Vec::new() };
    };
    let groups = groups(&synthesis, paragraphs);
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
        let mut refs: Vec<&str> = Vec::new();
        for (number, _) in &group.keys {
            let source_ref = paragraphs[number - 1].source_ref.as_str();
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
            let refs: Vec<String> = refs.into_iter().map(text::inline).collect();
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
        for key in indices.filter_map(|index| groups.get(index)).flat_map(|group| &group.keys) {
            if seen.insert(*key) {
                citations.push(entry(*key, &sentence.claim, paragraphs));
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

fn entry((number, sentence): Key, claim: &str, paragraphs: &[Keyed]) -> Value {
    let paragraph = &paragraphs[number - 1];
    let quote = sentence.checked_sub(1).and_then(|at| paragraph.sentences.get(at));
    let key = if sentence == 0 { number.to_string() } else { format!("{number}.{sentence}") };
    json!({
        "source_ref": paragraph.source_ref,
        "paragraph_id": paragraph.id,
        "claim": claim,
        "quote": quote.map(String::as_str).unwrap_or_default(),
        "key": key,
    })
}

/// Keys that stand together.
struct Group {
    range: Range<usize>,
    keys: Vec<Key>,
    unknown: Vec<String>,
}

/// Groups of keys in Markdown: `[3.2]`, `[3.2; 4.1]`, `[3.2-4]`, `[3.2][4.1]`, `([3.2])`. Code holds none.
fn groups(markdown: &str, paragraphs: &[Keyed]) -> Vec<Group> {
    let code = code_ranges(markdown);
    let mut found: Vec<Group> = Vec::new();
    let mut at = 0;
    while let Some(open) = markdown[at..].find('[').map(|open| at + open) {
        at = open + 1;
        if code.iter().any(|range| range.contains(&open)) {
            continue;
        }
        let Some(close) = markdown[open..].find(']').map(|close| open + close) else { break };
        let after = &markdown[close + 1..];
        if after.starts_with('(') || after.starts_with(':') {
            continue;
        }
        let Some((keys, unknown)) = read(&markdown[open + 1..close], paragraphs) else { continue };
        let (mut start, mut end) = (open, close + 1);
        if markdown[..start].ends_with('(') && markdown[end..].starts_with(')') {
            (start, end) = (start - 1, end + 1);
        }
        at = end;
        match found.last_mut() {
            Some(last) if markdown[last.range.end..start].trim_matches([' ', ',', ';']).is_empty() => {
                last.range.end = end;
                last.keys.extend(keys);
                last.unknown.extend(unknown);
            }
            _ => found.push(Group { range: start..end, keys, unknown }),
        }
    }
    found
}

/// The keys between brackets and those that name nothing; `None` where it is something else.
fn read(inside: &str, paragraphs: &[Keyed]) -> Option<(Vec<Key>, Vec<String>)> {
    let (mut keys, mut unknown) = (Vec::new(), Vec::new());
    let inside = inside.replace(" and ", ";");
    for part in inside.split([',', ';']) {
        let part = part.trim();
        let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '\u{2010}'..='\u{2015}' | ' ');
        if !part.starts_with(|c: char| c.is_ascii_digit()) || !part.chars().all(plain) {
            return None;
        }
        let (first, last) =
            match part.split_once(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}']) {
                Some((first, last)) => (first.trim(), Some(last.trim())),
                None => (part, None),
            };
        let (number, from) = key(first)?;
        let to = match last {
            None => from,
            Some(last) => match key(last)? {
                // `3.2-4`: the second number is a sentence's.
                (sentence, 0) => sentence,
                (other, sentence) if other == number => sentence,
                _ => return None,
            },
        };
        let known = paragraphs.get(number.wrapping_sub(1)).map(|one| one.sentences.len());
        let in_range = from <= to && to - from < MAX_RANGE_SENTENCES;
        match known {
            Some(count) if in_range && to <= count && (from > 0 || to == 0) => {
                keys.extend((from..=to).map(|sentence| (number, sentence)));
            }
            _ => unknown.push(part.to_owned()),
        }
    }
    (!keys.is_empty() || !unknown.is_empty()).then_some((keys, unknown))
}

/// `3.2`, or `3` for the whole paragraph.
fn key(text: &str) -> Option<Key> {
    let number = |digits: &str| digits.parse::<usize>().ok().filter(|_| digits.len() <= 5);
    match text.split_once('.') {
        Some((paragraph, sentence)) => Some((number(paragraph)?, number(sentence).filter(|one| *one > 0)?)),
        None => Some((number(text)?, 0)),
    }
}

/// Fenced code and code in lines.
fn code_ranges(markdown: &str) -> Vec<Range<usize>> {
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};
    let mut ranges = Vec::new();
    let mut block = None;
    for (event, range) in Parser::new_ext(markdown, crate::blocks::options()).into_offset_iter() {
        match event {
            Event::Code(_) => ranges.push(range),
            Event::Start(Tag::CodeBlock(_)) => block = Some(range.start),
            Event::End(TagEnd::CodeBlock) => ranges.extend(block.take().map(|start| start..range.end)),
            _ => {}
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn paragraphs() -> Vec<Keyed> {
        let one = |id: &str, sentences: &[&str]| Keyed {
            id: id.to_owned(),
            source_ref: id.to_owned(),
            sentences: sentences.iter().map(|&one| one.to_owned()).collect(),
        };
        vec![
            one("AC-2(1)", &["Accounts are reviewed.", "Unused ones are removed.", "A log is kept."]),
            one("Art. 5", &["It is prohibited."]),
        ]
    }

    fn resolved(synthesis: &str) -> (String, Vec<(String, String, String)>, Vec<String>) {
        let found = resolve_keys(&json!({ "synthesis": synthesis }), &paragraphs());
        let of = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        let citations = found.answer["citations"].as_array().unwrap();
        let citations =
            citations.iter().map(|one| (of(one, "key"), of(one, "claim"), of(one, "quote"))).collect();
        (found.answer["synthesis"].as_str().unwrap().to_owned(), citations, found.unknown)
    }

    fn entry(key: &str, claim: &str, quote: &str) -> (String, String, String) {
        (key.to_owned(), claim.to_owned(), quote.to_owned())
    }

    #[test]
    fn keys_become_references_and_quotes() {
        let (text, citations, unknown) = resolved(
            "Review them [1.1]. Remove the rest [1.2-3; 2.1]. Never do it.[2.1] Last one [1.1][1.3].",
        );
        assert_eq!(
            text,
            "Review them (AC-2(1)). Remove the rest (AC-2(1); Art. 5). Never do it. (Art. 5) Last one (AC-2(1))."
        );
        assert_eq!(
            citations,
            [
                entry("1.1", "Review them.", "Accounts are reviewed."),
                entry("1.2", "Remove the rest.", "Unused ones are removed."),
                entry("1.3", "Remove the rest.", "A log is kept."),
                entry("2.1", "Remove the rest.", "It is prohibited."),
                entry("2.1", "Never do it.", "It is prohibited."),
                entry("1.1", "Last one.", "Accounts are reviewed."),
                entry("1.3", "Last one.", "A log is kept."),
            ]
        );
        assert_eq!(unknown, Vec::<String>::new());
    }

    #[test]
    fn keys_that_name_nothing_are_told_and_taken_out() {
        let (text, citations, unknown) = resolved("It holds [9.1; 1.4]. It holds too [1.1, 7.2]. See [3].");
        assert_eq!(text, "It holds. It holds too (AC-2(1)). See.");
        assert_eq!(citations.len(), 1);
        assert_eq!(unknown, ["9.1", "1.4", "7.2", "3"]);
    }

    #[test]
    fn other_brackets_and_code_stay_as_they_are() {
        for text in [
            "A [W1] page.",
            "A [P2] part.",
            "A [link](http://a.example).",
            "`a[1.1]` it is.",
            "[1.1]: x",
            "[see 1.1]",
        ] {
            assert_eq!(resolved(text).0, text);
        }
        assert_eq!(resolved("In parentheses ([1.1]).").0, "In parentheses (AC-2(1)).");
        assert_eq!(resolved("The whole [2].").1, [entry("2", "The whole.", "")]);
    }

    #[test]
    fn what_the_model_listed_itself_stays() {
        let answer = json!({ "synthesis": "So [2.1].", "citations": [{ "source_ref": "X", "quote": "q" }], "gaps": [] });
        let found = resolve_keys(&answer, &paragraphs()).answer;
        assert_eq!(found["citations"][1], json!({ "source_ref": "X", "quote": "q" }));
        assert_eq!(found["gaps"], json!([]));
        assert_eq!(resolve_keys(&json!("text"), &paragraphs()).answer, json!("text"));
    }
}
