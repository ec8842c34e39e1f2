//! The render stage: the answer document from earlier outputs. Same inputs, same bytes.

use answers::{Document, DocumentInput, Skipped, WebReference};
use context::Scope;
use domain::agent::Stage;
use domain::{ErrorCode, Problem};
use pipeline::{Phase, RepairEnd, SkippedBy};
use serde_json::{Value, json};

use crate::run::evaluate::{Evaluation, Finished, wrong};
use crate::run::scope::depth_name;

/// Builds the document; the output holds its title, its Markdown and the counts that a list shows.
pub(crate) fn render(evaluation: &Evaluation<'_>, stage: &Stage, scope: &Scope) -> Result<Finished, Problem> {
    let input = input(evaluation, stage, scope)?;
    let document = answers::build(&input);
    let verdicts: serde_json::Map<String, Value> = document
        .verification
        .iter()
        .flat_map(|summary| &summary.counts)
        .filter_map(|count| {
            Some((serde_json::to_value(count.verdict).ok()?.as_str()?.to_owned(), json!(count.count)))
        })
        .collect();
    let mut output = json!({
        "title": input.title,
        "markdown": answers::to_markdown(&document),
        "verdicts": verdicts,
        "unsupported": unsupported(&document),
        "warnings": document.limits.warnings,
        "headline": document.headline,
    });
    if stage.document.as_ref().is_some_and(|spec| spec.part) {
        output["part"] = json!(answers::to_footnoted(&document, evaluation.pinned.reading > 0));
    }
    Ok(Finished {
        output,
        summary: input.title.clone(),
        passed: None,
        scores: Default::default(),
        warnings: Vec::new(),
        progress: None,
    })
}

/// How many statements do not hold, or name no source.
fn unsupported(document: &Document) -> usize {
    let listed = document.limits.unsupported.len() + document.uncited_sentences.len();
    listed + document.statements.iter().filter(|one| one.state >= answers::State::NoSource).count()
}

/// The document of a render stage, for the forms that are not kept: HTML and `answer.json`.
pub(crate) fn document(evaluation: &mut Evaluation<'_>, stage: &Stage) -> Result<Document, Problem> {
    let scope = evaluation.scope(stage);
    Ok(answers::build(&input(evaluation, stage, &scope)?))
}

fn input(evaluation: &Evaluation<'_>, stage: &Stage, scope: &Scope) -> Result<DocumentInput, Problem> {
    let Some(spec) = &stage.document else {
        return Err(Problem::new(ErrorCode::InvalidConfig, format!("stage {}: no document", stage.title)));
    };
    let templates = evaluation.templates;
    let eval = |expr: &str| templates.eval(expr, scope).map_err(|error| wrong(stage, &error));
    let maybe = |expr: &Option<String>| -> Result<Option<Value>, Problem> {
        Ok(expr.as_deref().map(eval).transpose()?.filter(|value| !value.is_null()))
    };
    let (pinned, state) = (evaluation.pinned, evaluation.state);
    let output = &pinned.config.output;
    let number = state.follow_up.as_ref().map_or(0, |follow_up| follow_up.number);
    let template = if number > 0 { &output.followup_title_template } else { &output.title_template };
    let title = templates.render(template, scope).map_err(|error| wrong(stage, &error))?;
    let web = maybe(&spec.web_references)?.unwrap_or_default();
    let prior = state.follow_up.as_ref().and_then(|follow_up| evaluation.values.get(follow_up.context?));
    let of_prior = |name: &str| prior.and_then(|context| context.get(name)).cloned().unwrap_or_default();
    Ok(DocumentInput {
        title: one_line(&title),
        question: state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default(),
        notice: maybe(&spec.notice)?.and_then(|value| value.as_str().map(str::to_owned)),
        answer: eval(&spec.answer)?,
        cites_nothing: !spec.citations,
        plan: maybe(&spec.plan)?,
        verification: maybe(&spec.verification)?,
        judgements: spec.judge.as_deref().map(|name| judgements(evaluation, name)).transpose()?.flatten(),
        paragraphs: maybe(&spec.paragraphs)?,
        web_references: serde_json::from_value::<Vec<WebReference>>(web).unwrap_or_default(),
        prior_sections: serde_json::from_value(of_prior("sections")).unwrap_or_default(),
        earlier: serde_json::from_value(of_prior("earlier")).unwrap_or_default(),
        changed: serde_json::from_value(of_prior("changed")).unwrap_or_default(),
        followup_number: number,
        warnings: warnings(evaluation),
        skipped: skipped(evaluation),
        output: output.clone(),
        depth: depth_name(pinned, state),
        reading: pinned.reading,
        citation_forms: pinned.bases().map(|corpus| corpus.citation.clone()).collect(),
    })
}

/// What the judging stage of that name found, with the name of its model.
fn judgements(evaluation: &Evaluation<'_>, name: &str) -> Result<Option<Value>, Problem> {
    let pinned = evaluation.pinned;
    let stages = pinned.config.control_flow.stages.iter().zip(&evaluation.state.stages);
    let Some((config, state)) = stages.into_iter().find(|(config, _)| config.name == name) else {
        let message = format!("the document names the judge {name:?}, and no stage has that name");
        return Err(Problem::new(ErrorCode::InvalidConfig, message));
    };
    let output = state.output.and_then(|output| evaluation.values.get(output));
    let found = output.and_then(|output| output.get("judgements"));
    let model = config.model.as_ref().unwrap_or(&pinned.model);
    Ok(found.map(|found| json!({ "judge": model, "judgements": found })))
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 200 { line } else { line.chars().take(199).chain(['…']).collect() }
}

fn warnings(evaluation: &Evaluation<'_>) -> Vec<String> {
    let state = evaluation.state;
    let price = evaluation.pinned.price_warning();
    let mut warnings: Vec<String> = evaluation.pinned.bases().map(|base| base.unread.clone()).collect();
    warnings.retain(|unread| !unread.is_empty());
    for (config, stage) in evaluation.pinned.config.control_flow.stages.iter().zip(&state.stages) {
        // What calls cost is no part of the document: the same inputs give the same text.
        let own = stage.warnings.iter().filter(|warning| Some(*warning) != price.as_ref());
        warnings.extend(own.map(|warning| format!("{}: {warning}", config.title)));
    }
    for (unit, outcome) in &state.repairs {
        let name = state.graph.repair_units.get(*unit as usize).and_then(|unit| unit.name.as_ref());
        let ended = match outcome.reason {
            RepairEnd::Exhausted => format!(
                "The check still found something after {} repairs; the best attempt is shown.",
                outcome.iterations
            ),
            RepairEnd::Budget => {
                "The budget left no room for another repair; the best attempt is shown.".to_owned()
            }
            RepairEnd::NoGain => {
                "A repair made nothing better, so no further one was made; the best attempt is shown."
                    .to_owned()
            }
            RepairEnd::Failed => "A repair failed; the best attempt before it is shown.".to_owned(),
        };
        warnings.push(name.map_or_else(|| ended.clone(), |name| format!("{name}: {ended}")));
    }
    warnings.extend(state.follow_up.as_ref().and_then(|follow_up| follow_up.warning.clone()));
    warnings
}

fn skipped(evaluation: &Evaluation<'_>) -> Vec<Skipped> {
    let stages = evaluation.pinned.config.control_flow.stages.iter().zip(&evaluation.state.stages);
    stages
        .filter_map(|(config, stage)| {
            let (by, why) = stage.skipped.as_ref().filter(|_| stage.phase == Phase::Skipped)?;
            let told = config.when_not != Some(String::new());
            let why = match by {
                SkippedBy::Failure => Some(format!("it failed: {why}")),
                SkippedBy::Budget => Some(why.clone()),
                SkippedBy::Config | SkippedBy::Person => told.then(|| why.clone()),
            };
            Some(Skipped { title: config.title.clone(), why: why? })
        })
        .collect()
}
