//! Settings as a workspace sees them.

use domain::{LimitSettings, Problem};
use protocol::{Settings, SettingsPatch};
use support::blocking;

use crate::Connections;

impl Connections {
    /// What the person set, without the names of agents and connections that this workspace does not have.
    pub async fn settings_show(&self) -> Result<Settings, Problem> {
        let mut settings = self.env.settings_show().await?;
        if self.env.scope().is_none() {
            return Ok(settings);
        }
        let files = self.env.files();
        let agents: Vec<String> =
            blocking(move || Ok(files.agents().into_iter().map(|entry| entry.slug).collect())).await?;
        let has = |connection: &str| self.check_there(connection).is_ok();
        if !settings.default_connection.is_empty() && !has(&settings.default_connection) {
            settings.default_connection.clear();
        }
        if !agents.contains(&settings.default_agent) {
            settings.default_agent.clear();
        }
        self.narrow(&mut settings.limits);
        settings.agent_connections.retain(|agent, connection| agents.contains(agent) && has(connection));
        Ok(settings)
    }

    /// Leaves out the limits of connections that this workspace does not have.
    pub(crate) fn narrow(&self, limits: &mut LimitSettings) {
        let has = |connection: &str| self.check_there(connection).is_ok();
        limits.connections.retain(|connection, _| has(connection));
        limits.raised.retain(|raised| raised.connection.as_deref().is_none_or(has));
    }

    /// Changes settings. What this workspace is not shown stays as it is.
    pub async fn settings_update(&self, mut patch: SettingsPatch) -> Result<Settings, Problem> {
        if let Some(connections) = &mut patch.agent_connections {
            let (all, shown) = (self.env.settings_show().await?, self.settings_show().await?);
            for (agent, connection) in all.agent_connections {
                if !shown.agent_connections.contains_key(&agent) {
                    connections.entry(agent).or_insert(connection);
                }
            }
        }
        if let Some(limits) = &mut patch.limits {
            let (all, shown) = (self.env.settings_show().await?.limits, self.settings_show().await?.limits);
            for (connection, own) in all.connections {
                if !shown.connections.contains_key(&connection) {
                    limits.connections.entry(connection).or_insert(own);
                }
            }
            let hidden = all.raised.into_iter().filter(|raised| !shown.raised.contains(raised));
            let own = std::mem::take(&mut limits.raised);
            limits.raised = hidden.chain(own).collect();
        }
        self.env.settings_update(patch).await?;
        self.settings_show().await
    }
}
