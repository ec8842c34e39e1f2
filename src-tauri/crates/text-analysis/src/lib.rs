//! What counts as a word in any script, its stem, and the language of a text.
//!
//! One analysis for the index of knowledge bases, the index of sessions and the check of quotes. Words are runs of
//! letters, digits and marks, in NFKC and without case. Scripts without blanks between words are cut into pairs of
//! signs that overlap (`付款期限`: `付款`, `款期`, `期限`), so that any piece of a run is found in it.

mod fold;
mod language;
mod languages;
mod script;
mod signs;
mod stem;
mod token;

pub use fold::without_accents;
pub use language::{Language, Languages};
pub use script::{is_full_stop, is_mark, is_paired, is_spaceless};
pub use signs::{counted_signs, worth_in_words};
pub use stem::{Forms, forms, lower};
pub use token::{Kind, Token, add_lower, each_token, goes_on, joined, sought};
