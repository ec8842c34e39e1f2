//! Products with weights that stay fixed: stored once as 16-bit integers with a scale for each output, in panels that
//! a product reads front to back.
//!
//! A product of few rows (a query) is bound by how fast the weights come from memory, so half the bytes are nearly
//! half the time. The rounding is at most 1/65534 of a row's largest weight, finer than half precision.
//!
//! Invariant: each sum runs over its terms in order, in one accumulator, fused where the processor can. So a result
//! depends neither on the number of rows nor on the width of the vectors.

use fearless_simd::prelude::*;

/// Columns of a panel.
pub(super) const PANEL: usize = 32;
/// Rows that are multiplied at a time.
const TILE_ROWS: usize = 8;

/// Weights of a linear layer: `output = input · weightsᵀ + bias`.
pub(super) struct Matrix {
    inputs: usize,
    outputs: usize,
    /// Panel by panel: for each input, the weights of the panel's outputs.
    panels: Vec<[i16; PANEL]>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

/// The scale of a row of finite numbers, and the row in steps of it.
pub(super) fn quantise(row: &[f32]) -> (f32, impl Iterator<Item = i16> + '_) {
    // Adding this rounds to a whole number, whose lowest bits it leaves there; far quicker than asking for rounding on
    // processors that the compiler must assume.
    const ROUND: f32 = 12_582_912.0;
    // Of numbers without sign, the bits are in the order of the numbers; and integers need no order of comparison.
    let largest = f32::from_bits(row.iter().map(|number| number.abs().to_bits()).max().unwrap_or(0));
    // Of a row of zeros, or of numbers near the smallest there are, zeros remain.
    let inverse = if largest > 1e-30 { 32_767.0 / largest } else { 0.0 };
    (largest / 32_767.0, row.iter().map(move |number| (number * inverse + ROUND).to_bits() as i16))
}

impl Matrix {
    pub(super) fn new(inputs: usize, outputs: usize) -> Self {
        let panels = outputs.div_ceil(PANEL);
        Self {
            inputs,
            outputs,
            panels: vec![[0; PANEL]; panels * inputs],
            scales: vec![0.0; panels * PANEL],
            bias: vec![0.0; panels * PANEL],
        }
    }

    /// Sets the weights of one output.
    pub(super) fn set(&mut self, output: usize, weights: &[f32], bias: f32) {
        let (panel, column) = (output / PANEL, output % PANEL);
        let (scale, weights) = quantise(weights);
        for (place, weight) in self.panels[panel * self.inputs..][..self.inputs].iter_mut().zip(weights) {
            place[column] = weight;
        }
        self.scales[output] = scale;
        self.bias[output] = bias;
    }

    /// The products of these rows, each element handed to `store` with its place in `out`.
    #[inline(always)]
    pub(super) fn apply<S: Simd>(
        &self,
        simd: S,
        input: &[f32],
        out: &mut [f32],
        panel: &mut Vec<[f32; PANEL]>,
        store: impl Fn(&mut f32, f32),
    ) {
        panel.resize(self.inputs.max(panel.len()), [0.0; PANEL]);
        let rows =
            Rows { data: input, stride: self.inputs, count: input.len() / self.inputs, length: self.inputs };
        for (number, stored) in self.panels.chunks_exact(self.inputs).enumerate() {
            for (to, from) in panel.iter_mut().zip(stored) {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = f32::from(*from);
                }
            }
            let first = number * PANEL;
            let width = PANEL.min(self.outputs - first);
            let scales = &self.scales[first..first + PANEL];
            let bias = &self.bias[first..first + PANEL];
            product(simd, &rows, &panel[..self.inputs], |row, sums| {
                let out = &mut out[row * self.outputs + first..][..width];
                for (((out, sum), scale), bias) in out.iter_mut().zip(sums).zip(scales).zip(bias) {
                    store(out, sum * scale + bias);
                }
            });
        }
    }
}

/// Rows of numbers within a larger table.
pub(super) struct Rows<'a> {
    pub(super) data: &'a [f32],
    /// From the begin of one row to that of the next.
    pub(super) stride: usize,
    pub(super) count: usize,
    /// Numbers of each row.
    pub(super) length: usize,
}

/// Each row times a panel, which has as many rows as a row has numbers.
#[inline(always)]
pub(super) fn product<S: Simd>(
    simd: S,
    rows: &Rows<'_>,
    panel: &[[f32; PANEL]],
    mut store: impl FnMut(usize, &[f32; PANEL]),
) {
    let mut sums = [[0.0; PANEL]; TILE_ROWS];
    let mut first = 0;
    while first < rows.count {
        // Beyond the last row the last is repeated, and the repetition dropped.
        let row = |n: usize| &rows.data[(first + n).min(rows.count - 1) * rows.stride..][..rows.length];
        match S::f32s::LEN {
            16 => tile::<S, 8, 2, 0>(simd, std::array::from_fn(row), panel, &mut sums),
            8 => {
                halves(simd, [row(0), row(1), row(2), row(3)], panel, &mut sums[..4]);
                halves(simd, [row(4), row(5), row(6), row(7)], panel, &mut sums[4..]);
            }
            _ => {
                quarters(simd, [row(0), row(1), row(2), row(3)], panel, &mut sums[..4]);
                quarters(simd, [row(4), row(5), row(6), row(7)], panel, &mut sums[4..]);
            }
        }
        for (n, sums) in sums.iter().enumerate().take(rows.count - first) {
            store(first + n, sums);
        }
        first += TILE_ROWS;
    }
}

#[inline(always)]
fn halves<S: Simd>(simd: S, rows: [&[f32]; 4], panel: &[[f32; PANEL]], sums: &mut [[f32; PANEL]]) {
    tile::<S, 4, 2, 0>(simd, rows, panel, sums);
    tile::<S, 4, 2, 16>(simd, rows, panel, sums);
}

#[inline(always)]
fn quarters<S: Simd>(simd: S, rows: [&[f32]; 4], panel: &[[f32; PANEL]], sums: &mut [[f32; PANEL]]) {
    tile::<S, 4, 2, 0>(simd, rows, panel, sums);
    tile::<S, 4, 2, 8>(simd, rows, panel, sums);
    tile::<S, 4, 2, 16>(simd, rows, panel, sums);
    tile::<S, 4, 2, 24>(simd, rows, panel, sums);
}

/// The sums of `R` rows and `V` vectors of columns from `FROM` on, kept in registers.
#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize, const FROM: usize>(
    simd: S,
    rows: [&[f32]; R],
    panel: &[[f32; PANEL]],
    sums: &mut [[f32; PANEL]],
) {
    let mut kept = [[S::f32s::splat(simd, 0.0); V]; R];
    let length = panel.len();
    let rows = rows.map(|row| &row[..length]);
    for (n, weights) in panel.iter().enumerate() {
        let weights: [S::f32s; V] = std::array::from_fn(|v| {
            S::f32s::from_slice(simd, &weights[FROM + v * S::f32s::LEN..][..S::f32s::LEN])
        });
        for (kept, row) in kept.iter_mut().zip(&rows) {
            let number = S::f32s::splat(simd, row[n]);
            for (kept, weights) in kept.iter_mut().zip(weights) {
                *kept = number.mul_add(weights, *kept);
            }
        }
    }
    for (kept, sums) in kept.iter().zip(sums) {
        for (v, kept) in kept.iter().enumerate() {
            kept.store_slice(&mut sums[FROM + v * S::f32s::LEN..][..S::f32s::LEN]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn rows_are_kept_in_steps_of_their_largest_number() {
        let steps = |row: &[f32]| quantise(row).1.collect::<Vec<_>>();
        assert_eq!(steps(&[0.5, -0.5, 0.25, 0.0, 1e-9, -1e-5]), [32_767, -32_767, 16_384, 0, 0, -1]);
        assert_eq!(steps(&[0.0, -0.0]), [0, 0]);
        assert_eq!(steps(&[1e-40]), [0]);
        assert_eq!(steps(&[f32::MAX, f32::MIN]), [32_767, -32_767]);
        let row: Vec<f32> = (0..1_000).map(|n| (n as f32).sin()).collect();
        let (scale, steps) = quantise(&row);
        assert!(
            row.iter()
                .zip(steps)
                .all(|(number, step)| (number - f32::from(step) * scale).abs() < 0.51 * scale)
        );
    }
}
