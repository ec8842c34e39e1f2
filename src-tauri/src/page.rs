//! The pages in the windows: what they are told, and what they have told us.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use parking_lot::Mutex;
use serde::Serialize;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager};

use crate::link::Link;
use crate::window;

/// How many chosen files are remembered.
const CHOSEN: usize = 1_000;

/// What happens to the window itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ShellEvent {
    /// A link, a notification or the tray leads to an address of the page.
    Link(String),
    /// That many files are being dragged over the window; 0 once they have left.
    Drag(usize),
    /// Files were dropped.
    Drop(Vec<PathBuf>),
    /// The program ends as soon as runs under way are stored.
    Closing(bool),
}

/// The pages in the windows.
#[derive(Default)]
pub struct Page {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the window's label.
    channels: BTreeMap<String, Channel<ShellEvent>>,
    /// Where the first window's page goes once it listens.
    pending: Option<String>,
    chosen: VecDeque<PathBuf>,
    dark: Option<bool>,
}

impl Page {
    /// A window's page listens from now on.
    pub fn attach(&self, label: &str, channel: Channel<ShellEvent>) {
        let mut state = self.state.lock();
        if label == window::MAIN
            && let Some(path) = state.pending.take()
            && channel.send(ShellEvent::Link(path.clone())).is_err()
        {
            state.pending = Some(path);
        }
        state.channels.insert(label.to_owned(), channel);
    }

    /// Tells a window's page. False where it does not listen.
    pub fn tell(&self, label: &str, event: ShellEvent) -> bool {
        let channel = self.state.lock().channels.get(label).cloned();
        channel.is_some_and(|channel| channel.send(event).is_ok())
    }

    /// Tells all pages.
    pub fn tell_all(&self, event: &ShellEvent) {
        let channels: Vec<_> = self.state.lock().channels.values().cloned().collect();
        for channel in channels {
            // One that does not listen any more has gone.
            let _ = channel.send(event.clone());
        }
    }

    /// Leads the first window's page somewhere, now or as soon as it listens.
    pub fn lead(&self, link: &Link) {
        let path = link.path();
        if !self.tell(window::MAIN, ShellEvent::Link(path.clone())) {
            self.state.lock().pending = Some(path);
        }
    }

    /// The place that was not told yet.
    pub fn take_link(&self) -> Option<String> {
        self.state.lock().pending.take()
    }

    /// A window's page is being loaded again, or gone: nobody listens.
    pub fn detach(&self, label: &str) {
        self.state.lock().channels.remove(label);
    }

    /// The page can be used.
    pub fn ready(&self, app: &AppHandle, dark: Option<bool>) {
        if let Some(dark) = dark {
            let changed = self.state.lock().dark.replace(dark) != Some(dark);
            if changed && let Some(main) = app.get_webview_window(window::MAIN) {
                let _ = main.set_background_color(Some(window::background(dark)));
            }
        }
        tracing::info!(ms = crate::started().elapsed().as_millis(), "the page is ready");
    }

    /// Whether the page is dark, where it has said so.
    pub fn dark(&self) -> Option<bool> {
        self.state.lock().dark
    }

    /// Remembers what the person has chosen: that may be opened later.
    pub fn choose(&self, paths: &[PathBuf]) {
        let mut state = self.state.lock();
        for path in paths {
            if !state.chosen.contains(path) {
                state.chosen.push_back(path.clone());
            }
        }
        while state.chosen.len() > CHOSEN {
            state.chosen.pop_front();
        }
    }

    /// What the person has chosen.
    pub fn chosen(&self) -> Vec<PathBuf> {
        self.state.lock().chosen.iter().cloned().collect()
    }
}
