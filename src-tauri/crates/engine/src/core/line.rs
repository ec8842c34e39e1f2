//! One line on how a run stands, for lists of sessions and runs. Made from the state and the agent's own words.

use domain::Problem;
use engine_types::{Form, FormKind};
use pipeline::{Phase, State, Status};
use serde_json::Value;

use crate::run::driver::Driver;
use crate::run::pinned::Pinned;

/// The longest line, in characters.
const MAX_LINE_CHARS: usize = 200;

impl Driver {
    /// The line for a status.
    pub(crate) async fn line(&mut self, status: Status) -> Result<String, Problem> {
        let state = self.state();
        let line = match status {
            Status::Paused => match self.open_form().await? {
                Some(form) => waiting(&form),
                None => "Waits for you".to_owned(),
            },
            Status::Empty | Status::Running => current(state, &self.pinned),
            Status::Suspended => format!("Stopped: {}", current(state, &self.pinned)),
            Status::Completed => self.rendered().map_or_else(
                || "Completed".to_owned(),
                |stage| {
                    let output = state.stage(&stage).and_then(|stage| self.values.get(stage.output?));
                    verified(output.map(|output| &**output))
                },
            ),
            Status::Failed => state
                .failure
                .as_ref()
                .map_or_else(|| "Failed".to_owned(), |(_, problem)| problem.message.clone()),
            Status::Cancelled => "Cancelled".to_owned(),
        };
        Ok(one_line(&line))
    }

    async fn open_form(&mut self) -> Result<Option<Form>, Problem> {
        let Some(digest) = self.state().open_pauses().find_map(|pause| pause.form) else { return Ok(None) };
        let form = match self.values.get(digest) {
            Some(value) => (**value).clone(),
            None => crate::run::values::read(&self.parts.store, digest).await?,
        };
        Ok(serde_json::from_value(form).ok())
    }
}

/// What a pause waits for: its meter or status, and how much is asked.
fn waiting(form: &Form) -> String {
    let head = match (form.kind, &form.meter, &form.status) {
        (FormKind::Ambiguous, ..) => format!("Interrupted call: {}", form.title),
        (FormKind::Budget, ..) => format!("Budget reached: {}", form.title),
        (FormKind::Permission, ..) => format!("Permission needed: {}", form.title),
        (FormKind::Handoff, ..) => format!("Context nearly full: {}", form.title),
        (FormKind::Gate, ..) => format!("Gate not passed: {}", form.title),
        (FormKind::Dialogue, ..) => format!("{}: {}", form.title, form.markdown),
        (FormKind::Stage, Some(meter), _) => format!("{} {:.0}%", meter.label, meter.value * 100.0),
        (FormKind::Stage, None, Some(status)) => format!("{}: {status}", form.title),
        (FormKind::Stage, None, None) => form.title.clone(),
    };
    match form.questions.len() {
        0 => head,
        1 => format!("{head}: 1 question"),
        many => format!("{head}: {many} questions"),
    }
}

/// The stage under way, else the next one.
pub(crate) fn current(state: &State, pinned: &Pinned) -> String {
    let stages = || pinned.config.control_flow.stages.iter().zip(&state.stages);
    let running = stages().rfind(|(_, stage)| stage.phase == Phase::Running);
    let next = || stages().find(|(_, stage)| stage.phase == Phase::Pending);
    running.or_else(next).map(|(config, _)| config.title.clone()).unwrap_or_default()
}

/// What a document's checks found, from the render stage's output.
fn verified(output: Option<&Value>) -> String {
    let headline = output.and_then(|output| output.get("headline")?.get("text")?.as_str());
    if let Some(headline) = headline {
        return headline.to_owned();
    }
    let verdicts = output.and_then(|output| output.get("verdicts")).and_then(Value::as_object);
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    let total: u64 = verdicts.into_iter().flat_map(|verdicts| verdicts.values()).map(count).sum();
    let verified = verdicts.and_then(|verdicts| verdicts.get("verified")).map_or(0, count);
    match total {
        0 => "Completed".to_owned(),
        1 => format!("{verified} of 1 citation verified"),
        total => format!("{verified} of {total} citations verified"),
    }
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_LINE_CHARS {
        line
    } else {
        line.chars().take(MAX_LINE_CHARS - 1).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(more: Value) -> Form {
        let mut form = json!({
            "pause": "p", "stage": "0", "title": "Plan", "kind": "stage", "markdown": "", "questions": [],
            "choices": [], "editable": false
        });
        form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(form).unwrap()
    }

    #[test]
    fn a_pause_says_how_far_it_is_and_what_it_asks() {
        let meter = json!({ "label": "Clarity", "value": 0.64, "threshold": 0.8 });
        assert_eq!(
            waiting(&form(json!({ "meter": meter, "questions": ["a", "b"] }))),
            "Clarity 64%: 2 questions"
        );
        assert_eq!(waiting(&form(json!({ "meter": meter, "status": "x" }))), "Clarity 64%");
        assert_eq!(
            waiting(&form(json!({ "status": "CONFIRMED", "questions": ["a"] }))),
            "Plan: CONFIRMED: 1 question"
        );
        assert_eq!(waiting(&form(json!({ "kind": "budget" }))), "Budget reached: Plan");
        assert_eq!(waiting(&form(json!({}))), "Plan");
    }

    #[test]
    fn a_document_says_what_was_verified() {
        assert_eq!(
            verified(Some(&json!({ "verdicts": { "verified": 40, "missing": 2 } }))),
            "40 of 42 citations verified"
        );
        assert_eq!(verified(Some(&json!({ "verdicts": { "verified": 1 } }))), "1 of 1 citation verified");
        assert_eq!(verified(Some(&json!({}))), "Completed");
        assert_eq!(verified(None), "Completed");
    }

    #[test]
    fn a_line_is_one_line_of_bounded_length() {
        assert_eq!(one_line(" a\n b "), "a b");
        assert_eq!(one_line(&"x".repeat(500)).chars().count(), MAX_LINE_CHARS);
    }
}
