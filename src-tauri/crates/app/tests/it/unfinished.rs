//! What had not ended: a turn that waits since before a restart, a mission at work in a session that is deleted, copies of
//! what was under way. Copies of what had ended are here, too.

use std::time::Duration;

use app::Request;
use domain::{ErrorCode, Mode, RunId, UserMessage};
use engine::turn::TurnStatus;
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{Sent, SetupPatch, TurnSend};
use serde_json::json;

use crate::extras::Desk;
use crate::world::answer;

/// No wait of a test is longer.
const PATIENCE: Duration = Duration::from_secs(60);

impl Desk {
    async fn say(&self, session: Option<&str>, text: &str, replaces: Option<&RunId>) -> Sent {
        let work = self.folder.path().join("work").display().to_string();
        let setup = SetupPatch { mode: Some(Mode::Ask), folders: Some(vec![work]), ..SetupPatch::default() };
        let send = TurnSend {
            session: session.map(str::to_owned),
            message: UserMessage { text: text.to_owned(), ..UserMessage::default() },
            replaces: replaces.cloned(),
            connection: Some("scripted".to_owned()),
            setup,
            ..TurnSend::default()
        };
        answer!(self.call(Request::TurnSend(Box::new(send))).await, Sent)
    }

    /// Waits until a run or turn has left the engine.
    async fn left(&self, run: &RunId) {
        let left = tokio::time::timeout(PATIENCE, self.local.engine().wait(run));
        left.await.expect("it goes on").unwrap();
    }
}

/// A conversation of two messages: the first is answered, the second waits for permission since before a restart.
async fn waiting() -> (Desk, String, RunId, RunId) {
    let answers = [
        Answer::text("One."),
        Answer::text("").call("write", json!({"path": "made.txt", "content": "x"})),
        Answer::text("Again."),
        Answer::text("More."),
    ];
    let desk = Desk::new(ScriptedProvider::queue(answers)).await;
    let sent = desk.say(None, "First.", None).await;
    let (session, first) = (sent.session, sent.turn.unwrap());
    desk.left(&first).await;
    let mut told = desk.local.engine().subscribe_turns();
    let second = desk.say(Some(&session), "Second.", None).await.turn.unwrap();
    let waits = async {
        while desk.view(&second).await.head.status != TurnStatus::Waiting {
            let _ = told.recv().await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.expect("it asks for permission");
    (desk.reopened().await, session, first, second)
}

#[tokio::test]
async fn a_message_that_is_sent_again_ends_what_waits_after_it_since_before_a_restart() {
    let (desk, session, first, second) = waiting().await;
    assert_eq!(desk.view(&second).await.head.status, TurnStatus::Waiting);
    let again = desk.say(Some(&session), "First, in other words.", Some(&first)).await.turn.unwrap();
    desk.left(&again).await;
    assert_eq!(desk.view(&second).await.head.status, TurnStatus::Stopped);
    let next = desk.say(Some(&session), "And then?", None).await;
    assert_eq!(next.queued, None);
    let next = next.turn.expect("it begins at once");
    desk.left(&next).await;
    assert_eq!(desk.view(&next).await.head.answer.as_deref(), Some("More."));
}

#[tokio::test]
async fn a_conversation_is_not_compacted_while_a_turn_waits_since_before_a_restart() {
    let (desk, session, _, second) = waiting().await;
    let refused = desk.local.call(Request::SessionCompact { session }).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Busy);
    assert_eq!(desk.view(&second).await.head.status, TurnStatus::Waiting);
}
