//! What a follow-up learns from the run before it.

use domain::{EarlierAnswer, Problem, RunId, StageId};
use pipeline::{Action, PauseKind};
use serde_json::{Map, Value, json};

use crate::core::engine::Engine;
use crate::core::stored::StoredRun;
use crate::run::driver::Driver;
use crate::run::evaluate::stage_of;
use crate::run::form::{offered, questions};
use crate::run::pinned::Pinned;
use crate::run::state_view::instant;
use crate::run::values;

impl Engine {
    /// What a follow-up learns from the run before it; a warning where it can't. A request that does not stand alone is
    /// given with its `topic`, the question that it leans on, and as a `question` of both. `goes_on`: what it pins, where it
    /// may go on past its plan by itself; it does with the agent and the base of the run before it, while that one's sources
    /// say what they said.
    pub(crate) async fn follow_up(
        &self,
        previous: &RunId,
        request: &str,
        goes_on: Option<&Pinned>,
    ) -> (Option<String>, (u32, Option<Value>, Option<String>)) {
        let (session, topic, pauses, mut earlier, answer) = match self.load(previous).await {
            Ok(loaded) => {
                let session = loaded.state.start.as_ref().map(|start| start.session.0.clone());
                let pauses = goes_on.filter(|now| is_same(now, &loaded.pinned)).map(|_| decisions(&loaded));
                let (topic, earlier) = (self.topic(&loaded).await, earlier(&loaded));
                (session, topic, pauses, earlier, self.answer_json(loaded).await)
            }
            Err(problem) => (None, String::new(), None, EarlierAnswer::default(), Err(problem)),
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(problem) => {
                return (
                    session,
                    (1, None, Some(format!("the earlier answer could not be read: {}", problem.message))),
                );
            }
        };
        match answers::FollowUpContext::from_answer(answer.as_ref()) {
            Ok(mut context) => {
                context.changed = self.changed_since(answer.as_ref()).await;
                let title = answer.as_ref().and_then(|answer| answer.get("title")?.as_str());
                earlier.title = title.unwrap_or_default().to_owned();
                let mut value = json!({
                    "number": context.number,
                    "hint": context.summary(),
                    "context": context.context_text(),
                    "paragraph_ids": context.paragraph_ids,
                    "sections": context.sections,
                    "changed": context.changed,
                    "earlier": earlier,
                });
                if let Some(pauses) = pauses.filter(|_| context.changed.is_empty()) {
                    value["pauses"] = Value::Object(pauses);
                }
                if answers::leans(request) && !topic.is_empty() {
                    value["question"] = json!(answers::standalone(&topic, request));
                    value["topic"] = json!(topic);
                }
                (session, (context.number, Some(value), None))
            }
            Err(error) => (session, (1, None, Some(error.to_string()))),
        }
    }

    /// What a run was about, as one question that stands alone: its request, behind the one that it leans on. `and why?` is
    /// about no more than the question before it.
    async fn topic(&self, run: &StoredRun) -> String {
        let request = run.state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default();
        let context = match run.state.follow_up.as_ref().and_then(|follow_up| follow_up.context) {
            Some(digest) => values::read(&self.parts().store, digest).await.ok(),
            None => None,
        };
        let named = if answers::names_subject(&request) { "question" } else { "topic" };
        context.and_then(|context| context.get(named)?.as_str().map(str::to_owned)).unwrap_or(request)
    }

    /// What of an earlier answer's sources is another text now.
    async fn changed_since(&self, answer: Option<&Value>) -> Vec<String> {
        let records = answer.and_then(|answer| answer.get("sentences")?.get("records")).cloned();
        let records = records.and_then(|records| serde_json::from_value::<Vec<_>>(records).ok());
        match (&self.parts().recheck, records) {
            (Some(recheck), Some(records)) => recheck.changed(&records).await,
            _ => Vec::new(),
        }
    }
}

/// Whether a follow-up asks the agent and the base that the run before it asked.
fn is_same(now: &Pinned, before: &Pinned) -> bool {
    let base = |pinned: &Pinned| pinned.corpus.as_ref().map(|corpus| corpus.base.clone());
    now.config.slug == before.config.slug && base(now) == base(before)
}

/// How a run went on past the pauses of its stages: the last choice at each, by the stage's id.
fn decisions(run: &StoredRun) -> Map<String, Value> {
    let answered = run.state.pauses.iter().filter(|pause| pause.kind == PauseKind::Stage);
    let went_on = answered.filter_map(|pause| {
        let decision = pause.decision.as_ref()?;
        let goes_on = matches!(decision.action, Action::Proceed | Action::Skip { .. });
        goes_on.then(|| (pause.stage.0.clone(), json!(decision.choice)))
    });
    went_on.collect()
}

/// What names a run's answer, but for its title.
fn earlier(run: &StoredRun) -> EarlierAnswer {
    let asked = run.records.first().map(|record| instant(record.at)).unwrap_or_default();
    EarlierAnswer {
        run: run.run.0.clone(),
        question: run.state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default(),
        asked: asked.chars().take_while(|c| *c != 'T').collect(),
        agent: run.pinned.config.name.clone(),
        title: String::new(),
    }
}

impl Driver {
    /// The choice with which a follow-up goes on past a pause by itself: the one with which the run before it did, else the
    /// default. None where the person wants pauses, and where only they can decide: something is asked, the agent says so, or
    /// what comes first can't be done.
    pub(crate) async fn choice_of_follow_up(
        &mut self,
        kind: &PauseKind,
        stage: &StageId,
    ) -> Result<Option<String>, Problem> {
        let context = self.state().follow_up.as_ref().and_then(|follow_up| follow_up.context);
        // What the person had made anew is shown to them, as their choice said.
        let amended = self.state().pauses.iter().any(|pause| {
            pause.stage == *stage
                && pause.decision.as_ref().is_some_and(|decision| decision.action == Action::Amend)
        });
        let Some(context) = context.filter(|_| *kind == PauseKind::Stage && !amended) else {
            return Ok(None);
        };
        self.load_values().await?;
        let before = self.values.get(context).and_then(|context| context.get("pauses"));
        let Some(before) = before.map(|pauses| pauses.get(stage.as_str()).cloned()) else { return Ok(None) };
        let stage = stage_of(&self.pinned, stage)?.clone();
        let (asked, offers) =
            self.evaluate(|evaluation| Ok((questions(evaluation, &stage)?, offered(evaluation, &stage)?)))?;
        let mut ways = offers.iter().filter(|offer| offer.choice.goes_on());
        let known = ways.clone().find(|offer| {
            offer.unavailable.is_none()
                && Some(offer.choice.id.as_str()) == before.as_ref().and_then(Value::as_str)
        });
        let default = ways.clone().next().filter(|_| ways.all(|offer| offer.unavailable.is_none()));
        let needs_person = !asked.is_empty() || stage.pause.as_ref().is_some_and(|pause| pause.needs_person);
        let choice = known.or(default).filter(|_| !needs_person);
        Ok(choice.map(|offer| offer.choice.id.clone()))
    }
}
