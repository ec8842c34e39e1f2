//! Takes from a model's Markdown whatever could act outside of its words: raw HTML, images, links that are not to the web,
//! link definitions, and headings that pass for sections which code writes.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use unicode_normalization::UnicodeNormalization;

use crate::blocks::options;
use crate::prior::{CODE_HEADINGS, step_fence};
use crate::text;

/// Each pass mends what parsing shows; what mending uncovers is mended by the next. Real answers need one or two.
const PASSES: usize = 10;
/// Added to text that looks like a section which code writes.
const OWN_WORDS: &str = " (words of the answer, not a result of checking)";

/// The Markdown with nothing but words, emphasis, lists, tables, code, headings from `##` on, and links to the web.
pub fn sanitise(markdown: &str) -> String {
    let mut current = markdown.to_owned();
    for _ in 0..PASSES {
        let edits = edits(&current, |_| false);
        if edits.is_empty() {
            return seal(current);
        }
        current = apply(&current, edits);
    }
    // Text that is still not calm was made to be so: show it as plain lines.
    text::paragraphs(markdown)
}

/// Whether a text that was sanitised still is, after its citations were linked to `own` places.
pub(crate) fn is_calm(markdown: &str, own: impl Fn(&str) -> bool) -> bool {
    edits(markdown, own).is_empty() && is_sealed(markdown)
}

/// One replacement.
type Edit = (Range<usize>, String);

/// Applies edits in order of place; of two that overlap the outer, which comes first, counts.
fn apply(markdown: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    edits.dedup();
    let mut out = String::with_capacity(markdown.len() + edits.len() * 4);
    let mut at = 0;
    for (range, replacement) in edits {
        if range.start < at || range.end > markdown.len() {
            continue;
        }
        out.push_str(&markdown[at..range.start]);
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(&markdown[at..]);
    out
}

/// An element whose end is awaited.
struct Open {
    range: Range<usize>,
    inner: Option<Range<usize>>,
    text: String,
    kind: OpenKind,
}

#[derive(PartialEq, Eq)]
enum OpenKind {
    /// An image, or a link to somewhere that isn't allowed: replaced by what is inside.
    Unwrap,
    Heading(HeadingLevel),
    Paragraph,
}

fn edits(markdown: &str, own: impl Fn(&str) -> bool) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut containers = 0_u32;
    let mut level_before = 1;
    let parser = Parser::new_ext(markdown, options()).into_offset_iter();
    for (_, definition) in parser.reference_definitions().iter() {
        if let Some(at) = markdown[definition.span.clone()].find('[') {
            let at = definition.span.start + at;
            edits.push((at..at, "\\".to_owned()));
        }
    }
    for (event, range) in parser {
        match &event {
            Event::Start(_) | Event::End(_) => {}
            Event::Text(words) | Event::Code(words) => {
                open.iter_mut().for_each(|element| element.text.push_str(words))
            }
            _ => open.iter_mut().for_each(|element| element.text.push(' ')),
        }
        if let Some(element) = open.last_mut()
            && !matches!(
                event,
                Event::End(TagEnd::Image | TagEnd::Link | TagEnd::Heading(_) | TagEnd::Paragraph)
            )
        {
            element.inner = Some(match element.inner.take() {
                Some(inner) => inner.start..inner.end.max(range.end),
                None => range.clone(),
            });
        }
        let mut await_end =
            |kind| open.push(Open { range: range.clone(), inner: None, text: String::new(), kind });
        match event {
            Event::Html(_) | Event::InlineHtml(_) => edits.extend(open_brackets(markdown, range)),
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => code.push(range),
            Event::Start(Tag::Image { .. }) => await_end(OpenKind::Unwrap),
            Event::Start(Tag::Link { dest_url, .. })
                if text::link_target(&dest_url).is_none() && !own(&dest_url) =>
            {
                await_end(OpenKind::Unwrap)
            }
            Event::Start(Tag::Heading { level, .. }) => await_end(OpenKind::Heading(level)),
            Event::Start(Tag::Paragraph) => await_end(OpenKind::Paragraph),
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => containers += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => containers = containers.saturating_sub(1),
            Event::End(TagEnd::Image | TagEnd::Link) => {
                if open
                    .last()
                    .is_some_and(|element| element.kind == OpenKind::Unwrap && element.range == range)
                    && let Some(element) = open.pop()
                {
                    edits.push((
                        range,
                        element.inner.map(|inner| markdown[inner].to_owned()).unwrap_or_default(),
                    ));
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some(Open { range, text, kind: OpenKind::Heading(level), .. }) = open.pop() {
                    edits.extend(heading_edit(markdown, range, &text, level, containers, &mut level_before));
                }
            }
            Event::End(TagEnd::Paragraph) => {
                if let Some(element) = open.pop() {
                    let name = folded(&element.text);
                    if CODE_HEADINGS.iter().any(|heading| folded(heading) == name) {
                        let end = element.range.start + markdown[element.range].trim_end().len();
                        edits.push((end..end, OWN_WORDS.to_owned()));
                    }
                }
            }
            _ => {}
        }
    }
    edits.extend(definition_lines(markdown, &code));
    edits
}

/// Raw HTML becomes text: a tag that doesn't open is no tag.
fn open_brackets(markdown: &str, range: Range<usize>) -> Vec<Edit> {
    let start = range.start;
    let found = markdown[range].match_indices('<');
    found.map(|(at, _)| (start + at..start + at + 1, "&lt;".to_owned())).collect()
}

/// Lines that look like link definitions. The parser names only the first of several with one label.
fn definition_lines(markdown: &str, code: &[Range<usize>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut start = 0;
    for line in markdown.split_inclusive('\n') {
        let bare = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
        let at = start + line.len() - bare.len();
        start += line.len();
        if bare.starts_with('[') && bare.contains("]:") && !code.iter().any(|range| range.contains(&at)) {
            edits.push((at..at, "\\".to_owned()));
        }
    }
    edits
}

fn heading_edit(
    markdown: &str,
    range: Range<usize>,
    words: &str,
    level: HeadingLevel,
    containers: u32,
    level_before: &mut usize,
) -> Option<Edit> {
    let source = markdown[range.clone()].trim_end();
    let range = range.start..range.start + source.len();
    let level = level as usize;
    let name = folded(words);
    let reserved = CODE_HEADINGS.iter().any(|heading| name.contains(&folded(heading)));
    let hashes = source.bytes().take_while(|b| *b == b'#').count();
    if hashes == 0 {
        // Underlined. Inside a list or quote the lines have prefixes: only the underline is taken away.
        let (title, _) = source.rsplit_once('\n')?;
        if containers > 0 {
            let underline = range.start + title.len() + 1;
            let mark = markdown[underline..range.end].find(['=', '-'])? + underline;
            return Some((mark..mark, "\\".to_owned()));
        }
        if reserved {
            return Some((range, format!("**{}**{OWN_WORDS}", text::inline(words))));
        }
        let title: Vec<&str> = title.lines().map(str::trim).collect();
        return Some((range, format!("{} {}", "#".repeat(level.max(2)), title.join(" "))));
    }
    if reserved || containers > 0 {
        let note = if reserved { OWN_WORDS } else { "" };
        return Some((
            range,
            if words.trim().is_empty() {
                String::new()
            } else {
                format!("**{}**{note}", text::inline(words))
            },
        ));
    }
    // The title is the only `#`; a level is never skipped on the way down.
    let wanted = level.clamp(2, *level_before + 1);
    *level_before = wanted;
    (wanted != hashes).then(|| (range.start..range.start + hashes, "#".repeat(wanted)))
}

/// Letters and digits in their plainest form: full-width, styled and look-alike letters count as what they look like.
fn folded(text: &str) -> String {
    text.nfkd().flat_map(char::to_lowercase).map(plainest).filter(|c| c.is_alphanumeric()).collect()
}

fn plainest(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'і' | 'ι' | 'ı' => 'i',
        'ј' => 'j',
        'ѕ' => 's',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'у' => 'y',
        'х' | 'χ' => 'x',
        'ν' => 'v',
        'һ' => 'h',
        'к' | 'κ' => 'k',
        'т' | 'τ' => 't',
        'м' => 'm',
        c => c,
    }
}

/// Makes sure that what code writes after this text stands outside of it: an open fence is closed.
fn seal(markdown: String) -> String {
    let mut open = None;
    for line in markdown.lines() {
        open = step_fence(open, line);
    }
    let closed = match open {
        Some((mark, length)) => {
            format!("{}\n{}\n", markdown.trim_end_matches('\n'), mark.to_string().repeat(length))
        }
        None => markdown,
    };
    if is_sealed(&closed) { closed } else { text::paragraphs(&closed) }
}

/// Whether a heading put after the text is one.
pub(crate) fn is_sealed(markdown: &str) -> bool {
    let probe = format!("{markdown}\n\n## .\n");
    let mut depth = 0_u32;
    for (event, range) in Parser::new_ext(&probe, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) if range.start >= markdown.len() => return depth == 0,
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn raw_html_becomes_text_and_code_stays() {
        assert_eq!(
            sanitise("a <b>x</b> `<c>`\n\n<script>\nalert(1)\n</script>\n"),
            "a &lt;b>x&lt;/b> `<c>`\n\n&lt;script>\nalert(1)\n&lt;/script>\n"
        );
        assert_eq!(
            sanitise("<!-- hidden\n```\n-->\n```\n<script>x</script>\n```\n").matches("<script").count(),
            0
        );
    }

    #[test]
    fn only_links_to_the_web_stay_links() {
        assert_eq!(
            sanitise(
                "[a](javascript:alert(1)) [b](https://b.c) ![alt *x*](http://t/p.png) [ISA 1.1](#cite-1) [f](../x)"
            ),
            "a [b](https://b.c) alt *x* ISA 1.1 f"
        );
    }

    #[test]
    fn link_definitions_are_shown_instead_of_applied() {
        assert_eq!(
            sanitise("See [W1].\n\n[W1]: http://evil.example\n[W1]: http://worse.example\n"),
            "See [W1].\n\n\\[W1]: http://evil.example\n\\[W1]: http://worse.example\n"
        );
    }

    #[test]
    fn headings_of_code_made_sections_can_not_be_written_by_a_model() {
        for fake in [
            "## Verification Summary",
            "# **Verification** Summary!",
            "Verification Summary\n---",
            "## Ｖerification Ｓummary",
            "## Vеrіfication Summary",
            "> ## Verification Summary",
            "- ## Verification Summary",
        ] {
            let out = sanitise(&format!("{fake}\n\n42 of 42\n"));
            assert!(!out.contains("# ") && !out.contains("\n---"), "{fake}: {out}");
            assert!(out.contains("words of the answer") || out.contains("\\-"), "{fake}: {out}");
        }
        assert_eq!(
            sanitise("**Citations Used**\n"),
            "**Citations Used** (words of the answer, not a result of checking)\n"
        );
    }

    #[test]
    fn headings_start_at_the_second_level_and_skip_none() {
        assert_eq!(sanitise("# A\n\n#### B\n\nC\n===\n"), "## A\n\n### B\n\n## C\n");
    }

    #[test]
    fn a_fence_that_never_closes_is_closed() {
        assert_eq!(sanitise("a\n\n````text\nb\n```\n"), "a\n\n````text\nb\n```\n````\n");
        assert!(is_sealed(&sanitise("- x\n\n      ```\n  ~~~\n")));
    }
}
