//! Builds the document from what the run produced.

use std::collections::BTreeMap;

use domain::{SentenceRecord, SentenceVerdict, Verdict};
use serde_json::Value;

use crate::citation_index::CitationIndex;
use crate::document::heading_case;
use crate::quoted_words::QuotedWords;
use crate::verification::{Verification, apply_judgements};
use crate::{
    Axis, Citation, Document, DocumentInput, Headline, Limits, PriorQuery, PriorSection, Query, Section,
    SentenceCount, Skipped, SourceEntry, Statement, VerdictCount, VerificationSummary, WebReference, body,
    json, markers, sentences, text, topic,
};

/// The longest answer text that is laid out, in bytes; real ones are a hundredth of it.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// Axes in the order in which they are shown; others follow by name.
const AXES: [&str; 4] = ["citation", "entity", "relation", "contradiction"];

/// Builds the document: a function of its input, so that the same input always gives the same bytes.
pub fn build(input: &DocumentInput) -> Document {
    let raw = match &input.answer {
        Value::String(text) => text.clone(),
        answer => json::text_of(answer, &["synthesis", "answer"]).unwrap_or_default(),
    };
    let mut warnings: Vec<String> = lines(&input.warnings);
    let hidden = text::hidden_count(&raw);
    if hidden > 0 {
        warnings.push(format!("{hidden} invisible characters were taken out of the answer"));
    }
    let mut synthesis = text::clean(&raw);
    if synthesis.len() > MAX_TEXT_BYTES {
        synthesis.truncate(synthesis.floor_char_boundary(MAX_TEXT_BYTES));
        warnings.push("the answer was too long and is cut at its end".to_owned());
    }
    if synthesis.trim().is_empty() {
        warnings.push("the run produced no answer text".to_owned());
    }
    let mut checks = input.verification.as_ref().map(Verification::read);
    if let (Some(checks), Some(judgements)) = (&mut checks, &input.judgements) {
        apply_judgements(&mut checks.records, judgements);
    }
    let nothing = Verification::default();
    let mut book = CitationIndex::new(input, checks.as_ref().unwrap_or(&nothing));
    let (sections, uncited_sentences) = {
        let records = checks.as_ref().map(|checks| checks.records.as_slice()).unwrap_or_default();
        body::build(&synthesis, input, &mut book, records)
    };
    let quotes = book.quotes();
    let citations = book.finish();

    let (webs, priors) = labels(&sections, &quotes, input);
    for number in webs.iter().filter(|number| **number == 0 || **number > input.web_references.len()) {
        warnings.push(format!("the answer uses the label [W{number}], but the run has no such page"));
    }
    let is_section = |number: &usize| input.prior_sections.iter().any(|section| section.number == *number);
    for number in priors.iter().filter(|number| !is_section(number)) {
        warnings.push(format!(
            "the answer uses the label [P{number}], but the earlier answer has no such section"
        ));
    }
    if checks.is_none() && !citations.is_empty() {
        warnings.push("no citation was checked".to_owned());
    }
    let verification = checks.as_ref().map(|checks| summary(checks, &citations));
    if checks.as_ref().is_some_and(|checks| checks.needs_repair) {
        warnings.push("verification still asked for repair when the answer was written".to_owned());
    }
    let plan = input.plan.as_ref().map(|plan| plan.get("query_plan").unwrap_or(plan)).unwrap_or(&Value::Null);
    let queries = ["sub_queries", "queries"].iter().find_map(|name| plan.get(name)).and_then(Value::as_array);
    let checks = checks.unwrap_or_default();
    let statements: Vec<Statement> = checks.records.iter().map(Statement::of).collect();
    // What is known of each statement stands with it; lists of the same are for runs that kept no records.
    let listed = |list: Vec<String>| if statements.is_empty() { list } else { Vec::new() };
    let limits = Limits {
        confidence: input.answer.get("confidence").and_then(confidence),
        gaps: lines(&json::texts(input.answer.get("gaps"))),
        assumptions: lines(&json::texts(plan.get("assumptions"))),
        skipped: input
            .skipped
            .iter()
            .map(|stage| Skipped { title: text::one_line(&stage.title), why: text::one_line(&stage.why) })
            .collect(),
        warnings,
        unsupported: listed(checks.unsupported),
        contradictions: listed(checks.contradictions),
        changed: lines(&input.changed),
    };
    let is_listed = statements.is_empty() && !input.cites_nothing;
    let uncited_sentences = if is_listed { uncited_sentences } else { Vec::new() };
    let headline = match &verification {
        _ if !statements.is_empty() => {
            let has_record = |words: &str| checks.records.iter().any(|record| record.sentence == words);
            let absences = sentences::absences(&synthesis, has_record);
            let cited = citations.iter().filter(|one| one.in_body).filter_map(|one| one.text.as_deref());
            let texts: Vec<&str> = std::iter::once(synthesis.as_str()).chain(cited).collect();
            let unmentioned = topic::unmentioned(&input.question, &texts);
            Some(Headline::new(&statements, &limits, checks.needs_repair, absences, &unmentioned))
        }
        // Counted citations say nothing of what was not answered.
        Some(summary) if !limits.gaps.is_empty() => Some(Headline::counted(summary, &limits)),
        _ => None,
    };
    let case = (input.reading > 1).then(|| heading_case(&sections, &citations));
    Document {
        case,
        title: Some(text::one_line(&input.title))
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| "Answer".to_owned()),
        question: text::clean(&input.question).trim().to_owned(),
        notice: input.notice.as_deref().map(text::one_line).filter(|notice| !notice.is_empty()),
        followup_number: input.followup_number,
        depth: text::one_line(&input.depth),
        limits,
        statements,
        headline,
        web_references: input.web_references.iter().map(page).collect(),
        web_label: input.output.web_reference.ref_format.clone(),
        link_web: input.output.web_reference.link_to_original,
        prior_references: input
            .prior_sections
            .iter()
            .filter(|section| priors.contains(&section.number))
            .map(prior)
            .map(|section| if input.earlier.is_some() { section.short() } else { section })
            .collect(),
        earlier: input.earlier.as_ref().map(|earlier| earlier.cleaned(text::one_line)),
        prior_sections: input.prior_sections.iter().map(prior).collect(),
        queries: queries.into_iter().flatten().filter_map(PriorQuery::read).map(Query::from).collect(),
        scope: text::one_line(&json::text_of(plan, &["scope", "scope_classification"]).unwrap_or_default()),
        out_of_scope: lines(&json::texts(
            input.answer.get("out_of_scope").or_else(|| input.answer.get("outOfScope")),
        )),
        synthesis,
        sections,
        citations,
        verification,
        uncited_sentences,
        records: checks.records,
    }
}

impl From<PriorQuery> for Query {
    fn from(query: PriorQuery) -> Self {
        Self { text: query.text, role: query.role, standards: query.standards }
    }
}

fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|one| text::one_line(one)).filter(|one| !one.is_empty()).collect()
}

fn page(page: &WebReference) -> WebReference {
    WebReference {
        title: markers::page_title(page),
        url: text::one_line(&page.url),
        insight: text::one_line(&page.insight),
    }
}

fn prior(section: &PriorSection) -> PriorSection {
    PriorSection {
        id: text::one_line(&section.id),
        number: section.number,
        heading: text::one_line(&section.heading),
        excerpt: text::one_line(&section.excerpt),
    }
}

/// Numbers of the `[W]` and `[P]` labels that the body uses, in order.
fn labels(sections: &[Section], quotes: &QuotedWords, input: &DocumentInput) -> (Vec<usize>, Vec<usize>) {
    let (mut webs, mut priors) = (Vec::new(), Vec::new());
    for section in sections {
        for (kind, number) in sentences::labels(&section.markdown, quotes) {
            if kind == 'W' { webs.push(number) } else { priors.push(number) }
        }
        for entry in &section.sources {
            if let SourceEntry::Prior(mark) = entry {
                priors.extend(
                    input
                        .prior_sections
                        .iter()
                        .filter(|known| known.id.eq_ignore_ascii_case(&mark.id))
                        .map(|known| known.number),
                );
            }
        }
    }
    for list in [&mut webs, &mut priors] {
        list.sort_unstable();
        list.dedup();
    }
    (webs, priors)
}

/// A share as percent, anything else in its own words.
fn confidence(value: &Value) -> Option<String> {
    let word = match json::number(value) {
        Some(number) if (0.0..=1.0).contains(&number) => format!("{}%", (number * 100.0).round()),
        Some(number) if (0.0..=100.0).contains(&number) => format!("{}%", number.round()),
        _ if value.is_object() => json::text_of(value, &["level", "overall", "score", "value"])
            .unwrap_or_else(|| json::plain(value)),
        _ => json::plain(value),
    };
    let word = text::one_line(&word);
    (!word.is_empty()).then_some(word)
}

fn summary(checks: &Verification, citations: &[Citation]) -> VerificationSummary {
    let mut named: BTreeMap<&str, f64> =
        checks.scores.iter().map(|(name, score)| (name.as_str(), *score)).collect();
    let mut axes = Vec::new();
    let mut axis = |name: &str, score: f64| {
        let threshold = checks.thresholds.get(name).copied();
        axes.push(Axis {
            name: name.to_owned(),
            score,
            threshold,
            passed: threshold.map(|least| score >= least),
            count: checks.counts.get(name).copied(),
        });
    };
    for name in AXES {
        if let Some(score) = named.remove(name) {
            axis(name, score);
        }
    }
    for (name, score) in named {
        axis(name, score);
    }
    let mut by_verdict: BTreeMap<Verdict, usize> = BTreeMap::new();
    for citation in citations {
        for check in &citation.checks {
            *by_verdict.entry(check.verdict).or_default() += 1;
        }
        if citation.checks.is_empty() {
            *by_verdict.entry(Verdict::Unverified).or_default() += 1;
        }
    }
    VerificationSummary {
        axes,
        sentences: sentence_counts(&checks.records),
        verified: by_verdict.get(&Verdict::Verified).copied().unwrap_or(0),
        total: by_verdict.values().sum(),
        counts: by_verdict.into_iter().map(|(verdict, count)| VerdictCount { verdict, count }).collect(),
        needs_repair: checks.needs_repair,
    }
}

fn sentence_counts(records: &[SentenceRecord]) -> Vec<SentenceCount> {
    let mut by_verdict: BTreeMap<SentenceVerdict, usize> = BTreeMap::new();
    for record in records {
        *by_verdict.entry(record.verdict).or_default() += 1;
    }
    by_verdict.into_iter().map(|(verdict, count)| SentenceCount { verdict, count }).collect()
}
