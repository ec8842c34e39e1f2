//! What the tests of every protocol share: frames from files, a reader run over them, and the two properties that every
//! reader has: an answer cut anywhere is never half an answer, and where bytes are split changes nothing.
//!
//! `fixture("anthropic/text.sse")` reads a file of `tests/it/fixtures`; `recorded("vercel-ai/anthropic__")` reads streams
//! that were recorded elsewhere, from the folder that `AGENTNATIVE_WIRE` names. They are not part of the project.

#![allow(dead_code)]

use std::path::{Path, PathBuf};

use llm::wire::{Frame, Framing, Reader};
use llm::{ModelAnswer, ProviderError, StreamEvent};

/// A stream of frames and where it comes from.
pub struct Recording {
    /// The file, below its folder.
    pub name: String,
    /// Its frames.
    pub frames: Vec<Frame>,
}

/// What a reader made of frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The events, `Finished` included.
    pub events: Vec<StreamEvent>,
    /// How it failed, where it did.
    pub error: Option<ProviderError>,
}

impl Run {
    /// The finished answer. Fails the test where there is none.
    pub fn answer(&self) -> &ModelAnswer {
        assert_eq!(self.error, None);
        match self.events.last() {
            Some(StreamEvent::Finished(answer)) => answer,
            other => panic!("the last event is {other:?}"),
        }
    }

    /// The failure. Fails the test where there is none.
    pub fn error(&self) -> &ProviderError {
        assert!(!self.events.iter().any(|event| matches!(event, StreamEvent::Finished(_))));
        self.error.as_ref().unwrap()
    }

    /// All pieces of text, joined.
    pub fn text(&self) -> String {
        let piece = |event: &StreamEvent| match event {
            StreamEvent::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.events.iter().filter_map(piece).collect()
    }

    /// All pieces of visible thinking, joined.
    pub fn thinking(&self) -> String {
        let piece = |event: &StreamEvent| match event {
            StreamEvent::Thinking(text) => Some(text.clone()),
            _ => None,
        };
        self.events.iter().filter_map(piece).collect()
    }
}

/// A file of `tests/it/fixtures`.
pub fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Its frames: of server-sent events where it has lines that begin with `data:`, else one a line.
pub fn fixture_frames(name: &str) -> Vec<Frame> {
    frames(&fixture(name))
}

/// The frames of a text, in the form that it has.
pub fn frames(text: &str) -> Vec<Frame> {
    if text.lines().any(|line| line.starts_with("data:")) { sse(text) } else { lines(text) }
}

/// Frames of server-sent events. Simple on purpose: the transport's decoder is tested against it.
pub fn sse(text: &str) -> Vec<Frame> {
    let mut frames = Vec::new();
    let (mut event, mut data) = (None, Vec::new());
    for line in text.replace("\r\n", "\n").split('\n').chain([""]) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() && !data.is_empty() => {
                frames.push(Frame { event: event.take(), data: std::mem::take(&mut data).join("\n") });
            }
            "" if line.is_empty() => event = None,
            "event" => event = Some(value.to_owned()),
            "data" => data.push(value.to_owned()),
            _ => {}
        }
    }
    frames
}

/// A frame a line; blank lines are none.
pub fn lines(text: &str) -> Vec<Frame> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| Frame { event: None, data: line.to_owned() })
        .collect()
}

/// Frames as the bytes that a server would send.
pub fn bytes(frames: &[Frame], framing: Framing) -> Vec<u8> {
    let mut out = String::new();
    for frame in frames {
        match framing {
            Framing::Sse => {
                if let Some(event) = &frame.event {
                    out.push_str(&format!("event: {event}\n"));
                }
                for line in frame.data.split('\n') {
                    out.push_str(&format!("data: {line}\n"));
                }
                out.push('\n');
            }
            Framing::Lines => {
                out.push_str(&frame.data);
                out.push('\n');
            }
        }
    }
    out.into_bytes()
}

/// Recorded streams whose path below the folder begins with `prefix` (`vercel-ai/anthropic__`), in order of their names.
/// Empty, with a line that says so, where `AGENTNATIVE_WIRE` is not set.
pub fn recorded(prefix: &str) -> Vec<Recording> {
    let Some(folder) = std::env::var_os("AGENTNATIVE_WIRE").map(PathBuf::from) else {
        println!("skipped: no recorded streams (AGENTNATIVE_WIRE)");
        return Vec::new();
    };
    let mut found = Vec::new();
    for source in
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|p| p.is_dir())
    {
        for path in std::fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/");
            if name.starts_with(prefix) {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                found.push(Recording { frames: frames(&text), name });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!found.is_empty(), "no recorded stream begins with {prefix}");
    found
}

/// Cuts frames after each that ends an answer: some files hold the answers to several requests.
pub fn answers(frames: &[Frame], ends: impl Fn(&Frame) -> bool) -> Vec<Vec<Frame>> {
    frames.split_inclusive(ends).map(<[Frame]>::to_vec).collect()
}

/// Runs a reader over frames as the transport does: until it finished or failed, else to the body's end.
pub fn run(mut reader: Box<dyn Reader>, frames: &[Frame]) -> Run {
    let mut events = Vec::new();
    let steps = frames.iter().map(Some).chain([None]);
    for frame in steps {
        let step = match frame {
            Some(frame) => reader.frame(frame),
            None => reader.end(),
        };
        match step {
            Ok(more) => events.extend(more),
            Err(error) => return Run { events, error: Some(error) },
        }
        if matches!(events.last(), Some(StreamEvent::Finished(_))) {
            break;
        }
    }
    Run { events, error: None }
}

/// Cuts the frames after each of them, and within each: what comes of it is a typed error or one whole answer with the
/// text, the parts and the reason to stop of the uncut one. `reader` makes a new reader.
pub fn every_prefix(reader: impl Fn() -> Box<dyn Reader>, frames: &[Frame]) {
    let whole = run(reader(), frames);
    let check = |cut: &[Frame], place: &str| {
        let run = run(reader(), cut);
        let finished = run.events.iter().filter(|event| matches!(event, StreamEvent::Finished(_))).count();
        match &run.error {
            Some(error) => {
                assert_eq!(finished, 0, "{place}: an answer and an error");
                assert!(
                    !error.message.is_empty() && !error.provider.is_empty(),
                    "{place}: an error without words"
                );
            }
            None => {
                assert_eq!(finished, 1, "{place}: neither an answer nor an error");
                let (got, want) = (run.answer(), whole.answer());
                assert_eq!(
                    (&got.text, &got.parts, got.stop),
                    (&want.text, &want.parts, want.stop),
                    "{place}"
                );
            }
        }
    };
    for cut in 0..=frames.len() {
        check(&frames[..cut], &format!("after {cut} frames"));
        if let Some(frame) = frames.get(cut) {
            let mut cut_within = frames[..=cut].to_vec();
            let half = frame.data.floor_char_boundary(frame.data.len() / 2);
            cut_within[cut].data.truncate(half);
            check(&cut_within, &format!("within frame {cut}"));
        }
    }
}

/// Splits bytes at every place, byte by byte, and in uneven pieces: `decode` gives the same frames as for the whole.
pub fn every_split(bytes: &[u8], decode: impl Fn(&[&[u8]]) -> Vec<Frame>) {
    let whole = decode(&[bytes]);
    let step = (bytes.len() / 2_000).max(1);
    for at in (0..bytes.len()).step_by(step) {
        let (head, tail) = bytes.split_at(at);
        assert_eq!(decode(&[head, tail]), whole, "split at {at}");
    }
    for size in [1, 2, 3, 7, 61] {
        assert_eq!(decode(&bytes.chunks(size).collect::<Vec<_>>()), whole, "in pieces of {size}");
    }
}
