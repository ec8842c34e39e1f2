//! What the commands of export, import and sharing take.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::terminal::JSON;

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// With --format: ids of sessions, or with `docx`, `pdf`, `html` and `markdown` a run (`last` for the newest), whose document is
    /// written. With `xlsx` and `csv`: a run, whose statements and tables are written for a spreadsheet. Without --format: a run, whose own files are written again.
    pub what: Vec<String>,
    /// All sessions of the workspace, those in the archive too.
    #[arg(long)]
    pub all: bool,
    /// Sessions that match a search line, such as `is:flagged label:bug`.
    #[arg(long, value_name = "LINE")]
    pub search: Option<String>,
    /// In which form sessions are written, or the document of a run.
    #[arg(long, value_name = "FORM")]
    pub format: Option<Form>,
    /// Whether what looks like a secret or names a person is taken out: all of it (the default), nothing, or what you are
    /// asked for. Nothing can be taken out of a bundle, nor of the document of a run.
    #[arg(long, value_name = "WHAT")]
    pub redact: Option<Redact>,
    /// The file, or with several sessions the folder.
    #[arg(long, short = 'o', value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// With a bundle: the workspace's own files, too.
    #[arg(long)]
    pub workspace_files: bool,
    /// Do not check statements against their sources again; the files then say so.
    #[arg(long)]
    pub unchecked: bool,
    /// With `docx`: the run with the version before; the document then shows what changed since as tracked changes.
    #[arg(long, value_name = "RUN")]
    pub changes_from: Option<String>,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// In which form sessions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // named by the words themselves
pub enum Form {
    Jsonl,
    Markdown,
    Html,
    Docx,
    Pdf,
    Csv,
    Xlsx,
    Bundle,
}

/// What is taken out of what leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Redact {
    /// Everything that was found.
    All,
    /// Nothing.
    None,
    /// What you confirm: you are asked about each finding.
    Ask,
}

/// `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A bundle, a session that was exported as JSONL, Craft Agent's folder, an export of ChatGPT or Claude, or the folder of Claude
    /// Code or Codex. Without it: the folders of these programs on this machine.
    pub path: Option<PathBuf>,
    /// List what would be imported, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask before it begins.
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// Only this one of its workspaces or projects; can be given several times.
    #[arg(long = "from-workspace", value_name = "FOLDER")]
    pub workspaces: Vec<String>,
    /// Only sessions, no files of the workspace.
    #[arg(long)]
    pub sessions_only: bool,
    /// Put secrets that stand in plain text into the vault.
    #[arg(long)]
    pub take_secrets: bool,
    /// Let agents, sources, skills and themes take the place of built-in ones of the same name.
    #[arg(long)]
    pub replace: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `share`.
#[derive(Debug, Subcommand)]
pub enum ShareCommand {
    /// Make a page of a session that others may read while `serve --share` runs.
    Add {
        /// The session.
        session: String,
        /// How long it can be read, in days, such as `7d`.
        #[arg(long, value_name = "DAYS", default_value = "7d")]
        expires: String,
        /// A finding to keep in the page: its id, as `export --redact ask` shows it; can be given several times.
        #[arg(long, value_name = "ID")]
        keep: Vec<String>,
        /// The share whose page is made again.
        #[arg(long, value_name = "ID")]
        replace: Option<String>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// List shares, newest first.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// End a share; its page is removed.
    Revoke {
        /// The id of the shared page.
        id: String,
    },
}
