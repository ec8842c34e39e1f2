//! A session of ours as a transcript.

use answers::to_markdown;
use conversations::decisions;
use dialogue::ToolEnd;
use domain::{Attachment, Problem, RunId, SessionSetup, UserMessage};
use engine::turn::{ImportedPart, KIND};
use engine::{ExportCheck, Recheck as _};
use library::Bases;
use support::unknown_session;
use transfer::{Header, Message, Role, ToolStatus, ToolUse, Transcript};

use crate::ImportExport;

impl ImportExport {
    /// A session with everything that is shown of it; turns that others replaced stay here.
    pub async fn gather(&self, session: &str, checking: ExportCheck) -> Result<Transcript, Problem> {
        let row = self.env.store().get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let setup: SessionSetup = match self.env.store().session_setup(session).await? {
            Some(setup) => serde_json::from_str(&setup).unwrap_or_default(),
            None => SessionSetup::default(),
        };
        let mut header = Header {
            id: row.id,
            title: row.title,
            created_at: row.created_at,
            updated_at: row.updated_at,
            status: row.status,
            labels: row.labels,
            flagged: row.flagged,
            unread: row.unread,
            archived: row.archived,
            mode: setup.mode.as_str().to_owned(),
            connection: row.connection,
            model: row.model,
            agent: setup.agent,
            folders: setup.folders,
            sources: setup.sources,
        };
        let mut messages = Vec::new();
        for (run, kind) in self.conversations.shown_runs(session).await? {
            if kind == KIND {
                self.turn(&run, &mut header, &mut messages).await?;
            } else if kind == engine::mission::KIND {
                self.mission(&run, &mut messages).await?;
            } else {
                self.run(&run, checking, &mut messages).await?;
            }
        }
        Ok(Transcript { header, messages })
    }

    async fn turn(&self, run: &RunId, header: &mut Header, out: &mut Vec<Message>) -> Result<(), Problem> {
        let turn = self.env.engine.retell_turn(run).await?;
        if header.model.is_empty() {
            header.model.clone_from(&turn.model);
        }
        let mut add = MessageCollector { run, number: 0, out };
        add.asked(turn.message, turn.at as i64);
        let last = turn.said.len();
        for (index, told) in turn.said.into_iter().enumerate() {
            match told {
                ImportedPart::Text { at, text } => {
                    let message = add.message(Role::Assistant, at as i64, text);
                    message.intermediate = index + 1 < last;
                }
                ImportedPart::Asked { at, message } => add.asked(*message, at as i64),
                ImportedPart::Call { at, tool, title, intent, arguments, result, end, ms, media: _ } => {
                    let number = add.number + 1;
                    let message = add.message(Role::Tool, at as i64, String::new());
                    message.tool = Some(ToolUse {
                        id: format!("{run}/{number}"),
                        name: tool,
                        title,
                        intent,
                        input: arguments,
                        output: result,
                        status: status(end),
                        ms,
                        parent: None,
                        media: Vec::new(),
                    });
                }
            }
        }
        if let Some(plan) = turn.plan {
            add.message(Role::Plan, turn.at as i64, plan);
        }
        if let Some(failed) = turn.failed {
            add.message(Role::Error, turn.at as i64, failed);
        }
        Ok(())
    }

    /// A mission's request and its report.
    async fn mission(&self, run: &RunId, out: &mut Vec<Message>) -> Result<(), Problem> {
        let view = self.env.engine.mission_view(run).await?;
        let at = self.env.store().get_run(&run.0).await?.created_at;
        let report = self.env.engine.mission_report(run).await?;
        let mut add = MessageCollector { run, number: 0, out };
        add.message(Role::User, at, view.request);
        if let Some(report) = report {
            add.message(Role::Assistant, at, report);
        }
        if let Some(problem) = view.problem {
            add.message(Role::Error, at, problem.message);
        }
        Ok(())
    }

    async fn run(&self, run: &RunId, checking: ExportCheck, out: &mut Vec<Message>) -> Result<(), Problem> {
        let loaded = self.env.engine.load(run).await?;
        let at = loaded.row.created_at;
        let state = self.conversations.run_state(&loaded, None, false).await?;
        let mut add = MessageCollector { run, number: 0, out };
        add.message(Role::User, at, state.request.clone());
        for line in decisions(&state) {
            add.message(Role::Info, at, line);
        }
        if let Some(problem) = &state.problem {
            add.message(Role::Error, at, problem.message.clone());
        }
        if let Some(mut written) = self.env.engine.document(loaded).await? {
            if checking == ExportCheck::Rechecked {
                Bases(self.env.home.clone()).recheck(&written.document.records).await?;
            }
            checking.mark(&mut written);
            let data = serde_json::to_value(&written.document).ok();
            let message = add.message(Role::Assistant, at, to_markdown(&written.document));
            message.document = data;
        }
        Ok(())
    }
}

/// Messages of one turn or run.
struct MessageCollector<'a> {
    run: &'a RunId,
    number: u32,
    out: &'a mut Vec<Message>,
}

impl MessageCollector<'_> {
    fn message(&mut self, role: Role, at: i64, text: String) -> &mut Message {
        self.number += 1;
        let mut message = Message::new(role, format!("{}/{}", self.run, self.number), at, text);
        message.turn = self.run.0.clone();
        self.out.push(message);
        let last = self.out.len() - 1;
        &mut self.out[last]
    }

    fn asked(&mut self, message: UserMessage, at: i64) {
        let files = message.attachments.into_iter().map(|file: Attachment| transfer::Attachment {
            name: file.name,
            file: file.id,
            media_type: file.media_type,
            bytes: file.bytes,
        });
        let files = files.collect();
        self.message(Role::User, at, message.text).attachments = files;
    }
}

fn status(end: ToolEnd) -> ToolStatus {
    match end {
        ToolEnd::Ok => ToolStatus::Completed,
        ToolEnd::Failed => ToolStatus::Error,
        ToolEnd::Denied => ToolStatus::Denied,
        ToolEnd::Stopped => ToolStatus::Stopped,
        ToolEnd::Unknown => ToolStatus::Executing,
    }
}
