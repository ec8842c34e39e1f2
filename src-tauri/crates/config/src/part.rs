//! What a file is part of, told by its place.

use std::path::Path;

use protocol::Tag;

/// What a file of a workspace or of the data directory is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// `settings.json`.
    Settings,
    /// `connections.json`.
    Connections,
    /// A workspace's own `config.json`, or the list of folders elsewhere.
    Workspace,
    /// Rules.
    Permissions,
    /// Statuses.
    Statuses,
    /// Labels.
    Labels,
    /// Views.
    Views,
    /// What happens by itself.
    Automations,
    /// Themes.
    Themes,
    /// Agents.
    Agents,
    /// Sources.
    Sources,
    /// Skills.
    Skills,
}

impl Part {
    /// Of a path below a workspace's folder.
    pub fn of_workspace(path: &Path) -> Option<Self> {
        let first = path.components().next()?.as_os_str().to_str()?;
        Some(match first {
            "config.json" => Self::Workspace,
            "permissions.json" => Self::Permissions,
            "statuses" => Self::Statuses,
            "labels" => Self::Labels,
            "views.json" => Self::Views,
            "automations.json" => Self::Automations,
            "themes" | "theme.json" => Self::Themes,
            "agents" => Self::Agents,
            "sources" => Self::Sources,
            "skills" => Self::Skills,
            _ => return None,
        })
    }

    /// Of a path below the data directory that is in no workspace.
    pub fn of_home(path: &Path) -> Option<Self> {
        let first = path.components().next()?.as_os_str().to_str()?;
        Some(match first {
            "settings.json" => Self::Settings,
            "connections.json" => Self::Connections,
            "themes" | "theme.json" => Self::Themes,
            "workspaces" => Self::Workspace,
            _ => return None,
        })
    }

    /// What surfaces that show it read again.
    pub fn tags(self) -> &'static [Tag] {
        match self {
            Self::Settings => &[Tag::Settings],
            Self::Connections => &[Tag::Connections],
            // Its defaults and its theme are shown in many places.
            Self::Workspace => &[Tag::Workspaces, Tag::Settings],
            Self::Permissions => &[Tag::Permissions],
            // Lists of sessions are made with them.
            Self::Statuses | Self::Labels | Self::Views => &[Tag::Organisation, Tag::Sessions],
            // Its engine tells what became of it.
            Self::Automations => &[],
            Self::Themes => &[Tag::Themes],
            Self::Agents => &[Tag::Agents],
            Self::Sources => &[Tag::Sources],
            Self::Skills => &[Tag::Skills],
        }
    }

    /// How it is called in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Connections => "connections",
            Self::Workspace => "workspace",
            Self::Permissions => "permissions",
            Self::Statuses => "statuses",
            Self::Labels => "labels",
            Self::Views => "views",
            Self::Automations => "automations",
            Self::Themes => "themes",
            Self::Agents => "agents",
            Self::Sources => "sources",
            Self::Skills => "skills",
        }
    }
}
