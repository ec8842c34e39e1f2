//! Checking citations: does the paragraph exist, is it in force, and does it really say so.
//!
//! [`verify`] checks one quote, [`check_answer`] the sentences of an answer, [`recheck`] an answer that is exported.
//!
//! Architecture invariant: no clock and no randomness; the same base and the same answer give the same verdicts. Text of
//! a base and of an answer is data.

mod attribution;
mod boundary;
mod claims;
mod contradictions;
mod hidden;
mod judge;
mod links;
mod measures;
mod quote;
mod recheck;
mod records;
mod relations;
mod sentences;
mod signs;
mod statement;
mod whole;

use knowledge::{Base, Resolved};
use serde::{Deserialize, Serialize};

pub use claims::{CitedStatement, ClaimCheck, Entity, EntityCheck, EntityKind, verify_entities};
pub use contradictions::{Candidate, ConflictKind, check_contradictions};
pub use domain::Verdict;
pub use judge::{Judge, judge_records};
pub use recheck::{Fault, FaultKind, recheck, stands_at};
pub use records::{AnswerCheck, Axis, AxisCount, Cited, Sentence, Unsupported, check_answer};
pub use relations::{RelationCheck, verify_relation};

use quote::{MIN_QUOTE_IN_WORDS, MIN_QUOTE_WORDS, Match, QUOTE_BYTES, Quote};

/// What checking one citation found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
    /// The paragraph, where it exists; for a citation of a section the one that holds the quote.
    pub paragraph_id: Option<String>,
    /// Bytes of `text` that the quote covers.
    pub range: Option<(usize, usize)>,
    /// The paragraph's text, where it exists.
    pub text: Option<String>,
    /// Another paragraph that holds the quote, when the cited one does not.
    pub also_found_in: Option<String>,
}

/// A row of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchRow {
    /// Anything that tells the rows apart; returned unchanged.
    pub id: serde_json::Value,
    /// The citation as the answer wrote it.
    pub source_ref: String,
    /// The words that are said to be there.
    #[serde(default)]
    pub quote: String,
}

/// A row's verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchVerdict {
    /// The row's id.
    pub id: serde_json::Value,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
}

/// Checks rows one by one, in order.
pub fn verify_batch<'r>(
    base: &'r Base,
    rows: impl IntoIterator<Item = &'r BatchRow> + 'r,
) -> impl Iterator<Item = BatchVerdict> + 'r {
    rows.into_iter().map(|row| {
        let Verification { verdict, reason, .. } = verify(base, &row.source_ref, &row.quote);
        BatchVerdict { id: row.id.clone(), verdict, reason }
    })
}

/// Checks that `quote` stands in the paragraph that `source_ref` names.
///
/// Tolerated: white space, typographic quotation marks and dashes, soft and line-break hyphens, the case of the
/// first letter, punctuation around the quote, and ellipses that leave out nothing decisive. Never tolerated:
/// another word, number, modal, negation or order; an ellipsis that leaves a negation or an exception out of a
/// sentence; a cut directly after a negation or directly before one. Elsewhere a quote may be cut; the reason
/// says when an exception stands directly beside the cut. A citation of a section (`Art. 6`) is checked against
/// its paragraphs; several ids in one citation (`4.3, 4.5`) must all exist and one of them hold the quote.
pub fn verify(base: &Base, source_ref: &str, quote: &str) -> Verification {
    let places = match cited(base, source_ref) {
        Ok(places) => places,
        Err(NotThere(reason)) => {
            return Verification {
                verdict: Verdict::Missing,
                reason,
                paragraph_id: None,
                range: None,
                text: None,
                also_found_in: None,
            };
        }
    };
    let paragraphs = base.paragraphs();
    let in_force: Vec<usize> = places.iter().copied().filter(|&place| !paragraphs[place].withdrawn).collect();
    let Some(&first) = in_force.first() else {
        return withdrawn(base, places.first().copied().unwrap_or_default());
    };
    let answer = |verdict, place: usize, reason: String| Verification {
        verdict,
        reason,
        paragraph_id: Some(paragraphs[place].id.clone()),
        range: None,
        text: Some(paragraphs[place].text.clone()),
        also_found_in: None,
    };
    if quote.len() > QUOTE_BYTES {
        let reason = format!("the quote is longer than {QUOTE_BYTES} bytes: quote less");
        return answer(Verdict::Unverified, first, reason);
    }
    let prepared = Quote::new(quote);
    if prepared.is_empty() {
        return answer(
            Verdict::Unverified,
            first,
            "the paragraph exists; no quote was given to check".into(),
        );
    }
    let whole = in_force.iter().copied().find(|&place| prepared.is_all_of(&paragraphs[place].text));
    if prepared.words() < MIN_QUOTE_WORDS && whole.is_none() {
        let reason = format!("the quote is too short to mean anything: quote at least {MIN_QUOTE_IN_WORDS}");
        return answer(Verdict::Unverified, first, reason);
    }
    let mut turned = None;
    for &place in &in_force {
        let found = match prepared.find_in(&paragraphs[place].text) {
            // The number of an item is no part of its words; it must be the number of this one.
            Match::Absent => unmarked(&paragraphs[place], quote),
            found => found,
        };
        match found {
            Match::Whole { from, to, note } => {
                if let Some(stretch) = prepared.short_stretch() {
                    let reason = format!(
                        "\"{}\" beside an ellipsis is too short to be placed: quote at least {MIN_QUOTE_IN_WORDS} on each side",
                        shown(stretch)
                    );
                    return answer(Verdict::Unverified, place, reason);
                }
                let mut reason = String::from("the paragraph holds the quote");
                if let Some(note) = note {
                    reason.push_str("; ");
                    reason.push_str(&note);
                }
                if let Some(recognised) = &paragraphs[place].recognised {
                    reason.push_str("; ");
                    reason.push_str(&recognised.note(quote));
                }
                let mut found = answer(Verdict::Verified, place, reason);
                found.range = Some((from, to));
                return found;
            }
            Match::Turned { reason, from, to } => {
                turned.get_or_insert((place, reason, from, to));
            }
            Match::Absent => {}
        }
    }
    if let Some((place, reason, from, to)) = turned {
        let mut found = answer(Verdict::QuoteMismatch, place, reason);
        found.range = Some((from, to));
        return found;
    }
    let mut found = answer(Verdict::QuoteMismatch, first, String::new());
    found.also_found_in = elsewhere(base, &prepared, &in_force);
    found.reason = match (&found.also_found_in, prepared.parting(&paragraphs[first].text)) {
        (Some(other), _) => format!("the paragraph does not hold the quote; found in {other} instead"),
        (None, Some((common, text, quote))) if text.is_empty() => {
            format!(
                "after \"{}\" the paragraph ends, the quote goes on with \"{}\"",
                shown(&common),
                shown(&quote)
            )
        }
        (None, Some((common, text, quote))) => format!(
            "after \"{}\" the paragraph reads \"{}\", the quote \"{}\"",
            shown(&common),
            shown(&text),
            shown(&quote)
        ),
        (None, None) => "the paragraph does not hold the quote, and no other one does".into(),
    };
    found
}

/// A quote that begins with the mark of the paragraph's own item, looked for without it.
fn unmarked(paragraph: &knowledge::Paragraph, quote: &str) -> Match {
    let quote = quote.trim_start_matches(['"', '\'', '\u{201C}', '\u{2018}', ' ']);
    let (mark, words) = quote.split_at(domain::list_mark(quote));
    let label = mark.trim_matches(['(', ')', '.']);
    let id = paragraph.id.trim_end_matches(')');
    let own =
        id.strip_suffix(label).is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric()));
    if label.is_empty() || !own { Match::Absent } else { Quote::new(words).find_in(&paragraph.text) }
}

/// Where a quote stands in a text, in bytes, found as [`verify`] finds it; also where its meaning is turned round.
pub fn locate(text: &str, quote: &str) -> Option<(usize, usize)> {
    let quote = Some(quote).filter(|quote| quote.len() <= QUOTE_BYTES).map(Quote::new)?;
    if quote.is_empty() {
        return None;
    }
    match quote.find_in(text) {
        Match::Whole { from, to, .. } | Match::Turned { from, to, .. } => Some((from, to)),
        Match::Absent => None,
    }
}

/// Why a citation names nothing.
struct NotThere(String);

/// The positions that a citation names.
fn cited(base: &Base, source_ref: &str) -> Result<Vec<usize>, NotThere> {
    let missing = NotThere;
    if source_ref.trim().is_empty() {
        return Err(missing("no paragraph was cited".into()));
    }
    let positions = |resolved| match resolved {
        Resolved::Paragraph(position) => vec![position],
        Resolved::Section(members) => members,
    };
    if let Some(resolved) = base.resolve(source_ref) {
        return Ok(positions(resolved));
    }
    let inner = source_ref.trim().trim_start_matches(['(', '[']);
    let inner = if base.resolve(inner).is_some() { inner } else { inner.trim_end_matches([')', ']']) };
    let parts: Vec<&str> = inner
        .split([';', ','])
        .flat_map(|part| part.split(" and "))
        .map(str::trim)
        .filter(|p| !p.is_empty())
        .collect();
    let mut all = Vec::new();
    if (2..=8).contains(&parts.len()) {
        for part in &parts {
            match base.resolve(part) {
                Some(resolved) => all.extend(positions(resolved)),
                None => {
                    return Err(missing(format!(
                        "there is no paragraph \"{}\" in {}",
                        shown(part),
                        base.manifest().title
                    )));
                }
            }
        }
        return Ok(all);
    }
    Err(missing(format!("there is no paragraph \"{}\" in {}", shown(source_ref), base.manifest().title)))
}

fn withdrawn(base: &Base, place: usize) -> Verification {
    let paragraph = &base.paragraphs()[place];
    let reason = if paragraph.superseded_by.is_empty() {
        "the paragraph is no longer in force".into()
    } else {
        format!(
            "the paragraph is no longer in force; its content is now in {}",
            paragraph.superseded_by.join(", ")
        )
    };
    Verification {
        verdict: Verdict::Withdrawn,
        reason,
        paragraph_id: Some(paragraph.id.clone()),
        range: None,
        text: Some(paragraph.text.clone()),
        also_found_in: None,
    }
}

fn elsewhere(base: &Base, quote: &Quote, except: &[usize]) -> Option<String> {
    let paragraphs = base.paragraphs();
    base.words()
        .holding(&quote.plain_words())
        .into_iter()
        .filter(|place| !except.contains(place))
        .find(|&place| matches!(quote.find_in(&paragraphs[place].text), Match::Whole { .. }))
        .map(|place| paragraphs[place].id.clone())
}

/// At most so many characters of a text.
fn clipped(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

/// Words of others in a message of ours: short, and on one line.
fn shown(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect();
    text.trim().to_owned()
}
