//! How much of what has to be known is known.
//!
//! A topic is a required question of the plan (not of a mission before), or a required section. It is covered where supported claims that answer
//! it rest on at least `min_sources` independent origins. Coverage is the share of topics that are covered. Without any
//! topic it is whole as soon as one claim is supported.

use std::collections::BTreeSet;

use domain::mission::{ItemId, MILLION};

use super::origins::origins;
use super::{Requirements, share};
use crate::graph::Graph;
use crate::item::{Claim, ClaimStatus, Question};
use crate::keys::text_key;

/// The claims that answer a question of the plan, or a gap that was opened for it, each once.
pub fn answers<'g>(graph: &'g Graph, question: &Question) -> Vec<&'g Claim> {
    let gaps = graph.gaps().filter(|gap| gap.of.as_ref() == Some(&question.id));
    let ids = std::iter::once(&question.id).chain(gaps.map(|gap| &gap.id));
    each_once(ids.flat_map(|id| graph.answers(id)))
}

/// The claims that belong to a section: they answer one of its questions, or a gap that was opened for it.
pub fn claims_of_section<'g>(graph: &'g Graph, section: &str) -> Vec<&'g Claim> {
    let key = text_key(section);
    let is_section = |name: &Option<String>| name.as_ref().is_some_and(|name| text_key(name) == key);
    let questions =
        graph.questions().filter(|question| question.dropped.is_none() && is_section(&question.section));
    let gaps = graph.gaps().filter(|gap| is_section(&gap.section));
    let of_gaps = gaps.flat_map(|gap| graph.answers(&gap.id));
    each_once(questions.flat_map(|question| answers(graph, question)).chain(of_gaps))
}

fn each_once<'g>(claims: impl Iterator<Item = &'g Claim>) -> Vec<&'g Claim> {
    let mut seen: BTreeSet<&ItemId> = BTreeSet::new();
    claims.filter(|claim| seen.insert(&claim.id)).collect()
}

/// Of some claims those that are supported.
pub fn supported<'g>(claims: &[&'g Claim]) -> Vec<&'g Claim> {
    claims.iter().copied().filter(|claim| claim.status == ClaimStatus::Supported).collect()
}

/// Whether claims cover a topic.
pub fn is_covered(graph: &Graph, claims: &[&Claim], needs: &Requirements) -> bool {
    let supported = supported(claims);
    let origins: BTreeSet<&str> = supported.iter().flat_map(|claim| origins(graph, claim)).collect();
    !supported.is_empty() && origins.len() >= needs.min_sources as usize
}

/// The share of topics that are covered, in millionths.
pub fn coverage(graph: &Graph, needs: &Requirements) -> u32 {
    let is_own = |question: &&Question| !needs.is_earlier_question(&question.id);
    let questions = graph.questions().filter(|question| question.required && question.dropped.is_none());
    let questions = questions.filter(is_own);
    let mut topics: Vec<bool> =
        questions.map(|question| is_covered(graph, &answers(graph, question), needs)).collect();
    let sections = needs.required_sections.iter();
    topics.extend(sections.map(|section| is_covered(graph, &claims_of_section(graph, section), needs)));
    let any = graph.claims().any(|claim| claim.status == ClaimStatus::Supported);
    let covered = topics.iter().filter(|covered| **covered).count();
    share(covered, topics.len(), if any { MILLION } else { 0 })
}

/// The fewest independent origins that a supported claim rests on; 0 where none is supported.
pub fn sources_per_claim(graph: &Graph) -> u32 {
    let claims = graph.claims().filter(|claim| claim.status == ClaimStatus::Supported);
    let fewest = claims.map(|claim| origins(graph, claim).len()).min().unwrap_or(0);
    u32::try_from(fewest).unwrap_or(u32::MAX)
}
