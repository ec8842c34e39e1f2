//! The inverse of assembly, for whoever reads a context without being a language model.

use super::escape::unescape;

/// A section read back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedSection {
    /// Its name.
    pub name: String,
    /// Its text, unescaped; for sections of paragraphs or web pages the text outside of these.
    pub body: String,
    /// Its paragraphs, in order.
    pub paragraphs: Vec<ParsedParagraph>,
    /// Its web pages, in order.
    pub web_pages: Vec<ParsedWebPage>,
}

/// A paragraph read back; its text is exactly what was written, without control characters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedParagraph {
    /// The paragraph's id.
    pub id: String,
    /// How an answer cites it, parentheses included.
    pub reference: String,
    /// Relevance, to three decimals.
    pub score: f64,
    /// The document it is from.
    pub source: String,
    /// The authority of its corpus.
    pub tier: String,
    /// Whether an earlier answer already used it.
    pub used_before: bool,
    /// The heading it stands under.
    pub heading: String,
    /// What its text needs to be understood alone.
    pub context: String,
    /// Its text.
    pub text: String,
}

/// A web page read back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedWebPage {
    /// `W1`, `W2`, …
    pub label: String,
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What it says.
    pub insight: String,
}

/// Reads the sections of a text. Only a tag alone on its line opens a section, so instructions around them may name a
/// section in passing; a section that is never closed is left out.
pub fn parse_sections(text: &str) -> Vec<ParsedSection> {
    let mut sections = Vec::new();
    let mut lines = Lines { text, at: 0 };
    while let Some(line) = lines.next() {
        let Some(name) = opening(line) else { continue };
        let start = lines.at;
        let Some(content) = lines.until(&format!("</{name}>")) else {
            lines.at = start;
            continue;
        };
        sections.push(section(name, content));
    }
    sections
}

/// The name in `<NAME>`.
fn opening(line: &str) -> Option<&str> {
    let name = line.strip_prefix('<')?.strip_suffix('>')?;
    super::assemble::is_section_name(name).then_some(name)
}

fn section(name: &str, content: &str) -> ParsedSection {
    let mut parsed = ParsedSection { name: name.to_owned(), ..ParsedSection::default() };
    let mut body: Vec<&str> = Vec::new();
    let mut lines = Lines { text: content, at: 0 };
    let mut all_keyed = true;
    while let Some(line) = lines.next() {
        let element = ["PARAGRAPH", "WEB_PAGE"].into_iter().find_map(|element| {
            let attributes = line.strip_prefix('<')?.strip_prefix(element)?.strip_suffix('>')?;
            attributes.starts_with(' ').then_some((element, attributes))
        });
        let Some((element, attributes)) = element else {
            body.push(line);
            continue;
        };
        let start = lines.at;
        let Some(text) = lines.until(&format!("</{element}>")) else {
            lines.at = start;
            body.push(line);
            continue;
        };
        let attribute = |name: &str| attribute(attributes, name);
        let number = if element == "PARAGRAPH" { attribute("n") } else { String::new() };
        let is_keyed = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let text = match is_keyed {
            true => unescape(&super::keyed::without_marks(text, &number)),
            false => unescape(text),
        };
        if element == "PARAGRAPH" {
            all_keyed &= is_keyed;
            parsed.paragraphs.push(ParsedParagraph {
                id: if is_keyed { number.clone() } else { attribute("id") },
                reference: attribute("ref"),
                score: attribute("score").parse().ok().filter(|score: &f64| score.is_finite()).unwrap_or(0.0),
                source: attribute("source"),
                tier: attribute("tier"),
                used_before: attribute("used_before") == "true",
                heading: attribute("heading"),
                context: attribute("context"),
                text,
            });
        } else {
            parsed.web_pages.push(ParsedWebPage {
                label: attribute("label").trim_matches(['[', ']']).to_owned(),
                title: attribute("title"),
                url: attribute("url"),
                insight: text,
            });
        }
    }
    // Keyed paragraphs carry no score: they stand in the order of their relevance.
    if all_keyed {
        let count = parsed.paragraphs.len();
        for (index, paragraph) in parsed.paragraphs.iter_mut().enumerate() {
            paragraph.score = (count - index) as f64 / count as f64;
        }
    }
    parsed.body = unescape(&body.join("\n"));
    parsed
}

/// The value of ` name="…"`, unescaped, or nothing. Values hold no bare quote, so the next one ends them.
fn attribute(attributes: &str, name: &str) -> String {
    let mut rest = attributes;
    while let Some((key, after)) = rest.trim_start().split_once("=\"") {
        let Some((value, next)) = after.split_once('"') else { break };
        if key == name {
            return unescape(value);
        }
        rest = next;
    }
    String::new()
}

/// Lines of a text, without their line breaks.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        match rest.find('\n') {
            Some(end) => {
                self.at += end + 1;
                Some(&rest[..end])
            }
            None if self.at > self.text.len() => None,
            None => {
                self.at = self.text.len() + 1;
                Some(rest)
            }
        }
    }

    /// The text up to the line that is exactly `close`, without the line break before it; moves past that line.
    fn until(&mut self, close: &str) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let mut from = 0;
        loop {
            let found = from + rest[from..].find(close)?;
            let after = found + close.len();
            let alone = (found == 0 || rest.as_bytes()[found - 1] == b'\n')
                && rest.as_bytes().get(after).is_none_or(|byte| *byte == b'\n');
            if alone {
                self.at += (after + 1).min(rest.len() + 1);
                return Some(&rest[..found.saturating_sub(1)]);
            }
            from = after;
        }
    }
}
