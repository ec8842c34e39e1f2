//! Where a passage stands on a page.
//!
//! Both are compared by their letters and digits alone: hyphens at the ends of lines, the bars of tables and spaces are
//! not the same on paper and in a paragraph. What a page break or a footnote parts is found in pieces.

use super::layout::PlacedWord;

/// Fewest letters of a passage's first piece on the page, and of each further one.
const MIN_FIRST_PIECE_LETTERS: usize = 24;
const MIN_NEXT_PIECE_LETTERS: usize = 10;
/// Most letters compared.
const MAX_PASSAGE_LETTERS: usize = 4_000;
const MAX_PAGE_LETTERS: usize = 20_000;
/// Most pieces of one passage.
const MAX_PIECES: usize = 64;

/// A box around words of one line, in points from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mark {
    pub x0: f32,
    pub y0: f32,
    pub x1: f32,
    pub y1: f32,
}

/// What a page shows of some passages.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shown {
    /// Letters of the passages that stand on the page.
    pub letters: usize,
    /// Boxes around them.
    pub marks: Vec<Mark>,
}

/// Finds `passages` among the words of a page in reading order.
pub(super) fn shown(words: &[PlacedWord], passages: &[String]) -> Shown {
    let page = Letters::of(words);
    let mut marked = vec![false; words.len()];
    let mut found = 0;
    for passage in passages {
        let passage: Vec<char> = letters(passage).take(MAX_PASSAGE_LETTERS).collect();
        for (start, end) in pieces(&page.letters, &passage) {
            found += end - start;
            page.words[start..end].iter().for_each(|word| marked[*word] = true);
        }
    }
    Shown { letters: found, marks: boxes(words, &marked) }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The letters of a page, and the word of each.
struct Letters {
    letters: Vec<char>,
    words: Vec<usize>,
}

impl Letters {
    fn of(words: &[PlacedWord]) -> Self {
        let all = words.iter().enumerate();
        let all = all.flat_map(|(index, word)| letters(&word.text).map(move |letter| (letter, index)));
        let (letters, words) = all.take(MAX_PAGE_LETTERS).unzip();
        Self { letters, words }
    }
}

/// Ranges of `page` that are pieces of `passage`, in order.
fn pieces(page: &[char], passage: &[char]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if passage.is_empty() {
        return found;
    }
    if let Some(start) = page.windows(passage.len()).position(|window| window == passage) {
        return vec![(start, start + passage.len())];
    }
    let mut open = vec![(0, page.len(), 0, passage.len(), MIN_FIRST_PIECE_LETTERS)];
    let (mut covered, mut at_an_end) = (0, false);
    while let Some((from, to, begin, end, least)) = open.pop() {
        let (at, place, length) = longest(&page[from..to], &passage[begin..end]);
        if length < least || found.len() == MAX_PIECES {
            continue;
        }
        let (at, place) = (from + at, begin + place);
        found.push((at, at + length));
        covered += length;
        at_an_end |= length >= MIN_FIRST_PIECE_LETTERS && (place == 0 || place + length == passage.len());
        // What is left of the passage lies on the same side, not far away.
        let near = 2 * passage.len();
        open.push((from.max(at.saturating_sub(near)), at, begin, place, MIN_NEXT_PIECE_LETTERS));
        open.push((at + length, to.min(at + length + near), place + length, end, MIN_NEXT_PIECE_LETTERS));
    }
    // Words in common are not the passage: most of it is here, or one end of what goes on over a page break.
    if 2 * covered < passage.len() && !at_an_end {
        return Vec::new();
    }
    found.sort_unstable();
    found
}

/// The longest run of letters that both have: its places and its length.
fn longest(page: &[char], passage: &[char]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    let mut above = vec![0_usize; passage.len() + 1];
    let mut row = above.clone();
    for (at, letter) in page.iter().enumerate() {
        for (place, other) in passage.iter().enumerate() {
            let length = if letter == other { above[place] + 1 } else { 0 };
            row[place + 1] = length;
            if length > best.2 {
                best = (at + 1 - length, place + 1 - length, length);
            }
        }
        std::mem::swap(&mut above, &mut row);
    }
    best
}

/// Marked words that stand side by side on a line, in one box each.
fn boxes(words: &[PlacedWord], marked: &[bool]) -> Vec<Mark> {
    let mut boxes: Vec<Mark> = Vec::new();
    let mut last: Option<usize> = None;
    for (index, word) in words.iter().enumerate().filter(|(index, _)| marked[*index]) {
        let goes_on = last.is_some_and(|last| last + 1 == index && words[last].line == word.line);
        match boxes.last_mut().filter(|_| goes_on) {
            Some(open) => {
                open.x0 = open.x0.min(word.x0);
                open.x1 = open.x1.max(word.x1);
                open.y0 = open.y0.min(word.y0);
                open.y1 = open.y1.max(word.y1);
            }
            None => boxes.push(Mark { x0: word.x0, y0: word.y0, x1: word.x1, y1: word.y1 }),
        }
        last = Some(index);
    }
    boxes
}

#[cfg(test)]
mod tests;
