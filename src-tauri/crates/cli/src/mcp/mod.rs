//! MCP servers over the api: they work through the instance that holds the data directory, or hold it themselves.

mod asking;
mod bridge;
mod checking;
mod sessions;

use std::path::{Path, PathBuf};

use api::{Instance, Request, Response, Surface};
use domain::{ErrorCode, Problem};
use tokio::sync::Mutex;

pub use bridge::bridge;
pub use sessions::{ModelUse, session_tools};

use crate::run::{close, open};

/// The api for as long as a server serves, whoever holds the data directory meanwhile.
struct Reach {
    home: PathBuf,
    held: Mutex<Option<Held>>,
}

struct Held {
    surface: Surface,
    instance: Option<Instance>,
    /// Counts how often it was opened.
    turn: u64,
}

impl Reach {
    async fn open(home: &Path) -> Result<Self, Problem> {
        let (surface, instance) = open(home).await?;
        Ok(Self { home: home.to_owned(), held: Mutex::new(Some(Held { surface, instance, turn: 0 })) })
    }

    /// Asks for something that changes nothing, once more where the instance has gone away meanwhile.
    async fn read(&self, request: Request) -> Result<Response, Problem> {
        let (surface, turn) = self.surface().await?;
        match surface.call(request.clone()).await {
            Err(gone) if surface.is_remote() && gone.code == ErrorCode::Busy && gone.retryable => {
                self.again(turn).await?.call(request).await
            }
            answered => answered,
        }
    }

    /// Asks for something once: whether it was done is not known when the instance goes away.
    async fn change(&self, request: Request) -> Result<Response, Problem> {
        self.surface().await?.0.call(request).await
    }

    async fn surface(&self) -> Result<(Surface, u64), Problem> {
        let held = self.held.lock().await;
        held.as_ref().map(|held| (held.surface.clone(), held.turn)).ok_or_else(ending)
    }

    /// Opens anew what was opened for the `turn`th time, unless another call has done so.
    async fn again(&self, turn: u64) -> Result<Surface, Problem> {
        let mut held = self.held.lock().await;
        let now = held.as_mut().ok_or_else(ending)?;
        if now.turn == turn {
            let (surface, instance) = open(&self.home).await?;
            *now = Held { surface, instance, turn: turn + 1 };
        }
        Ok(now.surface.clone())
    }

    async fn close(&self) -> Result<(), Problem> {
        match self.held.lock().await.take() {
            Some(held) => close(held.surface, held.instance).await,
            None => Ok(()),
        }
    }
}

fn ending() -> Problem {
    Problem::new(ErrorCode::Cancelled, "the server is ending")
}

fn unexpected() -> Problem {
    Problem::new(ErrorCode::Internal, "the api answered something else")
}
