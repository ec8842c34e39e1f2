//! What stages of agents may call: granted once for an agent, a source and a list of tools, before a run begins.

use std::collections::{BTreeMap, BTreeSet};

use access::DecisionRequest;
use domain::agent::stages_digest;
use domain::{AgentStages, Covers, ErrorCode, Mode, Problem, Ruling};
use engine::turn::StageCall;
use protocol::StageAccess;
use source_tools::declared;
use support::now_ms;
use workspace::{Agent, SourceConfig};

use crate::authorize::{Caller, asked, refused};
use crate::{Gate, Permissions};

impl Gate {
    /// Decides on a call that a stage makes by itself.
    ///
    /// # Errors
    /// `Permission`: it is not allowed, with the reason and what the person can do.
    pub async fn allow_call(&self, call: &StageCall) -> Result<(), Problem> {
        let workspace = self.workspace_of(&call.session.0).await?;
        let sources = self.sources().in_workspace(&workspace);
        let claim = sources.claim(&call.source, &call.tool, &call.arguments).await?;
        let ruling = self.authorize(Caller::Stage(call), &claim).await?;
        let what = format!("{}/{}, called by the stage {},", call.source, call.tool, call.stage);
        refused(&what, &ruling).map_or(Ok(()), Err)
    }

    /// The sources of an agent with the tools that its stages call and would be asked for, and whether that is granted.
    pub async fn stage_access(
        &self,
        workspace: &str,
        agent: &Agent,
        sources: &[SourceConfig],
    ) -> Result<Vec<StageAccess>, Problem> {
        let decisions = &self.runtime().await?.decisions;
        let declared = declared(&agent.config);
        let own = stages_of(agent);
        let grants = decisions.grants("", now_ms()).await?;
        let tools_of = self.sources().in_workspace(workspace);
        let nobody = crate::authorize::nobody();
        let mut wanted = Vec::new();
        for source in sources {
            let mut tools = Vec::new();
            for tool in declared.get(&source.slug).into_iter().flatten() {
                // A source that is not there is told of elsewhere.
                let Ok(claim) = tools_of.claim_of_tool(&source.slug, tool).await else { continue };
                let context = DecisionRequest { workspace, mode: Mode::Ask, ..asked(&nobody) };
                if matches!(decisions.decide(context, &claim).await?, Ruling::Ask { .. }) {
                    tools.push(tool.clone());
                }
            }
            if tools.is_empty() {
                continue;
            }
            let granted: BTreeSet<&String> = grants
                .iter()
                .filter(|grant| grant.source == source.slug)
                .filter(|grant| grant.workspace.as_deref().is_none_or(|own| own == access::named(workspace)))
                .filter_map(|grant| {
                    let Covers::Stages { agent: of, tools, digest } = &grant.covers else { return None };
                    // One that was given to other stages under the same name covers none of these.
                    (of == own.agent && *digest == Some(own.digest)).then_some(tools)
                })
                .flatten()
                .collect();
            let granted = tools.iter().all(|tool| granted.contains(tool));
            wanted.push(StageAccess {
                source: source.slug.clone(),
                name: source.name.clone(),
                tools,
                granted,
            });
        }
        Ok(wanted)
    }
}

impl Permissions {
    /// What the stages of an agent call that has to be allowed.
    pub async fn permission_stages(&self, agent: &str) -> Result<Vec<StageAccess>, Problem> {
        let (agent, sources) = self.agent_sources(agent)?;
        self.gate.stage_access(self.env.slug(), &agent, &sources).await
    }

    /// Grants it.
    pub async fn permission_allow(&self, agent: &str) -> Result<Vec<StageAccess>, Problem> {
        let (agent, sources) = self.agent_sources(agent)?;
        let mut wanted = self.gate.stage_access(self.env.slug(), &agent, &sources).await?;
        let decisions = &self.gate.runtime().await?.decisions;
        for one in wanted.iter_mut().filter(|one| !one.granted) {
            decisions
                .grant_stages(self.env.slug(), stages_of(&agent), &one.source, one.tools.clone())
                .await?;
            one.granted = true;
        }
        Ok(wanted)
    }

    /// That everything is granted that a run of an agent would call.
    ///
    /// # Errors
    /// `Permission`: something is not, with its name and what the person can do.
    pub async fn stages_granted(
        &self,
        agent: &Agent,
        sources: &[SourceConfig],
        mode: Mode,
    ) -> Result<(), Problem> {
        if mode == Mode::AllowAll {
            return Ok(());
        }
        let wanted = self.gate.stage_access(self.env.slug(), agent, sources).await?;
        let missing: BTreeMap<String, Vec<String>> =
            wanted.into_iter().filter(|one| !one.granted).map(|one| (one.source, one.tools)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let words: Vec<String> =
            missing.iter().map(|(source, tools)| format!("{} of {source}", tools.join(", "))).collect();
        let slug = &agent.config.slug.0;
        Err(Problem::new(
            ErrorCode::Permission,
            format!(
                "the stages of {slug} call {}, which you have not allowed yet, or allowed when its stages were others",
                words.join("; ")
            ),
        )
        .with_action(format!("allow it once: `agentnative permissions allow {slug}`")))
    }

    fn agent_sources(&self, agent: &str) -> Result<(Agent, Vec<SourceConfig>), Problem> {
        let workspace = self.env.files();
        let agent = workspace.agent(agent).map_err(|error| error.problem())?;
        let sources = agent.config.sources.iter().map(|source| workspace.source(&source.slug));
        let sources = sources.collect::<Result<Vec<_>, _>>().map_err(|error| error.problem())?;
        Ok((agent, sources))
    }
}

/// An agent's stages as grants name them.
fn stages_of(agent: &Agent) -> AgentStages<'_> {
    let digest = stages_digest(&agent.config, &agent.prompts, &agent.data);
    AgentStages { agent: &agent.config.slug.0, digest }
}
