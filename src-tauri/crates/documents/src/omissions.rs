//! What readers do not give as text, or give in another form: one table says of each kind what a person is told.

use std::collections::BTreeMap;

use crate::{BlockPosition, Note};

macro_rules! omissions {
    ($($(#[$doc:meta])* $kind:ident $(($minor:ident))? = $one:literal, $many:literal;)*) => {
        /// A kind of content that is not in the text as it stands in the file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Omission { $($(#[$doc])* $kind,)* }

        impl Omission {
            /// What is told of one and of many, `#` for their number, and whether nobody misses it.
            fn words(self) -> (&'static str, &'static str, bool) {
                match self {
                    $(Self::$kind => ($one, $many, omissions!(@minor $($minor)?)),)*
                }
            }
        }
    };
    (@minor minor) => { true };
    (@minor) => { false };
}

omissions! {
    /// Words that are shown struck out.
    Struck = "1 stretch of struck-out text is no part of the text", "# stretches of struck-out text are no part of the text";
    /// Text whose deletion or move is tracked.
    TrackedDeletion = "tracked changes: 1 deleted or moved stretch left out, insertions kept",
        "tracked changes: # deleted or moved stretches left out, insertions kept";
    /// Text that the file hides.
    Hidden = "1 stretch of hidden text left out", "# stretches of hidden text left out";
    /// The file's own table of contents, or its index.
    Contents (minor) = "the table of contents was left out", "the table of contents was left out";
    /// Files of other formats within the file.
    Embedded = "1 embedded file of another format not read", "# embedded files of other formats not read";
    /// Sound, film and models within a page.
    Media = "1 sound, film or model not read", "# sounds, films or models not read";
    /// The value of a field that is a password.
    Password = "1 password field not read", "# password fields not read";
    /// Sheets of a spreadsheet that are hidden.
    HiddenSheet = "1 hidden sheet not read", "# hidden sheets not read";
    /// Rows of a sheet that are hidden.
    HiddenRow = "1 hidden row not read", "# hidden rows not read";
    /// Cells in columns that are hidden.
    HiddenCell = "1 cell of a hidden column not read", "# cells of hidden columns not read";
    /// Numbers that their format does not show.
    Concealed = "1 number that its format hides not read", "# numbers that their format hides not read";
    /// Formulas without a value.
    UnstoredFormula =
        "1 formula has no stored value and is given as it is; open and save the file in a spreadsheet program",
        "# formulas have no stored value and are given as they are; open and save the file in a spreadsheet program";
    /// Remarks of readers, given as text of their own.
    Comment = "1 comment stands behind what it is about, as a note", "# comments stand behind what they are about, as notes";
    /// What a person wrote beside the text of a page.
    PageComment = "1 comment is a block of its own behind the text of its page",
        "# comments are blocks of their own behind the text of their pages";
    /// What stands at the edge of each page, given once.
    PageFrame (minor) = "1 header or footer of the pages stands once, at the end", "# headers and footers of the pages stand once, at the end";
    /// Page numbers and the like at the edge of a page.
    PageNumber (minor) = "1 page number left out", "# page numbers left out";
    /// Signs of a font whose characters are not known.
    UnknownSign = "1 sign without a known character is given as \u{fffd}", "# signs without a known character are given as \u{fffd}";
    /// Formulas of which not all could be written.
    Formula = "1 formula has parts that are not known: their text stands without their form",
        "# formulas have parts that are not known: their text stands without their form";
    /// Formulas that are pictures or objects of another program.
    FormulaPicture = "1 formula of another program not read", "# formulas of other programs not read";
    /// Numbers that a program computes while it shows the file.
    Computed = "1 number or text that only Word computes not read", "# numbers or texts that only Word computes not read";
    /// Prompts in fields that nobody filled in.
    Placeholder = "1 field that nobody filled in left out", "# fields that nobody filled in left out";
    /// Elements with text that the reader does not know.
    Unknown = "text of 1 element that is not known left out", "text of # elements that are not known left out";
    /// Pictures.
    Picture (minor) = "1 picture not read", "# pictures not read";
    /// Drawings with words in them.
    Drawing = "1 drawing with text in it not read", "# drawings with text in them not read";
    /// How characters are spoken.
    Reading (minor) = "1 reading aid above characters left out", "# reading aids above characters left out";
    /// Pages within a page.
    InnerPage = "1 page within the page not read", "# pages within the page not read";
    /// Formulas of which only the source for a script is there.
    Script (minor) = "1 formula stands as its script has it", "# formulas stand as their scripts have them";
    /// Lines that the pages of a PDF repeat at their edges.
    PageEdge (minor) = "1 line that pages repeat at their edge left out",
        "# lines that pages repeat at their edges left out";
    /// What stands in a layer that is switched off.
    Layer = "1 stretch of a layer that is switched off left out",
        "# stretches of layers that are switched off left out";
    /// Words of navigation.
    Navigation (minor) = "navigation: 1 word left out", "navigation: # words left out";
    /// Words of a page's head and foot.
    Frame (minor) = "head and foot of the page: 1 word left out", "head and foot of the page: # words left out";
    /// Words of buttons, marks to click on and aids for screen readers.
    Control (minor) = "buttons and aids: 1 word left out", "buttons and aids: # words left out";
    /// Words of what stands in for scripts, media and frames.
    StandIn (minor) = "text in place of scripts or media: 1 word left out", "text in place of scripts or media: # words left out";
    /// Choices of a list that are not the chosen one.
    Choice (minor) = "1 choice that is not selected left out", "# choices that are not selected left out";
}

impl Omission {
    /// What is told of `count` of them.
    fn note(self, count: usize) -> String {
        let (one, many, _) = self.words();
        if count == 1 { one.to_owned() } else { many.replace('#', &count.to_string()) }
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
            what: kind.note(count),
            minor: kind.words().2,
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
        found.add(Omission::Contents, 2, page(4));
        let notes: Vec<Note> = found.notes().collect();
        assert_eq!(notes.len(), 2);
        assert_eq!((notes[0].place, notes[0].minor), (page(2), false));
        assert_eq!(notes[0].what, "3 stretches of struck-out text are no part of the text");
        assert_eq!((notes[1].what.as_str(), notes[1].minor), ("the table of contents was left out", true));
    }
}
