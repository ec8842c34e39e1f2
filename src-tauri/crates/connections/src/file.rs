//! `connections.json`: read anew whenever it changed, written as a whole.
//!
//! A file that can't be read never costs what was set: the last version that could be read stays in use, the check-up
//! tells what is wrong, and a change puts the broken file aside before it writes a new one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use domain::connection::Connection;
use domain::{ErrorCode, Problem};
use parking_lot::Mutex;
use support::{Readers, replace_file};
use workspace::{
    ConfigProblem, ConnectionEntry, ConnectionList, connections_text, parse_connections, read_connections,
};

/// A file that was changed so lately may change again without looking changed.
const FRESH: Duration = Duration::from_secs(2);

/// The file and what it last said.
pub struct ConnectionFile {
    home: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The file as it was when it was read; `None` before that, and where it may still change unseen.
    stamp: Option<Stamp>,
    list: Arc<ConnectionList>,
    problem: Option<Problem>,
    /// Whether `list` was read in this process.
    known: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
    file: u64,
}

/// The connections in use, and what is wrong with the file where it can't be used.
#[derive(Clone)]
pub struct LoadedConnections {
    /// The connections.
    pub list: Arc<ConnectionList>,
    /// What is wrong with the file now: then `list` is its last valid version.
    pub problem: Option<Problem>,
}

impl LoadedConnections {
    /// The entry of a slug.
    pub fn entry(&self, slug: &str) -> Option<&ConnectionEntry> {
        // Of two entries with one slug the first one is used.
        self.list.entries.iter().find(|entry| entry.slug == slug)
    }

    /// The connection of a slug.
    pub fn connection(&self, slug: &str) -> Result<&Connection, Problem> {
        let entry = self.entry(slug).ok_or_else(|| self.unknown(slug))?;
        entry.connection.as_ref().map_err(|problems| wrong_entry(slug, problems))
    }

    /// That there is no such connection.
    pub fn unknown(&self, slug: &str) -> Problem {
        let mut known = vec!["offline".to_owned()];
        known.extend(self.list.entries.iter().map(|entry| entry.slug.clone()));
        Problem::new(
            ErrorCode::NotFound,
            format!("there is no connection {slug:?}; there are {}", known.join(", ")),
        )
    }
}

/// What is wrong with an entry.
pub fn wrong_entry(slug: &str, problems: &[ConfigProblem]) -> Problem {
    let lines: String = problems.iter().map(|problem| format!("\n  {problem}")).collect();
    Problem::new(ErrorCode::InvalidConfig, format!("the connection `{slug}` can't be used:{lines}"))
        .with_action("correct it in the settings or in the file; the others work meanwhile")
}

impl ConnectionFile {
    pub fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), state: Mutex::default() }
    }

    fn file(&self) -> PathBuf {
        self.home.join("connections.json")
    }

    /// The last version that could be read.
    fn copy(&self) -> PathBuf {
        self.home.join("connections.last.json")
    }

    /// The connections as the file has them now.
    pub fn read(&self) -> LoadedConnections {
        let mut state = self.state.lock();
        let stamp = stamp(&self.file());
        if state.stamp.is_none() || state.stamp != stamp {
            self.reread(&mut state);
            let settled = stamp.filter(|stamp| {
                let age = stamp.changed.and_then(|changed| changed.elapsed().ok());
                age.is_some_and(|age| age > FRESH)
            });
            state.stamp = settled;
        }
        LoadedConnections { list: state.list.clone(), problem: state.problem.clone() }
    }

    fn reread(&self, state: &mut State) {
        match read_connections(&self.home) {
            Ok(list) => {
                let list = list.unwrap_or_default();
                if !state.known || *state.list != list {
                    state.list = Arc::new(list);
                    self.remember(&state.list);
                }
                state.problem = None;
                state.known = true;
            }
            Err(problems) => {
                if !state.known {
                    state.list = Arc::new(self.last_good());
                    state.known = true;
                }
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                state.problem = Some(Problem::new(ErrorCode::InvalidConfig, lines.join("\n")).with_action(
                    "correct the file; until then the last version that could be read is used, and the next \
                         change puts this one aside",
                ));
            }
        }
    }

    /// Keeps a version that could be read, also for the next start.
    fn remember(&self, list: &ConnectionList) {
        let text = connections_text(list);
        let there = std::fs::read_to_string(self.copy()).ok();
        if there.as_ref().is_none_or(|there| *there != text)
            && (there.is_some() || !list.entries.is_empty())
            && let Err(error) = replace_file(&self.copy(), text.as_bytes(), Readers::Person)
        {
            tracing::warn!("the copy of connections.json can't be written: {error}");
        }
    }

    fn last_good(&self) -> ConnectionList {
        let text = std::fs::read_to_string(self.copy()).ok();
        text.and_then(|text| parse_connections(&self.copy().display().to_string(), &text).ok())
            .unwrap_or_default()
    }

    /// Changes the list and writes it. Nothing is changed when that fails.
    pub fn update(
        &self,
        change: impl FnOnce(&mut Vec<ConnectionEntry>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut state = self.state.lock();
        self.reread(&mut state);
        let mut list = ConnectionList::clone(&state.list);
        change(&mut list.entries)?;
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Storage, format!("{}: {error}", self.file().display()))
                .with_action("the connections stay as they were; free some space and try again")
        };
        if state.problem.is_some() {
            std::fs::rename(self.file(), self.home.join("connections.broken.json")).map_err(failed)?;
        }
        replace_file(&self.file(), connections_text(&list).as_bytes(), Readers::Person).map_err(failed)?;
        state.stamp = None;
        self.reread(&mut state);
        Ok(())
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let about = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let file = std::os::unix::fs::MetadataExt::ino(&about);
    #[cfg(not(unix))]
    let file = 0;
    Some(Stamp { length: about.len(), changed: about.modified().ok(), file })
}
