//! A crash leaves a file with what is known; the next start tells of it.

use std::io;
use std::path::{Path, PathBuf};

use tauri::{AppHandle, Manager};

use crate::backend::Core;
use crate::{journal, window};

/// Names the crash file of a program that did not end well afterwards.
fn note(home: &Path) -> PathBuf {
    journal::folder(home).join("last-crash")
}

/// Writes what is known of every panic from now on.
pub fn record_in(home: &Path) {
    let home = home.to_owned();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let trace = std::backtrace::Backtrace::force_capture();
        let thread = std::thread::current();
        let text = format!(
            "AgentNative {} ({} {})\nthread {}: {panic}\n\n{trace}\n",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH,
            thread.name().unwrap_or("without a name"),
        );
        // The hook runs where anything may be broken: what fails here is lost.
        let _ = write(&home, &text);
        before(panic);
    }));
}

fn write(home: &Path, text: &str) -> io::Result<()> {
    let folder = journal::folder(home);
    create_private(&folder)?;
    let ms = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis());
    let name = format!("crash-{ms}.txt");
    std::fs::write(folder.join(&name), text)?;
    std::fs::write(note(home), name)
}

/// The program ends as it should: a panic of one task on the way was no crash.
pub fn ended_well(home: &Path) {
    let _ = std::fs::remove_file(note(home));
}

/// The crash file of the last time, once.
fn take_last(home: &Path) -> Option<PathBuf> {
    let name = std::fs::read_to_string(note(home)).ok()?;
    let _ = std::fs::remove_file(note(home));
    let file = journal::folder(home).join(name.trim());
    (file.parent() == Some(&journal::folder(home)) && file.is_file()).then_some(file)
}

/// Tells the person when the program crashed the last time.
pub fn tell_of_last(app: &AppHandle) {
    let Some(file) = take_last(app.state::<Core>().home()) else { return };
    tracing::warn!("crashed the last time: {}", file.display());
    let mut dialog = rfd::AsyncMessageDialog::new()
        .set_level(rfd::MessageLevel::Warning)
        .set_title("AgentNative")
        .set_description(format!(
            "AgentNative closed unexpectedly.\n\nWhat happened is written in\n{}\n\nNothing committed was lost: runs go on where they were.",
            file.display()
        ))
        .set_buttons(rfd::MessageButtons::Ok);
    if let Some(window) = app.get_webview_window(window::MAIN) {
        dialog = dialog.set_parent(&window);
    }
    tauri::async_runtime::spawn(async move {
        dialog.show().await;
    });
}

/// A folder that only this person may enter.
pub fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_told_once_and_only_when_the_program_did_not_end_well() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(take_last(home.path()), None);
        write(home.path(), "it broke").unwrap();
        let file = take_last(home.path()).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "it broke");
        assert_eq!(take_last(home.path()), None);
        write(home.path(), "a task broke").unwrap();
        ended_well(home.path());
        assert_eq!(take_last(home.path()), None);
    }

    #[test]
    fn a_note_that_names_another_folder_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        create_private(&journal::folder(home.path())).unwrap();
        std::fs::write(home.path().join("other.txt"), "x").unwrap();
        std::fs::write(note(home.path()), "../other.txt").unwrap();
        assert_eq!(take_last(home.path()), None);
    }
}
