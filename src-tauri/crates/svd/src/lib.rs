//! A truncated singular value decomposition of a sparse matrix (Halko, Martinsson and Tropp 2011), for latent semantic indexing.
//!
//! A fixed sketch instead of randomness, one thread, one order of additions: the same matrix gives the same bits. It is a crate of its
//! own because it computes: builds that optimise little else optimise it.

mod factor;
mod matrix;

pub use factor::factor;
pub use matrix::{Dense, Sparse};
