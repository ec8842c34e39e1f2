//! A mission's report: by code from the graph where no agent writes it, and what is computed of one that an agent wrote.

mod completeness;
mod lead;
mod sources;
mod statements;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use domain::mission::{ItemId, percent};

use crate::analysis::coverage::{answers, claims_of_section};
use crate::graph::Graph;
use crate::index::place;
use crate::item::{Claim, ClaimStatus, Contradiction, Gap, Question};
use crate::keys::text_key;

pub use completeness::completeness;
pub use lead::{nearest_section, put_answer_first, shared_words};
pub use sources::with_sources;
pub use statements::{WordedReport, remarked, remarks, worded};

/// What a report is made for.
#[derive(Debug, Clone, Copy)]
pub struct ReportRequest<'a> {
    /// What was to be found out.
    pub objective: &'a str,
    /// What the report is to look like; it says whether it is a table ([`wants_table`]).
    pub form: &'a str,
    /// The sections that it has to have.
    pub required_sections: &'a [String],
    /// Criteria that are not met.
    pub unmet: &'a [String],
    /// The first questions of the graph that are those of missions before: the own ones come first.
    pub earlier: usize,
}

/// A report that code writes: what is supported under each question and each section, what answers best first; what
/// contradicts itself, what stayed open, where it comes from.
pub fn report(graph: &Graph, order: &ReportRequest<'_>) -> String {
    let is_table = wants_table(order.form);
    let mut report = Report { graph, is_table, notes: Vec::new(), numbers: BTreeMap::new() };
    let mut out = format!("# {}\n\n", one_line(order.objective));
    if !order.unmet.is_empty() {
        let _ = write!(out, "> Partial report. Not met: {}.\n\n", order.unmet.join("; "));
    }
    let counts = graph.counts();
    let _ = write!(
        out,
        "{} supported by {}; {}; {}.\n\n",
        many(counts.supported_claims, "statement"),
        many(counts.sources, "source"),
        many(open_questions(graph).len() as u32, "open question"),
        many(counts.open_contradictions, "open contradiction"),
    );
    let mut told: BTreeSet<ItemId> = BTreeSet::new();
    let questions = graph.questions().skip(order.earlier).chain(graph.questions().take(order.earlier));
    let questions: Vec<&Question> = questions.filter(|question| question.dropped.is_none()).collect();
    let is_of = |question: &Question, section: &str| {
        question.section.as_ref().is_some_and(|name| text_key(name) == text_key(section))
    };
    let has_place =
        |question: &Question| order.required_sections.iter().any(|section| is_of(question, section));
    for question in questions.iter().filter(|question| !has_place(question)) {
        let _ = write!(out, "## {}\n\n", one_line(&question.text));
        report.answer(&mut out, question, &mut told);
    }
    for section in order.required_sections {
        let own: Vec<&&Question> = questions.iter().filter(|question| is_of(question, section)).collect();
        let others = report.stated(claims_of_section(graph, section));
        let answered = |claim: &&Claim| own.iter().any(|question| claim.answers.contains(&question.id));
        let others: Vec<&Claim> =
            others.into_iter().filter(|claim| !told.contains(&claim.id) && !answered(claim)).collect();
        if own.is_empty() && others.is_empty() && has_section(&out, section) {
            continue;
        }
        let _ = write!(out, "## {}\n\n", one_line(section));
        for question in &own {
            let _ = write!(out, "### {}\n\n", one_line(&question.text));
            report.answer(&mut out, question, &mut told);
        }
        let others: Vec<&Claim> = others.into_iter().filter(|claim| !told.contains(&claim.id)).collect();
        if !others.is_empty() {
            report.statements(&mut out, &others);
            told.extend(others.iter().map(|claim| claim.id.clone()));
        } else if own.is_empty() {
            out.push_str("Nothing was found for this section.\n\n");
        }
    }
    let others: Vec<&Claim> =
        told_claims(graph).into_iter().filter(|claim| !told.contains(&claim.id)).collect();
    if !others.is_empty() {
        let heading = if told.is_empty() && questions.is_empty() { "Findings" } else { "Further findings" };
        let _ = write!(out, "## {heading}\n\n");
        report.statements(&mut out, &others);
    }
    report.contradictions(&mut out);
    report.gaps(&mut out);
    out.push_str(&sources::list(graph.sources()));
    for (at, note) in report.notes.iter().enumerate() {
        let _ = writeln!(out, "[^{}]: {note}", at + 1);
    }
    out
}

/// The claims that a report states, the surest first.
pub fn told_claims(graph: &Graph) -> Vec<&Claim> {
    let mut claims: Vec<&Claim> = graph.claims().filter(|claim| is_told(claim)).collect();
    claims.sort_by_key(surest_first);
    claims
}

fn surest_first(claim: &&Claim) -> (Reverse<u32>, u32) {
    (Reverse(claim.confidence), place(&claim.id))
}

/// Whether what is said of a report's form asks for a table.
pub fn wants_table(form: &str) -> bool {
    let key = text_key(form);
    let words: Vec<&str> = key.split(' ').collect();
    let is_refused = |at: usize| {
        let before = &words[at.saturating_sub(2)..at];
        before.iter().any(|word| matches!(*word, "no" | "not" | "without" | "never"))
    };
    let mut named =
        words.iter().enumerate().filter(|(_, word)| matches!(**word, "table" | "tables" | "tabular"));
    named.any(|(at, _)| !is_refused(at))
}

/// Whether a report states a claim.
fn is_told(claim: &Claim) -> bool {
    matches!(claim.status, ClaimStatus::Supported | ClaimStatus::Disputed)
}

/// Questions of the plan that nothing is supported for, and open gaps, in words.
pub fn open_questions(graph: &Graph) -> Vec<&str> {
    let unanswered = |question: &&Question| {
        let states = |claim: &&Claim| is_told(claim) && claim.answers.contains(&question.id);
        question.dropped.is_none()
            && !answers(graph, question).iter().any(states)
            && !graph.gaps().any(|gap| gap.is_open() && gap.of.as_ref() == Some(&question.id))
    };
    let questions = graph.questions().filter(unanswered).map(|question| question.text.as_str());
    let gaps = graph.gaps().filter(|gap| gap.is_open()).map(|gap| gap.question.as_str());
    questions.chain(gaps).collect()
}

/// Sections that a report lacks, in words.
pub fn missing_sections(markdown: &str, required: &[String]) -> Vec<String> {
    let lacking = required.iter().filter(|section| !has_section(markdown, section));
    lacking.map(|section| format!("section {section}")).collect()
}

fn has_section(markdown: &str, section: &str) -> bool {
    let key = text_key(section);
    let mut headings = markdown.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| text_key(line.trim_start_matches('#')).contains(&key))
}

struct Report<'g> {
    graph: &'g Graph,
    is_table: bool,
    notes: Vec<String>,
    /// The number of each citation's footnote.
    numbers: BTreeMap<ItemId, usize>,
}

impl<'g> Report<'g> {
    /// Of some claims those that a report states, the surest first.
    fn stated(&self, claims: Vec<&'g Claim>) -> Vec<&'g Claim> {
        let mut stated: Vec<&Claim> = claims.into_iter().filter(|claim| is_told(claim)).collect();
        stated.sort_by_key(surest_first);
        stated
    }

    /// What answers a question, or a gap that was opened for it.
    fn answer(&mut self, out: &mut String, question: &Question, told: &mut BTreeSet<ItemId>) {
        let mut claims = self.stated(answers(self.graph, question));
        put_answer_first(&question.text, &mut claims, |claim| &claim.text);
        self.statements(out, &claims);
        told.extend(claims.iter().map(|claim| claim.id.clone()));
    }

    fn statements(&mut self, out: &mut String, claims: &[&'g Claim]) {
        if claims.is_empty() {
            out.push_str("Nothing was found that a source supports.\n\n");
        } else if self.is_table {
            out.push_str("| Statement | Confidence | Sources |\n|---|---|---|\n");
            for claim in claims {
                let (marks, sources) = (self.marks(claim), self.titles(claim).join(", "));
                let text = cell(&one_line(&claim.text));
                let _ =
                    writeln!(out, "| {text}{marks} | {} % | {} |", percent(claim.confidence), cell(&sources));
            }
            out.push('\n');
        } else {
            for claim in claims {
                let marks = self.marks(claim);
                let doubt = if claim.status == ClaimStatus::Disputed { " *(disputed)*" } else { "" };
                let _ = writeln!(out, "- {}{marks}{doubt}", one_line(&claim.text));
            }
            out.push('\n');
        }
    }

    /// The marks of a claim's footnotes, one for each citation that supports it.
    fn marks(&mut self, claim: &Claim) -> String {
        let Some(provenance) = self.graph.provenance(&claim.id) else { return String::new() };
        let mut marks = String::new();
        for cited in provenance.citations.iter().filter(|cited| cited.citation.supports()) {
            let (citation, source) = (&cited.citation, &cited.source);
            let number = match self.numbers.get(&citation.id) {
                Some(number) => *number,
                None => {
                    let page = citation.page.map(|page| format!(", page {page}")).unwrap_or_default();
                    let place = citation.paragraph.as_deref().map(|id| format!("{id} ")).unwrap_or_default();
                    let quote = one_line(&citation.quote);
                    let quote =
                        if quote.is_empty() { String::new() } else { format!(": \u{201c}{quote}\u{201d}") };
                    self.notes.push(format!(
                        "{place}({}{page}){quote} [{}]",
                        one_line(&source.title),
                        claim.id.0
                    ));
                    self.numbers.insert(citation.id.clone(), self.notes.len());
                    self.notes.len()
                }
            };
            let _ = write!(marks, "[^{number}]");
        }
        marks
    }

    fn titles(&self, claim: &Claim) -> Vec<String> {
        let Some(provenance) = self.graph.provenance(&claim.id) else { return Vec::new() };
        let mut titles: Vec<String> = Vec::new();
        for cited in provenance.citations.iter().filter(|cited| cited.citation.supports()) {
            let title = one_line(&cited.source.title);
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        titles
    }

    /// Open contradictions are stated, with both sides.
    fn contradictions(&mut self, out: &mut String) {
        let open: Vec<&Contradiction> = self.graph.contradictions().filter(|one| one.is_open()).collect();
        if open.is_empty() {
            return;
        }
        out.push_str("## Contradictions\n\n");
        for one in open {
            let sides: Vec<String> = one
                .claims
                .iter()
                .filter_map(|id| self.graph.claim(id))
                .map(|claim| format!("\u{201c}{}\u{201d}{}", one_line(&claim.text), self.marks(claim)))
                .collect();
            let _ = writeln!(out, "- {}", sides.join(" stands against "));
        }
        out.push('\n');
    }

    fn gaps(&self, out: &mut String) {
        let open: Vec<&Gap> = self.graph.gaps().filter(|gap| gap.is_open()).collect();
        if open.is_empty() {
            return;
        }
        out.push_str("## Open questions\n\n");
        for gap in open {
            let critical = if gap.critical { " (needed for the objective)" } else { "" };
            let _ = writeln!(out, "- {}{critical}", one_line(&gap.question));
        }
        out.push('\n');
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A number with its noun.
pub fn many(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
