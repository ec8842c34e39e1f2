//! What could be done next: the items of the graph's agenda that are open and wait for nothing.

use domain::mission::{AgendaItem, AgendaKind, AgendaStatus, GraphFacts, ItemId};

use crate::event::Role;

/// An item of the agenda by id.
pub(crate) fn item<'a>(facts: &'a GraphFacts, id: &ItemId) -> Option<&'a AgendaItem> {
    facts.agenda.iter().find(|item| &item.id == id)
}

/// Whether it is open, and everything that it waits for is done or not on the agenda.
pub(crate) fn is_ready(facts: &GraphFacts, of: &AgendaItem) -> bool {
    is_open(of) && !of.depends_on.iter().filter_map(|id| item(facts, id)).any(is_open)
}

fn is_open(item: &AgendaItem) -> bool {
    match item.status {
        AgendaStatus::Pending | AgendaStatus::Tried => true,
        AgendaStatus::Done | AgendaStatus::Dropped => false,
    }
}

/// What can be done now, the most urgent first; among equals, in the order of the graph.
pub(crate) fn ready(facts: &GraphFacts) -> Vec<&AgendaItem> {
    let mut items: Vec<&AgendaItem> = facts.agenda.iter().filter(|item| is_ready(facts, item)).collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.priority));
    items
}

/// What an agent is invoked for that works on it.
pub(crate) fn role_of(item: &AgendaItem) -> Role {
    match item.kind {
        AgendaKind::Contradiction => Role::Check,
        AgendaKind::Question | AgendaKind::Gap | AgendaKind::Lead => Role::Research,
    }
}
