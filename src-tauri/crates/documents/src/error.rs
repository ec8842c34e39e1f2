//! Why a file could not be read at all. What was lost of a readable one is a [`Note`](crate::Note).

use thiserror::Error;

/// What to do about pages that are pictures.
pub(crate) const INSTALL: &str =
    "install the model that reads them (in the terminal: `agentnative kb model page-reader`)";

/// Why a file was not read. Each message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("cannot be read: {0}")]
    Io(String),
    /// Not the format that it claims to be, or damaged.
    #[error("not a readable {format} file: {what}")]
    Malformed {
        /// The format's name.
        format: &'static str,
        /// What was found.
        what: String,
    },
    /// A password is needed.
    #[error("encrypted with a password: save a copy without one and ingest that")]
    Encrypted,
    /// Pages of pictures without text.
    #[error("{pages} pages without text, most likely scanned: {INSTALL}")]
    Scanned {
        /// How many pages it has.
        pages: u32,
    },
    /// The models that read pictures cannot be used.
    #[error("{0}")]
    Recogniser(String),
    /// More than the limits allow.
    #[error("more than {limit} {what}: not read")]
    TooLarge {
        /// The bound.
        limit: u64,
        /// What is counted.
        what: &'static str,
    },
    /// The reader took too long and was ended.
    #[error("reading it took longer than {seconds} s: given up")]
    TooSlow {
        /// The time allowed.
        seconds: u64,
    },
    /// The reader's process died.
    #[error("the reader failed on it ({what}); other files are not affected")]
    Crashed {
        /// How it ended.
        what: String,
    },
    /// The person asked to stop.
    #[error("cancelled")]
    Cancelled,
}
