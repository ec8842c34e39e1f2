//! A plan that a program beside the conversation hands in.

use domain::{ErrorCode, SessionSetup};
use engine::turn::{PlanState, StepStatus, SubmittedPlan, TurnStatus};
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::turn_world::{World, texts};

fn plan(session: &domain::SessionId) -> SubmittedPlan {
    SubmittedPlan {
        session: session.clone(),
        setup: SessionSetup::default(),
        title: "Mend it".to_owned(),
        text: "1. Look\n2. Mend".to_owned(),
        path: "plans/mend-it.md".to_owned(),
    }
}

#[tokio::test]
async fn a_plan_that_is_handed_in_waits_for_the_person_and_the_model_reads_it_afterwards() {
    let world = World::new(ScriptedProvider::queue([Answer::text("Hello."), Answer::text("Done.")])).await;
    let (session, first) = world.turn("Hi").await;
    let run = world.engine.submit_plan(plan(&session)).await.unwrap();
    let view = world.engine.turn_view(&run).await.unwrap();
    let waiting = view.head.plan.unwrap();
    assert_eq!((waiting.title.as_str(), waiting.state), ("Mend it", PlanState::Waiting));
    assert_eq!((view.head.status, view.head.previous), (TurnStatus::Completed, Some(first.head.run)));
    assert_eq!(world.names(&run).await, ["turn_started", "turn_ended"]);
    assert_eq!(world.provider.requests().len(), 1, "no model is asked");

    let next = world.turn_in(&session, "Carry it out").await;
    assert_eq!(next.head.answer.as_deref(), Some("Done."));
    let requests = world.provider.requests();
    assert_eq!(texts(&requests[1]), ["Hi", "Hello.", "Plan: Mend it", "1. Look\n2. Mend", "Carry it out"]);
    let view = world.engine.turn_view(&run).await.unwrap();
    assert_eq!(view.head.plan.unwrap().state, PlanState::Accepted);
}

#[tokio::test]
async fn while_a_turn_is_under_way_no_plan_is_taken() {
    let asks = Answer::text("").call("ask", json!({}));
    let mut world = World::new(ScriptedProvider::queue([asks, Answer::text("So it is.")])).await;
    let (session, run) = world.begin("Hi").await;
    world.step(&run, StepStatus::Asking).await;
    let refused = world.engine.submit_plan(plan(&session)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    world.engine.stop_turn(&run).await.unwrap();
    world.engine.submit_plan(plan(&session)).await.unwrap();
}
