//! What automations wait for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that happens. Those named `before` may be vetoed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A time of a schedule has come.
    Tick,
    /// The program has opened the data directory.
    AppStarted,
    /// A session is about to begin, with a message or a run.
    SessionBefore,
    /// A session was begun.
    SessionCreated,
    /// A session was archived.
    SessionArchived,
    /// A session has another status.
    StatusChanged,
    /// A session got a label.
    LabelAdded,
    /// A session lost a label.
    LabelRemoved,
    /// A session was flagged, or is no longer.
    FlagChanged,
    /// A session has another permission mode.
    ModeChanged,
    /// A message is about to begin a turn.
    TurnBefore,
    /// A turn has ended.
    TurnAfter,
    /// A tool is about to be called.
    ToolBefore,
    /// A call of a tool has ended.
    ToolAfter,
    /// A call of a tool has failed.
    ToolFailed,
    /// A run is about to begin.
    RunBefore,
    /// A run has ended, however it did.
    RunAfter,
    /// A run has ended with its document.
    RunFinished,
    /// A run has failed.
    RunFailed,
    /// A run is about to wait for the person, at the pause behind a stage.
    PauseBefore,
    /// A run waits for the person.
    RunPaused,
    /// A pause was answered, by the person or for them.
    PauseAfter,
    /// A stage of a run is about to begin.
    StageBefore,
    /// A stage of a run has ended.
    StageAfter,
}

/// Every event with its name in files, and other names that files have for it. The first fourteen are those of Craft Agent.
const NAMES: [(Event, &str, &[&str]); 24] = [
    (Event::Tick, "SchedulerTick", &["Tick", "Schedule"]),
    (Event::SessionCreated, "SessionStart", &["SessionCreated"]),
    (Event::SessionArchived, "SessionEnd", &["SessionArchived"]),
    (Event::StatusChanged, "SessionStatusChange", &["TodoStateChange", "StatusChanged"]),
    (Event::LabelAdded, "LabelAdd", &["LabelAdded"]),
    (Event::LabelRemoved, "LabelRemove", &["LabelRemoved"]),
    (Event::FlagChanged, "FlagChange", &["FlagChanged"]),
    (Event::ModeChanged, "PermissionModeChange", &["ModeChanged"]),
    (Event::TurnBefore, "UserPromptSubmit", &["TurnBefore"]),
    (Event::TurnAfter, "Stop", &["TurnAfter"]),
    (Event::ToolBefore, "PreToolUse", &["ToolBefore"]),
    (Event::ToolAfter, "PostToolUse", &["ToolAfter"]),
    (Event::ToolFailed, "PostToolUseFailure", &["ToolFailed"]),
    (Event::RunPaused, "Notification", &["RunPaused", "PermissionRequest"]),
    (Event::AppStarted, "AppStart", &["AppStarted", "Setup"]),
    (Event::RunBefore, "RunBefore", &[]),
    (Event::RunAfter, "RunAfter", &[]),
    (Event::RunFinished, "RunFinish", &["RunFinished"]),
    (Event::RunFailed, "RunFail", &["RunFailed"]),
    (Event::StageBefore, "StageBefore", &[]),
    (Event::StageAfter, "StageAfter", &[]),
    (Event::SessionBefore, "SessionBefore", &[]),
    (Event::PauseBefore, "PauseBefore", &[]),
    (Event::PauseAfter, "PauseAfter", &[]),
];

impl Event {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(event, ..)| *event)
    }

    /// The event that a file names.
    pub fn of_name(name: &str) -> Option<Self> {
        let named = |(_, main, others): &&(Self, &str, &[&str])| *main == name || others.contains(&name);
        NAMES.iter().find(named).map(|(event, ..)| *event)
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(event, ..)| *event == self).map_or("", |(_, name, _)| name)
    }

    /// Whether it can be kept from happening.
    pub const fn is_before(self) -> bool {
        match self {
            Self::SessionBefore
            | Self::TurnBefore
            | Self::ToolBefore
            | Self::RunBefore
            | Self::StageBefore
            | Self::PauseBefore => true,
            Self::Tick
            | Self::AppStarted
            | Self::SessionCreated
            | Self::SessionArchived
            | Self::StatusChanged
            | Self::LabelAdded
            | Self::LabelRemoved
            | Self::FlagChanged
            | Self::ModeChanged
            | Self::TurnAfter
            | Self::ToolAfter
            | Self::ToolFailed
            | Self::RunAfter
            | Self::RunFinished
            | Self::RunFailed
            | Self::RunPaused
            | Self::PauseAfter
            | Self::StageAfter => false,
        }
    }

    /// How many times a minute it may fire automations.
    pub const fn most_a_minute(self) -> usize {
        if matches!(self, Self::Tick) { 60 } else { 10 }
    }

    /// What its matcher is held against, in words.
    pub const fn subject(self) -> &'static str {
        match self {
            Self::Tick | Self::AppStarted => "nothing",
            Self::SessionCreated | Self::SessionArchived => "the session's title",
            Self::StatusChanged => "the new status",
            Self::LabelAdded | Self::LabelRemoved => "the label",
            Self::FlagChanged => "true or false",
            Self::ModeChanged => "the new mode",
            Self::SessionBefore | Self::TurnBefore => "the message",
            Self::TurnAfter => "how the turn ended",
            Self::ToolBefore | Self::ToolAfter | Self::ToolFailed => "the tool's name",
            Self::RunBefore | Self::RunAfter | Self::RunFinished | Self::RunFailed => "the agent",
            Self::PauseBefore | Self::RunPaused | Self::StageBefore | Self::StageAfter => "the stage",
            Self::PauseAfter => "the choice",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_one_name_and_is_found_by_it() {
        for event in Event::all() {
            assert_eq!(Event::of_name(event.name()), Some(event));
        }
        let mut names: Vec<&str> = NAMES
            .iter()
            .flat_map(|(_, main, others)| [*main].into_iter().chain(others.iter().copied()))
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(Event::of_name("SubagentStop"), None);
    }
}
