//! Commands of automations: run as an agent's are, under the same rules and the same confinement.

use std::path::PathBuf;
use std::time::Duration;

use automation::{Action, Entry, Occurrence, Variables};
use domain::{AccessRequest, CallEffect, ErrorCode, Hints, Problem, Ruling, RunId, SessionId, Walls};
use engine::turn::TurnScope;
use serde_json::json;
use support::blocking;
use tokio_util::sync::CancellationToken;
use tools::CallContext;
use tools::shell::{OneShotCommand, ShellResult, run_once};

use crate::Gate;
use crate::authorize::Caller;

/// Whose commands are that belong to no session; no session has this name.
const NOBODY: &str = "automations";

/// The most of a command with its variables, in bytes: the system takes no argument of 128 KiB.
const MAX_TEXT_BYTES: usize = 120_000;

impl Gate {
    /// Runs the command of an automation and waits for its end.
    pub async fn command(
        &self,
        workspace: &str,
        entry: &Entry,
        action: &Action,
        happened: &Occurrence,
    ) -> Result<ShellResult, Problem> {
        let Action::Command { command, folder, seconds, .. } = action else {
            return Err(Problem::new(ErrorCode::Internal, "this is no command"));
        };
        let session = happened.session.clone().filter(|session| support::is_session_id(session));
        let mut folders = match &session {
            Some(session) => self.setup(&SessionId(session.clone())).await?.folders,
            None => Vec::new(),
        };
        if let Some(folder) = folder {
            folders.retain(|known| known != folder);
            folders.insert(0, folder.clone());
        }
        let scope = TurnScope {
            session: SessionId(session.unwrap_or_else(|| NOBODY.to_owned())),
            run: RunId(format!("automation-{}", entry.id)),
            folders: Vec::new(),
        };
        // A session's own folder is the one place of the data directory where commands may work.
        let own = self.home().join("sessions").join(&scope.session.0);
        let make = own.join("data");
        blocking(move || {
            std::fs::create_dir_all(&make).map_err(|error| {
                Problem::new(ErrorCode::Storage, format!("{} can't be made: {error}", make.display()))
            })
        })
        .await?;
        let at = CallContext {
            session: scope.session.0.clone(),
            run: scope.run.0.clone(),
            call: entry.id.clone(),
            mode: entry.mode,
            folders: folders.iter().map(PathBuf::from).collect(),
            own: own.clone(),
        };
        let cwd = at.folders.first().cloned().unwrap_or_else(|| own.join("data"));
        let claim = AccessRequest {
            source: String::new(),
            tool: "shell".to_owned(),
            effect: CallEffect::Shell {
                command: command.clone(),
                cwd: cwd.display().to_string(),
                outside: None,
            },
            hints: Hints::default(),
            trusted: false,
            arguments: json!({ "command": command }),
        };
        let runtime = self.runtime().await?;
        let caller = Caller::Automation {
            scope: &scope,
            workspace,
            mode: entry.mode,
            folders: &folders,
            call: &entry.id,
        };
        // Boxed: a command may be what decides about a call.
        let ruling = Box::pin(self.authorize(caller, &claim)).await?;
        let confined = match ruling {
            // What it changed would be thrown away: nobody has an automation for that.
            Ruling::Allow { confined: Walls::Copied, .. } => {
                return Err(Problem::new(
                    ErrorCode::Cancelled,
                    "its command is not allowed: the mode is Explore, and it may change something",
                )
                .with_action("let the automation work in Auto"));
            }
            Ruling::Allow { confined, .. } => confined,
            Ruling::Ask { why, .. } => {
                return Err(Problem::new(
                    ErrorCode::Cancelled,
                    format!("its command would need your permission ({why}), and nobody is there to give it"),
                )
                .with_action("allow it with a rule, or let the automation work in Auto"));
            }
            Ruling::Deny { why, .. } => {
                return Err(Problem::new(ErrorCode::Cancelled, format!("its command is not allowed: {why}")));
            }
        };
        let variables =
            within(&Variables::new(happened, &entry.zone), MAX_TEXT_BYTES.saturating_sub(command.len()));
        let once = OneShotCommand {
            command,
            variables: &variables,
            confined,
            deadline: Duration::from_secs(*seconds),
        };
        run_once(&runtime.shells, once, &at, &CancellationToken::new()).await.map_err(|error| {
            let code = match error.kind {
                tools::Kind::Deadline => ErrorCode::Deadline,
                tools::Kind::Cancelled => ErrorCode::Cancelled,
                tools::Kind::Arguments
                | tools::Kind::NotFound
                | tools::Kind::Refused
                | tools::Kind::TooLarge
                | tools::Kind::Unavailable
                | tools::Kind::Failed => ErrorCode::Source,
            };
            Problem::new(code, error.message)
        })
    }
}

/// The variables, long ones cut so that a hostile one can't keep the command from being started.
fn within(variables: &Variables, most: usize) -> Vec<(String, String)> {
    let mut longest = 16_384;
    loop {
        let cut = |value: &str| value[..value.floor_char_boundary(longest)].to_owned();
        let cut: Vec<(String, String)> = variables.all().map(|(name, value)| (name, cut(value))).collect();
        // An apostrophe takes four bytes when it is quoted.
        let size = |(name, value): &(String, String)| {
            name.len() + value.len() + 3 * value.matches('\'').count() + 12
        };
        if cut.iter().map(size).sum::<usize>() <= most || longest < 16 {
            return cut;
        }
        longest /= 2;
    }
}
