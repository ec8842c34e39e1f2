//! What a confined command does not get to read: the app's own data and the usual places of secrets.

use std::path::{Path, PathBuf};

use super::Sight;

/// Folders of the home directory that hold keys, tokens and what people did.
const SECRET_FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".oci",
    ".minikube",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".terraform.d",
    ".vault",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/op",
    ".config/rclone",
    ".config/doctl",
    ".config/hub",
    ".config/sops",
    ".config/age",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/containers",
    ".config/stripe",
    ".config/heroku",
    ".config/github-copilot",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/containers/auth",
    "Library/Keychains",
    "Library/Cookies",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
];

/// Files of the home directory of the same kind.
const SECRET_FILES: &[&str] = &[
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".git-credentials",
    ".config/git/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".config/pypoetry/auth.toml",
    ".config/configstore/firebase-tools.json",
    ".vault-token",
    ".pgpass",
    ".my.cnf",
    ".mongorc.js",
    ".s3cfg",
    ".boto",
    ".dockercfg",
    ".terraformrc",
    ".env",
    ".bash_history",
    ".zsh_history",
    ".sh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".lesshst",
    ".local/share/fish/fish_history",
    ".Xauthority",
    ".ICEauthority",
];

/// Files of the machine that only its administrator reads, who may be who runs this.
const MACHINE_FILES: &[&str] =
    &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/krb5.keytab"];

/// What becomes of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// A folder that is empty, and the command's own to write to.
    Scratch,
    /// A folder that is shown as it is, read-only.
    Shown,
    /// A folder that is empty and stays so.
    Empty,
    /// A file that is empty.
    Blank,
}

/// The places that are not simply shown as they are, the outer ones before what lies in them: a later one holds.
/// Folders with sockets and other people's data come as `scratch` and `emptied`.
pub(super) fn places(sight: &Sight, scratch: &[PathBuf], emptied: &[PathBuf]) -> Vec<(PathBuf, Sort)> {
    let mut places: Vec<(PathBuf, Sort)> = Vec::new();
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let folder = |path: PathBuf| real(&path).filter(|found| found.is_dir() && found.parent().is_some());
    places.extend(scratch.iter().cloned().filter_map(folder).map(|path| (path, Sort::Scratch)));
    places.extend(emptied.iter().cloned().filter_map(folder).map(|path| (path, Sort::Empty)));
    places.extend(folder(sight.data.clone()).map(|path| (path, Sort::Empty)));
    if let Some(home) = &sight.home {
        let folders = SECRET_FOLDERS.iter().map(|name| home.join(name));
        places.extend(folders.filter_map(folder).map(|path| (path, Sort::Empty)));
        let files = SECRET_FILES.iter().map(|name| home.join(name));
        places.extend(
            files
                .filter_map(|path| real(&path))
                .filter(|path| path.is_file())
                .map(|path| (path, Sort::Blank)),
        );
    }
    let files = MACHINE_FILES.iter().filter_map(|path| real(Path::new(path))).filter(|path| path.is_file());
    places.extend(files.map(|path| (path, Sort::Blank)));
    let covered = places.clone();
    let shown = sight.shown.iter().chain(Some(&sight.directory)).cloned().filter_map(folder);
    // A folder needs to be shown only where something covers it.
    places.extend(
        shown
            .filter(|path| covered.iter().any(|(over, _)| path.starts_with(over)))
            .map(|path| (path, Sort::Shown)),
    );
    let masked = sight.masked.iter().filter_map(|path| real(path)).filter(|path| path.parent().is_some());
    places.extend(masked.map(|path| {
        let sort = if path.is_dir() { Sort::Empty } else { Sort::Blank };
        (path, sort)
    }));
    // Outer before inner. Where two say something about one place the later in `Sort` holds: what is secret stays hidden
    // even if it is named as a folder to work in, while a scratch folder that is one is shown.
    places.sort_by(|one, other| {
        one.0.components().count().cmp(&other.0.components().count()).then_with(|| one.cmp(other))
    });
    places.dedup();
    let last_of = |at: usize| places.get(at + 1).is_none_or(|next| next.0 != places[at].0);
    (0..places.len()).filter(|at| last_of(*at)).map(|at| places[at].clone()).collect()
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn made(root: &Path, folders: &[&str]) -> Vec<PathBuf> {
        folders
            .iter()
            .map(|name| {
                let path = root.join(name);
                std::fs::create_dir_all(&path).unwrap();
                path.canonicalize().unwrap()
            })
            .collect()
    }

    fn below(root: &Path, found: Vec<(PathBuf, Sort)>) -> Vec<(String, Sort)> {
        let root = root.canonicalize().unwrap();
        found
            .into_iter()
            .filter_map(|(path, sort)| Some((path.strip_prefix(&root).ok()?.display().to_string(), sort)))
            .collect()
    }

    #[test]
    fn secrets_stay_hidden_in_a_shown_home_and_a_session_is_shown_in_hidden_data() {
        let root = tempfile::tempdir().unwrap();
        let made = made(root.path(), &["home/.ssh", "data/sessions/s1", "tmp/work", "home/.config/gh"]);
        std::fs::write(root.path().join("home/.netrc"), "machine").unwrap();
        let sight = Sight {
            home: Some(root.path().join("home")),
            data: root.path().join("data"),
            shown: vec![root.path().join("home"), made[1].clone(), made[2].clone()],
            directory: made[2].clone(),
            ..Sight::default()
        };
        let found = below(root.path(), places(&sight, &[root.path().join("tmp")], &[]));
        let expected = [
            ("data", Sort::Empty),
            ("tmp", Sort::Scratch),
            ("home/.netrc", Sort::Blank),
            ("home/.ssh", Sort::Empty),
            ("tmp/work", Sort::Shown),
            ("data/sessions/s1", Sort::Shown),
            ("home/.config/gh", Sort::Empty),
        ];
        assert_eq!(found, expected.map(|(path, sort)| (path.to_owned(), sort)));
    }

    #[test]
    fn a_link_to_a_secret_folder_hides_what_it_leads_to() {
        let root = tempfile::tempdir().unwrap();
        made(root.path(), &["home", "elsewhere/keys"]);
        std::os::unix::fs::symlink(root.path().join("elsewhere/keys"), root.path().join("home/.ssh"))
            .unwrap();
        let sight = Sight { home: Some(root.path().join("home")), ..Sight::default() };
        assert_eq!(
            below(root.path(), places(&sight, &[], &[])),
            [("elsewhere/keys".to_owned(), Sort::Empty)]
        );
    }

    #[test]
    fn the_data_folder_and_secrets_stay_hidden_even_as_folders_to_work_in() {
        let root = tempfile::tempdir().unwrap();
        let made = made(root.path(), &["data", "home/.ssh", "tmp"]);
        let sight = Sight {
            home: Some(root.path().join("home")),
            data: made[0].clone(),
            shown: made.clone(),
            directory: made[2].clone(),
            ..Sight::default()
        };
        let found = below(root.path(), places(&sight, &[made[2].clone()], &[]));
        let expected = [("data", Sort::Empty), ("tmp", Sort::Shown), ("home/.ssh", Sort::Empty)];
        assert_eq!(found, expected.map(|(path, sort)| (path.to_owned(), sort)));
    }
}
