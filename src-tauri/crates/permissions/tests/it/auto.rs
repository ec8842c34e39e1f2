//! Auto: what stays in the session's folders runs, what reaches outside is asked for.

use domain::{Covers, GrantScope, Mode, Ruling};
use permissions::{Disk, Layer, PathEntry, PlainRepository, TooMany};
use serde_json::json;

use crate::support::{APP, Case, grant, policy, shell, with_rules, word};

/// Commands that change something outside of the folders, as far as their words tell.
const OUTSIDE: &[&str] = &[
    "rm -rf ~",
    "rm -rf ~/",
    "rm -rf ~/*",
    "rm -rf ..",
    "rm -rf ../other",
    "rm -rf /home/eva/other",
    "cd .. && rm -rf other",
    "cd ~; rm notes",
    "mkdir /opt/h6b && echo x > /opt/h6b/y",
    "echo x > /opt/y",
    "echo x >> ../notes",
    "touch /usr/local/bin/x",
    "mv a ../b",
    "mv ../b a",
    "cp a ~/b",
    "cp -r a ~/b",
    "cp -t /srv/x a",
    "ln -s a /usr/local/bin/a",
    "tee ~/log",
    "chmod -R 777 ~",
    "chown -R root ~",
    "truncate -s 0 ~/notes",
    "sed -i s/a/b/ ~/notes",
    "dd if=/dev/zero of=/home/eva/notes",
    "find ~ -name x -delete",
    "find .. -exec rm {} +",
    "git -C ~ checkout -b evil",
    "git -C ../other commit -m x",
    "git clone https://example.org/x.git /opt/x",
    "tar xf a.tar -C /opt",
    "unzip a.zip -d ~",
    "rsync -a a/ ~/b/",
    "shred ~/notes",
    "for i in 1; do rm -rf ~/x; done",
    "true && (rm -rf ~/x)",
    "FOO=1 rm -rf ~/x",
];

/// Commands of everyday work.
const INSIDE: &[&str] = &[
    "npm install",
    "npm test",
    "cargo build --release",
    "python3 -c 'print(1)'",
    "pytest -q 2>&1 | tail -20",
    "make -j4",
    "git add -A && git commit -m 'what /etc/hosts says'",
    "git checkout -b feature",
    "rm -rf target node_modules",
    "mkdir -p src/new && touch src/new/mod.rs",
    "sed -i 's|/usr/lib|/opt/lib|' src/a",
    "awk '/foo/ {print}' a > b",
    "for f in *.md; do cp \"$f\" old; done",
    "gcc -I/usr/include a.c -o a",
    "curl https://example.org/x -o x",
    "echo x > /dev/null",
    "ls > /dev/null 2>&1; npm run build",
    "$X y",
    "rm -rf \"$HOME\"",
];

#[test]
fn what_changes_something_outside_of_the_folders_is_asked_for_and_named() {
    let policy = policy();
    for can_bound in [true, false] {
        for command in OUTSIDE {
            let case = Case { can_bound, can_confine: can_bound, ..Case::new(&policy, Mode::AllowAll) };
            let Ruling::Ask { why, .. } = case.decide(&shell(command)) else { panic!("{command}") };
            assert!(why.contains("not in the session's folders"), "{command}: {why}");
        }
    }
}

#[test]
fn everything_else_runs_held_to_the_folders() {
    let policy = policy();
    for command in INSIDE {
        assert_eq!(word(&Case::new(&policy, Mode::AllowAll).decide(&shell(command))), "folders", "{command}");
    }
}

#[test]
fn where_nothing_holds_a_command_what_is_not_known_to_stay_inside_is_asked_for() {
    let policy = policy();
    let decide = |command: &str| {
        let case = Case { can_bound: false, can_confine: false, ..Case::new(&policy, Mode::AllowAll) };
        case.decide(&shell(command))
    };
    for command in [
        "mkdir -p src/new && touch src/new/mod.rs",
        "rm -rf target",
        "cp a b",
        "mv a src/b",
        "echo x > notes.txt",
        "cat a | tee -a log",
        "cd src && rm -f x",
        "chmod +x run.sh",
        "ls",
    ] {
        assert_eq!(word(&decide(command)), "allow", "{command}");
    }
    for command in [
        "npm install",
        "python3 -c 'import shutil; shutil.rmtree(\"/home/eva\")'",
        "make",
        "git commit -m x",
        "git status",
        "rm -rf \"$HOME\"",
        "rm -rf {a,../b}",
        "echo x > \"$X\"",
        "ln -s ~ x",
        "cp -r a b",
        "bash -c 'rm -rf ~'",
        "sudo rm -rf x",
        "$X y",
    ] {
        let Ruling::Ask { why, offers } = decide(command) else { panic!("{command}") };
        assert!(why.contains("here"), "{command}: {why}");
        assert!(!offers.is_empty());
    }
}

#[test]
fn what_the_person_allowed_runs_as_they_would_run_it() {
    let rule = json!([{ "effect": "allow", "command": "make install *", "reason": "it is ours" }]);
    let policy = with_rules(&[(Layer::Workspace, rule)]);
    assert_eq!(word(&Case::new(&policy, Mode::AllowAll).decide(&shell("make install x"))), "allow");
    assert_eq!(
        word(&Case::new(&policy, Mode::AllowAll).decide(&shell("make install x; rm -rf a"))),
        "folders"
    );
    let claim = shell("rm -rf ~/x");
    let exact = Covers::Arguments(domain::Digest::of_json(&claim.arguments));
    let grants = vec![grant(&claim, GrantScope::Session, exact)];
    assert_eq!(word(&Case { grants, ..Case::new(&policy, Mode::AllowAll) }.decide(&claim)), "allow");
    // An automation is written by the person.
    let own = Case { own_words: true, can_bound: false, ..Case::new(&policy, Mode::AllowAll) };
    assert_eq!(word(&own.decide(&shell("rm -rf /opt/cache"))), "allow");
}

#[test]
fn a_command_that_says_it_has_to_reach_outside_is_asked_for_with_its_reason() {
    let policy = policy();
    let mut claim = shell("make install");
    claim.effect = domain::CallEffect::Shell {
        command: "make install".to_owned(),
        cwd: APP.to_owned(),
        outside: Some("it installs into /opt".to_owned()),
    };
    let Ruling::Ask { why, .. } = Case::new(&policy, Mode::AllowAll).decide(&claim) else { panic!() };
    assert!(why.contains("it installs into /opt"), "{why}");
}

#[test]
fn a_question_names_every_part_that_reaches_outside_and_what_deletes_first() {
    let policy = policy();
    let ask = |command: &str| {
        let Ruling::Ask { why, .. } = Case::new(&policy, Mode::Ask).decide(&shell(command)) else {
            panic!("{command}")
        };
        why
    };
    let why = ask(".venv/bin/python -m pytest; cp a ~/b; rm -rf /home/eva/other");
    let at = |word: &str| why.find(word).unwrap_or_else(|| panic!("{word}: {why}"));
    assert!(at("/home/eva/other") < at("/home/eva/b") && at("/home/eva/b") < at(".venv/bin/python"), "{why}");
    assert!(
        ask("npm test; rm -rf build").starts_with("`rm` deletes or overwrites"),
        "{}",
        ask("npm test; rm -rf build")
    );
    assert!(
        ask("X=1 rm -rf ~/x").starts_with("`rm` deletes or overwrites `~/x`"),
        "{}",
        ask("X=1 rm -rf ~/x")
    );
    assert!(ask("python3 tool.py ~/notes").contains("`~/notes`"));
}

/// A folder with a repository, a link out of it and a link to nothing.
#[derive(Debug)]
struct Tree;

impl Disk for Tree {
    fn find(&self, path: &str) -> Option<PathEntry> {
        let (path, folder) = match path.strip_prefix("/home/eva/app/") {
            Some("out") => ("/home/eva/other", true),
            Some("gone") => ("/home/eva/gone", false),
            _ if path == APP => (APP, true),
            _ if path == "/" || path == "/home" => (path, true),
            _ => return None,
        };
        Some(PathEntry { path: path.to_owned(), folder })
    }

    fn first_below(
        &self,
        _folder: &str,
        _depth: usize,
        _wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Option<(String, String)>, TooMany> {
        Ok(None)
    }

    fn plain_repository(&self, folder: &str) -> Option<PlainRepository> {
        let files = vec!["src/main.rs".to_owned()];
        (folder == APP).then(|| PlainRepository { root: APP.to_owned(), files })
    }
}

#[test]
fn a_link_is_followed_to_where_a_change_takes_place() {
    let policy = policy();
    for command in ["rm -rf out/x", "touch out/x/y", "echo x > gone", "mkdir -p out/a/b", "cp a out"] {
        let case = Case { disk: &Tree, ..Case::new(&policy, Mode::AllowAll) };
        assert_eq!(word(&case.decide(&shell(command))), "ask", "{command}");
    }
}

#[test]
fn git_reads_a_plain_repository_unasked_where_nothing_is_confined() {
    let policy = policy();
    let case = |mode| Case { can_confine: false, can_bound: false, disk: &Tree, ..Case::new(&policy, mode) };
    for command in ["git status", "git diff", "git log --oneline -5"] {
        assert_eq!(word(&case(Mode::Ask).decide(&shell(command))), "allow", "{command}");
        assert_eq!(word(&case(Mode::AllowAll).decide(&shell(command))), "allow", "{command}");
    }
    assert_eq!(word(&case(Mode::Ask).decide(&shell("cd sub && git status"))), "ask");
    assert_eq!(word(&case(Mode::Ask).decide(&shell("git -C out status"))), "ask");
}
