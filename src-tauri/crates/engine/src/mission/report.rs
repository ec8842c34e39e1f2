//! A mission's report: by code from the graph where no agent writes it, and what is computed of one that an agent wrote.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use domain::mission::{ItemId, MILLION};
use evidence_graph::analysis::coverage::answers;
use evidence_graph::{Claim, ClaimStatus, Contradiction, Gap, Graph, Question};
use missions::State;

use super::pins::MissionPins;

/// A report that code writes: what is supported under each question, what contradicts itself, what stayed open, where it
/// comes from. The form says whether it is a table. The first `earlier` questions are those of missions before it: its own
/// come first.
pub(super) fn by_code(
    graph: &Graph,
    pins: &MissionPins,
    state: &State,
    objective: &str,
    form: &str,
    earlier: usize,
) -> String {
    let mut report = Report { graph, notes: Vec::new(), numbers: BTreeMap::new() };
    let mut out = format!("# {}\n\n", one_line(objective));
    let unmet = unmet(state);
    if !unmet.is_empty() {
        let _ = write!(out, "> Partial report. Not met: {}.\n\n", unmet.join("; "));
    }
    let counts = graph.counts();
    let _ = write!(
        out,
        "{} supported by {}; {}; {}.\n\n",
        many(counts.supported_claims, "statement"),
        many(counts.sources, "source"),
        many(open_questions(graph), "open question"),
        many(counts.open_contradictions, "open contradiction"),
    );
    let is_table = form.to_lowercase().contains("table");
    let mut told = Vec::new();
    let questions = graph.questions().skip(earlier).chain(graph.questions().take(earlier));
    let questions: Vec<&Question> = questions.filter(|question| question.dropped.is_none()).collect();
    for question in &questions {
        let claims = report.claims(|claim| claim.answers.contains(&question.id));
        let _ = write!(out, "## {}\n\n", one_line(&question.text));
        report.statements(&mut out, &claims, is_table);
        told.extend(claims.iter().map(|claim| claim.id.clone()));
    }
    let others = report.claims(|claim| !told.contains(&claim.id));
    if !others.is_empty() {
        let heading = if questions.is_empty() { "Findings" } else { "Further findings" };
        let _ = write!(out, "## {heading}\n\n");
        report.statements(&mut out, &others, is_table);
    }
    let sections = &pins.profile.output_specification.required_sections;
    let lacking: Vec<&String> = sections.iter().filter(|section| !has_section(&out, section)).collect();
    for section in lacking {
        let _ = write!(out, "## {}\n\nNothing was found for this section.\n\n", one_line(section));
    }
    report.contradictions(&mut out);
    report.gaps(&mut out);
    report.sources(&mut out);
    for (at, note) in report.notes.iter().enumerate() {
        let _ = writeln!(out, "[^{}]: {note}", at + 1);
    }
    out
}

/// Whether a report states a claim.
fn is_told(claim: &Claim) -> bool {
    matches!(claim.status, ClaimStatus::Supported | ClaimStatus::Disputed)
}

/// Questions of the plan that nothing is supported for, and open gaps.
pub(super) fn open_questions(graph: &Graph) -> u32 {
    let unanswered = |question: &&Question| {
        let states = |claim: &&Claim| is_told(claim) && claim.answers.contains(&question.id);
        question.dropped.is_none()
            && !answers(graph, question).iter().any(states)
            && !graph.gaps().any(|gap| gap.is_open() && gap.of.as_ref() == Some(&question.id))
    };
    graph.counts().open_gaps + u32::try_from(graph.questions().filter(unanswered).count()).unwrap_or(u32::MAX)
}

/// Sections that a report lacks.
pub(super) fn missing(markdown: &str, pins: &MissionPins) -> Vec<String> {
    let wanted = pins.profile.output_specification.required_sections.iter();
    wanted
        .filter(|section| !has_section(markdown, section))
        .map(|section| format!("section {section}"))
        .collect()
}

fn has_section(markdown: &str, section: &str) -> bool {
    let key = evidence_graph::text_key(section);
    let mut headings = markdown.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| evidence_graph::text_key(line.trim_start_matches('#')).contains(&key))
}

/// Criteria that are not met, in words.
pub(super) fn unmet(state: &State) -> Vec<String> {
    let open = state.criteria.iter().filter(|(_, criterion)| !criterion.met);
    open.map(|(name, _)| name.clone()).collect()
}

struct Report<'g> {
    graph: &'g Graph,
    notes: Vec<String>,
    /// The number of each citation's footnote.
    numbers: BTreeMap<ItemId, usize>,
}

impl<'g> Report<'g> {
    /// Supported and disputed claims, the surest first.
    fn claims(&self, wanted: impl Fn(&Claim) -> bool) -> Vec<&'g Claim> {
        let mut claims: Vec<&Claim> =
            self.graph.claims().filter(|claim| is_told(claim)).filter(|claim| wanted(claim)).collect();
        claims.sort_by_key(|claim| (std::cmp::Reverse(claim.confidence), claim.id.clone()));
        claims
    }

    fn statements(&mut self, out: &mut String, claims: &[&'g Claim], is_table: bool) {
        if claims.is_empty() {
            out.push_str("Nothing was found that a source supports.\n\n");
        } else if is_table {
            out.push_str("| Statement | Confidence | Sources |\n|---|---|---|\n");
            for claim in claims {
                let (marks, sources) = (self.marks(claim), self.titles(claim).join(", "));
                let text = cell(&one_line(&claim.text));
                let _ =
                    writeln!(out, "| {text}{marks} | {} | {} |", percent(claim.confidence), cell(&sources));
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

    fn sources(&self, out: &mut String) {
        if self.graph.sources().len() == 0 {
            return;
        }
        out.push_str("## Sources\n\n");
        for source in self.graph.sources() {
            let digest =
                source.object.map(|object| format!(", SHA-256 {}", object.short())).unwrap_or_default();
            let _ = writeln!(out, "- {} ({}{digest})", one_line(&source.title), one_line(&source.address));
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
pub(super) fn many(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn percent(millionths: u32) -> String {
    format!("{} %", u64::from(millionths) * 100 / u64::from(MILLION))
}
