//! The few forms of a line that are judged: simple commands of literal words, joined by `|`, `&&`, `||`, `;` and line
//! ends, with no redirection but from a file, to `/dev/null`, and between output and error.

use super::{Command, Line, NotReadOnly, Word};

type Scan<T> = Result<T, NotReadOnly>;

/// Reads a line, or says what of it is not judged.
pub(super) fn scan(text: &str) -> Scan<Line> {
    if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(format!("it has the control character U+{:04X}", u32::from(c)).into());
    }
    if text.contains("\\\n") {
        return Err("it continues a line with a backslash".into());
    }
    let mut scanner = Scanner { rest: text, line: Line::default(), words: Vec::new(), awaited: false };
    scanner.run(text)?;
    Ok(scanner.line)
}

struct Scanner<'a> {
    rest: &'a str,
    line: Line,
    words: Vec<Word>,
    /// Whether `|`, `&&` or `||` still waits for its command.
    awaited: bool,
}

impl Scanner<'_> {
    fn run(&mut self, text: &str) -> Scan<()> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            let Some(first) = self.rest.chars().next() else { break };
            match first {
                '\n' => {
                    self.step(1);
                    if !self.words.is_empty() {
                        self.end();
                    }
                }
                ';' => {
                    self.step(1);
                    self.separated("`;`")?;
                }
                '|' if self.rest.starts_with("||") => {
                    self.step(2);
                    self.joined("`||`")?;
                }
                '|' if self.rest.starts_with("|&") => return Err("it uses `|&`".into()),
                '|' => {
                    self.step(1);
                    self.joined("`|`")?;
                }
                '&' if self.rest.starts_with("&&") => {
                    self.step(2);
                    self.joined("`&&`")?;
                }
                '&' if self.rest.starts_with("&>") => {
                    self.step(2);
                    self.step(usize::from(self.rest.starts_with('>')));
                    self.discard()?;
                }
                '&' => return Err("it runs something in the background".into()),
                '#' => self.comment(text)?,
                '<' | '>' => self.redirect()?,
                '0'..='9' if self.is_descriptor() => {
                    self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
                    self.redirect()?;
                }
                _ => {
                    let first = self.words.is_empty();
                    let word = self.word(first)?;
                    if first && !is_name(&word) {
                        return Err(fault_of_name(&word));
                    }
                    self.words.push(word);
                }
            }
        }
        if self.awaited && self.words.is_empty() {
            return Err("it ends before a command is complete".into());
        }
        if !self.words.is_empty() {
            self.end();
        }
        Ok(())
    }

    fn step(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn end(&mut self) {
        self.awaited = false;
        self.line.commands.push(Command { words: std::mem::take(&mut self.words) });
    }

    fn separated(&mut self, what: &str) -> Scan<()> {
        if self.words.is_empty() {
            return Err(format!("{what} stands where a command is expected").into());
        }
        self.end();
        Ok(())
    }

    fn joined(&mut self, what: &str) -> Scan<()> {
        self.separated(what)?;
        self.awaited = true;
        Ok(())
    }

    /// A comment is passed over only on a line of its own: elsewhere readers may disagree on where it begins.
    fn comment(&mut self, text: &str) -> Scan<()> {
        let before = &text[..text.len() - self.rest.len()];
        let own_line = before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
        if !own_line || !self.words.is_empty() || self.awaited {
            return Err("it has a comment beside a command".into());
        }
        self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
        Ok(())
    }

    fn is_descriptor(&self) -> bool {
        self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>'])
    }

    /// A redirection, after its descriptor.
    fn redirect(&mut self) -> Scan<()> {
        if self.words.is_empty() {
            return Err("it begins with a redirection".into());
        }
        if self.rest.starts_with("<<<") {
            return Err("it gives a command a here-string".into());
        }
        if self.rest.starts_with("<<") {
            return Err("it gives a command a here-document".into());
        }
        if self.rest.starts_with("<(") || self.rest.starts_with(">(") {
            return Err("it substitutes a process for a file".into());
        }
        if self.rest.starts_with("<>") || self.rest.starts_with("<&") || self.rest.starts_with(">|") {
            return Err("it redirects in a way that is not judged".into());
        }
        if self.rest.starts_with('<') {
            self.step(1);
            let target = self.target()?;
            if target.glob || target.text.starts_with("/dev/") || target.text.is_empty() {
                return Err("it reads from something that is not a plain file".into());
            }
            self.line.inputs.push(target.text);
            return Ok(());
        }
        self.step(1);
        if self.rest.starts_with('&') {
            self.step(1);
            let target = self.target()?;
            return match target.text.as_str() {
                "1" | "2" => Ok(()),
                _ => Err("it redirects output into a file".into()),
            };
        }
        self.step(usize::from(self.rest.starts_with('>')));
        self.discard()
    }

    fn discard(&mut self) -> Scan<()> {
        if self.words.is_empty() {
            return Err("it begins with a redirection".into());
        }
        if self.rest.starts_with(['|', '&', '(']) {
            return Err("it redirects in a way that is not judged".into());
        }
        match self.target()? {
            Word { text, glob: false, .. } if text == "/dev/null" => Ok(()),
            _ => Err("it redirects output into a file".into()),
        }
    }

    fn target(&mut self) -> Scan<Word> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let before = self.rest;
        let word = self.word(false)?;
        if before.len() == self.rest.len() {
            return Err("it ends before a redirection is complete".into());
        }
        Ok(word)
    }

    /// One word; `first` of its command or not.
    fn word(&mut self, first: bool) -> Scan<Word> {
        let mut word = Word::default();
        let mut brace = false;
        while let Some(c) = self.rest.chars().next() {
            match c {
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' => break,
                '(' | ')' => return Err("it has parentheses: a subshell, a function or a pattern".into()),
                '`' => return Err("it puts a command's output in a command".into()),
                '$' => return Err(fault_of_dollar(self.rest)),
                '\'' => {
                    self.step(1);
                    let Some(end) = self.rest.find('\'') else {
                        return Err("a quote is not closed".into());
                    };
                    for c in self.rest[..end].chars() {
                        plain(c, &word, first)?;
                        word.text.push(c);
                    }
                    self.step(end + 1);
                    continue;
                }
                '"' => {
                    self.step(1);
                    self.quoted(&mut word, first)?;
                    continue;
                }
                '\\' => {
                    self.step(1);
                    match self.rest.chars().next() {
                        Some(c) if c.is_ascii_graphic() || c == ' ' => {
                            word.text.push(c);
                            self.step(1);
                        }
                        _ => return Err("it has a backslash before something unusual".into()),
                    }
                    continue;
                }
                '*' | '?' | '[' => {
                    word.leading |= word.text.is_empty();
                    word.glob = true;
                }
                '{' => brace = true,
                '!' if first && word.text.is_empty() => return Err("it negates a command".into()),
                _ => plain(c, &word, first)?,
            }
            word.text.push(c);
            self.step(c.len_utf8());
        }
        if brace && (word.text.contains(',') || word.text.contains("..")) {
            return Err("it has a list in braces, which becomes several words".into());
        }
        Ok(word)
    }

    /// The rest of a text in double quotes.
    fn quoted(&mut self, word: &mut Word, first: bool) -> Scan<()> {
        loop {
            let Some(c) = self.rest.chars().next() else { return Err("a quote is not closed".into()) };
            self.step(c.len_utf8());
            match c {
                '"' => return Ok(()),
                '`' => return Err("it puts a command's output in a command".into()),
                // At the end of a regular expression a dollar is nothing but itself.
                '$' if self.rest.starts_with(['"', ' ', '|', ')', '/']) => word.text.push('$'),
                '$' => return Err(fault_of_dollar(&format!("${}", self.rest))),
                '\\' => match self.rest.chars().next() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => {
                        word.text.push(c);
                        self.step(1);
                    }
                    _ => word.text.push('\\'),
                },
                c => {
                    plain(c, word, first)?;
                    word.text.push(c);
                }
            }
        }
    }
}

/// A character that stands for itself. Letters beyond ASCII may be in what a command is given, but not in its name or an
/// option, and never ones that look like ASCII.
fn plain(c: char, word: &Word, first: bool) -> Scan<()> {
    if c.is_ascii() {
        return Ok(());
    }
    let code = u32::from(c);
    let imitates = matches!(code, 0xff00..=0xffef | 0x1d400..=0x1d7ff | 0x2000..=0x2bff | 0x3000..=0x303f)
        || matches!(code, 0x0370..=0x052f)
        || (0xe000..=0xf8ff).contains(&code);
    if first || word.text.starts_with('-') || imitates || !c.is_alphanumeric() {
        return Err(format!("it has the character `{}` (U+{code:04X})", c.escape_debug()).into());
    }
    Ok(())
}

fn fault_of_dollar(rest: &str) -> NotReadOnly {
    let what = if rest.starts_with("$((") || rest.starts_with("$[") {
        "it computes something"
    } else if rest.starts_with("$(") {
        "it puts a command's output in a command"
    } else if rest.starts_with("$'") || rest.starts_with("$\"") {
        "it has a text with escapes, `$'…'`"
    } else {
        "it uses a variable"
    };
    what.into()
}

fn is_name(word: &Word) -> bool {
    !word.glob
        && !word.text.is_empty()
        && word
            .text
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'/' | b'+' | b'-' | b'@' | b'~'))
}

fn fault_of_name(word: &Word) -> NotReadOnly {
    if word.text.contains('=') {
        "it sets a variable".into()
    } else {
        "a command's name is not a plain one".into()
    }
}
