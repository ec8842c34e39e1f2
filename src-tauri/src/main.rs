//! The desktop shell: a window around the api, with a tray, notifications and links.
//!
//! Everything that the page does goes through one command that carries the api's table; the shell adds what only a
//! window can do. It holds no state of sessions or runs: what it shows in the tray it asks the api.
//!
//! Architecture invariant: nothing here decides anything about a run; nothing outside of this crate knows `tauri`.

#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

mod backend;
mod color_scheme;
mod commands;
mod crash;
mod journal;
mod link;
mod notification;
mod opener;
mod page;
mod shell;
mod shutdown;
#[cfg(target_os = "linux")]
mod single_instance;
mod tray;
mod tray_model;
mod watch;
mod window;

use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Instant;

static STARTED: OnceLock<Instant> = OnceLock::new();

/// When the program was started.
pub(crate) fn started() -> Instant {
    *STARTED.get_or_init(Instant::now)
}

fn main() -> ExitCode {
    // Children are started through this program as their guard: that must come before any thread exists.
    if let Some(code) = process_guard::intercept() {
        return code;
    }
    process_guard::keep_others_out();
    // Documents are read through this program in a process of their own.
    if let Some(code) = documents::worker::child_main(std::env::args_os().skip(1)) {
        return code;
    }
    started();
    if let Err(problem) = has_display().and_then(|()| shell::run()) {
        eprintln!("agentnative-desktop: {problem}");
        tracing::error!("{problem}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Without a display GTK ends the program with a message that helps nobody.
fn has_display() -> Result<(), domain::Problem> {
    let set = |name| std::env::var_os(name).is_some_and(|value: std::ffi::OsString| !value.is_empty());
    if !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY") {
        return Ok(());
    }
    Err(domain::Problem::new(domain::ErrorCode::InvalidInput, "there is no display to open a window on")
        .with_action(
            "`agentnative serve` opens the same pages in a browser; `agentnative run` works in a terminal",
        ))
}
