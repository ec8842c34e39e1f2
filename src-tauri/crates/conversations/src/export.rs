//! The command that exports a session as one file below its folder.

use answers::{Document, DocumentPreface, Exhibits};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use document_files::{MainText, lock_line};
use docx::WordDocument;
use domain::{ErrorCode, Problem, RunId};
use engine::turn::{KIND, StepKind, TurnStep, TurnView};
use engine::{Corpus, ExportCheck, OutputTable, Recheck as _};
use library::Bases;
use protocol::{ExportFormat, Exported, RunState};
use support::{Readers, blocking, unknown_session};

use crate::Conversations;

/// The longest file that is given with the answer, in bytes.
const MAX_CONTENT_BYTES: usize = 4 << 20;

/// A link of the conversation.
enum Part {
    /// A run with its document.
    Run(Box<RunState>, Option<Box<engine::WrittenDocument>>),
    /// A turn.
    Turn(Box<TurnView>),
    /// A mission's request and its report.
    Mission(String, String),
}

impl Conversations {
    /// Exports a session, or the document of one of its runs. Documents are refused when a sentence's record does not
    /// hold any more.
    pub async fn session_export(
        &self,
        session: &str,
        only: Option<&RunId>,
        format: ExportFormat,
        checking: ExportCheck,
        changes_from: Option<RunId>,
    ) -> Result<Exported, Problem> {
        if changes_from.is_some() && (only.is_none() || format != ExportFormat::Docx) {
            let what = "tracked changes are written for Word, between the documents of two runs";
            return Err(
                Problem::new(ErrorCode::InvalidInput, what).with_action("name both runs and the format docx")
            );
        }
        let row = self.env.store().get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let folder = self.env.session_folder(session).ok_or_else(|| unknown_session(session))?.join("export");
        let mut runs = match (format, only) {
            // Lines are the log, and a run that is named need not be shown.
            (ExportFormat::Jsonl, _) | (_, Some(_)) => self.runs_of(session).await?,
            _ => self.shown_runs(session).await?,
        };
        if let Some(only) = only {
            runs.retain(|(run, _)| run == only);
            if runs.is_empty() {
                let what = format!("session {session} has no run {only}");
                return Err(Problem::new(ErrorCode::NotFound, what));
            }
        }
        let mut name = only.map_or(session, |run| run.0.as_str()).to_owned();
        let (extension, content) = if format == ExportFormat::Jsonl {
            ("jsonl", self.lines(&runs).await?.into_bytes())
        } else {
            let (parts, mut main) = self.parts(&runs, only, checking).await?;
            let mut created = None;
            let alone = match parts.as_slice() {
                [Part::Run(state, Some(written))] if only.is_some() => {
                    created = Some(state.created_at);
                    Some(written)
                }
                _ if only.is_some() => {
                    let kept = folder.parent().unwrap_or(&folder).display();
                    let action = format!("look into {kept}: what it has made so far lies there as files");
                    let what = "this run has no document to export";
                    return Err(Problem::new(ErrorCode::NotFound, what).with_action(action));
                }
                _ => None,
            };
            if let Some(written) = alone {
                name = file_stem(&written.document.title, session);
            }
            let lists = matches!(format, ExportFormat::Docx | ExportFormat::Pdf | ExportFormat::Xlsx);
            let exhibits = match alone {
                Some(written) if lists || main.is_some() => self.exhibits(only, &written.document).await?,
                Some(_) | None => Exhibits::default(),
            };
            if let Some(main) = &mut main {
                main.exhibits = exhibits.clone();
            }
            match (format, alone) {
                (ExportFormat::Docx | ExportFormat::Pdf, _) => {
                    let document = match (&main, alone) {
                        (Some(main), _) => main.pages(),
                        (None, Some(written)) => {
                            document_files::answer_pages(&written.document, &exhibits, created)
                        }
                        (None, None) => word(&row.title, &parts),
                    };
                    let before = match &changes_from {
                        Some(before) => {
                            name.push_str("-changes");
                            Some(self.document_of(before).await?)
                        }
                        None => None,
                    };
                    pages(format, document, before).await?
                }
                (ExportFormat::Csv, Some(written)) => {
                    ("csv", answers::to_csv(&written.document).into_bytes())
                }
                (ExportFormat::Xlsx, Some(written)) => {
                    let tables = match only {
                        Some(run) => {
                            let engine = &self.env.engine;
                            engine.tables(engine.load(run).await?).await?
                        }
                        None => Vec::new(),
                    };
                    let (document, tables) =
                        (written.document.clone(), tables.into_iter().map(sheet).collect());
                    ("xlsx", blocking(move || document_files::to_xlsx(document, tables, &exhibits)).await?)
                }
                (ExportFormat::Csv | ExportFormat::Xlsx, None) => {
                    let what = "a table has the statements of one document";
                    return Err(Problem::new(ErrorCode::InvalidInput, what)
                        .with_action("name the run whose document is exported"));
                }
                (ExportFormat::Html, written) => {
                    let html = match (&main, written) {
                        (Some(main), _) => document_files::to_html(&main.pages())?,
                        (None, Some(written)) => answers::to_html(&written.document),
                        (None, None) => html(&row.title, &parts),
                    };
                    ("html", html.into_bytes())
                }
                (ExportFormat::Markdown | ExportFormat::Jsonl, written) => {
                    let markdown = match (&main, written) {
                        (Some(main), _) => main.markdown(),
                        (None, Some(written)) => written.markdown.clone(),
                        (None, None) => markdown(&row.title, &parts),
                    };
                    ("md", markdown.into_bytes())
                }
            }
        };
        written(&folder, &name, extension, content).await
    }

    /// Writes the report of a mission as a file of the session; as lines of JSON its graph, which can be opened again.
    pub async fn mission_export(&self, mission: &RunId, format: ExportFormat) -> Result<Exported, Problem> {
        let view = self.env.engine.mission_view(mission).await?;
        let session = view.session.as_str();
        let folder = self.env.session_folder(session).ok_or_else(|| unknown_session(session))?.join("export");
        // Another report on the same objective must not take the place of the first one.
        let names = engine::mission::FileNames::find(self.env.store(), session, mission).await?;
        let stem = file_stem(&view.objective, session);
        if format == ExportFormat::Jsonl {
            let stored = self.env.engine.load_mission(mission).await?;
            let graph = evidence_graph::to_jsonl(stored.known()).into_bytes();
            return written(&folder, &names.numbered(&format!("{stem}-graph"), ""), "jsonl", graph).await;
        }
        let Some(text) = self.env.engine.mission_report(mission).await? else {
            return Err(Problem::new(ErrorCode::NotFound, "the mission has no report yet")
                .with_action("wait for its end, or have the report written now"));
        };
        let created = self.env.store().get_run(&mission.0).await?.created_at;
        let report = MainText { created: Some(created), ..MainText::of(text) };
        let (extension, content) = match format {
            ExportFormat::Markdown => ("md", report.markdown().into_bytes()),
            ExportFormat::Html => ("html", document_files::to_html(&report.pages())?.into_bytes()),
            ExportFormat::Docx | ExportFormat::Pdf => pages(format, report.pages(), None).await?,
            ExportFormat::Csv | ExportFormat::Xlsx | ExportFormat::Jsonl => {
                let what =
                    "the report of a mission is written as markdown, html, docx or pdf, its graph as jsonl";
                return Err(Problem::new(ErrorCode::InvalidInput, what));
            }
        };
        written(&folder, &names.numbered(&stem, ""), extension, content).await
    }

    /// The parts of an export, and where it is of one run, the text that this run put together itself.
    async fn parts(
        &self,
        runs: &[(RunId, String)],
        only: Option<&RunId>,
        checking: ExportCheck,
    ) -> Result<(Vec<Part>, Option<MainText>), Problem> {
        let engine = &self.env.engine;
        let lock = match only {
            Some(run) => self.lock_of(run).await?,
            None => None,
        };
        let (mut parts, mut main) = (Vec::with_capacity(runs.len()), None);
        for (run, kind) in runs {
            if kind == KIND {
                parts.push(Part::Turn(Box::new(engine.turn_view(run).await?)));
                continue;
            }
            if kind == engine::mission::KIND {
                let report = engine.mission_report(run).await?.unwrap_or_default();
                parts.push(Part::Mission(engine.mission_view(run).await?.request, report));
                continue;
            }
            let loaded = engine.load(run).await?;
            let state = self.run_state(&loaded, None, false).await?;
            if only.is_some() {
                let text = engine.main_text(engine.load(run).await?).await?;
                let created = Some(state.created_at);
                main = text.map(|text| MainText { lock: lock.clone(), created, ..MainText::of(text) });
            }
            let mut written = engine.document(loaded).await?;
            if let Some(written) = &mut written {
                if checking == ExportCheck::Rechecked {
                    Bases(self.env.home.clone()).recheck(&written.document.records).await?;
                }
                if let Some(lock) = lock.as_ref().map(lock_line) {
                    let notice = written.document.notice.take().unwrap_or_default();
                    written.document.notice = Some(format!("{lock}. {notice}").trim_end().to_owned());
                    written.markdown = answers::to_markdown(&written.document);
                }
                checking.mark(written);
            }
            parts.push(Part::Run(Box::new(state), written.map(Box::new)));
        }
        Ok((parts, main))
    }

    /// A run's document for a file with pages.
    async fn document_of(&self, run: &RunId) -> Result<WordDocument, Problem> {
        let engine = &self.env.engine;
        let written = engine.document(engine.load(run).await?).await?;
        let written = written.ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("run {run} has no document to compare"))
        })?;
        let exhibits = self.exhibits(Some(run), &written.document).await?;
        Ok(match engine.main_text(engine.load(run).await?).await? {
            Some(text) => MainText { exhibits, ..MainText::of(text) }.pages(),
            None => answers::to_word(&written.document, &exhibits),
        })
    }

    /// The documents that a run's document was written from.
    async fn exhibits(&self, run: Option<&RunId>, document: &Document) -> Result<Exhibits, Problem> {
        let (asked, form): (Vec<Corpus>, _) = match run {
            Some(run) => {
                let pinned = self.env.engine.load(run).await?.pinned;
                (pinned.bases().cloned().collect(), pinned.config.output.section_reference.clone())
            }
            None => (Vec::new(), None),
        };
        let (home, records) = (self.env.home.clone(), document.records.clone());
        blocking(move || Ok(library::exhibits(&home, &records, &asked).with_section_form(form))).await
    }

    /// A session's runs and turns with their kind, oldest first, without the turns that others replaced.
    pub async fn shown_runs(&self, session: &str) -> Result<Vec<(RunId, String)>, Problem> {
        let entries = self.env.engine.session_entries(session).await?;
        Ok(entries.shown.into_iter().map(|entry| (RunId(entry.id), entry.kind)).collect())
    }

    /// As [`Self::shown_runs`], with what was replaced: it is stored.
    async fn runs_of(&self, session: &str) -> Result<Vec<(RunId, String)>, Problem> {
        let links = self.env.store().run_links(session).await?;
        Ok(links.into_iter().map(|link| (RunId(link.id), link.kind)).collect())
    }

    /// Every event of runs, a line each, with its run; turns whole.
    async fn lines(&self, runs: &[(RunId, String)]) -> Result<String, Problem> {
        let mut text = String::new();
        for (run, kind) in runs {
            if kind == KIND {
                let turn = self.env.engine.turn_view(run).await?;
                text.push_str(&serde_json::json!({ "run": run, "turn": turn }).to_string());
                text.push('\n');
                continue;
            }
            if kind == engine::mission::KIND {
                for record in &self.env.engine.load_mission(run).await?.records {
                    text.push_str(&serde_json::json!({ "run": run, "mission": record }).to_string());
                    text.push('\n');
                }
                continue;
            }
            for record in self.env.engine.load(run).await?.records {
                let mut line = serde_json::to_value(&record)
                    .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
                if let Some(line) = line.as_object_mut() {
                    line.insert("run".to_owned(), run.0.clone().into());
                }
                text.push_str(&line.to_string());
                text.push('\n');
            }
        }
        Ok(text)
    }
}

/// Writes an export below its session's folder, and gives it along where it is short.
async fn written(
    folder: &std::path::Path,
    name: &str,
    extension: &str,
    content: Vec<u8>,
) -> Result<Exported, Problem> {
    let name = format!("{name}.{extension}");
    let path = folder.join(&name);
    let failed = |error: std::io::Error| {
        Problem::new(ErrorCode::Storage, format!("{} could not be written: {error}", path.display()))
            .with_action("free space or correct the permissions, then export again")
    };
    let is_short = content.len() <= MAX_CONTENT_BYTES;
    let (text, data) = match extension {
        "docx" | "pdf" | "xlsx" => (None, is_short.then(|| BASE64_STANDARD.encode(&content))),
        _ => (is_short.then(|| String::from_utf8_lossy(&content).into_owned()), None),
    };
    support::write_file(&path, content, Readers::Default).await.map_err(failed)?;
    Ok(Exported { name, path: path.to_string_lossy().into_owned(), text, data })
}

fn markdown(title: &str, parts: &[Part]) -> String {
    let mut out = vec![format!("# {}", plain(title))];
    for (index, part) in parts.iter().enumerate() {
        out.push("---".to_owned());
        let (state, written) = match part {
            Part::Run(state, written) => (state, written),
            Part::Mission(request, report) => {
                out.push(format!("**Mission**: {}", plain(request)));
                out.push(report.trim_end().to_owned());
                continue;
            }
            Part::Turn(turn) => {
                out.push(format!("**Message**: {}", plain(&turn.message.text)));
                out.extend(turn.steps.iter().filter_map(step).map(|step| format!("- {}", plain(&step))));
                out.extend(turn.head.answer.as_deref().map(answers::sanitise));
                continue;
            }
        };
        out.push(format!("**Question** ({}): {}", state.status, plain(&state.request)));
        let decisions = decisions(state);
        if !decisions.is_empty() {
            let list = decisions.iter().map(|decision| format!("- {}", plain(decision)));
            out.push(list.collect::<Vec<_>>().join("\n"));
        }
        if let Some(problem) = &state.problem {
            out.push(format!("**Failed**: {}", plain(&problem.message)));
        }
        // Each document numbers its citations from 1.
        let apart = |markdown: &str| match parts.len() {
            1 => markdown.to_owned(),
            _ => ["](#", "<a id=\""].iter().fold(markdown.to_owned(), |text, before| {
                text.replace(&format!("{before}cite-"), &format!("{before}d{}-cite-", index + 1))
            }),
        };
        out.extend(written.as_ref().map(|written| apart(written.markdown.trim_end())));
    }
    let mut text = out.join("\n\n");
    text.push('\n');
    text
}

fn html(title: &str, parts: &[Part]) -> String {
    if let Some(document) = sole(parts) {
        return answers::to_html(document);
    }
    let before = before(parts);
    answers::to_html_of_all(title, sections(&before, parts))
}

fn word(title: &str, parts: &[Part]) -> WordDocument {
    if let Some(document) = sole(parts) {
        return answers::to_word(document, &Exhibits::default());
    }
    let before = before(parts);
    answers::to_word_of_all(title, sections(&before, parts))
}

/// A document as a file with pages, with the ending of its name; `before` is the version from which it shows its changes.
async fn pages(
    format: ExportFormat,
    document: WordDocument,
    before: Option<WordDocument>,
) -> Result<(&'static str, Vec<u8>), Problem> {
    blocking(move || {
        let before = before.as_ref();
        Ok(if format == ExportFormat::Pdf {
            ("pdf", document_files::to_pdf(document, before)?)
        } else {
            ("docx", document_files::to_docx(document, before)?)
        })
    })
    .await
}

/// A table of a run as a sheet.
fn sheet(table: OutputTable) -> xlsx::Sheet {
    xlsx::Sheet {
        title: table.title,
        columns: table.columns,
        rows: table.rows.iter().map(|row| row.iter().map(xlsx::Cell::of).collect()).collect(),
    }
}

/// The document of a session that has nothing else.
fn sole(parts: &[Part]) -> Option<&Document> {
    match parts {
        [Part::Run(state, Some(written))] if state.answered.is_empty() => Some(&written.document),
        _ => None,
    }
}

/// What stands before the document of each part: a heading and paragraphs.
fn before(parts: &[Part]) -> Vec<(String, Vec<String>)> {
    parts
        .iter()
        .map(|part| match part {
            Part::Run(state, _) => {
                let mut paragraphs = decisions(state);
                paragraphs
                    .extend(state.problem.as_ref().map(|problem| format!("Failed: {}", problem.message)));
                (state.request.clone(), paragraphs)
            }
            Part::Mission(request, report) => {
                let paragraphs = report.split("\n\n").filter(|text| !text.trim().is_empty());
                (request.clone(), paragraphs.map(str::to_owned).collect())
            }
            Part::Turn(turn) => {
                let mut paragraphs: Vec<String> = turn.steps.iter().filter_map(step).collect();
                let answer = turn.head.answer.as_deref().unwrap_or_default();
                paragraphs
                    .extend(answer.split("\n\n").filter(|text| !text.trim().is_empty()).map(str::to_owned));
                (turn.message.text.clone(), paragraphs)
            }
        })
        .collect()
}

/// Each part's document, where it has one, with what stands before it.
fn sections<'p>(
    before: &'p [(String, Vec<String>)],
    parts: &'p [Part],
) -> impl Iterator<Item = (DocumentPreface<'p>, Option<&'p Document>)> {
    before.iter().zip(parts).map(|((heading, paragraphs), part)| {
        let document: Option<&Document> = match part {
            Part::Run(_, written) => written.as_ref().map(|written| &written.document),
            Part::Turn(_) | Part::Mission(..) => None,
        };
        (DocumentPreface { heading, paragraphs }, document)
    })
}

/// What a step of a turn did, where it did something.
fn step(step: &TurnStep) -> Option<String> {
    match &step.kind {
        StepKind::Tool { intent, summary, .. } => {
            let word = format!("{:?}", step.status).to_lowercase();
            let came = if summary.is_empty() { String::new() } else { format!(": {summary}") };
            Some(format!("{intent} ({word}{came})"))
        }
        StepKind::Steering { message } => Some(format!("You: {}", message.text)),
        StepKind::Compaction { .. } => Some("The earlier conversation was compacted.".to_owned()),
        StepKind::Model { .. } | StepKind::Notice { .. } => None,
    }
}

/// What was decided at pauses, a sentence each.
pub fn decisions(state: &RunState) -> Vec<String> {
    let decided = state.answered.iter().map(|answered| {
        let mut line = format!("{}: {}", answered.form.title, answered.label);
        if answered.edited {
            line.push_str(" (edited)");
        }
        for (question, answer) in &answered.decision.answers {
            line.push_str(&format!(" - {question} {answer}"));
        }
        if let Some(text) = answered.decision.text.as_deref().filter(|text| !text.trim().is_empty()) {
            line.push_str(&format!(" - {text}"));
        }
        line
    });
    decided.collect()
}

/// Words of people on one line, without what Markdown or HTML would take for more.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The longest file name that is made from a title, in characters.
const MAX_NAME_CHARS: usize = 80;

/// A title as a file name without its ending: letters and digits with hyphens between; `or` where it has none.
fn file_stem(title: &str, or: &str) -> String {
    let words = title.to_lowercase();
    let mut name = String::new();
    for word in words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if name.chars().count() + word.chars().count() >= MAX_NAME_CHARS {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(word);
    }
    if name.is_empty() { or.to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_the_title() {
        assert_eq!(file_stem("When may I do an NMU?", "s"), "when-may-i-do-an-nmu");
        assert_eq!(file_stem("../\u{202e}?", "s"), "s");
        assert!(file_stem(&"word ".repeat(100), "s").len() <= MAX_NAME_CHARS);
    }
}
