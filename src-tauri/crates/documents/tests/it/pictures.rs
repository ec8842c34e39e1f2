//! Pages as pictures, with passages marked on them.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use documents::worker::Reader;
use documents::{Limits, PagePicture, PageRequest, ReadError};
use hayro::vello_cpu::Pixmap;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::paper::{Page, Paper};

const LINES: [&str; 4] = [
    "The keeper shall trim the wick before dusk, and shall note the hour at which",
    "the lamp was lit. In winter the lamp is looked at twice a night, and in sum-",
    "mer once. Oil is taken from the cellar before noon.",
    "Nobody else has the key to the cellar.",
];

fn paper() -> Paper {
    let page = |number: usize| Page::default().lines(72.0, 100.0, &[&format!("Words of page {number}.")]);
    Paper::new([page(1), Page::default().lines(72.0, 100.0, &LINES), page(3)])
}

fn file(folder: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("a.pdf");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn draw(request: &PageRequest) -> Result<PagePicture, ReadError> {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, &paper().bytes());
    documents::draw(&path, request, &Limits::default(), &AtomicBool::new(false))
}

fn request(page: u32, quotes: &[&str]) -> PageRequest {
    PageRequest {
        page,
        quotes: quotes.iter().map(|&quote| quote.to_owned()).collect(),
        width: 612,
        ..PageRequest::default()
    }
}

fn pixels(picture: &PagePicture) -> Pixmap {
    Pixmap::from_png(Cursor::new(STANDARD.decode(&picture.png).unwrap())).unwrap()
}

/// Pixels of a marker's colour and dark ones of letters, in a part of the picture given in pixels.
fn colours(pixels: &Pixmap, (x0, y0): (u16, u16), (x1, y1): (u16, u16)) -> (usize, usize) {
    let (mut yellow, mut dark) = (0, 0);
    for (x, y) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y))) {
        let pixel = pixels.sample(x, y);
        yellow += usize::from(pixel.r > 240 && pixel.b < 160);
        dark += usize::from(pixel.r < 120);
    }
    (yellow, dark)
}

#[test]
fn a_page_is_drawn_with_its_passage_marked() {
    let picture = draw(&request(2, &["the lamp is looked at twice a night, and in summer once."])).unwrap();
    assert_eq!((picture.page, picture.pages, picture.width, picture.height), (2, 3, 612, 792));
    // The passage stands on two lines, the first of which it shares with another sentence.
    let [first, second] = picture.marks.as_slice() else { panic!("{:?}", picture.marks) };
    assert!(first.x * 612.0 > 150.0 && first.y * 792.0 > 100.0 && first.y * 792.0 < 112.0, "{first:?}");
    assert!(
        (second.x * 612.0 - 72.0).abs() < 1.0 && second.y > first.y && second.width < first.width,
        "{second:?}"
    );
    let pixels = pixels(&picture);
    let (left, top) = ((first.x * 612.0) as u16, (first.y * 792.0) as u16);
    let (yellow, dark) = colours(&pixels, (left, top), (left + 200, top + 10));
    assert!(yellow > 1_000 && dark > 50, "{yellow} yellow, {dark} dark");
    let (yellow, dark) = colours(&pixels, (60, 90), (560, 103));
    assert!(yellow == 0 && dark > 50, "the line above is only drawn: {yellow} yellow, {dark} dark");
}

#[test]
fn a_passage_is_looked_for_on_the_pages_that_follow() {
    let ahead = PageRequest { ahead: 2, ..request(1, &["Oil is taken from the cellar before noon."]) };
    let picture = draw(&ahead).unwrap();
    assert_eq!((picture.page, picture.marks.len()), (2, 1));
    let near = draw(&request(1, &["Oil is taken from the cellar before noon."])).unwrap();
    assert_eq!((near.page, near.marks.len()), (1, 0));
}

#[test]
fn the_text_is_marked_where_no_quote_is_found() {
    let text = "Nobody else has the key to the cellar.".to_owned();
    let picture =
        draw(&PageRequest { text, ..request(2, &["Words that nobody wrote, neither here nor there."]) });
    assert_eq!(picture.unwrap().marks.len(), 1);
}

#[test]
fn a_page_past_the_end_is_the_last_and_a_width_has_bounds() {
    let picture = draw(&PageRequest { width: 1_000_000, ..request(9, &[]) }).unwrap();
    assert_eq!((picture.page, picture.width), (3, 2_400));
    assert_eq!(draw(&PageRequest { width: 0, ..request(0, &[]) }).unwrap().page, 1);
}

#[test]
fn a_page_of_absurd_size_is_drawn_small() {
    let wide = Paper::new([Page::default().entry("/MediaBox [0 0 10 1000000]")]).bytes();
    let folder = TempDir::new().unwrap();
    let drawn =
        documents::draw(&file(&folder, &wide), &request(1, &[]), &Limits::default(), &AtomicBool::new(false));
    match drawn {
        Ok(picture) => assert!(picture.height <= 4_800, "{}", picture.height),
        Err(error) => assert!(matches!(error, ReadError::Malformed { .. }), "{error:?}"),
    }
}

#[test]
fn a_child_draws_what_the_program_itself_would_and_reads_on() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, &paper().bytes());
    let reader = Reader::new(vec![env!("CARGO_BIN_EXE_documents-reader").into()]);
    let (limits, never) = (Limits::default(), AtomicBool::new(false));
    let wanted = request(2, &["Oil is taken from the cellar before noon."]);
    let drawn = reader.draw(&path, &wanted, &limits, &never);
    assert_eq!(drawn, documents::draw(&path, &wanted, &limits, &never));
    assert!(drawn.is_ok(), "{drawn:?}");
    // The same child goes on with text.
    assert!(reader.read(&path, documents::Format::Pdf, &limits, &never).is_ok());
}

#[test]
fn a_file_that_is_no_pdf_is_refused_by_the_child() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, b"%PDF-1.7\nnothing");
    let reader = Reader::new(vec![env!("CARGO_BIN_EXE_documents-reader").into()]);
    let refused = reader.draw(&path, &request(1, &[]), &Limits::default(), &AtomicBool::new(false));
    assert!(matches!(refused, Err(ReadError::Malformed { format: "PDF", .. })), "{refused:?}");
}
