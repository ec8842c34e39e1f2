//! `diff`: two runs beside each other.

use std::path::Path;

use domain::connection::OFFLINE;
use domain::{NanoUsd, Problem};
use protocol::{
    Client, ComparedRun, ComparedStatement, PairKind, RunComparison, RunPair, RunRef, SourcePair,
    StatementPair, WordSpan,
};

use crate::args::DiffArgs;
use crate::outcome::Outcome;
use crate::run::with_client;
use crate::terminal::{json_line, printable, tokens};

/// Compares two runs. Whatever keeps it from comparing them ends with [`Outcome::Usage`]: 1 says that they differ.
pub async fn diff(home: &Path, args: DiffArgs) -> Result<Outcome, Problem> {
    match compared(home, &args).await {
        Ok(found) if args.json => {
            println!("{}", json_line(&found));
            Ok(outcome(&found))
        }
        Ok(found) => {
            print(&found);
            Ok(outcome(&found))
        }
        Err(problem) => {
            eprintln!("agentnative: {}", printable(&problem.to_string()));
            Ok(Outcome::Usage)
        }
    }
}

fn outcome(found: &RunComparison) -> Outcome {
    if found.same { Outcome::Done } else { Outcome::Failed }
}

async fn compared(home: &Path, args: &DiffArgs) -> Result<RunComparison, Problem> {
    let named = |run: &String| RunRef::Id(run.clone());
    let pair = RunPair { left: named(&args.left), right: named(&args.right) };
    with_client(home, async |client| client.run_compare(pair).await).await
}

fn print(found: &RunComparison) {
    for (sign, run) in [("-", &found.left), ("+", &found.right)] {
        println!("{sign} {}", head(run));
    }
    if found.same {
        return;
    }
    for pin in &found.pins {
        match (pin.left.as_str(), pin.right.as_str()) {
            ("", "") => println!("\n{}: differs", printable(&pin.what)),
            (left, right) => {
                println!("\n{}\n  - {}\n  + {}", printable(&pin.what), shown(left), shown(right))
            }
        }
    }
    let stages: Vec<_> = found.stages.iter().filter(|stage| !stage.same).collect();
    if !stages.is_empty() {
        println!("\nstages that differ: {} of {}", stages.len(), found.stages.len());
    }
    for stage in stages {
        let what = match (stage.left.as_str(), stage.right.as_str()) {
            (left, "") => format!("{left} only in the first"),
            ("", right) => format!("{right} only in the second"),
            (left, right) if left != right => format!("{left} in the first, {right} in the second"),
            _ if stage.same_requests => "asked the same, got something else".to_owned(),
            _ if stage.same_output => "asked something else, got the same".to_owned(),
            _ => "asked something else, got something else".to_owned(),
        };
        println!("  {:<24} {what}", printable(&stage.title));
        if !stage.because.is_empty() {
            println!("  {:<24} because of: {}", "", printable(&stage.because.join("; ")));
        }
        if !stage.parts.is_empty() {
            println!("  {:<24} differs in: {}", "", printable(&stage.parts.join(", ")));
        }
    }
    statements(&found.statements);
    let sources: Vec<&SourcePair> = found.sources.iter().filter(|one| !one.same).collect();
    if !sources.is_empty() {
        println!("\nsources that differ: {} of {}", sources.len(), found.sources.len());
    }
    for one in sources {
        let told = match (&one.left, &one.right) {
            (Some(_), None) => "cited only in the first".to_owned(),
            (None, _) => "cited only in the second".to_owned(),
            (Some(left), Some(right)) if left != right => format!("{left}, then {right}"),
            (Some(_), Some(_)) => "its text changed in between".to_owned(),
        };
        println!("  {:<24} {}", shown(&one.reference), printable(&told));
    }
    let words = |side: fn(&protocol::WordRow) -> &Option<Vec<WordSpan>>| {
        let spans = found.rows.iter().filter(|row| !row.same).filter_map(|row| side(row).as_ref()).flatten();
        spans.filter(|span| span.changed).map(|span| span.text.split_whitespace().count()).sum::<usize>()
    };
    println!("\ndocument: {} words gone, {} words new", words(|row| &row.left), words(|row| &row.right));
}

fn head(run: &ComparedRun) -> String {
    let depth = run.depth.as_deref().map(|depth| format!(" {depth}")).unwrap_or_default();
    format!(
        "{}  {}{depth}  {}/{}  {}  {}, {}, {:.1} s",
        run.run,
        printable(&run.agent),
        printable(&run.connection),
        printable(&run.model),
        run.status,
        run.cost,
        tokens(run.connection == OFFLINE && run.cost == NanoUsd(0), &run.usage),
        run.active_ms as f64 / 1_000.0
    )
}

fn statements(pairs: &[StatementPair]) {
    if pairs.iter().all(|pair| pair.same) {
        return;
    }
    let count = |kind: PairKind| pairs.iter().filter(|pair| pair.kind == kind).count();
    println!(
        "\nstatements: {} the same, {} reworded, {} only in the first, {} only in the second",
        count(PairKind::Same),
        count(PairKind::Reworded),
        count(PairKind::LeftOnly),
        count(PairKind::RightOnly)
    );
    for pair in pairs.iter().filter(|pair| !pair.same) {
        let held = |side: &ComparedStatement| {
            let cited =
                if side.names.is_empty() { String::new() } else { format!("; {}", side.names.join(", ")) };
            printable(&format!("{}{cited}", if side.word.is_empty() { "not checked" } else { &side.word }))
        };
        match (&pair.left, &pair.right) {
            (Some(left), Some(right)) if pair.kind == PairKind::Same => {
                println!("  = {}\n      was {}, is {}", printable(&left.text), held(left), held(right));
            }
            (left, right) => {
                for (sign, side) in [("-", left), ("+", right)] {
                    if let Some(side) = side {
                        println!("  {sign} {} ({})", printable(&side.text), held(side));
                    }
                }
            }
        }
    }
}

/// A line of it.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { "none".to_owned() } else { printable(&line).chars().take(160).collect() }
}
