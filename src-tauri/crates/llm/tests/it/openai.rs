//! OpenAI: what both protocols share in these tests, and credentials, failures, lists and the table.

use domain::connection::{Connection, ProviderKind};
use domain::{NanoUsd, Usage};
use llm::wire::openai::{Chat, Responses};
use llm::wire::{AuthScheme, Codec, Frame, Framing, Reader, Refusal, Target};
use llm::{
    Detail, Fault, Message, ModelInfo, ModelRequest, Prices, ProviderError, Retry, ThinkingStyle, ToolSpec,
};
use pretty_assertions::assert_eq;
use reqwest::header::{HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde_json::{Value, json};
use url::Url;

use crate::wire_support::{Run, fixture_frames, run};

/// A protocol at an address with a model.
pub struct Place {
    pub codec: &'static dyn Codec,
    connection: Connection,
    base: Url,
    pub model: ModelInfo,
}

impl Place {
    pub fn responses(model: &str) -> Self {
        Self::new(&Responses, "https://api.openai.com/v1/", model)
    }

    pub fn chat(base: &str, model: &str) -> Self {
        Self::new(&Chat, base, model)
    }

    pub fn new(codec: &'static dyn Codec, base: &str, model: &str) -> Self {
        let model = match Prices::embedded().model(model) {
            Some(known) => known.clone(),
            None => ModelInfo {
                structured: false,
                ..ModelInfo::free(model, codec.kind().as_str(), 32_768, 4_096)
            },
        };
        let base = Url::parse(base).unwrap();
        Self { codec, connection: Connection::new("mine", codec.kind()), base, model }
    }

    pub fn at(mut self, base: &str) -> Self {
        self.base = Url::parse(base).unwrap();
        self
    }

    pub fn in_background(mut self) -> Self {
        self.connection.background = true;
        self
    }

    pub fn with(mut self, change: impl FnOnce(&mut ModelInfo)) -> Self {
        change(&mut self.model);
        self
    }

    pub fn target(&self) -> Target<'_> {
        Target { connection: &self.connection, base: &self.base, model: &self.model }
    }

    pub fn question(&self) -> ModelRequest {
        ModelRequest {
            model: self.model.id.clone(),
            messages: vec![Message::user("Weather in Lyon?")],
            max_output_tokens: 4_096,
            ..ModelRequest::default()
        }
    }

    pub fn reader(&self, request: &ModelRequest) -> Box<dyn Reader> {
        self.codec.reader(request, self.target())
    }

    pub fn raw_body(&self, request: &ModelRequest) -> String {
        self.codec.encode(request, self.target()).unwrap().body.unwrap()
    }

    pub fn body(&self, request: &ModelRequest) -> Value {
        serde_json::from_str(&self.raw_body(request)).unwrap()
    }

    /// The words with which a request is refused before it is sent.
    pub fn refused(&self, request: &ModelRequest) -> String {
        let error = self.codec.encode(request, self.target()).unwrap_err();
        assert_eq!((error.fault, error.provider.as_str()), (Fault::BadRequest, self.codec.kind().as_str()));
        error.message
    }

    pub fn read(&self, fixture: &str) -> Run {
        run(self.reader(&self.question()), &fixture_frames(&format!("openai/{fixture}")))
    }

    pub fn read_values(&self, request: &ModelRequest, values: &[Value]) -> Run {
        let frame = |value: &Value| Frame { event: None, data: value.to_string() };
        run(self.reader(request), &values.iter().map(frame).collect::<Vec<_>>())
    }
}

/// A tool whose schema is already as strict mode wants it, and one that leaves something optional.
pub fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, parameters: Value| ToolSpec {
        name: name.into(),
        description: format!("About {name}."),
        parameters,
    };
    vec![
        tool(
            "get_weather",
            json!({
                "type": "object", "properties": { "city": { "type": "string" } },
                "required": ["city"], "additionalProperties": false,
            }),
        ),
        tool("find", json!({ "type": "object", "properties": { "limit": { "type": "integer" } } })),
        tool("now", json!({})),
    ]
}

/// Every split of the fixtures' bytes gives the frames of the whole.
#[test]
fn where_the_bytes_of_an_answer_are_split_changes_nothing() {
    use llm::http::frames::Decoder;
    let decode = |pieces: &[&[u8]]| {
        let mut decoder = Decoder::new(Framing::Sse);
        let mut frames = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut frames).unwrap();
        }
        decoder.finish(&mut frames).unwrap();
        frames
    };
    for name in ["responses-tools.sse", "chat-tools.sse", "chat-openrouter.sse"] {
        let text = crate::wire_support::fixture(&format!("openai/{name}"));
        assert_eq!(decode(&[text.as_bytes()]), crate::wire_support::sse(&text));
        crate::wire_support::every_split(text.as_bytes(), decode);
    }
}

#[test]
fn keys_go_as_bearer_tokens_but_to_azure() {
    let secret = SecretString::from("sk-secret");
    for codec in [&Responses as &dyn Codec, &Chat] {
        let header = |base: &str, bearing: AuthScheme| {
            let headers = codec.credential_at(&Url::parse(base).unwrap(), &secret, bearing).unwrap();
            let [(name, value)] = headers.as_slice() else { panic!("{headers:?}") };
            assert!(value.is_sensitive());
            format!("{name}: {}", value.to_str().unwrap())
        };
        let bearer = "authorization: Bearer sk-secret";
        assert_eq!(header("https://api.openai.com/v1/", AuthScheme::Key), bearer);
        assert_eq!(header("http://127.0.0.1:8000/v1/", AuthScheme::Key), bearer);
        assert_eq!(header("https://evil-openai.azure.com.example/", AuthScheme::Key), bearer);
        assert_eq!(header("https://evilopenai.azure.com/", AuthScheme::Key), bearer);
        assert_eq!(header("https://res.openai.azure.com/openai/v1/", AuthScheme::Key), "api-key: sk-secret");
        assert_eq!(
            header("https://res.services.ai.azure.com/openai/v1/", AuthScheme::Key),
            "api-key: sk-secret"
        );
        assert_eq!(header("https://res.openai.azure.com/openai/v1/", AuthScheme::Oauth), bearer);
        let broken = codec.credential(&SecretString::from("sk-\nx"), AuthScheme::Key).unwrap_err();
        assert_eq!(broken.fault, Fault::Auth);
        assert!(!broken.message.contains("sk-"), "{broken}");
    }
}

fn refusal(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> ProviderError {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, HeaderValue::from_static(value));
    }
    Chat.refusal(Refusal { status, headers: &map, body })
}

fn told(status: u16, error: Value) -> (Fault, Option<Detail>) {
    let error = refusal(status, &[], &json!({ "error": error }).to_string());
    (error.fault, error.detail)
}

#[test]
fn failures_are_told_apart_by_their_codes() {
    let quota = json!({ "message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota" });
    assert_eq!(told(429, quota.clone()), (Fault::Quota, Some(Detail::SpendLimit)));
    assert_eq!(refusal(429, &[], &json!({ "error": quota }).to_string()).retry(), Retry::Never);
    let cases = [
        (402, json!({ "message": "Insufficient Balance" }), Fault::Quota, Some(Detail::SpendLimit)),
        (
            429,
            json!({ "message": "slow", "code": "rate_limit_exceeded" }),
            Fault::RateLimit { retry_after_ms: None },
            None,
        ),
        (
            429,
            json!({ "message": "Request too large for m on tokens per min (TPM)", "code": "rate_limit_exceeded" }),
            Fault::ContextTooLong,
            None,
        ),
        (400, json!({ "message": "x", "code": "context_length_exceeded" }), Fault::ContextTooLong, None),
        (
            400,
            json!({ "message": "This model's maximum context length is 4096 tokens" }),
            Fault::ContextTooLong,
            None,
        ),
        (
            400,
            json!({ "message": "x", "type": "exceed_context_size_error", "n_ctx": 4096 }),
            Fault::ContextTooLong,
            None,
        ),
        (413, json!({ "message": "too big" }), Fault::ContextTooLong, None),
        (
            404,
            json!({ "message": "The model `m` does not exist", "code": "model_not_found" }),
            Fault::BadRequest,
            Some(Detail::ModelUnknown),
        ),
        (
            404,
            json!({ "message": "x", "code": "DeploymentNotFound" }),
            Fault::BadRequest,
            Some(Detail::ModelUnknown),
        ),
        (
            400,
            json!({ "message": "maker/m is not a valid model ID", "code": 400 }),
            Fault::BadRequest,
            Some(Detail::ModelUnknown),
        ),
        (
            404,
            json!({ "message": "Invalid URL (POST /chat)" }),
            Fault::BadRequest,
            Some(Detail::WrongProtocol),
        ),
        (401, json!({ "message": "x", "code": "invalid_api_key" }), Fault::Auth, None),
        (401, json!({ "message": "Access denied", "code": "401" }), Fault::Auth, None),
        (
            403,
            json!({ "message": "Country not supported", "code": "unsupported_country_region_territory" }),
            Fault::Permission,
            None,
        ),
        (
            403,
            json!({ "message": "flagged", "code": 403, "metadata": { "reasons": ["violence"] } }),
            Fault::Refused,
            None,
        ),
        (
            400,
            json!({ "message": "filtered", "code": "content_filter", "innererror": { "code": "ResponsibleAIPolicyViolation" } }),
            Fault::Refused,
            None,
        ),
        (400, json!({ "message": "flagged", "code": "invalid_prompt" }), Fault::Refused, None),
        (
            500,
            json!({ "message": "x", "type": "server_error" }),
            Fault::Overloaded { retry_after_ms: None },
            None,
        ),
        (503, json!({ "message": "x" }), Fault::Overloaded { retry_after_ms: None }, None),
        (504, json!({ "message": "x" }), Fault::Timeout, None),
        (400, json!({ "message": "x", "code": "empty_array" }), Fault::BadRequest, None),
    ];
    for (status, error, fault, detail) in cases {
        assert_eq!(told(status, error.clone()), (fault, detail), "{status} {error}");
    }
    let flat =
        r#"{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}"#;
    assert_eq!(refusal(404, &[], flat).detail, Some(Detail::ModelUnknown));
    for nothing in ["", "<html><h1>404 Not Found</h1></html>", r#"{"detail":"Not Found"}"#] {
        let error = refusal(404, &[], nothing);
        assert_eq!(error.detail, Some(Detail::WrongProtocol), "{nothing}");
        assert!(error.message.contains("/v1"), "{error}");
    }
    assert_eq!(refusal(502, &[], "<html>bad gateway</html>").message, "bad gateway");
}

#[test]
fn the_wait_is_read_from_headers_and_from_words() {
    let body = json!({ "error": { "message": "slow", "code": "rate_limit_exceeded" } }).to_string();
    let wait = |headers: &[(&'static str, &'static str)], body: &str| refusal(429, headers, body).fault;
    assert_eq!(wait(&[("retry-after", "7")], &body), Fault::RateLimit { retry_after_ms: Some(7_000) });
    assert_eq!(
        wait(&[("retry-after-ms", "250"), ("retry-after", "7")], &body),
        Fault::RateLimit { retry_after_ms: Some(250) }
    );
    for (words, ms) in [("1.2s", 1_200), ("300ms", 300), ("6m0s", 420_000), ("1h2m", 7_200_000)] {
        let body = json!({ "error": { "message": format!("Please try again in {words}.") } }).to_string();
        assert_eq!(wait(&[], &body), Fault::RateLimit { retry_after_ms: Some(ms) }, "{words}");
    }
}

#[test]
fn a_refused_parameter_is_told_with_the_setting_that_decides_it() {
    let says = |message: &str, param: &str| {
        let error = json!({ "error": { "message": message, "type": "invalid_request_error", "param": param, "code": "unsupported_parameter" } });
        let error = refusal(400, &[], &error.to_string());
        assert_eq!(error.fault, Fault::BadRequest);
        error.message
    };
    assert!(
        says("Unsupported parameter: 'reasoning_effort'", "reasoning_effort").contains("thinking to false")
    );
    assert!(says("Invalid schema", "response_format").contains("structured to false"));
    assert!(says("Unknown parameter", "tools[0]").contains("tools to false"));
    assert!(
        says("Function tools with reasoning_effort are not supported. Use /v1/responses.", "")
            .contains("provider to openai")
    );
    assert_eq!(says("Something else", "foo"), "Something else");
}

#[test]
fn an_error_that_repeats_a_key_does_not_show_it() {
    let body = json!({ "error": { "message": "Incorrect API key provided: sk-proj-abcDEF0123456789. Ask task-12345678.", "code": "invalid_api_key" } });
    let error = refusal(401, &[], &body.to_string());
    assert_eq!(error.message, "Incorrect API key provided: sk-…. Ask task-12345678.");
}

#[test]
fn odd_bodies_of_failures_are_survived() {
    for body in
        ["", "null", "[]", "[{}]", "{", "{\"error\":null}", "{\"error\":[]}", "{\"error\":\"gone\"}", "\u{0}"]
    {
        for status in [400, 418, 500] {
            let error = refusal(status, &[], body);
            assert!(!error.message.is_empty(), "{body}");
        }
    }
    let long = "é".repeat(100_000);
    assert!(refusal(500, &[], &json!({ "error": { "message": long } }).to_string()).message.len() <= 2_000);
}

#[test]
fn the_table_knows_every_current_model_and_its_price_of_long_input() {
    let cost = |id: &str, usage: Usage| Prices::embedded().model(id).unwrap().cost(&usage);
    let short =
        Usage { input: 100_000, output: 10_000, cache_read: 50_000, cache_write: 20_000, ..Usage::default() };
    assert_eq!(cost("gpt-6.1-sol", short), NanoUsd::from_usd(0.2 + 0.1 + 0.005 + 0.05));
    assert_eq!(cost("gpt-5.2", short), NanoUsd::from_usd(0.175 + 0.14 + 0.00875 + 0.035));
    let long = Usage { input: 272_001, output: 10_000, ..Usage::default() };
    assert_eq!(cost("gpt-6-astra", long), NanoUsd(272_001 * 20_000 + 10_000 * 75_000));
    assert_eq!(cost("gpt-5.5", Usage { input: 272_000, ..long }), NanoUsd(272_000 * 5_000 + 10_000 * 30_000));
    let ids = [
        "gpt-6-astra",
        "gpt-6.1-sol",
        "gpt-6.1-terra",
        "gpt-6-sol",
        "gpt-6-luna",
        "gpt-5.6-sol",
        "gpt-5.6-terra",
        "gpt-5.6-luna",
        "gpt-5.5",
        "gpt-5.4",
        "gpt-5.4-mini",
        "gpt-5.4-nano",
        "gpt-5.2",
        "gpt-5.1",
        "gpt-5",
        "gpt-5-mini",
        "gpt-5-nano",
    ];
    for id in ids {
        let model = Prices::embedded().model(id).unwrap();
        assert_eq!(
            (model.provider.as_str(), model.abilities.thinking),
            ("openai", ThinkingStyle::Effort),
            "{id}"
        );
        assert!(model.structured && model.abilities.tools && !model.abilities.efforts.is_empty(), "{id}");
        let always = ["gpt-6-astra", "gpt-6.1-sol", "gpt-5", "gpt-5-mini", "gpt-5-nano"].contains(&id);
        assert_eq!(model.abilities.thinking_off, !always, "{id}");
    }
    assert_eq!(
        Prices::embedded().models.iter().filter(|model| model.provider == "openai").count(),
        ids.len()
    );
}

#[test]
fn openais_list_has_names_alone_and_the_table_says_the_rest() {
    let list = json!({ "object": "list", "data": [
        { "id": "gpt-6.1-sol", "object": "model", "created": 1, "owned_by": "openai" },
        { "id": "gpt-5-mini-2025-08-07", "object": "model" },
        { "id": "gpt-9", "object": "model" },
        { "id": "text-embedding-3-small", "object": "model" },
        { "id": "", "object": "model" }, { "object": "model" }, 7,
    ] });
    let models = Responses.listed(&list);
    assert_eq!(
        models.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(),
        ["gpt-6.1-sol", "gpt-5-mini-2025-08-07", "gpt-9"]
    );
    assert_eq!(Some(&models[0]), Prices::embedded().model("gpt-6.1-sol"));
    assert_eq!((models[1].context_window, models[1].price.output), (400_000, 2.0));
    assert!(!models[2].priced && !models[2].thinking);
    assert_eq!(Responses.list().unwrap().path, "models");
    for odd in [json!(null), json!({}), json!({ "data": 3 }), json!([])] {
        assert_eq!(Chat.listed(&odd), []);
    }
}

#[test]
fn hosts_that_say_more_than_names_are_believed() {
    let list = json!({ "data": [{
        "id": "maker/thinker", "context_length": 200_000,
        "architecture": { "input_modalities": ["text", "image", "file"] },
        "pricing": { "prompt": "0.000002", "completion": "0.00001", "input_cache_read": "0.0000002", "image": "0" },
        "top_provider": { "context_length": 180_000, "max_completion_tokens": 64_000 },
        "supported_parameters": ["max_tokens", "reasoning", "structured_outputs", "tools", "tool_choice"],
    }, {
        "id": "maker/router", "context_length": 8_000, "pricing": { "prompt": "-1", "completion": "-1" },
        "supported_parameters": ["max_tokens"],
    }] });
    let [thinker, router] = Chat.listed(&list).try_into().unwrap();
    assert_eq!((thinker.context_window, thinker.max_output, thinker.priced), (180_000, 64_000, true));
    assert_eq!(
        (thinker.price.input, thinker.price.output, thinker.price.cache_read, thinker.price.cache_write),
        (2.0, 10.0, 0.2, 2.0)
    );
    assert!(
        thinker.structured && thinker.thinking && thinker.abilities.tools && thinker.abilities.forced_tools
    );
    assert!(thinker.abilities.images && thinker.abilities.documents);
    assert!(!router.priced && !router.structured && !router.abilities.tools && !router.thinking);
    assert!(router.max_output < router.context_window);

    let vllm = json!({ "data": [{ "id": "qwen", "owned_by": "vllm", "max_model_len": 40_960 }] });
    let llama = json!({ "data": [{ "id": "q.gguf", "meta": { "n_ctx_train": 131_072, "n_params": 1 } }] });
    assert_eq!(Chat.listed(&vllm)[0].context_window, 40_960);
    let llama = &Chat.listed(&llama)[0];
    assert_eq!(
        (llama.context_window, llama.max_output, llama.provider.as_str()),
        (131_072, 16_384, "openai-chat")
    );
}

#[test]
fn both_protocols_are_spoken() {
    for kind in [ProviderKind::Openai, ProviderKind::OpenaiChat] {
        let codec = llm::wire::codec(kind).unwrap();
        assert_eq!((codec.kind(), codec.framing()), (kind, Framing::Sse));
        assert_eq!(codec.home(), Some("https://api.openai.com/v1"));
    }
}
