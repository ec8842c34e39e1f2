//! Making knowledge bases and asking them, for every surface: what a base is made of and how, downloads, vectors.

mod add;
mod encoding;
mod recipe;

pub use add::{AddProgress, CorpusRequest, add, add_model, catalog};
pub use encoding::Meanings;
pub use recipe::{Recipe, embedder, ingest, place_of, preview, source_paths, warnings};
