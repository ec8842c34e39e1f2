//! The client that the protocol's conformance suite drives: a source like any other, with a person who agrees to everything.
//!
//! Its last argument is the server's address; the suite tells the rest in `MCP_CONFORMANCE_CONTEXT`.

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sources::{
    Authorizer, CallLimits, Elicitation, ElicitationAnswer, Elicitor, MemoryStore, Oauth, Pool, Question,
    SignInFault, SignInPage, SourceConfig, SourceError, SourceErrorKind, Tool,
};
use url::Url;

/// The document that describes the suite's client.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";
const REDIRECT: &str = "http://localhost:3000/callback";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    #[serde(default)]
    tool_calls: Vec<Call>,
    #[serde(default, rename = "client_id")]
    client_id: Option<String>,
    #[serde(default, rename = "client_secret")]
    client_secret: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// Signs in without a browser: the suite's services send the person back at once.
#[derive(Debug)]
struct Headless;

struct Page;

#[async_trait]
impl Authorizer for Headless {
    async fn begin(&self) -> Result<Box<dyn SignInPage>, SignInFault> {
        Ok(Box::new(Page))
    }
}

#[async_trait]
impl SignInPage for Page {
    fn redirect_uri(&self) -> &str {
        REDIRECT
    }

    async fn visit(self: Box<Self>, url: &Url) -> Result<String, SignInFault> {
        let fault = |error: reqwest::Error| SignInFault(error.to_string());
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .tls_certs_only([])
            .build()
            .map_err(fault)?;
        let response = client.get(url.clone()).send().await.map_err(fault)?;
        let location = response.headers().get("location").and_then(|value| value.to_str().ok());
        location.map(str::to_owned).ok_or_else(|| SignInFault("nobody was sent back".into()))
    }
}

/// Accepts every form with the values that it proposes.
#[derive(Debug)]
struct Agreeable;

#[async_trait]
impl Elicitor for Agreeable {
    async fn ask(&self, question: Elicitation) -> ElicitationAnswer {
        let Question::Form { schema } = question.wanted else {
            return ElicitationAnswer::Accept(json!({}));
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let defaults: Map<String, Value> = properties
            .into_iter()
            .flatten()
            .filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone())))
            .collect();
        ElicitationAnswer::Accept(Value::Object(defaults))
    }
}

fn main() -> ExitCode {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(url) = std::env::args().next_back() else {
        return ExitCode::from(2);
    };
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").ok();
    let context: Context = context.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::from(2);
    };
    match runtime.block_on(exercise(&url, context)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn exercise(url: &str, context: Context) -> Result<(), SourceError> {
    let mut oauth = Oauth::new(Arc::new(MemoryStore::default())).with_authorizer(Arc::new(Headless));
    oauth.client_metadata_url = Some(CLIENT_METADATA.into());
    oauth.client_id = context.client_id;
    oauth.client_secret = context.client_secret.map(Into::into);
    let mut config = SourceConfig::http("conformance", url);
    config.elicitor = Some(Arc::new(Agreeable));
    if let Some(server) = &mut config.http {
        server.oauth = Some(oauth);
    }
    let pool = Pool::new(None, None);
    let worked = work(&pool, config, context.tool_calls).await;
    pool.shutdown().await;
    worked
}

async fn work(pool: &Pool, config: SourceConfig, calls: Vec<Call>) -> Result<(), SourceError> {
    let limits = config.call_limits();
    let source = pool.get(config).await?;
    let tools = source.tools();
    let calls = if calls.is_empty() {
        tools.values().map(|tool| Call { name: tool.name.clone(), arguments: arguments_for(tool) }).collect()
    } else {
        calls
    };
    for call in calls {
        let limits = CallLimits { ..limits.clone() };
        match source.call(&call.name, call.arguments, limits).await {
            Ok(outcome) => eprintln!("{}: {}", call.name, outcome.value),
            // A tool that fails, and a server that is never content with a sign-in, are among the scenarios.
            Err(error) => match error.kind {
                SourceErrorKind::Tool { .. }
                | SourceErrorKind::Refused { .. }
                | SourceErrorKind::SignIn { .. } => {
                    eprintln!("{error}");
                }
                _ => return Err(error),
            },
        }
    }
    Ok(())
}

/// A value of the right type for each argument that a tool needs.
fn arguments_for(tool: &Tool) -> Value {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let value = |name: &str| match tool.input_schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some(_) | None => json!("test"),
    };
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    Value::Object(names.map(|name| (name.to_owned(), value(name))).collect())
}
