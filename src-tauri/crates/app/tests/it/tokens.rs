//! What the model requests of a run were made of.

use app::{Request, RunRef};
use domain::{ErrorCode, RunStatus};
use pretty_assertions::assert_eq;
use protocol::{RunTokens, TokenStrategy};

use crate::world::{World, answer};

const ALL: [TokenStrategy; 4] =
    [TokenStrategy::Naive, TokenStrategy::Fresh, TokenStrategy::Handoff, TokenStrategy::Continue];

async fn tokens(world: &World, run: &domain::RunId, compare: &[TokenStrategy]) -> RunTokens {
    let run = RunRef::Id(run.0.clone());
    *answer!(world.call(Request::RunTokens { run, compare: compare.to_vec() }).await, RunTokens)
}

#[tokio::test]
async fn every_token_of_a_run_s_requests_stands_in_a_section_and_beside_what_the_provider_reported() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let state = world.state(&run).await;
    assert_eq!(state.status, RunStatus::Completed);
    let found = tokens(&world, &run, &[]).await;
    assert!(found.requests.len() > 1, "{found:?}");
    for request in &found.requests {
        let sum = |of: fn(&protocol::SectionTokens) -> u64| request.sections.iter().map(of).sum::<u64>();
        assert_eq!(sum(|section| section.tokens), request.estimated, "{request:?}");
        assert!(request.sections.iter().any(|section| section.name == "system"));
        // The sections are those that the request was planned with.
        let shown = Request::RunStage { run: run.clone(), stage: request.stage.clone() };
        let detail = answer!(world.call(shown).await, StageDetail);
        let row = detail.calls.iter().find(|call| call.key == request.key).unwrap();
        assert_eq!(row.usage, request.measured);
        let sent: llm::ModelRequest = serde_json::from_value(row.request.clone().unwrap()).unwrap();
        assert_eq!(sent.estimated_input(), request.estimated);
    }
    for sums in [&found.stages, &found.sections] {
        assert_eq!(sums.iter().map(|sum| sum.tokens).sum::<u64>(), found.estimated);
    }
    assert_eq!((found.measured, found.left_out.as_slice()), (state.usage, [].as_slice()));
    assert!(found.measured.total() > 0 && found.strategies.is_empty());
}

#[tokio::test]
async fn other_strategies_are_computed_over_the_same_requests() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let found = tokens(&world, &run, &ALL).await;
    let order: Vec<TokenStrategy> = found.strategies.iter().map(|sum| sum.strategy).collect();
    assert_eq!(order, ALL);
    let [naive, fresh, handoff, _] = found.strategies.as_slice() else { panic!("{found:?}") };
    assert_eq!(fresh.whole_input(), found.estimated, "as it was sent");
    assert!(naive.whole_input() > fresh.whole_input(), "{naive:?} {fresh:?}");
    assert!(handoff.whole_input() < naive.whole_input(), "{handoff:?} {naive:?}");
    assert!(found.strategies.iter().all(|sum| sum.output == found.measured.output));
}

#[tokio::test]
async fn a_run_that_is_not_there_has_no_tokens() {
    let world = World::new().await;
    let request = Request::RunTokens { run: RunRef::Id("none".to_owned()), compare: Vec::new() };
    assert_eq!(world.refused(request).await.code, ErrorCode::NotFound);
}
