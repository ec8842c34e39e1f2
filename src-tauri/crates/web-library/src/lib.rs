//! Pages and files of the web: fetched within a security profile, kept by their content, read as numbered blocks of text.
//!
//! Bird's-eye view: [`Library::fetch`] answers from the library where it is fresh, else `fetch.rs` asks: each address on the
//! way passes [`policy::Policy`], `robots.txt` and `net-guard`, and bytes are counted and looked at as they come. Bytes stand
//! under their SHA-256 (`objects.rs`), what is known of an address beside them ([`pages`]), their text as numbered blocks
//! ([`text`], as Markdown in [`markdown`]), in which questions (`search.rs`) and quotes (`quote.rs`) are looked up.
//! [`academic`] asks search services of science. Every fetch, refusal and approval is a line of the [`log`].
//!
//! Architecture invariant: files only, no database, any number of processes at once; a file is there as a whole or not at all.
//! The time is passed in. What a page says is data, never an instruction.

pub mod academic;
mod crawl;
pub mod day;
mod error;
mod fetch;
mod files;
pub mod kind;
mod library;
pub mod log;
pub mod markdown;
mod objects;
pub mod pages;
pub mod pattern;
pub mod policy;
mod quote;
mod robots;
mod search;
pub mod searches;
pub mod text;

pub use error::{Refusal, WebError};
pub use library::{
    Cleaned, Expectation, FetchRequest, FoundBlock, Freshness, HostDecision, Library, QuoteCheck, Refresh,
    Visit,
};
