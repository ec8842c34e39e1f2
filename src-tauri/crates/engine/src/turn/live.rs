//! What is told while something goes on: a model's text, a call's output. At most twenty messages a second of each.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::{RunId, SessionId};
use tokio::sync::broadcast;

use super::view::{TurnUi, TurnUiKind};

const PAUSE: Duration = Duration::from_millis(50);
/// Output that is told at once whatever the pause.
const MOST: usize = 16_000;

/// Pieces of text on their way to surfaces.
pub(super) struct Pieces {
    ui: broadcast::Sender<TurnUi>,
    run: RunId,
    session: SessionId,
    seq: u64,
    step: String,
    kept: Mutex<Kept>,
}

struct Kept {
    text: String,
    /// `None` for a call's output, else whether the model thinks.
    thinking: Option<bool>,
    sent: Instant,
}

impl Pieces {
    pub(super) fn new(
        ui: broadcast::Sender<TurnUi>,
        run: RunId,
        session: SessionId,
        seq: u64,
        step: String,
    ) -> Self {
        let kept = Mutex::new(Kept { text: String::new(), thinking: None, sent: Instant::now() });
        Self { ui, run, session, seq, step, kept }
    }

    /// The model said something, or thought it.
    pub(super) fn said(&self, text: &str, thinking: bool) {
        self.add(text, Some(thinking));
    }

    /// A call gave output.
    pub(super) fn output(&self, text: &str) {
        self.add(text, None);
    }

    fn add(&self, text: &str, thinking: Option<bool>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.thinking != thinking {
            self.send(&mut kept);
            kept.thinking = thinking;
        }
        kept.text.push_str(text);
        if kept.sent.elapsed() >= PAUSE || kept.text.len() >= MOST {
            self.send(&mut kept);
        }
    }

    /// Does some work, and tells meanwhile of what arrived before a pause.
    pub(super) async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => {
                    self.flush();
                    return done;
                }
                () = tokio::time::sleep(PAUSE) => self.flush(),
            }
        }
    }

    /// Tells what is left.
    fn flush(&self) {
        self.send(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn send(&self, kept: &mut Kept) {
        if kept.text.is_empty() {
            return;
        }
        let (text, step) = (std::mem::take(&mut kept.text), self.step.clone());
        let kind = match kept.thinking {
            Some(thinking) => TurnUiKind::Delta { step, text, thinking },
            None => TurnUiKind::Output { step, text },
        };
        let (run, session) = (self.run.clone(), self.session.clone());
        let _ = self.ui.send(TurnUi { run, session, seq: self.seq, kind });
        kept.sent = Instant::now();
    }
}
