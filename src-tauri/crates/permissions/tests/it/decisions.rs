//! Every deed in every mode.

use domain::{CallEffect, GrantScope, Hints, Mode, Ruling};

use crate::support::{
    APP, Case, MODES, claim, decide, fetch, of_source, policy, read, request, shell, word, words, write,
};

const DATA: &str = "/home/eva/.local/share/agentnative";

fn hints(read_only: Option<bool>, destructive: Option<bool>) -> Hints {
    Hints { read_only, destructive, ..Hints::default() }
}

#[test]
fn every_deed_is_decided_by_the_table_in_every_mode() {
    let policy = policy();
    let tool = |trusted, hints| of_source("tracker", "change", CallEffect::Tool, trusted, hints);
    let read_only = hints(Some(true), None);
    let destructive = hints(None, Some(true));
    let inside = |path: &str| format!("{APP}/{path}");
    #[rustfmt::skip]
    let table = [
        // what, claim, Explore, Ask, Auto
        ("a question", claim("ask", CallEffect::Inner), ["allow", "allow", "allow"]),
        ("a call to a model", claim("call_model", CallEffect::Model), ["allow", "allow", "allow"]),
        ("reading inside", read(&inside("src/main.rs")), ["allow", "allow", "allow"]),
        ("reading the folder", read(APP), ["allow", "allow", "allow"]),
        ("reading outside", read("/home/eva/other/x"), ["deny", "deny", "deny"]),
        ("reading beside the folder", read("/home/eva/apple/x"), ["deny", "deny", "deny"]),
        ("reading secrets", read(&inside(".env")), ["deny", "deny", "deny"]),
        ("reading secrets in capitals", read(&inside(".ENV")), ["deny", "deny", "deny"]),
        ("reading an example of secrets", read(&inside(".env.example")), ["allow", "allow", "allow"]),
        ("reading a private key", read(&inside("keys/id_ed25519")), ["deny", "deny", "deny"]),
        ("reading a public key", read(&inside("keys/id_ed25519.pub")), ["allow", "allow", "allow"]),
        ("reading the vault", read(&format!("{DATA}/credentials.enc")), ["deny", "deny", "deny"]),
        ("reading the database", read(&format!("{DATA}/agentnative.db")), ["deny", "deny", "deny"]),
        ("reading another session", read(&format!("{DATA}/sessions/s2/data/x")), ["deny", "deny", "deny"]),
        ("reading the session's own", read(&format!("{DATA}/sessions/s1/attachments/x")), ["allow", "allow", "allow"]),
        ("reading a skill", read(&format!("{DATA}/workspaces/default/skills/a/SKILL.md")), ["allow", "allow", "allow"]),
        ("reading a path that steps back", read("/home/eva/app/../.ssh/id"), ["deny", "deny", "deny"]),
        ("reading a relative path", read("src/main.rs"), ["deny", "deny", "deny"]),
        ("reading from a trusted source", of_source("notes", "read", CallEffect::Read { path: "/home/eva/notes/a".to_owned() }, true, Hints::default()), ["allow", "allow", "allow"]),
        ("reading from another source", of_source("notes", "read", CallEffect::Read { path: "/home/eva/notes/a".to_owned() }, false, Hints::default()), ["deny", "ask", "allow"]),
        ("secrets in a trusted source", of_source("notes", "read", CallEffect::Read { path: "/home/eva/notes/.env".to_owned() }, true, Hints::default()), ["deny", "deny", "deny"]),
        ("writing inside", write(&inside("src/main.rs")), ["deny", "ask", "allow"]),
        ("writing outside", write("/home/eva/other/x"), ["deny", "deny", "deny"]),
        ("writing over the folder", write(APP), ["deny", "deny", "deny"]),
        ("writing into .git", write(&inside(".git/hooks/pre-commit")), ["deny", "ask", "ask"]),
        ("writing into a nested .git", write(&inside("a/b/.git/config")), ["deny", "ask", "ask"]),
        ("writing what git ignores", write(&inside(".gitignore")), ["deny", "ask", "allow"]),
        ("writing a shell's file", write(&inside(".bashrc")), ["deny", "ask", "ask"]),
        ("writing autostart", write(&inside(".config/autostart/a.desktop")), ["deny", "ask", "ask"]),
        ("writing a project's rules", write(&inside(".agentnative/permissions.json")), ["deny", "ask", "ask"]),
        ("writing secrets", write(&inside(".env")), ["deny", "deny", "deny"]),
        ("writing a plan", write(&format!("{DATA}/sessions/s1/plans/a.md")), ["allow", "allow", "allow"]),
        ("writing the session's data", write(&format!("{DATA}/sessions/s1/data/a.json")), ["deny", "allow", "allow"]),
        ("writing the session's rules", write(&format!("{DATA}/sessions/s1/permissions.json")), ["deny", "deny", "deny"]),
        ("writing the workspace's rules", write(&format!("{DATA}/workspaces/default/permissions.json")), ["deny", "ask", "ask"]),
        ("writing the database", write(&format!("{DATA}/agentnative.db")), ["deny", "deny", "deny"]),
        ("a command that reads", shell("ls -la"), ["confined", "confined", "folders"]),
        ("a command that writes", shell("touch x"), ["deny", "ask", "folders"]),
        ("a command of secrets", shell("cat .env"), ["deny", "deny", "deny"]),
        ("a command of a key", shell("cat ~/.ssh/id_rsa"), ["deny", "deny", "deny"]),
        ("a command of the vault", shell("cp ~/.local/share/agentnative/credentials.enc ."), ["deny", "deny", "deny"]),
        ("a command of the environment", shell("cat /proc/self/environ"), ["deny", "deny", "deny"]),
        ("secrets in an older state", shell("git show HEAD:.env"), ["deny", "deny", "deny"]),
        ("secrets by redirection", shell("cat < .env"), ["deny", "deny", "deny"]),
        ("a page", fetch("https://docs.rs/x"), ["deny", "ask", "allow"]),
        ("no page", fetch("file:///etc/passwd"), ["deny", "deny", "deny"]),
        ("a page with a password", fetch("https://eva:x@docs.rs/"), ["deny", "deny", "deny"]),
        ("no address", fetch("docs.rs"), ["deny", "deny", "deny"]),
        ("a trusted GET", request("GET", "/issues/1", true), ["allow", "allow", "allow"]),
        ("a trusted get", request("get", "/issues/1", true), ["allow", "allow", "allow"]),
        ("a trusted HEAD", request("HEAD", "/issues/1", true), ["allow", "allow", "allow"]),
        ("a trusted POST", request("POST", "/issues", true), ["deny", "ask", "allow"]),
        ("a trusted DELETE", request("DELETE", "/issues/1", true), ["deny", "ask", "allow"]),
        ("a GET of another", request("GET", "/issues/1", false), ["deny", "ask", "allow"]),
        ("a GET that steps back", request("GET", "/issues/../admin", true), ["deny", "ask", "allow"]),
        ("a GET with an escape", request("GET", "/issues/%2e%2e/admin", true), ["deny", "ask", "allow"]),
        ("a tool that says it reads, trusted", tool(true, read_only), ["allow", "allow", "allow"]),
        ("a tool that says it reads", tool(false, read_only), ["deny", "ask", "allow"]),
        ("a tool that says nothing, trusted", tool(true, Hints::default()), ["deny", "ask", "allow"]),
        ("a tool that says nothing", tool(false, Hints::default()), ["deny", "ask", "allow"]),
        ("a tool that destroys, trusted", tool(true, destructive), ["deny", "ask", "allow"]),
        ("a tool that destroys", tool(false, destructive), ["deny", "ask", "ask"]),
        ("a tool that reads and destroys, trusted", tool(true, hints(Some(true), Some(true))), ["deny", "ask", "allow"]),
    ];
    for (what, claim, expected) in table {
        assert_eq!(words(&policy, &claim), expected, "{what}");
    }
}

#[test]
fn without_confinement_commands_are_refused_in_explore_and_run_plainly_else() {
    let policy = policy();
    let decided = |mode, command: &str| {
        let case = Case { can_confine: false, can_bound: false, ..Case::new(&policy, mode) };
        word(&case.decide(&shell(command)))
    };
    assert_eq!(MODES.map(|mode| decided(mode, "ls -la")), ["deny", "allow", "allow"]);
    // A repository's own settings can name programs that git runs.
    assert_eq!(MODES.map(|mode| decided(mode, "git status")), ["deny", "ask", "ask"]);
    assert_eq!(MODES.map(|mode| decided(mode, "touch x")), ["deny", "ask", "allow"]);
}

#[test]
fn whoever_is_refused_is_told_why_and_what_to_do() {
    let policy = policy();
    for (claim, why, what) in [
        (write(&format!("{APP}/x")), "Explore", "into a plan"),
        (read("/home/eva/other/x"), "outside", "add its folder"),
        (shell("sort -o a b"), "the option `-o`", "into a plan"),
        (shell("ls > out.txt"), "redirects output into a file", "plain commands"),
        (shell("FOO=1 ls"), "sets a variable", "plain commands"),
        (shell("cat .env"), "holds secrets", ".env.example"),
        (fetch("https://docs.rs/x"), "nothing leaves this machine", "allow `docs.rs`"),
    ] {
        match decide(&policy, Mode::Safe, &claim) {
            Ruling::Deny { why: told, instead: Some(instead) } => {
                assert!(told.contains(why), "{told}");
                assert!(instead.contains(what), "{instead}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_program_that_is_not_known_is_asked_about_in_plain_words() {
    let ruling = decide(&policy(), Mode::Ask, &shell("node x.js"));
    let Ruling::Ask { why, .. } = ruling else { panic!("{ruling:?}") };
    assert!(why.contains("it may do more than read"), "{why}");
}

#[test]
fn the_first_offer_is_for_once_and_none_is_wider_than_its_words() {
    let policy = policy();
    for claim in [
        shell("touch x"),
        shell("cargo test -p a"),
        shell("python3 x.py"),
        shell("A=1 cargo test"),
        write(&format!("{APP}/src/x.rs")),
        write(&format!("{APP}/.git/config")),
        fetch("https://docs.rs/x"),
        request("POST", "/issues", true),
        of_source("tracker", "change", CallEffect::Tool, false, Hints::default()),
    ] {
        let Ruling::Ask { offers, why } = decide(&policy, Mode::Ask, &claim) else { panic!("{claim:?}") };
        assert!(!why.is_empty());
        assert_eq!(offers[0].scope, GrantScope::Once, "{claim:?}");
        assert!(offers[1..].iter().all(|offer| offer.scope > GrantScope::Once), "{offers:?}");
        for offer in &offers {
            let end = match offer.scope {
                GrantScope::Once => "once",
                GrantScope::Session => "session",
                GrantScope::Workspace => "workspace",
                GrantScope::Always => "everywhere",
            };
            assert!(offer.words.contains(end), "{}", offer.words);
        }
    }
}

#[test]
fn hostile_input_of_any_kind_gets_an_answer() {
    let policy = policy();
    let long = "a".repeat(300_000);
    let texts = [
        "",
        " ",
        "\0",
        "\n",
        "..",
        "/",
        "//",
        "~",
        "\u{202e}",
        "/home/eva/app/\u{202e}x",
        "C:\\x",
        "\\\\host\\x",
        &long,
    ];
    for text in texts {
        for claim in [
            read(text),
            write(text),
            fetch(text),
            shell(text),
            request(text, text, true),
            request("GET", text, true),
        ] {
            for mode in MODES {
                let ruling = decide(&policy, mode, &claim);
                // A request without a path is one to the source's base address.
                let runs = matches!(ruling, Ruling::Allow { .. })
                    && !matches!(claim.effect, CallEffect::Request { .. });
                assert!(!runs || mode == Mode::AllowAll || !text.trim().is_empty(), "{claim:?}: {ruling:?}");
            }
        }
    }
}
