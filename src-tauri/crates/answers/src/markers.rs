//! `WEB_REF|url|insight` and `PRIOR_REF|P1|heading|excerpt`: lines by which a model points to pages and earlier sections.

use serde::Serialize;

use crate::prior::step_fence;
use crate::{PriorSection, WebReference, text};

/// How a page was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WebMatch {
    /// By its address.
    Exact,
    /// By its domain, which only one page of the run has.
    Domain,
    /// Not at all: it isn't among the pages of the run.
    Unknown,
}

/// A pointer to a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WebMark {
    /// Such as `[W1]`; `None` when the page isn't among those of the run.
    pub label: Option<String>,
    /// The page's title, or its bare domain.
    pub title: String,
    /// Its address, if it may be linked.
    pub url: Option<String>,
    /// What the answer takes from it.
    pub insight: String,
    /// How it was recognised.
    pub matched: WebMatch,
}

/// A pointer to a section of the earlier answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PriorMark {
    /// Such as `P1`.
    pub id: String,
    /// The section's heading.
    pub heading: String,
    /// What the answer takes from it.
    pub excerpt: String,
    /// Whether the earlier answer has that section.
    pub known: bool,
}

/// The label of the page with this number, from 1.
pub(crate) fn web_label(format: &str, number: usize) -> String {
    let number_text = number.to_string();
    let format = text::one_line(format);
    if format.contains("{num}") { format.replace("{num}", &number_text) } else { format!("[W{number_text}]") }
}

impl WebMark {
    /// Recognises a page. A label's number is the page's place in the list, whatever is cited.
    pub fn resolve(url: &str, insight: &str, pages: &[WebReference], format: &str) -> Self {
        let url = text::one_line(url);
        let same = |page: &&WebReference| text::one_line(&page.url) == url;
        let mut matched = WebMatch::Exact;
        let mut index = pages.iter().position(|page| same(&page));
        if index.is_none() {
            matched = WebMatch::Domain;
            let host = text::host(&url);
            let mut of_host =
                pages.iter().enumerate().filter(|(_, page)| host.is_some() && text::host(&page.url) == host);
            index = match (of_host.next(), of_host.next()) {
                (Some((index, _)), None) => Some(index),
                _ => None,
            };
        }
        let insight = text::one_line(insight).trim_matches(['"', ' ', '*']).to_owned();
        match index {
            Some(index) => Self {
                label: Some(web_label(format, index + 1)),
                title: page_title(&pages[index]),
                url: text::link_target(&pages[index].url),
                insight,
                matched,
            },
            None => Self {
                label: None,
                title: text::host(&url).unwrap_or_else(|| url.clone()),
                url: text::link_target(&url),
                insight,
                matched: WebMatch::Unknown,
            },
        }
    }

    /// What is said about how the page was recognised; empty for an exact match.
    pub(crate) fn note(&self) -> &'static str {
        match self.matched {
            WebMatch::Exact => "",
            WebMatch::Domain => " (matched by domain)",
            WebMatch::Unknown => " (not among the pages of this run)",
        }
    }

    /// One quoted line's text.
    pub(crate) fn markdown(&self, link: bool) -> String {
        let label = self.label.as_ref().map(|label| format!("{} ", plain_label(label))).unwrap_or_default();
        let title = match &self.url {
            Some(url) if link => format!("[{}]({url})", text::inline(&self.title)),
            _ => text::inline(&self.title),
        };
        format!("*{label}{title}: \"{}\"*{}", text::inline(&self.insight), self.note())
    }
}

/// A label keeps its brackets: it must look in the list as it does in the text.
pub(crate) fn plain_label(label: &str) -> String {
    let inner = label.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match inner {
        Some(inner) if inner.chars().all(|c| c.is_ascii_alphanumeric()) => label.to_owned(),
        _ => text::inline(label),
    }
}

/// The page's title, or its domain when it has none.
pub(crate) fn page_title(page: &WebReference) -> String {
    let title = text::one_line(&page.title);
    if title.is_empty() { text::host(&page.url).unwrap_or_else(|| text::one_line(&page.url)) } else { title }
}

impl PriorMark {
    /// Recognises a section; its own heading counts before the one the answer wrote.
    pub fn resolve(id: &str, heading: &str, excerpt: &str, sections: &[PriorSection]) -> Self {
        let id = text::one_line(id).trim_matches(['[', ']']).to_uppercase();
        let section = sections.iter().find(|section| section.id.eq_ignore_ascii_case(&id));
        let own = section.map(|section| text::one_line(&section.heading)).filter(|own| !own.is_empty());
        Self {
            id,
            heading: own.unwrap_or_else(|| text::one_line(heading)),
            excerpt: text::one_line(excerpt).trim_matches(['"', ' ', '*']).to_owned(),
            known: section.is_some(),
        }
    }

    /// The two quoted lines' texts.
    pub(crate) fn markdown(&self) -> [String; 2] {
        let label = if self.known {
            format!("[{}]", self.id)
        } else {
            format!("{}, no such section", text::inline(&self.id))
        };
        [
            format!("*From prior research - {} {label}*", text::inline(&self.heading)),
            format!("*{}*", text::inline(&self.excerpt)),
        ]
    }
}

/// A line that is a marker.
pub(crate) enum Marker {
    Web(WebMark),
    Prior(PriorMark),
}

/// Reads a line (quote and list marks before it don't matter) as a marker.
pub(crate) fn read(
    line: &str,
    pages: &[WebReference],
    sections: &[PriorSection],
    format: &str,
) -> Option<Marker> {
    let bare = line.trim_start_matches(['>', ' ', '\t', '*', '-']).trim_end().trim_end_matches('*');
    if let Some(rest) = bare.strip_prefix("WEB_REF|") {
        let (url, insight) = rest.split_once('|').unwrap_or((rest, ""));
        return Some(Marker::Web(WebMark::resolve(url, insight, pages, format)));
    }
    let rest = bare.strip_prefix("PRIOR_REF|")?;
    let mut parts = rest.splitn(3, '|');
    let (id, heading, excerpt) = (parts.next()?, parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    Some(Marker::Prior(PriorMark::resolve(id, heading, excerpt, sections)))
}

/// Replaces markers line by line, outside of fenced code; every other line, inline labels included, stays as it is.
pub fn replace_markers(
    markdown: &str,
    pages: &[WebReference],
    sections: &[PriorSection],
    output: &domain::agent::WebReferenceOutput,
) -> String {
    let mut fence = None;
    let mut out: Vec<String> = Vec::new();
    for line in markdown.split('\n') {
        let before = fence;
        fence = step_fence(fence, line);
        let marker = if before.is_none() { read(line, pages, sections, &output.ref_format) } else { None };
        match marker {
            Some(Marker::Web(mark)) => out.push(format!("> {}", mark.markdown(output.link_to_original))),
            Some(Marker::Prior(mark)) => out.extend(mark.markdown().map(|line| format!("> {line}"))),
            None => out.push(line.to_owned()),
        }
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::agent::WebReferenceOutput;
    use pretty_assertions::assert_eq;

    fn pages() -> Vec<WebReference> {
        let page = |title: &str, url: &str| WebReference {
            title: title.into(),
            url: url.into(),
            insight: String::new(),
        };
        vec![
            page("Rates | 2026", "https://one.example/report"),
            page("", "https://two.example/a"),
            page("Two B", "https://two.example/b"),
        ]
    }

    fn sections() -> Vec<PriorSection> {
        vec![PriorSection { id: "P1".into(), number: 1, heading: "Risk work".into(), excerpt: "..".into() }]
    }

    fn replaced(text: &str) -> String {
        replace_markers(text, &pages(), &sections(), &WebReferenceOutput::default())
    }

    #[test]
    fn a_page_is_found_by_its_address_else_by_a_domain_only_it_has() {
        assert_eq!(
            replaced("WEB_REF|https://one.example/report|Rates rise"),
            "> *[W1] [Rates \\| 2026](https://one.example/report): \"Rates rise\"*"
        );
        assert_eq!(
            replaced("> WEB_REF|https://two.example/b|\"x\""),
            "> *[W3] [Two B](https://two.example/b): \"x\"*"
        );
        assert_eq!(
            replaced("> WEB_REF|https://www.one.example/other|x"),
            "> *[W1] [Rates \\| 2026](https://one.example/report): \"x\"* (matched by domain)"
        );
        assert_eq!(
            replaced("> WEB_REF|https://two.example/zzz|x"),
            "> *[two.example](https://two.example/zzz): \"x\"* (not among the pages of this run)"
        );
        assert_eq!(
            replaced("> WEB_REF|javascript:alert(1)|x"),
            "> *javascript:alert(1): \"x\"* (not among the pages of this run)"
        );
    }

    #[test]
    fn an_earlier_section_becomes_two_quoted_lines() {
        assert_eq!(
            replaced("> PRIOR_REF|P1|whatever|It says so"),
            "> *From prior research - Risk work [P1]*\n> *It says so*"
        );
        assert_eq!(
            replaced("PRIOR_REF|P9|Made up|x"),
            "> *From prior research - Made up P9, no such section*\n> *x*"
        );
    }

    #[test]
    fn inline_labels_and_code_stay_as_they_are() {
        let text = "As [W2] and [P1] say.\n\n```\nWEB_REF|a|b\n```\n\ntext WEB_REF|a|b";
        assert_eq!(replaced(text), text);
    }
}
