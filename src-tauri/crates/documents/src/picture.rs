//! Pages as pictures: what is asked for, and what comes of it.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::{Limits, ReadError, Recognised, pdf, picture_file, source};

/// A page to draw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRequest {
    /// Its number, from 1; one past the end stands for the last.
    pub page: u32,
    /// Pages after it on which the passages may stand instead.
    pub ahead: u32,
    /// Passages to mark.
    pub quotes: Vec<String>,
    /// What is marked where none of them is found; empty for nothing.
    pub text: String,
    /// Where the text stands, if it was read from the page's picture.
    #[serde(default)]
    pub recognised: Option<Recognised>,
    /// The picture's width in pixels, within bounds.
    pub width: u32,
}

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PagePicture {
    /// The page that was drawn.
    pub page: u32,
    /// How many pages the file has.
    pub pages: u32,
    /// The picture's width in pixels.
    pub width: u32,
    /// The picture's height in pixels.
    pub height: u32,
    /// The picture as PNG, in base64, with the passages marked.
    pub png: String,
    /// Where the marks are.
    pub marks: Vec<PageMark>,
}

/// A mark, in shares of the page's width and height from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageMark {
    /// Its left edge.
    pub x: f32,
    /// Its upper edge.
    pub y: f32,
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
}

/// Draws a page of the PDF file, or the picture, at `path` in this process; gzip around it is unpacked.
///
/// # Errors
/// The file is no PDF that can be read, or the page cannot be drawn.
pub fn draw(
    path: &Path,
    request: &PageRequest,
    limits: &Limits,
    cancel: &AtomicBool,
) -> Result<PagePicture, ReadError> {
    let bytes = source::read(path, limits, cancel)?;
    let bytes = if picture_file::is_picture(&bytes) { picture_file::page(&bytes)? } else { bytes };
    pdf::draw(bytes, request, limits, cancel)
}
