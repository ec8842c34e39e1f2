//! Stages that share a conversation: what each is told when it goes on there or begins one, what of its context stands in it
//! already, and whether there is room.

use std::borrow::Cow;

use context::{Body, Scope, Section};
use domain::Problem;
use domain::agent::{ContextSection, Stage};
use llm::Message;
use pipeline::{CallKey, CallStatus, Event, Handoff};
use serde_json::{Value, json};

use crate::run::evaluate::Evaluation;
use crate::run::pinned::Pinned;
use crate::turn::{STAGE_GATE, SharedTask};

/// What a stage is taken to need, in tenths of its `contextBudget`: estimates of tokens are a fifth too low at worst.
const NEED_TENTHS: u64 = 12;

/// What a stage is told before its context.
pub(super) struct StageBriefing {
    pub(super) system: String,
    /// What its message begins with; empty where the stage has a conversation of its own.
    pub(super) lead: String,
    /// What was asked of the run, for a message that would have nothing else of it.
    question: String,
    /// Tokens of the conversation before it.
    pub(super) before: u64,
}

impl StageBriefing {
    /// The stage's messages, with what it is told before them.
    pub(super) fn messages(self, context: Vec<Message>) -> Vec<Message> {
        if self.lead.is_empty() {
            return context;
        }
        let texts: Vec<String> = context.into_iter().map(|message| message.content).collect();
        let shown = texts.join("\n\n");
        let shown = if shown.trim().is_empty() { self.question } else { shown };
        vec![Message::user(format!("{}\n\n{shown}", self.lead).trim_end())]
    }
}

impl Pinned {
    /// Whether a stage's requests begin with the system prompt and the tools of the conversation that stages share.
    fn begins_shared(&self, stage: &Stage) -> bool {
        self.config.continues(stage) || (self.requests >= 2 && self.config.begins_alike(stage))
    }

    /// The tools of all stages whose requests begin alike, in the order of the stages: each shows the model the same.
    pub(crate) fn shared_tools(&self) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        let stages = self.config.control_flow.stages.iter().filter(|stage| self.begins_shared(stage));
        for tool in stages.flat_map(|stage| &stage.tools) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        tools
    }

    /// What a stage may do in a conversation that begins as the shared one does.
    pub(crate) fn shared(&self, stage: &Stage, hands_over: bool) -> Option<SharedTask> {
        self.begins_shared(stage).then(|| SharedTask { tools: stage.tools.clone(), hands_over })
    }

    /// The tokens that fit into a request.
    fn window(&self) -> u64 {
        self.config.orchestrator.context_window.min(self.model_info.context_window)
    }
}

impl Evaluation<'_> {
    /// What a stage is told before its context, with its prompt and the schema of its output.
    pub(super) fn briefing(
        &self,
        stage: &Stage,
        prompt: String,
        schema: Option<&Value>,
        scope: &Scope,
    ) -> Result<StageBriefing, Problem> {
        if !self.pinned.begins_shared(stage) {
            return Ok(StageBriefing {
                system: prompt,
                lead: String::new(),
                question: String::new(),
                before: 0,
            });
        }
        let last = self.goes_on(stage);
        let mut parts = Vec::new();
        if let Some(Handoff::Done(handoff)) = self.state.stage(&stage.id).map(|stage| stage.handoff()) {
            let text = self.values.get(handoff).and_then(|text| text.as_str()).unwrap_or_default();
            parts.push(format!(
                "# Context from the previous session\n\nAn earlier conversation on this work came to the end of its context \
                 window. It handed over what it knew:\n\n{text}\n\n---"
            ));
        }
        parts.push(match last {
            Some(_) => format!(
                "# Next stage: {}\n\nThe earlier stages stand above in this conversation. Go on from what they found and \
                 decided; repeat none of it.",
                stage.title
            ),
            None => format!("# Stage: {}", stage.title),
        });
        parts.push(prompt.trim().to_owned());
        if let Some(schema) = schema {
            let schema = self.shown_schema(schema);
            parts.push(format!(
                "## Result of this stage\n\nClose the stage with `{STAGE_GATE}`. Its `data` has to satisfy this JSON \
                 Schema:\n\n{schema}"
            ));
        }
        let asked = || self.state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default();
        Ok(StageBriefing {
            system: self.shared_system(stage, scope)?,
            lead: parts.join("\n\n"),
            question: if last.is_none() { asked() } else { String::new() },
            before: last.map_or(0, |last| self.used(&last)),
        })
    }

    /// A schema as a model reads it: without what only an editor needs.
    fn shown_schema<'v>(&self, schema: &'v Value) -> Cow<'v, Value> {
        match schema {
            Value::Object(fields) if self.pinned.requests >= 2 => {
                let for_model = |(name, _): &(&String, &Value)| !matches!(name.as_str(), "$schema" | "title");
                let fields = fields.iter().filter(for_model);
                Cow::Owned(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            _ => Cow::Borrowed(schema),
        }
    }

    /// The system prompt of the conversation that stages share.
    pub(super) fn shared_system(&self, stage: &Stage, scope: &Scope) -> Result<String, Problem> {
        let name = self.pinned.config.orchestrator.system.as_deref().unwrap_or_default();
        self.prompt(stage, name, scope).map(|text| text.trim().to_owned())
    }

    /// The call whose turn a stage goes on from, where its own turn goes on in the conversation.
    fn goes_on(&self, stage: &Stage) -> Option<CallKey> {
        let hands_over = self.state.stage(&stage.id).is_none_or(|stage| stage.hands_over());
        self.state.follows(&stage.id).filter(|_| !hands_over)
    }

    /// Tokens that the conversation holds after a call's last turn.
    pub(super) fn used(&self, last: &CallKey) -> u64 {
        self.state.calls.get(last).map_or(0, |call| call.fill.tokens)
    }

    /// A line in place of a section that shows what an earlier stage of the same conversation gave: the model has it.
    pub(super) fn said_before(&self, stage: &Stage, section: &ContextSection) -> Option<Section> {
        if !self.pinned.config.continues(stage) || section.prompt.is_some() {
            return None;
        }
        let last = self.goes_on(stage)?;
        let path: Vec<&str> = section.value.trim().split('.').collect();
        let ["outputs", name, fields @ ..] = path.as_slice() else { return None };
        let of = self.pinned.config.continuing().find(|stage| &stage.name == name)?;
        let key = self.state.said_in(&last).into_iter().find(|key| key.stage == of.id)?;
        let CallStatus::Done(said) = self.state.calls.get(&key)?.status else { return None };
        let field =
            |value: &Value| fields.iter().try_fold(value.clone(), |value, field| value.get(field).cloned());
        let said = field(self.values.get(said)?)?;
        // What the person edited, and what the stage made of the answer, the model has not read.
        let now = field(self.values.get(self.state.stage(&of.id)?.output?)?)?;
        let is_shown = said == now && !Body::Json(now).is_empty();
        let line = format!("(It stands above in this conversation: the result of the stage {}.)", of.title);
        is_shown.then(|| Section::new(section.section.clone(), Body::Text(line)).essential())
    }

    /// That the conversation in which a stage would go on has too little room left for it, where that is so and nobody was
    /// asked yet.
    pub(crate) fn lacks_room(&mut self, stage: &Stage) -> Result<Option<Event>, Problem> {
        let asked = self.state.stage(&stage.id).is_some_and(|stage| stage.handoff() != Handoff::None);
        let Some(last) = self.state.follows(&stage.id).filter(|_| !asked) else { return Ok(None) };
        let (used, window) = (self.used(&last), self.pinned.window());
        if used == 0 {
            return Ok(None);
        }
        let mut scope = self.scope(stage);
        // What its steps will collect is not there yet, and a message that can't be made is told of when it is planned.
        scope.set("collected", &json!({}));
        scope.set("telemetry", &json!({}));
        let message = self.request(stage, &scope).map_or(0, |made| {
            made.request.messages.iter().map(|message| context::estimate(&message.content)).sum::<u64>()
        });
        let budget = stage.context_budget.unwrap_or(self.pinned.config.orchestrator.min_output_budget);
        let needed = budget.saturating_mul(NEED_TENTHS).div_ceil(10).saturating_add(message);
        if window.saturating_sub(used) >= needed {
            return Ok(None);
        }
        let fill = used as f64 / window.max(1) as f64;
        Ok(Some(Event::ContextHandoffRequested { stage: stage.id.clone(), fill, used, window, needed }))
    }
}
