//! The citations of one document: what was claimed, what was checked, the paragraphs' texts, and their numbers.

use std::collections::BTreeMap;
use std::ops::Range;

use domain::Verdict;
use serde::Serialize;

use crate::quoted_words::QuotedWords;
use crate::refs::{Refs, key};
use crate::verification::{SourceText, Verification};
use crate::{DocumentInput, json, sentences, text, verification};

/// One claim made with a citation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What the answer claims.
    pub claim: String,
    /// The words it says are in the paragraph.
    pub quote: String,
    /// What checking found.
    pub verdict: Verdict,
    /// Why; when verified, what a reader of the quote should know, if anything.
    pub reason: String,
    /// Where the quote stands in the paragraph's text, in bytes, when it is verified.
    #[serde(skip)]
    pub(crate) place: Option<Range<usize>>,
}

/// One cited paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// Its number in the document, from 1; its anchor is `cite-<number>`.
    pub number: usize,
    /// The citation as first written.
    pub source_ref: String,
    /// How a reader finds it, where the citation says little: its file and the place in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The worst verdict of its checks: a mark in the text can't say which of several claims it is for.
    pub verdict: Verdict,
    /// Why it isn't verified, or what a reader of the quote should know.
    pub reason: String,
    /// Whether it was among the citations that were checked.
    pub checked: bool,
    /// Whether the body cites it.
    pub in_body: bool,
    /// The paragraph's id, where it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph_id: Option<String>,
    /// The paragraph's text, where it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file and the page that it was taken from, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Where verified quotes stand in `text`, in bytes, in order, apart from each other.
    pub marks: Vec<Range<usize>>,
    /// The claims made with it.
    pub checks: Vec<Check>,
}

/// The marks behind citations that are not verified.
pub(crate) const MARKS: [&str; 5] = [
    "[unverified]",
    "[unverified: no such paragraph]",
    "[unverified: withdrawn]",
    "[unverified: quote not found]",
    "[unverified: not checked]",
];

impl Citation {
    /// What a reader is shown for it.
    pub fn name(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.source_ref)
    }

    /// The file and the page, unless its name says them.
    pub(crate) fn place_beside(&self) -> Option<&str> {
        self.place.as_deref().filter(|place| !self.name().contains(place))
    }

    /// The anchor its links lead to.
    pub fn anchor(&self) -> String {
        format!("cite-{}", self.number)
    }

    /// What stands behind it in the text when it isn't verified.
    pub fn mark(&self) -> Option<&'static str> {
        match (self.checked, self.verdict) {
            (true, Verdict::Verified) => None,
            (true, Verdict::Unverified) => Some(MARKS[0]),
            (true, Verdict::Missing) => Some(MARKS[1]),
            (true, Verdict::Withdrawn) => Some(MARKS[2]),
            (true, Verdict::QuoteMismatch) => Some(MARKS[3]),
            (false, _) => Some(MARKS[4]),
        }
    }

    /// The text cut into pieces, each with whether it is a quoted one.
    pub(crate) fn pieces(&self) -> Vec<(&str, bool)> {
        match self.text.as_deref() {
            Some(text) => pieces(text, 0..text.len(), &self.marks),
            None => Vec::new(),
        }
    }

    /// What checking found, in words: "verified", or why it is not.
    pub(crate) fn verdict_line(&self) -> String {
        match self.mark() {
            None => "verified".to_owned(),
            Some(mark) if self.reason.is_empty() => mark.trim_matches(['[', ']']).to_owned(),
            Some(_) => format!("unverified: {}", self.reason),
        }
    }

    /// What a section rests on in the paragraph, unless its text has these words already.
    pub(crate) fn quotes_for(&self, markdown: &str) -> Vec<&str> {
        if self.mark().is_none() && self.quoted_in(markdown) {
            return Vec::new();
        }
        self.quotes_in(markdown)
    }

    /// The quotes that a section uses; where nothing was verified, the words that were claimed.
    pub(crate) fn quotes_in(&self, markdown: &str) -> Vec<&str> {
        let verified: Vec<&str> = match &self.text {
            Some(text) => self.used_in(markdown).into_iter().filter_map(|place| text.get(place)).collect(),
            None => Vec::new(),
        };
        let claimed = self.checks.iter().map(|check| check.quote.as_str()).find(|quote| !quote.is_empty());
        if verified.is_empty() { claimed.into_iter().collect() } else { verified }
    }

    /// Where the quotes stand that a section uses; every quote where it uses none of them word for word.
    pub(crate) fn used_in(&self, markdown: &str) -> Vec<Range<usize>> {
        let places = self.places_in(markdown);
        if places.is_empty() { self.marks.clone() } else { places }
    }

    /// Whether a section holds one of the quotes word for word.
    pub(crate) fn quoted_in(&self, markdown: &str) -> bool {
        !self.places_in(markdown).is_empty()
    }

    fn places_in(&self, markdown: &str) -> Vec<Range<usize>> {
        let section = text::one_line(&markdown.replace(['\\', '*'], ""));
        let used = self.checks.iter().filter(|check| {
            let words = check.quote.trim_matches(|c: char| !c.is_alphanumeric());
            !words.is_empty() && section.contains(words)
        });
        apart(used.filter_map(|check| check.place.clone()).collect())
    }

    /// Whole sentences of the text around what a section quotes; `None` without quotes or when the excerpts would be
    /// nearly all of the text.
    pub(crate) fn excerpts(&self, markdown: &str) -> Option<Excerpts<'_>> {
        let text = self.text.as_deref()?;
        let places = self.used_in(markdown);
        let around = apart(places.iter().map(|place| sentences::around(text, place)).collect());
        let (first, last) = (around.first()?, around.last()?);
        let shown: usize = around.iter().map(|range| range.len()).sum();
        if shown * 10 > text.len() * 9 {
            return None;
        }
        Some(Excerpts {
            after_more: !text[..first.start].trim().is_empty(),
            before_more: !text[last.end..].trim().is_empty(),
            parts: around.into_iter().map(|range| pieces(text, range, &places)).collect(),
        })
    }
}

/// Parts of a paragraph's text, in order.
pub(crate) struct Excerpts<'t> {
    /// Whether text stands before the first part.
    pub after_more: bool,
    /// Whether text stands behind the last part.
    pub before_more: bool,
    /// Each part in pieces, each with whether it is a quoted one.
    pub parts: Vec<Vec<(&'t str, bool)>>,
}

/// A verdict in words.
pub(crate) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "verified",
        Verdict::Missing => "no such paragraph",
        Verdict::Withdrawn => "withdrawn",
        Verdict::QuoteMismatch => "quote not found",
        Verdict::Unverified => "unverified",
    }
}

fn severity(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Verified => 0,
        Verdict::Unverified => 1,
        Verdict::QuoteMismatch => 2,
        Verdict::Withdrawn => 3,
        Verdict::Missing => 4,
    }
}

/// Citations while a document is built.
#[derive(Debug, Default)]
pub(crate) struct CitationIndex {
    entries: Vec<Citation>,
    by_key: BTreeMap<String, usize>,
    numbered: usize,
}

impl CitationIndex {
    pub(crate) fn new(input: &DocumentInput, checks: &Verification) -> Self {
        let mut book = Self::default();
        let mut used = vec![false; checks.results.len()];
        for citation in verification::list(input.answer.get("citations")) {
            let Some(source_ref) = json::text_of(citation, &["source_ref", "sourceRef", "ref"]) else {
                continue;
            };
            let claim = text::one_line(&json::text_of(citation, &["claim"]).unwrap_or_default());
            let quote = text::one_line(&json::text_of(citation, &["quote"]).unwrap_or_default());
            let same_ref = |index: &usize| {
                key(&text::one_line(&checks.results[*index].source_ref)) == key(&text::one_line(&source_ref))
            };
            let same_quote =
                |index: &usize| same_ref(index) && text::one_line(&checks.results[*index].quote) == quote;
            let all = 0..checks.results.len();
            let found = all
                .clone()
                .find(|index| !used[*index] && same_quote(index))
                .or_else(|| all.clone().find(same_quote));
            // A result for the same paragraph but other words says nothing of these words, unless there are none to check.
            let found = found
                .or_else(|| all.clone().find(|index| quote.is_empty() && !used[*index] && same_ref(index)));
            let index = book.entry(&source_ref);
            match found {
                Some(result) => {
                    used[result] = true;
                    book.check(index, &checks.results[result], claim);
                }
                None => book.entries[index].checks.push(Check {
                    claim,
                    quote,
                    verdict: Verdict::Unverified,
                    reason: "it was not checked".to_owned(),
                    place: None,
                }),
            }
        }
        for (result, _) in checks.results.iter().zip(&used).filter(|(_, used)| !**used) {
            let index = book.entry(&result.source_ref);
            book.check(index, result, String::new());
        }
        let retrieved: Vec<SourceText> =
            verification::list(input.paragraphs.as_ref()).iter().filter_map(SourceText::read).collect();
        for source in &checks.source_texts {
            book.entry(&source.source_ref);
        }
        for source in checks.source_texts.iter().chain(&retrieved) {
            book.fill(source);
        }
        for entry in &mut book.entries {
            entry.marks = apart(std::mem::take(&mut entry.marks));
            if let Some(worst) = entry.checks.iter().max_by_key(|check| severity(check.verdict)) {
                entry.verdict = worst.verdict;
                entry.reason = worst.reason.clone();
            }
        }
        book
    }

    /// The entry of a citation, made when there is none.
    pub(crate) fn entry(&mut self, source_ref: &str) -> usize {
        let source_ref = text::one_line(source_ref);
        let key = key(&source_ref);
        if let Some(index) = self.by_key.get(&key) {
            return *index;
        }
        self.by_key.insert(key, self.entries.len());
        self.entries.push(Citation {
            number: 0,
            source_ref,
            label: None,
            verdict: Verdict::Unverified,
            reason: "it was not among the citations that were checked".to_owned(),
            checked: false,
            in_body: false,
            paragraph_id: None,
            text: None,
            place: None,
            marks: Vec::new(),
            checks: Vec::new(),
        });
        self.entries.len() - 1
    }

    fn check(&mut self, index: usize, result: &domain::CheckedCitation, claim: String) {
        let entry = &mut self.entries[index];
        entry.checked = true;
        entry.paragraph_id =
            entry.paragraph_id.take().or_else(|| result.paragraph_id.as_deref().map(text::one_line));
        if entry.text.is_none() {
            entry.text = result.text.as_deref().map(text::clean).filter(|text| !text.trim().is_empty());
        }
        let verified = result.verdict == Verdict::Verified;
        let mut place = None;
        if verified && let Some(own) = &entry.text {
            let from_offsets = result.text.as_deref().and_then(|raw| {
                let (start, end) = (result.start?, result.end?);
                let range = text::clean(raw.get(..start)?).len()..text::clean(raw.get(..end)?).len();
                (range.start < range.end && own.get(range.clone()).is_some()).then_some(range)
            });
            let quote = text::clean(&result.quote);
            let quote = quote.trim();
            let from_words = || {
                let start = own.find(quote).filter(|_| !quote.is_empty())?;
                Some(start..start + quote.len())
            };
            place = from_offsets.or_else(from_words);
            entry.marks.extend(place.clone());
        }
        let reason = text::one_line(&result.reason);
        entry.checks.push(Check {
            claim,
            quote: text::one_line(&result.quote),
            verdict: result.verdict,
            reason: match (verified, reason.is_empty()) {
                (true, _) => reason.split_once("; ").map(|(_, note)| note.to_owned()).unwrap_or_default(),
                (false, true) => verdict_word(result.verdict).to_owned(),
                (false, false) => reason,
            },
            place,
        });
    }

    /// Gives an entry the paragraph's text where checking gave none.
    fn fill(&mut self, source: &SourceText) {
        let by_id = source
            .id
            .as_deref()
            .and_then(|id| self.entries.iter().position(|entry| entry.paragraph_id.as_deref() == Some(id)));
        let Some(index) = self.by_key.get(&key(&source.source_ref)).copied().or(by_id) else { return };
        let entry = &mut self.entries[index];
        if entry.place.is_none() {
            entry.place.clone_from(&source.place);
        }
        if entry.label.is_none() {
            entry.label.clone_from(&source.label);
        }
        if entry.text.is_none() && !source.text.trim().is_empty() {
            let own = text::clean(&source.text);
            for check in entry
                .checks
                .iter_mut()
                .filter(|check| check.verdict == Verdict::Verified && !check.quote.is_empty())
            {
                if let Some(start) = own.find(&check.quote) {
                    check.place = Some(start..start + check.quote.len());
                    entry.marks.extend(check.place.clone());
                }
            }
            entry.text = Some(own);
        }
        if entry.paragraph_id.is_none() && entry.text.is_some() {
            entry.paragraph_id.clone_from(&source.id);
        }
    }

    /// What finds these citations in text; indices are entries.
    pub(crate) fn refs(&self, forms: &[String]) -> Refs {
        Refs::new(self.entries.iter().map(|entry| entry.source_ref.as_str()), forms)
    }

    /// The words that the citations are said to rest on.
    pub(crate) fn quotes(&self) -> QuotedWords {
        quotes_of(&self.entries)
    }

    /// Marks an entry as cited by the body and gives it its number.
    pub(crate) fn cite(&mut self, index: usize) -> &Citation {
        let entry = &mut self.entries[index];
        entry.in_body = true;
        if entry.number == 0 {
            self.numbered += 1;
            entry.number = self.numbered;
        }
        &self.entries[index]
    }

    /// The citations that the body or the answer's list names, by number.
    pub(crate) fn finish(mut self) -> Vec<Citation> {
        self.entries.retain(|entry| entry.in_body || !entry.checks.is_empty());
        for entry in &mut self.entries {
            if entry.number == 0 {
                self.numbered += 1;
                entry.number = self.numbered;
            }
        }
        self.entries.sort_by_key(|entry| entry.number);
        self.entries
    }
}

/// The words that citations are said to rest on.
pub(crate) fn quotes_of(citations: &[Citation]) -> QuotedWords {
    QuotedWords::new(citations.iter().flat_map(|one| &one.checks).map(|check| check.quote.as_str()))
}

/// A part of a text cut at its marks, each piece with whether it is a marked one.
fn pieces<'t>(text: &'t str, part: Range<usize>, marks: &[Range<usize>]) -> Vec<(&'t str, bool)> {
    let mut out = Vec::new();
    let mut at = part.start;
    for mark in marks.iter().filter(|mark| mark.start >= part.start && mark.end <= part.end) {
        out.push((&text[at..mark.start], false));
        out.push((&text[mark.clone()], true));
        at = mark.end;
    }
    out.push((&text[at..part.end], false));
    out.retain(|(piece, _)| !piece.is_empty());
    out
}

/// Ranges in order, those that touch made one.
fn apart(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}
