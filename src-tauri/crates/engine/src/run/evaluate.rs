//! Local effects: gates, waves, outputs and forms, computed from the state and earlier outputs. What comes out is
//! committed as events; replay never evaluates an expression again.

use std::collections::{BTreeMap, BTreeSet};

use context::{Assembled, Body, ContextParagraph, Scope, Section, TemplateError, Templates, WebReference};
use domain::agent::{ContextForm, ContextSection, RepairForm, Stage, StageKind};
use domain::{Digest, ErrorCode, KeyForm, Problem, Reserve, StageId};
use llm::{Message, ModelRequest};
use pipeline::{CallKey, State};
use serde_json::{Map, Value, json};

use crate::run::child_request::ChildRequest;
use crate::run::collect::{CollectedParagraphs, PriorUse, Results, gather};
use crate::run::pinned::Pinned;
use crate::run::scope::{RunScope, depth_name, prior_ids};
use crate::run::values::Values;

/// The field of a check's output that says that a repair writes anew.
const REWRITE: &str = "rewrite";

/// What a call sends.
#[derive(Debug, Clone)]
pub enum Payload {
    /// To a tool.
    Tool {
        /// The source's slug.
        source: String,
        /// The tool's name.
        tool: String,
        /// Its arguments.
        args: Value,
    },
    /// To a model.
    Model(Box<ModelRequest>),
    /// To a turn of a conversation: its instructions and what its model is shown first.
    Dialogue(Box<ModelRequest>),
    /// To a run of another agent.
    Agent(Box<ChildRequest>),
}

impl Payload {
    /// The hash under which the call was planned.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Tool { source, tool, args } => {
                let named = if source.is_empty() { tool.clone() } else { format!("{source}/{tool}") };
                Digest::of_json(&json!({ "tool": named, "args": args }))
            }
            Self::Model(request) | Self::Dialogue(request) => request.digest(),
            Self::Agent(request) => request.digest(),
        }
    }
}

/// A request to a model.
pub(crate) struct StageRequest {
    pub(crate) request: ModelRequest,
    /// The most input tokens it can be.
    pub(crate) input: u64,
    /// What its context does without, in words.
    pub(crate) left_out: Vec<String>,
}

/// A gate's outcome.
pub(crate) enum Gate {
    Open,
    Skip { why: String, output: Option<Value> },
}

/// A stage's result.
pub(crate) struct Finished {
    pub(crate) output: Value,
    pub(crate) summary: String,
    pub(crate) passed: Option<bool>,
    pub(crate) scores: std::collections::BTreeMap<String, i64>,
    pub(crate) warnings: Vec<String>,
    /// Of a repair's check: whether it made enough progress, where its unit has a rule for it.
    pub(crate) progress: Option<bool>,
}

/// One look at a run: everything that an evaluation reads.
pub(crate) struct Evaluation<'a> {
    pub(crate) pinned: &'a Pinned,
    pub(crate) state: &'a State,
    pub(crate) values: &'a Values,
    pub(crate) templates: &'a Templates,
    pub(crate) scope: &'a mut RunScope,
}

impl Evaluation<'_> {
    /// The scope for a stage, without its own steps' results.
    pub(crate) fn scope(&mut self, stage: &Stage) -> Scope {
        self.scope.for_stage(self.pinned, self.state, self.values, stage)
    }

    /// Whether a stage runs.
    pub(crate) fn gate(&mut self, stage: &Stage, skip: bool) -> Result<Gate, Problem> {
        let scope = self.scope(stage);
        let why = match &stage.when {
            _ if skip => "left out by the person".to_owned(),
            Some(when) if !self.templates.truthy(when, &scope).map_err(|e| wrong(stage, &e))? => {
                stage.when_not.clone().unwrap_or_else(|| "not needed here".to_owned())
            }
            _ => return Ok(Gate::Open),
        };
        let output = match &stage.skipped_output {
            Some(map) => {
                Some(self.templates.fill(&Value::Object(map.clone()), &scope).map_err(|e| wrong(stage, &e))?)
            }
            None => None,
        };
        Ok(Gate::Skip { why, output })
    }

    /// What the steps before a wave gathered.
    pub(crate) fn gathered(
        &mut self,
        stage: &Stage,
        waves: u32,
        scope: &Scope,
    ) -> Result<CollectedParagraphs, Problem> {
        let results: Vec<Results> = (0..waves.min(stage.steps.len() as u32))
            .map(|wave| {
                let results = self.state.wave_results(&stage.id, wave).into_iter();
                results
                    .map(|result| match result {
                        Ok(digest) => self.values.get(digest).cloned().ok_or_else(|| {
                            Problem::new(
                                ErrorCode::Internal,
                                format!("result {} is not loaded", digest.short()),
                            )
                        }),
                        Err(problem) => Err(problem.clone()),
                    })
                    .collect()
            })
            .collect();
        let ids = prior_ids(self.state, self.values);
        let prior = PriorUse { ids: &ids, how: self.pinned.config.follow_up.delta_retrieval };
        let prior = (!ids.is_empty()).then_some(&prior);
        let none = BTreeMap::new();
        let cuts = self.state.stage(&stage.id).map_or(&none, |state| &state.cuts);
        gather(stage, &results, cuts, self.templates, scope, prior).map_err(|error| wrong(stage, &error))
    }

    /// The most that a request can cost.
    pub(crate) fn reserve(&self, stage: &Stage, request: &ModelRequest) -> Reserve {
        let input = context::with_margin(request.estimated_input());
        self.pinned.reserve(self.pinned.asks(stage).1, input, request.max_output_tokens)
    }

    /// A stage's request.
    pub(crate) fn request(&self, stage: &Stage, scope: &Scope) -> Result<StageRequest, Problem> {
        let orchestrator = &self.pinned.config.orchestrator;
        let (model, info) = self.pinned.asks(stage);
        let repair = self.repair_form(stage);
        let prompt = repair.map_or(stage.prompt.as_deref(), |form| Some(form.prompt.as_str()));
        let prompt = self.prompt(stage, prompt.unwrap_or_default(), scope)?;
        let schema = self.schema(stage).cloned();
        let told = self.briefing(stage, prompt, schema.as_ref(), scope)?;
        let shown = repair.map_or(&stage.context, |form| &form.context);
        let sections = shown.iter().map(|section| match self.said_before(stage, section) {
            Some(line) => Ok(Some(line)),
            None => self.section(stage, section, scope),
        });
        let sections: Vec<Section> = sections.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let window = orchestrator.context_window.min(info.context_window);
        let fixed = context::estimate(&told.system)
            + context::estimate(&told.lead)
            + schema.as_ref().map_or(0, |s| context::estimate(&s.to_string()))
            + 64;
        let room = window.saturating_sub(orchestrator.min_output_budget).saturating_mul(10) / 11;
        let too_long = |error: context::ContextError| {
            Problem::new(ErrorCode::ContextTooLong, format!("stage {}: {error}", stage.title))
                .with_action("choose a lower depth or a model with a larger context window")
        };
        let assembled = context::assemble(&sections, room.saturating_sub(fixed)).map_err(too_long)?;
        let named = orchestrator.per_stage_desired_tokens.get(stage.id.as_str()).copied();
        let desired = stage.desired_tokens.or(named).unwrap_or(orchestrator.max_output_tokens);
        let caps =
            [stage.max_output_tokens.unwrap_or(u64::MAX), orchestrator.max_output_tokens, info.max_output];
        let input = context::with_margin(fixed + assembled.tokens);
        let max = context::output_budget(desired, &caps, window, input, orchestrator.min_output_budget)
            .map_err(too_long)?;
        let depth = depth_name(self.pinned, self.state);
        let before = told.before;
        let request = ModelRequest {
            model: model.to_owned(),
            system: told.system.clone(),
            cache_system: true,
            messages: told.messages(self.messages(stage, &assembled)),
            schema,
            max_output_tokens: max,
            effort: stage
                .effort
                .or(orchestrator.depth_mode_effort.get(&depth).copied())
                .or(orchestrator.effort),
            thinking: orchestrator.thinking && info.thinking,
            cache_key: self.session(),
            ..ModelRequest::default()
        };
        Ok(StageRequest { request, input: input.saturating_add(before), left_out: assembled.dropped })
    }

    /// The form of the replacements that a stage is asked for, where it mends an attempt before it and these can be enough.
    fn repair_form<'s>(&self, stage: &'s Stage) -> Option<&'s RepairForm> {
        let form = stage.repair.as_ref()?;
        crate::run::scope::attempt(self.state, self.values, &stage.id)?;
        let last = crate::run::scope::last_check(self.state, self.values, &stage.id);
        let anew = last.as_deref().and_then(|last| last.get(REWRITE)?.as_bool());
        (anew != Some(true)).then_some(form)
    }

    /// Whether a stage is asked for replacements now.
    pub(crate) fn is_repair(&self, stage: &Stage) -> bool {
        self.repair_form(stage).is_some()
    }

    /// What the answer to a stage's request must satisfy now.
    pub(crate) fn schema(&self, stage: &Stage) -> Option<&Value> {
        let schemas = if self.is_repair(stage) { &self.pinned.repairs } else { &self.pinned.schemas };
        schemas.get(&stage.id)
    }

    /// What calls of one conversation have in common.
    fn session(&self) -> Option<String> {
        let start = self.state.start.as_ref().filter(|_| self.pinned.requests > 0)?;
        // A run that repeats another asks what that one asked.
        let repeated = start.base.as_ref().map(|base| base.cache_key.clone());
        Some(repeated.unwrap_or_else(|| start.session.0.clone()))
    }

    /// The context as messages. Where a repair will send most of it again, what stays the same comes first, in a message
    /// of its own that is worth keeping in the provider's cache.
    fn messages(&self, stage: &Stage, assembled: &Assembled) -> Vec<Message> {
        // A repair that asks for replacements, and a judge, send something else; the calls for the parts of a text share it.
        let again = (stage.repair.is_none() || stage.for_each.is_some() && !self.is_repair(stage))
            && stage.kind != StageKind::Verify;
        let repeats = again
            && self.pinned.requests > 0
            && self
                .pinned
                .config
                .control_flow
                .repair_units
                .iter()
                .any(|unit| unit.stages.contains(&stage.id));
        let stable = assembled.ledger.iter().take_while(|(name, _)| repeats && self.is_stable(stage, name));
        let tokens: Vec<u64> = stable.map(|(_, tokens)| *tokens).collect();
        let enough = tokens.iter().sum::<u64>() >= self.pinned.model_info.abilities.cache_min;
        let end = tokens.len().checked_sub(1).filter(|_| enough).and_then(|last| assembled.ends.get(last));
        let Some((first, rest)) = end.and_then(|end| assembled.text.split_at_checked(*end)) else {
            return vec![Message::user(assembled.text.as_str())];
        };
        let mut messages = vec![Message { cache: true, ..Message::user(first) }];
        let rest = rest.trim_start_matches('\n');
        if !rest.is_empty() {
            messages.push(Message::user(rest));
        }
        messages
    }

    /// Whether a section says the same in every repair: it reads nothing that a repair changes.
    fn is_stable(&self, stage: &Stage, name: &str) -> bool {
        let units = self.pinned.config.control_flow.repair_units.iter();
        let repaired = units.filter(|unit| unit.stages.contains(&stage.id)).flat_map(|unit| &unit.stages);
        let repaired: Vec<&str> =
            repaired.filter_map(|id| self.pinned.stage(id)).map(|stage| stage.name.as_str()).collect();
        let moves = |path: &Vec<String>| match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice()
        {
            ["repair" | "feedback" | "guidance", ..] => true,
            ["outputs", output, ..] => repaired.contains(output),
            ["outputs"] => true,
            _ => false,
        };
        let mut named = stage.context.iter().filter(|section| section.section == name).peekable();
        named.peek().is_some()
            && named.all(|section| {
                let paths = match section.prompt.as_ref().and_then(|file| self.pinned.prompts.get(file)) {
                    Some(prompt) => self.templates.template_paths(prompt),
                    None => self.templates.expr_paths(&section.value),
                };
                !paths.iter().any(moves)
            })
    }

    pub(crate) fn prompt(&self, stage: &Stage, name: &str, scope: &Scope) -> Result<String, Problem> {
        let text = self.pinned.prompts.get(name).ok_or_else(|| {
            Problem::new(
                ErrorCode::InvalidConfig,
                format!("stage {}: prompt file {name:?} is missing", stage.title),
            )
        })?;
        self.templates.render(text, scope).map_err(|error| wrong(stage, &error))
    }

    fn section(
        &self,
        stage: &Stage,
        section: &ContextSection,
        scope: &Scope,
    ) -> Result<Option<Section>, Problem> {
        let value = match &section.prompt {
            Some(name) => Value::String(self.prompt(stage, name, scope)?.trim().to_owned()),
            None => self.templates.eval(&section.value, scope).map_err(|error| wrong(stage, &error))?,
        };
        let list = || value.as_array().map(Vec::as_slice).unwrap_or_default();
        let body = match section.form {
            ContextForm::Paragraphs => {
                Body::Paragraphs(list().iter().filter_map(ContextParagraph::from_value).collect())
            }
            ContextForm::Sentences => {
                let paragraphs = list().iter().filter_map(ContextParagraph::from_value).collect();
                Body::Sentences(paragraphs, self.pinned.key_form())
            }
            ContextForm::WebReferences => {
                Body::WebReferences(list().iter().filter_map(WebReference::from_value).collect())
            }
            ContextForm::Lines => Body::Lines(list().iter().map(text).collect()),
            ContextForm::Auto => match value {
                Value::String(text) => Body::Text(text),
                value => Body::Json(value),
            },
        };
        // The person's own words are shown whole or not at all: half a question would be another question.
        let whole = matches!(section.value.trim(), "request" | "user_answers" | "feedback" | "guidance");
        if body.is_empty() {
            return Ok(None);
        }
        let shown = Section::new(section.section.clone(), body);
        Ok(Some(if whole { shown.essential() } else { shown }))
    }

    /// A stage's output, once all its waves have ended.
    pub(crate) fn finish(&mut self, stage: &Stage) -> Result<Finished, Problem> {
        let mut scope = self.scope(stage);
        let mut gathered = self.gathered(stage, stage.steps.len() as u32, &scope)?;
        scope.set("collected", &Value::Object(gathered.collected.clone()));
        scope.set("telemetry", &Value::Object(gathered.telemetry.clone()));
        let (answer, mut notes) = self.resolved(stage, &scope)?;
        scope.set("answer", &answer);
        let mut warnings = std::mem::take(&mut gathered.warnings);
        warnings.append(&mut notes);
        if self.was_cut(stage) {
            warnings.push("the model's answer reached its output limit and is likely cut short".to_owned());
        }
        warnings.extend(self.left_out(stage));
        warnings.extend(self.did_without(stage));
        warnings.extend(self.price_warning(stage));
        let mut finished = match stage.kind {
            StageKind::Verify => {
                warnings.extend(self.apply_judgements(stage, &mut gathered, &answer));
                scope.set("collected", &Value::Object(gathered.collected.clone()));
                self.verdict(stage, gathered, &mut scope)?
            }
            StageKind::Render => crate::run::render::render(self, stage, &scope)?,
            StageKind::Model | StageKind::Tools | StageKind::Dialogue | StageKind::Agent => {
                let summary =
                    if stage.kind == StageKind::Tools { counts(&gathered.collected) } else { String::new() };
                let output = match &stage.output {
                    Some(map) => self
                        .templates
                        .fill(&Value::Object(map.clone()), &scope)
                        .map_err(|error| wrong(stage, &error))?,
                    None if stage.kind != StageKind::Tools => answer,
                    None => Value::Object(gathered.collected),
                };
                Finished {
                    output,
                    summary,
                    passed: None,
                    scores: Default::default(),
                    warnings: Vec::new(),
                    progress: None,
                }
            }
        };
        warnings.append(&mut finished.warnings);
        finished.warnings = warnings;
        Ok(finished)
    }

    /// The model's answer with the keys of sentences resolved; of a repair, the attempt before it with its statements
    /// replaced.
    fn resolved(&self, stage: &Stage, scope: &Scope) -> Result<(Value, Vec<String>), Problem> {
        let answer = match self.answer(stage) {
            // The answers for the parts of one text.
            Value::Array(parts) if stage.cites.is_some() => answers::join_parts(&parts),
            answer => answer,
        };
        let form = self.pinned.key_form();
        // The offline engine quotes, names its sources itself and writes no keys: nothing in its text is one.
        let writes_keys = !(self.pinned.is_offline() && form == KeyForm::Marked);
        let shown = |cites: &Option<String>| {
            let Some(expr) = cites.as_ref().filter(|_| writes_keys) else { return Ok(None) };
            let list = self.templates.eval(expr, scope).map_err(|error| wrong(stage, &error))?;
            Ok::<_, Problem>(Some(keys(&list, form)))
        };
        let before =
            self.repair_form(stage).zip(crate::run::scope::attempt(self.state, self.values, &stage.id));
        let resolved = match before {
            Some((repair, attempt)) => {
                let last = crate::run::scope::last_check(self.state, self.values, &stage.id);
                let named = last.as_deref().and_then(|last| last.get("answer")?.get("mend"));
                let named = named.cloned().unwrap_or(Value::Null);
                answers::replace_statements(
                    &attempt,
                    &named,
                    &answer,
                    &shown(&repair.cites)?.unwrap_or_default(),
                    form,
                )
            }
            None => match shown(&stage.cites)? {
                Some(keyed) => answers::resolve_keys(&answer, &keyed, form),
                None => return Ok((answer, Vec::new())),
            },
        };
        let mut notes = resolved.notes;
        if !resolved.unknown.is_empty() {
            let few: Vec<&str> = resolved.unknown.iter().take(5).map(String::as_str).collect();
            notes.push(format!("the answer cites sentences that it was not given: {}", few.join(", ")));
        }
        Ok((resolved.answer, notes))
    }

    /// That no price is known, said by the first stage that asked a model.
    fn price_warning(&self, stage: &Stage) -> Option<String> {
        let warning = self.pinned.price_warning()?;
        let asked = self.state.calls.iter().any(|(key, call)| key.stage == stage.id && call.model);
        let told = self.state.stages.iter().flat_map(|stage| &stage.history);
        let told = told.flat_map(|attempt| &attempt.warnings).any(|known| known == &warning);
        (asked && !told).then_some(warning)
    }

    /// The calls of a stage's current attempt.
    pub(crate) fn calls(&self, stage: &Stage) -> impl Iterator<Item = &pipeline::Call> {
        let attempt = self.state.stage(&stage.id).map_or(0, |stage| stage.attempt);
        let at = |wave, item| CallKey { stage: stage.id.clone(), attempt, wave, item };
        self.state.calls.range(at(0, 0)..=at(u32::MAX, u32::MAX)).map(|(_, call)| call)
    }

    /// Whether an answer of the current attempt reached its output limit.
    fn was_cut(&self, stage: &Stage) -> bool {
        self.calls(stage).any(|call| call.truncated)
    }

    /// That the model answered more than it was asked for.
    fn left_out(&self, stage: &Stage) -> Option<String> {
        let names: BTreeSet<&str> =
            self.calls(stage).flat_map(|call| &call.left_out).map(String::as_str).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| {
            format!("the model's answer had fields that were not asked for, and were left out: {names}")
        })
    }

    /// The model's answer: one value, a list for a stage with `forEach`, null without a call.
    fn answer(&self, stage: &Stage) -> Value {
        if !stage.asks_model() {
            return Value::Null;
        }
        if stage.item_key.is_some() {
            return Value::Object(self.named_answers(stage));
        }
        let results = self.state.wave_results(&stage.id, self.last_wave(stage));
        let mut answers =
            results.into_iter().flatten().filter_map(|digest| self.values.get(digest).map(|v| (**v).clone()));
        match stage.for_each {
            Some(_) if !self.is_repair(stage) => Value::Array(answers.collect()),
            Some(_) | None => answers.next().unwrap_or(Value::Null),
        }
    }

    /// What child runs gave, by the names of their items.
    fn named_answers(&self, stage: &Stage) -> Map<String, Value> {
        let done = |call: &pipeline::Call| {
            let pipeline::CallStatus::Done(output) = &call.status else { return None };
            let value = self.values.get(*output).filter(|_| call.is_child)?;
            Some((call.planned.name.clone(), (**value).clone()))
        };
        self.calls(stage).filter_map(done).collect()
    }

    /// Takes a judge's findings into what checking found: of this attempt, and for unchanged statements of the one before.
    fn apply_judgements(
        &self,
        stage: &Stage,
        gathered: &mut CollectedParagraphs,
        answer: &Value,
    ) -> Vec<String> {
        let Some(found) = gathered.collected.get("answer").filter(|found| found.get("records").is_some())
        else {
            return Vec::new();
        };
        let (judge, _) = self.pinned.asks(stage);
        let before = crate::run::scope::last_check(self.state, self.values, &stage.id);
        let before = before.as_deref().and_then(|last| last.get("answer")?.get("judgements")).cloned();
        // Of an earlier run, recorded with the check's result.
        let known = found.get("known").cloned();
        let lists = [before, known].into_iter().flatten().filter_map(|one| one.as_array().cloned());
        let before: Vec<Value> = lists.flatten().collect();
        let concluded = answers::conclude(found, answer, &Value::Array(before), judge);
        let mut warnings = Vec::new();
        if stage.prompt.is_some() && !self.pinned.is_offline() && concluded.unjudged > 0 {
            warnings.push(match concluded.unjudged {
                1 => "1 statement was not read by the judge; it stays unverified".to_owned(),
                many => format!("{many} statements were not read by the judge; they stay unverified"),
            });
        }
        gathered.collected.insert("answer".to_owned(), concluded.answer);
        warnings
    }

    fn verdict(
        &self,
        stage: &Stage,
        gathered: CollectedParagraphs,
        scope: &mut Scope,
    ) -> Result<Finished, Problem> {
        let err = |error: TemplateError| wrong(stage, &error);
        let Some(rule) = &stage.pass else {
            return Err(Problem::new(
                ErrorCode::InvalidConfig,
                format!("stage {}: no pass rule", stage.title),
            ));
        };
        let mut scores = Map::new();
        for (axis, expr) in &rule.scores {
            scores.insert(axis.clone(), self.templates.eval(expr, scope).map_err(err)?);
        }
        scope.set("scores", &Value::Object(scores.clone()));
        let unsupported = match &rule.unsupported {
            Some(expr) => self.templates.eval(expr, scope).map_err(err)?,
            None => json!([]),
        };
        scope.set("unsupported", &unsupported);
        let passed = self.templates.truthy(&rule.when, scope).map_err(err)?;
        let feedback = match &rule.feedback {
            Some(name) if !passed => self.prompt(stage, name, scope)?,
            _ => String::new(),
        };
        let quantised: BTreeMap<String, i64> = scores
            .iter()
            .filter_map(|(axis, score)| Some((axis.clone(), (score.as_f64()? * 1e6).round() as i64)))
            .collect();
        let rewrite = match &rule.rewrite_when {
            Some(expr) => Some(!passed && self.templates.truthy(expr, scope).map_err(err)?),
            None => None,
        };
        let progress = if passed { None } else { self.progress(stage, &quantised, scope)? };
        let summary = scores
            .iter()
            .map(|(axis, score)| format!("{axis} {}", percent(score)))
            .collect::<Vec<_>>()
            .join(", ");
        let own = stage.output.as_ref().map(|map| self.templates.fill(&Value::Object(map.clone()), scope));
        let mut output = match own.transpose().map_err(err)? {
            Some(Value::Object(output)) => output,
            Some(_) | None => gathered.collected,
        };
        output.insert("scores".to_owned(), Value::Object(scores));
        output.insert("thresholds".to_owned(), json!(self.pinned.config.verification.thresholds));
        output.insert("unsupported".to_owned(), unsupported);
        output.insert("needsRepair".to_owned(), json!(!passed));
        output.insert("feedback".to_owned(), json!(feedback));
        output.extend(rewrite.map(|rewrite| (REWRITE.to_owned(), json!(rewrite))));
        Ok(Finished {
            output: Value::Object(output),
            summary,
            passed: Some(passed),
            scores: quantised,
            warnings: Vec::new(),
            progress,
        })
    }
}

/// The paragraphs of a list with the sentences by which they are cited, as a section of that form numbers them.
fn keys(list: &Value, form: KeyForm) -> Vec<answers::Keyed> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let paragraphs: Vec<ContextParagraph> = list.iter().filter_map(ContextParagraph::from_value).collect();
    let keyed = context::keyed(&paragraphs, form);
    keyed
        .iter()
        .map(|one| {
            let reference = &one.paragraph.reference;
            let bare = reference.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            answers::Keyed {
                id: one.paragraph.id.clone(),
                source_ref: bare.unwrap_or(reference).to_owned(),
                sentences: (1..=one.sentences.len())
                    .filter_map(|number| one.sentence(number).map(str::to_owned))
                    .collect(),
            }
        })
        .collect()
}

/// A stage of the pinned agent.
pub(crate) fn stage_of<'a>(pinned: &'a Pinned, id: &StageId) -> Result<&'a Stage, Problem> {
    pinned.stage(id).ok_or_else(|| {
        Problem::new(ErrorCode::Corrupt, format!("the log names stage {id}, which the agent does not have"))
    })
}

pub(crate) fn wrong(stage: &Stage, error: &TemplateError) -> Problem {
    Problem::new(ErrorCode::InvalidConfig, format!("stage {}: {error}", stage.title))
        .with_action("correct the agent's configuration and start a new run")
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| domain::canonical(value), str::to_owned)
}

fn percent(score: &Value) -> String {
    score.as_f64().map_or_else(|| "-".to_owned(), |score| format!("{:.0} %", score * 100.0))
}

fn counts(collected: &Map<String, Value>) -> String {
    let counts =
        collected.iter().filter_map(|(name, value)| Some(format!("{} {name}", value.as_array()?.len())));
    counts.collect::<Vec<_>>().join(", ")
}
