//! Text that others wrote, made safe to stand in Markdown and HTML.

/// Whether a character is invisible or steers the writing direction: such characters can hide or reorder words.
/// Private-use characters are among them because the body uses one as a placeholder.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(u32::from(c),
            0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E
            | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0xE000..=0xF8FF | 0xE0000..=0x10FFFF)
}

/// The text without hidden characters; every line ending becomes `\n`.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// How many hidden characters [`clean`] takes out.
pub(crate) fn hidden_count(text: &str) -> usize {
    text.chars().filter(|c| is_hidden(*c) && !matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')).count()
}

/// Cleaned and on one line, runs of white space made one blank.
pub(crate) fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `limit` characters, cut at a word, with `...` where something was left out.
pub(crate) fn cut_at_word(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return text.to_owned();
    };
    let room = text.char_indices().nth(limit.saturating_sub(3)).map_or(end, |(at, _)| at);
    let head = &text[..room];
    // A word that ends exactly at the cut is whole.
    let whole = text[room..].starts_with(char::is_whitespace);
    let cut = if whole { head } else { head.rfind(char::is_whitespace).map_or(head, |at| &head[..at]) };
    format!("{}...", cut.trim_end())
}

/// One line of plain text as inline Markdown: shown as written, opening nothing.
pub(crate) fn inline(text: &str) -> String {
    escape(&one_line(text))
}

fn escape(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut before: Option<char> = None;
    // Where the bracket ends that stays as it is.
    let mut harmless_until = None;
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        match c {
            '[' if let Some(length) = harmless_bracket(rest) => {
                harmless_until = Some(at + 1 + length);
                out.push(c);
            }
            ']' if harmless_until == Some(at) => out.push(c),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '_' => {
                let inside_word = before.is_some_and(char::is_alphanumeric)
                    && rest.chars().next().is_some_and(char::is_alphanumeric);
                out.push_str(if inside_word { "_" } else { "\\_" });
            }
            '<' => out.push_str("&lt;"),
            '&' if opens_entity(rest) => out.push_str("&amp;"),
            c => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// The length of what stands in a bracket that is no link, definition, footnote, task or alert. Such brackets (`[core]`,
/// `[W1]`) stay readable; the texts made here hold no link definitions that could give them a target.
fn harmless_bracket(rest: &str) -> Option<usize> {
    let length = rest.find([']', '[', '\\', '`'])?;
    let inside = &rest[..length];
    let after = rest[length..].strip_prefix(']')?;
    let special = inside.trim().len() < 2 && !inside.starts_with(|c: char| c.is_ascii_digit());
    (!special && !inside.starts_with(['^', '!']) && !after.starts_with(['(', '[', ':'])).then_some(length)
}

fn opens_entity(rest: &str) -> bool {
    let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '#')).unwrap_or(rest.len());
    name > 0 && name < 40 && rest[name..].starts_with(';')
}

/// One line of plain text that may stand at the start of a line: it opens no heading, list, quote, table or rule either.
pub(crate) fn line(text: &str) -> String {
    guard_start(inline(text))
}

fn guard_start(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with(['.', ')']) {
        return format!("{}\\{}", &text[..digits], &text[digits..]);
    }
    if text.starts_with(['#', '+', '-', '>', '=', ':']) { format!("\\{text}") } else { text }
}

/// Plain text of several lines, each safe at the start of a line; blank lines at the ends are dropped.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let cleaned = clean(text);
    let all: Vec<String> = cleaned.trim().split('\n').map(line).collect();
    if all.len() == 1 && all[0].is_empty() { Vec::new() } else { all }
}

/// Plain text of several lines as Markdown paragraphs that keep their line breaks.
pub(crate) fn paragraphs(text: &str) -> String {
    let lines = lines(text);
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        out.push_str(line);
        match lines.get(index + 1) {
            Some(next) if !line.is_empty() && !next.is_empty() => out.push_str("\\\n"),
            Some(_) => out.push('\n'),
            None => {}
        }
    }
    out
}

/// A fence longer than any run of backticks in the content, so that the content can't close it.
pub(crate) fn fence(content: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for c in content.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

/// Text for HTML, in elements and in quoted attributes.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// An address that may be linked: `http`, `https` or `mailto`, with everything percent-encoded that could end a Markdown
/// link, a table cell or an attribute.
pub(crate) fn link_target(url: &str) -> Option<String> {
    let url = clean(url);
    let url = url.trim();
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase())?;
    if !matches!(scheme.as_str(), "http" | "https" | "mailto") {
        return None;
    }
    let mut out = String::with_capacity(url.len());
    for c in url.chars() {
        if c.is_whitespace()
            || matches!(
                c,
                '(' | ')' | '<' | '>' | '|' | '\\' | '"' | '\'' | '`' | '[' | ']' | '{' | '}' | '^'
            )
        {
            let mut bytes = [0_u8; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(c);
        }
    }
    Some(out)
}

/// The host of an address, lower case, without `www.`, user and port.
pub(crate) fn host(url: &str) -> Option<String> {
    let url = clean(url);
    let rest = url.trim().split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?.to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    (!host.is_empty()).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_steers_direction_or_hides_is_taken_out_and_line_ends_are_one_kind() {
        assert_eq!(clean("a\u{202E}b\u{200B}c\r\nd\u{2028}e\u{FEFF}\u{0}"), "abc\nd\ne");
        assert_eq!(hidden_count("a\u{202E}b\u{200B}c\r\n"), 2);
    }

    #[test]
    fn plain_text_opens_nothing_in_markdown() {
        assert_eq!(
            inline("a|b *c* [d](e) <f> `g` snake_case _h_ R&D &lt; ~~i~~"),
            "a\\|b \\*c\\* \\[d\\](e) &lt;f> \\`g\\` snake_case \\_h\\_ R&D &amp;lt; \\~\\~i\\~\\~"
        );
        assert_eq!(
            inline("[core] x [W1] [a]: b [^1] [x] [!NOTE]"),
            "[core] x [W1] \\[a\\]: b \\[^1\\] \\[x\\] \\[!NOTE\\]"
        );
        assert_eq!(line("# no"), "\\# no");
        assert_eq!(line("12. no"), "12\\. no");
        assert_eq!(line("--- no"), "\\--- no");
        assert_eq!(paragraphs("one\ntwo\n\n> three\n"), "one\\\ntwo\n\n\\> three");
    }

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fence("none"), "```");
        assert_eq!(fence("a ```` b"), "`````");
    }

    #[test]
    fn a_cut_falls_between_words_and_stays_within_the_limit() {
        assert_eq!(cut_at_word("alpha beta gamma", 16), "alpha beta gamma");
        assert_eq!(cut_at_word("alpha beta gamma", 15), "alpha beta...");
        assert_eq!(cut_at_word("alphabetagamma", 8), "alpha...");
    }

    #[test]
    fn only_addresses_of_known_kinds_are_linked() {
        assert_eq!(link_target("https://a.b/c d(e)|f").as_deref(), Some("https://a.b/c%20d%28e%29%7Cf"));
        assert_eq!(link_target("java\u{200B}script:alert(1)"), None);
        assert_eq!(link_target("data:text/html,x"), None);
        assert_eq!(host("https://user@WWW.Example.org:80/x").as_deref(), Some("example.org"));
    }
}
