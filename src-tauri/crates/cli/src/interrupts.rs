//! Ctrl-C while something is under way.

#[cfg(unix)]
use domain::ErrorCode;
use domain::Problem;

/// Ctrl-C. Registered once: what is pressed while a command is under way is handled after it.
pub struct Interrupts {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl Interrupts {
    /// Listens from now on.
    pub fn listen() -> Result<Self, Problem> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let signal = signal(SignalKind::interrupt()).map_err(|error| {
                Problem::new(ErrorCode::Internal, format!("Ctrl-C can't be handled: {error}"))
            })?;
            Ok(Self { signal })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        self.signal.recv().await;
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}
