//! From the configured command to the file that will run.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::config::SourceConfig;
use crate::error::SourceErrorKind;

/// The program's file and the directory it starts in, both absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) program: PathBuf,
    pub(crate) directory: PathBuf,
}

/// Finds the program: a command with a path separator belongs to the workspace, a bare name to the search path.
pub(crate) fn locate(config: &SourceConfig) -> Result<Located, SourceErrorKind> {
    let home = std::env::home_dir();
    let workspace = std::path::absolute(expand_home(&config.workspace, home.as_deref()))
        .unwrap_or_else(|_| config.workspace.clone());
    let directory = match &config.cwd {
        Some(cwd) => tidy(&workspace.join(expand_home(cwd, home.as_deref()))),
        None => workspace.clone(),
    };
    if !directory.is_dir() {
        return Err(SourceErrorKind::NotFound {
            command: config.command.clone(),
            searched: format!("its working directory {} is missing", directory.display()),
        });
    }
    let has_separator = config.command.contains(std::path::is_separator);
    let program = if has_separator {
        let file = tidy(&workspace.join(expand_home(Path::new(&config.command), home.as_deref())));
        executable(&file).ok_or_else(|| SourceErrorKind::NotFound {
            command: config.command.clone(),
            searched: format!("{} is not an executable file", file.display()),
        })?
    } else {
        let path = config.search_path.clone().or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        search(&config.command, &path).ok_or_else(|| SourceErrorKind::NotFound {
            command: config.command.clone(),
            searched: format!("searched PATH={}", path.display()),
        })?
    };
    Ok(Located { program, directory })
}

fn search(command: &str, path: &OsString) -> Option<PathBuf> {
    if command.is_empty() {
        return None;
    }
    // An empty or relative entry would mean the current directory, where anyone may have put a file of that name.
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .find_map(|directory| executable(&directory.join(command)))
}

fn expand_home(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// Drops `.` components, so that errors show the path a person would write.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|component| !matches!(component, Component::CurDir)).collect()
}

#[cfg(unix)]
fn executable(file: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0).then(|| file.to_path_buf())
}

#[cfg(not(unix))]
fn executable(file: &Path) -> Option<PathBuf> {
    ["", ".exe", ".cmd", ".bat"]
        .iter()
        .map(|ending| {
            let mut name = file.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        })
        .find(|candidate| candidate.is_file())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::os::unix::fs::PermissionsExt;

    fn with_program(name: &str) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        (directory, file)
    }

    #[test]
    fn a_command_with_a_separator_belongs_to_the_workspace() {
        let (workspace, file) = with_program("bin/server");
        let mut config = SourceConfig::new("kb", "./bin/server");
        config.workspace = workspace.path().to_path_buf();
        config.cwd = Some("bin".into());
        assert_eq!(
            locate(&config).unwrap(),
            Located { program: file, directory: workspace.path().join("bin") }
        );
    }

    #[test]
    fn a_bare_name_is_never_looked_up_in_the_workspace() {
        let (workspace, _) = with_program("server");
        let mut config = SourceConfig::new("kb", "server");
        config.workspace = workspace.path().to_path_buf();
        config.search_path = Some("/nowhere/bin:.".into());
        let error = locate(&config).unwrap_err();
        assert!(error.to_string().contains("/nowhere/bin"), "the searched path is named: {error}");
    }

    #[test]
    fn a_bare_name_is_found_on_the_search_path() {
        let (directory, file) = with_program("server");
        let mut config = SourceConfig::new("kb", "server");
        config.workspace = "/".into();
        config.search_path = Some(directory.path().into());
        assert_eq!(locate(&config).unwrap().program, file);
    }

    #[test]
    fn the_tilde_is_the_home_directory() {
        let home = Path::new("/home/eva");
        assert_eq!(expand_home(Path::new("~/bin/x"), Some(home)), Path::new("/home/eva/bin/x"));
        assert_eq!(expand_home(Path::new("~eva/x"), Some(home)), Path::new("~eva/x"));
    }
}
