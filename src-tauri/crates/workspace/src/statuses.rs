//! `statuses/config.json` of a workspace.

use std::path::Path;

use organise::{Fault, StatusList};
use serde::Serialize;

use crate::folder::{Fault as Unreadable, Folder};
use crate::json::{self, Quote};
use crate::open::Workspace;
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas;

const FILE: &str = "config.json";

/// What a file says, and what is odd in it and does no harm.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedList<T> {
    /// What it says.
    pub list: T,
    /// Fields that are not known (they are kept) and words that mean nothing.
    pub odd: Vec<ConfigProblem>,
}

impl Workspace {
    /// The workspace's statuses; `None`: there is no such file, so the shipped ones count.
    ///
    /// # Errors
    /// All that is wrong with the file.
    pub fn statuses(&self) -> Result<Option<CheckedList<StatusList>>, Vec<ConfigProblem>> {
        read(&Folder::Disk(self.root().join("statuses")), FILE, parse_statuses)
    }
}

/// Reads the text of such a file; `file` is its name in problems.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_statuses(file: &str, text: &str) -> Result<CheckedList<StatusList>, Vec<ConfigProblem>> {
    let clipped =
        |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect::<Vec<_>>();
    let (_, list) =
        json::read::<StatusList>(file, text, &schemas::STATUSES, Quote::Values).map_err(clipped)?;
    checked(file, text, list, StatusList::faults, StatusList::oddities)
}

/// The text of the file, with all that the program does not know of.
pub fn statuses_text(list: &StatusList) -> String {
    text_of(list)
}

/// Reads a file with its parser; `None` where there is none.
pub(crate) fn read<T>(
    folder: &Folder,
    name: &str,
    parse: impl FnOnce(&str, &str) -> Result<CheckedList<T>, Vec<ConfigProblem>>,
) -> Result<Option<CheckedList<T>>, Vec<ConfigProblem>> {
    text_in(folder, name)?.map(|(file, text)| parse(&file, &text)).transpose()
}

/// A file's name in problems and its text; `None` where there is none.
pub(crate) fn text_in(folder: &Folder, name: &str) -> Result<Option<(String, String)>, Vec<ConfigProblem>> {
    let file = folder.label(name);
    match folder.text(name) {
        Ok(text) => Ok(Some((file, text))),
        Err(Unreadable::Missing) => Ok(None),
        Err(fault) => Err(vec![fault.problem(&file, "")]),
    }
}

/// The text of a file that a person edits, as every reader here takes it: at most 1 MiB of UTF-8, never through a link
/// that leads out of its folder. With it its name in problems; `None` where there is none.
///
/// # Errors
/// Why it can't be read.
pub fn file_text(path: &Path) -> Result<Option<(String, String)>, Vec<ConfigProblem>> {
    let folder = path.parent().unwrap_or(path).to_owned();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    text_in(&Folder::Disk(folder), &name)
}

/// A list without faults, with what is odd in it.
pub(crate) fn checked<T>(
    file: &str,
    text: &str,
    list: T,
    faults: fn(&T) -> Vec<Fault>,
    oddities: fn(&T) -> Vec<Fault>,
) -> Result<CheckedList<T>, Vec<ConfigProblem>> {
    let wrong = placed(file, text, "", faults(&list));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let odd = placed(file, text, "", oddities(&list));
    Ok(CheckedList { list, odd })
}

/// Faults as problems of a file, with their lines; `base` is the pointer of what they are about.
pub(crate) fn placed(file: &str, text: &str, base: &str, faults: Vec<Fault>) -> Vec<ConfigProblem> {
    let problem = |fault: Fault| {
        let pointer = format!("{base}{}", fault.pointer);
        let mut problem = ConfigProblem::new(file, pointer, fault.expected, fault.found);
        problem.line = json::line_of(text, &problem.pointer);
        problem.remedy = fault.remedy;
        problem.clipped()
    };
    faults.into_iter().take(MAX_PROBLEMS).map(problem).collect()
}

pub(crate) fn text_of(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
