//! What an id that a person gives names.

use domain::{ErrorCode, Problem, RunId, RunStatus};
use engine::turn::{KIND, no_run};
use protocol::{RunFound, RunKind, RunRef, TurnEvents};
use store::RunFilter;

use super::of_stages;
use crate::Conversations;

/// Statuses of runs that can be resumed.
const OPEN: [RunStatus; 4] = [RunStatus::Running, RunStatus::Paused, RunStatus::Suspended, RunStatus::Failed];
/// Runs and turns that the first characters of an id are compared with.
const LOOKED_AT: u32 = 1_000;
/// Events given at once.
const EVENT_PAGE: usize = 1_000;

impl Conversations {
    /// The staged run that a reference names; of a session its newest one.
    pub async fn find(&self, run: &RunRef) -> Result<RunId, Problem> {
        let found = self.named(run, &of_stages()).await?;
        match found.kind {
            RunKind::Run | RunKind::Mission => Ok(found.run),
            RunKind::Turn => Err(no_run(&found.run, &found.session)),
        }
    }

    /// The same for a command that gives something that only staged runs have.
    pub async fn find_for(&self, run: &RunRef, what: &str) -> Result<RunId, Problem> {
        let found = self.named(run, &of_stages()).await?;
        let RunFound { run, session, kind } = found;
        match kind {
            RunKind::Run | RunKind::Mission => Ok(run),
            RunKind::Turn => Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("{run} is a turn of the conversation {session} and has not {what}"),
            )
            .with_action(format!(
                "`agentnative show {run}` prints it, `agentnative export {session} --format markdown` writes the conversation"
            ))),
        }
    }

    /// The run or turn that a reference names; of a session its newest.
    pub async fn run_find(&self, run: &RunRef) -> Result<RunFound, Problem> {
        self.named(run, &RunFilter::default()).await
    }

    /// What a reference names; of a session the newest that passes `wanted`, else the newest of any kind.
    async fn named(&self, run: &RunRef, wanted: &RunFilter) -> Result<RunFound, Problem> {
        let none = || Problem::new(ErrorCode::NotFound, "there is no run yet".to_owned());
        match run {
            RunRef::Id(id) if id.trim() != "last" => self.by_id(id.trim(), wanted).await,
            RunRef::Last | RunRef::Id(_) => self.newest(&self.narrowed(of_stages())).await?.ok_or_else(none),
            RunRef::LastOpen => {
                let all = self.narrowed(of_stages());
                let last = self.newest(&all).await?.ok_or_else(none)?;
                let open = RunFilter { statuses: OPEN.iter().map(ToString::to_string).collect(), ..all };
                // The newest run counts even when it has finished: resuming it says so instead of waking an older one.
                Ok(self.newest(&open).await?.unwrap_or(last))
            }
        }
    }

    async fn by_id(&self, id: &str, wanted: &RunFilter) -> Result<RunFound, Problem> {
        let full = if id.starts_with("run-") { id.to_owned() } else { format!("run-{id}") };
        if let Ok(run) = self.env.store().get_run(&full).await {
            return Ok(found(run));
        }
        if self.env.store().get_session(id).await?.is_some() {
            let of = |filter: &RunFilter| RunFilter { session: Some(id.to_owned()), ..filter.clone() };
            let newest = match self.newest(&of(wanted)).await? {
                Some(newest) => Some(newest),
                None => self.newest(&of(&RunFilter::default())).await?,
            };
            return newest.ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, format!("nothing was asked in the session {id} yet"))
                    .with_action(format!("use `agentnative chat --session {id}`"))
            });
        }
        let page = self.env.store().list_runs(&self.narrowed(RunFilter::default()), None, LOOKED_AT).await?;
        let mut hits = page.runs.into_iter().filter(|run| run.id.starts_with(&full));
        match (hits.next(), hits.next()) {
            (Some(run), None) => Ok(found(run)),
            (Some(_), Some(_)) => Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("{id} names several runs; give more of the id"),
            )),
            (None, _) => Err(Problem::new(ErrorCode::NotFound, format!("there is no run {id}"))
                .with_action("`agentnative runs` lists them, `agentnative sessions list` conversations")),
        }
    }

    /// Refuses the id of a run or turn where a new session would get it as its name.
    pub async fn no_run_id(&self, session: &str) -> Result<(), Problem> {
        let Ok(run) = self.env.store().get_run(session).await else { return Ok(()) };
        let RunFound { run, session, kind } = found(run);
        Err(Problem::new(ErrorCode::InvalidInput, format!("{run} is a {kind} of the session {session}"))
            .with_action(format!("use `agentnative chat --session {session}`")))
    }

    /// Of the workspace alone: what is named by less than its id is looked for there.
    fn narrowed(&self, filter: RunFilter) -> RunFilter {
        RunFilter { workspace: Some(self.env.slug().to_owned()), ..filter }
    }

    async fn newest(&self, filter: &RunFilter) -> Result<Option<RunFound>, Problem> {
        Ok(self.env.store().latest_run(filter).await?.map(found))
    }

    /// Events of a turn, as they stand in the log; at most 1,000.
    pub async fn turn_events(&self, run: &RunId, after: u64) -> Result<TurnEvents, Problem> {
        let records = self.env.engine.turn_events(run, after).await?;
        let seq = records.last().map_or(after, |record| record.seq);
        let page = records.iter().take(EVENT_PAGE).map(serde_json::to_value);
        let events: Result<Vec<_>, _> = page.collect();
        let events = events.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
        Ok(TurnEvents { events, seq })
    }
}

fn found(run: store::Run) -> RunFound {
    let kind = if run.kind == KIND { RunKind::Turn } else { RunKind::Run };
    RunFound { run: RunId(run.id), session: run.session, kind }
}
