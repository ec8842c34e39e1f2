//! Pages: where each item and each footnote stands.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use crate::flow::Item;
use crate::style::{BOTTOM, NOTES_ABOVE, NOTES_BELOW, TOP};

/// Footnotes that need more than this part of a page may go on on the next one.
const MAX_WHOLE_NOTES: f32 = 0.35;
/// The part of a page that footnotes of earlier pages take at most.
const MAX_CARRIED: f32 = 0.6;

/// An item on a page.
#[derive(Debug, Clone)]
pub(crate) enum Placed {
    /// Of the text, by its index.
    Text(usize),
    /// The head of a table once more.
    Head(Rc<Item>),
    /// Of a footnote: its index, and that of its item.
    Note(usize, usize),
}

/// A page: what stands on it, with the distance from the top.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub items: Vec<(Placed, f32)>,
    /// Where the rule above the footnotes stands.
    pub rule: Option<f32>,
}

/// A document in pages.
#[derive(Debug)]
pub(crate) struct Layout {
    pub items: Vec<Item>,
    pub notes: BTreeMap<usize, Vec<Item>>,
    pub pages: Vec<Page>,
}

impl Layout {
    /// The item that stands there.
    pub(crate) fn item<'l>(&'l self, placed: &'l Placed) -> Option<&'l Item> {
        match placed {
            Placed::Text(index) => self.items.get(*index),
            Placed::Head(item) => Some(item),
            Placed::Note(note, index) => self.notes.get(note)?.get(*index),
        }
    }
}

/// Cuts a document into pages.
pub(crate) fn paginate(items: Vec<Item>, notes: BTreeMap<usize, Vec<Item>>) -> Layout {
    let mut paginator = Paginator {
        items: &items,
        notes: &notes,
        pages: Vec::new(),
        page: Page::default(),
        y: TOP,
        foot: Vec::new(),
        foot_height: 0.0,
        waiting: VecDeque::new(),
        marked: BTreeSet::new(),
    };
    let mut at = 0;
    while at < items.len() {
        let mut end = at + 1;
        while end < items.len() && items[end - 1].keeps_next && !items[end].breaks {
            end += 1;
        }
        paginator.group(at..end);
        at = end;
    }
    let pages = paginator.finish();
    Layout { items, notes, pages }
}

struct Paginator<'i> {
    items: &'i [Item],
    notes: &'i BTreeMap<usize, Vec<Item>>,
    pages: Vec<Page>,
    page: Page,
    /// Where the next item of the text begins.
    y: f32,
    /// Items of footnotes on this page.
    foot: Vec<(usize, usize)>,
    foot_height: f32,
    /// Those for which there was no room.
    waiting: VecDeque<(usize, usize)>,
    /// Footnotes that stand on a page or wait for one.
    marked: BTreeSet<usize>,
}

impl Paginator<'_> {
    fn is_empty(&self) -> bool {
        self.page.items.is_empty()
    }

    /// The room that is left for text and new footnotes.
    fn room(&self) -> f32 {
        let rule = if self.foot.is_empty() { 0.0 } else { NOTES_ABOVE + NOTES_BELOW };
        BOTTOM - self.y - self.foot_height - rule
    }

    /// What footnotes that are new on this page need.
    fn notes_need(&self, notes: &[usize]) -> f32 {
        let new = notes.iter().filter(|note| !self.marked.contains(note)).collect::<BTreeSet<_>>();
        let height: f32 = new
            .into_iter()
            .filter_map(|note| self.notes.get(note))
            .flatten()
            .map(|item| item.before + item.height)
            .sum();
        if height > 0.0 && self.foot.is_empty() { height + NOTES_ABOVE + NOTES_BELOW } else { height }
    }

    /// Puts items that belong together on this page, or on the next.
    fn group(&mut self, range: std::ops::Range<usize>) {
        let items = self.items;
        let Some(group) = items.get(range.clone()) else { return };
        if group.first().is_some_and(|first| first.breaks) && !self.is_empty() {
            self.next_page();
        }
        let before = if self.is_empty() { 0.0 } else { group.first().map_or(0.0, |first| first.before) };
        let rest: f32 = group.iter().skip(1).map(|item| item.before).sum();
        let height = before + rest + group.iter().map(|item| item.height).sum::<f32>();
        let notes: Vec<usize> = group.iter().flat_map(|item| item.notes.iter().copied()).collect();
        let need = self.notes_need(&notes);
        if height + need <= self.room() {
            return range.for_each(|index| self.place(index));
        }
        // Long footnotes are begun here and go on on the next page.
        let is_long = need > (BOTTOM - TOP) * MAX_WHOLE_NOTES;
        let begun = NOTES_ABOVE + NOTES_BELOW + 40.0;
        if is_long && height + begun <= self.room() {
            return range.for_each(|index| self.place(index));
        }
        if !self.is_empty() && height <= BOTTOM - TOP {
            self.next_page();
            return self.group(range);
        }
        // More than a page: one by one.
        for index in range {
            let item = &items[index];
            let before = if self.is_empty() { 0.0 } else { item.before };
            let least = if item.notes.is_empty() { 0.0 } else { self.notes_need(&item.notes).min(begun) };
            if before + item.height + least > self.room() && !self.is_empty() {
                self.next_page();
            }
            self.place(index);
        }
    }

    fn place(&mut self, index: usize) {
        let item = &self.items[index];
        if self.is_empty() {
            if let Some(head) = &item.head {
                self.page.items.push((Placed::Head(Rc::clone(head)), self.y));
                self.y += head.height;
            }
        } else {
            self.y += item.before;
        }
        self.page.items.push((Placed::Text(index), self.y));
        self.y += item.height;
        for note in &item.notes {
            if self.marked.insert(*note) {
                let count = self.notes.get(note).map_or(0, Vec::len);
                self.waiting.extend((0..count).map(|item| (*note, item)));
            }
        }
        self.notes_that_fit(BOTTOM);
    }

    /// Moves waiting footnotes to the foot while there is room, and while they take at most `most` of the page.
    fn notes_that_fit(&mut self, most: f32) {
        while let Some((note, index)) = self.waiting.front().copied() {
            let Some(item) = self.notes.get(&note).and_then(|items| items.get(index)) else {
                self.waiting.pop_front();
                continue;
            };
            let rule = if self.foot.is_empty() { NOTES_ABOVE + NOTES_BELOW } else { 0.0 };
            let height = item.before + item.height;
            if rule + height > self.room() || self.foot_height + height > most {
                return;
            }
            self.waiting.pop_front();
            self.foot.push((note, index));
            self.foot_height += height;
        }
    }

    fn next_page(&mut self) {
        let mut page = std::mem::take(&mut self.page);
        if !self.foot.is_empty() {
            let mut y = BOTTOM - self.foot_height;
            page.rule = Some(y - NOTES_BELOW);
            for (note, index) in std::mem::take(&mut self.foot) {
                let Some(item) = self.notes.get(&note).and_then(|items| items.get(index)) else { continue };
                y += item.before;
                page.items.push((Placed::Note(note, index), y));
                y += item.height;
            }
        }
        self.pages.push(page);
        (self.y, self.foot_height) = (TOP, 0.0);
        self.notes_that_fit((BOTTOM - TOP) * MAX_CARRIED);
    }

    fn finish(mut self) -> Vec<Page> {
        while !self.is_empty() || !self.foot.is_empty() || self.pages.is_empty() {
            let waiting = self.waiting.len();
            self.next_page();
            // What does not fit on an empty page is not waited for.
            if self.waiting.len() == waiting && self.foot.is_empty() {
                break;
            }
        }
        self.pages
    }
}
