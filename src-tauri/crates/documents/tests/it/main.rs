//! Tests of the crate from outside, in one program.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod csv;
mod docx;
mod ecfr;
mod epub;
mod formats;
mod html;
mod html_looks;
mod markdown;
mod paper;
mod pdf;
mod pdf_forms;
mod pdf_signs;
mod pdf_tables;
mod pictures;
mod scans;
mod text;
mod worker;
mod xlsx;

use std::sync::atomic::AtomicBool;

use documents::{Document, Format, Limits, ReadError};

pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Document, ReadError> {
    documents::read_bytes(bytes, format, &Limits::default(), &AtomicBool::new(false))
}
