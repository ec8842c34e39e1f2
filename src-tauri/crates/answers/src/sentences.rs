//! Sentences of the body, and whether each points to a source.

use std::collections::BTreeSet;
use std::ops::Range;

use domain::ends_sentence;
use text_analysis::{counted_signs, is_full_stop, worth_in_words};

use crate::absence::says_absent;
use crate::blocks::{Kind, Leaf, leaves, row_label};
use crate::quoted_words::QuotedWords;
use crate::refs::{Found, Refs, bare, key};
use crate::{body, text};

/// Shorter ones claim nothing that could be checked.
const LEAST_WORDS: usize = 4;

/// A citation that an answer lists, with what it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedCitation {
    /// The citation as the answer wrote it.
    pub source_ref: String,
    /// The statement that it supports.
    pub claim: String,
    /// The words that are said to stand there.
    pub quote: String,
    /// The paragraph's id, where the program wrote the citation.
    pub paragraph_id: Option<String>,
}

/// A citation of a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentenceCitation {
    /// The citation as the sentence has it.
    pub source_ref: String,
    /// The words that the answer's list gives for it; empty where it gives none.
    pub quote: String,
    /// The paragraph's id, where the program wrote the citation.
    pub paragraph_id: Option<String>,
}

/// A sentence of an answer with what it points to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CitedSentence {
    /// The sentence.
    pub text: String,
    /// The sentence without its citations and labels.
    pub claim: String,
    /// Its citations in order; one entry for each of several quotes.
    pub citations: Vec<SentenceCitation>,
    /// Whether it points to a page or to an earlier answer.
    pub labelled: bool,
    /// What its row and column are called, where it stands in a table.
    pub row: Option<String>,
}

/// The sentences of an answer's Markdown as its document has them: those of its prose, and whatever else cites something.
/// Headings, code and Sources blocks hold none. `forms` are example citations, as [`crate::DocumentInput`] has them.
pub fn cited_sentences(markdown: &str, listed: &[ListedCitation], forms: &[String]) -> Vec<CitedSentence> {
    let cleaned = text::clean(markdown);
    let lines = cleaned
        .split('\n')
        .filter(|line| !["WEB_REF|", "PRIOR_REF|"].iter().any(|mark| line.starts_with(mark)));
    let (markdown, _) = body::take_sources(&lines.collect::<Vec<_>>().join("\n"));
    let (markdown, _) = body::take_placeholders(&markdown);
    let refs = Refs::new(listed.iter().map(|one| one.source_ref.as_str()), forms);
    let quotes = QuotedWords::new(listed.iter().map(|one| one.quote.as_str()));
    let mut found = Vec::new();
    let leaves = leaves(&markdown);
    for leaf in leaves.iter().filter(|leaf| leaf.kind != Kind::Heading) {
        let prose = leaf.kind == Kind::Prose && !leaf.quoted;
        let row = row_label(&leaves, leaf);
        let text = text::one_line(&leaf.text);
        for sentence in split(&text) {
            let hits = refs.in_parentheses(sentence, &[], &quotes);
            let cited = |one: &&ListedCitation| {
                hits.iter().any(|hit| key(&sentence[hit.range.clone()]) == key(&one.source_ref))
            };
            let own = QuotedWords::new(listed.iter().filter(cited).map(|one| one.quote.as_str()));
            let labelled = !labels(sentence, &own).is_empty();
            if hits.is_empty() && !(prose && (labelled || claims_something(sentence))) {
                continue;
            }
            let claim = without_citations(sentence, &hits, &own);
            let mut seen = BTreeSet::new();
            let mut citations: Vec<SentenceCitation> = hits
                .iter()
                .map(|hit| sentence[hit.range.clone()].to_owned())
                .filter(|source_ref| seen.insert(key(source_ref)))
                .flat_map(|source_ref| places(&source_ref, &claim, listed))
                .collect();
            if citations.is_empty() {
                citations = quoted(sentence, listed);
            }
            let row = row.clone();
            found.push(CitedSentence { text: sentence.to_owned(), claim, citations, labelled, row });
        }
    }
    found
}

/// A sentence of a Markdown text with its place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentenceSpan {
    /// The sentence as [`CitedSentence::text`] has it.
    pub text: String,
    /// Where it stands in the source.
    pub range: Range<usize>,
}

/// The sentences of a Markdown text that may have a record, in order.
pub(crate) fn sentence_places(markdown: &str, leaves: &[Leaf]) -> Vec<SentenceSpan> {
    let mut found = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.kind != Kind::Heading) {
        for words in split_ranges(&leaf.text) {
            let text = text::one_line(&leaf.text[words.clone()]);
            found.push(SentenceSpan { text, range: leaf.source(markdown, &words) });
        }
    }
    found
}

/// Whether a sentence without a source should have one.
fn claims_something(sentence: &str) -> bool {
    let words = sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    words.map(worth_in_words).sum::<usize>() >= LEAST_WORDS
        && !sentence.ends_with([':', '：'])
        && !is_label(sentence)
        && !says_absent(sentence)
}

/// Whether a short piece names a thing and says nothing of it: `Old system, January to June.` It has no verb: none of the
/// usual ones, and no other word before its end that could be one.
fn is_label(sentence: &str) -> bool {
    const MAX_WORDS: usize = 7;
    const VERBS: [&str; 40] = [
        "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "must", "shall",
        "should", "may", "might", "can", "could", "will", "would", "cannot", "need", "keep", "apply", "hold",
        "test", "use", "give", "take", "make", "get", "set", "see", "ask", "tell", "read", "write", "show",
        "let",
    ];
    let words: Vec<String> = sentence
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '-'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    // Of a script without blanks it is not known which sign is a verb.
    let is_short = words.len() <= MAX_WORDS && counted_signs(sentence) == 0;
    let Some((_, before)) = words.split_last().filter(|_| is_short) else { return false };
    let could_be = |word: &String| {
        let plain = word.len() > 3 && word.chars().all(char::is_alphabetic);
        plain && (word.ends_with("ed") || (word.ends_with('s') && !word.ends_with("ss")))
    };
    !words.iter().any(|word| VERBS.contains(&word.as_str())) && !before.iter().any(could_be)
}

/// The sentence without its citations and labels, and without the parentheses that held nothing else.
fn without_citations(sentence: &str, hits: &[Found], own: &QuotedWords) -> String {
    let mut rest = sentence.to_owned();
    for hit in hits.iter().rev() {
        rest.replace_range(hit.range.clone(), "\u{1}");
    }
    let mut out = String::with_capacity(rest.len());
    let mut at = 0;
    while let Some(open) = rest[at..].find('(').map(|open| at + open) {
        let close = rest[open..].find(')').map(|close| open + close);
        let Some(close) = close else { break };
        let inside = &rest[open + 1..close];
        out.push_str(&rest[at..open]);
        let words = inside.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        let only = inside.contains('\u{1}')
            && words.clone().all(|word| matches!(word, "see" | "also" | "and" | "cf" | "compare"));
        if !only {
            out.push_str(&rest[open..=close]);
        }
        at = close + 1;
    }
    out.push_str(&rest[at..]);
    for (range, _) in label_places(&out, own).into_iter().rev() {
        out.replace_range(range, "");
    }
    let mut tidy = out.replace('\u{1}', "").split_whitespace().collect::<Vec<_>>().join(" ");
    for mark in [".", ",", ";", ":", "!", "?"] {
        tidy = tidy.replace(&format!(" {mark}"), mark);
    }
    tidy
}

/// What the list gives for a citation of a sentence: the entries for this very sentence, else the one whose claim is most
/// like it.
fn places(source_ref: &str, claim: &str, listed: &[ListedCitation]) -> Vec<SentenceCitation> {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
    };
    let place = |one: &ListedCitation| SentenceCitation {
        source_ref: source_ref.to_owned(),
        quote: text::one_line(&one.quote),
        paragraph_id: one.paragraph_id.clone(),
    };
    let of_ref: Vec<&ListedCitation> =
        listed.iter().filter(|one| key(&one.source_ref) == key(source_ref)).collect();
    let own = words(claim);
    let exact: Vec<SentenceCitation> = of_ref
        .iter()
        .filter(|one| !one.claim.is_empty() && words(&one.claim) == own)
        .map(|one| place(one))
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    let own: BTreeSet<String> = own.into_iter().collect();
    let like = |text: &str| words(text).into_iter().collect::<BTreeSet<_>>().intersection(&own).count();
    let mut best: Option<(usize, &ListedCitation)> = None;
    for one in of_ref {
        let like = like(&one.claim) + like(&one.quote);
        if best.is_none_or(|(most, _)| like > most) {
            best = Some((like, one));
        }
    }
    vec![match best {
        Some((_, one)) => place(one),
        None => SentenceCitation { source_ref: source_ref.to_owned(), ..SentenceCitation::default() },
    }]
}

/// The listed citations whose quote a sentence has between quotation marks: it names its source there alone.
fn quoted(sentence: &str, listed: &[ListedCitation]) -> Vec<SentenceCitation> {
    let marks = |c: char| matches!(c, '"' | '\u{201C}' | '\u{201D}');
    if !sentence.contains(marks) {
        return Vec::new();
    }
    let of_sentence = listed.iter().filter(|one| {
        let quote = text::one_line(&one.quote);
        worth_in_words(&quote) >= LEAST_WORDS && sentence.contains(quote.trim_matches(marks))
    });
    let place = |one: &ListedCitation| SentenceCitation {
        source_ref: bare(&one.source_ref).to_owned(),
        quote: text::one_line(&one.quote),
        paragraph_id: one.paragraph_id.clone(),
    };
    of_sentence.map(place).collect()
}

/// The sentences of prose without a citation or a `[W1]`/`[P1]` label. Headings, tables, quotes and code aren't prose; a
/// sentence that ends in a colon announces what follows.
pub(crate) fn uncited(leaves: &[Leaf], refs: &Refs, quotes: &QuotedWords) -> Vec<String> {
    let mut out = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.kind == Kind::Prose && !leaf.quoted) {
        let text = text::one_line(&leaf.text);
        out.extend(
            split(&text)
                .into_iter()
                .filter(|sentence| {
                    claims_something(sentence)
                        && labels(sentence, quotes).is_empty()
                        && refs.in_parentheses(sentence, &[], quotes).is_empty()
                })
                .map(str::to_owned),
        );
    }
    out
}

/// How many sentences of prose say what the sources do not say, besides those that cite something and have a record.
pub(crate) fn absences(markdown: &str, is_recorded: impl Fn(&str) -> bool) -> usize {
    let leaves = leaves(markdown);
    let prose = leaves.iter().filter(|leaf| leaf.kind == Kind::Prose && !leaf.quoted);
    let counted = |sentence: &&&str| says_absent(sentence) && !is_recorded(sentence);
    prose.map(|leaf| split(&text::one_line(&leaf.text)).iter().filter(counted).count()).sum()
}

/// Labels such as `[W1]` and `[P2]` in a text, kind and number, but for those that a document has.
pub(crate) fn labels(text: &str, quotes: &QuotedWords) -> Vec<(char, usize)> {
    label_places(text, quotes).into_iter().map(|(_, label)| label).collect()
}

fn label_places(text: &str, quotes: &QuotedWords) -> Vec<(Range<usize>, (char, usize))> {
    text.match_indices('[')
        .filter_map(|(at, _)| {
            let rest = &text[at + 1..];
            let kind = rest.chars().next().filter(|kind| matches!(kind, 'W' | 'P'))?;
            let digits = rest[1..].bytes().take(5).take_while(u8::is_ascii_digit).count();
            let number = rest[1..=digits].parse().ok()?;
            let place = at..at + digits + 3;
            let is_own = rest[1 + digits..].starts_with(']') && !quotes.hold(&text[place.clone()]);
            is_own.then_some((place, (kind, number)))
        })
        .collect()
}

/// Cuts at full stops, question and exclamation marks; a parenthesis or label after the mark still belongs to the sentence.
/// A quotation is one piece: what closes it stands for all of its sentences.
fn split(text: &str) -> Vec<&str> {
    split_ranges(text).into_iter().map(|range| &text[range]).collect()
}

/// The same by their places.
fn split_ranges(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut depth = 0_u32;
    let mut skip_to = 0;
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '\u{201C}' | '"' => {
                let close = if c == '"' { '"' } else { '\u{201D}' };
                let from = at + c.len_utf8();
                let Some(length) = quotation(&text[from..], c, close) else { continue };
                skip_to = from + length + close.len_utf8();
                if depth == 0 && text[from..from + length].ends_with(is_stop) {
                    let after = text[skip_to..].trim_start();
                    if after.is_empty() || !after.starts_with(char::is_lowercase) {
                        let end = tail(text, skip_to);
                        out.push(start..end);
                        start = end;
                        skip_to = end;
                    }
                }
            }
            '.' | '!' | '?' if depth == 0 && ends_sentence(&text[start..at], c, &text[at + 1..]) => {
                let end = tail(text, at + 1);
                out.push(start..end);
                start = end;
                skip_to = end;
            }
            c if depth == 0 && is_full_stop(c) => {
                let end = tail(text, at + c.len_utf8());
                out.push(start..end);
                start = end;
                skip_to = end;
            }
            _ => {}
        }
    }
    out.push(start..text.len());
    let trimmed = out.into_iter().map(|range| {
        let piece = &text[range.clone()];
        let from = range.start + (piece.len() - piece.trim_start().len());
        from..range.end - (piece.len() - piece.trim_end().len()).min(range.end - from)
    });
    trimmed.filter(|range| !range.is_empty()).collect()
}

/// The length of a quotation behind its opening mark: quotations within it belong to it.
fn quotation(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_u32;
    let outer = text.char_indices().find(|(_, c)| {
        depth += u32::from(*c == open && open != close);
        let closes = *c == close && depth == 0;
        depth -= u32::from(*c == close && depth > 0);
        closes
    });
    outer.map(|(at, _)| at).or_else(|| text.find(close))
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?') || is_full_stop(c)
}

/// The whole sentences that a stretch of a text lies in.
pub(crate) fn around(text: &str, stretch: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let mut starts = vec![0];
    for (at, c) in text.char_indices() {
        let start = starts.last().copied().unwrap_or(0);
        let ends = || {
            is_full_stop(c)
                || (matches!(c, '.' | '!' | '?')
                    && ends_sentence(&text[start.min(at)..at], c, &text[at + 1..]))
        };
        if c == '\n' || ends() {
            let mut end = at + c.len_utf8();
            end += text[end..].len()
                - text[end..].trim_start_matches(['"', '\'', '\u{201D}', '\u{2019}', ')']).len();
            starts.push(end.max(starts.last().copied().unwrap_or(0)));
        }
    }
    starts.push(text.len());
    let from = starts[..starts.partition_point(|&start| start <= stretch.start)].last().copied().unwrap_or(0);
    let to = starts.iter().copied().find(|&start| start >= stretch.end).unwrap_or(text.len());
    let lead = text[from..to].len() - text[from..to].trim_start().len();
    let trail = text[from..to].len() - text[from..to].trim_end().len();
    if from + lead <= to - trail { from + lead..to - trail } else { from..to }
}

/// Where the sentence really ends: after closing quotes and a parenthesis or label that directly follows.
fn tail(text: &str, from: usize) -> usize {
    let mut end = from;
    end += text[end..].len()
        - text[end..].trim_start_matches(['"', '\'', '\u{201D}', '\u{2019}', '*', '_']).len();
    loop {
        let rest = &text[end..];
        let bare = rest.trim_start();
        let close = match bare.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            _ => return end,
        };
        let open = if close == ')' { '(' } else { '[' };
        let mut depth = 0_u32;
        let mut closed = None;
        for (at, c) in bare.char_indices().take(600) {
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    closed = Some(at + 1);
                    break;
                }
            }
        }
        let Some(length) = closed else { return end };
        // "(He then left.) Next" is a sentence of its own; "(ISA 315.12)" is not.
        if bare[..length].trim_end_matches([')', ']']).ends_with(['.', '!', '?']) {
            return end;
        }
        end += rest.len() - bare.len() + length;
        end += text[end..].len() - text[end..].trim_start_matches('.').len();
    }
}

#[cfg(test)]
mod tests;
