//! What a source tells about itself while it lives.

use tokio::sync::mpsc;

use crate::error::SourceError;

/// The state of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceState {
    /// Its server is being started.
    Starting,
    /// Its tools are known and can be called.
    Ready,
    /// It did not start, or its server ended or was cut off.
    Failed,
    /// It was closed on purpose.
    Stopped,
}

impl SourceState {
    /// The state's name in events and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// A change of state of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEvent {
    /// The source's name.
    pub slug: String,
    /// The hash of its configuration, see [`crate::SourceConfig::hash`].
    pub config_hash: String,
    /// The state it is in now.
    pub state: SourceState,
    /// Why it failed, with the stderr tail.
    pub error: Option<SourceError>,
    /// How many tools it has, once ready.
    pub tools: usize,
}

/// Where events go. A receiver that does not keep up loses events, never holds a source up; [`crate::Source::state`] is
/// always right.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventSink(pub(crate) Option<mpsc::Sender<SourceEvent>>);

impl EventSink {
    pub(crate) fn send(&self, event: SourceEvent) {
        if let Some(sender) = &self.0
            && sender.try_send(event).is_err()
        {
            tracing::warn!("a source event was dropped: its receiver is full or gone");
        }
    }
}
