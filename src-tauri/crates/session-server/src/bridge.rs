//! A server that passes on the tools of sources: `mcp bridge`.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use mcp_servers::{BridgeHost, OfferedTool, serve_bridge};
use protocol::{Client, SourceRow, SourceRowKind, SourceStatus, SourceView};
use serde_json::{Value, json};
use sources::strip_invisible;

use crate::{ClientHandle, DataAccess};

/// The tool that every `api` source has.
const REQUEST: &str = "request";

/// Passes on sources, by name or all of the type `api` that are switched on.
struct Bridge {
    reach: ClientHandle,
    named: Vec<String>,
}

/// Passes on the tools of sources over standard input and output, until the client leaves.
///
/// # Errors
/// `NotFound` for a named source that is not there, `InvalidInput` for a folder.
pub async fn bridge(access: Arc<dyn DataAccess>, named: Vec<String>) -> Result<(), Problem> {
    let bridge = Arc::new(Bridge { reach: ClientHandle::open(access).await?, named });
    let served = async {
        bridge.checked().await?;
        let failed = |error: mcp_servers::ServeError| Problem::new(ErrorCode::Source, error.to_string());
        serve_bridge(bridge.clone()).await.map_err(failed)
    };
    let served = served.await;
    bridge.reach.close().await?;
    served
}

impl Bridge {
    /// Whether the named sources are there: a misspelled name is told before anything is served.
    async fn checked(&self) -> Result<(), Problem> {
        for slug in &self.named {
            let row = self.view(slug).await?.source;
            if row.kind == SourceRowKind::Local {
                let why = format!("{slug} is a folder on this machine, and has no tools to pass on");
                return Err(Problem::new(ErrorCode::InvalidInput, why)
                    .with_action("name sources of the types api and mcp"));
            }
        }
        Ok(())
    }

    async fn view(&self, slug: &str) -> Result<SourceView, Problem> {
        self.reach.reading().source_show(slug.to_owned()).await
    }

    async fn slugs(&self) -> Result<Vec<String>, Problem> {
        if !self.named.is_empty() {
            return Ok(self.named.clone());
        }
        let rows = self.reach.reading().source_list().await?;
        Ok(rows.into_iter().filter(|row| row.kind == SourceRowKind::Api).map(|row| row.slug).collect())
    }
}

#[async_trait]
impl BridgeHost for Bridge {
    async fn tools(&self) -> Result<Vec<OfferedTool>, Problem> {
        let mut tools = Vec::new();
        for slug in self.slugs().await? {
            match self.view(&slug).await {
                Ok(view) => tools.extend(offered(view)),
                // It was removed since it was named.
                Err(problem) if problem.code == ErrorCode::NotFound => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(tools)
    }

    async fn call(&self, source: &str, tool: &str, arguments: Value) -> Result<String, Problem> {
        let client = self.reach.once().await?;
        let called = client.source_call(source.to_owned(), tool.to_owned(), arguments).await?;
        match called.ok {
            true => Ok(called.text),
            false => Err(called.problem.unwrap_or_else(|| {
                Problem::new(ErrorCode::Source, format!("{source} failed and did not say why"))
            })),
        }
    }
}

/// The tools of a source that were approved as they are.
fn offered(view: SourceView) -> Vec<OfferedTool> {
    let row = view.source;
    if !usable(&row) {
        return Vec::new();
    }
    let mut tools = Vec::new();
    if row.kind == SourceRowKind::Api {
        tools.push(request(&row));
    }
    let typed = view.tools.into_iter().filter(|tool| tool.approval.is_empty() && tool.name != REQUEST);
    tools.extend(typed.map(|tool| OfferedTool {
        name: tools::name_of(&row.slug, &tool.name),
        source: row.slug.clone(),
        description: strip_invisible(&tool.description),
        input: tool.input,
        read_only: tool.read_only,
        tool: tool.name,
    }));
    tools
}

/// Whether the source as a whole may be used. One whose secrets are missing is passed on: a call says what to do.
fn usable(row: &SourceRow) -> bool {
    match row.status {
        SourceStatus::Off | SourceStatus::Broken => false,
        // Tools that changed are left out one by one.
        SourceStatus::NeedsApproval => !row.changed_tools.is_empty(),
        SourceStatus::Ready
        | SourceStatus::Idle
        | SourceStatus::Starting
        | SourceStatus::Failed
        | SourceStatus::NeedsAuth => row.enabled,
    }
}

fn request(row: &SourceRow) -> OfferedTool {
    let values = json!({"type": "object", "additionalProperties": {
        "anyOf": [{"type": ["string", "number", "boolean"]}, {"type": "array"}]}});
    let described = |mut schema: Value, words: &str| {
        schema["description"] = json!(words);
        schema
    };
    let description = format!(
        "Sends an HTTP request to {}. Use it where no more precise tool of {} fits. What it needs to sign in is added \
         on the way: never put a key into it. {}",
        row.name, row.slug, row.description
    );
    OfferedTool {
        name: tools::name_of(&row.slug, REQUEST),
        source: row.slug.clone(),
        tool: REQUEST.to_owned(),
        description: strip_invisible(&description),
        input: json!({
            "type": "object",
            "properties": {
                "method": {"type": "string", "enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
                    "description": "The HTTP method."},
                "path": {"type": "string",
                    "description": "The path below the base address, such as `items/42`. No host, no `..`."},
                "query": described(values.clone(), "Parameters of the address."),
                "headers": described(values, "Further headers, where the interface needs some."),
                "body": {"description": "What is sent: any JSON value, or a text together with contentType."},
                "contentType": {"type": "string", "description": "The body's media type; without it application/json."}
            },
            "required": ["method", "path"],
            "additionalProperties": false
        }),
        read_only: false,
    }
}
