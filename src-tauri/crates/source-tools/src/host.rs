//! Sources of staged runs: the same pool, approvals and secrets as those of conversations, called by stages instead of
//! by a model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ::sources::openapi::Operation;
use ::sources::{CallLimits, Lease};
use async_trait::async_trait;
use domain::agent::AgentConfig;
use domain::{CallEffect, ErrorCode, Problem};
use engine::{Corpus, HostFactory, Pinned, ToolFailure, ToolHost, WebSearchUse};
use futures_util::future::{BoxFuture, join_all};
use parking_lot::Mutex;
use serde_json::Value;
use support::blocking;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tools::Run;
use workspace::{SourceConfig, SourceType};

use super::failures::{self, Phase, named};
use super::mcp::NotLeased;
use super::{Entry, Inner, SourceTools, folder_of, not_approved, rest_tool, secrets, stdio};

/// Names that are listed beside one that is not known.
const SHOWN: usize = 20;

/// The tools of an agent's sources that its stages call, by source.
pub fn declared(config: &AgentConfig) -> BTreeMap<String, BTreeSet<String>> {
    let mut tools: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let steps = config.control_flow.stages.iter().flat_map(|stage| &stage.steps);
    for (source, tool) in steps.filter_map(|step| step.tool.split_once('/')) {
        tools.entry(source.to_owned()).or_default().insert(tool.to_owned());
    }
    tools
}

impl HostFactory for SourceTools {
    fn web_search(&self) -> BoxFuture<'_, WebSearchUse> {
        Box::pin(self.searches_web())
    }

    fn undecided_hosts(&self, since: i64) -> BoxFuture<'_, Vec<String>> {
        Box::pin(self.waiting_since(since))
    }

    fn host(&self, pinned: &Pinned) -> Arc<dyn ToolHost> {
        let mut tools = declared(&pinned.config);
        let sources = pinned.sources.iter().map(|(slug, config)| {
            let mut config = config.clone();
            config.owner.clone_from(&pinned.workspace);
            let source = RunSource {
                config,
                tools: tools.remove(slug).unwrap_or_default(),
                held: Mutex::default(),
                operations: OnceCell::new(),
            };
            (slug.clone(), source)
        });
        Arc::new(RunSources {
            inner: self.in_workspace(&pinned.workspace).inner.clone(),
            bases: pinned.bases().cloned().collect(),
            sources: sources.collect(),
        })
    }
}

impl SourceTools {
    /// Says what a new run of an agent could not do without: a required source that is switched off, not approved, or
    /// lacks its secret or sign-in. Fits the agent's steps to the sources that they call.
    ///
    /// # Errors
    /// The first of them, with its remedy. Nothing was started or asked.
    pub async fn startable(&self, config: &mut AgentConfig, sources: &[SourceConfig]) -> Result<(), Problem> {
        let tools = declared(config);
        let none = BTreeSet::new();
        for source in sources {
            let required = config.sources.iter().any(|used| used.slug == source.slug && used.required);
            let found = self.inner.at_hand(source, tools.get(&source.slug).unwrap_or(&none)).await;
            let found = match found {
                Err(problem) if required => return Err(named(&source.slug, problem)),
                Err(_) => None,
                Ok(found) => Some(found),
            };
            self.fit(config, source, required, found.as_ref()).await;
        }
        Ok(())
    }

    /// A step over an optional source is a warning where it fails, and one that changes something is not repeated.
    async fn fit(
        &self,
        config: &mut AgentConfig,
        source: &SourceConfig,
        required: bool,
        found: Option<&Entry>,
    ) {
        let operations = match (source.kind, found) {
            (SourceType::Api, Some(entry)) => self.inner.operations(entry).await.unwrap_or_default(),
            _ => BTreeMap::new(),
        };
        let hints: BTreeMap<String, domain::Hints> = found
            .filter(|entry| !entry.approval.shipped)
            .map(|entry| entry.approval.tools())
            .into_iter()
            .flatten()
            .map(|tool| (tool.name, tool.definition.hints))
            .collect();
        let steps = config.control_flow.stages.iter_mut().flat_map(|stage| &mut stage.steps);
        for step in steps {
            let Some((_, tool)) = step.tool.split_once('/').filter(|(slug, _)| *slug == source.slug) else {
                continue;
            };
            step.optional |= !required;
            let repeatable = match source.kind {
                SourceType::Local => true,
                SourceType::Api if tool == rest_tool::REQUEST => {
                    step.args.get("method").and_then(Value::as_str).is_some_and(repeatable)
                }
                SourceType::Api => {
                    operations.get(tool).is_some_and(|operation| repeatable(&operation.method))
                }
                SourceType::Mcp => hints.get(tool).is_none_or(|hints| {
                    hints.idempotent == Some(true)
                        || (hints.read_only != Some(false) && hints.destructive != Some(true))
                }),
            };
            step.idempotent &= repeatable;
        }
    }
}

/// Whether a method does no more harm the second time (RFC 9110, 9.2.2).
fn repeatable(method: &str) -> bool {
    let method = method.trim().to_ascii_uppercase();
    matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS" | "PUT" | "DELETE")
}

impl Inner {
    /// A source as a run pinned it, where it is still the person's and everything is there that it needs. Starts nothing.
    async fn at_hand(&self, pinned: &SourceConfig, tools: &BTreeSet<String>) -> Result<Entry, Problem> {
        let now = self.entry(&pinned.slug).await?;
        let same =
            now.config.approval() == pinned.approval() || (now.approval.shipped && stdio::is_self(pinned));
        if !same {
            return Err(Problem::new(
                ErrorCode::InvalidConfig,
                "what it runs or reaches is not what it was when the run began",
            )
            .with_action("start a new run, or change it back"));
        }
        let config = SourceConfig { owner: now.config.owner.clone(), ..pinned.clone() };
        let entry = Entry { config, approval: now.approval };
        entry.check()?;
        if entry.config.kind == SourceType::Mcp && !entry.approval.shipped {
            if !entry.approval.listed {
                return Err(not_approved("its tools have not been approved yet"));
            }
            let approved: BTreeSet<String> =
                entry.approval.tools().into_iter().map(|tool| tool.name).collect();
            if let Some(tool) = tools.iter().find(|tool| !approved.contains(*tool)) {
                return Err(not_approved(&format!(
                    "its tool {tool} has not been approved; approved are {}",
                    listed(&approved)
                )));
            }
        }
        self.check_secrets(&entry.config).await?;
        if entry.config.signs_in() {
            let (vault, config) = (self.vault.clone(), entry.config.clone());
            blocking(move || secrets::check_sign_in(&vault, &config)).await?;
        }
        if entry.config.kind == SourceType::Local {
            folder_of(&entry.config)?;
        }
        Ok(entry)
    }

    /// Operations of an interface that are as they were approved, by name.
    pub async fn operations(&self, entry: &Entry) -> Result<BTreeMap<String, Operation>, Problem> {
        let Some(interface) = self.interface(&entry.config).await? else { return Ok(BTreeMap::new()) };
        let listed = rest_tool::listed(&interface.operations);
        let approved = |name: &str, fingerprint: &str| {
            entry.approval.shipped || entry.approval.of_tool(name, fingerprint).is_empty()
        };
        let pairs = interface.operations.into_iter().zip(listed);
        let pairs = pairs.filter(|(_, listed)| approved(&listed.name, &listed.fingerprint));
        Ok(pairs.map(|(operation, listed)| (listed.name, operation)).collect())
    }
}

/// The sources of one run.
struct RunSources {
    inner: Arc<Inner>,
    /// The knowledge bases that servers are started for: the run's own last.
    bases: Vec<Corpus>,
    sources: BTreeMap<String, RunSource>,
}

/// A source in use by a run.
struct RunSource {
    config: SourceConfig,
    /// Those of its tools that stages call.
    tools: BTreeSet<String>,
    /// Keeps its server running for as long as the run goes on.
    held: Mutex<Option<Arc<Lease>>>,
    operations: OnceCell<BTreeMap<String, Operation>>,
}

#[async_trait]
impl ToolHost for RunSources {
    async fn prepare(&self, slugs: &[String]) -> BTreeMap<String, Problem> {
        let ready = slugs.iter().map(|slug| async move {
            let mut outcome = self.ready(slug).await;
            if outcome.as_ref().is_err_and(|failure| failure.retryable) {
                outcome = self.ready(slug).await;
            }
            (slug.clone(), outcome)
        });
        let failed = join_all(ready).await.into_iter();
        failed.filter_map(|(slug, outcome)| Some((slug, outcome.err()?.problem))).collect()
    }

    async fn call(
        &self,
        source: &str,
        tool: &str,
        args: Value,
        deadline: Duration,
        cancel: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let used = self.used(source)?;
        let entry = self.at_hand(used).await?;
        self.inner.used(source);
        let args = self.inner.arguments(&entry, tool, args).await;
        let stop = cancel.child_token();
        let _guard = stop.clone().drop_guard();
        let called = async {
            match entry.config.kind {
                SourceType::Mcp => self.call_server(used, &entry, tool, args, deadline, stop).await,
                SourceType::Api => self.call_interface(used, &entry, tool, &args, stop).await,
                SourceType::Local => self.call_folder(&entry, tool, &args, stop).await,
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(failures::broken_off(named(
                source,
                Problem::new(ErrorCode::Cancelled, format!("the call of {tool} was stopped")),
            ))),
            called = called => called,
            () = tokio::time::sleep(deadline) => Err(failures::broken_off(named(
                source,
                Problem::new(ErrorCode::Deadline, format!("{tool} gave no answer within {} s", deadline.as_secs()))
                    .with_action("retry the run, or raise the stage's deadlineSeconds"),
            ))),
        }
    }

    async fn close(&self) {
        for used in self.sources.values() {
            used.hold(None);
        }
    }
}

impl RunSources {
    fn used(&self, slug: &str) -> Result<&RunSource, ToolFailure> {
        self.sources.get(slug).ok_or_else(|| {
            let message = format!("the agent's configuration does not list source {slug}");
            failures::lasting(Problem::new(ErrorCode::InvalidConfig, message))
        })
    }

    async fn at_hand(&self, used: &RunSource) -> Result<Entry, ToolFailure> {
        let found = self.inner.at_hand(&used.config, &used.tools).await;
        found.map_err(|problem| failures::lasting(named(&used.config.slug, problem)))
    }

    /// Starts a server, asks an interface what it is to be tested with, looks into a folder.
    async fn ready(&self, slug: &str) -> Result<(), ToolFailure> {
        let used = self.used(slug)?;
        let entry = self.at_hand(used).await?;
        match entry.config.kind {
            SourceType::Mcp => {
                let lease = self.lease(used, &entry).await?;
                used.tools.iter().try_for_each(|tool| self.as_approved(&entry, &lease, tool))
            }
            SourceType::Api => {
                let operations = self.operations(used, &entry).await?;
                let known = |tool: &&String| *tool == rest_tool::REQUEST || operations.contains_key(*tool);
                if let Some(tool) = used.tools.iter().find(|tool| !known(tool)) {
                    return Err(failures::lasting(named(slug, no_operation(tool, operations))));
                }
                self.inner.ask_for_test(&entry.config).await
            }
            SourceType::Local => {
                let folder = folder_of(&entry.config);
                let folder = folder.map_err(|problem| failures::lasting(named(slug, problem)))?;
                blocking(move || {
                    std::fs::read_dir(&folder).map(drop).map_err(|error| {
                        let words = format!("{} can't be read: {error}", folder.display());
                        Problem::new(ErrorCode::Source, words).with_action("check its permissions")
                    })
                })
                .await
                .map_err(|problem| failures::lasting(named(slug, problem)))
            }
        }
    }

    /// A source's server, started for the run's knowledge base where it is for one, and held until the run ends.
    async fn lease(&self, used: &RunSource, entry: &Entry) -> Result<Arc<Lease>, ToolFailure> {
        let leased = self.inner.leased(&entry.config, &self.bases).await;
        let lease = leased.map_err(|failed| match failed {
            NotLeased::Unprepared(problem) => failures::lasting(named(&entry.config.slug, problem)),
            NotLeased::Failed(error) => failures::of_server(&error, Phase::Starting),
        })?;
        let lease = Arc::new(lease);
        used.hold(Some(lease.clone()));
        Ok(lease)
    }

    /// That a server's tool is what was approved: its description and schemas, too.
    fn as_approved(&self, entry: &Entry, lease: &Lease, tool: &str) -> Result<(), ToolFailure> {
        let slug = &entry.config.slug;
        let table = lease.tools();
        let Some(live) = table.get(tool) else {
            let there: BTreeSet<String> = table.keys().cloned().collect();
            let what = format!("it has no tool {tool}; it has {}", listed(&there));
            let problem = Problem::new(ErrorCode::Source, what)
                .with_action("correct the agent's steps, or look at the source on the Sources page");
            return Err(failures::lasting(named(slug, problem)));
        };
        let refusal = entry.approval.refusal_of(tool, &live.fingerprint);
        let Some(why) = refusal.filter(|_| !entry.approval.shipped) else { return Ok(()) };
        self.inner.note_changed(entry, tool, &live.fingerprint);
        let what = format!("its tool {tool} {why}");
        Err(failures::lasting(named(slug, not_approved(&what))))
    }

    async fn call_server(
        &self,
        used: &RunSource,
        entry: &Entry,
        tool: &str,
        args: Value,
        deadline: Duration,
        cancel: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let lease = self.lease(used, entry).await?;
        self.as_approved(entry, &lease, tool)?;
        let own = lease.config().call_limits();
        let limits = CallLimits { idle: own.idle.min(deadline), total: own.total.min(deadline), cancel };
        match lease.call(tool, args, limits).await {
            Ok(outcome) => Ok(outcome.value),
            Err(error) => {
                self.inner.failed(&entry.config.slug, &error);
                Err(failures::of_server(&error, Phase::Calling))
            }
        }
    }

    async fn operations<'a>(
        &self,
        used: &'a RunSource,
        entry: &Entry,
    ) -> Result<&'a BTreeMap<String, Operation>, ToolFailure> {
        let read = used.operations.get_or_try_init(|| self.inner.operations(entry)).await;
        read.map_err(|problem| failures::lasting(named(&entry.config.slug, problem)))
    }

    async fn call_interface(
        &self,
        used: &RunSource,
        entry: &Entry,
        tool: &str,
        args: &Value,
        cancel: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let slug = &entry.config.slug;
        let request = if tool == rest_tool::REQUEST {
            rest_tool::request_of(args)
        } else {
            let operations = self.operations(used, entry).await?;
            match operations.get(tool) {
                Some(operation) => operation.request(args),
                None => return Err(failures::lasting(named(slug, no_operation(tool, operations)))),
            }
        };
        let request = request.map_err(|why| {
            let problem = Problem::new(ErrorCode::InvalidInput, format!("{tool}: {why}"))
                .with_action("correct the arguments of the agent's step");
            failures::lasting(named(slug, problem))
        })?;
        let answer = self.inner.asked(&entry.config, &request, &cancel).await;
        answer.map(failures::value_of_answer)
    }

    async fn call_folder(
        &self,
        entry: &Entry,
        tool: &str,
        args: &Value,
        cancel: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let slug = &entry.config.slug;
        let folder = folder_of(&entry.config);
        let folder = folder.map_err(|problem| failures::lasting(named(slug, problem)))?;
        let hidden = self.inner.hidden();
        let offered = tools::of_folder(slug, folder, true, Some(hidden.clone()));
        let Some(found) = offered.iter().find(|offered| offered.info().tool == tool) else {
            let there = offered.iter().map(|offered| offered.info().tool.clone()).collect();
            let what = format!("it has no tool {tool}; it has {}", listed(&there));
            return Err(failures::lasting(named(slug, Problem::new(ErrorCode::InvalidConfig, what))));
        };
        let at = self.inner.call_context(slug);
        let planned = found.plan(args, &at).await.map_err(|error| failures::of_tool(slug, &error))?;
        if let CallEffect::Read { path } = planned.effect {
            let asked = at.clone();
            let barred = blocking(move || Ok(hidden(&asked, path.as_ref()))).await;
            if barred.map_err(failures::lasting)? {
                let problem =
                    Problem::new(ErrorCode::Source, "a rule of yours keeps this file from being read")
                        .with_action("look at the rules on the Permissions page");
                return Err(failures::lasting(named(slug, problem)));
            }
        }
        let run = Run { cancel, confined: domain::Walls::Open, report: Arc::new(|_| {}) };
        let outcome = found.run(args, &at, run).await.map_err(|error| failures::of_tool(slug, &error))?;
        Ok(failures::value_of(outcome))
    }
}

impl RunSource {
    fn hold(&self, lease: Option<Arc<Lease>>) {
        *self.held.lock() = lease;
    }
}

fn no_operation(tool: &str, operations: &BTreeMap<String, Operation>) -> Problem {
    let there: BTreeSet<String> = operations.keys().cloned().chain([rest_tool::REQUEST.to_owned()]).collect();
    let what = format!("it has no approved operation {tool}; it has {}", listed(&there));
    Problem::new(ErrorCode::InvalidConfig, what)
        .with_action("look at its OpenAPI document on the Sources page and approve it")
}

fn listed(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<&str> = names.iter().map(String::as_str).take(SHOWN).collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_methods_that_may_be_repeated_are() {
        for (method, expected) in
            [("GET", true), ("get", true), ("PUT", true), ("POST", false), ("{{ m }}", false), ("", false)]
        {
            assert_eq!(repeatable(method), expected, "{method}");
        }
    }
}
