//! What readers do not give as text, or give in another form: one table says of each kind what a person is told.

use std::collections::BTreeMap;

use crate::{BlockPosition, Note};

/// A kind of content that is not in the text as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Omission {
    /// Words that are shown struck out.
    Struck,
    /// Text whose deletion or move is tracked.
    TrackedDeletion,
    /// Text that the file hides.
    Hidden,
    /// The file's own table of contents.
    Contents,
    /// Files of other formats within the file.
    Embedded,
    /// Sound, film and models within a page.
    Media,
    /// The value of a field that is a password.
    Password,
    /// What a person wrote beside the text.
    Comment,
}

impl Omission {
    /// What is told of `count` of them.
    fn told(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Struck => (
                "1 stretch of struck-out text is no part of the text",
                "stretches of struck-out text are no part of the text",
            ),
            Self::TrackedDeletion => (
                "tracked changes: 1 deleted or moved stretch left out, insertions kept",
                "tracked changes: # deleted or moved stretches left out, insertions kept",
            ),
            Self::Hidden => ("1 stretch of hidden text left out", "stretches of hidden text left out"),
            Self::Contents => ("the table of contents was left out", "the table of contents was left out"),
            Self::Embedded => {
                ("1 embedded file of another format not read", "embedded files of other formats not read")
            }
            Self::Media => ("1 sound, film or model not read", "sounds, films or models not read"),
            Self::Password => ("1 password field not read", "password fields not read"),
            Self::Comment => (
                "1 comment is a block of its own behind the text of its page",
                "comments are blocks of their own behind the text of their pages",
            ),
        };
        match count {
            1 => one.to_owned(),
            _ if many.contains('#') => many.replace('#', &count.to_string()),
            _ if self.is_minor() => many.to_owned(),
            _ => format!("{count} {many}"),
        }
    }

    /// Whether nobody misses it.
    fn is_minor(self) -> bool {
        self == Self::Contents
    }
}

/// How many of each kind there were, and where the first was.
#[derive(Debug, Default)]
pub(crate) struct Omissions(BTreeMap<Omission, (usize, BlockPosition)>);

impl Omissions {
    pub(crate) fn add(&mut self, kind: Omission, count: usize, place: BlockPosition) {
        if count > 0 {
            self.0.entry(kind).or_insert((0, place)).0 += count;
        }
    }

    /// A note for each kind.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Note> {
        self.0.iter().map(|(kind, &(count, place))| Note {
            place,
            what: kind.told(count),
            minor: kind.is_minor(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_once_with_its_number_and_first_place() {
        let mut found = Omissions::default();
        let page = |page| BlockPosition { page: Some(page), line: None };
        found.add(Omission::Hidden, 0, page(1));
        found.add(Omission::Struck, 1, page(2));
        found.add(Omission::Struck, 2, page(3));
        let notes: Vec<Note> = found.notes().collect();
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].place, page(2));
        assert_eq!(notes[0].what, "3 stretches of struck-out text are no part of the text");
    }
}
