//! `views.json` of a workspace.

use organise::{Fault, MAX_VIEWS, View, ViewEntry, ViewList};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::folder::Folder;
use crate::json::{self, Quote};
use crate::open::Workspace;
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas;
use crate::statuses::{CheckedList, placed, read, text_of};

const FILE: &str = "views.json";
/// The version that this program reads and writes.
const VERSION: u64 = 1;

/// The whole of `views.json`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ViewsFile {
    /// The form of this file: 1.
    pub version: u32,
    /// The views, in the order in which they are shown.
    pub views: Vec<View>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Workspace {
    /// The workspace's views; `None`: there is no such file, so the shipped ones count. A broken view is an entry of the
    /// list.
    ///
    /// # Errors
    /// What is wrong with the file as a whole.
    pub fn views(&self) -> Result<Option<CheckedList<ViewList>>, Vec<ConfigProblem>> {
        read(&Folder::Disk(self.root().to_owned()), FILE, parse_views)
    }
}

/// Reads the text of such a file; `file` is its name in problems.
///
/// # Errors
/// What is wrong with it as a whole.
pub fn parse_views(file: &str, text: &str) -> Result<CheckedList<ViewList>, Vec<ConfigProblem>> {
    let value = json::parse(file, text)?;
    let mut problems = json::repeated_names(file, text);
    let Value::Object(mut fields) = value else {
        return Err(vec![ConfigProblem::new(file, "", "an object", json::describe(&value)).clipped()]);
    };
    match fields.remove("version") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(other) => {
            problems.push(ConfigProblem::new(file, "/version", VERSION.to_string(), json::describe(&other)));
        }
        None => problems.push(ConfigProblem::new(file, "", "the field `version` (1)", "no such field")),
    }
    let views = match fields.remove("views") {
        Some(Value::Array(views)) if views.len() <= MAX_VIEWS => views,
        Some(Value::Array(views)) => {
            let found = format!("{} views", views.len());
            problems.push(ConfigProblem::new(file, "/views", format!("at most {MAX_VIEWS}"), found));
            Vec::new()
        }
        Some(other) => {
            problems.push(ConfigProblem::new(file, "/views", "a list", json::describe(&other)));
            Vec::new()
        }
        None => {
            problems.push(ConfigProblem::new(file, "", "the field `views` (a list)", "no such field"));
            Vec::new()
        }
    };
    if !problems.is_empty() {
        for problem in &mut problems {
            problem.line = problem.line.or_else(|| json::line_of(text, &problem.pointer));
        }
        return Err(problems.into_iter().map(ConfigProblem::clipped).collect());
    }
    let mut odd: Vec<ConfigProblem> = fields
        .keys()
        .filter(|name| *name != "$schema")
        .map(|name| {
            let pointer = json::child("", name);
            let problem =
                ConfigProblem::new(file, pointer, "`version` and `views`", "an unknown field, which is kept");
            let line = json::line_of(text, &problem.pointer).unwrap_or_default();
            problem.on_line(line).clipped()
        })
        .collect();
    let mut entries = Vec::new();
    for (place, raw) in views.into_iter().enumerate() {
        let entry = entry(place, raw);
        if let Ok(view) = &entry.view {
            odd.extend(placed(file, text, &format!("/views/{place}"), view.oddities()));
        }
        entries.push(entry);
    }
    odd.truncate(MAX_PROBLEMS);
    Ok(CheckedList { list: ViewList::new(entries, fields), odd })
}

/// What is wrong with the entries of a list, with places in the file; expressions have places of their own.
pub fn view_problems(file: &str, text: &str, list: &ViewList) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for (place, entry) in list.views.iter().enumerate() {
        let base = format!("/views/{place}");
        match (&entry.view, &entry.expression) {
            (Err(faults), _) => problems.extend(placed(file, text, &base, faults.clone())),
            (Ok(_), Err(mistakes)) => {
                let pointer = format!("{base}/expression");
                let line = json::line_of(text, &pointer).unwrap_or_default();
                problems.extend(mistakes.iter().map(|mistake| {
                    let mut problem =
                        ConfigProblem::new(file, &pointer, "an expression", mistake.message.clone());
                    problem.remedy = mistake.hint.clone();
                    problem.on_line(line).clipped()
                }));
            }
            (Ok(_), Ok(_)) => {}
        }
    }
    problems.truncate(MAX_PROBLEMS);
    problems
}

/// The text of the file, with broken views and all that the program does not know of.
pub fn views_text(list: &ViewList) -> String {
    text_of(&list.to_value())
}

fn entry(place: usize, raw: Value) -> ViewEntry {
    let problems = json::check(FILE, &raw, &schemas::VIEW, Quote::Values);
    if !problems.is_empty() {
        let fault = |problem: ConfigProblem| {
            let ConfigProblem { pointer, expected, found, remedy, .. } = problem.clipped();
            Fault { pointer, expected, found, remedy }
        };
        return ViewEntry::broken(place, raw, problems.into_iter().map(fault).collect());
    }
    match serde_json::from_value::<View>(raw.clone()) {
        Ok(view) => ViewEntry::new(raw, view),
        Err(error) => {
            let found = error.to_string();
            let fault = Fault { pointer: String::new(), expected: "a view".to_owned(), found, remedy: None };
            ViewEntry::broken(place, raw, vec![fault])
        }
    }
}
