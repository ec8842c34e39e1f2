//! The sections that code writes, as HTML.

use std::collections::BTreeMap;

use crate::citation_index::verdict_word;
use crate::html::body::state;
use crate::{
    Citation, Document, Level, Section, SourceEntry, State, VerificationSummary, markdown, markers, text,
};

/// Appends formatted text.
macro_rules! put {
    ($out:expr, $($part:tt)*) => { $out.push_str(&format!($($part)*)) };
}

/// The bar at the top.
pub(super) fn bar(document: &Document) -> String {
    let (level, text) = markdown::seal(document);
    let class = match level {
        Level::Good => " good",
        Level::Open => " open",
        Level::Doubt => "",
    };
    let mut out = format!("<div class=\"bar{class}\"><strong>{}</strong>", text::html(&text));
    for line in markdown::seal_lines(document) {
        put!(out, "<span>{}</span>", text::html(&line));
    }
    out.push_str("</div>\n");
    out
}

/// Each statement with its state and why.
pub(super) fn statements(document: &Document) -> String {
    let mut out = "<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"number\">#</th><th scope=\"col\">Statement</th><th scope=\"col\">State</th><th scope=\"col\">Why</th></tr></thead><tbody>\n".to_owned();
    for one in &document.statements {
        put!(
            out,
            "<tr id=\"statement-{}\"><td class=\"number\">{}</td><td>{}</td><td class=\"verdict {}\">{} {}</td><td>{}</td></tr>\n",
            one.n,
            one.n,
            text::html(&one.text),
            if one.state <= State::Supported { "good" } else { "warn" },
            one.state.sign(),
            one.state.as_str(),
            text::html(&one.reason_text())
        );
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// The Sources block of a section: each paragraph leads to its entry under Cited Paragraphs.
pub(super) fn sources(section: &Section, document: &Document) -> String {
    if section.sources.is_empty() {
        return String::new();
    }
    let mut out =
        "<aside class=\"sources\" aria-label=\"Sources of this section\"><p>Sources</p>\n<ul>\n".to_owned();
    for entry in &section.sources {
        out.push_str("<li>");
        match entry {
            SourceEntry::Paragraph(number) => {
                if let Some(citation) = document.citations.get(number.saturating_sub(1)) {
                    out.push_str(&paragraph_link(citation));
                    quotes(citation, section, document, &mut out);
                }
            }
            SourceEntry::Note(note) => {
                put!(
                    out,
                    "{} <span class=\"mark-unverified\">[unverified: names no paragraph]</span>",
                    text::html(note)
                );
            }
            SourceEntry::Prior(mark) => {
                put!(out, "From prior research - {} ", text::html(&mark.heading));
                let listed = document
                    .prior_references
                    .iter()
                    .find(|section| section.id.eq_ignore_ascii_case(&mark.id));
                match listed {
                    Some(section) => {
                        put!(out, "<a href=\"#prior-{}\">[{}]</a>", section.number, text::html(&mark.id))
                    }
                    None => put!(out, "{}, no such section", text::html(&mark.id)),
                }
                put!(out, ": <em>{}</em>", text::html(&mark.excerpt));
            }
            SourceEntry::Web(mark) => {
                if let Some(label) = &mark.label {
                    put!(out, "{} ", text::html(label));
                }
                out.push_str(&page(&mark.title, mark.url.as_deref(), document.link_web));
                put!(out, ": <em>{}</em>{}", text::html(&mark.insight), text::html(mark.note()));
            }
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul></aside>\n");
    out
}

/// What the section rests on in a paragraph, unless its text has these words already; where nothing was verified, the
/// words that were claimed.
fn quotes(citation: &Citation, section: &Section, document: &Document, out: &mut String) {
    for (index, quote) in citation.quotes_for(&section.markdown).into_iter().enumerate() {
        let quoted = document.quoted(quote);
        // The element brings its own marks.
        let words = quoted.strip_prefix('\u{201c}').and_then(|words| words.strip_suffix('\u{201d}'));
        let words = text::html(words.unwrap_or(quote));
        put!(out, "{} <q>{words}</q>", if index == 0 { ":" } else { " \u{2026}" });
    }
}

fn paragraph_link(citation: &Citation) -> String {
    let mark =
        citation.mark().map(|mark| format!(" <span class=\"mark-unverified\">{}</span>", text::html(mark)));
    format!(
        "<a class=\"cite {}\" href=\"#{}\">{}</a>{}",
        state(citation),
        citation.anchor(),
        text::html(citation.name()),
        mark.unwrap_or_default()
    )
}

fn page(title: &str, url: Option<&str>, link: bool) -> String {
    match url.and_then(text::link_target) {
        Some(url) if link => format!(
            "<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{}</a>",
            text::html(&url),
            text::html(title)
        ),
        _ => text::html(title),
    }
}

/// Scores by axis and counts by verdict.
pub(super) fn verification(summary: &VerificationSummary) -> String {
    let mut out = format!("<p>{}</p>\n", text::html(&markdown::verified_line(summary)));
    let axes = markdown::judged_axes(summary);
    if !axes.is_empty() {
        let counted = markdown::counted(&axes);
        let held = if counted { "<th scope=\"col\" class=\"number\">Held</th>" } else { "" };
        put!(
            out,
            "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Axis</th>{held}<th scope=\"col\" class=\"number\">Score</th><th scope=\"col\" class=\"number\">Threshold</th><th scope=\"col\">Result</th></tr></thead><tbody>\n"
        );
        for axis in axes {
            let held = match counted {
                true => format!("<td class=\"number\">{}</td>", markdown::axis_count(axis)),
                false => String::new(),
            };
            put!(
                out,
                "<tr><th scope=\"row\">{}</th>{held}<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"verdict {}\">{}</td></tr>\n",
                text::html(&markdown::axis_name(&axis.name)),
                markdown::axis_score(axis),
                axis.threshold.map_or("-".to_owned(), |least| format!("{least:.2}")),
                match axis.passed {
                    _ if axis.count.is_some_and(|(_, checked)| checked == 0) => "",
                    Some(false) => "warn",
                    _ => "good",
                },
                markdown::axis_result(axis)
            );
        }
        out.push_str("</tbody></table></div>\n");
    }
    if !summary.counts.is_empty() {
        out.push_str("<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Verdict</th><th scope=\"col\" class=\"number\">Citations</th></tr></thead><tbody>\n");
        for count in &summary.counts {
            put!(
                out,
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td></tr>\n",
                verdict_word(count.verdict),
                count.count
            );
        }
        out.push_str("</tbody></table></div>\n");
    }
    out
}

/// Every cited paragraph with its quotes marked, and the way back.
pub(super) fn paragraphs(document: &Document, uses: &BTreeMap<usize, usize>) -> String {
    let mut out = String::new();
    for citation in &document.citations {
        put!(out, "<section id=\"{}\">\n<h3>{}</h3>\n", citation.anchor(), text::html(citation.name()));
        let class = if citation.mark().is_none() { "good" } else { "warn" };
        put!(out, "<p class=\"verdict {class}\">{}</p>\n", text::html(&citation.verdict_line()));
        if let Some(place) = citation.place_beside() {
            put!(out, "<p class=\"place\">{}</p>\n", text::html(place));
        }
        if citation.text.is_some() {
            out.push_str("<p class=\"paragraph\" dir=\"auto\">");
            for (piece, quoted) in citation.pieces() {
                let piece = text::html(piece);
                if quoted { put!(out, "<mark>{piece}</mark>") } else { out.push_str(&piece) }
            }
            out.push_str("</p>\n");
        } else {
            out.push_str("<p>No text of this paragraph is at hand.</p>\n");
        }
        if let Some(count) = uses.get(&citation.number) {
            out.push_str("<p class=\"back\">Cited in the text:");
            for index in 1..=*count {
                put!(
                    out,
                    " <a href=\"#ref-{}-{index}\" aria-label=\"Back to place {index} that cites {}\">{index}</a>",
                    citation.number,
                    text::html(citation.name())
                );
            }
            out.push_str("</p>\n");
        }
        out.push_str("</section>\n");
    }
    out
}

/// The table of citations.
pub(super) fn citations(document: &Document) -> String {
    let mut out = "<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"number\">#</th><th scope=\"col\">Citation</th><th scope=\"col\">Verdict</th><th scope=\"col\" class=\"number\">Uses</th><th scope=\"col\">Claim</th></tr></thead><tbody>\n".to_owned();
    for citation in &document.citations {
        for row in citation.rows() {
            put!(
                out,
                "<tr><td class=\"number\">{}</td><th scope=\"row\"><a href=\"#{}\">{}</a></th><td class=\"verdict {}\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                citation.number,
                citation.anchor(),
                text::html(citation.name()),
                if row.good { "good" } else { "warn" },
                text::html(&row.verdict),
                row.uses(),
                text::html(&row.claims)
            );
        }
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// The pages of the run.
pub(super) fn external(document: &Document) -> String {
    let mut out = "<ul>\n".to_owned();
    for (index, reference) in document.web_references.iter().enumerate() {
        let label = markers::web_label(&document.web_label, index + 1);
        put!(
            out,
            "<li id=\"web-{}\">{} {}",
            index + 1,
            text::html(&label),
            page(&reference.title, Some(&reference.url), document.link_web)
        );
        if !reference.insight.is_empty() {
            put!(out, " - {}", text::html(&reference.insight));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
    out
}

/// The sections of the earlier answer that the body points to.
pub(super) fn prior(document: &Document) -> String {
    let mut out = "<ul>\n".to_owned();
    if let Some(earlier) = &document.earlier {
        let (title, details) = (text::html(&earlier.title), text::html(&earlier.details()));
        let title = earlier.address().map_or(title.clone(), |to| format!("<a href=\"{to}\">{title}</a>"));
        put!(out, "<li>Earlier answer: {title} ({details})</li>\n");
    }
    for section in &document.prior_references {
        let (heading, excerpt) = (text::html(&section.heading), text::html(&section.excerpt));
        put!(out, "<li id=\"prior-{0}\">[P{0}] {heading} - {excerpt}</li>\n", section.number);
    }
    out.push_str("</ul>\n");
    out
}

/// What the answer does not cover or is not sure of.
pub(super) fn limits(document: &Document) -> String {
    let mut out = String::new();
    if let Some(confidence) = &document.limits.confidence {
        put!(out, "<p>Confidence stated by the answer: {}</p>\n", text::html(confidence));
    }
    if let Some(count) = markdown::uncited_count(document) {
        put!(out, "<p>{}</p>\n", text::html(&count));
    }
    for (heading, items) in markdown::limit_parts(document) {
        put!(out, "<h3>{}</h3>\n", text::html(heading));
        out.push_str(&list(&items));
    }
    out
}

/// The queries of the plan.
pub(super) fn decomposition(document: &Document) -> String {
    let mut out = format!("<p>{}</p>\n", text::html(&markdown::decomposition_line(document)));
    out.push_str("<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"number\">#</th><th scope=\"col\">Query</th><th scope=\"col\">Role</th><th scope=\"col\">Standards</th></tr></thead><tbody>\n");
    for (index, query) in document.queries.iter().enumerate() {
        put!(
            out,
            "<tr><td class=\"number\">{}</td><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
            index + 1,
            text::html(&query.text),
            text::html(&query.role),
            text::html(&query.standards.join(", "))
        );
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// A list of plain texts.
pub(super) fn list(items: &[String]) -> String {
    let mut out = "<ul>\n".to_owned();
    for item in items {
        put!(out, "<li>{}</li>\n", text::html(item));
    }
    out.push_str("</ul>\n");
    out
}
