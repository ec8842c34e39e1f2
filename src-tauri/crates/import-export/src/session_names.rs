//! Names of sessions that are brought over: the id that each gets here.

use std::collections::{HashMap, HashSet};

use domain::{Digest, Problem};
use store::Imported;
use support::{blocking, is_session_id};

use crate::ImportExport;
use crate::import::Incoming;
use crate::imported_session::imported_session;
use crate::renewal::Earlier;
use crate::session_sink::{Group, grouped};

/// Gives sessions their ids.
pub struct Naming<'a> {
    pub local: &'a ImportExport,
    pub taken: &'a mut HashSet<String>,
    /// What this import brought already: it may not be stored yet.
    pub sources: HashMap<Digest, String>,
}

impl Naming<'_> {
    /// What a group becomes.
    pub async fn make(&mut self, group: Vec<Incoming>) -> Result<Group, Problem> {
        let mut named = Vec::with_capacity(group.len());
        let store = self.local.env.store();
        let sources: Vec<[u8; 32]> = group.iter().map(|incoming| incoming.source.0).collect();
        let before = store.imported_of(&sources).await?;
        let mut ids: Vec<String> = group.iter().map(id_wanted).collect();
        ids.extend(before.values().map(|before| before.session.clone()));
        let there = store.known_sessions(&ids).await?;
        for incoming in group {
            let mut named_one = self.named(incoming, &before, &there).await?;
            if named_one.known && named_one.incoming.renews && named_one.earlier.is_none() {
                named_one.earlier = Some(Earlier::find(&self.local.env, &named_one.session).await?);
            }
            self.sources.insert(named_one.incoming.source, named_one.session.clone());
            named.push(named_one);
        }
        let workspace = self.local.env.stored_slug();
        blocking(move || grouped(named.into_iter().map(|named| imported_session(named, &workspace)))).await
    }

    /// The id that a session gets: the one of an earlier import of the same, its own, or that with a number. `before` is what
    /// earlier imports brought of its group, `there` the ids that are taken of those that its group wants.
    async fn named(
        &mut self,
        incoming: Incoming,
        before: &HashMap<[u8; 32], Imported>,
        there: &HashSet<String>,
    ) -> Result<Named, Problem> {
        if let Some(session) = self.sources.get(&incoming.source) {
            let earlier = incoming.renews.then(Earlier::stays);
            return Ok(Named { session: session.clone(), incoming, known: true, earlier });
        }
        if let Some(before) = before.get(&incoming.source.0) {
            let there = there.contains(&before.session);
            // A session that was deleted since is wanted again, or it would not be imported again.
            if there || !before.done {
                self.taken.insert(before.session.clone());
                let (session, known) = (before.session.clone(), before.done && there);
                return Ok(Named { incoming, session, known, earlier: None });
            }
        }
        let mut incoming = incoming;
        let own = incoming.transcript.header.id.clone();
        let base = id_wanted(&incoming);
        let mut session = base.clone();
        let mut number = 1;
        while self.taken.contains(&session)
            || (number == 1 && there.contains(&session))
            || (number > 1 && self.local.env.store().get_session(&session).await?.is_some())
            || self.local.env.home.join("sessions").join(&session).exists()
        {
            number += 1;
            session = format!("{base}-{number}");
        }
        // Conversations of other programs have no id that could be one here.
        if session != own && !own.is_empty() {
            let why = format!("its id is taken or can't be one; here it is {session}");
            incoming.report.change("session", &own, why, &incoming.place);
        }
        self.taken.insert(session.clone());
        Ok(Named { incoming, session, known: false, earlier: None })
    }
}

/// The id that a session would have: its own, or one that is made of what names it.
fn id_wanted(incoming: &Incoming) -> String {
    let own = &incoming.transcript.header.id;
    if is_session_id(own) && transfer::is_id(own) {
        own.clone()
    } else {
        format!("imported-{}", incoming.source.short())
    }
}

/// A session with the id that it gets here.
pub struct Named {
    pub incoming: Incoming,
    pub session: String,
    /// Whether all of it was here before.
    pub known: bool,
    /// What is here of one that is known and may have gone on.
    pub earlier: Option<Earlier>,
}
