//! The last words of a server: its standard error, always read to the end, of which only the tail is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;

/// Bytes of standard error that are kept.
pub(crate) const TAIL_BYTES: usize = 8 << 10;
/// Shorter values are too likely to be ordinary words to cut them out.
const MIN_SECRET_BYTES: usize = 8;

/// The tail of one server's standard error.
#[derive(Debug, Clone)]
pub(crate) struct StderrTail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    secrets: Arc<Vec<(String, String)>>,
    /// Cancelled when everything was read.
    pub(crate) drained: CancellationToken,
}

impl StderrTail {
    /// An empty tail; `secrets` are (name, value) pairs whose values never appear in it.
    pub(crate) fn new<'a>(secrets: impl Iterator<Item = (&'a String, &'a String)>) -> Self {
        let secrets = secrets
            .filter(|(_, value)| value.len() >= MIN_SECRET_BYTES)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Self { bytes: Arc::default(), secrets: Arc::new(secrets), drained: CancellationToken::new() }
    }

    /// Reads until end-of-file. The child is never held up: what is not kept is thrown away, however much it is.
    pub(crate) async fn drain(self, mut stderr: impl AsyncRead + Unpin) {
        let mut buffer = vec![0_u8; 16 << 10];
        loop {
            match stderr.read(&mut buffer).await {
                Ok(0) | Err(_) => return self.drained.cancel(),
                Ok(count) => {
                    self.push(&buffer[..count]);
                    // A flood must not keep a worker thread to itself.
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    fn push(&self, new: &[u8]) {
        let new = &new[new.len().saturating_sub(TAIL_BYTES)..];
        let mut bytes = self.bytes.lock();
        let surplus = (bytes.len() + new.len()).saturating_sub(TAIL_BYTES);
        bytes.drain(..surplus);
        bytes.extend(new);
    }

    /// The tail as text without control characters, escape sequences or configured values; from a whole line on when it
    /// was cut.
    pub(crate) fn text(&self) -> String {
        let (raw, cut) = {
            let bytes = self.bytes.lock();
            let raw: Vec<u8> = bytes.iter().copied().collect();
            (raw, bytes.len() == TAIL_BYTES)
        };
        let text = String::from_utf8_lossy(&raw);
        let whole = match text.split_once('\n') {
            Some((_, rest)) if cut && !rest.is_empty() => rest,
            _ => &text,
        };
        let mut clean = crate::text::strip_invisible(&without_escapes(whole));
        for (name, value) in self.secrets.iter() {
            clean = clean.replace(value.as_str(), &format!("[{name}]"));
        }
        clean.trim().to_owned()
    }
}

/// Drops terminal escape sequences whole, where dropping only the escape character would leave `[31m` behind.
fn without_escapes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            kept.push(character);
        } else if characters.next_if_eq(&'[').is_some() {
            for inner in characters.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&inner) {
                    break;
                }
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::collections::BTreeMap;

    #[test]
    fn only_the_last_lines_of_a_flood_are_kept() {
        let tail = StderrTail::new(std::iter::empty());
        for line in 0..10_000 {
            tail.push(format!("line {line}\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.len() <= TAIL_BYTES);
        assert!(text.starts_with("line ") && text.ends_with("line 9999"));
    }

    #[test]
    fn control_characters_and_broken_bytes_do_not_reach_the_screen() {
        let tail = StderrTail::new(std::iter::empty());
        tail.push(b"\x1b[31mred\x1b[0m \xff\x00\x07 alert\r\n");
        assert_eq!(tail.text(), "red \u{fffd} alert");
    }

    #[test]
    fn a_configured_value_is_replaced_by_its_name() {
        let secrets = BTreeMap::from([("TOKEN".to_owned(), "sk-canary-1234".to_owned())]);
        let tail = StderrTail::new(secrets.iter());
        tail.push(b"401 for sk-canary-1234\n");
        assert_eq!(tail.text(), "401 for [TOKEN]");
    }
}
