//! MCP servers over the api: the tools of sessions, and a bridge to sources. They work through the instance that holds the
//! data directory, or hold it themselves.

mod bridge;
mod call_model;
mod checks;
mod sessions;

use std::path::Path;
use std::sync::Arc;

use app::{AnyClient, Instance};
use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use protocol::{Client, Request, Response};
use tokio::sync::Mutex;

pub use bridge::bridge;
pub use sessions::{ModelUse, session_tools};

/// The program's way to a data directory.
#[async_trait]
pub trait DataAccess: Send + Sync {
    /// Opens the api, through the instance that holds the data directory where there is one.
    async fn open(&self) -> Result<(AnyClient, Option<Instance>), Problem>;

    /// Releases the data directory.
    async fn close(&self, client: AnyClient, instance: Option<Instance>) -> Result<(), Problem>;

    /// The data directory.
    fn home(&self) -> &Path;

    /// The workspace that was asked for; none: the user's current one.
    fn workspace(&self) -> Option<String>;
}

/// The api for as long as a server serves, whoever holds the data directory meanwhile.
struct ClientHandle {
    access: Arc<dyn DataAccess>,
    held: Mutex<Option<OpenClient>>,
}

struct OpenClient {
    client: AnyClient,
    instance: Option<Instance>,
    /// Counts how often it was opened.
    turn: u64,
}

impl ClientHandle {
    async fn open(access: Arc<dyn DataAccess>) -> Result<Self, Problem> {
        let (client, instance) = access.open().await?;
        Ok(Self { access, held: Mutex::new(Some(OpenClient { client, instance, turn: 0 })) })
    }

    /// For what changes nothing.
    fn reading(&self) -> RetryingClient<'_> {
        RetryingClient(self)
    }

    /// For what is to be done once: whether it was done is not known when the instance goes away.
    async fn once(&self) -> Result<AnyClient, Problem> {
        Ok(self.client().await?.0)
    }

    async fn client(&self) -> Result<(AnyClient, u64), Problem> {
        let held = self.held.lock().await;
        held.as_ref().map(|held| (held.client.clone(), held.turn)).ok_or_else(ending)
    }

    /// Opens anew what was opened for the `turn`th time, unless another call has done so.
    async fn again(&self, turn: u64) -> Result<AnyClient, Problem> {
        let mut held = self.held.lock().await;
        let now = held.as_mut().ok_or_else(ending)?;
        if now.turn == turn {
            let (client, instance) = self.access.open().await?;
            *now = OpenClient { client, instance, turn: turn + 1 };
        }
        Ok(now.client.clone())
    }

    async fn close(&self) -> Result<(), Problem> {
        match self.held.lock().await.take() {
            Some(held) => self.access.close(held.client, held.instance).await,
            None => Ok(()),
        }
    }
}

/// Asks once more where the instance has gone away meanwhile.
struct RetryingClient<'a>(&'a ClientHandle);

impl Client for RetryingClient<'_> {
    async fn call(&self, request: Request) -> Result<Response, Problem> {
        let (client, turn) = self.0.client().await?;
        match client.call(request.clone()).await {
            Err(gone) if client.is_remote() && gone.code == ErrorCode::Busy && gone.retryable => {
                self.0.again(turn).await?.call(request).await
            }
            answered => answered,
        }
    }
}

fn ending() -> Problem {
    Problem::new(ErrorCode::Cancelled, "the server is ending")
}
