//! The body's Markdown as HTML.

use std::collections::BTreeMap;

use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd, TextMergeStream, html::push_html};

use crate::labels::{self, Label};
use crate::{Citation, Document, blocks, text};

/// What has been linked so far, so that each place can be led back to.
pub(super) struct Body<'a> {
    document: &'a Document,
    /// How often the body cites each number.
    pub uses: BTreeMap<usize, usize>,
    headings: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, uses: BTreeMap::new(), headings: 0 }
    }

    /// Renders one section; `id` is given to its first heading.
    pub(super) fn section(&mut self, markdown: &str, id: &str) -> String {
        let set = self.document.typeset(markdown);
        let mut events: Vec<Event<'_>> = Vec::new();
        let mut links: Vec<bool> = Vec::new();
        let mut in_link = 0_u32;
        let mut in_code = false;
        let mut first_heading = true;
        for event in TextMergeStream::new(Parser::new_ext(&set, blocks::options())) {
            match event {
                Event::Html(raw) | Event::InlineHtml(raw) => events.push(Event::Text(raw)),
                Event::Start(Tag::HtmlBlock | Tag::Image { .. })
                | Event::End(TagEnd::HtmlBlock | TagEnd::Image) => {}
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let open = self.open_link(&dest_url);
                    links.push(open.is_some());
                    in_link += 1;
                    events.extend(open.map(|open| Event::InlineHtml(open.into())));
                }
                Event::End(TagEnd::Link) => {
                    in_link = in_link.saturating_sub(1);
                    if links.pop() == Some(true) {
                        events.push(Event::InlineHtml("</a>".into()));
                    }
                }
                Event::Start(Tag::Heading { level, .. }) => {
                    self.headings += 1;
                    let own =
                        if first_heading { id.to_owned() } else { format!("heading-{}", self.headings) };
                    first_heading = false;
                    events.push(Event::Start(Tag::Heading {
                        level,
                        id: Some(own.into()),
                        classes: Vec::new(),
                        attrs: Vec::new(),
                    }));
                }
                Event::Start(Tag::Table(alignments)) => {
                    events.push(Event::Html("<div class=\"scroll\">".into()));
                    events.push(Event::Start(Tag::Table(alignments)));
                }
                Event::End(TagEnd::Table) => {
                    events.push(Event::End(TagEnd::Table));
                    events.push(Event::Html("</div>\n".into()));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    in_code = true;
                    events.push(Event::Start(Tag::CodeBlock(kind)));
                }
                Event::End(TagEnd::CodeBlock) => {
                    in_code = false;
                    events.push(Event::End(TagEnd::CodeBlock));
                }
                Event::Text(words) if !in_code && in_link == 0 => self.text(&words, &mut events),
                other => events.push(other),
            }
        }
        let mut out = String::with_capacity(markdown.len() * 3 / 2);
        push_html(&mut out, events.into_iter());
        // The writer names no scope; in its output a `<th` is always a tag, text is escaped.
        out.replace("<th>", "<th scope=\"col\">").replace("<th style", "<th scope=\"col\" style")
    }

    /// The opening tag, or `None` for a link that isn't one.
    fn open_link(&mut self, target: &str) -> Option<String> {
        if let Some(number) = target.strip_prefix("#cite-") {
            let citation = number
                .parse::<usize>()
                .ok()
                .and_then(|number| self.document.citations.get(number.checked_sub(1)?))?;
            let used = self.uses.entry(citation.number).or_default();
            *used += 1;
            return Some(format!(
                "<a class=\"cite {}\" id=\"ref-{}-{used}\" href=\"#{}\" title=\"{}\">",
                state(citation),
                citation.number,
                citation.anchor(),
                text::html(&hint(citation))
            ));
        }
        if let Some(number) = target.strip_prefix("#statement-") {
            let number = number.parse::<usize>().ok()?;
            let statement = self.document.statements.iter().find(|one| one.n == number)?;
            return Some(format!(
                "<a class=\"state {}\" href=\"#statement-{number}\" title=\"{}\">",
                statement.state.key(),
                text::html(statement.state.as_str())
            ));
        }
        let target = text::link_target(target)?;
        Some(format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">", text::html(&target)))
    }

    /// Links `[W1]` and `[P1]` to their entries and sets the marks of unverified citations apart.
    fn text<'e>(&self, words: &CowStr<'_>, events: &mut Vec<Event<'e>>) {
        let mut at = 0;
        for (range, label) in labels::in_text(words, self.document) {
            let (open, close) = match label {
                Label::Unverified => ("<span class=\"mark-unverified\">".to_owned(), "</span>"),
                Label::Web(number) => (format!("<a class=\"label\" href=\"#web-{number}\">"), "</a>"),
                Label::Prior(number) => (format!("<a class=\"label\" href=\"#prior-{number}\">"), "</a>"),
            };
            events.push(Event::Text(words[at..range.start].to_owned().into()));
            events.push(Event::InlineHtml(open.into()));
            events.push(Event::Text(words[range.clone()].to_owned().into()));
            events.push(Event::InlineHtml(close.into()));
            at = range.end;
        }
        events.push(Event::Text(words[at..].to_owned().into()));
    }
}

/// The class of a citation's state.
pub(super) fn state(citation: &Citation) -> &'static str {
    if citation.mark().is_none() { "verified" } else { "unverified" }
}

fn hint(citation: &Citation) -> String {
    match citation.mark() {
        None => "verified".to_owned(),
        Some(_) if citation.reason.is_empty() => "unverified".to_owned(),
        Some(_) => format!("unverified: {}", citation.reason),
    }
}
