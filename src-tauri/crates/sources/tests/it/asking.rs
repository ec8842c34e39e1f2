//! Servers that ask back, over both transports' common part: the newer generation's rounds.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sources::{CallLimits, Elicitation, ElicitationAnswer, Elicitor, Question, Source, SourceConfig};

use crate::web::{Reply, Web, modern, result};

/// Somebody who takes their time, and says the same to everybody.
#[derive(Debug)]
struct Person {
    answer: ElicitationAnswer,
    takes: Duration,
    asked: Mutex<Vec<Elicitation>>,
}

#[async_trait]
impl Elicitor for Person {
    async fn ask(&self, question: Elicitation) -> ElicitationAnswer {
        self.asked.lock().unwrap().push(question);
        tokio::time::sleep(self.takes).await;
        self.answer.clone()
    }
}

fn person(answer: ElicitationAnswer) -> Arc<Person> {
    Arc::new(Person { answer, takes: Duration::ZERO, asked: Mutex::default() })
}

/// Asks once with this request, then answers with what it was told.
async fn asks(request: Value) -> Web {
    Web::serve(move |seen, _| match seen.method() {
        "tools/call" => {
            let params = &seen.body["params"];
            match params.get("inputResponses") {
                None => Reply::json(
                    200,
                    &result(
                        seen,
                        json!({"resultType": "input_required",
                    "inputRequests": {"q": request}, "requestState": "opaque \u{2603}"}),
                    ),
                ),
                Some(answers) => Reply::json(
                    200,
                    &result(
                        seen,
                        json!({"resultType": "complete", "content": [],
                    "structuredContent": {"answers": answers, "state": params["requestState"]}}),
                    ),
                ),
            }
        }
        _ => modern(seen),
    })
    .await
}

fn form() -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Which?",
        "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}})
}

async fn call(config: SourceConfig, within: Duration) -> Result<Value, sources::SourceError> {
    let source = Source::start(config, None, None).await.unwrap();
    let outcome = source.call("echo", json!({}), CallLimits::within(within)).await;
    source.close().await;
    outcome.map(|outcome| outcome.value)
}

#[tokio::test]
async fn a_person_answers_and_the_state_goes_back_unchanged() {
    let web = asks(form()).await;
    let who = person(ElicitationAnswer::Accept(json!({"a": "this"})));
    let mut config = web.config();
    config.elicitor = Some(who.clone());
    let told = call(config, Duration::from_secs(10)).await.unwrap();
    let accepted = json!({"q": {"action": "accept", "content": {"a": "this"}}});
    assert_eq!(told, json!({"answers": accepted, "state": "opaque \u{2603}"}));
    let asked = who.asked.lock().unwrap();
    assert_eq!((asked[0].source.as_str(), asked[0].message.as_str()), ("remote", "Which?"));
    assert!(matches!(&asked[0].wanted, Question::Form { schema } if schema["type"] == "object"));
    let seen = web.seen();
    let ids: Vec<_> =
        seen.iter().filter(|seen| seen.method() == "tools/call").map(|seen| &seen.body["id"]).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1]);
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_answer_is_no() {
    let web = asks(form()).await;
    let told = call(web.config(), Duration::from_secs(10)).await.unwrap();
    assert_eq!(told["answers"], json!({"q": {"action": "decline"}}));
    let discovered = web.seen().into_iter().find(|seen| seen.method() == "tools/call").unwrap();
    let capabilities = &discovered.body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(capabilities, &json!({}));
}

#[tokio::test]
async fn a_deadline_waits_for_people_but_not_for_servers() {
    let web = asks(form()).await;
    let mut config = web.config();
    let who = Person {
        answer: ElicitationAnswer::Cancel,
        takes: Duration::from_millis(900),
        asked: Mutex::default(),
    };
    config.elicitor = Some(Arc::new(who));
    let told = call(config, Duration::from_millis(600)).await.unwrap();
    assert_eq!(told["answers"], json!({"q": {"action": "cancel"}}));
}

#[tokio::test]
async fn models_and_folders_are_not_given_to_servers() {
    for method in ["sampling/createMessage", "roots/list", "anything/else"] {
        let web = asks(json!({"method": method, "params": {}})).await;
        let error = call(web.config(), Duration::from_secs(10)).await.unwrap_err();
        assert_eq!(error.code(), "source_protocol");
        assert!(error.to_string().contains(method), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_asks_for_ever_is_stopped() {
    let web = Web::serve(|seen, _| match seen.method() {
        "tools/call" => {
            Reply::json(200, &result(seen, json!({"resultType": "input_required", "requestState": "again"})))
        }
        _ => modern(seen),
    })
    .await;
    let error = call(web.config(), Duration::from_secs(10)).await.unwrap_err();
    assert!(error.to_string().contains("without end"), "{error}");
    assert_eq!(web.count("tools/call"), 10);
}
