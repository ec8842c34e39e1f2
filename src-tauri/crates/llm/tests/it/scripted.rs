use std::time::Duration;

use domain::Usage;
use llm::{
    Answer, Fault, Limits, Message, ModelAnswer, ModelRequest, Provider, ProviderError, ScriptedProvider,
    StopReason, StreamEvent, collect,
};
use pretty_assertions::assert_eq;
use serde_json::json;

fn request(text: &str) -> ModelRequest {
    ModelRequest { model: "m".into(), messages: vec![Message::user(text)], ..ModelRequest::default() }
}

async fn call(provider: &ScriptedProvider, text: &str) -> Result<ModelAnswer, ProviderError> {
    collect(
        "scripted",
        provider.stream(request(text)),
        Limits { inactivity: Duration::from_secs(5), max_bytes: 1_000 },
        |_| {},
    )
    .await
}

fn fault(result: Result<ModelAnswer, ProviderError>) -> Fault {
    result.unwrap_err().fault
}

#[tokio::test(start_paused = true)]
async fn answers_arrive_in_order_in_pieces_and_requests_are_remembered() {
    let provider = ScriptedProvider::queue([
        Answer::text("día uno").chunks(3).delay(Duration::from_secs(4)),
        Answer::text("two"),
    ]);
    let mut pieces = Vec::new();
    let limits = Limits { inactivity: Duration::from_secs(5), max_bytes: 1_000 };
    let answer = collect("scripted", provider.stream(request("a")), limits, |event| {
        if let StreamEvent::Text(piece) = event {
            pieces.push(piece.clone());
        }
    })
    .await
    .unwrap();
    assert_eq!((answer.text.as_str(), pieces.len(), pieces.concat().as_str()), ("día uno", 3, "día uno"));
    assert_eq!(call(&provider, "b").await.unwrap().text, "two");
    assert_eq!(fault(call(&provider, "c").await), Fault::BadRequest);
    assert_eq!(
        provider.requests().iter().map(|one| one.messages[0].content.clone()).collect::<Vec<_>>(),
        ["a", "b", "c"]
    );
    assert_eq!(provider.open_streams(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_its_end_is_no_answer_whatever_arrived() {
    let provider = ScriptedProvider::queue([Answer::text("{\"a\": 1}").chunks(2).cut_after(2)]);
    let error = call(&provider, "a").await.unwrap_err();
    assert_eq!(error.fault, Fault::StreamCut);
    assert!(error.streamed_tokens > 0);
}

#[tokio::test(start_paused = true)]
async fn silence_and_floods_are_cut_off_and_the_stream_is_dropped() {
    let provider = ScriptedProvider::queue([
        Answer::text("half").hang_after(1),
        Answer::text("").filled(5_000, 1).chunks(50),
        Answer::text("").filled(5_000, 1).delay(Duration::from_secs(6)),
    ]);
    assert_eq!(fault(call(&provider, "a").await), Fault::Timeout);
    assert_eq!(fault(call(&provider, "b").await), Fault::OverCap);
    assert_eq!(fault(call(&provider, "c").await), Fault::Timeout);
    assert_eq!(provider.open_streams(), 0);
}

#[tokio::test]
async fn nothing_is_asked_before_the_stream_is_polled() {
    let provider = ScriptedProvider::queue([Answer::text("x")]);
    drop(provider.stream(request("a")));
    assert_eq!(provider.requests(), []);
}

#[tokio::test]
async fn a_provider_may_lie_about_usage_refuse_and_truncate() {
    let huge = Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() };
    let provider = ScriptedProvider::queue([
        Answer::text("x").usage(huge),
        Answer::text("x").usage(Usage::default()),
        Answer::refuse("no"),
        Answer::text("x").truncated(),
        Answer::text("x").fail_after(1, Fault::RateLimit { retry_after_ms: Some(7) }, "slow"),
    ]);
    assert_eq!(call(&provider, "").await.unwrap().usage, huge);
    assert_eq!(call(&provider, "").await.unwrap().usage, Usage::default());
    assert_eq!(call(&provider, "").await.unwrap().stop, StopReason::Refusal);
    assert_eq!(call(&provider, "").await.unwrap().stop, StopReason::MaxTokens);
    assert_eq!(fault(call(&provider, "").await), Fault::RateLimit { retry_after_ms: Some(7) });
}

#[tokio::test]
async fn a_script_from_json_answers_by_what_is_asked() {
    let provider = ScriptedProvider::from_json(&json!({
        "price": {"input": 2, "output": 10},
        "answers": [
            {"match": ["plan", "twice"], "times": 1, "error": "overloaded", "retryAfterMs": 3},
            {"match": "plan", "json": {"p": 1}, "chunks": 2, "usage": {"input": 5, "output": 6}},
            {"text": "{\"t\": \"%BYTES%\"}", "repeatBytes": 500, "seed": 7}
        ],
        "default": {"json": {}}
    }))
    .unwrap();
    assert_eq!(fault(call(&provider, "plan it twice").await), Fault::Overloaded { retry_after_ms: Some(3) });
    let planned = call(&provider, "plan it twice").await.unwrap();
    assert_eq!((planned.text.as_str(), planned.usage.input), ("{\"p\":1}", 5));
    assert_eq!(provider.model("m").cost(&planned.usage), domain::NanoUsd(70_000));
    let filled: serde_json::Value =
        serde_json::from_str(&call(&provider, "write").await.unwrap().text).unwrap();
    assert_eq!(filled["t"].as_str().unwrap().len(), 500);
    assert_eq!(call(&provider, "write").await.unwrap().text, "{}");
    assert!(ScriptedProvider::from_json(&json!({"answers": [{"txt": "typo"}]})).is_err());
}

#[test]
fn filler_is_the_same_for_a_seed_and_different_for_another() {
    use llm::scripted::incompressible;
    assert_eq!(incompressible(1_000, 1), incompressible(1_000, 1));
    assert_ne!(incompressible(1_000, 1), incompressible(1_000, 2));
    assert_eq!(incompressible(999, 1).len(), 999);
}
