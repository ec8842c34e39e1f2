//! JSONL, Markdown and HTML.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use transfer::{
    HtmlOptions, JsonlError, Limits, Message, Report, Role, Transcript, read_jsonl, to_html, to_markdown,
    write_jsonl,
};

use crate::support::transcript;

fn lines_of(transcript: &Transcript) -> Vec<u8> {
    let mut out = Vec::new();
    write_jsonl(transcript, &mut out).unwrap();
    out
}

fn read(bytes: &[u8]) -> (Result<Transcript, JsonlError>, Report) {
    let mut report = Report::default();
    let read = read_jsonl(bytes, &Limits::default(), "x.jsonl", &mut report);
    (read, report)
}

#[test]
fn a_session_comes_back_from_its_lines_as_it_was() {
    let written = lines_of(&transcript());
    let (back, report) = read(&written);
    let back = back.unwrap();
    assert_eq!(back, transcript());
    assert_eq!(lines_of(&back), written);
    assert_eq!(report, Report::default());
    let first: serde_json::Value =
        serde_json::from_slice(written.split(|b| *b == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["format"], "agentnative-session");
    assert_eq!(first["version"], 1);
}

proptest! {
    #[test]
    fn any_texts_survive_their_lines(texts in prop::collection::vec("\\PC*", 0..8), title in "\\PC*") {
        let mut transcript = transcript();
        transcript.header.title = title;
        for (index, text) in texts.into_iter().enumerate() {
            transcript.messages.push(Message::new(Role::Assistant, format!("p{index}"), 1, text));
        }
        let (back, _) = read(&lines_of(&transcript));
        prop_assert_eq!(back.unwrap(), transcript);
    }

    #[test]
    fn no_text_breaks_out_of_the_page(text in "[<>\"'&a-z/!= \n`*\\[\\]()-]{0,200}") {
        let mut transcript = transcript();
        transcript.header.title.clone_from(&text);
        transcript.messages.push(Message::new(Role::User, "u", 1, text.clone()));
        transcript.messages.push(Message::new(Role::Assistant, "a", 1, text));
        let page = to_html(&transcript, &HtmlOptions::default());
        prop_assert_eq!(page.matches("<script").count(), 1);
        prop_assert_eq!(page.matches("<img").count(), 0);
        prop_assert_eq!(page.matches("javascript:").count(), 0);
        prop_assert_eq!(page.matches("<article").count(), page.matches("</article").count());
    }
}

#[test]
fn broken_lines_are_left_out_and_told_of() {
    let mut bytes = lines_of(&transcript());
    bytes.extend(b"{not json}\n[1]\n{\"id\":\"x\",\"role\":\"nobody\"}\n");
    bytes.extend("[".repeat(100_000).as_bytes());
    bytes.extend(b"\n{\"id\":\"last\",\"role\":\"user\",\"text\":\"still here\"}\n");
    let (back, report) = read(&bytes);
    let back = back.unwrap();
    assert_eq!(back.messages.len(), 4);
    assert_eq!(back.messages[3].text, "still here");
    assert_eq!(report.counts["message"].left_out, 4);
    assert!(report.lines[0].place.starts_with("x.jsonl:"));
}

#[test]
fn what_is_none_or_newer_is_refused() {
    assert!(matches!(read(b"").0, Err(JsonlError::NotOne(_))));
    assert!(matches!(read(b"{}\n").0, Err(JsonlError::NotOne(_))));
    let newer = b"{\"format\":\"agentnative-session\",\"version\":99}\n";
    assert!(matches!(read(newer).0, Err(JsonlError::Newer { found: 99 })));
}

#[test]
fn markdown_keeps_headings_below_the_session_and_html_out() {
    let text = to_markdown(&transcript());
    assert!(text.starts_with("# Fix \\<login\\> \\& co\n"), "{text}");
    assert!(text.contains("> Why does &lt;b>login&lt;/b> fail?\n> # not a heading"), "{text}");
    assert!(text.contains("### Cause") && text.contains("\n# code\n"), "{text}");
    assert!(text.contains("````\nline with ``` fence"), "{text}");
    assert!(!text.contains("<img"), "{text}");
}

#[test]
fn a_page_is_whole_and_loads_nothing() {
    let options = HtmlOptions { notices: vec!["2 values were taken out.".to_owned()] };
    let page = to_html(&transcript(), &options);
    for part in [
        "<title>Fix &lt;login&gt; &amp; co</title>",
        "default-src 'none'",
        "2 values were taken out.",
        "@media print",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("src=\"http") && !page.contains("<link") && !page.contains("alert(1)</script>"));
    assert_eq!(page, to_html(&transcript(), &options), "the same session gives the same bytes");
}
