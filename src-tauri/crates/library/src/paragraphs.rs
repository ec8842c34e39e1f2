//! The command that shows a paragraph with its surroundings.

use std::path::Path;

use domain::{ErrorCode, Problem, RunId};
use knowledge::{Base, Paragraph, Resolved};
use protocol::{NeighbourText, ParagraphView, TextRange};

use crate::{Library, bases, corpus};

/// Neighbours on each side.
const NEIGHBOURS: usize = 2;
/// Linked paragraphs, and characters of each.
const LINKED: usize = 20;
const LINKED_CHARS: usize = 200;
/// Quotes that are looked for.
const QUOTES: usize = 50;

impl Library {
    /// A paragraph with its surroundings.
    pub async fn paragraph_show(
        &self,
        base: Option<String>,
        run: Option<RunId>,
        id: String,
        quotes: Vec<String>,
    ) -> Result<ParagraphView, Problem> {
        let mut read = None;
        let (base, generation) = match (run, base) {
            (Some(run), _) => {
                let corpus = self.env.engine.load(&run).await?.pinned.corpus.clone();
                let corpus = corpus.ok_or_else(|| {
                    Problem::new(ErrorCode::NotFound, format!("run {run} read no knowledge base"))
                })?;
                read = Some(corpus.clone());
                (corpus.base, Some(corpus.generation))
            }
            (None, Some(base)) => (base, None),
            (None, None) => {
                return Err(Problem::new(ErrorCode::InvalidInput, "name a knowledge base or a run"));
            }
        };
        let (state, home) = (self.state.clone(), self.env.home.clone());
        let work = move || -> Result<ParagraphView, Problem> {
            read.map_or(Ok(()), |read| corpus::check_text(&home, &read))?;
            let base = state.shelf.base(&base, generation.as_deref())?;
            view(&home, &base, &id, &quotes)
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
    }
}

fn view(home: &Path, base: &Base, id: &str, quotes: &[String]) -> Result<ParagraphView, Problem> {
    let place = match base.resolve(id) {
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
    };
    let paragraph = base.paragraphs().get(place).ok_or_else(|| nowhere(id))?;
    let mut headings = paragraph.path.clone();
    if !paragraph.title.is_empty() && headings.last() != Some(&paragraph.title) {
        headings.push(paragraph.title.clone());
    }
    let manifest = base.manifest();
    // A generation of the first format does not say which of several files a paragraph is of.
    let told = manifest.format > 1 || manifest.sources.len() == 1;
    let file = usize::try_from(paragraph.file).ok().and_then(|at| manifest.sources.get(at)).filter(|_| told);
    Ok(ParagraphView {
        base: manifest.base.clone(),
        base_title: manifest.title.clone(),
        tier: manifest.tier.as_str().to_owned(),
        id: paragraph.id.clone(),
        citation: base.citation(&paragraph.id),
        document: if paragraph.doc.is_empty() { manifest.title.clone() } else { paragraph.doc.clone() },
        file: file.map(|file| file.name.clone()).unwrap_or_default(),
        path: file.and_then(|file| bases::place_of(home, &manifest.base, file)),
        page: paragraph.page,
        headings,
        text: paragraph.text.clone(),
        highlights: highlights(&paragraph.text, quotes),
        before: around(base, place, paragraph, false),
        after: around(base, place, paragraph, true),
        linked: linked(base, paragraph)?,
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
    NeighbourText { id: paragraph.id.clone(), citation: base.citation(&paragraph.id), text }
}

/// Where quotes stand, in order, those that touch made one.
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
