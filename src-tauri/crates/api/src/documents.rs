//! The command that gives a run's document.

use answers::Document;
use domain::Problem;

use crate::local::Local;
use crate::wire::{AxisRow, CitationRow, DocumentText, RunRef, SentenceCount, SentenceProblem};

impl Local {
    pub(crate) async fn run_document(&self, run: &RunRef) -> Result<Option<DocumentText>, Problem> {
        let run = self.find(run).await?;
        let loaded = self.engine.load(&run).await?;
        let Some(written) = self.engine.document(loaded).await? else { return Ok(None) };
        let document = written.document;
        let (verified, total) = counted(&document);
        Ok(Some(DocumentText {
            html: answers::to_html(&document),
            verified,
            total,
            unsupported: unsupported(&document),
            sentence_counts: sentence_counts(&document),
            axes: axes(&document),
            sentences: document.records,
            path: written.path.is_file().then(|| written.path.to_string_lossy().into_owned()),
            markdown: written.markdown,
            citations: document.citations.into_iter().map(citation).collect(),
            title: document.title,
        }))
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Verified citations and all of them.
fn counted(document: &Document) -> (u32, u32) {
    match &document.verification {
        Some(summary) => (number(summary.verified), number(summary.total)),
        None => (0, number(document.citations.len())),
    }
}

fn sentence_counts(document: &Document) -> Vec<SentenceCount> {
    let counts = document.verification.iter().flat_map(|summary| &summary.sentences);
    counts.map(|one| SentenceCount { verdict: one.verdict, count: number(one.count) }).collect()
}

fn axes(document: &Document) -> Vec<AxisRow> {
    let axes = document.verification.iter().flat_map(|summary| &summary.axes);
    axes.map(|one| AxisRow {
        axis: one.name.clone(),
        held: one.count.map(|(held, _)| number(held)),
        checked: one.count.map(|(_, checked)| number(checked)),
        score: one.score,
        threshold: one.threshold,
    })
    .collect()
}

fn unsupported(document: &Document) -> Vec<SentenceProblem> {
    let problem = |problem: &str| {
        let problem = problem.to_owned();
        move |text: &String| SentenceProblem { text: text.clone(), problem: problem.clone() }
    };
    let checked = document.limits.unsupported.iter().map(problem("Checking found no support for it."));
    checked.chain(document.uncited_sentences.iter().map(problem("It names no source."))).collect()
}

fn citation(citation: answers::Citation) -> CitationRow {
    let mut quotes: Vec<String> = Vec::new();
    let mut claims: Vec<String> = Vec::new();
    for check in citation.checks {
        for (text, texts) in [(check.quote, &mut quotes), (check.claim, &mut claims)] {
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    CitationRow {
        number: u32::try_from(citation.number).unwrap_or(u32::MAX),
        label: citation.source_ref,
        paragraph: citation.paragraph_id.unwrap_or_default(),
        quotes,
        claims,
        verdict: citation.verdict,
        reason: citation.reason,
        text: citation.text.unwrap_or_default(),
    }
}
