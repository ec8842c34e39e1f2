//! How paragraphs are named to a reader where their ids say little.

use std::collections::{BTreeSet, HashMap};

use crate::base::Base;
use crate::generation::SourceFile;
use crate::ids::{bare, number_behind_name};
use crate::paragraph::Paragraph;

/// The longest heading in a label, in characters.
const MAX_HEADING: usize = 60;
/// How texts end that were made of another file.
const TEXTS: [&str; 4] = ["html", "markdown", "md", "txt"];
/// How files end of which texts are made.
const ORIGINALS: [&str; 14] =
    ["csv", "doc", "docx", "eml", "epub", "htm", "msg", "odt", "pdf", "ppt", "pptx", "rtf", "xls", "xlsx"];

/// The name by which a person knows a file: a text that was made of another file (`lease.pdf.md`) has that file's name.
pub fn original_name(name: &str) -> &str {
    let is_one_of = |ending: &str, known: &[&str]| known.iter().any(|one| ending.eq_ignore_ascii_case(one));
    let made = name.rsplit_once('.').filter(|(_, ending)| is_one_of(ending, &TEXTS));
    let of = made.filter(|(original, _)| {
        last_component(original)
            .rsplit_once('.')
            .is_some_and(|(stem, ending)| !stem.is_empty() && is_one_of(ending, &ORIGINALS))
    });
    of.map_or(name, |(original, _)| original)
}

/// How many files have a name as a person knows it.
pub(crate) struct ShownNames {
    /// Other names that come to the same, by that name.
    whole: HashMap<String, usize>,
    /// Files, by the last part of that name.
    last: HashMap<String, usize>,
}

impl ShownNames {
    fn new(sources: &[SourceFile]) -> Self {
        let (mut whole, mut last) = (HashMap::new(), HashMap::new());
        let names: BTreeSet<&str> = sources.iter().map(|file| file.name.as_str()).collect();
        for name in names {
            *whole.entry(original_name(name).to_owned()).or_default() += 1;
        }
        for file in sources {
            *last.entry(last_component(original_name(&file.name)).to_owned()).or_default() += 1;
        }
        Self { whole, last }
    }
}

fn is_shared(counts: &HashMap<String, usize>, name: &str) -> bool {
    counts.get(name).is_some_and(|count| *count > 1)
}

impl Base {
    fn shown_names(&self) -> &ShownNames {
        self.shown_names.get_or_init(|| ShownNames::new(&self.manifest().sources))
    }

    /// A file's name as a person knows it, as [`original_name`] has it; its own name where another file has that one.
    pub fn shown_name<'b>(&'b self, file: &'b SourceFile) -> &'b str {
        let name = original_name(&file.name);
        if is_shared(&self.shown_names().whole, name) { &file.name } else { name }
    }

    /// What a reader is shown for a paragraph: its file and the place in it, or its citation.
    pub fn label(&self, paragraph: &Paragraph) -> String {
        self.file_label(paragraph).unwrap_or_else(|| self.citation(&paragraph.id))
    }

    /// The file and the place in it: `retention.pdf, page 3`, `guide.md, Scope ¶2`, `manual.md, 2.1.4`. For paragraphs whose ids only
    /// count (`retention:retention/p1`) and, among several files, for bare numbers (`2.1.4`). `None` where the citation itself is
    /// what a reader looks up (`AC-2(1)`), and where the file is not known.
    pub fn file_label(&self, paragraph: &Paragraph) -> Option<String> {
        self.file_label_on(paragraph, paragraph.all_pages())
    }

    /// The same for words of the paragraph that stand on these pages, the first and the last.
    pub(crate) fn file_label_on(&self, paragraph: &Paragraph, pages: Option<(u32, u32)>) -> Option<String> {
        let manifest = self.manifest();
        // A form with words of its own names the work.
        if manifest.citation.replace("{id}", "").contains(char::is_alphanumeric) {
            return None;
        }
        let file = self.file(paragraph).filter(|file| !file.name.ends_with(".jsonl"))?;
        let page = pages.map(pages_in_words);
        let id = paragraph.id.as_str();
        let place = match (id.rsplit_once("/p"), page) {
            (Some((section, count)), page) if starts_with_digit(count) => {
                page.map(|page| format!(", {page}")).unwrap_or_else(|| {
                    let heading = section.contains(':').then_some(paragraph.title.trim());
                    let heading = heading.filter(|heading| !heading.is_empty()).map(shortened);
                    heading.map(|heading| format!(", {heading}")).unwrap_or_default() + &format!(" ¶{count}")
                })
            }
            (_, page) => {
                let number = number_behind_name(id).unwrap_or(id);
                if !bare(number) || (number == id && manifest.sources.len() < 2) {
                    return None;
                }
                [Some(number.to_owned()), page]
                    .into_iter()
                    .flatten()
                    .map(|part| format!(", {part}"))
                    .collect()
            }
        };
        let path = self.shown_name(file);
        let name = last_component(path);
        let is_shared = is_shared(&self.shown_names().last, last_component(original_name(path)));
        Some(format!("{}{place}", if is_shared { path } else { name }))
    }
}

/// `page 4`, `pp. 4-5`.
pub fn pages_in_words((first, last): (u32, u32)) -> String {
    if first == last { format!("page {first}") } else { format!("pp. {first}-{last}") }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn last_component(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

fn shortened(heading: &str) -> String {
    match heading.char_indices().nth(MAX_HEADING) {
        Some((at, _)) => format!("{}\u{2026}", heading[..at].trim_end()),
        None => heading.to_owned(),
    }
}
