//! Pages that are pictures, read by the models. These tests are skipped where the models are not on this machine.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use documents::worker::Reader;
use documents::{Document, Format, Limits, PageRequest, ReadError, Recognised};
use hayro::vello_cpu::Pixmap;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::paper::{Font, Page, Paper};

/// The folder of the models, from `AGENTNATIVE_PAGE_READER`.
fn models() -> Option<PathBuf> {
    let folder = std::env::var_os("AGENTNATIVE_PAGE_READER").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: AGENTNATIVE_PAGE_READER names no folder with detector.onnx and recogniser.onnx");
    }
    folder
}

/// The upper part of a page: what a page of pictures costs depends on its size.
const LOW: &str = "/CropBox[0 632 612 792]";

/// A file whose pages are pictures of these.
fn scanned(pages: &[Page], turned: bool) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("typed.pdf");
    std::fs::write(&path, Paper::new(pages.iter().cloned()).bytes()).unwrap();
    let mut paper = Paper::new([]);
    for page in 1..=u32::try_from(pages.len()).unwrap() {
        let request = PageRequest { page, width: 1_275, ..PageRequest::default() };
        let picture = documents::draw(&path, &request, &Limits::default(), &AtomicBool::new(false)).unwrap();
        let pixels = Pixmap::from_png(Cursor::new(STANDARD.decode(&picture.png).unwrap())).unwrap();
        let bytes: Vec<u8> = pixels.data().iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]).collect();
        let image = paper.stream(
            &format!(
                "/Type/XObject/Subtype/Image/Width {}/Height {}/BitsPerComponent 8/ColorSpace/DeviceRGB",
                picture.width, picture.height
            ),
            &bytes,
        );
        let around = if turned { "/Rotate 180" } else { "" };
        let entry = format!("{LOW}{around}/Resources<</XObject<</Im {image} 0 R>>>>");
        paper.page(&Page::default().raw("q 612 0 0 160 0 632 cm /Im Do Q").entry(&entry));
    }
    paper.bytes()
}

fn lease() -> Page {
    Page::default().entry(LOW).text(72.0, 50.0, Font::Plain, 14.0, "The rent is 1,250.00 a month,").text(
        72.0,
        72.0,
        Font::Plain,
        14.0,
        "and falls due on 3 May 2024.",
    )
}

fn read(bytes: &[u8], models: PathBuf, reader: &Reader) -> Result<Document, ReadError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("scan.pdf");
    std::fs::write(&path, bytes).unwrap();
    let limits = Limits { recogniser: Some(models), ..Limits::default() };
    reader.read(&path, Format::Pdf, &limits, &AtomicBool::new(false))
}

#[test]
fn a_scan_is_read_in_a_child_and_a_passage_of_it_marked() {
    let Some(models) = models() else { return };
    let bytes = scanned(&[lease()], false);
    let mut child = Reader::new(vec![env!("CARGO_BIN_EXE_documents-reader").into()]);
    // What reading a picture takes is allowed for as the child says that it does so.
    child.patience.base = Duration::from_secs(3);
    let document = read(&bytes, models, &child).unwrap();
    let text: Vec<&str> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    let text = text.join(" ");
    assert_eq!(text, "The rent is 1,250.00 a month, and falls due on 3 May 2024.");
    assert_eq!(document.scans, 1);
    assert!(document.notes.iter().any(|note| note.what.contains("read from pictures")));
    let mut known = Recognised::default();
    document.blocks.iter().for_each(|block| known.extend(block.recognised.as_ref().unwrap()));
    assert!(known.score.unwrap() >= 90 && known.lines.len() == 2, "{known:?}");

    let folder = TempDir::new().unwrap();
    let path = folder.path().join("scan.pdf");
    std::fs::write(&path, &bytes).unwrap();
    let quotes = vec!["falls due on 3 May 2024".to_owned()];
    let request =
        PageRequest { page: 1, quotes, text, recognised: Some(known), width: 612, ..PageRequest::default() };
    let picture = documents::draw(&path, &request, &Limits::default(), &AtomicBool::new(false)).unwrap();
    let [mark] = picture.marks.as_slice() else { panic!("{:?}", picture.marks) };
    let middle = (mark.y + mark.height / 2.0) * 160.0;
    assert!((62.0..74.0).contains(&middle) && mark.x * 612.0 > 60.0, "{mark:?}");
}

#[test]
fn a_scan_that_stands_on_its_head_is_read() {
    let Some(models) = models() else { return };
    let document = read(&scanned(&[lease()], true), models, &Reader::default()).unwrap();
    let text: Vec<&str> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(text.join(" "), "The rent is 1,250.00 a month, and falls due on 3 May 2024.");
    let lines = &document.blocks[0].recognised.as_ref().unwrap().lines;
    assert!(
        lines[0].area[1] > 5_000,
        "the first line is in the lower half of the page as it is shown: {lines:?}"
    );
}

#[test]
fn a_damaged_model_is_named() {
    let folder = TempDir::new().unwrap();
    for file in ["detector.onnx", "recogniser.onnx"] {
        std::fs::write(folder.path().join(file), b"no model").unwrap();
    }
    let error = read(&scanned(&[lease()], false), folder.path().to_owned(), &Reader::default());
    assert!(
        matches!(&error, Err(ReadError::Recogniser(what)) if what.contains("detector.onnx")),
        "{error:?}"
    );
}

#[test]
fn without_models_the_pages_are_named_and_what_reads_them() {
    let typed = Page::default().lines(72.0, 100.0, &["Typed words of the first page."]);
    let mut paper = Paper::new([typed]);
    let image = paper.stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray",
        &[0x80],
    );
    for _ in 0..20 {
        paper.page(&Page::default().raw("q 612 0 0 792 0 0 cm /Im Do Q"));
    }
    let document =
        crate::read(&paper.resources(&format!("/XObject<</Im {image} 0 R>>")).bytes(), Format::Pdf).unwrap();
    // Nineteen of twenty pages are no reason to pass over the page that has text.
    assert_eq!(document.blocks.len(), 1);
    assert!(document.blocks[0].recognised.is_none());
    let note = &document.notes[0].what;
    assert!(note.contains("page-reader") && note.contains("(pages 2-21)"), "{note}");
}
