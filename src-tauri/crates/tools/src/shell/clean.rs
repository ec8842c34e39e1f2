//! Output of a terminal program as plain text: no escape sequences, no control characters, and of a line that was
//! written over and over (a progress bar) only what it came to.

/// Bytes after which a line without end is handed on in parts.
const MAX_LINE_BYTES: usize = 16 << 10;

/// Takes bytes as they come and gives whole lines of text.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    line: Vec<u8>,
    /// The last byte was a carriage return, of which the next byte tells what it meant.
    returned: bool,
}

impl Cleaner {
    /// Takes more bytes; gives what became whole.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for &byte in bytes {
            if std::mem::take(&mut self.returned) && byte != b'\n' && byte != b'\r' {
                self.line.clear();
            }
            match byte {
                b'\r' => self.returned = true,
                b'\n' => {
                    text.push_str(&plain(&self.line));
                    text.push('\n');
                    self.line.clear();
                }
                byte => {
                    self.line.push(byte);
                    if self.line.len() >= MAX_LINE_BYTES {
                        self.give_part(&mut text);
                    }
                }
            }
        }
        text
    }

    /// What is left of a last line without end.
    pub(super) fn finish(&mut self) -> String {
        self.returned = false;
        plain(&std::mem::take(&mut self.line))
    }

    /// Hands on all but a character that has only begun.
    fn give_part(&mut self, text: &mut String) {
        let begun = self
            .line
            .iter()
            .rev()
            .take(3)
            .position(|byte| byte & 0xc0 == 0xc0)
            .map_or(0, |behind| behind + 1);
        let rest = self.line.split_off(self.line.len() - begun);
        text.push_str(&plain(&self.line));
        self.line = rest;
    }
}

/// The text of a line, broken bytes replaced.
fn plain(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    if !line.contains(|character: char| character.is_control() && character != '\t') {
        return line.into_owned();
    }
    let mut kept = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_sequence(&mut characters),
            '\u{9b}' => skip_parameters(&mut characters),
            '\u{8}' => {
                kept.pop();
            }
            '\t' => kept.push('\t'),
            character if character.is_control() => {}
            character => kept.push(character),
        }
    }
    kept
}

/// What follows an escape character (ECMA-48, sections 5.3 to 5.6).
fn skip_sequence(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match characters.next() {
        Some('[') => skip_parameters(characters),
        // A string command (a window's title, a link): to the bell or to ESC \.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(character) = characters.next() {
                match character {
                    '\u{7}' | '\u{9c}' => return,
                    '\u{1b}' => {
                        characters.next_if_eq(&'\\');
                        return;
                    }
                    _ => {}
                }
            }
        }
        Some(' '..='/') => {
            while characters.next_if(|character| matches!(character, ' '..='/')).is_some() {}
            characters.next();
        }
        Some(_) | None => {}
    }
}

fn skip_parameters(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while characters.next_if(|character| matches!(character, ' '..='?')).is_some() {}
    characters.next_if(|character| matches!(character, '@'..='~'));
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn clean(pieces: &[&[u8]]) -> String {
        let mut cleaner = Cleaner::default();
        let mut text: String = pieces.iter().map(|piece| cleaner.push(piece)).collect();
        text.push_str(&cleaner.finish());
        text
    }

    #[test]
    fn colours_titles_links_and_bells_go_and_the_words_stay() {
        assert_eq!(clean(&[b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07plain\x07"]), "red plain");
        assert_eq!(clean(&[b"\x1b]8;;file:///x\x1b\\link\x1b]8;;\x1b\\ \x1b(Bend\tof"]), "link end\tof");
        assert_eq!(clean(&["\u{9b}31mred\u{85} Prüfung ✅".as_bytes()]), "red Prüfung ✅");
    }

    #[test]
    fn a_progress_bar_comes_to_its_last_state() {
        assert_eq!(clean(&[b"10%\r", b"50%\r100%\ndone\r\nnext"]), "100%\ndone\nnext");
        assert_eq!(clean(&[b"kept\r"]), "kept");
        assert_eq!(clean(&[b"ab\x08c"]), "ac");
    }

    #[test]
    fn a_character_that_arrives_in_two_pieces_is_one_character() {
        let text = "ä".repeat(MAX_LINE_BYTES);
        for cut in [1, 2, MAX_LINE_BYTES - 1, MAX_LINE_BYTES, MAX_LINE_BYTES + 1] {
            let (one, other) = text.as_bytes().split_at(cut);
            assert_eq!(clean(&[one, other]), text);
        }
    }

    #[test]
    fn broken_bytes_and_endless_escapes_do_no_harm() {
        assert_eq!(clean(&[b"\xff\xfe\x00a"]), "\u{fffd}\u{fffd}a");
        assert_eq!(clean(&[b"\x1b]0;never ends"]), "");
        assert_eq!(clean(&[b"\x1b"]), "");
        assert_eq!(clean(&[&[b'\xc3'; 3 * MAX_LINE_BYTES]]).chars().count(), 3 * MAX_LINE_BYTES);
    }
}
