//! Rule sets: how documents of one kind number, name and cite their paragraphs. They are data: those that ship stand
//! in `sources/knowledge-base/rules`, a person's own in `<home>/rules`.

pub(crate) mod compiled;
mod detect;
mod error;
pub(crate) mod items;
pub(crate) mod references;
mod set;
pub(crate) mod template;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};

pub(crate) use compiled::Compiled;
pub(crate) use detect::{Detected, detect};
pub use error::RuleError;
pub use set::{
    Conditions, Growth, HeadingRule, ItemRule, ItemsAre, Join, NumberRule, ReferenceRule, RuleSet, Sign,
    SignPlace, TermRule, schema,
};

/// The set that is taken when no other fits: numbered sections of any manual.
pub(crate) const GENERAL: &str = "numbered-manual";

macro_rules! shipped {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../../../sources/knowledge-base/rules/", $name, ".json")))),*]
    };
}

const SHIPPED: [(&str, &str); 7] =
    shipped!["isa", "nist", "cfr", "eu-law", "rfc", "numbered-manual", "plain"];
/// Most rule files of a person.
const MAX_FILES: usize = 100;

/// The rule sets at hand, compiled.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    sets: Vec<Arc<Compiled>>,
}

impl Rules {
    /// Those that ship and those below `<home>/rules`, the latter in the order of their files' names.
    pub(crate) fn load(home: &Path) -> Result<Self, RuleError> {
        let mut sets = shipped()?.to_vec();
        let folder = home.join("rules");
        let mut files: Vec<_> = match fs::read_dir(&folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => Vec::new(),
        };
        files.retain(|path| path.extension().is_some_and(|ending| ending == "json") && path.is_file());
        files.sort();
        files.truncate(MAX_FILES);
        for path in files {
            let file = path.display().to_string();
            let fault = |what: String| RuleError::File { file: file.clone(), what };
            let mut bytes = Vec::new();
            File::open(&path)
                .and_then(|open| open.take(compiled::FILE_BYTES + 1).read_to_end(&mut bytes))
                .map_err(|error| fault(error.to_string()))?;
            if bytes.len() as u64 > compiled::FILE_BYTES {
                return Err(fault(format!("more than {} bytes", compiled::FILE_BYTES)));
            }
            let set = Compiled::read(&file, &bytes)?;
            if sets.iter().any(|one| one.set.name == set.set.name) {
                let what = format!("a rule set '{}' is there already: choose another name", set.set.name);
                return Err(RuleError::Value { file, pointer: "/name".into(), what });
            }
            sets.push(Arc::new(set));
        }
        Ok(Self { sets })
    }

    pub(crate) fn all(&self) -> &[Arc<Compiled>] {
        &self.sets
    }

    /// The set of that name.
    pub(crate) fn named(&self, name: &str) -> Result<&Arc<Compiled>, RuleError> {
        self.sets.iter().find(|one| one.set.name == name).ok_or_else(|| RuleError::Unknown {
            name: name.chars().take(80).collect(),
            existing: self.sets.iter().map(|one| one.set.name.clone()).collect(),
        })
    }
}

/// The names of the rule sets that ship with the program.
pub fn shipped_names() -> Vec<&'static str> {
    SHIPPED.iter().map(|(name, _)| *name).collect()
}

/// The rule sets that can be used below `home`, those that ship first.
pub fn rule_sets(home: &Path) -> Result<Vec<RuleSet>, RuleError> {
    Ok(Rules::load(home)?.sets.iter().map(|one| one.set.clone()).collect())
}

/// Compiled once for the whole process: it takes some milliseconds.
fn shipped() -> Result<&'static [Arc<Compiled>], RuleError> {
    static COMPILED: OnceLock<Result<Vec<Arc<Compiled>>, RuleError>> = OnceLock::new();
    let compiled = COMPILED.get_or_init(|| {
        let read = |(name, text): (&str, &str)| {
            Compiled::read(&format!("{name}.json"), text.as_bytes()).map(Arc::new)
        };
        SHIPPED.into_iter().map(read).collect()
    });
    compiled.as_deref().map_err(Clone::clone)
}
