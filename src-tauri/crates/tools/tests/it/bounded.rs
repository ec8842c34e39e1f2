//! Commands that can change the session's folders and nothing else.

use std::process::Command;

use domain::Walls;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::shell_rig::Rig;

async fn said(rig: &Rig, command: &str) -> String {
    match rig.call("shell", json!({ "command": command }), Walls::Folders).await {
        Ok(outcome) => outcome.text,
        Err(error) => format!("{}\n{}", error.message, error.guidance),
    }
}

#[tokio::test]
async fn what_is_changed_in_the_folders_stays() {
    let rig = Rig::new();
    let text = said(&rig, "mkdir sub && echo one > sub/a && chmod 755 sub/a && cp -p sub/a b && cat b").await;
    assert_eq!(text, "one\n");
    assert_eq!(std::fs::read_to_string(rig.folder().join("sub/a")).unwrap(), "one\n");
}

#[tokio::test]
async fn nothing_outside_of_the_folders_is_changed() {
    let rig = Rig::new();
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = outside.path().canonicalize().unwrap();
    std::fs::write(place.join("a"), "kept").unwrap();
    std::fs::create_dir(place.join("sub")).unwrap();
    std::os::unix::fs::symlink(&place, rig.folder().join("link")).unwrap();
    let beside = rig.home.path().join("beside");
    std::fs::write(&beside, "kept").unwrap();
    assert_eq!(Command::new("mkfifo").arg(place.join("pipe")).status().unwrap().code(), Some(0));
    let place_text = place.display();
    for command in [
        format!("rm -rf {place_text}"),
        format!("echo x > {place_text}/a"),
        format!("mkdir {place_text}/new"),
        format!("chmod 000 {place_text}/a"),
        format!("touch -d 2001-01-01 {place_text}/a"),
        format!("mv {place_text}/a stolen"),
        format!("ln {place_text}/a hard && echo x > hard"),
        "rm -rf link/a link/sub".to_owned(),
        "echo x > link/a".to_owned(),
        format!("python3 -c 'import shutil; shutil.rmtree(\"{place_text}\")'"),
        format!("timeout 1 bash -c 'echo x > {place_text}/pipe'"),
        format!("rm -rf {}", beside.display()),
        "chmod 600 /dev/null; chmod 666 /dev/null".to_owned(),
    ] {
        said(&rig, &command).await;
        assert_eq!(std::fs::read_to_string(place.join("a")).unwrap(), "kept", "{command}");
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 3, "{command}");
        assert_eq!(std::fs::read_to_string(&beside).unwrap(), "kept", "{command}");
        std::fs::create_dir_all(rig.folder()).unwrap();
        let _ = std::os::unix::fs::symlink(&place, rig.folder().join("link"));
    }
}

#[tokio::test]
async fn the_network_is_there_and_the_apps_own_data_is_not() {
    let rig = Rig::new();
    std::fs::write(rig.home.path().join("app/secret"), "only the app knows").unwrap();
    std::fs::create_dir_all(rig.at.own.join("data")).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo connected; cat {}/secret; echo x > {}/made && echo wrote",
        rig.home.path().join("app").display(),
        rig.at.own.join("data").display(),
    );
    let text = said(&rig, &command).await;
    assert!(text.contains("connected\n") && text.contains("wrote\n"), "{text}");
    assert!(!text.contains("only the app knows"), "{text}");
}

#[tokio::test]
async fn the_folder_for_temporary_files_is_the_sessions_and_stays_for_its_commands() {
    let rig = Rig::new();
    let mark = format!("mark-{}", rig.at.call);
    assert_eq!(said(&rig, &format!("echo x > /tmp/{mark} && echo made")).await, "made\n");
    assert_eq!(said(&rig, &format!("cat /tmp/{mark}")).await, "x\n");
    assert!(!std::path::Path::new("/tmp").join(&mark).exists());
}

fn git(folder: &std::path::Path, words: &[&str]) -> String {
    let own = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
    let ran = Command::new("git").args(own).args(words).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

#[tokio::test]
async fn a_repository_takes_commits_and_keeps_its_hooks_and_settings() {
    let rig = Rig::new();
    git(rig.folder(), &["init", "-q"]);
    std::fs::create_dir_all(rig.folder().join(".git/hooks")).unwrap();
    let config = std::fs::read(rig.folder().join(".git/config")).unwrap();
    let text = said(
        &rig,
        "echo x > a; git add a; git -c user.name=A -c user.email=a@example.org commit -qm A; git log --format=%s; \
         echo evil > .git/hooks/post-commit; git config core.fsmonitor ./evil; rm -rf .git/hooks",
    )
    .await;
    assert!(text.starts_with("A\n"), "{text}");
    assert!(!rig.folder().join(".git/hooks/post-commit").exists());
    assert_eq!(std::fs::read(rig.folder().join(".git/config")).unwrap(), config);
}

#[tokio::test]
async fn from_a_worktree_the_repository_is_read_and_not_changed() {
    let mut rig = Rig::new();
    let checkout = rig.folder().to_owned();
    git(&checkout, &["init", "-q"]);
    std::fs::write(checkout.join("a"), "one\n").unwrap();
    git(&checkout, &["add", "."]);
    git(&checkout, &["commit", "-qm", "First"]);
    let worktree = rig.home.path().canonicalize().unwrap().join("tree");
    git(&checkout, &["worktree", "add", "-q", "-b", "task", worktree.to_str().unwrap()]);
    let before = git(&checkout, &["for-each-ref"]);
    rig.at.folders = vec![worktree.clone()];
    let text = said(
        &rig,
        &format!(
            "git log --format=%s; git status --short; echo two > a; git diff --stat; git -C {0} checkout -q -b evil; \
             git commit -qam evil; git branch evil; rm -rf {0}; echo 'gitdir: /tmp' > .git; mv .git x",
            checkout.display()
        ),
    )
    .await;
    assert!(text.starts_with("First\n") && text.contains("1 file changed"), "{text}");
    assert_eq!(git(&checkout, &["for-each-ref"]), before);
    assert_eq!(git(&checkout, &["rev-parse", "--abbrev-ref", "HEAD"]), "main\n");
    assert_eq!(std::fs::read_to_string(checkout.join("a")).unwrap(), "one\n");
    assert_eq!(std::fs::read_to_string(worktree.join("a")).unwrap(), "two\n");
    assert!(std::fs::read_to_string(worktree.join(".git")).unwrap().contains("worktrees/tree"));
    // Confined commands read its history as well.
    let read = rig.confined("git log --format=%s").await.text;
    assert_eq!(read, "First\n");
}

#[tokio::test]
async fn in_a_copy_files_keep_their_rights_and_times() {
    let rig = Rig::new();
    std::fs::write(rig.folder().join("a"), "x").unwrap();
    let command = "cp -p a b && install -m 755 a c && sed -i s/x/y/ a && touch d && chmod 700 d && mkfifo p \
                   && tar cf t.tar a && tar xf t.tar && git init -q && echo fine";
    let outcome = rig.call("shell", json!({ "command": command }), Walls::Copied).await.unwrap();
    assert!(outcome.text.starts_with("fine\n"), "{}", outcome.text);
}

#[tokio::test]
async fn a_confined_command_sees_the_system_and_the_folders_alone() {
    let rig = Rig::new();
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(outside.path().join("a"), "CANARY").unwrap();
    let text = rig
        .confined(&format!(
            "cat {}/a; ls /var /opt; ls /usr/local/etc | wc -l; cat /etc/hosts | wc -l",
            outside.path().display()
        ))
        .await
        .text;
    assert!(!text.contains("CANARY"), "{text}");
    assert!(text.contains("\n0\n"), "{text}");
    let runs = rig.confined("for p in bash git python3 sed awk; do command -v $p >/dev/null && $p --version | head -n 1; done").await;
    assert!(runs.text.contains("bash"), "{}", runs.text);
}
