//! From a profile to the terms of a mission.

use domain::mission::{MILLION, MissionPause, MissionProfile};
use domain::{Budget, NanoUsd};
use missions::{Criteria, Essential, Limits, Role, Terms, capability};
use pretty_assertions::assert_eq;

use crate::rig::{agent, pauses};

fn profile(json: serde_json::Value) -> MissionProfile {
    serde_json::from_value(json).unwrap()
}

#[test]
fn a_profile_that_names_little_gets_the_documented_numbers() {
    let profile = profile(serde_json::json!({
        "slug": "survey", "name": "Survey", "description": "Finds out.", "successCriteria": { "coverage": 0.8 },
    }));
    let agents = vec![agent("reader", &["reading"]), agent("scribe", &[capability::SYNTHESISE])];
    let terms = Terms::new(&profile, agents, Essential::default());
    assert_eq!(terms.limits, Limits { invocations: Some(40), iterations: Some(8), ..Limits::default() });
    assert_eq!((terms.max_parallel, terms.no_progress_rounds, terms.review_rounds), (3, 2, 1));
    assert_eq!(terms.pauses, pauses(&[MissionPause::Plan]));
    assert_eq!(Role::Synthesise.named_in(&terms.roles), Some(&"scribe".into()), "by its capability");
    assert_eq!(Role::Plan.named_in(&terms.roles), None, "code does it");
    assert!(terms.registry.agents.iter().all(|agent| agent.allowed));
}

#[test]
fn a_profile_decides_on_criteria_limits_agents_and_roles() {
    let profile = profile(serde_json::json!({
        "slug": "survey", "name": "Survey", "description": "Finds out.",
        "successCriteria": {
            "confidence": 0.85, "qualityScore": 70.0, "minSources": 5, "minSourcesPerClaim": 2,
            "noOpenCriticalGaps": true, "allClaimsCited": false, "validations": ["prices"],
        },
        "constraints": {
            "iterations": 3, "usd": 1.5, "tokens": 1000, "minutes": 2.0, "invocations": 9,
            "perAgent": { "reader": 2 }, "maxParallel": 4, "noProgressRounds": 1, "reviewRounds": 0,
        },
        "agents": {
            "allow": ["reader", "second"],
            "prefer": [{ "agent": "second", "for": "planning" }],
            "roles": { "review": "reader" },
        },
        "pauses": [],
    }));
    let agents = vec![
        agent("reader", &["reading"]),
        agent("first", &[capability::PLAN, "reading"]),
        agent("second", &[capability::PLAN]),
    ];
    let terms = Terms::new(&profile, agents, Essential::default());
    assert_eq!(
        terms.criteria,
        Criteria {
            confidence: Some(850_000),
            quality: Some(7 * MILLION / 10),
            sources: Some(5),
            sources_per_claim: Some(2),
            no_open_critical_gaps: true,
            validations: vec!["prices".to_owned()],
            ..Criteria::default()
        }
    );
    assert_eq!(
        terms.limits,
        Limits {
            budget: Budget {
                cost: Some(NanoUsd(1_500_000_000)),
                tokens: Some(1_000),
                active_ms: Some(120_000)
            },
            invocations: Some(9),
            per_agent: [("reader".into(), 2)].into(),
            iterations: Some(3),
        }
    );
    let allowed: Vec<bool> = terms.registry.agents.iter().map(|agent| agent.allowed).collect();
    assert_eq!(allowed, [true, false, true]);
    assert_eq!(Role::Plan.named_in(&terms.roles), Some(&"second".into()), "the preferred one");
    assert_eq!(Role::Review.named_in(&terms.roles), Some(&"reader".into()), "as named");
    assert_eq!((terms.max_parallel, terms.no_progress_rounds, terms.review_rounds), (4, 1, 0));
    assert_eq!(terms.pauses, pauses(&[]));
}

#[test]
fn a_named_agent_that_cannot_be_used_gives_its_role_to_another_or_to_code() {
    let profile = profile(serde_json::json!({
        "slug": "survey", "name": "Survey", "description": "Finds out.", "successCriteria": { "coverage": 0.8 },
        "agents": { "roles": { "plan": "gone", "review": "gone" } },
    }));
    let agents = vec![agent("reader", &["reading"]), agent("second", &[capability::PLAN])];
    let terms = Terms::new(&profile, agents, Essential::default());
    assert_eq!(Role::Plan.named_in(&terms.roles), Some(&"second".into()));
    assert_eq!(Role::Review.named_in(&terms.roles), None);
}
