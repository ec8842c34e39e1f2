use std::fmt;

use domain::{ErrorCode, Problem};
use serde::{Deserialize, Serialize};

/// The most problems of one agent or source that are listed.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// The longest text of a problem, in bytes.
const MAX_TEXT_BYTES: usize = 1_000;

/// One thing that is wrong with a file: where, what was expected, what was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConfigProblem {
    /// The file: a path on disk, or one like `agents/<slug>/config.json` for shipped files.
    pub file: String,
    /// JSON pointer to the value; empty for the whole file and for files that are not JSON.
    pub pointer: String,
    /// Line in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What would have been right.
    pub expected: String,
    /// What is there instead.
    pub found: String,
    /// What to do about it, where there is something to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl ConfigProblem {
    pub(crate) fn new(
        file: impl Into<String>,
        pointer: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            pointer: pointer.into(),
            line: None,
            expected: expected.into(),
            found: found.into(),
            remedy: None,
        }
    }

    pub(crate) fn on_line(mut self, line: usize) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }

    pub(crate) fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The same with every text short enough to be shown: what a file holds may be of any length.
    pub(crate) fn clipped(mut self) -> Self {
        let remedy = self.remedy.as_mut();
        for text in [&mut self.pointer, &mut self.expected, &mut self.found].into_iter().chain(remedy) {
            if text.len() > MAX_TEXT_BYTES {
                text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
                text.push('…');
            }
        }
        self
    }

    /// Names the nearest of the known names, when one is near enough.
    pub(crate) fn meaning<'a>(mut self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        if let Some(near) = domain::nearest(name, known).first() {
            self.remedy = Some(format!("did you mean `{near}`?"));
        }
        self
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.pointer.is_empty() {
            write!(f, " {}", self.pointer)?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)?;
        if let Some(remedy) = &self.remedy {
            write!(f, " ({remedy})")?;
        }
        Ok(())
    }
}

/// An agent or a source that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// No agent of that slug, shipped or own.
    #[error("there is no agent `{slug}`{}", list_of("the agents are", known))]
    UnknownAgent {
        /// The slug asked for.
        slug: String,
        /// Those whose names are near, nearest first.
        nearest: Vec<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// No source of that slug, shipped or own.
    #[error("there is no source `{slug}`{}", list_of("the sources are", known))]
    UnknownSource {
        /// The slug asked for.
        slug: String,
        /// Those whose names are near, nearest first.
        nearest: Vec<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// No profile of missions of that slug, shipped or own.
    #[error("there is no mission profile `{slug}`{}", list_of("the profiles are", known))]
    UnknownProfile {
        /// The slug asked for.
        slug: String,
        /// Those whose names are near, nearest first.
        nearest: Vec<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// It exists but its files are wrong.
    #[error("{what} `{slug}` can't be used: {}", lines_of(problems))]
    Broken {
        /// `agent` or `source`.
        what: &'static str,
        /// Its slug.
        slug: String,
        /// All that is wrong with it.
        problems: Vec<ConfigProblem>,
    },
}

fn list_of(lead: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; {lead} {}", names.join(", ")) }
}

fn lines_of(problems: &[ConfigProblem]) -> String {
    problems.iter().map(|problem| format!("\n  {problem}")).collect()
}

impl WorkspaceError {
    /// The same as it is shown and sent.
    pub fn problem(&self) -> Problem {
        match self {
            Self::UnknownAgent { nearest, .. }
            | Self::UnknownSource { nearest, .. }
            | Self::UnknownProfile { nearest, .. } => {
                let problem = Problem::new(ErrorCode::NotFound, self.to_string());
                match nearest.first() {
                    Some(near) => problem.with_action(format!("did you mean `{near}`?")),
                    None => problem,
                }
            }
            Self::Broken { what, .. } => Problem::new(ErrorCode::InvalidConfig, self.to_string())
                .with_action(format!("correct the {what}'s files and try again")),
        }
    }
}
