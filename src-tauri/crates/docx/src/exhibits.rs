//! The documents that an answer was written from, with the numbers by which it cites them.

use crate::HeadingCase;

/// The longest title of a document beside its file, in characters.
const MAX_TITLE_CHARS: usize = 90;

/// A document that a run had before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exhibit {
    /// Its file, by its path below the folder that was read.
    pub file: String,
    /// The title that it gives itself; empty where it gives none.
    pub title: String,
    /// The date that it gives itself, in its own words; empty where none was found.
    pub date: String,
    /// Its pages, where its format has pages.
    pub pages: Option<u32>,
    /// SHA-256 of the file.
    pub sha256: String,
}

impl Exhibit {
    /// Its title and its file: `Lease of the Hall (lease.pdf)`.
    pub fn name(&self, case: &HeadingCase) -> String {
        let title = case.display(&self.title);
        if title.is_empty() || *title == self.file {
            self.file.clone()
        } else {
            format!("{title} ({})", self.file)
        }
    }

    /// The same for a footnote, where a long title is left out: `Lease of the Hall, lease.pdf`.
    pub fn short_name(&self, case: &HeadingCase) -> String {
        let title = case.display(&self.title);
        let fits = !title.is_empty() && title.chars().count() <= MAX_TITLE_CHARS && *title != self.file;
        if fits { format!("{title}, {}", self.file) } else { self.file.clone() }
    }
}

/// The documents that an answer was written from. The number of each is its place in the list, from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exhibits {
    list: Vec<Exhibit>,
    /// Whether documents were read that the list does not have.
    is_partial: bool,
}

impl Exhibits {
    /// All documents that were read, in the order of their numbers.
    pub fn all(list: Vec<Exhibit>) -> Self {
        Self { list, is_partial: false }
    }

    /// Only those that are cited: the others are not known any more, or are too many for a list.
    pub fn cited(list: Vec<Exhibit>) -> Self {
        Self { list, is_partial: true }
    }

    /// The documents in the order of their numbers.
    pub fn list(&self) -> &[Exhibit] {
        &self.list
    }

    /// Whether documents were read that the list does not have.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// What was reviewed and what was not, and how footnotes name it.
    pub fn scope(&self) -> String {
        let count = match self.list.len() {
            1 => "one document".to_owned(),
            count => format!("{count} documents"),
        };
        let reach = match (self.is_partial, self.list.len()) {
            (true, 1) => "Of the documents that were read, only the cited one is listed.".to_owned(),
            (true, _) => {
                format!("Of the documents that were read, only the {count} that are cited are listed.")
            }
            (false, _) => format!("The review covered the {count} listed here and nothing else."),
        };
        format!(
            "{reach} Whether a document is complete, authentic and in force was not examined. A footnote names an exhibit by its number, \
             at the first time with its title and file; the place in it follows: a section, a page or a paragraph (\u{b6}). The digest \
             shows which version of a file was read."
        )
    }

    /// The number of the document whose name begins some words, and what follows the name. A name is a path, its last part, or that
    /// without its ending, unless another document has the same.
    pub fn find<'w>(&self, words: &'w str) -> Option<(usize, &'w str)> {
        let mut best: Option<(usize, &str)> = None;
        for (at, exhibit) in self.list.iter().enumerate() {
            for (kind, name) in names(&exhibit.file) {
                let Some(rest) = words.strip_prefix(name) else { continue };
                let ends = rest.is_empty() || rest.starts_with([',', ':', ' ', ')']);
                let is_shorter = best.is_some_and(|(_, other)| other.len() <= rest.len());
                if ends && !is_shorter && self.is_one(kind, name) {
                    best = Some((at + 1, rest));
                }
            }
        }
        best
    }

    /// The document and the place in it that a reference names: `lease.pdf, page 3`, `lease:2.1 (lease.pdf)`, `2.1 (lease.pdf, page 3)`.
    pub fn pinpoint(&self, reference: &str) -> Option<(usize, String)> {
        let beside = reference.strip_suffix(')').and_then(|head| {
            head.rmatch_indices(" (").find_map(|(at, _)| {
                let (number, more) = self.find(&head[at + 2..])?;
                // Words of a place may be the name of another document: the fuller name counts.
                let own = self.find(&head[..at]).filter(|(other, _)| *other != number);
                let is_fuller =
                    own.is_some_and(|(_, rest)| at - rest.len() > head.len() - at - 2 - more.len());
                (!is_fuller).then_some((&head[..at], (number, more)))
            })
        });
        let (own, beside) = match beside {
            Some((own, found)) => (own, Some(found)),
            None => (reference, None),
        };
        let bare = |rest: &str| rest.trim_start_matches([',', ':', ' ']).to_owned();
        match (self.find(own), beside) {
            (Some((number, rest)), Some((same, more))) if number == same => {
                Some((number, format!("{}{more}", bare(rest))))
            }
            (_, Some((number, more))) => Some((number, format!("{own}{more}"))),
            (Some((number, rest)), None) => Some((number, bare(rest))),
            (None, None) => None,
        }
    }

    /// Whether no other document has the name, as one that is at least as full.
    fn is_one(&self, kind: usize, name: &str) -> bool {
        let has =
            |exhibit: &&Exhibit| names(&exhibit.file).any(|(other, same)| other <= kind && same == name);
        self.list.iter().filter(has).count() == 1
    }
}

/// How a text names an exhibit; no line ends within it.
pub fn exhibit_label(number: usize) -> String {
    format!("Ex.\u{a0}{number}")
}

/// The names of a file, the fullest first.
fn names(file: &str) -> impl Iterator<Item = (usize, &str)> {
    let last = file.rsplit_once('/').map_or(file, |(_, last)| last);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    [file, last, stem].into_iter().enumerate().filter(|(_, name)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exhibits(files: &[&str]) -> Exhibits {
        let named = |file: &&str| Exhibit { file: (*file).to_owned(), ..Exhibit::default() };
        Exhibits::all(files.iter().map(named).collect())
    }

    #[test]
    fn a_reference_names_a_document_and_the_place_in_it() {
        let all = exhibits(&["lease.md", "deal/msa (v2).pdf.md", "lease.md.txt"]);
        for (reference, number, place) in [
            ("lease.md, 12 \u{b6}4", 1, "12 \u{b6}4"),
            ("lease.md.txt, 2", 3, "2"),
            ("msa (v2).pdf.md, page 3", 2, "page 3"),
            ("msa (v2).pdf", 2, ""),
            ("lease.md, Slide 4 (Q1 2026) \u{b6}1", 1, "Slide 4 (Q1 2026) \u{b6}1"),
            ("4.1 (deal/msa (v2).pdf.md, page 7)", 2, "4.1, page 7"),
        ] {
            assert_eq!(all.pinpoint(reference), Some((number, place.to_owned())), "{reference}");
        }
        assert_eq!(
            exhibits(&["orchard.md"]).pinpoint("orchard:2.1 (orchard.md)"),
            Some((1, "2.1".to_owned()))
        );
        for none in ["Primer 4.1", "leases.md, 2", ""] {
            assert_eq!(all.pinpoint(none), None, "{none}");
        }
    }

    #[test]
    fn a_name_of_two_documents_names_neither() {
        let all = exhibits(&["a/terms.pdf", "b/terms.pdf"]);
        assert_eq!(all.find("terms.pdf, 2"), None);
        assert_eq!(all.find("b/terms.pdf, 2"), Some((2, ", 2")));
    }
}
