//! The tools on the workbench itself, as a conversation's model calls them.

use app::{Request, Response};
use domain::Mode;
use engine::turn::TurnStatus;
use pretty_assertions::assert_eq;
use protocol::ApiEvent;
use serde_json::{Value, json};

use crate::extras::{Desk, calling};

/// What a call gave the model, in a conversation in Explore.
async fn given(tool: &'static str, arguments: Value) -> String {
    let desk = Desk::new(calling(tool, arguments)).await;
    let turn = desk.turn(Mode::Safe).await;
    assert_eq!(turn.head.status, TurnStatus::Completed, "{:?}", turn.head.problem);
    desk.result()
}

#[tokio::test]
async fn a_configuration_is_checked_before_it_is_written_and_after() {
    let bent = given("config_validate", json!({"kind": "permissions", "text": "{\"rules\": 5}"})).await;
    assert!(bent.starts_with("It is not valid:") && bent.contains("/rules"), "{bent}");
    let sound = given("config_validate", json!({"kind": "agent", "name": "standards-research"})).await;
    assert_eq!(sound, "Nothing is wrong with it.");
    let nobody = given("config_validate", json!({"kind": "source"})).await;
    assert!(nobody.contains("which agent or source is meant"), "{nobody}");
}

#[tokio::test]
async fn a_skill_is_checked_by_its_text_and_an_unknown_one_names_those_there_are() {
    let bent = given("skill_validate", json!({"skill": "tidy", "text": "no head"})).await;
    assert!(bent.starts_with("It is not valid:"), "{bent}");
    let sound = "---\nname: Tidy\ndescription: Keeps the desk tidy.\n---\n\nPut things away.\n";
    assert_eq!(
        given("skill_validate", json!({"skill": "tidy", "text": sound})).await,
        "Nothing is wrong with it."
    );
    assert!(given("skill_validate", json!({"skill": "none"})).await.contains("there is no skill none"));
}

#[tokio::test]
async fn a_model_sees_the_work_of_its_session() {
    let work = given("agent_state", json!({})).await;
    assert!(work.contains("turn") && work.contains("running"), "{work}");
}

#[tokio::test]
async fn the_user_is_asked_for_a_secret_that_is_missing_and_no_model_is_given_one() {
    let desk = Desk::new(calling("credential_prompt", json!({"source": "acme"}))).await;
    let folder = desk.folder.path().join("home/workspaces/default/sources/acme");
    std::fs::create_dir_all(&folder).unwrap();
    let config = json!({
        "slug": "acme", "name": "Acme", "description": "Parcels.", "type": "api",
        "api": {"baseUrl": "https://api.acme.example", "authType": "bearer", "testEndpoint": {"path": "me"}},
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    let run = desk.begin(Mode::Safe).await;
    let asked = async {
        loop {
            let view = desk.view(&run).await;
            if view.head.status != TurnStatus::Running {
                return view;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let view = tokio::time::timeout(std::time::Duration::from_secs(60), asked).await.expect("a question");
    assert_eq!(view.head.status, TurnStatus::Waiting, "{:?} {}", view.head.problem, desk.result());
    let question = serde_json::to_string(&view).unwrap();
    assert!(
        question.contains("agentnative source secret acme") && question.contains("It is given"),
        "{question}"
    );
}

#[tokio::test]
async fn a_diagram_is_checked_by_an_open_page_and_without_one_not_at_all() {
    let closed = given("mermaid_validate", json!({"text": "graph TD; A"})).await;
    assert_eq!(closed, "It was not checked: no window is open.");
    let desk = Desk::new(calling("mermaid_validate", json!({"text": "graph TD; A"}))).await;
    let mut told = desk.local.events();
    desk.call(Request::DiagramOffer).await;
    let page = async {
        loop {
            if let Ok(ApiEvent::Diagram(asked)) = told.recv().await {
                let problem = Some(format!("no arrow in {}", asked.text));
                let answered = desk.call(Request::DiagramAnswer { id: asked.id, problem }).await;
                return assert_eq!(answered, Response::Done);
            }
        }
    };
    let (turn, ()) = tokio::join!(desk.turn(Mode::Safe), page);
    assert_eq!(turn.head.status, TurnStatus::Completed, "{:?}", turn.head.problem);
    assert_eq!(desk.result(), "It can't be drawn: no arrow in graph TD; A");
}
