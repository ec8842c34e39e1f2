//! Events for surfaces that show them: some milliseconds' worth at a time, and no more of them than can be seen.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use domain::{RunId, StageId};
use engine::turn::{TurnUi, TurnUiKind};
use engine::{UiEvent, UiKind};
use protocol::{ApiEvent, Tag};
use tokio::sync::broadcast::{
    self,
    error::{RecvError, TryRecvError},
};
use tokio::time::Instant;

/// Batches come at most this often.
const SPAN: Duration = Duration::from_millis(50);
/// How long the first event after a silence waits for those that belong to it.
const GATHER: Duration = Duration::from_millis(4);
/// The most events of one batch, and the most bytes of streamed text in it.
const MAX_EVENTS: usize = 1_024;
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Events in the order they happened, some milliseconds' worth at a time. Streamed text of one call is joined, and of
/// what a run does and has used only the newest is told.
#[derive(Debug)]
pub struct Batches {
    events: broadcast::Receiver<ApiEvent>,
    last: Option<Instant>,
    /// What is gathered, and until when: kept here, so that a reader who stops waiting loses nothing.
    gathered: Option<(Batch, Instant)>,
}

impl Batches {
    pub(crate) fn new(events: broadcast::Receiver<ApiEvent>) -> Self {
        Self { events, last: None, gathered: None }
    }

    /// The next events; never an empty list. Nothing once nothing can happen any more. A call that is dropped loses no event.
    pub async fn next(&mut self) -> Option<Vec<ApiEvent>> {
        if self.gathered.is_none() {
            let mut batch = Batch::default();
            match self.events.recv().await {
                Ok(event) => batch.add(event),
                Err(RecvError::Lagged(_)) => batch.add(ApiEvent::Lagged),
                Err(RecvError::Closed) => return None,
            }
            let now = Instant::now();
            let soonest = now + GATHER;
            let end = self.last.map_or(soonest, |last| soonest.max(last + SPAN).min(now + SPAN));
            self.gathered = Some((batch, end));
        }
        let (batch, end) = self.gathered.as_mut()?;
        while !batch.is_full() {
            match self.events.try_recv() {
                Ok(event) => batch.add(event),
                Err(TryRecvError::Lagged(_)) => batch.add(ApiEvent::Lagged),
                Err(TryRecvError::Closed) => break,
                Err(TryRecvError::Empty) => match tokio::time::timeout_at(*end, self.events.recv()).await {
                    Ok(Ok(event)) => batch.add(event),
                    Ok(Err(RecvError::Lagged(_))) => batch.add(ApiEvent::Lagged),
                    Ok(Err(RecvError::Closed)) | Err(_) => break,
                },
            }
            if Instant::now() >= *end {
                break;
            }
        }
        self.last = Some(Instant::now());
        self.gathered.take().map(|(batch, _)| batch.events())
    }
}

/// Of what only the newest is told.
#[derive(Debug, PartialEq, Eq, Hash)]
enum LatestOnly {
    Progress(RunId, StageId),
    Meter(RunId),
    Job(String),
    Lagged,
}

#[derive(Debug, Default)]
struct Batch {
    /// Nothing where a later event took the place.
    events: Vec<Option<ApiEvent>>,
    newest: HashMap<LatestOnly, usize>,
    /// Where the text of a call that nothing has interrupted yet stands.
    texts: HashMap<(RunId, String), (usize, bool)>,
    tags: BTreeSet<Tag>,
    text: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.events.len() >= MAX_EVENTS || self.text >= MAX_TEXT_BYTES
    }

    fn add(&mut self, event: ApiEvent) {
        let key = match &event {
            ApiEvent::Run(told) => match &told.kind {
                UiKind::Delta { .. } => return self.add_text(event),
                UiKind::Progress { stage, .. } => Some(LatestOnly::Progress(told.run.clone(), stage.clone())),
                UiKind::Meter { .. } => Some(LatestOnly::Meter(told.run.clone())),
                UiKind::Event { .. }
                | UiKind::Waiting { .. }
                | UiKind::Pause { .. }
                | UiKind::Done { .. } => {
                    // Text before and after it stays before and after it.
                    self.texts.retain(|(run, _), _| *run != told.run);
                    None
                }
            },
            ApiEvent::Turn(told) => match &told.kind {
                TurnUiKind::Delta { .. } | TurnUiKind::Output { .. } => return self.add_text(event),
                TurnUiKind::Changed { .. } => {
                    self.texts.retain(|(run, _), _| *run != told.run);
                    None
                }
            },
            ApiEvent::Changed(tags) => {
                self.tags.extend(tags);
                return;
            }
            ApiEvent::Job(job) => Some(LatestOnly::Job(job.job.clone())),
            ApiEvent::Diagram(_) | ApiEvent::Limit(_) => None,
            ApiEvent::Lagged => Some(LatestOnly::Lagged),
        };
        if let Some(key) = key
            && let Some(before) = self.newest.insert(key, self.events.len())
        {
            self.events[before] = None;
        }
        self.events.push(Some(event));
    }

    fn add_text(&mut self, mut event: ApiEvent) {
        let Some(Piece { key, thinking, text, seq }) = piece(&mut event) else { return };
        self.text += text.len();
        if let Some((place, thought)) = self.texts.get(&key)
            && *thought == thinking
            && let Some(Some(before)) = self.events.get_mut(*place)
            && let Some(begun) = piece(before)
        {
            begun.text.push_str(text);
            *begun.seq = *seq;
            return;
        }
        self.texts.insert(key, (self.events.len(), thinking));
        self.events.push(Some(event));
    }

    /// What is stale comes last: who reads it again reads it after everything else that is told here.
    fn events(self) -> Vec<ApiEvent> {
        let mut events: Vec<ApiEvent> = self.events.into_iter().flatten().collect();
        if !self.tags.is_empty() {
            events.push(ApiEvent::Changed(self.tags.into_iter().collect()));
        }
        events
    }
}

/// A piece of a text that arrives in pieces.
struct Piece<'a> {
    key: (RunId, String),
    thinking: bool,
    text: &'a mut String,
    seq: &'a mut u64,
}

fn piece(event: &mut ApiEvent) -> Option<Piece<'_>> {
    match event {
        ApiEvent::Run(told) => {
            let UiEvent { run, seq, kind: UiKind::Delta { stage, item, text, thinking } } = &mut **told
            else {
                return None;
            };
            Some(Piece { key: (run.clone(), format!("{stage}/{item}")), thinking: *thinking, text, seq })
        }
        ApiEvent::Turn(told) => {
            let TurnUi { run, seq, kind, .. } = &mut **told;
            match kind {
                TurnUiKind::Delta { step, text, thinking, .. } => {
                    Some(Piece { key: (run.clone(), step.clone()), thinking: *thinking, text, seq })
                }
                TurnUiKind::Output { step, text } => Some(Piece {
                    key: (run.clone(), format!("output of {step}")),
                    thinking: false,
                    text,
                    seq,
                }),
                TurnUiKind::Changed { .. } => None,
            }
        }
        ApiEvent::Changed(_)
        | ApiEvent::Job(_)
        | ApiEvent::Diagram(_)
        | ApiEvent::Limit(_)
        | ApiEvent::Lagged => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(run: &str, seq: u64, kind: UiKind) -> ApiEvent {
        ApiEvent::Run(Box::new(UiEvent { run: RunId(run.to_owned()), seq, kind }))
    }

    fn delta(of: &str, item: u32, text: &str, thinking: bool) -> ApiEvent {
        let kind = UiKind::Delta { stage: StageId("3".to_owned()), item, text: text.to_owned(), thinking };
        run(of, 1, kind)
    }

    fn progress(of: &str, done: u32) -> ApiEvent {
        let kind = UiKind::Progress { stage: StageId("3".to_owned()), text: String::new(), done, total: 9 };
        run(of, 1, kind)
    }

    fn done(of: &str) -> ApiEvent {
        run(of, 2, UiKind::Done { exit: engine::Exit::Paused, problem: None })
    }

    fn texts(events: &[ApiEvent]) -> Vec<String> {
        let text = |event: &ApiEvent| match event {
            ApiEvent::Run(told) => match &told.kind {
                UiKind::Delta { text, .. } => text.clone(),
                UiKind::Progress { done, .. } => done.to_string(),
                _ => "|".to_owned(),
            },
            ApiEvent::Turn(_) => "turn".to_owned(),
            ApiEvent::Changed(tags) => format!("{tags:?}"),
            ApiEvent::Job(job) => job.text.clone(),
            ApiEvent::Diagram(asked) => asked.text.clone(),
            ApiEvent::Limit(text) => text.clone(),
            ApiEvent::Lagged => "lagged".to_owned(),
        };
        events.iter().map(text).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_who_stops_waiting_loses_nothing() {
        let (tell, told) = broadcast::channel(8);
        let mut batches = Batches::new(told);
        tell.send(done("a")).unwrap();
        assert!(tokio::time::timeout(Duration::ZERO, batches.next()).await.is_err(), "more is waited for");
        assert_eq!(batches.next().await.unwrap(), [done("a")]);
    }

    #[tokio::test(start_paused = true)]
    async fn text_is_joined_by_call_and_only_the_newest_progress_is_told() {
        let (tell, told) = broadcast::channel(64);
        let mut batches = Batches::new(told);
        for event in [
            delta("a", 0, "one ", false),
            delta("a", 1, "other ", false),
            progress("a", 1),
            delta("a", 0, "two", false),
            ApiEvent::Changed(vec![Tag::Runs]),
            delta("a", 1, "thought", true),
            progress("b", 7),
            progress("a", 2),
            done("a"),
            delta("a", 0, "after", false),
            ApiEvent::Changed(vec![Tag::Sessions, Tag::Runs]),
        ] {
            tell.send(event).unwrap();
        }
        let batch = batches.next().await.unwrap();
        assert_eq!(
            texts(&batch),
            ["one two", "other ", "thought", "7", "2", "|", "after", "[Sessions, Runs]"]
        );
        drop(tell);
        assert_eq!(batches.next().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_waits_at_most_50_ms_and_the_first_after_a_silence_hardly() {
        let (tell, told) = broadcast::channel(64);
        let mut batches = Batches::new(told);
        let begun = Instant::now();
        tell.send(progress("a", 1)).unwrap();
        assert_eq!(batches.next().await.unwrap().len(), 1);
        assert!(begun.elapsed() <= Duration::from_millis(6), "{:?}", begun.elapsed());
        tell.send(progress("a", 2)).unwrap();
        let feeding = tokio::spawn(async move {
            for step in 3..40 {
                tokio::time::sleep(Duration::from_millis(3)).await;
                let _ = tell.send(progress("a", step));
            }
        });
        let second = Instant::now();
        let batch = batches.next().await.unwrap();
        assert!(second.elapsed() >= Duration::from_millis(40), "{:?}", second.elapsed());
        assert!(second.elapsed() <= Duration::from_millis(54), "{:?}", second.elapsed());
        assert_eq!(batch.len(), 1);
        feeding.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_too_slow_is_told_once_that_events_are_lost() {
        let (tell, told) = broadcast::channel(8);
        let mut batches = Batches::new(told);
        for step in 0..100 {
            tell.send(delta("a", step, "x", false)).unwrap();
        }
        let batch = batches.next().await.unwrap();
        assert_eq!(texts(&batch).iter().filter(|text| *text == "lagged").count(), 1);
        assert_eq!(batch.len(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_is_bounded() {
        let (tell, told) = broadcast::channel(4_096);
        let mut batches = Batches::new(told);
        for step in 0..4_000 {
            tell.send(delta("a", step, "x", false)).unwrap();
        }
        assert_eq!(batches.next().await.unwrap().len(), MAX_EVENTS);
        for _ in 0..3 {
            batches.next().await.unwrap();
        }
        let text = "y".repeat(400_000);
        for _ in 0..10 {
            tell.send(delta("a", 0, &text, false)).unwrap();
        }
        let batch = batches.next().await.unwrap();
        assert!(texts(&batch).iter().map(String::len).sum::<usize>() < MAX_TEXT_BYTES + 400_001);
    }
}
