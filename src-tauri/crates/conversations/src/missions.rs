//! Commands on missions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::mission::{ClaimRejection, GraphFacts, MissionConstraints, MissionProfile, SecurityProfile};
use domain::{AgentSlug, Budget, ErrorCode, Mode, NanoUsd, Problem, RunId, RunStatus};
use engine::ResolvedAgent;
use engine::mission::{
    KIND, MissionSetup, MissionSteering, MissionView, StartMission, StoredMission, limit_uses, outline,
};
use evidence_graph::{Graph, Neighbourhood, Page, PageQuery, Provenance, page};
use library::corpus;
use missions::{Criteria, KnownUse, Limits, folder_of};
use protocol::{
    ForecastQuery, MissionForecast, MissionGraphQuery, MissionLimits, MissionRow, MissionStart, MissionSteer,
    ProfileMode, ProfileRow,
};
use store::RunFilter;
use support::{blocking, now_ms};
use workspace::SourceConfig;

use crate::Conversations;

/// The most missions that a list gives.
const MAX_LISTED: u32 = 1_000;
/// The command that stands for this program, and the arguments of its server of the web.
const SELF: &str = "@self";
const WEB_SERVER: [&str; 2] = ["mcp", "web"];
/// The most knowledge bases that a mission reads.
const MAX_BASES: usize = 8;
/// The largest file that is opened as a graph.
const MAX_GRAPH_BYTES: u64 = 128 << 20;
/// Questions of an imported graph that its mission is named by.
const MAX_IMPORTED_QUESTIONS: usize = 8;
/// Items of a page of a graph where no number is asked for.
const PAGE_ITEMS: u32 = 100;
/// Relations between an entity and what is shown of its surroundings.
const NEIGHBOUR_STEPS: u32 = 2;

impl Conversations {
    /// The profiles of missions.
    pub async fn profile_list(&self) -> Result<Vec<ProfileRow>, Problem> {
        let files = self.env.files();
        support::blocking(move || {
            let agents = files.agents();
            let rows = files.profiles().into_iter().map(|entry| {
                let shipped = entry.origin == workspace::Origin::Shipped;
                match entry.profile {
                    Ok(profile) => ProfileRow {
                        problems: agent_problems(&profile, &agents),
                        criteria: Criteria::of(&profile.success_criteria).check(&GraphFacts::default()),
                        limits: limit_uses(&Limits::of(&profile.constraints)),
                        agents: profile.agents.allow.iter().map(|slug| slug.0.clone()).collect(),
                        sections: profile.output_specification.required_sections.clone(),
                        slug: entry.slug,
                        name: profile.name.clone(),
                        description: profile.description,
                        examples: profile.examples,
                        modes: profile
                            .modes
                            .into_iter()
                            .map(|(name, mode)| ProfileMode { name, description: mode.description })
                            .collect(),
                        shipped,
                    },
                    Err(problems) => ProfileRow {
                        name: entry.slug.clone(),
                        slug: entry.slug,
                        description: String::new(),
                        examples: Vec::new(),
                        modes: Vec::new(),
                        criteria: BTreeMap::new(),
                        limits: Vec::new(),
                        agents: Vec::new(),
                        sections: Vec::new(),
                        shipped,
                        problems: problems.iter().map(ToString::to_string).collect(),
                    },
                }
            });
            Ok(rows.collect())
        })
        .await
    }

    /// What a mission would begin with, and what it is likely to use. Nothing is started.
    pub async fn mission_forecast(&self, start: MissionStart) -> Result<MissionForecast, Problem> {
        let (pins, terms) = self.env.engine.mission_pins(self.prepared(start).await?.order)?;
        let outline = outline(&pins, &terms);
        let (mut known, mut is_equivalent) = (BTreeMap::new(), false);
        for agent in outline.agents.iter().filter(|_| !outline.offline) {
            let query = ForecastQuery {
                agent: folder_of(&agent.agent.as_str().into()).to_owned(),
                connection: Some(outline.connection.clone()),
                model: Some(outline.model.clone()),
                ..ForecastQuery::default()
            };
            let forecast = self.connections.run_forecast(query).await?;
            is_equivalent |= forecast.equivalent;
            // Limits of an agent say what it may use, not what it does.
            if forecast.runs > 0 {
                let cost = (!forecast.unpriced).then_some(forecast.cost);
                known.insert(agent.agent.as_str().into(), KnownUse { cost, tokens: forecast.tokens });
            }
        }
        let mut forecast = terms.forecast(&known);
        // The first limit on money stops it, whatever its agents could use in all.
        if !is_equivalent
            && !outline.offline
            && let Some((left, _)) = self.connections.money_left(&outline.connection).await?
        {
            let within = |usd: Option<u64>| usd.map(|usd| usd.min(left.0));
            forecast.cost.low = within(forecast.cost.low);
            forecast.cost.high = within(forecast.cost.high).or(Some(left.0));
        }
        Ok(MissionForecast { outline, forecast, equivalent: is_equivalent })
    }

    /// Starts a mission.
    pub async fn mission_start(&self, start: MissionStart) -> Result<RunId, Problem> {
        let named = start.limits.usd;
        let start = self.prepared(start).await?;
        let happened =
            self.permissions.about_to_begin(Some(start.order.profile.slug.as_str()), &start.request);
        self.permissions.allowed(happened).await?;
        let run = self.env.engine.begin_mission(start).await?;
        self.allow(&run, named).await?;
        Ok(run)
    }

    /// Lets a mission use a budget that the user named for it, where a limit for runs is lower.
    async fn allow(&self, mission: &RunId, usd: Option<f64>) -> Result<(), Problem> {
        let row = self.env.store().get_run(&mission.0).await?;
        let session = self.env.store().get_session(&row.session).await?;
        let connection = session.map(|session| session.connection).unwrap_or_default();
        self.connections.allow_run(mission, &connection, usd).await
    }

    /// What a new mission needs to know.
    async fn prepared(&self, mut start: MissionStart) -> Result<StartMission, Problem> {
        if start.session.as_deref().is_some_and(|session| !support::is_session_id(session)) {
            let what = "a session's id has 1 to 100 letters, digits, dots, hyphens or underscores";
            return Err(Problem::new(ErrorCode::InvalidInput, what));
        }
        if !start.without.is_empty() && !start.report_only {
            let what = "claims are rejected at the start of another report only";
            return Err(Problem::new(ErrorCode::InvalidInput, what).with_action("set `report_only`"));
        }
        let base = self.base(&mut start).await?;
        let previous = self.previous(&mut start).await?;
        let earlier = previous.as_ref().or(base.as_ref());
        let profile = match earlier {
            // In the mode and with the limits that it had.
            Some(earlier) if start.profile.is_empty() => {
                start.profile.clone_from(&earlier.pins.profile.slug.0);
                earlier.pins.profile.clone()
            }
            _ => self.env.files().profile(&start.profile).map_err(|error| error.problem())?,
        };
        let mut profile = match &start.mode {
            Some(mode) => in_mode(&profile, mode)?,
            None => profile,
        };
        limited(&mut profile.constraints, start.limits);
        let corpora = distinct(std::mem::take(&mut start.corpora))?;
        let (agents, readers, left_out) = self.mission_agents(&profile, &corpora).await?;
        let Some(first) = agents.first() else {
            let what = format!("no agent can research for the profile {}", start.profile);
            return Err(Problem::new(ErrorCode::InvalidConfig, what).with_action(match left_out.first() {
                Some(why) => why.clone(),
                None => "name agents that have `capabilities` in the profile's `agents.allow`".to_owned(),
            }));
        };
        let (connection, model) = self
            .connections
            .choose_connection(start.connection, start.model, start.session.as_deref(), &first.agent.config)
            .await?;
        let (year, month, day) = engine::date(now_ms() as i64 / 86_400_000);
        let workspace =
            earlier.map_or_else(|| self.env.stored_slug(), |earlier| earlier.pins.workspace.clone());
        let order =
            MissionSetup { profile, agents, left_out, connection, model, corpora, readers, workspace };
        Ok(StartMission {
            order,
            request: start.request,
            session: start.session,
            as_of: format!("{year:04}-{month:02}-{day:02}"),
            unattended: start.unattended,
            previous,
            base: start.base,
            report_only: start.report_only,
            without: start.without,
            imported: None,
        })
    }

    /// Opens an exported graph as a mission that rests.
    pub async fn graph_import(&self, path: &str, profile: String) -> Result<RunId, Problem> {
        let file = std::path::PathBuf::from(path);
        let (name, read) = (path.to_owned(), file.clone());
        let graph = support::blocking(move || read_graph(&read, &name)).await?;
        let asked: Vec<&str> = graph
            .questions()
            .filter(|question| question.dropped.is_none())
            .take(MAX_IMPORTED_QUESTIONS)
            .map(|question| question.text.as_str())
            .collect();
        let stem = || file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let request = if asked.is_empty() { format!("What {} holds", stem()) } else { asked.join(" ") };
        let start = MissionStart { profile, request, ..MissionStart::default() };
        let start = StartMission { imported: Some(graph), ..self.prepared(start).await? };
        self.env.engine.begin_mission(start).await
    }

    /// Takes what a repetition does not name from the mission that it repeats.
    async fn base(&self, start: &mut MissionStart) -> Result<Option<Arc<StoredMission>>, Problem> {
        let Some(id) = &start.base else { return Ok(None) };
        if start.previous.is_some() {
            let what = "a mission repeats another one, or goes on with it";
            return Err(Problem::new(ErrorCode::InvalidInput, what).with_action("name one of both"));
        }
        self.check_at_rest(id)?;
        let base = self.env.engine.load_mission(id).await?;
        if start.request.trim().is_empty()
            && let Some(began) = &base.state.start
        {
            start.request.clone_from(&began.request);
        }
        inherit(start, &base);
        Ok(Some(base))
    }

    /// Nothing builds on a mission that is still being driven.
    fn check_at_rest(&self, mission: &RunId) -> Result<(), Problem> {
        if self.env.engine.is_live(mission) {
            return Err(Problem::new(ErrorCode::Busy, format!("mission {mission} is under way"))
                .with_action("wait for its end, or stop it first"));
        }
        Ok(())
    }

    /// The mission whose graph a new one goes on with. What the new one does not name is as it was there.
    async fn previous(&self, start: &mut MissionStart) -> Result<Option<Arc<StoredMission>>, Problem> {
        let Some(id) = &start.previous else {
            return match start.report_only {
                false => Ok(None),
                true => {
                    Err(Problem::new(ErrorCode::InvalidInput, "a report alone needs a mission to report on")
                        .with_action("name it as `previous`"))
                }
            };
        };
        // One that is still at work gives what it has found so far; the rest follows as it is found.
        let previous = self.env.engine.load_mission(id).await?;
        if start.report_only {
            rejectable(&previous, &start.without)?;
            let form = start.request.split_whitespace().collect::<Vec<_>>().join(" ");
            if form.is_empty() && start.without.is_empty() {
                return Err(Problem::new(ErrorCode::InvalidInput, "another report needs a form")
                    .with_action("say what it is to look like, as \u{201c}a table of levels\u{201d}"));
            }
            let view = self.env.engine.mission_view(id).await?;
            start.request = match (form.is_empty(), view.objective.is_empty()) {
                (true, _) => view.request,
                // One that ended before its request was taken apart has no objective of its own.
                (false, true) => format!("{}\n\nFormat: {form}", view.request),
                (false, false) => format!("{}\n\nFormat: {form}", view.objective),
            };
        }
        inherit(start, &previous);
        Ok(Some(previous))
    }

    /// The agents that a mission may invoke: those that describe what they can do, as far as the profile allows them.
    async fn mission_agents(
        &self,
        profile: &MissionProfile,
        bases: &[String],
    ) -> Result<(Vec<ResolvedAgent>, BTreeSet<AgentSlug>, Vec<String>), Problem> {
        let named = |slug: &str| {
            let roles = &profile.agents.roles;
            let roles = [&roles.split, &roles.plan, &roles.coordinate, &roles.synthesise, &roles.review];
            roles.into_iter().flatten().any(|role| role.as_str() == slug)
        };
        // A base that the user names and that can't be read is nothing to do without.
        let (shelf, asked) = (self.env.bases(), bases.to_vec());
        blocking(move || asked.iter().try_for_each(|base| corpus::resolve(&shelf, base, &[]).map(drop)))
            .await?;
        let allow = &profile.agents.allow;
        let (mut agents, mut readers, mut left_out) = (Vec::new(), BTreeSet::new(), Vec::new());
        for entry in self.env.files().agents() {
            let may = allow.is_empty() || allow.iter().any(|slug| slug.as_str() == entry.slug);
            if !may && !named(&entry.slug) {
                continue;
            }
            let agent = match entry.agent {
                Ok(agent) if agent.config.capabilities.is_empty() => continue,
                Ok(agent) => agent,
                Err(problems) => {
                    let why = problems.first().map(ToString::to_string).unwrap_or_default();
                    left_out.push(format!("{}: {why}", entry.slug));
                    continue;
                }
            };
            let (base, further) = match bases.split_first().filter(|_| !agent.config.sources.is_empty()) {
                Some((base, further)) => (Some(base.clone()), further),
                None => (None, &[][..]),
            };
            // One that can't start now is done without: the others may be enough.
            let first = match self.resolved(agent.clone(), base, Mode::default(), false).await {
                Ok(resolved) => resolved,
                Err(problem) => {
                    left_out.push(format!("{}: {problem}", entry.slug));
                    continue;
                }
            };
            let is_reader = crate::runs::needs_corpus(&first.sources);
            agents.push(first);
            if !is_reader {
                continue;
            }
            readers.insert(agent.config.slug.clone());
            for base in further {
                agents.push(self.resolved(agent.clone(), Some(base.clone()), Mode::default(), false).await?);
            }
        }
        for source in agents.iter_mut().flat_map(|resolved| &mut resolved.sources) {
            reach_within(source, profile.security_profile);
        }
        Ok((agents, readers, left_out))
    }

    /// The missions, the newest first.
    pub async fn mission_list(&self) -> Result<Vec<MissionRow>, Problem> {
        let workspace = Some(self.env.slug().to_owned());
        let filter = RunFilter { kind: KIND.to_owned(), workspace, ..RunFilter::default() };
        let page = self.env.store().list_runs(&filter, None, MAX_LISTED).await?;
        let row = |run: store::Run| {
            let mission = RunId(run.id);
            MissionRow {
                status: RunStatus::stored(&run.status).shown(|| self.env.engine.is_live(&mission)),
                mission,
                session: run.session,
                title: run.title,
                profile: run.agent,
                line: run.line,
                created_at: run.created_at,
                updated_at: run.updated_at,
            }
        };
        Ok(page.runs.into_iter().map(row).collect())
    }

    /// A mission, by its id, the beginning of it, its session, or `last`.
    pub async fn mission_show(&self, mission: &str) -> Result<MissionView, Problem> {
        // A whole id needs no list.
        if let Ok(run) = self.env.store().get_run(mission).await
            && run.kind == KIND
        {
            return self.env.engine.mission_view(&RunId(run.id)).await;
        }
        let all = self.mission_list().await?;
        let found = match mission {
            "" | "last" => all.first(),
            id => all.iter().find(|row| row.mission.0.starts_with(id) || row.session == id),
        };
        let Some(found) = found else {
            let what = match mission {
                "" | "last" => "there is no mission yet".to_owned(),
                id => format!("there is no mission {id}"),
            };
            return Err(
                Problem::new(ErrorCode::NotFound, what).with_action("`agentnative mission list` lists them")
            );
        };
        self.env.engine.mission_view(&found.mission).await
    }

    /// Says something to a mission.
    pub async fn mission_steer(
        &self,
        mission: &RunId,
        steer: MissionSteer,
        unattended: bool,
    ) -> Result<(), Problem> {
        let says = match steer {
            MissionSteer::Guide { text } => MissionSteering::Guide(text),
            MissionSteer::Pin { claim } => MissionSteering::Pin(claim),
            MissionSteer::Reject { claim, why } => MissionSteering::Reject(claim, why),
            MissionSteer::CloseGap { gap, why } => MissionSteering::CloseGap(gap, why),
            MissionSteer::Settle { contradiction, claim, why } => {
                MissionSteering::Settle(contradiction, claim, why)
            }
            MissionSteer::Plan { edits } => MissionSteering::EditPlan(edits),
            MissionSteer::Raise { limits } => {
                let stored = self.env.engine.load_mission(mission).await?;
                self.allow(mission, limits.usd).await?;
                MissionSteering::Raise(raised(stored.state.limits.clone(), limits))
            }
            MissionSteer::Write => MissionSteering::Write,
            MissionSteer::Proceed => MissionSteering::Proceed,
            MissionSteer::Again => MissionSteering::Again,
            MissionSteer::Suspend => MissionSteering::Suspend,
            MissionSteer::Cancel => MissionSteering::Cancel,
        };
        self.env.engine.steer_mission(mission, says, unattended).await
    }

    /// A page of a mission's graph.
    pub async fn mission_graph(&self, query: MissionGraphQuery) -> Result<Page, Problem> {
        let stored = self.env.engine.load_mission(&query.mission).await?;
        let limit = if query.limit == 0 { PAGE_ITEMS } else { query.limit };
        let wanted = PageQuery {
            status: query.status,
            text: query.text,
            scope: query.scope,
            sort: query.sort,
            after: query.after,
            limit: limit as usize,
            ..PageQuery::new(query.kind)
        };
        Ok(page(stored.known(), &wanted))
    }

    /// What a claim rests on.
    pub async fn claim_show(
        &self,
        mission: &RunId,
        claim: &domain::mission::ItemId,
    ) -> Result<Provenance, Problem> {
        let stored = self.env.engine.load_mission(mission).await?;
        stored.known().provenance(claim).ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("the mission has no claim {}", claim.0))
                .with_action("`agentnative mission graph <id> claims` lists them")
        })
    }

    /// What an entity is connected with.
    pub async fn entity_show(
        &self,
        mission: &RunId,
        entity: &domain::mission::ItemId,
    ) -> Result<Neighbourhood, Problem> {
        let stored = self.env.engine.load_mission(mission).await?;
        stored.known().neighbourhood(entity, NEIGHBOUR_STEPS).ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("the mission has no entity {}", entity.0))
                .with_action("`agentnative mission graph <id> entities` lists them")
        })
    }
}

/// Reads an exported graph from a file.
fn read_graph(path: &std::path::Path, name: &str) -> Result<Graph, Problem> {
    let refused = |why: String| {
        Problem::new(ErrorCode::InvalidInput, format!("{name}: {why}"))
            .with_action("choose the `data/graph.jsonl` of a mission's session")
    };
    let about = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if !about.is_file() || about.len() > MAX_GRAPH_BYTES {
        return Err(refused(format!("it is no file of at most {} MB", MAX_GRAPH_BYTES >> 20)));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    evidence_graph::import(&text).map_err(|error| {
        let why = std::error::Error::source(&error).map(|why| format!(": {why}")).unwrap_or_default();
        refused(format!("{error}{why}"))
    })
}

/// Whether each of these claims is one that a mission has and nobody rejected, with a reason.
fn rejectable(mission: &StoredMission, without: &[ClaimRejection]) -> Result<(), Problem> {
    let graph = mission.known();
    for ClaimRejection { claim, why } in without {
        let id = &claim.0;
        let refused = |code, what: String| {
            let lists = format!("`agentnative mission graph {} claims` lists them", mission.run);
            Err(Problem::new(code, what).with_action(lists))
        };
        match graph.claim(claim) {
            None => return refused(ErrorCode::NotFound, format!("the mission has no claim {id}")),
            Some(claim) if !claim.status.is_live() => {
                return refused(ErrorCode::Conflict, format!("claim {id} stands no more"));
            }
            Some(_) if why.trim().is_empty() => {
                return Err(Problem::new(ErrorCode::InvalidInput, format!("rejecting {id} needs a reason")));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The knowledge bases that were named, each once.
fn distinct(named: Vec<String>) -> Result<Vec<String>, Problem> {
    let mut bases: Vec<String> = Vec::new();
    for base in named {
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    if bases.len() > MAX_BASES {
        let what = format!("a mission reads at most {MAX_BASES} knowledge bases");
        return Err(Problem::new(ErrorCode::InvalidInput, what));
    }
    Ok(bases)
}

/// What a new mission does not name is as it was in an earlier one.
fn inherit(start: &mut MissionStart, earlier: &StoredMission) {
    start.session.get_or_insert_with(|| earlier.row.session.clone());
    start.connection.get_or_insert_with(|| earlier.pins.connection.clone());
    if start.connection.as_ref() == Some(&earlier.pins.connection) {
        start.model.get_or_insert_with(|| earlier.pins.model.clone());
    }
    if start.corpora.is_empty() {
        start.corpora.clone_from(&earlier.pins.corpora);
    }
}

/// The program's own server of the web reaches what the mission's security profile allows.
fn reach_within(source: &mut SourceConfig, profile: SecurityProfile) {
    let word = match profile {
        SecurityProfile::Strict => "strict",
        SecurityProfile::Permissive => "permissive",
        SecurityProfile::MaxAutomation => "max_automation",
    };
    let Some(mcp) = source.mcp.as_mut().filter(|mcp| mcp.command == SELF) else { return };
    if mcp.args.iter().map(String::as_str).eq(WEB_SERVER) {
        mcp.args.extend(["--profile".to_owned(), word.to_owned()]);
    }
}

/// What is wrong with the agents that a profile and its modes name.
fn agent_problems(profile: &MissionProfile, agents: &[workspace::AgentEntry]) -> Vec<String> {
    let (used, modes) = (&profile.agents, &profile.modes);
    let roles = &used.roles;
    let roles = [&roles.split, &roles.plan, &roles.coordinate, &roles.synthesise, &roles.review];
    let preferred = used.prefer.iter().chain(modes.values().flat_map(|mode| &mode.prefer));
    let constraints =
        std::iter::once(&profile.constraints).chain(modes.values().map(|mode| &mode.constraints));
    let named = used
        .allow
        .iter()
        .chain(roles.into_iter().flatten())
        .chain(preferred.map(|preference| &preference.agent))
        .chain(constraints.flat_map(|constraints| constraints.per_agent.keys()));
    let (mut seen, mut problems) = (BTreeSet::new(), Vec::new());
    for slug in named.filter(|slug| seen.insert(*slug)) {
        match agents.iter().find(|entry| entry.slug == slug.as_str()).map(|entry| &entry.agent) {
            None => problems.push(format!("there is no agent {slug}")),
            Some(Ok(agent)) if agent.config.capabilities.is_empty() => {
                problems.push(format!("agent {slug} has no `capabilities`"));
            }
            Some(Ok(_)) => {}
            Some(Err(wrong)) => {
                let why = wrong.first().map(ToString::to_string).unwrap_or_default();
                problems.push(format!("agent {slug} can't be used: {why}"));
            }
        }
    }
    problems
}

fn in_mode(profile: &MissionProfile, mode: &str) -> Result<MissionProfile, Problem> {
    profile.in_mode(mode).ok_or_else(|| {
        let known: Vec<&str> = profile.modes.keys().map(String::as_str).collect();
        let known = if known.is_empty() {
            "it has none".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        Problem::new(
            ErrorCode::InvalidInput,
            format!("profile {} has no mode {mode:?}; {known}", profile.slug),
        )
    })
}

/// Limits that were asked for, in place of the profile's.
fn limited(constraints: &mut MissionConstraints, limits: MissionLimits) {
    let MissionLimits { usd, tokens, minutes, invocations, iterations } = limits;
    constraints.usd = usd.or(constraints.usd);
    constraints.tokens = tokens.or(constraints.tokens);
    constraints.minutes = minutes.or(constraints.minutes);
    constraints.invocations = invocations.or(constraints.invocations);
    constraints.iterations = iterations.or(constraints.iterations);
}

/// Limits with those that were raised.
fn raised(now: Limits, by: MissionLimits) -> Limits {
    Limits {
        budget: Budget {
            cost: by.usd.map(NanoUsd::from_usd).or(now.budget.cost),
            tokens: by.tokens.or(now.budget.tokens),
            active_ms: by
                .minutes
                .map(|minutes| (minutes.max(0.0) * 60_000.0) as u64)
                .or(now.budget.active_ms),
        },
        invocations: by.invocations.or(now.invocations),
        iterations: by.iterations.or(now.iterations),
        per_agent: now.per_agent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_that_a_profile_names_is_looked_for_once() {
        let json = serde_json::json!({
            "slug": "survey", "name": "Survey", "description": "", "successCriteria": { "coverage": 0.8 },
            "constraints": { "perAgent": { "capped": 1 } },
            "agents": {
                "allow": ["allowed"],
                "prefer": [{ "agent": "allowed", "for": "research" }, { "agent": "preferred", "for": "research" }],
                "roles": { "plan": "planner" },
            },
            "modes": { "deep": {
                "prefer": [{ "agent": "deep-preferred", "for": "research" }],
                "constraints": { "perAgent": { "capped": 2, "deep-capped": 1 } },
            } },
        });
        let profile: MissionProfile = serde_json::from_value(json).unwrap();
        let missing = ["allowed", "planner", "preferred", "deep-preferred", "capped", "deep-capped"];
        assert_eq!(agent_problems(&profile, &[]), missing.map(|slug| format!("there is no agent {slug}")));
    }

    #[test]
    fn the_server_of_the_web_gets_the_missions_security_profile_and_no_other_server_does() {
        let source = |command: &str, args: &[&str]| {
            let config = serde_json::json!({ "slug": "web", "name": "Web", "description": "", "type": "mcp",
                "mcp": { "transport": "stdio", "command": command, "args": args } });
            serde_json::from_value::<SourceConfig>(config).unwrap()
        };
        let args = |command, args: &[&str]| {
            let mut source = source(command, args);
            reach_within(&mut source, SecurityProfile::Strict);
            source.mcp.unwrap().args
        };
        assert_eq!(args("@self", &["mcp", "web"]), ["mcp", "web", "--profile", "strict"]);
        assert_eq!(args("@self", &["mcp", "manuscript"]), ["mcp", "manuscript"]);
        assert_eq!(args("web-server", &["mcp", "web"]), ["mcp", "web"]);
    }
}
