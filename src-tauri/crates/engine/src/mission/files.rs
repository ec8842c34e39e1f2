//! Files of a mission, derived from its log: the report, the graph, the events.

use std::path::{Path, PathBuf};

use domain::{Digest, Problem, RunStatus};
use evidence_graph::{many, open_questions};
use missions::{Event, InvocationKey, InvocationStatus, PauseKind, State};
use serde_json::{Value, json};
use store::Store;

use super::driver::MissionDriver;
use super::view::dimension_word;
use crate::core::payloads::Payloads as _;
use crate::run::exports::{pretty, save};

/// The report, in the session's folder.
pub(super) const REPORT: &str = "mission-report.md";
/// The kind of what an agent found.
const FINDINGS: &str = "findings";

/// Digest of the accepted report's text.
fn accepted(state: &State) -> Option<Digest> {
    let (index, _) = state.accepted.as_ref()?;
    state.drafts.get(*index).map(|draft| draft.report)
}

/// Path of the accepted report's file. `restore` writes it again if it is gone: a process can die between the commit of the
/// end and the file. A mission that is driven writes its files itself.
pub(super) async fn report(folder: &Path, state: &State, store: &Store, restore: bool) -> Option<PathBuf> {
    let digest = accepted(state)?;
    let path = folder.join(REPORT);
    if restore && !path.is_file() {
        let restored = async { save(&path, &store.payload(digest).await?).await };
        if let Err(problem) = restored.await {
            tracing::warn!("{}: {problem}", path.display());
        }
    }
    path.is_file().then_some(path)
}

impl MissionDriver {
    /// Writes the files as they have to be now.
    pub(super) async fn write_files(&mut self) -> Result<(), Problem> {
        if self.journal.committed() == 0 || !self.journal.pending().is_empty() {
            return Ok(());
        }
        let Some(folder) = self.folder() else { return Ok(()) };
        let graph = evidence_graph::to_jsonl(&self.graph);
        save(&folder.join("data").join("graph.jsonl"), graph.as_bytes()).await?;
        let state = json!({
            "mission": self.journal.run, "status": RunStatus::from(self.journal.state.status()),
            "criteria": self.journal.state.criteria, "facts": self.journal.state.facts,
        });
        save(&folder.join("data").join("mission-state.json"), pretty(&state).as_bytes()).await?;
        let found = self.journal.state.artifacts.values().filter(|file| file.kind == FINDINGS);
        let found: Vec<(String, Digest)> = found.map(|file| (file.name.clone(), file.sha256)).collect();
        for (name, digest) in found {
            let path = folder.join("data").join(FINDINGS).join(name);
            if !path.is_file() {
                let value: Value = self.journal.blobs.json(digest).await?;
                save(&path, pretty(&value).as_bytes()).await?;
            }
        }
        if let Some(report) = accepted(&self.journal.state) {
            let text = self.journal.blobs.text(report).await?;
            save(&folder.join(REPORT), text.as_bytes()).await?;
        }
        Ok(())
    }

    /// Records what an invocation found as a file of the mission.
    pub(super) fn register_findings(&mut self, key: InvocationKey) -> Result<(), Problem> {
        let Some(of) = self.journal.state.invocations.get(&key) else { return Ok(()) };
        let InvocationStatus::Settled(output) = of.status else { return Ok(()) };
        let name = format!("{}-{}-{}.json", of.agent, key.iteration, key.slot);
        let request = of.request.into_iter().collect();
        self.register(FINDINGS, name, output, Some(key), request)
    }

    /// Records a file of the mission, once.
    pub(super) fn register(
        &mut self,
        kind: &str,
        name: String,
        sha256: Digest,
        by: Option<InvocationKey>,
        inputs: Vec<Digest>,
    ) -> Result<(), Problem> {
        let id = format!("{kind}/{name}");
        if self.journal.state.artifacts.contains_key(&id) {
            return Ok(());
        }
        let kind = kind.to_owned();
        self.journal.push(Event::ArtifactRegistered { id, sha256, kind, name, by, inputs })
    }

    fn folder(&self) -> Option<PathBuf> {
        let start = self.journal.state.start.as_ref()?;
        Some(self.engine.parts().home.join("sessions").join(&start.session.0))
    }

    /// One line on how the mission stands, for lists.
    pub(super) fn line(&self) -> String {
        let state = &self.journal.state;
        let counts = state.facts.counts;
        let known = format!(
            "{}, {}",
            many(counts.supported_claims, "supported claim"),
            many(open_questions(&self.graph), "open question")
        );
        match state.status() {
            missions::Status::Completed => format!("Report written: {known}"),
            missions::Status::Failed => {
                state.problem.as_ref().map(|problem| problem.message.clone()).unwrap_or_default()
            }
            missions::Status::Paused => {
                state.open_pauses().next().map_or_else(String::new, |pause| waits_for(&pause.kind))
            }
            missions::Status::Empty
            | missions::Status::Running
            | missions::Status::Suspended
            | missions::Status::Cancelled => match state.iteration {
                0 => "Planning".to_owned(),
                iteration => format!("Iteration {iteration}: {known}"),
            },
        }
    }
}

/// What the user is asked for, in a few words.
fn waits_for(kind: &PauseKind) -> String {
    match kind {
        PauseKind::Plan => "Plan to confirm".to_owned(),
        PauseKind::Limit { dimension } => format!("Limit reached: {}", dimension_word(dimension)),
        PauseKind::NoProgress => "Nothing new was found".to_owned(),
        PauseKind::Hosts { hosts } => format!("Web hosts to decide: {}", hosts.len()),
        PauseKind::Child { .. } => "An agent asks you".to_owned(),
    }
}
