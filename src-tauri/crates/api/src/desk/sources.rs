//! Sources as surfaces see them, and their trial starts.

use std::time::{Duration, Instant};

use domain::{ErrorCode, Problem};
use engine::{Corpus, SourceHosts};
use serde_json::{Value, json};
use sources::{Source, SourceErrorKind};
use workspace::{Origin, SourceConfig, SourceEntry, Workspace, shipped_corpora};

use super::text::clipped;
use super::{agents, aside};
use crate::corpus;
use crate::local::Local;
use crate::wire::{SourceRow, SourceTest, SourceView, ToolRow};

/// The longest trial start, whatever the source's configuration allows.
const LONGEST_TRIAL: Duration = Duration::from_secs(60);
/// The longest description of a tool, in bytes.
const DESCRIPTION: usize = 4_000;
/// The largest list of tools that is shown, in bytes of their schemas.
const SCHEMAS: usize = 2 << 20;

impl Local {
    pub(crate) async fn source_list(&self) -> Result<Vec<SourceRow>, Problem> {
        let home = self.home.clone();
        aside(move || {
            let workspace = Workspace::open(&home);
            let users = users(&workspace);
            Ok(workspace.sources().iter().map(|entry| row(&users, entry)).collect())
        })
        .await
    }

    pub(super) async fn source_show(&self, slug: String) -> Result<SourceView, Problem> {
        let home = self.home.clone();
        aside(move || {
            let workspace = Workspace::open(&home);
            let Some(entry) = workspace.sources().into_iter().find(|entry| entry.slug == slug) else {
                // Asking for it by name says what there is instead.
                let error = workspace.source(&slug).err();
                return Err(error.map_or_else(
                    || Problem::new(ErrorCode::NotFound, "no source"),
                    |error| error.problem(),
                ));
            };
            Ok(SourceView {
                source: row(&users(&workspace), &entry),
                guide: workspace.source_guide(&slug).unwrap_or_default(),
                config: entry.source.as_ref().map_or(Value::Null, without_secrets),
                folder: workspace.root().join("sources").join(&slug).display().to_string(),
                tools: Vec::new(),
                secrets: Vec::new(),
            })
        })
        .await
    }

    pub(super) async fn source_test(&self, slug: String) -> Result<SourceTest, Problem> {
        let source = Workspace::open(&self.home).source(&slug).map_err(|error| error.problem())?;
        let _trial =
            self.desk.trials.acquire().await.map_err(|error| {
                Problem::new(ErrorCode::Internal, format!("no trial can be made: {error}"))
            })?;
        let corpus = match corpus::is_named_by(&source) {
            true => Some(self.any_base(&slug).await?),
            false => None,
        };
        let hosts = SourceHosts { home: self.home.clone(), program: self.program.clone() };
        let mut config = hosts.config(corpus.as_ref(), &source)?;
        config.start_timeout = config.start_timeout.min(LONGEST_TRIAL);
        let begun = Instant::now();
        let started = Source::start(config, Some(self.program.clone()), None).await;
        let ms = begun.elapsed().as_millis() as u64;
        let trial = match started {
            Err(error) => {
                let code = match error.kind {
                    SourceErrorKind::StartTimeout { .. } => ErrorCode::Deadline,
                    _ => ErrorCode::Source,
                };
                let mut problem = Problem::new(code, error.kind.to_string())
                    .with_action("check the command in the source's config.json and what it wrote below");
                problem.retryable = error.is_retryable();
                SourceTest {
                    ok: false,
                    ms,
                    server: String::new(),
                    tools: Vec::new(),
                    problem: Some(problem),
                    log: error.stderr_tail,
                }
            }
            Ok(running) => {
                let trial = SourceTest {
                    ok: true,
                    ms,
                    server: running.server().unwrap_or_default(),
                    tools: tools(&running),
                    problem: None,
                    log: running.log(),
                };
                running.close().await;
                trial
            }
        };
        Ok(trial)
    }

    /// A base to start a source with: one that ships with it, else the first there is.
    async fn any_base(&self, slug: &str) -> Result<Corpus, Problem> {
        let (home, slug) = (self.home.clone(), slug.to_owned());
        aside(move || {
            let shipped = shipped_corpora(&slug).into_iter().next().map(|corpus| corpus.base);
            let base = match shipped {
                Some(base) => Some(base),
                None => knowledge::list_bases(&home)
                    .map_err(corpus::problem)?
                    .into_iter()
                    .next()
                    .map(|base| base.name),
            };
            let Some(base) = base else {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    format!("source {slug} is started for a knowledge base, and there is none yet"),
                )
                .with_action("make one from your own files first"));
            };
            corpus::resolve(&home, &base, &[slug])
        })
        .await
    }
}

/// Agents by the source that they use.
fn users(workspace: &Workspace) -> Vec<(String, String)> {
    let entries = workspace.agents();
    let agents = entries.iter().filter_map(|entry| entry.agent.as_ref().ok().map(|agent| (entry, agent)));
    agents
        .flat_map(|(entry, agent)| {
            agent.config.sources.iter().map(|source| (source.slug.clone(), entry.slug.clone()))
        })
        .collect()
}

fn row(users: &[(String, String)], entry: &SourceEntry) -> SourceRow {
    let used_by =
        users.iter().filter(|(source, _)| *source == entry.slug).map(|(_, agent)| agent.clone()).collect();
    let shipped = entry.origin == Origin::Shipped;
    match &entry.source {
        Ok(source) => SourceRow {
            slug: entry.slug.clone(),
            name: source.name.clone(),
            description: source.description.clone(),
            kind: serde_json::to_value(source.kind)
                .ok()
                .and_then(|kind| kind.as_str().map(str::to_owned))
                .unwrap_or_default(),
            used_by,
            shipped,
            enabled: true,
            status: "idle".to_owned(),
            status_detail: String::new(),
            tools: 0,
            changed_tools: Vec::new(),
            problems: Vec::new(),
        },
        Err(found) => SourceRow {
            slug: entry.slug.clone(),
            name: entry.slug.clone(),
            description: String::new(),
            kind: String::new(),
            used_by,
            shipped,
            enabled: true,
            status: "broken".to_owned(),
            status_detail: String::new(),
            tools: 0,
            changed_tools: Vec::new(),
            problems: agents::problems(found),
        },
    }
}

/// Values of variables are the place for secrets: references to stored ones are shown, everything else is not.
fn without_secrets(source: &SourceConfig) -> Value {
    let mut config = serde_json::to_value(source).unwrap_or_default();
    let values = config.pointer_mut("/mcp/env").and_then(Value::as_object_mut);
    for value in values.into_iter().flat_map(|env| env.values_mut()) {
        let stored = value.as_str().is_some_and(|text| text.starts_with("${secret:") && text.ends_with('}'));
        if !stored {
            *value = json!("(not shown)");
        }
    }
    config
}

fn tools(source: &Source) -> Vec<ToolRow> {
    let mut bytes = 0;
    let tools = source.tools();
    tools
        .values()
        .map(|tool| {
            bytes += serde_json::to_vec(&tool.input_schema).map_or(0, |schema| schema.len());
            ToolRow {
                name: tool.name.clone(),
                description: clipped(&tool.description, DESCRIPTION),
                read_only: tool.hints.read_only.unwrap_or(false),
                input: if bytes <= SCHEMAS { tool.input_schema.clone() } else { Value::Null },
                approval: String::new(),
                approved: None,
            }
        })
        .collect()
}
