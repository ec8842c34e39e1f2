//! Words, stems and languages of texts in any script.

mod languages;
mod tokens;
