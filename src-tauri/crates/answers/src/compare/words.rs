//! Texts beside each other, block by block, with the words marked that differ.

use super::alignment::{Stretch, align};
use super::pairs::{Pair, pairs};

/// Some words of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordSpan {
    /// The words, with the white space behind them.
    pub text: String,
    /// Whether the other side does not have them.
    pub changed: bool,
}

/// A block of both texts, or of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordRow {
    /// The block of the first text; `None`: it has none here.
    pub left: Option<Vec<WordSpan>>,
    /// The block of the second.
    pub right: Option<Vec<WordSpan>>,
}

impl WordRow {
    /// Whether both have the block with the same words.
    pub fn is_same(&self) -> bool {
        self.left.is_some() && self.left == self.right
    }
}

/// Two Markdown texts as rows. Links into the document are shown as their words alone: their numbers move with every
/// statement.
pub(super) fn rows(left: &str, right: &str) -> Vec<WordRow> {
    let (mut first, mut second) = (readable(left), readable(right));
    if first == second && left != right {
        (first, second) = (left.to_owned(), right.to_owned());
    }
    let (left, right) = (blocks(&first), blocks(&second));
    let whole = |block: &str, changed| Some(vec![WordSpan { text: block.to_owned(), changed }]);
    let row = |pair| match pair {
        Pair::Same(x, y) => WordRow { left: whole(left[x], false), right: whole(right[y], false) },
        Pair::Changed(x, y) => {
            let (left, right) = spans(left[x], right[y]);
            WordRow { left: Some(left), right: Some(right) }
        }
        Pair::Left(x) => WordRow { left: whole(left[x], true), right: None },
        Pair::Right(y) => WordRow { left: None, right: whole(right[y], true) },
    };
    pairs(&left, &right).into_iter().map(row).collect()
}

/// The words of two texts, with those marked that the other does not have.
pub(super) fn spans(left: &str, right: &str) -> (Vec<WordSpan>, Vec<WordSpan>) {
    let (a, b) = (words(left), words(right));
    let bare = |words: &[&str]| words.iter().map(|word| word.trim_end().to_owned()).collect::<Vec<_>>();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let (mut x, mut y) = (0, 0);
    for stretch in align(&bare(&a), &bare(&b)) {
        let (gone, come) = match stretch {
            Stretch::Same(count) => (count, count),
            Stretch::Left(count) => (count, 0),
            Stretch::Right(count) => (0, count),
        };
        let changed = !matches!(stretch, Stretch::Same(_));
        span(&mut first, &a[x..x + gone], changed);
        span(&mut second, &b[y..y + come], changed);
        (x, y) = (x + gone, y + come);
    }
    (first, second)
}

fn span(into: &mut Vec<WordSpan>, words: &[&str], changed: bool) {
    if words.is_empty() {
        return;
    }
    let text = words.concat();
    match into.last_mut().filter(|last| last.changed == changed) {
        Some(last) => last.text.push_str(&text),
        None => into.push(WordSpan { text, changed }),
    }
}

/// A text cut behind the white space after each word.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut blank = false;
    for (at, c) in text.char_indices() {
        if blank && !c.is_whitespace() {
            words.push(&text[start..at]);
            start = at;
        }
        blank = c.is_whitespace();
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// A Markdown text cut at blank lines; a fenced block stays in one piece.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let (mut start, mut at, mut fence) = (None, 0, None);
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let before = fence;
        fence = crate::prior::step_fence(fence, line.trim_end_matches('\n'));
        if line.trim().is_empty() && before.is_none() && fence.is_none() {
            if let Some(from) = start.take() {
                blocks.push(text[from..begin].trim_end());
            }
        } else if start.is_none() {
            start = Some(begin);
        }
    }
    blocks.extend(start.map(|from| text[from..].trim_end()));
    blocks
}

/// A text in which `[words](#anchor)` stands as its words.
fn readable(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(close) = rest.find("](#") {
        let Some(length) = rest[close..].find(')') else { break };
        match rest[..close].rfind('[').filter(|open| !rest[*open..close].contains('\n')) {
            Some(open) => {
                out.push_str(&rest[..open]);
                out.push_str(&rest[open + 1..close]);
            }
            None => out.push_str(&rest[..close + length + 1]),
        }
        rest = &rest[close + length + 1..];
    }
    out.push_str(rest);
    out
}
