//! What surfaces are told without asking: one stream of everything that happens in this process.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::turn::{TurnStatus, TurnUi, TurnUiKind};
use engine::{Engine, UiEvent, UiKind};
use pipeline::Event;
use protocol::{ApiEvent, Tag};
use tokio::sync::broadcast::{self, error::RecvError};

/// Events that a slow surface may lag behind before it has to read again what it shows.
pub const QUEUE: usize = 4_096;

/// Tells surfaces what happens.
#[derive(Debug, Clone)]
pub struct Stream {
    told: broadcast::Sender<ApiEvent>,
    /// Whether the engine's events are passed on already. Nobody passes them on while nobody listens.
    follows: Arc<AtomicBool>,
}

impl Default for Stream {
    /// With nobody listening.
    fn default() -> Self {
        Self { told: broadcast::channel(QUEUE).0, follows: Arc::default() }
    }
}

impl Stream {
    /// Tells that cached data is stale.
    pub fn tell(&self, tags: &[Tag]) {
        if !tags.is_empty() {
            self.send(ApiEvent::Changed(tags.to_vec()));
        }
    }

    /// Tells of anything.
    pub fn send(&self, event: ApiEvent) {
        // Nobody listening is no failure.
        let _ = self.told.send(event);
    }

    /// Tells of everything but the engine's events.
    #[cfg(test)]
    pub(crate) fn listen(&self) -> broadcast::Receiver<ApiEvent> {
        self.told.subscribe()
    }

    /// Tells of everything from now on, with what the engine tells.
    pub fn subscribe(&self, engine: &Engine) -> broadcast::Receiver<ApiEvent> {
        let events = self.told.subscribe();
        self.follow(|| (engine.subscribe(), engine.subscribe_turns()));
        events
    }

    fn follow(&self, engine: impl FnOnce() -> (broadcast::Receiver<UiEvent>, broadcast::Receiver<TurnUi>)) {
        if self.follows.swap(true, Ordering::SeqCst) {
            return;
        }
        let (runs, turns) = engine();
        pass_on(runs, self.told.clone(), |event| {
            (changes_lists(&event.kind), ApiEvent::Run(Box::new(event)))
        });
        // Lists show how a turn stands, not each of its steps.
        let mut stands = HashMap::new();
        pass_on(turns, self.told.clone(), move |event| {
            let lists = match &event.kind {
                TurnUiKind::Changed { head, .. } => {
                    let over = !matches!(head.status, TurnStatus::Running | TurnStatus::Waiting);
                    let before = match over {
                        true => stands.remove(&event.run),
                        false => stands.insert(event.run.clone(), head.status),
                    };
                    before != Some(head.status)
                }
                TurnUiKind::Delta { .. } | TurnUiKind::Output { .. } => false,
            };
            (lists, ApiEvent::Turn(Box::new(event)))
        });
    }
}

/// Passes events on as long as there are any; says so when some were lost, and when lists show something else.
fn pass_on<T: Clone + Send + 'static>(
    mut events: broadcast::Receiver<T>,
    told: broadcast::Sender<ApiEvent>,
    mut of: impl FnMut(T) -> (bool, ApiEvent) + Send + 'static,
) {
    tokio::spawn(async move {
        loop {
            match events.recv().await {
                Ok(event) => {
                    let (lists, event) = of(event);
                    let _ = told.send(event);
                    if lists {
                        let _ = told.send(ApiEvent::Changed(vec![Tag::Sessions, Tag::Runs]));
                    }
                }
                Err(RecvError::Lagged(_)) => drop(told.send(ApiEvent::Lagged)),
                Err(RecvError::Closed) => return,
            }
        }
    });
}

/// Whether lists of runs and sessions show something else after it.
fn changes_lists(kind: &UiKind) -> bool {
    match kind {
        UiKind::Pause { .. } | UiKind::Done { .. } => true,
        UiKind::Event { record } => matches!(
            record.event,
            Event::RunStarted { .. }
                | Event::StageStarted { .. }
                | Event::PauseRequested { .. }
                | Event::Resumed { .. }
                | Event::Suspended
                | Event::Continued
                | Event::RunCompleted
                | Event::RunFailed { .. }
                | Event::RunRetried { .. }
                | Event::RunCancelled
        ),
        UiKind::Delta { .. } | UiKind::Progress { .. } | UiKind::Waiting { .. } | UiKind::Meter { .. } => {
            false
        }
    }
}
