//! Commands run, say what they say, and end.

use std::path::Path;
use std::time::{Duration, Instant};

use domain::{CallEffect, Preview};
use pretty_assertions::assert_eq;
use serde_json::json;
use tools::Kind;
use tools::confine::{Confinement, available};

use crate::shell_rig::{Rig, assert_gone, marked, new_marker, sleepers, wait_for_sleepers};

#[tokio::test]
async fn a_command_runs_in_the_first_folder_and_gives_output_errors_and_exit_code() {
    let rig = Rig::new();
    let outcome = rig.shell("pwd; echo to errors >&2; echo $((6*7)); exit 3").await;
    let folder = rig.folder().display();
    assert_eq!(outcome.text, format!("{folder}\nto errors\n42\n[exit code 3]\n"));
    assert_eq!(outcome.summary, "exit code 3, 3 lines");
    let outcome = rig.shell("true").await;
    assert_eq!((outcome.text.as_str(), outcome.summary.as_str()), ("(it said nothing)\n", "exit code 0"));
    assert_eq!(rig.shell("kill -9 $$").await.summary, "exit code 137");
    assert_eq!(rig.shell("nosuchcommand 2>/dev/null").await.summary, "exit code 127");
}

#[tokio::test]
async fn standard_input_is_empty_and_there_is_no_terminal() {
    let rig = Rig::new();
    let outcome =
        rig.shell("cat; read line; echo read: $?; [ -t 0 ] || [ -t 1 ] || echo none; echo $TERM").await;
    assert_eq!(outcome.text, "read: 1\nnone\ndumb\n");
}

#[tokio::test]
async fn a_plan_says_what_would_run_and_where_and_runs_nothing() {
    let rig = Rig::new();
    let arguments =
        json!({"command": "\n\ttouch made\nrm made", "description": " Makes a\u{202e} file \nand more"});
    let planned = rig.tool("shell").plan(&arguments, &rig.at).await.unwrap();
    let cwd = rig.folder().display().to_string();
    let command = "\n\ttouch made\nrm made".to_owned();
    assert_eq!(planned.intent, "Makes a file");
    assert_eq!(
        planned.effect,
        CallEffect::Shell { command: command.clone(), cwd: cwd.clone(), outside: None }
    );
    assert_eq!(planned.preview, Preview::Command { command, cwd });
    let planned = rig.tool("shell").plan(&json!({"command": "\n\ttouch made\nrm made"}), &rig.at).await;
    assert_eq!(planned.unwrap().intent, "Run touch made");
    assert!(!rig.folder().join("made").exists());
}

#[tokio::test]
async fn arguments_that_cannot_be_meant_are_refused_with_the_reason() {
    let rig = Rig::new();
    for (arguments, reason) in [
        (json!({}), "missing field `command`"),
        (json!({"command": " \n\t"}), "empty"),
        (json!({"command": 7}), "invalid type"),
        (json!({"command": "a\u{0}b"}), "zero byte"),
        (json!({"command": "x".repeat(200_000)}), "at most 100000"),
        (json!({"command": "true", "timeout_seconds": 0}), "at least 1"),
        (json!({"command": "true", "timeout_seconds": 601}), "at most 600"),
        (json!({"command": "true", "timeout": 5}), "unknown field"),
        (json!("true"), "invalid type"),
    ] {
        for error in [
            rig.tool("shell").plan(&arguments, &rig.at).await.unwrap_err(),
            rig.call("shell", arguments.clone(), false).await.unwrap_err(),
        ] {
            assert_eq!(error.kind, Kind::Arguments);
            assert!(error.message.contains(reason), "{}: {}", reason, error.message);
        }
    }
    let unknown = rig.call("shell_output", json!({"id": "sh-9"}), false).await.unwrap_err();
    assert_eq!(unknown.kind, Kind::NotFound);
}

#[tokio::test]
async fn a_session_whose_folder_is_gone_is_told_so_and_one_without_folders_uses_its_own_data() {
    let mut rig = Rig::new();
    std::fs::remove_dir(rig.folder()).unwrap();
    let error = rig.call("shell", json!({"command": "true"}), false).await.unwrap_err();
    assert_eq!(error.kind, Kind::NotFound);
    rig.at.folders.clear();
    let data = rig.at.own.join("data");
    assert_eq!(rig.shell("pwd").await.text, format!("{}\n", data.display()));
    assert_eq!(rig.confined("pwd").await.text, format!("{}\n", data.display()));
}

#[tokio::test]
async fn a_command_sees_no_variable_of_this_program() {
    let rig = Rig::new();
    // Cargo's own variables are in this process, as keys may be in another.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    for outcome in [rig.shell("env").await, rig.confined("env").await] {
        for line in outcome.text.lines() {
            let (name, _) = line.split_once('=').unwrap();
            let known = [
                "AGENTNATIVE_TREE",
                "GIT_OPTIONAL_LOCKS",
                "GIT_PAGER",
                "GIT_TERMINAL_PROMPT",
                "HOME",
                "LANG",
                "LOGNAME",
                "PAGER",
                "PATH",
                "PWD",
                "SHELL",
                "SHLVL",
                "TERM",
                "TMPDIR",
                "USER",
                "OLDPWD",
                "_",
            ];
            assert!(known.contains(&name), "{name}");
        }
    }
}

#[tokio::test]
async fn the_search_path_of_the_login_shell_is_used_once_it_is_known() {
    let rig = Rig::new();
    let bin = rig.home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("mytool"), "#!/bin/sh\necho mine\n").unwrap();
    std::fs::set_permissions(bin.join("mytool"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    assert_eq!(rig.shell("mytool 2>/dev/null").await.summary, "exit code 127");
    rig.shells.set_search_path(format!("{}:/usr/bin:/bin", bin.display()).into());
    assert_eq!(rig.shell("mytool").await.text, "mine\n");
}

#[tokio::test]
async fn long_output_is_cut_in_the_middle_and_kept_in_a_file_as_plain_text() {
    let rig = Rig::new();
    let outcome =
        rig.shell("for i in $(seq 1 20000); do printf '\\033[31mline %s\\033[0m\\n' $i; done").await;
    assert!(outcome.text.starts_with("line 1\nline 2\n") && outcome.text.ends_with("line 20000\n"));
    assert!(outcome.text.len() < 31_000, "{}", outcome.text.len());
    let file = rig.at.own.join("results").join(format!("{}.txt", rig.at.call));
    assert!(outcome.text.contains(&file.display().to_string()));
    let whole: String = (1..=20_000).map(|line| format!("line {line}\n")).collect();
    assert_eq!(std::fs::read_to_string(file).unwrap(), whole);
}

#[tokio::test]
async fn output_is_told_of_while_the_command_runs() {
    let rig = Rig::new();
    let gate = rig.folder().join("gate");
    let command = format!("echo early; until [ -e {} ]; do sleep 0.01; done; echo late", gate.display());
    let (outcome, ()) = tokio::join!(rig.shell(&command), async {
        rig.said("early\n").await;
        assert!(!rig.said.lock().unwrap().concat().contains("late"));
        std::fs::write(&gate, "").unwrap();
    });
    assert_eq!(outcome.text, "early\nlate\n");
    assert_eq!(rig.said.lock().unwrap().concat(), "early\nlate\n");
}

#[tokio::test]
async fn whatever_a_command_leaves_running_ends_with_it() {
    for confined in [false, true] {
        let rig = Rig::new();
        let marker = new_marker();
        let arguments = json!({"command": sleepers(&marker) + "echo done"});
        let outcome = rig.call("shell", arguments, confined).await.unwrap();
        assert!(
            outcome.text.starts_with("begun\ndone\n[Ended with the command: process "),
            "{}",
            outcome.text
        );
        assert!(outcome.text.contains("start it alone with background: true"), "{}", outcome.text);
        assert!(outcome.text.contains(&format!("(sleep {marker})")), "{}", outcome.text);
        assert_eq!(marked(&marker), []);
    }
}

#[tokio::test]
async fn a_stop_ends_the_whole_tree_before_the_call_returns() {
    for confined in [false, true] {
        let rig = Rig::new();
        let marker = new_marker();
        let arguments = json!({"command": sleepers(&marker) + "trap '' TERM; wait; wait"});
        let (result, took) = tokio::join!(rig.call("shell", arguments, confined), async {
            wait_for_sleepers(&marker, 4).await;
            let begun = Instant::now();
            rig.cancel.cancel();
            begun
        });
        let took = took.elapsed();
        assert_eq!(result.unwrap_err().kind, Kind::Cancelled);
        assert_eq!(marked(&marker), []);
        println!("stopped, confined {confined}: {} ms", took.as_millis());
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_tree() {
    let rig = Rig::new();
    let marker = new_marker();
    let arguments = json!({"command": sleepers(&marker) + "wait"});
    tokio::select! {
        _ = rig.call("shell", arguments, false) => panic!("it ended"),
        () = wait_for_sleepers(&marker, 4) => {}
    }
    assert_gone(&marker).await;
}

#[tokio::test]
async fn a_deadline_ends_the_whole_tree_and_tells_what_was_said() {
    let rig = Rig::new();
    let marker = new_marker();
    let arguments = json!({"command": sleepers(&marker) + "trap '' TERM; wait; wait", "timeout_seconds": 1});
    let error = rig.call("shell", arguments, false).await.unwrap_err();
    assert_eq!(error.kind, Kind::Deadline);
    assert!(error.message.contains("after 1 seconds") && error.message.contains("begun"), "{error}");
    assert_eq!(marked(&marker), []);
}

#[tokio::test]
async fn a_fork_bomb_ends_with_its_deadline_or_at_the_bound() {
    let rig = Rig::new();
    let marker = new_marker();
    // Bounded, so that a failure of this test is not the machine's: 200 at a time, again and again.
    let command = format!(
        "f() {{ for i in $(seq 200); do ( setsid sh -c 'trap \"\" TERM; sleep 0.2; : {marker}' & ) ; done; }}; while :; do f; sleep 0.05; done"
    );
    let arguments = json!({"command": command, "timeout_seconds": 1});
    // Which comes first depends on how fast the machine starts processes.
    match rig.call("shell", arguments, true).await {
        Err(error) => assert_eq!(error.kind, Kind::Deadline),
        Ok(outcome) => assert!(outcome.text.contains("more than 256 processes"), "{}", outcome.text),
    }
    assert_eq!(marked(&marker), []);
}

#[tokio::test]
async fn background_commands_are_listed_read_and_killed() {
    let rig = Rig::new();
    let marker = new_marker();
    let id = rig.begin(&(sleepers(&marker) + "echo up; wait")).await;
    wait_for_sleepers(&marker, 4).await;
    let listed = rig.shells.list(Some("s1"));
    assert_eq!(
        listed.iter().map(|state| (state.id.as_str(), state.running)).collect::<Vec<_>>(),
        [(id.as_str(), true)]
    );
    assert_eq!(rig.shells.list(Some("s2")), []);
    let read = rig.call("shell_output", json!({"id": id, "tail": 1}), false).await.unwrap();
    assert!(read.text.ends_with("\nup\n") && read.summary == "it still runs", "{}", read.text);
    let plan = rig.tool("shell_kill").plan(&json!({"id": id}), &rig.at).await.unwrap();
    assert_eq!(plan.effect, CallEffect::Inner);
    rig.call("shell_kill", json!({"id": id}), false).await.unwrap();
    assert_eq!(marked(&marker), []);
    let (state, text, bytes) = rig.shells.show(&id).unwrap();
    assert_eq!((state.running, text.as_str(), bytes), (false, "begun\nup\n", 9));
    let again = rig.call("shell_kill", json!({"id": id}), false).await.unwrap();
    assert!(again.text.contains("already"));
}

#[tokio::test]
async fn waiting_for_a_background_command_ends_with_it() {
    let rig = Rig::new();
    let id = rig.begin("sleep 0.2; echo finished; exit 4").await;
    let read = rig.call("shell_output", json!({"id": id, "wait_seconds": 60}), false).await.unwrap();
    assert_eq!(read.summary, "exit code 4");
    assert!(read.text.ends_with("finished\n"));
    assert_eq!(rig.shells.list(None)[0].exit, Some(4));
}

#[tokio::test]
async fn a_session_cannot_see_or_end_what_belongs_to_another() {
    let mut rig = Rig::new();
    let marker = new_marker();
    let id = rig.begin(&format!("exec sleep {marker}")).await;
    rig.at.session = "s2".into();
    for tool in ["shell_output", "shell_kill"] {
        let planned = rig.tool(tool).plan(&json!({"id": id}), &rig.at).await.unwrap_err();
        let run = rig.call(tool, json!({"id": id}), false).await.unwrap_err();
        assert_eq!((planned.kind, run.kind), (Kind::NotFound, Kind::NotFound));
    }
    assert!(rig.shells.list(None)[0].running);
    rig.shells.close().await;
    assert_eq!(marked(&marker), []);
}

#[tokio::test]
async fn removing_a_session_ends_its_commands_and_no_others() {
    let mut rig = Rig::new();
    let (one, other) = (new_marker(), new_marker());
    rig.begin(&(sleepers(&one) + "wait")).await;
    rig.at.session = "s2".into();
    rig.begin(&(sleepers(&other) + "wait")).await;
    wait_for_sleepers(&one, 4).await;
    wait_for_sleepers(&other, 4).await;
    rig.shells.end_session("s1").await;
    assert_eq!(marked(&one), []);
    assert_eq!(rig.shells.list(Some("s1")), []);
    assert!(marked(&other).len() >= 4);
    rig.shells.close().await;
    assert_eq!(marked(&other), []);
    let error = rig.call("shell", json!({"command": "true", "background": true}), false).await.unwrap_err();
    assert_eq!(error.kind, Kind::Cancelled);
}

#[tokio::test]
async fn a_session_has_at_most_sixteen_commands_in_the_background() {
    let rig = Rig::new();
    let marker = new_marker();
    for _ in 0..16 {
        rig.begin(&format!("exec sleep {marker}")).await;
    }
    let arguments = json!({"command": format!("sleep {marker}"), "background": true});
    assert_eq!(rig.call("shell", arguments, false).await.unwrap_err().kind, Kind::Refused);
    rig.shells.close().await;
    assert_eq!(marked(&marker), []);
}

/// In a process of its own: the tests beside it use memory, too.
#[test]
fn a_flood_of_output_costs_bounded_memory() {
    let program = std::env::current_exe().unwrap();
    let alone = ["--exact", "shell::flooded", "--ignored", "--nocapture"];
    let ended = std::process::Command::new(program).args(alone).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "the test above runs it alone"]
async fn flooded() {
    let rig = Rig::new();
    let before = resident();
    let outcome = rig.shell("head -c 200000000 /dev/zero | tr '\\0' 'y'").await;
    assert!(outcome.text.len() < 31_000);
    let grown = resident().saturating_sub(before);
    assert!(grown < 32 << 20, "grew by {grown} bytes");
    let file = rig.at.own.join("results").join(format!("{}.txt", rig.at.call));
    assert_eq!(file.metadata().unwrap().len(), 10 << 20);
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[tokio::test]
async fn many_commands_at_once_keep_their_outputs_apart() {
    let rig = std::sync::Arc::new(Rig::new());
    let calls = (0..40).map(|number| {
        let rig = std::sync::Arc::clone(&rig);
        tokio::spawn(async move {
            let command = format!("for i in 1 2 3 4 5; do echo {number}; sleep 0.01; done");
            let outcome = rig.call("shell", json!({"command": command}), number % 2 == 0).await.unwrap();
            assert_eq!(outcome.text, format!("{number}\n").repeat(5));
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn where_nothing_confines_a_confined_call_is_refused_and_runs_nothing() {
    let why = "the package is missing".to_owned();
    let rig = Rig::with(&Confinement::None { why: why.clone() });
    for background in [false, true] {
        let arguments = json!({"command": "touch made", "background": background});
        let error = rig.call("shell", arguments, true).await.unwrap_err();
        assert_eq!(error.kind, Kind::Unavailable);
        assert!(error.message.contains(&why) && !error.guidance.is_empty());
    }
    let broken = Rig::with(&Confinement::Bubblewrap { program: "/nonexistent/bwrap".into() });
    let outcome = broken.confined("touch made").await;
    assert!(outcome.text.contains("cannot start /nonexistent/bwrap"), "{}", outcome.text);
    for rig in [&rig, &broken] {
        assert!(!rig.folder().join("made").exists());
    }
    assert!(!Path::new("made").exists());
    assert!(Confinement::None { why }.words().contains("the package is missing"));
}

#[tokio::test]
async fn nothing_outlives_a_program_killed_with_sigkill() {
    for confined in ["confined", "free"] {
        for background in ["background", "foreground"] {
            let marker = new_marker();
            let folder = tempfile::tempdir().unwrap();
            let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_tools-host"))
                .args([env!("CARGO_BIN_EXE_tools-guard"), confined, background])
                .arg(folder.path())
                .arg(sleepers(&marker) + "trap '' TERM; wait; wait")
                .spawn()
                .unwrap();
            wait_for_sleepers(&marker, 4).await;
            program.kill().unwrap();
            program.wait().unwrap();
            assert_gone(&marker).await;
        }
    }
}

#[tokio::test]
async fn a_killed_guard_takes_a_confined_tree_with_it() {
    let rig = Rig::new();
    let marker = new_marker();
    let arguments = json!({"command": sleepers(&marker) + "trap '' TERM; wait; wait"});
    let (result, ()) = tokio::join!(rig.call("shell", arguments, true), async {
        wait_for_sleepers(&marker, 4).await;
        let (guard, _) =
            marked(&marker).into_iter().find(|(_, line)| line.contains("guard --parent")).unwrap();
        let pid = rustix::process::Pid::from_raw(guard.try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    });
    assert_eq!(result.unwrap().summary, "exit code 137, 1 line");
    assert_gone(&marker).await;
    // The same without confinement: the living program looks for what carries its mark.
    let marker = new_marker();
    let arguments = json!({"command": sleepers(&marker) + "trap '' TERM; wait; wait"});
    let (result, ()) = tokio::join!(rig.call("shell", arguments, false), async {
        wait_for_sleepers(&marker, 4).await;
        let (guard, _) =
            marked(&marker).into_iter().find(|(_, line)| line.contains("guard --parent")).unwrap();
        let pid = rustix::process::Pid::from_raw(guard.try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    });
    assert_eq!(result.unwrap().summary, "exit code 137, 1 line");
    assert_gone(&marker).await;
    tokio::time::timeout(Duration::from_secs(5), rig.shells.close()).await.unwrap();
}

#[tokio::test]
async fn a_command_that_passes_a_bound_is_ended_and_told_which() {
    let rig = Rig::new();
    if !available().works() {
        eprintln!("skipped: {}", available().words());
        return;
    }
    let memory = rig.confined("tail -n 1 /dev/zero").await;
    assert!(memory.text.contains("it used more than 2048 MiB of memory"), "{}", memory.text);
    let processes = rig.confined("for i in $(seq 300); do sleep 60 & done; wait").await;
    assert!(processes.text.contains("it had more than 256 processes at once"), "{}", processes.text);
    let file = rig.confined("truncate -s 2G /tmp/large").await;
    assert!(file.text.contains("larger than 1024 MiB"), "{}", file.text);
    let core = rig.confined("ulimit -c").await;
    assert_eq!(core.text.trim(), "0");
    let core = rig.shell("ulimit -c").await;
    assert_eq!(core.text.trim(), "0");
}

#[tokio::test]
async fn no_lock_is_taken_from_inside_the_confinement() {
    let rig = Rig::new();
    if !available().works() {
        eprintln!("skipped: {}", available().words());
        return;
    }
    std::fs::write(rig.folder().join("theirs"), "x").unwrap();
    let tried = rig.confined("exec 9< theirs; flock -n -s 9 && echo locked").await;
    assert!(tried.text.contains("No locks available") && !tried.text.contains("locked\n"), "{}", tried.text);
    let record = "import fcntl; fcntl.lockf(open('theirs'), fcntl.LOCK_SH | fcntl.LOCK_NB); print('locked')";
    let tried = rig.confined(&format!("python3 -c \"{record}\"")).await;
    assert!(!tried.text.contains("locked\n"), "{}", tried.text);
}
