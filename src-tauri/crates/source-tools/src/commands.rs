//! Sources as surfaces see them, and their trials.

use std::collections::BTreeSet;
use std::time::Instant;

use domain::Problem;
use protocol::{
    OmittedTool, SecretUse, SourceRow, SourceRowKind, SourceStatus, SourceTest, SourceView, ToolRow,
};
use serde_json::{Value, json};
use sources::UnusableTool;
use support::{blocking, clipped};
use workspace::{Origin, SourceConfig, SourceEntry, SourceType, Workspace, secret_names};

use crate::secret_input::{signed_in, wanted};
use crate::{Approval, ApprovalState, ListedTool, SourceTools, Sources, State};

/// The longest description of a tool, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 4_000;
/// The largest list of tools that is shown, in bytes of their schemas.
const MAX_SCHEMAS_BYTES: usize = 2 << 20;
/// Tools that can't be used of which a list of sources tells.
const LEFT_OUT: usize = 3;
/// The longest reason in a list, in bytes.
const MAX_DETAIL_BYTES: usize = 500;

/// Where values stand that may be secrets.
pub const VALUES: [&str; 3] = ["/mcp/env", "/mcp/headers", "/api/defaultHeaders"];
/// What stands in place of such a value.
pub const NOT_SHOWN: &str = "(not shown)";

/// What the files say of a source, and what only the disk and the vault know.
struct SourceFacts {
    entry: SourceEntry,
    off: bool,
    secrets: Vec<SecretUse>,
    signed_in: bool,
    locked: bool,
}

impl Sources {
    /// Lists sources.
    pub async fn source_list(&self) -> Result<Vec<SourceRow>, Problem> {
        let (found, users) = self.found(None).await?;
        let mut rows = Vec::with_capacity(found.len());
        for found in found {
            rows.push(self.row(&users, &found).await?.0);
        }
        Ok(rows)
    }

    /// A source.
    pub async fn source_show(&self, slug: String) -> Result<SourceView, Problem> {
        let (found, users) = self.found(Some(slug.clone())).await?;
        let Some(found) = found.into_iter().next() else {
            return Err(Problem::new(domain::ErrorCode::NotFound, format!("there is no source {slug}")));
        };
        let (source, approval) = self.row(&users, &found).await?;
        let state = self.tools.state(&slug);
        let tools = match &approval {
            Some(approval) => {
                tool_rows(&state.listed.clone().unwrap_or_else(|| approval.tools()), Some(approval))
            }
            None => Vec::new(),
        };
        let workspace = self.env.files();
        let config = found.entry.source.as_ref().map_or(Value::Null, without_secrets);
        blocking(move || {
            Ok(SourceView {
                source,
                guide: workspace.source_guide(&slug).unwrap_or_default(),
                config,
                folder: workspace.root().join("sources").join(&slug).display().to_string(),
                tools,
                left_out: state.left_out.iter().map(left_out_row).collect(),
                reaches: found.entry.source.as_ref().map(SourceConfig::reaches).unwrap_or_default(),
                reach: found
                    .entry
                    .source
                    .as_ref()
                    .map(|source| source.approval().to_string())
                    .unwrap_or_default(),
                approved: approval.as_ref().is_some_and(Approval::is_given),
                signs_in: found.entry.source.as_ref().is_ok_and(SourceConfig::signs_in),
                signed_in: found.signed_in,
                secrets: found.secrets,
            })
        })
        .await
    }

    /// Starts a source, lists its tools and ends it again. `approve`: the digest of what it runs or reaches, as the person
    /// saw it; that is approved first.
    pub async fn source_test(&self, slug: String, approve: Option<String>) -> Result<SourceTest, Problem> {
        let (found, _) = self.found(Some(slug.clone())).await?;
        let config = match found.into_iter().next().map(|found| (found.off, found.entry.source)) {
            Some((_, Ok(config))) => config,
            Some((_, Err(_))) | None => {
                let files = self.env.files();
                blocking(move || files.source(&slug).map_err(|error| error.problem())).await?
            }
        };
        let _trial = self.trial().await?;
        let tools = self.tools.clone();
        let own = self.owns(&config.slug).await?;
        if let Some(seen) = approve.filter(|_| own) {
            if seen != config.approval().to_string() {
                return Err(Problem::new(
                    domain::ErrorCode::InvalidInput,
                    format!(
                        "{} has changed since you looked at it: it leads to {}",
                        config.slug,
                        config.reaches()
                    ),
                )
                .with_action("look at it again before you approve it"));
            }
            tools.approve_whole(&config).await?;
            self.env.stream.tell(&[protocol::Tag::Sources]);
        }
        let approval = tools.approval(&config, own).await?;
        let entry = crate::Entry { config, approval };
        let begun = Instant::now();
        let tried = tools.try_out(&entry).await;
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(match tried {
            Ok(trial) => SourceTest {
                ok: true,
                ms,
                server: trial.server,
                tools: tool_rows(&trial.tools, Some(&entry.approval)),
                left_out: trial.left_out.iter().map(left_out_row).collect(),
                problem: None,
                log: trial.log,
            },
            Err(failed) => SourceTest {
                ok: false,
                ms,
                server: String::new(),
                tools: Vec::new(),
                left_out: Vec::new(),
                problem: Some(failed.problem),
                log: failed.log,
            },
        })
    }

    /// Room for a trial start.
    pub async fn trial(&self) -> Result<tokio::sync::SemaphorePermit<'_>, Problem> {
        self.trials.acquire().await.map_err(|error| {
            Problem::new(domain::ErrorCode::Internal, format!("no trial can be made: {error}"))
        })
    }

    /// Whether the person's own version of a source is used.
    pub async fn owns(&self, slug: &str) -> Result<bool, Problem> {
        let (files, slug) = (self.env.files(), slug.to_owned());
        blocking(move || Ok(crate::is_own(&files, &slug))).await
    }

    /// All sources, or the one that is asked for; and the agents that use them.
    async fn found(
        &self,
        only: Option<String>,
    ) -> Result<(Vec<SourceFacts>, Vec<(String, String)>), Problem> {
        let (workspace, vault) = (self.env.files(), self.registry.vault().clone());
        blocking(move || {
            let off: BTreeSet<String> = SourceTools::off(&workspace);
            let mut entries = workspace.sources();
            if let Some(slug) = &only {
                entries.retain(|entry| entry.slug == *slug);
                if entries.is_empty() {
                    // Asking for it by name says what there is instead.
                    workspace.source(slug).map_err(|error| error.problem())?;
                }
            }
            let uses = |entry: &SourceEntry| {
                entry.source.as_ref().is_ok_and(|source| !source.secrets().is_empty() || source.signs_in())
            };
            let locked = entries.iter().any(uses)
                && vault.path().exists()
                && matches!(vault.list(), Err(secrets::VaultError::Locked));
            let found = entries.into_iter().map(|entry| SourceFacts {
                off: off.contains(&entry.slug),
                secrets: entry.source.as_ref().map(|source| wanted(&vault, source)).unwrap_or_default(),
                signed_in: entry.source.as_ref().is_ok_and(|source| signed_in(&vault, source)),
                locked: locked && uses(&entry),
                entry,
            });
            Ok((found.collect(), users(&workspace)))
        })
        .await
    }

    async fn row(
        &self,
        users: &[(String, String)],
        found: &SourceFacts,
    ) -> Result<(SourceRow, Option<Approval>), Problem> {
        let SourceFacts { entry, off, .. } = found;
        let used_by = users
            .iter()
            .filter(|(source, _)| *source == entry.slug)
            .map(|(_, agent)| agent.clone())
            .collect();
        let shipped = entry.origin == Origin::Shipped;
        let mut row = SourceRow {
            slug: entry.slug.clone(),
            name: entry.slug.clone(),
            description: String::new(),
            kind: SourceRowKind::Unread,
            icon: None,
            used_by,
            shipped,
            enabled: !off,
            status: SourceStatus::Broken,
            status_detail: String::new(),
            tools: 0,
            changed_tools: Vec::new(),
            problems: Vec::new(),
        };
        let config = match &entry.source {
            Ok(config) => config,
            Err(found) => {
                row.problems = environment::file_problems(found);
                return Ok((row, None));
            }
        };
        let tools = self.tools.clone();
        let approval = tools.approval(config, !shipped).await?;
        let state = tools.state(&entry.slug);
        row.name.clone_from(&config.name);
        row.description.clone_from(&config.description);
        row.kind = config.kind.into();
        row.icon.clone_from(&config.icon);
        row.tools = u32::try_from(approval.count()).unwrap_or(u32::MAX);
        row.changed_tools.clone_from(&state.changed);
        let detail;
        (row.status, detail) = status(config, &approval, &state, found);
        row.status_detail = clipped(&detail, MAX_DETAIL_BYTES);
        Ok((row, Some(approval)))
    }
}

/// The first thing that keeps a source from being used, else what it does now.
fn status(
    config: &SourceConfig,
    approval: &Approval,
    state: &State,
    found: &SourceFacts,
) -> (SourceStatus, String) {
    if found.off {
        return (SourceStatus::Off, String::new());
    }
    let reaches = config.reaches();
    match approval.standing {
        ApprovalState::New => return (SourceStatus::NeedsApproval, format!("nobody has approved {reaches}")),
        ApprovalState::Changed => {
            return (SourceStatus::NeedsApproval, format!("{reaches} is not what was approved"));
        }
        ApprovalState::Approved { .. }
            if config.kind == SourceType::Mcp && !approval.listed && !approval.shipped =>
        {
            return (SourceStatus::NeedsApproval, "nobody has approved its tools".to_owned());
        }
        ApprovalState::Approved { .. } if !state.changed.is_empty() => {
            return (
                SourceStatus::NeedsApproval,
                format!("tools have changed: {}", state.changed.join(", ")),
            );
        }
        ApprovalState::Approved { .. } => {}
    }
    if found.locked {
        return (SourceStatus::NeedsAuth, "the vault is locked".to_owned());
    }
    let named = |wanted: fn(&SecretUse) -> bool| {
        let secrets = found.secrets.iter().filter(|secret| !secret.optional && wanted(secret));
        secrets.map(|secret| secret.label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let missing = named(|secret| !secret.present);
    if !missing.is_empty() {
        return (SourceStatus::NeedsAuth, format!("missing: {missing}"));
    }
    let unbound = named(|secret| secret.unbound);
    if !unbound.is_empty() {
        return (SourceStatus::NeedsAuth, format!("stored, but not given for {reaches}: {unbound}"));
    }
    if config.signs_in() && !found.signed_in {
        return (SourceStatus::NeedsAuth, "nobody is signed in".to_owned());
    }
    let detail = match &state.problem {
        Some(problem) => problem.message.clone(),
        None => left_out(&state.left_out),
    };
    (state.status, detail)
}

/// Which tools can't be used, in one sentence.
fn left_out(bad: &[UnusableTool]) -> String {
    let shown = bad.iter().take(LEFT_OUT).map(ToString::to_string).collect::<Vec<_>>().join("; ");
    match bad.len() {
        0 => String::new(),
        1 => format!("a tool is left out: {shown}"),
        many if many <= LEFT_OUT => format!("{many} tools are left out: {shown}"),
        many => format!("{many} tools are left out: {shown}; …"),
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

/// Values of variables and headers are the place for secrets: references to stored ones are shown, everything else of them
/// that may be one is not.
fn without_secrets(source: &SourceConfig) -> Value {
    let mut config = serde_json::to_value(source).unwrap_or_default();
    for place in VALUES {
        let values = config.pointer_mut(place).and_then(Value::as_object_mut);
        for value in values.into_iter().flat_map(|values| values.values_mut()) {
            let text = value.as_str().unwrap_or_default();
            // A header's value has been checked for secrets; a variable's may be one in a form that nobody knows.
            let stored = text.starts_with("${secret:") && text.ends_with('}');
            if !stored && (place == "/mcp/env" || secret_names(text).is_empty() && text.len() > 200) {
                *value = json!(NOT_SHOWN);
            }
        }
    }
    config
}

/// Tools with how they stand to what was approved.
pub fn tool_rows(tools: &[ListedTool], approval: Option<&Approval>) -> Vec<ToolRow> {
    let mut bytes = 0;
    let shipped = approval.is_none_or(|approval| approval.shipped);
    let row = |tool: &ListedTool| {
        let definition = &tool.definition;
        bytes += serde_json::to_vec(&definition.input).map_or(0, |schema| schema.len());
        let stands = match approval {
            Some(approval) if !shipped => approval.of_tool(&tool.name, &tool.fingerprint),
            Some(_) | None => "",
        };
        ToolRow {
            name: tool.name.clone(),
            description: clipped(&definition.description, MAX_DESCRIPTION_BYTES),
            read_only: definition.hints.read_only.unwrap_or(false),
            input: if bytes <= MAX_SCHEMAS_BYTES { definition.input.clone() } else { Value::Null },
            approval: stands.to_owned(),
            approved: match (stands, approval) {
                ("changed", Some(approval)) => approval.approved(&tool.name),
                _ => None,
            },
        }
    };
    tools.iter().map(row).collect()
}

fn left_out_row(bad: &UnusableTool) -> OmittedTool {
    OmittedTool { tool: bad.tool.clone(), reason: bad.reason.clone() }
}
