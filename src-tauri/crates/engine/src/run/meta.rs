//! What the list of runs keeps of a run besides its columns, so that forecasts are made and scored without reading logs.

use domain::{NanoUsd, RunForecast, RunUse};
use pipeline::State;
use serde::{Deserialize, Serialize};

use crate::run::pinned::Pinned;
use crate::run::scope::depth_name;

/// Derived from the run's log, which has all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunMeta {
    /// The connection's slug.
    pub connection: String,
    /// The model.
    pub model: String,
    /// The depth.
    pub depth: String,
    /// What it was expected to use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<RunForecast>,
    /// What it used, once it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<RunUse>,
}

impl RunMeta {
    /// Of a run that begins.
    pub(crate) fn begun(pinned: &Pinned, depth: Option<&str>, forecast: Option<RunForecast>) -> Self {
        Self {
            connection: pinned.connection.clone(),
            model: pinned.model.clone(),
            depth: depth.unwrap_or(&pinned.config.default_depth).to_owned(),
            forecast,
            used: None,
        }
    }

    /// Of a run as its log has it.
    pub(crate) fn new(pinned: &Pinned, state: &State) -> Self {
        Self {
            connection: pinned.connection.clone(),
            model: pinned.model.clone(),
            depth: depth_name(pinned, state),
            forecast: state.start.as_ref().and_then(|start| start.forecast),
            used: Some(RunUse {
                cost: NanoUsd(state.cost.0.saturating_add(state.equivalent.0)),
                tokens: state.usage.total(),
            }),
        }
    }

    /// From the bytes of a run's row; `None` where it has none: it is of an earlier version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}
