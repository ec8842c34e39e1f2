//! The forward pass of an encoder of the BERT family (Devlin et al. 2019, post-norm), over texts laid end to end: none
//! is padded, and none sees another.

use fearless_simd::prelude::*;

use super::matrix::{Matrix, PANEL, Rows, product, quantise};

/// Rows of attention that are computed at a time; bounds the scores kept for a long text.
const BLOCK: usize = 64;
/// Sums over a row run in this many lanes on every processor, so that all give the same.
const LANES: usize = 16;

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    /// That of the first token.
    First,
    /// Their mean.
    Mean,
}

/// Sizes of a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sizes {
    pub(super) vocabulary: usize,
    pub(super) positions: usize,
    pub(super) types: usize,
    pub(super) hidden: usize,
    pub(super) heads: usize,
    pub(super) intermediate: usize,
    pub(super) layers: usize,
    pub(super) epsilon: f32,
}

/// Scale and shift of a layer norm.
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// Rows that are looked up, as 16-bit integers with a scale each.
pub(super) struct Table {
    columns: usize,
    scales: Vec<f32>,
    numbers: Vec<i16>,
}

/// One layer.
pub(super) struct Layer {
    /// Queries, keys and values side by side.
    pub(super) attention: Matrix,
    pub(super) attention_out: Matrix,
    pub(super) attention_norm: Norm,
    pub(super) up: Matrix,
    pub(super) down: Matrix,
    pub(super) norm: Norm,
}

/// An encoder.
pub(super) struct Network {
    pub(super) sizes: Sizes,
    pub(super) words: Table,
    /// Position and the one token type in use, added.
    pub(super) places: Vec<f32>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    pub(super) pooling: Pooling,
}

/// Memory that is used again from one pass to the next.
#[derive(Default)]
pub(super) struct Scratch {
    states: Vec<f32>,
    attention: Vec<f32>,
    context: Vec<f32>,
    inner: Vec<f32>,
    scores: Vec<f32>,
    panel: Vec<[f32; PANEL]>,
    keys: Vec<[f32; PANEL]>,
    values: Vec<[f32; PANEL]>,
}

impl Table {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self { columns, scales: Vec::with_capacity(rows), numbers: Vec::with_capacity(rows * columns) }
    }

    pub(super) fn push(&mut self, row: &[f32]) {
        let (scale, numbers) = quantise(row);
        self.numbers.extend(numbers);
        self.scales.push(scale);
    }
}

impl Network {
    /// One vector of length 1 for each text, given by its tokens: at least one, at most as many as there are
    /// positions, each within the vocabulary.
    #[inline(always)]
    pub(super) fn encode<S: Simd>(&self, simd: S, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        let hidden = self.sizes.hidden;
        let tokens = texts.iter().map(|text| text.len()).sum::<usize>();
        let Scratch { states, attention, context, inner, panel, .. } = scratch;
        states.resize(tokens * hidden, 0.0);
        attention.resize(tokens * 3 * hidden, 0.0);
        context.resize(tokens * hidden, 0.0);
        inner.resize(tokens * self.sizes.intermediate, 0.0);
        let places = texts.iter().flat_map(|text| text.iter().zip(self.places.chunks_exact(hidden)));
        for ((token, place), state) in places.zip(states.chunks_exact_mut(hidden)) {
            let token = *token as usize;
            let scale = self.words.scales[token];
            let word = &self.words.numbers[token * hidden..][..self.words.columns];
            for ((state, word), place) in state.iter_mut().zip(word).zip(place) {
                *state = f32::from(*word) * scale + place;
            }
        }
        self.normalise(&self.norm, states);
        for layer in &self.layers {
            layer.attention.apply(simd, states, attention, panel, |out, value| *out = value);
            let mut first = 0;
            for text in texts {
                let rows = first..first + text.len();
                self.attend(
                    simd,
                    &attention[rows.start * 3 * hidden..rows.end * 3 * hidden],
                    &mut context[rows.start * hidden..rows.end * hidden],
                    (&mut scratch.scores, &mut scratch.keys, &mut scratch.values),
                );
                first = rows.end;
            }
            layer.attention_out.apply(simd, context, states, panel, |state, value| *state += value);
            self.normalise(&layer.attention_norm, states);
            layer.up.apply(simd, states, inner, panel, |out, value| *out = gelu(value));
            layer.down.apply(simd, inner, states, panel, |state, value| *state += value);
            self.normalise(&layer.norm, states);
        }
        let mut rest = states.as_slice();
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            let (rows, others) = rest.split_at(text.len() * hidden);
            vectors.push(self.pool(rows));
            rest = others;
        }
        vectors
    }

    /// Softmax(query · key / √width) · value, for each head of one text.
    #[inline(always)]
    fn attend<S: Simd>(
        &self,
        simd: S,
        attention: &[f32],
        context: &mut [f32],
        (scores, keys, values): (&mut Vec<f32>, &mut Vec<[f32; PANEL]>, &mut Vec<[f32; PANEL]>),
    ) {
        let hidden = self.sizes.hidden;
        let width = hidden / self.sizes.heads;
        let length = context.len() / hidden;
        let factor = 1.0 / (width as f32).sqrt();
        let panels = length.div_ceil(PANEL);
        scores.resize(BLOCK * panels * PANEL, 0.0);
        for head in 0..self.sizes.heads {
            let (query, key, value) = (head * width, hidden + head * width, 2 * hidden + head * width);
            keys.clear();
            keys.resize(panels * width, [0.0; PANEL]);
            values.clear();
            values.resize(width.div_ceil(PANEL) * length, [0.0; PANEL]);
            for (token, row) in attention.chunks_exact(3 * hidden).enumerate() {
                for (n, number) in row[key..key + width].iter().enumerate() {
                    keys[token / PANEL * width + n][token % PANEL] = *number;
                }
                for (n, numbers) in row[value..value + width].chunks(PANEL).enumerate() {
                    values[n * length + token][..numbers.len()].copy_from_slice(numbers);
                }
            }
            for first in (0..length).step_by(BLOCK) {
                let count = BLOCK.min(length - first);
                let stride = panels * PANEL;
                let queries = Rows {
                    data: &attention[first * 3 * hidden + query..],
                    stride: 3 * hidden,
                    count,
                    length: width,
                };
                for (n, keys) in keys.chunks_exact(width).enumerate() {
                    product(simd, &queries, keys, |row, sums| {
                        let scores = &mut scores[row * stride + n * PANEL..][..PANEL];
                        for (score, sum) in scores.iter_mut().zip(sums) {
                            *score = sum * factor;
                        }
                    });
                }
                for row in scores.chunks_exact_mut(stride).take(count) {
                    softmax(&mut row[..length]);
                }
                let weights = Rows { data: scores, stride, count, length };
                for (n, values) in values.chunks_exact(length).enumerate() {
                    let columns = PANEL.min(width - n * PANEL);
                    product(simd, &weights, values, |row, sums| {
                        context[(first + row) * hidden + query + n * PANEL..][..columns]
                            .copy_from_slice(&sums[..columns]);
                    });
                }
            }
        }
    }

    #[inline(always)]
    fn normalise(&self, norm: &Norm, states: &mut [f32]) {
        for state in states.chunks_exact_mut(self.sizes.hidden) {
            let mean = sum(state, |number| number) / state.len() as f32;
            let variance = sum(state, |number| (number - mean) * (number - mean)) / state.len() as f32;
            let factor = 1.0 / (variance + self.sizes.epsilon).sqrt();
            for ((number, weight), bias) in state.iter_mut().zip(&norm.weight).zip(&norm.bias) {
                *number = (*number - mean) * factor * weight + bias;
            }
        }
    }

    #[inline(always)]
    fn pool(&self, states: &[f32]) -> Vec<f32> {
        let (first, others) = states.split_at(self.sizes.hidden);
        let mut vector = first.to_vec();
        // Length 1 makes the mean of the sum, and the mean by the root of the count as well.
        if self.pooling == Pooling::Mean {
            for row in others.chunks_exact(self.sizes.hidden) {
                for (sum, number) in vector.iter_mut().zip(row) {
                    *sum += number;
                }
            }
        }
        let length = sum(&vector, |number| number * number).sqrt().max(f32::MIN_POSITIVE);
        for number in &mut vector {
            *number /= length;
        }
        vector
    }
}

#[inline(always)]
fn sum(numbers: &[f32], each: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += each(*number);
        }
    }
    for (lane, number) in lanes.iter_mut().zip(rest) {
        *lane += each(*number);
    }
    lanes.iter().sum()
}

#[inline(always)]
fn softmax(scores: &mut [f32]) {
    let mut lanes = [f32::MIN; LANES];
    let (chunks, rest) = scores.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, score) in lanes.iter_mut().zip(chunk) {
            *lane = if *score > *lane { *score } else { *lane };
        }
    }
    let largest = lanes.iter().chain(rest).fold(f32::MIN, |largest, score| largest.max(*score));
    for score in scores.iter_mut() {
        *score = exp(*score - largest);
    }
    let factor = 1.0 / sum(scores, |score| score);
    for score in scores {
        *score *= factor;
    }
}

/// e to a power, for powers up to 0 (below -87 it stays at about 1e-38), to about 1e-7 relative: 2 to the nearest
/// whole power of 2, times the Taylor series of what remains. Branchless, so that loops over it are vectorised.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this rounds to a whole number and leaves it in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // The high part of ln 2 has few bits, so that its product with a whole number is exact.
    const LN_2_HIGH: f32 = 355.0 / 512.0;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x > -87.0 { x } else { -87.0 };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let mut series = 1.0 / 5_040.0;
    for factor in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * rest + factor;
    }
    f32::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// x · Φ(x), by erfc after Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 7.1.26 (to 1.5e-7).
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut series = 1.061_405_4;
    for factor in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        series = series * t + factor;
    }
    let tail = series * t * exp(-z * z);
    let positive = if x > 0.0 { x } else { 0.0 };
    positive - 0.5 * x.abs() * tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_e_are_right_to_a_few_units_in_the_last_place() {
        for step in 0..=87_000 {
            let x = step as f32 / -1_000.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 3e-7, "{x}: {error}");
        }
        assert!(exp(-1e30) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    /// erf by its series, which converges for every argument; enough terms for |x| <= 6.
    fn erf(x: f64) -> f64 {
        let (mut term, mut total) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            total += term / f64::from(2 * n + 1);
        }
        total * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn the_activation_is_the_exact_one_not_that_by_tanh() {
        for step in -5_000..=5_000 {
            let x = step as f32 / 1_000.0;
            let expected = f64::from(x) * 0.5 * (1.0 + erf(f64::from(x) / std::f64::consts::SQRT_2));
            assert!((f64::from(gelu(x)) - expected).abs() < 1e-6, "{x}");
        }
    }
}
