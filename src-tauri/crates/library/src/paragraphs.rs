//! The command that shows a paragraph with its surroundings.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use documents::worker::Reader;
use documents::{Limits, PageRequest};
use domain::{ErrorCode, Problem, RunId};
use engine::Corpus;
use knowledge::{Base, Paragraph, Resolved, SourceFile};
use protocol::{
    NeighbourText, PageMark, PagePicture, PagePictureQuery, ParagraphView, StruckWords, TextRange,
};

use crate::bases::{self, Original};
use crate::{Library, corpus};

/// Neighbours on each side.
const NEIGHBOURS: usize = 2;
/// Linked paragraphs, and characters of each.
const LINKED: usize = 20;
const LINKED_CHARS: usize = 200;
/// Quotes that are looked for.
const QUOTES: usize = 50;
/// The format whose pages can be drawn, as a generation names it.
const PDF: &str = "pdf";
const PICTURE: &str = "picture";
/// Pages after a paragraph's first on which a quote of it is looked for.
const AHEAD: u32 = 3;

impl Library {
    /// A paragraph with its surroundings.
    pub async fn paragraph_show(
        &self,
        base: Option<String>,
        run: Option<RunId>,
        id: String,
        quotes: Vec<String>,
    ) -> Result<ParagraphView, Problem> {
        self.read_base(base, run, id, move |home, base, id| view(home, base, id, &quotes)).await
    }

    /// The page of a file that a paragraph was taken from, as a picture with the passage marked.
    pub async fn page_picture(&self, wanted: PagePictureQuery) -> Result<PagePicture, Problem> {
        let PagePictureQuery { base, run, id, quotes, page, width } = wanted;
        self.read_base(base, run, id, move |home, base, id| picture(home, base, id, quotes, page, width))
            .await
    }

    /// Does blocking work with a paragraph of a base, or of the generations that a run read: the first of them that knows it,
    /// or that is named as well.
    async fn read_base<T: Send + 'static>(
        &self,
        base: Option<String>,
        run: Option<RunId>,
        id: String,
        work: impl FnOnce(&Path, &Base, &str) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (local, state, home) = (self.clone(), self.state.clone(), self.env.home.clone());
        let read: Vec<Corpus> = match (&run, &base) {
            (Some(run), _) => self.env.engine.load(run).await?.pinned.bases().cloned().collect(),
            (None, Some(_)) => Vec::new(),
            (None, None) => {
                return Err(Problem::new(ErrorCode::InvalidInput, "name a knowledge base or a run"));
            }
        };
        let done = tokio::task::spawn_blocking(move || {
            let Some(run) = run else {
                return work(&home, &local.opened(base.as_deref().unwrap_or_default())?.1, &id);
            };
            let shelf = local.env.bases();
            let is_named = |read: &Corpus, base: &String| {
                *base == read.base || shelf.find(base).is_ok_and(|known| known.id == read.base)
            };
            let named = read.iter().filter(|read| base.as_ref().is_some_and(|base| is_named(read, base)));
            let mut last = None;
            for corpus in named.chain(&read) {
                corpus::check_text(&home, corpus)?;
                let opened = state.shelf.base(&corpus.base, Some(&corpus.generation))?;
                if opened.resolve(&id).is_some() {
                    return work(&home, &opened, &id);
                }
                last = Some(opened);
            }
            match last {
                Some(last) => work(&home, &last, &id),
                None => Err(Problem::new(ErrorCode::NotFound, format!("run {run} read no knowledge base"))),
            }
        });
        done.await.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
    }
}

/// The place of the paragraph that an id or a reference names.
fn place(base: &Base, id: &str, quotes: &[String]) -> Result<usize, Problem> {
    Ok(match base.resolve(id) {
        Some(Resolved::Paragraph(place)) => place,
        // A citation of a section leads to where it begins, or to the first of it that holds a quote.
        Some(Resolved::Section(members)) => {
            let holds = |place: &&usize| {
                let text = &base.paragraphs()[**place].text;
                quotes.iter().any(|quote| citations::locate(text, quote).is_some())
            };
            let first = members.first().copied().unwrap_or_default();
            members.iter().find(holds).copied().unwrap_or(first)
        }
        None => return Err(base.paragraph(id).err().map_or_else(|| nowhere(id), corpus::problem)),
    })
}

fn view(home: &Path, base: &Base, id: &str, quotes: &[String]) -> Result<ParagraphView, Problem> {
    let place = place(base, id, quotes)?;
    let paragraph = base.paragraphs().get(place).ok_or_else(|| nowhere(id))?;
    let mut headings = paragraph.path.clone();
    if !paragraph.title.is_empty() && headings.last() != Some(&paragraph.title) {
        headings.push(paragraph.title.clone());
    }
    let manifest = base.manifest();
    let file = base.file(paragraph);
    let original = file.map(|file| bases::original(home, &manifest.base, file));
    let unchanged = matches!(original, Some(Original::Unchanged(_)));
    Ok(ParagraphView {
        base: manifest.base.clone(),
        base_title: manifest.title.clone(),
        tier: manifest.tier.as_str().to_owned(),
        id: paragraph.id.clone(),
        citation: places_label(base, paragraph, quotes),
        document: if paragraph.doc.is_empty() { manifest.title.clone() } else { paragraph.doc.clone() },
        file: file.map(|file| file.name.clone()).unwrap_or_default(),
        // Of a shipped base, or one that was ingested before places were kept, nothing is wrong with the file.
        file_note: file
            .zip(original.as_ref())
            .filter(|(_, original)| !matches!(original, Original::Unknown))
            .and_then(|(file, original)| note(file, original))
            .into_iter()
            .chain(paragraph.recognised.as_ref().map(|known| picture_note(known, &paragraph.text)))
            .reduce(|file, picture| format!("{file}. {picture}")),
        path: match original {
            Some(Original::Unchanged(path)) => Some(path.to_string_lossy().into_owned()),
            Some(Original::Changed(..) | Original::Missing(_) | Original::Unknown) | None => None,
        },
        page: page_of(paragraph, quotes),
        drawable: unchanged && paragraph.page.is_some() && file.is_some_and(is_pdf),
        headings,
        context: paragraph.context.clone(),
        text: paragraph.text.clone(),
        struck: struck(paragraph),
        highlights: highlights(&paragraph.text, quotes),
        before: around(base, place, paragraph, false),
        after: around(base, place, paragraph, true),
        linked: linked(base, paragraph)?,
    })
}

fn struck(paragraph: &Paragraph) -> Vec<StruckWords> {
    let units = |at: usize| paragraph.text.get(..at).map(|before| before.encode_utf16().count());
    let struck = paragraph.struck.iter();
    struck
        .filter_map(|one| {
            Some(StruckWords { at: u32::try_from(units(one.at)?).ok()?, text: one.text.clone() })
        })
        .collect()
}

fn is_pdf(file: &SourceFile) -> bool {
    file.format == PDF || file.format == PICTURE
}

/// What is to be said about a text that was read from a picture.
fn picture_note(known: &documents::Recognised, text: &str) -> String {
    let note = known.note(text);
    note.strip_prefix("this").map_or(note.clone(), |rest| format!("This{rest}"))
}

/// What is to be said about a file that is not where it was, or not what it was.
fn note(file: &SourceFile, original: &Original) -> Option<String> {
    let SourceFile { name, sha256, .. } = file;
    match original {
        Original::Unchanged(_) => None,
        Original::Changed(path, now) => Some(format!(
            "{} was changed since it was ingested (SHA-256 {} then, {} now): the paragraph is as it was read",
            path.display(),
            sha256.short(),
            now.short()
        )),
        Original::Missing(path) => Some(format!(
            "{} is no longer there (SHA-256 {}): the paragraph is as it was read",
            path.display(),
            sha256.short()
        )),
        Original::Unknown => {
            Some(format!("Where {name} was ingested from is not known (SHA-256 {})", sha256.short()))
        }
    }
}

fn picture(
    home: &Path,
    base: &Base,
    id: &str,
    quotes: Vec<String>,
    page: Option<u32>,
    width: u32,
) -> Result<PagePicture, Problem> {
    let paragraph = base.paragraphs().get(place(base, id, &quotes)?).ok_or_else(|| nowhere(id))?;
    let refused = |message: String| Problem::new(ErrorCode::NotFound, message);
    let file = base.file(paragraph).ok_or_else(|| {
        refused("The file of this paragraph is not known".to_owned())
            .with_action("Ingest the knowledge base again; paragraphs then name their files")
    })?;
    let original = bases::original(home, &base.manifest().base, file);
    let Original::Unchanged(path) = &original else {
        let message = note(file, &original).unwrap_or_default();
        return Err(refused(message).with_action("Put the file back as it was, or ingest the folder again"));
    };
    let Some(begins) = page_of(paragraph, &quotes).filter(|_| is_pdf(file)) else {
        return Err(refused(format!("{} has no pages that can be drawn", file.name)));
    };
    let request = PageRequest {
        page: page.unwrap_or(begins),
        // A paragraph may begin on one page and hold its quote on one of the next.
        ahead: if page.is_none() { AHEAD } else { 0 },
        quotes: quotes.into_iter().take(QUOTES).collect(),
        text: paragraph.text.clone(),
        recognised: paragraph.recognised.clone(),
        width,
    };
    let drawn = Reader::of_this_program().draw(path, &request, &Limits::default(), &AtomicBool::new(false));
    let drawn = drawn.map_err(|error| {
        Problem::new(ErrorCode::Source, format!("{} cannot be drawn: {error}", path.display()))
    })?;
    let mark = |mark: &documents::PageMark| PageMark {
        x: mark.x,
        y: mark.y,
        width: mark.width,
        height: mark.height,
    };
    Ok(PagePicture {
        file: file.name.clone(),
        path: path.to_string_lossy().into_owned(),
        page: drawn.page,
        pages: drawn.pages,
        width: drawn.width,
        height: drawn.height,
        marks: drawn.marks.iter().map(mark).collect(),
        png: drawn.png,
    })
}

/// Whole paragraphs of the same document beside one, in reading order. Parts stand in their wholes already.
fn around(base: &Base, place: usize, paragraph: &Paragraph, after: bool) -> Vec<NeighbourText> {
    let all = base.paragraphs();
    let own = paragraph.part_of.as_ref();
    let fits =
        |other: &&Paragraph| other.part_of.is_none() && other.doc == paragraph.doc && Some(&other.id) != own;
    let mut found: Vec<&Paragraph> = if after {
        all.between(place + 1..all.len()).filter(fits).take(NEIGHBOURS).collect()
    } else {
        all.between(0..place).rev().filter(fits).take(NEIGHBOURS).collect()
    };
    if !after {
        found.reverse();
    }
    found.into_iter().map(|other| neighbour(base, other, usize::MAX)).collect()
}

fn linked(base: &Base, paragraph: &Paragraph) -> Result<Vec<NeighbourText>, Problem> {
    let mut linked: Vec<NeighbourText> = Vec::new();
    for neighbour_of in base.neighbours(&paragraph.id).map_err(corpus::problem)? {
        let known = neighbour_of.id == paragraph.id || linked.iter().any(|other| other.id == neighbour_of.id);
        if !known && let Ok(other) = base.paragraph(&neighbour_of.id) {
            linked.push(neighbour(base, other, LINKED_CHARS));
        }
        if linked.len() == LINKED {
            break;
        }
    }
    Ok(linked)
}

fn neighbour(base: &Base, paragraph: &Paragraph, chars: usize) -> NeighbourText {
    let mut text: String = paragraph.text.chars().take(chars).collect();
    if text.len() < paragraph.text.len() {
        text.push('…');
    }
    NeighbourText { id: paragraph.id.clone(), citation: base.label(paragraph), text }
}

/// Where quotes stand, in order, those that touch made one.
/// Where quotes stand in a paragraph, in bytes of its text.
fn places(paragraph: &Paragraph, quotes: &[String]) -> Vec<Range<usize>> {
    let found = quotes.iter().take(QUOTES).filter_map(|quote| citations::locate(&paragraph.text, quote));
    found.map(|(from, to)| from..to).collect()
}

/// The page on which the first of the quotes begins, else the paragraph.
fn page_of(paragraph: &Paragraph, quotes: &[String]) -> Option<u32> {
    let first = places(paragraph, quotes).into_iter().min_by_key(|place| place.start);
    paragraph.pages(first.unwrap_or(0..0)).map(|pages| pages.0)
}

fn places_label(base: &Base, paragraph: &Paragraph, quotes: &[String]) -> String {
    let label = base.places_label(paragraph, &places(paragraph, quotes));
    label.unwrap_or_else(|| base.citation(&paragraph.id))
}

fn highlights(text: &str, quotes: &[String]) -> Vec<TextRange> {
    let mut places: Vec<(usize, usize)> =
        quotes.iter().take(QUOTES).filter_map(|quote| citations::locate(text, quote)).collect();
    places.sort_unstable();
    let mut apart: Vec<(usize, usize)> = Vec::new();
    for (start, end) in places {
        match apart.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => apart.push((start, end)),
        }
    }
    let units = |end: usize| text.get(..end).map_or(0, |before| before.encode_utf16().count() as u32);
    apart.into_iter().map(|(start, end)| TextRange { start: units(start), end: units(end) }).collect()
}

fn nowhere(id: &str) -> Problem {
    let id: String = id.chars().take(100).collect();
    Problem::new(ErrorCode::NotFound, format!("there is no paragraph {id:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_counted_as_browsers_count() {
        let text = "Übung 𝒜: the auditor shall plan the work. Plan it well.";
        let found =
            highlights(text, &["The auditor shall plan".to_owned(), "shall plan the work".to_owned()]);
        let units: Vec<u16> = text.encode_utf16().collect();
        let words: Vec<String> = found
            .iter()
            .map(|range| String::from_utf16(&units[range.start as usize..range.end as usize]).unwrap())
            .collect();
        assert_eq!(words, ["the auditor shall plan the work"]);
        assert_eq!(highlights(text, &["the auditor need not plan".to_owned(), String::new()]), []);
    }
}
