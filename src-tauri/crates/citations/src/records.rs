//! A record for each sentence of an answer: what it cites, what it names, which links it claims, what may contradict
//! it, and what came of comparing all that with the paragraphs.
//!
//! `verified` is what code can prove: the sentence is one or more whole sentences of what it cites, word for word. A
//! sentence in other words stays `unverified` however good it looks; cheap scores can't tell support from denial.

use std::collections::BTreeSet;

use domain::{
    CitationRecord, ConflictRecord, Digest, EntityRecord, Method, Proof, RelationRecord, SentenceRecord,
    SentenceVerdict, SourceDocument, Verdict,
};
use knowledge::{Base, KnowledgeError};

use super::attribution::misattributed;
use super::claims::{CitedStatement, check_entities};
use super::contradictions::candidates;
use super::links::claimed_links;
use super::quote::Quote;
use super::whole::stands_whole;
use super::{cited, verify};

/// A sentence of an answer with what it cites.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence as the answer has it.
    pub text: String,
    /// The sentence without its citations.
    pub claim: String,
    /// Its citations.
    pub citations: Vec<Cited>,
    /// Whether it names another kind of source: a page, an earlier answer.
    pub elsewhere: bool,
}

/// A citation with the words that it is said to rest on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cited {
    /// The citation as the answer wrote it.
    pub source_ref: String,
    /// The words; empty when none were given.
    pub quote: String,
    /// The paragraph's id, where the program wrote the citation: it stands above what the words of the citation say.
    pub paragraph_id: Option<String>,
}

impl Cited {
    /// What names the paragraph in a base.
    fn place(&self, base: &Base) -> &str {
        self.paragraph_id.as_deref().filter(|id| base.paragraph(id).is_ok()).unwrap_or(&self.source_ref)
    }
}

/// One of the four axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// Citations that exist, are in force and hold the words given for them.
    Citation,
    /// Things named that occur in what is cited.
    Entity,
    /// Links claimed that the graph has.
    Relation,
    /// Sentences that no paragraph seems to contradict.
    Contradiction,
}

impl Axis {
    /// Its name in results and thresholds.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Citation => "citation",
            Self::Entity => "entity",
            Self::Relation => "relation",
            Self::Contradiction => "contradiction",
        }
    }
}

/// How many of an axis' checks held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisCount {
    /// The axis.
    pub axis: Axis,
    /// Checks that held.
    pub held: usize,
    /// Checks made.
    pub checked: usize,
}

impl AxisCount {
    /// The share that held; 1 when there was nothing to check.
    pub fn score(&self) -> f64 {
        if self.checked == 0 { 1.0 } else { self.held as f64 / self.checked as f64 }
    }
}

/// Something that did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The sentence's number.
    pub n: usize,
    /// The axis.
    pub axis: Axis,
    /// The citation, or the sentence's beginning.
    pub item: String,
    /// Why, in a sentence.
    pub reason: String,
}

/// What checking a whole answer found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerCheck {
    /// A record for each sentence, in order.
    pub records: Vec<SentenceRecord>,
    /// The four axes.
    pub axes: [AxisCount; 4],
    /// What did not hold, in order.
    pub unsupported: Vec<Unsupported>,
}

/// A paragraph of one of the bases.
pub(crate) type BaseParagraph<'b> = (&'b Base, usize);

/// Checks every sentence against the paragraphs it cites, on four axes. A citation belongs to the first base that
/// knows it. `also` are ids of further paragraphs that may contradict what is said.
pub fn check_answer(
    bases: &[&Base],
    sentences: &[Sentence],
    also: &[String],
) -> Result<AnswerCheck, KnowledgeError> {
    let mut records = Vec::with_capacity(sentences.len());
    for (at, sentence) in sentences.iter().enumerate() {
        records.push(compared(bases, at + 1, sentence));
    }
    for base in bases {
        contradictions(base, &mut records, also)?;
    }
    for record in &mut records {
        let elsewhere = sentences.get(record.n - 1).is_some_and(|one| one.elsewhere);
        conclude(record, elsewhere);
    }
    let unsupported = records.iter().flat_map(unsupported).collect();
    Ok(AnswerCheck { axes: counted(&records), records, unsupported })
}

/// A record without its conflicts and its verdict.
fn compared(bases: &[&Base], n: usize, sentence: &Sentence) -> SentenceRecord {
    let mut places: Vec<BaseParagraph<'_>> = Vec::new();
    let mut citations = Vec::with_capacity(sentence.citations.len());
    for one in &sentence.citations {
        let known = bases.iter().find_map(|base| Some((*base, cited(base, one.place(base)).ok()?)));
        let Some(base) = known.as_ref().map(|(base, _)| *base).or(bases.first().copied()) else { continue };
        for place in known.map(|(_, places)| places).unwrap_or_default() {
            if !places.iter().any(|(other, at)| std::ptr::eq(*other, base) && *at == place) {
                places.push((base, place));
            }
        }
        citations.push(citation(base, one, &sentence.claim));
    }
    let refs: Vec<String> = sentence.citations.iter().map(|one| one.source_ref.clone()).collect();
    let claim = CitedStatement { text: sentence.claim.clone(), source_refs: refs };
    let in_force = |(base, at): &&BaseParagraph<'_>| !base.paragraphs()[*at].withdrawn;
    let proof = match places
        .iter()
        .filter(in_force)
        .any(|(base, at)| stands_whole(&base.paragraphs()[*at], &sentence.claim, &claim.source_refs))
    {
        true => Proof::Quoted,
        false => Proof::None,
    };
    let (mut entities, mut relations) = (Vec::new(), Vec::new());
    if let Some((base, first)) = places.first() {
        let cited = base.paragraphs()[*first].id.clone();
        relations = claimed_links(base, &sentence.claim, (places.len() == 1).then_some(cited.as_str()));
        // The ends of a link are looked up as what they are; their numbers say nothing else.
        let mut named = claim;
        named.source_refs.extend(relations.iter().flat_map(|one| [one.from.clone(), one.to.clone()]));
        entities = check_entities(&places, &named)
            .into_iter()
            .map(|one| EntityRecord {
                kind: one.entity.kind.as_str().to_owned(),
                found_in: one.found_in.or_else(|| {
                    // A number that is part of the citation points at it: `§ 200.501(c)` for `(2 CFR 200.501(c))`.
                    let points = citations
                        .iter()
                        .any(|cited: &CitationRecord| names(&cited.source_ref, &one.entity.text));
                    points.then(|| cited.clone())
                }),
                text: one.entity.text,
            })
            .collect();
    }
    SentenceRecord {
        n,
        sentence: sentence.text.clone(),
        claim: sentence.claim.clone(),
        citations,
        entities,
        relations,
        conflicts: misattributed(&places, &sentence.claim).into_iter().collect(),
        verdict: SentenceVerdict::Unverified,
        proof,
        method: Method::NoModel,
        reason: String::new(),
        finding: None,
    }
}

/// Whether a citation has a number, and not only a longer one that begins or ends like it.
fn names(source_ref: &str, number: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    number.bytes().any(|byte| byte.is_ascii_digit())
        && source_ref.match_indices(number).any(|(at, _)| {
            let (before, after) = (&source_ref[..at], &source_ref[at + number.len()..]);
            let mut rest = after.chars();
            let next = rest.next();
            let longer = part(before.chars().next_back()) || before.ends_with('.');
            let goes_on = part(next) || (next == Some('.') && part(rest.next()));
            !longer && !goes_on
        })
}

/// One citation looked up and its words compared. Where no words were given, the sentence's own are tried.
fn citation(base: &Base, one: &Cited, claim: &str) -> CitationRecord {
    let mut quote = one.quote.as_str();
    let place = one.place(base);
    let mut found = verify(base, place, quote);
    if quote.trim().is_empty() && found.verdict == Verdict::Unverified {
        let own = verify(base, place, claim);
        if own.verdict == Verdict::Verified {
            (quote, found) = (claim, own);
        }
    }
    let manifest = base.manifest();
    let method = match found.verdict {
        Verdict::Missing | Verdict::Withdrawn | Verdict::Unverified => Method::Lookup,
        Verdict::Verified | Verdict::QuoteMismatch => Method::Quoted,
    };
    let position = found.paragraph_id.as_deref().and_then(|id| base.position(id));
    let text = found.text.as_deref();
    let words = found.range.map(|(from, to)| from..to);
    let place = position.map(|at| &base.paragraphs()[at]).zip(words);
    CitationRecord {
        page: place.as_ref().and_then(|(paragraph, words)| Some(paragraph.pages(words.clone())?.0)),
        label: place.as_ref().and_then(|(paragraph, words)| base.words_label(paragraph, words)),
        source_ref: one.source_ref.clone(),
        base: manifest.base.clone(),
        generation: manifest.generation.clone(),
        document: position.and_then(|at| document_of(base, at)),
        paragraph_sha256: text.map(Digest::of),
        range: found.range.zip(text).map(|((from, to), text)| (characters(text, from), characters(text, to))),
        paragraph_id: found.paragraph_id,
        quote: quote.to_owned(),
        verdict: found.verdict,
        method,
        reason: found.reason,
    }
}

/// Characters before a byte.
fn characters(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |head| head.chars().count())
}

/// The file that a paragraph was taken from.
pub(crate) fn document_of(base: &Base, position: usize) -> Option<SourceDocument> {
    let source = base.manifest().sources.get(base.paragraphs()[position].file as usize)?;
    Some(SourceDocument { name: source.name.clone(), sha256: source.sha256 })
}

/// Looks for sentences that may say the opposite, in what is cited and in the further paragraphs.
fn contradictions(
    base: &Base,
    records: &mut [SentenceRecord],
    also: &[String],
) -> Result<(), KnowledgeError> {
    let manifest = base.manifest();
    let own = |one: &&CitationRecord| one.base == manifest.base && one.generation == manifest.generation;
    let ids: BTreeSet<&str> = records
        .iter()
        .flat_map(|record| record.citations.iter().filter(own))
        .filter_map(|one| one.paragraph_id.as_deref())
        .chain(also.iter().map(String::as_str))
        .filter(|id| base.paragraph(id).is_ok())
        .collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let citing: Vec<usize> =
        (0..records.len()).filter(|&at| records[at].citations.iter().any(|one| own(&one))).collect();
    let claims: Vec<&str> = citing.iter().map(|&at| records[at].claim.as_str()).collect();
    let cited: Vec<Vec<String>> = citing
        .iter()
        .map(|&at| {
            let own = records[at].citations.iter().filter(own);
            own.filter_map(|one| one.paragraph_id.clone()).collect()
        })
        .collect();
    let found = candidates(base, &claims, &ids, &cited)?;
    for one in found {
        records[citing[one.claim]].conflicts.push(ConflictRecord {
            kind: one.kind.as_str().to_owned(),
            paragraph_id: one.paragraph_id,
            stated_in: one.sentence,
            claimed: one.claimed,
            stated: one.stated,
        });
    }
    Ok(())
}

/// The verdict: the surest fault first, proof after that, and what is left is a reader's.
fn conclude(record: &mut SentenceRecord, elsewhere: bool) {
    let of = |verdict| record.citations.iter().find(move |one| one.verdict == verdict);
    let not_found = |one: &&EntityRecord| one.found_in.is_none();
    let (verdict, method, reason) = if record.citations.is_empty() {
        match elsewhere {
            true => (
                SentenceVerdict::Unverified,
                Method::NoModel,
                "it rests on a page or an earlier answer, which no knowledge base holds".to_owned(),
            ),
            false => (SentenceVerdict::Uncited, Method::Lookup, "it cites nothing".to_owned()),
        }
    } else if let Some(one) = of(Verdict::Missing) {
        (SentenceVerdict::Missing, Method::Lookup, one.reason.clone())
    } else if let Some(one) = of(Verdict::Withdrawn) {
        (SentenceVerdict::Withdrawn, Method::Lookup, one.reason.clone())
    } else if let Some(one) = of(Verdict::QuoteMismatch) {
        (SentenceVerdict::Mismatch, Method::Quoted, format!("{}: {}", one.source_ref, one.reason))
    } else if let Some(one) = record.entities.iter().find(not_found) {
        let reason = format!("the {} \"{}\" is not in what it cites", one.kind.replace('_', " "), one.text);
        (SentenceVerdict::Mismatch, Method::NamedThings, reason)
    } else if let Some(one) = record.relations.iter().find(|one| !one.exists) {
        let reason = format!("no cross-reference joins {} and {}", one.from, one.to);
        (SentenceVerdict::Mismatch, Method::Graph, reason)
    } else if let Some(one) = record.conflicts.first() {
        let reason = format!(
            "{} may say otherwise ({}: \"{}\" against \"{}\"): read both",
            one.paragraph_id, one.kind, one.claimed, one.stated
        );
        (SentenceVerdict::Unverified, Method::ConflictCandidate, reason)
    } else if record.proof == Proof::Quoted {
        let reason = "it stands word for word in what it cites".to_owned();
        (SentenceVerdict::Verified, Method::Quoted, reason)
    } else {
        let quoted = record.citations.iter().all(|one| one.verdict == Verdict::Verified);
        let reason = match quoted {
            true => "its quotes and what it names stand there; whether it follows from them needs a reader",
            false => "what it cites exists; it is said in other words, which needs a reader",
        };
        if quoted {
            record.proof = Proof::NamedThings;
        }
        (SentenceVerdict::Unverified, Method::NoModel, reason.to_owned())
    };
    record.verdict = verdict;
    record.method = method;
    record.reason = reason;
}

fn counted(records: &[SentenceRecord]) -> [AxisCount; 4] {
    let count = |axis, results: Vec<bool>| AxisCount {
        axis,
        held: results.iter().filter(|held| **held).count(),
        checked: results.len(),
    };
    let citations = records.iter().flat_map(|one| &one.citations);
    let links: Vec<&RelationRecord> = records.iter().flat_map(|one| &one.relations).collect();
    let compared = records.iter().filter(|one| one.citations.iter().any(|one| one.paragraph_id.is_some()));
    [
        count(Axis::Citation, citations.map(|one| one.verdict == Verdict::Verified).collect()),
        count(
            Axis::Entity,
            records.iter().flat_map(|one| &one.entities).map(|one| one.found_in.is_some()).collect(),
        ),
        count(Axis::Relation, links.iter().map(|one| one.exists).collect()),
        count(Axis::Contradiction, compared.map(|one| one.conflicts.is_empty()).collect()),
    ]
}

fn unsupported(record: &SentenceRecord) -> Vec<Unsupported> {
    let item: String = record.claim.chars().take(200).collect();
    let fault =
        |axis, item: &str, reason: String| Unsupported { n: record.n, axis, item: item.to_owned(), reason };
    let mut found = Vec::new();
    if record.verdict == SentenceVerdict::Uncited {
        found.push(fault(Axis::Citation, &item, record.reason.clone()));
    }
    for one in record.citations.iter().filter(|one| one.verdict != Verdict::Verified) {
        found.push(fault(Axis::Citation, &one.source_ref, one.reason.clone()));
    }
    for one in record.entities.iter().filter(|one| one.found_in.is_none()) {
        let reason = format!("the {} \"{}\" is not in what it cites", one.kind.replace('_', " "), one.text);
        found.push(fault(Axis::Entity, &item, reason));
    }
    for one in record.relations.iter().filter(|one| !one.exists) {
        let reason = format!("no cross-reference joins {} and {}", one.from, one.to);
        found.push(fault(Axis::Relation, &item, reason));
    }
    for one in &record.conflicts {
        let reason = format!(
            "{} may say otherwise ({}: \"{}\" against \"{}\")",
            one.paragraph_id, one.kind, one.claimed, one.stated
        );
        found.push(fault(Axis::Contradiction, &item, reason));
    }
    found
}

/// Whether the words of a quote stand in a stretch of a text from its first character to its last.
pub(crate) fn is_exactly(stretch: &str, quote: &str) -> bool {
    match Quote::new(quote).find_in(stretch) {
        super::quote::Match::Whole { from, to, .. } => {
            let bare = |text: &str| !text.contains(char::is_alphanumeric);
            bare(&stretch[..from]) && bare(&stretch[to..])
        }
        super::quote::Match::Turned { .. } | super::quote::Match::Absent => false,
    }
}
