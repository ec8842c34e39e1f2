//! Tools of an HTTP interface: one for any request, and one for each operation of its OpenAPI document.

use std::sync::Arc;
use std::time::Duration;

use ::sources::Reason;
use ::sources::openapi::Operation;
use ::sources::rest::{Body, Rest, RestAnswer, RestBody, RestError, RestErrorKind, RestRequest};
use async_trait::async_trait;
use domain::{CallEffect, Hints, Preview, Problem, shortened};
use engine::ToolFailure;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tools::{CallContext, Kind, Media, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};
use url::Url;
use workspace::SourceConfig;

use super::approval::{Definition, ListedTool};
use super::mcp::unavailable;
use super::{Entry, Inner, failures, not_approved, rest};

/// The tool for any request.
pub const REQUEST: &str = "request";
/// The longest body that a person is shown before they decide, in characters; of a longer one it says what is left out.
const MAX_SHOWN_CHARS: usize = 200_000;

/// What a document's operations are listed as.
pub fn listed(operations: &[Operation]) -> Vec<ListedTool> {
    operations
        .iter()
        .map(|operation| {
            let hints = Hints {
                read_only: Some(operation.reads()),
                destructive: (operation.method == "DELETE").then_some(true),
                idempotent: None,
                open_world: Some(true),
            };
            let definition = Definition {
                title: Some(operation.title.clone()),
                description: operation.description.clone(),
                input: operation.schema.clone(),
                output: Some(json!({"method": operation.method, "path": operation.path})),
                hints,
            };
            ListedTool::made(&operation.name, definition)
        })
        .collect()
}

/// Tools of an approved interface.
pub async fn offered(
    inner: &Arc<Inner>,
    entry: &Entry,
) -> Result<(Vec<Arc<dyn Tool>>, Option<String>), Problem> {
    let config = &entry.config;
    let (plain, api) = rest::plain(config)?;
    let plain = Rest::new(plain);
    let made =
        |name: &str, title: String, description: String, parameters: Value, hints: Hints, operation| {
            let info = ToolInfo {
                name: tools::name_of(&config.slug, name),
                source: config.slug.clone(),
                tool: name.to_owned(),
                title,
                description,
                parameters,
                hints,
                trusted: entry.approval.believes(),
                deadline: Duration::from_secs(api.timeout_seconds + 5),
            };
            let (inner, plain) = (inner.clone(), plain.clone());
            Arc::new(RestTool { info, operation, plain, inner }) as Arc<dyn Tool>
        };
    let mut tools = vec![made(
        REQUEST,
        format!("Request to {}", config.name),
        format!(
            "Sends a request to {} ({}), below {}. Credentials are added by the program: never put any into it. {}",
            config.name, config.slug, api.base_url, config.description
        ),
        schema(),
        Hints { open_world: Some(true), ..Hints::default() },
        None,
    )];
    let Some(interface) = inner.interface(config).await? else { return Ok((tools, None)) };
    let listed = listed(&interface.operations);
    let mut changed = Vec::new();
    for (operation, listed) in interface.operations.into_iter().zip(&listed) {
        if !entry.approval.shipped && !entry.approval.of_tool(&listed.name, &listed.fingerprint).is_empty() {
            changed.push(listed.name.clone());
            continue;
        }
        let Definition { title, description, input, hints, .. } = listed.definition.clone();
        tools.push(made(&listed.name, title.unwrap_or_default(), description, input, hints, Some(operation)));
    }
    let note = (!changed.is_empty()).then(|| {
        format!(
            "source {}: {} tools of its OpenAPI document were not approved as they are and are left out",
            config.slug,
            changed.len()
        )
    });
    inner.with(&config.slug, |known| {
        known.listed = Some(listed);
        known.changed = changed.into_iter().collect();
    });
    Ok((tools, note))
}

/// The arguments of the tool for any request.
pub fn schema() -> Value {
    let texts = json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}});
    let described = |mut schema: Value, words: &str| {
        schema["description"] = json!(words);
        schema
    };
    let values = json!({"type": "object", "additionalProperties": {
        "anyOf": [{"type": ["string", "number", "boolean"]}, {"type": "array", "items": {"type": ["string", "number", "boolean"]}}]}});
    json!({
        "type": "object",
        "properties": {
            "method": {"type": "string", "enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
                "description": "The HTTP method."},
            "path": {"type": "string",
                "description": "The path below the base address, such as `items/42`. No host, no `..`."},
            "query": described(values, "Parameters of the address."),
            "headers": described(texts, "Further headers, where the interface needs some."),
            "body": {"description": "What is sent: any JSON value, or a text together with contentType."},
            "contentType": {"type": "string",
                "description": "The body's media type; without it application/json. With application/x-www-form-urlencoded the body is an object."}
        },
        "required": ["method", "path"],
        "additionalProperties": false
    })
}

struct RestTool {
    info: ToolInfo,
    operation: Option<Operation>,
    /// The interface without what it presents: for plans.
    plain: Rest,
    inner: Arc<Inner>,
}

impl RestTool {
    fn request(&self, arguments: &Value) -> Result<RestRequest, ToolError> {
        let made = match &self.operation {
            Some(operation) => operation.request(arguments),
            None => request_of(arguments),
        };
        made.map_err(|why| ToolError::new(Kind::Arguments, why.0))
    }
}

#[async_trait]
impl Tool for RestTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, _at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let request = self.request(arguments)?;
        let url = self.plain.target(&request).map_err(failure)?;
        let method = request.checked_method().map_err(|kind| failure(self.error(kind)))?.to_owned();
        let path = below(&self.plain.config().base, &url);
        let body = request.body.as_ref().map(|body| match body {
            Body::Json(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
            Body::Form(fields) => {
                fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("\n")
            }
            Body::Text { text, .. } => text.clone(),
        });
        let fixed = self.plain.config().headers.iter();
        Ok(PlannedOperation {
            intent: format!("{method} {path}"),
            effect: CallEffect::Request { method: method.clone(), path },
            preview: Preview::Request {
                method,
                url: url.to_string(),
                headers: shown_headers(&request, fixed.map(|(name, _)| name.as_str())),
                body: body.map(|body| shortened(&body, MAX_SHOWN_CHARS)),
            },
        })
    }

    async fn run(&self, arguments: &Value, _at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let entry = self.inner.entry(&self.info.source).await.map_err(|problem| unavailable(&problem))?;
        // What was planned for is what is asked: an address that was changed meanwhile is not.
        let (now, _) = rest::plain(&entry.config).map_err(|problem| unavailable(&problem))?;
        if now.base != self.plain.config().base || !entry.approval.is_given() {
            return Err(unavailable(&not_approved("its configuration has changed")));
        }
        let request = self.request(arguments)?;
        let answer = self.inner.ask(&entry.config, &request, &run.cancel).await?;
        Ok(outcome(&self.info.tool, &answer))
    }
}

impl RestTool {
    fn error(&self, kind: RestErrorKind) -> RestError {
        RestError { slug: self.info.source.clone(), kind }
    }
}

impl Inner {
    /// Asks an interface.
    pub async fn ask(
        &self,
        config: &SourceConfig,
        request: &RestRequest,
        cancel: &CancellationToken,
    ) -> Result<RestAnswer, ToolError> {
        self.used(&config.slug);
        let rest = self.rest(config).await.map_err(|problem| unavailable(&problem))?;
        self.noted(config, rest.send(request, cancel).await).map_err(failure)
    }

    /// Asks an interface for a stage.
    pub async fn asked(
        &self,
        config: &SourceConfig,
        request: &RestRequest,
        cancel: &CancellationToken,
    ) -> Result<RestAnswer, ToolFailure> {
        let rest = self.rest(config).await;
        let rest = rest.map_err(|problem| failures::lasting(failures::named(&config.slug, problem)))?;
        let answered = self.noted(config, rest.send(request, cancel).await);
        answered.map_err(|error| failures::of_interface(&error))
    }

    /// Asks an interface what it is to be tested with, where its configuration says so.
    pub async fn ask_for_test(&self, config: &SourceConfig) -> Result<(), ToolFailure> {
        let test = config.api.as_ref().and_then(|api| api.test_endpoint.clone());
        let Some(test) = test else { return Ok(()) };
        let request = RestRequest::new(test.method, test.path);
        self.asked(config, &request, &CancellationToken::new()).await.map(drop)
    }

    fn noted(
        &self,
        config: &SourceConfig,
        answered: Result<RestAnswer, RestError>,
    ) -> Result<RestAnswer, RestError> {
        self.with(&config.slug, |known| {
            known.problem = match &answered {
                Ok(_) => None,
                Err(error) if faulty(error) => Some(problem_of(error)),
                Err(_) => known.problem.take(),
            };
        });
        answered
    }
}

/// Whether a failure is one of the source rather than of a request.
fn faulty(error: &RestError) -> bool {
    match &error.kind {
        RestErrorKind::Status { status, .. } => matches!(status, 401 | 407 | 500..=599),
        RestErrorKind::Address(_)
        | RestErrorKind::Unreachable(_)
        | RestErrorKind::Network(_)
        | RestErrorKind::Credential(_)
        | RestErrorKind::Deadline(_) => true,
        RestErrorKind::Invalid(_)
        | RestErrorKind::Redirect { .. }
        | RestErrorKind::TooLarge { .. }
        | RestErrorKind::Cancelled => false,
    }
}

/// Why a request failed, as it is shown.
pub fn problem_of(error: &RestError) -> Problem {
    let code = match error.kind {
        RestErrorKind::Deadline(_) => domain::ErrorCode::Deadline,
        RestErrorKind::Cancelled => domain::ErrorCode::Cancelled,
        _ => domain::ErrorCode::Source,
    };
    let action = match &error.kind {
        RestErrorKind::Status { status: 401 | 403, .. } | RestErrorKind::Credential(_) => {
            "give its credential again on the Sources page"
        }
        RestErrorKind::Address(_) => "check its address; in a private network, set privateNetwork",
        _ => "check its address and test it on the Sources page",
    };
    let mut problem = Problem::new(code, error.kind.to_string()).with_action(action);
    problem.retryable = error.is_retryable();
    problem
}

pub fn failure(error: RestError) -> ToolError {
    let (kind, guidance) = match &error.kind {
        RestErrorKind::Invalid(_) => (Kind::Arguments, ""),
        RestErrorKind::Address(_) | RestErrorKind::Redirect { .. } => {
            (Kind::Refused, "ask for another path of this source")
        }
        RestErrorKind::Status { status: 404 | 410, .. } => (Kind::NotFound, "check the path"),
        RestErrorKind::Status { status: 401 | 403, .. } => {
            (Kind::Failed, "the credential is not accepted for this: tell the person; do not ask for a key")
        }
        RestErrorKind::Status { status: 400 | 409 | 422, .. } => {
            (Kind::Arguments, "read what it said, and change the request")
        }
        RestErrorKind::Status { status: 429 | 503, .. } => {
            (Kind::Failed, "wait as it asks, or go on without it")
        }
        RestErrorKind::Status { .. } | RestErrorKind::Unreachable(_) | RestErrorKind::Network(_) => {
            (Kind::Failed, "try once more, or go on without it")
        }
        RestErrorKind::TooLarge { .. } => (Kind::TooLarge, "ask for less: a page, a filter, single fields"),
        RestErrorKind::Deadline(_) => (Kind::Deadline, "ask for less, or go on without it"),
        RestErrorKind::Cancelled => (Kind::Cancelled, ""),
        RestErrorKind::Credential(_) => (Kind::Unavailable, "tell the person; do not ask for a key"),
    };
    ToolError::new(kind, error.kind.to_string()).with_guidance(guidance)
}

/// What a model reads of an answer.
pub fn outcome(tool: &str, answer: &RestAnswer) -> Outcome {
    let mut text = match &answer.body {
        RestBody::Empty => format!("status {}, no content", answer.status),
        RestBody::Json(value) => value.to_string(),
        RestBody::Text(text) => text.clone(),
        RestBody::Bytes(bytes) => format!("{} bytes of {}", bytes.len(), named(&answer.media_type)),
    };
    if let Some(next) = &answer.next {
        text.push_str(&format!("\n\nThe next page is at the path {next}"));
    }
    let mut outcome =
        Outcome::text(text, format!("status {}, {} bytes, {} ms", answer.status, answer.bytes, answer.ms));
    if let RestBody::Bytes(bytes) = &answer.body
        && (answer.media_type.starts_with("image/") || answer.media_type == "application/pdf")
    {
        let ending = answer.media_type.rsplit('/').next().unwrap_or_default();
        outcome.media.push(Media {
            media_type: answer.media_type.clone(),
            name: format!("{tool}.{ending}"),
            data: bytes.clone(),
        });
    }
    outcome
}

fn named(media_type: &str) -> &str {
    if media_type.is_empty() { "an unnamed type" } else { media_type }
}

/// A request out of the arguments of the tool for any request.
pub fn request_of(arguments: &Value) -> Result<RestRequest, Reason> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let method = text("method").ok_or("the argument method is missing")?;
    let path = text("path").ok_or("the argument path is missing")?;
    let mut request = RestRequest::new(method, path);
    request.query = pairs(arguments, "query")?;
    request.headers = pairs(arguments, "headers")?;
    let media_type = text("contentType").map(str::trim).filter(|kind| !kind.is_empty());
    let body = arguments.get("body").filter(|body| !body.is_null());
    request.body = match (body, media_type) {
        (None, _) => None,
        (Some(Value::Object(_)), Some(kind)) if kind.starts_with("application/x-www-form-urlencoded") => {
            Some(Body::Form(pairs(arguments, "body")?))
        }
        (Some(Value::String(text)), Some(kind)) => {
            Some(Body::Text { media_type: kind.to_owned(), text: text.clone() })
        }
        (Some(body), None) => Some(Body::Json(body.clone())),
        (Some(body), Some(kind))
            if kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json") =>
        {
            Some(Body::Json(body.clone()))
        }
        (Some(_), Some(kind)) => return Err(format!("a body of {kind} must be a text").into()),
    };
    Ok(request)
}

fn pairs(arguments: &Value, name: &str) -> Result<Vec<(String, String)>, Reason> {
    let empty = Map::new();
    let fields = match arguments.get(name) {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(format!("{name} must be an object").into()),
    };
    let mut pairs = Vec::new();
    for (field, value) in fields {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(value) => value.to_string(),
                Value::Null => continue,
                Value::Array(_) | Value::Object(_) => {
                    return Err(
                        format!("{field} in {name} must be a text, a number or a list of them").into()
                    );
                }
            };
            pairs.push((field.clone(), text));
        }
    }
    Ok(pairs)
}

/// The headers that are sent, a line each. What the source's configuration sets may be secret, so its value is left out.
fn shown_headers<'f>(request: &RestRequest, fixed: impl Iterator<Item = &'f str>) -> Vec<String> {
    let kind = match &request.body {
        Some(Body::Text { media_type, .. }) => Some(format!("Content-Type: {media_type}")),
        Some(Body::Json(_) | Body::Form(_)) | None => None,
    };
    let given = request.headers.iter().map(|(name, value)| format!("{name}: {value}"));
    let fixed = fixed.map(|name| format!("{name}: [set by the source's configuration]"));
    given.chain(kind).chain(fixed).collect()
}

/// The path below a source's address, without parameters.
fn below(base: &Url, url: &Url) -> String {
    url.path().strip_prefix(base.path()).unwrap_or(url.path()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_requests_and_odd_ones_are_told() {
        let request =
            request_of(&json!({"method": "POST", "path": "items", "query": {"all": true, "tag": ["a", 2]},
            "headers": {"If-Match": "1"}, "body": {"name": "x"}}))
            .unwrap();
        assert_eq!(
            request.query,
            [("all", "true"), ("tag", "a"), ("tag", "2")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(request.body, Some(Body::Json(json!({"name": "x"}))));
        for wrong in [
            json!({}),
            json!({"method": "GET"}),
            json!({"method": 1, "path": "x"}),
            json!({"method": "GET", "path": "x", "query": [1]}),
            json!({"method": "GET", "path": "x", "query": {"a": {"b": 1}}}),
            json!({"method": "POST", "path": "x", "body": {"a": 1}, "contentType": "text/xml"}),
        ] {
            assert!(request_of(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers_are_shown_as_they_are_sent_but_for_secret_ones() {
        let request =
            request_of(&json!({"method": "PUT", "path": "items/1", "headers": {"X-Override": "DELETE"},
            "body": "<a/>", "contentType": "text/xml"}))
            .unwrap();
        assert_eq!(
            shown_headers(&request, ["Authorization"].into_iter()),
            [
                "X-Override: DELETE",
                "Content-Type: text/xml",
                "Authorization: [set by the source's configuration]"
            ]
        );
    }
}
