//! Files of a mission, derived from its log: the report, the graph, the events.

use std::path::{Path, PathBuf};

use domain::{Digest, Problem, RunId, RunStatus};
use evidence_graph::{many, open_questions};
use missions::{Event, InvocationKey, InvocationStatus, PauseKind, State};
use serde_json::json;
use store::Store;

use super::driver::MissionDriver;
use super::view::dimension_word;
use crate::core::payloads::Payloads as _;
use crate::core::problem::store as store_problem;
use crate::run::exports::{pretty, save};

/// The report, as the mission's log names it.
pub(super) const REPORT: &str = "mission-report.md";
/// The kind of what an agent found.
const FINDINGS: &str = "findings";

/// Where a mission's files are in its session's folder. A session may hold several missions, one that goes on with another
/// or writes another report: the files of the first have the plain names, those of later ones its number besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileNames {
    /// Which mission of its session it is, from 1.
    number: usize,
}

impl FileNames {
    /// Those of a stored mission. Missions of a session are counted in the order in which they were created.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn find(store: &Store, session: &str, mission: &RunId) -> Result<Self, Problem> {
        let links = store.run_links(session).await.map_err(store_problem)?;
        let mut missions = links.iter().filter(|link| link.kind == super::KIND);
        Ok(Self { number: missions.position(|link| link.id == mission.0).map_or(1, |at| at + 1) })
    }

    /// The name of a file of the mission: `stem` itself, or with its number.
    pub fn numbered(self, stem: &str, extension: &str) -> String {
        match self.number {
            0 | 1 => format!("{stem}{extension}"),
            number => format!("{stem}-{number}{extension}"),
        }
    }

    /// The report.
    pub(super) fn report(self) -> String {
        self.numbered("mission-report", ".md")
    }

    fn graph(self) -> String {
        self.numbered("data/graph", ".jsonl")
    }

    fn state(self) -> String {
        self.numbered("data/mission-state", ".json")
    }

    fn findings(self, name: &str) -> String {
        format!("{}/{name}", self.numbered("data/findings", ""))
    }

    /// A file by its kind and its name in the log.
    pub(super) fn path(self, kind: &str, name: &str) -> String {
        if kind == FINDINGS { self.findings(name) } else { self.report() }
    }
}

/// Digest of the accepted report's text.
fn accepted(state: &State) -> Option<Digest> {
    let (index, _) = state.accepted.as_ref()?;
    state.drafts.get(*index).map(|draft| draft.report)
}

/// Path of the accepted report's file. `restore` writes it again if it is gone, since a process can die between the commit of
/// the end and the file, or if the report of another mission stands there. A mission that is driven writes its files itself.
pub(super) async fn report(path: PathBuf, state: &State, store: &Store, restore: bool) -> Option<PathBuf> {
    let digest = accepted(state)?;
    if restore && !is_report(&path, digest, store).await {
        let restored = async { save(&path, &store.payload(digest).await?).await };
        if let Err(problem) = restored.await {
            tracing::warn!("{}: {problem}", path.display());
        }
    }
    path.is_file().then_some(path)
}

/// Writes what agents found, each where no file has its name yet. Missions of earlier versions gave the files of a second
/// mission of a session the names of the first one's.
pub(super) async fn write_findings(
    folder: &Path,
    names: FileNames,
    state: &State,
    store: &Store,
) -> Result<(), Problem> {
    for file in state.artifacts.values().filter(|file| file.kind == FINDINGS) {
        let path = folder.join(names.findings(&file.name));
        if !path.is_file() {
            let value = crate::run::values::read(store, file.sha256).await?;
            save(&path, pretty(&value).as_bytes()).await?;
        }
    }
    Ok(())
}

/// Whether a file may be the mission's report. Missions of earlier versions wrote theirs over that of the session's first one;
/// a text that no mission wrote is the user's.
async fn is_report(path: &Path, report: Digest, store: &Store) -> bool {
    let Ok(bytes) = tokio::fs::read(path).await else { return false };
    let found = Digest::of(&bytes);
    found == report || store.payload(found).await.is_err()
}

impl MissionDriver {
    /// Writes the files as they have to be now.
    pub(super) async fn write_files(&mut self) -> Result<(), Problem> {
        if self.journal.committed() == 0 || !self.journal.pending().is_empty() {
            return Ok(());
        }
        let Some(folder) = self.folder() else { return Ok(()) };
        let session =
            self.journal.state.start.as_ref().map(|start| start.session.0.clone()).unwrap_or_default();
        let names = FileNames::find(&self.engine.parts().store, &session, &self.journal.run).await?;
        let graph = evidence_graph::to_jsonl(&self.graph);
        save(&folder.join(names.graph()), graph.as_bytes()).await?;
        let state = json!({
            "mission": self.journal.run, "status": RunStatus::from(self.journal.state.status()),
            "criteria": self.journal.state.criteria, "facts": self.journal.state.facts,
        });
        save(&folder.join(names.state()), pretty(&state).as_bytes()).await?;
        write_findings(&folder, names, &self.journal.state, &self.engine.parts().store).await?;
        if let Some(report) = accepted(&self.journal.state) {
            let text = self.journal.blobs.text(report).await?;
            save(&folder.join(names.report()), text.as_bytes()).await?;
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
            many(open_questions(&self.graph).len() as u32, "open question")
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
