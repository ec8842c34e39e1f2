//! What commands may read without a question.

use domain::{Mode, Ruling};
use permissions::{Disk, PathEntry, TooMany};

use crate::support::{Case, shell, word};

/// Files of a home: `app/link` leads to a key, `app/sub/env` to a file that must not be read.
#[derive(Debug)]
struct Home;

impl Disk for Home {
    fn find(&self, path: &str) -> Option<PathEntry> {
        let (path, folder) = match path {
            "/home/eva/app/link" => ("/home/eva/.ssh/id", false),
            "/home/eva/app/sub/env" => ("/home/eva/app/.env", false),
            "/home/eva/app/up/notes" | "/home/eva/notes" => ("/home/eva/notes", false),
            "/home/eva/app/up" => ("/home/eva", true),
            "/home/eva/app/src" => ("/home/eva/app/src", true),
            _ => return None,
        };
        Some(PathEntry { path: path.to_owned(), folder })
    }

    fn first_below(
        &self,
        folder: &str,
        _depth: usize,
        wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Option<(String, String)>, TooMany> {
        let files = [
            ("/home/eva/app/.env", "/home/eva/app/.env"),
            ("/home/eva/app/sub/env", "/home/eva/app/.env"),
            ("/home/eva/app/src/main.rs", "/home/eva/app/src/main.rs"),
        ];
        let below = files.into_iter().filter(|(path, _)| path.starts_with(folder));
        let mut found = below.filter(|(path, real)| wanted(path, real));
        Ok(found.next().map(|(path, real)| (path.to_owned(), real.to_owned())))
    }
}

fn unconfined(mode: Mode, command: &str) -> &'static str {
    let policy = crate::support::policy();
    let case = Case { can_confine: false, can_bound: false, disk: &Home, ..Case::new(&policy, mode) };
    word(&case.decide(&shell(command)))
}

#[test]
fn without_confinement_what_is_read_unasked_lies_in_the_folders() {
    for command in [
        "cat src/main.rs",
        "ls",
        "head -n 3 notes.txt | sort",
        "cd src && cat main.rs",
        "grep x notes.txt",
        "wc -l a b",
        "echo /etc",
        "cat /home/eva/app/a",
        "od -w16 -c a",
        "xxd -l 64 a",
        "head -5 a",
        "head --lines 5 a",
        "cat src/*.rs",
        "grep -rn x src",
        "rg x src",
        "find src -name x",
        "wc -l src/*",
    ] {
        assert_eq!(unconfined(Mode::Ask, command), "allow", "{command}");
    }
    for command in [
        "cat ~/notes",
        "cat ../notes",
        "cat /etc/hosts",
        "cat up/notes",
        "grep -r x .",
        "rg x",
        "find . -name x",
        "cd .. && cat notes",
        "cd up && ls",
        "cd src; cat ../../notes",
        "wc --files0-from=list",
        "od -w ../notes",
        "od -w16 ../notes",
        "xxd -ps ../notes",
        "head -5c ../notes",
        "tail -20c ../notes",
        "grep -e /etc/p* notes.txt",
        "cat -- -x",
        "cat /proc/1/cmdline",
        "ps aux",
        "cat < ../notes",
        "ls /tmp",
        "git status",
    ] {
        assert_eq!(unconfined(Mode::Ask, command), "ask", "{command}");
    }
    for command in [
        "cat .env",
        "cat .e*",
        "cat sub/env",
        "cat sub/e*",
        "cat link",
        "cd sub; cat env",
        "head ~/.ss?/id* .env",
    ] {
        assert_eq!(unconfined(Mode::Ask, command), "deny", "{command}");
    }
}

#[test]
fn in_auto_a_command_that_reads_stays_out_of_homes_and_of_what_rules_forbid() {
    for command in ["cat /etc/hosts", "ls /tmp", "cat src/*.rs", "grep -r x src", "ps aux"] {
        assert_eq!(unconfined(Mode::AllowAll, command), "allow", "{command}");
    }
    for command in [
        "cat ~/notes",
        "cat up/notes",
        "cargo build; cat ~/notes",
        "grep -r x .",
        "rg x ~",
        "cat /mnt/backup/notes",
        "ps auxe",
        "cat $HOME/notes",
        "sort -o x ~/notes",
    ] {
        assert_eq!(unconfined(Mode::AllowAll, command), "ask", "{command}");
    }
    let policy = crate::support::policy();
    let case = Case { disk: &Home, ..Case::new(&policy, Mode::AllowAll) };
    for (command, expected) in
        [("grep -r x .", "confined"), ("cat $(ls)", "confined"), ("cat a", "folders"), ("cat ~/notes", "ask")]
    {
        assert_eq!(word(&case.decide(&shell(command))), expected, "{command}");
    }
}

#[test]
fn a_command_that_is_confined_asks_for_what_it_would_not_see() {
    let policy = crate::support::policy();
    for (command, safe, ask) in [
        ("cat notes.txt", "confined", "confined"),
        ("cat /usr/share/dict/words", "confined", "confined"),
        ("grep -r x .", "confined", "confined"),
        ("ps aux", "confined", "confined"),
        ("cat ~/notes", "deny", "ask"),
        ("grep -r x ~", "deny", "ask"),
        ("cat /tmp/log", "deny", "ask"),
        ("cat /mnt/backup/notes", "deny", "ask"),
        ("ls /media/eva/stick", "deny", "ask"),
        ("cat /srv/pay.csv", "deny", "ask"),
        ("cat /mntx/notes", "deny", "ask"),
        ("cat /opt/app/app.conf", "deny", "ask"),
        ("cat /var/lib/a/token", "deny", "ask"),
        ("cat /etc/a.conf", "deny", "ask"),
        ("cat /usr/local/etc/a.conf", "deny", "ask"),
        ("grep -r x /opt /var/lib", "deny", "ask"),
        ("cat /etc/os-release", "confined", "confined"),
        ("cat link", "deny", "deny"),
    ] {
        for (mode, expected) in [(Mode::Safe, safe), (Mode::Ask, ask)] {
            let case = Case { disk: &Home, ..Case::new(&policy, mode) };
            assert_eq!(word(&case.decide(&shell(command))), expected, "{command}");
        }
    }
}

#[test]
fn a_question_about_a_file_names_it() {
    let policy = crate::support::policy();
    let case = Case { can_confine: false, disk: &Home, ..Case::new(&policy, Mode::Ask) };
    for (command, path) in
        [("cat ~/notes", "/home/eva/notes"), ("cat up/notes", "/home/eva/notes"), ("grep -r x .", ".")]
    {
        let Ruling::Ask { why, offers } = case.decide(&shell(command)) else { panic!("{command}") };
        assert!(why.contains(path), "{why}");
        assert!(
            offers.iter().all(|offer| matches!(offer.covers, domain::Covers::Arguments(_))),
            "{offers:?}"
        );
    }
}

#[test]
fn a_drive_that_the_session_works_on_is_read_like_any_folder_of_it() {
    let policy = crate::support::policy();
    let decide = |mode, command: &str| {
        let effect = domain::CallEffect::Shell {
            command: command.to_owned(),
            cwd: "/mnt/data/app".to_owned(),
            outside: None,
        };
        let claim = crate::support::claim("shell", effect);
        word(&Case::new(&policy, mode).decide_in(&["/mnt/data/app".to_owned()], &claim))
    };
    for (command, ask, auto) in [
        ("cat notes.txt", "confined", "folders"),
        ("cat /mnt/data/app/src/x", "confined", "folders"),
        ("cat ../other/notes", "ask", "ask"),
        ("cat /mnt/backup/notes", "ask", "ask"),
    ] {
        assert_eq!((decide(Mode::Ask, command), decide(Mode::AllowAll, command)), (ask, auto), "{command}");
    }
}
