//! What a mission is likely to use before it begins.

use std::collections::BTreeMap;

use domain::{AgentSlug, NanoUsd};
use missions::{ForecastBounds, KnownUse, Limits, Terms};
use pretty_assertions::assert_eq;

use crate::rig::{budget, staffed, terms};

fn known(uses: &[(&str, u64)]) -> BTreeMap<AgentSlug, KnownUse> {
    let of = |(slug, amount): &(&str, u64)| {
        (AgentSlug::from(*slug), KnownUse { cost: Some(NanoUsd(*amount)), tokens: amount * 10 })
    };
    uses.iter().map(of).collect()
}

/// Readers of 10 and 30, a checker of 20, and fixed roles of 1 each.
fn everyone() -> BTreeMap<AgentSlug, KnownUse> {
    known(&[
        ("reader", 10),
        ("searcher", 30),
        ("checker", 20),
        ("splitter", 1),
        ("planner", 1),
        ("coordinator", 1),
        ("writer", 1),
        ("reviewer", 1),
    ])
}

fn limited(limits: Limits) -> Terms {
    Terms { limits: Limits { iterations: Some(3), ..limits }, ..staffed() }
}

#[test]
fn what_runs_used_is_counted_as_often_as_agents_may_be_invoked() {
    let forecast = limited(Limits::default()).forecast(&everyone());
    // One researcher and each fixed role once; two researchers in each of three iterations, six proposals, two drafts.
    assert_eq!((forecast.fewest, forecast.most), (6, 6 + 1 + 1 + 6 + 2 + 1));
    assert_eq!(forecast.cost, ForecastBounds { low: Some(15), high: Some(6 * 30 + 11) });
    assert_eq!(forecast.tokens, ForecastBounds { low: Some(150), high: Some(1_910) });
    assert_eq!(forecast.unknown, Vec::<AgentSlug>::new());
}

#[test]
fn limits_cut_it() {
    let few = Limits { invocations: Some(4), ..Limits::default() };
    let forecast = limited(few).forecast(&everyone());
    assert_eq!((forecast.fewest, forecast.most), (4, 4));
    assert_eq!(forecast.cost, ForecastBounds { low: Some(4), high: Some(120) });
    let forecast = limited(budget(100)).forecast(&everyone());
    assert_eq!(forecast.cost, ForecastBounds { low: Some(15), high: Some(100) });
    assert_eq!(forecast.tokens, ForecastBounds { low: Some(100), high: Some(100) });
    let capped = Limits { per_agent: [("coordinator".into(), 1)].into(), ..Limits::default() };
    assert_eq!(limited(capped).forecast(&everyone()).most, 12);
}

#[test]
fn what_is_not_known_is_unknown_and_a_limit_still_bounds_it() {
    let mut some = everyone();
    some.remove(&AgentSlug::from("searcher"));
    let forecast = limited(Limits::default()).forecast(&some);
    assert_eq!(forecast.cost, ForecastBounds { low: Some(15), high: None });
    assert_eq!(forecast.unknown, [AgentSlug::from("searcher")]);
    assert_eq!(limited(budget(100)).forecast(&some).cost.high, Some(100));
    some.remove(&AgentSlug::from("writer"));
    assert_eq!(limited(budget(100)).forecast(&some).cost, ForecastBounds { low: None, high: Some(100) });
    // A model without a price: tokens alone are known.
    let unpriced = everyone().into_iter().map(|(slug, of)| (slug, KnownUse { cost: None, ..of })).collect();
    let forecast = limited(Limits::default()).forecast(&unpriced);
    assert_eq!((forecast.cost, forecast.tokens.low), (ForecastBounds::default(), Some(150)));
}

#[test]
fn without_fixed_roles_research_alone_is_counted() {
    let terms = Terms { limits: Limits { iterations: Some(1), ..Limits::default() }, ..terms() };
    let forecast = terms.forecast(&everyone());
    assert_eq!((forecast.fewest, forecast.most), (1, 2));
    assert_eq!(forecast.cost, ForecastBounds { low: Some(10), high: Some(60) });
}
