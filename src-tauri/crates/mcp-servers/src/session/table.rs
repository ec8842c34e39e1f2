//! The tools: their names, what they do to the world, and when they are of use.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};

use super::shapes::{
    ConfigCheckResult, ConfigParams, Credentials, DiagramChecked, DiagramParams, FlagParams, ModelText,
    PlanKept, PlanParams, Question, SessionChange, SessionFilterParams, SessionInfo, SessionList,
    SessionParams, SessionProgress, SkillParams, SourceParams, SourceTrial, TitleParams,
};
use crate::knowledge_server::table::{input, output};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Sessions,
    Info,
    Progress,
    Title,
    Flag,
    Plan,
    TrySource,
    Credentials,
    Check,
    CheckSkill,
    Diagram,
    Ask,
}

/// What a tool does to the world, as it is told to clients.
#[derive(Debug, Clone, Copy)]
enum Effect {
    Reads,
    /// Puts a value in the place of another one.
    Sets,
    /// Adds something beside what is there.
    Adds,
    /// Starts a program or asks a service.
    Reaches,
    /// Asks a service that may be paid for each time.
    Pays,
}

pub(super) struct Entry {
    pub(super) operation: Operation,
    pub(super) name: &'static str,
    title: &'static str,
    effect: Effect,
    words: &'static str,
}

pub(super) const ENTRIES: [Entry; 12] = [
    Entry {
        operation: Operation::Sessions,
        name: "list_sessions",
        title: "List sessions",
        effect: Effect::Reads,
        words: "Lists the person's sessions, the one changed last first. Use it to find a session by its title or a question, or to see which ones need the person.",
    },
    Entry {
        operation: Operation::Info,
        name: "get_session_info",
        title: "Look at a session",
        effect: Effect::Reads,
        words: "Gives a session's title, permission mode, working folders, sources, connection and model. Use it before you rely on what may be done in a session.",
    },
    Entry {
        operation: Operation::Progress,
        name: "agent_state",
        title: "See what goes on in a session",
        effect: Effect::Reads,
        words: "Lists the newest runs and turns of a session with their status and what they wait for. Use it to learn whether work is done, waits for the person, or failed, and why.",
    },
    Entry {
        operation: Operation::Title,
        name: "set_session_title",
        title: "Rename a session",
        effect: Effect::Sets,
        words: "Gives a session a new title in place of its old one. Use it when the title does not say any more what the session is about.",
    },
    Entry {
        operation: Operation::Flag,
        name: "set_session_flag",
        title: "Flag a session",
        effect: Effect::Sets,
        words: "Flags a session for the person, or takes the flag away. Use it when something in the session should be looked at later.",
    },
    Entry {
        operation: Operation::Plan,
        name: "submit_plan",
        title: "Submit a plan",
        effect: Effect::Adds,
        words: "Puts a plan into a session, where it waits until the person accepts it or asks for changes; nothing is carried out before. Use it when you know what should be done there and before anything is changed: say what, in which files, in which order, and how it will be checked. Refused while a turn of the session is under way.",
    },
    Entry {
        operation: Operation::TrySource,
        name: "source_test",
        title: "Try a source",
        effect: Effect::Reaches,
        words: "Starts a source that the person has approved, or asks its service once, and says how it went and which tools it has. Use it after a source was added or changed, or when its tools fail.",
    },
    Entry {
        operation: Operation::Credentials,
        name: "credential_prompt",
        title: "Ask for what a source needs",
        effect: Effect::Reads,
        words: "Says which secrets a source needs, which of them are missing, and how the person gives them. It takes no secret and gives none: never ask the person to write one into the conversation.",
    },
    Entry {
        operation: Operation::Check,
        name: "config_validate",
        title: "Check a configuration",
        effect: Effect::Reads,
        words: "Checks an agent, a source, permission rules or connections, and lists all that is wrong with file, line and JSON pointer. Use it with `text` before a file is written, and with `name` alone for what is kept.",
    },
    Entry {
        operation: Operation::CheckSkill,
        name: "skill_validate",
        title: "Check a skill",
        effect: Effect::Reads,
        words: "Checks a skill by its folder's name and lists all that is wrong with it. Use it after a SKILL.md was written or changed.",
    },
    Entry {
        operation: Operation::Diagram,
        name: "mermaid_validate",
        title: "Check a diagram",
        effect: Effect::Reads,
        words: "Says whether a Mermaid diagram can be drawn, and why not. Diagrams are drawn by the program's window: where none is open it answers `checked: false`; do not take that for a fault of the diagram.",
    },
    Entry {
        operation: Operation::Ask,
        name: "call_model",
        title: "Ask a model",
        effect: Effect::Pays,
        words: "Asks a model of the person one question and gives its answer. It sees nothing but the question, and has no tools. It may cost money: what is left of the budget comes with each answer. Use it for a second opinion or a piece of text, not for what you know.",
    },
];

/// A tool as clients are shown it.
pub(super) fn tool(entry: &Entry) -> Tool {
    let (takes, gives) = schemas(entry.operation);
    let annotations = ToolAnnotations::with_title(entry.title);
    let annotations = match entry.effect {
        Effect::Reads => annotations.read_only(true).idempotent(true).open_world(false),
        Effect::Sets => annotations.read_only(false).destructive(true).idempotent(true).open_world(false),
        Effect::Adds => annotations.read_only(false).destructive(false).idempotent(false).open_world(false),
        Effect::Reaches => annotations.read_only(false).destructive(false).idempotent(true).open_world(true),
        Effect::Pays => annotations.read_only(false).destructive(false).idempotent(false).open_world(true),
    };
    Tool::new(entry.name, entry.words, Arc::new(takes))
        .with_title(entry.title)
        .with_annotations(annotations)
        .with_raw_output_schema(Arc::new(gives))
}

/// What a tool takes, and what it gives.
fn schemas(operation: Operation) -> (JsonObject, JsonObject) {
    match operation {
        Operation::Sessions => (input::<SessionFilterParams>(), output::<SessionList>()),
        Operation::Info => (input::<SessionParams>(), output::<SessionInfo>()),
        Operation::Progress => (input::<SessionParams>(), output::<SessionProgress>()),
        Operation::Title => (input::<TitleParams>(), output::<SessionChange>()),
        Operation::Flag => (input::<FlagParams>(), output::<SessionChange>()),
        Operation::Plan => (input::<PlanParams>(), output::<PlanKept>()),
        Operation::TrySource => (input::<SourceParams>(), output::<SourceTrial>()),
        Operation::Credentials => (input::<SourceParams>(), output::<Credentials>()),
        Operation::Check => (input::<ConfigParams>(), output::<ConfigCheckResult>()),
        Operation::CheckSkill => (input::<SkillParams>(), output::<ConfigCheckResult>()),
        Operation::Diagram => (input::<DiagramParams>(), output::<DiagramChecked>()),
        Operation::Ask => (input::<Question>(), output::<ModelText>()),
    }
}
