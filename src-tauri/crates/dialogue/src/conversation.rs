//! Which turns of a session its conversation consists of.
//!
//! A turn follows the one that it names. A run or a mission names none: it follows what its session had last before it. The
//! conversation is what the newest entry leads back to. An edited message follows what stood before it, so that the turns
//! that it replaces are not reached any more.

use std::collections::HashMap;

use domain::RunId;

/// A turn, run or mission of a session, as far as it decides what the conversation consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its id.
    pub id: RunId,
    /// What it follows.
    pub follows: Follows,
}

/// What an entry of a session follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follows {
    /// A turn: the entry that it names, or none, with which a conversation begins.
    Named(Option<RunId>),
    /// A run or a mission: what the session had last before it.
    Last,
}

/// A conversation up to one of its entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Places of its entries among the links, the newest first.
    pub places: Vec<usize>,
    /// What its oldest entry follows, where that is not among the links: it was deleted.
    pub missing: Option<RunId>,
}

impl Conversation {
    /// The conversation up to the entry at `newest`, over the links of a session in the order in which they began.
    #[must_use]
    pub fn up_to(links: &[Link], newest: usize) -> Self {
        let by_id: HashMap<&RunId, usize> =
            links.iter().zip(0..).map(|(link, place)| (&link.id, place)).collect();
        let mut conversation = Self::default();
        let mut seen = vec![false; links.len()];
        let mut next = Some(newest);
        while let Some(place) = next {
            let Some(link) = links.get(place).filter(|_| !std::mem::replace(&mut seen[place], true)) else {
                break;
            };
            conversation.places.push(place);
            next = match &link.follows {
                Follows::Last => place.checked_sub(1),
                Follows::Named(None) => None,
                Follows::Named(Some(id)) => {
                    let found = by_id.get(id).copied();
                    if found.is_none() {
                        conversation.missing = Some(id.clone());
                    }
                    found
                }
            };
        }
        conversation
    }
}

/// Places of the turns that the conversation of a session left behind, in order: they were replaced, and are stored and no
/// longer shown. Runs and missions stay: they have documents. What came before a turn that was deleted is shown.
#[must_use]
pub fn replaced(links: &[Link]) -> Vec<usize> {
    let Some(newest) = links.len().checked_sub(1) else { return Vec::new() };
    let conversation = Conversation::up_to(links, newest);
    let known_from = match (&conversation.missing, conversation.places.iter().min()) {
        (Some(_), Some(oldest)) => *oldest,
        _ => 0,
    };
    let mut reached = vec![false; links.len()];
    for place in conversation.places {
        reached[place] = true;
    }
    (known_from..links.len())
        .filter(|place| !reached[*place] && matches!(links[*place].follows, Follows::Named(_)))
        .collect()
}
