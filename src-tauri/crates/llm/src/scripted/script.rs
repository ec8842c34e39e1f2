use std::time::Duration;

use domain::Usage;
use serde::Deserialize;
use serde_json::Value;

use super::answer::{Answer, Ending};
use crate::{Fault, ModelInfo, ModelRequest, Price, ProviderError, StopReason, ToolCall};

/// A script that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// Its JSON has another form.
    #[error("the script is not understood: {0}")]
    Form(#[from] serde_json::Error),
}

/// Where answers come from.
pub(super) enum Script {
    Rules { rules: Vec<Rule>, default: Box<Option<Answer>> },
    Function(Box<dyn FnMut(&ModelRequest) -> Answer + Send>),
}

pub(super) struct Rule {
    /// Texts that must all occur.
    matches: Vec<String>,
    /// Uses left.
    left: u64,
    answer: Answer,
}

impl Script {
    pub(super) fn queue(answers: impl IntoIterator<Item = Answer>) -> Self {
        let rules = answers.into_iter().map(|answer| Rule { matches: Vec::new(), left: 1, answer }).collect();
        Self::Rules { rules, default: Box::new(None) }
    }

    pub(super) fn answer(&mut self, request: &ModelRequest) -> Answer {
        match self {
            Self::Function(function) => function(request),
            Self::Rules { rules, default } => {
                let occurs = |text: &String| request.texts().any(|read| read.contains(text.as_str()));
                let rule = rules.iter_mut().find(|rule| rule.left > 0 && rule.matches.iter().all(occurs));
                match (rule, default.as_ref()) {
                    (Some(rule), _) => {
                        rule.left -= 1;
                        rule.answer.clone()
                    }
                    (None, Some(answer)) => answer.clone(),
                    (None, None) => Answer {
                        ending: Ending::Fail { error: super::exhausted(), after: 0 },
                        ..Answer::text("")
                    },
                }
            }
        }
    }

    pub(super) fn from_json(value: &Value) -> Result<(ModelInfo, Self), ScriptError> {
        let file = ScriptFile::deserialize(value)?;
        let mut model = ModelInfo::free(file.model, "scripted", file.context_window, file.max_output);
        model.price = file.price;
        let rules = file
            .answers
            .into_iter()
            .map(|entry| {
                let matches = match &entry.matching {
                    None => Vec::new(),
                    Some(Match::One(text)) => vec![text.clone()],
                    Some(Match::All(texts)) => texts.clone(),
                };
                let left = entry.times.unwrap_or(if matches.is_empty() { 1 } else { u64::MAX });
                Rule { matches, left, answer: entry.into_answer() }
            })
            .collect();
        Ok((model, Self::Rules { rules, default: Box::new(file.default.map(Entry::into_answer)) }))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ScriptFile {
    #[serde(default = "scripted")]
    model: String,
    #[serde(default = "window")]
    context_window: u64,
    #[serde(default = "output")]
    max_output: u64,
    #[serde(default)]
    price: Price,
    #[serde(default)]
    answers: Vec<Entry>,
    #[serde(default)]
    default: Option<Entry>,
}

fn scripted() -> String {
    "scripted".to_owned()
}

fn window() -> u64 {
    200_000
}

fn output() -> u64 {
    64_000
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Match {
    One(String),
    All(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    #[serde(rename = "match", default)]
    matching: Option<Match>,
    #[serde(default)]
    times: Option<u64>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    json: Option<Value>,
    #[serde(default)]
    calls: Vec<ScriptedCall>,
    #[serde(default)]
    repeat_bytes: Option<usize>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    thinking: Option<String>,
    #[serde(default)]
    chunks: Option<usize>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    stop: Option<StopReason>,
    #[serde(default)]
    response_id: Option<String>,
    #[serde(default)]
    cut_after: Option<usize>,
    #[serde(default)]
    hang: bool,
    #[serde(default)]
    error: Option<FaultName>,
    #[serde(default)]
    retry_after_ms: Option<u64>,
    #[serde(default)]
    after: usize,
    #[serde(default)]
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    name: String,
    #[serde(default = "no_arguments")]
    arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum FaultName {
    Auth,
    Permission,
    Quota,
    RateLimit,
    Overloaded,
    ContextTooLong,
    Refused,
    BadRequest,
    Network,
    Timeout,
    StreamCut,
    Malformed,
    OverCap,
}

impl FaultName {
    fn fault(self, retry_after_ms: Option<u64>) -> Fault {
        match self {
            Self::Auth => Fault::Auth,
            Self::Permission => Fault::Permission,
            Self::Quota => Fault::Quota,
            Self::RateLimit => Fault::RateLimit { retry_after_ms },
            Self::Overloaded => Fault::Overloaded { retry_after_ms },
            Self::ContextTooLong => Fault::ContextTooLong,
            Self::Refused => Fault::Refused,
            Self::BadRequest => Fault::BadRequest,
            Self::Network => Fault::Network,
            Self::Timeout => Fault::Timeout,
            Self::StreamCut => Fault::StreamCut,
            Self::Malformed => Fault::Malformed,
            Self::OverCap => Fault::OverCap,
        }
    }
}

impl Entry {
    fn into_answer(self) -> Answer {
        let text = match (self.text, &self.json) {
            (Some(text), _) => text,
            (None, Some(json)) => json.to_string(),
            (None, None) => String::new(),
        };
        let ending = if let Some(name) = self.error {
            let message = self.message.unwrap_or_else(|| "as the script says".to_owned());
            let error = ProviderError::new("scripted", name.fault(self.retry_after_ms), message);
            Ending::Fail { error, after: self.after }
        } else if self.hang {
            Ending::Hang { after: self.after }
        } else if let Some(after) = self.cut_after {
            Ending::Cut { after }
        } else {
            Ending::Finish
        };
        let calls: Vec<ToolCall> = self
            .calls
            .into_iter()
            .zip(1..)
            .map(|(call, at): (ScriptedCall, u32)| ToolCall {
                id: format!("scripted_{at}"),
                name: call.name,
                arguments: call.arguments,
                raw: None,
                signature: None,
                cut: false,
            })
            .collect();
        let stop = if calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
        Answer {
            pictures: Vec::new(),
            text,
            calls,
            filler: self.repeat_bytes.map(|bytes| (bytes, self.seed)),
            thinking: self.thinking,
            chunks: self.chunks.unwrap_or(1).max(1),
            delay: Duration::from_millis(self.delay_ms),
            usage: self.usage,
            stop: self.stop.unwrap_or(stop),
            response_id: self.response_id,
            ending,
        }
    }
}
