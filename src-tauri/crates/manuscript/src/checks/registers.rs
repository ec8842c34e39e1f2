//! The checks over registers, and the score.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::input::{
    CitationsInput, FactsInput, NumbersInput, ProvisionsInput, RiskInput, ScoreInput, SheetInput, TagsInput,
    TasksInput,
};
use super::texts::{few_findings, valid};
use super::{Body, ExitCode, refused};
use crate::exposures::aggregate;
use crate::facts::{FactClass, MAX_STATEMENTS, registry, statements};
use crate::fault::{Fault, Location, Rule};
use crate::fixed::{Percent, Points};
use crate::numbers::{MAX_ROWS, check};
use crate::provisions::MAX_PROVISIONS;
use crate::score::{Score, ScoreError};
use crate::sheet::MAX_FACTS;
use crate::tasks::{MAX_TASKS, TaskError};
use crate::{citations, exposures, provisions, score, sheet, tasks};

pub(super) fn provisions(input: &ProvisionsInput) -> Result<Body, Fault> {
    few_findings(&input.findings)?;
    if input.provisions.len() > MAX_PROVISIONS {
        return Err(refused("provisions", format_args!("more than {MAX_PROVISIONS} provisions")));
    }
    let coverage = provisions::coverage(&input.findings, &input.provisions, &input.rubric);
    let output = json!({
        "coverage_percentage": coverage.percentage,
        "findings_missing_provisions": coverage.missing,
        "total_provisions": input.provisions.len(),
        "by_severity": coverage.by_severity,
        "provision_types": coverage.types,
        "findings": coverage.rows,
    });
    Ok(Body::new(coverage.faults, output))
}

pub(super) fn citations(input: &CitationsInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    let registry = citations::extract_citations(&input.parts, &input.rubric);
    let rows = &registry.rows;
    let total = rows.len() as u64;
    let present = rows.iter().filter(|row| row.pincite.is_some()).count() as u64;
    let missing = rows.iter().filter(|row| row.pincite_missing).count();
    let tagged = rows.iter().filter(|row| row.tag.is_some()).count();
    let signals = rows.iter().filter(|row| row.signal.is_some()).count();
    let output = json!({
        "total_citations": total,
        "low_confidence_count": registry.low_confidence,
        "by_kind": registry.by_kind,
        "pincites": { "present": present, "missing": missing, "percentage": Percent::share(present, total) },
        "verification_tags": { "present": tagged, "missing": rows.len() - tagged },
        "signals": { "present": signals, "missing": rows.len() - signals },
        "citations": rows,
    });
    Ok(Body::new(registry.faults, output))
}

pub(super) fn tags(input: &TagsInput) -> Result<Body, Fault> {
    if input.extract_exit_code == ExitCode::Error {
        let found = "the registry of citations ended in an error";
        return Err(Fault::new(Location::at("extract_exit_code"), Rule::Dependency, found));
    }
    let coverage = citations::tags(&input.citations, &input.rubric);
    let output = json!({
        "coverage_percentage": coverage.percentage,
        "high_unverified_count": coverage.high_unverified,
        "triggers_hard_fail": coverage.is_hard_fail,
        "verification_tags": { "present": coverage.present, "missing": coverage.missing },
        "by_state": coverage.by_state,
    });
    let mut faults = coverage.faults;
    if coverage.is_hard_fail && faults.is_empty() {
        let found = format!("coverage {} %, {} unverified", coverage.percentage, coverage.high_unverified);
        faults.push(Fault::new(Location::whole(), Rule::Unverified, found));
    }
    Ok(Body::new(faults, output))
}

pub(super) fn facts(input: &FactsInput) -> Result<Body, Fault> {
    if input.parts.is_empty() && input.statements.is_empty() {
        return Err(refused("statements", "no statements and no parts: give one of them"));
    }
    if !input.parts.is_empty() {
        valid(&input.parts)?;
    }
    let mut all = input.statements.clone();
    all.extend(statements(&input.parts, &input.rubric));
    if all.len() > MAX_STATEMENTS {
        return Err(refused("statements", format_args!("more than {MAX_STATEMENTS} statements")));
    }
    let registry = registry(&all, &input.rubric);
    let known = registry.rows.iter().filter(|row| row.class != FactClass::Missing).count();
    let output = json!({
        "total_facts": known,
        "conflict_count": registry.conflicts.len(),
        "conflicts_detected": registry.conflicts,
        "categories": registry.by_category,
        "classes": registry.by_class,
        "facts": registry.rows,
    });
    Ok(Body::new(registry.faults, output))
}

pub(super) fn risks(input: &RiskInput) -> Result<Body, Fault> {
    let sums = aggregate(&input.exposures, &input.stated_totals, &input.rubric)
        .map_err(|problem| refused("exposures", problem))?;
    let total = |measure: exposures::Measure| sums.total.get(measure);
    let output = json!({
        "total_findings": sums.rows.len(),
        "deal_blocking_count": sums.blockers.len(),
        "deal_blocking": sums.blockers,
        "gross_total": total(exposures::Measure::Gross),
        "weighted_total": total(exposures::Measure::Weighted),
        "adjusted_total": total(exposures::Measure::Adjusted),
        "aggregations": sums.by_category,
        "by_type": sums.by_kind,
        "holdback_recommendations": sums.holdbacks,
        "unit": "cents",
        "exposures": sums.rows,
    });
    Ok(Body::new(sums.faults, output))
}

pub(super) fn sheet(input: &SheetInput) -> Result<Body, Fault> {
    if input.facts.len() > MAX_FACTS {
        return Err(refused("facts", format_args!("more than {MAX_FACTS} facts")));
    }
    for (at, known) in input.keys.iter().enumerate() {
        if known.keys.iter().all(|key| key.trim().is_empty()) {
            return Err(refused(&format!("keys[{at}].keys"), "no key names this fact in a text"));
        }
    }
    let sheet = sheet::read(&input.facts, &input.keys, &input.given_by);
    let output = json!({ "facts": sheet.facts, "numbers": sheet.numbers, "left_out": sheet.left_out });
    Ok(Body::new(Vec::new(), output))
}

pub(super) fn numbers(input: &NumbersInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    if input.numbers.len() > MAX_ROWS {
        return Err(refused("numbers", format_args!("more than {MAX_ROWS} rows")));
    }
    let mut ids = std::collections::BTreeSet::new();
    for (at, row) in input.numbers.iter().enumerate() {
        if row.keys.iter().all(|key| key.trim().is_empty()) {
            return Err(refused(&format!("numbers[{at}].keys"), "no key names this row in a text"));
        }
        if !ids.insert(&row.id) {
            return Err(refused(&format!("numbers[{at}].id"), format_args!("{:?} stands twice", row.id)));
        }
    }
    let found = check(&input.parts, &input.numbers);
    let wrong = found.statements.iter().filter(|statement| !statement.agrees).count();
    let output = json!({
        "total_numbers": input.numbers.len(),
        "statements_count": found.statements.len(),
        "mismatch_count": wrong,
        "unstated": found.unstated,
        "numbers": input.numbers,
        "statements": found.statements,
    });
    Ok(Body::new(found.faults, output))
}

pub(super) fn tasks(input: &TasksInput) -> Result<Body, Fault> {
    if input.tasks.len() > MAX_TASKS {
        return Err(refused("tasks", format_args!("more than {MAX_TASKS} tasks")));
    }
    let found = tasks::results(&input.tasks, &input.measures).map_err(|problem| {
        let place = match problem {
            TaskError::NoMeasure(_) => "measures",
            TaskError::NoCriterion(_) | TaskError::Duplicate(_) => "tasks",
        };
        refused(place, problem)
    })?;
    let output = json!({
        "tasks": found.rows,
        "waves": found.waves,
        "done": found.rows.iter().filter(|row| row.is_done).count(),
        "unmet": found.faults.iter().map(|fault| json!({ "task": fault.place.at, "says": fault.found })).collect::<Vec<_>>(),
    });
    Ok(Body::new(found.faults, output))
}

pub(super) fn score(input: &ScoreInput) -> Result<Body, Fault> {
    let scored = score::score(&input.rubric, &input.evidence)
        .map_err(|problem| refused(place_of(&problem), problem))?;
    let mut faults = Vec::new();
    let certify_at = input.rubric.certify_at;
    let least = score::share_of(scored.assessed, certify_at);
    let (total, assessed) = (scored.total, scored.assessed);
    let is_reached = total >= least;
    let sign = if is_reached { ">=" } else { "<" };
    let rationale = match assessed == score::MAX_POINTS {
        true => format!("Score {total} % {sign} {certify_at} % threshold"),
        false => format!(
            "Score {total} of the {assessed} points assessed {sign} {least}, the threshold of {certify_at} %"
        ),
    };
    if scored.outcome != score::Outcome::Certify {
        faults.push(Fault::new(Location::whole(), Rule::ScoreLow, &rationale));
    }
    for missing in &scored.unmet {
        faults.push(Fault::new(Location::whole(), Rule::ScoreLow, missing));
    }
    for flag in &scored.red_flags {
        faults.push(Fault::new(Location::at(&flag.name), Rule::RedFlag, format!("{} points", flag.amount)));
    }
    let output = json!({
        "dimension_contributions": contributions(&scored),
        "aggregate_calculation": {
            "base_score": scored.base,
            "quality_bonuses": scored.bonuses,
            "red_flag_deductions": scored.red_flags,
            "final_score": scored.total,
        },
        "points_assessed": scored.assessed,
        "issue_type_caps_applied": caps(&scored),
        "remediation_tier_detail": {
            "tier_assigned": scored.tier.as_ref().map(|tier| &tier.name),
            "rationale": rationale,
            "post_remediation_projection": scored.projection,
        },
        "unmet_requirements": scored.unmet,
        "outcome": scored.outcome,
    });
    Ok(Body::new(faults, output))
}

fn place_of(problem: &ScoreError) -> &'static str {
    match problem {
        ScoreError::NoDimensions
        | ScoreError::NotThere(_)
        | ScoreError::Duplicate(_)
        | ScoreError::TooManyPoints(_)
        | ScoreError::Negative(_) => "rubric",
        ScoreError::NoMeasure(_) => "evidence.measures",
        ScoreError::NoDimension { .. } => "evidence.issues",
        ScoreError::NoIssue { .. } => "evidence.tasks",
    }
}

fn contributions(scored: &Score) -> BTreeMap<&str, Value> {
    let rows = scored.dimensions.iter().map(|dimension| {
        // What is not assessed has no figure that somebody could take for one.
        let contribution = dimension.is_assessed.then_some(dimension.contribution);
        let value = json!({
            "score": contribution,
            "max": dimension.max,
            // A point of a hundred is a hundredth of the whole; tenths of a thousandth keep every decimal of `max`.
            "weight": crate::fixed::Fixed::<100_000>::new(dimension.max.units()),
            "percent": dimension.is_assessed.then_some(dimension.percent),
            "deductions": dimension.deductions,
            "contribution": contribution,
        });
        (dimension.id.as_str(), value)
    });
    rows.collect()
}

/// The deductions with a cap, with the sign of a deduction.
fn caps(scored: &Score) -> BTreeMap<&str, Value> {
    let minus = |points: Points| Points::ZERO.minus(points);
    let deductions = scored.dimensions.iter().flat_map(|dimension| &dimension.deductions);
    let capped = deductions.filter_map(|deduction| Some((deduction, deduction.cap?)));
    let rows = capped.map(|(deduction, cap)| {
        let value =
            json!({ "raw": minus(deduction.raw), "cap": minus(cap), "applied": minus(deduction.applied) });
        (deduction.name.as_str(), value)
    });
    rows.collect()
}
