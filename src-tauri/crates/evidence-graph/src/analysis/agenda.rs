//! What could be done next, the most urgent first.

use domain::Digest;
use domain::mission::{AgendaItem, AgendaKind, AgendaStatus, ItemId};
use serde_json::{Value, json};

use super::coverage::{answers, is_covered};
use super::{Requirements, priority};
use crate::graph::Graph;
use crate::index::place;
use crate::item::{ItemKind, LeadStatus};

/// Items of an agenda.
pub const MAX_AGENDA_ITEMS: usize = 200;

/// Questions that are not covered and have no gap of their own, open gaps, open contradictions and open leads. All are
/// pending: what was tried is known to whoever keeps the log.
pub fn agenda(graph: &Graph, needs: &Requirements) -> Vec<AgendaItem> {
    let mut items = Vec::new();
    let capability = |named: Option<&String>| named.unwrap_or(&needs.research).clone();
    // What a mission before left open comes after everything else.
    let ranked = |is_earlier: bool, priority: u8| if is_earlier { priority::EARLIER } else { priority };
    let item = |id: &ItemId, kind, priority, capability, fingerprint| AgendaItem {
        id: id.clone(),
        kind,
        priority,
        capability,
        fingerprint,
        depends_on: Vec::new(),
        status: AgendaStatus::Pending,
    };
    let asked = |question: &&crate::Question| {
        question.dropped.is_none() && !is_covered(graph, &answers(graph, question), needs)
    };
    let questions: Vec<&crate::Question> = graph.questions().filter(asked).collect();
    for question in &questions {
        if graph.gaps().any(|gap| gap.is_open() && gap.of.as_ref() == Some(&question.id)) {
            continue;
        }
        let about = answers(graph, question);
        let print = fingerprint(graph, &question.key, about.iter().map(|claim| &claim.id));
        let capability = capability(question.capability.as_ref());
        let priority = ranked(needs.is_earlier_question(&question.id), priority::of_question(question));
        let open = |id: &&ItemId| questions.iter().any(|other| other.id == **id);
        items.push(AgendaItem {
            depends_on: question.depends_on.iter().filter(open).cloned().collect(),
            ..item(&question.id, AgendaKind::Question, priority, capability, print)
        });
    }
    for gap in graph.gaps().filter(|gap| gap.is_open()) {
        let claims = graph.answers(&gap.id).map(|claim| &claim.id).chain(gap.of.iter());
        let print = fingerprint(graph, &gap.key, claims.chain(&gap.entities));
        let capability = capability(gap.capability.as_ref());
        let priority = ranked(needs.is_earlier_gap(gap), priority::of_gap(graph, gap));
        items.push(item(&gap.id, AgendaKind::Gap, priority, capability, print));
    }
    for one in graph.contradictions().filter(|one| one.is_open()) {
        let print = fingerprint(graph, "", one.claims.iter());
        let capability = needs.check.clone();
        items.push(item(&one.id, AgendaKind::Contradiction, priority::CONTRADICTION, capability, print));
    }
    for lead in graph.leads().filter(|lead| lead.status == LeadStatus::Open) {
        let print = fingerprint(graph, &lead.key, lead.entities.iter());
        let capability = capability(lead.capability.as_ref());
        let priority = ranked(place(&lead.id) < needs.earlier.leads, priority::of_lead(lead));
        items.push(item(&lead.id, AgendaKind::Lead, priority, capability, print));
    }
    let key = |item: &AgendaItem| (std::cmp::Reverse(item.priority), item.kind, ItemKind::place(&item.id));
    items.sort_by_cached_key(key);
    items.truncate(MAX_AGENDA_ITEMS);
    items
}

/// SHA-256 of the question as it is compared, and of what it is about with revisions.
fn fingerprint<'g>(graph: &Graph, key: &str, about: impl Iterator<Item = &'g ItemId>) -> Digest {
    let revision = |id: &ItemId| {
        let claim = graph.claim(id).map(|claim| claim.revision);
        claim.or_else(|| graph.entity(id).map(|entity| entity.revision)).unwrap_or(0)
    };
    let about: Vec<Value> = about.map(|id| json!([id, revision(id)])).collect();
    Digest::of_json(&json!({ "question": key, "about": about }))
}
