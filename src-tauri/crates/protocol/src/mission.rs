//! Missions: open-ended research on an objective, by agents over a graph of claims.

use std::collections::BTreeMap;

use domain::mission::{ClaimRejection, ItemId, PlanEdit};
use domain::{RunId, RunStatus};
use engine_types::{LimitUse, MissionOutline};
use evidence_graph::{ItemKind, Scope, Sorting};
use missions::{Criterion, InvocationForecast};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a new mission needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MissionStart {
    /// The profile's folder; empty: that of the mission that it goes on with or repeats.
    pub profile: String,
    /// What is to be found out; what it says of the report's form is kept from researchers. With `report_only`: the form of
    /// the report alone; empty with `without`: the form that it had.
    pub request: String,
    /// The mission whose graph it goes on with. What is not named here is as it was there.
    pub previous: Option<RunId>,
    /// A mission that this one repeats: what an agent gave there is taken over where it is given the same. What is not named
    /// here is as it was there.
    pub base: Option<RunId>,
    /// Whether nothing is researched: a report on the objective of `previous` is written from what is known.
    pub report_only: bool,
    /// Claims that are rejected before the report is written, with `report_only`: the report does not rest on them.
    pub without: Vec<ClaimRejection>,
    /// The session; without it a new one.
    pub session: Option<String>,
    /// A mode of the profile.
    pub mode: Option<String>,
    /// The knowledge bases that are searched, each for every question; without one the agents' own.
    pub corpora: Vec<String>,
    /// The connection; without it the session's or the default one.
    pub connection: Option<String>,
    /// The model; without it the connection's default.
    pub model: Option<String>,
    /// Limits in place of the profile's.
    pub limits: MissionLimits,
    /// Whether default answers are taken at pauses.
    pub unattended: bool,
}

/// What a mission would begin with, and what it is likely to use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissionForecast {
    /// What it would begin with.
    pub outline: MissionOutline,
    /// How often agents may be invoked, and what that is likely to use.
    pub forecast: InvocationForecast,
    /// Whether the money is only an equivalent.
    pub equivalent: bool,
}

/// Limits of a mission; what is absent stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MissionLimits {
    /// US dollars.
    pub usd: Option<f64>,
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// Active minutes.
    pub minutes: Option<f64>,
    /// Invocations of agents.
    pub invocations: Option<u32>,
    /// Iterations.
    pub iterations: Option<u32>,
}

/// What is said to a mission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "say")]
pub enum MissionSteer {
    /// Words for the coordinator and for researchers that begin from now on.
    Guide {
        /// The words.
        text: String,
    },
    /// Keeps a claim.
    Pin {
        /// The claim.
        claim: ItemId,
    },
    /// Rejects a claim: nothing rests on it any more.
    Reject {
        /// The claim.
        claim: ItemId,
        /// Why.
        why: String,
    },
    /// Closes a gap by hand.
    CloseGap {
        /// The gap.
        gap: ItemId,
        /// Why.
        why: String,
    },
    /// Settles a contradiction by hand.
    Settle {
        /// The contradiction.
        contradiction: ItemId,
        /// The claim that stands; without it both do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim: Option<ItemId>,
        /// Why.
        why: String,
    },
    /// Changes what the plan asks; all of it, or nothing.
    Plan {
        /// The edits, in order.
        edits: Vec<PlanEdit>,
    },
    /// Raises limits.
    Raise {
        /// The new ones.
        limits: MissionLimits,
    },
    /// Enough: the report is written from what is known.
    Write,
    /// Goes on at the pause that is open.
    Proceed,
    /// Goes on at the pause about web hosts, and repeats the research that needed their pages.
    Again,
    /// Stops it so that it can be resumed.
    Suspend,
    /// Ends it for good.
    Cancel,
}

/// A mission in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissionRow {
    /// The mission.
    pub mission: RunId,
    /// Its session.
    pub session: String,
    /// What it is after.
    pub title: String,
    /// The profile's folder.
    pub profile: String,
    /// How it stands; interrupted where its log says that it runs, and nobody drives it.
    pub status: RunStatus,
    /// How it stands, in a line.
    pub line: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970.
    pub updated_at: i64,
}

/// A profile of missions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileRow {
    /// Its folder.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Requests that show what it can do.
    pub examples: Vec<String>,
    /// Its modes with their descriptions.
    pub modes: Vec<ProfileMode>,
    /// What each criterion has to reach.
    pub criteria: BTreeMap<String, Criterion>,
    /// Its limits.
    pub limits: Vec<LimitUse>,
    /// The agents that it allows; empty: every one.
    pub agents: Vec<String>,
    /// The sections that its report has to have.
    pub sections: Vec<String>,
    /// Whether it is shipped with the program.
    pub shipped: bool,
    /// What is wrong with it; it can't be used then.
    pub problems: Vec<String>,
}

/// A mode of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileMode {
    /// Its name.
    pub name: String,
    /// When to choose it.
    pub description: String,
}

/// Which items of a mission's graph are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MissionGraphQuery {
    /// The mission.
    pub mission: RunId,
    /// The kind.
    pub kind: ItemKind,
    /// Only with this status, as `supported`, `open` or `rejected`.
    #[serde(default)]
    pub status: Option<String>,
    /// Only with these words.
    #[serde(default)]
    pub text: String,
    /// What is looked at; everything where nothing is said. It hides, and deletes nothing.
    #[serde(default)]
    pub scope: Scope,
    /// In which order.
    #[serde(default)]
    pub sort: Sorting,
    /// After this item.
    #[serde(default)]
    pub after: Option<ItemId>,
    /// At most so many; 100 where it is 0.
    #[serde(default)]
    pub limit: u32,
}
