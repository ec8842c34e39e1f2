//! `manuscript`: the checks of long documents, from files.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use domain::{ErrorCode, Problem};
use manuscript::{CheckName, CheckReport, ExitCode};
use serde_json::Value;
use support::{Readers, replace_file};

use crate::outcome::Outcome;
use crate::terminal::{json_line, printable};

/// The largest input that is read, in bytes.
const MAX_INPUT_BYTES: u64 = 256 << 20;

/// `manuscript`.
#[derive(Debug, Subcommand)]
pub enum ManuscriptCommand {
    /// List the checks.
    List,
    /// Print the JSON Schema of what a check takes.
    Schema {
        /// The check.
        check: CheckName,
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
            println!("{:#}", check.input_schema().as_value());
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

fn read(path: &Path) -> Result<Value, Problem> {
    let bad = |error: String| {
        Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display())).with_action(
            "give a JSON object; `agentnative manuscript schema <check>` prints what a check takes",
        )
    };
    let text = if path == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        let size = std::fs::metadata(path).map_err(|error| bad(error.to_string()))?.len();
        if size > MAX_INPUT_BYTES {
            return Err(bad(format!("{size} bytes; at most {MAX_INPUT_BYTES} are read")));
        }
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| bad(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| bad(format!("not JSON: {error}")))
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
