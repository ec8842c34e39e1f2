//! Missions: started, gone on with, steered and shown. The machine is `missions`, what is known is `evidence-graph`; the
//! only thing that is paid for is a run of an agent.

mod driver;
mod files;
mod findings;
mod join;
mod journal;
mod local;
mod pins;
mod plan_edit;
mod request;
mod reuse;
mod user_changes;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::mission::{ClaimRejection, EarlierItems, MissionProfile};
use domain::{AgentSlug, ErrorCode, Problem, RunId, RunStatus, SessionId};
use engine_types::{Answered, Form, Reply, ResolvedAgent};
use evidence_graph::{Changes, Graph, many};
use missions::{Event, GraphStart, Record, State, Status, Terms, name_for_base};
use store::{NewRun, NewSession, Store};
use tokio::sync::oneshot;

use self::driver::{MissionCommand, MissionDriver};
use self::journal::MissionJournal;
use crate::core::engine::Engine;
use crate::core::ids;
use crate::core::journal::fold as fold_record;
use crate::core::live::Live;
use crate::core::payloads::Payloads as _;
use crate::core::problem::{internal, store as store_problem};
use crate::run::child_request::ForwardedReply;
use crate::run::pinned::Pinned;

pub use self::driver::MissionSteering;
pub use self::files::FileNames;
pub use self::pins::MissionPins;
pub use self::view::{limit_uses, outline};
pub use engine_types::{
    InvocationState, InvocationView, JournalLine, LimitUse, MissionOutline, MissionPauseForm, MissionView,
    OutlinedAgent,
};

/// The kind of a mission's row in the list of runs.
pub const KIND: &str = "mission";
/// Claims that are shown as the newest.
const MAX_NEWEST_CLAIMS: usize = 6;

/// Missions that the engine has.
#[derive(Default)]
pub(crate) struct Missions {
    pub(crate) live: Live<MissionCommand>,
    /// The one that was read last: surfaces ask for the same one again and again, and a log only grows.
    read: tokio::sync::Mutex<Option<Arc<StoredMission>>>,
}

/// By whom a mission is carried out, over what.
pub struct MissionSetup {
    /// The profile, in the mode that was chosen and with the limits that were asked for.
    pub profile: MissionProfile,
    /// The agents that it may invoke.
    pub agents: Vec<ResolvedAgent>,
    /// Agents of the profile that can't be used now, each with why.
    pub left_out: Vec<String>,
    /// The connection's slug.
    pub connection: String,
    /// The model; without it the connection's default.
    pub model: Option<String>,
    /// The knowledge bases that were asked for in place of the agents' own.
    pub corpora: Vec<String>,
    /// The agents that read them; one stands among `agents` once for each.
    pub readers: BTreeSet<AgentSlug>,
    /// The slug of the workspace; empty: the default one.
    pub workspace: String,
}

/// What a new mission needs to know.
pub struct StartMission {
    /// By whom it is carried out.
    pub order: MissionSetup,
    /// The objective, with what is said of the report.
    pub request: String,
    /// The session; without it a new one.
    pub session: Option<String>,
    /// The day on which ages are counted, `YYYY-MM-DD`.
    pub as_of: String,
    /// Whether default answers are taken at pauses.
    pub unattended: bool,
    /// The mission whose graph it goes on with.
    pub previous: Option<Arc<StoredMission>>,
    /// The mission whose results are taken over where an agent is given the same.
    pub base: Option<RunId>,
    /// Whether nothing is researched: the report is written from what is known.
    pub report_only: bool,
    /// Claims of the earlier mission that are rejected first.
    pub without: Vec<ClaimRejection>,
    /// A graph from elsewhere: the mission has it, and rests until its report is wanted or another one goes on with it.
    pub imported: Option<Graph>,
}

/// A mission as it stands in the log.
#[derive(Clone)]
pub struct StoredMission {
    /// Its id.
    pub run: RunId,
    /// Its state.
    pub state: State,
    /// What it pinned.
    pub pins: Arc<MissionPins>,
    /// Its row in the list of runs.
    pub row: store::Run,
    /// Its log, in order.
    pub records: Vec<Record>,
    /// What is known.
    pub graph: Graph,
    /// The same with what the user said of it since, which the next analysis takes in.
    steered: Option<Graph>,
}

impl StoredMission {
    /// What is known, with the user's word on it.
    pub fn known(&self) -> &Graph {
        self.steered.as_ref().unwrap_or(&self.graph)
    }

    /// Brings [`Self::known`] up to date.
    async fn steer(&mut self, store: &Store) -> Result<(), Problem> {
        let mut rejected = Vec::new();
        for (claim, why) in user_changes::rejections(&self.state, &self.graph) {
            rejected.push((claim, String::from_utf8_lossy(&store.payload(why).await?).into_owned()));
        }
        let changes = user_changes::changes(&self.state, &self.graph, rejected);
        self.steered = match changes.is_empty() {
            true => None,
            false => {
                let mut graph = self.graph.clone();
                // What can't be taken in is shown as it is.
                let changes = local::changes_of(&graph, user_changes::USER, changes);
                graph.apply(&changes).is_ok().then_some(graph)
            }
        };
        Ok(())
    }

    /// Takes further events in.
    async fn take(&mut self, records: Vec<Record>, store: &Store) -> Result<(), Problem> {
        for record in records {
            fold_record(&mut self.state, &record, "a mission")?;
            if let Event::PlanIntegrated { changes, .. }
            | Event::PlanEdited { changes, .. }
            | Event::GraphJoined { changes, .. }
            | Event::Integrated { changes, .. }
            | Event::Analysed { changes, .. } = &record.event
            {
                let bytes = store.payload(*changes).await?;
                let all: Vec<Changes> = serde_json::from_slice(&bytes).map_err(|error| corrupt(&error))?;
                for changes in &all {
                    self.graph.apply(changes).map_err(|error| corrupt(&error))?;
                }
            }
            self.records.push(record);
        }
        Ok(())
    }
}

fn corrupt(error: &dyn std::fmt::Display) -> Problem {
    Problem::new(ErrorCode::Corrupt, format!("the log of a mission can't be read: {error}"))
}

/// The graph of a mission that another one goes on with.
fn snapshot(bytes: &[u8]) -> Result<Graph, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| corrupt(&error))?;
    evidence_graph::from_json(text).map_err(|error| corrupt(&error))
}

impl Engine {
    /// What a mission would pin, and the terms that it would be agreed on.
    ///
    /// # Errors
    /// When the profile can't be used, or none of its agents can research.
    pub fn mission_pins(&self, order: MissionSetup) -> Result<(MissionPins, Terms), Problem> {
        let MissionSetup { profile, agents, left_out, connection, model, corpora, readers, workspace } =
            order;
        if let Some(problem) = profile.validate().first() {
            let what = format!("the profile {} can't be used: {problem}", profile.slug);
            return Err(Problem::new(ErrorCode::InvalidConfig, what));
        }
        let provider = self.parts().provider(&connection)?;
        let model = model.unwrap_or_else(|| provider.default_model());
        let mut pinned = BTreeMap::new();
        let mut reads = BTreeMap::new();
        for resolved in agents {
            let slug = resolved.agent.config.slug.clone();
            let base = resolved.corpus.as_ref().map(|corpus| corpus.base.clone());
            let base = base.filter(|_| !corpora.is_empty() && readers.contains(&slug));
            let name = match &base {
                Some(base) if pinned.contains_key(slug.as_str()) => name_for_base(slug.as_str(), base),
                Some(_) | None => slug.0,
            };
            pinned.insert(name.clone(), Pinned::new(resolved, &connection, &model, &*provider));
            reads.extend(base.map(|base| (name, base)));
        }
        let agents = pinned;
        let pins = MissionPins {
            profile,
            agents,
            connection,
            model,
            corpora,
            corpus: None,
            reads,
            left_out,
            workspace,
        };
        let terms = pins.terms();
        if !terms.registry.agents.iter().any(|agent| agent.allowed) {
            let what = format!("no agent can research for the profile {}", pins.profile.slug);
            return Err(Problem::new(ErrorCode::InvalidConfig, what)
                .with_action("name agents with `capabilities` in the profile's `agents.allow`"));
        }
        Ok((pins, terms))
    }

    /// Starts a mission.
    pub async fn begin_mission(&self, start: StartMission) -> Result<RunId, Problem> {
        let request = start.request.trim().to_owned();
        if request.is_empty() {
            return Err(Problem::new(ErrorCode::InvalidInput, "a mission needs an objective")
                .with_action("say what is to be found out"));
        }
        let (pins, terms) = self.mission_pins(start.order)?;
        let session = match start.session {
            Some(session) => SessionId(session),
            None => self.new_session().await?,
        };
        let title: String = request.lines().next().unwrap_or_default().chars().take(120).collect();
        let run = ids::run_id();
        let create = NewRun {
            session: NewSession {
                id: session.0.clone(),
                title: title.clone(),
                workspace: pins.workspace.clone(),
                ..NewSession::default()
            },
            agent: pins.profile.slug.0.clone(),
            title,
            words: request.clone(),
            kind: KIND.to_owned(),
            connection: pins.connection.clone(),
            model: pins.model.clone(),
            ..NewRun::default()
        };
        let store = self.parts().store.clone();
        let mut journal = MissionJournal::new(run.clone(), State::default(), store, create);
        let pinned = journal.blobs.put_json(&pins)?;
        let is_imported = start.imported.is_some();
        let known = start.previous.as_ref().map(|previous| previous.known().clone()).or(start.imported);
        let snapshot = match &known {
            Some(graph) => Some(journal.blobs.put(evidence_graph::to_json(graph).into_bytes())?),
            None => None,
        };
        let graph = known.unwrap_or_default();
        // A report on the same objective has the same questions.
        let is_further = start.previous.is_some() && !start.report_only;
        let earlier = if is_further { graph.earlier_items() } else { EarlierItems::default() };
        let of = start.previous.as_ref().and_then(|previous| previous.state.start.as_ref());
        let id = of.map_or_else(|| run.0.clone(), |start| start.graph.id.clone());
        journal.push(Event::MissionStarted {
            session,
            profile: pins.profile.slug.clone(),
            request,
            inputs: None,
            pinned,
            previous: start.previous.map(|previous| previous.run.clone()),
            base: start.base,
            as_of: start.as_of,
            graph: GraphStart { id, version: graph.version(), snapshot, earlier },
            terms: Box::new(terms),
            unattended: start.unattended,
        })?;
        for ClaimRejection { claim, why } in start.without {
            let why = journal.blobs.put(why.into_bytes())?;
            journal.push(Event::ClaimRejected { claim, why })?;
        }
        if start.report_only || is_imported {
            journal.push(Event::WriteRequested)?;
        }
        if is_imported {
            journal.push(Event::Suspended)?;
            journal
                .commit(format!("Imported: {}", many(graph.counts().supported_claims, "supported statement")))
                .await?;
            return Ok(run);
        }
        journal.commit("Begins".to_owned()).await?;
        let driver = MissionDriver::new(self.clone(), journal, Arc::new(pins), graph, start.unattended);
        self.spawn_mission(driver, None);
        Ok(run)
    }

    /// Reads a mission from the log; of one that was read before, what is new in it.
    pub async fn load_mission(&self, run: &RunId) -> Result<Arc<StoredMission>, Problem> {
        let store = &self.parts().store;
        let row = store.get_run(&run.0).await.map_err(store_problem)?;
        if row.kind != KIND {
            return Err(Problem::new(ErrorCode::InvalidInput, format!("{run} is no mission"))
                .with_action("`agentnative mission list` lists missions"));
        }
        let last = store.last_seq(&run.0).await.map_err(store_problem)?;
        let mut read = self.missions.read.lock().await;
        let is_same = |kept: &Arc<StoredMission>| {
            kept.run == *run && kept.row.session == row.session && kept.state.seq <= last
        };
        let mut stored = match read.take().filter(is_same) {
            Some(kept) => Arc::unwrap_or_clone(kept),
            None => self.read_mission(row.clone()).await?,
        };
        while stored.state.seq < last {
            let page = store.load_events_from(&run.0, stored.state.seq, store::MAX_PAGE).await;
            stored.take(journal::decode(&page.map_err(store_problem)?)?, store).await?;
        }
        stored.row = row;
        stored.steer(store).await?;
        let stored = Arc::new(stored);
        *read = Some(stored.clone());
        Ok(stored)
    }

    async fn read_mission(&self, row: store::Run) -> Result<StoredMission, Problem> {
        let store = &self.parts().store;
        let batches = store.load_events(&row.id).await.map_err(store_problem)?;
        let records = journal::decode(&batches)?;
        let first = records.first().map(|record| &record.event);
        let Some(Event::MissionStarted { pinned, graph, .. }) = first else {
            return Err(corrupt(&"it does not begin with its start"));
        };
        let graph = match graph.snapshot {
            Some(digest) => snapshot(&store.payload(digest).await?)?,
            None => Graph::default(),
        };
        let mut stored = StoredMission {
            run: RunId(row.id.clone()),
            state: State::default(),
            pins: Arc::new(MissionPins::read(store, *pinned).await?),
            row,
            records: Vec::new(),
            graph,
            steered: None,
        };
        stored.take(records, store).await?;
        Ok(stored)
    }

    /// Goes on with a mission: one that was interrupted, waits, or failed.
    pub async fn resume_mission(&self, run: &RunId, unattended: bool) -> Result<(), Problem> {
        let _gate = self.gate.lock().await;
        if self.missions.live.is_live(run) {
            return Ok(());
        }
        let stored = self.load_mission(run).await?;
        if matches!(stored.state.status(), Status::Completed | Status::Cancelled) {
            let word = RunStatus::from(stored.state.status());
            return Err(Problem::new(ErrorCode::Conflict, format!("mission {run} is {word} already")));
        }
        self.drive_mission(stored, unattended, None);
        Ok(())
    }

    fn drive_mission(&self, stored: Arc<StoredMission>, unattended: bool, first: Option<MissionCommand>) {
        let stored = Arc::unwrap_or_clone(stored);
        // Whoever goes on with it: a mission that asks nobody asks nobody later, either.
        let unattended = unattended || stored.state.start.as_ref().is_some_and(|start| start.unattended);
        let journal =
            MissionJournal::resume(stored.run, stored.state, self.parts().store.clone(), &stored.row);
        let driver = MissionDriver::new(self.clone(), journal, stored.pins, stored.graph, unattended);
        self.spawn_mission(driver, first);
    }

    /// Says something to a mission; returns when it is durable.
    pub async fn steer_mission(
        &self,
        run: &RunId,
        says: MissionSteering,
        unattended: bool,
    ) -> Result<(), Problem> {
        for _ in 0..3 {
            let (done, told) = oneshot::channel();
            let command = MissionCommand { says: says.clone(), done };
            {
                let _gate = self.gate.lock().await;
                if self.missions.live.is_live(run) {
                    // One that was just leaving drops the command, and with it the answer.
                    if let Some(commands) = self.missions.live.commands_of(run) {
                        let _ = commands.send(command).await;
                    }
                } else {
                    let stored = self.load_mission(run).await?;
                    if matches!(stored.state.status(), Status::Completed | Status::Cancelled) {
                        let word = RunStatus::from(stored.state.status());
                        let what = format!("mission {run} is {word} already");
                        return Err(Problem::new(ErrorCode::Conflict, what));
                    }
                    self.drive_mission(stored, unattended, Some(command));
                }
            }
            match told.await {
                Ok(told) => return told,
                // It was just leaving the engine.
                Err(_) => drop(self.wait(run).await),
            }
        }
        Err(Problem::new(ErrorCode::Conflict, format!("mission {run} left the engine before it answered"))
            .with_action("read its state and try again"))
    }

    /// Whether a row of the list of runs is a mission.
    pub(crate) async fn is_mission(&self, run: &str) -> Result<bool, Problem> {
        Ok(self.parts().store.get_run(run).await.map_err(store_problem)?.kind == KIND)
    }

    /// The open pause of a run, as surfaces show it.
    pub(crate) async fn open_form(&self, run: &RunId) -> Result<Option<Form>, Problem> {
        let form = self.load(run).await?.state.open_pauses().next().and_then(|pause| pause.form);
        let Some(form) = form else { return Ok(None) };
        let form = crate::run::values::read(&self.parts().store, form).await?;
        serde_json::from_value(form).map(Some).map_err(|error| corrupt(&error))
    }

    /// Passes the answer to an agent's pause on, through the mission that it works for. What the agent's run would refuse is
    /// refused before anything is written.
    pub(crate) async fn answer_for_mission(
        &self,
        mission: &RunId,
        child: &RunId,
        reply: Reply,
    ) -> Result<Answered, Problem> {
        let loaded = self.load(child).await?;
        let Some(pause) = loaded.state.open_pauses().next().map(|pause| pause.id.clone()) else {
            return Err(Problem::new(ErrorCode::Conflict, format!("run {child} waits for no answer")));
        };
        let mut driver = self.parked(loaded);
        driver.load_values().await?;
        let answered = driver.answer(None, &reply)?;
        if matches!(answered, Answered::Accepted { .. }) {
            let forwarded = Box::new(ForwardedReply { pause, reply });
            let says = MissionSteering::Answer(child.clone(), forwarded);
            self.steer_mission(mission, says, false).await?;
        }
        Ok(answered)
    }

    fn spawn_mission(&self, driver: MissionDriver, first: Option<MissionCommand>) {
        let (driven, queue) = self.missions.live.enter(driver.run_id().clone(), None, false);
        let ui = self.ui().clone();
        tokio::spawn(async move {
            let (exit, problem, done) = driver.drive(first, queue).await;
            driven.left(exit, problem);
            let _ = ui.send(done);
        });
    }

    /// A mission as surfaces show it.
    pub async fn mission_view(&self, run: &RunId) -> Result<MissionView, Problem> {
        let stored = self.load_mission(run).await?;
        let state = &stored.state;
        let start = state.start.as_ref().ok_or_else(|| internal("a mission without its start"))?;
        let store = &self.parts().store;
        let text = |digest| async move {
            let bytes = store.payload(digest).await?;
            Ok::<String, Problem>(String::from_utf8_lossy(&bytes).into_owned())
        };
        let (objective, form) = match state.parts {
            Some(parts) => {
                let form = match parts.output_specification {
                    Some(digest) => text(digest).await?,
                    None => String::new(),
                };
                (text(parts.objective).await?, form)
            }
            None => (String::new(), String::new()),
        };
        let mut pauses = Vec::new();
        for form in state.open_pauses().filter_map(|pause| pause.form) {
            pauses.extend(serde_json::from_slice(&store.payload(form).await?).ok());
        }
        let folder = self.parts().home.join("sessions").join(&start.session.0);
        let names = FileNames::find(store, &start.session.0, run).await?;
        let (driven, status) = (self.missions.live.since(run), RunStatus::from(state.status()));
        let status = status.shown(|| driven.is_some());
        let is_at_rest = driven.is_none();
        if is_at_rest && let Err(problem) = files::write_findings(&folder, names, state, store).await {
            tracing::warn!(%run, "files of the mission were not written: {problem}");
        }
        let report = files::report(folder.join(names.report()), state, store, is_at_rest).await;
        let unmet = state.accepted.as_ref().map(|(_, unmet)| unmet.clone()).unwrap_or_default();
        let is_running = status == RunStatus::Running;
        let known = stored.known();
        let last = stored.records.last().map_or(0, |record| i64::try_from(record.at).unwrap_or_default());
        let mut facts = state.facts.clone();
        // What was found since the last analysis counts as well.
        facts.counts = known.counts();
        if facts.version == 0 && start.previous.is_none() {
            facts.version = known.version();
        }
        Ok(MissionView {
            mission: run.clone(),
            session: start.session.clone(),
            previous: start.previous.clone(),
            base: start.base.clone(),
            profile: start.profile.0.clone(),
            profile_name: stored.pins.profile.name.clone(),
            status,
            phase: state.phase,
            request: start.request.clone(),
            objective,
            output_specification: form,
            iteration: state.iteration,
            criteria: state.criteria.clone(),
            facts,
            graph_version: known.version(),
            newest_claims: known.newest_claims(MAX_NEWEST_CLAIMS),
            limits: view::limits(state),
            invocations: view::invocations(&stored),
            left_out: stored.pins.left_out.clone(),
            pauses,
            outcome: state.outcome,
            unmet,
            ended: state.cause.as_ref().map(view::cause_words),
            open: view::open(known),
            problem: state.problem.clone(),
            report: report.map(|path| path.to_string_lossy().into_owned()),
            files: view::files(state, names),
            usage: state.usage,
            no_model: stored.pins.is_offline(),
            cost: state.cost,
            active_ms: state.active_ms,
            // What a process before counted is in the log; this one counts since it has the mission.
            working_since: driven.filter(|_| is_running).map(|driven| driven.max(last)),
        })
    }

    /// A mission's decisions in plain words.
    pub async fn mission_journal(&self, run: &RunId) -> Result<Vec<JournalLine>, Problem> {
        let stored = self.load_mission(run).await?;
        let mut reasons = BTreeMap::new();
        for record in &stored.records {
            let digest = match &record.event {
                Event::DecisionTaken { reasons: Some(digest), .. } => *digest,
                Event::ClaimRejected { why, .. } => *why,
                Event::Steered { text } => *text,
                Event::PlanEdited { edits, .. } => *edits,
                _ => continue,
            };
            let bytes = self.parts().store.payload(digest).await?;
            reasons.insert(record.seq, view::Reason::parse(&bytes, &stored.graph));
        }
        Ok(view::journal(&stored, &reasons))
    }

    /// The report that stands, Markdown; before there is one, nothing.
    pub async fn mission_report(&self, run: &RunId) -> Result<Option<String>, Problem> {
        let stored = self.load_mission(run).await?;
        let Some((index, _)) = stored.state.accepted else { return Ok(None) };
        let Some(draft) = stored.state.drafts.get(index) else { return Ok(None) };
        let bytes = self.parts().store.payload(draft.report).await?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// What a command on runs says of a mission.
pub(crate) fn no_run(run: &RunId) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("{run} is a mission, not a run"))
        .with_action(format!("use `agentnative mission show {run}`"))
}

/// Folds the log of a mission.
///
/// # Errors
/// `Corrupt` when an event can't follow those before it, `NewerData` when a newer program wrote it.
pub fn fold(batches: &[store::Batch]) -> Result<State, Problem> {
    let mut state = State::default();
    for record in journal::decode(batches)? {
        fold_record(&mut state, &record, "a mission")?;
    }
    Ok(state)
}

/// The payloads that a mission's log refers to.
///
/// # Errors
/// `Corrupt` when it can't be read.
pub fn payloads(batches: &[store::Batch]) -> Result<Vec<domain::Digest>, Problem> {
    Ok(journal::decode(batches)?.iter().flat_map(|record| record.event.payloads()).collect())
}

/// The first batch of a mission's log, for another session.
pub fn moved(batch: &store::Batch, session: &SessionId) -> Result<Vec<u8>, Problem> {
    let mut records = journal::decode(std::slice::from_ref(batch))?;
    for record in &mut records {
        if let Event::MissionStarted { session: named, .. } = &mut record.event {
            named.clone_from(session);
        }
    }
    serde_json::to_vec(&records).map_err(internal)
}
