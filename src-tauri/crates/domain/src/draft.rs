//! What can be read of an answer while it is still being streamed.

/// Collects the text of an answer, and gives it each time that so many more words have come.
#[derive(Debug)]
pub struct Draft {
    every: u32,
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
}

impl Draft {
    /// Of an answer of which nothing has come. `every`: after how many words it is given.
    pub fn new(every: u32) -> Self {
        let every = every.max(1);
        Self { every, raw: String::new(), words: 0, next: every, in_word: false, given: 0 }
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
        let text = readable(&self.raw);
        let words = u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX);
        let missing = self.given.saturating_add(self.every).saturating_sub(words);
        self.next = self.words.saturating_add(if missing > 0 { missing } else { self.every });
        if missing > 0 {
            return None;
        }
        self.given = words;
        Some(DraftText { words, text })
    }
}

/// What a person can read of an answer's raw text: of JSON, whole or cut, the longest text in it.
fn readable(raw: &str) -> String {
    let json =
        raw.find('{').filter(|at| raw[..*at].trim_start().is_empty() || raw.trim_start().starts_with("```"));
    let Some(at) = json else { return raw.to_owned() };
    let mut rest = &raw[at..];
    let mut longest = String::new();
    while let Some(open) = rest.find('"') {
        let body = &rest[open + 1..];
        let end = closing(body);
        let (inner, after) = (&body[..end.unwrap_or(body.len())], end.map_or("", |end| &body[end + 1..]));
        let is_key = end.is_some() && after.trim_start().starts_with(':');
        if !is_key && inner.len() > longest.len() {
            longest = unescaped(inner);
        }
        rest = after;
    }
    longest
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
        assert_eq!(readable("```json\n{\"a\": \"x\\ud83d"), "x");
    }

    #[test]
    fn an_answer_without_a_long_text_gives_no_draft() {
        let raw = format!("{{\"scores\": [{}]}}", vec!["1, "; 500].concat());
        assert_eq!(drafts(&raw, 100, 50), []);
    }
}
