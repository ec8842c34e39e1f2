//! The command that gives a run's document.

use answers::Document;
use document_files::MainText;
use domain::Problem;
use protocol::{
    AxisRow, CitationRow, DocumentText, Headline, HeadlineLevel, RunRef, SentenceCount, SentenceProblem,
    StatementRow, StatementState,
};

use crate::Conversations;

impl Conversations {
    /// A finished run's document.
    pub async fn run_document(&self, run: &RunRef) -> Result<Option<DocumentText>, Problem> {
        let run = self.find_for(run, "a document of its own").await?;
        let loaded = self.env.engine.load(&run).await?;
        let Some(written) = self.env.engine.document(loaded).await? else { return Ok(None) };
        let document = written.document;
        let main = self.env.engine.main_text(self.env.engine.load(&run).await?).await?;
        let main = main.map(|text| MainText::of(text).shown(&document.citations));
        let (verified, total) = counted(&document);
        Ok(Some(DocumentText {
            main,
            html: answers::to_html(&document),
            verified,
            total,
            unsupported: unsupported(&document),
            sentence_counts: sentence_counts(&document),
            axes: axes(&document),
            statements: document.statements.iter().map(statement).collect(),
            headline: document.headline.as_ref().map(headline),
            sentences: document.records,
            path: written.path.is_file().then(|| written.path.to_string_lossy().into_owned()),
            markdown: written.markdown,
            citations: document.citations.into_iter().map(citation).collect(),
            title: document.title,
        }))
    }
}

pub fn headline(headline: &answers::Headline) -> Headline {
    let level = match headline.level {
        answers::Level::Good => HeadlineLevel::Good,
        answers::Level::Open => HeadlineLevel::Open,
        answers::Level::Doubt => HeadlineLevel::Doubt,
    };
    Headline { level, text: headline.text.clone() }
}

pub fn statement_state(state: answers::State) -> StatementState {
    use answers::State;
    match state {
        State::Quoted => StatementState::Quoted,
        State::Supported => StatementState::Supported,
        State::Partly => StatementState::Partly,
        State::Unverified => StatementState::Unverified,
        State::NoSource => StatementState::NoSource,
        State::Doubtful => StatementState::Doubtful,
        State::Refused => StatementState::Refused,
    }
}

fn statement(one: &answers::Statement) -> StatementRow {
    StatementRow {
        n: number(one.n),
        text: one.text.clone(),
        state: statement_state(one.state),
        word: one.state.as_str().to_owned(),
        reason: one.reason.clone(),
        against: one.against.clone(),
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
    let listed = checked.chain(document.uncited_sentences.iter().map(problem("It names no source.")));
    let failing = document.statements.iter().filter(|one| one.state >= answers::State::NoSource);
    let failing = failing.map(|one| SentenceProblem { text: one.text.clone(), problem: one.reason.clone() });
    listed.chain(failing).collect()
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
        label: citation.label.unwrap_or(citation.source_ref),
        paragraph: citation.paragraph_id.unwrap_or_default(),
        quotes,
        claims,
        verdict: citation.verdict,
        reason: citation.reason,
        text: citation.text.unwrap_or_default(),
    }
}
