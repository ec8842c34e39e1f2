//! Is this quote in this paragraph?
//!
//! Exact comparison of folded texts at word boundaries. An ellipsis stands for words left out between two
//! stretches that follow each other; what it leaves out must not turn the meaning round. There is no
//! similarity threshold: measured, a fuzzy match accepts nearly every falsified number, modal and negation.

use knowledge::{Folded, MAYBE_HYPHEN};
use text_analysis::counted_signs;

use super::boundary::{ends_word, starts_word};
use super::hidden::{Hidden, directly_after, directly_before, left_out};

/// Fewest words of a quote, and of each stretch of a quote with an ellipsis inside.
pub(crate) const MIN_QUOTE_WORDS: usize = 3;
/// Signs that say as much as a word, in scripts where words have no blanks between them or are long.
const SIGNS_A_WORD: usize = 2;
/// The same in words, for people.
pub(crate) const MIN_QUOTE_IN_WORDS: &str = "3 words, or 6 signs where words have no blanks between them";
/// Longest quote that is compared, in bytes.
pub(crate) const QUOTE_BYTES: usize = 20_000;
/// Steps that one comparison may take where line-break hyphens rule out the linear search.
const STEPS: usize = 4_000_000;
/// Places of the first stretch that are tried with an ellipsis.
const FIRST_PLACES: usize = 64;

/// A quote made ready for comparing.
#[derive(Debug)]
pub(crate) struct Quote {
    stretches: Vec<WordRun>,
}

/// Folded words that must follow each other without a gap.
#[derive(Debug)]
struct WordRun {
    text: String,
    has_maybe_hyphen: bool,
}

/// What comparing found. Offsets are bytes of the paragraph's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Match {
    /// The quote is there; `note` says what a reader of it should know.
    Whole { from: usize, to: usize, note: Option<String> },
    /// The words are there, and what surrounds or separates them says otherwise.
    Turned { reason: String, from: usize, to: usize },
    /// The words are not there.
    Absent,
}

impl Quote {
    pub(crate) fn new(written: &str) -> Self {
        let folded = Folded::of(written).text;
        let stretches = split_at_ellipses(&folded)
            .into_iter()
            .map(trimmed)
            .filter(|stretch| stretch.chars().any(char::is_alphanumeric))
            .map(|text| WordRun { text: text.to_owned(), has_maybe_hyphen: text.contains(MAYBE_HYPHEN) })
            .collect();
        Self { stretches }
    }

    pub(crate) fn words(&self) -> usize {
        self.stretches.iter().map(|stretch| count_words(&stretch.text)).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Whether no ellipsis leaves anything out.
    pub(crate) fn is_one_stretch(&self) -> bool {
        self.stretches.len() == 1
    }

    /// The first stretch too short to be placed, where an ellipsis joins several.
    pub(crate) fn short_stretch(&self) -> Option<&str> {
        let several = self.stretches.len() > 1;
        self.stretches
            .iter()
            .map(|stretch| stretch.text.as_str())
            .find(|text| several && count_words(text) < MIN_QUOTE_WORDS)
    }

    /// Whether this is the whole of a text.
    pub(crate) fn is_all_of(&self, text: &str) -> bool {
        let all = Folded::of(text);
        matches!(self.stretches.as_slice(), [one] if one.text == trimmed(&all.text))
    }

    /// Words of the quote that must all occur in a text that holds it: those that no line end broke.
    pub(crate) fn plain_words(&self) -> String {
        let words = self.stretches.iter().flat_map(|stretch| stretch.text.split(char::is_whitespace));
        words.filter(|word| !word.contains(MAYBE_HYPHEN)).collect::<Vec<_>>().join(" ")
    }

    /// Looks for the quote in `text`. A place where no negation or exception stands directly beside it is preferred.
    pub(crate) fn find_in(&self, text: &str) -> Match {
        let folded = Folded::of(text);
        let Some((first, others)) = self.stretches.split_first() else { return Match::Absent };
        let mut steps = STEPS;
        let (mut beside, mut turned) = (None, None);
        for (number, (from, to)) in places(&folded, text, first, true, 0, &mut steps).into_iter().enumerate()
        {
            if number >= FIRST_PLACES {
                break;
            }
            match chain(&folded, text, others, (from, to), &mut steps) {
                None => {}
                Some(Ok(end)) => {
                    let (start, end) = (folded.original(from, to).0, end);
                    let Some((hidden, edge)) = edge_fault(text, start, end) else {
                        return Match::Whole { from: start, to: end, note: None };
                    };
                    match hidden {
                        Hidden::Negation => {
                            turned.get_or_insert(Match::Turned { reason: edge, from: start, to: end });
                        }
                        Hidden::Exception => {
                            beside.get_or_insert(Match::Whole { from: start, to: end, note: Some(edge) });
                        }
                    }
                }
                Some(Err(fault)) => {
                    turned.get_or_insert(fault);
                }
            }
        }
        beside.or(turned).unwrap_or(Match::Absent)
    }

    /// Where quote and text part: the last words they share, what the text goes on with, what the quote says.
    pub(crate) fn parting(&self, text: &str) -> Option<(String, String, String)> {
        let first = self.stretches.first().filter(|stretch| !stretch.has_maybe_hyphen)?;
        let folded = Folded::of(text);
        let ends: Vec<usize> = first
            .text
            .char_indices()
            .filter(|(_, c)| *c == ' ')
            .map(|(at, _)| at)
            .chain([first.text.len()])
            .collect();
        // A prefix of a prefix is there whenever the longer one is, so the longest is found by halving.
        let shared = ends.partition_point(|&end| folded.text.contains(&first.text[..end]));
        if shared < MIN_QUOTE_WORDS || shared >= ends.len() {
            return None;
        }
        let prefix = &first.text[..ends[shared - 1]];
        let at = folded.text.find(prefix)? + prefix.len();
        let common: Vec<&str> = prefix.split(' ').rev().take(3).collect();
        let common = common.into_iter().rev().collect::<Vec<_>>().join(" ");
        let words =
            |text: &str| text.split(' ').filter(|w| !w.is_empty()).take(4).collect::<Vec<_>>().join(" ");
        let tail = folded.text.get(at..).unwrap_or("");
        Some((common, words(tail), words(&first.text[prefix.len()..])))
    }
}

/// Follows the remaining stretches after the first; the end of the last, or the fault of what is left out.
fn chain(
    folded: &Folded,
    text: &str,
    others: &[WordRun],
    first: (usize, usize),
    steps: &mut usize,
) -> Option<Result<usize, Match>> {
    let start = folded.original(first.0, first.1).0;
    let mut end = first.1;
    let mut fault = None;
    for stretch in others {
        let next = places(folded, text, stretch, false, end, steps);
        // Any later place would do for the order, so one with an honest gap is preferred.
        let gap = |from: usize| {
            let left = folded.original(end.saturating_sub(1), end).1;
            gap_fault(text, left, folded.original(from, from + 1).0)
        };
        let honest = next.iter().take(8).find(|(from, _)| gap(*from).is_none());
        let &(from, to) = honest.or(next.first())?;
        if honest.is_none() && fault.is_none() {
            fault = gap(from);
        }
        end = to;
    }
    let last = folded.original(end.saturating_sub(1), end).1;
    Some(match fault {
        None => Ok(last),
        Some(reason) => Err(Match::Turned { reason, from: start, to: last }),
    })
}

/// What stands directly beside the quote and turns or limits it. A negation decides, so it is named first.
fn edge_fault(text: &str, from: usize, to: usize) -> Option<(Hidden, String)> {
    let after = directly_after(text, to).map(|(hidden, words)| {
        (hidden, format!("the quote stops before {} (\"{words}\"): read on", hidden.name()))
    });
    let before = directly_before(text, from).map(|(hidden, word)| {
        let name = hidden.name();
        (hidden, format!("the quote starts after {name} (\"{word}\"): read what stands before it"))
    });
    match (after, before) {
        (Some((Hidden::Exception, _)), Some(before @ (Hidden::Negation, _))) => Some(before),
        (after, before) => after.or(before),
    }
}

/// What an ellipsis must not hide: a negation or an exception of a sentence that is shown, or in a short gap
/// whatever carries weight there.
fn gap_fault(text: &str, from: usize, to: usize) -> Option<String> {
    if let Some((hidden, words)) = left_out(text, from, to) {
        return Some(format!("the ellipsis leaves out {} (\"{words}\")", hidden.name()));
    }
    let gap = text.get(from..to)?;
    let words: Vec<&str> = gap
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’' || c == '-' || c == '.' || c == ','))
        .map(|word| word.trim_matches(['.', ',', '\'', '’', '-']))
        .filter(|word| !word.is_empty())
        .collect();
    let weighty = words.iter().find(|word| is_modal(word) || word.contains(char::is_numeric));
    let word = weighty.filter(|_| words.len() <= SHORT_GAP)?;
    Some(format!("the ellipsis leaves out \"{word}\""))
}

/// A gap of at most so many words must not hide a modal or a number either.
const SHORT_GAP: usize = 3;

pub(crate) fn is_negation(word: &str) -> bool {
    const WORDS: [&str; 9] = ["not", "no", "never", "neither", "nor", "cannot", "none", "nothing", "without"];
    WORDS.iter().any(|negation| word.eq_ignore_ascii_case(negation))
        || word.ends_with("n't")
        || word.ends_with("n’t")
}

pub(crate) fn is_modal(word: &str) -> bool {
    const WORDS: [&str; 9] = ["shall", "must", "should", "may", "might", "can", "could", "will", "would"];
    WORDS.iter().any(|modal| word.eq_ignore_ascii_case(modal))
}

pub(crate) fn count_words(text: &str) -> usize {
    let words = text.split(|c: char| c.is_whitespace() || c == '-');
    let count = |word: &str| (counted_signs(word) / SIGNS_A_WORD).max(1);
    words.filter(|word| word.contains(char::is_alphanumeric)).map(count).sum()
}

/// Splits at `...`, `[...]`, `(...)`; other bracketed words stay, because they are words the quote adds.
fn split_at_ellipses(folded: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = folded;
    while let Some(at) = rest.find("...") {
        let dots = rest[at..].bytes().take_while(|&b| b == b'.').count();
        let (mut from, mut to) = (at, at + dots);
        let pair = (rest[..from].chars().next_back(), rest[to..].chars().next());
        if matches!(pair, (Some('['), Some(']')) | (Some('('), Some(')'))) {
            from -= 1;
            to += 1;
        }
        parts.push(&rest[..from]);
        rest = &rest[to..];
    }
    parts.push(rest);
    parts
}

/// A stretch without the punctuation that quoting puts around it.
fn trimmed(stretch: &str) -> &str {
    // What closes a sentence or a quotation in other scripts is no word either.
    let other =
        |c: char| matches!(c, '。' | '、' | '「' | '」' | '『' | '』' | '《' | '》' | '।' | '؟' | '،' | '؛');
    let end = |c: char| matches!(c, ' ' | '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '-') || other(c);
    let begin = |c: char| matches!(c, ' ' | '.' | ',' | ';' | ':' | '\'' | '"') || other(c);
    let stretch = stretch.trim_end_matches(end).trim_start_matches(begin);
    match stretch.strip_prefix('-') {
        Some(rest) if !rest.starts_with(|c: char| c.is_ascii_digit()) => rest.trim_start(),
        _ => stretch,
    }
}

/// Every place of `stretch` at word boundaries from `from` on, in order. With `any_case` the first letter may
/// differ in case.
fn places(
    folded: &Folded,
    text: &str,
    stretch: &WordRun,
    any_case: bool,
    from: usize,
    steps: &mut usize,
) -> Vec<(usize, usize)> {
    let mut found = places_of(folded, &stretch.text, stretch.has_maybe_hyphen, from, steps);
    if any_case && let Some(other) = other_case(&stretch.text) {
        found.extend(places_of(folded, &other, stretch.has_maybe_hyphen, from, steps));
        found.sort_unstable();
    }
    found.retain(|&(from, to)| {
        let (start, end) = folded.original(from, to);
        starts_word(text, start) && ends_word(text, end)
    });
    found
}

fn places_of(
    folded: &Folded,
    wanted: &str,
    wanted_maybe: bool,
    from: usize,
    steps: &mut usize,
) -> Vec<(usize, usize)> {
    let hay = folded.text.get(from..).unwrap_or("");
    if !wanted_maybe && !folded.has_maybe_hyphen {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(next) = hay[at..].find(wanted) {
            found.push((from + at + next, from + at + next + wanted.len()));
            if found.len() >= 1_000 {
                break;
            }
            at += next + hay[at + next..].chars().next().map_or(1, char::len_utf8);
        }
        return found;
    }
    let Some(first) = wanted.chars().next() else { return Vec::new() };
    hay.char_indices()
        .filter(|(_, c)| *c == first)
        .filter_map(|(at, _)| same(&hay[at..], wanted, steps).map(|length| (from + at, from + at + length)))
        .collect()
}

/// Bytes of `hay` that `wanted` covers from its start, a broken word's hyphen counting as a hyphen or nothing.
fn same(hay: &str, wanted: &str, steps: &mut usize) -> Option<usize> {
    let mut hay_chars = hay.char_indices().peekable();
    let mut wanted = wanted.chars().peekable();
    while let Some(&want) = wanted.peek() {
        *steps = steps.checked_sub(1)?;
        let have = hay_chars.peek().map(|&(_, c)| c);
        match (have, want) {
            (Some(have), want) if have == want => {
                hay_chars.next();
                wanted.next();
            }
            (Some('-'), MAYBE_HYPHEN) | (Some(MAYBE_HYPHEN), '-') => {
                hay_chars.next();
                wanted.next();
            }
            (_, MAYBE_HYPHEN) => {
                wanted.next();
            }
            (Some(MAYBE_HYPHEN), _) => {
                hay_chars.next();
            }
            _ => return None,
        }
    }
    Some(hay_chars.peek().map_or(hay.len(), |&(at, _)| at))
}

fn other_case(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    let swapped: String =
        if first.is_uppercase() { first.to_lowercase().collect() } else { first.to_uppercase().collect() };
    (swapped != first.to_string() && first.is_alphabetic()).then(|| swapped + &text[first.len_utf8()..])
}
