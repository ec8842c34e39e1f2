//! What servers have in common.

use domain::Problem;
use rmcp::model::{CacheScope, CallToolResult, ContentBlock, JsonObject, ListToolsResult, Tool};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tool_arguments::Naming;

use crate::knowledge_server::ServeError;

/// The tools of a running server do not change.
const TOOLS_FRESH_MS: u64 = 3_600_000;

/// Serves until the client goes away.
pub(crate) async fn until_gone<S, T, E, A>(server: S, transport: T) -> Result<(), ServeError>
where
    S: ServerHandler,
    T: rmcp::transport::IntoTransport<RoleServer, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    // One type for all servers: the loop that serves them is compiled once.
    match server.into_dyn().serve(transport).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // A client that closes before it says anything wants nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(Box::new(error).into()),
    }
}

/// The tools of a server, as a client may keep them.
pub(crate) fn listed(tools: Vec<Tool>) -> ListToolsResult {
    let mut listed = ListToolsResult::with_all_items(tools);
    listed.ttl_ms = Some(TOOLS_FRESH_MS);
    listed.cache_scope = Some(CacheScope::Public);
    listed
}

/// The arguments of a call as its tool's schema means them.
pub(crate) fn arguments(tool: &Tool, given: Option<JsonObject>) -> Value {
    let schema = Value::Object(tool.input_schema.as_ref().clone());
    tool_arguments::read(&schema, Naming::Foreign, Value::Object(given.unwrap_or_default())).value
}

/// A result that says why there is none.
pub(crate) fn refused(why: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.into())])
}

/// The same for a problem, with what can be done.
pub(crate) fn failed(problem: &Problem) -> CallToolResult {
    refused(words(problem))
}

/// A problem as a model reads it.
pub(crate) fn words(problem: &Problem) -> String {
    let mut words = problem.message.clone();
    if let Some(action) = &problem.action {
        words.push_str("\nWhat can be done: ");
        words.push_str(action);
    }
    if problem.retryable {
        words.push_str("\nThe same call may succeed later.");
    }
    words
}

/// A text within a bound in bytes; that it was cut is said.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    let whole = text.len();
    if whole > most {
        text.truncate(text.floor_char_boundary(most));
        text.push_str(&format!("\n[cut: {} of {whole} bytes are shown; ask for less at once]", text.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_text_is_cut_between_characters_and_says_so() {
        assert_eq!(cut("é".repeat(3), 6), "ééé");
        let text = cut("é".repeat(10), 7);
        assert!(text.starts_with("ééé\n[cut: 6 of 20 bytes"), "{text}");
    }
}
