//! What calls of sources' tools would do, for the gate. Nothing is started or asked for that.

use domain::{AccessRequest, CallEffect, Hints, Problem};
use serde_json::Value;
use workspace::SourceType;

use super::failures::named;
use super::{Entry, SourceTools, folder_of, rest_tool};

impl SourceTools {
    /// What a call would do, as far as is known before it is made.
    ///
    /// # Errors
    /// The source is unknown, switched off or unreadable.
    pub async fn claim(&self, slug: &str, tool: &str, arguments: &Value) -> Result<AccessRequest, Problem> {
        let entry = self.inner.entry(slug).await.map_err(|problem| named(slug, problem))?;
        let arguments = &self.inner.arguments(&entry, tool, arguments.clone()).await;
        let effect = match entry.config.kind {
            SourceType::Mcp => CallEffect::Tool,
            SourceType::Api if tool == rest_tool::REQUEST => {
                // Arguments that make no request fail where it is made.
                rest_tool::request_of(arguments).map_or(CallEffect::Tool, |request| request_deed(&request))
            }
            SourceType::Api => {
                let operations = self.inner.operations(&entry).await.unwrap_or_default();
                let request = operations.get(tool).and_then(|operation| operation.request(arguments).ok());
                request.map_or(CallEffect::Tool, |request| request_deed(&request))
            }
            SourceType::Local => self.deed_in_folder(&entry, tool, arguments).await,
        };
        Ok(claim_of(&entry, tool, effect, arguments.clone()))
    }

    /// What any call of a tool would do, before its arguments are known.
    ///
    /// # Errors
    /// As [`claim`](Self::claim).
    pub async fn claim_of_tool(&self, slug: &str, tool: &str) -> Result<AccessRequest, Problem> {
        let entry = self.inner.entry(slug).await.map_err(|problem| named(slug, problem))?;
        let effect = match entry.config.kind {
            SourceType::Api => {
                let operations = self.inner.operations(&entry).await.unwrap_or_default();
                operations.get(tool).map_or(CallEffect::Tool, |operation| CallEffect::Request {
                    method: operation.method.clone(),
                    path: operation.path.replace(['{', '}'], ""),
                })
            }
            SourceType::Mcp | SourceType::Local => CallEffect::Tool,
        };
        Ok(claim_of(&entry, tool, effect, Value::Null))
    }

    async fn deed_in_folder(&self, entry: &Entry, tool: &str, arguments: &Value) -> CallEffect {
        let slug = &entry.config.slug;
        let Ok(folder) = folder_of(&entry.config) else { return CallEffect::Tool };
        let offered = tools::of_folder(slug, folder, true, Some(self.inner.hidden()));
        let Some(found) = offered.iter().find(|offered| offered.info().tool == tool) else {
            return CallEffect::Tool;
        };
        found
            .plan(arguments, &self.inner.call_context(slug))
            .await
            .map_or(CallEffect::Tool, |planned| planned.effect)
    }
}

fn request_deed(request: &::sources::rest::RestRequest) -> CallEffect {
    CallEffect::Request { method: request.method.clone(), path: request.path.clone() }
}

fn claim_of(entry: &Entry, tool: &str, effect: CallEffect, arguments: Value) -> AccessRequest {
    let reads = Hints { read_only: Some(true), ..Hints::default() };
    let hints = match entry.config.kind {
        // What comes with the program is known to read only, as folders are.
        SourceType::Local => reads,
        SourceType::Mcp if entry.approval.shipped => reads,
        SourceType::Mcp => {
            let listed = entry.approval.tools().into_iter().find(|listed| listed.name == tool);
            listed.map(|listed| listed.definition.hints).unwrap_or_default()
        }
        SourceType::Api => Hints::default(),
    };
    AccessRequest {
        source: entry.config.slug.clone(),
        tool: tool.to_owned(),
        effect,
        hints,
        trusted: entry.approval.believes(),
        arguments,
    }
}
