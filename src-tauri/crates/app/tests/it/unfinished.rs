//! What had not ended: a turn that waits since before a restart, a mission at work in a session that is deleted, copies of
//! what was under way. Copies of what had ended are here, too.

use std::path::Path;
use std::time::Duration;

use app::Request;
use domain::{ErrorCode, Mode, RunId, UserMessage};
use engine::turn::TurnStatus;
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{MissionStart, Sent, SessionPatch, SetupPatch, TurnSend};
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

    /// Waits until the model was asked as often.
    async fn asked(&self, times: usize) {
        let asked = async {
            while self.provider.requests().len() < times {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asked).await.expect("the model is asked");
    }

    async fn mission(&self) -> RunId {
        researcher(&self.folder.path().join("home/workspaces/default"));
        let start = MissionStart {
            profile: "survey".to_owned(),
            request: "What is a pump?".to_owned(),
            connection: Some("scripted".to_owned()),
            unattended: true,
            ..MissionStart::default()
        };
        answer!(self.call(Request::MissionStart(Box::new(start))).await, Run)
    }
}

/// An agent of a workspace that needs no source, and a profile of missions that may use it alone.
pub fn researcher(workspace: &Path) {
    let agents = workspace.join("agents");
    std::fs::create_dir_all(agents.join("small/prompts")).unwrap();
    let text = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}});
    let config = json!({
        "slug": "small", "name": "Small", "description": "For tests.", "capabilities": ["research"],
        "depthModes": {"standard": {}},
        "controlFlow": {"stages": [
            {"id": "think", "name": "think", "title": "Think", "kind": "model", "prompt": "think.md",
                "context": [{"section": "REQUEST", "value": "request"}], "outputSchema": text},
            {"id": "output", "name": "output", "title": "Output", "kind": "render",
                "document": {"answer": "{'synthesis': outputs.think.text}"}}]},
    });
    std::fs::write(agents.join("small/config.json"), config.to_string()).unwrap();
    std::fs::write(agents.join("small/prompts/think.md"), "Answer the request.\n").unwrap();
    let page = "---\nname: Small\ndescription: For tests.\nsources: []\ntools: []\n---\nFor tests.\n";
    std::fs::write(agents.join("small/AGENT.md"), page).unwrap();
    let profile = json!({
        "slug": "survey", "name": "Survey", "description": "For tests.", "pauses": [],
        "successCriteria": {"coverage": 1.0}, "agents": {"allow": ["small"]},
    });
    std::fs::create_dir_all(agents.join("survey")).unwrap();
    std::fs::write(agents.join("survey/mission.json"), profile.to_string()).unwrap();
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

#[tokio::test]
async fn a_mission_at_work_ends_with_its_session_that_is_deleted_for_good() {
    let desk = Desk::new(ScriptedProvider::answering(|_| Answer::hang())).await;
    let mission = desk.mission().await;
    desk.asked(1).await;
    let store = &desk.local.engine().parts().store;
    let session = store.get_run(&mission.0).await.unwrap().session;
    let patch = SessionPatch { deleted: Some(true), ..SessionPatch::default() };
    let sessions = vec![session];
    desk.call(Request::SessionUpdate { sessions: sessions.clone(), patch }).await;
    let purge = desk.local.call(Request::SessionPurge { sessions });
    let purged = tokio::time::timeout(PATIENCE, purge).await.expect("the mission is cancelled");
    assert_eq!(answer!(purged.unwrap(), Purged), 1);
    assert!(!desk.local.engine().is_live(&mission));
    assert!(store.get_run(&mission.0).await.is_err());
}
