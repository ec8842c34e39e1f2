//! Tools that are built in, and what every tool is to those that run it.
//!
//! Architecture invariant: decides no permission. A tool says what a call would do ([`Tool::plan`]) before it does it.

mod arguments;
mod error;
mod fetch;
mod files;
mod folder_text;
mod observations;
mod safe_path;
pub mod shell;
mod source_tool;
mod talk;
mod tool;
pub mod undo;

use std::path::PathBuf;
use std::sync::Arc;

use file_text as text;
use net_guard::Allow;

/// What a model is shown of a result at once, in bytes; tools that can give a result in parts end a part before that.
pub const MAX_SHOWN_BYTES: usize = 30_000;

pub use confinement as confine;
pub use documents::worker::Reader as DocumentReader;

pub use error::{Kind, ToolError};
pub use fetch::FetchedPages;
pub use tool::{CallContext, Media, Outcome, PlannedOperation, Progress, Run, Tool, ToolInfo};

pub use files::Hidden;
pub use folder_text::{FolderText, text_inside};
pub use source_tool::{Caller, media_of, name_of, of_source, shown_text};
pub use talk::call_model::Asker;
pub use talk::plan::keep_plan;

use crate::files::{Files, Scope};
use crate::observations::PlanObservations;

/// What the built-in tools need of the program around them.
#[derive(Clone, Default)]
pub struct Parts {
    /// Hosts besides those of the public internet that [`fetch`](of_conversation) may reach.
    pub allow: Allow,
    /// Files that must not be read by the person's rules; `None`: none.
    pub hidden: Option<Hidden>,
    /// Reads PDF, Office and EPUB files as text, in processes of their own; `None`: `read` shows PDF files as they are
    /// and refuses the others.
    pub reader: Option<Arc<DocumentReader>>,
    /// Asks models for `call_model`; `None`: there is no such tool.
    pub asker: Option<Arc<dyn Asker>>,
    /// Pages that [`fetch`](of_conversation) gives without asking for them again; `None`: it always asks.
    pub pages: Option<FetchedPages>,
}

/// All tools that are built in but those of the shell.
pub fn built_in(parts: &Parts) -> Vec<Arc<dyn Tool>> {
    let mut tools = of_files(parts);
    tools.extend(of_conversation(parts));
    tools
}

/// Tools over the files in a session's folders: `read`, `list`, `search`, `write`, `edit`, `patch`.
pub fn of_files(parts: &Parts) -> Vec<Arc<dyn Tool>> {
    let files = Files {
        scope: Scope::Session,
        seen: Arc::new(PlanObservations::default()),
        hidden: parts.hidden.clone(),
        reader: parts.reader.clone(),
    };
    let mut tools = of_reading(&files);
    tools.push(Arc::new(files::write::Write::new(files.clone())));
    tools.push(Arc::new(files::edit::Edit::new(files.clone())));
    tools.push(Arc::new(files::patch::Patch::new(files)));
    tools
}

/// Tools that need no folder: `fetch`, `ask`, `plan`, `tasks`, `result` and, with an asker, `call_model`.
pub fn of_conversation(parts: &Parts) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(fetch::Fetch::new(parts.allow.clone(), parts.pages.clone())),
        Arc::new(talk::ask::Ask::new()),
        Arc::new(talk::plan::Plan::new()),
        Arc::new(talk::tasks::Tasks::new()),
        Arc::new(talk::result::Stored::new()),
    ];
    if let Some(asker) = &parts.asker {
        tools.push(Arc::new(talk::call_model::CallModel::new(Arc::clone(asker))));
    }
    tools
}

/// Tools that read one folder, as those of a source: `<slug>__read`, `<slug>__list`, `<slug>__search`.
pub fn of_folder(slug: &str, folder: PathBuf, trusted: bool, hidden: Option<Hidden>) -> Vec<Arc<dyn Tool>> {
    let scope = Scope::Folder { slug: slug.to_owned(), folder, trusted };
    of_reading(&Files { scope, seen: Arc::new(PlanObservations::default()), hidden, reader: None })
}

fn of_reading(files: &Files) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(files::read::Read::new(files.clone())),
        Arc::new(files::list::List::new(files.clone())),
        Arc::new(files::search::Search::new(files.clone())),
    ]
}
