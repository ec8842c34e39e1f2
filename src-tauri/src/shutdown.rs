//! Leaving: runs under way are stored first, so that they go on where they were.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tauri::{AppHandle, Manager};

use crate::backend::Core;
use crate::page::{Page, ShellEvent};
use crate::{crash, window};

/// After this long the person is told what they wait for.
const QUIET: Duration = Duration::from_millis(300);
/// What is committed is safe at any moment: nothing is worth waiting for longer.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Whether the program is ending.
#[derive(Default)]
pub struct Leave {
    begun: AtomicBool,
}

impl Leave {
    /// Ends the program once runs under way are stored; at once when asked a second time.
    pub fn begin(&self, app: &AppHandle) {
        if self.begun.swap(true, Ordering::SeqCst) {
            app.exit(0);
            return;
        }
        // Who starts the program now gets a window of their own, not one that is going away.
        tauri_plugin_single_instance::destroy(app);
        window::remember(app, app.state::<Core>().home());
        let app = app.clone();
        tauri::async_runtime::spawn(async move {
            if let Some(host) = app.state::<Core>().opened() {
                let closing = host.close();
                tokio::pin!(closing);
                if tokio::time::timeout(QUIET, &mut closing).await.is_err() {
                    window::tell(&app, "storing runs before closing…");
                    app.state::<Page>().tell_all(&ShellEvent::Closing(true));
                    if tokio::time::timeout(TIMEOUT, closing).await.is_err() {
                        tracing::warn!("the core did not close in time; what it has committed is kept");
                    }
                }
            }
            crash::ended_well(app.state::<Core>().home());
            tracing::info!("closed");
            app.exit(0);
        });
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::SeqCst)
    }
}

/// Leaves when the system asks for it.
pub fn on_signals(app: &AppHandle) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
            let app = app.clone();
            tauri::async_runtime::spawn(async move {
                match signal(kind) {
                    Ok(mut signals) => {
                        while signals.recv().await.is_some() {
                            let handle = app.clone();
                            let _ = app.run_on_main_thread(move || handle.state::<Leave>().begin(&handle));
                        }
                    }
                    Err(error) => tracing::warn!("a signal can't be listened to: {error}"),
                }
            });
        }
    }
    #[cfg(not(unix))]
    let _ = app;
}
