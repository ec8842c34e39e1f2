//! `labels/config.json` of a workspace.

use organise::LabelList;

use crate::folder::Folder;
use crate::json::{self, Quote};
use crate::open::Workspace;
use crate::problem::ConfigProblem;
use crate::schemas;
use crate::statuses::{CheckedList, checked, read, text_of};

const FILE: &str = "config.json";

impl Workspace {
    /// The workspace's labels; `None`: there is no such file, so the shipped ones count.
    ///
    /// # Errors
    /// All that is wrong with the file.
    pub fn labels(&self) -> Result<Option<CheckedList<LabelList>>, Vec<ConfigProblem>> {
        read(&Folder::Disk(self.root().join("labels")), FILE, parse_labels)
    }
}

/// Reads the text of such a file; `file` is its name in problems.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_labels(file: &str, text: &str) -> Result<CheckedList<LabelList>, Vec<ConfigProblem>> {
    let clipped =
        |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect::<Vec<_>>();
    let (_, list) = json::read::<LabelList>(file, text, &schemas::LABELS, Quote::Values).map_err(clipped)?;
    checked(file, text, list, LabelList::faults, LabelList::oddities)
}

/// The text of the file, with all that the program does not know of.
pub fn labels_text(list: &LabelList) -> String {
    text_of(list)
}
