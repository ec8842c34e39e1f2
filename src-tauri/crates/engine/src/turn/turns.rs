//! The turns that an engine has, and how one comes to be driven.

use std::collections::HashMap;
use std::sync::Arc;

use dialogue::{Event, Origin, Record, Status};
use domain::{AgentSlug, ErrorCode, Problem, RunId, RunStatus, SessionId, UserMessage};
use parking_lot::Mutex;
use store::{NewRun, NewSession, RunFilter};
use tokio::sync::{mpsc, oneshot, watch};

use super::KIND;
use super::command::Command;
use super::drive::Driver;
use super::history::{Item, PastTurn, Reader, SessionFiles};
use super::host::{ChatHost, TurnScope};
use super::journal::{Journal, begun, decode_turn, resumed};
use super::pinned::Pinned;
use super::start::StartTurn;
use super::stream::StreamedText;
use super::text::line_of;
use crate::core::ids;
use crate::core::live::Live;
use crate::core::performer::{Done, Performer as _};
use crate::core::problem::{internal, store as store_problem};
use crate::{Engine, Exit};

/// The most bytes of a message.
const MESSAGE_BYTES: usize = 1 << 20;
/// About how much of earlier turns is kept in memory.
const PAST_BYTES: usize = 64 << 20;

/// The turns of an engine.
#[derive(Default)]
pub(crate) struct Turns {
    pub(crate) live: Live<Command>,
    /// Ended turns as they were read, and about how many bytes they take.
    past: Mutex<(HashMap<RunId, Arc<PastTurn>>, usize)>,
    /// One for each session that a turn is about to begin in: held from finding that nobody drives one until somebody does.
    gates: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// Changes whenever somebody begins to drive a turn.
    begun: watch::Sender<u64>,
    /// What models are saying.
    pub(super) streamed: StreamedText,
}

impl Turns {
    /// The right to begin or resume a turn of a session, until dropped. Reading the tools of a source may take a while: other
    /// sessions need not wait for it.
    pub(super) async fn gate(&self, session: &str) -> tokio::sync::OwnedMutexGuard<()> {
        let gate = {
            let mut gates = self.gates.lock();
            gates.retain(|_, gate| Arc::strong_count(gate) > 1);
            gates.entry(session.to_owned()).or_default().clone()
        };
        gate.lock_owned().await
    }

    /// Tells whenever somebody begins to drive a turn.
    pub(super) fn begun(&self) -> watch::Receiver<u64> {
        self.begun.subscribe()
    }

    fn kept(&self, run: &RunId) -> Option<Arc<PastTurn>> {
        self.past.lock().0.get(run).cloned()
    }

    fn keep(&self, run: &RunId, past: &Arc<PastTurn>) {
        let mut kept = self.past.lock();
        let (map, bytes) = &mut *kept;
        if *bytes > PAST_BYTES {
            map.clear();
            *bytes = 0;
        }
        if map.insert(run.clone(), past.clone()).is_none() {
            *bytes += past.bytes();
        }
    }

    fn forget(&self, run: &RunId) {
        let mut kept = self.past.lock();
        if let Some(past) = kept.0.remove(run) {
            kept.1 = kept.1.saturating_sub(past.bytes());
        }
    }
}

/// A turn as it stands in the log.
pub(super) struct LoadedTurn {
    pub(super) row: store::Run,
    pub(super) records: Vec<Record>,
    pub(super) journal: Journal,
    pub(super) pinned: Pinned,
}

impl LoadedTurn {
    pub(super) fn session(&self) -> SessionId {
        SessionId(self.row.session.clone())
    }
}

impl Engine {
    pub(super) fn chat(&self) -> Result<Arc<dyn ChatHost>, Problem> {
        let none = || Problem::new(ErrorCode::Internal, "this program was built up without conversations");
        self.parts().chat.clone().ok_or_else(none)
    }

    pub(super) async fn begin(&self, start: StartTurn) -> Result<(SessionId, RunId), Problem> {
        self.begin_with(start, self.chat()?, None).await
    }

    /// Begins a turn over this host; one of a stage has its id and its title already.
    pub(super) async fn begin_with(
        &self,
        start: StartTurn,
        chat: Arc<dyn ChatHost>,
        named: Option<(RunId, String)>,
    ) -> Result<(SessionId, RunId), Problem> {
        let text = start.message.text.trim();
        if text.is_empty() && start.message.attachments.is_empty() && !start.compact {
            return Err(Problem::new(ErrorCode::InvalidInput, "the message is empty"));
        }
        if text.len() > MESSAGE_BYTES {
            let what = format!("the message has {} bytes; at most {MESSAGE_BYTES} are taken", text.len());
            return Err(
                Problem::new(ErrorCode::InvalidInput, what).with_action("attach long material as a file")
            );
        }
        let provider = self.parts().provider(&start.connection)?;
        let session = match start.session.clone() {
            Some(session) => session,
            None => self.new_session().await?,
        };
        let origin = if start.compact { Origin::Compaction } else { start.origin.clone() };
        let child = matches!(origin, Origin::Stage { .. });
        let _gate = self.turns().gate(&session.0).await;
        self.only_one(&session, child)?;
        let store = &self.parts().store;
        let known = store.get_session(&session.0).await.map_err(store_problem)?.is_some();
        let setup = if known { chat.setup(&session).await? } else { start.setup.clone() };
        let (run, named) = named.map_or_else(|| (ids::run_id(), None), |(run, title)| (run, Some(title)));
        let scope = TurnScope { session: session.clone(), run: run.clone(), folders: Vec::new() };
        let model = start.model.clone().unwrap_or_else(|| provider.default_model());
        let model_info = provider.model(&model);
        let kit = chat.turn_context(&scope, &setup, &start.message).await?;
        let pinned = Pinned {
            connection: start.connection.clone(),
            model,
            model_info,
            system: String::new(),
            tools: Vec::new(),
            effort: setup.effort,
            notes: Vec::new(),
        }
        .with_context(&kit, setup.effort);
        let is_edit = start.previous.is_some() && !child;
        let previous = match start.previous {
            Some(previous) => previous,
            None => {
                let filter = RunFilter { session: Some(session.0.clone()), ..RunFilter::default() };
                self.latest(&filter).await?
            }
        };
        let past = self.chain(previous.clone()).await?;
        let words = if named.is_some() { String::new() } else { text.to_owned() };
        let title = match named.unwrap_or_else(|| line_of(text, 120)) {
            line if line.is_empty() && start.compact => "Compact the conversation".to_owned(),
            line if line.is_empty() => {
                start.message.attachments.first().map_or_else(String::new, |file| file.name.clone())
            }
            line => line,
        };
        let create = NewRun {
            session: NewSession {
                id: session.0.clone(),
                title: title.clone(),
                setup: serde_json::to_string(&setup).map_err(internal)?,
                workspace: setup.workspace.clone(),
            },
            agent: setup.agent.clone(),
            status: RunStatus::Running.to_string(),
            title,
            words,
            connection: pinned.connection.clone(),
            model: pinned.model.clone(),
            previous_run: previous.as_ref().map(|run| run.0.clone()),
            kind: KIND.to_owned(),
            parent: match &origin {
                Origin::Stage { run, .. } => Some(run.0.clone()),
                Origin::Person | Origin::Compaction | Origin::Plan(_) => None,
            },
            ..NewRun::default()
        };
        let mut journal = begun(run.clone(), store.clone(), create);
        let message = journal.blobs.put_json(&start.message)?;
        let digest = journal.blobs.put_json(&pinned)?;
        journal.push(Event::TurnStarted {
            session: session.clone(),
            agent: (!setup.agent.is_empty()).then(|| AgentSlug(setup.agent.clone())),
            origin,
            message,
            previous,
            pinned: digest,
            mode: setup.mode,
            bounds: start.bounds,
        })?;
        let ui = self.turns_ui().clone();
        let parts = self.parts().clone();
        let mut driver = Driver::new(journal, pinned, parts, chat.clone(), scope, setup, &kit, past, ui);
        // Whoever is told of the turn finds it in the log, and the message survives whatever comes.
        driver.commit().await?;
        if is_edit {
            driver.replaced = self.session_entries(&session.0).await?.replaced;
        }
        self.spawn_turn(driver, None, chat, child);
        Ok((session, run))
    }

    pub(super) fn only_one(&self, session: &SessionId, child: bool) -> Result<(), Problem> {
        match self.turns().live.of_session(session) {
            Some(run) if !child => {
                Err(Problem::new(ErrorCode::Conflict, format!("turn {run} of the session is under way"))
                    .with_action("wait for it, stop it, or give it the message while it works"))
            }
            _ => Ok(()),
        }
    }

    pub(super) async fn resume_one(&self, run: &RunId) -> Result<(), Problem> {
        let row = self.parts().store.get_run(&run.0).await.map_err(store_problem)?;
        if let Some(parent) = &row.parent
            && !self.turns().live.is_live(run)
        {
            return self.wake(parent, run).await;
        }
        let _gate = self.turns().gate(&row.session).await;
        if self.turns().live.is_live(run) {
            return Ok(());
        }
        let loaded = self.load_turn(run).await?;
        let command = match loaded.journal.state.status() {
            Status::Completed => {
                let what = format!("turn {run} is completed; there is nothing to resume");
                return Err(Problem::new(ErrorCode::Conflict, what));
            }
            Status::Failed | Status::Stopped => Some(Command::Retry { done: oneshot::channel().0 }),
            Status::Empty | Status::Running | Status::Waiting | Status::Suspended => None,
        };
        self.only_one(&loaded.session(), is_child(&loaded))?;
        self.drive_turn(loaded, command).await
    }

    pub(super) async fn stop_one(&self, run: &RunId) -> Result<(), Problem> {
        if !self.turns().live.is_live(run) {
            let loaded = self.load_turn(run).await?;
            let over = [Status::Completed, Status::Failed, Status::Stopped];
            if over.contains(&loaded.journal.state.status()) {
                return Ok(());
            }
        }
        self.ask_turn(run, |done| Command::Stop { done }).await?;
        self.turn_left(run).await;
        Ok(())
    }

    /// Stops a turn so that it can be resumed.
    pub(crate) async fn suspend_turn(&self, run: &RunId) -> Result<(), Problem> {
        let Some(commands) = self.turns().live.commands_of(run) else { return Ok(()) };
        let (done, told) = oneshot::channel();
        if commands.send(Command::Suspend { done }).await.is_err() {
            return Ok(());
        }
        // A turn that was just leaving did not take it, and needs not.
        told.await.unwrap_or(Ok(()))
    }

    async fn turn_left(&self, run: &RunId) {
        if let Some(mut ended) = self.turns().live.end_of(run) {
            let _ = ended.wait_for(Option::is_some).await;
        }
    }

    /// Sends a command and waits for its answer. A turn that was just leaving the engine did not take it: then again.
    pub(super) async fn ask_turn(
        &self,
        run: &RunId,
        command: impl Fn(Done) -> Command,
    ) -> Result<(), Problem> {
        for _ in 0..3 {
            let (done, told) = oneshot::channel();
            self.send_turn(run, command(done)).await?;
            match told.await {
                Ok(told) => return told,
                Err(_) => self.turn_left(run).await,
            }
        }
        let what = format!("turn {run} left the engine before it answered");
        Err(Problem::new(ErrorCode::Conflict, what).with_action("read its state and try again"))
    }

    /// Gives a command to a turn that is driven; else gives it back.
    pub(super) async fn give(&self, run: &RunId, command: Command) -> Result<(), Command> {
        let Some(commands) = self.turns().live.commands_of(run) else { return Err(command) };
        match commands.send(command).await {
            Ok(()) => Ok(()),
            Err(mpsc::error::SendError(command)) => {
                self.turn_left(run).await;
                Err(command)
            }
        }
    }

    async fn send_turn(&self, run: &RunId, command: Command) -> Result<(), Problem> {
        let Err(command) = self.give(run, command).await else { return Ok(()) };
        let row = self.parts().store.get_run(&run.0).await.map_err(store_problem)?;
        if let Some(parent) = &row.parent {
            self.wake(parent, run).await?;
            let gone = |_| Problem::new(ErrorCode::Conflict, format!("turn {run} is over"));
            return self.give(run, command).await.map_err(gone);
        }
        let _gate = self.turns().gate(&row.session).await;
        // Somebody else may have loaded it meanwhile.
        let Err(command) = self.give(run, command).await else { return Ok(()) };
        let loaded = self.load_turn(run).await?;
        if matches!(loaded.journal.state.status(), Status::Completed | Status::Stopped | Status::Failed) {
            return Err(Problem::new(ErrorCode::Conflict, format!("turn {run} is over")));
        }
        self.only_one(&loaded.session(), is_child(&loaded))?;
        self.drive_turn(loaded, Some(command)).await
    }

    /// Reads a turn from the log.
    pub(super) async fn load_turn(&self, run: &RunId) -> Result<LoadedTurn, Problem> {
        // Kept out of everyone's futures: it is part of most commands.
        Box::pin(self.load_log(run)).await
    }

    async fn load_log(&self, run: &RunId) -> Result<LoadedTurn, Problem> {
        let store = &self.parts().store;
        let row = store.get_run(&run.0).await.map_err(store_problem)?;
        if row.kind != KIND {
            return Err(super::no_turn(run, &row.agent));
        }
        let records = decode_turn(&store.load_events(&run.0).await.map_err(store_problem)?)?;
        let mut journal = resumed(run.clone(), store.clone(), &records, &row)?;
        let Some(pinned) = journal.state.pinned else {
            let what = format!("the log of turn {run} does not begin with its start");
            return Err(Problem::new(ErrorCode::Corrupt, what));
        };
        let pinned: Pinned = journal.blobs.json(pinned).await?;
        Ok(LoadedTurn { row, records, journal, pinned })
    }

    async fn drive_turn(&self, loaded: LoadedTurn, command: Option<Command>) -> Result<(), Problem> {
        self.drive_with(loaded, command, self.chat()?).await
    }

    /// Drives a turn over this host.
    pub(super) async fn drive_with(
        &self,
        loaded: LoadedTurn,
        command: Option<Command>,
        chat: Arc<dyn ChatHost>,
    ) -> Result<(), Problem> {
        let child = is_child(&loaded);
        let session = loaded.session();
        let LoadedTurn { mut journal, pinned, .. } = loaded;
        let run = journal.run.clone();
        self.turns().forget(&run);
        let scope = TurnScope { session: session.clone(), run: run.clone(), folders: Vec::new() };
        let setup = chat.setup(&session).await?;
        let (message, previous) = match &journal.state.start {
            Some(start) => (start.message, start.previous.clone()),
            None => return Err(Problem::new(ErrorCode::Corrupt, format!("turn {run} never began"))),
        };
        let message: UserMessage = journal.blobs.json(message).await?;
        let kit = chat.turn_context(&scope, &setup, &message).await?;
        let past = self.chain(previous).await?;
        let ui = self.turns_ui().clone();
        let parts = self.parts().clone();
        let mut driver = Driver::new(journal, pinned, parts, chat.clone(), scope, setup, &kit, past, ui);
        driver.introduced = true;
        driver.fit_context(&kit)?;
        self.spawn_turn(driver, command, chat, child);
        Ok(())
    }

    fn spawn_turn(&self, mut driver: Driver, command: Option<Command>, chat: Arc<dyn ChatHost>, child: bool) {
        driver.streamed = self.turns().streamed.clone();
        let streamed = driver.streamed.clone();
        let scope = driver.scope.clone();
        let session = Some(scope.session.clone());
        let (driven, queue) = self.turns().live.enter(scope.run.clone(), session, child);
        self.turns().begun.send_modify(|count| *count += 1);
        let ui = self.turns_ui().clone();
        tokio::spawn(async move {
            let (exit, problem, last) = driver.drive(command, queue).await;
            let over = exit != Exit::Paused;
            streamed.keep(&scope.run, |_| false);
            driven.left(exit, problem);
            if let Some(last) = last {
                let _ = ui.send(last);
            }
            chat.turn_left(&scope, over).await;
        });
    }

    /// What was said up to and with a turn or run, the oldest first.
    pub(super) async fn chain(&self, newest: Option<RunId>) -> Result<Vec<Arc<PastTurn>>, Problem> {
        let mut out = Vec::new();
        for run in self.conversation_to(newest).await?.runs {
            let past = match self.past_of(&run).await {
                Ok(past) => past,
                // What was deleted is not said any more, nor what came before it.
                Err(problem) if problem.code == ErrorCode::NotFound => break,
                Err(problem) => return Err(problem),
            };
            let is_first = past.begins_anew();
            out.push(past);
            if is_first {
                break;
            }
        }
        out.reverse();
        Ok(out)
    }

    async fn past_of(&self, run: &RunId) -> Result<Arc<PastTurn>, Problem> {
        if let Some(past) = self.turns().kept(run) {
            return Ok(past);
        }
        let store = &self.parts().store;
        let row = store.get_run(&run.0).await.map_err(store_problem)?;
        let (past, over) = if row.kind == KIND {
            let mut loaded = self.load_turn(run).await?;
            let own = SessionFiles::new(&self.parts().home, &row.session);
            let Journal { state, blobs, .. } = &mut loaded.journal;
            let (mut answers, mut spoken) = (HashMap::new(), HashMap::new());
            let mut reader = Reader { blobs, answers: &mut answers, spoken: &mut spoken, own: &own };
            let items = reader.items(state).await?;
            (PastTurn { items }, state.end.is_some() && !self.turns().live.is_live(run))
        } else {
            let over = RunStatus::stored(&row.status) == RunStatus::Completed;
            (PastTurn { items: self.staged(run, &row).await? }, over)
        };
        let past = Arc::new(past);
        if over {
            self.turns().keep(run, &past);
        }
        Ok(past)
    }

    /// A staged run or a mission as a link of a conversation: its question and its answer.
    async fn staged(&self, run: &RunId, row: &store::Run) -> Result<Vec<Item>, Problem> {
        let (asked, answer) = if row.kind == crate::mission::KIND {
            (self.mission_view(run).await?.request, self.mission_report(run).await?)
        } else {
            let loaded = self.load(run).await?;
            let asked = loaded.state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default();
            (asked, self.document(loaded).await?.map(|written| written.markdown))
        };
        let none = || format!("(The {} of {} has no document: it is {}.)", row.kind, row.agent, row.status);
        let answer = answer.unwrap_or_else(none);
        let message = UserMessage { text: asked, ..UserMessage::default() };
        Ok(vec![Item::Message { message, files: Vec::new() }, Item::Said(answer)])
    }
}

fn is_child(loaded: &LoadedTurn) -> bool {
    loaded.row.parent.is_some()
}

impl Driver {
    /// What a turn depends on may have changed since it was driven last: other tools, other instructions.
    fn fit_context(&mut self, kit: &super::TurnContext) -> Result<(), Problem> {
        let fresh = self.pinned.with_context(kit, self.setup.effort);
        if fresh.tools != self.pinned.tools && self.journal.state.end.is_none() {
            let pinned = self.journal.blobs.put_json(&fresh)?;
            self.journal.push(Event::Repinned { pinned })?;
            self.pinned = fresh.into();
        }
        Ok(())
    }
}
