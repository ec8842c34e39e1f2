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

/// What is said about places below `root`, which may lie in a machine's hidden folder itself.
fn hidden_below(root: &Path, sandbox: &SandboxPolicy, scratch: &[PathBuf]) -> Vec<(String, Sort)> {
    below(root, hidden_paths(sandbox, scratch, &[]))
}

#[test]
fn a_home_is_empty_but_for_the_sessions_folders_and_toolchains() {
    let root = tempfile::tempdir().unwrap();
    let made = made(
        root.path(),
        &[
            "home/app",
            "home/.ssh",
            "home/.cargo/bin",
            "home/.config/gh",
            "home/.gem/ruby",
            "data/sessions/s1",
        ],
    );
    std::fs::write(root.path().join("home/.netrc"), "machine").unwrap();
    let sandbox = SandboxPolicy {
        home: Some(root.path().join("home")),
        data: root.path().join("data"),
        shown: vec![made[0].clone(), made[5].clone()],
        directory: made[0].clone(),
        ..SandboxPolicy::default()
    };
    let expected = [
        ("data", Sort::Empty),
        ("home", Sort::Empty),
        ("home/app", Sort::Shown),
        ("data/sessions/s1", Sort::Shown),
        ("home/.cargo/bin", Sort::Shown),
        ("home/.gem/ruby", Sort::Shown),
    ];
    let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
    assert_eq!(hidden_below(root.path(), &sandbox, &[]), expected);
}

#[test]
fn in_a_home_that_is_worked_in_secrets_stay_hidden() {
    let root = tempfile::tempdir().unwrap();
    let made = made(root.path(), &["home/.ssh", "data/sessions/s1", "tmp/work", "home/.config/gh"]);
    std::fs::write(root.path().join("home/.netrc"), "machine").unwrap();
    let sandbox = SandboxPolicy {
        home: Some(root.path().join("home")),
        data: root.path().join("data"),
        shown: vec![root.path().join("home"), made[1].clone(), made[2].clone()],
        directory: made[2].clone(),
        ..SandboxPolicy::default()
    };
    let expected = [
        ("data", Sort::Empty),
        ("home", Sort::Shown),
        ("tmp", Sort::Scratch),
        ("home/.netrc", Sort::Blank),
        ("home/.ssh", Sort::Empty),
        ("tmp/work", Sort::Shown),
        ("data/sessions/s1", Sort::Shown),
        ("home/.config/gh", Sort::Empty),
    ];
    let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
    assert_eq!(hidden_below(root.path(), &sandbox, &[root.path().join("tmp")]), expected);
}

#[test]
fn a_folder_of_the_home_is_shown_without_the_secrets_in_it() {
    let root = tempfile::tempdir().unwrap();
    let made = made(root.path(), &["home/.config", "home/.config/gh", "home/.ssh"]);
    let sandbox = SandboxPolicy {
        home: Some(root.path().join("home")),
        shown: vec![made[0].clone()],
        directory: made[0].clone(),
        ..SandboxPolicy::default()
    };
    let expected = [("home", Sort::Empty), ("home/.config", Sort::Shown), ("home/.config/gh", Sort::Empty)];
    let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
    assert_eq!(hidden_below(root.path(), &sandbox, &[]), expected);
}

#[test]
fn drives_are_empty_but_for_those_that_are_worked_in() {
    let there = |drive: &&Path| drive.canonicalize().is_ok_and(|real| real == *drive && real.is_dir());
    for drive in DRIVES.iter().map(Path::new).filter(there) {
        let (empty, sandbox) = ((drive.to_owned(), Sort::Empty), SandboxPolicy::default());
        assert!(hidden_paths(&sandbox, &[], &[]).contains(&empty), "{}", drive.display());
        let sandbox = SandboxPolicy { shown: vec![drive.to_owned()], ..sandbox };
        assert!(!hidden_paths(&sandbox, &[], &[]).contains(&empty), "{}", drive.display());
    }
}

#[test]
fn a_link_to_a_secret_folder_hides_what_it_leads_to() {
    let root = tempfile::tempdir().unwrap();
    made(root.path(), &["home", "elsewhere/keys"]);
    std::os::unix::fs::symlink(root.path().join("elsewhere/keys"), root.path().join("home/.ssh")).unwrap();
    let sandbox = SandboxPolicy { home: Some(root.path().join("home")), ..SandboxPolicy::default() };
    let expected = [("home".to_owned(), Sort::Empty), ("elsewhere/keys".to_owned(), Sort::Empty)];
    assert_eq!(hidden_below(root.path(), &sandbox, &[]), expected);
}

#[test]
fn the_data_folder_and_secrets_stay_hidden_even_as_folders_to_work_in() {
    let root = tempfile::tempdir().unwrap();
    let made = made(root.path(), &["data", "home/.ssh", "tmp"]);
    let sandbox = SandboxPolicy {
        home: Some(root.path().join("home")),
        data: made[0].clone(),
        shown: made.clone(),
        directory: made[2].clone(),
        ..SandboxPolicy::default()
    };
    let expected =
        [("data", Sort::Empty), ("home", Sort::Empty), ("tmp", Sort::Shown), ("home/.ssh", Sort::Empty)];
    let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
    assert_eq!(hidden_below(root.path(), &sandbox, std::slice::from_ref(&made[2])), expected);
}
