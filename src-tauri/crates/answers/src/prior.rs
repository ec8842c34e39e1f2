//! The earlier answer that a follow-up builds on.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{json, text};

/// The most characters of a section's excerpt.
const EXCERPT_CHARS: usize = 500;
/// The most characters of it in the list of a document.
const LEAD_CHARS: usize = 160;
/// The most earlier queries that a follow-up is told about.
const MAX_QUERIES: usize = 5;
/// The most gaps that are told.
const MAX_GAPS: usize = 8;

/// Headings that code writes: they hold no findings.
pub(crate) const CODE_HEADINGS: [&str; 11] = [
    "Sources",
    "Statements",
    "Original Question",
    "Verification Summary",
    "Citations Used",
    "Cited Paragraphs",
    "External References",
    "Prior Research References",
    "Gaps and Limits",
    "Appendix: Research Decomposition",
    "Out-of-Scope Notes",
];

/// One `##` section of an earlier answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PriorSection {
    /// Its label, such as `P1`.
    pub id: String,
    /// Its number, from 1.
    pub number: usize,
    /// Its heading as plain text.
    pub heading: String,
    /// The start of its text, at most 500 characters.
    pub excerpt: String,
}

impl PriorSection {
    /// With the first statement alone of its excerpt: without marks of lists and emphasis, and without its reference.
    pub(crate) fn short(self) -> Self {
        let listed = self.excerpt.strip_prefix("- ").and_then(|list| list.split(" - ").next());
        let plain = text::one_line(&unmark(listed.unwrap_or(&self.excerpt)));
        let cited = plain.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
        Self { excerpt: text::cut_at_word(cited.map_or(&plain, |(words, _)| words), LEAD_CHARS), ..self }
    }
}

/// A query of an earlier run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PriorQuery {
    /// Its words.
    pub text: String,
    /// What it was for; empty when not known.
    pub role: String,
    /// The standards it was aimed at.
    pub standards: Vec<String>,
}

/// What a follow-up run knows of the answer before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FollowUpContext {
    /// This follow-up's number: 1 for the first.
    pub number: u32,
    /// The earlier question.
    pub question: String,
    /// At most five of the earlier queries.
    pub sub_queries: Vec<PriorQuery>,
    /// Paragraphs the earlier answer cited: their ids, or citations where it had no ids.
    pub paragraph_ids: Vec<String>,
    /// Its sections, labelled.
    pub sections: Vec<PriorSection>,
    /// The whole earlier answer.
    pub answer_markdown: String,
    /// What it named as open.
    #[serde(default)]
    pub gaps: Vec<String>,
    /// Its sentences whose sources have changed since, one line each.
    #[serde(default)]
    pub changed: Vec<String>,
}

/// Why an earlier answer can't be built on. The run goes on without it; the text is fit for a warning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FollowUpError {
    /// There is nothing.
    #[error("the earlier answer is missing, so this run starts without it")]
    Missing,
    /// It isn't an answer file.
    #[error("the earlier answer is damaged ({0}), so this run starts without it")]
    Malformed(String),
    /// It has no text.
    #[error("the earlier answer has no text, so this run starts without it")]
    Empty,
    /// A newer program wrote it.
    #[error(
        "the earlier answer has format version {0}, which this program can't read yet, so this run starts without it"
    )]
    Version(u64),
}

/// Splits an answer at its `## ` headings (not inside fenced code), leaves out the sections that code writes, and labels the
/// others P1, P2, …; text before the first heading belongs to none.
pub fn parse_sections(markdown: &str) -> Vec<PriorSection> {
    let cleaned = text::clean(markdown);
    let mut sections: Vec<(String, Vec<&str>)> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    for line in cleaned.lines() {
        if fence.is_none()
            && let Some(heading) = line.strip_prefix("## ")
        {
            let heading = heading.trim().trim_end_matches('#').trim();
            sections.push((text::one_line(&unmark(heading)), Vec::new()));
            continue;
        }
        fence = step_fence(fence, line);
        if let Some((_, lines)) = sections.last_mut() {
            lines.push(line);
        }
    }
    sections
        .into_iter()
        .filter(|(heading, _)| {
            !heading.is_empty() && !CODE_HEADINGS.iter().any(|code| code.eq_ignore_ascii_case(heading))
        })
        .enumerate()
        .map(|(index, (heading, lines))| PriorSection {
            id: format!("P{}", index + 1),
            number: index + 1,
            heading,
            excerpt: text::cut_at_word(&excerpt(&lines), EXCERPT_CHARS),
        })
        .collect()
}

/// The section's text on one line, without its Sources block: its labels belong to the earlier run.
fn excerpt(lines: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut in_sources = false;
    for line in lines {
        let quoted = line.trim_start().starts_with('>');
        if quoted && is_sources_heading(line) {
            in_sources = true;
        } else if !quoted {
            in_sources = false;
        }
        if !in_sources {
            kept.push(line);
        }
    }
    text::one_line(&kept.join("\n"))
}

/// Whether a quoted line is the heading of a Sources block.
pub(crate) fn is_sources_heading(line: &str) -> bool {
    let bare: String =
        line.chars().filter(|c| !matches!(c, '>' | '*' | '_' | ':' | '#') && !c.is_whitespace()).collect();
    bare.eq_ignore_ascii_case("sources")
}

/// Follows fenced code line by line: the open fence's character and length, if one is open after this line.
pub(crate) fn step_fence(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = line.trim_start_matches(' ');
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'));
    let run = mark.map_or(0, |mark| rest.chars().take_while(|c| *c == mark).count());
    match (open, mark) {
        (None, Some(mark)) if run >= 3 && indent <= 3 && !(mark == '`' && rest[run..].contains('`')) => {
            Some((mark, run))
        }
        (Some((fence, length)), Some(mark))
            if mark == fence && run >= length && indent <= 3 && rest[run..].trim().is_empty() =>
        {
            None
        }
        _ => open,
    }
}

/// Link and emphasis marks taken off a heading.
fn unmark(heading: &str) -> String {
    let mut out = String::new();
    for event in pulldown_cmark::Parser::new(heading) {
        match event {
            pulldown_cmark::Event::Text(text) | pulldown_cmark::Event::Code(text) => out.push_str(&text),
            pulldown_cmark::Event::SoftBreak | pulldown_cmark::Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    if out.trim().is_empty() { heading.to_owned() } else { out }
}

impl FollowUpContext {
    /// Reads the answer file's value.
    pub fn from_answer(answer: Option<&Value>) -> Result<Self, FollowUpError> {
        let answer = answer.filter(|value| !value.is_null()).ok_or(FollowUpError::Missing)?;
        let fields =
            answer.as_object().ok_or_else(|| FollowUpError::Malformed("not a JSON object".to_owned()))?;
        match fields.get("version") {
            None => {}
            Some(version) => match version.as_u64() {
                Some(version) if version <= crate::ANSWER_VERSION => {}
                Some(version) => return Err(FollowUpError::Version(version)),
                None => return Err(FollowUpError::Malformed("its version is not a number".to_owned())),
            },
        }
        let markdown = match fields.get("answer") {
            Some(Value::String(text)) => text::clean(text),
            Some(other) if !other.is_null() => {
                return Err(FollowUpError::Malformed("its `answer` is not a text".to_owned()));
            }
            _ => return Err(FollowUpError::Empty),
        };
        if markdown.trim().is_empty() {
            return Err(FollowUpError::Empty);
        }
        let before = fields.get("followup_number").and_then(Value::as_u64).unwrap_or(0);
        let sub_queries =
            fields.get("sub_queries").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut paragraph_ids: Vec<String> = Vec::new();
        for citation in
            fields.get("citations").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
        {
            if let Some(id) = json::text_of(citation, &["paragraph_id", "source_ref"])
                && !paragraph_ids.contains(&id)
            {
                paragraph_ids.push(id);
            }
        }
        Ok(Self {
            number: u32::try_from(before.saturating_add(1)).unwrap_or(u32::MAX),
            question: text::clean(fields.get("original_query").and_then(Value::as_str).unwrap_or_default()),
            sub_queries: sub_queries.iter().filter_map(PriorQuery::read).take(MAX_QUERIES).collect(),
            paragraph_ids,
            sections: parse_sections(&markdown),
            gaps: json::texts(fields.get("limits").and_then(|limits| limits.get("gaps")))
                .iter()
                .map(|gap| text::one_line(gap))
                .take(MAX_GAPS)
                .collect(),
            answer_markdown: markdown,
            changed: Vec::new(),
        })
    }

    /// The text of `<PRIOR_RESEARCH_CONTEXT>`: what was asked and answered before and what stayed open, so that the plan goes
    /// further instead of repeating it.
    pub fn summary(&self) -> String {
        let mut out = format!(
            "This is follow-up number {} to an earlier question. Plan for what is new, goes deeper or was left open.\n\nEarlier question: {}",
            self.number,
            text::one_line(&self.question)
        );
        if let Some(first) = self.sections.first() {
            out.push_str(&format!("\n\nAnswered ({}): {}", first.heading, first.excerpt));
            let others: Vec<&str> =
                self.sections.iter().skip(1).map(|section| section.heading.as_str()).collect();
            if !others.is_empty() {
                out.push_str(&format!("\nFurther parts of the answer: {}", others.join("; ")));
            }
        }
        if !self.gaps.is_empty() {
            out.push_str("\n\nLeft open:");
            for gap in &self.gaps {
                out.push_str(&format!("\n- {gap}"));
            }
        }
        out.push_str(&self.changed_text());
        out
    }

    /// What a model has to know of sources that have changed since.
    fn changed_text(&self) -> String {
        if self.changed.is_empty() {
            return String::new();
        }
        let lines: Vec<String> =
            self.changed.iter().map(|line| format!("\n- {}", text::one_line(line))).collect();
        format!(
            "\n\nChanged since the earlier answer (do not repeat these statements without looking them up again):{}",
            lines.concat()
        )
    }

    /// The text of `<PRIOR_ANSWER_CONTEXT>`: the earlier answer once, its sections labelled, without its lists of sources.
    pub fn context_text(&self) -> String {
        let mut out = "The question follows up on the answer below. Build on it, do not repeat it, and point to its sections by their labels.\n".to_owned();
        let (markdown, _) = crate::body::take_sources(&self.answer_markdown);
        let (markdown, _) = crate::body::take_placeholders(&markdown);
        let mut sections = self.sections.iter().peekable();
        let mut fence = None;
        let mut blank = true;
        for line in markdown.lines() {
            let heading = line.strip_prefix("## ").filter(|_| fence.is_none());
            fence = step_fence(fence, line);
            if line.trim().is_empty() && std::mem::replace(&mut blank, true) {
                continue;
            }
            blank = line.trim().is_empty();
            let own =
                heading.map(|heading| text::one_line(&unmark(heading.trim().trim_end_matches('#').trim())));
            match own.and_then(|own| sections.next_if(|section| section.heading == own)) {
                Some(section) => out.push_str(&format!("\n## [{}] {}", section.id, section.heading)),
                None => out.push_str(&format!("\n{line}")),
            }
        }
        format!("{}{}", out.trim_end(), self.changed_text())
    }
}

impl PriorQuery {
    /// Reads one query in any of the shapes plans have; `None` when it has no words.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        if let Value::String(text) = value {
            let text = text::one_line(text);
            return (!text.is_empty()).then(|| Self { text, ..Self::default() });
        }
        let text = json::text_of(value, &["text", "query", "refined_text", "original_text"])?;
        let standards =
            ["standards", "target_standards", "isa_standards"].iter().find_map(|name| value.get(name));
        Some(Self {
            text: text::one_line(&text),
            role: text::one_line(&json::text_of(value, &["role"]).unwrap_or_default()),
            standards: json::texts(standards).iter().map(|one| text::one_line(one)).collect(),
        })
    }
}
