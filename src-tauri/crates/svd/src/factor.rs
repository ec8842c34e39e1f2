//! The directions in which the rows of a matrix lie most, by iterated sketches.

use crate::matrix::{Dense, Sparse};

/// Directions that are followed beside those wanted, and how often they are turned towards the largest.
const BESIDE: usize = 16;
const TURNS: usize = 2;
/// A direction of so small a share of the largest is noise.
const NOISE: f64 = 1e-9;
const SWEEPS: usize = 30;

/// At most `wanted` directions of the columns, as columns of length 1 at right angles, the most important
/// first; none where the matrix is empty.
pub fn factor(matrix: &Sparse, wanted: usize) -> Option<Dense> {
    let mut sketch =
        Dense::zero(matrix.columns, (wanted + BESIDE).min(matrix.row_count()).min(matrix.columns));
    sketch.values.iter_mut().zip(0..).for_each(|(value, number)| *value = sign(number));
    let mut followed = upright(&matrix.times(&sketch))?;
    for _ in 0..TURNS {
        let columns = upright(&matrix.turned_times(&followed))?;
        followed = upright(&matrix.times(&columns))?;
    }
    let columns = upright(&matrix.turned_times(&followed))?;
    let kept = wanted.min(columns.columns);
    let first: Vec<f32> = columns.rows().flat_map(|row| &row[..kept]).copied().collect();
    Some(Dense { columns: kept, values: first })
}

/// The same space by columns of length 1 at right angles, the longest first.
fn upright(matrix: &Dense) -> Option<Dense> {
    let size = matrix.columns;
    let (squares, turns) = eigen(matrix.gram(), size);
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| squares[b].total_cmp(&squares[a]).then(a.cmp(&b)));
    let most = squares[*order.first()?];
    order.retain(|&at| most > 0.0 && squares[at] > most * NOISE);
    let by: Vec<f64> = (0..size)
        .flat_map(|row| order.iter().map(move |&at| (row, at)))
        .map(|(row, at)| turns[row * size + at] / squares[at].sqrt())
        .collect();
    (!order.is_empty()).then(|| matrix.turned(&by, order.len()))
}

/// Eigenvalues and eigenvectors (in columns) of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut matrix: Vec<f64>, size: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; size * size];
    (0..size).for_each(|at| vectors[at * size + at] = 1.0);
    for _ in 0..SWEEPS {
        let beside = |at: usize| at / size != at % size;
        let rest: f64 =
            matrix.iter().enumerate().filter(|&(at, _)| beside(at)).map(|(_, value)| value * value).sum();
        let all: f64 = matrix.iter().map(|value| value * value).sum();
        if rest <= all * 1e-24 {
            break;
        }
        for first in 0..size {
            for second in first + 1..size {
                rotate(&mut matrix, &mut vectors, size, first, second);
            }
        }
    }
    ((0..size).map(|at| matrix[at * size + at]).collect(), vectors)
}

/// Makes the element at (`first`, `second`) zero.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], size: usize, first: usize, second: usize) {
    let element = matrix[first * size + second];
    if element == 0.0 {
        return;
    }
    let slope = (matrix[second * size + second] - matrix[first * size + first]) / (2.0 * element);
    let tangent = slope.signum() / (slope.abs() + (slope * slope + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |values: &mut [f64], a: usize, b: usize| {
        let (left, right) = (values[a], values[b]);
        values[a] = cosine * left - sine * right;
        values[b] = sine * left + cosine * right;
    };
    for at in 0..size {
        turn(matrix, at * size + first, at * size + second);
        turn(vectors, at * size + first, at * size + second);
    }
    for at in 0..size {
        turn(matrix, first * size + at, second * size + at);
    }
}

/// A sign for each number without any pattern, always the same (the finaliser of SplitMix64).
fn sign(number: u64) -> f32 {
    let mut bits = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    if (bits ^ bits >> 31) & 1 == 0 { 1.0 } else { -1.0 }
}
