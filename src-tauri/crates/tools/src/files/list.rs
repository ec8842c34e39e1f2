//! `list`: what is in a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use domain::{CallEffect, Preview};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Files, failed, stopped};
use crate::arguments::{self, Effect, blocking, info};
use crate::safe_path::walk::{Entry, Sort, Walk, WalkControl, globs, walk};
use crate::safe_path::{Roots, SafePath, quoted};
use crate::text::{count, size};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Folders deep that are shown unless another number is asked for.
const DEPTH: usize = 2;
/// Entries that are given.
const ENTRIES: usize = 1_000;
/// The most text that is given, in bytes.
const MAX_TEXT_BYTES: usize = crate::MAX_SHOWN_BYTES - 2_000;
/// Entries that are looked at.
const LOOKED_AT: usize = 200_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default = "current_folder")]
    path: String,
    #[serde(default)]
    depth: Option<usize>,
    #[serde(default)]
    glob: Patterns,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    ignored: bool,
}

/// The folder where paths begin.
pub(crate) fn current_folder() -> String {
    ".".to_owned()
}

/// One pattern of names or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Patterns {
    One(String),
    Several(Vec<String>),
}

impl Default for Patterns {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl Patterns {
    /// All of them; an empty one is none.
    pub(crate) fn all(self) -> Vec<String> {
        let all = match self {
            Self::One(one) => vec![one],
            Self::Several(several) => several,
        };
        all.into_iter().filter(|pattern| !pattern.trim().is_empty()).collect()
    }
}

/// The schema of patterns.
pub(crate) fn patterns_schema() -> Value {
    json!({
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
        "description": "Patterns of names, as in .gitignore: `*.rs`, `src/**/*.ts`; with `!` before it: without these.",
    })
}

/// The tool.
pub(crate) struct List {
    info: ToolInfo,
    files: Files,
}

impl List {
    pub(crate) fn new(files: Files) -> Self {
        let info = info(
            "list",
            "List a folder",
            "Lists what is in a folder, as a tree with the sizes of files. With glob it finds files by their names, in \
             all folders below. What .gitignore names and names that begin with a dot are left out unless they are \
             asked for.",
            Effect::Reads,
            30,
            json!({
                "path": {"type": "string", "description": "The folder. Default: the first one."},
                "depth": {"type": "integer", "minimum": 1, "description": "How many folders deep. Default: 2; with glob: all."},
                "glob": patterns_schema(),
                "hidden": {"type": "boolean", "description": "Also names that begin with a dot."},
                "ignored": {"type": "boolean", "description": "Also what .gitignore names."},
            }),
            &[],
        );
        Self { info: files.named(info), files }
    }
}

#[async_trait]
impl Tool for List {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let Arguments { path, .. } = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let (roots, place) = files.existing(&at, &path)?;
            files.seen.note(&at, vec![(place.path(), None)]);
            Ok(PlannedOperation {
                effect: CallEffect::Read { path: place.text() },
                intent: format!("List {}", roots.shown(&place)),
                preview: Preview::None,
            })
        })
        .await
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let (roots, place) = files.existing(&at, &arguments.path)?;
            files.seen.check(&at, &[(place.path(), None)])?;
            let shown = roots.shown(&place);
            let metadata = place.metadata().map_err(|error| failed("list", &shown, &error))?;
            if !metadata.is_dir() {
                return Err(ToolError::new(Kind::Arguments, format!("{} is a file", quoted(&shown)))
                    .with_guidance("Use `read` for a file."));
            }
            list(&files, &at, &roots, &place, &shown, arguments, &run)
        })
        .await
    }
}

struct Row {
    sort: Sort,
    depth: usize,
    size: Option<u64>,
}

fn list(
    files: &Files,
    at: &CallContext,
    roots: &Roots,
    place: &SafePath,
    shown: &str,
    arguments: Arguments,
    run: &Run,
) -> Result<Outcome, ToolError> {
    let root = place.path();
    let patterns = arguments.glob.all();
    let by_name = !patterns.is_empty();
    let all = if by_name { usize::MAX } else { DEPTH };
    let what = Walk {
        hidden: arguments.hidden,
        ignored: arguments.ignored,
        depth: arguments.depth.unwrap_or(all).max(1),
        globs: globs(&root, &patterns)?,
    };
    let mut rows: BTreeMap<PathBuf, Row> = BTreeMap::new();
    let mut more = false;
    let found = parking_lot::Mutex::new((&mut rows, &mut more));
    walk(place, &what, 1, &run.cancel, || {
        |entry: &Entry| {
            let mut found = found.lock();
            if files.is_hidden(at, &root.join(&entry.inside)) {
                return WalkControl::Past;
            }
            if found.0.len() >= LOOKED_AT {
                *found.1 = true;
                return WalkControl::Stop;
            }
            let wanted = !by_name || entry.sort != Sort::Folder;
            if wanted {
                let size = (entry.sort == Sort::File).then(|| entry.size()).flatten();
                found.0.insert(entry.inside.clone(), Row { sort: entry.sort, depth: entry.depth, size });
            }
            WalkControl::On
        }
    })
    .map_err(|error| failed("list", shown, &error))?;
    if run.cancel.is_cancelled() {
        return Err(stopped());
    }
    let named = |inside: &Path| roots.shown(&place.below(inside));
    Ok(if by_name { flat(&rows, more, named) } else { tree(&rows, shown, more, named) })
}

/// The rows that are given, as data.
fn data<'a>(
    rows: impl Iterator<Item = (&'a PathBuf, &'a Row)>,
    all: usize,
    more: bool,
    named: impl Fn(&Path) -> String,
) -> Value {
    let entries: Vec<Value> = rows
        .map(|(inside, row)| {
            let kind = match row.sort {
                Sort::Folder => "folder",
                Sort::File => "file",
                Sort::Link => "link",
                Sort::Other => "other",
            };
            json!({ "path": named(inside), "kind": kind, "bytes": row.size })
        })
        .collect();
    let more = more || entries.len() < all;
    json!({ "entries": entries, "more": more })
}

fn flat(rows: &BTreeMap<PathBuf, Row>, more: bool, named: impl Fn(&Path) -> String) -> Outcome {
    let mut text = String::new();
    let mut given = 0;
    for (path, row) in rows.iter().take(ENTRIES) {
        if text.len() > MAX_TEXT_BYTES {
            break;
        }
        text.push_str(&line(&path.display().to_string(), row));
        text.push('\n');
        given += 1;
    }
    if rows.is_empty() {
        text.push_str("(No file has such a name. What .gitignore names and names with a dot are left out unless asked for.)");
    } else if rows.len() > given || more {
        let at_least = if more { "at least " } else { "" };
        text.push_str(&format!(
            "({given} of {at_least}{}; name a narrower pattern.)",
            count(rows.len(), "file")
        ));
    }
    let data = data(rows.iter().take(ENTRIES), rows.len(), more, named);
    Outcome { data: Some(data), ..Outcome::text(text.trim_end(), count(rows.len(), "file")) }
}

fn tree(rows: &BTreeMap<PathBuf, Row>, shown: &str, more: bool, named: impl Fn(&Path) -> String) -> Outcome {
    // As deep as all of it fits; of the folder itself as much as fits.
    let mut levels: BTreeMap<usize, usize> = BTreeMap::new();
    for row in rows.values() {
        *levels.entry(row.depth).or_default() += 1;
    }
    let mut deepest = 1;
    let mut sum = 0;
    for (depth, number) in &levels {
        sum += number;
        if sum <= ENTRIES {
            deepest = *depth;
        }
    }
    let mut text = format!("{}/\n", shown.trim_end_matches('/'));
    let mut given = 0;
    let shown_rows = || rows.iter().filter(|(_, row)| row.depth <= deepest).take(ENTRIES);
    for (path, row) in shown_rows() {
        if text.len() > MAX_TEXT_BYTES {
            break;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        text.push_str(&"  ".repeat(row.depth));
        text.push_str(&line(&name, row));
        text.push('\n');
        given += 1;
    }
    if rows.is_empty() {
        text.push_str(
            "(Nothing is in it but, it may be, what .gitignore names and names that begin with a dot.)",
        );
    } else if given < rows.len() || more {
        let at_least = if more { "at least " } else { "" };
        text.push_str(&format!(
            "({given} of {at_least}{}, {} deep; list one of the folders, or use glob.)",
            count(rows.len(), "entry"),
            count(deepest, "folder")
        ));
    }
    let data = data(shown_rows(), rows.len(), more, named);
    Outcome { data: Some(data), ..Outcome::text(text.trim_end(), count(rows.len(), "entry")) }
}

fn line(name: &str, row: &Row) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    match row.sort {
        Sort::Folder => format!("{name}/"),
        Sort::File => match row.size {
            Some(bytes) => format!("{name}  {}", size(bytes)),
            None => name,
        },
        Sort::Link => format!("{name}  (a link)"),
        Sort::Other => format!("{name}  (no file)"),
    }
}
