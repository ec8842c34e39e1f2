//! Commands of a shell: what they consist of, and which of them only read.
//!
//! A line is read twice, by a scanner of the few forms that are judged at all, and by bash's own grammar. Only where
//! both find the same commands, and nothing else, is a line understood. What is not understood counts as writing.

mod changes;
mod find;
mod flags;
mod forms;
mod git;
mod reach;
mod scan;
mod table;
mod tree;
mod wrapped;

use crate::pattern::PART;

pub(crate) use changes::changes;
pub(crate) use reach::{Extent, reach};
pub(crate) use table::{ReadOnlyCondition, is_reader, only_reads};
pub(crate) use wrapped::prefix;

/// The longest line that is looked into, in bytes.
const MAX_LINE_BYTES: usize = 10_000;
/// The most commands of one line.
const MAX_COMMANDS: usize = 200;

/// Why something is not known to only read, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotReadOnly(pub String);

impl From<&str> for NotReadOnly {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for NotReadOnly {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// A word as a program is given it, as far as that can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its text without quotes and escapes.
    pub text: String,
    /// Whether the shell puts names of files in its place.
    pub glob: bool,
    /// Whether it begins with such a pattern, so that it may become an option.
    pub leading: bool,
    /// Whether it has parts that only the shell knows.
    pub dynamic: bool,
}

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Command {
    pub words: Vec<Word>,
}

/// A line of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// Simple commands anywhere in it, in order.
    pub commands: Vec<Command>,
    /// Files that it reads by redirection.
    pub inputs: Vec<String>,
    /// Files that it may write by redirection, whether the line is understood or not.
    pub outputs: Vec<String>,
    /// Whether a part of such a file's name is one that only the shell knows.
    pub writes_unknown: bool,
    /// Why it is not understood. Its commands are then those that could be made out.
    pub fault: Option<String>,
    /// Whether something of it can't be told at all: a command's name that is computed, a syntax that is not bash's.
    pub opaque: bool,
}

impl Command {
    /// What is called.
    pub(crate) fn name(&self) -> &str {
        self.words.first().map(|word| word.text.as_str()).unwrap_or_default()
    }

    /// The words after the name.
    pub(crate) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Its words as an allow rule sees them; none when some of them can't be told. A program named by a path is that
    /// program only in the system's own folders.
    pub(crate) fn exact(&self) -> Option<String> {
        if self.words.iter().any(|word| word.dynamic || word.text.contains(PART)) {
            return None;
        }
        let mut words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        if let Some(first) = words.first_mut() {
            *first = plain_name(first);
        }
        Some(words.join("\0"))
    }
}

/// A program's name without the system's own folders.
pub(crate) fn plain_name(name: &str) -> &str {
    name.strip_prefix("/usr/bin/").or_else(|| name.strip_prefix("/bin/")).unwrap_or(name)
}

/// Reads a line.
pub(crate) fn read(text: &str) -> Line {
    if text.len() > MAX_LINE_BYTES {
        return Line {
            fault: Some(format!("it is longer than {MAX_LINE_BYTES} bytes")),
            opaque: true,
            ..Line::default()
        };
    }
    let (seen, refused) = tree::read(text);
    // The tree does not tell what stands in quotes: whatever looks like a pattern may be one.
    let as_patterns = |command: &Command| {
        let mut command = command.clone();
        for word in &mut command.words {
            word.glob |= word.text.contains(['*', '?', '[']);
        }
        command
    };
    let fault = |reason: String| Line {
        commands: seen.commands.iter().map(as_patterns).collect(),
        inputs: seen.inputs.clone(),
        outputs: seen.outputs.clone(),
        writes_unknown: seen.writes_unknown,
        fault: Some(reason),
        opaque: seen.opaque,
    };
    match scan::scan(text) {
        Err(reason) => fault(reason.0),
        Ok(_) if refused.is_some() => fault(refused.unwrap_or_default()),
        Ok(scanned) if scanned.commands.is_empty() => fault("it names no command".to_owned()),
        Ok(scanned) if scanned.commands.len() > MAX_COMMANDS => {
            fault(format!("it has more than {MAX_COMMANDS} commands"))
        }
        Ok(scanned) => {
            let same = scanned.commands.len() == seen.commands.len()
                && scanned.commands.iter().zip(&seen.commands).all(|(one, other)| {
                    one.words.len() == other.words.len()
                        && one.words.iter().zip(&other.words).all(|(one, other)| one.text == other.text)
                });
            if same {
                Line { outputs: seen.outputs, writes_unknown: seen.writes_unknown, ..scanned }
            } else {
                fault("it can be read in more than one way".to_owned())
            }
        }
    }
}

/// A word, and what of it may be a file's name: after `=`, `:` or `@`, or behind an option's letter.
pub(crate) fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let after = |c: char| word.split_once(c).map(|(_, rest)| rest);
    let behind = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    [Some(word), after('='), after(':'), after('@'), behind]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
}
