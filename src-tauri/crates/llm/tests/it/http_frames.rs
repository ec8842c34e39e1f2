//! Bytes to frames.

use llm::http::frames::{Decoder, EVENT_BYTES, FrameError, decode};
use llm::wire::{Frame, Framing};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn frame(event: &str, data: &str) -> Frame {
    Frame { event: (!event.is_empty()).then(|| event.to_owned()), data: data.to_owned() }
}

fn sse(body: &str) -> Vec<Frame> {
    decode(Framing::Sse, body.as_bytes()).unwrap()
}

/// The frames before an error, and the error.
fn pushed<'a>(
    framing: Framing,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Frame>, Result<(), FrameError>) {
    let mut decoder = Decoder::new(framing);
    let mut frames = Vec::new();
    for piece in pieces {
        if let Err(error) = decoder.push(piece, &mut frames) {
            return (frames, Err(error));
        }
    }
    let end = decoder.finish(&mut frames);
    (frames, end)
}

/// The standard's words, on a whole body: lines, fields, blank lines.
fn as_the_standard_says(body: &str) -> Vec<Frame> {
    let body = body.strip_prefix('\u{feff}').unwrap_or(body).replace("\r\n", "\n").replace('\r', "\n");
    let (mut event, mut data, mut frames) = (String::new(), String::new(), Vec::new());
    // What follows the last line end is no line.
    let lines: Vec<&str> = body.split('\n').collect();
    for line in &lines[..lines.len() - 1] {
        if line.is_empty() {
            if let Some(data) = data.strip_suffix('\n') {
                frames.push(frame(&event, data));
            }
            event.clear();
            data.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => event = value.to_owned(),
            "data" => {
                data.push_str(value);
                data.push('\n');
            }
            _ => {}
        }
    }
    frames
}

#[test]
fn events_are_read_as_the_standard_says() {
    assert_eq!(sse("data: a\n\n"), [frame("", "a")]);
    assert_eq!(sse("event: e\ndata: a\ndata: b\n\ndata:c\n\n"), [frame("e", "a\nb"), frame("", "c")]);
    assert_eq!(
        sse("event: e\r\ndata: a\r\n\r\ndata: b\r\rdata: c\n\r\n"),
        [frame("e", "a"), frame("", "b"), frame("", "c")]
    );
    assert_eq!(sse("\u{feff}data: a\n\n"), [frame("", "a")]);
    assert_eq!(sse("data: \u{feff}a\n\n\u{feff}data: lost\n\n"), [frame("", "\u{feff}a")]);
    assert_eq!(sse(": OPENROUTER PROCESSING\n\n: again\ndata: [DONE]\n\n"), [frame("", "[DONE]")]);
    assert_eq!(sse("data: {\"a\":1}   \t\n\n"), [frame("", "{\"a\":1}   \t")]);
    assert_eq!(sse("data:  a\n\ndata\n\ndata:\n\n"), [frame("", " a"), frame("", ""), frame("", "")]);
    assert_eq!(sse("event: e\n\ndata: a\n\n"), [frame("", "a")]);
    assert_eq!(sse("event: e\nevent:\ndata: a\n\n"), [frame("", "a")]);
    assert_eq!(sse("id: 7\nretry: 3\nDATA: x\ndatax: y\n data: z\ndata: a\n\n"), [frame("", "a")]);
    assert_eq!(sse("<!doctype html>\n<title>No</title>\n\n"), []);
    assert_eq!(sse(""), []);
}

#[test]
fn an_event_without_its_blank_line_is_dropped() {
    for cut in ["data: b", "data: b\n", "data: b\r", "event: e\ndata", "data: \u{e9}"] {
        assert_eq!(sse(&format!("data: a\n\n{cut}")), [frame("", "a")], "{cut:?}");
    }
}

#[test]
fn lines_of_json_are_read_with_any_line_end_and_without_the_last() {
    let lines = |body: &str| decode(Framing::Lines, body.as_bytes()).unwrap();
    let both = [frame("", "{\"a\":1}"), frame("", "{\"b\":\"\u{e9}\\n\"}")];
    assert_eq!(lines("{\"a\":1}\n{\"b\":\"\u{e9}\\n\"}\n"), both);
    assert_eq!(lines("\u{feff}{\"a\":1}\r\n\r\n  {\"b\":\"\u{e9}\\n\"} "), both);
    assert_eq!(lines("{\"a\":1}\n{\"b\":\"\u{e9}\\"), both[..1]);
    assert_eq!(lines("{\"a\":1}\nnot json"), [frame("", "{\"a\":1}"), frame("", "not json")]);
    let cut = decode(Framing::Lines, b"{\"a\":1}\n{\"b\":\"\xC3");
    assert_eq!(cut, Ok(both[..1].to_vec()));
}

#[test]
fn what_is_not_text_is_told_after_what_came_before_it() {
    for (framing, body) in [
        (Framing::Sse, &b"data: a\n\ndata: \xFF\n\ndata: b\n\n"[..]),
        (Framing::Sse, b"data: a\n\nevent: \xC3\x28\n\n"),
        (Framing::Sse, b"data: a\n\ndata: \xED\xA0\x80\n\n"),
        (Framing::Lines, b"a\n\xFF\nb\n"),
    ] {
        let (frames, error) = pushed(framing, [body]);
        assert_eq!((frames, error), (vec![frame("", "a")], Err(FrameError::NotText)));
    }
    assert_eq!(sse("data: a\n\n"), decode(Framing::Sse, b": \xFF\ndata: a\n\n").unwrap());
}

#[test]
fn an_event_of_ten_megabytes_is_read_and_one_above_the_bound_is_refused() {
    let body = |length: usize| format!("data: first\n\ndata: {}\n\n", "x".repeat(length));
    for length in [10_000_000, EVENT_BYTES - "data: ".len()] {
        let body = body(length);
        let (frames, end) = pushed(Framing::Sse, body.as_bytes().chunks(16_384));
        assert_eq!((frames.len(), frames[1].data.len(), end), (2, length, Ok(())));
    }
    let first = vec![frame("", "first")];
    let long = body(EVENT_BYTES - "data: ".len() + 1);
    for pieces in [16_384, usize::MAX] {
        let cut = pushed(Framing::Sse, long.as_bytes().chunks(pieces));
        assert_eq!(cut, (first.clone(), Err(FrameError::TooLong)));
    }
    let lines = format!("data: first\n\n{}\n", "data: 0123456789abcdef\n".repeat(EVENT_BYTES / 17 + 1));
    assert_eq!(pushed(Framing::Sse, [lines.as_bytes()]), (first, Err(FrameError::TooLong)));
    let endless = vec![b'['; EVENT_BYTES + 1];
    assert_eq!(pushed(Framing::Lines, endless.chunks(1 << 20)), (vec![], Err(FrameError::TooLong)));
}

/// Bodies of the pieces that a decoder has to tell apart.
fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"data"[..]),
        Just(&b"data: "[..]),
        Just(&b"data:  {\"a\":\"\xC3\xA9\xF0\x9F\x99\x82\"} "[..]),
        Just(&b"event: e"[..]),
        Just(&b": note"[..]),
        Just(&b"id: 1"[..]),
        Just(&b"\n"[..]),
        Just(&b"\r"[..]),
        Just(&b"\r\n"[..]),
        Just(&b"\n\n"[..]),
        Just(&b"\xEF\xBB\xBF"[..]),
        Just(&b"{\"a\": [1, 2]}"[..]),
        Just(&b"{\"a"[..]),
        Just(&b":"[..]),
        Just(&b" "[..]),
        Just(&b"\xFF"[..]),
        Just(&b"\xE2\x82"[..]),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_split_of_the_bytes_gives_the_same_frames(
        body in bodies(),
        cuts in proptest::collection::vec(0usize..96, 0..8),
        lines in any::<bool>(),
    ) {
        let framing = if lines { Framing::Lines } else { Framing::Sse };
        let whole = pushed(framing, [&body[..]]);
        let mut at: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).collect();
        at.sort_unstable();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for to in at {
            pieces.push(&body[from..to]);
            from = to;
        }
        pieces.push(&body[from..]);
        prop_assert_eq!(&pushed(framing, pieces), &whole);
        prop_assert_eq!(&pushed(framing, body.chunks(1)), &whole);
    }

    #[test]
    fn frames_are_those_that_the_standard_gives(body in bodies()) {
        if let Ok(text) = std::str::from_utf8(&body) {
            prop_assert_eq!(sse(text), as_the_standard_says(text));
        }
    }
}
