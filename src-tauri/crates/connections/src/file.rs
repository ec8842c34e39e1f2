//! `connections.json` as it last was valid, written as a whole.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use config::{ConfigStore, broken_file};
use domain::connection::Connection;
use domain::{ErrorCode, Problem};
use parking_lot::Mutex;
use workspace::{ConfigProblem, ConnectionEntry, ConnectionList, connections_text, parse_connections};

/// The file, through the store of the data directory.
pub struct ConnectionFile {
    store: ConfigStore,
    path: PathBuf,
    valid: Mutex<ValidEntries>,
}

/// The last valid version of each entry of a list, and which list that was.
#[derive(Default)]
struct ValidEntries {
    list: Option<Arc<ConnectionList>>,
    entries: Arc<BTreeMap<String, Connection>>,
}

/// The connections in use, and what is wrong with the file where it can't be used.
#[derive(Clone)]
pub struct LoadedConnections {
    /// The connections.
    pub list: Arc<ConnectionList>,
    /// What is wrong with the file now: then `list` is its last valid version.
    pub problem: Option<Problem>,
    /// The entries as they last were valid, those that are valid now among them.
    valid: Arc<BTreeMap<String, Connection>>,
}

impl LoadedConnections {
    /// Those that a workspace has; without one those that every workspace has.
    pub fn within(mut self, workspace: Option<&str>) -> Self {
        let has = |entry: &ConnectionEntry| match workspace {
            Some(workspace) => entry.is_in(workspace),
            None => entry.workspaces().is_empty(),
        };
        if !self.list.entries.iter().all(has) {
            let mut list = (*self.list).clone();
            list.entries.retain(has);
            self.list = Arc::new(list);
        }
        self
    }

    /// The entry of a slug.
    pub fn entry(&self, slug: &str) -> Option<&ConnectionEntry> {
        // Of two entries with one slug the first one is used.
        self.list.entries.iter().find(|entry| entry.slug == slug)
    }

    /// The connection of a slug, as it stands in the file.
    pub fn connection(&self, slug: &str) -> Result<&Connection, Problem> {
        let entry = self.entry(slug).ok_or_else(|| self.unknown(slug))?;
        entry.connection.as_ref().map_err(|problems| match self.last_valid(slug) {
            Some(_) => outdated_entry(slug, problems),
            None => wrong_entry(slug, problems),
        })
    }

    /// The connection of a slug that is in use: where its entry is wrong, the last valid version of that.
    pub fn in_use(&self, slug: &str) -> Result<&Connection, Problem> {
        self.connection(slug).or_else(|problem| self.last_valid(slug).ok_or(problem))
    }

    /// The last valid version of an entry that is wrong.
    pub fn last_valid(&self, slug: &str) -> Option<&Connection> {
        let is_wrong = self.entry(slug).is_some_and(|entry| entry.connection.is_err());
        self.valid.get(slug).filter(|_| is_wrong)
    }

    /// That there is no such connection.
    pub fn unknown(&self, slug: &str) -> Problem {
        let mut known = vec!["offline".to_owned()];
        known.extend(self.list.entries.iter().map(|entry| entry.slug.clone()));
        Problem::new(
            ErrorCode::NotFound,
            format!("there is no connection {slug:?}; the connections are {}", known.join(", ")),
        )
    }
}

/// What is wrong with an entry.
pub fn wrong_entry(slug: &str, problems: &[ConfigProblem]) -> Problem {
    let lines: String = problems.iter().map(|problem| format!("\n  {problem}")).collect();
    Problem::new(ErrorCode::InvalidConfig, format!("the connection `{slug}` can't be used:{lines}"))
        .with_action("correct it in the settings or in the file; the others work meanwhile")
}

/// That an entry is wrong while its last valid version is in use.
pub fn outdated_entry(slug: &str, problems: &[ConfigProblem]) -> Problem {
    let lines: String = problems.iter().map(|problem| format!("\n  {problem}")).collect();
    let message = format!(
        "the entry of the connection `{slug}` is wrong, and its last valid version is in use:{lines}"
    );
    Problem::new(ErrorCode::InvalidConfig, message)
        .with_action("correct the file, or save the connection in the settings, which replaces the entry")
}

impl ConnectionFile {
    pub fn new(store: &ConfigStore) -> Self {
        let path = store.home().join("connections.json");
        Self { store: store.clone(), path, valid: Mutex::default() }
    }

    /// The connections as the file has them now.
    pub fn read(&self) -> LoadedConnections {
        let now = self.store.current(&self.path, parse_connections);
        let list = now.value.unwrap_or_default();
        let valid = self.valid(&list);
        LoadedConnections { list, problem: broken_file(&now.problems), valid }
    }

    /// The entries of a list as they last were valid. One that is in the list no more is forgotten.
    fn valid(&self, list: &Arc<ConnectionList>) -> Arc<BTreeMap<String, Connection>> {
        let mut valid = self.valid.lock();
        if valid.list.as_ref().is_some_and(|known| Arc::ptr_eq(known, list)) {
            return valid.entries.clone();
        }
        let place = self.path.join("entries");
        let before = match &valid.list {
            Some(_) => valid.entries.clone(),
            None => {
                let kept = self.store.kept_text(&place).unwrap_or_default();
                Arc::new(serde_json::from_str(&kept).unwrap_or_default())
            }
        };
        let mut entries = BTreeMap::new();
        for entry in &list.entries {
            let connection = entry.connection.as_ref().ok().or_else(|| before.get(&entry.slug));
            if let Some(connection) = connection.filter(|_| !entries.contains_key(&entry.slug)) {
                entries.insert(entry.slug.clone(), connection.clone());
            }
        }
        if entries != *before
            && let Ok(text) = serde_json::to_string(&entries)
        {
            self.store.keep_text(&place, &text);
        }
        *valid = ValidEntries { list: Some(list.clone()), entries: Arc::new(entries) };
        valid.entries.clone()
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
    fn an_entry_that_breaks_is_in_use_as_it_last_was_until_it_is_corrected_or_removed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("connections.json");
        for slug in ["one", "two"] {
            add(home.path(), slug);
        }
        let right = fs::read_to_string(&path).unwrap();
        let name = |file: &ConnectionFile, slug: &str| file.read().in_use(slug).map(|one| one.name.clone());
        let running = file(home.path());
        assert_eq!(name(&running, "one"), Ok(String::new()));
        let broken =
            right.replacen("\"slug\": \"one\"", "\"slug\": \"one\", \"maxParallelCalls\": \"many\"", 1);
        assert_ne!(broken, right);
        fs::write(&path, &broken).unwrap();
        // In the program that saw it valid, and after a restart.
        for now in [running.read(), file(home.path()).read()] {
            assert!(now.problem.is_none());
            assert_eq!(now.in_use("one").unwrap().slug, "one");
            assert!(now.last_valid("one").is_some() && now.last_valid("two").is_none());
            let told = now.connection("one").unwrap_err();
            assert!(told.message.contains("/connections/0/maxParallelCalls"), "{told}");
            assert!(told.message.contains("its last valid version is in use"), "{told}");
        }
        // A change of another one leaves it as it stands.
        add(home.path(), "three");
        assert!(fs::read_to_string(&path).unwrap().contains("many"));
        assert!(running.read().in_use("one").is_ok());
        // Removed while the program is away, and broken from the beginning afterwards: nothing comes back.
        let alone = right.replace("\"slug\": \"one\"", "\"slug\": \"other\"");
        fs::write(&path, &alone).unwrap();
        assert!(file(home.path()).read().in_use("one").is_err());
        fs::write(&path, &broken).unwrap();
        assert!(file(home.path()).read().in_use("one").is_err());
        fs::write(&path, &right).unwrap();
        assert!(file(home.path()).read().connection("one").is_ok());
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
