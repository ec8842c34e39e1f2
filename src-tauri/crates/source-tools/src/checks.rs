//! Looks now and then whether the sources that are in use still work. Starts nothing for it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use ::sources::SourceState;
use ::sources::rest::RestRequest;
use domain::{ErrorCode, Problem};
use support::{blocking, now_ms};
use tokio_util::sync::CancellationToken;
use workspace::SourceType;

use super::{Inner, folder_of, rest_tool};

/// How often.
const EVERY: Duration = Duration::from_secs(15 * 60);
/// Sources that were used within this time are looked at, in milliseconds.
const LATELY_MS: i64 = 60 * 60 * 1000;

/// Begins to look, as long as the sources are in use at all.
pub fn begin(inner: &Arc<Inner>) {
    let inner = Arc::downgrade(inner);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(EVERY).await;
            let Some(inner) = Weak::upgrade(&inner) else { return };
            inner.look().await;
        }
    });
}

impl Inner {
    async fn look(&self) {
        let since = now_ms() - LATELY_MS;
        let used: Vec<String> = self
            .known
            .lock()
            .iter()
            .filter(|(_, known)| known.used_at.is_some_and(|at| at >= since))
            .map(|(slug, _)| slug.clone())
            .collect();
        for slug in used {
            let begun = Instant::now();
            if let Some(found) = self.works(&slug).await {
                self.note(&slug, begun, found.err().as_ref()).await;
            }
        }
    }

    /// Whether a source works; `None` where that can't be told without starting it.
    async fn works(&self, slug: &str) -> Option<Result<(), Problem>> {
        let (files, asked) = (self.files(), slug.to_owned());
        let config = blocking(move || files.source(&asked).map_err(|error| error.problem())).await;
        let config = match config {
            Ok(config) => config,
            Err(problem) => return Some(Err(problem)),
        };
        match config.kind {
            SourceType::Local => Some(folder_of(&config).map(drop)),
            SourceType::Mcp => {
                let (states, problem) = self.with(slug, |known| {
                    let states: Vec<SourceState> =
                        known.running.iter().map(|source| source.state()).collect();
                    (states, known.problem.clone())
                });
                if states.contains(&SourceState::Ready) {
                    return Some(Ok(()));
                }
                let ended = || Problem::new(ErrorCode::Source, "it ended by itself");
                states.contains(&SourceState::Failed).then(|| Err(problem.unwrap_or_else(ended)))
            }
            SourceType::Api => {
                let test = config.api.as_ref().and_then(|api| api.test_endpoint.clone())?;
                let rest = match self.rest(&config).await {
                    Ok(rest) => rest,
                    Err(problem) => return Some(Err(problem)),
                };
                let request = RestRequest::new(test.method, test.path);
                let answer = rest.send(&request, &CancellationToken::new()).await;
                Some(answer.map(drop).map_err(|error| rest_tool::problem_of(&error)))
            }
        }
    }
}
