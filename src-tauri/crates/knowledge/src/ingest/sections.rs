//! Ids for the paragraphs of a running text: `4.9.1 ¶2` below a numbered heading, the paragraph's own number
//! where it has one, `manual:scope/p2` below a heading without number.

use std::collections::BTreeMap;

use super::draft::Draft;
use crate::paragraph::Paragraph;

/// Follow-on blocks (lists, examples) join the paragraph before them up to this many bytes.
const JOINED_BYTES: usize = 2_000;

/// Collects the paragraphs of one file below its headings.
pub(crate) struct Sections {
    stem: String,
    doc: String,
    headings: Vec<(usize, String)>,
    number: Option<String>,
    slug: String,
    series: u8,
    last_top: u32,
    counts: BTreeMap<String, usize>,
    slugs: BTreeMap<String, usize>,
    may_join: bool,
    drafts: Vec<Draft>,
}

impl Sections {
    pub(crate) fn new(stem: &str) -> Self {
        Self {
            stem: stem.to_owned(),
            doc: stem.to_owned(),
            headings: Vec::new(),
            number: None,
            slug: String::new(),
            series: 0,
            last_top: 0,
            counts: BTreeMap::new(),
            slugs: BTreeMap::new(),
            may_join: false,
            drafts: Vec::new(),
        }
    }

    /// The title of the whole document; it is no part of the headings' path.
    pub(crate) fn name_document(&mut self, title: &str) {
        self.doc = title.to_owned();
    }

    /// A heading; `level` 1 is outermost.
    pub(crate) fn heading(&mut self, level: usize, number: Option<&str>, title: &str) {
        self.headings.retain(|(depth, _)| *depth < level);
        self.headings.push((level, title.to_owned()));
        self.may_join = false;
        self.number = number.map(|number| self.in_series(number));
        if self.number.is_none() {
            let slug = slug(title);
            let seen = self.slugs.entry(slug.clone()).or_insert(0);
            *seen += 1;
            self.slug = if *seen == 1 { slug } else { format!("{slug}-{seen}") };
        }
    }

    /// Appendices often begin at 1 again. Each new run of numbers after the first gets a letter: `B:1.2`.
    fn in_series(&mut self, number: &str) -> String {
        let top = number.split('.').next().and_then(|top| top.parse::<u32>().ok());
        if let Some(top) = top {
            if top < self.last_top && self.series < 25 {
                self.series += 1;
            }
            self.last_top = top;
        }
        if self.series == 0 {
            number.to_owned()
        } else {
            format!("{}:{number}", char::from(b'A' + self.series))
        }
    }

    /// A block of text. `own_number` is the paragraph's number where it has one; `follows_on` blocks (list
    /// items, indented examples) belong to the paragraph before them.
    pub(crate) fn block(&mut self, line: usize, text: &str, own_number: Option<&str>, follows_on: bool) {
        let text = text.trim_matches(['\n', ' ', '\t']);
        if text.is_empty() {
            return;
        }
        if let (true, true, Some(last)) = (follows_on, self.may_join, self.drafts.last_mut())
            && last.paragraph.text.len() + text.len() <= JOINED_BYTES
        {
            last.paragraph.text.push('\n');
            last.paragraph.text.push_str(text);
            return;
        }
        let (id, section) = match (own_number, &self.number) {
            (Some(own), _) => (own.to_owned(), own.rsplit_once('.').map_or("", |(head, _)| head).to_owned()),
            (None, Some(number)) => {
                let count = self.counts.entry(number.clone()).or_insert(0);
                *count += 1;
                (format!("{number} ¶{count}"), number.clone())
            }
            (None, None) => {
                let place = if self.slug.is_empty() {
                    self.stem.clone()
                } else {
                    format!("{}:{}", self.stem, self.slug)
                };
                let count = self.counts.entry(place.clone()).or_insert(0);
                *count += 1;
                (format!("{place}/p{count}"), self.slug.clone())
            }
        };
        self.may_join = true;
        self.drafts.push(Draft {
            line,
            scan_references: true,
            paragraph: Paragraph {
                id,
                doc: self.doc.clone(),
                section,
                title: self.headings.last().map(|(_, title)| title.clone()).unwrap_or_default(),
                path: self.headings.iter().map(|(_, title)| title.clone()).collect(),
                kind: "paragraph".into(),
                text: text.to_owned(),
                ..Paragraph::default()
            },
        });
    }

    pub(crate) fn finish(mut self) -> Vec<Draft> {
        for draft in &mut self.drafts {
            draft.paragraph.doc.clone_from(&self.doc);
        }
        self.drafts
    }
}

/// A heading as it can stand in an id: lower-case words joined by hyphens, at most 60 bytes.
fn slug(title: &str) -> String {
    let mut out = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= 60 {
            break;
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "section".into() } else { out.to_owned() }
}

/// Splits `4.9.1. Title` into number and title. A lone `4` needs its dot, so that `4 packages` is no number.
pub(crate) fn split_number(heading: &str) -> (Option<&str>, &str) {
    let end = heading.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(heading.len());
    let (number, rest) = heading.split_at(end);
    let bare = number.trim_end_matches('.');
    let whole = bare.split('.').all(|part| !part.is_empty() && part.len() <= 4);
    let title = rest.trim();
    if !whole || bare.len() > 30 || title.is_empty() || !rest.starts_with([' ', '\t', '\u{a0}']) {
        return (None, heading);
    }
    if !bare.contains('.') && !number.ends_with('.') {
        return (None, heading);
    }
    (Some(bare), title)
}
