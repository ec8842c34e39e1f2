//! `manuscript`: the checks of long documents, from files, and such a document for Word or as PDF.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use docx::MarkdownOptions;
use domain::{ErrorCode, Problem};
use manuscript::chain::{ChainError, Change};
use manuscript::{CheckName, CheckReport, ExitCode, Part, Rubric, diff};
use serde::de::DeserializeOwned;
use serde_json::Value;
use support::{Readers, refuse_existing, replace_file};

use crate::outcome::Outcome;
use crate::terminal::{json_line, printable};

/// The largest input that is read, in bytes.
const MAX_INPUT_BYTES: u64 = 256 << 20;

/// `manuscript`.
#[derive(Debug, Subcommand)]
pub enum ManuscriptCommand {
    /// List the checks.
    List,
    /// Print the JSON Schema of what a check takes; without a check that of a whole rubric.
    Schema {
        /// The check.
        check: Option<CheckName>,
    },
    /// Carry a check out and print its report as JSON. Exits with 0 where nothing blocks, with 1 where something does, with 2
    /// where the input is refused.
    Check {
        /// The check.
        check: CheckName,
        /// A file with what it takes, a JSON object (`-` for standard input).
        input: PathBuf,
        /// Write what it gives into this folder, under the file's usual name.
        #[arg(long, short, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
    /// List the checks that a change of a document runs again, in their order.
    Reruns {
        /// What changed: content_changed, citations_remediated, fact_conflict_resolved or risk_table_updated.
        #[arg(value_parser = change)]
        change: Change,
        /// A file with a rubric whose chain is used.
        #[arg(long, value_name = "FILE")]
        rubric: Option<PathBuf>,
    },
    /// Count the words that were added and removed between two versions of a document, part by part, as JSON.
    Diff {
        /// A file with the old parts, a JSON list.
        old: PathBuf,
        /// A file with the new ones.
        new: PathBuf,
    },
    /// Write a Markdown document for Word, or as PDF if the file to write ends in `.pdf`; `[^label]` becomes a footnote. The same
    /// text gives the same bytes.
    Word {
        /// The Markdown file.
        markdown: PathBuf,
        /// The file to write; one that is there is not written over.
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
        /// The title of the document; default: the heading with which the text begins.
        #[arg(long)]
        title: Option<String>,
        /// The Markdown file of the version before; what changed since is shown as tracked changes of Word.
        #[arg(long, value_name = "FILE")]
        changes_from: Option<PathBuf>,
    },
}

fn change(name: &str) -> Result<Change, serde_json::Error> {
    serde_json::from_value(name.into())
}

/// `manuscript`.
pub fn manuscript(command: &ManuscriptCommand) -> Result<Outcome, Problem> {
    match command {
        ManuscriptCommand::List => {
            for check in CheckName::ALL {
                println!("{:<24} {}", check.as_str(), check.description());
            }
            Ok(Outcome::Done)
        }
        ManuscriptCommand::Schema { check } => {
            let schema = check.map_or_else(|| schemars::schema_for!(Rubric), CheckName::input_schema);
            println!("{:#}", schema.as_value());
            Ok(Outcome::Done)
        }
        ManuscriptCommand::Reruns { change, rubric } => {
            let rubric: Rubric = rubric.as_deref().map(parsed).transpose()?.unwrap_or_default();
            let refused = |error: ChainError| Problem::new(ErrorCode::InvalidInput, error.to_string());
            rubric.chain.validate().map_err(refused)?;
            rubric.chain.reruns(*change).iter().for_each(|check| println!("{check}"));
            Ok(Outcome::Done)
        }
        ManuscriptCommand::Diff { old, new } => {
            let (old, new): (Vec<Part>, Vec<Part>) = (parsed(old)?, parsed(new)?);
            diff::diff(&old, &new).iter().for_each(|part| println!("{}", json_line(part)));
            Ok(Outcome::Done)
        }
        ManuscriptCommand::Word { markdown, output, title, changes_from } => {
            refuse_existing(output)?;
            let is_pdf = output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"));
            if is_pdf && changes_from.is_some() {
                return Err(Problem::new(ErrorCode::InvalidInput, "a PDF shows no tracked changes")
                    .with_action("write a .docx file"));
            }
            let options = MarkdownOptions { title: title.clone(), ..MarkdownOptions::default() };
            let mut document = docx::from_markdown(&text_of(markdown)?, &options);
            if let Some(before) = changes_from {
                document = answers::revised(&docx::from_markdown(&text_of(before)?, &options), &document);
            }
            let written = if is_pdf {
                pdf::write(&document).map_err(|error| error.to_string())
            } else {
                docx::write(&document).map_err(|error| error.to_string())
            };
            let bytes = written.map_err(|error| Problem::new(ErrorCode::InvalidInput, error))?;
            let failed = |error: std::io::Error| {
                Problem::new(ErrorCode::Storage, format!("{}: {error}", output.display()))
            };
            replace_file(output, &bytes, Readers::Default).map_err(failed)?;
            println!("{}", printable(&output.display().to_string()));
            Ok(Outcome::Done)
        }
        ManuscriptCommand::Check { check, input, output } => {
            let report = manuscript::run(*check, &read(input)?);
            println!("{}", json_line(&report));
            if let Some(folder) = output.as_deref().filter(|_| report.exit_code != ExitCode::Error) {
                write(&report, folder)?;
            }
            Ok(match report.exit_code {
                ExitCode::Pass => Outcome::Done,
                ExitCode::Findings => Outcome::Failed,
                ExitCode::Error => Outcome::Usage,
            })
        }
    }
}

fn bad(path: &Path, error: impl std::fmt::Display) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display()))
}

/// What a file says, as JSON of a type.
fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, Problem> {
    serde_json::from_str(&text_of(path)?).map_err(|error| bad(path, error))
}

/// What a check is given.
fn read(path: &Path) -> Result<Value, Problem> {
    serde_json::from_str(&text_of(path)?).map_err(|error| {
        bad(path, format!("not JSON: {error}")).with_action(
            "give a JSON object; `agentnative manuscript schema <check>` prints what a check takes",
        )
    })
}

/// The text of a file, or of standard input.
fn text_of(path: &Path) -> Result<String, Problem> {
    let text = if path == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        let size = std::fs::metadata(path).map_err(|error| bad(path, error))?.len();
        if size > MAX_INPUT_BYTES {
            return Err(bad(path, format!("{size} bytes; at most {MAX_INPUT_BYTES} are read")));
        }
        std::fs::read_to_string(path)
    };
    text.map_err(|error| bad(path, error))
}

/// Writes what a check gave, a text as it is, anything else as JSON.
fn write(report: &CheckReport, folder: &Path) -> Result<(), Problem> {
    let Some(name) = &report.file_name else {
        eprintln!("{} gives no file", report.check);
        return Ok(());
    };
    let failed =
        |error: std::io::Error| Problem::new(ErrorCode::Storage, format!("{}: {error}", folder.display()));
    let plain = Path::new(name).file_name().filter(|plain| *plain == name.as_str());
    let name = plain
        .ok_or_else(|| Problem::new(ErrorCode::InvalidInput, format!("{name:?} is no name of a file")))?;
    let text = match &report.output {
        Value::String(text) => text.clone(),
        value => format!("{value:#}\n"),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let path = folder.join(name);
    replace_file(&path, text.as_bytes(), Readers::Default).map_err(failed)?;
    eprintln!("written to {}", printable(&path.display().to_string()));
    Ok(())
}
