//! The checks of long documents as MCP tools. Each call is answered from its arguments alone.

use std::sync::Arc;

use manuscript::{CheckName, CheckReport, ExitCode};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Semaphore;

use crate::knowledge_server::ServeError;
use crate::knowledge_server::table::{object, output};
use crate::server;

/// Checks carried out at the same time; others wait.
const AT_ONCE: usize = 4;
/// The most findings of each kind that an answer names.
const MAX_FAULTS: usize = 500;

/// The server.
#[derive(Debug, Clone)]
struct ManuscriptServer {
    places: Arc<Semaphore>,
}

/// Serves the tools on this process's standard streams until the client goes away.
///
/// # Errors
/// When the client and the server do not come to terms.
pub async fn serve_manuscript() -> Result<(), ServeError> {
    let server = ManuscriptServer { places: Arc::new(Semaphore::new(AT_ONCE)) };
    server::until_gone(server, rmcp::transport::io::stdio_pipes()).await
}

/// A check as clients are shown it.
fn tool(check: CheckName) -> Tool {
    let title = check.as_str().replace('_', " ");
    let annotations =
        ToolAnnotations::with_title(title.as_str()).read_only(true).idempotent(true).open_world(false);
    Tool::new(check.as_str(), check.description(), Arc::new(object(check.input_schema())))
        .with_title(title)
        .with_annotations(annotations)
        .with_raw_output_schema(Arc::new(output::<CheckReport>()))
}

impl ServerHandler for ManuscriptServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("agentnative-manuscript", env!("CARGO_PKG_VERSION")));
        info.instructions = Some(
            "Checks of long documents: parts, footnotes, references, registers, totals, scores. Each answer has `exit_code`: \
             0 nothing blocks, 1 something blocks, 2 the input was refused. `left_out` counts findings that are not named."
                .into(),
        );
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(server::listed(CheckName::ALL.iter().copied().map(tool).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        name.parse().ok().map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Ok(check) = request.name.parse::<CheckName>() else {
            let name: String = request.name.chars().take(200).collect();
            return Err(ErrorData::invalid_params(format!("there is no tool '{name}'"), None));
        };
        let arguments = server::arguments(&tool(check), request.arguments);
        let carried_out = async {
            // The semaphore is never closed; a place that could not be had would only mean less order.
            let _place = self.places.acquire().await.ok();
            tokio::task::spawn_blocking(move || manuscript::run(check, &arguments)).await
        };
        let report = tokio::select! {
            report = carried_out => report,
            () = context.ct.cancelled() => return Ok(server::refused("cancelled").into()),
        };
        let mut report = report.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let faults = report.blocking.len() + report.warnings.len();
        report.blocking.truncate(MAX_FAULTS);
        report.warnings.truncate(MAX_FAULTS);
        let left_out = faults - report.blocking.len() - report.warnings.len();
        let mut value = serde_json::to_value(&report)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        if left_out > 0 {
            value["left_out"] = left_out.into();
        }
        Ok(match report.exit_code {
            ExitCode::Pass | ExitCode::Findings => CallToolResult::structured(value).into(),
            ExitCode::Error => CallToolResult::structured_error(value).into(),
        })
    }
}
