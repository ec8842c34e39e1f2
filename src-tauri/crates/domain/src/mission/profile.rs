//! A mission's profile: what it is after, when it is done, what it may use. Data in `agents/<slug>/mission.json`; the JSON
//! Schema that editors use is generated from these types.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AgentSlug;

/// Iterations of a mission whose profile names no number.
pub const DEFAULT_ITERATIONS: u32 = 8;
/// Invocations of agents of a mission whose profile names no number.
pub const DEFAULT_INVOCATIONS: u32 = 40;
/// Agents at work at the same time where the profile names no number.
pub const DEFAULT_PARALLEL: u32 = 3;
/// Iterations without progress after which a mission writes its report, where the profile names no number.
pub const DEFAULT_NO_PROGRESS_ROUNDS: u32 = 2;
/// Reviews of a report where the profile names no number.
pub const DEFAULT_REVIEW_ROUNDS: u32 = 1;
/// Days after which an undated word of a dated source counts half, where the profile names no number.
pub const DEFAULT_HALF_LIFE_DAYS: u32 = 540;

const MAX_ITERATIONS: u32 = 100;
const MAX_INVOCATIONS: u32 = 1_000;
const MAX_PARALLEL: u32 = 16;
const MAX_ROUNDS: u32 = 10;

/// The whole of a `mission.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MissionProfile {
    /// Names the JSON Schema of this file, so that editors complete and check it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The folder's name.
    pub slug: AgentSlug,
    /// The name that the user sees.
    pub name: String,
    /// One sentence on what it is for.
    pub description: String,
    /// Its version; 1 where none is named.
    #[serde(default = "one")]
    pub version: u32,
    /// Requests that show what it can do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// When it is done. Criteria that are absent are not demanded.
    pub success_criteria: SuccessCriteria,
    /// The most that it may use.
    #[serde(default)]
    pub constraints: MissionConstraints,
    /// The agents that it may use. Absent: all that describe their capabilities.
    #[serde(default)]
    pub agents: AgentUse,
    /// What the coordinator and the researchers are told besides, Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub guidance: String,
    /// What the report looks like where the request says nothing.
    #[serde(default)]
    pub output_specification: OutputSpecification,
    /// Which pages it may read without asking.
    #[serde(default)]
    pub security_profile: SecurityProfile,
    /// Other settings under a name, chosen when a mission starts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modes: BTreeMap<String, MissionMode>,
    /// Where it waits for the user. Absent: at the plan.
    #[serde(default = "at_plan")]
    pub pauses: BTreeSet<MissionPause>,
}

fn one() -> u32 {
    1
}

fn at_plan() -> BTreeSet<MissionPause> {
    BTreeSet::from([MissionPause::Plan])
}

/// When a mission is done: all of these hold of the graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SuccessCriteria {
    /// The mean confidence of supported claims, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The share of required topics that enough independent sources cover, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    /// Sources in the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_sources: Option<u32>,
    /// Independent sources of each supported claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_sources_per_claim: Option<u32>,
    /// Whether no critical gap may be open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_open_critical_gaps: Option<bool>,
    /// Whether no claim may be without a checked citation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_claims_cited: Option<bool>,
    /// The quality of what is known, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality_score: Option<f64>,
    /// Sections of the report; each is a topic that has to be covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_sections: Vec<String>,
    /// Names of conditions over the graph that have to hold. There are none yet: leave it out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validations: Vec<String>,
}

/// The most that a mission may use. Money, tokens and time are unlimited where absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MissionConstraints {
    /// Iterations; 8 where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Tokens, input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Active minutes; waiting for the user is not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// Invocations of agents; 40 where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invocations: Option<u32>,
    /// Invocations of single agents.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub per_agent: BTreeMap<AgentSlug, u32>,
    /// Iterations without progress after which the report is written; 2 where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_progress_rounds: Option<u32>,
    /// Reviews of the report; 1 where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_rounds: Option<u32>,
    /// Agents at work at the same time; 3 where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_parallel: Option<u32>,
    /// Days after which a dated claim's source counts half; 540 where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life_days: Option<u32>,
}

/// The agents of a mission.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AgentUse {
    /// The only ones that may research. Empty: every one that describes its capabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<AgentSlug>,
    /// Those that come first for a capability.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prefer: Vec<AgentPreference>,
    /// The agents of fixed roles. Absent: the first one with the role's capability; where there is none, code does it.
    #[serde(skip_serializing_if = "MissionRoles::is_empty")]
    pub roles: MissionRoles,
}

/// An agent that comes first for a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentPreference {
    /// The agent.
    pub agent: AgentSlug,
    /// The capability.
    #[serde(rename = "for")]
    pub capability: String,
}

/// The agents of fixed roles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MissionRoles {
    /// Splits the request into objective and output specification (capability `request_split`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<AgentSlug>,
    /// Plans (capability `planning`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<AgentSlug>,
    /// Proposes what is done next (capability `coordination`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<AgentSlug>,
    /// Writes the report (capability `synthesis`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthesise: Option<AgentSlug>,
    /// Reviews it (capability `quality_review`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<AgentSlug>,
}

impl MissionRoles {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What the report looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct OutputSpecification {
    /// Its form in words: `report`, `table`, `two pages` …
    #[serde(skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// How it is built, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub structure: String,
    /// The sections that it has, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_sections: Vec<String>,
}

/// Which pages a mission may read without asking.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SecurityProfile {
    /// https alone, and only from hosts that the user allowed; search services of science are off until allowed.
    #[default]
    Strict,
    /// https alone, from every host that is not blocked.
    Permissive,
    /// From every host that is not blocked, over http as well.
    MaxAutomation,
}

/// Where a mission waits for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissionPause {
    /// When the plan is there.
    Plan,
    /// When a limit is reached: it can be raised then.
    Limit,
    /// When nothing new was found for as many iterations as the profile allows.
    NoProgress,
    /// When pages were left out because nobody has decided about their hosts.
    Hosts,
}

/// Settings that replace those of the profile, each where it is present.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MissionMode {
    /// One sentence on when to choose it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Other criteria.
    pub success_criteria: SuccessCriteria,
    /// Other limits.
    pub constraints: MissionConstraints,
    /// What is told besides the profile's guidance.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub guidance: String,
    /// Agents that come first, before those of the profile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prefer: Vec<AgentPreference>,
    /// Another form of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_specification: Option<OutputSpecification>,
}

/// Something in a profile that can't be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: expected {expected}, found {found}")]
pub struct ProfileProblem {
    /// Where, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// What would be right.
    pub expected: String,
    /// What is there instead.
    pub found: String,
}

impl MissionProfile {
    /// The profile with the settings of one of its modes in place of its own, where there is such a mode.
    pub fn in_mode(&self, name: &str) -> Option<Self> {
        let mode = self.modes.get(name)?;
        let mut profile = self.clone();
        profile.success_criteria.replace(&mode.success_criteria);
        profile.constraints.replace(&mode.constraints);
        profile.agents.prefer.splice(0..0, mode.prefer.iter().cloned());
        if !mode.guidance.is_empty() {
            let parts = [profile.guidance.trim(), mode.guidance.trim()];
            profile.guidance =
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
        }
        if let Some(specification) = &mode.output_specification {
            profile.output_specification = specification.clone();
        }
        Some(profile)
    }

    /// Everything that can't be right in it. What other files decide (whether an agent exists) is not looked at.
    pub fn validate(&self) -> Vec<ProfileProblem> {
        let mut problems = Problems::default();
        let slug = self.slug.as_str();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if slug.is_empty() || !slug.chars().all(plain) {
            let found = if slug.is_empty() { "nothing".to_owned() } else { format!("`{slug}`") };
            problems.say("/slug", "lower-case letters, digits and hyphens", &found);
        }
        problems.filled("/name", &self.name);
        problems.filled("/description", &self.description);
        if self.version == 0 {
            problems.say("/version", "1 or more", "0");
        }
        if self.success_criteria.is_empty() {
            problems.say(
                "/successCriteria",
                "at least one criterion, by which a mission knows that it is done",
                "none",
            );
        }
        self.success_criteria.validate("/successCriteria", &mut problems);
        self.constraints.validate("/constraints", &mut problems);
        self.agents.validate(&mut problems);
        let sections = &self.output_specification.required_sections;
        problems.unique("/outputSpecification/requiredSections", sections);
        for (name, mode) in &self.modes {
            let pointer = format!("/modes/{}", name.replace('~', "~0").replace('/', "~1"));
            if name.trim().is_empty() {
                problems.say(&pointer, "a name", "nothing");
            }
            mode.success_criteria.validate(&format!("{pointer}/successCriteria"), &mut problems);
            mode.constraints.validate(&format!("{pointer}/constraints"), &mut problems);
            validate_preferences(&format!("{pointer}/prefer"), &mode.prefer, &mut problems);
        }
        problems.0
    }
}

/// What was found, in the order of the file.
#[derive(Default)]
struct Problems(Vec<ProfileProblem>);

impl Problems {
    fn say(&mut self, pointer: &str, expected: &str, found: &str) {
        self.0.push(ProfileProblem {
            pointer: pointer.to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        });
    }

    fn filled(&mut self, pointer: &str, text: &str) {
        if text.trim().is_empty() {
            self.say(pointer, "text", if text.is_empty() { "nothing" } else { "spaces" });
        }
    }

    fn unique(&mut self, pointer: &str, names: &[String]) {
        let mut seen = BTreeSet::new();
        for (index, name) in names.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            self.filled(&pointer, name);
            if !seen.insert(name) {
                self.say(&pointer, "each name once", &format!("`{name}` a second time"));
            }
        }
    }

    fn amount(&mut self, pointer: &str, amount: Option<f64>, most: f64) {
        if let Some(amount) = amount.filter(|amount| !(*amount > 0.0 && *amount <= most)) {
            let most = if most < f64::MAX { format!(" and at most {most}") } else { String::new() };
            self.say(pointer, &format!("a number above 0{most}"), &amount.to_string());
        }
    }

    fn count(&mut self, pointer: &str, count: Option<u32>, least: u32, most: u32) {
        if let Some(count) = count.filter(|count| !(least..=most).contains(count)) {
            let expected = match most {
                u32::MAX => format!("{least} or more"),
                _ => format!("a number from {least} to {most}"),
            };
            self.say(pointer, &expected, &count.to_string());
        }
    }
}

impl SuccessCriteria {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn replace(&mut self, with: &Self) {
        self.confidence = with.confidence.or(self.confidence);
        self.coverage = with.coverage.or(self.coverage);
        self.min_sources = with.min_sources.or(self.min_sources);
        self.min_sources_per_claim = with.min_sources_per_claim.or(self.min_sources_per_claim);
        self.no_open_critical_gaps = with.no_open_critical_gaps.or(self.no_open_critical_gaps);
        self.all_claims_cited = with.all_claims_cited.or(self.all_claims_cited);
        self.quality_score = with.quality_score.or(self.quality_score);
        for (own, other) in [
            (&mut self.required_sections, &with.required_sections),
            (&mut self.validations, &with.validations),
        ] {
            if !other.is_empty() {
                own.clone_from(other);
            }
        }
    }

    fn validate(&self, at: &str, problems: &mut Problems) {
        problems.amount(&format!("{at}/confidence"), self.confidence, 1.0);
        problems.amount(&format!("{at}/coverage"), self.coverage, 1.0);
        problems.amount(&format!("{at}/qualityScore"), self.quality_score, 100.0);
        problems.count(&format!("{at}/minSources"), self.min_sources, 1, u32::MAX);
        problems.count(&format!("{at}/minSourcesPerClaim"), self.min_sources_per_claim, 1, u32::MAX);
        problems.unique(&format!("{at}/requiredSections"), &self.required_sections);
        if !self.validations.is_empty() {
            problems.say(
                &format!("{at}/validations"),
                "none, as conditions over the graph are not available yet",
                &self.validations.len().to_string(),
            );
        }
    }
}

impl MissionConstraints {
    fn replace(&mut self, with: &Self) {
        self.iterations = with.iterations.or(self.iterations);
        self.usd = with.usd.or(self.usd);
        self.tokens = with.tokens.or(self.tokens);
        self.minutes = with.minutes.or(self.minutes);
        self.invocations = with.invocations.or(self.invocations);
        self.no_progress_rounds = with.no_progress_rounds.or(self.no_progress_rounds);
        self.review_rounds = with.review_rounds.or(self.review_rounds);
        self.max_parallel = with.max_parallel.or(self.max_parallel);
        self.half_life_days = with.half_life_days.or(self.half_life_days);
        self.per_agent.extend(with.per_agent.iter().map(|(agent, count)| (agent.clone(), *count)));
    }

    fn validate(&self, at: &str, problems: &mut Problems) {
        problems.count(&format!("{at}/iterations"), self.iterations, 1, MAX_ITERATIONS);
        // No money at all is a limit, too: what costs nothing is done, and what is known by then is reported.
        if let Some(usd) = self.usd.filter(|usd| !(*usd >= 0.0 && usd.is_finite())) {
            problems.say(&format!("{at}/usd"), "0 or more", &usd.to_string());
        }
        if self.tokens == Some(0) {
            problems.say(&format!("{at}/tokens"), "1 or more", "0");
        }
        problems.amount(&format!("{at}/minutes"), self.minutes, f64::MAX);
        problems.count(&format!("{at}/invocations"), self.invocations, 1, MAX_INVOCATIONS);
        for (agent, count) in &self.per_agent {
            problems.count(&format!("{at}/perAgent/{agent}"), Some(*count), 0, MAX_INVOCATIONS);
        }
        problems.count(&format!("{at}/noProgressRounds"), self.no_progress_rounds, 1, MAX_ROUNDS);
        problems.count(&format!("{at}/reviewRounds"), self.review_rounds, 0, MAX_ROUNDS);
        problems.count(&format!("{at}/maxParallel"), self.max_parallel, 1, MAX_PARALLEL);
        problems.count(&format!("{at}/halfLifeDays"), self.half_life_days, 1, u32::MAX);
    }
}

impl AgentUse {
    fn validate(&self, problems: &mut Problems) {
        let allowed: Vec<String> = self.allow.iter().map(|agent| agent.0.clone()).collect();
        problems.unique("/agents/allow", &allowed);
        validate_preferences("/agents/prefer", &self.prefer, problems);
        for (index, preference) in self.prefer.iter().enumerate() {
            if !self.allow.is_empty() && !self.allow.contains(&preference.agent) {
                problems.say(
                    &format!("/agents/prefer/{index}/agent"),
                    "an agent that /agents/allow names",
                    &format!("`{}`", preference.agent),
                );
            }
        }
    }
}

fn validate_preferences(at: &str, preferences: &[AgentPreference], problems: &mut Problems) {
    for (index, preference) in preferences.iter().enumerate() {
        problems.filled(&format!("{at}/{index}/agent"), preference.agent.as_str());
        problems.filled(&format!("{at}/{index}/for"), &preference.capability);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(json: serde_json::Value) -> MissionProfile {
        serde_json::from_value(json).unwrap()
    }

    fn smallest() -> serde_json::Value {
        serde_json::json!({
            "slug": "survey", "name": "Survey", "description": "Finds out.",
            "successCriteria": { "coverage": 0.8 },
        })
    }

    fn pointers(profile: &MissionProfile) -> Vec<String> {
        profile.validate().into_iter().map(|problem| problem.pointer).collect()
    }

    #[test]
    fn the_smallest_profile_is_right_and_pauses_at_the_plan() {
        let profile = profile(smallest());
        assert_eq!(profile.validate(), []);
        assert_eq!(profile.pauses, BTreeSet::from([MissionPause::Plan]));
        assert_eq!(profile.version, 1);
        assert_eq!(profile.security_profile, SecurityProfile::Strict);
    }

    #[test]
    fn a_profile_survives_its_written_form() {
        let mut json = smallest();
        json["modes"] =
            serde_json::json!({ "deep": { "constraints": { "iterations": 20 }, "guidance": "dig" } });
        json["agents"] = serde_json::json!({ "prefer": [{ "agent": "reader", "for": "pdf" }] });
        let first = profile(json);
        assert_eq!(profile(serde_json::to_value(&first).unwrap()), first);
    }

    #[test]
    fn all_problems_are_told_each_with_its_place() {
        let wrong = profile(serde_json::json!({
            "slug": "Not a slug", "name": " ", "description": "d", "version": 0,
            "successCriteria": { "confidence": 1.5, "coverage": 0.0, "qualityScore": 101.0, "minSources": 0,
                "validations": ["a", "a"] },
            "constraints": { "iterations": 0, "usd": -1.0, "tokens": 0, "minutes": 0.0, "maxParallel": 17,
                "noProgressRounds": 0, "perAgent": { "reader": 2000 } },
            "agents": { "allow": ["reader"], "prefer": [{ "agent": "other", "for": "" }] },
            "modes": { "a/b": { "successCriteria": { "coverage": 2.0 } } },
        }));
        assert_eq!(
            pointers(&wrong),
            [
                "/slug",
                "/name",
                "/version",
                "/successCriteria/confidence",
                "/successCriteria/coverage",
                "/successCriteria/qualityScore",
                "/successCriteria/minSources",
                "/successCriteria/validations",
                "/constraints/iterations",
                "/constraints/usd",
                "/constraints/tokens",
                "/constraints/minutes",
                "/constraints/perAgent/reader",
                "/constraints/noProgressRounds",
                "/constraints/maxParallel",
                "/agents/prefer/0/for",
                "/agents/prefer/0/agent",
                "/modes/a~1b/successCriteria/coverage",
            ]
        );
    }

    #[test]
    fn a_problem_reads_as_what_is_expected_and_what_is_there() {
        let wrong = profile(serde_json::json!({
            "slug": "Not a slug", "name": "", "description": " ", "version": 0, "successCriteria": {},
            "constraints": { "iterations": 0, "usd": -1.0, "tokens": 0, "minutes": 0.0, "halfLifeDays": 0 },
            "agents": { "allow": ["reader", "reader"], "prefer": [{ "agent": "other", "for": "pdf" }] },
            "modes": { "deep": { "successCriteria": { "coverage": 1.5, "validations": ["prices"] } } },
        }));
        let said: Vec<String> = wrong.validate().iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "/slug: expected lower-case letters, digits and hyphens, found `Not a slug`",
                "/name: expected text, found nothing",
                "/description: expected text, found spaces",
                "/version: expected 1 or more, found 0",
                "/successCriteria: expected at least one criterion, by which a mission knows that it is done, found none",
                "/constraints/iterations: expected a number from 1 to 100, found 0",
                "/constraints/usd: expected 0 or more, found -1",
                "/constraints/tokens: expected 1 or more, found 0",
                "/constraints/minutes: expected a number above 0, found 0",
                "/constraints/halfLifeDays: expected 1 or more, found 0",
                "/agents/allow/1: expected each name once, found `reader` a second time",
                "/agents/prefer/0/agent: expected an agent that /agents/allow names, found `other`",
                "/modes/deep/successCriteria/coverage: expected a number above 0 and at most 1, found 1.5",
                "/modes/deep/successCriteria/validations: expected none, as conditions over the graph are not available yet, found 1",
            ]
        );
    }

    #[test]
    fn a_profile_without_a_criterion_is_refused() {
        let mut json = smallest();
        json["successCriteria"] = serde_json::json!({});
        assert_eq!(pointers(&profile(json)), ["/successCriteria"]);
    }

    #[test]
    fn a_mode_replaces_what_it_names_and_nothing_else() {
        let mut json = smallest();
        json["constraints"] =
            serde_json::json!({ "iterations": 4, "perAgent": { "reader": 2, "writer": 1 } });
        json["guidance"] = "Prefer primary sources.".into();
        json["modes"] = serde_json::json!({ "deep": {
            "successCriteria": { "confidence": 0.9 },
            "constraints": { "iterations": 20, "perAgent": { "reader": 9 } },
            "guidance": "Follow every lead.",
        } });
        let deep = profile(json).in_mode("deep").unwrap();
        assert_eq!(
            (deep.success_criteria.confidence, deep.success_criteria.coverage),
            (Some(0.9), Some(0.8))
        );
        assert_eq!(deep.constraints.iterations, Some(20));
        let caps: Vec<_> = deep.constraints.per_agent.values().copied().collect();
        assert_eq!(caps, [9, 1]);
        assert_eq!(deep.guidance, "Prefer primary sources.\n\nFollow every lead.");
        assert_eq!(deep.in_mode("no such"), None);
    }

    #[test]
    fn an_unknown_field_is_an_error() {
        // What nothing would read is one, too.
        for (field, value) in [
            ("/budget", serde_json::json!(3)),
            ("/objective", serde_json::json!("{{ request }}")),
            ("/corpora", serde_json::json!(["papers"])),
            ("/successCriteria/requiredOutputs", serde_json::json!(["table.csv"])),
        ] {
            let mut json = smallest();
            match field.strip_prefix("/successCriteria/") {
                Some(criterion) => json["successCriteria"][criterion] = value,
                None => json[field.trim_start_matches('/')] = value,
            }
            assert!(serde_json::from_value::<MissionProfile>(json).is_err(), "{field}");
        }
    }
}
