//! EPUB, made in the test.

use std::io::{Cursor, Write as _};
use std::sync::atomic::AtomicBool;

use documents::{Document, Format, Limits, Link, ReadError};
use pretty_assertions::assert_eq;
use zip::write::SimpleFileOptions;

const CONTAINER: &str = r#"<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#;

const PACKAGE: &str = r#"<?xml version="1.0"?><package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Lamps</dc:title></metadata>
<manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="b" href="text/b%20c.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/><item id="x" href="../../secret.xhtml" media-type="application/xhtml+xml"/><item id="i" href="i.png" media-type="image/png"/></manifest>
<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/><itemref idref="x"/><itemref idref="i"/></spine></package>"#;

fn book(extra: &[(&str, &[u8])]) -> Vec<u8> {
    let a = br#"<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><a id="top"/><h1 id="one">1. One</h1><p>See <a href="b%20c.xhtml#two">two</a>.</p></body></html>"#;
    let b = br##"<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><h1 id="two">Two</h1><p>Back to <a href="a.xhtml">one</a>, <a href="#two">here</a>.</p></body></html>"##;
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("OEBPS/book.opf", PACKAGE.as_bytes()),
        ("OEBPS/text/a.xhtml", a),
        ("OEBPS/text/b c.xhtml", b),
        ("OEBPS/nav.xhtml", b"<p>SECRET"),
        ("../secret.xhtml", b"<p>SECRET"),
        ("secret.xhtml", b"<p>SECRET"),
    ];
    for &(name, bytes) in extra {
        entries.retain(|(known, _)| *known != name);
        entries.push((name, bytes));
    }
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        let packed = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        zip.start_file(name, if name == "mimetype" { stored } else { packed }).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
    documents::read_bytes(bytes, Format::Epub, limits, &AtomicBool::new(false))
}

#[test]
fn chapters_are_read_in_the_order_of_the_spine_and_linked() {
    let bytes = book(&[]);
    assert_eq!(Format::detect("book", &bytes), Some(Format::Epub));
    let document = read(&bytes, &Limits::default()).unwrap();
    assert_eq!(document.title.as_deref(), Some("Lamps"));
    let texts: Vec<_> =
        document.blocks.iter().map(|block| (block.label.as_deref(), block.text.as_str())).collect();
    assert_eq!(texts, [(Some("1"), "One"), (None, "See two."), (None, "Two"), (None, "Back to one, here.")]);
    assert_eq!(
        document.blocks[1].links,
        [Link { text: "two".into(), target: "#OEBPS/text/b c.xhtml#two".into() }]
    );
    assert_eq!(document.blocks[2].anchor.as_deref(), Some("OEBPS/text/b c.xhtml#two"));
}

#[test]
fn an_encrypted_book_is_refused_and_one_with_encrypted_fonts_is_read() {
    let list = |algorithm: &str| {
        format!(
            r#"<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/></EncryptedData></encryption>"#
        )
    };
    let content = list("http://www.w3.org/2001/04/xmlenc#aes256-cbc");
    let bytes = book(&[("META-INF/encryption.xml", content.as_bytes())]);
    assert_eq!(read(&bytes, &Limits::default()), Err(ReadError::Encrypted));
    let fonts = list("http://www.idpf.org/2008/embedding");
    let bytes = book(&[("META-INF/encryption.xml", fonts.as_bytes())]);
    assert!(read(&bytes, &Limits::default()).is_ok());
}

#[test]
fn a_bomb_is_not_unpacked_beyond_the_limit() {
    let bomb = vec![b' '; 8 << 20];
    let bytes = book(&[("OEBPS/text/a.xhtml", &bomb)]);
    assert!(bytes.len() < 1 << 16);
    let limits = Limits { unfolded_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(read(&bytes, &limits), Err(ReadError::TooLarge { limit: 1 << 20, what: "unpacked bytes" }));
}

#[test]
fn a_damaged_book_is_malformed_or_noted_and_never_a_panic() {
    let bytes = book(&[]);
    for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        assert!(
            matches!(read(&bytes[..cut], &Limits::default()), Err(ReadError::Malformed { .. })),
            "cut at {cut}"
        );
    }
    for at in (0..bytes.len()).step_by(7) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let _ = read(&bytes, &Limits::default());
    }
    let package = PACKAGE.replace("b%20c", "none");
    let document = read(&book(&[("OEBPS/book.opf", package.as_bytes())]), &Limits::default()).unwrap();
    let missing = "chapter \"OEBPS/text/none.xhtml\" is not in the archive";
    assert!(document.notes.iter().any(|note| note.what == missing), "{:?}", document.notes);
    let circular = package.replace("<metadata>", "<!DOCTYPE x [<!ENTITY a '&a;'>]><metadata>");
    let done = read(&book(&[("OEBPS/book.opf", circular.as_bytes())]), &Limits::default());
    assert!(matches!(done, Err(ReadError::Malformed { .. })));
}

/// What a book of these files of its reading order gives: the texts and the notes.
fn spine(items: &[(&str, &str, &str)], extra: &[(&str, &[u8])]) -> (Vec<String>, Vec<String>) {
    let manifest: String = items
        .iter()
        .enumerate()
        .map(|(at, (href, kind, more))| {
            format!(r#"<item id="i{at}" href="{href}" media-type="{kind}" {more}/>"#)
        })
        .collect();
    let order: String = (0..items.len()).map(|at| format!(r#"<itemref idref="i{at}"/>"#)).collect();
    let package = format!("<package><manifest>{manifest}</manifest><spine>{order}</spine></package>");
    let files = [extra, &[("OEBPS/book.opf", package.as_bytes())]].concat();
    let document = read(&book(&files), &Limits::default()).unwrap();
    let texts = document.blocks.into_iter().map(|block| block.text).collect();
    (texts, document.notes.into_iter().map(|note| note.what).collect())
}

#[test]
fn chapters_of_every_type_of_text_are_read() {
    let page: &[u8] = b"<html><body><p>Words.</p></body></html>";
    for kind in [
        "application/xml",
        "text/xml",
        "text/x-oeb1-document",
        "application/x-dtbook+xml",
        "TEXT/HTML; charset=utf-8",
    ] {
        let (texts, notes) = spine(&[("c.xml", kind, "")], &[("OEBPS/c.xml", page)]);
        assert_eq!((texts.concat(), notes), ("Words.".to_owned(), vec![]), "{kind}");
    }
    let (texts, _) = spine(&[("/OEBPS/c.xml", "text/xml", "")], &[("OEBPS/c.xml", page)]);
    assert_eq!(texts, ["Words."]);
    let fallback = [("a.pdf", "application/pdf", r#"fallback="i1""#), ("c.xml", "text/html", "")];
    let (texts, notes) = spine(&fallback, &[("OEBPS/c.xml", page)]);
    assert_eq!((texts.concat(), notes), ("Words.".to_owned(), vec![]));
}

#[test]
fn a_chapter_that_is_not_read_is_told() {
    let page: &[u8] = b"<p>Words.";
    let items = [
        ("c.xhtml", "application/xhtml+xml", ""),
        ("a.pdf", "application/pdf", ""),
        ("https://books.example/b.xhtml", "application/xhtml+xml", ""),
        ("../../b.xhtml", "application/xhtml+xml", ""),
        ("p.svg", "image/svg+xml", r#"fallback="i4""#),
    ];
    let (texts, notes) = spine(&items, &[("OEBPS/c.xhtml", page)]);
    assert_eq!(texts, ["Words."]);
    assert_eq!(
        notes,
        [
            "chapter \"a.pdf\" (application/pdf) not read",
            "chapter \"https://books.example/b.xhtml\" is on the web: not read",
            "chapter \"../../b.xhtml\" is outside of the book: not read",
            "chapter \"p.svg\" (image/svg+xml) not read",
        ]
    );
}
