//! Deciding on calls, with the shipped rules and five hundred more.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use domain::{AccessRequest, CallEffect, Hints, Mode};
use permissions::{Context, KnownFolders, Layer, Policy, RuleFile, RuleSet};
use serde_json::{Value, json};
use workspace::Workspace;

use crate::figure::{Figure, ms};
use crate::{Bench, Outcome};

const RULES: usize = 500;
const DECISIONS: usize = 20_000;
const COMMANDS: [&str; 8] = [
    "ls -la src",
    "git status --short && git diff --stat",
    "grep -rn 'fn main' src 2>/dev/null | head -20",
    "find . -name '*.rs' -not -path './target/*' | wc -l",
    "cargo test -p store --test it -- crash 2>&1 | tail -40",
    "npm run build",
    "cat package.json | jq -r '.scripts | keys[]' | sort | uniq -c",
    "git commit -m 'Say what a rule is about'",
];

/// Commands, parsing included, and files.
pub fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let home = bench.scratch()?;
    let shipped =
        Workspace::open(home.path()).shipped_rules().rules.map_err(|_| "the shipped rules are broken")?;
    let begun = Instant::now();
    let own = RuleSet::compile(Layer::Workspace, &file()?).map_err(|faults| format!("{faults:?}"))?;
    let compiling = ms(begun.elapsed());
    let places = KnownFolders {
        data: "/home/eva/.local/share/agentnative".to_owned(),
        home: "/home/eva".to_owned(),
        workspaces: Vec::new(),
    };
    let policy = Policy::new(places).with(Arc::new(shipped)).with(Arc::new(own));
    let commands: Vec<AccessRequest> = COMMANDS
        .iter()
        .map(|command| {
            claim(
                "shell",
                CallEffect::Shell {
                    command: (*command).to_owned(),
                    cwd: "/home/eva/app".to_owned(),
                    outside: None,
                },
            )
        })
        .collect();
    let files: Vec<AccessRequest> = (0..8)
        .map(|n| claim("edit", CallEffect::Write { path: format!("/home/eva/app/src/part{n}/main.rs") }))
        .collect();
    let (p50, p95) = timed(&policy, &commands);
    let (_, file_p95) = timed(&policy, &files);
    Ok(vec![
        Figure::plain("permissions.command-p50", p50, "us"),
        Figure::plain("permissions.command-p95", p95, "us").at_most(50.0),
        Figure::plain("permissions.file-p95", file_p95, "us").at_most(50.0),
        Figure::plain("permissions.compiling-500-rules", compiling, "ms"),
    ])
}

fn claim(tool: &str, effect: CallEffect) -> AccessRequest {
    let arguments = json!({ "of": tool });
    AccessRequest {
        source: String::new(),
        tool: tool.to_owned(),
        effect,
        hints: Hints::default(),
        trusted: true,
        arguments,
    }
}

/// A rule of each kind in turn.
fn file() -> Result<RuleFile, Box<dyn Error + Send + Sync>> {
    let rules: Vec<Value> = (0..RULES)
        .map(|n| {
            let mut rule = match n % 5 {
                0 => json!({ "effect": "deny", "command": format!("tool{n} push *") }),
                1 => json!({ "effect": "allow", "command": format!("tool{n} test *") }),
                2 => json!({ "effect": "deny", "path": format!("**/secret{n}/**/*.key") }),
                3 => json!({ "effect": "ask", "path": format!("generated{n}/**"), "access": "write" }),
                _ => json!({ "effect": "allow", "host": format!("*.example{n}.org") }),
            };
            rule["reason"] = "measured".into();
            rule
        })
        .collect();
    Ok(serde_json::from_value(json!({ "version": 1, "rules": rules }))?)
}

/// Half and 95 of 100 decisions take at most so many microseconds.
fn timed(policy: &Policy, claims: &[AccessRequest]) -> (f64, f64) {
    let folders = ["/home/eva/app".to_owned()];
    let mut taken = Vec::with_capacity(DECISIONS);
    for round in 0..DECISIONS + claims.len() {
        let context = Context {
            can_copy: true,
            can_bound: true,
            own_words: false,
            mode: [Mode::Safe, Mode::Ask, Mode::AllowAll][round % 3],
            session: "s",
            workspace: "default",
            agent: None,
            request: "r/c",
            folders: &folders,
            grants: &[],
            can_confine: true,
            disk: &permissions::UnknownDisk,
            now: 0,
        };
        let begun = Instant::now();
        let ruling = policy.decide(&claims[round % claims.len()], &context);
        let elapsed = begun.elapsed();
        std::hint::black_box(ruling);
        // The first of each builds automata that later ones use.
        if round >= claims.len() {
            taken.push(elapsed.as_secs_f64() * 1e6);
        }
    }
    taken.sort_by(f64::total_cmp);
    (taken[taken.len() / 2], taken[taken.len() * 95 / 100])
}
