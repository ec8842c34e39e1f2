//! Words added and removed between two versions of a document, part by part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::parts::{Part, key};

/// Words of two texts, multiplied, that are compared in their order; larger texts are compared as bags of words.
const MAX_CELLS: usize = 4_000_000_000;

/// What became of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartChange {
    /// The same words in the same order.
    Same,
    /// Other words.
    Changed,
    /// Only in the new version.
    Added,
    /// Only in the old version.
    Removed,
}

/// The difference of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PartDiff {
    /// The part.
    pub part: String,
    /// What became of it.
    pub change: PartChange,
    /// Words that the new version has and the old one has not.
    pub added: u64,
    /// Words that the old version has and the new one has not.
    pub removed: u64,
}

/// The difference of two versions: the parts of the new one in order, then those that it lost.
///
/// Parts are matched by id. Footnotes beside the text belong to it. White space does not count.
pub fn diff(old: &[Part], new: &[Part]) -> Vec<PartDiff> {
    let places = |parts: &[Part]| -> BTreeMap<String, usize> {
        parts.iter().enumerate().map(|(at, part)| (key(&part.id), at)).collect()
    };
    let (before, after) = (places(old), places(new));
    let mut rows: Vec<PartDiff> = new
        .iter()
        .map(|part| {
            let words = words_of(part);
            let Some(&at) = before.get(&key(&part.id)) else {
                return row(part, PartChange::Added, words.len(), 0);
            };
            let (added, removed) = changes(&words_of(&old[at]), &words);
            let change = if added + removed == 0 { PartChange::Same } else { PartChange::Changed };
            row(part, change, added, removed)
        })
        .collect();
    let lost = old.iter().filter(|part| !after.contains_key(&key(&part.id)));
    rows.extend(lost.map(|part| row(part, PartChange::Removed, 0, words_of(part).len())));
    rows
}

fn row(part: &Part, change: PartChange, added: usize, removed: usize) -> PartDiff {
    PartDiff { part: part.id.clone(), change, added: added as u64, removed: removed as u64 }
}

fn words_of(part: &Part) -> Vec<&str> {
    let notes = part.footnotes.iter().flat_map(|note| note.text.split_whitespace());
    part.markdown.split_whitespace().chain(notes).collect()
}

/// Words added and removed by the shortest edit of one text into another.
pub fn changes(old: &[&str], new: &[&str]) -> (usize, usize) {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let common = match old.len().saturating_mul(new.len()) <= MAX_CELLS {
        true => common_in_order(old, new),
        false => common(old, new),
    };
    (new.len() - common, old.len() - common)
}

/// The length of the longest common subsequence, 64 words at a time.
///
/// Source: H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004: a zero bit marks a word of the new text that
/// lengthens the common subsequence.
fn common_in_order(old: &[&str], new: &[&str]) -> usize {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, word) in new.iter().enumerate() {
        places.entry(word).or_default().push(at);
    }
    let blocks = new.len().div_ceil(64);
    let mut rows = vec![u64::MAX; blocks];
    let mut matches = vec![0_u64; blocks];
    for word in old {
        let Some(at) = places.get(word) else { continue };
        for place in at {
            matches[place / 64] |= 1 << (place % 64);
        }
        let mut carry = 0;
        for (row, hits) in rows.iter_mut().zip(&matches) {
            let (sum, first) = row.overflowing_add(*row & hits);
            let (sum, second) = sum.overflowing_add(carry);
            carry = u64::from(first || second);
            *row = sum | (*row & !hits);
        }
        for place in at {
            matches[place / 64] = 0;
        }
    }
    let zeros = rows.iter().enumerate().map(|(at, row)| {
        let used = (new.len() - at * 64).min(64);
        (0..used).filter(|bit| row >> bit & 1 == 0).count()
    });
    zeros.sum()
}

/// The words that both texts have, whatever their order.
fn common(old: &[&str], new: &[&str]) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in old {
        *counts.entry(word).or_default() += 1;
    }
    let mut is_common = |word: &&str| {
        counts.get_mut(*word).filter(|count| **count > 0).is_some_and(|count| {
            *count -= 1;
            true
        })
    };
    new.iter().filter(|word| is_common(word)).count()
}
