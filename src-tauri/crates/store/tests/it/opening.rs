use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use store::{DataDir, Store, StoreError};
use tempfile::TempDir;

use crate::child::{command, said};
use crate::{Home, append, begin};

#[test]
fn a_directory_held_by_another_process_is_busy_and_names_it() {
    let folder = TempDir::new().expect("a directory");
    let mut child = command(&[], "hold", folder.path()).spawn().expect("starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    assert!(lines.any(|line| line.expect("reads").contains("child: ready")));
    let refused = DataDir::open(folder.path()).expect_err("busy");
    let expected = StoreError::Busy { path: folder.path().to_owned(), pid: Some(child.id()) };
    assert_eq!(refused, expected);
    drop(child.stdin.take());
    assert!(child.wait().expect("ends").success());
    DataDir::open(folder.path()).expect("the lock went with the process");
}

#[tokio::test]
async fn a_second_store_in_the_same_process_is_busy_too() {
    let home = Home::new().await;
    assert!(matches!(DataDir::open(home.folder.path()), Err(StoreError::Busy { .. })));
    assert!(matches!(Store::open(&home.dir, "test").await, Err(StoreError::Busy { .. })));
    home.store.close().await.expect("closes");
    Store::open(&home.dir, "test").await.expect("the first one is gone");
}

/// Until a child begins its own program it has its parent's open files, the lock among them.
#[cfg(unix)]
#[test]
fn a_directory_that_was_given_back_is_free_while_children_are_being_started() {
    let folder = TempDir::new().expect("a directory");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                assert!(Command::new("true").status().expect("starts").success());
            }
        });
        let opened = (0..400).map(|_| DataDir::open(folder.path()).map(drop)).find(Result::is_err);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(opened, None);
    });
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_what_is_stored() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("parent").join("data");
    let (dir, store) = crate::open(&path).await;
    store.commit(begin("r", "s")).await.expect("commits");
    let mode = |path: &Path| fs::metadata(path).expect("exists").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for name in ["agentnative.db", "agentnative.db-wal", "lock"] {
        assert_eq!(mode(&path.join(name)), 0o600, "{name}");
    }
    assert_eq!(dir.path(), path);
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_refused_with_a_remedy() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a directory");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).expect("changes the mode");
    let words = match DataDir::open(folder.path()) {
        Err(refused) => refused.to_string(),
        // Permissions do not bind root: a read-only mount in a namespace of its own does.
        Ok(dir) => {
            drop(dir);
            let script = "mount --bind \"$STORE_TEST_PLACE\" \"$STORE_TEST_PLACE\" && \
                mount -o remount,bind,ro \"$STORE_TEST_PLACE\" && exec \"$0\" \"$@\"";
            let wrapper = ["unshare", "-m", "sh", "-c", script];
            if !can_mount() {
                eprintln!("not checked: this root may not mount");
                return;
            }
            let output = command(&wrapper, "refused", folder.path()).output().expect("starts");
            said(&output.stdout).pop().expect("the child says why")
        }
    };
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("changes the mode");
    assert!(words.contains("is not writable") && words.contains("make it writable"), "{words}");
    assert!(words.contains(&folder.path().display().to_string()), "{words}");
}

pub(crate) fn can_mount() -> bool {
    Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|status| status.success())
}

#[tokio::test]
async fn a_file_that_is_no_database_of_this_program_is_left_alone() {
    let folder = TempDir::new().expect("a directory");
    let dir = DataDir::open(folder.path()).expect("locks");
    let short = b"SQLite format 3\0".to_vec();
    for content in [b"some notes of a person".to_vec(), vec![0xa5; 10_000], short] {
        fs::write(dir.database(), &content).expect("writes");
        let refused = Store::open(&dir, "test").await.expect_err("foreign");
        assert!(matches!(refused, StoreError::Foreign { .. }), "{refused}");
        assert_eq!(fs::read(dir.database()).expect("reads"), content);
    }
    fs::remove_file(dir.database()).expect("removes");
    let options = SqliteConnectOptions::new().filename(dir.database()).create_if_missing(true);
    let mut other = options.connect().await.expect("connects");
    sqlx::raw_sql("CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)")
        .execute(&mut other)
        .await
        .expect("sql");
    other.close().await.expect("closes");
    let content = fs::read(dir.database()).expect("reads");
    let refused = Store::open(&dir, "test").await.expect_err("foreign");
    assert!(matches!(refused, StoreError::Foreign { .. }), "{refused}");
    assert_eq!(fs::read(dir.database()).expect("reads"), content);

    fs::remove_file(dir.database()).expect("removes");
    fs::create_dir(dir.database()).expect("a directory in the way");
    let refused = Store::open(&dir, "test").await.expect_err("foreign");
    assert!(matches!(refused, StoreError::Foreign { .. }), "{refused}");
}

#[tokio::test]
async fn a_log_without_its_database_is_not_thrown_away() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("commits");
    let other = TempDir::new().expect("a directory");
    let wal = other.path().join("agentnative.db-wal");
    fs::copy(home.folder.path().join("agentnative.db-wal"), &wal).expect("copies");
    let dir = DataDir::open(other.path()).expect("locks");
    let refused = Store::open(&dir, "test").await.expect_err("half a database");
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused}");
    assert!(fs::metadata(&wal).expect("is there").len() > 0);
}

#[tokio::test]
async fn a_damaged_database_is_found_after_an_unclean_end_and_kept() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("commits");
    for seq in 1..40 {
        home.store.commit(append("r", seq)).await.expect("commits");
    }
    home.store.checkpoint().await.expect("checkpoints");
    let other = TempDir::new().expect("a directory");
    let copy = other.path().join("agentnative.db");
    let mut content = fs::read(home.dir.database()).expect("reads");
    // Every page but the first loses its b-tree header.
    for page in content.chunks_mut(4096).skip(1) {
        page[..12].fill(0xff);
    }
    fs::write(&copy, &content).expect("writes");
    fs::write(other.path().join("lock"), "pid=1\nopen=yes\nboot=another\n").expect("writes");
    let dir = DataDir::open(other.path()).expect("locks");
    let refused = Store::open(&dir, "test").await.expect_err("damaged");
    let StoreError::Corrupt { backups, .. } = &refused else { panic!("{refused}") };
    assert_eq!(*backups, other.path().join("backups"));
    assert!(refused.to_string().contains("restore a copy from"), "{refused}");
    assert_eq!(fs::read(&copy).expect("reads"), content);
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_is_there_already_is_closed_where_it_is_ours_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &std::path::Path| fs::metadata(path).expect("is there").permissions().mode() & 0o777;
    let open = |path: &std::path::Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("changes the mode");
    };
    // An empty one, and one that has been in use.
    let folder = TempDir::new().expect("a directory");
    for _ in 0..2 {
        open(folder.path());
        let dir = DataDir::open(folder.path()).expect("locks");
        assert_eq!(mode(folder.path()), 0o700);
        assert!(!store::others_may_enter(folder.path()));
        let store = Store::open(&dir, "test").await.expect("opens");
        store.close().await.expect("closes");
        fs::create_dir_all(folder.path().join("sessions/s")).expect("makes");
    }

    // One that holds other things keeps its mode, and what is ours in it is closed.
    let shared = TempDir::new().expect("a directory");
    open(shared.path());
    fs::write(shared.path().join("notes.txt"), "theirs").expect("writes");
    fs::create_dir(shared.path().join("sessions")).expect("makes");
    fs::write(shared.path().join("settings.json"), "{}").expect("writes");
    fs::create_dir(shared.path().join("photos")).expect("makes");
    for path in ["sessions", "photos"] {
        open(&shared.path().join(path));
    }
    let elsewhere = TempDir::new().expect("a directory");
    open(elsewhere.path());
    std::os::unix::fs::symlink(elsewhere.path(), shared.path().join("models")).expect("links");
    DataDir::open(shared.path()).expect("locks");
    assert!(store::others_may_enter(shared.path()));
    assert_eq!(mode(shared.path()), 0o755);
    let modes = ["sessions", "knowledge", "workspaces", "settings.json", "lock", "photos"]
        .map(|name| mode(&shared.path().join(name)));
    assert_eq!(modes, [0o700, 0o700, 0o700, 0o600, 0o600, 0o755]);
    assert_eq!(mode(elsewhere.path()), 0o755, "a link is not followed");
}

#[cfg(unix)]
#[test]
fn a_folder_for_everybody_is_not_closed_while_it_is_empty() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().expect("a directory");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).expect("changes the mode");
    DataDir::open(folder.path()).expect("locks");
    assert_eq!(fs::metadata(folder.path()).expect("is there").permissions().mode() & 0o7777, 0o1777);
}
