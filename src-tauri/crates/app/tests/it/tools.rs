//! The knowledge server inside of the test's process, over a real MCP connection.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use engine::{HostFactory, Pinned, ToolFailure, ToolHost};
use mcp_servers::{KnowledgeServerOptions, serve_knowledge_on};
use rmcp::model::{CallToolRequestParams, ClientConfig};
use rmcp::service::RunningService;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

pub struct Hosts(pub PathBuf);

struct Host {
    options: KnowledgeServerOptions,
    client: OnceCell<RunningService<RoleClient, ClientConfig>>,
}

impl HostFactory for Hosts {
    fn host(&self, pinned: &Pinned) -> Arc<dyn ToolHost> {
        let corpus = pinned.corpus.clone().expect("the agent reads a base");
        let options = KnowledgeServerOptions {
            home: self.0.clone(),
            workspace: String::new(),
            default_base: corpus.base.clone(),
            beside: Vec::new(),
            allowed: Vec::new(),
            pins: BTreeMap::from([(corpus.base, corpus.generation)]),
            web: None,
            meaning: None,
        };
        Arc::new(Host { options, client: OnceCell::new() })
    }
}

#[async_trait]
impl ToolHost for Host {
    async fn prepare(&self, _slugs: &[String]) -> BTreeMap<String, Problem> {
        BTreeMap::new()
    }

    async fn call(
        &self,
        _source: &str,
        tool: &str,
        args: Value,
        _deadline: Duration,
        _cancel: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let connect = || async {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            tokio::spawn(serve_knowledge_on(self.options.clone(), ours));
            ClientConfig::default()
                .serve_with_lifecycle(theirs, ClientLifecycleMode::Initialize)
                .await
                .unwrap()
        };
        let client = self.client.get_or_init(connect).await;
        let arguments = args.as_object().cloned().unwrap_or_default();
        let asked = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let answer = client.call_tool(asked).await;
        let failed = |message: String| ToolFailure {
            problem: Problem::new(ErrorCode::Source, message),
            retryable: false,
            unsure: false,
        };
        let answer = answer.map_err(|error| failed(error.to_string()))?;
        match answer.structured_content {
            Some(value) if answer.is_error != Some(true) => Ok(value),
            _ => Err(failed(format!("{:?}", answer.content))),
        }
    }

    async fn close(&self) {}
}
