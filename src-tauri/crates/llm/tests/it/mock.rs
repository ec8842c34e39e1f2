//! Every protocol over real sockets against a wire-compatible server in a process of its own (the npm package aimock).
//! A relay before it keeps what was sent, because the server's own journal shows it in one common form. What the server
//! does otherwise than the providers is taken in; what goes out is what the providers take.

mod bodies;
mod rig;

use std::sync::Arc;

use domain::Usage;
use domain::agent::Effort;
use domain::connection::{Auth, Connection, ModelOverride, ProviderKind};
use llm::http::{Fixed, connect};
use llm::{
    Fault, Limits, Message, ModelAnswer, ModelRequest, Part, Provider, ProviderError, Role, StopReason,
    StreamEvent, ToolSpec, collect,
};
use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::{Value, json};

use self::rig::{Mock, Relay, Sent};

const KEY: &str = "canary-key-0123456789";

/// A protocol as it is tested.
struct Protocol {
    kind: ProviderKind,
    model: &'static str,
    /// What its address ends with.
    below: &'static str,
    /// Where its questions arrive.
    path: &'static str,
    auth: Auth,
    /// The header that presents the key.
    presented: Option<(&'static str, String)>,
}

/// Everything that a test of a protocol has at hand.
struct World {
    provider: Arc<dyn Provider>,
    protocol: Protocol,
    mock: Mock,
    relay: Relay,
}

fn fixtures() -> Value {
    let calls = json!([
        { "id": "call_a1", "name": "get_weather", "arguments": { "city": "Lyon" } },
        { "id": "call_a2", "name": "get_weather", "arguments": { "city": "Nice" } }
    ]);
    let usage = json!({
        "input_tokens": 41, "output_tokens": 17, "prompt_tokens": 41, "completion_tokens": 17, "total_tokens": 58
    });
    json!({ "fixtures": [
        { "match": { "userMessage": "say hi" }, "response": { "content": "Bonjour, ça va ?", "usage": usage } },
        { "match": { "userMessage": "Weather in", "hasToolResult": false },
          "response": { "reasoning": "Two cities.", "content": "Checking.", "toolCalls": calls, "usage": usage } },
        { "match": { "userMessage": "Weather in", "hasToolResult": true },
          "response": { "content": "Lyon 12C, Nice 18C.", "usage": usage } },
        { "match": { "userMessage": "as JSON" }, "response": { "content": "{\"city\":\"Lyon\"}", "usage": usage } },
        { "match": { "userMessage": "too often" },
          "response": { "error": { "message": "Slow down", "type": "rate_limit_error" }, "status": 429 } },
        { "match": { "userMessage": "too busy" },
          "response": { "error": { "message": "Overloaded", "type": "overloaded_error" }, "status": 529 } },
        { "match": { "userMessage": "cut me" }, "truncateAfterChunks": 8,
          "response": { "content": "This long answer is cut somewhere in its middle, as networks do." } }
    ] })
}

fn question(model: &str, text: &str) -> ModelRequest {
    ModelRequest {
        model: model.into(),
        system: "Be brief.".into(),
        messages: vec![Message::user(text)],
        max_output_tokens: 2_000,
        ..ModelRequest::default()
    }
}

fn weather() -> ToolSpec {
    ToolSpec {
        name: "get_weather".into(),
        description: "The weather now.".into(),
        parameters: bodies::city(),
    }
}

impl World {
    /// `None`, with a line that says so, where the server is not installed.
    async fn start(protocol: Protocol) -> Option<Self> {
        let mock = Mock::start(&fixtures()).await?;
        let relay = Relay::before(mock.port).await;
        let mut connection = Connection::new("mock", protocol.kind);
        connection.base_url = Some(format!("{}{}", relay.url(), protocol.below));
        connection.auth = protocol.auth.clone();
        // What no table has and no list was asked for.
        if matches!(protocol.kind, ProviderKind::Ollama | ProviderKind::OpenaiChat) {
            let thinking = (protocol.kind == ProviderKind::Ollama).then_some(true);
            let id = protocol.model.to_owned();
            connection.models =
                vec![ModelOverride { id, structured: Some(true), thinking, ..ModelOverride::default() }];
        }
        let provider = connect(connection, Arc::new(Fixed(Some(SecretString::from(KEY))))).unwrap();
        Some(Self { provider, protocol, mock, relay })
    }

    async fn ask(&self, request: ModelRequest) -> (Result<ModelAnswer, ProviderError>, Vec<StreamEvent>) {
        let mut events = Vec::new();
        let stream = self.provider.stream(request);
        let answer = collect("mock", stream, Limits::default(), |event| events.push(event.clone())).await;
        (answer, events)
    }

    async fn answered(&self, request: ModelRequest) -> ModelAnswer {
        let (answer, events) = self.ask(request).await;
        let answer = answer.unwrap();
        let pieces: String = events
            .iter()
            .filter_map(|event| match event {
                StreamEvent::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(pieces, answer.text);
        assert!(answer.request_id.is_some(), "the server gives every request an id");
        answer
    }

    async fn failed(&self, text: &str) -> ProviderError {
        let (answer, events) = self.ask(question(self.protocol.model, text)).await;
        assert!(!events.iter().any(|event| matches!(event, StreamEvent::Finished(_))));
        answer.unwrap_err()
    }

    /// The one request that went out since this was last asked.
    fn sent(&self) -> Sent {
        let mut sent = self.relay.taken();
        assert_eq!(sent.len(), 1, "one request, not {}", sent.len());
        let sent = sent.remove(0);
        assert_eq!(sent.line, format!("POST {} HTTP/1.1", self.protocol.path));
        assert_eq!(sent.header("content-type"), Some("application/json"));
        assert_eq!(sent.header("accept-encoding"), None, "compressed streams arrive late");
        if let Some((name, value)) = &self.protocol.presented {
            assert_eq!(sent.header(name), Some(value.as_str()));
        }
        let written = format!("{:?}", sent);
        let times = usize::from(self.protocol.presented.is_some());
        assert_eq!(written.matches(KEY).count(), times, "the key stands in its header and nowhere else");
        sent
    }

    /// All of it, in the order in which a person would meet it.
    async fn all(&self) {
        let model = self.protocol.model;
        let kind = self.protocol.kind;
        let counted = |usage: Usage| match kind {
            // The server does not count for this protocol.
            ProviderKind::Ollama => assert_eq!((usage.input, usage.output), (0, 0)),
            _ => assert_eq!((usage.input, usage.output, usage.cache_read), (41, 17, 0)),
        };

        let answer = self.answered(question(model, "say hi")).await;
        assert_eq!((answer.text.as_str(), answer.stop), ("Bonjour, ça va ?", StopReason::EndTurn));
        counted(answer.usage);
        assert_eq!(self.sent().json(), bodies::plain(kind), "{kind:?}: a plain question");

        let mut request = question(model, "Weather in Lyon and Nice?");
        request.tools = vec![weather()];
        request.thinking = true;
        request.effort = Some(Effort::Medium);
        let (answer, events) = self.ask(request.clone()).await;
        let answer = answer.unwrap();
        assert_eq!((answer.thinking.as_str(), answer.text.as_str()), ("Two cities.", "Checking."));
        assert_eq!(answer.stop, StopReason::ToolUse);
        counted(answer.usage);
        let begun = events.iter().filter(|event| matches!(event, StreamEvent::ToolCallBegun { .. })).count();
        let cities: Vec<&Value> = answer.tool_calls().map(|call| &call.arguments["city"]).collect();
        assert_eq!((begun, cities), (2, vec![&json!("Lyon"), &json!("Nice")]));
        assert_eq!(self.sent().json(), bodies::tools(kind), "{kind:?}: the first request of a loop");

        let echo = answer.parts.iter().find_map(|part| match part {
            Part::Opaque { raw, .. } => Some(serde_json::from_str(raw).unwrap()),
            _ => None,
        });
        let gave = ["12C", "station offline"];
        let results = answer.tool_calls().zip(gave).map(|(call, content)| Part::ToolResult {
            call: call.id.clone(),
            name: call.name.clone(),
            content: content.into(),
            is_error: content != "12C",
        });
        let results =
            Message { role: Role::User, content: String::new(), parts: results.collect(), cache: false };
        let said = Message {
            role: Role::Assistant,
            content: String::new(),
            parts: answer.parts.clone(),
            cache: false,
        };
        request.messages.extend([said, results]);
        let answer = self.answered(request).await;
        assert_eq!((answer.text.as_str(), answer.stop), ("Lyon 12C, Nice 18C.", StopReason::EndTurn));
        assert_eq!(self.sent().json(), bodies::results(kind, echo), "{kind:?}: the second request of a loop");

        let mut request = question(model, "Lyon as JSON");
        request.schema = Some(bodies::city());
        let answer = self.answered(request).await;
        assert_eq!(serde_json::from_str::<Value>(&answer.text).unwrap(), json!({ "city": "Lyon" }));
        assert_eq!(self.sent().json(), bodies::structured(kind), "{kind:?}: an answer by a schema");

        let often = self.failed("too often").await;
        assert_eq!(often.fault, Fault::RateLimit { retry_after_ms: Some(1_000) });
        assert!(often.message.contains("Slow down"), "{often}");
        self.sent();
        let busy = self.failed("too busy").await;
        assert_eq!(busy.fault, Fault::Overloaded { retry_after_ms: None });
        self.sent();
        let cut = self.failed("cut me").await;
        assert_eq!(cut.fault, Fault::StreamCut, "{cut}");
        assert!(cut.streamed_tokens > 0, "what had arrived was paid");
        self.sent();
        let unknown = self.failed("what nobody wrote an answer for").await;
        assert!(matches!(unknown.fault, Fault::BadRequest), "{unknown:?}");
        self.sent();
        for error in [often, busy, cut, unknown] {
            assert!(error.provider == "mock" && !error.message.contains(KEY), "{error}");
        }

        // What the server understood of it, in its own words: each call has its result.
        let journal = self.mock.journal().await;
        let asked = journal[2]["body"]["messages"].as_array().unwrap();
        let called: Vec<&Value> =
            asked.iter().filter_map(|message| message["tool_calls"].as_array()).flatten().collect();
        let gave: Vec<&Value> = asked.iter().filter(|message| message["role"] == "tool").collect();
        assert_eq!((called.len(), gave.len()), (2, 2), "{asked:#?}");
        for (call, result) in called.iter().zip(&gave) {
            // Ollama's go by their order.
            assert!(kind == ProviderKind::Ollama || call["id"] == result["tool_call_id"], "{call} {result}");
        }
    }
}

fn key() -> Auth {
    Auth::Key { env: None }
}

async fn run(protocol: Protocol) {
    if let Some(world) = World::start(protocol).await {
        world.all().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropic_works_over_sockets() {
    run(Protocol {
        kind: ProviderKind::Anthropic,
        model: "claude-sonnet-5-5",
        below: "",
        path: "/v1/messages",
        auth: key(),
        presented: Some(("x-api-key", KEY.to_owned())),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_responses_work_over_sockets() {
    run(Protocol {
        kind: ProviderKind::Openai,
        model: "gpt-6.1-sol",
        below: "/v1",
        path: "/v1/responses",
        auth: key(),
        presented: Some(("authorization", format!("Bearer {KEY}"))),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn compatible_hosts_work_over_sockets() {
    run(Protocol {
        kind: ProviderKind::OpenaiChat,
        model: "house-model",
        below: "/v1",
        path: "/v1/chat/completions",
        auth: Auth::Bearer { env: None },
        presented: Some(("authorization", format!("Bearer {KEY}"))),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_works_over_sockets() {
    run(Protocol {
        kind: ProviderKind::Gemini,
        model: "gemini-3.8-flash",
        below: "",
        path: "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
        auth: key(),
        presented: Some(("x-goog-api-key", KEY.to_owned())),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ollama_works_over_sockets() {
    run(Protocol {
        kind: ProviderKind::Ollama,
        model: "qwen3:8b",
        below: "",
        path: "/api/chat",
        auth: Auth::None,
        presented: None,
    })
    .await;
}
