//! Sentences of the body, and whether each points to a source.

use crate::blocks::{Kind, Leaf};
use crate::refs::Refs;

/// Words after which a full stop ends no sentence.
const ABBREVIATIONS: [&str; 22] = [
    "e.g", "i.e", "etc", "cf", "vs", "art", "arts", "para", "paras", "no", "nos", "sec", "fig", "mr", "mrs",
    "ms", "dr", "inc", "ltd", "co", "st", "approx",
];
/// Shorter ones claim nothing that could be checked.
const LEAST_WORDS: usize = 4;

/// The sentences of prose without a citation or a `[W1]`/`[P1]` label. Headings, tables, quotes and code aren't prose; a
/// sentence that ends in a colon announces what follows.
pub(crate) fn uncited(leaves: &[Leaf], refs: &Refs) -> Vec<String> {
    let mut out = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.kind == Kind::Prose && !leaf.quoted) {
        let text = crate::text::one_line(&leaf.text);
        out.extend(
            split(&text)
                .into_iter()
                .filter(|sentence| {
                    let words = sentence
                        .split_whitespace()
                        .filter(|word| word.chars().any(char::is_alphanumeric))
                        .count();
                    words >= LEAST_WORDS
                        && !sentence.ends_with(':')
                        && !has_label(sentence)
                        && refs.in_parentheses(sentence, &[]).is_empty()
                })
                .map(str::to_owned),
        );
    }
    out
}

/// Labels such as `[W1]` and `[P2]` in a text: kind and number.
pub(crate) fn labels(text: &str) -> Vec<(char, usize)> {
    text.match_indices('[')
        .filter_map(|(at, _)| {
            let rest = &text[at + 1..];
            let kind = rest.chars().next().filter(|kind| matches!(kind, 'W' | 'P'))?;
            let digits = rest[1..].bytes().take(5).take_while(u8::is_ascii_digit).count();
            let number = rest[1..=digits].parse().ok()?;
            rest[1 + digits..].starts_with(']').then_some((kind, number))
        })
        .collect()
}

fn has_label(text: &str) -> bool {
    !labels(text).is_empty()
}

/// Cuts at full stops, question and exclamation marks; a parenthesis or label after the mark still belongs to the sentence.
/// A quotation is one piece: what closes it stands for all of its sentences.
fn split(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
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
                let Some(length) = text[from..].find(close) else { continue };
                skip_to = from + length + close.len_utf8();
                if depth == 0 && text[from..from + length].ends_with(['.', '!', '?']) {
                    let after = text[skip_to..].trim_start();
                    if after.is_empty() || !after.starts_with(char::is_lowercase) {
                        let end = tail(text, skip_to);
                        out.push(text[start..end].trim());
                        start = end;
                        skip_to = end;
                    }
                }
            }
            '.' | '!' | '?' if depth == 0 && ends(text, start, at, c) => {
                let end = tail(text, at + 1);
                out.push(text[start..end].trim());
                start = end;
                skip_to = end;
            }
            _ => {}
        }
    }
    out.push(text[start..].trim());
    out.retain(|sentence| !sentence.is_empty());
    out
}

fn ends(text: &str, start: usize, at: usize, mark: char) -> bool {
    let after = text[at + 1..].trim_start_matches(['"', '\'', '\u{201D}', '\u{2019}', '*', '_']);
    let Some(next) = after.chars().next() else { return true };
    if !next.is_whitespace() {
        return false;
    }
    if mark != '.' {
        return true;
    }
    let word = text[start..at].rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    if initial || ABBREVIATIONS.contains(&word.as_str()) {
        return false;
    }
    !after.trim_start().starts_with(char::is_lowercase)
}

/// The whole sentences that a stretch of a text lies in.
pub(crate) fn around(text: &str, stretch: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let mut starts = vec![0];
    for (at, c) in text.char_indices() {
        if c == '\n'
            || (matches!(c, '.' | '!' | '?') && ends(text, starts.last().copied().unwrap_or(0), at, c))
        {
            let mut end = at + 1;
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
mod tests {
    use super::*;
    use crate::blocks::leaves;
    use pretty_assertions::assert_eq;

    #[test]
    fn sentences_without_a_source_are_found_and_only_those() {
        let text = "The auditor shall plan the work (ISA 300.2). Nobody says why this holds. That follows, e.g. from practice. (ISA 300.3) Rates rose last year [W1]. Short one.\n\n- A list item with no source at all\n- Another one, with it (ISA 300.2)\n\n> A quote that claims many things.\n\nThe steps are these three:\n";
        let refs = Refs::new(["ISA 300.2"].into_iter(), &[]);
        assert_eq!(
            uncited(&leaves(text), &refs),
            ["Nobody says why this holds.", "A list item with no source at all"]
        );
    }

    #[test]
    fn a_quotation_closed_by_one_citation_is_cited_as_a_whole() {
        let text = "\u{201C}The first thing holds here. The second thing holds too.\u{201D} (ISA 300.2) Nobody says why that is.\n\n- \"One more thing is said. And then another one.\" (ISA 300.2)\n- \u{201C}This one is said. Without any source at all.\u{201D}\n";
        let refs = Refs::new(["ISA 300.2"].into_iter(), &[]);
        assert_eq!(
            uncited(&leaves(text), &refs),
            ["Nobody says why that is.", "\u{201C}This one is said. Without any source at all.\u{201D}"]
        );
    }

    #[test]
    fn labels_are_read_with_their_numbers() {
        assert_eq!(labels("a [W1] [P12] [X1] [W] [W1x] [W"), [('W', 1), ('P', 12)]);
    }
}
