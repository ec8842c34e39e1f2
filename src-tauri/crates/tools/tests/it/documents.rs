//! Documents that `read` gives as text.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::sync::Arc;

use pretty_assertions::assert_eq;
use serde_json::json;
use tools::{DocumentReader, Kind, Parts};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::rig::{Rig, run};

fn rig() -> Rig {
    let reader = DocumentReader::new(vec![env!("CARGO_BIN_EXE_tools-guard").into()]);
    Rig::with(Parts { reader: Some(Arc::new(reader)), ..Parts::default() })
}

fn docx(paragraphs: &[&str]) -> Vec<u8> {
    let body: String =
        paragraphs.iter().map(|text| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")).collect();
    let text = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}<w:sectPr/></w:body></w:document>"
    );
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    zip.write_all(text.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}

/// A PDF file with a page for each text; an empty one shows nothing.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        String::new(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    let mut kids = String::new();
    for text in pages {
        let stream = match *text {
            "" => "0 0 m".to_owned(),
            text => format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET"),
        };
        objects.push(format!("<</Length {}>>stream\n{stream}\nendstream", stream.len()));
        let content = objects.len();
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents {content} 0 R>>"
        ));
        write!(kids, "{} 0 R ", objects.len()).unwrap();
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len());
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", out.len()).unwrap();
        out.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", index + 1).as_bytes());
    }
    let (size, start) = (objects.len() + 1, out.len());
    write!(table, "trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").unwrap();
    out.extend_from_slice(table.as_bytes());
    out
}

#[tokio::test]
async fn a_word_document_is_read_as_numbered_lines_in_parts() {
    let rig = rig();
    rig.put("Vertrag.docx", docx(&["Über den Kauf", "Der Preis beträgt 5 €.", "Ende."]));
    let text = rig.said("read", json!({"path": "Vertrag.docx"})).await;
    assert!(
        text.starts_with("     1\tÜber den Kauf\n     2\tDer Preis beträgt 5 €.\n     3\tEnde."),
        "{text}"
    );
    assert!(text.contains("this is the text of a Word document"));
    let part = rig.said("read", json!({"path": "Vertrag.docx", "offset": 2, "limit": 1})).await;
    assert!(part.starts_with("     2\tDer Preis") && part.contains("Go on with offset 3"), "{part}");
    // Nothing of it stays behind.
    assert_eq!(std::fs::read_dir(rig.own().join("data")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_pdf_file_is_read_as_text_with_its_pages() {
    let rig = rig();
    rig.put("report.pdf", pdf(&["The first page says this.", "The second page says that."]));
    let outcome = rig.call("read", json!({"path": "report.pdf"})).await.unwrap();
    let text = outcome.text;
    assert!(text.contains("[page 1]") && text.contains("The first page says this."), "{text}");
    assert!(text.contains("[page 2]") && text.contains("The second page says that."), "{text}");
    assert!(outcome.media.is_empty());
}

#[tokio::test]
async fn a_pdf_file_without_text_is_shown_as_it_is() {
    let rig = rig();
    let bytes = pdf(&["", ""]);
    rig.put("scan.pdf", &bytes);
    let outcome = rig.call("read", json!({"path": "scan.pdf"})).await.unwrap();
    assert_eq!(outcome.media[0].media_type, "application/pdf");
    assert_eq!(outcome.media[0].data, bytes);
}

#[tokio::test]
async fn broken_and_hostile_documents_are_errors_of_their_own() {
    let rig = rig();
    let whole = docx(&["text"]);
    for (name, bytes, kind) in [
        ("cut.docx", whole[..whole.len() / 2].to_vec(), Kind::Failed),
        ("empty.docx", b"PK\x03\x04".to_vec(), Kind::Failed),
        ("deep.docx", docx(&[&"<w:r>".repeat(50_000)]), Kind::TooLarge),
    ] {
        rig.put(name, bytes);
        let error = rig.fails("read", json!({"path": name})).await;
        assert_eq!(error.kind, kind, "{name}: {error}");
        assert!(error.message.contains(name), "{error}");
    }
    // A ZIP archive that is no document stays what it was.
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.txt", SimpleFileOptions::default()).unwrap();
    rig.put("a.zip", zip.finish().unwrap().into_inner());
    assert_eq!(rig.fails("read", json!({"path": "a.zip"})).await.kind, Kind::Refused);
}

#[tokio::test]
async fn a_stopped_call_gives_its_reader_up() {
    let rig = rig();
    rig.put("a.docx", docx(&["text"]));
    let (arguments, at, run) = (json!({"path": "a.docx"}), rig.at(), run());
    rig.tool("read").plan(&arguments, &at).await.unwrap();
    run.cancel.cancel();
    assert_eq!(rig.tool("read").run(&arguments, &at, run).await.unwrap_err().kind, Kind::Cancelled);
}
