//! Answering pauses: a reply becomes events, once.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::agent::{ChoiceAction, OutsideAct, Stage};
use domain::{ErrorCode, NanoUsd, PauseId, Problem, canonical, with_lists};
use engine_types::{Answered, FormList, Reply};
use pipeline::{Action, CallKey, Decision, Event, Pause, PauseKind};
use replies::{Meaning, Offered, Open};
use serde_json::{Value, json};

use crate::core::ids::now_ms;
use crate::run::child_request::ForwardedReply;
use crate::run::driver::Driver;
use crate::run::evaluate::stage_of;
use crate::run::explanation::explanation;
use crate::run::form::stage_form;
use crate::run::inputs::MAX_QUESTION_BYTES;
use crate::run::pinned::Pinned;
use crate::run::state_view::instant;
use crate::run::verdict::schema_faults;

/// The most bytes of what a reply says in words, as of a question.
const MAX_WORDS_BYTES: usize = MAX_QUESTION_BYTES;
/// The most bytes that an edit adds to what it edits, as canonical JSON; of lists sent in pieces, the pieces.
const MAX_EDIT_BYTES: usize = 1 << 20;
/// The choice under which a model is told that nobody is there, and how.
const ALONE: &str = "alone";
const NOBODY: &str = "Nobody is there to answer. Decide for yourself what is most sensible, say what you assumed, and close the \
                      stage with what there is.";

impl Driver {
    pub(crate) fn answer(&mut self, id: Option<PauseId>, reply: &Reply) -> Result<Answered, Problem> {
        let state = self.state();
        let pause = match &id {
            Some(id) => state.pause(id).cloned().ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, format!("run {} has no pause {id}", self.run_id()))
            })?,
            None => state.open_pauses().next().cloned().ok_or_else(|| self.nothing_open())?,
        };
        if let Some(decision) = &pause.decision {
            let by = if decision.unattended { "automatically" } else { "by a person" };
            return Err(Problem::new(
                ErrorCode::Conflict,
                format!(
                    "pause {} was already answered {by} with {:?}; the run went on",
                    pause.id, decision.choice
                ),
            ));
        }
        check_words(reply)?;
        let moved = self.moved(reply)?;
        if moved.is_some() && pause.kind != PauseKind::Stage {
            let message = "a run is moved to another connection only at the pause after a stage";
            return Err(Problem::new(ErrorCode::InvalidInput, message));
        }
        match &pause.kind {
            PauseKind::Stage => self.answer_stage(&pause, reply, moved),
            PauseKind::Ambiguous { .. } => self.answer_fixed(&pause, reply, "retry", Action::Retry),
            PauseKind::Dialogue { .. } => self.answer_dialogue(&pause, reply),
            PauseKind::Child { key } => self.answer_child(&pause, key, reply),
            PauseKind::Gate { .. } => self.answer_gate(&pause, reply),
            PauseKind::Permission { .. } => self.answer_permission(&pause, reply),
            PauseKind::Handoff => self.answer_handoff(&pause, reply),
            PauseKind::Budget => {
                let text = reply.text.as_deref().unwrap_or_default();
                let Some(limit) = self.state().withheld().cloned() else {
                    let budget = self.state().budget.raised(text);
                    return self.answer_fixed(&pause, reply, "raise", Action::Raise { budget });
                };
                let usd = text.split_whitespace().find_map(domain::amount);
                if let Some(usd) = usd.filter(|usd| NanoUsd::from_usd(*usd) <= limit.limit) {
                    let message = format!("${usd} does not raise {}: name a higher amount.", limit.name());
                    return Ok(Answered::StillOpen { message, words: None });
                }
                let budget = self.state().budget;
                let answered = self.answer_fixed(&pause, reply, "raise", Action::Raise { budget })?;
                if matches!(&answered, Answered::Accepted { choice } if choice == "raise") {
                    self.raise = Some((limit, usd));
                }
                Ok(answered)
            }
        }
    }

    /// What the run pins where the reply moves it to another connection or model.
    fn moved(&self, reply: &Reply) -> Result<Option<Pinned>, Problem> {
        let now = &self.pinned;
        let connection = reply.connection.as_deref().unwrap_or(&now.connection);
        let model = reply.model.as_deref().filter(|model| !model.is_empty());
        if connection == now.connection && model.is_none_or(|model| model == now.model) {
            return Ok(None);
        }
        let provider = self.parts.provider(connection)?;
        if self.state().is_calling() {
            let message = "another part of the run is at work with its present connection";
            return Err(Problem::new(ErrorCode::Conflict, message).with_action("try again when it has ended"));
        }
        Ok(Some(now.moved(connection, model, &*provider)))
    }

    /// Moves the run to what it pins from now on.
    fn repin(&mut self, pinned: Pinned) -> Result<(), Problem> {
        let value = serde_json::to_value(&pinned).map_err(crate::core::problem::internal)?;
        let digest = self.keep(value)?;
        self.journal.push(Event::Repinned { pinned: digest, essential: pinned.essential() })?;
        self.pinned = Arc::new(pinned);
        Ok(())
    }

    fn nothing_open(&self) -> Problem {
        Problem::new(ErrorCode::Conflict, format!("run {} waits for no answer", self.run_id()))
    }

    /// What the person says to a child run is its next message.
    fn answer_dialogue(&mut self, pause: &Pause, reply: &Reply) -> Result<Answered, Problem> {
        let text = reply.text.as_deref().unwrap_or_default().trim();
        let cancels = reply.cancels();
        let (choice, action, text) = match reply.choice.as_deref().map(str::trim) {
            _ if cancels => ("cancel", Action::Cancel, None),
            None | Some("" | "answer") if text.is_empty() && reply.unattended => {
                return self.leave_to_the_model(pause, reply);
            }
            None | Some("" | "answer") if text.is_empty() => {
                return Ok(Answered::StillOpen {
                    message: "Nothing was said. Write what the agent should know or do; \"cancel\" ends the run, and it can't be resumed.".to_owned(),
                    words: None,
                });
            }
            None | Some("" | "answer") => ("answer", Action::Proceed, Some(text.to_owned())),
            Some(name) => return Err(unknown(name, &["answer", "cancel"])),
        };
        let decision = decided(choice, action, text, reply);
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply: None })?;
        Ok(Answered::Accepted { choice: choice.to_owned() })
    }

    /// What the person says to a child run's pause goes on to the child. Ending it ends the run.
    fn answer_child(&mut self, pause: &Pause, key: &CallKey, reply: &Reply) -> Result<Answered, Problem> {
        let cancels = reply.cancels();
        let form = self.state().calls.get(key).and_then(|call| self.values.get(call.said?)).cloned();
        let of_child = form.as_ref().and_then(|form| form.get("pause")?.as_str());
        let Some(of_child) = of_child.map(PauseId::from) else {
            let what = format!("the pause of the child run behind {} can't be read", pause.id);
            return Err(Problem::new(ErrorCode::Corrupt, what));
        };
        let choice = match &reply.choice {
            _ if cancels => "cancel".to_owned(),
            Some(choice) => choice.clone(),
            None => "answer".to_owned(),
        };
        let action = if cancels { Action::Cancel } else { Action::Proceed };
        let text = reply.text.clone().filter(|_| !cancels);
        let output = form.as_ref().and_then(|form| form.get("output"));
        check_edit(reply, output.unwrap_or(&Value::Null))?;
        let (answers, edited) = (reply.answers.clone(), reply.edit.is_some() || !reply.lists.is_empty());
        let decision = Decision { answers, edited, ..decided(&choice, action, text, reply) };
        let reply = match cancels {
            true => None,
            false => {
                let forwarded = ForwardedReply { pause: of_child, reply: reply.clone() };
                Some(self.keep(serde_json::to_value(forwarded).map_err(crate::core::problem::internal)?)?)
            }
        };
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply })?;
        Ok(Answered::Accepted { choice })
    }

    /// Where nobody is there, the model is told so once; a stage that asks again has failed.
    fn leave_to_the_model(&mut self, pause: &Pause, reply: &Reply) -> Result<Answered, Problem> {
        let told = self.state().pauses.iter().any(|other| {
            other.kind == pause.kind
                && other.decision.as_ref().is_some_and(|decision| decision.choice == ALONE)
        });
        if told {
            let stage = stage_of(&self.pinned, &pause.stage)?;
            let what =
                format!("stage {} waits for a person's answer, and nobody is there to give one", stage.title);
            let problem = Problem::new(ErrorCode::Conflict, what)
                .with_action("answer it in the session, or give the answer beforehand, then retry the run");
            self.journal.push(Event::StageFailed {
                stage: pause.stage.clone(),
                attempt: pause.attempt,
                problem,
            })?;
            return Ok(Answered::Accepted { choice: ALONE.to_owned() });
        }
        let decision = decided(ALONE, Action::Proceed, Some(NOBODY.to_owned()), reply);
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply: None })?;
        Ok(Answered::Accepted { choice: ALONE.to_owned() })
    }

    fn answer_fixed(
        &mut self,
        pause: &Pause,
        reply: &Reply,
        go: &str,
        action: Action,
    ) -> Result<Answered, Problem> {
        let text = reply.text.as_deref().unwrap_or_default().trim();
        // Money may be spent twice or beyond the budget here: only a clear yes counts as one.
        let (words, acts): (&[&str], &[OutsideAct]) = if pause.kind == PauseKind::Budget {
            (&["raise", "increase", "double", "erhoeh*", "verdopple"], &[OutsideAct::Money])
        } else {
            (&["retry", "again", "issue*", "repeat*", "nochmal", "noch einmal", "wiederhol*"], &[])
        };
        let agrees = text.is_empty() || replies::consents(text, words, acts);
        if reply.choice.is_none() && !agrees && !text.eq_ignore_ascii_case("cancel") {
            return Ok(Answered::StillOpen {
                message: format!(
                    "Nothing was decided. \"{go}\" goes on as the message says; \"cancel\" ends the run, and it can't be resumed."
                ),
                words: None,
            });
        }
        let named = reply.choice.as_deref().or(Some(text).filter(|text| text.eq_ignore_ascii_case("cancel")));
        let (choice, action) = match named.unwrap_or(go).trim() {
            "cancel" | "Cancel" | "CANCEL" => ("cancel", Action::Cancel),
            name if name == go => (go, action),
            name => return Err(unknown(name, &[go, "cancel"])),
        };
        let decision = decided(choice, action, reply.text.clone(), reply);
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply: None })?;
        Ok(Answered::Accepted { choice: choice.to_owned() })
    }

    fn answer_stage(
        &mut self,
        pause: &Pause,
        reply: &Reply,
        moved: Option<Pinned>,
    ) -> Result<Answered, Problem> {
        let stage = stage_of(&self.pinned, &pause.stage)?.clone();
        let choices = self.evaluate(|evaluation| crate::run::form::offered(evaluation, &stage))?;
        let offered: Vec<Offered<'_>> = choices
            .iter()
            .map(|offer| Offered { choice: &offer.choice, unavailable: offer.unavailable.as_deref() })
            .collect();
        let words = reply.text.as_deref().unwrap_or_default();
        let answered = reply.answers.values().map(String::as_str);
        let mut because = reply.because.clone();
        let (at, text) = match replies::meaning(reply.choice.as_deref(), words, answered, &offered) {
            Meaning::Choice { at, rest } => (at, rest),
            Meaning::Unknown => {
                let known: Vec<&str> = offered.iter().map(|one| one.choice.id.as_str()).collect();
                return Err(unknown(reply.choice.as_deref().unwrap_or_default(), &known));
            }
            // Nobody is there to be asked again.
            Meaning::Open(Open { why, rest, less: Some(at) }) if reply.unattended => {
                because = Some(format!("{why} Nobody could be asked, so what does least was taken"));
                (at, rest)
            }
            open @ (Meaning::Question | Meaning::Open(_)) => {
                let (form, _) = self.evaluate(|evaluation| stage_form(evaluation, &stage, pause))?;
                let open = if let Meaning::Open(open) = open { Some(open) } else { None };
                let message = explanation(&form, words, open.as_ref().map(|open| open.why.as_str()));
                return Ok(Answered::StillOpen { message, words: open.and_then(|open| open.rest) });
            }
        };
        let choice = choices[at].choice.clone();
        if let Some(depth) = &reply.depth
            && !self.pinned.config.depth_modes.contains_key(depth)
        {
            let known: Vec<&str> = self.pinned.config.depth_modes.keys().map(String::as_str).collect();
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("no depth {depth:?}; there are {}", known.join(", ")),
            ));
        }
        let questions = self.evaluate(|evaluation| crate::run::form::questions(evaluation, &stage))?;
        let answers = by_question(&reply.answers, &questions);
        let feedback = amend_feedback(&answers, text.as_deref());
        if choice.action == ChoiceAction::Amend && feedback.is_none() {
            let message = "an amendment needs words: say what should be different";
            return Err(Problem::new(ErrorCode::InvalidInput, message));
        }
        let edited = match reply.edit.is_some() || !reply.lists.is_empty() {
            true => self.edit(pause, &stage, reply)?,
            false => false,
        };
        if !edited && reply.depth.is_some() {
            let output = self.state().stage(&stage.id).and_then(|state| state.output);
            if let Some(output) = output {
                self.journal.push(Event::Edited {
                    stage: stage.id.clone(),
                    output,
                    depth: reply.depth.clone(),
                })?;
            }
        }
        if let Some(pinned) = moved {
            self.repin(pinned)?;
        }
        let action = match choice.action {
            ChoiceAction::Proceed => Action::Proceed,
            ChoiceAction::Cancel => Action::Cancel,
            ChoiceAction::Skip => match choice.skips.clone() {
                Some(stage) => Action::Skip { stage },
                None => Action::Proceed,
            },
            ChoiceAction::Amend => {
                let feedback = feedback.unwrap_or_default();
                self.journal.push(Event::Amended { stage: stage.id.clone(), feedback })?;
                Action::Amend
            }
        };
        let decision = Decision { answers, edited, because, ..decided(&choice.id, action, text, reply) };
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply: None })?;
        Ok(Answered::Accepted { choice: choice.id })
    }

    /// Takes an edit in. Whether it changes anything.
    fn edit(&mut self, pause: &Pause, stage: &Stage, reply: &Reply) -> Result<bool, Problem> {
        if !stage.pause.as_ref().is_some_and(|pause| pause.editable) {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("the output of {} can't be edited", stage.title),
            ));
        }
        let before = self.state().stage(&stage.id).and_then(|state| self.values.get(state.output?)).cloned();
        let before = before.as_deref().unwrap_or(&Value::Null);
        check_edit(reply, before)?;
        let mut edit = with_lists(reply.edit.as_ref().unwrap_or(before), &reply.lists)?;
        if let Some(schema) = self.pinned.schemas.get(&pause.stage) {
            let lists = FormList::from_output(Some(schema), &edit, stage.pause.as_ref(), self.pinned.reading);
            complete(&mut edit, &lists);
        }
        if &edit == before {
            return Ok(false);
        }
        let schema = self.pinned.schemas.get(&pause.stage).map(|schema| match &stage.output {
            Some(_) => of_changes(schema, before, &edit),
            None => schema.clone(),
        });
        if let Some(faults) = schema.as_ref().and_then(|schema| schema_faults(schema, &edit)) {
            let what = format!("the edit does not satisfy the schema: {faults}");
            return Err(Problem::new(ErrorCode::InvalidInput, what)
                .with_action("correct it and answer again; the pause is still open"));
        }
        let output = self.keep(edit)?;
        self.journal.push(Event::Edited { stage: stage.id.clone(), output, depth: reply.depth.clone() })?;
        Ok(true)
    }
}

/// Refuses what no later stage could read: it would stand in the log, and the run could never go on.
fn check_words(reply: &Reply) -> Result<(), Problem> {
    let answers = reply.answers.iter().map(|(question, answer)| question.len() + answer.len()).sum::<usize>();
    let words = answers + reply.text.as_deref().map_or(0, str::len);
    let action = "shorten them; long material belongs into a file of the question or a knowledge base";
    check_size("the words", words, MAX_WORDS_BYTES, action)
}

/// As [`check_words`], of an edit: it may be as long as what it edits, and so much more.
fn check_edit(reply: &Reply, before: &Value) -> Result<(), Problem> {
    let size = |value: &Value| canonical(value).len();
    let lists = serde_json::to_value(&reply.lists).map_err(crate::core::problem::internal)?;
    let action = "name rows that stay as they are by their places, in `lists`; long material belongs into a knowledge base";
    check_size("the edited lists", size(&lists), MAX_EDIT_BYTES, action)?;
    let Some(edit) = &reply.edit else { return Ok(()) };
    check_size("the edits", size(edit), size(before) + MAX_EDIT_BYTES, action)
}

fn check_size(what: &str, bytes: usize, most: usize, action: &str) -> Result<(), Problem> {
    if bytes <= most {
        return Ok(());
    }
    let what = format!("{what} of the answer have {bytes} bytes; at most {most} are taken");
    Err(Problem::new(ErrorCode::InvalidInput, what).with_action(action))
}

/// Gives items of lists what their fields have when they are left empty. A text of blanks is an empty one, which the schema
/// is then held against.
fn complete(edit: &mut Value, lists: &[FormList]) {
    for list in lists {
        for item in edit.get_mut(&list.field).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(fields) = item.as_object_mut() else { continue };
            for column in &list.columns {
                let value = fields.get_mut(&column.field);
                let is_empty = match value {
                    Some(Value::String(text)) if text.trim().is_empty() => {
                        text.clear();
                        true
                    }
                    Some(_) => false,
                    None => true,
                };
                if let Some(default) = column.default.as_ref().filter(|_| is_empty) {
                    fields.insert(column.field.clone(), Value::String(default.clone()));
                }
            }
        }
    }
}

/// What the schema of a model's answer says of the fields that an edit changes, where the stage's output is another value
/// that took them over: they have its shape still, and none of them may be left out.
fn of_changes(schema: &Value, before: &Value, edit: &Value) -> Value {
    let mut schema = schema.clone();
    let mut required = Vec::new();
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|field, _| before.get(field) != edit.get(field));
        required.extend(fields.keys().filter(|field| before.get(*field).is_some()).cloned());
    }
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("required".to_owned(), json!(required));
        fields.remove("additionalProperties");
    }
    schema
}

/// Answers by their questions' words; a number stands for the question with that number.
fn by_question(answers: &BTreeMap<String, String>, questions: &[String]) -> BTreeMap<String, String> {
    let named = |key: &String| {
        let number = key.trim().trim_end_matches('.').parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        number.and_then(|at| questions.get(at)).cloned().unwrap_or_else(|| key.clone())
    };
    answers.iter().map(|(key, answer)| (named(key), answer.clone())).collect()
}

fn amend_feedback(answers: &BTreeMap<String, String>, text: Option<&str>) -> Option<String> {
    let mut parts: Vec<String> =
        answers.iter().map(|(question, answer)| format!("{question} {answer}")).collect();
    parts.extend(text.map(str::to_owned));
    let feedback = parts.join("\n").trim().to_owned();
    (!feedback.is_empty()).then_some(feedback)
}

/// A decision without answers to questions or an edit.
pub(super) fn decided(choice: &str, action: Action, text: Option<String>, reply: &Reply) -> Decision {
    Decision {
        choice: choice.to_owned(),
        action,
        text,
        answers: BTreeMap::new(),
        unattended: reply.unattended,
        edited: false,
        because: reply.because.clone(),
        follow_up: reply.follow_up,
        at: Some(instant(now_ms())),
    }
}

/// A choice that the program offers, whatever the agent: its id, its label, what it does, what happens next, words for it.
pub(super) type FixedChoice = NamedChoice<'static>;

/// The same with a label and a consequence that name figures.
pub(super) type NamedChoice<'a> = (&'a str, &'a str, ChoiceAction, &'a str, &'a [&'a str]);

/// The fixed choice that a reply names by id or label, and the words that it says besides; without a named one its words
/// alone.
pub(super) fn named_choice<'r>(
    reply: &'r Reply,
    choices: &[FixedChoice],
) -> Result<(Option<&'static str>, Option<&'r str>), Problem> {
    let words = reply.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let named = |name: &str| {
        let found = choices.iter().find(|(id, label, ..)| {
            name.eq_ignore_ascii_case(id) || name.trim_end_matches('.').eq_ignore_ascii_case(label)
        });
        found.map(|(id, ..)| *id)
    };
    match (reply.choice.as_deref().map(str::trim), words) {
        (Some(id), words) => {
            let known: Vec<&str> = choices.iter().map(|(id, ..)| *id).collect();
            Ok((Some(named(id).ok_or_else(|| unknown(id, &known))?), words))
        }
        (None, Some(words)) => Ok(match named(words) {
            Some(id) => (Some(id), None),
            None => {
                let lists = choices.iter().map(|(.., list)| *list).collect::<Vec<_>>();
                (replies::by_words(words, &lists).map(|at| choices[at].0), Some(words))
            }
        }),
        (None, None) => Ok((None, None)),
    }
}

/// That nothing was decided, with what each fixed choice would do.
pub(super) fn undecided(waits_for: &str, choices: &[FixedChoice]) -> Answered {
    let lines: Vec<String> =
        choices.iter().map(|(id, label, _, next, _)| format!("- **{label}** (\"{id}\"): {next}")).collect();
    let lines = lines.join("\n");
    Answered::StillOpen {
        message: format!(
            "Nothing was decided: the run waits for {waits_for}.\n\n**What you can do**\n\n{lines}"
        ),
        words: None,
    }
}

pub(super) fn unknown(name: &str, known: &[&str]) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("no choice {name:?} here; there are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_by_number_carry_their_question() {
        let answers = BTreeMap::from([("1".to_owned(), "Yes".to_owned()), ("9".to_owned(), "?".to_owned())]);
        let named = by_question(&answers, &["Is the entity a bank?".to_owned()]);
        assert_eq!(named.get("Is the entity a bank?").map(String::as_str), Some("Yes"));
        assert_eq!(named.get("9").map(String::as_str), Some("?"));
    }
}
