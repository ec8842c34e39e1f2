//! Drafts of all pages to the blocks of the document: what needs to know the whole.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::marks::{PAGE, is_mark};
use crate::output::{self, Output};
use crate::{Block, BlockKind, BlockPosition, PageBreak, ReadError, Recognised, RecognisedLine};

use super::chapters;
use super::glyphs::Origin;
use super::labels;
use super::outline::Outline;
use super::paragraphs::{BREAK, Draft, Kind, join};
use super::scans::ScanLine;

/// Longest heading, in characters and in lines.
const HEADING: (usize, u32) = (240, 4);
/// A heading is at least so much larger than the text.
pub(super) const LARGER: f32 = 1.1;

/// All drafts so far.
#[derive(Default)]
pub(super) struct Drafts {
    all: Vec<Draft>,
    /// Bytes of text so far.
    pub bytes: usize,
    /// What was read from pictures, by page.
    scans: BTreeMap<u32, Vec<ScanLine>>,
}

impl Drafts {
    /// Takes a draft in; one that goes on from the column or page before is joined to what it goes on from.
    pub fn push(&mut self, draft: Draft) {
        self.bytes += draft.text.len();
        let continues =
            draft.first && draft.kind == Kind::Text && !draft.text.starts_with(char::is_uppercase);
        let last = self
            .all
            .iter_mut()
            .rev()
            .take(6)
            .find(|last| !matches!(last.kind, Kind::Footnote | Kind::Comment));
        if let Some(last) = last.filter(|last| continues && last.goes_on_with(&draft)) {
            last.go_on(&draft);
            last.lines += draft.lines;
            last.open = draft.open;
            last.origins.extend(draft.origins);
            return;
        }
        self.all.push(draft);
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Keeps what was read from a page's picture until its blocks are made.
    pub fn take_scan(&mut self, page: u32, lines: &[ScanLine]) {
        if !lines.is_empty() {
            self.scans.insert(page, lines.to_vec());
        }
    }

    /// Turns the drafts into blocks.
    pub fn finish(self, outline: &mut Outline, output: &mut Output<'_>) -> Result<(), ReadError> {
        let Self { all, scans, .. } = self;
        let body = body(&all);
        let all = chapters::merged(with_whole_footnotes(all, body), body);
        let words = Words::of(&all);
        let levels = Levels::new(&all, body, outline);
        let mut title: Option<(f32, String)> = None;
        let mut drafts = all.into_iter().peekable();
        while let Some(draft) = drafts.next() {
            let below = drafts.peek().filter(|next| draft.is_above_indented(next));
            let heading = levels.level(&draft, below.is_some(), body, outline);
            let text = words.mend(&draft.text);
            let (text, invisible) =
                if matches!(draft.kind, Kind::Code | Kind::Table | Kind::Footnote | Kind::Comment) {
                    output::clean_lines(&text)
                } else {
                    output::clean(&text)
                };
            output.removed(invisible);
            let kind = match (heading, draft.kind) {
                (Some(Looks::Heading(level)), _) => BlockKind::Heading(level),
                (Some(Looks::Term), _) => BlockKind::Term,
                (None, Kind::Text) => draft.inside.map_or(BlockKind::Paragraph, BlockKind::Item),
                (None, Kind::Item(level)) => BlockKind::Item(level),
                (None, Kind::Table) => BlockKind::Table,
                (None, Kind::Code) => BlockKind::Preformatted,
                (None, Kind::Footnote) => BlockKind::Footnote,
                (None, Kind::Comment) => BlockKind::Remark,
            };
            if draft.page == 1
                && draft.size > 1.2 * body
                && draft.kind == Kind::Text
                && title.as_ref().is_none_or(|(size, _)| draft.size > *size)
            {
                title = Some((draft.size, text.clone()));
            }
            let place = BlockPosition { page: Some(draft.page), line: None };
            let breaks = draft.pages.into_iter().map(|page| PageBreak { at: 0, page }).collect();
            let recognised = recognised(&draft.origins, &scans);
            output.push(Block { label: draft.label, breaks, recognised, ..Block::new(kind, text, place) })?;
        }
        if output.document.title.is_none() {
            output.document.title = title.map(|(_, text)| text);
        }
        Ok(())
    }
}

/// What is known of a draft that comes from pictures.
fn recognised(origins: &[(u32, Origin)], scans: &BTreeMap<u32, Vec<ScanLine>>) -> Option<Recognised> {
    let mut all: Option<Recognised> = None;
    for (page, origin) in origins {
        let one = match origin {
            Origin::Text => continue,
            Origin::Layer => Recognised::default(),
            Origin::Line(index) => {
                let read = scans.get(page).and_then(|lines| lines.get(usize::from(*index)));
                let Some(ScanLine { line, score, doubtful }) = read else { continue };
                let line = RecognisedLine { page: *page, ..*line };
                Recognised { score: Some(*score), doubtful: doubtful.clone(), lines: vec![line] }
            }
        };
        all.get_or_insert_with(Recognised::default).extend(&one);
    }
    all
}

impl Draft {
    /// Adds the text of `next`, and the page on which that stands.
    fn go_on(&mut self, next: &Self) {
        join(&mut self.text, &next.text);
        let last = self.pages.last().copied().unwrap_or(self.page);
        if next.page != last {
            self.text.insert(self.text.len() - next.text.len(), PAGE);
            self.pages.push(next.page);
        }
        self.pages.extend(&next.pages);
    }

    fn goes_on_with(&self, next: &Self) -> bool {
        let running = matches!(self.kind, Kind::Text | Kind::Item(_));
        let alike = self.size < 1.06 * next.size && next.size < 1.06 * self.size && self.bold == next.bold;
        // Below a line that stood alone, one with the number of a heading (`1.2 Rent`) is another heading.
        let rest = next.text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let numbered = rest.len() < next.text.len() && rest.trim_start().starts_with(char::is_uppercase);
        let numbered = numbered && self.lines.max(next.lines) == 1;
        running && alike && !numbered && self.open && next.page - self.pages.last().unwrap_or(&self.page) <= 1
    }
}

/// The size of most text.
fn body(drafts: &[Draft]) -> f32 {
    let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
    for draft in drafts.iter().filter(|draft| matches!(draft.kind, Kind::Text | Kind::Item(_))) {
        *sizes.entry((draft.size * 4.0).round() as u32).or_default() += draft.text.len();
    }
    let most = sizes.into_iter().max_by_key(|(size, count)| (*count, *size));
    most.map_or(10.0, |(size, _)| size as f32 / 4.0)
}

/// Joins what goes on with a footnote, below it or at the foot of the next page, to it.
fn with_whole_footnotes(drafts: Vec<Draft>, body: f32) -> Vec<Draft> {
    let mut out: Vec<Draft> = Vec::with_capacity(drafts.len());
    // The last footnote, and the page of its last line.
    let mut last: Option<(usize, u32)> = None;
    for draft in drafts {
        let small =
            draft.size < 0.93 * body && matches!(draft.kind, Kind::Text | Kind::Item(_)) && !draft.bold;
        if let Some((at, page)) = last.as_mut().filter(|_| small) {
            let (below, size) = (out.len() == *at + 1, draft.size);
            let note = &mut out[*at];
            let over = draft.page == *page + 1 && (note.open || draft.text.starts_with(char::is_lowercase));
            if (0.97..1.03).contains(&(size / note.size)) && (draft.page == *page && below || over) {
                if !(over && note.open) {
                    note.text.push('\n');
                }
                note.go_on(&draft);
                note.open = draft.open;
                note.origins.extend(draft.origins);
                *page = draft.page;
                continue;
            }
        }
        if draft.kind == Kind::Footnote {
            last = Some((out.len(), draft.page));
        }
        out.push(draft);
    }
    out
}

/// What a draft's looks make of it.
enum Looks {
    Heading(u8),
    /// A term that the text below defines.
    Term,
}

/// The levels of headings by their looks.
struct Levels {
    /// By style: the level, and whether bookmarks say so.
    styles: BTreeMap<(u32, bool), (u8, bool)>,
    /// Whether bookmarks name any heading.
    outlined: bool,
    /// Whether bold type alone makes a heading: not where a large part of the text is bold.
    bold: bool,
}

impl Levels {
    fn new(drafts: &[Draft], body: f32, outline: &Outline) -> Self {
        let lines = drafts.iter().filter(|draft| draft.bold).count();
        let mut levels =
            Self { styles: BTreeMap::new(), outlined: false, bold: lines * 5 < drafts.len() * 2 };
        let mut votes: BTreeMap<(u32, bool), BTreeMap<u8, usize>> = BTreeMap::new();
        for draft in drafts {
            if let Some(level) = outline.peek(&draft.titles()).filter(|_| draft.can_be_heading()) {
                *votes.entry(draft.style()).or_default().entry(level).or_default() += 1;
            }
        }
        levels.outlined = !votes.is_empty();
        let mut styles: Vec<(u32, bool)> = drafts
            .iter()
            .filter(|draft| !draft.gaps && levels.stands_out(draft, body))
            .map(Draft::style)
            .collect();
        styles.sort_unstable_by(|a, b| b.cmp(a));
        styles.dedup();
        let mut rank = 0;
        for style in styles {
            let voted = votes
                .get(&style)
                .and_then(|votes| votes.iter().max_by_key(|(level, count)| (**count, u8::MAX - **level)));
            rank = voted.map_or((rank + 1).min(6), |(level, _)| (*level).min(6));
            levels.styles.insert(style, (rank, voted.is_some()));
        }
        levels
    }

    fn stands_out(&self, draft: &Draft, body: f32) -> bool {
        let ends = draft.text.ends_with(['.', ';', ',', ':']) && draft.size < LARGER * body;
        let larger = draft.size >= LARGER * body;
        let bolder = self.bold && draft.bold && draft.size >= 0.96 * body && draft.lines <= 2;
        draft.may_be_heading() && (larger || bolder) && !ends
    }

    /// What the draft is if not running text; `indented` tells that the text below it is.
    fn level(&self, draft: &Draft, indented: bool, body: f32, outline: &mut Outline) -> Option<Looks> {
        if !draft.may_be_heading() {
            return None;
        }
        let looks = self.stands_out(draft, body);
        let titles = draft.titles();
        // The words of a bookmark in plain type may as well be a reference to it.
        let titles = if looks { titles.as_slice() } else { &titles[..usize::from(draft.lines == 1)] };
        if let Some(level) = outline.level(titles) {
            return Some(Looks::Heading(level.min(6)));
        }
        if !looks || draft.gaps {
            return None;
        }
        // Where bookmarks list the headings, other bold lines are items or terms.
        if self.outlined && draft.size < LARGER * body {
            match &draft.label {
                Some(label) if labels::depth(label).is_none_or(|depth| depth < 2) => return None,
                None if indented => return Some(Looks::Term),
                Some(_) | None => {}
            }
        }
        let (level, known) = self.styles.get(&draft.style()).copied()?;
        let numbered = draft
            .label
            .as_deref()
            .and_then(labels::depth)
            .filter(|depth| !known && (*depth > 1 || !self.outlined));
        Some(Looks::Heading(numbered.unwrap_or(level)))
    }
}

impl Draft {
    pub(super) fn can_be_heading(&self) -> bool {
        self.may_be_heading() && !self.gaps
    }

    /// Whether it is one if a bookmark says so: wide gaps can come from lines that are set to full width.
    fn may_be_heading(&self) -> bool {
        let kind = self.kind == Kind::Text || matches!(self.kind, Kind::Item(_)) && self.label.is_some();
        let letters = self.text.chars().any(char::is_alphabetic);
        kind && letters && self.lines <= HEADING.1 && self.text.len() <= HEADING.0
    }

    /// The words as a bookmark would give them, with and without their number.
    fn titles(&self) -> [String; 2] {
        let text = self.text.replace(BREAK, "");
        [format!("{} {text}", self.label.as_deref().unwrap_or_default()), text]
    }

    /// Whether `next` stands below it and further in.
    fn is_above_indented(&self, next: &Self) -> bool {
        let inwards = next.x0 - self.x0;
        self.page == next.page && (0.8 * self.size..6.0 * self.size).contains(&inwards)
    }

    fn style(&self) -> (u32, bool) {
        ((self.size * 2.0).round() as u32, self.bold)
    }
}

/// The words of the document, to tell `informa-tion` from `risk-based` at the end of a line.
struct Words(HashSet<u64>);

impl Words {
    fn of(drafts: &[Draft]) -> Self {
        let mut words = HashSet::new();
        for draft in drafts.iter().filter(|draft| draft.kind != Kind::Code) {
            let parts = draft.text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | BREAK | PAGE)));
            for word in parts.filter(|word| !word.is_empty() && !word.contains(BREAK)) {
                words.insert(hash(word));
            }
        }
        Self(words)
    }

    fn knows(&self, word: &str) -> bool {
        self.0.contains(&hash(word))
    }

    /// Replaces each hyphen in doubt by nothing or by a hyphen.
    fn mend(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(BREAK) {
            out.push_str(before);
            let letters = |c: char| c.is_alphanumeric() || c == '-';
            let start = out
                .rfind(|c: char| !letters(c))
                .map_or(0, |at| at + out[at..].chars().next().map_or(1, char::len_utf8));
            let head = &out[start..];
            let tail = after.trim_start_matches(is_mark);
            let tail = &tail[..tail.find(|c: char| !letters(c)).unwrap_or(tail.len())];
            let joined = self.knows(&format!("{head}{tail}"));
            let hyphenated = self.knows(&format!("{head}-{tail}"));
            let both = self.knows(head) && self.knows(tail) && head.len() > 2 && tail.len() > 2;
            if !joined && (hyphenated || both) {
                out.push('-');
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// The same in every run: the hasher's keys are fixed.
fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for c in word.chars().flat_map(char::to_lowercase) {
        c.hash(&mut hasher);
    }
    hasher.finish()
}
