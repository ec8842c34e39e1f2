//! HTML bytes cut into tags and text, by the tokenization rules of the HTML standard (section 13.2.5) as far as they
//! decide what is text. One pass; each byte is looked at a bounded number of times.

use std::borrow::Cow;

use markup5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

use super::tags::Tag;
use super::{Dialect, LINE_MARK};

/// The attributes that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Reversed,
    Namespace,
    Alt,
    Face,
    AriaLevel,
    Alttext,
    AriaHidden,
    Charset,
    Checked,
    Class,
    Close,
    Colspan,
    Content,
    EpubType,
    Hidden,
    Href,
    Id,
    Linethickness,
    Name,
    Notation,
    Open,
    Role,
    Rowspan,
    Selected,
    Separators,
    Start,
    Style,
    Type,
    Value,
}

impl Key {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "aria-level" => Self::AriaLevel,
            "face" => Self::Face,
            "alt" => Self::Alt,
            "required-namespace" => Self::Namespace,
            "reversed" => Self::Reversed,
            "alttext" => Self::Alttext,
            "aria-hidden" => Self::AriaHidden,
            "charset" => Self::Charset,
            "checked" => Self::Checked,
            "class" => Self::Class,
            "close" => Self::Close,
            "colspan" => Self::Colspan,
            "content" => Self::Content,
            "epub:type" => Self::EpubType,
            "hidden" => Self::Hidden,
            "href" => Self::Href,
            "id" => Self::Id,
            "linethickness" => Self::Linethickness,
            "name" => Self::Name,
            "notation" => Self::Notation,
            "open" => Self::Open,
            "role" => Self::Role,
            "rowspan" => Self::Rowspan,
            "selected" => Self::Selected,
            "separators" => Self::Separators,
            "start" => Self::Start,
            "style" => Self::Style,
            "type" => Self::Type,
            "value" => Self::Value,
            _ => return None,
        })
    }
}

/// An attribute with its value.
pub(crate) type Attribute<'a> = (Key, Cow<'a, str>);

/// A piece of a page.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    /// A start tag with its name as written; `closed` when it ends in `/>`.
    Start { tag: Tag, name: &'a str, attributes: Vec<Attribute<'a>>, closed: bool },
    /// An end tag.
    End(Tag, &'a str),
    /// Text with its character references resolved.
    Text(Cow<'a, str>),
}

/// The tokens of a page in order.
pub(crate) struct Tokens<'a> {
    source: &'a str,
    at: usize,
    /// Where the last token began.
    start: usize,
    counted: usize,
    line: u32,
    dialect: Dialect,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str, dialect: Dialect) -> Self {
        Self { source, at: 0, start: 0, counted: 0, line: 1, dialect }
    }

    /// The whole page.
    pub(super) fn source(&self) -> &'a str {
        self.source
    }

    fn is_xml(&self) -> bool {
        matches!(self.dialect, Dialect::Xml | Dialect::Declared)
    }

    /// The line, from 1, that the last token begins in.
    pub(crate) fn line(&mut self) -> u32 {
        if self.dialect == Dialect::Marked {
            return self.line;
        }
        let between = &self.source.as_bytes()[self.counted..self.start];
        self.line += u32::try_from(between.iter().filter(|&&b| b == b'\n').count()).unwrap_or(0);
        self.counted = self.start;
        self.line
    }

    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.start = self.at;
            let rest = &self.source[self.at..];
            let bytes = rest.as_bytes();
            if bytes.is_empty() {
                return None;
            }
            if bytes[0] != b'<'
                || !matches!(bytes.get(1), Some(b'/' | b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z'))
            {
                let end = text_end(bytes);
                self.at += end;
                return Some(Token::Text(resolve(&rest[..end], Within::Text)));
            }
            match bytes[1] {
                b'!' if rest.starts_with("<!--") => self.skip_comment(),
                b'!' if self.is_xml() && rest.starts_with("<![CDATA[") => {
                    let end = rest.find("]]>").unwrap_or(rest.len());
                    self.at = (self.at + end + 3).min(self.source.len());
                    if self.dialect == Dialect::Xml {
                        return Some(Token::Text(Cow::Borrowed(&rest[9..end.max(9)])));
                    }
                }
                b'!' => self.skip_declaration(),
                b'?' => self.skip_past('>'),
                b'/' if !bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => self.skip_past('>'),
                _ => {
                    if let Some(token) = self.tag() {
                        return Some(token);
                    }
                }
            }
        }
    }

    fn skip_past(&mut self, end: char) {
        let rest = &self.source[self.at..];
        self.at += rest.find(end).map_or(rest.len(), |at| at + 1);
    }

    /// A document type may hold declarations in brackets; entities declared there are never expanded.
    fn skip_declaration(&mut self) {
        let rest = &self.source[self.at..];
        let close = rest.find('>').unwrap_or(rest.len());
        match rest[..close].find('[') {
            Some(_) if self.is_xml() => {
                let end = rest.find("]>").map_or(rest.len(), |at| at + 2);
                self.at += end;
            }
            _ => self.skip_past('>'),
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.source[self.at + 4..];
        if self.dialect == Dialect::Marked
            && let Some(mark) = self.source[self.at..].strip_prefix(LINE_MARK)
            && let Some(line) = mark.find("-->").and_then(|end| mark[..end].parse().ok())
        {
            self.line = line;
        }
        let end = if rest.starts_with('>') {
            1
        } else if rest.starts_with("->") {
            2
        } else {
            let usual = rest.find("-->").map(|at| at + 3);
            let odd = rest[..usual.unwrap_or(rest.len())].find("--!>").map(|at| at + 4);
            odd.or(usual).unwrap_or(rest.len())
        };
        self.at += 4 + end;
    }

    /// The tag at the current place; `None` when the page ends inside of it.
    fn tag(&mut self) -> Option<Token<'a>> {
        let bytes = self.source.as_bytes();
        let is_end = bytes[self.at + 1] == b'/';
        let mut at = self.at + 1 + usize::from(is_end);
        let name_start = at;
        while at < bytes.len() && !matches!(bytes[at], b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'/' | b'>') {
            at += 1;
        }
        let written = &self.source[name_start..at];
        let name = lower(written);
        // Prefixed XHTML (`<h:p>`) names the same elements.
        let tag =
            Tag::from_name(if self.is_xml() { name.rsplit(':').next().unwrap_or(&name) } else { &name });
        let mut attributes: Vec<Attribute<'a>> = Vec::new();
        loop {
            while at < bytes.len() && (is_space(bytes[at]) || bytes[at] == b'/') {
                at += 1;
            }
            if at >= bytes.len() {
                self.at = bytes.len();
                return None;
            }
            if bytes[at] == b'>' {
                break;
            }
            let start = at;
            at += 1;
            while at < bytes.len() && !is_space(bytes[at]) && !matches!(bytes[at], b'/' | b'>' | b'=') {
                at += 1;
            }
            let name = &self.source[start..at];
            let mut equals = at;
            while equals < bytes.len() && is_space(bytes[equals]) {
                equals += 1;
            }
            let mut value = "";
            if bytes.get(equals) == Some(&b'=') {
                at = equals + 1;
                while at < bytes.len() && is_space(bytes[at]) {
                    at += 1;
                }
                let start = match bytes.get(at) {
                    Some(&quote @ (b'"' | b'\'')) => {
                        let Some(length) = bytes[at + 1..].iter().position(|&b| b == quote) else {
                            self.at = bytes.len();
                            return None;
                        };
                        at += length + 2;
                        at - 1 - length..at - 1
                    }
                    _ => {
                        let start = at;
                        while at < bytes.len() && !is_space(bytes[at]) && bytes[at] != b'>' {
                            at += 1;
                        }
                        start..at
                    }
                };
                value = &self.source[start];
            }
            if !is_end
                && let Some(name) = Key::from_name(&lower(name))
                && attributes.iter().all(|(known, _)| *known != name)
            {
                attributes.push((name, resolve(value, Within::Attribute)));
            }
        }
        let closed = bytes[at - 1] == b'/';
        self.at = at + 1;
        Some(if is_end {
            Token::End(tag, written)
        } else {
            Token::Start { tag, name: written, attributes, closed }
        })
    }

    /// The raw content of the element whose start tag was the last token, up to its end tag or the page's end.
    pub(crate) fn raw(&mut self, name: &str) -> &'a str {
        let rest = &self.source[self.at..];
        let bytes = rest.as_bytes();
        let closes = |at: usize, word: &str| {
            bytes.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
                && bytes.get(at + word.len()).is_none_or(|&b| is_space(b) || matches!(b, b'/' | b'>'))
        };
        // A script inside of a comment inside of a script (section 13.2.5.26): its end tag ends only itself.
        let (mut comment, mut nested) = (false, false);
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b'-' && comment && rest[at..].starts_with("-->") {
                (comment, nested) = (false, false);
            } else if bytes[at] == b'<' {
                if closes(at + 2, name) && bytes[at + 1] == b'/' {
                    if !nested {
                        break;
                    }
                    nested = false;
                } else if name == "script" && rest[at..].starts_with("<!--") {
                    comment = true;
                    at += 2;
                } else if comment && closes(at + 1, "script") {
                    nested = true;
                }
            }
            at += 1;
        }
        self.at += at;
        &rest[..at]
    }

    /// Everything that is left, as text.
    pub(crate) fn remainder(&mut self) -> &'a str {
        let rest = &self.source[self.at..];
        self.at = self.source.len();
        rest
    }
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// Where text ends: before the next `<` that begins a tag, a comment or a declaration.
fn text_end(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] == b'<'
            && matches!(bytes.get(at + 1), Some(b'/' | b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z'))
        {
            break;
        }
        at += 1;
    }
    at
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Within {
    Text,
    Attribute,
}

/// `text` with its character references replaced.
pub(crate) fn resolve(text: &str, within: Within) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let length =
            if rest.starts_with('#') { numeric(rest, &mut out) } else { named(rest, within, &mut out) };
        if length == 0 {
            out.push('&');
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Resolves `#65;` or `#x41;`; gives how long it was, 0 for none.
fn numeric(rest: &str, out: &mut String) -> usize {
    let hexadecimal = rest[1..].starts_with(['x', 'X']);
    let (start, radix) = if hexadecimal { (2, 16) } else { (1, 10) };
    let digits = rest[start..].bytes().take_while(|&b| char::from(b).is_digit(radix)).count();
    if digits == 0 {
        return 0;
    }
    let end = start + digits;
    let code = u32::from_str_radix(&rest[start..end], radix).unwrap_or(u32::MAX);
    let c = match code {
        0 => None,
        0x80..=0x9f => C1_REPLACEMENTS[(code - 0x80) as usize].or_else(|| char::from_u32(code)),
        _ => char::from_u32(code),
    };
    out.push(c.unwrap_or('\u{fffd}'));
    end + usize::from(rest[end..].starts_with(';'))
}

/// Resolves the longest name that is known; gives how long it was, 0 for none.
fn named(rest: &str, within: Within, out: &mut String) -> usize {
    let mut found = None;
    for (at, c) in rest.char_indices().take(40) {
        if !(c.is_ascii_alphanumeric() || c == ';') {
            break;
        }
        let end = at + 1;
        match NAMED_ENTITIES.get(&rest[..end]) {
            Some(&(0, 0)) => {}
            Some(&code) => found = Some((end, code)),
            None => break,
        }
        if c == ';' {
            break;
        }
    }
    let Some((end, (first, second))) = found else { return 0 };
    let next = rest[end..].chars().next();
    let terse = !rest[..end].ends_with(';');
    if within == Within::Attribute && terse && next.is_some_and(|c| c == '=' || c.is_ascii_alphanumeric()) {
        return 0;
    }
    out.extend([first, second].into_iter().filter(|&code| code != 0).filter_map(char::from_u32));
    end
}
