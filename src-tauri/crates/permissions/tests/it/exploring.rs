//! Explore where commands can be given a copy of the folders: what may write runs there or not at all.

use domain::{Mode, Ruling};
use serde_json::json;

use permissions::{Layer, Policy};

use crate::corpora::writes;
use crate::support::{APP, Case, policy, shell, with_rules, word};

fn decided(policy: &Policy, command: &str) -> Ruling {
    Case { can_copy: true, ..Case::new(policy, Mode::Safe) }.decide(&shell(command))
}

#[test]
fn of_959_commands_that_write_or_may_write_none_runs_but_in_a_copy() {
    let policy = policy();
    let mut copied = 0;
    for line in writes() {
        let ruling = decided(&policy, &line);
        match word(&ruling) {
            "copied" => copied += 1,
            "deny" => {}
            _ => panic!("{line:?}: {ruling:?}"),
        }
    }
    assert!(copied > 400, "{copied}");
}

#[test]
fn tests_and_builds_run_in_a_copy_and_what_only_reads_sees_the_folders_themselves() {
    let policy = policy();
    for command in [
        "cargo test",
        "python3 -m unittest",
        "npm test",
        "find . -name '*.rs' | xargs grep -n main",
        "echo x > notes.txt",
        "FOO=1 make check",
        "for f in *.py; do python3 $f; done",
    ] {
        assert_eq!(word(&decided(&policy, command)), "copied", "{command}");
    }
    for command in ["ls -la", "git status", "grep -rn main src"] {
        assert_eq!(word(&decided(&policy, command)), "confined", "{command}");
    }
}

#[test]
fn what_is_denied_protected_or_elsewhere_is_refused_in_a_copy_too() {
    let policy = policy();
    for command in [
        "cargo test; cat .env",
        "python3 x.py < .env",
        "cp .env x",
        &format!("echo x >> {APP}/.git/config"),
        "cargo test && cat /home/eva/other/notes.txt",
    ] {
        let ruling = decided(&policy, command);
        assert_eq!(word(&ruling), "deny", "{command}: {ruling:?}");
    }
    let rules = json!([
        { "effect": "deny", "command": "cargo publish *", "reason": "not from here" },
        { "effect": "ask", "command": "make *", "reason": "it takes long" },
    ]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    for command in ["cargo publish", "make check", "true; cargo publish --dry-run", "$X"] {
        let ruling = decided(&policy, command);
        assert_eq!(word(&ruling), "deny", "{command}: {ruling:?}");
    }
}

#[test]
fn a_refusal_in_explore_has_one_way_on() {
    let policy = policy();
    let refused = |can_confine, command: &str| {
        let case = Case { can_confine, ..Case::new(&policy, Mode::Safe) };
        match case.decide(&shell(command)) {
            Ruling::Deny { instead: Some(instead), .. } => instead,
            other => panic!("{other:?}"),
        }
    };
    let plan = "put it into a plan and submit that for the person to accept";
    assert_eq!(refused(false, "cargo test"), plan);
    assert_eq!(refused(true, "cargo test"), plan);
    assert_eq!(refused(false, "ls"), "use the tools that read, list and search files");
}
