//! Similarity learned from the base itself: latent semantic indexing, for a base without a model's vectors.
//!
//! Words that keep the same company come to lie close together in [`DIMENSIONS`] dimensions, and so do a question
//! and a paragraph that share meaning rather than words. Learned by a truncated singular value decomposition of
//! the weighted counts of stems (crate `svd`).

use svd::{Dense, Sparse, factor};

use crate::index::Words;
use crate::index::bytes::{Reader, put_size, put_u32s};

/// Dimensions; from 48 to 128 they measure alike.
const DIMENSIONS: usize = 64;
/// Fewer paragraphs than this keep no company worth learning from.
const MIN_ROWS: usize = 16;
/// The most rows that are learned from, evenly taken; all others are placed among them.
const MAX_ROWS: usize = 20_000;
/// A stem that only one paragraph holds says nothing about its company.
const MIN_HOLDING: u32 = 2;

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lsi {
    /// By stem: its direction, weighted by how rare the stem is; zero where nothing was learned about it.
    stems: QuantisedRows,
    /// By whole paragraph, in document order: its direction.
    paragraphs: QuantisedRows,
}

impl Lsi {
    /// Learns from the whole paragraphs, given by their positions, and the numbers of the stems below `stems`;
    /// none where there are too few paragraphs.
    pub(crate) fn learn(words: &Words, stems: usize, wholes: &[u32]) -> Option<Self> {
        if wholes.len() < MIN_ROWS {
            return None;
        }
        let counts = counted(words, stems, wholes);
        let mut rarity = vec![0.0_f32; stems];
        let mut holding = vec![0_u32; rarity.len()];
        counts.entries().for_each(|(stem, _)| holding[stem] += 1);
        for (rarity, &holding) in rarity.iter_mut().zip(&holding) {
            if holding >= MIN_HOLDING {
                let (all, holding) = (wholes.len() as f64, f64::from(holding));
                *rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln() as f32;
            }
        }
        let weighted = counts.map(|stem, count| (1.0 + count.ln()) * rarity[stem]).with_rows_of_length_one();
        let mut stems = factor(&weighted.sampled(MAX_ROWS), DIMENSIONS)?;
        let placed = weighted.times(&stems);
        for (stem, &rarity) in rarity.iter().enumerate() {
            stems.row_mut(stem).iter_mut().for_each(|value| *value *= rarity);
        }
        Some(Self { stems: QuantisedRows::new(&stems, false), paragraphs: QuantisedRows::new(&placed, true) })
    }

    /// The cosine of each whole paragraph with a question, given by its stems and how often it has each; nothing
    /// where nothing was learned about any of them.
    pub(crate) fn similarities(&self, question: &[(usize, f32)]) -> Option<impl Iterator<Item = f32> + '_> {
        let mut sum = vec![0.0_f32; self.stems.dimensions];
        for &(stem, count) in question {
            let Some((scale, row)) = self.stems.row(stem) else { continue };
            for (sum, &value) in sum.iter_mut().zip(row) {
                *sum += count * scale * f32::from(value);
            }
        }
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        // Whole numbers, so that every machine compares alike.
        let fixed: Vec<i32> = sum.iter().map(|value| (value / length * 32_767.0).round() as i32).collect();
        (length > 0.0).then(|| {
            let rows = self.paragraphs.values.chunks_exact(self.paragraphs.dimensions.max(1));
            rows.zip(&self.paragraphs.scales).map(move |(row, scale)| {
                let dot: i32 = row.iter().zip(&fixed).map(|(&value, with)| i32::from(value) * with).sum();
                (dot as f32 * scale / 32_767.0).clamp(-1.0, 1.0)
            })
        })
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        self.stems.put(out);
        self.paragraphs.put(out);
    }

    /// As it was stored for a base of so many stems and whole paragraphs.
    pub(crate) fn read(from: &mut Reader<'_>, stems: usize, wholes: usize) -> Option<Self> {
        let read = Self { stems: QuantisedRows::read(from)?, paragraphs: QuantisedRows::read(from)? };
        let fits = read.stems.scales.len() == stems
            && read.paragraphs.scales.len() == wholes
            && read.stems.dimensions == read.paragraphs.dimensions;
        fits.then_some(read)
    }
}

/// How often each whole paragraph has each stem in its title and text.
fn counted(words: &Words, stems: usize, wholes: &[u32]) -> Sparse {
    let positions = wholes.last().map_or(0, |&last| last as usize + 1);
    let mut rows = vec![usize::MAX; positions];
    wholes.iter().enumerate().for_each(|(row, &position)| rows[position as usize] = row);
    let row = |position: u32| rows.get(position as usize).copied().filter(|&row| row != usize::MAX);
    let each = || {
        (0..stems).flat_map(|stem| {
            words.postings(stem).filter_map(move |posting| {
                let count = posting.counts[0];
                Some((row(posting.position).filter(|_| count > 0)?, stem, count as f32))
            })
        })
    };
    Sparse::new(wholes.len(), stems, each)
}

/// Rows of numbers in a byte each, with a scale for each row.
#[derive(Debug, Clone, PartialEq)]
struct QuantisedRows {
    dimensions: usize,
    scales: Vec<f32>,
    values: Vec<i8>,
}

impl QuantisedRows {
    /// `direction`: the scales make the length of every row 1.
    fn new(dense: &Dense, direction: bool) -> Self {
        let mut packed = Self { dimensions: dense.columns, scales: Vec::new(), values: Vec::new() };
        for row in dense.rows() {
            let most = row.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
            let step = if most > 0.0 { most / 127.0 } else { 1.0 };
            let from = packed.values.len();
            packed.values.extend(row.iter().map(|value| (value / step).round() as i8));
            let squares: i32 = packed.values[from..].iter().map(|&value| i32::from(value).pow(2)).sum();
            let length = (squares as f32).sqrt().max(1.0);
            packed.scales.push(if direction { 1.0 / length } else { step });
        }
        packed
    }

    fn row(&self, number: usize) -> Option<(f32, &[i8])> {
        let row = self.values.get(number * self.dimensions..(number + 1) * self.dimensions)?;
        Some((*self.scales.get(number)?, row))
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_size(out, self.dimensions);
        put_u32s(out, &self.scales.iter().map(|scale| scale.to_bits()).collect::<Vec<_>>());
        out.extend(self.values.iter().map(|&value| value as u8));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let dimensions = from.size().filter(|&dimensions| (1..=DIMENSIONS).contains(&dimensions))?;
        let scales: Vec<f32> = from.u32s()?.into_iter().map(f32::from_bits).collect();
        let values =
            from.take(scales.len().checked_mul(dimensions)?)?.iter().map(|&byte| byte as i8).collect();
        scales.iter().all(|scale| scale.is_finite()).then_some(Self { dimensions, scales, values })
    }
}

#[cfg(test)]
mod tests {
    use super::{Dense, Lsi, QuantisedRows};
    use crate::index::bytes::Reader;

    fn dense(columns: usize, values: &[f32]) -> Dense {
        Dense { columns, values: values.to_vec() }
    }

    #[test]
    fn packed_rows_are_close_and_are_read_as_written() {
        let lsi = Lsi {
            stems: QuantisedRows::new(&dense(2, &[0.5, -0.25, 0.0, 0.0, 3.0, 4.0]), false),
            paragraphs: QuantisedRows::new(&dense(2, &[0.6, 0.8, -1.0, 0.0]), true),
        };
        let similar: Vec<f32> = lsi.similarities(&[(2, 1.0)]).unwrap().collect();
        assert!((similar[0] - 1.0).abs() < 0.01 && (similar[1] + 0.6).abs() < 0.01, "{similar:?}");
        assert!(lsi.similarities(&[(1, 1.0), (99, 1.0)]).is_none());
        let mut stored = Vec::new();
        lsi.put(&mut stored);
        assert_eq!(Lsi::read(&mut Reader::new(&stored), 3, 2), Some(lsi));
        assert_eq!(Lsi::read(&mut Reader::new(&stored), 3, 1), None);
        assert_eq!(Lsi::read(&mut Reader::new(&stored[..stored.len() - 1]), 3, 2), None);
    }
}
