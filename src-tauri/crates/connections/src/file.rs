//! `connections.json` as it last was valid, written as a whole.

use std::path::PathBuf;
use std::sync::Arc;

use config::{ConfigStore, broken_file};
use domain::connection::Connection;
use domain::{ErrorCode, Problem};
use workspace::{ConfigProblem, ConnectionEntry, ConnectionList, connections_text, parse_connections};

/// The file, through the store of the data directory.
pub struct ConnectionFile {
    store: ConfigStore,
    path: PathBuf,
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
    pub fn new(store: &ConfigStore) -> Self {
        Self { store: store.clone(), path: store.home().join("connections.json") }
    }

    /// The connections as the file has them now.
    pub fn read(&self) -> LoadedConnections {
        let now = self.store.current(&self.path, parse_connections);
        LoadedConnections { list: now.value.unwrap_or_default(), problem: broken_file(&now.problems) }
    }

    /// Changes the list and writes it. Nothing is changed when that fails.
    pub fn update(&self, change: impl Fn(&mut Vec<ConnectionEntry>)) -> Result<(), Problem> {
        self.store.update(&self.path, parse_connections, |now: Option<&ConnectionList>| {
            let mut list = now.cloned().unwrap_or_default();
            change(&mut list.entries);
            Ok(connections_text(&list))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use domain::connection::ProviderKind;

    use super::*;

    /// As after a start.
    fn file(home: &Path) -> ConnectionFile {
        ConnectionFile::new(&ConfigStore::new(home))
    }

    fn slugs(home: &Path) -> Vec<String> {
        file(home).read().list.entries.iter().map(|entry| entry.slug.clone()).collect()
    }

    fn add(home: &Path, slug: &str) {
        let entry = ConnectionEntry::new(Connection::new(slug, ProviderKind::Ollama));
        file(home).update(|entries| entries.push(entry.clone())).unwrap();
    }

    #[test]
    fn what_a_person_wrote_into_a_broken_file_is_kept_and_what_was_there_before_goes_on() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("connections.json");
        add(home.path(), "one");
        let huge = " ".repeat(2 << 20);
        for (count, broken) in ["{ oops", "", huge.as_str(), "{\"version\": 1}"].into_iter().enumerate() {
            fs::write(&path, broken).unwrap();
            let problem = file(home.path()).read().problem.unwrap();
            assert!(problem.message.contains("connections.json"), "{problem}");
            assert_eq!(slugs(home.path()), ["one", "n0", "n1", "n2"][..=count]);
            add(home.path(), &format!("n{count}"));
            let ending = if count == 0 { String::new() } else { format!("-{}", count + 1) };
            let aside = home.path().join(format!("connections.broken{ending}.json"));
            assert_eq!(fs::read_to_string(aside).unwrap(), broken);
        }
        assert_eq!(slugs(home.path()), ["one", "n0", "n1", "n2", "n3"]);
    }

    #[test]
    fn what_an_earlier_version_of_the_program_kept_is_used() {
        let home = tempfile::tempdir().unwrap();
        add(home.path(), "one");
        let text = fs::read_to_string(home.path().join("connections.json")).unwrap();
        fs::remove_dir_all(home.path().join("cache")).unwrap();
        fs::write(home.path().join("connections.last.json"), text).unwrap();
        fs::write(home.path().join("connections.json"), "{ oops").unwrap();
        assert_eq!(slugs(home.path()), ["one"]);
    }
}
