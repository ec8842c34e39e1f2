//! Diagrams that an open page checks: the code that draws them runs in pages alone.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::Problem;
use parking_lot::{Mutex, MutexGuard};
use protocol::{ApiEvent, DiagramCheck, DiagramVerdict};
use tokio::sync::oneshot;

use crate::Stream;

/// How long a page may take: the drawing code is loaded when the first diagram comes.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Most diagrams that wait for a page.
const MAX_WAITING: usize = 32;

/// Asks pages to check diagrams. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Diagrams {
    stream: Stream,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether a page has said that it checks diagrams, and none was silent since.
    offered: bool,
    count: u64,
    waiting: HashMap<String, oneshot::Sender<Option<String>>>,
}

impl Diagrams {
    /// Over the stream that pages follow.
    pub fn new(stream: Stream) -> Self {
        Self { stream, state: Arc::default() }
    }

    /// Notes that a page checks diagrams.
    pub fn offer(&self) {
        self.state().offered = true;
    }

    /// Takes a page's answer: what is wrong with the diagram, or nothing.
    pub fn answer(&self, id: &str, problem: Option<String>) {
        if let Some(waits) = self.state().waiting.remove(id) {
            // Nobody waits any more where the turn has ended.
            let _ = waits.send(problem);
        }
    }

    /// Has a page check a diagram; unchecked where none is open.
    ///
    /// # Errors
    /// Too many diagrams wait already.
    pub async fn check(&self, text: String) -> Result<DiagramVerdict, Problem> {
        let unchecked = DiagramVerdict { checked: false, problem: None };
        let (id, answered) = {
            let mut state = self.state();
            if !state.offered {
                return Ok(unchecked);
            }
            if state.waiting.len() >= MAX_WAITING {
                return Err(Problem::new(domain::ErrorCode::Busy, "too many diagrams are being checked"));
            }
            state.count += 1;
            let id = state.count.to_string();
            let (waits, answered) = oneshot::channel();
            state.waiting.insert(id.clone(), waits);
            (id, answered)
        };
        self.stream.send(ApiEvent::Diagram(DiagramCheck { id: id.clone(), text }));
        match tokio::time::timeout(TIMEOUT, answered).await {
            Ok(Ok(problem)) => Ok(DiagramVerdict { checked: true, problem }),
            Ok(Err(_)) | Err(_) => {
                let mut state = self.state();
                state.waiting.remove(&id);
                // The page is closed: others are not made to wait for it.
                state.offered = false;
                Ok(unchecked)
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_page_that_is_open_checks_and_one_that_is_closed_is_not_waited_for_twice() {
        let stream = Stream::default();
        let mut told = stream.listen();
        let diagrams = Diagrams::new(stream);
        let unchecked = DiagramVerdict { checked: false, problem: None };
        assert_eq!(diagrams.check("graph TD".to_owned()).await.unwrap(), unchecked);
        assert!(told.try_recv().is_err(), "nobody has offered to check");
        diagrams.offer();
        let page = async {
            let Ok(ApiEvent::Diagram(asked)) = told.recv().await else { panic!("a diagram to check") };
            diagrams.answer(&asked.id, Some(format!("no arrow in {}", asked.text)));
        };
        let (checked, ()) = tokio::join!(diagrams.check("graph TD".to_owned()), page);
        let problem = Some("no arrow in graph TD".to_owned());
        assert_eq!(checked.unwrap(), DiagramVerdict { checked: true, problem });
        // The page is closed: the first waits in vain, the next does not wait.
        assert_eq!(diagrams.check("graph TD".to_owned()).await.unwrap(), unchecked);
        let begun = tokio::time::Instant::now();
        assert_eq!(diagrams.check("graph TD".to_owned()).await.unwrap(), unchecked);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
