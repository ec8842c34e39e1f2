//! Words in the blocks of stored texts: BM25.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::Text;

/// Saturation of a word's count.
const K1: f64 = 1.2;
/// How much a block's length counts.
const B: f64 = 0.75;
/// The most words of a question that count.
const MAX_QUERY_WORDS: usize = 64;

/// A block that answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The text's place in what was searched.
    pub text: usize,
    /// The block's number.
    pub block: u32,
    /// How well it fits; comparable within one search.
    pub score: f64,
}

/// Words in their form for comparing.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        let mut word = word.to_lowercase();
        // "ton" finds "tons", and "class" stays what it is.
        if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
            word.pop();
        }
        word
    })
}

/// The blocks that fit best, at most `limit`.
pub fn search(texts: &[Text], query: &str, limit: usize) -> Vec<Match> {
    let wanted: BTreeSet<String> = words(query).take(MAX_QUERY_WORDS).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut blocks = Vec::new();
    let mut frequency: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut count, mut length) = (0_usize, 0_usize);
    for (index, text) in texts.iter().enumerate() {
        for block in &text.blocks {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            let mut block_length = 0;
            for word in words(&block.text) {
                block_length += 1;
                if let Some(word) = wanted.get(&word) {
                    *counts.entry(word).or_default() += 1;
                }
            }
            count += 1;
            length += block_length;
            if !counts.is_empty() {
                counts.keys().for_each(|word| *frequency.entry(word).or_default() += 1);
                blocks.push((index, block.number, block_length, counts));
            }
        }
    }
    let average = length as f64 / count.max(1) as f64;
    let mut matches: Vec<Match> = blocks
        .into_iter()
        .map(|(text, block, block_length, counts)| {
            let score = counts.iter().map(|(word, times)| {
                let holding = frequency.get(word).copied().unwrap_or_default() as f64;
                let rarity = ((count as f64 - holding + 0.5) / (holding + 0.5) + 1.0).ln();
                let times = *times as f64;
                let long = 1.0 - B + B * block_length as f64 / average.max(1.0);
                rarity * times * (K1 + 1.0) / (times + K1 * long)
            });
            Match { text, block, score: score.sum() }
        })
        .collect();
    matches.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.text, a.block).cmp(&(b.text, b.block))));
    matches.truncate(limit);
    matches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use crate::text::TextBlock;
    use domain::Digest;
    use pretty_assertions::assert_eq;

    fn text(blocks: &[&str]) -> Text {
        let blocks = blocks.iter().zip(1..).map(|(text, number)| TextBlock {
            number,
            page: None,
            heading: None,
            label: None,
            text: (*text).to_owned(),
            links: Vec::new(),
        });
        Text {
            object: Digest::of(b"x"),
            kind: Kind::Html,
            title: None,
            pages: None,
            blocks: blocks.collect(),
            notes: Vec::new(),
        }
    }

    fn found(texts: &[Text], query: &str) -> Vec<(usize, u32)> {
        search(texts, query, 10).into_iter().map(|hit| (hit.text, hit.block)).collect()
    }

    #[test]
    fn rare_words_weigh_more_than_common_ones() {
        let texts = [
            text(&["the water of the river", "the composition of the water", "the weather"]),
            text(&["the sea"]),
        ];
        assert_eq!(found(&texts, "composition of the water")[0], (0, 2));
        assert_eq!(found(&texts, "sea"), [(1, 1)]);
        assert_eq!(found(&texts, "mountain"), []);
        assert_eq!(found(&texts, " ,. "), []);
    }

    #[test]
    fn letter_case_and_plural_do_not_matter_and_short_blocks_come_first() {
        let long = format!("ton {}", "other words follow here ".repeat(20));
        let texts = [text(&[&long, "Tons of it", "the class"])];
        assert_eq!(found(&texts, "TON"), [(0, 2), (0, 1)]);
        assert_eq!(found(&texts, "classes"), []);
        assert_eq!(found(&texts, "class"), [(0, 3)]);
    }

    #[test]
    fn equal_blocks_come_in_reading_order_and_no_more_than_asked_for() {
        let texts = [text(&["one word", "one word"]), text(&["one word"])];
        assert_eq!(found(&texts, "word"), [(0, 1), (0, 2), (1, 1)]);
        assert_eq!(search(&texts, "word", 2).len(), 2);
    }
}
