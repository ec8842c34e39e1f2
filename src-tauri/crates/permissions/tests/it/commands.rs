//! Rules on commands.

use domain::{Covers, GrantScope, Mode};
use permissions::Layer;
use serde_json::json;

use crate::support::{Case, decide, grant, shell, with_rules, word, words};

#[test]
fn a_rule_that_denies_a_command_finds_it_in_every_disguise() {
    let rules = json!([{ "effect": "deny", "command": "git push *", "reason": "pushing is for people" }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    for command in [
        "git push",
        "git push -f origin main",
        "git  push",
        "\"git\" 'push'",
        "g\\it pu''sh",
        "/usr/bin/git push",
        "./git push",
        "git -C sub push",
        "git -c a.b=c push",
        "git --no-pager push",
        "git --git-dir x push",
        "ls && git push",
        "ls; git push",
        "ls\ngit push",
        "ls | git push",
        "(git push)",
        "{ git push; }",
        "! git push",
        "git push &",
        "git push > log",
        "A=1 git push",
        "sudo git push",
        "sudo -n -- git push",
        "env A=1 git push",
        "command git push",
        "exec git push",
        "nohup git push",
        "time git push",
        "timeout 5 git push",
        "nice -n 5 git push",
        "xargs git push",
        "find . -exec git push ;",
        "bash -c 'git push'",
        "sh -c \"ls && git push\"",
        "bash -lc 'cd x; sudo git push'",
        "eval 'git push'",
        "eval git push",
        "echo $(git push)",
        "echo \"$(git push)\"",
        "echo `git push`",
        "cat <(git push)",
        "if true; then git push; fi",
        "for i in 1 2; do git push; done",
        "while true; do git push; done",
        "f() { git push; }; f",
        "case x in x) git push;; esac",
        "python3 -c 'x' && git push",
        "cat <<EOF\n$(git push)\nEOF",
    ] {
        assert_eq!(words(&policy, &shell(command)), ["deny", "deny", "deny"], "{command}");
    }
    for command in ["git pull", "git status", "git log --grep push", "gitpush"] {
        assert_ne!(word(&decide(&policy, Mode::AllowAll, &shell(command))), "deny", "{command}");
    }
}

#[test]
fn where_commands_are_forbidden_what_can_not_be_told_is_asked_for_in_auto() {
    let rules = json!([{ "effect": "deny", "command": "git push *", "reason": "pushing is for people" }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    for command in ["$X push", "${A}it push", "$(echo git) push", "git push'", "\"$X\" y"] {
        let ruling = decide(&policy, Mode::AllowAll, &shell(command));
        assert!(matches!(word(&ruling), "ask" | "deny"), "{command}: {ruling:?}");
    }
    assert_eq!(word(&decide(&policy, Mode::AllowAll, &shell("cargo test"))), "folders");
}

#[test]
fn what_the_person_allows_runs_unconfined_and_in_explore_confined() {
    let rules = json!([{ "effect": "allow", "command": "cargo test *", "reason": "tests are fine" }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    assert_eq!(words(&policy, &shell("cargo test -p a")), ["confined", "allow", "allow"]);
    assert_eq!(words(&policy, &shell("cd a && cargo test 2>&1 | tail")), ["confined", "allow", "allow"]);
    for command in [
        "cargo test > x",
        "A=1 cargo test",
        "cargo test; rm x",
        "sudo cargo test",
        "cargo test $(x)",
        "./cargo test",
    ] {
        assert_eq!(words(&policy, &shell(command)), ["deny", "ask", "folders"], "{command}");
    }
}

#[test]
fn what_a_rule_has_asked_for_is_asked_for_in_every_mode_that_asks() {
    let rules = json!([{ "effect": "ask", "command": "git commit *", "reason": "commits are looked at" }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    let claim = shell("git commit -m x");
    assert_eq!(words(&policy, &claim), ["deny", "ask", "ask"]);
    assert_eq!(words(&policy, &shell("ls && sudo git commit")), ["deny", "ask", "ask"]);
    // A wider grant does not answer it; one for exactly this command does.
    let prefix = Covers::Command(vec!["git".to_owned(), "commit".to_owned()]);
    let wide =
        Case { grants: vec![grant(&claim, GrantScope::Session, prefix)], ..Case::new(&policy, Mode::Ask) };
    assert_eq!(word(&wide.decide(&claim)), "ask");
    let exact = Covers::Arguments(domain::Digest::of_json(&claim.arguments));
    let exact =
        Case { grants: vec![grant(&claim, GrantScope::Session, exact)], ..Case::new(&policy, Mode::Ask) };
    assert_eq!(word(&exact.decide(&claim)), "allow");
}

#[test]
fn without_the_shipped_rules_no_command_is_known_to_read() {
    let policy = permissions::Policy::new(crate::support::places());
    assert_eq!(words(&policy, &shell("ls")), ["deny", "ask", "folders"]);
}

#[test]
fn rules_that_could_not_be_read_turn_what_would_run_into_a_question() {
    let policy = crate::support::policy().unsure("permissions.json");
    assert_eq!(words(&policy, &shell("ls")), ["ask", "ask", "ask"]);
    assert_eq!(words(&policy, &shell("touch x")), ["deny", "ask", "ask"]);
    let inner = crate::support::claim("ask", domain::CallEffect::Inner);
    assert_eq!(words(&policy, &inner), ["allow", "allow", "allow"]);
}

#[test]
fn a_redirection_is_judged_by_where_it_leads_in_every_mode() {
    let policy = crate::support::policy();
    for command in [
        "echo KEY=1 > .env",
        "echo KEY=1 >> sub/.env.local",
        "echo x >| .env",
        "echo x &> .env",
        "echo x 2> ~/.ssh/authorized_keys",
        "> .env",
        "> .env echo x",
        "(echo a; echo b) > .env",
        "{ echo a; } > '.env'",
        "for i in 1 2; do echo $i > \".env\"; done",
        "if true; then echo > /home/eva/app/../.ssh/id_rsa; fi",
        "(cat < .env)",
        "while read line; do echo $line; done < .env",
        "echo x > ~/.local/share/agentnative/agentnative.db",
        "$X > .env",
    ] {
        assert_eq!(words(&policy, &shell(command)), ["deny", "deny", "deny"], "{command}");
    }
    for command in ["cargo build > log.txt", "echo x > notes.env.md", "make 2>&1", "ls > /dev/null"] {
        assert_eq!(word(&decide(&policy, Mode::AllowAll, &shell(command))), "folders", "{command}");
    }
}

#[test]
fn a_command_that_may_change_what_runs_later_is_asked_for_whatever_allows_it() {
    let policy = crate::support::policy();
    for command in [
        "echo evil > .git/hooks/pre-commit",
        "cp evil .git/hooks/pre-commit",
        "tee -a ~/.bashrc",
        "echo evil >> ~/.bashrc",
        "sed -i s/a/b/ /home/eva/.zshrc",
        "echo x > ~/.local/share/agentnative/workspaces/default/agents/a/config.json",
        "cp x ~/.local/share/agentnative/workspaces/default/permissions.json",
        "cp x ~/.local/share/agentnative/sessions/s1/permissions.json",
        "cd .git/hooks && cp ../../evil pre-commit",
        "cd .git; echo evil > config",
    ] {
        assert_eq!(word(&decide(&policy, Mode::AllowAll, &shell(command))), "ask", "{command}");
        // A rule that allows the command, or every command, says nothing about the file.
        for rule in [json!({ "command": "cp *" }), json!({ "command": "tee *" }), json!({ "tool": "shell" })]
        {
            let mut rule = rule;
            rule["effect"] = "allow".into();
            rule["reason"] = "it is used all the time".into();
            let policy = with_rules(&[(Layer::Workspace, json!([rule]))]);
            assert_eq!(word(&decide(&policy, Mode::Ask, &shell(command))), "ask", "{command}: {rule}");
        }
    }
    for command in
        ["ls .git/hooks", "cat /etc/hosts", "git commit -m x", "rm -rf target", "python3 tool.py in.csv"]
    {
        assert_eq!(word(&decide(&policy, Mode::AllowAll, &shell(command))), "folders", "{command}");
    }
    // What the person allowed by a rule goes before what is shipped.
    let own = json!([{ "effect": "allow", "path": "**/.git/hooks/**", "access": "write", "reason": "hooks are made here" }]);
    let policy = with_rules(&[(Layer::Workspace, own)]);
    assert_eq!(word(&decide(&policy, Mode::AllowAll, &shell("cp x .git/hooks/pre-commit"))), "folders");
}
