//! Lines of Markdown outside code, words, headings, sentences.

use std::collections::BTreeSet;
use std::ops::Range;

/// Characters of a text that a fault quotes.
const MAX_EXCERPT_CHARS: usize = 120;

/// A line outside fenced code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    /// From one.
    pub number: u32,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Without its end of line.
    pub text: &'t str,
}

/// What the fences of a text look like.
pub(crate) struct Prose<'t> {
    /// The lines outside fenced code.
    pub lines: Vec<Line<'t>>,
    /// The line of a fence that nothing closes.
    pub open_fence: Option<u32>,
}

/// The lines of a text that are not code.
pub(crate) fn prose(text: &str) -> Prose<'_> {
    let mut lines = Vec::new();
    let mut fence: Option<(char, usize, u32)> = None;
    let mut start = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let line = whole.trim_end_matches(['\n', '\r']);
        match (fence, fence_of(line)) {
            (None, Some((mark, length))) => fence = Some((mark, length, number)),
            (None, None) => lines.push(Line { number, start, text: line }),
            (Some((mark, length, _)), Some((other, longer)))
                if mark == other && longer >= length && is_bare_fence(line) =>
            {
                fence = None;
            }
            (Some(_), _) => {}
        }
        start += whole.len();
    }
    Prose { lines, open_fence: fence.map(|(_, _, number)| number) }
}

fn fence_of(line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == mark).count();
    let indented = line.len() - text.len() > 3;
    // A backtick after the opening makes it a span of code within a line.
    let span = mark == '`' && text[length..].contains('`');
    (length >= 3 && !indented && !span).then_some((mark, length))
}

fn is_bare_fence(line: &str) -> bool {
    line.trim().chars().all(|c| matches!(c, '`' | '~'))
}

/// The spans of code within a line.
pub(crate) fn code_spans(line: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut ticks: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].find('`') {
        let start = from + at;
        let length = line[start..].bytes().take_while(|byte| *byte == b'`').count();
        ticks.push(start..start + length);
        from = start + length;
    }
    let mut at = 0;
    while at < ticks.len() {
        let opens = ticks[at].clone();
        match ticks[at + 1..].iter().position(|closes| closes.len() == opens.len()) {
            Some(distance) => {
                spans.push(opens.start..ticks[at + 1 + distance].end);
                at += distance + 2;
            }
            None => at += 1,
        }
    }
    spans
}

/// The level and the text of a heading with number signs.
pub(crate) fn heading(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_start_matches(' ');
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &text[level..];
    if level == 0
        || level > 6
        || line.len() - text.len() > 3
        || !(rest.is_empty() || rest.starts_with([' ', '\t']))
    {
        return None;
    }
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    let title = if bare.is_empty() || bare.ends_with(' ') { bare.trim_end() } else { title };
    Some((u8::try_from(level).unwrap_or(6), title))
}

/// A heading in bold: a line that holds nothing else.
pub(crate) fn bold_heading(line: &str) -> Option<&str> {
    let text = line.trim();
    let inner = text.strip_prefix("**")?.strip_suffix("**")?.trim();
    (!inner.is_empty() && !inner.contains("**")).then_some(inner)
}

/// Words of a text: what stands between white space and holds a letter or a digit.
pub fn words(text: &str) -> u32 {
    let count = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A text in lower case with single spaces.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_lowercase));
    }
    folded
}

/// Whether `words` stands in `text` as whole words; both are folded.
pub(crate) fn has_words(text: &str, words: &str) -> bool {
    find_words(text, words).is_some()
}

/// A folded text in which many phrases are looked for.
pub(crate) struct Phrases {
    text: String,
    words: BTreeSet<String>,
}

impl Phrases {
    /// Folds a text.
    pub(crate) fn new(text: &str) -> Self {
        let text = fold(text);
        let words = tokens(&text).map(str::to_owned).collect();
        Self { text, words }
    }

    /// Whether a folded phrase stands in the text as whole words. Most phrases are refused by their first word.
    pub(crate) fn has(&self, phrase: &str) -> bool {
        tokens(phrase).next().is_none_or(|word| self.words.contains(word)) && has_words(&self.text, phrase)
    }
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Where `words` stands in `text` as whole words; both are folded.
pub(crate) fn find_words(text: &str, words: &str) -> Option<usize> {
    if words.is_empty() {
        return None;
    }
    text.match_indices(words).map(|(at, _)| at).find(|&at| {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inside = |edge: Option<char>, next: Option<char>| letter(edge) && letter(next);
        !inside(words.chars().next(), text[..at].chars().next_back())
            && !inside(words.chars().next_back(), text[at + words.len()..].chars().next())
    })
}

/// A text in one line, cut to what a fault quotes.
pub(crate) fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

/// The number of the line that holds a byte.
pub(crate) fn line_at(lines: &[Line<'_>], at: usize) -> u32 {
    let next = lines.partition_point(|line| line.start <= at);
    next.checked_sub(1).and_then(|before| lines.get(before)).map_or(1, |line| line.number)
}

/// The sentences of a line: cut after a full stop, question or exclamation mark before white space and a capital,
/// never after a digit or a single letter alone (`No. 5`, `J. Doe`). The mark of a footnote belongs to the sentence before it.
pub(crate) fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut from = 0;
    for (at, mark) in line.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | ';')) {
        let mut after = at + mark.len_utf8();
        while let Some((_, length)) = note_mark(&line[after..]) {
            after += length;
        }
        let rest = &line[after..];
        let begins = rest.trim_start().chars().next().is_some_and(|c| mark == ';' || !c.is_lowercase());
        let abbreviated = mark == '.' && domain::is_abbreviation(&line[from..at], rest.trim_start());
        if rest.starts_with(char::is_whitespace) && begins && !abbreviated {
            sentences.push(line[from..after].trim());
            from = after;
        }
    }
    sentences.push(line[from..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// The label of the footnote whose mark a text begins with, and the bytes of the mark.
fn note_mark(text: &str) -> Option<(&str, usize)> {
    let (label, _) = text.strip_prefix("[^")?.split_once(']')?;
    (!label.is_empty() && !label.contains(char::is_whitespace)).then_some((label, label.len() + 3))
}

/// The labels of the footnotes whose marks stand in a text.
pub(crate) fn note_labels(text: &str) -> Vec<&str> {
    text.match_indices("[^").filter_map(|(at, _)| Some(note_mark(&text[at..])?.0)).collect()
}
