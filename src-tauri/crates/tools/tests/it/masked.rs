//! What rules keep from being read is empty for confined commands; the search path of commands.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::sync::watch;
use tools::confine::available;
use tools::shell::{DeniedPaths, DenyRead, Setup, Shells};

use crate::shell_rig::{Rig, setup};

/// A rig in which `.env` files and everything below `keys` must not be read.
fn rig() -> Rig {
    let mut rig = Rig::new();
    let secret = rig.home.path().join("elsewhere");
    std::fs::create_dir(&secret).unwrap();
    let deny_read = DenyRead(Arc::new(move |_| DeniedPaths {
        places: vec![secret.clone(), "/nowhere/at/all".into()],
        names: vec![".env".to_owned()],
        is: Box::new(|path: &Path| {
            let inside = path.ancestors().skip(1).any(|folder| folder.ends_with("keys"));
            inside || path.file_name().is_some_and(|name| name == ".env")
        }),
    }));
    let data = rig.home.path().join("app");
    rig.shells = Shells::new(Setup { deny_read: Some(deny_read), ..setup(&data, available()) });
    rig
}

#[tokio::test]
async fn a_search_through_everything_finds_nothing_of_what_must_not_be_read() {
    let rig = rig();
    let folder = rig.folder().to_owned();
    std::fs::create_dir_all(folder.join("app/keys/deep")).unwrap();
    for file in [".env", "app/.env", "app/keys/one", "app/keys/deep/two", "app/plain"] {
        std::fs::write(folder.join(file), "needle").unwrap();
    }
    std::os::unix::fs::symlink(folder.join(".env"), folder.join("app/innocent")).unwrap();
    std::fs::hard_link(folder.join("app/plain"), folder.join("app/other")).unwrap();
    let found = rig
        .confined("(grep -rl needle . | sort; cat .env app/innocent app/.env; ls -A app/keys) 2>/dev/null")
        .await;
    assert_eq!(found.text, "./app/other\n./app/plain\n", "{}", found.text);
    for command in ["cat app/keys/one", "cat /proc/self/root$PWD/app/keys/one", "cat app/keys/deep/two"] {
        let outcome = rig.confined(command).await;
        assert!(!outcome.text.contains("needle"), "{command}: {}", outcome.text);
    }
    // A place that is named lies wherever it likes.
    let elsewhere = rig.home.path().join("elsewhere");
    std::fs::write(elsewhere.join("far"), "needle").unwrap();
    let outcome = rig.confined(&format!("cat {0}/far; ls -A {0}", elsewhere.display())).await;
    assert!(!outcome.text.contains("needle"), "{}", outcome.text);
    // What was covered is as it was, and a command of another mode sees it.
    assert_eq!(rig.shell("cat .env").await.text, "needle\n");
}

#[tokio::test]
async fn the_covers_can_not_be_taken_away() {
    let rig = rig();
    std::fs::write(rig.folder().join(".env"), "needle").unwrap();
    for command in [
        "umount .env; cat .env",
        "mount --move .env x; cat .env",
        "rm .env; cat .env",
        "unshare -Ur cat .env",
    ] {
        let outcome = rig.confined(command).await;
        assert!(!outcome.text.contains("needle"), "{command}: {}", outcome.text);
    }
    assert_eq!(std::fs::read_to_string(rig.folder().join(".env")).unwrap(), "needle");
}

#[tokio::test]
async fn where_too_much_would_have_to_be_covered_nothing_runs() {
    let rig = rig();
    for n in 0..2_100 {
        let folder = rig.folder().join(n.to_string());
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(".env"), "x").unwrap();
    }
    let error = rig.call("shell", json!({"command": "true"}), true).await.unwrap_err();
    assert!(error.message.contains("more than 2000 files"), "{error}");
    assert_eq!(rig.shell("echo yes").await.text, "yes\n");
}

#[tokio::test]
async fn a_command_waits_for_the_search_path_and_one_that_is_not_found_names_it() {
    let rig = Rig::new();
    let tools = rig.home.path().join("bin");
    std::fs::create_dir(&tools).unwrap();
    let program = tools.join("greet");
    std::fs::write(&program, "#!/bin/sh\necho hello\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (tell, told) = watch::channel(None);
    rig.shells.await_search_path(told);
    let path = std::env::join_paths([tools.as_path(), Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let (outcome, ()) = tokio::join!(rig.shell("greet"), async {
        tokio::task::yield_now().await;
        tell.send(Some(path)).unwrap();
    });
    assert_eq!(outcome.text, "hello\n");
    let missing = rig.shell("no-such-program-anywhere").await.text;
    assert!(missing.contains(&format!("PATH={}:/usr/bin:/bin]", tools.display())), "{missing}");
}

#[tokio::test]
async fn a_search_path_that_nobody_tells_is_not_waited_for() {
    let rig = Rig::new();
    let (tell, told) = watch::channel(None);
    rig.shells.await_search_path(told);
    drop(tell);
    let ran = tokio::time::timeout(Duration::from_secs(5), rig.shell("echo there")).await;
    assert_eq!(ran.unwrap().text, "there\n");
}

#[tokio::test]
async fn git_shows_nothing_of_what_a_hidden_file_once_held() {
    let rig = rig();
    let git = |words: &[&str]| {
        let own = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let ran = std::process::Command::new("git").args(own).args(words).current_dir(rig.folder()).status();
        assert!(ran.unwrap().success());
    };
    git(&["init", "-q"]);
    std::fs::write(rig.folder().join(".env"), "needle").unwrap();
    std::fs::write(rig.folder().join("plain"), "shown").unwrap();
    git(&["add", "-f", "."]);
    git(&["commit", "-qm", "First"]);
    for command in [
        "git log -p",
        "git show HEAD",
        "git whatchanged -p --i-still-use-this",
        "git show :/First",
        "git grep needle HEAD",
    ] {
        let outcome = rig.confined(command).await;
        assert!(
            !outcome.text.contains("+needle") && !outcome.text.contains(":needle"),
            "{command}: {}",
            outcome.text
        );
    }
    assert!(rig.confined("git log -p").await.text.contains("+shown"));
}
