//! The server that the protocol's conformance suite examines: the tools, prompts and resources that it expects, on the
//! transport and within the limits of every server of ours.
//!
//! Its first argument is the port. The suite can't send a token, so one is added before the door.
#![allow(clippy::unwrap_used, deprecated)]

mod asking;
mod content;
mod tools;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::AUTHORIZATION;
use axum::middleware;
use mcp_servers::{HttpServer, Sessions};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, GetPromptRequestParams,
    GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const TOKEN: &str = "added-before-the-door";

/// The suite's server. All that it keeps between requests are subscriptions and the key of its states.
#[derive(Clone)]
struct Examined {
    seal: Arc<RandomState>,
    sinks: Arc<Mutex<BTreeMap<u64, SubscriptionSink>>>,
    next: Arc<AtomicU64>,
}

/// Data as a type of the SDK.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A list that may be kept for a minute.
fn cached<T: DeserializeOwned>(mut list: Value) -> Result<T, ErrorData> {
    // Older clients pass over what is new.
    list["ttlMs"] = json!(60_000);
    list["cacheScope"] = json!("public");
    list["resultType"] = json!("complete");
    typed(list)
}

impl Examined {
    /// A state that can't be made elsewhere.
    fn sealed(&self, state: &str) -> String {
        format!("{state}.{:016x}", self.seal.hash_one(state))
    }

    /// The state in a sealed one.
    fn opened(&self, sealed: &str) -> Result<String, ErrorData> {
        let state = sealed.rsplit_once('.').map(|(state, _)| state).unwrap_or_default();
        if self.sealed(state) == sealed {
            Ok(state.to_owned())
        } else {
            Err(ErrorData::invalid_params("the state is not one that was given out", None))
        }
    }

    fn sinks(&self) -> Vec<SubscriptionSink> {
        self.sinks.lock().values().cloned().collect()
    }
}

impl ServerHandler for Examined {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_logging()
                .enable_completions()
                .enable_prompts()
                .enable_prompts_list_changed()
                .enable_resources()
                .enable_resources_subscribe()
                .enable_tools()
                .enable_tool_list_changed()
                .build(),
        )
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().ok()?.tools.into_iter().find(|tool| tool.name == name)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.sinks.lock().insert(number, context.sink().clone());
        context.cancelled().await;
        self.sinks.lock().remove(&number);
        Ok(())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        tools::list()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(answer) = asking::call(self, &request, &context)? {
            return Ok(answer);
        }
        tools::call(self, &request, &context).await.map(CallToolResponse::Complete)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        cached(content::resources())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        cached(content::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(contents) = content::read(&request.uri) else {
            let data = json!({"uri": request.uri});
            return Err(ErrorData::resource_not_found("there is no such resource", Some(data)));
        };
        Ok(ReadResourceResponse::Complete(cached(json!({"contents": [contents]}))?))
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        cached(content::prompts())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(asked) = asking::prompt(&request)? {
            return Ok(asked);
        }
        let arguments = request.arguments.map(Value::Object).unwrap_or_default();
        match content::prompt(&request.name, &arguments) {
            Some(prompt) => Ok(GetPromptResponse::Complete(typed(prompt)?)),
            None => Err(ErrorData::invalid_params("there is no such prompt", None)),
        }
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        typed(
            json!({"resultType": "complete", "completion": {"values": ["one", "two"], "total": 2, "hasMore": false}}),
        )
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}

fn main() -> ExitCode {
    let Some(port) = std::env::args().nth(1).and_then(|port| port.parse().ok()) else {
        eprintln!("give a port");
        return ExitCode::from(2);
    };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::from(2);
    };
    runtime.block_on(async {
        let examined =
            Examined { seal: Arc::new(RandomState::new()), sinks: Arc::default(), next: Arc::default() };
        let server = match HttpServer::start_with(examined, port, TOKEN.into(), Sessions::Kept).await {
            Ok(server) => server.behind(|router| router.layer(middleware::map_request(with_token))),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        };
        println!("{}", server.address());
        // It ends with its caller, who closes its input.
        let stop = async {
            let mut rest = Vec::new();
            let _ = tokio::io::AsyncReadExt::read_to_end(&mut tokio::io::stdin(), &mut rest).await;
        };
        tokio::select! {
            served = server.run(std::future::pending()) => match served {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            },
            () = stop => ExitCode::SUCCESS,
        }
    })
}

async fn with_token(mut request: Request) -> Request {
    if let Ok(value) = HeaderValue::from_str(&format!("Bearer {TOKEN}")) {
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    request
}
