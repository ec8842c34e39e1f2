//! Answering calls that check what an answer says.

use std::collections::BTreeSet;

use knowledge::verify::{
    Claim, ConflictKind, EntityKind, Verdict, check_contradictions, verify_entities, verify_relation,
};
use knowledge::{KnowledgeError, verify};
use serde_json::Value;

use super::Shared;
use super::calls::{LIST, Room, ToolError, base_of, bounded, stamp, written};
use super::params::{CitationsParams, ClaimsParams, ContradictionParams, PairsParams, Words};
use super::results::{
    CandidateOut, CheckedOut, CitationsOut, ClaimOut, ClaimsOut, ContradictionsOut, EntityOut, RelationOut,
    RelationsOut, SourceTextOut, UnsupportedOut,
};
use super::table::Call;

pub(super) fn citations(shared: &Shared, call: Call, params: CitationsParams) -> Result<Value, ToolError> {
    bounded("citations", params.citations.len(), LIST)?;
    let base = base_of(shared, call, params.base.as_deref())?;
    let mut room = Room::new();
    let (mut results, mut unsupported, mut source_texts) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    let mut verified = 0;
    let total = params.citations.len();
    for citation in params.citations {
        let quote = citation.quote.unwrap_or_default();
        let found = verify(&base, &citation.source_ref, &quote);
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
            source_texts.push(SourceTextOut {
                id: id.clone(),
                reference: base.citation(id),
                text: text.clone(),
            });
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
    let (name, generation) = stamp(&base);
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

pub(super) fn entities(shared: &Shared, call: Call, params: ClaimsParams) -> Result<Value, ToolError> {
    bounded("claims", params.claims.len(), LIST)?;
    let base = base_of(shared, call, params.base.as_deref())?;
    let (mut results, mut unsupported) = (Vec::new(), Vec::new());
    let (mut found, mut named) = (0, 0);
    for param in params.claims {
        let mut source_refs = param.source_refs;
        source_refs.extend(param.source_ref);
        bounded("source_refs", source_refs.len(), LIST)?;
        let claim = Claim { text: param.text, source_refs };
        let check = verify_entities(&base, &claim);
        let score = check.score();
        let (mut held, mut not_held) = (Vec::new(), Vec::new());
        for one in check.entities {
            let kind = match one.entity.kind {
                EntityKind::Number => "number",
                EntityKind::Date => "date",
                EntityKind::Term => "term",
                EntityKind::Standard => "standard",
            };
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
    let (name, generation) = stamp(&base);
    written(&ClaimsOut { results, score: share(found, named), unsupported, base: name, generation })
}

pub(super) fn relations(shared: &Shared, call: Call, params: PairsParams) -> Result<Value, ToolError> {
    bounded("pairs", params.pairs.len(), LIST)?;
    let base = base_of(shared, call, params.base.as_deref())?;
    let (mut results, mut unsupported) = (Vec::new(), Vec::new());
    for pair in params.pairs {
        let out = match verify_relation(&base, &pair.from, &pair.to) {
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
    let (name, generation) = stamp(&base);
    written(&RelationsOut {
        score: share(linked, results.len()),
        results,
        unsupported,
        base: name,
        generation,
    })
}

pub(super) fn contradictions(
    shared: &Shared,
    call: Call,
    params: ContradictionParams,
) -> Result<Value, ToolError> {
    bounded("claims", params.claims.len(), LIST)?;
    bounded("paragraph_ids", params.paragraph_ids.len(), LIST)?;
    let base = base_of(shared, call, params.base.as_deref())?;
    let claims: Vec<String> = params.claims.into_iter().map(Words::into_text).collect();
    let (known, missing): (Vec<String>, Vec<String>) =
        params.paragraph_ids.into_iter().partition(|id| base.paragraph(id).is_ok());
    let found = check_contradictions(&base, &claims, &known)?;
    let touched: BTreeSet<usize> = found.iter().map(|one| one.claim).collect();
    let mut unsupported = Vec::new();
    let candidates = found
        .into_iter()
        .map(|one| {
            let kind = match one.kind {
                ConflictKind::Number => "number",
                ConflictKind::Modal => "modal",
                ConflictKind::Negation => "negation",
            };
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
    let (name, generation) = stamp(&base);
    written(&ContradictionsOut {
        candidates,
        score: share(claims.len() - touched.len(), claims.len()),
        missing,
        unsupported,
        base: name,
        generation,
    })
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
