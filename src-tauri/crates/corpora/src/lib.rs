//! The registry of openly licensed corpora and models, and their download.
//!
//! The program ships no text of others. It ships addresses: where a corpus officially is, under which licence, how
//! it is imported and how much it should hold. Nothing is fetched unless a person asks for it.
//!
//! Architecture invariant: knows no base and no importer; what is downloaded is a file in a folder, with a receipt.

mod address;
mod download;
mod receipt;
mod registry;

pub use address::{AddressError, allowed, file_name};
pub use download::{Download, DownloadError, Downloader, Progress};
pub use receipt::{Receipt, receipt_of};
pub use registry::{
    Corpus, ExpectedCounts, License, ModelEntry, Registry, RegistryError, RemoteFile, registry,
};
