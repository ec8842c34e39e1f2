//! What the agents of a mission do, call by call: what is searched, read and asked, how it ended, what it cost.

use std::collections::{BTreeMap, BTreeSet};

use app::{AnyClient, UiEvent, UiKind};
use domain::RunId;
use pipeline::{CallKey, Event};
use protocol::Client;

/// The calls of a mission's agents.
#[derive(Default)]
pub(super) struct Calls {
    /// The agents' names by their runs.
    agents: BTreeMap<RunId, String>,
    /// Runs of something else.
    others: BTreeSet<RunId>,
    /// What each call does, in words.
    titles: BTreeMap<(RunId, CallKey), String>,
}

impl Calls {
    /// What an event of a run says, where an agent of the mission does or ends something in it.
    pub(super) async fn describe(
        &mut self,
        client: &AnyClient,
        mission: &RunId,
        event: &UiEvent,
    ) -> Option<String> {
        let agent = self.agent(client, mission, &event.run).await?;
        match &event.kind {
            UiKind::Progress { text, .. } if !text.is_empty() => Some(format!("{agent}: {text}")),
            UiKind::Event { record } => {
                self.ended(&event.run, &record.event).map(|words| format!("{agent}: {words}"))
            }
            UiKind::Waiting { ms, problem, .. } => {
                let seconds = *ms as f64 / 1_000.0;
                Some(format!("{agent}: {}; next attempt in {seconds:.1} s", problem.message))
            }
            _ => None,
        }
    }

    /// The name of the agent that a run is of.
    async fn agent(&mut self, client: &AnyClient, mission: &RunId, run: &RunId) -> Option<String> {
        if !self.agents.contains_key(run) && !self.others.contains(run) {
            let view = client.mission_show(mission.0.clone()).await.ok()?;
            let named = view.invocations.into_iter().filter_map(|one| Some((one.run?, one.name)));
            self.agents.extend(named);
            if !self.agents.contains_key(run) {
                self.others.insert(run.clone());
            }
        }
        self.agents.get(run).cloned()
    }

    fn ended(&mut self, run: &RunId, event: &Event) -> Option<String> {
        if let Event::StagePlanned { stage, attempt, wave, calls, .. } = event {
            for (item, call) in calls.iter().enumerate() {
                let item = u32::try_from(item).unwrap_or(u32::MAX);
                let key = CallKey { stage: stage.clone(), attempt: *attempt, wave: *wave, item };
                self.titles.insert((run.clone(), key), call.title.clone());
            }
        }
        let seconds = |ms: &u64| *ms as f64 / 1_000.0;
        let (key, outcome) = match event {
            Event::ToolCallCompleted { key, ms, .. } => (key, format!("done, {:.1} s", seconds(ms))),
            Event::ModelCallCompleted { key, usage, cost, ms, .. } => {
                (key, format!("done, {:.1} s, {} tokens, {cost}", seconds(ms), usage.total()))
            }
            Event::ToolCallFailed { key, problem, .. } => (key, format!("failed: {}", problem.message)),
            Event::ModelCallFailed { key, problem, cost, .. } => {
                (key, format!("failed: {} ({cost})", problem.message))
            }
            Event::CallReused { key, .. } => (key, "taken over, nothing was paid".to_owned()),
            _ => return None,
        };
        let title = self.titles.get(&(run.clone(), key.clone())).map_or(key.stage.0.as_str(), String::as_str);
        Some(format!("{title}: {outcome}"))
    }
}
