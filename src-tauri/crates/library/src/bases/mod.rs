//! Making knowledge bases and asking them, for every surface: what a base is made of and how, downloads, vectors.

mod add;
mod encoding;
mod recipe;

pub use add::{AddProgress, CorpusRequest, add, add_model, catalog};
pub use encoding::Meanings;
pub use recipe::{Original, Recipe, embedder, ingest, original, preview, reading, source_paths, warnings};
