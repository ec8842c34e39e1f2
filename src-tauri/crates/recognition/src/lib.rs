//! The text of a picture of a page, with its places, by two small models that run here.
//!
//! A detector paints where text stands; its connected areas become boxes ([`areas`]), each box is cut out along its slope
//! ([`picture`]) and read sign by sign ([`signs`]). Nothing is guessed from language: what is read is what was seen, with a score.
//!
//! Architecture invariant: no clock, no network, no chance; the same picture and models give the same text. Models are files
//! that the caller names; whoever lets strangers' pictures in calls this from a bounded process.

mod areas;
mod model;
mod picture;
mod signs;
mod text;

use std::path::Path;

use thiserror::Error;

pub use areas::Area;
pub use model::{Recogniser, prepare};
pub use picture::Picture;
pub use rten::ThreadPool;
pub use text::{Line, Reading, Sign};

/// Raised when the same picture and models would be read differently.
pub const VERSION: u32 = 2;

/// The files of a recogniser's folder: what finds lines, and what reads one.
pub const FILES: [&str; 2] = ["detector.onnx", "recogniser.onnx"];

/// Whether a folder holds a recogniser.
pub fn is_installed(folder: &Path) -> bool {
    FILES.iter().all(|file| folder.join(file).is_file())
}

/// What tells the recogniser of a folder from others: this program's part of it and the models. Empty where there is none.
pub fn version(folder: &Path) -> String {
    let sizes: Option<Vec<String>> = FILES
        .iter()
        .map(|file| folder.join(file).metadata().ok().map(|data| data.len().to_string()))
        .collect();
    sizes.map_or_else(String::new, |sizes| format!("{VERSION}-{}", sizes.join("-")))
}

/// Why a picture could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecognitionError {
    /// A model's file is missing, damaged or another model.
    #[error("the model for reading pictures can't be used ({file}: {what}): install it again")]
    Model {
        /// The file's name.
        file: &'static str,
        /// What was found.
        what: String,
    },
    /// A model failed on a picture.
    #[error("the picture could not be read: {0}")]
    Failed(String),
}
