//! The tray: how things stand, and a short way to who waits.

use std::path::Path;

use domain::Problem;
use protocol::{Client, SettingsPatch};
use tauri::image::Image;
use tauri::menu::{CheckMenuItemBuilder, Menu, MenuBuilder, MenuEvent, MenuItemBuilder};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager};

use crate::backend::Core;
use crate::link::Link;
use crate::shell;
use crate::shutdown::Leave;
use crate::tray_model::{Board, Entry, TrayState};

const ID: &str = "agentnative";

const IDLE: Image<'_> = tauri::include_image!("icons/tray-idle.png");
const RUNNING: Image<'_> = tauri::include_image!("icons/tray-running.png");
const NEEDS_YOU: Image<'_> = tauri::include_image!("icons/tray-needs-you.png");

/// Puts the icon into the tray, where there is one.
pub fn create(app: &AppHandle) {
    if !has_library() {
        tracing::info!("no tray: libayatana-appindicator3 is not installed");
        return;
    }
    let board = Board { notifies: true, ..Board::default() };
    let created = menu(app, &board).and_then(|menu| {
        TrayIconBuilder::with_id(ID)
            .icon(IDLE)
            .tooltip("AgentNative")
            // The library hands pictures over as files.
            .temp_dir_path(app.state::<Core>().home().join("cache"))
            .menu(&menu)
            .on_menu_event(chosen)
            .build(app)
    });
    if let Err(error) = created {
        tracing::warn!("no tray: {error}");
    }
}

/// Whether there is one.
pub fn exists(app: &AppHandle) -> bool {
    app.tray_by_id(ID).is_some()
}

/// Brings it up to date.
pub fn show(app: &AppHandle, board: Board) {
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || {
        if let Err(error) = redraw(&handle, &board) {
            tracing::warn!("the tray was not redrawn: {error}");
        }
    });
}

fn redraw(app: &AppHandle, board: &Board) -> tauri::Result<()> {
    let Some(tray) = app.tray_by_id(ID) else { return Ok(()) };
    let (icon, title) = match board.state() {
        TrayState::Idle => (IDLE, String::new()),
        TrayState::Running(count) => (RUNNING, count.to_string()),
        TrayState::NeedsYou(count) => (NEEDS_YOU, count.to_string()),
    };
    tray.set_icon(Some(icon))?;
    tray.set_title(Some(title))?;
    tray.set_tooltip(Some(format!("AgentNative: {}", board.words())))?;
    tray.set_menu(Some(menu(app, board)?))
}

fn menu(app: &AppHandle, board: &Board) -> tauri::Result<Menu<tauri::Wry>> {
    let mut menu = MenuBuilder::new(app).text("open", "Open AgentNative").separator();
    let standing = MenuItemBuilder::with_id("standing", capital(&board.words())).enabled(false).build(app)?;
    menu = menu.item(&standing);
    for (heading, entries) in [("Waiting for you", &board.waiting), ("Recent", &board.recent)] {
        if entries.is_empty() {
            continue;
        }
        let heading = MenuItemBuilder::with_id(heading, heading).enabled(false).build(app)?;
        menu = menu.separator().item(&heading);
        for Entry { session, title } in entries {
            // An ampersand would underline the letter after it.
            menu = menu.text(format!("session:{session}"), title.replace('&', "&&"));
        }
    }
    let pause =
        CheckMenuItemBuilder::with_id("pause", "Pause notifications").checked(!board.notifies).build(app)?;
    menu.separator().item(&pause).separator().text("quit", "Quit").build()
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn chosen(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        "open" => shell::visit(app, None),
        "quit" => app.state::<Leave>().begin(app),
        "pause" => {
            let app = app.clone();
            tauri::async_runtime::spawn(async move { pause(&app).await });
        }
        id => {
            if let Some(session) = id.strip_prefix("session:") {
                shell::visit(app, Some(Link::Session { id: session.to_owned(), message: None }));
            }
        }
    }
}

/// The setting is the one that the settings page shows.
async fn pause(app: &AppHandle) {
    if let Err(problem) = toggle(app).await {
        tracing::warn!("notifications were not paused: {}", problem.message);
    }
}

async fn toggle(app: &AppHandle) -> Result<(), Problem> {
    let host = app.state::<Core>().host().await?;
    let notifications = !host.settings_show().await?.notifications;
    let patch = SettingsPatch { notifications: Some(notifications), ..SettingsPatch::default() };
    host.settings_update(patch).await.map(drop)
}

/// The tray's library is loaded when the tray is made, and ends the program where it is missing.
fn has_library() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let named = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
    let usual =
        ["/usr/lib64", "/usr/lib", "/lib64", "/lib", "/usr/local/lib", "/usr/local/lib64", "/app/lib"];
    let folders = usual
        .iter()
        .map(|folder| (*folder).to_owned())
        .chain([format!("/usr/lib/{multiarch}"), format!("/lib/{multiarch}")])
        .chain(named.split(':').filter(|folder| !folder.is_empty()).map(str::to_owned));
    folders.into_iter().any(|folder| {
        ["libayatana-appindicator3.so.1", "libappindicator3.so.1"]
            .iter()
            .any(|library| Path::new(&folder).join(library).exists())
    })
}
