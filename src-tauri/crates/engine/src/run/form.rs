//! What a pause shows and offers. Made by code from the stage's output and its display settings, never by a model.

use answers::{CostLine, PauseChoice, PauseInput, StatusLine};
use domain::agent::{Choice, ChoiceAction, Stage};
use domain::{ErrorCode, Problem};
use engine_types::{Form, FormChoice, FormKind, FormList, FormMeter, FormPart};
use pipeline::{Pause, PauseKind};
use serde_json::Value;

use crate::run::answer::{FixedChoice, NamedChoice};
use crate::run::evaluate::{Evaluation, stage_of, wrong};

/// A choice as a form shows it. `reading`: as in [`Pinned::reading`].
///
/// [`Pinned::reading`]: crate::run::pinned::Pinned::reading
fn form_choice(Offer { choice, unavailable }: Offer, reading: u32) -> FormChoice {
    let why = unavailable.as_deref();
    let next = why.map_or(choice.next.clone(), |why| format!("{why} {}", choice.next).trim().to_owned());
    let unavailable = unavailable.filter(|_| reading > 2);
    FormChoice { id: choice.id, label: choice.label, action: choice.action, next, unavailable }
}

const CANCEL: FixedChoice =
    ("cancel", "Cancel", ChoiceAction::Cancel, "Ends the run. It can't be resumed.", &[]);

/// The form and the shape that its message took.
pub(crate) fn form(evaluation: &mut Evaluation<'_>, pause: &Pause) -> Result<(Form, String), Problem> {
    let stage = stage_of(evaluation.pinned, &pause.stage)?;
    match &pause.kind {
        PauseKind::Stage => stage_form(evaluation, stage, pause),
        PauseKind::Ambiguous { key } => {
            let call = evaluation.state.calls.get(key);
            let kept = call.and_then(|call| Some(call.continues.as_ref()?.words));
            let message = if let Some(words) = kept {
                format!(
                    "**Interrupted call** - {}\n\nThe program ended while a model call was under way (call {key}). The first {words} words \
                     of its answer were kept, and its answer goes on from there. Its outcome is unknown: what it wrote after them may \
                     have been paid for, and is written again.",
                    stage.title
                )
            } else if call.is_some_and(|call| call.model) {
                format!(
                    "**Interrupted call** - {}\n\nThe program ended while a model call was under way (call {key}). Its outcome is unknown: \
                     it may have been done and paid for. Issuing it again may cost it a second time.",
                    stage.title
                )
            } else {
                format!(
                    "**Interrupted call** - {}\n\nA tool call broke off before its answer came (call {key}). Its outcome is unknown: it may \
                     have been carried out. Issuing it again may do it a second time.",
                    stage.title
                )
            };
            let next = match kept {
                Some(_) => "Asks for the rest of the answer and goes on.",
                None => "Issues the call again and goes on.",
            };
            let choices = [("retry", "Issue it again", ChoiceAction::Proceed, next, [].as_slice()), CANCEL];
            Ok(plain(pause, stage, FormKind::Ambiguous, message, &choices))
        }
        PauseKind::Dialogue { key } => {
            let said = evaluation.state.calls.get(key).and_then(|call| evaluation.values.get(call.said?));
            let said = said.and_then(|said| said.as_str().map(str::to_owned)).unwrap_or_default();
            let choices: [FixedChoice; 2] =
                [("answer", "Answer", ChoiceAction::Proceed, "Goes on with what you write.", &[]), CANCEL];
            Ok(plain(pause, stage, FormKind::Dialogue, said, &choices))
        }
        PauseKind::Child { key } => {
            let call = evaluation.state.calls.get(key);
            let form = call.and_then(|call| evaluation.values.get(call.said?)).map(|form| (**form).clone());
            let form = serde_json::from_value::<Form>(form.unwrap_or_default()).map_err(|error| {
                Problem::new(
                    ErrorCode::Corrupt,
                    format!("the form of a child run's pause can't be read: {error}"),
                )
            })?;
            let by = call.map(|call| call.planned.title.clone()).unwrap_or_default();
            let title = format!("{by}: {}", form.title);
            let form = Form { pause: pause.id.clone(), stage: stage.id.clone(), title, depth: None, ..form };
            Ok((form, "child".to_owned()))
        }
        PauseKind::Gate { unit } => {
            let message = crate::run::gate::message(evaluation, stage, *unit);
            Ok(plain(pause, stage, FormKind::Gate, message, &crate::run::gate::CHOICES))
        }
        PauseKind::Permission { wave } => {
            let message = crate::run::built_in::message(evaluation, stage, pause, *wave);
            let choices = &crate::run::built_in::CHOICES;
            Ok(plain(pause, stage, FormKind::Permission, message, choices))
        }
        PauseKind::Handoff => {
            let message = crate::run::handoff::message(evaluation, stage);
            let choices = &crate::run::handoff::CHOICES;
            Ok(plain(pause, stage, FormKind::Handoff, message, choices))
        }
        PauseKind::Budget => {
            let state = evaluation.state;
            let so_far = format!(
                "Spent so far: {} and {} tokens in {} s.",
                state.cost,
                state.usage.total(),
                state.active_ms / 1000
            );
            let (message, label, next) = match state.withheld() {
                Some(limit) => (limit.pause(&stage.title, &so_far), limit.choice(), limit.next()),
                None => (
                    format!(
                        "**Budget reached** - {}\n\nThe next call could cost more than what is left. {so_far}",
                        stage.title
                    ),
                    "Raise the budget".to_owned(),
                    "Goes on with the higher budget that you name.".to_owned(),
                ),
            };
            let raise: NamedChoice<'_> = ("raise", label.as_str(), ChoiceAction::Proceed, next.as_str(), &[]);
            let choices = [raise, CANCEL];
            let (form, shape) = plain(pause, stage, FormKind::Budget, message, &choices);
            Ok((Form { limit: state.withheld().cloned(), ..form }, shape))
        }
    }
}

/// A form with a message and choices alone; its message has its kind's shape.
fn plain(
    pause: &Pause,
    stage: &Stage,
    kind: FormKind,
    markdown: String,
    choices: &[NamedChoice<'_>],
) -> (Form, String) {
    let choices = choices.iter().map(|(id, label, action, next, _)| FormChoice {
        unavailable: None,
        id: (*id).to_owned(),
        label: (*label).to_owned(),
        action: *action,
        next: (*next).to_owned(),
    });
    let form = Form {
        pause: pause.id.clone(),
        stage: pause.stage.clone(),
        title: stage.title.clone(),
        kind,
        markdown,
        questions: Vec::new(),
        choices: choices.collect(),
        editable: false,
        heading: String::new(),
        status: None,
        meter: None,
        parts: Vec::new(),
        lists: Vec::new(),
        output: None,
        output_label: String::new(),
        depth: None,
        limit: None,
    };
    (form, kind.as_str().to_owned())
}

/// A choice that a pause offers.
pub(crate) struct Offer {
    pub(crate) choice: Choice,
    /// Why it can't do what it says.
    pub(crate) unavailable: Option<String>,
}

/// The choices that a stage's pause offers now. The first that goes on is the default: one that can't do what it says
/// comes after the others.
pub(crate) fn offered(evaluation: &mut Evaluation<'_>, stage: &Stage) -> Result<Vec<Offer>, Problem> {
    let configured =
        stage.pause.as_ref().map(|pause| pause.choices.clone()).filter(|choices| !choices.is_empty());
    let scope = evaluation.scope(stage);
    let mut choices = Vec::new();
    for choice in configured.unwrap_or_else(default_choices) {
        let offer = match &choice.when {
            Some(when) => evaluation.templates.truthy(when, &scope).map_err(|error| wrong(stage, &error))?,
            None => true,
        };
        let unavailable = match choice.unavailable.as_ref().filter(|_| offer) {
            Some(rule) => {
                let holds = evaluation.templates.truthy(&rule.when, &scope);
                let holds = holds.map_err(|error| wrong(stage, &error))?;
                let why = holds.then(|| evaluation.templates.render(&rule.why, &scope));
                why.transpose().map_err(|error| wrong(stage, &error))?
            }
            None => None,
        };
        if offer {
            choices.push(Offer { choice, unavailable });
        }
    }
    if choices.iter().any(|offer| offer.unavailable.is_some()) {
        choices.sort_by_key(|offer| (!offer.choice.goes_on(), offer.unavailable.is_some()));
    }
    Ok(choices)
}

fn default_choices() -> Vec<Choice> {
    let choice = |id: &str, label: &str, action, next: &str| Choice {
        id: id.to_owned(),
        label: label.to_owned(),
        action,
        skips: None,
        next: next.to_owned(),
        when: None,
        unavailable: None,
        acts: Vec::new(),
        words: Vec::new(),
        matches: Vec::new(),
        never: Vec::new(),
    };
    vec![
        choice("proceed", "Proceed", ChoiceAction::Proceed, "Goes on with the next stage."),
        choice(
            "amend",
            "Amend",
            ChoiceAction::Amend,
            "Runs this stage again with your remarks, then stops here again.",
        ),
        choice("cancel", "Cancel", ChoiceAction::Cancel, "Ends the run. It can't be resumed."),
    ]
}

pub(crate) fn stage_form(
    evaluation: &mut Evaluation<'_>,
    stage: &Stage,
    pause: &Pause,
) -> Result<(Form, String), Problem> {
    let mut scope = evaluation.scope(stage);
    let data: Value = evaluation
        .state
        .stage(&stage.id)
        .and_then(|state| evaluation.values.get(state.output?))
        .map(|value| (**value).clone())
        .unwrap_or_default();
    scope.set("output", &data);
    let err = |error: context::TemplateError| wrong(stage, &error);
    let mut status = None;
    for rule in stage.display.iter().flat_map(|display| &display.status) {
        if evaluation.templates.truthy(&rule.when, &scope).map_err(err)? {
            let summary = evaluation.templates.render(&rule.summary, &scope).map_err(err)?;
            status = Some(StatusLine { label: rule.label.clone(), summary });
            break;
        }
    }
    let questions = questions_in(evaluation, stage, &scope)?;
    let choices = offered(evaluation, stage)?;
    if let Some(why) = choices.iter().find_map(|offer| offer.unavailable.as_deref()) {
        let status: &mut StatusLine = status.get_or_insert_default();
        status.summary = format!("{}\n\n{why}", status.summary).trim().to_owned();
    }
    let reading = evaluation.pinned.reading;
    let choices: Vec<FormChoice> = choices.into_iter().map(|offer| form_choice(offer, reading)).collect();
    let shown: Vec<PauseChoice> = choices
        .iter()
        .map(|choice| PauseChoice {
            id: choice.id.clone(),
            label: choice.label.clone(),
            next: choice.next.clone(),
        })
        .collect();
    let cost = evaluation.state.stage(&stage.id).map(|state| CostLine {
        input: state.usage.input + state.usage.cache_read + state.usage.cache_write,
        output: state.usage.output,
        cost: Some(state.cost),
        equivalent: false,
    });
    let message = answers::format_pause(PauseInput {
        stage_title: &stage.title,
        display: stage.display.as_ref(),
        status: status.as_ref(),
        data: &data,
        questions: &questions,
        choices: &shown,
        cost: cost.as_ref(),
    });
    let pause_spec = stage.pause.as_ref().filter(|pause| pause.editable);
    let editable = pause_spec.is_some();
    let schema = evaluation.pinned.schemas.get(&stage.id);
    let lists = if editable { FormList::from_output(schema, &data, pause_spec, reading) } else { Vec::new() };
    let depth = editable.then(|| crate::run::scope::depth_name(evaluation.pinned, evaluation.state));
    let shape = message.shape.as_str();
    let form = Form {
        pause: pause.id.clone(),
        stage: stage.id.clone(),
        title: stage.title.clone(),
        kind: FormKind::Stage,
        markdown: message.markdown,
        questions,
        choices,
        editable,
        heading: message.heading,
        status: status.map(|status| status.label).filter(|label| !label.is_empty()),
        meter: message.meter.map(|meter| FormMeter {
            label: meter.label,
            value: meter.value,
            threshold: meter.threshold,
        }),
        parts: message
            .parts
            .into_iter()
            .map(|part| {
                let shows = |list: &&FormList| part.path.split('|').any(|path| path.trim() == list.field);
                let list = lists.iter().find(shows).map(|list| list.field.clone());
                FormPart { title: part.title, markdown: part.markdown, list }
            })
            .collect(),
        lists,
        output: Some(message.data),
        output_label: message.data_label,
        depth,
        limit: None,
    };
    Ok((form, shape.to_owned()))
}

/// The questions that a stage asks at its pause.
pub(crate) fn questions(evaluation: &mut Evaluation<'_>, stage: &Stage) -> Result<Vec<String>, Problem> {
    let mut scope = evaluation.scope(stage);
    let output = evaluation.state.stage(&stage.id).and_then(|state| evaluation.values.get(state.output?));
    scope.set("output", output.map_or(&Value::Null, |value| value));
    questions_in(evaluation, stage, &scope)
}

fn questions_in(
    evaluation: &Evaluation<'_>,
    stage: &Stage,
    scope: &context::Scope,
) -> Result<Vec<String>, Problem> {
    let Some(expr) = stage.pause.as_ref().and_then(|pause| pause.questions.as_deref()) else {
        return Ok(Vec::new());
    };
    let found = evaluation.templates.eval(expr, scope).map_err(|error| wrong(stage, &error))?;
    let items = found.as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_in_an_earlier_log_keeps_the_bound_of_its_lists() {
        let schema = serde_json::json!({ "properties": { "facts": {
            "type": "array", "maxItems": 20_000, "items": { "properties": { "fact": { "type": "string" } } },
        } } });
        let output = serde_json::json!({ "facts": [] });
        let most = |reading| FormList::from_output(Some(&schema), &output, None, reading)[0].max_items;
        assert_eq!((most(0), most(1)), (1_000, 20_000));
    }
}
