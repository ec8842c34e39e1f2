//! What a follow-up learns from the run before it.

use domain::RunId;
use serde_json::{Value, json};

use crate::core::engine::Engine;

impl Engine {
    /// What a follow-up learns from the run before it; a warning where it can't.
    pub(crate) async fn follow_up(
        &self,
        previous: &RunId,
    ) -> (Option<String>, (u32, Option<Value>, Option<String>)) {
        let answer = match self.load(previous).await {
            Ok(loaded) => {
                let session = loaded.state.start.as_ref().map(|start| start.session.0.clone());
                let answer = self.answer_json(loaded).await;
                (session, answer)
            }
            Err(problem) => (None, Err(problem)),
        };
        let (session, answer) = answer;
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
                let value = json!({
                    "number": context.number,
                    "hint": context.hint(),
                    "context": context.context_text(),
                    "paragraph_ids": context.paragraph_ids,
                    "sections": context.sections,
                    "changed": context.changed,
                });
                (session, (context.number, Some(value), None))
            }
            Err(error) => (session, (1, None, Some(error.to_string()))),
        }
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
