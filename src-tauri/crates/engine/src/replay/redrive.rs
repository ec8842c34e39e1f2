//! Re-driving: the real driver over a scratch store, with what is recorded in place of models, tools and the person. The
//! two logs are compared by what happened to what; the order of things side by side is no part of it, nor are times.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{ErrorCode, Problem, RunId, RunStatus};
use engine_types::Replay;
use pipeline::{CallKey, Event, Graph, Record, State};
use serde_json::{Map, Value};
use store::{DataDir, NewRun, NewSession, Store};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::report::EventReport;
use crate::core::engine::{Connections, Engine, Parts};
use crate::core::log::decode_batches;
use crate::core::payloads::Payloads;
use crate::core::performer::Performer as _;
use crate::core::problem::store as store_problem;
use crate::core::tools::{HostFactory, ToolFailure, ToolHost};
use crate::run::driver::{Driver, PauseReplies, Recording};
use crate::run::journal::Journal;
use crate::run::pinned::Pinned;
use crate::run::values::read;
use crate::turn::KIND;

/// Events of the driver's own that nobody listens to.
const UI_QUEUE: usize = 16;

/// There is nobody to be called.
struct Nobody {
    /// Sources that were not there when the run began, with what was said of them.
    unavailable: BTreeMap<String, Problem>,
}

impl Connections for Nobody {
    fn provider(&self, slug: &str) -> Result<Arc<dyn llm::Provider>, Problem> {
        Err(Problem::new(ErrorCode::Conflict, format!("{slug} is not asked: the run is driven from its log")))
    }
}

impl HostFactory for Nobody {
    fn host(&self, _: &Pinned) -> Arc<dyn ToolHost> {
        Arc::new(Self { unavailable: self.unavailable.clone() })
    }
}

#[async_trait]
impl ToolHost for Nobody {
    async fn prepare(&self, _: &[String]) -> BTreeMap<String, Problem> {
        self.unavailable.clone()
    }

    async fn call(
        &self,
        source: &str,
        tool: &str,
        _: Value,
        _: Duration,
        _: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let what = format!("{source}/{tool} is not called: the run is driven from its log");
        let problem = Problem::new(ErrorCode::Conflict, what);
        Err(ToolFailure { problem, retryable: false, unsure: false })
    }

    async fn close(&self) {}
}

impl Parts {
    /// An engine's parts over a store that is only read: there is nobody to be called. `home` is the data directory in which
    /// its runs ran.
    pub fn unconnected(store: Store, home: std::path::PathBuf, version: String) -> Self {
        let nobody = || Nobody { unavailable: BTreeMap::new() };
        Self {
            store,
            home,
            templates: Arc::default(),
            providers: Arc::new(nobody()),
            hosts: Arc::new(nobody()),
            recheck: None,
            chat: None,
            version,
        }
    }
}

impl Engine {
    /// Drives a run or turn that is over or waits again, in a scratch folder that is empty, over what is recorded of it.
    /// Neither a model nor a tool is called.
    ///
    /// # Errors
    /// `NotFound` when there is none; `Conflict` when something that is not recorded would be needed.
    pub async fn redrive(&self, run: &RunId, scratch: &Path) -> Result<Replay, Problem> {
        let store = &self.parts().store;
        let row = store.get_run(&run.0).await.map_err(store_problem)?;
        if row.kind == KIND {
            return self.redrive_turn(run, scratch).await;
        }
        let records = decode_batches(&store.load_events(&run.0).await.map_err(store_problem)?)?;
        let (pinned, again) = self.driven(run, &row.agent, &records, store, scratch).await?;
        let mut report = compared(run, by_subject(&records), by_subject(&again));
        if report.identical {
            report.documents = documents(&pinned, &again);
        }
        Ok(report)
    }

    /// What the run pins, and its log driven again.
    async fn driven(
        &self,
        run: &RunId,
        agent: &str,
        records: &[Record],
        payloads: &dyn Payloads,
        scratch: &Path,
    ) -> Result<(Arc<Pinned>, Vec<Record>), Problem> {
        let Some((Event::RunStarted { session, pinned, request, .. }, rest)) =
            records.split_first().map(|(first, rest)| (&first.event, rest))
        else {
            let what = format!("the log of run {run} does not begin with its start");
            return Err(Problem::new(ErrorCode::Corrupt, what));
        };
        let recording = Recording::read(records, payloads).await?;
        let value = read(payloads, *pinned).await?;
        let pins = Arc::new(crate::run::pinned::read(payloads, *pinned).await?);
        let graph =
            Graph::new(&pins.config).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?;
        let dir = DataDir::open(scratch).map_err(store_problem)?;
        let fresh = Store::open(&dir, &self.parts().version).await.map_err(store_problem)?;
        let unavailable = unavailable(&pins, records);
        let parts = Arc::new(Parts {
            store: fresh.clone(),
            home: scratch.to_owned(),
            templates: self.parts().templates.clone(),
            providers: Arc::new(Nobody { unavailable: BTreeMap::new() }),
            hosts: Arc::new(Nobody { unavailable }),
            recheck: None,
            chat: None,
            version: self.parts().version.clone(),
        });
        let create = NewRun {
            session: NewSession { id: session.0.clone(), ..NewSession::default() },
            agent: agent.to_owned(),
            status: RunStatus::Running.to_string(),
            title: request.lines().next().unwrap_or_default().chars().take(120).collect(),
            ..NewRun::default()
        };
        let journal = Journal::new(run.clone(), State::new(Arc::new(graph)), fresh.clone(), create);
        let ui = broadcast::channel(UI_QUEUE).0;
        let mut driver = Driver::new(journal, pins.clone(), parts, ui, PauseReplies::default(), true);
        driver.keep(value)?;
        if let Event::RunStarted { inputs: Some(inputs), .. } = &records[0].event {
            let inputs = read(payloads, *inputs).await?;
            driver.keep(inputs)?;
        }
        driver.journal.push(records[0].event.clone())?;
        if let Some(Event::FollowupContextLoaded { context, .. }) = rest.first().map(|record| &record.event) {
            if let Some(context) = context {
                let value = read(payloads, *context).await?;
                driver.keep(value)?;
            }
            driver.journal.push(rest[0].event.clone())?;
        }
        driver.commit().await?;
        driver.over(recording)?;
        let (_, commands) = mpsc::channel(1);
        let (exit, problem, _) = driver.drive(None, commands).await;
        let again = fresh.load_events(&run.0).await.map_err(store_problem)?;
        fresh.close().await.map_err(store_problem)?;
        let again = decode_batches(&again)?;
        let failed = matches!(again.last().map(|record| &record.event), Some(Event::RunFailed { .. }));
        match problem {
            Some(problem) if exit == crate::Exit::Failed && !failed => Err(problem),
            _ => Ok((pins, again)),
        }
    }
}

/// Optional sources that were not there when the run began, as its first warnings tell.
fn unavailable(pinned: &Pinned, records: &[Record]) -> BTreeMap<String, Problem> {
    let mut found = BTreeMap::new();
    for record in records {
        let Event::StageCompleted { warnings, .. } = &record.event else { continue };
        for source in pinned.config.sources.iter().filter(|source| !source.required) {
            let start = format!("source {} is not available: ", source.slug);
            if let Some(why) = warnings.iter().find_map(|warning| warning.strip_prefix(&start)) {
                found.insert(source.slug.clone(), Problem::new(ErrorCode::Source, why));
            }
        }
    }
    found
}

/// What an event is about; two logs are compared event by event of the same.
const SUBJECT: [&str; 9] = ["type", "key", "stage", "attempt", "wave", "try", "unit", "iteration", "kind"];
/// What differs from drive to drive.
const TIMES: [&str; 2] = ["ms", "left"];

/// Events by what they are about, without what differs from drive to drive.
fn by_subject(records: &[Record]) -> BTreeMap<String, VecDeque<(u64, Value)>> {
    let mut pauses: BTreeMap<String, String> = BTreeMap::new();
    let mut found: BTreeMap<String, VecDeque<(u64, Value)>> = BTreeMap::new();
    let of_children: BTreeSet<&CallKey> = records
        .iter()
        .filter_map(|record| match &record.event {
            Event::ChildRunStarted { key, .. } => Some(key),
            _ => None,
        })
        .collect();
    for record in records {
        let Ok(Value::Object(mut event)) = serde_json::to_value(&record.event) else { continue };
        let timed = matches!(&record.event, Event::PauseFormatted { pause, .. }
            if pauses.get(&pause.0).is_some_and(|about| about.contains("\"budget\"")));
        if timed {
            // It tells of the time that passed.
            event.remove("form");
            event.remove("length");
        }
        // A child's share of the budget is of what the others had left when it began.
        if matches!(&record.event, Event::ModelCallRequested { key, .. } if of_children.contains(key)) {
            event.remove("reserve");
        }
        for time in TIMES {
            event.remove(time);
        }
        let mut about: Map<String, Value> =
            SUBJECT.iter().filter_map(|name| Some(((*name).to_owned(), event.get(*name)?.clone()))).collect();
        // The numbers of pauses follow the order in which branches come to them.
        if let Some(Value::String(pause)) = event.get("pause").cloned() {
            if let Event::PauseRequested { .. } = &record.event {
                pauses.insert(pause, Value::Object(about.clone()).to_string());
            } else if let Some(of) = pauses.get(&pause) {
                about.insert("of".to_owned(), Value::String(of.clone()));
            }
        }
        let about = Value::Object(about).to_string();
        found.entry(about).or_default().push_back((record.seq, Value::Object(event)));
    }
    found
}

/// Two logs of one run or turn, compared: their events by what they are about.
pub(crate) fn compared(
    run: &RunId,
    before: BTreeMap<String, VecDeque<(u64, Value)>>,
    mut now: BTreeMap<String, VecDeque<(u64, Value)>>,
) -> Replay {
    let mut report = Replay::new(run.clone());
    report.events = before.values().map(|events| events.len() as u64).sum();
    report.recomputed = now.values().map(|events| events.len() as u64).sum();
    for (about, events) in before {
        let mut others = now.remove(&about).unwrap_or_default();
        for (seq, event) in events {
            let other = others.pop_front();
            let mut place = EventReport { report: &mut report, seq, place: about.clone() };
            match other {
                Some((_, other)) if is_same(&event, &other) => {}
                Some((_, other)) => place.differs("event", event.to_string(), other.to_string()),
                None => place.differs("event", event.to_string(), "it does not happen"),
            }
        }
        for (_, other) in others {
            EventReport { report: &mut report, seq: 0, place: about.clone() }.differs(
                "event",
                "it did not happen",
                other.to_string(),
            );
        }
    }
    for (about, others) in now {
        for (_, other) in others {
            EventReport { report: &mut report, seq: 0, place: about.clone() }.differs(
                "event",
                "it did not happen",
                other.to_string(),
            );
        }
    }
    report
}

/// Whether two events are the same. Branches that pause side by side may number their pauses differently, and a form holds
/// its pause's number.
fn is_same(one: &Value, other: &Value) -> bool {
    if one == other {
        return true;
    }
    let (Some(mut left), Some(mut right)) = (one.as_object().cloned(), other.as_object().cloned()) else {
        return false;
    };
    if left.remove("pause") == right.remove("pause") {
        return false;
    }
    left.remove("form");
    right.remove("form");
    left == right
}

/// How many stages gave a document.
fn documents(pinned: &Pinned, records: &[Record]) -> u32 {
    let renders = |stage: &domain::StageId| {
        pinned.stage(stage).is_some_and(|stage| stage.kind == domain::agent::StageKind::Render)
    };
    let stages: BTreeSet<&domain::StageId> = records
        .iter()
        .filter_map(|record| match &record.event {
            Event::StageCompleted { stage, .. } if renders(stage) => Some(stage),
            _ => None,
        })
        .collect();
    stages.len() as u32
}
