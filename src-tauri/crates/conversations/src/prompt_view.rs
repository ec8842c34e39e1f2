//! What a model would be sent, for a person to read.

use domain::{ErrorCode, Problem, UserMessage};
use protocol::{PromptView, ToolRow};
use support::blocking;

use crate::Conversations;

impl Conversations {
    /// What a model would be sent: in a session, or for a stage of an agent.
    pub async fn prompt_show(
        &self,
        session: Option<String>,
        agent: Option<String>,
        stage: Option<String>,
    ) -> Result<PromptView, Problem> {
        if let (Some(agent), Some(stage)) = (&agent, &stage) {
            return self.stage_prompt(agent.clone(), stage.clone()).await;
        }
        let mut setup = match &session {
            Some(session) => self.setup_of(session).await?,
            None => self.env.new_setup().await?,
        };
        if let Some(agent) = agent {
            setup.agent = agent;
        }
        let kit = self.chat.assemble(None, &setup, &UserMessage::default()).await?;
        let tools: Vec<ToolRow> = kit
            .tools
            .iter()
            .map(|tool| {
                let info = tool.info();
                ToolRow {
                    name: info.name.clone(),
                    description: info.description.clone(),
                    read_only: info.hints.read_only.unwrap_or(false),
                    input: info.parameters.clone(),
                    approval: String::new(),
                    approved: None,
                }
            })
            .collect();
        let of_tools: u64 = tools
            .iter()
            .map(|tool| {
                context::estimate(&tool.description) + context::estimate(&tool.input.to_string()) + 16
            })
            .sum();
        Ok(PromptView { tokens: context::estimate(&kit.system) + of_tools, system: kit.system, tools })
    }

    /// A stage's prompt file as it is, with the sections that its request will have.
    async fn stage_prompt(&self, agent: String, stage: String) -> Result<PromptView, Problem> {
        let files = self.env.files();
        blocking(move || {
            let agent = files.agent(&agent).map_err(|error| error.problem())?;
            let stages = &agent.config.control_flow.stages;
            let found = stages.iter().find(|known| known.id.0 == stage || known.name == stage);
            let Some(stage) = found else {
                let known: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
                return Err(Problem::new(
                    ErrorCode::NotFound,
                    format!("there is no stage {stage:?}; there are {}", known.join(", ")),
                ));
            };
            let mut text =
                stage.prompt.as_ref().and_then(|file| agent.prompts.get(file)).cloned().ok_or_else(|| {
                    Problem::new(ErrorCode::NotFound, format!("stage {} asks no model", stage.name))
                })?;
            for section in &stage.context {
                let from = section.prompt.as_deref().unwrap_or(&section.value);
                text.push_str(&format!("\n\n<{0}>\n{{{{ {from} }}}}\n</{0}>", section.section));
            }
            if let Some(schema) = agent.schemas.get(&stage.id) {
                text.push_str(&format!("\n\nThe answer satisfies this JSON Schema:\n{schema:#}"));
            }
            Ok(PromptView { tokens: context::estimate(&text), system: text, tools: Vec::new() })
        })
        .await
    }
}
