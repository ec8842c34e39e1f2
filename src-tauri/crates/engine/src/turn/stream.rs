//! What is told while something goes on: a model's text, a call's output. At most twenty messages a second of each.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{RunId, SessionId};
use engine_types::{TurnUi, TurnUiKind};
use parking_lot::Mutex;
use tokio::sync::broadcast;

const PAUSE: Duration = Duration::from_millis(50);
/// Output that is told at once whatever the pause.
const MAX_PENDING_BYTES: usize = 16_000;

/// What models said so far in calls that are under way. Only memory holds it: the whole comes into the log with the
/// answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamedText(Arc<Mutex<HashMap<RunId, HashMap<String, CallText>>>>);

/// What was said in one call.
#[derive(Debug, Clone, Default)]
pub(super) struct CallText {
    pub(super) text: String,
    pub(super) thinking: String,
    /// Their lengths in UTF-16 units.
    units: [u64; 2],
}

impl StreamedText {
    /// What was said in a step, as long as it goes on.
    pub(super) fn text_of(&self, run: &RunId, step: &str) -> Option<CallText> {
        self.0.lock().get(run)?.get(step).cloned()
    }

    /// Forgets what has ended in a turn.
    pub(super) fn keep(&self, run: &RunId, goes_on: impl Fn(&str) -> bool) {
        let mut all = self.0.lock();
        if let Some(steps) = all.get_mut(run) {
            steps.retain(|step, _| goes_on(step));
            if steps.is_empty() {
                all.remove(run);
            }
        }
    }

    fn begin(&self, run: &RunId, step: &str) {
        self.0.lock().entry(run.clone()).or_default().insert(step.to_owned(), CallText::default());
    }
}

impl CallText {
    /// Appends; gives how many UTF-16 units there were before.
    fn add(&mut self, text: &str, thinking: bool) -> u64 {
        let units = &mut self.units[usize::from(thinking)];
        let at = *units;
        *units += text.encode_utf16().count() as u64;
        let whole = if thinking { &mut self.thinking } else { &mut self.text };
        whole.push_str(text);
        at
    }
}

/// Pieces of text on their way to surfaces.
pub(super) struct TextBatches {
    ui: broadcast::Sender<TurnUi>,
    streamed: StreamedText,
    run: RunId,
    session: SessionId,
    seq: u64,
    step: String,
    kept: Mutex<PendingText>,
}

struct PendingText {
    text: String,
    /// `None` for a call's output, else whether the model thinks.
    thinking: Option<bool>,
    sent: Instant,
}

impl TextBatches {
    pub(super) fn new(
        ui: broadcast::Sender<TurnUi>,
        streamed: StreamedText,
        run: RunId,
        session: SessionId,
        seq: u64,
        step: String,
    ) -> Self {
        streamed.begin(&run, &step);
        let kept = Mutex::new(PendingText { text: String::new(), thinking: None, sent: Instant::now() });
        Self { ui, streamed, run, session, seq, step, kept }
    }

    /// The model said something, or thought it.
    pub(super) fn add_text(&self, text: &str, thinking: bool) {
        self.add(text, Some(thinking));
    }

    /// A call gave output.
    pub(super) fn output(&self, text: &str) {
        self.add(text, None);
    }

    fn add(&self, text: &str, thinking: Option<bool>) {
        let mut kept = self.kept.lock();
        if kept.thinking != thinking {
            self.send(&mut kept);
            kept.thinking = thinking;
        }
        kept.text.push_str(text);
        if kept.sent.elapsed() >= PAUSE || kept.text.len() >= MAX_PENDING_BYTES {
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
        self.send(&mut self.kept.lock());
    }

    fn send(&self, kept: &mut PendingText) {
        if kept.text.is_empty() {
            return;
        }
        let (text, step) = (std::mem::take(&mut kept.text), self.step.clone());
        kept.sent = Instant::now();
        let (run, session, seq) = (self.run.clone(), self.session.clone(), self.seq);
        let Some(thinking) = kept.thinking else {
            let _ = self.ui.send(TurnUi { run, session, seq, kind: TurnUiKind::Output { step, text } });
            return;
        };
        // Kept and told at once: whoever reads in between has neither too much nor too little.
        let mut all = self.streamed.0.lock();
        let steps = all.entry(run.clone()).or_default();
        let at = steps.entry(step.clone()).or_default().add(&text, thinking);
        let _ =
            self.ui.send(TurnUi { run, session, seq, kind: TurnUiKind::Delta { step, text, thinking, at } });
    }
}
