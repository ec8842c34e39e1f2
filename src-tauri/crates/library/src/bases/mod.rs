//! Making knowledge bases and asking them, for every surface: what a base is made of and how, downloads, vectors.

mod adding;
mod meaning;
mod recipe;

pub use adding::{AddProgress, CorpusRequest, add, add_model, catalog};
pub use meaning::Meanings;
pub use recipe::{Original, Recipe, embedder, ingest, original, preview, source_paths, warnings};
