//! Running headers, footers and page numbers: what stands at the same place of several pages.

use std::collections::VecDeque;

use super::chapters;
use super::columns::{Line, Region};
use super::scans::ScanLine;

/// Pages looked at on each side of a page.
pub(super) const WINDOW: usize = 6;
/// Lines at either end of a page that can be furniture.
const LINES: usize = 3;
/// Share of the height at either end of a page in which furniture stands.
const ZONE: f32 = 0.17;
/// Furniture moves less than this between pages.
const DRIFT: f32 = 4.0;

/// Most words beside the number in a line that says which page it is.
const PAGE_WORDS: usize = 2;
/// Words before a page's number.
const PAGES: [&str; 14] = [
    "page", "p", "pg", "sheet", "of", "seite", "blatt", "von", "página", "pagina", "sida", "side", "strona",
    "стр",
];

/// A page as laid out.
#[derive(Debug)]
pub(super) struct Sheet {
    pub number: u32,
    pub height: f32,
    pub regions: Vec<Region>,
    /// What people wrote beside the text.
    pub comments: Vec<String>,
    /// What was read from its picture, by line.
    pub scan: Vec<ScanLine>,
}

/// A line at the end of a page, ready to be compared with other pages'.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edge {
    region: usize,
    line: usize,
    y: f32,
    top: bool,
    /// Its words without what changes from page to page.
    shape: String,
    /// How far a number at its start or end is from the page's own.
    offset: Option<i64>,
}

impl Sheet {
    /// The lines at both ends of the page.
    pub fn edges(&self) -> Vec<Edge> {
        let mut all: Vec<(usize, usize, &Line)> = Vec::new();
        for (region, content) in self.regions.iter().enumerate() {
            all.extend(content.lines.iter().enumerate().map(|(line, content)| (region, line, content)));
        }
        all.sort_by(|a, b| a.2.y.total_cmp(&b.2.y));
        let edge = |top: bool| {
            move |(region, line, content): &(usize, usize, &Line)| {
                let text = content.text();
                Edge {
                    region: *region,
                    line: *line,
                    y: content.y,
                    top,
                    shape: shape(&text),
                    offset: number(&text).map(|number| number - i64::from(self.number)),
                }
            }
        };
        // The line above a chapter's number is part of its heading.
        let names = |at: &&(usize, usize, &Line)| !chapters::is_name(&at.2.text());
        let tops =
            all.iter().take(LINES).filter(|at| at.2.y < ZONE * self.height).filter(names).map(edge(true));
        let bottoms =
            all.iter().rev().take(LINES).filter(|at| at.2.y > (1.0 - ZONE) * self.height).map(edge(false));
        tops.chain(bottoms).collect()
    }

    /// Takes out the edges that other pages have as well, and counts them; `need` of them must agree.
    pub fn strip(&mut self, edges: &[Edge], others: &[&[Edge]], need: usize) -> usize {
        let mut out: Vec<(usize, usize)> = edges
            .iter()
            .filter(|edge| {
                others.iter().filter(|page| page.iter().any(|other| edge.repeats(other))).count() >= need
            })
            .map(|edge| (edge.region, edge.line))
            .collect();
        out.sort_unstable();
        // Pages alike in their only lines are short pages, not empty ones.
        let lines: usize = self.regions.iter().map(|region| region.lines.len()).sum();
        if out.len() == lines && others.iter().all(|page| page.len() <= edges.len()) {
            return 0;
        }
        let mut taken = 0;
        for (index, region) in self.regions.iter_mut().enumerate() {
            let those = out.iter().rev().filter(|(at, _)| *at == index);
            // A table goes as a whole or not at all.
            if region.table.is_none() || those.clone().count() == region.lines.len() {
                taken += those.clone().count();
                those.for_each(|(_, line)| _ = region.lines.remove(*line));
            }
        }
        self.regions.retain(|region| !region.lines.is_empty());
        taken
    }
}

impl Edge {
    fn repeats(&self, other: &Self) -> bool {
        let place = self.top == other.top && (self.y - other.y).abs() <= DRIFT;
        place && (self.shape == other.shape || self.offset.is_some() && self.offset == other.offset)
    }
}

/// Lower case, with page numbers, Roman ones too, as `#`. Numbers with parts are those of sections; one in the middle of
/// words counts something of the page's own, unless a word says that it counts the pages.
fn shape(text: &str) -> String {
    let mut out = String::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_short = words.iter().filter(|word| word.contains(char::is_alphabetic)).count() <= PAGE_WORDS;
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before]).to_lowercase();
        let counts_pages = is_short
            || at == 0
            || at + 1 == words.len()
            || PAGES.contains(&before.trim_end_matches('.'))
            || !before.contains(char::is_alphanumeric);
        let core = word.trim_matches(|c: char| !c.is_alphanumeric());
        let roman = core.len() <= 6 && core.chars().all(|c| "ivxlcIVXLC".contains(c));
        if counts_pages && (roman || core.chars().all(|c| c.is_ascii_digit())) {
            out.push('#');
        } else {
            out.extend(word.chars().flat_map(char::to_lowercase));
        }
        out.push(' ');
    }
    out
}

/// The number at the end or the start of a line.
fn number(text: &str) -> Option<i64> {
    let parse = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).parse::<i64>().ok();
    let mut words = text.split_whitespace();
    let first = words.next()?;
    words.next_back().and_then(parse).or_else(|| parse(first)).filter(|number| (0..100_000).contains(number))
}

/// Pages on their way through: each leaves once the pages after it are known.
#[derive(Default)]
pub(super) struct Window {
    before: VecDeque<Vec<Edge>>,
    waiting: VecDeque<(Sheet, Vec<Edge>)>,
    /// How many lines were taken out.
    pub taken: usize,
}

impl Window {
    /// Takes a page in; gives back the one that is ready.
    pub fn push(&mut self, sheet: Sheet, pages: usize) -> Option<Sheet> {
        let edges = sheet.edges();
        self.waiting.push_back((sheet, edges));
        if self.waiting.len() > WINDOW { self.pop(pages) } else { None }
    }

    /// The next page, its furniture taken out; `pages` is how many the document has.
    pub fn pop(&mut self, pages: usize) -> Option<Sheet> {
        let (mut sheet, edges) = self.waiting.pop_front()?;
        let others: Vec<&[Edge]> = self
            .before
            .iter()
            .map(Vec::as_slice)
            .chain(self.waiting.iter().map(|(_, edges)| edges.as_slice()))
            .collect();
        if pages > 1 {
            self.taken += sheet.strip(&edges, &others, 2.min(pages - 1));
        }
        self.before.push_back(edges);
        if self.before.len() > WINDOW {
            self.before.pop_front();
        }
        Some(sheet)
    }
}
