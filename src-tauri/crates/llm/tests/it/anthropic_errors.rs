//! Anthropic Messages: credentials, failures, the list and the table of models.

use domain::agent::Effort;
use llm::wire::anthropic::Anthropic;
use llm::wire::{AuthScheme, Codec as _, Refusal};
use llm::{Detail, Fault, Prices, ProviderError, Retry, ThinkingStyle};
use pretty_assertions::assert_eq;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;
use serde_json::{Value, json};

fn refused(status: u16, headers: &[(&'static str, &str)], body: &str) -> ProviderError {
    let headers: HeaderMap = headers
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
        .collect();
    Anthropic.refusal(Refusal { status, headers: &headers, body })
}

fn told(status: u16, kind: &str, message: &str) -> ProviderError {
    let body =
        json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" });
    refused(status, &[], &body.to_string())
}

#[test]
fn a_secret_goes_into_one_header() {
    let secret = SecretString::from(" sk-ant-api03-x\n");
    let shown = |bearing: AuthScheme| -> Vec<(String, String, bool)> {
        let headers = Anthropic.credential(&secret, bearing).unwrap();
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        headers.iter().map(|(name, value)| (name.to_string(), text(value), value.is_sensitive())).collect()
    };
    let header = |name: &str, value: &str, secret: bool| (name.to_owned(), value.to_owned(), secret);
    assert_eq!(shown(AuthScheme::Key), [header("x-api-key", "sk-ant-api03-x", true)]);
    assert_eq!(shown(AuthScheme::Bearer), [header("authorization", "Bearer sk-ant-api03-x", true)]);
    let beta = header("anthropic-beta", "oauth-2025-04-20", false);
    assert_eq!(shown(AuthScheme::Oauth), [header("authorization", "Bearer sk-ant-api03-x", true), beta]);
    let error = Anthropic.credential(&SecretString::from("a\nb"), AuthScheme::Key).unwrap_err();
    assert_eq!(error.fault, Fault::Auth);
    assert!(!error.message.contains("a\nb"));
}

#[test]
fn each_kind_of_error_is_its_fault() {
    let limit = |retry_after_ms| Fault::RateLimit { retry_after_ms };
    let busy = Fault::Overloaded { retry_after_ms: None };
    for (status, kind, message, fault, detail) in [
        (400, "invalid_request_error", "max_tokens: Field required", Fault::BadRequest, None),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 210000 tokens > 200000 maximum",
            Fault::ContextTooLong,
            None,
        ),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit",
            Fault::ContextTooLong,
            None,
        ),
        (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the API",
            Fault::Quota,
            None,
        ),
        (
            400,
            "invalid_request_error",
            "You have reached your specified API usage limits.",
            Fault::Quota,
            Some(Detail::SpendLimit),
        ),
        (401, "authentication_error", "invalid x-api-key", Fault::Auth, None),
        (402, "billing_error", "m", Fault::Quota, None),
        (403, "permission_error", "m", Fault::Permission, None),
        (404, "not_found_error", "model: claude-nope", Fault::BadRequest, Some(Detail::ModelUnknown)),
        (404, "not_found_error", "Not Found", Fault::BadRequest, None),
        (409, "conflict_error", "m", busy, None),
        (413, "request_too_large", "m", Fault::ContextTooLong, None),
        (429, "rate_limit_error", "m", limit(None), None),
        (500, "api_error", "m", busy, None),
        (504, "timeout_error", "m", Fault::Timeout, None),
        (529, "overloaded_error", "m", busy, None),
        (418, "tea_error", "m", Fault::BadRequest, None),
        (503, "odd_error", "m", busy, None),
    ] {
        let error = told(status, kind, message);
        assert_eq!((error.fault, error.detail), (fault, detail), "{status} {kind}");
        assert_eq!(error.message, format!("{message} (request req_1)"));
    }
}

#[test]
fn a_limit_of_spending_is_no_limit_of_a_rate() {
    for (code, spent) in [
        ("enforced_spend_limit_reached", true),
        ("contract_spend_limit_reached", true),
        ("ramp_limit_exceeded", false),
    ] {
        let error = json!({ "type": "rate_limit_error", "message": "m", "details": { "error_code": code } });
        let error =
            refused(429, &[("retry-after", "3")], &json!({ "type": "error", "error": error }).to_string());
        match spent {
            true => assert_eq!((error.fault, error.detail), (Fault::Quota, Some(Detail::SpendLimit))),
            false => assert_eq!(error.fault, Fault::RateLimit { retry_after_ms: Some(3_000) }),
        }
        assert_eq!(error.retry() == Retry::Never, spent);
    }
}

#[test]
fn the_providers_word_on_trying_again_counts() {
    let body = |kind: &str| json!({ "type": "error", "error": { "type": kind, "message": "m" } }).to_string();
    let error =
        refused(529, &[("retry-after-ms", "1500"), ("request-id", "req_7")], &body("overloaded_error"));
    assert_eq!(error.fault, Fault::Overloaded { retry_after_ms: Some(1_500) });
    assert_eq!(error.message, "m (request req_7)");
    let no = |status: u16, kind: &str| refused(status, &[("x-should-retry", "false")], &body(kind));
    assert_eq!(no(429, "rate_limit_error").fault, Fault::Quota);
    assert_eq!(no(500, "api_error").retry(), Retry::Never);
    assert_eq!(no(401, "authentication_error").fault, Fault::Auth);
    let yes = [("x-should-retry", "true"), ("retry-after", "2")];
    let error = refused(400, &yes, &body("invalid_request_error"));
    assert_eq!(error.fault, Fault::Overloaded { retry_after_ms: Some(2_000) });
}

#[test]
fn bodies_of_others_are_told_in_words() {
    let page = "<html><head><title>413</title></head><body>Request Entity Too Large</body></html>";
    let error = refused(413, &[("x-request-id", "no")], page);
    assert_eq!(error.fault, Fault::ContextTooLong);
    assert_eq!(error.message, "the answer has status 413: 413Request Entity Too Large");
    assert_eq!(refused(502, &[], "").message, "the answer has status 502 and no error that can be read");
    assert_eq!(
        refused(500, &[], "{\"error\":{").message,
        "the answer has status 500 and no error that can be read"
    );
    assert_eq!(
        refused(503, &[], "upstream  is\ndown").message,
        "the answer has status 503: upstream is down"
    );
    assert_eq!(refused(401, &[], r#"{"error":"no key"}"#).message, "no key");
    assert_eq!(refused(401, &[], r#"{"message":"no key"}"#).message, "no key");
    assert_eq!(refused(404, &[], "<h1>Not Found</h1> no such model").detail, Some(Detail::WrongProtocol));
    assert_eq!(refused(302, &[], "").detail, Some(Detail::Redirect));
    assert_eq!(refused(204, &[], "").fault, Fault::Malformed);
    assert!(refused(500, &[], &"é".repeat(100_000)).message.len() <= 2_000);
}

#[test]
fn no_error_repeats_a_key() {
    let error = told(401, "authentication_error", "bad key sk-ant-api03-AB_c-9, and sk-ant-oat01-zz.");
    assert_eq!(error.message, "bad key sk-ant-…, and sk-ant-…. (request req_1)");
}

#[test]
fn the_list_of_models_counts_before_the_table() {
    let list = Anthropic.list().unwrap();
    assert_eq!((list.path.as_str(), list.body), ("v1/models", None));
    assert_eq!(list.query, [("limit", "1000".to_owned())]);
    let can = |can: bool| json!({ "supported": can });
    let body = json!({ "data": [
        { "id": "claude-haiku-5-5", "max_input_tokens": 900_000, "max_tokens": 100_000, "lifecycle": "active",
            "capabilities": {
                "effort": { "supported": true, "low": can(true), "medium": can(true), "high": can(false),
                    "xhigh": can(true), "max": can(false) },
                "image_input": can(false), "pdf_input": can(true), "structured_outputs": can(false),
                "thinking": { "supported": true, "types": { "adaptive": can(false), "enabled": can(true),
                    "disabled": can(false), "between_tools": can(false) } } } },
        { "id": "claude-opus-4-5-20251101", "display_name": "Opus" },
        { "id": "claude-opus-7", "line": "opus", "max_input_tokens": 2_000_000, "max_tokens": 200_000,
            "capabilities": { "effort": can(false), "image_input": can(true), "structured_outputs": can(true),
                "thinking": { "supported": true, "types": { "adaptive": can(true) } } } },
        { "id": "claude-new-1", "line": "new", "capabilities": { "thinking": can(false) } },
        { "id": "claude-opus-3", "lifecycle": "retired" },
        { "display_name": "no id" },
        "no object"
    ], "has_more": false });
    let models = Anthropic.listed(&body);
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["claude-haiku-5-5", "claude-opus-4-5-20251101", "claude-opus-7", "claude-new-1"]);
    let haiku = &models[0];
    assert_eq!((haiku.context_window, haiku.max_output, haiku.structured), (900_000, 100_000, false));
    assert_eq!((haiku.abilities.images, haiku.abilities.documents), (false, true));
    assert_eq!(haiku.abilities.thinking, ThinkingStyle::Budget);
    assert!(!haiku.abilities.thinking_off && haiku.abilities.forced_tools);
    assert_eq!(haiku.abilities.efforts, [Effort::Low, Effort::Medium]);
    let table = Prices::embedded();
    assert_eq!(haiku.price, table.model("claude-haiku-5-5").unwrap().price);
    let dated = llm::ModelInfo { id: ids[1].to_owned(), ..table.model("claude-opus-4-5").unwrap().clone() };
    assert_eq!(models[1], dated);
    let newer = &models[2];
    assert_eq!((newer.context_window, newer.max_output), (2_000_000, 200_000));
    assert_eq!((newer.abilities.thinking, newer.abilities.efforts.len()), (ThinkingStyle::Adaptive, 0));
    assert!(newer.structured && newer.thinking && newer.abilities.images && !newer.abilities.forced_tools);
    assert_eq!(
        (newer.price.input, newer.price.output, newer.price.cache_write_long),
        (5.0, 25.0, Some(10.0))
    );
    let unknown = &models[3];
    assert_eq!((unknown.price.input, unknown.price.output, unknown.price.cache_read), (10.0, 50.0, 1.0));
    assert!(!unknown.thinking);
    for odd in [Value::Null, json!([]), json!({ "data": {} })] {
        assert_eq!(Anthropic.listed(&odd), []);
    }
}

#[test]
fn the_table_knows_every_current_model_in_full() {
    let table = Prices::embedded();
    let models: Vec<_> = table.models.iter().filter(|model| model.provider == "anthropic").collect();
    assert_eq!(models.len(), 17);
    for model in models {
        let (price, abilities) = (&model.price, &model.abilities);
        assert_eq!(price.cache_write, price.input * 1.25, "{}", model.id);
        assert_eq!(price.cache_write_long, Some(price.input * 2.0), "{}", model.id);
        assert!(price.cache_read < price.input && price.output == price.input * 5.0, "{}", model.id);
        assert!(abilities.images && abilities.documents && abilities.tools, "{}", model.id);
        assert!(
            matches!(abilities.thinking, ThinkingStyle::Adaptive | ThinkingStyle::Budget),
            "{}",
            model.id
        );
        let old = model.id.ends_with("-4-5");
        assert_eq!(
            (model.context_window, model.max_output),
            if old { (200_000, 64_000) } else { (1_000_000, 128_000) }
        );
        let known = table.model(&format!("{}-20261020", model.id)).unwrap();
        assert_eq!(known, model);
    }
}
