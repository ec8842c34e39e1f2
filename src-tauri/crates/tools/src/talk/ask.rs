//! `ask`: a question to the person.

use async_trait::async_trait;
use domain::{CallEffect, Preview, Question, QuestionOption};
use serde::Deserialize;
use serde_json::{Value, json};

use super::checked_text;
use crate::arguments::{self, Effect, info};
use crate::text::capped;
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// The longest question and answer, in characters.
const MAX_QUESTION_CHARS: usize = 4_000;
const MAX_ANSWER_CHARS: usize = 400;
/// Most answers to choose from.
const MAX_ANSWERS: usize = 12;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    question: String,
    #[serde(default)]
    options: Vec<OptionInput>,
    #[serde(default)]
    several: bool,
}

/// An answer with its meaning, or in short.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OptionInput {
    Short(String),
    Whole {
        label: String,
        #[serde(default)]
        description: String,
    },
}

/// The tool.
pub(crate) struct Ask(ToolInfo);

impl Ask {
    pub(crate) fn new() -> Self {
        Self(info(
            "ask",
            "Ask the person",
            "Asks the person a question and waits for the answer. Ask only what you can't find out and what your next \
             steps depend on. Offer the likely answers as options; any other answer may be given, too.",
            Effect::Reads,
            24 * 60 * 60,
            json!({
                "question": {"type": "string", "description": "The question, whole: the person may not recall the context."},
                "options": {
                    "type": "array",
                    "description": "Answers to choose from, the one that you would take first.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "label": {"type": "string", "description": "The answer in a few words."},
                            "description": {"type": "string", "description": "What it means."},
                        },
                        "required": ["label"],
                        "additionalProperties": false,
                    },
                },
                "several": {"type": "boolean", "description": "Whether several may be chosen."},
            }),
            &["question"],
        ))
    }
}

fn question(arguments: &Value) -> Result<Question, ToolError> {
    let Arguments { question, options, several } = arguments::read(arguments)?;
    if options.len() > MAX_ANSWERS {
        return Err(ToolError::new(
            Kind::Arguments,
            format!("there are {} options; {MAX_ANSWERS} are the most", options.len()),
        ));
    }
    let mut taken: Vec<QuestionOption> = Vec::new();
    for option in options {
        let (label, description) = match option {
            OptionInput::Short(label) => (label, String::new()),
            OptionInput::Whole { label, description } => (label, description),
        };
        let label = checked_text("an option", &label, MAX_ANSWER_CHARS)?;
        let description =
            capped(sources::strip_invisible(&description).trim(), MAX_QUESTION_CHARS).to_owned();
        if taken.iter().any(|other| other.label == label) {
            return Err(ToolError::new(Kind::Arguments, format!("two options are named {label}")));
        }
        taken.push(QuestionOption { label, description });
    }
    Ok(Question {
        text: checked_text("the question", &question, MAX_QUESTION_CHARS)?,
        several: several && !taken.is_empty(),
        options: taken,
    })
}

#[async_trait]
impl Tool for Ask {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    async fn plan(&self, arguments: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        let question = question(arguments)?;
        let line = question.text.lines().next().unwrap_or_default();
        Ok(PlannedOperation {
            effect: CallEffect::Inner,
            intent: format!("Ask: {}", capped(line, 120)),
            preview: Preview::None,
        })
    }

    async fn run(&self, arguments: &Value, _: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        Ok(Outcome { question: Some(question(arguments)?), ..Outcome::text("", "asked") })
    }
}
