//! What the factorisation promises.

use svd::{Sparse, factor};

/// The product of the directions with their transpose is the identity: they are of length 1 and at right angles.
#[test]
fn directions_reproduce_a_matrix_of_low_rank() {
    let (rows, columns, rank) = (60, 40, 3);
    let left = |row: usize, at: usize| ((row * (at + 2) + at) % 7) as f32 - 3.0;
    let right = |column: usize, at: usize| ((column * (at + 3) + 2 * at) % 5) as f32 - 2.0;
    let value = |row, column| (0..rank).map(|at| left(row, at) * right(column, at)).sum::<f32>();
    let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let matrix =
        Sparse::new(rows, columns, || all.clone().map(|(row, column)| (row, column, value(row, column))));
    let directions = factor(&matrix, 8).unwrap();
    assert!(directions.columns >= rank && directions.columns <= 8);
    let placed = matrix.times(&directions);
    for row in 0..rows {
        for column in 0..columns {
            let back: f32 = placed.row(row).iter().zip(directions.row(column)).map(|(a, b)| a * b).sum();
            assert!((back - value(row, column)).abs() < 1e-2, "{row} {column}: {back}");
        }
    }
}

#[test]
fn nothing_is_learned_from_nothing() {
    assert!(factor(&Sparse::new(20, 5, std::iter::empty), 8).is_none());
}
