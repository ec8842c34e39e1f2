//! Which format a file is taken for.

use documents::Format;
use pretty_assertions::assert_eq;

#[test]
fn content_decides_before_the_ending() {
    let of = |head: &[u8]| Format::detect("report.txt", head);
    assert_eq!(of(b"%PDF-1.7\n"), Some(Format::Pdf));
    assert_eq!(of(b"\xef\xbb\xbf<!DOCTYPE html><title>x"), Some(Format::Html));
    assert_eq!(of(b"<?xml version='1.0'?>\n<!-- a note -->\n<html xmlns='x'>"), Some(Format::Html));
    assert_eq!(of(b"<?xml version='1.0'?><DLPSTEXTCLASS>"), Some(Format::Ecfr));
    assert_eq!(of(b"<?xml version='1.0'?><DIV5 N=\"200\" TYPE=\"PART\">"), Some(Format::Ecfr));
    assert_eq!(of(b"PK\x03\x04\0\0\0\0mimetypeapplication/epub+zip"), Some(Format::Epub));
    assert_eq!(of(b"PK\x03\x04\0\0\0\0[Content_Types].xml__word/document.xml"), Some(Format::Docx));
    assert_eq!(of(b"\x89PNG\r\n\x1a\n"), Some(Format::Picture));
    assert_eq!(of(b"Only words"), Some(Format::Text));
}

#[test]
fn the_ending_decides_where_content_does_not_tell() {
    let of = |name| Format::detect(name, b"Words");
    assert_eq!(of("a.txt"), Some(Format::Text));
    assert_eq!(of("a.MD.gz"), Some(Format::Markdown));
    assert_eq!(of("folder.d/a.htm"), Some(Format::Html));
    assert_eq!(of("a.docx"), Some(Format::Docx));
    assert_eq!(of("a.epub"), Some(Format::Epub));
    assert_eq!(of("a.CSV"), Some(Format::Csv));
    assert_eq!(of("a.tsv.gz"), Some(Format::Csv));
    assert_eq!(of("a"), None);
    assert_eq!(of("a.jpeg"), None);
}

#[test]
fn gzip_around_any_format_is_unpacked_within_the_limit() {
    use std::io::Write as _;
    use std::sync::atomic::AtomicBool;

    use documents::{Limits, ReadError};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.gz");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"<!doctype html><p>packed").unwrap();
    packed.write_all(&[b' '; 1 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    std::fs::write(&path, &packed).unwrap();
    assert_eq!(Format::detect("page.gz", &packed), Some(Format::Html));
    let read = |limits: &Limits| documents::read(&path, Format::Html, limits, &AtomicBool::new(false));
    assert_eq!(read(&Limits::default()).unwrap().blocks[0].text, "packed");
    let limits = Limits { unfolded_bytes: 1000, ..Limits::default() };
    assert_eq!(read(&limits), Err(ReadError::TooLarge { limit: 1000, what: "unpacked bytes" }));
    std::fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    assert!(matches!(read(&Limits::default()), Err(ReadError::Malformed { format: "gzip", .. })));
}
