//! What the page may ask of the shell. `call` carries the whole api; the others are what only a window can do.

use std::path::PathBuf;

use app::ApiEvent;
use domain::{ErrorCode, Problem};
use protocol::Client;
use serde::Deserialize;
use serde_json::Value;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, State, WebviewWindow};

use crate::backend::Core;
use crate::opener;
use crate::page::{Page, ShellEvent};

/// Carries out a command of the api (`{command, params, workspace}`) and gives its answer's value.
#[tauri::command]
pub async fn call(core: State<'_, Core>, request: Value) -> Result<Value, Problem> {
    core.call_json(request).await
}

/// Sends the api's events, in batches, from now on. A core that could not be opened is tried once more.
#[tauri::command]
pub async fn events(
    window: WebviewWindow,
    core: State<'_, Core>,
    channel: Channel<Vec<ApiEvent>>,
) -> Result<(), Problem> {
    core.reopen().await;
    let mut batches = core.host().await?.events();
    let task = tokio::spawn(async move {
        while let Some(batch) = batches.next().await {
            if channel.send(batch).is_err() {
                return;
            }
        }
    });
    core.feed_with(window.label(), Some(&task));
    Ok(())
}

/// Sends what happens to the window itself: links, dropped files, closing.
#[tauri::command]
pub fn shell_events(window: WebviewWindow, page: State<'_, Page>, channel: Channel<ShellEvent>) {
    page.attach(window.label(), channel);
}

/// Opens a window of its own for a workspace, or brings the one that it has to the front.
#[tauri::command]
pub async fn open_window(app: AppHandle, core: State<'_, Core>, workspace: String) -> Result<(), Problem> {
    // Asked first: a window for a workspace that is not there would be of no use.
    core.host_of(&workspace).await?.organise_show().await?;
    crate::window::open_workspace(&app, &workspace)
}

/// The page's address that the program was started with, where the page was not told yet.
#[tauri::command]
pub fn pending_link(window: WebviewWindow, page: State<'_, Page>) -> Option<String> {
    (window.label() == crate::window::MAIN).then(|| page.take_link()).flatten()
}

/// The page can be used. `dark` tells how it looks, so that the next window begins in that colour.
#[tauri::command]
pub fn ready(app: AppHandle, page: State<'_, Page>, dark: Option<bool>) {
    page.ready(&app, dark);
}

/// Opens a web address or starts a message, in the person's own program.
#[tauri::command]
pub async fn open_url(url: String) -> Result<(), Problem> {
    opener::url(&url)
}

/// Shows a file or folder of ours, one that the person has chosen, or one that a knowledge base was made from, in the
/// person's own program.
#[tauri::command]
pub async fn open_path(core: State<'_, Core>, page: State<'_, Page>, path: PathBuf) -> Result<(), Problem> {
    let mut places = page.chosen();
    places.extend(app::bases::source_paths(core.home()));
    opener::path(&path, core.home(), &places)
}

/// What may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Files.
    Files,
    /// A folder.
    Folder,
}

/// Lets the person choose files or a folder; nothing when they change their mind.
#[tauri::command]
pub async fn pick_paths(
    window: WebviewWindow,
    page: State<'_, Page>,
    what: Choice,
) -> Result<Vec<PathBuf>, Problem> {
    let (send, chosen) = tokio::sync::oneshot::channel();
    let parent = window.clone();
    let shown = window.run_on_main_thread(move || {
        let dialog = rfd::AsyncFileDialog::new().set_parent(&parent);
        // GTK would begin with its list of recent files, where a path that is typed can't be confirmed. Other systems remember the folder.
        #[cfg(target_os = "linux")]
        let dialog = match std::env::home_dir().filter(|home| home.is_dir()) {
            Some(home) => dialog.set_directory(home),
            None => dialog,
        };
        tauri::async_runtime::spawn(async move {
            let chosen = match what {
                Choice::Files => dialog.set_title("Choose files").pick_files().await.unwrap_or_default(),
                Choice::Folder => {
                    dialog.set_title("Choose a folder").pick_folder().await.into_iter().collect()
                }
            };
            let _ = send.send(chosen.iter().map(|file| file.path().to_owned()).collect::<Vec<_>>());
        });
    });
    shown
        .map_err(|error| Problem::new(ErrorCode::Internal, format!("the dialog can't be shown: {error}")))?;
    let chosen = chosen.await.unwrap_or_default();
    page.choose(&chosen);
    Ok(chosen)
}

/// Ends the program as closing the window does when it does not go to the tray.
#[tauri::command]
pub fn quit(app: AppHandle) {
    app.state::<crate::shutdown::Leave>().begin(&app);
}
