//! `mcp`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::bases::Meanings;
use app::{AnyClient, Instance, Token, corpus};
use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use knowledge::Base;
use mcp_servers::{HttpServer, KnowledgeServerOptions, Meaning};
use session_server::{DataAccess, ModelUse};
use tokio::runtime::Handle;

use super::SHIPPED;
use super::args::McpCommand;
use crate::outcome::Outcome;
use crate::run;

/// Questions as vectors; where a model can't be used the search goes by words.
struct Vectors(Meanings);

impl Meaning for Vectors {
    fn vector(&self, base: &Base, question: &str) -> Option<Vec<f32>> {
        self.0.vector(base, question).unwrap_or_else(|problem| {
            tracing::warn!("a search goes by words: {}", problem.message);
            None
        })
    }
}

/// The data directory as this program opens it.
struct Data(PathBuf);

fn data(home: &Path) -> Arc<Data> {
    Arc::new(Data(home.to_owned()))
}

#[async_trait]
impl DataAccess for Data {
    async fn open(&self) -> Result<(AnyClient, Option<Instance>), Problem> {
        run::open(&self.0).await
    }

    async fn close(&self, client: AnyClient, instance: Option<Instance>) -> Result<(), Problem> {
        run::close(client, instance).await
    }

    fn home(&self) -> &Path {
        &self.0
    }

    fn workspace(&self) -> Option<String> {
        crate::home::workspace()
    }
}

/// `mcp`.
pub async fn mcp(home: &Path, command: McpCommand) -> Result<Outcome, Problem> {
    match command {
        McpCommand::Manuscript => match mcp_servers::serve_manuscript().await {
            Ok(()) => Ok(Outcome::Done),
            Err(error) => Err(Problem::new(ErrorCode::Source, error.to_string())),
        },
        McpCommand::Web { policy } => crate::web::serve(home, policy).await,
        McpCommand::Bridge { sources } => {
            session_server::bridge(data(home), sources).await.map(|()| Outcome::Done)
        }
        McpCommand::SessionTools { session, allow_model, model_budget } => {
            let models = if allow_model { ModelUse::Within(model_budget) } else { ModelUse::None };
            session_server::session_tools(data(home), session, models).await.map(|()| Outcome::Done)
        }
        McpCommand::Knowledge { base, generation, beside, http, port } => {
            let shelf = crate::home::shelf(home)?;
            if generation.is_none() && corpus::is_shipped(&base, &[SHIPPED.to_owned()]) {
                corpus::resolve(&shelf, &base, &[SHIPPED.to_owned()])?;
            }
            let pins = generation.map(|generation| (base.clone(), generation)).into_iter().collect();
            let options = KnowledgeServerOptions {
                home: home.to_owned(),
                workspace: shelf.workspace().to_owned(),
                default_base: base,
                beside,
                pins,
                allowed: Vec::new(),
                web: mcp_servers::web_search_from_env(),
                meaning: Some(Arc::new(Vectors(Meanings::new(home, Handle::current())))),
            };
            let failed = |error: &dyn std::fmt::Display| Problem::new(ErrorCode::Source, error.to_string());
            if !http {
                mcp_servers::serve_knowledge(options).await.map_err(|error| failed(&error))?;
                return Ok(Outcome::Done);
            }
            let token = Token::fresh()?;
            let server = HttpServer::bind(options, port, token.as_str().to_owned())
                .await
                .map_err(|error| failed(&error))?;
            println!("{}", serde_json::json!({ "url": server.address(), "token": token.as_str() }));
            eprintln!("Send the token as `Authorization: Bearer …`. Ctrl-C ends it.");
            let ended = server.run(async { drop(tokio::signal::ctrl_c().await) }).await;
            ended.map_err(|error| failed(&error))?;
            Ok(Outcome::Done)
        }
    }
}
