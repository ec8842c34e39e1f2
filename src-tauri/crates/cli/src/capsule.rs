//! Capsules: runs with their evidence, made here and checked anywhere.

use std::path::{Path, PathBuf};

use ::transfer::CapsuleReport;
use clap::{Args, Subcommand};
use domain::Problem;
use protocol::{CapsuleOptions, Client, RunRef};

use crate::outcome::Outcome;
use crate::run::with_client;
use crate::terminal::{JSON, print_either, print_json, printable};
use crate::transfer::full;

/// `capsule`.
#[derive(Debug, Subcommand)]
pub enum CapsuleCommand {
    /// Write a run or turn with its log, payloads, chain of hashes and cited paragraphs into one file.
    Make(MakeArgs),
    /// Check a capsule: every byte, the chain, the log computed again, the document, the statements against the cited
    /// paragraphs. Needs no data directory and no network: exit code 0 when all holds, 1 when something does not.
    Verify {
        /// The file.
        file: PathBuf,
        #[arg(long, help = JSON)]
        json: bool,
    },
}

/// `capsule make`.
#[derive(Debug, Args)]
pub struct MakeArgs {
    /// The id of a run or a turn, the first characters of it, or its session, which names its newest.
    pub run: String,
    /// The file to write; default: one in the session's folder.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Leave the texts of cited paragraphs out of the evidence: their digests alone go along. The log holds what models were
    /// shown in any case.
    #[arg(long)]
    pub without_texts: bool,
    /// Put the source documents of the cited paragraphs into it (the files, or the base's text where a file is gone or
    /// another by now), and the files that went with the messages. At most 200 MB.
    #[arg(long)]
    pub with_sources: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `capsule verify`, which opens no data directory.
pub async fn verify(file: &Path, json: bool) -> Result<Outcome, Problem> {
    let report = app::verify_capsule(file).await?;
    print_either(json, &report, print);
    Ok(if report.holds { Outcome::Done } else { Outcome::Failed })
}

/// `capsule make`.
pub async fn make(home: &Path, args: MakeArgs) -> Result<Outcome, Problem> {
    let of = CapsuleOptions {
        run: RunRef::Id(args.run),
        path: args.output.map(|path| full(&path)).transpose()?,
        without_texts: args.without_texts,
        with_sources: args.with_sources,
    };
    let written = with_client(home, async |client| client.capsule_make(of).await).await?;
    if args.json {
        return print_json(&written);
    }
    println!("{}", printable(&written.path));
    eprintln!("chain {}", written.head);
    for note in &written.notes {
        eprintln!("{}", printable(note));
    }
    Ok(Outcome::Done)
}

fn print(report: &CapsuleReport) {
    println!("{}  {}", printable(&report.run), if report.holds { "holds" } else { "does not hold" });
    if report.holds {
        println!("chain {}", printable(&report.head));
        println!(
            "{} runs, {} events, {} steps computed again{}, {} documents, {} statements over {} cited paragraphs, {} sources",
            report.runs,
            report.events,
            report.recomputed,
            if report.redriven { ", driven again" } else { "" },
            report.documents,
            report.sentences,
            report.paragraphs,
            report.sources
        );
    }
    for fault in &report.faults {
        println!("{}: {}", printable(&fault.entry), printable(&fault.why));
    }
    for gap in &report.gaps {
        println!("not checked: {}", printable(gap));
    }
}
