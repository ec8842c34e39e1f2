//! Messages that wait for the turn before them, over a model that the tests write.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{RunId, SessionId, UserMessage};
use llm::{Answer, ScriptedProvider};
use protocol::{Request, Response, Scope, TurnSend};
use tempfile::TempDir;

use crate::local::{Local, Options};

/// How long something that must happen may take on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

fn says(text: &str) -> UserMessage {
    UserMessage { text: text.to_owned(), ..UserMessage::default() }
}

fn send(session: Option<&str>, text: &str) -> TurnSend {
    TurnSend {
        session: session.map(str::to_owned),
        message: says(text),
        connection: Some("scripted".to_owned()),
        ..TurnSend::default()
    }
}

/// Sends a message and waits until it is answered; gives its session.
async fn answered(local: &Local, session: Option<&str>, text: &str) -> String {
    let sent = local.call(Request::TurnSend(Box::new(send(session, text)))).await.unwrap();
    let Response::Sent(sent) = sent else { panic!("{sent:?}") };
    ended(local, &sent.turn.unwrap()).await;
    sent.session
}

async fn ended(local: &Local, turn: &RunId) {
    tokio::time::timeout(TIMEOUT, local.engine().wait(turn)).await.expect("it ends").unwrap();
}

#[tokio::test]
async fn a_session_that_is_slow_to_go_on_keeps_no_other_ones_messages_waiting() {
    let folder = TempDir::new().unwrap();
    let provider = ScriptedProvider::answering(|_| Answer::text("Yes."));
    let named: Arc<dyn llm::Provider> = Arc::new(provider.clone());
    let options = Options {
        home: folder.path().to_owned(),
        program: std::env::current_exe().unwrap(),
        providers: BTreeMap::from([("scripted".to_owned(), named)]),
        hosts: None,
    };
    let local = Local::open(options).await.unwrap();
    let slow = answered(&local, None, "The slow one").await;
    let quick = answered(&local, None, "The quick one").await;

    // A command works in the slow session while a turn of it ends.
    let held = local.env.locks.lock(Scope::Session(slow.clone())).await;
    let setup = local.conversations.setup_of(&slow).await.unwrap();
    let id = SessionId(slow.clone());
    let begun = local.conversations.begin(id, setup, send(None, "Another"), None, false).await;
    ended(&local, &begun.unwrap()).await;

    let mut told = local.engine().subscribe_turns();
    local.conversations.queue_add(&quick, &says("What waited")).await.unwrap();
    answered(&local, Some(&quick), "Before it").await;
    let sent = async {
        while !provider.requests().iter().any(|request| format!("{request:?}").contains("What waited")) {
            told.recv().await.unwrap();
        }
    };
    tokio::time::timeout(TIMEOUT, sent).await.expect("it is sent though the other session waits");
    drop(held);
    local.close().await.unwrap();
}
