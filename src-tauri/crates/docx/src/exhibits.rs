//! The documents that an answer was written from, with the numbers by which it cites them.

use crate::HeadingCase;

/// What stands for the number of a section in the form of references to one.
pub const SECTION: &str = "{section}";
/// The longest title of a document beside its file, in characters.
const MAX_TITLE_CHARS: usize = 90;
/// Of the names of a file, the one without its folder and its ending.
const STEM: usize = 2;

/// A document that a run had before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exhibit {
    /// Its file, by its path below the folder that was read.
    pub file: String,
    /// Other files with the same bytes.
    pub copies: Vec<String>,
    /// What else references may name its files by: the texts that were made of them.
    pub aliases: Vec<String>,
    /// The title that it gives itself; empty where it gives none.
    pub title: String,
    /// What tells it from documents of the same title, such as `with Larkspur, Inc.`; empty where nothing has to.
    pub distinction: String,
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
        let title = self.shown_title(case);
        let files = self.files();
        if title.is_empty() || title == self.file { files } else { format!("{title} ({files})") }
    }

    /// The same for a footnote, where a long title is left out: `Lease of the Hall, lease.pdf`.
    pub fn short_name(&self, case: &HeadingCase) -> String {
        let title = self.shown_title(case);
        let fits = !title.is_empty() && title.chars().count() <= MAX_TITLE_CHARS && title != self.file;
        if fits { format!("{title}, {}", self.files()) } else { self.files() }
    }

    /// Its title, with what tells it from others of that title.
    pub fn shown_title(&self, case: &HeadingCase) -> String {
        let title = case.display(&self.title);
        match self.distinction.as_str() {
            "" => title.into_owned(),
            distinction => format!("{title} {distinction}"),
        }
    }

    /// Its file, and those that are the same.
    pub fn files(&self) -> String {
        match self.copies.as_slice() {
            [] => self.file.clone(),
            copies => format!("{}, the same as {}", self.file, copies.join(" and ")),
        }
    }

    /// What references may name it by, the fullest first.
    fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        // A file of which a text was made gave that text no name of its own stem.
        let is_made = |file: &str| {
            self.aliases
                .iter()
                .any(|alias| alias.strip_prefix(file).is_some_and(|rest| rest.starts_with('.')))
        };
        let files = std::iter::once(&self.file).chain(&self.copies).chain(&self.aliases);
        files.flat_map(move |file| names(file).filter(move |(kind, _)| *kind < STEM || !is_made(file)))
    }
}

/// The documents that an answer was written from. The number of each is its place in the list, from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exhibits {
    list: Vec<Exhibit>,
    /// Whether documents were read that the list does not have.
    is_partial: bool,
    /// How references name a section, with [`SECTION`] for its number; without it by the number alone.
    section_form: Option<String>,
}

impl Exhibits {
    /// All documents that were read, in the order of their numbers.
    pub fn all(list: Vec<Exhibit>) -> Self {
        Self { list, ..Self::default() }
    }

    /// Only those that are cited: the others are not known any more, or are too many for a list.
    pub fn cited(list: Vec<Exhibit>) -> Self {
        Self { list, is_partial: true, ..Self::default() }
    }

    /// With a form for references to sections, such as `s. {section}`.
    pub fn with_section_form(self, form: Option<String>) -> Self {
        Self { section_form: form, ..self }
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
        let has = |names: fn(&Exhibit) -> &[String]| self.list.iter().any(|one| !names(one).is_empty());
        let same = if has(|one| &one.copies) {
            " Files that are the same byte by byte are one exhibit."
        } else {
            ""
        };
        let made = if has(|one| &one.aliases) {
            " Where a text that was made of a file was read, the name is that of the file, and the digest that of the text."
        } else {
            ""
        };
        format!(
            "{reach} Whether a document is complete, authentic and in force was not examined. A footnote names an exhibit by its number, \
             at the first time with its title and file; the place in it follows: a section, a page or a paragraph (\u{b6}). The digest \
             shows which version of a file was read.{same}{made}"
        )
    }

    /// The number of the document whose name begins some words, and what follows the name. A name is a path, its last part, or that
    /// without its ending, unless another document has the same.
    pub fn find<'w>(&self, words: &'w str) -> Option<(usize, &'w str)> {
        let mut best: Option<(usize, &str)> = None;
        for (at, exhibit) in self.list.iter().enumerate() {
            for (kind, name) in exhibit.names() {
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
        let (number, place) = self.located(reference)?;
        Some((number, self.in_form(place)))
    }

    /// A place with its section in the form of references to one.
    fn in_form(&self, place: String) -> String {
        let (head, rest) =
            place.split_once(", ").map_or((place.as_str(), ""), |(head, _)| (head, &place[head.len()..]));
        match &self.section_form {
            Some(form) if is_section(head) => format!("{}{rest}", form.replace(SECTION, head)),
            Some(_) | None => place,
        }
    }

    fn located(&self, reference: &str) -> Option<(usize, String)> {
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
        let has = |exhibit: &&Exhibit| exhibit.names().any(|(other, same)| other <= kind && same == name);
        self.list.iter().filter(has).count() == 1
    }
}

/// How a text names an exhibit; no line ends within it.
pub fn exhibit_label(number: usize) -> String {
    format!("Ex.\u{a0}{number}")
}

/// Whether a place is the number of a section: `12`, `12.3`, `2.1 (a)`, `12.3(d)(i)`, `12 ¶4`, but no year.
fn is_section(place: &str) -> bool {
    let is_number = |part: &str| matches!(part.len(), 1..=3) && part.bytes().all(|c| c.is_ascii_digit());
    let number = match place.split_once(" \u{b6}") {
        Some((number, count)) if count.bytes().all(|c| c.is_ascii_digit()) => number,
        Some(_) => return false,
        None => place,
    };
    let (number, items) = number.split_at(number.find('(').unwrap_or(number.len()));
    let is_item = |item: &str| {
        let inside = item.trim_start().strip_prefix('(');
        inside.is_some_and(|inside| {
            matches!(inside.len(), 1..=6) && inside.bytes().all(|c| c.is_ascii_alphanumeric())
        })
    };
    number.trim_end().split('.').all(is_number)
        && (items.is_empty() || items.strip_suffix(')').is_some_and(|items| items.split(')').all(is_item)))
}

/// The names of a file, the fullest first.
fn names(file: &str) -> impl Iterator<Item = (usize, &str)> {
    let last = file.rsplit_once('/').map_or(file, |(_, last)| last);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    [file, last, stem].into_iter().enumerate().filter(|(_, name)| !name.is_empty())
}
