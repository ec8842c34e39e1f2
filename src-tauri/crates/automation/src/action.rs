//! What an automation does.

use std::collections::BTreeMap;

use domain::agent::Effort;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Event;
use crate::fields::Fields;

/// The longest prompt or command, in bytes.
const MAX_TEXT_BYTES: usize = 50_000;
/// The longest name, address or header.
const MAX_FIELD_BYTES: usize = 4_096;
/// The most headers of a request.
const MAX_HEADERS: usize = 50;
/// The longest that a command may take: before something happens, and otherwise; in seconds.
const MAX_BEFORE_SECONDS: u64 = 60;
const MAX_COMMAND_SECONDS: u64 = 600;
/// What a command gets unless it asks for more, in seconds.
const USUAL_BEFORE: u64 = 10;
const USUAL_COMMAND: u64 = 60;
/// Methods of webhooks.
const METHODS: [&str; 5] = ["POST", "GET", "PUT", "PATCH", "DELETE"];

/// One thing that an automation does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Sends a message: to a new session, or to one that is there.
    Prompt {
        /// The message; names variables.
        prompt: String,
        /// The session; a new one without it. `${AN_SESSION_ID}` is the one in which it happened.
        session: Option<String>,
        /// The connection; without it the default one.
        connection: Option<String>,
        /// The model; without it the connection's.
        model: Option<String>,
        /// How hard to think.
        effort: Option<Effort>,
        /// Folders of a new session, absolute.
        folders: Vec<String>,
        /// Sources of a new session.
        sources: Vec<String>,
    },
    /// Starts an agent's run.
    Run {
        /// The agent.
        agent: String,
        /// The question; names variables.
        input: String,
        /// The knowledge base; without it the agent's.
        corpus: Option<String>,
        /// The connection.
        connection: Option<String>,
        /// The model.
        model: Option<String>,
        /// The most it may cost in US dollars.
        budget_usd: Option<f64>,
        /// Whether it runs to the end: its pauses take the choice that they propose.
        unattended: bool,
    },
    /// Sends a request to an address.
    Webhook {
        /// The address; names variables and secrets.
        url: String,
        /// The method.
        method: String,
        /// Headers; name variables and secrets.
        headers: BTreeMap<String, String>,
        /// How the body is written.
        format: BodyFormat,
        /// The body; without it the event itself.
        body: Option<Value>,
        /// How it presents itself.
        auth: Option<Auth>,
        /// Whether the beginning of the answer is kept in the history.
        capture: bool,
    },
    /// Runs a command, under the permission rules.
    Command {
        /// The command; the event is in its environment.
        command: String,
        /// Where it runs; without it in the session's first folder.
        folder: Option<String>,
        /// Seconds that it may take.
        seconds: u64,
        /// Before something happens: whether a command that fails or takes too long vetoes.
        fail_closed: bool,
    },
    /// Keeps from happening what was about to.
    Veto {
        /// Why, for the person and the model.
        reason: String,
    },
}

/// How a request's body is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyFormat {
    /// JSON.
    #[default]
    Json,
    /// Fields of a form.
    Form,
    /// Text as it stands.
    Raw,
}

/// How a request presents itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// With a token in `Authorization`.
    Bearer {
        /// The token: a variable or a secret.
        token: String,
    },
    /// With a name and a password.
    Basic {
        /// The name.
        username: String,
        /// The password: a variable or a secret.
        password: String,
    },
}

/// Which actions a moment is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionPhase {
    /// Those that may veto: rules, and commands before something happens.
    Vetoes,
    /// All others.
    Effects,
}

impl Action {
    /// Which moment it is for.
    pub const fn gated(&self, event: Event) -> ActionPhase {
        match self {
            Self::Veto { .. } => ActionPhase::Vetoes,
            Self::Command { .. } if event.is_before() => ActionPhase::Vetoes,
            Self::Command { .. } | Self::Prompt { .. } | Self::Run { .. } | Self::Webhook { .. } => {
                ActionPhase::Effects
            }
        }
    }

    /// Its type in files.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Prompt { .. } => "prompt",
            Self::Run { .. } => "run",
            Self::Webhook { .. } => "webhook",
            Self::Command { .. } => "command",
            Self::Veto { .. } => "veto",
        }
    }

    pub(crate) fn read(event: Event, fields: &mut Fields<'_>) -> Option<Self> {
        let kind = fields.text("type", 40).unwrap_or_default();
        let either = |fields: &mut Fields<'_>, one: &str, other: &str| {
            let name = if fields.get(one).is_some() { one } else { other };
            fields.text(name, MAX_FIELD_BYTES)
        };
        let missing = |fields: &mut Fields<'_>, name: &str| {
            if fields.get(name).is_none() {
                fields.fault(name, "it is missing");
            }
        };
        match kind.as_str() {
            "prompt" => {
                missing(fields, "prompt");
                Some(Self::Prompt {
                    prompt: fields.needed("prompt", MAX_TEXT_BYTES)?,
                    session: fields
                        .text("session", MAX_FIELD_BYTES)
                        .filter(|session| !session.is_empty() && session != "new"),
                    connection: either(fields, "llmConnection", "connection"),
                    model: fields.text("model", 200),
                    effort: effort(fields),
                    folders: fields.texts("folders", 10),
                    sources: fields.texts("sources", 50),
                })
            }
            "run" => {
                missing(fields, "agent");
                let input = if fields.get("input").is_some() { "input" } else { "prompt" };
                missing(fields, input);
                Some(Self::Run {
                    agent: fields.needed("agent", 200)?,
                    input: fields.needed(input, MAX_TEXT_BYTES)?,
                    corpus: fields.text("corpus", 200),
                    connection: either(fields, "llmConnection", "connection"),
                    model: fields.text("model", 200),
                    budget_usd: budget(fields),
                    unattended: fields.flag("unattended").unwrap_or(false),
                })
            }
            "webhook" => {
                missing(fields, "url");
                webhook(fields)
            }
            "command" => {
                missing(fields, "command");
                let (most, usual) = match event.is_before() {
                    true => (MAX_BEFORE_SECONDS, USUAL_BEFORE),
                    false => (MAX_COMMAND_SECONDS, USUAL_COMMAND),
                };
                let command = fields.needed("command", MAX_TEXT_BYTES)?;
                if command.contains('\0') {
                    fields.fault("command", "it holds a zero byte, which no command can");
                }
                let folder = fields.text("folder", MAX_FIELD_BYTES);
                if folder.as_deref().is_some_and(|folder| !folder.starts_with('/')) {
                    fields.fault("folder", "a whole path is expected here");
                }
                Some(Self::Command {
                    command,
                    folder,
                    seconds: fields.count("timeoutSeconds", most).unwrap_or(usual),
                    fail_closed: fields.flag("failClosed").unwrap_or(false),
                })
            }
            "veto" => {
                missing(fields, "reason");
                if !event.is_before() {
                    fields
                        .fault("type", format!("{} has happened already: nothing can veto it", event.name()));
                }
                Some(Self::Veto { reason: fields.needed("reason", 2_000)? })
            }
            "" => {
                fields.fault("type", "one of prompt, run, webhook, command, veto is expected here");
                None
            }
            other => {
                let what = format!("{:?} is none of prompt, run, webhook, command, veto", &other);
                fields.fault("type", what);
                None
            }
        }
    }
}

fn effort(fields: &mut Fields<'_>) -> Option<Effort> {
    let name = if fields.get("thinkingLevel").is_some() { "thinkingLevel" } else { "effort" };
    let word = fields.text(name, 20)?;
    match word.as_str() {
        "off" | "none" | "" => None,
        "think" | "medium" => Some(Effort::Medium),
        "low" | "minimal" => Some(Effort::Low),
        "high" => Some(Effort::High),
        "max" | "xhigh" => Some(Effort::Max),
        _ => {
            fields.fault(name, "one of off, low, medium, high, max is expected here");
            None
        }
    }
}

fn budget(fields: &mut Fields<'_>) -> Option<f64> {
    let value = fields.get("budgetUsd")?;
    let budget = value.as_f64().filter(|budget| budget.is_finite() && (0.0..=10_000.0).contains(budget));
    if budget.is_none() {
        fields.fault("budgetUsd", "an amount from 0 to 10,000 is expected here");
    }
    budget
}

fn webhook(fields: &mut Fields<'_>) -> Option<Action> {
    let url = fields.needed("url", MAX_FIELD_BYTES)?;
    let method = fields.text("method", 10).unwrap_or_else(|| "POST".to_owned()).to_ascii_uppercase();
    if !METHODS.contains(&method.as_str()) {
        fields.fault("method", "one of POST, GET, PUT, PATCH, DELETE is expected here");
    }
    let mut headers = BTreeMap::new();
    match fields.get("headers") {
        None => {}
        Some(Value::Object(given)) if given.len() <= MAX_HEADERS => {
            for (name, value) in given {
                let plain = !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
                match value.as_str() {
                    Some(value)
                        if plain && value.len() <= MAX_FIELD_BYTES && !value.contains(['\r', '\n', '\0']) =>
                    {
                        headers.insert(name.clone(), value.to_owned());
                    }
                    _ => fields.fault("headers", format!("{name:?} is no header with a text on one line")),
                }
            }
        }
        Some(_) => {
            fields.fault("headers", format!("at most {MAX_HEADERS} names with texts are expected here"))
        }
    }
    let format = fields.word("bodyFormat", "json, form or raw").unwrap_or_default();
    let body = fields.get("body").cloned();
    match (format, &body) {
        (BodyFormat::Raw, Some(body)) if !body.is_string() => {
            fields.fault("body", "a raw body is a text");
        }
        (BodyFormat::Form, Some(body)) if !body.is_object() => {
            fields.fault("body", "the body of a form is an object");
        }
        _ => {}
    }
    let auth = match fields.get("auth") {
        None => None,
        Some(auth) => {
            let place = fields.place("auth");
            let mut auth = Fields::new(auth, &place, fields.faults())?;
            match auth.text("type", 20).unwrap_or_default().as_str() {
                "none" => None,
                "bearer" => Some(Auth::Bearer { token: auth.needed("token", MAX_FIELD_BYTES)? }),
                "basic" => Some(Auth::Basic {
                    username: auth.text("username", MAX_FIELD_BYTES).unwrap_or_default(),
                    password: auth.text("password", MAX_FIELD_BYTES).unwrap_or_default(),
                }),
                _ => {
                    auth.fault("type", "one of none, bearer, basic is expected here");
                    None
                }
            }
        }
    };
    let capture = fields.flag("captureResponse").unwrap_or(false);
    Some(Action::Webhook { url, method, headers, format, body, auth, capture })
}
