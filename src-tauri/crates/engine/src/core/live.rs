//! What the engine drives now: where each run, turn or mission takes commands, and how it left.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{Problem, RunId, SessionId};
use engine_types::Exit;
use parking_lot::Mutex;
use support::now_ms;
use tokio::sync::{mpsc, watch};

/// Commands that may wait for one.
const COMMAND_QUEUE: usize = 32;
/// How many ends can still be waited for after they have come.
const ENDED_KEPT: usize = 256;

/// How one left the engine, once it has.
pub(crate) type End = watch::Receiver<Option<(Exit, Option<Problem>)>>;

/// One that the engine has.
struct Handle<C> {
    session: Option<SessionId>,
    /// Whether it works for another run, which answers for it.
    is_child: bool,
    commands: mpsc::Sender<C>,
    ended: End,
    /// When it was taken in, in milliseconds since 1970.
    since: i64,
}

impl<C> Handle<C> {
    /// One whose driver is gone without an end is not.
    fn is_live(&self) -> bool {
        self.ended.borrow().is_none() && self.ended.has_changed().is_ok()
    }
}

/// Those that the engine has, by id. A copy is another handle on the same.
pub(crate) struct Live<C>(Arc<Mutex<HashMap<RunId, Handle<C>>>>);

/// The entry of one that is driven.
pub(crate) struct LiveEntry<C> {
    run: RunId,
    live: Live<C>,
    tell: watch::Sender<Option<(Exit, Option<Problem>)>>,
}

impl<C> Default for Live<C> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<C> Clone for Live<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C> Live<C> {
    /// Takes one in that is driven from now on. Gives where its commands come from.
    pub(crate) fn enter(
        &self,
        run: RunId,
        session: Option<SessionId>,
        is_child: bool,
    ) -> (LiveEntry<C>, mpsc::Receiver<C>) {
        let (commands, queue) = mpsc::channel(COMMAND_QUEUE);
        let (tell, ended) = watch::channel(None);
        let since = now_ms();
        self.0.lock().insert(run.clone(), Handle { session, is_child, commands, ended, since });
        (LiveEntry { run, live: self.clone(), tell }, queue)
    }

    /// Whether one is driven.
    pub(crate) fn is_live(&self, run: &RunId) -> bool {
        self.0.lock().get(run).is_some_and(Handle::is_live)
    }

    /// Since when one is driven, in milliseconds since 1970.
    pub(crate) fn since(&self, run: &RunId) -> Option<i64> {
        self.0.lock().get(run).filter(|live| live.is_live()).map(|live| live.since)
    }

    /// Those that are driven, but for those that work for another one.
    pub(crate) fn all(&self) -> Vec<RunId> {
        self.those(|live| !live.is_child)
    }

    /// Those of a session that are driven.
    pub(crate) fn all_of(&self, session: &SessionId) -> Vec<RunId> {
        self.those(|live| live.session.as_ref() == Some(session))
    }

    /// The one of a session that is driven and works for no other.
    pub(crate) fn of_session(&self, session: &SessionId) -> Option<RunId> {
        self.those(|live| !live.is_child && live.session.as_ref() == Some(session)).pop()
    }

    fn those(&self, are: impl Fn(&Handle<C>) -> bool) -> Vec<RunId> {
        let live = self.0.lock();
        live.iter().filter(|(_, live)| live.is_live() && are(live)).map(|(run, _)| run.clone()).collect()
    }

    /// How one ends, where it was driven in this process.
    pub(crate) fn end_of(&self, run: &RunId) -> Option<End> {
        self.0.lock().get(run).map(|live| live.ended.clone())
    }

    /// Where one that is driven takes commands.
    pub(crate) fn commands_of(&self, run: &RunId) -> Option<mpsc::Sender<C>> {
        self.0.lock().get(run).filter(|live| live.is_live()).map(|live| live.commands.clone())
    }
}

impl<C> LiveEntry<C> {
    /// It left. Whoever is told of it finds it gone, and may go on with it at once. The end stays readable for those who
    /// wait; a later drive replaces it, and old ones go in the end.
    pub(crate) fn left(self, exit: Exit, problem: Option<Problem>) {
        let _ = self.tell.send(Some((exit, problem)));
        let mut live = self.live.0.lock();
        if live.len() > ENDED_KEPT {
            live.retain(|run, other| other.is_live() || *run == self.run);
        }
    }
}
