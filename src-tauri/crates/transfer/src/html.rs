//! A session as one HTML page that opens anywhere.
//!
//! It needs no script to be read: long results are folded by `<details>`. A short script of its own searches and folds all;
//! the page's policy names it by its digest and allows nothing else.

use std::fmt::Write as _;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use crate::markdown::{cut, day};
use crate::transcript::{Role, ToolUse, Transcript};

const STYLE: &str = include_str!("html/session.css");
const SCRIPT: &str = include_str!("html/session.js");
/// The SHA-256 of the script in base64, as the policy names it; a test compares them.
const SCRIPT_DIGEST: &str = include_str!("html/session.js.sha256");

/// What a page says besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HtmlOptions {
    /// A notice under the title: that nothing was checked again, or that something was taken out.
    pub notices: Vec<String>,
}

/// The policy of such a page, for whoever sends it: it loads nothing and runs its own script alone.
pub fn page_policy() -> String {
    let digest = SCRIPT_DIGEST.trim();
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
}

/// Writes a session as a page.
pub fn to_html(transcript: &Transcript, options: &HtmlOptions) -> String {
    let header = &transcript.header;
    let title = escape(&header.title);
    let mut facts = Vec::new();
    if header.created_at > 0 {
        facts.push(escape(&day(header.created_at)));
    }
    for value in [&header.agent, &header.model, &header.status] {
        if !value.is_empty() {
            facts.push(escape(value));
        }
    }
    facts.extend(header.labels.iter().map(|label| escape(label)));
    let mut body =
        format!("<header>\n<h1 dir=\"auto\">{title}</h1>\n<p class=\"facts\">{}</p>\n", facts.join(" · "));
    for notice in &options.notices {
        let _ = writeln!(body, "<p class=\"notice\">{}</p>", escape(notice));
    }
    body.push_str(
        "<form id=\"find\" hidden><label>Find <input type=\"search\" id=\"words\" autocomplete=\"off\"></label> \
         <output id=\"found\"></output> <button type=\"button\" id=\"fold\">Unfold all</button></form>\n</header>\n<main>\n",
    );
    for (index, message) in transcript.messages.iter().enumerate() {
        let id = index + 1;
        if let Some(tool) = &message.tool {
            body.push_str(&tool_block(tool, id));
            continue;
        }
        let class = class_of(message.role, message.intermediate);
        let _ = write!(
            body,
            "<article class=\"{class}\" id=\"m{id}\">\n<h2><a href=\"#m{id}\">{}</a></h2>\n",
            message.role.title()
        );
        for attachment in &message.attachments {
            let _ = writeln!(body, "<p class=\"file\">Attached: {}</p>", escape(&attachment.name));
        }
        match message.role {
            Role::Assistant | Role::Plan | Role::Tool => body.push_str(&rendered(&message.text)),
            Role::User
            | Role::Error
            | Role::Status
            | Role::System
            | Role::Info
            | Role::Warning
            | Role::Auth => {
                let _ = writeln!(body, "<p class=\"typed\" dir=\"auto\">{}</p>", escape(&message.text));
            }
        }
        body.push_str("</article>\n");
    }
    body.push_str("</main>\n");
    let policy = page_policy();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn class_of(role: Role, intermediate: bool) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant if intermediate => "on-the-way",
        Role::Assistant => "answer",
        Role::Plan => "answer plan",
        Role::Tool => "tool",
        Role::Error => "error",
        Role::Warning => "warning",
        Role::Status | Role::System | Role::Info | Role::Auth => "note",
    }
}

fn tool_block(tool: &ToolUse, id: usize) -> String {
    let title = if tool.title.is_empty() { &tool.name } else { &tool.title };
    let intent = if tool.intent.is_empty() { String::new() } else { format!(": {}", escape(&tool.intent)) };
    let mut out = format!(
        "<details class=\"tool\" id=\"m{id}\">\n<summary><b>{}</b>{intent} <span>{}</span></summary>\n",
        escape(title),
        tool.status.as_str()
    );
    if !matches!(&tool.input, Value::Null) && tool.input != Value::Object(serde_json::Map::new()) {
        let input = serde_json::to_string_pretty(&tool.input).unwrap_or_default();
        let _ = writeln!(out, "<pre>{}</pre>", escape(&input));
    }
    if !tool.output.trim().is_empty() {
        let _ = writeln!(out, "<pre>{}</pre>", escape(&cut(&tool.output)));
    }
    out.push_str("</details>\n");
    out
}

/// Markdown of a model as HTML. Its own HTML is shown as text, pictures are named and not loaded, and a link leads only to
/// the web or within the page.
fn rendered(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut dropped = Vec::new();
    let events = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => {
            // Anchors of answer documents are made by code and say nothing to a reader.
            let anchor = html.starts_with("<a id=\"") || html.trim_end() == "</a>";
            (!anchor).then_some(Event::Text(html))
        }
        Event::Start(Tag::Image { dest_url, .. }) => {
            Some(Event::Text(CowStr::from(format!("[picture {dest_url}] "))))
        }
        Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let kept = is_harmless(&dest_url);
            dropped.push(!kept);
            kept.then_some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::End(TagEnd::Link) => match dropped.pop() {
            Some(true) => None,
            Some(false) | None => Some(Event::End(TagEnd::Link)),
        },
        // The session's own headings come first.
        Event::Start(Tag::Heading { level, .. }) => Some(Event::Start(Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })),
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(below(level)))),
        other => Some(other),
    });
    let mut out = "<div class=\"text\" dir=\"auto\">\n".to_owned();
    pulldown_cmark::html::push_html(&mut out, events);
    out.push_str("</div>\n");
    out
}

fn below(level: pulldown_cmark::HeadingLevel) -> pulldown_cmark::HeadingLevel {
    use pulldown_cmark::HeadingLevel::{H3, H4, H5, H6};
    match level as usize {
        1 => H3,
        2 => H4,
        3 => H5,
        _ => H6,
    }
}

fn is_harmless(address: &str) -> bool {
    let start: String = address.chars().take(8).collect::<String>().to_ascii_lowercase();
    let plain = !address.chars().any(|c| c.is_control() || c.is_whitespace());
    plain && (start.starts_with("https://") || start.starts_with("http://") || start.starts_with('#'))
}

/// Text that HTML reads as nothing but text.
fn escape(text: &str) -> String {
    // What turns or hides its neighbours is shown as what it is.
    let hides = |c: char| {
        matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200B}' | '\u{FEFF}')
            || c.is_control() && !matches!(c, '\n' | '\t')
    };
    answers::escape_html(&text.replace(hides, "\u{FFFD}"))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    #[test]
    fn the_policy_names_the_script_by_its_digest() {
        let digest = domain::Digest::of(SCRIPT).0;
        assert_eq!(SCRIPT_DIGEST.trim(), STANDARD.encode(digest), "write this into html/session.js.sha256");
    }

    #[test]
    fn what_a_model_wrote_is_text_and_leads_nowhere_odd() {
        let page = rendered(
            "# H\n\nSee <script>alert(1)</script> <img src=x onerror=y> [a](javascript:alert(1)) [b](https://example.org/) ![p](https://example.org/t.png) [c](data:text/html,x)\n\n| a |\n|---|\n| b |",
        );
        assert!(
            page.contains("&lt;script&gt;") && !page.contains("<script") && !page.contains("<img"),
            "{page}"
        );
        assert!(
            !page.contains("javascript:") && !page.contains("data:text") || !page.contains("href=\"j"),
            "{page}"
        );
        assert!(
            page.contains("href=\"https://example.org/\"")
                && page.contains("<table>")
                && page.contains("<h3>"),
            "{page}"
        );
    }
}
