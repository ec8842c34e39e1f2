//! Where paths lie: in a session's folders, in the person's home, in the program's own data.

/// Folders that mean something wherever a session works. Absolute and resolved, with `/` and none at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFolders {
    /// The program's data directory; empty: unknown.
    pub data: String,
    /// The person's home folder; empty: unknown.
    pub home: String,
    /// Workspaces outside of the data directory.
    pub workspaces: Vec<String>,
}

/// What a workspace's folder holds of the program's; the rest of one that is elsewhere is the person's work.
const EDITED: [&str; 11] = [
    "agents",
    "automations.json",
    "config.json",
    "labels",
    "permissions.json",
    "skills",
    "sources",
    "statuses",
    "theme.json",
    "themes",
    "views.json",
];

/// What a path is to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathArea {
    /// Nothing of its own.
    Foreign,
    /// Plans of the session itself.
    OwnPlans,
    /// Data that the session itself made.
    OwnData,
    /// The rest of the session's own folder.
    OwnRest,
    /// What the person edits: agents, sources, skills, rules.
    Workspace,
    /// Databases, keys, other sessions.
    Private,
}

impl KnownFolders {
    pub(crate) fn ground(&self, path: &str, session: &str) -> PathArea {
        let Some(rest) = below(path, &self.data) else {
            let mut below = self.workspaces.iter().filter_map(|folder| below(path, folder));
            let edited =
                |rest: &str| rest.is_empty() || EDITED.contains(&rest.split('/').next().unwrap_or(rest));
            return if below.any(edited) { PathArea::Workspace } else { PathArea::Foreign };
        };
        if let Some(rest) = below(rest, "workspaces") {
            return if rest.is_empty() { PathArea::Private } else { PathArea::Workspace };
        }
        // A task's worktree is the person's work; what lies above it says which tasks there are.
        if let Some(rest) = below(rest, "worktrees") {
            let mut parts = rest.split('/').filter(|part| !part.is_empty());
            return match (parts.next(), parts.next()) {
                (Some(_), Some(_)) => PathArea::Foreign,
                _ => PathArea::Private,
            };
        }
        let own = below(rest, "sessions").and_then(|rest| below(rest, session));
        match own {
            Some(own) if !session.is_empty() => match own.split('/').next() {
                Some("plans") => PathArea::OwnPlans,
                Some("data") => PathArea::OwnData,
                _ => PathArea::OwnRest,
            },
            _ => PathArea::Private,
        }
    }

    /// All forms of a path that a rule may be written in: itself, below the home folder, below a folder of the session.
    pub(crate) fn forms(&self, path: &str, folders: &[String]) -> Vec<String> {
        let mut forms = vec![path.to_owned()];
        if let Some(rest) = below(path, &self.home).filter(|rest| !rest.is_empty()) {
            forms.push(format!("~/{rest}"));
        }
        forms.extend(
            folders
                .iter()
                .filter_map(|folder| below(path, folder))
                .filter(|rest| !rest.is_empty())
                .map(str::to_owned),
        );
        forms
    }
}

impl KnownFolders {
    /// A rule's path as it holds from the root: what is written from the home folder or from a folder of the session is
    /// put below these.
    pub(crate) fn rooted<'a>(
        &'a self,
        rule: &'a str,
        folders: &'a [String],
    ) -> impl Iterator<Item = String> + 'a {
        let from_home = rule.strip_prefix("~/");
        let whole = (from_home.is_none() && (rule.starts_with('/') || rule.starts_with("**")))
            .then(|| rule.to_owned());
        let home = from_home.map(|rest| format!("{}/{rest}", self.home));
        let relative = (whole.is_none() && home.is_none())
            .then(|| folders.iter().map(move |folder| format!("{folder}/{rule}")));
        whole.into_iter().chain(home).chain(relative.into_iter().flatten())
    }
}

/// What of a path is below a folder; empty for the folder itself.
pub(crate) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(folder)?;
    if folder.ends_with('/') {
        return Some(rest);
    }
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(rest),
    }
}

/// A path with `/` alone. Only what looks like a path of Windows has other separators.
pub(crate) fn slashed(path: &str) -> String {
    let drive = path.as_bytes().get(1) == Some(&b':') || path.starts_with("\\\\");
    if drive { path.replace('\\', "/") } else { path.to_owned() }
}

/// Whether a path is absolute and names no step back, no empty step and no control character.
pub(crate) fn is_resolved(path: &str) -> bool {
    let rooted = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let tail = path.strip_prefix('/').unwrap_or(path);
    rooted
        && !path.contains(char::is_control)
        && (tail.is_empty() || tail.split('/').all(|part| !matches!(part, "" | "." | "..")))
}

/// A path that a command names, as it is from a folder: steps back are taken by their names alone.
pub(crate) fn joined(cwd: &str, home: &str, path: &str) -> String {
    let whole = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{cwd}/{path}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_folder_is_told_from_the_sessions_part_of_it() {
        let places = KnownFolders {
            data: "/home/eva/.an".to_owned(),
            home: "/home/eva".to_owned(),
            workspaces: vec!["/home/eva/shop".to_owned()],
        };
        for (path, expected) in [
            ("/home/eva/app/x", PathArea::Foreign),
            ("/home/eva/.anx/agentnative.db", PathArea::Foreign),
            ("/home/eva/.an", PathArea::Private),
            ("/home/eva/.an/credentials.enc", PathArea::Private),
            ("/home/eva/.an/sessions/s1/plans/a.md", PathArea::OwnPlans),
            ("/home/eva/.an/sessions/s1/data/a.json", PathArea::OwnData),
            ("/home/eva/.an/sessions/s1/permissions.json", PathArea::OwnRest),
            ("/home/eva/.an/sessions/s11/plans/a.md", PathArea::Private),
            ("/home/eva/.an/workspaces/default/permissions.json", PathArea::Workspace),
            ("/home/eva/.an/worktrees", PathArea::Private),
            ("/home/eva/.an/worktrees/fix-the-sum", PathArea::Private),
            ("/home/eva/.an/worktrees/fix-the-sum/1", PathArea::Foreign),
            ("/home/eva/.an/worktrees/fix-the-sum/1/src/main.rs", PathArea::Foreign),
            ("/home/eva/.an/tasks/fix-the-sum.json", PathArea::Private),
            ("/home/eva/shop/permissions.json", PathArea::Workspace),
            ("/home/eva/shop/sources/till/config.json", PathArea::Workspace),
            ("/home/eva/shop", PathArea::Workspace),
            ("/home/eva/shop/src/main.rs", PathArea::Foreign),
            ("/home/eva/shopping/permissions.json", PathArea::Foreign),
        ] {
            assert_eq!(places.ground(path, "s1"), expected, "{path}");
        }
        assert_eq!(places.ground("/home/eva/.an/sessions/plans/x", ""), PathArea::Private);
    }

    #[test]
    fn a_path_with_a_step_back_is_not_resolved() {
        for path in ["", "a", "/a/../b", "/a//b", "/a/./b", "/a/b/..", "/a\n/b", "~/a"] {
            assert!(!is_resolved(path), "{path:?}");
        }
        for path in ["/", "/a", "/a/b.c", "/a/..b", "C:/a"] {
            assert!(is_resolved(path), "{path:?}");
        }
    }

    #[test]
    fn what_a_command_names_is_taken_from_its_folder() {
        let joined = |path| joined("/home/eva/app", "/home/eva", path);
        assert_eq!(joined("../.ssh/id"), "/home/eva/.ssh/id");
        assert_eq!(joined("~/.ssh"), "/home/eva/.ssh");
        assert_eq!(joined("./a//b/"), "/home/eva/app/a/b");
        assert_eq!(joined("/etc/../../x"), "/x");
    }
}
