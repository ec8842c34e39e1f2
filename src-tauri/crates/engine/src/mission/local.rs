//! What the engine does for a mission without paying: the request's parts, the plan, what agents are given, decisions, the
//! graph, the report.

use domain::mission::{AgendaItem, Closing, Findings, ItemId, MissionPause, Settlement};
use domain::{AgentSlug, Problem};
use evidence_graph::{
    CHANGES_VERSION, Change, Changes, Day, ItemKind, Question, ReportRequest, WordedReport, analyse,
    completeness, integrate, many, missing_sections, nearest_section, remarked, remarks, report,
    with_sources, worded,
};
use missions::{
    Action, Additions, Assignment, DecisionAuthor, Effect, Event, InvocationKey, InvocationStatus, Proposal,
    Refusal, RefusedProposal, Role, SplitAuthor,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::driver::MissionDriver;
use super::findings;
use super::user_changes::{self, USER};
use super::view::words_of;
use crate::core::problem::internal;

const PLAN: &str = "plan";
/// Questions of a plan that are taken in.
const MAX_QUESTIONS: usize = 24;

/// The output of the agent that splits a request.
#[derive(Debug, Deserialize)]
struct SplitOutput {
    objective: String,
    #[serde(default)]
    output_specification: Option<String>,
}

/// The output of the agent that plans.
#[derive(Debug, Deserialize)]
struct PlanOutput {
    questions: Vec<PlannedQuestion>,
}

#[derive(Debug, Deserialize)]
struct PlannedQuestion {
    text: String,
    #[serde(default)]
    section: Option<String>,
    #[serde(default = "yes")]
    required: bool,
    #[serde(default)]
    capability: Option<String>,
}

fn yes() -> bool {
    true
}

/// The output of the agent that writes the report.
#[derive(Debug, Deserialize)]
struct ReportOutput {
    markdown: String,
}

/// The output of the agent that settles a contradiction.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CheckOutput {
    settlement: Option<Settlement>,
}

impl MissionDriver {
    /// Performs a local effect.
    pub(super) async fn perform(&mut self, effect: Effect) -> Result<(), Problem> {
        match effect {
            Effect::Split { key } => self.split(key).await,
            Effect::Plan { key } => self.plan(key).await,
            Effect::PlanInvocation { key, role, agent, task } => {
                self.plan_invocation(key, role, agent, task).await
            }
            Effect::CheckProposal { key } => self.check_proposal(key).await,
            Effect::Integrate { key } => self.integrate(key).await,
            Effect::Analyse => self.analyse().await,
            Effect::Score { key } => self.score(key).await,
            Effect::WriteReport => self.write_report().await,
            Effect::FormatPause { pause } => {
                let form = self.form(&pause).await?;
                let form = self.journal.blobs.put_json(&form)?;
                self.journal.push(Event::PauseFormatted { pause, form })
            }
            // It is no local effect.
            Effect::Invoke { .. } => Ok(()),
        }
    }

    /// What a finished invocation gave.
    async fn output<T: serde::de::DeserializeOwned>(&mut self, key: InvocationKey) -> Result<T, Problem> {
        let status = self.journal.state.invocations.get(&key).map(|one| one.status.clone());
        let output = match status {
            Some(InvocationStatus::Finished(output) | InvocationStatus::Settled(output)) => output,
            Some(
                InvocationStatus::Assigned
                | InvocationStatus::Planned
                | InvocationStatus::Requested
                | InvocationStatus::Asking
                | InvocationStatus::Failed(_)
                | InvocationStatus::Dropped(_),
            )
            | None => return Err(internal(format!("invocation {key} has no result"))),
        };
        self.journal.blobs.json(output).await
    }

    async fn split(&mut self, key: Option<InvocationKey>) -> Result<(), Problem> {
        let request =
            self.journal.state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default();
        let by_agent = match key {
            Some(key) => self.output::<SplitOutput>(key).await.ok(),
            None => None,
        };
        let by_agent = by_agent.filter(|split| !split.objective.trim().is_empty());
        let (objective, form, by) = match by_agent {
            Some(split) => {
                let form = split.output_specification.filter(|form| !form.trim().is_empty());
                (split.objective.trim().to_owned(), form, SplitAuthor::Agent)
            }
            None => {
                let (objective, form) = evidence_graph::split_request(&request);
                (objective, form, SplitAuthor::Code)
            }
        };
        let objective = self.journal.blobs.put(objective.into_bytes())?;
        let output_specification = match form {
            Some(form) => Some(self.journal.blobs.put(form.into_bytes())?),
            None => None,
        };
        let original = self.journal.blobs.put(request.into_bytes())?;
        self.journal.push(Event::RequestSplit { objective, output_specification, original, by })
    }

    /// What researchers are after.
    pub(super) async fn objective(&mut self) -> Result<String, Problem> {
        match self.journal.state.parts {
            Some(parts) => self.journal.blobs.text(parts.objective).await,
            None => Ok(String::new()),
        }
    }

    /// What the request says of the report.
    async fn form_asked_for(&mut self) -> Result<String, Problem> {
        match self.journal.state.parts.and_then(|parts| parts.output_specification) {
            Some(digest) => self.journal.blobs.text(digest).await,
            None => Ok(String::new()),
        }
    }

    /// What the report is to look like.
    pub(super) async fn output_specification(&mut self) -> Result<String, Problem> {
        let said = self.form_asked_for().await?;
        let own = &self.pins.profile.output_specification;
        let own = [own.format.as_str(), own.structure.as_str()];
        let parts = std::iter::once(said.as_str()).chain(own).map(str::trim).filter(|part| !part.is_empty());
        Ok(parts.collect::<Vec<_>>().join("\n"))
    }

    async fn plan(&mut self, key: Option<InvocationKey>) -> Result<(), Problem> {
        let objective = self.objective().await?;
        let planned = match key {
            Some(key) => self.output::<PlanOutput>(key).await.map(|plan| plan.questions).unwrap_or_default(),
            None => Vec::new(),
        };
        let planned = if self.is_report_alone() {
            Vec::new()
        } else if planned.is_empty() {
            let sections = self.pins.requirements(&self.journal.state).required_sections;
            let by_code = |text: String| {
                let section = nearest_section(&text, &sections).cloned();
                PlannedQuestion { text, section, required: true, capability: None }
            };
            evidence_graph::questions_of(&objective).into_iter().map(by_code).collect()
        } else {
            planned
        };
        let capabilities = self.capability_list();
        let mut changes: Vec<Change> = Vec::new();
        // Those of the mission that it goes on with are there.
        let mut known: Vec<String> = self.graph.questions().map(|question| question.key.clone()).collect();
        let mut asked: Vec<ItemId> = Vec::new();
        for question in planned.into_iter().take(MAX_QUESTIONS) {
            let (text, text_key) =
                (question.text.trim().to_owned(), evidence_graph::text_key(&question.text));
            if text_key.is_empty() || known.contains(&text_key) {
                let same = self.graph.questions().filter(|known| known.key == text_key);
                asked.extend(same.map(|known| known.id.clone()));
                continue;
            }
            known.push(text_key.clone());
            changes.push(Change::QuestionAdded {
                question: Question {
                    id: ItemKind::Question.id(changes.len() + self.graph.questions().len()),
                    key: text_key,
                    text,
                    section: question.section.filter(|section| !section.trim().is_empty()),
                    required: question.required,
                    // What no agent can do is asked of those that research.
                    capability: question.capability.filter(|name| capabilities.contains(name)),
                    depends_on: Vec::new(),
                    dropped: None,
                },
            });
        }
        let changes = changes_of(&self.graph, PLAN, changes);
        let (from, to, changes) = self.change(vec![changes])?;
        self.journal.push(Event::PlanIntegrated { key, from, to, changes, asked })
    }

    /// Whether nothing but another report on the same questions is wanted.
    fn is_report_alone(&self) -> bool {
        let state = &self.journal.state;
        let is_further = state.start.as_ref().is_some_and(|start| start.graph.earlier.questions > 0);
        state.writing && !is_further && self.graph.questions().len() > 0
    }

    /// The coordinator's proposal against the rules.
    async fn check_proposal(&mut self, key: InvocationKey) -> Result<(), Problem> {
        let (iteration, saw) = (self.journal.state.iteration, self.journal.state.graph);
        let proposed: Result<Value, Problem> = self.output(key).await;
        let value = proposed.unwrap_or(Value::Null);
        let judged = match proposal(&value) {
            Some(proposal) => self.journal.state.check_new_proposal(&proposal),
            None => Err(RefusedProposal {
                why: Refusal::Malformed,
                detail: "it has no `assignments` of agents to tasks, and no `exit`".to_owned(),
            }),
        };
        match judged {
            Ok(action) => {
                let reasons =
                    json!({ "reasons": value.get("reasons"), "alternatives": value.get("alternatives") });
                let reasons = Some(self.journal.blobs.put_json(&reasons)?);
                let by = DecisionAuthor::Coordinator { key };
                let event = Event::DecisionTaken { iteration, by, action, saw, reasons };
                self.announce(&event);
                self.journal.push(event)
            }
            Err(RefusedProposal { why, detail }) => {
                let decision = self.journal.blobs.put_json(&value)?;
                self.journal.push(Event::DecisionRefused { iteration, key, why, detail, decision })
            }
        }
    }

    async fn integrate(&mut self, key: InvocationKey) -> Result<(), Problem> {
        let output: Value = self.output(key).await?;
        let invocation = self.journal.state.invocations.get(&key).cloned();
        let (slug, task, role) = match &invocation {
            Some(one) => (one.agent.0.clone(), one.task.clone(), one.role),
            None => (String::new(), None, Role::Research),
        };
        let question = task.as_ref().and_then(|task| self.text_of(task)).unwrap_or_default();
        let by = format!("{slug} {key}");
        let corpus = self.pins.agent(&slug)?.corpus.clone();
        let settled = match role {
            Role::Check => {
                let checked = serde_json::from_value::<CheckOutput>(output.clone()).unwrap_or_default();
                // Only the user speaks for the user.
                checked.settlement.filter(|settlement| !matches!(settlement, Settlement::Person { .. }))
            }
            Role::Split
            | Role::Plan
            | Role::Coordinate
            | Role::Research
            | Role::Synthesise
            | Role::Review => None,
        };
        let last = self.pins.agent(&slug)?.config.control_flow.stages.last().map(|stage| stage.kind);
        let is_code = last == Some(domain::agent::StageKind::Tools);
        let left_out = findings::hosts_left_out(&output);
        let found = match findings::read(output, by.clone(), &question, corpus.as_ref(), is_code) {
            Ok(found) => found,
            // A finding that does not fit is left out and counted; the mission goes on.
            Err(problem) => {
                self.tell(format!("{slug}: {}", problem.message));
                findings::Found {
                    findings: Findings::default(),
                    context: evidence_graph::Context { by: by.clone(), ..evidence_graph::Context::default() },
                }
            }
        };
        let intake = integrate(&self.graph, &found.findings, &found.context);
        let counts = additions(&intake.counts);
        let refused = u32::try_from(intake.refused.len()).unwrap_or(u32::MAX);
        let mut all = vec![intake.changes];
        let mut version = self.graph.clone();
        version.apply(&all[0]).map_err(internal)?;
        // A lead that was followed is no longer open.
        let mut then = Vec::new();
        if let Some(task) = task.filter(|id| id.0.starts_with('l')) {
            then.push(Change::LeadClosed { lead: task, status: evidence_graph::LeadStatus::Followed });
        } else if let (Some(settlement), Some(task)) = (settled, invocation.and_then(|one| one.task)) {
            let settles =
                Change::ContradictionSettled { contradiction: task.clone(), settlement: settlement.clone() };
            let changes = changes_of(&version, &by, vec![settles.clone()]);
            if version.clone().apply(&changes).is_ok() {
                self.journal.push(Event::ContradictionSettled { contradiction: task, settlement })?;
                then.push(settles);
            }
        }
        if !then.is_empty() {
            all.push(changes_of(&version, &by, then));
        }
        self.ledger(&all)?;
        let (from, to, changes) = self.change(all)?;
        self.journal.push(Event::Integrated { key, from, to, changes, counts, refused, conflicts: 0 })?;
        self.register_findings(key)?;
        if role.is_research() {
            self.hosts_left_out(left_out).await?;
        }
        self.tell(format!(
            "{}: {}, {}",
            self.pins.name_of(&slug),
            many(counts.claims, "new claim"),
            many(counts.citations, "citation")
        ));
        Ok(())
    }

    /// Records hosts whose pages an agent left out, as far as nobody has decided about them since the mission began.
    async fn hosts_left_out(&mut self, left_out: Vec<String>) -> Result<(), Problem> {
        let Some(start) = &self.journal.state.start else { return Ok(()) };
        if left_out.is_empty() || !start.terms.pauses.contains(&MissionPause::Hosts) {
            return Ok(());
        }
        let since = i64::try_from(start.at).unwrap_or(i64::MAX);
        let mut hosts = self.engine.parts().hosts.undecided_hosts(since).await;
        hosts.retain(|host| left_out.contains(host) && !self.journal.state.hosts.contains_key(host));
        hosts.sort();
        if hosts.is_empty() {
            return Ok(());
        }
        let iteration = self.journal.state.iteration;
        self.journal.push(Event::HostsLeftOut { iteration, hosts })
    }

    /// What closes by evidence goes into the log by name, before the change.
    fn ledger(&mut self, all: &[Changes]) -> Result<(), Problem> {
        for change in all.iter().flat_map(|changes| &changes.changes) {
            if let Change::GapClosed { gap, closing } = change
                && self
                    .journal
                    .state
                    .closings
                    .get(gap)
                    .is_none_or(|known| may_lapse(known) && known != closing)
            {
                self.journal.push(Event::GapClosed { gap: gap.clone(), closing: closing.clone() })?;
            }
        }
        Ok(())
    }

    async fn analyse(&mut self) -> Result<(), Problem> {
        let mut all = Vec::new();
        let said = self.said_by_the_user().await?;
        let mut graph = self.graph.clone();
        if !said.is_empty() {
            let changes = changes_of(&graph, USER, said);
            graph.apply(&changes).map_err(internal)?;
            all.push(changes);
        }
        let as_of = self.journal.state.start.as_ref().map(|start| start.as_of.clone()).unwrap_or_default();
        let as_of: Day = as_of.parse().map_err(internal)?;
        let analysis =
            analyse(&graph, &self.pins.requirements(&self.journal.state), as_of).map_err(internal)?;
        let facts = analysis.facts;
        if !analysis.changes.changes.is_empty() {
            all.push(analysis.changes);
        }
        self.ledger(&all)?;
        let (from, to, changes) = self.change(all)?;
        self.journal.push(Event::Analysed { from, to, changes, facts: Box::new(facts) })
    }

    /// What the user said of the graph that is not in it.
    async fn said_by_the_user(&mut self) -> Result<Vec<Change>, Problem> {
        let mut rejected = Vec::new();
        for (claim, why) in user_changes::rejections(&self.journal.state, &self.graph) {
            rejected.push((claim, self.journal.blobs.text(why).await?));
        }
        Ok(user_changes::changes(&self.journal.state, &self.graph, rejected))
    }

    /// A report that an agent wrote, with its quality.
    async fn score(&mut self, key: InvocationKey) -> Result<(), Problem> {
        match self.output::<ReportOutput>(key).await {
            Ok(ReportOutput { markdown }) => {
                let WordedReport { markdown, restated } = worded(&markdown, &self.graph);
                let left_out = self.claims_left_out();
                let markdown = remarked(&markdown, &remarks(restated, left_out));
                let facts = completeness(&markdown, &self.graph, &[]);
                if facts.told == 0 && facts.known > 0 {
                    // Its statements name no claim that there is: code tells what is known.
                    self.tell("the report that an agent wrote names no claim".to_owned());
                    let markdown = self.report_by_code().await?;
                    return self.draft(Some(key), markdown, 0, 0);
                }
                let markdown = with_sources(&markdown, &self.graph);
                self.draft(Some(key), markdown, restated, left_out)
            }
            // What is no report is written anew by code, as with the other roles: asked again, the agent's answer is the same.
            Err(problem) => {
                self.tell(problem.message);
                let markdown = self.report_by_code().await?;
                self.draft(Some(key), markdown, 0, 0)
            }
        }
    }

    /// A report from the graph, without a model.
    async fn write_report(&mut self) -> Result<(), Problem> {
        let markdown = self.report_by_code().await?;
        self.draft(None, markdown, 0, 0)
    }

    async fn report_by_code(&mut self) -> Result<String, Problem> {
        let objective = self.objective().await?;
        // The user's words go before the profile's, which may ask for tables where there are figures.
        let form = match self.form_asked_for().await? {
            said if said.trim().is_empty() => self.output_specification().await?,
            said => said,
        };
        let earlier = self.pins.requirements(&self.journal.state).earlier.questions as usize;
        let order = ReportRequest {
            objective: &objective,
            form: &form,
            required_sections: &self.pins.profile.output_specification.required_sections,
            unmet: &self.journal.state.unmet(),
            earlier,
        };
        Ok(report(&self.graph, &order))
    }

    fn draft(
        &mut self,
        key: Option<InvocationKey>,
        markdown: String,
        restated: u32,
        left_out: u32,
    ) -> Result<(), Problem> {
        let required = &self.pins.profile.output_specification.required_sections;
        let missing = missing_sections(&markdown, required);
        let facts = completeness(&markdown, &self.graph, required);
        let quality = facts.quality(self.journal.state.facts.quality);
        let (report, facts) = (self.journal.blobs.put(markdown.into_bytes())?, Some(facts));
        self.journal.push(Event::DraftScored { key, report, quality, missing, facts, restated, left_out })
    }

    /// The words of an item of the agenda.
    pub(super) fn text_of(&self, id: &ItemId) -> Option<String> {
        let words = words_of(&self.graph, id)?;
        let is_contradiction = matches!(ItemKind::place(id), Some((ItemKind::Contradiction, _)));
        Some(if is_contradiction { format!("Which holds: {words}") } else { words })
    }

    /// Says in words what a decision does.
    pub(super) fn announce(&self, event: &Event) {
        match event {
            Event::DecisionTaken { action: Action::Invoke { assignments }, .. } => {
                for Assignment { agent, task } in assignments {
                    let what = self.text_of(task).unwrap_or_else(|| task.0.clone());
                    self.tell(format!("{}: {what}", self.pins.name_of(agent.as_str())));
                }
            }
            Event::SynthesisBegun { .. } => self.tell("Writing the report".to_owned()),
            _ => {}
        }
    }

    /// The open item of the agenda with an id.
    pub(super) fn agenda_item(&self, id: &ItemId) -> Option<&AgendaItem> {
        self.journal.state.facts.agenda.iter().find(|item| item.id == *id)
    }

    pub(super) async fn plan_invocation(
        &mut self,
        key: InvocationKey,
        role: Role,
        agent: AgentSlug,
        task: Option<ItemId>,
    ) -> Result<(), Problem> {
        let request = self.request(role, &agent, task.as_ref()).await?;
        let (reserve, least) = self.pins.bounds(agent.as_str())?;
        let request = self.journal.blobs.put_json(&request)?;
        let earlier = self.earlier_result(&agent, request).await?;
        self.journal.push(Event::InvocationPlanned { key, role, agent, task, request, reserve, least })?;
        match earlier {
            Some((output, from)) => self.journal.push(Event::InvocationReused { key, output, from }),
            None => Ok(()),
        }
    }
}

/// What an integration added, as the machine counts it.
pub(super) fn additions(counts: &evidence_graph::Counts) -> Additions {
    Additions {
        entities: counts.entities + counts.relations,
        claims: counts.claims,
        citations: counts.citations,
        gaps: counts.gaps,
        contradictions: counts.contradictions,
        leads: counts.leads,
    }
}

/// Whether a gap that was closed so may be open again: evidence falls with its claims.
fn may_lapse(closing: &Closing) -> bool {
    matches!(closing, Closing::Evidence { .. })
}

pub(super) fn changes_of(graph: &evidence_graph::Graph, by: &str, changes: Vec<Change>) -> Changes {
    Changes { format: CHANGES_VERSION, from: graph.version(), by: by.to_owned(), changes }
}

/// A coordinator's answer as a proposal: `{assignments: [{agent, task}], exit}`.
fn proposal(value: &Value) -> Option<Proposal> {
    let exit = value.get("exit").and_then(Value::as_bool).unwrap_or(false);
    let assignments = match value.get("assignments") {
        Some(list) => serde_json::from_value(list.clone()).ok()?,
        None if exit => Vec::new(),
        None => return None,
    };
    Some(Proposal { assignments, exit })
}
