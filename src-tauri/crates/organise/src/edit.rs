//! What the editing of lists has in common: ids, what is wrong, what happens to sessions.

use domain::{ErrorCode, Problem};

use crate::entry::Entry;
use crate::mistake::short;

/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 64;
/// The longest name, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 200;

/// Something that is wrong, or odd, in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer to it.
    pub pointer: String,
    /// What would have been right.
    pub expected: String,
    /// What is there instead.
    pub found: String,
    /// What to do about it, where there is something to say.
    pub remedy: Option<String>,
}

impl Fault {
    pub(crate) fn new(
        pointer: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self { pointer: pointer.into(), expected: expected.into(), found: found.into(), remedy: None }
    }

    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    pub(crate) fn meaning<'a>(mut self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        self.remedy = domain::nearest(name, known).first().map(|near| format!("did you mean `{near}`?"));
        self
    }

    /// One for each field that the program does not know. They are kept as they are.
    pub(crate) fn unknown_fields(
        pointer: &str,
        rest: &serde_json::Map<String, serde_json::Value>,
        known: &[&str],
    ) -> Vec<Self> {
        rest.keys()
            .map(|name| {
                let token = name.replace('~', "~0").replace('/', "~1");
                let expected = format!("one of the fields {}", known.join(", "));
                let fault =
                    Self::new(format!("{pointer}/{token}"), expected, "an unknown field, which is kept");
                fault.meaning(name, known.iter().copied())
            })
            .collect()
    }
}

/// Why a change was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is no such thing.
    #[error("there is no {what} `{id}`")]
    Unknown {
        /// `status`, `label` or `view`.
        what: &'static str,
        /// The id that was asked for.
        id: String,
        /// The id that was probably meant.
        nearest: Option<String>,
    },
    /// A fixed status keeps its id, its category and its place in the list of what there is.
    #[error("the status `{id}` is fixed: {why}")]
    Fixed {
        /// Its id.
        id: String,
        /// What it keeps.
        why: &'static str,
    },
    /// A label can't be moved below itself.
    #[error("the label `{id}` can't be moved below itself")]
    BelowItself {
        /// Its id.
        id: String,
    },
    /// The list would not be right afterwards.
    #[error("{}: expected {}, found {}", .fault.pointer, .fault.expected, .fault.found)]
    Invalid {
        /// The first thing that would be wrong.
        fault: Fault,
    },
    /// A view's expression is wrong.
    #[error("the expression is wrong: {message}")]
    Expression {
        /// Its first mistake.
        message: String,
    },
}

impl EditError {
    pub(crate) fn unknown<'a>(
        what: &'static str,
        id: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::Unknown {
            what,
            id: short(id),
            nearest: domain::nearest(id, known).first().map(|near| (*near).to_owned()),
        }
    }

    /// The same as it is shown and sent.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Unknown { nearest, .. } => {
                let problem = Problem::new(ErrorCode::NotFound, self.to_string());
                match nearest {
                    Some(near) => problem.with_action(format!("did you mean `{near}`?")),
                    None => problem,
                }
            }
            Self::Invalid { fault } => {
                let problem = Problem::new(ErrorCode::InvalidInput, self.to_string());
                match &fault.remedy {
                    Some(remedy) => problem.with_action(remedy.clone()),
                    None => problem,
                }
            }
            Self::Fixed { .. } | Self::BelowItself { .. } | Self::Expression { .. } => {
                Problem::new(ErrorCode::InvalidInput, self.to_string())
            }
        }
    }
}

/// What becomes of sessions when something was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalEffect {
    /// The ids that are gone: a status, or a label with those below it.
    pub ids: Vec<String>,
    /// What sessions get in place of it; a status is always replaced, a label only when another one was named.
    pub instead: Option<String>,
}

impl RemovalEffect {
    /// A session's labels without what was removed; `None` when it had none of it.
    pub fn labels(&self, entries: &[String]) -> Option<Vec<String>> {
        let gone = |entry: &String| self.ids.iter().any(|id| id == Entry::id_of(entry));
        if !entries.iter().any(gone) {
            return None;
        }
        let mut left: Vec<String> = Vec::new();
        for entry in entries {
            let entry = match &self.instead {
                _ if !gone(entry) => entry.clone(),
                Some(instead) => Entry { id: instead.clone(), ..Entry::parse(entry) }.to_string(),
                None => continue,
            };
            if !left.contains(&entry) {
                left.push(entry);
            }
        }
        Some(left)
    }
}

/// What is wrong with an id, in words.
pub(crate) fn id_fault(id: &str) -> Option<&'static str> {
    if id.is_empty() {
        Some("an empty text")
    } else if id.len() > MAX_ID_BYTES {
        Some("a longer one")
    } else if id.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, ',' | '"'))
        || id.contains("::")
    {
        Some("one with a space, a comma, a quotation mark or `::`")
    } else {
        None
    }
}

/// What is wrong with a name, in words.
pub(crate) fn name_fault(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("an empty text")
    } else if name.len() > MAX_NAME_BYTES {
        Some("a longer one")
    } else if name.chars().any(char::is_control) {
        Some("one with a line break or a control character")
    } else {
        None
    }
}

pub(crate) const AN_ID: &str = "an id: at most 64 bytes without spaces, commas, quotation marks and `::`";
pub(crate) const A_NAME: &str = "a name: at most 200 bytes on one line";

/// An id made of a name: lower-case letters, digits and hyphens, not taken yet.
pub(crate) fn new_id(name: &str, otherwise: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut id = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
        if id.len() >= 40 {
            break;
        }
    }
    let id = id.trim_end_matches('-');
    let id = if id.is_empty() { otherwise } else { id };
    let numbered = (2..).map(|number| format!("{id}-{number}"));
    std::iter::once(id.to_owned()).chain(numbered).find(|id| !taken(id)).unwrap_or_default()
}

/// Moves one item of a list to a place among the others; a place beyond the end is the end.
pub(crate) fn move_item<T>(items: &mut Vec<T>, from: usize, to: usize) {
    let item = items.remove(from);
    items.insert(to.min(items.len()), item);
}
