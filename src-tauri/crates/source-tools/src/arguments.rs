//! Arguments of calls of sources' tools, read by the schemas that were approved. Permission is decided on what is sent.

use std::sync::Arc;

use serde_json::Value;
use tool_arguments::Naming;
use workspace::SourceType;

use super::{Entry, Inner, folder_of, rest_tool};

impl Inner {
    /// A call's arguments as its tool's schema means them; as they are where no schema is known. Asks no source.
    pub async fn arguments(self: &Arc<Self>, entry: &Entry, tool: &str, given: Value) -> Value {
        match self.schema(entry, tool).await {
            Some(schema) => tool_arguments::read(&schema, Naming::Foreign, given).value,
            None => given,
        }
    }

    async fn schema(self: &Arc<Self>, entry: &Entry, tool: &str) -> Option<Value> {
        let input = |listed: Vec<super::approval::ListedTool>| {
            listed.into_iter().find(|listed| listed.name == tool).map(|listed| listed.definition.input)
        };
        match entry.config.kind {
            SourceType::Mcp => input(entry.approval.tools()),
            SourceType::Api if tool == rest_tool::REQUEST => Some(rest_tool::schema()),
            SourceType::Api => {
                let interface = self.interface(&entry.config).await.ok()??;
                input(rest_tool::listed(&interface.operations))
            }
            SourceType::Local => {
                let offered =
                    tools::of_folder(&entry.config.slug, folder_of(&entry.config).ok()?, true, None);
                let found = offered.into_iter().find(|offered| offered.info().tool == tool);
                found.map(|found| found.info().parameters.clone())
            }
        }
    }
}
