//! Programs that a repository's configuration names for what files hold: filters, through which files pass on their way into
//! and out of a worktree, and merge drivers. What the person's own configuration names is started. What only `.git/config`
//! names is not: an archive or a shared folder can bring it, and nobody was asked.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::TaskError;
use crate::git::Git;

/// Settings of a filter, and what they are where nothing is to be started.
const FILTER: [(&str, &str); 4] = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
/// What merges a file in the place of a driver: as git does without one, and a conflict where that can't be done.
const MERGE: &str = "git merge-file --marker-size=%L %A %O %B || exit 1";

/// Programs of the repository's own configuration.
#[derive(Debug, Default)]
pub(crate) struct NamedPrograms {
    /// What is said to git instead.
    settings: Vec<String>,
    /// Filters that the person's own configuration does not have.
    filters: BTreeSet<String>,
}

impl NamedPrograms {
    /// Reads the settings with their scopes: `scope NUL key LF value NUL`.
    ///
    /// # Errors
    /// A name with which git can't be told anything else.
    pub(crate) fn read(list: &[u8]) -> Result<Self, TaskError> {
        let text = String::from_utf8_lossy(list);
        let (mut own, mut person) = (BTreeSet::new(), BTreeMap::new());
        let mut parts = text.split('\0');
        while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            if setting_of(key).is_none() {
                continue;
            }
            match scope {
                "local" | "worktree" => drop(own.insert(key.to_owned())),
                // `unknown` is of files that the person's configuration includes.
                _ => drop(person.insert(key.to_owned(), value.to_owned())),
            }
        }
        let mut out = Self::default();
        let names: BTreeSet<(&str, &str)> = own.iter().filter_map(|key| setting_of(key)).collect();
        for (kind, name) in names {
            if name.contains(['=', '\n']) {
                let what = format!(
                    "the repository's configuration has the {kind} {name:?}, whose name git can't be told"
                );
                return Err(TaskError::Invalid(what));
            }
            let of_person = |setting: &str| person.get(&format!("{kind}.{name}.{setting}"));
            if kind == "merge" {
                let driver = of_person("driver").map_or(MERGE, String::as_str);
                out.settings.push(format!("merge.{name}.driver={driver}"));
                continue;
            }
            for (setting, nothing) in FILTER {
                let value = of_person(setting).map_or(nothing, String::as_str);
                out.settings.push(format!("filter.{name}.{setting}={value}"));
            }
            if !FILTER[..3].iter().any(|(setting, _)| of_person(setting).is_some()) {
                out.filters.insert(name.to_owned());
            }
        }
        Ok(out)
    }

    /// What is said to git, as `key=value`.
    pub(crate) fn settings(&self) -> &[String] {
        &self.settings
    }

    /// Refuses a repository whose files pass through such a filter: without it, other files would come out than in the
    /// repository itself.
    ///
    /// # Errors
    /// [`TaskError::Filtered`] with the filters that are in use.
    pub(crate) async fn refuse_used(&self, git: &Git<'_>) -> Result<(), TaskError> {
        let plain = |name: &&String| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        };
        let mut used = Vec::new();
        for name in self.filters.iter().filter(plain) {
            let pathspec = format!(":(attr:filter={name})");
            let found = git.clone().with_magic().ask(&["ls-files", "-z", "--", &pathspec]).await?;
            if let Some(file) = found.and_then(|found| found.split('\0').next().map(str::to_owned))
                && !file.is_empty()
            {
                used.push((name.clone(), file));
            }
        }
        if used.is_empty() { Ok(()) } else { Err(TaskError::Filtered(used)) }
    }
}

/// The kind and the name of a setting with which git starts a program for what a file holds.
fn setting_of(key: &str) -> Option<(&'static str, &str)> {
    let (name, setting) = key.rsplit_once('.')?;
    if let Some(name) = name.strip_prefix("filter.") {
        return FILTER.iter().any(|(known, _)| *known == setting).then_some(("filter", name));
    }
    (setting == "driver").then_some(())?;
    Some(("merge", name.strip_prefix("merge.")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn read(entries: &[(&str, &str)]) -> NamedPrograms {
        let list: String = entries.iter().map(|(scope, entry)| format!("{scope}\0{entry}\0")).collect();
        NamedPrograms::read(list.as_bytes()).unwrap()
    }

    #[test]
    fn what_only_the_repository_names_is_not_started_and_what_the_person_names_stays() {
        assert_eq!(
            read(&[("global", "filter.lfs.clean\ngit-lfs clean"), ("local", "core.bare\nfalse")]).settings(),
            [""; 0]
        );
        let both =
            read(&[("global", "filter.lfs.clean\ngit-lfs clean -- %f"), ("local", "filter.lfs.clean\nevil")]);
        assert_eq!(
            both.settings(),
            [
                "filter.lfs.clean=git-lfs clean -- %f",
                "filter.lfs.smudge=",
                "filter.lfs.process=",
                "filter.lfs.required=false"
            ]
        );
        assert!(both.filters.is_empty());
        let own =
            read(&[("worktree", "filter.a.b.process\nevil\nmore"), ("local", "merge.x.driver\nevil %A")]);
        assert_eq!(own.filters, BTreeSet::from(["a.b".to_owned()]));
        assert!(own.settings().contains(&"filter.a.b.process=".to_owned()));
        assert!(own.settings().iter().any(|setting| setting.starts_with("merge.x.driver=git merge-file")));
        assert!(NamedPrograms::read(b"local\0filter.a=b.clean\nevil\0").is_err());
    }
}
