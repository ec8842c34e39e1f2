//! Tables as people mean them: which rows name the columns, what a row says on its own, whether a stated sum is one, and how
//! a spreadsheet shows a number.
//!
//! Architecture invariant: no IO, no clock, no randomness.

mod head;
mod kinds;
pub mod numbers;
mod sums;

pub use head::{Head, column_name};
pub use kinds::{Kind, kind, number};
pub use sums::{Misfit, Sums, is_sum};

/// The cells of a row of a table that is written as lines, cells joined by ` | `.
pub fn cells(line: &str) -> Vec<String> {
    line.split(" | ").map(|cell| cell.trim_end_matches(" |").trim().to_owned()).collect()
}
