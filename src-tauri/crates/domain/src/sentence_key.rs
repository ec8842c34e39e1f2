//! The key of a sentence: what a model cites, in a form that no document has.

/// How keys are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyForm {
    /// `[3.2]`, as runs of earlier versions have them. Documents have it too.
    Bare,
    /// `[@3.2]`: short, of signs that every model writes, known as a citation from Markdown, and no number of a document.
    #[default]
    Marked,
}

/// Brackets that models put around a key, and how one is written where a document's words must not look like a key.
const BRACKETS: [(char, char, &str); 3] =
    [('[', ']', "&#91;"), ('(', ')', "&#40;"), ('\u{3010}', '\u{3011}', "&#12304;")];

impl KeyForm {
    /// What stands before the numbers.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Bare => "",
            Self::Marked => "@",
        }
    }

    /// The key of a sentence, by its paragraph's number and its own, both from 1.
    pub fn key(self, paragraph: usize, sentence: usize) -> String {
        format!("[{}{paragraph}.{sentence}]", self.sign())
    }

    /// The brackets that may stand around a key: the opening one, the closing one, and the entity of the first.
    pub fn brackets(self) -> &'static [(char, char, &'static str)] {
        match self {
            Self::Bare => &BRACKETS[..1],
            Self::Marked => &BRACKETS,
        }
    }

    /// Whether what follows an opening bracket begins as a key does.
    pub fn begins(self, after: &str) -> bool {
        let after = after.trim_start().strip_prefix(self.sign());
        after.is_some_and(|digits| digits.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    }
}

#[cfg(test)]
mod tests {
    use super::KeyForm;

    #[test]
    fn no_number_in_brackets_begins_as_a_key_does() {
        for of_documents in
            ["2]", "2019]", "0, 1]", "P1]", "W1]", "^1]", "@home]", "@ISA 1]", "a@1.2]", "[2]]", ""]
        {
            assert!(!KeyForm::Marked.begins(of_documents), "{of_documents}");
        }
        for key in ["@3.2]", " @3.2; @4.1]", "@ 12]"] {
            assert!(KeyForm::Marked.begins(key), "{key}");
        }
        assert_eq!(KeyForm::Marked.key(3, 2), "[@3.2]");
        assert_eq!(KeyForm::Bare.key(3, 2), "[3.2]");
    }
}
