//! What can be read of an answer while it is still being streamed, and an answer that goes on from there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The least characters that an answer and its beginning share where the model began it anew.
const MIN_RESTART_CHARS: usize = 24;
/// Fewer characters that stand at the end of a beginning and again after it are no repetition.
const MIN_OVERLAP_CHARS: usize = 12;
/// The most characters of a beginning that are looked for again after it.
const MAX_OVERLAP_CHARS: usize = 4_000;

/// Collects the text of an answer, and gives it each time that so many more words have come.
#[derive(Debug)]
pub struct Draft {
    every: u32,
    /// What the answer goes on from.
    beginning: Option<DraftText>,
    raw: String,
    /// Words of the raw text, and where they are looked at next.
    words: u32,
    next: u32,
    in_word: bool,
    /// Words of the text that was given last.
    given: u32,
}

/// The text of an answer as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftText {
    /// Its words.
    pub words: u32,
    /// The text: of an answer in JSON the longest of its texts.
    pub text: String,
    /// Where it stands in the answer; none where an answer can't go on from it.
    pub place: Option<DraftPlace>,
}

/// Where the text of a draft stands in its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "place")]
pub enum DraftPlace {
    /// It is the answer.
    Answer,
    /// It is a field of the JSON object that the answer is.
    Field {
        /// The field's name.
        name: String,
    },
}

impl Draft {
    /// Of an answer of which nothing has come. `every`: after how many words it is given.
    pub fn new(every: u32) -> Self {
        let every = every.max(1);
        Self { every, beginning: None, raw: String::new(), words: 0, next: every, in_word: false, given: 0 }
    }

    /// Of an answer that goes on from a beginning: what it gives is the text from there on and what came before.
    pub fn after(every: u32, beginning: DraftText) -> Self {
        Self { given: beginning.words, beginning: Some(beginning), ..Self::new(every) }
    }

    /// Takes in what came next. Gives the text where `every` more words have come.
    pub fn add(&mut self, piece: &str) -> Option<DraftText> {
        self.raw.push_str(piece);
        for character in piece.chars() {
            let in_word = !character.is_whitespace();
            self.words += u32::from(in_word && !self.in_word);
            self.in_word = in_word;
        }
        if self.words < self.next {
            return None;
        }
        let (text, place) = self.text();
        let words = u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX);
        let missing = self.given.saturating_add(self.every).saturating_sub(words);
        self.next = self.words.saturating_add(if missing > 0 { missing } else { self.every });
        if missing > 0 {
            return None;
        }
        self.given = words;
        Some(DraftText { words, text, place })
    }

    fn text(&self) -> (String, Option<DraftPlace>) {
        let (text, place) = readable(&self.raw);
        match &self.beginning {
            None => (text, place),
            Some(beginning) if place == beginning.place => (joined(&beginning.text, &text), place),
            // What stands elsewhere is no part of it.
            Some(beginning) => (beginning.text.clone(), beginning.place.clone()),
        }
    }
}

/// What a person can read of an answer's raw text: of JSON, whole or cut, the longest text in it. With its place, unless it
/// is closed, or stands deeper in the JSON: then nothing can go on from it.
fn readable(raw: &str) -> (String, Option<DraftPlace>) {
    let json =
        raw.find('{').filter(|at| raw[..*at].trim_start().is_empty() || raw.trim_start().starts_with("```"));
    let Some(at) = json else { return (raw.to_owned(), Some(DraftPlace::Answer)) };
    let mut rest = &raw[at..];
    let (mut longest, mut place) = (String::new(), None);
    let (mut depth, mut field) = (0_usize, None);
    while let Some(open) = rest.find('"') {
        for bracket in rest[..open].chars() {
            match bracket {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let body = &rest[open + 1..];
        let end = closing(body);
        let (inner, after) = (&body[..end.unwrap_or(body.len())], end.map_or("", |end| &body[end + 1..]));
        let is_key = end.is_some() && after.trim_start().starts_with(':');
        if is_key && depth == 1 {
            field = Some(unescaped(inner));
        }
        if !is_key && inner.len() > longest.len() {
            longest = unescaped(inner);
            let name = field.clone().filter(|_| depth == 1 && end.is_none());
            place = name.map(|name| DraftPlace::Field { name });
        }
        rest = after;
    }
    (longest, place)
}

/// A text without the word in which it broke off.
pub fn whole_words(text: &str) -> &str {
    let end = text.char_indices().rev().find(|(_, c)| c.is_whitespace());
    &text[..end.map_or(0, |(at, c)| at + c.len_utf8())]
}

/// Whether a model that was asked to go on from a beginning wrote the whole once more instead.
pub fn begins_anew(beginning: &str, rest: &str) -> bool {
    let head: String = beginning.trim_start().chars().take(MIN_RESTART_CHARS).collect();
    head.chars().count() == MIN_RESTART_CHARS && rest.trim_start().starts_with(&head)
}

/// The beginning of a text, without the word in which it broke off, and what its model wrote when it was asked to go on from
/// there, without what it repeated.
pub fn joined(beginning: &str, rest: &str) -> String {
    if begins_anew(beginning, rest) {
        return rest.to_owned();
    }
    let kept = whole_words(beginning);
    let (head, tail) = (kept.trim_end(), rest.trim_start());
    let repeated = overlap(head, tail);
    if repeated > 0 {
        return format!("{head}{}", &tail[repeated..]);
    }
    let (before, after) = (&kept[head.len()..], &rest[..rest.len() - tail.len()]);
    let lines = |gap: &str| gap.matches('\n').count();
    let gap = if lines(after) > lines(before) { after } else { before };
    format!("{head}{gap}{tail}")
}

/// Bytes at the beginning of a text that repeat, in whole words, the end of the text before it.
fn overlap(head: &str, tail: &str) -> usize {
    let ends = tail.char_indices().map(|(at, character)| at + character.len_utf8()).take(MAX_OVERLAP_CHARS);
    let repeats = |end: &usize| {
        head.strip_suffix(&tail[..*end]).is_some_and(|before| {
            !before.ends_with(char::is_alphanumeric) && !tail[*end..].starts_with(char::is_alphanumeric)
        })
    };
    ends.skip(MIN_OVERLAP_CHARS - 1).filter(repeats).last().unwrap_or(0)
}

/// Where a JSON text ends.
fn closing(body: &str) -> Option<usize> {
    let mut escaped = false;
    body.char_indices().find_map(|(at, character)| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// The most characters that a cut can leave of escapes: two halves of one character.
const MAX_ESCAPE: usize = 12;

/// The text that stands in a JSON text, without an escape that was cut.
fn unescaped(inner: &str) -> String {
    let ends = inner.char_indices().rev().map(|(at, _)| at).take(MAX_ESCAPE);
    std::iter::once(inner.len())
        .chain(ends)
        .find_map(|end| serde_json::from_str(&format!("\"{}\"", &inner[..end])).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The drafts of a text that comes in pieces of so many bytes.
    fn drafts(text: &str, every: u32, size: usize) -> Vec<DraftText> {
        let mut draft = Draft::new(every);
        let pieces: Vec<String> =
            text.chars().collect::<Vec<_>>().chunks(size).map(|piece| piece.iter().collect()).collect();
        pieces.iter().filter_map(|piece| draft.add(piece)).collect()
    }

    #[test]
    fn the_words_of_a_text_are_given_each_time_that_so_many_more_have_come() {
        let text = "one two three four five six seven eight";
        let found = drafts(text, 3, 4);
        let words: Vec<u32> = found.iter().map(|draft| draft.words).collect();
        assert_eq!(words, [3, 6]);
        assert!(text.starts_with(&found[1].text), "{found:?}");
    }

    #[test]
    fn of_a_cut_json_answer_its_longest_text_is_read() {
        let answer = serde_json::json!({
            "gaps": ["none"],
            "synthesis": "## In short\n\nThe \"fee\" of the customer \u{e4}\u{1f600} is paid back for the rest of the year.",
            "confidence": 0.9,
        })
        .to_string();
        let raw = answer.replace('\u{1f600}', "\\ud83d\\ude00");
        for size in [1, 2, 3, 7] {
            let found = drafts(&raw, 5, size);
            let last = found.last().unwrap_or_else(|| panic!("no draft of pieces of {size}"));
            assert!(last.words >= 15 && last.text.starts_with("## In short\n\nThe \"fee\" of"), "{last:?}");
            for one in &found {
                assert!(!one.text.contains('\\') && !one.text.contains("confidence"), "{one:?}");
            }
        }
        assert_eq!(readable("```json\n{\"a\": \"x\\ud83d").0, "x");
    }

    #[test]
    fn an_answer_without_a_long_text_gives_no_draft() {
        let raw = format!("{{\"scores\": [{}]}}", vec!["1, "; 500].concat());
        assert_eq!(drafts(&raw, 100, 50), []);
    }

    #[test]
    fn an_answer_can_go_on_from_a_text_that_is_still_being_written() {
        let field = |name: &str| Some(DraftPlace::Field { name: name.to_owned() });
        assert_eq!(readable("The fee is").1, Some(DraftPlace::Answer));
        assert_eq!(readable("{\"gaps\": [\"a\", \"b\"], \"text\": \"The fee").1, field("text"));
        assert_eq!(readable("{\"text\": \"The {fee\\\"").1, field("text"));
        for closed in ["{\"text\": \"The fee.\"", "{\"parts\": [\"The fee", "{\"part\": {\"text\": \"The fee"]
        {
            assert_eq!(readable(closed).1, None, "{closed}");
        }
    }

    #[test]
    fn a_text_goes_on_from_its_beginning_without_what_is_repeated() {
        let beginning = "## Risk\n\nThe notice may come at a bad time, and the tenant can";
        for (rest, whole) in [
            ("can not leave.", "## Risk\n\nThe notice may come at a bad time, and the tenant can not leave."),
            (
                "at a bad time, and the tenant can not leave.",
                "## Risk\n\nThe notice may come at a bad time, and the tenant can not leave.",
            ),
            ("\n\n## Links\n", "## Risk\n\nThe notice may come at a bad time, and the tenant\n\n## Links\n"),
            // Too short to be a repetition.
            ("tenant may", "## Risk\n\nThe notice may come at a bad time, and the tenant tenant may"),
            ("## Risk\n\nThe notice may come early.", "## Risk\n\nThe notice may come early."),
            ("", "## Risk\n\nThe notice may come at a bad time, and the tenant "),
        ] {
            assert_eq!(joined(beginning, rest), whole);
        }
        assert_eq!(joined("one two three\n\n", "four"), "one two three\n\nfour");
        // A repetition ends with a word.
        assert_eq!(
            joined("they pay the rent now ", "the rent nowadays"),
            "they pay the rent now the rent nowadays"
        );
    }

    #[test]
    fn the_draft_of_an_answer_that_goes_on_has_what_came_before() {
        let place = Some(DraftPlace::Field { name: "text".to_owned() });
        let text = "one two three four five six se".to_owned();
        let mut draft = Draft::after(3, DraftText { words: 7, text, place: place.clone() });
        assert_eq!(draft.add("{\"text\": \"seven eight "), None);
        let more = draft.add("nine ten ").unwrap();
        assert_eq!(
            (more.text.as_str(), more.words),
            ("one two three four five six seven eight nine ten ", 10)
        );
        assert_eq!(more.place, place);
        assert_eq!(draft.add("eleven\", \"gaps\": [\"one two three four five six seven\"]}"), None);
    }
}
