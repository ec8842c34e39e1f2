//! Rule files: the shipped one, the person's, those of sources and of sessions.

use std::path::Path;
use std::sync::LazyLock;

use permissions::{Fault, Layer, RuleFile, RuleSet};

use crate::folder::{Fault as Unreadable, Folder};
use crate::json::{self, Quote};
use crate::open::Workspace;
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas;

/// The name of a rule file in each of its places.
pub const RULES: &str = "permissions.json";

/// A rule file and what it says.
#[derive(Debug, Clone)]
pub struct RuleEntry {
    /// Whose it is.
    pub layer: Layer,
    /// The file: a path on disk, or one like `sources/permissions.json` for what is shipped.
    pub file: String,
    /// Its rules, or all that is wrong with it.
    pub rules: Result<RuleSet, Vec<ConfigProblem>>,
}

impl Workspace {
    /// The rules that come with the program.
    pub fn shipped_rules(&self) -> RuleEntry {
        static SHIPPED: LazyLock<RuleEntry> = LazyLock::new(|| {
            let folder = Folder::Shipped("sources".to_owned());
            let read = entry(&folder, Layer::App);
            // It is embedded, so it is there; a test reads it.
            read.unwrap_or_else(|| RuleEntry {
                layer: Layer::App,
                file: folder.label(RULES),
                rules: Err(Vec::new()),
            })
        });
        SHIPPED.clone()
    }

    /// The rules for all sessions; `None`: there is no such file.
    pub fn own_rules(&self) -> Option<RuleEntry> {
        entry(&Folder::Disk(self.root().to_owned()), Layer::Workspace)
    }

    /// A source's own rules; `None`: it has none.
    pub fn source_rules(&self, slug: &str) -> Option<RuleEntry> {
        if !self.source_slugs().contains(slug) {
            return None;
        }
        entry(&self.place("sources", slug).0, Layer::Source(slug.to_owned()))
    }

    /// Every source's own rules, sorted by slug.
    pub fn all_source_rules(&self) -> Vec<RuleEntry> {
        self.source_slugs().iter().filter_map(|slug| self.source_rules(slug)).collect()
    }
}

/// The rules in a session's folder; `None`: it has none.
pub fn session_rules(folder: &Path) -> Option<RuleEntry> {
    entry(&Folder::Disk(folder.to_owned()), Layer::Session)
}

/// Reads the text of a rule file; `file` is its name in problems.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_rules(file: &str, text: &str, layer: Layer) -> Result<RuleSet, Vec<ConfigProblem>> {
    let clipped =
        |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect::<Vec<_>>();
    let (_, rules) =
        json::read::<RuleFile>(file, text, &schemas::PERMISSIONS, Quote::Values).map_err(clipped)?;
    RuleSet::compile(layer, &rules).map_err(|faults| {
        let problem = |fault: Fault| {
            let mut problem = ConfigProblem::new(file, fault.pointer, fault.expected, fault.found);
            problem.line = json::line_of(text, &problem.pointer);
            problem.clipped()
        };
        faults.into_iter().take(MAX_PROBLEMS).map(problem).collect()
    })
}

fn entry(folder: &Folder, layer: Layer) -> Option<RuleEntry> {
    let file = folder.label(RULES);
    let rules = match folder.text(RULES) {
        Ok(text) => parse_rules(&file, &text, layer.clone()),
        Err(Unreadable::Missing) => return None,
        Err(fault) => Err(vec![fault.problem(&file, "")]),
    };
    Some(RuleEntry { layer, file, rules })
}
