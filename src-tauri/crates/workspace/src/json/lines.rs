//! Where values stand in a JSON text. The text is known to be valid JSON (its nesting is bounded by the parser).

use std::collections::HashSet;

use super::child;

/// The line of the value a pointer names; of its nearest parent that exists, when it doesn't.
pub fn line_of(text: &str, pointer: &str) -> Option<usize> {
    let wanted: Vec<String> =
        pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
    let mut best: Option<(usize, usize)> = None;
    walk(text, &mut |path, line, _| {
        if path.len() <= wanted.len()
            && best.is_none_or(|(depth, _)| path.len() > depth)
            && path.iter().zip(&wanted).all(|(token, wanted)| token == wanted)
        {
            best = Some((path.len(), line));
        }
    });
    best.map(|(_, line)| line)
}

/// The pointer of the deepest value that begins on a line or before it, last in the text.
pub(crate) fn deepest_on(text: &str, line: usize) -> Option<String> {
    let mut found = None;
    walk(text, &mut |path, at, _| {
        if at <= line && at + 1 > found.as_ref().map_or(0, |(known, _)| *known) {
            found = Some((at, path.to_vec()));
        }
    });
    found.map(|(_, path)| pointer(&path))
}

/// Members whose name their object already has, with the line of the later one; at most 20.
pub(crate) fn repeated(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    walk(text, &mut |path, line, again| {
        if again && found.len() < 20 {
            found.push((pointer(path), line));
        }
    });
    found
}

fn pointer(path: &[String]) -> String {
    path.iter().fold(String::new(), |base, token| child(&base, token))
}

/// Calls `visit` for every value with its path, line, and whether its object already has that name.
fn walk(text: &str, visit: &mut dyn FnMut(&[String], usize, bool)) {
    let mut scanner = Scanner { bytes: text.as_bytes(), text, at: 0, line: 1, path: Vec::new(), visit };
    scanner.value(false);
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    path: Vec<String>,
    visit: &'a mut dyn FnMut(&[String], usize, bool),
}

impl<'a> Scanner<'a> {
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                _ => return Some(*byte),
            }
            self.at += 1;
        }
        None
    }

    fn value(&mut self, again: bool) {
        let first = self.peek();
        (self.visit)(&self.path, self.line, again);
        match first {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => {
                self.string();
            }
            Some(_) => {
                while self.bytes.get(self.at).is_some_and(|byte| !matches!(byte, b',' | b']' | b'}' | b'\n'))
                {
                    self.at += 1;
                }
            }
            None => {}
        }
    }

    fn object(&mut self) {
        self.at += 1;
        let mut names = HashSet::new();
        while self.peek() == Some(b'"') {
            let name: String = serde_json::from_str(self.string()).unwrap_or_default();
            let again = !names.insert(name.clone());
            if self.peek() == Some(b':') {
                self.at += 1;
            }
            self.path.push(name);
            self.value(again);
            self.path.pop();
            if self.peek() == Some(b',') {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    fn array(&mut self) {
        self.at += 1;
        let mut index = 0usize;
        while self.peek().is_some_and(|byte| byte != b']') {
            let before = self.at;
            self.path.push(index.to_string());
            self.value(false);
            self.path.pop();
            if self.peek() == Some(b',') {
                self.at += 1;
            }
            if self.at == before {
                break;
            }
            index += 1;
        }
        self.at += 1;
    }

    /// A string's text with its quotes.
    fn string(&mut self) -> &'a str {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => break,
                _ => {}
            }
        }
        self.text.get(start..self.at).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const TEXT: &str = "{\n  \"a\": [1,\n    {\"b/c\": \"x\\\"\\n{\",\n \"d\": -1.5e3}\n  ],\n  \"e\": {}\n}";

    #[test]
    fn a_pointer_leads_to_its_line() {
        for (pointer, line) in [("", 1), ("/a", 2), ("/a/0", 2), ("/a/1/b~1c", 3), ("/a/1/d", 4), ("/e", 6)] {
            assert_eq!(line_of(TEXT, pointer), Some(line), "{pointer}");
        }
    }

    #[test]
    fn a_pointer_to_nothing_leads_to_the_nearest_parent() {
        assert_eq!(line_of(TEXT, "/a/1/missing/deep"), Some(3));
        assert_eq!(line_of(TEXT, "/nothing"), Some(1));
    }

    #[test]
    fn a_repeated_name_is_found_with_its_second_line() {
        assert_eq!(repeated("{\"a\": {\"x\": 1,\n \"y\": 2,\n \"\\u0078\": 3}}"), [("/a/x".to_owned(), 3)]);
        assert_eq!(repeated(TEXT), []);
    }

    #[test]
    fn the_deepest_value_of_a_line_is_named() {
        assert_eq!(deepest_on(TEXT, 4).as_deref(), Some("/a/1/d"));
    }
}
