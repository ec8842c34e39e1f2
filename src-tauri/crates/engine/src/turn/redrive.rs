//! A turn driven again: the real driver over a scratch store. What came from outside, answers of the model and of tools as of
//! the person, comes again in the order of the log; requests, decisions and what the program itself says are made anew.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use dialogue::{Event, Purpose, Record};
use domain::{
    AccessRequest, ErrorCode, Grant, Offer, Problem, Ruling, RunId, SessionId, SessionSetup, UserMessage,
};
use engine_types::Replay;
use llm::ModelAnswer;
use serde_json::{Map, Value};
use store::{DataDir, NewRun, NewSession, Store};
use tokio::sync::{broadcast, mpsc};

use super::KIND;
use super::drive::Driver;
use super::history::{File, Item};
use super::host::{ChatHost, TurnContext, TurnScope};
use super::in_flight::{INSTEAD, InFlight, not_driven};
use super::journal::{begun, decode_turn};
use super::replay::told_elsewhere;
use crate::core::blobs::Blobs;
use crate::core::engine::{Engine, Parts};
use crate::core::performer::Performer as _;
use crate::core::problem::store as store_problem;
use crate::replay::compared;

/// Events of the driver's own that nobody listens to.
const UI_QUEUE: usize = 16;
/// What an event is about; two logs are compared event by event of the same.
const SUBJECT: [&str; 4] = ["type", "call", "try", "purpose"];

/// There is nobody to be asked.
struct Nobody;

fn nobody() -> Problem {
    Problem::new(ErrorCode::Conflict, "nobody is asked: the turn is driven from its log").with_action(INSTEAD)
}

#[async_trait]
impl ChatHost for Nobody {
    async fn setup(&self, _: &SessionId) -> Result<SessionSetup, Problem> {
        Err(nobody())
    }

    async fn turn_context(
        &self,
        _: &TurnScope,
        _: &SessionSetup,
        _: &UserMessage,
    ) -> Result<TurnContext, Problem> {
        Err(nobody())
    }

    fn call_context(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> tools::CallContext {
        tools::CallContext {
            session: scope.session.0.clone(),
            run: scope.run.0.clone(),
            call: call.to_owned(),
            mode: setup.mode,
            folders: Vec::new(),
            own: std::path::PathBuf::new(),
        }
    }

    async fn authorize(&self, _: &TurnScope, _: &str, _: &AccessRequest) -> Result<Ruling, Problem> {
        Err(nobody())
    }

    async fn grant(&self, _: &TurnScope, _: &str, _: &AccessRequest, _: &Offer) -> Result<Grant, Problem> {
        Err(nobody())
    }

    async fn refused(&self, _: &TurnScope, _: &str, _: &AccessRequest) {}

    async fn turn_left(&self, _: &TurnScope, _: bool) {}
}

impl Engine {
    /// Drives a turn again in a scratch folder that is empty.
    ///
    /// # Errors
    /// `Conflict` where what it did depends on something that is not recorded.
    pub(crate) async fn redrive_turn(&self, run: &RunId, scratch: &Path) -> Result<Replay, Problem> {
        let store = &self.parts().store;
        let row = store.get_run(&run.0).await.map_err(store_problem)?;
        let records = decode_turn(&store.load_events(&run.0).await.map_err(store_problem)?)?;
        let Some(Event::TurnStarted { session, previous, pinned, mode, .. }) =
            records.first().map(|record| record.event.clone())
        else {
            let what = format!("the log of turn {run} does not begin with its start");
            return Err(Problem::new(ErrorCode::Corrupt, what));
        };
        if let Some(why) = told_elsewhere(run, &records).then(|| "it was copied or brought over".to_owned()) {
            return Err(not_driven(&why));
        }
        if let Some(why) = self.moved_since(previous.clone(), &records).await? {
            return Err(not_driven(&why));
        }
        if let Some(why) = unrecorded(&records) {
            return Err(not_driven(why));
        }
        let dir = DataDir::open(scratch).map_err(store_problem)?;
        let fresh = Store::open(&dir, &self.parts().version).await.map_err(store_problem)?;
        let create = NewRun {
            session: NewSession { id: session.0.clone(), ..NewSession::default() },
            agent: row.agent.clone(),
            kind: KIND.to_owned(),
            ..NewRun::default()
        };
        let mut journal = begun(run.clone(), fresh.clone(), create);
        // Payloads from outside are read where they are; what is made anew is found by its digest.
        journal.blobs = Blobs::new(Arc::new(store.clone()));
        let pins = journal.blobs.json(pinned).await?;
        journal.push(records[0].event.clone())?;
        let unconnected =
            Parts::unconnected(fresh.clone(), self.parts().home.clone(), self.parts().version.clone());
        let setup = SessionSetup { mode, ..SessionSetup::default() };
        let past = self.chain(previous).await?;
        let scope = TurnScope { session, run: run.clone(), folders: Vec::new() };
        let ui = broadcast::channel(UI_QUEUE).0;
        let kit = TurnContext::default();
        let mut driver =
            Driver::new(journal, pins, Arc::new(unconnected), Arc::new(Nobody), scope, setup, &kit, past, ui);
        if let Some(name) = driver.missing_file().await? {
            return Err(not_driven(&format!("the attached file {name:?} is not there any more")));
        }
        let outside = records.iter().filter(|record| is_outside(&record.event));
        driver.work.recorded = Some(outside.map(|record| (record.seq, record.event.clone())).collect());
        driver.commit().await?;
        let (_, commands) = mpsc::channel(1);
        let (exit, problem, _) = driver.drive(None, commands).await;
        let again = fresh.load_events(&run.0).await.map_err(store_problem)?;
        fresh.close().await.map_err(store_problem)?;
        let again = decode_turn(&again)?;
        let failed = again.iter().any(|record| matches!(record.event, Event::TurnEnded { .. }));
        match problem {
            Some(problem) if exit == crate::Exit::Failed && !failed => Err(problem),
            _ => Ok(compared(run, by_subject(&records), by_subject(&again))),
        }
    }
}

/// What decided something in a turn and is not part of its log.
fn unrecorded(records: &[Record]) -> Option<&'static str> {
    let limit = records.first().and_then(|record| match &record.event {
        Event::TurnStarted { bounds, .. } => bounds.budget.active_ms,
        _ => None,
    });
    let worked: u64 = records.iter().map(|record| record.active_ms).sum();
    if limit.is_some_and(|limit| worked >= limit) {
        return Some("it reached its limit of minutes, and how fast it worked is not recorded");
    }
    let counts = |record: &Record| {
        matches!(
            record.event,
            Event::CompactionNeeded { .. } | Event::ModelRequested { purpose: Purpose::Compact, .. }
        )
    };
    records.iter().any(counts).then_some("when it was compacted depended on the provider's count of tokens")
}

/// Whether an event came from outside, or tells of what only that process knew.
fn is_outside(event: &Event) -> bool {
    match event {
        Event::TurnStarted { .. }
        | Event::CompactionNeeded { .. }
        | Event::ModelRequested { .. }
        | Event::TooDear { .. }
        | Event::Compacted { .. }
        | Event::ToolStarted { .. }
        | Event::Nudged { .. }
        | Event::Responding { .. }
        | Event::TurnEnded { .. } => false,
        Event::Repinned { .. }
        | Event::ModelWithheld { .. }
        | Event::ModeChanged { .. }
        | Event::ModelAnswered { .. }
        | Event::ModelFailed { .. }
        | Event::ModelAccepted { .. }
        | Event::ModelUnknown { .. }
        | Event::Waited { .. }
        | Event::ToolJudged { .. }
        | Event::ToolAnswered { .. }
        | Event::ToolEnded { .. }
        | Event::ToolModelRequested { .. }
        | Event::ToolModelEnded { .. }
        | Event::QuestionAsked { .. }
        | Event::QuestionAnswered { .. }
        | Event::Steered { .. }
        | Event::StopRequested
        | Event::Suspended
        | Event::Continued
        | Event::Retried => true,
    }
}

impl Driver {
    /// The name of a file of what was said so far that is not there any more.
    async fn missing_file(&mut self) -> Result<Option<String>, Problem> {
        let (past, own) = self.items().await?;
        let missing = past.iter().flat_map(|past| &past.items).chain(&own).find_map(|item| {
            let Item::Message { files, .. } = item else { return None };
            files.iter().find_map(File::missing)
        });
        Ok(missing.map(str::to_owned))
    }

    /// Takes in what came from outside next.
    pub(super) async fn take_recorded(&mut self, event: Event) -> Result<(), Problem> {
        let over = match &event {
            Event::ModelAnswered { call, .. }
            | Event::ModelFailed { call, .. }
            | Event::ModelWithheld { call, .. }
            | Event::ModelUnknown { call } => Some(InFlight::Model(*call)),
            Event::Waited { call } => Some(InFlight::Wait(*call)),
            Event::ToolJudged { call, .. } => Some(InFlight::Authorize(call.clone())),
            Event::ToolEnded { call, .. } => Some(InFlight::Run(call.clone())),
            _ => None,
        };
        if let Some(over) = over {
            self.pretended.remove(&over);
        }
        match &event {
            Event::ModelAnswered { call, answer, .. } => {
                let told: ModelAnswer = self.journal.blobs.json(*answer).await?;
                self.measure(*call, &told);
                self.answers.insert(*answer, Arc::new(told));
            }
            // The program itself ended it: it refused the call, or took the person's word for its result.
            Event::ToolEnded { call, .. }
                if self.journal.state.tools.get(call).is_some_and(|call| call.end.is_some()) =>
            {
                return Ok(());
            }
            Event::Repinned { pinned } => self.pinned = Arc::new(self.journal.blobs.json(*pinned).await?),
            _ => {}
        }
        self.journal.push(event)
    }
}

/// Events by what they are about, without what differs from drive to drive.
fn by_subject(records: &[Record]) -> BTreeMap<String, VecDeque<(u64, Value)>> {
    let mut found: BTreeMap<String, VecDeque<(u64, Value)>> = BTreeMap::new();
    for record in records {
        let Ok(Value::Object(mut event)) = serde_json::to_value(&record.event) else { continue };
        event.remove("ms");
        let about: Map<String, Value> =
            SUBJECT.iter().filter_map(|name| Some(((*name).to_owned(), event.get(*name)?.clone()))).collect();
        let about = Value::Object(about).to_string();
        found.entry(about).or_default().push_back((record.seq, Value::Object(event)));
    }
    found
}
