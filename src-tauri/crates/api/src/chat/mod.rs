//! Conversations: what the engine's turns need of the program around them, and the commands on them.
//!
//! [`Chat`] is the engine's host: it puts a turn's tools and instructions together, has calls judged, and learns when a
//! turn has left the engine, so that the next message in the queue begins.

mod asking;
mod attachments;
mod conversation;
mod host;
mod judging;
mod prompt;
mod queue;
mod sending;
mod showing;
mod skill_tool;
pub(crate) mod sources;
mod undo;

use domain::Problem;

use crate::local::Local;
use crate::request::Request;
use crate::response::Response;

pub(crate) use host::Chat;
pub(crate) use prompt::skills;
pub(crate) use queue::follow;
pub(crate) use sources::SourceTools;

impl Local {
    /// Carries out a command of this module.
    pub(crate) async fn in_chat(&self, request: Request) -> Result<Response, Problem> {
        match request {
            Request::TurnSend(send) => self.turn_send(*send).await.map(Response::Sent),
            Request::TurnShow { run } => {
                self.engine.turn_view(&run).await.map(|turn| Response::Turn(Box::new(turn)))
            }
            Request::TurnStep { run, step } => {
                self.engine.turn_step(&run, &step).await.map(|step| Response::Step(Box::new(step)))
            }
            Request::TurnStop { run } => self.engine.stop_turn(&run).await.map(|()| Response::Done),
            Request::TurnResume { run } => self.engine.resume_turn(&run).await.map(|()| Response::Done),
            Request::ApprovalAnswer { run, call, verdict } => {
                self.approval_answer(&run, &call, verdict).await.map(|()| Response::Done)
            }
            Request::QuestionAnswer { run, call, answer } => {
                self.engine.tell(&run, &call, answer).await.map(|()| Response::Done)
            }
            Request::PlanAnswer { run, verdict } => self.plan_answer(&run, verdict).await.map(Response::Sent),
            Request::PlanSubmit { session, title, text } => {
                self.plan_submit(session, title, text).await.map(Response::Sent)
            }
            Request::SessionSetup { session, patch } => {
                self.session_setup(&session, patch).await.map(|()| Response::Done)
            }
            Request::SessionBranch { run } => {
                self.engine.branch(&run).await.map(|session| Response::Branched(session.0))
            }
            Request::SessionCompact { session } => self.session_compact(&session).await.map(Response::Sent),
            Request::QueueChange { session, id, text, first } => {
                self.queue_change(&session, &id, text, first).await.map(|()| Response::Done)
            }
            Request::AttachmentAdd(add) => self.attachment_add(add).await.map(Response::Attachment),
            Request::AttachmentShow { session, id } => self
                .attachment_show(session.as_deref(), &id)
                .await
                .map(|view| Response::AttachmentView(Box::new(view))),
            Request::ShellShow { id } => self.shell_show(&id).await.map(Response::Shell),
            Request::ShellKill { id } => self.shell_kill(&id).await.map(|()| Response::Done),
            Request::PromptShow { session, agent, stage } => {
                self.prompt_show(session, agent, stage).await.map(|prompt| Response::Prompt(Box::new(prompt)))
            }
            Request::TurnChanges { run, path } => {
                self.turn_changes(&run, path).await.map(|changes| Response::Changes(Box::new(changes)))
            }
            Request::TurnUndo(undo) => {
                self.turn_undo(undo).await.map(|changes| Response::Changes(Box::new(changes)))
            }
            other => Err(Problem::new(
                domain::ErrorCode::Internal,
                format!("nobody carries out {}", other.command().name),
            )),
        }
    }
}
