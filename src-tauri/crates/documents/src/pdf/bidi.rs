//! Reading order within a line: on paper Hebrew and Arabic run from right to left, and what is sorted by place has
//! their letters the wrong way round.

use unicode_bidi::{BidiClass, bidi_class};
use unicode_normalization::UnicodeNormalization;

use super::columns;
use super::words::{Span, Word};

/// Letters of which more stand at the wrong end of words than at the right one, before a page is taken as it stands.
const MIN_VOTES: i32 = 2;

const PAIRS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»')];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Left,
    Right,
    Digit,
    /// Belongs to the numbers on both of its sides.
    Separator,
    /// A sign before or behind a number, such as `%`.
    Terminator,
    /// A mark on the letter before it.
    Mark,
    Neutral,
}

fn kind(c: char, arabic: bool) -> Kind {
    match bidi_class(c) {
        BidiClass::L => Kind::Left,
        BidiClass::R | BidiClass::AL => Kind::Right,
        BidiClass::EN | BidiClass::AN => Kind::Digit,
        BidiClass::CS => Kind::Separator,
        BidiClass::ES if !arabic => Kind::Separator,
        BidiClass::ET if !arabic => Kind::Terminator,
        BidiClass::NSM => Kind::Mark,
        _ => Kind::Neutral,
    }
}

/// Whether `c` is a letter that is written from right to left.
pub(super) fn is_right(c: char) -> bool {
    c >= '\u{590}' && matches!(bidi_class(c), BidiClass::R | BidiClass::AL)
}

/// Whether `c` stands above or below the letter before it.
pub(super) fn is_mark(c: char) -> bool {
    c >= '\u{300}' && bidi_class(c) == BidiClass::NSM
}

/// Letters of `text` that run from right to left, and those that run from left to right.
pub(super) fn letters(text: impl Iterator<Item = char>) -> (usize, usize) {
    text.fold((0, 0), |(right, left), c| {
        (right + usize::from(is_right(c)), left + usize::from(c.is_alphabetic() && !is_right(c)))
    })
}

/// The characters of a text that stands in reading order, from left to right as they are drawn.
pub(super) fn visual(text: &str) -> Vec<char> {
    let chars: Vec<char> = text.chars().collect();
    if !chars.iter().copied().any(is_right) {
        return chars;
    }
    // What undoes the order makes it as well.
    let (right, left) = letters(chars.iter().copied());
    order(&chars, right > left).into_iter().map(|place| place.character(&chars)).collect()
}

/// A character in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SignPosition {
    /// Where it stands from the left.
    pub at: usize,
    /// Whether it is a bracket that is drawn the other way round.
    mirrored: bool,
}

impl SignPosition {
    pub fn character(self, chars: &[char]) -> char {
        let c = chars[self.at];
        if self.mirrored { mirror(c).unwrap_or(c) } else { c }
    }
}

fn mirror(c: char) -> Option<char> {
    PAIRS.iter().find_map(|(open, close)| match c {
        _ if c == *open => Some(*close),
        _ if c == *close => Some(*open),
        _ => None,
    })
}

/// The reading order of characters as they stand from left to right; `right` tells that their line is read from the right.
pub(super) fn order(chars: &[char], right: bool) -> Vec<SignPosition> {
    let arabic = chars.iter().any(|c| bidi_class(*c) == BidiClass::AL);
    let line = Line { kinds: chars.iter().map(|c| kind(*c, arabic)).collect() };
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        if right {
            line.turned(at, chars.len(), &mut out);
            break;
        }
        let end = if line.kinds[at] == Kind::Right { line.run(at) } else { at + 1 };
        if line.kinds[at] == Kind::Right {
            line.turned(at, end, &mut out);
        } else {
            out.push(SignPosition { at, mirrored: false });
        }
        at = end;
    }
    // Brackets are drawn towards what they hold, or stored as they are read: the first one tells.
    let first = out.iter().find(|place| place.mirrored && mirror(chars[place.at]).is_some());
    let closes = first.is_some_and(|place| PAIRS.iter().any(|(_, close)| chars[place.at] == *close));
    out.iter_mut().for_each(|place| place.mirrored &= closes);
    out
}

struct Line {
    kinds: Vec<Kind>,
}

impl Line {
    /// The end of the letters from the right that start at `at`, with what stands between them.
    fn run(&self, at: usize) -> usize {
        let mut end = at + 1;
        for (index, kind) in self.kinds.iter().enumerate().skip(at + 1) {
            match kind {
                Kind::Left => break,
                Kind::Right => end = index + 1,
                Kind::Mark if index == end => end = index + 1,
                _ => {}
            }
        }
        end
    }

    /// From the last to the first, but for numbers and words that run from the left.
    fn turned(&self, start: usize, end: usize, out: &mut Vec<SignPosition>) {
        let mut groups: Vec<(usize, usize, bool)> = Vec::new();
        let mut at = start;
        while at < end {
            let island = self.island(at, end);
            let stop = island
                .unwrap_or_else(|| (at + 1..end).find(|next| self.kinds[*next] != Kind::Mark).unwrap_or(end));
            groups.push((at, stop, island.is_none()));
            at = stop;
        }
        for (from, to, mirrored) in groups.into_iter().rev() {
            out.extend((from..to).map(|at| SignPosition { at, mirrored }));
        }
    }

    /// The end of numbers and words from the left that start at `at`.
    fn island(&self, at: usize, end: usize) -> Option<usize> {
        let (mut stop, mut latin) = self.atom(at, end)?;
        loop {
            let between = |kind: &Kind| matches!(kind, Kind::Neutral | Kind::Separator | Kind::Terminator);
            let next = stop + self.kinds[stop..end].iter().take_while(|kind| between(kind)).count();
            match self.atom(next, end) {
                Some((further, word)) if latin || word => (stop, latin) = (further, latin || word),
                _ => return Some(stop),
            }
        }
    }

    /// The end of one number or word from the left, and whether it is a word.
    fn atom(&self, at: usize, end: usize) -> Option<(usize, bool)> {
        let count = |from: usize, is: &dyn Fn(Kind) -> bool| {
            self.kinds[from..end].iter().take_while(|kind| is(**kind)).count()
        };
        if at < end && self.kinds[at] == Kind::Left {
            let word = |kind| matches!(kind, Kind::Left | Kind::Digit | Kind::Mark);
            return Some((at + count(at, &word), true));
        }
        let sign = |kind| kind == Kind::Terminator;
        let digit = |kind| matches!(kind, Kind::Digit | Kind::Mark);
        let first = at + count(at, &sign);
        if first >= end || self.kinds[first] != Kind::Digit {
            return None;
        }
        let mut stop = first + count(first, &digit);
        while stop + 1 < end && self.kinds[stop] == Kind::Separator && self.kinds[stop + 1] == Kind::Digit {
            stop += 1 + count(stop + 1, &digit);
        }
        stop += count(stop, &sign);
        Some((stop, false))
    }
}

impl Span {
    /// The span on a page that is read from the right: what stands on the right comes first.
    pub fn mirrored(mut self, width: f32) -> Self {
        // A space that stood before a word now stands before its neighbour.
        let parted: Vec<bool> = (1..self.words.len()).map(|index| self.parts(index)).collect();
        let (x0, x1) = (width - self.x1, width - self.x0);
        let mut spaces = parted.into_iter().rev();
        self.words.reverse();
        for (index, word) in self.words.iter_mut().enumerate() {
            (word.x0, word.x1) = (width - word.x1, width - word.x0);
            word.spaced = index == 0 || spaces.next().unwrap_or(true);
        }
        Self { x0, x1, ..self }
    }

    /// Puts the words and their letters in reading order; `mirrored` tells that they run from the right.
    fn put_in_order(&mut self, mirrored: bool, right: bool) {
        let order_of_words: Vec<usize> =
            if mirrored { (0..self.words.len()).rev().collect() } else { (0..self.words.len()).collect() };
        let (mut chars, mut owners) = (Vec::new(), Vec::new());
        for (place, &index) in order_of_words.iter().enumerate() {
            let between = if mirrored { index + 1 } else { index };
            if place > 0 && self.parts(between) {
                chars.push(' ');
                owners.push(None);
            }
            for c in self.words[index].text.chars() {
                chars.push(c);
                owners.push(Some(index));
            }
        }
        let mut words: Vec<Word> = Vec::new();
        let mut last = None;
        for place in order(&chars, right) {
            let owner = owners[place.at];
            let Some(index) = owner else {
                last = None;
                continue;
            };
            let text = plain(place.character(&chars));
            match words.last_mut().filter(|_| last == owner) {
                Some(word) => word.text.extend(text),
                None => words.push(Word {
                    text: text.collect(),
                    spaced: last.is_none(),
                    joined: last.is_some(),
                    ..self.words[index].clone()
                }),
            }
            last = owner;
        }
        self.words = words;
        self.plain = true;
    }
}

impl columns::Line {
    /// Puts the line in reading order; `in_order` tells that its letters already are.
    pub fn put_in_order(&mut self, mirrored: bool, in_order: bool) {
        let all = self.cells.iter().flat_map(|cell| &cell.words).flat_map(|word| word.text.chars());
        let (right, left) = letters(all);
        if in_order {
            for word in self.cells.iter_mut().flat_map(|cell| &mut cell.words) {
                word.text = word.text.chars().flat_map(plain).collect();
            }
        } else if right > 0 || mirrored {
            for cell in &mut self.cells {
                cell.put_in_order(mirrored, right > left);
            }
        }
    }
}

/// What letters with forms of their own at the end or the start of a word tell of its order: more than 0 for one that is
/// in reading order from left to right, less for one that is drawn from right to left.
pub(super) fn vote(word: &str) -> i32 {
    let chars: Vec<char> = word.chars().flat_map(plain).filter(|c| is_right(*c)).collect();
    let [first, .., last] = chars.as_slice() else { return 0 };
    let ends = |c: char| i32::from(matches!(c, 'ך' | 'ם' | 'ן' | 'ף' | 'ץ' | 'ة' | 'ى'));
    let article = |c: [char; 2]| i32::from(chars.len() > 3 && c == ['ا', 'ل']);
    let back = [chars[chars.len() - 1], chars[chars.len() - 2]];
    ends(*last) - ends(*first) + article([chars[0], chars[1]]) - article(back)
}

/// Whether a page's votes say that its text stands in reading order already.
pub(super) fn is_in_order(votes: i32) -> bool {
    votes >= MIN_VOTES
}

/// A letter in place of the forms that it takes within words.
pub(super) fn plain(c: char) -> impl Iterator<Item = char> {
    let form = matches!(c, '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    let one = (!form).then_some(c);
    one.into_iter().chain(std::iter::once(c).filter(move |_| form).nfkc())
}

/// A character in place of its double, which old charsets of East Asia and lists of radicals have.
pub(super) fn unified(c: char) -> char {
    let is_double = matches!(c, '\u{2e9f}' | '\u{2ef3}' | '\u{2f00}'..='\u{2fd5}' | '\u{3038}'..='\u{303a}' | '\u{f900}'..='\u{faff}');
    if is_double { std::iter::once(c).nfkc().next().unwrap_or(c) } else { c }
}

#[cfg(test)]
mod tests;
