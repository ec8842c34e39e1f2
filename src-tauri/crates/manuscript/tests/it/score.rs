//! Scores against cases that are computed by hand.

use manuscript::findings::Severity;
use manuscript::fixed::{Percent, Points};
use manuscript::score::{Evidence, Issue, Outcome, RemediationTask, ScoreError, ScoreRubric, score};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn rubric(value: Value) -> ScoreRubric {
    serde_json::from_value(value).unwrap()
}

fn evidence(measures: &[(&str, i64)]) -> Evidence {
    let measures = measures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Evidence { measures, cycle: 1, ..Evidence::default() }
}

fn one(rule: Value) -> ScoreRubric {
    rubric(
        json!({ "dimensions": [{ "id": "d", "max": 12, "rules": [rule] }], "certify_at": 88, "max_cycles": 3 }),
    )
}

/// What the one rule of a dimension takes.
fn taken(rule: Value, measure: &str, value: i64) -> Points {
    let score = score(&one(rule), &evidence(&[(measure, value)])).unwrap();
    score.dimensions[0].deductions.iter().map(|deduction| deduction.applied).sum()
}

/// The twelve dimensions with the deductions that lead to 4, 8, 7, 5, 5, 10, 10, 8, 8, 8, 7 and 10 points.
fn twelve() -> ScoreRubric {
    let weights = [5, 10, 8, 5, 7, 12, 10, 8, 8, 10, 7, 10];
    let deductions = [1, 2, 1, 0, 2, 2, 0, 0, 0, 2, 0, 0];
    let dimensions: Vec<Value> = weights
        .iter()
        .zip(deductions)
        .enumerate()
        .map(|(at, (max, points))| {
            let when = json!({ "measure": "always", "at_least": 1 });
            let rule =
                json!({ "rule": "when", "name": format!("deduction {at}"), "when": when, "points": points });
            json!({ "id": format!("dim_{at}"), "max": max, "rules": [rule] })
        })
        .collect();
    let bonus = |name: &str, points: i64| json!({ "name": name, "points": points, "when": { "measure": name, "at_least": 1 } });
    rubric(json!({
        "dimensions": dimensions,
        "bonuses": [bonus("exceptional_quantification", 5), bonus("citation_transparency", 3)],
        "red_flags": [bonus("undisclosed_conflict", 10)],
        "tiers": [
            { "name": "TIER_2", "min": 88 }, { "name": "TIER_1", "min": 94 }, { "name": "TIER_3", "min": 0 },
        ],
        "certify_at": 88,
        "max_cycles": 3,
    }))
}

fn measures(quantification: i64, transparency: i64, conflict: i64) -> Evidence {
    evidence(&[
        ("always", 1),
        ("exceptional_quantification", quantification),
        ("citation_transparency", transparency),
        ("undisclosed_conflict", conflict),
    ])
}

#[test]
fn a_summary_of_4200_words_loses_1_4_points() {
    let rule = json!({ "rule": "range", "name": "length", "measure": "words", "min": 2500, "max": 3500, "per": 100,
        "points": 0.2 });
    assert_eq!(taken(rule.clone(), "words", 4200), Points::new(1_400));
    assert_eq!(taken(rule.clone(), "words", 2300), Points::new(400));
    for within in [2500, 3000, 3500] {
        assert_eq!(taken(rule.clone(), "words", within), Points::ZERO);
    }
}

#[test]
fn the_contributions_sum_to_90_and_the_bonuses_to_98() {
    let result = score(&twelve(), &measures(1, 1, 0)).unwrap();
    let contributions: Vec<i64> =
        result.dimensions.iter().map(|dimension| dimension.contribution.units() / 1000).collect();
    assert_eq!(contributions, [4, 8, 7, 5, 5, 10, 10, 8, 8, 8, 7, 10]);
    assert_eq!(result.base, Points::whole(90));
    assert_eq!(result.total, Points::whole(98));
    assert_eq!(result.tier.unwrap().name, "TIER_1");
    assert_eq!(result.dimensions[5].percent, Percent::new(833));
}

#[test]
fn caps_hold_for_pincites_tags_and_signals() {
    let rule = |name: &str, points: f64, cap: i64| json!({ "rule": "each", "name": name, "measure": name, "points": points, "cap": cap });
    let rules = [rule("pincites", 0.01, 2), rule("tags", 0.005, 3), rule("signals", 0.005, 2)];
    let rubric = rubric(json!({ "dimensions": [{ "id": "dim_5", "max": 12, "rules": rules }] }));
    let result = score(&rubric, &evidence(&[("pincites", 1172), ("tags", 246), ("signals", 50)])).unwrap();
    let deductions: Vec<(Points, Points)> =
        result.dimensions[0].deductions.iter().map(|deduction| (deduction.raw, deduction.applied)).collect();
    let points = Points::new;
    assert_eq!(
        deductions,
        [(points(11_720), points(2_000)), (points(1_230), points(1_230)), (points(250), points(250))]
    );
    // 12 - 3.48
    assert_eq!(result.total, points(8_520));
    assert_eq!(serde_json::to_string(&result.total).unwrap(), "8.52");
}

#[test]
fn thirty_seven_headings_reach_eight_of_ten_points() {
    let rule = json!({ "rule": "bands", "name": "headings", "measure": "headings", "bands": [
        { "at_least": 50, "score": 12 }, { "at_least": 35, "score": 8 }, { "at_least": 20, "score": 5 },
    ] });
    for (headings, lost) in [(50, 0), (49, 4), (37, 4), (35, 4), (34, 7), (19, 12)] {
        assert_eq!(taken(rule.clone(), "headings", headings), Points::whole(lost), "{headings}");
    }
}

#[test]
fn tiers_begin_at_their_least_score() {
    let with = |points: Value| {
        let rule = json!({ "rule": "each", "name": "lost", "measure": "one", "points": points });
        let rubric = rubric(json!({
            "dimensions": [{ "id": "d", "max": 100, "rules": [rule] }],
            "tiers": [{ "name": "TIER_1", "min": 94 }, { "name": "TIER_2", "min": 88 }, { "name": "TIER_3", "min": 0 }],
        }));
        score(&rubric, &evidence(&[("one", 1)])).unwrap().tier.unwrap().name
    };
    let tiers = [6.0, 6.01, 12.0, 12.01, 17.6].map(|points| with(json!(points)));
    assert_eq!(tiers, ["TIER_1", "TIER_2", "TIER_2", "TIER_3", "TIER_3"]);
}

#[test]
fn the_total_stays_between_0_and_100() {
    let mut all = twelve();
    all.bonuses[0].points = Points::whole(50);
    assert_eq!(score(&all, &measures(1, 1, 0)).unwrap().total, Points::whole(100));
    all.red_flags[0].points = Points::whole(500);
    let result = score(&all, &measures(1, 1, 1)).unwrap();
    assert_eq!(result.total, Points::ZERO);
    assert_eq!(result.red_flags[0].amount, Points::whole(-500));
    let endless = json!({ "rule": "each", "name": "lost", "measure": "n", "points": 1 });
    assert_eq!(score(&one(endless), &evidence(&[("n", i64::MAX)])).unwrap().total, Points::ZERO);
}

#[test]
fn outcomes_follow_score_issues_and_cycles() {
    let issue = |severity| Issue {
        id: "I-1".into(),
        dimension: "dim_1".into(),
        severity,
        description: String::new(),
    };
    let outcome = |issues: Vec<Issue>, cycle, transparency| {
        let evidence = Evidence { issues, cycle, ..measures(0, transparency, 0) };
        score(&twelve(), &evidence).unwrap().outcome
    };
    assert_eq!(outcome(vec![], 1, 1), Outcome::Certify);
    assert_eq!(outcome(vec![issue(Severity::High)], 1, 1), Outcome::Certify);
    assert_eq!(outcome(vec![issue(Severity::Critical)], 1, 1), Outcome::Remediate);
    assert_eq!(outcome(vec![issue(Severity::Critical)], 3, 1), Outcome::CertifyWithLimitations);
    let mut strict = twelve();
    strict.certify_at = Points::whole(94);
    assert_eq!(score(&strict, &measures(0, 0, 0)).unwrap().outcome, Outcome::Remediate);
}

#[test]
fn a_projection_counts_what_the_tasks_settle() {
    let mut rubric = twelve();
    rubric.certify_at = Points::whole(94);
    rubric.issue_points = [(Severity::High, Points::whole(4))].into();
    let issue = |id: &str| Issue {
        id: id.into(),
        dimension: "dim_11".into(),
        severity: Severity::High,
        description: String::new(),
    };
    let task = RemediationTask {
        id: "W2-001".into(),
        issues: vec!["I-1".into()],
        deductions: vec!["deduction 1".into()],
    };
    let evidence =
        Evidence { issues: vec![issue("I-1"), issue("I-2")], tasks: vec![task], ..measures(0, 0, 0) };
    let result = score(&rubric, &evidence).unwrap();
    assert_eq!(result.total, Points::whole(82));
    assert_eq!((result.projection.low, result.projection.high), (Points::whole(86), Points::whole(88)));
    // 6 of the 12 points that are missing.
    assert_eq!(result.projection.reach, Percent::whole(50));
}

#[test]
fn the_issues_of_a_dimension_have_a_cap() {
    let mut rubric = twelve();
    rubric.issue_points = [(Severity::High, Points::whole(2))].into();
    rubric.max_issue_points = Some(Points::whole(3));
    let issues = (0..5).map(|at| Issue {
        id: format!("I-{at}"),
        dimension: "dim_6".into(),
        severity: Severity::High,
        description: String::new(),
    });
    let evidence = Evidence { issues: issues.collect(), ..measures(0, 0, 0) };
    assert_eq!(score(&rubric, &evidence).unwrap().dimensions[6].contribution, Points::whole(7));
}

#[test]
fn an_unsound_rubric_and_an_incomplete_input_are_refused() {
    let refusal = |rubric: &ScoreRubric, evidence: &Evidence| score(rubric, evidence).unwrap_err();
    assert_eq!(refusal(&ScoreRubric::default(), &evidence(&[])), ScoreError::NoDimensions);
    assert_eq!(refusal(&twelve(), &evidence(&[])), ScoreError::NoMeasure("always".into()));
    let mut heavy = twelve();
    heavy.dimensions[0].max = Points::new(5_001);
    assert_eq!(refusal(&heavy, &measures(0, 0, 0)), ScoreError::TooManyPoints(Points::new(100_001)));
    let mut doubled = twelve();
    doubled.dimensions[1].id = "dim_0".into();
    assert_eq!(refusal(&doubled, &measures(0, 0, 0)), ScoreError::Duplicate("dim_0".into()));
    let issue = Issue {
        id: "I".into(),
        dimension: "dim_12".into(),
        severity: Severity::Low,
        description: String::new(),
    };
    let lost = Evidence { issues: vec![issue], ..measures(0, 0, 0) };
    assert!(matches!(refusal(&twelve(), &lost), ScoreError::NoDimension { .. }));
    let task = RemediationTask { id: "W".into(), issues: vec!["I".into()], deductions: vec![] };
    let lost = Evidence { tasks: vec![task], ..measures(0, 0, 0) };
    assert!(matches!(refusal(&twelve(), &lost), ScoreError::NoIssue { .. }));
}

#[test]
fn points_are_decimals_without_rounding_errors() {
    let read = |text: &str| serde_json::from_str::<Points>(text).map(Points::units);
    assert_eq!(read("0.2").unwrap(), 200);
    assert_eq!(read("-1.4").unwrap(), -1_400);
    assert_eq!(read("93.999").unwrap(), 93_999);
    assert!(read("0.0001").is_err());
    assert!(read("1e300").is_err());
    let tenth: Points = std::iter::repeat_n(Points::new(100), 10).sum();
    assert_eq!(tenth, Points::whole(1));
    assert_eq!(Points::new(-1_400).to_string(), "-1.4");
    assert_eq!(serde_json::to_string(&Points::new(82_400)).unwrap(), "82.4");
    assert_eq!(Percent::share(251, 1_423).to_string(), "17.6");
    assert_eq!(Percent::share(0, 0), Percent::whole(100));
    // 94.96 % shows as 95 and does not reach it.
    assert_eq!(Percent::share(9_496, 10_000).to_string(), "95");
    assert!(!Percent::whole(95).is_reached(9_496, 10_000));
}

#[test]
fn what_is_not_assessed_gives_no_points_and_thresholds_hold_for_the_rest() {
    let mut rubric = twelve();
    rubric.not_assessed = ["dim_0", "dim_1", "dim_3", "dim_9"].map(str::to_owned).to_vec();
    rubric.tier_from = Points::whole(75);
    // 65 of 70 points, and no bonus lifts the score above what is assessed.
    let plain = score(&rubric, &measures(0, 0, 0)).unwrap();
    assert_eq!(
        (plain.assessed, plain.base, plain.total),
        (Points::whole(70), Points::whole(65), Points::whole(65))
    );
    let best = score(&rubric, &measures(1, 1, 0)).unwrap();
    assert_eq!((best.total, best.projection.high), (Points::whole(70), Points::whole(70)));
    assert_eq!((best.tier, best.outcome), (None, Outcome::Certify));
    // 88 % of 70 points are 61.6.
    let short = score(&rubric, &measures(0, 0, 1)).unwrap();
    assert_eq!((short.total, short.outcome), (Points::whole(55), Outcome::Remediate));
    let left_out: Vec<&str> =
        best.dimensions.iter().filter(|one| !one.is_assessed).map(|one| one.id.as_str()).collect();
    assert_eq!(left_out, ["dim_0", "dim_1", "dim_3", "dim_9"]);

    rubric.tier_from = Points::whole(70);
    assert_eq!(score(&rubric, &measures(1, 1, 0)).unwrap().tier.unwrap().name, "TIER_1");
    rubric.not_assessed = rubric.dimensions[1..].iter().map(|one| one.id.clone()).collect();
    rubric.dimensions[0].max = Points::ZERO;
    assert_eq!(score(&rubric, &measures(0, 0, 0)).unwrap_err(), ScoreError::NoDimensions);
    rubric.not_assessed = vec!["dim_99".to_owned()];
    assert_eq!(score(&rubric, &measures(0, 0, 0)).unwrap_err(), ScoreError::NotThere("dim_99".to_owned()));
}
