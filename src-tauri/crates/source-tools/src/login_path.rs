//! The search path of the person's login shell: a program that a desktop started has a shorter one, without what their
//! profile adds (version managers, package managers).
//!
//! It is asked for once, in the background: a profile may take seconds, or wait for somebody who is not there.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use process_guard::{GuardedCommand, plain_environment};
use tokio::sync::watch;

/// The longest that the shell may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most of its output that is read, in bytes.
const MAX_OUTPUT_BYTES: usize = 256 << 10;
/// What it gets to end by itself.
const GRACE: Duration = Duration::from_millis(200);
/// What stands around the answer: profiles print whatever they like.
const DELIMITER: &str = "__agentnative_path__";

/// The search path: asked for when it is first of use, known a little later.
#[derive(Debug, Default)]
pub struct LoginPath(OnceLock<watch::Receiver<Option<OsString>>>);

impl LoginPath {
    /// Begins to ask, unless that was done.
    pub fn begin(&self) -> &watch::Receiver<Option<OsString>> {
        self.0.get_or_init(|| {
            let own = std::env::var_os("PATH").unwrap_or_default();
            let (told, known) = watch::channel(None);
            let shell = std::env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute());
            tokio::spawn(async move {
                let asked = match shell {
                    Some(shell) if cfg!(unix) => ask(&shell).await,
                    Some(_) | None => None,
                };
                // Nobody listens any more when the program is ending.
                let _ = told.send(Some(joined(asked.as_deref(), &own)));
            });
            known
        })
    }

    /// The search path: the login shell's and this program's.
    pub async fn get(&self) -> OsString {
        let mut known = self.begin().clone();
        match known.wait_for(Option::is_some).await {
            Ok(path) => path.clone().unwrap_or_default(),
            Err(_) => std::env::var_os("PATH").unwrap_or_default(),
        }
    }
}

async fn ask(shell: &Path) -> Option<OsString> {
    let (mut output, input) = std::io::pipe().ok()?;
    let script = format!("printf '%s' '{DELIMITER}'; printf '%s' \"$PATH\"; printf '%s' '{DELIMITER}'");
    let arguments = ["-i", "-l", "-c", script.as_str()].map(OsString::from).to_vec();
    // It needs no guard: it ends by itself, or is ended here.
    let mut guarded = GuardedCommand::new(None, shell.as_os_str(), arguments, GRACE);
    guarded.command.envs(plain_environment(None));
    guarded.command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(input);
    let tree = guarded.spawn().ok()?;
    let reading = tokio::task::spawn_blocking(move || {
        let (mut text, mut piece) = (Vec::new(), [0; 4_096]);
        // What a profile leaves in the background may hold the pipe open: the second mark ends it.
        while text.len() < MAX_OUTPUT_BYTES && between(&text).is_none() {
            match output.read(&mut piece) {
                Ok(0) | Err(_) => break,
                Ok(count) => text.extend_from_slice(&piece[..count]),
            }
        }
        between(&text)
    });
    let read = tokio::time::timeout(TIMEOUT, reading).await;
    tree.stop();
    tree.ended().await;
    let text = read.ok()?.ok()??;
    (!text.is_empty()).then(|| OsString::from(text))
}

fn between(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let (_, after) = text.split_once(DELIMITER)?;
    after.split_once(DELIMITER).map(|(path, _)| path.to_owned())
}

/// The first path, then what only the second has. Entries that are not absolute are left out.
fn joined(first: Option<&OsStr>, second: &OsStr) -> OsString {
    let mut entries: Vec<PathBuf> = Vec::new();
    let all = first.into_iter().flat_map(std::env::split_paths).chain(std::env::split_paths(second));
    for entry in all.filter(|entry| entry.is_absolute()) {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    std::env::join_paths(entries).unwrap_or_else(|_| second.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_profile_prints_around_the_answer_is_left_out() {
        assert_eq!(
            between(format!("Welcome!\n{DELIMITER}/bin:/usr/bin{DELIMITER}bye").as_bytes()).unwrap(),
            "/bin:/usr/bin"
        );
        assert_eq!(between(format!("Welcome!\n{DELIMITER}/bin").as_bytes()), None);
        assert_eq!(between(b"nothing"), None);
    }

    #[cfg(unix)]
    #[test]
    fn both_paths_are_searched_and_relative_entries_are_not() {
        let joined =
            joined(Some(OsStr::new("/home/eva/.cargo/bin:.:/usr/bin")), OsStr::new("/usr/bin:/bin:rel"));
        assert_eq!(joined, OsString::from("/home/eva/.cargo/bin:/usr/bin:/bin"));
    }
}
