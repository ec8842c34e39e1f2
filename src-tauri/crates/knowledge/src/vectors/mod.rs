//! Vectors of paragraphs: stored beside the index, compared one by one with that of a question.
//!
//! Only whole paragraphs have vectors. Up to 100,000 of them an exact scan takes a few milliseconds, so there
//! is no approximate index.

mod file;
mod make;

pub(crate) use file::{read, write};
pub(crate) use make::make;

/// A vector of length 1 for each whole paragraph, in document order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vectors {
    /// The model's stable name.
    pub(crate) model: String,
    pub(crate) dimensions: usize,
    /// One row after the other.
    pub(crate) rows: Vec<f32>,
}

impl Vectors {
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / self.dimensions.max(1)
    }

    /// The vector of the whole paragraph of that number.
    pub(crate) fn row(&self, number: usize) -> Option<&[f32]> {
        self.rows.get(number * self.dimensions..(number + 1) * self.dimensions)
    }

    /// The cosine of `query` with each row, in order. `query` has length 1 and as many dimensions.
    pub(crate) fn similarities<'v>(&'v self, query: &'v [f32]) -> impl Iterator<Item = f32> + 'v {
        self.rows.chunks_exact(self.dimensions.max(1)).map(|row| dot(row, query))
    }
}

/// Sixteen sums at a time: one order of additions on every machine, and wide registers where there are any.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// `vector` at length 1; all zeros where it has none.
pub(crate) fn normalised(vector: &[f32]) -> Vec<f32> {
    let length = dot(vector, vector).sqrt();
    let scale = if length.is_finite() && length > 0.0 { 1.0 / length } else { 0.0 };
    vector.iter().map(|value| if scale > 0.0 { value * scale } else { 0.0 }).collect()
}
