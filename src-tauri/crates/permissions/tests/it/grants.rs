use domain::{
    AccessRequest, AgentStages, CallEffect, Covers, Digest, Grant, GrantScope, Hints, Mode, Ruling,
};

use crate::support::{APP, Case, decide, fetch, grant, of_source, policy, request, shell, word, write};

fn with(claim: &AccessRequest, grant: Grant) -> &'static str {
    let policy = policy();
    word(&Case { grants: vec![grant], ..Case::new(&policy, Mode::Ask) }.decide(claim))
}

fn prefix(words: &[&str]) -> Covers {
    Covers::Command(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn every_offer_when_granted_lets_the_call_run() {
    let policy = policy();
    for claim in [
        shell("cargo test -p a"),
        shell("A=1 cargo test"),
        shell("python3 x.py > out"),
        write(&format!("{APP}/src/x.rs")),
        write(&format!("{APP}/.git/config")),
        fetch("https://docs.rs/x"),
        request("POST", "/issues", true),
        request("GET", "/../x", true),
        of_source("tracker", "change", CallEffect::Tool, false, Hints::default()),
    ] {
        let Ruling::Ask { offers, .. } = decide(&policy, Mode::Ask, &claim) else { panic!("{claim:?}") };
        for offer in offers {
            assert_eq!(
                with(&claim, grant(&claim, offer.scope, offer.covers.clone())),
                "allow",
                "{claim:?}: {offer:?}"
            );
        }
    }
}

#[test]
fn a_grant_for_once_is_for_its_own_request_alone() {
    let claim = shell("touch x");
    let covers = Covers::Arguments(Digest::of_json(&claim.arguments));
    let once = grant(&claim, GrantScope::Once, covers);
    assert_eq!(with(&claim, once.clone()), "allow");
    assert_eq!(with(&claim, Grant { request: "r1/c2".to_owned(), ..once.clone() }), "ask");
    assert_eq!(with(&claim, Grant { request: "r2/c1".to_owned(), ..once }), "ask");
}

#[test]
fn a_grant_holds_in_its_session_and_until_it_ends() {
    let claim = shell("cargo test");
    let kept = grant(&claim, GrantScope::Session, prefix(&["cargo", "test"]));
    assert_eq!(with(&claim, kept.clone()), "allow");
    assert_eq!(with(&claim, Grant { session: "s2".to_owned(), ..kept.clone() }), "ask");
    assert_eq!(with(&claim, Grant { expires_at: Some(1_000), ..kept.clone() }), "ask");
    assert_eq!(with(&claim, Grant { expires_at: Some(1_001), ..kept.clone() }), "allow");
    let wide = Grant { session: "s2".to_owned(), scope: GrantScope::Workspace, ..kept };
    assert_eq!(with(&claim, wide.clone()), "allow");
    assert_eq!(with(&claim, Grant { workspace: Some("play".to_owned()), ..wide.clone() }), "ask");
    let everywhere = Grant { scope: GrantScope::Always, workspace: Some("play".to_owned()), ..wide };
    assert_eq!(with(&claim, everywhere), "allow");
}

#[test]
fn a_grant_for_an_agent_s_stages_covers_their_calls_alone() {
    let policy = policy();
    let stages = |agent: &'static str, text: &str| Some(AgentStages { agent, digest: Digest::of(text) });
    let covers = |digest: Option<Digest>| Covers::Stages {
        agent: "auditor".to_owned(),
        tools: vec!["send".to_owned()],
        digest,
    };
    let call = |tool: &str| of_source("mail", tool, CallEffect::Tool, false, Hints::default());
    let given = |digest: Option<Digest>| Grant {
        tool: String::new(),
        ..grant(&call("send"), GrantScope::Workspace, covers(digest))
    };
    let decided = |agent: Option<AgentStages<'static>>, tool: &str, grant: Grant| {
        let case = Case { agent, grants: vec![grant], ..Case::new(&policy, Mode::Ask) };
        word(&case.decide(&call(tool)))
    };
    let own = || given(Some(Digest::of("audits")));
    assert_eq!(decided(stages("auditor", "audits"), "send", own()), "allow");
    assert_eq!(decided(stages("auditor", "audits"), "delete", own()), "ask");
    assert_eq!(decided(stages("writer", "audits"), "send", own()), "ask");
    assert_eq!(decided(stages("auditor", "steals"), "send", own()), "ask", "another agent of that name");
    assert_eq!(
        decided(stages("auditor", "audits"), "send", given(None)),
        "ask",
        "given before it said to which stages"
    );
    assert_eq!(decided(None, "send", own()), "ask", "a model's call is asked for");
}

#[test]
fn a_grant_covers_only_commands_that_begin_with_all_of_its_words() {
    let first = shell("cargo test");
    for (command, expected) in [
        ("cargo test", "allow"),
        ("cargo test -p a -- --nocapture", "allow"),
        ("cargo test 2>&1 | tail -20", "allow"),
        ("cargo test && cargo test -p b", "allow"),
        ("cd src && cargo test && ls -la", "allow"),
        // It would run without walls beside what is granted.
        ("cd src && cargo test && git status", "ask"),
        ("cargo test; go version", "ask"),
        ("/usr/bin/cargo test", "allow"),
        ("cargo testing", "ask"),
        ("cargo build", "ask"),
        ("cargo", "ask"),
        ("./cargo test", "ask"),
        ("xcargo test", "ask"),
        ("cargo test; rm x", "ask"),
        ("cargo test && cargo publish", "ask"),
        ("cargo test > out.txt", "ask"),
        ("cargo test $(rm x)", "ask"),
        ("cargo test $X", "ask"),
        ("cargo test `rm x`", "ask"),
        ("A=1 cargo test", "ask"),
        ("cargo test &", "ask"),
        ("(cargo test)", "ask"),
        ("cargo test <<< x", "ask"),
        ("sudo cargo test", "ask"),
        ("cargo test | sh", "ask"),
        ("cargo test\nrm x", "ask"),
        ("cargo {test,publish}", "ask"),
        ("cargo te*", "ask"),
        ("cargo test # x", "ask"),
    ] {
        let claim = shell(command);
        let kept = grant(&first, GrantScope::Session, prefix(&["cargo", "test"]));
        assert_eq!(with(&claim, kept), expected, "{command}");
    }
    let empty = grant(&first, GrantScope::Session, prefix(&[]));
    assert_eq!(with(&first, empty), "ask");
}

#[test]
fn one_granted_command_does_not_take_the_walls_from_another_that_needs_them() {
    let policy = policy();
    let claim = shell("mkdir -p t && git status");
    let made = grant(&claim, GrantScope::Session, prefix(&["mkdir"]));
    let case =
        |grants: Vec<Grant>, can_confine| Case { grants, can_confine, ..Case::new(&policy, Mode::Ask) };
    for can_confine in [true, false] {
        let Ruling::Ask { why, offers } = case(vec![made.clone()], can_confine).decide(&claim) else {
            panic!("{can_confine}")
        };
        assert!(
            why.contains("`git` only reads") && why.contains("would not run confined") == can_confine,
            "{why}"
        );
        // What is offered for the other command answers the question.
        let offered: Vec<_> =
            offers.into_iter().map(|offer| grant(&claim, offer.scope, offer.covers)).collect();
        assert!(offered.iter().any(|one| one.covers == prefix(&["git", "status"])), "{offered:?}");
        for one in offered {
            let ruling = case(vec![made.clone(), one.clone()], can_confine).decide(&claim);
            assert_eq!(word(&ruling), "allow", "{one:?}");
        }
    }
    // By itself it stays within the walls, and where there are none a grant is enough.
    let status = shell("git status");
    let granted = grant(&status, GrantScope::Session, prefix(&["git", "status"]));
    assert_eq!(word(&case(vec![granted.clone()], true).decide(&status)), "confined");
    let Ruling::Allow { by, .. } = case(vec![granted], false).decide(&status) else { panic!() };
    assert_eq!(by.to_string(), "grant g1");
}

#[test]
fn no_wider_grant_changes_a_protected_file_unasked() {
    for (command, granted) in [
        ("cp evil .git/hooks/pre-commit", "cp"),
        ("ln -sf evil .git/hooks/pre-commit", "ln"),
        ("cd .git && cp ../evil hooks/pre-commit", "cp"),
        ("mkdir -p .git/hooks", "mkdir"),
        ("touch ~/.bashrc", "touch"),
        ("touch .envrc", "touch"),
        ("touch ~/.local/share/agentnative/workspaces/default/permissions.json", "touch"),
    ] {
        let claim = shell(command);
        assert_eq!(with(&claim, grant(&claim, GrantScope::Always, prefix(&[granted]))), "ask", "{command}");
        let exact = Covers::Arguments(Digest::of_json(&claim.arguments));
        assert_eq!(with(&claim, grant(&claim, GrantScope::Session, exact)), "allow", "{command}");
    }
    let claim = shell("mkdir -p src/hooks && ls .git/hooks");
    assert_eq!(with(&claim, grant(&claim, GrantScope::Session, prefix(&["mkdir"]))), "allow");
}

#[test]
fn beginnings_are_offered_only_where_they_say_what_is_done() {
    let policy = policy();
    let offered = |command: &str| -> Option<String> {
        let Ruling::Ask { offers, .. } = decide(&policy, Mode::Ask, &shell(command)) else {
            panic!("{command}")
        };
        offers.into_iter().find_map(|offer| match offer.covers {
            Covers::Command(words) => Some(words.join(" ")),
            _ => None,
        })
    };
    for (command, expected) in [
        ("cargo test -p a", Some("cargo test")),
        ("git commit -m x", Some("git commit")),
        ("git add . && git add src", Some("git add")),
        ("npm run build", Some("npm run build")),
        ("npm run build -- --watch", Some("npm run build")),
        ("npm install", Some("npm install")),
        ("docker compose up", Some("docker compose up")),
        ("touch a b", Some("touch")),
        ("mkdir -p a/b", Some("mkdir")),
        ("cargo test | tail -5", Some("cargo test")),
        ("git add . && git commit -m x", None),
        ("git -C x push", None),
        ("git -c a.b=c push", None),
        ("git config a.b c", None),
        ("git rebase -x sh main", None),
        ("npx thing", None),
        ("npm exec thing", Some("npm exec thing")),
        ("rm -rf x", None),
        ("python3 x.py", None),
        ("python3.12 x.py", None),
        ("node x.js", None),
        ("bash x.sh", None),
        ("sh -c ls", None),
        ("sudo ls", None),
        ("env ls", None),
        ("xargs ls", None),
        ("time cargo test", None),
        ("find . -delete", None),
        ("sed -i s/a/b/ f", None),
        ("awk 1 f", None),
        ("curl https://example.org", None),
        ("kill 1", None),
        ("./script.sh", None),
        ("make build", None),
        ("ls > out", None),
        ("$X", None),
        ("cargo", None),
        ("git", None),
    ] {
        assert_eq!(offered(command).as_deref(), expected, "{command}");
    }
}

#[test]
fn a_grant_of_a_folder_covers_what_is_in_it_but_not_what_is_protected() {
    let first = write(&format!("{APP}/src/a.rs"));
    let kept = grant(&first, GrantScope::Session, Covers::Path(format!("{APP}/src")));
    assert_eq!(with(&first, kept.clone()), "allow");
    assert_eq!(with(&write(&format!("{APP}/src/deep/b.rs")), kept.clone()), "allow");
    assert_eq!(with(&write(&format!("{APP}/srcs/b.rs")), kept.clone()), "ask");
    assert_eq!(with(&write(&format!("{APP}/b.rs")), kept.clone()), "ask");
    assert_eq!(with(&write(&format!("{APP}/src/.git/config")), kept.clone()), "ask");
    assert_eq!(with(&write(&format!("{APP}/src/.env")), kept), "deny");
}

#[test]
fn a_grant_is_for_its_source_and_tool() {
    let first = of_source("tracker", "change", CallEffect::Tool, false, Hints::default());
    let kept = grant(&first, GrantScope::Always, Covers::Any);
    assert_eq!(with(&first, kept.clone()), "allow");
    for (source, tool) in [("tracker", "changes"), ("tracker2", "change"), ("", "change")] {
        let other = of_source(source, tool, CallEffect::Tool, false, Hints::default());
        assert_eq!(with(&other, kept.clone()), "ask", "{source} {tool}");
    }
}

#[test]
fn no_grant_widens_explore_or_a_rule_that_denies() {
    let policy = policy();
    let claims = [
        shell("touch x"),
        write(&format!("{APP}/x")),
        fetch("https://docs.rs/x"),
        request("POST", "/x", true),
        of_source("tracker", "change", CallEffect::Tool, true, Hints::default()),
    ];
    for claim in claims {
        let exact = Covers::Arguments(Digest::of_json(&claim.arguments));
        let grants =
            vec![grant(&claim, GrantScope::Always, exact), grant(&claim, GrantScope::Always, Covers::Any)];
        let case = Case { grants, ..Case::new(&policy, Mode::Safe) };
        assert_eq!(word(&case.decide(&claim)), "deny", "{claim:?}");
    }
    let secret = write(&format!("{APP}/.env"));
    assert_eq!(with(&secret, grant(&secret, GrantScope::Always, Covers::Path(APP.to_owned()))), "deny");
}
