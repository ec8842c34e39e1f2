//! `workspace`: workspaces in the terminal.

use std::path::PathBuf;

use app::AnyClient;
use clap::Subcommand;
use domain::{ErrorCode, Problem};
use protocol::{
    Client, SessionMove, SettingsPatch, WorkspaceCreate, WorkspaceFolder, WorkspaceRemove, WorkspaceRestore,
    WorkspaceRow, WorkspaceUpdate,
};

use crate::outcome::Outcome;
use crate::terminal::{JSON, json_line, printable};

/// `workspace`.
#[derive(Debug, Subcommand)]
pub enum WorkspaceCommand {
    /// List workspaces; the current one has a star.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Create a workspace and print its slug.
    Create {
        /// The name of the workspace.
        name: String,
        /// The slug of the workspace; without it one made of the name.
        #[arg(long)]
        slug: Option<String>,
    },
    /// Make a folder of yours a workspace and print its slug.
    Open {
        /// The folder.
        folder: PathBuf,
    },
    /// Make a workspace your current one.
    Use {
        /// The slug of the workspace.
        slug: String,
    },
    /// Give a workspace another name.
    Rename {
        /// The slug of the workspace.
        slug: String,
        /// The name.
        name: String,
    },
    /// Remove a workspace; its files wait in the trash. Prints what brings it back.
    Remove {
        /// The slug of the workspace.
        slug: String,
        /// The workspace that its sessions and knowledge bases move to; without it the bases wait in the trash with its files.
        #[arg(long, value_name = "SLUG")]
        move_to: Option<String>,
    },
    /// Bring a removed workspace back.
    Restore {
        /// As removing it said.
        trash: String,
    },
    /// Move sessions to another workspace.
    Move {
        /// The sessions' ids.
        #[arg(required = true)]
        sessions: Vec<String>,
        /// The workspace.
        #[arg(long, value_name = "SLUG")]
        to: String,
    },
}

/// `workspace`.
pub async fn workspace(client: &AnyClient, command: WorkspaceCommand) -> Result<Outcome, Problem> {
    match command {
        WorkspaceCommand::List { json } => {
            for row in client.workspace_list().await? {
                match json {
                    true => println!("{}", json_line(&row)),
                    false => println!("{}", line(&row)),
                }
            }
        }
        WorkspaceCommand::Create { name, slug } => {
            let create = WorkspaceCreate { name, slug, defaults: None };
            println!("{}", client.workspace_create(create).await?.id);
        }
        WorkspaceCommand::Open { folder } => {
            let folder = std::path::absolute(&folder).map_err(|error| {
                Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", folder.display()))
            })?;
            let open = WorkspaceFolder { folder: folder.display().to_string(), name: None };
            println!("{}", client.workspace_open_folder(open).await?.id);
        }
        WorkspaceCommand::Use { slug } => {
            // Asked in it first: a slug that is not there says so.
            client.in_workspace(Some(slug.clone())).organise_show().await?;
            let patch = SettingsPatch { workspace: Some(slug), ..SettingsPatch::default() };
            client.settings_update(patch).await?;
        }
        WorkspaceCommand::Rename { slug, name } => {
            let update = WorkspaceUpdate { workspace: slug, name: Some(name), ..WorkspaceUpdate::default() };
            client.workspace_update(update).await?;
        }
        WorkspaceCommand::Remove { slug, move_to } => {
            let remove = WorkspaceRemove { workspace: slug, move_to: move_to.clone() };
            let removed = client.workspace_remove(remove).await?;
            let place = move_to.unwrap_or_else(|| "the trash".to_owned());
            eprintln!(
                "sessions moved: {}; knowledge bases moved to {place}: {}",
                removed.moved, removed.bases
            );
            println!("{}", removed.trash);
        }
        WorkspaceCommand::Restore { trash } => {
            println!("{}", client.workspace_restore(WorkspaceRestore { trash }).await?.id);
        }
        WorkspaceCommand::Move { sessions, to } => {
            client.session_move(SessionMove { sessions, workspace: to }).await?;
        }
    }
    Ok(Outcome::Done)
}

fn line(row: &WorkspaceRow) -> String {
    let star = if row.current { "*" } else { " " };
    let mut line = format!("{star} {:<20} {:<24} {:>6}  ", row.id, printable(&row.name), row.sessions);
    line.push_str(&printable(&row.folder));
    if !row.there {
        line.push_str(" (not there now)");
    }
    if row.problems > 0 {
        line.push_str(&format!(" ({} broken, see `agentnative doctor`)", row.problems));
    }
    line
}
