//! A run's state file and the files of its outputs: functions of its log, compared with what stands on the disk when a run
//! is gone on with, and written again where that differs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use context::Scope;
use domain::{Digest, ErrorCode, Problem, RunId};
use pipeline::Record;
use serde_json::{Value, json};
use store::{RunFilter, Store};
use support::{Deviation, FileDigests, RunDeviations, WrittenFiles};

use crate::core::engine::Engine;
use crate::core::log::decode_batches;
use crate::core::stored::StoredRun;
use crate::run::driver::Driver;
use crate::run::exports::{pretty, save};
use crate::run::state_view::{self, RunTimes};

/// The most files of one run.
const MAX_FILES: usize = 2_000;
/// The kind of a staged run's row.
const RUN: &str = "run";
/// Files are written at most so often while a run is under way.
const EVERY: Duration = Duration::from_secs(2);

/// What is known of a run's files.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileState {
    /// Files that were missing or changed when the run was gone on with, in words.
    problems: Vec<String>,
    /// Files that the person had changed, each with the name of its copy.
    kept: Vec<(String, String)>,
    /// When they were last written.
    written: Option<Instant>,
}

/// Texts by their paths in the session's folder.
type Texts = BTreeMap<String, String>;

/// What a run writes besides its document.
struct RunTexts {
    files: Texts,
    /// The state file: its path and its text.
    checkpoint: Option<(String, String)>,
}

/// A table of a run's outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputTable {
    /// Its title.
    pub title: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// Its rows: a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// The most that the values can be, in the same places; null where there is no such limit.
    pub max: Vec<Vec<Value>>,
}

impl Engine {
    /// The text of the file that stands for a finished run's document, where the agent names one (`output.files.main`).
    pub async fn main_text(&self, loaded: StoredRun) -> Result<Option<String>, Problem> {
        let Some(main) = loaded.pinned.config.output.files.main.clone() else { return Ok(None) };
        Ok(self.parked(loaded).files().await?.remove(&main))
    }

    /// The tables of a run's outputs that its agent declares (`tables`).
    pub async fn tables(&self, loaded: StoredRun) -> Result<Vec<OutputTable>, Problem> {
        self.parked(loaded).tables().await
    }

    /// Writes the files of a run that works for another again. Gives those that the person had changed, with their copies.
    async fn restore_files(&self, found: &RunDeviations) -> Result<Vec<(String, String)>, Problem> {
        let mut driver = self.parked(self.load(&RunId(found.run.clone())).await?);
        driver.write_files_but(&found.others).await?;
        Ok(driver.file_state.kept)
    }

    /// Writes the files of the runs that work for a run again, where they are missing or were changed. Gives those that the
    /// person had changed, with their copies.
    pub(crate) async fn restore_workers(
        &self,
        run: &str,
        written: &WrittenFiles,
    ) -> Result<Vec<(String, String)>, Problem> {
        let mut kept = Vec::new();
        for found in written.deviations(&self.workers(run).await?).await {
            kept.extend(self.restore_files(&found).await?);
        }
        Ok(kept)
    }

    /// The runs that work for a run, and those that work for them, in the order in which they began.
    async fn workers(&self, run: &str) -> Result<Vec<String>, Problem> {
        let (mut found, mut open) = (Vec::new(), vec![run.to_owned()]);
        while let Some(parent) = open.pop() {
            let filter = RunFilter { kind: RUN.to_owned(), parent: Some(parent), ..RunFilter::default() };
            let page = self.parts().store.list_runs(&filter, None, store::MAX_PAGE).await;
            let runs = page.map_err(crate::core::problem::store)?.runs;
            open.extend(runs.iter().map(|run| run.id.clone()));
            found.extend(runs.into_iter().map(|run| (run.cursor, run.id)));
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    /// The state of a run as its agent's `checkpoint` describes it, from what is stored of its log.
    pub(crate) async fn checkpoint(&self, run: &RunId) -> Result<Option<String>, Problem> {
        let loaded = self.load(run).await?;
        if loaded.pinned.config.checkpoint.is_none() {
            return Ok(None);
        }
        self.parked(loaded).checkpoint().await
    }
}

/// What is stored of a run's log.
async fn records(store: &Store, run: &str) -> Result<Vec<Record>, Problem> {
    let batches = store.load_events(run).await;
    decode_batches(&batches.map_err(crate::core::problem::store)?)
}

impl Driver {
    /// Whether the agent writes files besides its document.
    pub(crate) fn has_files(&self) -> bool {
        let config = &self.pinned.config;
        config.checkpoint.is_some() || !config.files.is_empty()
    }

    /// Compares what the run and those that work for it wrote before with what stands on the disk. Files of the latter are
    /// written again at once, those of the run itself with the next that it writes.
    pub(crate) async fn inspect_files(&mut self) {
        let Some(written) = self.written().filter(|_| self.recording.is_none()) else { return };
        let own = self.journal.run.0.clone();
        let workers = match &self.engine {
            Some(engine) => engine.workers(&own).await,
            None => Ok(Vec::new()),
        };
        let workers = workers.unwrap_or_else(|problem| {
            tracing::warn!(run = own, "files of the runs that it began are not looked at: {problem}");
            Vec::new()
        });
        let runs: Vec<String> = std::iter::once(own.clone()).chain(workers).collect();
        let (mut problems, mut kept) = (Vec::new(), Vec::new());
        for found in written.deviations(&runs).await {
            problems.extend(found.files.iter().map(|(name, deviation)| match deviation {
                Deviation::Missing => format!("{name} is missing"),
                Deviation::Changed => format!("{name} was changed"),
            }));
            if found.run == own {
                continue;
            }
            let Some(engine) = &self.engine else { continue };
            match engine.restore_files(&found).await {
                Ok(copies) => kept.extend(copies),
                Err(problem) => problems.push(format!("files of {}: {problem}", found.run)),
            }
        }
        if !problems.is_empty() {
            let what = problems.join("; ");
            tracing::warn!(run = %self.journal.run, "written again from the run's log: {what}");
            self.tell(format!("Written again from the run's log: {what}"));
        }
        self.tell_kept(&kept);
        self.file_state.problems = problems;
    }

    pub(crate) fn tell_kept(&self, kept: &[(String, String)]) {
        for (name, copy) in kept {
            tracing::warn!(run = %self.journal.run, "{name} was not as the run wrote it: kept as {copy}");
            self.tell(format!("{name} was not as the run wrote it. What stood there is kept as {copy}"));
        }
    }

    /// Writes the files of a run under way where that was not done for a while. A failure stops no run.
    pub(crate) async fn refresh_files(&mut self) {
        if !self.has_files() || self.file_state.written.is_some_and(|at| at.elapsed() < EVERY) {
            return;
        }
        if let Err(problem) = self.write_files().await {
            tracing::warn!(run = %self.journal.run, "files of the run were not written: {problem}");
        }
        self.file_state.written = Some(Instant::now());
    }

    /// Writes the state file and the files of what has been put out so far. Files that stand as they should are left.
    pub(crate) async fn write_files(&mut self) -> Result<(), Problem> {
        let outcome = self.write_files_but(&BTreeSet::new()).await;
        let kept = std::mem::take(&mut self.file_state.kept);
        self.tell_kept(&kept);
        outcome
    }

    /// The same but for files that are another run's. What the person had changed is kept beside the file.
    async fn write_files_but(&mut self, others: &BTreeSet<String>) -> Result<(), Problem> {
        let stored = self.journal.committed() > 0 && self.journal.pending().is_empty();
        if !self.has_files() || self.recording.is_some() || !stored {
            return Ok(());
        }
        let Some(written) = self.written() else { return Ok(()) };
        let mut files = self.files().await?;
        files.retain(|name, _| !others.contains(name));
        let digests: FileDigests =
            files.iter().map(|(name, text)| (name.clone(), Digest::of(text.as_bytes()))).collect();
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Storage, format!("files of the run could not be written: {error}"))
        };
        let run = self.journal.run.0.clone();
        let mut announced = false;
        for (name, text) in &files {
            if written.stands(name, digests[name]).await {
                continue;
            }
            if !announced {
                written.announce(&run, &digests).await.map_err(failed)?;
                announced = true;
            }
            if let Some(copy) = written.keep(name).await.map_err(failed)? {
                self.file_state.kept.push((name.clone(), copy));
            }
            save(&written.path(name), text.as_bytes()).await?;
        }
        if announced || written.list(&run).await != digests {
            // Written last: what it names is there.
            written.wrote(&run, &digests).await.map_err(failed)?;
        }
        Ok(())
    }

    /// The files as they have to be now, by path.
    pub(crate) async fn files(&mut self) -> Result<Texts, Problem> {
        let RunTexts { mut files, checkpoint } = self.texts().await?;
        files.extend(checkpoint);
        Ok(files)
    }

    /// The state file's text.
    pub(crate) async fn checkpoint(&mut self) -> Result<Option<String>, Problem> {
        Ok(self.texts().await?.checkpoint.map(|(_, text)| text))
    }

    async fn texts(&mut self) -> Result<RunTexts, Problem> {
        self.values.load_for(&self.journal.state, &self.parts.store).await?;
        let run = self.journal.run.0.clone();
        let mut times = RunTimes::of(&records(&self.parts.store, &run).await?);
        let parent = self.journal.state.start.as_ref().and_then(|start| start.parent.clone());
        // Of work that is done for the first time there is nothing earlier.
        if let Some(parent) = parent.filter(|parent| parent.key.attempt > 1) {
            times.read_earlier(&parent.key, &records(&self.parts.store, &parent.run.0).await?);
        }
        let environment = json!({
            "verified_at": times.verified(),
            "healthy": self.file_state.problems.is_empty(),
            "problems": self.file_state.problems,
        });
        self.evaluate(|evaluation| {
            let (pinned, state, values) = (evaluation.pinned, evaluation.state, evaluation.values);
            let mut scope = evaluation.scope.for_run(pinned, state, values);
            for (name, value) in state_view::variables(pinned, state, values, &times, &run) {
                scope.set(name, &value);
            }
            scope.set("environment", &environment);
            let templates = evaluation.templates;
            let wrong = |what: &str, error: &dyn std::fmt::Display| {
                Problem::new(ErrorCode::InvalidConfig, format!("{what}: {error}"))
                    .with_action("correct the agent's configuration")
            };
            let (mut files, mut state_file) = (BTreeMap::new(), None);
            for (at, spec) in pinned.config.files.iter().enumerate() {
                let what = format!("file {}", at + 1);
                let items = match &spec.for_each {
                    None => vec![Value::Null],
                    Some(expr) => match templates.eval(expr, &scope).map_err(|e| wrong(&what, &e))? {
                        Value::Array(items) => items,
                        _ => Vec::new(),
                    },
                };
                for item in items.into_iter().take(MAX_FILES) {
                    let scope = scope.with("item", &item);
                    let text = match templates.eval(&spec.value, &scope).map_err(|e| wrong(&what, &e))? {
                        Value::Null => continue,
                        Value::String(text) if text.trim().is_empty() => continue,
                        Value::String(text) => text,
                        value => pretty(&value),
                    };
                    let path = templates.render(&spec.path, &scope).map_err(|e| wrong(&what, &e))?;
                    files.insert(relative(&path)?, text);
                }
            }
            if let Some(checkpoint) = &pinned.config.checkpoint {
                let path = templates.render(&checkpoint.file, &scope).map_err(|e| wrong("checkpoint", &e))?;
                let state = Value::Object(checkpoint.state.clone());
                let state = templates.fill(&state, &scope).map_err(|e| wrong("checkpoint", &e))?;
                fits(pinned.checkpoint.as_ref(), &state)?;
                let text = if path.ends_with(".md") {
                    format!("# {}\n\n```json\n{}```\n", pinned.config.name, pretty(&state))
                } else {
                    pretty(&state)
                };
                state_file = Some((relative(&path)?, text));
            }
            Ok(RunTexts { files, checkpoint: state_file })
        })
    }

    /// The tables of what has been put out so far. A table without rows is left out.
    pub(crate) async fn tables(&mut self) -> Result<Vec<OutputTable>, Problem> {
        self.values.load_for(&self.journal.state, &self.parts.store).await?;
        self.evaluate(|evaluation| {
            let (pinned, state, values) = (evaluation.pinned, evaluation.state, evaluation.values);
            let scope = evaluation.scope.for_run(pinned, state, values);
            let mut tables = Vec::new();
            for spec in &pinned.config.tables {
                let eval = |text: &str, scope: &Scope| {
                    evaluation.templates.eval(text, scope).map_err(|error| {
                        let what = format!("table {:?}: {error}", spec.title);
                        Problem::new(ErrorCode::InvalidConfig, what)
                            .with_action("correct the agent's configuration")
                    })
                };
                let Value::Array(items) = eval(&spec.rows, &scope)? else { continue };
                let (mut rows, mut most) = (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()));
                for item in &items {
                    let scope = scope.with("item", item);
                    let row = spec.columns.iter().map(|column| eval(&column.value, &scope));
                    rows.push(row.collect::<Result<_, _>>()?);
                    let max = spec.columns.iter().map(|column| match &column.max {
                        Some(max) => eval(max, &scope),
                        None => Ok(Value::Null),
                    });
                    most.push(max.collect::<Result<_, _>>()?);
                }
                if !rows.is_empty() {
                    let columns = spec.columns.iter().map(|column| column.title.clone()).collect();
                    tables.push(OutputTable { title: spec.title.clone(), columns, rows, max: most });
                }
            }
            Ok(tables)
        })
    }

    /// The files of the session that runs wrote.
    pub(crate) fn written(&self) -> Option<WrittenFiles> {
        let start = self.journal.state.start.as_ref()?;
        Some(WrittenFiles::of(self.parts.home.join("sessions").join(&start.session.0)))
    }
}

/// A state that does not fit its schema is not written: whoever reads the file could not go on from it.
fn fits(schema: Option<&Value>, state: &Value) -> Result<(), Problem> {
    let Some(schema) = schema else { return Ok(()) };
    let bad = |what: String| Problem::new(ErrorCode::InvalidConfig, format!("checkpoint: {what}"));
    let validator = jsonschema::validator_for(schema).map_err(|error| bad(error.to_string()))?;
    let faults = llm::extract::faults(&validator, state);
    match faults.first() {
        None => Ok(()),
        Some(fault) => Err(bad(format!("{}: {}", fault.path, fault.message))
            .with_action("correct the templates of the agent's checkpoint")),
    }
}

/// A path below the session's folder: names of letters, digits, spaces, `-`, `_` and `.` that stay in it.
fn relative(path: &str) -> Result<String, Problem> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.len() <= 120
            && !name.starts_with('.')
            && name.chars().all(|c| c.is_alphanumeric() || "-_. ".contains(c))
    };
    if path.len() <= 400 && path.split('/').count() <= 4 && path.split('/').all(is_name) {
        return Ok(path.to_owned());
    }
    let shown: String = path.chars().take(120).collect();
    Err(Problem::new(
        ErrorCode::InvalidConfig,
        format!("{shown:?} is no path of a file in the session's folder"),
    ))
}
