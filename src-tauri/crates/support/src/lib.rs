//! Small helpers that every service needs: the clock, random ids, blocking work, replacing a file, the files that runs
//! wrote, cutting a text, names of sessions, and text of others as a terminal may have it.

mod durable;
mod token;
mod visible;
mod written;

use std::io::Write;
use std::path::Path;

use domain::{ErrorCode, Problem};

pub use durable::{sync_file, sync_folder};
pub use token::Token;
pub use visible::{plain, printable, printable_json, printable_piece};
pub use written::{Deviation, FileDigests, RunDeviations, WrittenFiles};

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

/// How long something took, in words: `40 ms`, `1.2 s`, `3 m 07 s`, `2 h 05 m`.
pub fn duration(ms: u64) -> String {
    let (seconds, minutes) = (ms / 1_000, ms / 60_000);
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{seconds}.{} s", ms % 1_000 / 100),
        60_000..3_600_000 => format!("{minutes} m {:02} s", seconds % 60),
        3_600_000.. => format!("{} h {:02} m", minutes / 60, minutes % 60),
    }
}

/// So many random bytes of the system as lower-case hexadecimal digits.
pub fn random_hex<const BYTES: usize>() -> Result<String, Problem> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("the system gives no random numbers: {error}"))
    })?;
    Ok(hex::encode(bytes))
}

/// Runs work that waits for the disk or computes for long on a thread of its own.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Problem::new(ErrorCode::Internal, format!("the work ended early: {error}")))?
}

/// Refuses a file that is there: what the user named is never written over.
pub fn refuse_existing(path: &Path) -> Result<(), Problem> {
    if std::fs::symlink_metadata(path).is_ok() {
        return Err(Problem::new(ErrorCode::Conflict, format!("{} is there already", path.display()))
            .with_action("choose another name, or remove it first"));
    }
    Ok(())
}

/// Copies a file to a name that is free.
pub fn copy_fresh(from: &Path, to: &Path) -> Result<(), Problem> {
    refuse_existing(to)?;
    let failed = |error: std::io::Error| {
        Problem::new(ErrorCode::Storage, format!("{} could not be written: {error}", to.display()))
            .with_action("choose a folder that can be written to")
    };
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::copy(from, to).map_err(failed)?;
    Ok(())
}

/// Who may read a file that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// The person alone.
    Person,
    /// Whoever the person's defaults for new files allow.
    Default,
}

/// Replaces a file as a whole and waits until it is on the disk: whoever reads it sees the old one or the new one, after
/// a loss of power, too.
pub fn replace_file(path: &Path, bytes: &[u8], readers: Readers) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".replacing-");
    #[cfg(unix)]
    if readers == Readers::Default {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = readers;
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// The same on a thread of its own, in a folder that is made where it is missing.
pub async fn write_file(path: &Path, bytes: Vec<u8>, readers: Readers) -> std::io::Result<()> {
    let path = path.to_owned();
    let written = tokio::task::spawn_blocking(move || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        replace_file(&path, &bytes, readers)
    });
    written.await.unwrap_or_else(|error| Err(std::io::Error::other(error)))
}

/// A text of at most so many bytes, with an ellipsis where it was cut.
pub fn clipped(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(max_bytes)])
}

/// Whether a text can be a session's id: it is a folder's name, too.
pub fn is_session_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=100).contains(&text.len()) && !text.starts_with('.') && text.chars().all(plain)
}

/// The problem of a session that does not exist.
pub fn unknown_session(session: &str) -> Problem {
    let problem = Problem::new(ErrorCode::NotFound, format!("there is no session {session}"));
    if !session.starts_with("run-") {
        return problem;
    }
    problem.with_action(format!("that is the id of a run; `agentnative show {session}` names its session"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        replace_file(&path, b"one", Readers::Person).unwrap();
        replace_file(&path, b"two", Readers::Person).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        let others = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(others, 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            replace_file(&path, b"three", Readers::Default).unwrap();
            let made = std::fs::File::create(folder.path().join("other")).unwrap();
            assert_eq!(path.metadata().unwrap().permissions(), made.metadata().unwrap().permissions());
        }
    }

    #[test]
    fn a_file_that_cannot_be_replaced_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("taken")).unwrap();
        assert!(replace_file(&folder.path().join("taken"), b"x", Readers::Person).is_err());
        assert!(replace_file(&folder.path().join("missing/file"), b"x", Readers::Person).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn a_file_is_written_into_a_folder_that_was_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs/r1/answer.md");
        write_file(&path, b"one".to_vec(), Readers::Default).await.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        std::fs::write(folder.path().join("taken"), "").unwrap();
        assert!(write_file(&folder.path().join("taken/file"), Vec::new(), Readers::Default).await.is_err());
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(clipped("aé", 2), "a…");
        assert_eq!(clipped("aé", 3), "aé");
    }

    #[test]
    fn an_id_of_a_session_names_no_other_folder() {
        for bad in ["", ".", "..", ".hidden", "a/b", "a\\b", "ü", &"x".repeat(101)] {
            assert!(!is_session_id(bad), "{bad:?}");
        }
        assert!(is_session_id("260813-swift-falcon"));
    }
}
