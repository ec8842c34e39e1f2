//! What leads around a page and is no part of its text: taken away where it is links, or a small share of the page. A
//! class name that holds most of a manual is no navigation.

use std::collections::BTreeMap;

use super::hidden::Furniture;
use super::tree::Id;
use crate::omissions::Omission;

/// The share of a page, in hundredths, that one rule may take away of what are no links.
const MAX_SHARE: usize = 10;
/// What the language itself calls navigation may take so many bytes of a short page.
const SHORT_BYTES: usize = 150;

/// How much was read so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Read {
    bytes: usize,
    /// How much of it stands in links.
    linked: usize,
    /// Counted within furniture only.
    words: usize,
}

impl Read {
    pub(super) fn add(&mut self, text: &str, linked: bool, in_furniture: bool) {
        let bytes = text.trim().len();
        self.bytes += bytes;
        self.linked += if linked { bytes } else { 0 };
        if in_furniture {
            self.words += text.split_whitespace().count();
        }
    }

    fn since(self, begin: Self) -> Self {
        Self {
            bytes: self.bytes - begin.bytes,
            linked: self.linked - begin.linked,
            words: self.words - begin.words,
        }
    }

    fn is_links(self) -> bool {
        self.linked * 2 >= self.bytes
    }
}

#[derive(Debug)]
struct Piece {
    furniture: Furniture,
    node: Id,
    /// The first node behind it.
    end: Id,
    /// What was read before it; once it has ended, what stands in it.
    size: Read,
}

/// The elements of a page that may be furniture, in order.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    all: Vec<Piece>,
    open: usize,
}

impl Pieces {
    pub(super) fn any_open(&self) -> bool {
        self.open > 0
    }

    pub(super) fn begin(&mut self, furniture: Furniture, node: Id, read: Read) -> usize {
        self.open += 1;
        self.all.push(Piece { furniture, node, end: node, size: read });
        self.all.len() - 1
    }

    pub(super) fn end(&mut self, piece: usize, next: Id, read: Read) {
        self.open -= 1;
        if let Some(piece) = self.all.get_mut(piece) {
            piece.end = next;
            piece.size = read.since(piece.size);
        }
    }

    /// What is taken away of a page of this size: the elements, what they are, and their words.
    pub(super) fn removals(&self, page: Read) -> Vec<(Id, Omission, usize)> {
        let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
        for piece in self.all.iter().filter(|piece| !piece.size.is_links()) {
            *sums.entry(piece.furniture.name).or_default() += piece.size.bytes;
        }
        let mut taken = Vec::new();
        let mut end = 0;
        for piece in &self.all {
            let sum = sums.get(piece.furniture.name).copied().unwrap_or(0);
            let small = sum * 100 <= page.bytes * MAX_SHARE || (piece.furniture.sure && sum <= SHORT_BYTES);
            if piece.node >= end && (piece.size.is_links() || small) {
                taken.push((piece.node, piece.furniture.kind, piece.size.words));
                end = piece.end;
            }
        }
        taken
    }
}
