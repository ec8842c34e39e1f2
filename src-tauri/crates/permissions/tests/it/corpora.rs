use std::collections::BTreeSet;

use domain::{Mode, Ruling};

use crate::support::{Case, decide, policy, shell, word};

const READS: &str = include_str!("corpora/reads.txt");
const WRITES: &str = include_str!("corpora/writes.txt");

/// A line each; one that needs escapes is a JSON text after `json:`.
fn lines(corpus: &str) -> Vec<String> {
    corpus
        .lines()
        .map(|line| match line.strip_prefix("json:") {
            Some(text) => serde_json::from_str(text).unwrap(),
            None => line.to_owned(),
        })
        .collect()
}

/// The commands that write or may write.
pub fn writes() -> Vec<String> {
    lines(WRITES)
}

fn shown(line: &str) -> String {
    format!("{:?}", line.chars().take(100).collect::<String>())
}

#[test]
fn of_959_commands_that_write_or_may_write_none_is_taken_for_reading() {
    let policy = policy();
    let lines = lines(WRITES);
    assert_eq!(lines.len(), 959);
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), 959, "each is there once");
    let mut wrong = Vec::new();
    for line in &lines {
        let claim = shell(line);
        let safe = decide(&policy, Mode::Safe, &claim);
        let ask = decide(&policy, Mode::Ask, &claim);
        if word(&safe) != "deny" || !matches!(word(&ask), "ask" | "deny") {
            wrong.push(format!("{}: {safe:?}", shown(line)));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn of_229_commands_that_only_read_all_run_confined_and_unasked() {
    let policy = policy();
    let lines = lines(READS);
    assert_eq!(lines.len(), 229);
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), 229, "each is there once");
    let mut wrong = Vec::new();
    for line in &lines {
        for mode in [Mode::Safe, Mode::Ask] {
            let ruling = decide(&policy, mode, &shell(line));
            if word(&ruling) != "confined" {
                wrong.push(format!("{}: {ruling:?}", shown(line)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn whatever_is_put_before_or_behind_a_command_that_reads_it_is_no_longer_reading() {
    const BEHIND: [&str; 30] = [
        "; rm x",
        " && rm x",
        " || rm x",
        " | sh",
        " & rm x",
        "\nrm x",
        " > x",
        " >> x",
        ">x",
        " 2> x",
        " &> x",
        " | tee x",
        " $(rm x)",
        " `rm x`",
        " \"$(rm x)\"",
        " <(rm x)",
        " >(sh)",
        " <<< x",
        " <<X\nX",
        " ; (rm x)",
        " | xargs rm",
        " # rm\nrm x",
        " \\\n; rm x",
        " $X",
        " ${X}",
        " $'\\x2d'",
        " {a,b}",
        " | { rm x; }",
        " ; f() { rm x; }",
        "\r; rm x",
    ];
    const BEFORE: [&str; 20] = [
        "rm x; ",
        "A=1 ",
        "PATH=/tmp ",
        "env ",
        "sudo ",
        "time ",
        "exec ",
        "eval ",
        "command ",
        "nohup ",
        "! ",
        "( ",
        "{ ",
        "coproc ",
        "> x ",
        "if ",
        "$X ",
        "xargs ",
        "./",
        "bash -c ",
    ];
    let policy = policy();
    let reads = lines(READS);
    let mut tried = 0;
    let mut wrong = Vec::new();
    for line in &reads {
        let behind = BEHIND.iter().map(|end| format!("{line}{end}"));
        let before = BEFORE.iter().map(|start| format!("{start}{line}"));
        for changed in behind.chain(before) {
            tried += 1;
            let ruling = decide(&policy, Mode::Safe, &shell(&changed));
            if word(&ruling) != "deny" {
                wrong.push(shown(&changed));
            }
        }
    }
    assert_eq!(tried, 229 * 50);
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn a_command_cut_anywhere_is_never_worse_than_refused() {
    let policy = policy();
    for line in lines(READS).into_iter().chain(lines(WRITES)) {
        let line: String = line.chars().take(120).collect();
        for (end, _) in line.char_indices() {
            // It has to give an answer; which one depends on what is left.
            let ruling = decide(&policy, Mode::Safe, &shell(&line[..end]));
            assert!(!matches!(ruling, Ruling::Ask { .. }), "{}", shown(&line[..end]));
        }
    }
}

#[test]
fn without_confinement_plain_reading_in_the_folders_still_runs_unasked() {
    let policy = policy();
    let (mut unasked, mut asked, mut configured) = (0, 0, 0);
    for line in lines(READS) {
        let case = Case { can_confine: false, ..Case::new(&policy, Mode::Ask) };
        match case.decide(&shell(&line)) {
            Ruling::Allow { confined: domain::Walls::Open, .. } => unasked += 1,
            Ruling::Ask { why, .. } if why.contains("own settings") => configured += 1,
            Ruling::Ask { .. } => asked += 1,
            other => panic!("{}: {other:?}", shown(&line)),
        }
    }
    // Options that are not known and other processes are asked for; what a folder configures where it may name programs.
    assert_eq!((unasked, asked, configured), (158, 7, 64));
}
