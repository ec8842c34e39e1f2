//! What a follow-up learns from the run before it.

use domain::RunId;
use serde_json::{Value, json};

use crate::core::engine::Engine;
use crate::core::stored::StoredRun;
use crate::run::values;

impl Engine {
    /// What a follow-up learns from the run before it; a warning where it can't. A request that does not stand alone is
    /// given with its `topic`, the question that it leans on, and as a `question` of both.
    pub(crate) async fn follow_up(
        &self,
        previous: &RunId,
        request: &str,
    ) -> (Option<String>, (u32, Option<Value>, Option<String>)) {
        let (session, topic, answer) = match self.load(previous).await {
            Ok(loaded) => {
                let session = loaded.state.start.as_ref().map(|start| start.session.0.clone());
                (session, self.topic(&loaded).await, self.answer_json(loaded).await)
            }
            Err(problem) => (None, String::new(), Err(problem)),
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
                let mut value = json!({
                    "number": context.number,
                    "hint": context.summary(),
                    "context": context.context_text(),
                    "paragraph_ids": context.paragraph_ids,
                    "sections": context.sections,
                    "changed": context.changed,
                });
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
