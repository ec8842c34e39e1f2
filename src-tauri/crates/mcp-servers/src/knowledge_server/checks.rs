//! Answering calls that check what an answer says.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use answers::{CitedSentence, ListedCitation};
use citations::{
    Cited, CitedStatement, Sentence, Verdict, check_answer, check_contradictions, verify, verify_entities,
    verify_relation,
};
use domain::{Digest, SentenceRecord, SentenceVerdict};
use knowledge::{Base, KnowledgeError};
use serde_json::Value;

use super::calls::{LIST, ResultAllowance, ToolError, base_of, bases_of, bounded, own, stamp, written};
use super::params::{
    AnswerParams, CitationsParams, ClaimsParams, ContradictionParams, PairsParams, SentenceParam, Words,
};
use super::results::{
    AnswerOut, AxisOut, CandidateOut, CheckedOut, CitationsOut, CitedParagraphOut, ClaimOut, ClaimsOut,
    ContradictionsOut, EntityOut, EvidenceOut, FaultOut, PairOut, RelationOut, RelationsOut, SourceTextOut,
    UnsupportedOut,
};
use super::table::Call;
use super::work::Work;

pub(super) fn citations(work: &Work<'_>, call: Call, params: CitationsParams) -> Result<Value, ToolError> {
    bounded("citations", params.citations.len(), SENTENCES)?;
    let bases = bases_of(work, call, params.base.as_deref())?;
    let mut room = ResultAllowance::of_document();
    let (mut results, mut unsupported, mut source_texts) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    let mut quoted: BTreeMap<String, (&Base, Vec<Range<usize>>)> = BTreeMap::new();
    let mut verified = 0;
    let total = params.citations.len();
    for (number, citation) in params.citations.into_iter().enumerate() {
        work.step(number, total)?;
        let quote = citation.quote.unwrap_or_default();
        let looked_up = |base: &Base| {
            let id = citation.paragraph_id.as_deref().filter(|id| base.paragraph(id).is_ok());
            verify(base, id.unwrap_or(&citation.source_ref), &quote)
        };
        // A citation belongs to the first base that knows it.
        let known =
            bases.iter().map(|base| (base, looked_up(base))).find(|(_, found)| found.paragraph_id.is_some());
        let (base, found) = match known {
            Some((base, found)) => (base.as_ref(), found),
            None => (own(&bases)?, looked_up(own(&bases)?)),
        };
        if found.verdict == Verdict::Verified {
            verified += 1;
        } else {
            unsupported
                .push(UnsupportedOut { item: citation.source_ref.clone(), reason: found.reason.clone() });
        }
        // A text that was cut could not be compared with the offsets, so it is left out instead.
        let text = found.text.and_then(|text| match room.fit(&text) {
            (_, true) => None,
            (text, false) => Some(text),
        });
        if let (Some(id), Some(text)) = (&found.paragraph_id, &text)
            && seen.insert(id.clone())
        {
            let paragraph = base.paragraph(id).ok();
            let pages = paragraph.and_then(knowledge::Paragraph::all_pages);
            let page = pages.map(|pages| pages.0);
            let file = paragraph.and_then(|paragraph| base.file(paragraph));
            let file = file.filter(|_| page.is_some() || base.manifest().sources.len() > 1);
            source_texts.push(SourceTextOut {
                id: id.clone(),
                reference: base.citation(id),
                label: paragraph.and_then(|paragraph| base.file_label(paragraph)),
                text: text.clone(),
                file: file.map(|file| base.shown_name(file).to_owned()),
                page,
                to_page: pages.map(|pages| pages.1).filter(|last| Some(*last) != page),
            });
        }
        // What is cited without words is cited as a whole.
        let whole = quote.trim().is_empty().then(|| text.as_ref().map(|text| (0, text.len()))).flatten();
        let place = found.range.filter(|_| found.verdict == Verdict::Verified).or(whole);
        if let (Some(id), Some((from, to))) = (&found.paragraph_id, place) {
            quoted.entry(id.clone()).or_insert_with(|| (base, Vec::new())).1.push(from..to);
        }
        results.push(CheckedOut {
            source_ref: citation.source_ref,
            quote,
            verdict: found.verdict,
            reason: found.reason,
            paragraph_id: found.paragraph_id,
            text,
            start: found.range.map(|range| range.0),
            end: found.range.map(|range| range.1),
            also_found_in: found.also_found_in,
        });
    }
    for source in &mut source_texts {
        let Some((base, places)) = quoted.get(&source.id) else { continue };
        pinpoint(source, base, places);
    }
    let (name, generation) = stamp(own(&bases)?);
    written(&CitationsOut {
        results,
        verified,
        total,
        score: share(verified, total),
        unsupported,
        source_texts,
        base: name,
        generation,
    })
}

pub(super) fn entities(work: &Work<'_>, call: Call, params: ClaimsParams) -> Result<Value, ToolError> {
    bounded("claims", params.claims.len(), LIST)?;
    let bases = bases_of(work, call, params.base.as_deref())?;
    let (mut results, mut unsupported) = (Vec::new(), Vec::new());
    let (mut found, mut named) = (0, 0);
    let total = params.claims.len();
    for (number, param) in params.claims.into_iter().enumerate() {
        work.step(number, total)?;
        let mut source_refs = param.source_refs;
        source_refs.extend(param.source_ref);
        bounded("source_refs", source_refs.len(), LIST)?;
        let claim = CitedStatement { text: param.text, source_refs };
        let checks = bases.iter().map(|base| verify_entities(base, &claim));
        // The first base of those that know the most of what is cited.
        let Some(check) = checks.min_by_key(|check| check.missing.len()) else { continue };
        let score = check.score();
        let (mut held, mut not_held) = (Vec::new(), Vec::new());
        for one in check.entities {
            let kind = one.entity.kind.as_str();
            named += 1;
            let out = EntityOut { kind: kind.into(), text: one.entity.text, found_in: one.found_in };
            if out.found_in.is_some() {
                found += 1;
                held.push(out);
            } else {
                unsupported.push(UnsupportedOut {
                    item: claim.text.chars().take(200).collect(),
                    reason: format!("the {kind} \"{}\" is not in the cited paragraphs", out.text),
                });
                not_held.push(out);
            }
        }
        results.push(ClaimOut {
            text: claim.text,
            supported: held,
            unsupported: not_held,
            missing: check.missing,
            score,
        });
    }
    let (name, generation) = stamp(own(&bases)?);
    written(&ClaimsOut { results, score: share(found, named), unsupported, base: name, generation })
}

pub(super) fn relations(work: &Work<'_>, call: Call, params: PairsParams) -> Result<Value, ToolError> {
    bounded("pairs", params.pairs.len(), LIST)?;
    let bases = bases_of(work, call, params.base.as_deref())?;
    let (mut results, mut unsupported) = (Vec::new(), Vec::new());
    let total = params.pairs.len();
    for (number, pair) in params.pairs.into_iter().enumerate() {
        work.step(number, total)?;
        let known: Option<&Base> =
            bases.iter().find(|base| base.paragraph(&pair.from).is_ok()).map(AsRef::as_ref);
        let out = match verify_relation(known.map_or_else(|| own(&bases), Ok)?, &pair.from, &pair.to) {
            Ok(check) => RelationOut {
                from: check.from,
                to: check.to,
                exists: check.exists,
                kinds: check.kinds,
                forward: check.forward,
                through: check.through,
                problem: None,
            },
            Err(error @ KnowledgeError::UnknownParagraph { .. }) => RelationOut {
                from: pair.from,
                to: pair.to,
                exists: false,
                kinds: Vec::new(),
                forward: false,
                through: Vec::new(),
                problem: Some(error.to_string()),
            },
            Err(error) => return Err(error.into()),
        };
        if !out.exists {
            let reason = out.problem.clone().unwrap_or_else(|| "no link joins them".into());
            unsupported.push(UnsupportedOut { item: format!("{} - {}", out.from, out.to), reason });
        }
        results.push(out);
    }
    let linked = results.iter().filter(|one| one.exists).count();
    let (name, generation) = stamp(own(&bases)?);
    written(&RelationsOut {
        score: share(linked, results.len()),
        results,
        unsupported,
        base: name,
        generation,
    })
}

pub(super) fn contradictions(
    work: &Work<'_>,
    call: Call,
    params: ContradictionParams,
) -> Result<Value, ToolError> {
    bounded("claims", params.claims.len(), LIST)?;
    bounded("paragraph_ids", params.paragraph_ids.len(), LIST)?;
    let bases = bases_of(work, call, params.base.as_deref())?;
    let claims: Vec<String> = params.claims.into_iter().map(Words::into_text).collect();
    let (mut found, mut missing) = (Vec::new(), params.paragraph_ids);
    for base in &bases {
        let (known, unknown): (Vec<String>, Vec<String>) =
            missing.into_iter().partition(|id| base.paragraph(id).is_ok());
        found.extend(check_contradictions(base, &claims, &known)?);
        missing = unknown;
    }
    let touched: BTreeSet<usize> = found.iter().map(|one| one.claim).collect();
    let mut unsupported = Vec::new();
    let candidates = found
        .into_iter()
        .map(|one| {
            let kind = one.kind.as_str();
            unsupported.push(UnsupportedOut {
                item: claims[one.claim].chars().take(200).collect(),
                reason: format!(
                    "{} may say otherwise ({kind}: \"{}\" against \"{}\")",
                    one.paragraph_id, one.claimed, one.stated
                ),
            });
            CandidateOut {
                claim: one.claim,
                paragraph_id: one.paragraph_id,
                sentence: one.sentence,
                kind: kind.into(),
                claimed: one.claimed,
                stated: one.stated,
                overlap: one.overlap,
            }
        })
        .collect();
    let (name, generation) = stamp(own(&bases)?);
    written(&ContradictionsOut {
        candidates,
        score: share(claims.len() - touched.len(), claims.len()),
        missing,
        unsupported,
        base: name,
        generation,
    })
}

/// Names the place of a paragraph's quoted words: their item and their pages.
fn pinpoint(source: &mut SourceTextOut, base: &Base, places: &[Range<usize>]) {
    let Ok(paragraph) = base.paragraph(&source.id) else { return };
    source.label = base.places_label(paragraph, places);
    let first = places.iter().map(|place| place.start).min().unwrap_or_default();
    let last = places.iter().map(|place| place.end).max().unwrap_or_default();
    let pages = paragraph.pages(first..last);
    source.page = pages.map(|pages| pages.0);
    source.to_page = pages.filter(|(first, last)| first != last).map(|pages| pages.1);
}

/// Sentences, listed citations and paragraphs of one answer: a memorandum of 100,000 words has about 6,000 sentences.
const SENTENCES: usize = 20_000;
const ANSWER_BYTES: usize = 2 << 20;
const BASES: usize = 8;

pub(super) fn answer(work: &Work<'_>, call: Call, params: AnswerParams) -> Result<Value, ToolError> {
    bounded("synthesis, in bytes", params.synthesis.len(), ANSWER_BYTES)?;
    bounded("citations", params.citations.len(), SENTENCES)?;
    bounded("paragraph_ids", params.paragraph_ids.len(), SENTENCES)?;
    bounded("bases", params.bases.len(), BASES)?;
    let mut bases = bases_of(work, call, params.base.as_deref())?;
    let (name, generation) = stamp(own(&bases)?);
    for name in params.bases.iter().filter(|_| call.any_base) {
        let base = base_of(work, call, Some(name))?;
        if !bases.iter().any(|one| one.manifest().base == base.manifest().base) {
            bases.push(base);
        }
    }
    let bases: Vec<&Base> = bases.iter().map(AsRef::as_ref).collect();
    let mut sentences: Vec<Sentence> = params.sentences.into_iter().map(given).collect();
    let mut rows: Vec<Option<String>> = vec![None; sentences.len()];
    let listed: Vec<ListedCitation> = params
        .citations
        .into_iter()
        .map(|one| ListedCitation {
            source_ref: one.source_ref,
            claim: one.claim.unwrap_or_default(),
            quote: one.quote.unwrap_or_default(),
            paragraph_id: one.paragraph_id,
        })
        .collect();
    // Citations are recognised by an example of each form: `Primer 1` of `(Primer {id})`.
    let example = |base: &&Base| base.manifest().citation.trim_matches(['(', ')']).replace("{id}", "1");
    let forms: Vec<String> = bases.iter().map(example).collect();
    for mut one in answers::cited_sentences(&params.synthesis, &listed, &forms) {
        rows.push(one.row.take());
        sentences.push(found(one));
    }
    bounded("sentences", sentences.len(), SENTENCES)?;
    work.step(0, 1)?;
    let check = check_answer(&bases, &sentences, &params.paragraph_ids)?;
    let mut verdicts = BTreeMap::new();
    for record in &check.records {
        let word = serde_json::to_value(record.verdict)?;
        *verdicts.entry(word.as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let axes = check.axes.iter().map(|one| AxisOut {
        axis: one.axis.as_str().into(),
        held: one.held,
        checked: one.checked,
        score: one.score(),
    });
    let unsupported = check.unsupported.into_iter().map(|one| FaultOut {
        n: one.n,
        axis: one.axis.as_str().into(),
        item: one.item,
        reason: one.reason,
    });
    let (pairs, evidence) = pairs(&bases, &check.records, &rows);
    written(&AnswerOut {
        axes: axes.collect(),
        scores: check.axes.iter().map(|one| (one.axis.as_str().to_owned(), one.score())).collect(),
        verdicts,
        unsupported: unsupported.collect(),
        pairs,
        evidence,
        records: check.records,
        base: name,
        generation,
    })
}

/// The statements that were left to a reader, with what they cite; `rows` are what their rows and columns are called.
fn pairs(
    bases: &[&Base],
    records: &[SentenceRecord],
    rows: &[Option<String>],
) -> (Vec<PairOut>, Vec<CitedParagraphOut>) {
    let open = || records.iter().filter(|record| record.verdict == SentenceVerdict::Unverified);
    let mut paragraphs: Vec<CitedParagraph<'_>> = Vec::new();
    let cited: Vec<Vec<CitedRanges>> =
        open().map(|record| numbered(bases, record, &mut paragraphs)).collect();
    let pairs = open().zip(cited).filter(|(_, cited)| !cited.is_empty()).map(|(record, cited)| {
        let evidence: Vec<EvidenceOut> = cited
            .iter()
            .map(|(at, ranges)| {
                let CitedParagraph { reference, heading, text, .. } = &paragraphs[*at];
                let (reference, heading) = (reference.clone(), heading.clone());
                EvidenceOut { reference, heading, text: excerpt(text, ranges) }
            })
            .collect();
        let row = record.n.checked_sub(1).and_then(|at| rows.get(at)).cloned().flatten();
        let content: Vec<(&str, &str)> =
            evidence.iter().map(|one| (one.reference.as_str(), one.text.as_str())).collect();
        let key = Digest::of_json(&serde_json::json!([record.claim, row, content])).to_string();
        PairOut {
            n: record.n,
            key: key.chars().take(24).collect(),
            row,
            statement: record.claim.clone(),
            cites: cited.iter().map(|(at, _)| at + 1).collect(),
            evidence,
        }
    });
    let pairs: Vec<PairOut> = pairs.collect();
    let shown = paragraphs.iter().zip(1..).map(|(one, p)| CitedParagraphOut {
        p,
        reference: one.reference.clone(),
        heading: one.heading.clone(),
        text: if one.whole { excerpt(one.text, &[]) } else { excerpt(one.text, &one.ranges) },
    });
    (pairs, shown.collect())
}

/// A paragraph of at most so many bytes is given whole.
const MAX_WHOLE_BYTES: usize = 900;

/// A paragraph's place in the list, and the characters that a statement cites of it.
type CitedRanges = (usize, Vec<(usize, usize)>);

/// A paragraph that statements cite, with all that is cited of it.
struct CitedParagraph<'b> {
    id: String,
    reference: String,
    heading: String,
    text: &'b str,
    ranges: Vec<(usize, usize)>,
    /// Whether a statement names no words of it.
    whole: bool,
}

/// The headings above a paragraph, from the outside in, and its own title.
fn heading(paragraph: &knowledge::Paragraph) -> String {
    let title = Some(paragraph.title.as_str()).filter(|title| !title.is_empty());
    let title = title.filter(|title| paragraph.path.last().is_none_or(|last| last != title));
    let all: Vec<&str> = paragraph.path.iter().map(String::as_str).chain(title).collect();
    all.join(" > ")
}

/// The paragraphs that a record cites, each once: its place in the list, and what is cited of it.
fn numbered<'b>(
    bases: &[&'b Base],
    record: &SentenceRecord,
    paragraphs: &mut Vec<CitedParagraph<'b>>,
) -> Vec<CitedRanges> {
    let mut out: Vec<CitedRanges> = Vec::new();
    for one in &record.citations {
        let Some(id) = one.paragraph_id.as_deref() else { continue };
        let base = bases.iter().find(|base| base.manifest().base == one.base);
        let Some((base, paragraph)) = base.and_then(|base| Some((base, base.paragraph(id).ok()?))) else {
            continue;
        };
        let reference = base.citation(id);
        let known = paragraphs.iter().position(|known| known.id == id && known.reference == reference);
        let at = known.unwrap_or_else(|| {
            paragraphs.push(CitedParagraph {
                id: id.to_owned(),
                reference,
                heading: heading(paragraph),
                text: &paragraph.text,
                ranges: Vec::new(),
                whole: false,
            });
            paragraphs.len() - 1
        });
        let place = out.iter().position(|(known, _)| *known == at).unwrap_or_else(|| {
            out.push((at, Vec::new()));
            out.len() - 1
        });
        out[place].1.extend(one.range);
    }
    for (at, ranges) in &out {
        paragraphs[*at].whole |= ranges.is_empty();
        paragraphs[*at].ranges.extend(ranges);
    }
    out
}

/// The sentences that hold the ranges (in characters) with one neighbour on each side; the whole text where it is short or
/// nothing of it is cited.
fn excerpt(text: &str, ranges: &[(usize, usize)]) -> String {
    if text.len() <= MAX_WHOLE_BYTES || ranges.is_empty() {
        let end = text.floor_char_boundary(4 * MAX_WHOLE_BYTES);
        return text[..end].to_owned();
    }
    let byte = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let ranges: Vec<(usize, usize)> = ranges.iter().map(|&(from, to)| (byte(from), byte(to))).collect();
    let sentences = context::sentences::sentences(text);
    let holds = |at: usize| {
        let sentence: &std::ops::Range<usize> = &sentences[at];
        ranges.iter().any(|&(from, to)| from < sentence.end && sentence.start < to)
    };
    // What introduces items stands first.
    let near = |at: usize| {
        at == 0 || holds(at) || (at > 0 && holds(at - 1)) || (at + 1 < sentences.len() && holds(at + 1))
    };
    let mut out = String::new();
    let mut last = None;
    for at in (0..sentences.len()).filter(|at| near(*at)) {
        if last.is_some_and(|last| last + 1 != at) || (last.is_none() && at > 0) {
            out.push_str("[...] ");
        }
        out.push_str(&text[sentences[at].clone()]);
        out.push(' ');
        last = Some(at);
    }
    if last.is_some_and(|last| last + 1 < sentences.len()) {
        out.push_str("[...]");
    }
    out.trim_end().to_owned()
}

fn given(one: SentenceParam) -> Sentence {
    let citations = one.citations.into_iter();
    Sentence {
        text: one.text.clone(),
        claim: one.text,
        citations: citations
            .map(|one| Cited {
                source_ref: one.source_ref,
                quote: one.quote.unwrap_or_default(),
                paragraph_id: one.paragraph_id,
            })
            .collect(),
        elsewhere: false,
    }
}

fn found(one: CitedSentence) -> Sentence {
    let citations = one.citations.into_iter();
    Sentence {
        text: one.text,
        claim: one.claim,
        citations: citations
            .map(|one| Cited { source_ref: one.source_ref, quote: one.quote, paragraph_id: one.paragraph_id })
            .collect(),
        elsewhere: one.labelled,
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
