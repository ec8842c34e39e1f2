//! Tools on the workbench itself: checks of configurations and skills, the work of the session, and what sources need.
//!
//! The server `agentnative mcp session-tools` offers the same to other programs, under the same names.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, ErrorCode, Hints, Preview, Problem, Question, QuestionOption};
use environment::Diagrams;
use gate::Gate;
use protocol::DiagramVerdict;
use serde_json::{Value, json};
use source_tools::{Entry, SourceTools};
use store::{RunFilter, Store};
use support::blocking;
use tools::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};
use workspace::{ConfigKind, ConfigProblem, DEFAULT_WORKSPACE, Workspace, parse_skill};

/// Most problems that are listed.
const MAX_PROBLEMS: usize = 100;
/// Runs and turns that are listed.
const WORK: u32 = 20;
/// The longest text that is checked, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Config,
    Skill,
    Work,
    TrySource,
    Secrets,
    SignIn,
    Diagram,
}

/// One of the tools.
struct SessionTool {
    operation: Operation,
    info: ToolInfo,
    home: PathBuf,
    store: Store,
    gate: Arc<Gate>,
    diagrams: Arc<OnceLock<Diagrams>>,
}

/// The tools of a data directory.
pub fn session_tools(
    home: &Path,
    store: &Store,
    gate: &Arc<Gate>,
    diagrams: &Arc<OnceLock<Diagrams>>,
) -> Vec<Arc<dyn Tool>> {
    let make = |operation: Operation| -> Arc<dyn Tool> {
        let (home, store, gate, diagrams) = (home.to_owned(), store.clone(), gate.clone(), diagrams.clone());
        Arc::new(SessionTool { operation, info: info(operation), home, store, gate, diagrams })
    };
    use Operation::{Config, Diagram, Secrets, SignIn, Skill, TrySource, Work};
    [Config, Skill, Work, TrySource, Secrets, SignIn, Diagram].map(make).into()
}

fn info(operation: Operation) -> ToolInfo {
    let source = || json!({"source": {"type": "string", "description": "The source's folder name."}});
    let text = "The text of the file, to check it before it is written; without it the file that is kept is checked.";
    let (name, title, description, properties, required, seconds) = match operation {
        Operation::Config => (
            "config_validate",
            "Check a configuration",
            "Checks an agent, a source, permission rules or connections of this program, and lists all that is wrong with \
             file, line and JSON pointer. Use it with `text` before you write such a file, and with `name` alone after.",
            json!({
                "kind": {"enum": ["agent", "source", "permissions", "connections"]},
                "name": {"type": "string", "description": "The agent or source: its folder's name."},
                "text": {"type": "string", "description": text},
            }),
            vec!["kind"],
            30,
        ),
        Operation::Skill => (
            "skill_validate",
            "Check a skill",
            "Checks a skill of this program and lists all that is wrong with it. Use it after a SKILL.md was written, or \
             with `text` before.",
            json!({
                "skill": {"type": "string", "description": "The skill's folder name."},
                "text": {"type": "string", "description": text},
            }),
            vec!["skill"],
            30,
        ),
        Operation::Work => (
            "agent_state",
            "See what goes on in this session",
            "Lists the newest runs and turns of this session with their status and what they wait for. Use it to learn \
             whether a run that was started here is done, waits for the person, or failed.",
            json!({}),
            Vec::new(),
            10,
        ),
        Operation::TrySource => (
            "source_test",
            "Try a source",
            "Starts a source that the person has approved, or asks its service once, and says how it went and which tools \
             it has. Use it after a source was changed, or when its tools fail.",
            source(),
            vec!["source"],
            120,
        ),
        Operation::Secrets => (
            "credential_prompt",
            "Ask for what a source needs",
            "Asks the person for the secrets that a source lacks and waits until they are given. It takes no secret and \
             gives none: never ask the person to write one into the conversation.",
            source(),
            vec!["source"],
            24 * 60 * 60,
        ),
        Operation::SignIn => (
            "source_oauth",
            "Ask for a sign-in at a source",
            "Asks the person to sign in at the service of a source and waits until it is done. Use it when a source says \
             that nobody is signed in.",
            source(),
            vec!["source"],
            24 * 60 * 60,
        ),
        Operation::Diagram => (
            "mermaid_validate",
            "Check a diagram",
            "Says whether a Mermaid diagram can be drawn, and why not. Use it before you show a diagram that is not simple. \
             Diagrams are drawn by the program's window: where none is open it says so; do not take that for a fault of the \
             diagram.",
            json!({"text": {"type": "string", "description": "The diagram's source."}}),
            vec!["text"],
            30,
        ),
    };
    let reaches = operation == Operation::TrySource;
    let hints = Hints {
        read_only: Some(!reaches),
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(reaches),
    };
    let info = own_tool(name, title, description, &properties, &required, hints);
    ToolInfo { deadline: Duration::from_secs(seconds), ..info }
}

/// A tool of the program itself; it may take a minute.
pub(crate) fn own_tool(
    name: &str,
    title: &str,
    description: &str,
    properties: &Value,
    required: &[&str],
    hints: Hints,
) -> ToolInfo {
    ToolInfo {
        name: name.to_owned(),
        source: String::new(),
        tool: name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        hints,
        trusted: true,
        deadline: Duration::from_secs(60),
    }
}

#[async_trait]
impl Tool for SessionTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn is_auxiliary(&self) -> bool {
        true
    }

    async fn plan(&self, arguments: &Value, _at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let word = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let intent = match self.operation {
            Operation::Config => format!("Check {} {}", word("kind"), word("name")).trim_end().to_owned(),
            Operation::Skill => format!("Check the skill {}", word("skill")),
            Operation::Work => "Look at the work of this session".to_owned(),
            Operation::TrySource => format!("Try the source {}", word("source")),
            Operation::Secrets => format!("Ask for the secrets of {}", word("source")),
            Operation::SignIn => format!("Ask for a sign-in at {}", word("source")),
            Operation::Diagram => "Check a diagram".to_owned(),
        };
        let effect = match self.operation {
            // A program is started, or a service asked.
            Operation::TrySource => CallEffect::Tool,
            Operation::Config
            | Operation::Skill
            | Operation::Work
            | Operation::Secrets
            | Operation::SignIn
            | Operation::Diagram => CallEffect::Inner,
        };
        Ok(PlannedOperation { effect, intent, preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _run: Run) -> Result<Outcome, ToolError> {
        let slug = self.store.session_workspace(&at.session).await;
        let slug = slug.map_err(|error| ToolError::new(Kind::Failed, error.to_string()))?;
        let slug = slug.unwrap_or_else(|| DEFAULT_WORKSPACE.to_owned());
        let sources = self.gate.sources().in_workspace(&slug);
        let named = arguments["source"].as_str().unwrap_or_default();
        let done = match self.operation {
            Operation::Config => self.config(Workspace::named(&self.home, &slug), arguments).await,
            Operation::Skill => skill(Workspace::named(&self.home, &slug), arguments, at).await,
            Operation::Work => self.work(&at.session).await,
            Operation::TrySource => try_source(&sources, named).await,
            Operation::Secrets => secrets(&sources, named).await,
            Operation::SignIn => sign_in(&sources, named).await,
            Operation::Diagram => self.diagram(arguments).await,
        };
        done.map_err(failure)
    }
}

impl SessionTool {
    async fn config(&self, files: Workspace, arguments: &Value) -> Result<Outcome, Problem> {
        let kind = match arguments["kind"].as_str() {
            Some("agent") => ConfigKind::Agent,
            Some("source") => ConfigKind::Source,
            Some("permissions") => ConfigKind::Permissions,
            Some("connections") => ConfigKind::Connections,
            _ => return Err(invalid("`kind` is agent, source, permissions or connections")),
        };
        let (name, text) = (word(arguments, "name"), text(arguments)?);
        let home = self.home.clone();
        blocking(move || files.validate(&home, kind, name.as_deref(), text.as_deref()))
            .await
            .map(|problems| verdict(&problems))
    }

    async fn diagram(&self, arguments: &Value) -> Result<Outcome, Problem> {
        let Some(text) = text(arguments)? else { return Err(invalid("the diagram is empty")) };
        let verdict = match self.diagrams.get() {
            Some(diagrams) => diagrams.check(text).await?,
            None => DiagramVerdict { checked: false, problem: None },
        };
        Ok(match verdict {
            DiagramVerdict { checked: false, .. } => {
                Outcome::text("It was not checked: no window is open.", "not checked")
            }
            DiagramVerdict { problem: None, .. } => Outcome::text("It can be drawn.", "can be drawn"),
            DiagramVerdict { problem: Some(problem), .. } => {
                Outcome::text(format!("It can't be drawn: {problem}"), "can't be drawn")
            }
        })
    }

    async fn work(&self, session: &str) -> Result<Outcome, Problem> {
        let filter = RunFilter { session: Some(session.to_owned()), ..RunFilter::default() };
        let page = self.store.list_runs(&filter, None, WORK).await?;
        let line = |run: &store::Run| {
            let what = if run.kind == "run" { format!("run of {}", run.agent) } else { run.kind.clone() };
            let doing = if run.line.is_empty() { String::new() } else { format!("; {}", run.line) };
            format!("- {} {what}, {}: {}{doing}", run.id, run.status, run.title)
        };
        let lines: Vec<String> = page.runs.iter().map(line).collect();
        Ok(Outcome::text(lines.join("\n"), format!("{} runs and turns", lines.len())))
    }
}

async fn skill(files: Workspace, arguments: &Value, at: &CallContext) -> Result<Outcome, Problem> {
    let (name, text) = (word(arguments, "skill").unwrap_or_default(), text(arguments)?);
    if let Some(text) = text {
        return Ok(verdict(&parse_skill(&name, "SKILL.md", &text).err().unwrap_or_default()));
    }
    let folder = at.folders.first().cloned();
    blocking(move || {
        let skills = files.skills(std::env::home_dir().as_deref(), folder.as_deref());
        match skills.iter().find(|entry| entry.slug == name) {
            Some(entry) => Ok(verdict(&entry.problems())),
            None => {
                let known: Vec<&str> = skills.iter().map(|entry| entry.slug.as_str()).take(50).collect();
                Err(Problem::new(ErrorCode::NotFound, format!("there is no skill {name}"))
                    .with_action(format!("There are: {}", known.join(", "))))
            }
        }
    })
    .await
}

async fn try_source(sources: &SourceTools, slug: &str) -> Result<Outcome, Problem> {
    let entry = sources.entry(slug).await?;
    if !entry.approval.is_given() {
        let message = format!("{slug} has not been approved as it is now");
        return Err(Problem::new(ErrorCode::Permission, message)
            .with_action("the person looks at it on its page and approves it"));
    }
    match sources.try_out(&entry).await {
        Ok(trial) => {
            let names: Vec<&str> = trial.tools.iter().map(|tool| tool.name.as_str()).collect();
            let text = format!("{slug} works. Its tools: {}", names.join(", "));
            Ok(Outcome::text(text, format!("{} tools", names.len())))
        }
        Err(failed) => Err(failed.problem),
    }
}

async fn secrets(sources: &SourceTools, slug: &str) -> Result<Outcome, Problem> {
    let needs = sources.needs(&sources.entry(slug).await?).await?;
    if needs.missing.is_empty() {
        let words = format!("{slug} has all the secrets that it needs");
        return Ok(Outcome::text(words.clone(), words));
    }
    let names = needs.missing.join(", ");
    let text = format!(
        "{slug} needs {names}. Give it on the source's page, or with `agentnative source secret {slug}`; it is kept in the \
         vault and shown to no model. Then go on here."
    );
    Ok(asked(text, "It is given"))
}

async fn sign_in(sources: &SourceTools, slug: &str) -> Result<Outcome, Problem> {
    let entry: Entry = sources.entry(slug).await?;
    match sources.needs(&entry).await?.signed_in {
        None => {
            Err(invalid(format!("{slug} has no sign-in"))
                .with_action("`credential_prompt` asks for its secrets"))
        }
        Some(true) => {
            let words = format!("somebody is signed in at {slug}");
            Ok(Outcome::text(words.clone(), words))
        }
        Some(false) => {
            let text = format!(
                "{slug} needs you to sign in at {}. Do so on the source's page, or with `agentnative source sign-in \
                 {slug}`. Then go on here.",
                entry.config.reaches()
            );
            Ok(asked(text, "I have signed in"))
        }
    }
}

/// A question to the person, whose answer is the call's result.
fn asked(text: String, done: &str) -> Outcome {
    let option = |label: &str| QuestionOption { label: label.to_owned(), description: String::new() };
    let options = vec![option(done), option("Not now")];
    Outcome { question: Some(Question { text, options, several: false }), ..Outcome::text("", "asked") }
}

fn verdict(problems: &[ConfigProblem]) -> Outcome {
    if problems.is_empty() {
        return Outcome::text("Nothing is wrong with it.", "nothing wrong");
    }
    let lines: Vec<String> =
        problems.iter().take(MAX_PROBLEMS).map(|problem| format!("- {problem}")).collect();
    let summary =
        if problems.len() == 1 { "1 problem".to_owned() } else { format!("{} problems", problems.len()) };
    Outcome::text(format!("It is not valid:\n{}", lines.join("\n")), summary)
}

fn word(arguments: &Value, name: &str) -> Option<String> {
    arguments[name].as_str().filter(|word| !word.is_empty()).map(str::to_owned)
}

fn text(arguments: &Value) -> Result<Option<String>, Problem> {
    let text = arguments["text"].as_str();
    match text {
        Some(text) if text.len() > MAX_TEXT_BYTES => {
            Err(invalid(format!("the text has {} bytes, at most {MAX_TEXT_BYTES} are checked", text.len())))
        }
        text => Ok(text.map(str::to_owned)),
    }
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::InvalidInput, message)
}

fn failure(problem: Problem) -> ToolError {
    let kind = match problem.code {
        ErrorCode::InvalidInput => Kind::Arguments,
        ErrorCode::NotFound => Kind::NotFound,
        ErrorCode::Permission => Kind::Refused,
        ErrorCode::Conflict
        | ErrorCode::InvalidConfig
        | ErrorCode::Busy
        | ErrorCode::NewerData
        | ErrorCode::Storage
        | ErrorCode::Corrupt
        | ErrorCode::Source
        | ErrorCode::Provider
        | ErrorCode::InvalidAnswer
        | ErrorCode::ContextTooLong
        | ErrorCode::Budget
        | ErrorCode::Deadline
        | ErrorCode::Cancelled
        | ErrorCode::Internal => Kind::Failed,
    };
    let error = ToolError::new(kind, problem.message);
    match problem.action {
        Some(action) => error.with_guidance(action),
        None => error,
    }
}
