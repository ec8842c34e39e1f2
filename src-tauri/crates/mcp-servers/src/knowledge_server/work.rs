//! A call under way: it can tell how far it is, and be told to stop.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::sync::mpsc;

use super::{Shared, ToolError};

/// What a call works with. It reads as the server's shared state.
pub(super) struct Work<'s> {
    shared: &'s Shared,
    cancel: &'s AtomicBool,
    steps: Option<mpsc::Sender<Step>>,
}

/// How far a call is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    done: usize,
    of: usize,
}

/// Steps that may wait to be sent; beyond them a step is left out, the next one says more.
const WAITING: usize = 8;

impl Deref for Work<'_> {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        self.shared
    }
}

impl<'s> Work<'s> {
    pub(super) fn new(shared: &'s Shared, cancel: &'s AtomicBool, steps: Option<mpsc::Sender<Step>>) -> Self {
        Self { shared, cancel, steps }
    }

    /// To be called before each part of a long call: `done` of `of` parts are finished.
    pub(super) fn step(&self, done: usize, of: usize) -> Result<(), ToolError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(ToolError::Cancelled);
        }
        if let Some(steps) = self.steps.as_ref().filter(|_| of > 1) {
            let _ = steps.try_send(Step { done, of });
        }
        Ok(())
    }
}

/// Sends a call's steps to the client that asked for them, each later than the one before.
pub(super) struct ProgressReporter {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    steps: mpsc::Receiver<Step>,
}

impl ProgressReporter {
    /// `None` when the client did not ask for progress.
    pub(super) fn channel(context: &RequestContext<RoleServer>) -> Option<(mpsc::Sender<Step>, Self)> {
        let token = context.meta.get_progress_token()?;
        let (sender, steps) = mpsc::channel(WAITING);
        Some((sender, Self { token, peer: context.peer.clone(), steps }))
    }

    /// Runs until the call has dropped its sender.
    pub(super) async fn run(mut self) {
        let mut last = None;
        while let Some(Step { done, of }) = self.steps.recv().await {
            if last.is_some_and(|last| done <= last) {
                continue;
            }
            last = Some(done);
            let param = ProgressNotificationParam::new(self.token.clone(), done as f64).with_total(of as f64);
            if self.peer.notify_progress(param).await.is_err() {
                return;
            }
        }
    }
}
