//! The document as one HTML page.

mod body;
mod pages;
mod parts;

pub use pages::to_html_of_pages;

use crate::{Document, text};

const STYLE: &str = include_str!("html/page.css");
/// Pages with more body sections get a table of contents.
const CONTENTS_FROM: usize = 4;

/// Writes the document as one self-contained HTML page: no script, no request, light and dark, fit for print. Citations lead
/// to the paragraph's text with the quote marked, and back.
pub fn to_html(document: &Document) -> String {
    let skip = "<a class=\"skip\" href=\"#answer\">Skip to the answer</a>\n";
    page(&document.title, &format!("{skip}{}", inner(document, "")))
}

/// Writes several documents as one page of the same kind, each between what comes before it and the next one. Their anchors
/// are kept apart.
pub fn to_html_of_all<'d>(
    title: &str,
    parts: impl Iterator<Item = (DocumentPreface<'d>, Option<&'d Document>)>,
) -> String {
    let mut out = format!("<header>\n<h1 dir=\"auto\">{}</h1>\n</header>\n", text::html(title));
    for (index, (before, document)) in parts.enumerate() {
        out.push_str(&format!("<hr>\n<section dir=\"auto\">\n<h2>{}</h2>\n", text::html(before.heading)));
        for paragraph in before.paragraphs.iter().filter(|paragraph| !paragraph.trim().is_empty()) {
            out.push_str(&format!("<p class=\"question\">{}</p>\n", text::html(paragraph)));
        }
        out.push_str("</section>\n");
        if let Some(document) = document {
            out.push_str(&inner(document, &format!("d{}-", index + 1)));
        }
    }
    page(title, &out)
}

/// What stands before a document among several.
#[derive(Debug, Clone, Copy)]
pub struct DocumentPreface<'t> {
    /// A heading, plain.
    pub heading: &'t str,
    /// Paragraphs, plain.
    pub paragraphs: &'t [String],
}

fn page(title: &str, inner: &str) -> String {
    let title = text::html(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{inner}</body>\n</html>\n"
    )
}

/// A document without the page around it. The prefix keeps its anchors apart from those of others.
fn inner(document: &Document, prefix: &str) -> String {
    let title = text::html(&document.title);
    let mut out = format!("<header>\n<h1 dir=\"auto\">{title}</h1>\n");
    out.push_str(&parts::bar(document));
    if let Some(notice) = &document.notice {
        out.push_str(&format!("<p class=\"notice\">{}</p>\n", text::html(notice)));
    }
    if crate::markdown::asks_more(document) {
        out.push_str(&format!(
            "<h2 id=\"question\">Original Question</h2>\n<p class=\"question\" dir=\"auto\">{}</p>\n",
            text::html(&document.question)
        ));
    }
    out.push_str("</header>\n");
    out.push_str(&contents(document));
    out.push_str("<main id=\"answer\" tabindex=\"-1\" dir=\"auto\">\n");
    let mut body = body::Body::new(document);
    for (index, section) in document.sections.iter().enumerate() {
        let id = format!("section-{}", index + 1);
        if index == 0 && section.heading.is_none() {
            out.push_str(&format!("<h2 id=\"{id}\">Answer</h2>\n"));
        }
        let own = if section.heading.is_none() { format!("{id}-first") } else { id };
        out.push_str(&body.section(&section.markdown, &own));
        out.push_str(&parts::sources(section, document));
    }
    out.push_str("</main>\n<footer>\n");
    let mut part = |id: &str, heading: &str, content: String| {
        out.push_str(&format!("<h2 id=\"{id}\">{heading}</h2>\n{content}"));
    };
    if !document.statements.is_empty() {
        part("statements", "Statements", parts::statements(document));
    }
    if let Some(summary) = &document.verification {
        part("verification", "Verification Summary", parts::verification(summary));
    }
    if !document.citations.is_empty() {
        part("cited", "Cited Paragraphs", parts::paragraphs(document, &body.uses));
        if document.statements.is_empty() {
            part("citations", "Citations Used", parts::citations(document));
        }
    }
    if !document.web_references.is_empty() {
        part("external", "External References", parts::external(document));
    }
    if document.earlier.is_some() || !document.prior_references.is_empty() {
        part("prior", "Prior Research References", parts::prior(document));
    }
    let limits = parts::limits(document);
    if !limits.is_empty() {
        part("limits", "Gaps and Limits", limits);
    }
    if !document.queries.is_empty() {
        part("decomposition", "Appendix: Research Decomposition", parts::decomposition(document));
    }
    if !document.out_of_scope.is_empty() {
        part("out-of-scope", "Out-of-Scope Notes", parts::list(&document.out_of_scope));
    }
    out.push_str("</footer>\n");
    if prefix.is_empty() {
        return out;
    }
    // Text has its quotation marks escaped, so these can only be our own attributes.
    let main = if prefix == "d1-" { "main" } else { "div" };
    out.replace(" id=\"", &format!(" id=\"{prefix}"))
        .replace(" href=\"#", &format!(" href=\"#{prefix}"))
        .replace("<main ", &format!("<{main} "))
        .replace("</main>", &format!("</{main}>"))
        .replace("<h1 dir", "<h2 class=\"document\" dir")
        .replace("</h1>", "</h2>")
}

fn contents(document: &Document) -> String {
    if document.sections.len() < CONTENTS_FROM {
        return String::new();
    }
    let mut out = "<nav aria-label=\"Contents\">\n<ul>\n".to_owned();
    for (index, section) in document.sections.iter().enumerate() {
        let heading = match &section.heading {
            Some(heading) => {
                text::html(&document.case.as_ref().map_or(heading.into(), |case| case.display(heading)))
            }
            None if index == 0 => "Answer".to_owned(),
            None => continue,
        };
        out.push_str(&format!("<li><a href=\"#section-{}\">{heading}</a></li>\n", index + 1));
    }
    out.push_str("</ul>\n</nav>\n");
    out
}
