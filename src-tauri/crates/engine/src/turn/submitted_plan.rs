//! A plan that a program beside the conversation hands in: a turn of its own, over as soon as it is begun.

use dialogue::{Bounds, Event, Origin, PlanSubmission};
use domain::{AgentSlug, Problem, RunId, RunStatus, SessionId, SessionSetup, UserMessage};
use engine_types::{TurnUi, TurnUiKind};
use store::{NewRun, NewSession, RunFilter};

use super::journal::begun;
use super::pinned::Pinned;
use super::{KIND, show};
use crate::Engine;
use crate::core::ids;
use crate::core::problem::internal;

/// A plan for the person to accept or to refine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedPlan {
    /// The session that it is for; it has to be there.
    pub session: SessionId,
    /// What the session is set to.
    pub setup: SessionSetup,
    /// What the plan is for.
    pub title: String,
    /// The plan, Markdown.
    pub text: String,
    /// Its file.
    pub path: String,
}

impl Engine {
    /// One commit holds the whole turn: nobody ever finds half of it.
    pub(super) async fn take_plan(&self, plan: SubmittedPlan) -> Result<RunId, Problem> {
        let SubmittedPlan { session, setup, title, text, path } = plan;
        let _gate = self.turns().gate(&session.0).await;
        self.only_one(&session, false)?;
        let filter = RunFilter { session: Some(session.0.clone()), ..RunFilter::default() };
        let previous = self.latest(&filter).await?;
        let words = format!("Plan: {title}");
        let create = NewRun {
            session: NewSession { id: session.0.clone(), title: words.clone(), ..NewSession::default() },
            agent: setup.agent.clone(),
            status: RunStatus::Running.to_string(),
            title: words.clone(),
            words: words.clone(),
            previous_run: previous.as_ref().map(|run| run.0.clone()),
            kind: KIND.to_owned(),
            ..NewRun::default()
        };
        let run = ids::run_id();
        let mut journal = begun(run.clone(), self.parts().store.clone(), create);
        let message = UserMessage { text: words.clone(), ..UserMessage::default() };
        let digest = journal.blobs.put_json(&message)?;
        // No model is asked, so the turn depends on none.
        let pinned = Pinned {
            connection: String::new(),
            model: String::new(),
            model_info: llm::ModelInfo::free("", "", 1, 1),
            system: String::new(),
            tools: Vec::new(),
            effort: None,
            notes: Vec::new(),
        };
        let depends = journal.blobs.put_json(&pinned)?;
        journal.push(Event::TurnStarted {
            session: session.clone(),
            agent: (!setup.agent.is_empty()).then(|| AgentSlug(setup.agent.clone())),
            origin: Origin::Plan(Box::new(PlanSubmission { title, text, path })),
            message: digest,
            previous,
            pinned: depends,
            mode: setup.mode,
            bounds: Bounds::default(),
        })?;
        for ended in journal.state.decide() {
            journal.push(ended)?;
        }
        if journal.state.end.is_none() {
            return Err(internal("a plan that was handed in did not end its turn"));
        }
        let line = show::line(&mut journal, &pinned).await?;
        journal.commit(line).await?;
        let head = show::head(&mut journal, &pinned, false).await?;
        let seq = journal.committed();
        let (steps, replaced) = (Vec::new(), Vec::new());
        let kind = TurnUiKind::Changed { head: Box::new(head), steps, message: Some(message), replaced };
        // Nobody may be looking.
        let _ = self.turns_ui().send(TurnUi { run: run.clone(), session, seq, kind });
        Ok(run)
    }
}
