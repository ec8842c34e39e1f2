//! Text as files have it: its charset with bytes that are foreign to it, its line ends, where a text stands in it that is
//! written a little otherwise, and diffs over it.
//!
//! Architecture invariant: no IO, no clock, no randomness. A guess is called one, and no byte that was not understood is
//! ever written otherwise than it was read.

mod charset;
mod closest;
mod envelope;
mod hunks;
mod lookalike;
mod splice;
mod words;

pub use charset::{Charset, LineEnds, Text, charset_of, decode, encode, file_bytes, has_foreign, visible};
pub use closest::{closest, place_of};
pub use hunks::{FileDiff, Hunk, PatchMisfit, apply, parse};
pub use lookalike::{Lookalike, differences, fold, lookalikes};
pub use splice::{in_spelling_of, line_of, occurrences, replaced};
pub use words::{capped, count, size};
