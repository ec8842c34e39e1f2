//! How a conversation with too little room left hands over to a fresh one: the question to the person, the document that the
//! old conversation is asked for, and what code makes of the run where it gives none.

use domain::Problem;
use domain::agent::{ChoiceAction, Stage};
use engine_types::{Answered, Reply};
use llm::{Message, ModelRequest};
use pipeline::{Action, CallKey, CallStatus, Event, Handoff, Pause, PlannedCall};
use serde_json::Value;

use crate::run::answer::{FixedChoice, decided, named_choice, undecided};
use crate::run::driver::Driver;
use crate::run::evaluate::{Evaluation, Payload};
use crate::run::wave::Wave;
use crate::turn::STAGE_GATE;

/// The most answers of the old conversation until the document is there.
pub(crate) const MAX_HANDOFF_ANSWERS: u32 = 5;
/// The fewest and the most tokens of the document.
const MIN_HANDOFF_TOKENS: u64 = 2_000;
const MAX_HANDOFF_TOKENS: u64 = 5_000;
/// The most characters of a document that is taken although it is too long.
const MAX_HANDOFF_CHARS: usize = 24_000;
/// The most characters of all outputs together in a document that code makes.
const MAX_OUTPUT_CHARS: usize = 14_000;
/// The most entries of a list in it.
const MAX_ENTRIES: usize = 50;

/// What a document has to have: its parts, and what each tells.
const PARTS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Pipeline State",
        &[
            ("Completed stages", "each stage that is done, with what came of it in one or two sentences"),
            ("Next stage", "what comes now"),
            ("User feedback received", "what the person asked for, allowed or refused"),
        ],
    ),
    (
        "Codebase Knowledge Map",
        &[
            ("Project structure", "the folders that matter, and what each is for"),
            (
                "Key files explored",
                "of each file that you read: path, purpose, about how large, its main functions and exports",
            ),
            ("Architecture patterns", "how the parts work together"),
            ("Dependencies", "those that matter for this work"),
        ],
    ),
    (
        "Working State",
        &[
            ("What was accomplished", "what is there now"),
            ("What comes next", "the steps that the next stage has to take"),
            ("Files modified", "each with a word on its change"),
            ("Open questions", "what is not settled"),
            ("Gotchas", "what went wrong or is not obvious"),
        ],
    ),
];

const HAND_OVER: &str = "hand_over";
const GO_ON: &str = "go_on";
const CANCEL: &str = "cancel";

/// What the pause offers. The first is what a run does that nobody attends to.
pub(super) const CHOICES: [FixedChoice; 3] = [
    (
        HAND_OVER,
        "Hand over",
        ChoiceAction::Proceed,
        "Asks the conversation once for what it knows; the stage begins a fresh one with that.",
        &["hand over", "handover", "fresh", "uebergeben"],
    ),
    (
        GO_ON,
        "Go on in the same conversation",
        ChoiceAction::Proceed,
        "The stage goes on where it is; older parts are summarised when the room runs out.",
        &["same conversation", "stay here"],
    ),
    (CANCEL, "Cancel", ChoiceAction::Cancel, "Ends the run. It can't be resumed.", &[]),
];

/// What is shown at the pause.
pub(super) fn message(evaluation: &Evaluation<'_>, stage: &Stage) -> String {
    let handoff = evaluation.state.stage(&stage.id).map(|stage| stage.handoff());
    let Some(Handoff::Asked { fill, used, window, needed }) = handoff else {
        return format!("**Context nearly full** - {}", stage.title);
    };
    format!(
        "**Context nearly full** - {}\n\nContext is at {:.0} %. The next stage ({}) needs about {} tokens, {} are left. Hand \
         over to a fresh conversation?",
        stage.title,
        fill * 100.0,
        stage.title,
        rounded(needed),
        rounded(window.saturating_sub(used)),
    )
}

/// A number of tokens in thousands, where it has any.
fn rounded(tokens: u64) -> String {
    let near = if tokens < 1_000 { tokens } else { (tokens + 500) / 1_000 * 1_000 };
    let digits = near.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What a model gave as the document.
fn text_of(data: &Value) -> &str {
    data.as_str().or_else(|| data.get("handoff")?.as_str()).unwrap_or_default().trim()
}

/// Whether a line of a text begins with a heading or a label, whatever marks stand before it.
fn tells(text: &str, heading: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        line.get(..heading.len()).is_some_and(|start| start.eq_ignore_ascii_case(heading))
    })
}

/// Headings that a document lacks.
fn lacking(text: &str) -> Vec<&'static str> {
    let wanted = PARTS
        .iter()
        .flat_map(|(part, below)| std::iter::once(*part).chain(below.iter().map(|(heading, _)| *heading)));
    wanted.filter(|heading| !tells(text, heading)).collect()
}

/// What is wrong with a document.
pub(crate) fn faults(data: &Value) -> Vec<String> {
    let text = text_of(data);
    if text.is_empty() {
        return vec!["it is an object with the document as text in `handoff`".to_owned()];
    }
    let mut faults = Vec::new();
    let lacking = lacking(text);
    if !lacking.is_empty() {
        faults.push(format!("these headings are missing: {}", lacking.join(", ")));
    }
    let tokens = context::estimate(text);
    if !(MIN_HANDOFF_TOKENS..=MAX_HANDOFF_TOKENS).contains(&tokens) {
        faults.push(format!(
            "the document has about {tokens} tokens; it should have {MIN_HANDOFF_TOKENS} to {MAX_HANDOFF_TOKENS}"
        ));
    }
    faults
}

/// What the old conversation is asked.
fn question(next: &str) -> String {
    let mut out = format!(
        "# Hand over\n\nThis conversation comes to the end of its context window. The next stage ({next}) begins in a fresh one \
         that has read nothing of this. Write down what it has to know to go on without looking everything up again: \
         {MIN_HANDOFF_TOKENS} to {MAX_HANDOFF_TOKENS} tokens of Markdown with exactly these headings.\n"
    );
    for (part, below) in PARTS {
        out.push_str(&format!("\n## {part}\n"));
        for (heading, about) in below {
            out.push_str(&format!("- **{heading}:** {about}\n"));
        }
    }
    out.push_str(&format!(
        "\nCall no tool but `{STAGE_GATE}`, with complete = true and `data` = {{\"handoff\": \"<the document>\"}}."
    ));
    out
}

impl Evaluation<'_> {
    fn hands_over(&self, stage: &Stage) -> bool {
        self.state.stage(&stage.id).is_some_and(|stage| stage.hands_over())
    }

    /// The wave of a stage's own call to a model.
    pub(crate) fn last_wave(&self, stage: &Stage) -> u32 {
        stage.steps.len() as u32 + u32::from(self.hands_over(stage))
    }

    /// Whether a wave asks the old conversation to hand over.
    pub(crate) fn is_handoff(&self, stage: &Stage, wave: u32) -> bool {
        wave == stage.steps.len() as u32 && self.hands_over(stage)
    }

    /// The call that asks the old conversation to hand over. Where it fails, code makes the document.
    pub(crate) fn handoff_wave(&self, stage: &Stage, scope: &context::Scope) -> Result<Wave, Problem> {
        let (model, info) = self.pinned.asks(stage);
        let orchestrator = &self.pinned.config.orchestrator;
        let request = ModelRequest {
            model: model.to_owned(),
            system: self.shared_system(stage, scope)?,
            cache_system: true,
            messages: vec![Message::user(question(&stage.title))],
            max_output_tokens: orchestrator.max_output_tokens.min(info.max_output),
            effort: stage.effort.or(orchestrator.effort),
            thinking: orchestrator.thinking && info.thinking,
            ..ModelRequest::default()
        };
        let before = self.state.follows(&stage.id).map_or(0, |last| self.used(&last));
        let input = context::with_margin(request.estimated_input()).saturating_add(before);
        let planned = PlannedCall {
            optional: true,
            title: format!("Hand over to {}", stage.title),
            ..self.turn(stage, &request, input)
        };
        Ok(Wave { calls: vec![(planned, Payload::Dialogue(Box::new(request)))], ..Wave::default() })
    }

    /// The document with which a stage's fresh conversation begins: what the old one gave, or what code makes of the run.
    pub(crate) fn handoff_document(&self, stage: &Stage) -> String {
        let attempt = self.state.stage(&stage.id).map_or(0, |stage| stage.attempt);
        let key = CallKey { stage: stage.id.clone(), attempt, wave: stage.steps.len() as u32, item: 0 };
        let given = match self.state.calls.get(&key).map(|call| &call.status) {
            Some(CallStatus::Done(given)) => self.values.get(*given),
            _ => None,
        };
        let given = given.map(|given| text_of(given)).filter(|given| lacking(given).is_empty());
        match given {
            Some(given) => given.chars().take(MAX_HANDOFF_CHARS).collect(),
            None => self.handoff_by_code(stage),
        }
    }

    fn handoff_by_code(&self, stage: &Stage) -> String {
        let last = self.state.follows(&stage.id);
        let said = last.map(|last| self.state.said_in(&last)).unwrap_or_default();
        let mut done = Vec::new();
        for key in said.iter().rev() {
            let of = self.pinned.stage(&key.stage);
            let output = self.state.stage(&key.stage).and_then(|stage| self.values.get(stage.output?));
            done.extend(of.zip(output));
        }
        let room = MAX_OUTPUT_CHARS / done.len().max(1);
        let list = |field: &str| -> String {
            let found = done.iter().flat_map(|(_, output)| {
                let own = output.get("handoff").and_then(|handoff| handoff.get(field));
                own.or_else(|| output.get(field)).and_then(Value::as_array).into_iter().flatten()
            });
            let lines: Vec<String> = found
                .take(MAX_ENTRIES)
                .map(|one| {
                    format!("\n- {}", one.as_str().map_or_else(|| domain::canonical(one), str::to_owned))
                })
                .collect();
            if lines.is_empty() { " none recorded".to_owned() } else { lines.concat() }
        };
        let stages: Vec<String> = done
            .iter()
            .map(|(stage, output)| {
                let summary =
                    output.get("handoff").and_then(|handoff| handoff.get("summary")).and_then(Value::as_str);
                format!("\n- {}: {}", stage.title, summary.unwrap_or("done; its result stands below"))
            })
            .collect();
        let feedback: Vec<String> = self
            .state
            .pauses
            .iter()
            .filter_map(|pause| pause.decision.as_ref()?.text.as_deref())
            .chain(self.state.guidance.iter().map(String::as_str))
            .take(MAX_ENTRIES)
            .map(|text| format!("\n- {text}"))
            .collect();
        let feedback = if feedback.is_empty() { " none".to_owned() } else { feedback.concat() };
        let results: Vec<String> = done
            .iter()
            .map(|(stage, output)| {
                let whole = output.as_str().map_or_else(|| domain::canonical(output), str::to_owned);
                let shown: String = whole.chars().take(room).collect();
                let cut = if shown.len() < whole.len() { " (cut)" } else { "" };
                format!("\n\n{}{cut}:\n\n{shown}", stage.title)
            })
            .collect();
        let unknown = " not recorded: look up what you need";
        format!(
            "## Pipeline State\n\n**Completed stages:**{}\n\n**Next stage:** {}\n\n**User feedback received:**{feedback}\n\n\
             ## Codebase Knowledge Map\n\n**Project structure:**{unknown}\n\n**Key files explored:**{unknown}\n\n\
             **Architecture patterns:**{unknown}\n\n**Dependencies:**{unknown}\n\n\
             ## Working State\n\n**What was accomplished:**{}\n\n**What comes next:** the stage {}\n\n\
             **Files modified:**{}\n\n**Open questions:**{}\n\n**Gotchas:**{}",
            stages.concat(),
            stage.title,
            results.concat(),
            stage.title,
            list("files_modified"),
            list("open_questions"),
            list("key_decisions"),
        )
    }
}

impl Driver {
    /// Whether a call asks a conversation to hand over.
    pub(super) fn hands_over(&self, key: &CallKey) -> bool {
        let state = self.state();
        let node = state.graph.node(&key.stage);
        node.is_some_and(|node| node.tool_waves == key.wave)
            && state.stage(&key.stage).is_some_and(|stage| stage.attempt == key.attempt && stage.hands_over())
    }

    /// Hands over, goes on, or ends the run. Words that name none of them decide nothing.
    pub(super) fn answer_handoff(&mut self, pause: &Pause, reply: &Reply) -> Result<Answered, Problem> {
        let (choice, words) = match named_choice(reply, &CHOICES)? {
            (Some(choice), words) => (choice, words),
            (None, None) => (HAND_OVER, None),
            (None, Some(words)) if replies::is_agreement(words) => (HAND_OVER, None),
            (None, Some(_)) => return Ok(undecided("your choice", &CHOICES)),
        };
        let action = match choice {
            HAND_OVER => Action::HandOver,
            GO_ON => Action::GoOn,
            _ => Action::Cancel,
        };
        let decision = decided(choice, action, words.map(str::to_owned), reply);
        self.journal.push(Event::Resumed { pause: pause.id.clone(), decision, reply: None })?;
        Ok(Answered::Accepted { choice: choice.to_owned() })
    }
}
