//! Gates: repair units whose outcome the person or a rule decides. What is shown at one, how it is answered, and whether a
//! repair made progress.

use std::collections::BTreeMap;

use context::Scope;
use domain::Problem;
use domain::agent::{ChoiceAction, Stage};
use engine_types::{Answered, Reply};
use pipeline::{Action, Attempt, CallKey, Event, Pause, RepairEnd};
use serde_json::{Map, Value, json};

use crate::run::answer::{FixedChoice, decided, named_choice, undecided};
use crate::run::driver::Driver;
use crate::run::evaluate::{Evaluation, wrong};

/// Characters of what a check found that are shown.
const MAX_FOUND_CHARS: usize = 4_000;

const CERTIFY: &str = "certify";
const AGAIN: &str = "again";
const CANCEL: &str = "cancel";

/// What a gate offers. The first is what a run does that nobody attends to.
pub(super) const CHOICES: [FixedChoice; 3] = [
    (
        CERTIFY,
        "Accept as it stands",
        ChoiceAction::Proceed,
        "Goes on with the best attempt; the document says that it is certified with limitations.",
        &["accept*", "certify", "as it stands", "akzeptier*"],
    ),
    (
        AGAIN,
        "One more attempt",
        ChoiceAction::Proceed,
        "Repairs the best attempt once more, with what you write, and stops here again if the check still does not pass.",
        &["again", "retry", "attempt", "repair", "nochmal", "noch einmal"],
    ),
    (CANCEL, "Cancel", ChoiceAction::Cancel, "Ends the run. It can't be resumed.", &[]),
];

/// What is shown at a gate: why its repairs ended, each attempt with its scores, and what the check found last.
pub(super) fn message(evaluation: &Evaluation<'_>, stage: &Stage, unit: u32) -> String {
    let state = evaluation.state;
    let gate = state.graph.repair_units.get(unit as usize);
    let name = gate.and_then(|gate| gate.title.clone().or_else(|| gate.name.clone()));
    let name = name.unwrap_or_else(|| stage.title.clone());
    let (reason, chosen) =
        state.repairs.get(&unit).map_or((None, 0), |ended| (Some(ended.reason), ended.chosen));
    let why = match reason {
        Some(RepairEnd::NoGain) => "The last repair made too little progress.",
        Some(RepairEnd::Budget) => "The budget left no room for another repair.",
        Some(RepairEnd::Failed) => "A repair failed before it could be checked.",
        Some(RepairEnd::Exhausted) | None => "No further repair is allowed.",
    };
    let mut out = vec![format!("**Gate not passed** - {name}\n\nThe check does not pass. {why}")];
    let check = state.stage(&stage.id);
    let attempts: Vec<String> = check
        .into_iter()
        .flat_map(|check| check.present_attempts())
        .map(|attempt| {
            let stands = if attempt.iteration == chosen { " (the best; it stands now)" } else { "" };
            format!("- {}: {}{stands}", title(attempt), percents(&attempt.scores))
        })
        .collect();
    if !attempts.is_empty() {
        out.push(format!("**Attempts**\n\n{}", attempts.join("\n")));
    }
    let found = check
        .and_then(|check| evaluation.values.get(check.history.last()?.output))
        .and_then(|output| output.get("feedback")?.as_str().map(str::trim).map(str::to_owned))
        .filter(|found| !found.is_empty());
    if let Some(found) = found {
        let shown: String = found.chars().take(MAX_FOUND_CHARS).collect();
        out.push(format!("**What the check found last**\n\n{shown}"));
    }
    if let Some(problem) = failure(evaluation, unit).filter(|_| reason == Some(RepairEnd::Failed)) {
        out.push(format!("**Why the repair failed**\n\n{}", problem.message));
    }
    out.join("\n\n")
}

/// The last failed call of a unit's stages in the attempt that they made last.
fn failure<'a>(evaluation: &'a Evaluation<'_>, unit: u32) -> Option<&'a Problem> {
    let state = evaluation.state;
    let stages = &state.graph.repair_units.get(unit as usize)?.stages;
    let calls = state.calls.iter().filter(|(key, _)| stages.contains(&key.stage));
    let failed = calls.filter_map(|(key, call)| Some((key, call.status.result()?.err()?)));
    let last = |key: &CallKey| state.stage(&key.stage).is_some_and(|stage| stage.attempt == key.attempt);
    failed.filter(|(key, _)| last(key)).map(|(_, problem)| problem).next_back()
}

fn title(attempt: &Attempt) -> String {
    match attempt.iteration {
        0 => "First attempt".to_owned(),
        number => format!("Repair {number}"),
    }
}

/// Scores by axis; without any, that there are none.
fn percents(scores: &BTreeMap<String, i64>) -> String {
    let one = |(axis, score): (&String, &i64)| format!("{axis} {:.0} %", *score as f64 / 1e4);
    let all: Vec<String> = scores.iter().map(one).collect();
    if all.is_empty() { "no scores".to_owned() } else { all.join(", ") }
}

impl Evaluation<'_> {
    /// Whether a repair made enough progress, where its unit has a rule for it: compared is the check before it.
    pub(super) fn progress(
        &self,
        stage: &Stage,
        scores: &BTreeMap<String, i64>,
        scope: &Scope,
    ) -> Result<Option<bool>, Problem> {
        let unit = self.state.graph.repair_units.iter().find(|unit| unit.stages.last() == Some(&stage.id));
        let Some(rule) = unit.and_then(|unit| unit.progress.as_ref()) else { return Ok(None) };
        let check = self.state.stage(&stage.id).filter(|check| check.iteration > 0);
        let Some(before) = check.and_then(|check| check.present_attempts().next_back()) else {
            return Ok(None);
        };
        // An axis without a score is none, so that a rule can ask for it.
        let axes = stage.pass.iter().flat_map(|rule| rule.scores.keys());
        let by_axis = |scores: &BTreeMap<String, i64>| -> Map<String, Value> {
            let score =
                |axis: &String| scores.get(axis).map_or(Value::Null, |score| json!(*score as f64 / 1e6));
            axes.clone().map(|axis| (axis.clone(), score(axis))).collect()
        };
        let mut scope = scope.clone();
        scope.set("scores", &json!({ "last": by_axis(scores), "before": by_axis(&before.scores) }));
        self.templates.truthy(rule, &scope).map(Some).map_err(|error| wrong(stage, &error))
    }
}

impl Driver {
    /// Accepts what stands, allows one more attempt, or ends the run. Words that name none of them decide nothing: what an
    /// attempt costs, and what is let through, has to be meant.
    pub(super) fn answer_gate(&mut self, pause: &Pause, reply: &Reply) -> Result<Answered, Problem> {
        let (choice, words) = match named_choice(reply, &CHOICES)? {
            (Some(choice), words) => (choice, words),
            (None, None) => (CERTIFY, None),
            (None, Some(_)) => return Ok(undecided("your choice", &CHOICES)),
        };
        let action = match choice {
            CERTIFY => Action::Certify,
            AGAIN => Action::Again,
            _ => Action::Cancel,
        };
        if let (Action::Again, Some(words)) = (&action, words) {
            // The stages of the unit read it as `feedback`.
            let (stage, feedback) = (pause.stage.clone(), words.to_owned());
            self.journal.push(Event::Amended { stage, feedback })?;
        }
        let decision = decided(choice, action, words.map(str::to_owned), reply);
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply: None })?;
        Ok(Answered::Accepted { choice: choice.to_owned() })
    }
}
