//! What the tool steps of a stage gathered, and how that went.

use std::collections::{BTreeMap, BTreeSet};

use context::{Scope, TemplateError, Templates};
use domain::Problem;
use domain::agent::{DeltaRetrieval, Stage, Step};
use pipeline::Cut;
use serde_json::{Map, Value, json};

/// One step's results by item: the value, or why there is none.
pub(crate) type Results = Vec<Result<std::sync::Arc<Value>, Problem>>;

/// What was gathered, by name, and the telemetry of each.
#[derive(Debug, Clone, Default)]
pub(crate) struct CollectedParagraphs {
    pub(crate) collected: Map<String, Value>,
    pub(crate) telemetry: Map<String, Value>,
    pub(crate) warnings: Vec<String>,
}

/// What a follow-up does to paragraphs that the earlier answer used.
pub(crate) struct PriorUse<'a> {
    pub(crate) ids: &'a BTreeSet<String>,
    pub(crate) how: DeltaRetrieval,
}

/// Gathers the results of the steps that have run; `cuts` says by wave what they did without.
pub(crate) fn gather(
    stage: &Stage,
    results: &[Results],
    cuts: &BTreeMap<u32, Cut>,
    templates: &Templates,
    scope: &Scope,
    prior: Option<&PriorUse<'_>>,
) -> Result<CollectedParagraphs, TemplateError> {
    let mut gathered = CollectedParagraphs::default();
    for (wave, (step, results)) in (0..).zip(stage.steps.iter().zip(results)) {
        let name = step.collect.clone().unwrap_or_else(|| tool_name(step).to_owned());
        let unplanned = cuts.get(&wave).map_or(0, Cut::unplanned);
        record(step, &name, results, unplanned, &mut gathered);
        let values = results.iter().filter_map(|result| result.as_ref().ok());
        for value in values {
            add(step, &name, pick(step, value), &mut gathered.collected);
        }
        let Some(Value::Array(items)) = gathered.collected.get_mut(&name) else { continue };
        if let Some(prior) = prior
            && let Some(field) = &step.dedupe_by
        {
            apply_prior(items, field, prior);
        }
        if let Some(field) = &step.dedupe_by {
            dedupe(items, field);
        }
        if let Some(field) = &step.sort_by {
            sort(items, field);
        }
        if let Some(limit) = &step.limit {
            // What was gathered so far can raise it.
            let scope = scope.with("items", &Value::Array(items.clone()));
            if let Some(limit) = templates.fill(limit, &scope)?.as_u64() {
                items.truncate(limit as usize);
            }
        }
    }
    Ok(gathered)
}

/// The tool's name without its source.
pub(crate) fn tool_name(step: &Step) -> &str {
    step.tool.split_once('/').map_or(step.tool.as_str(), |(_, tool)| tool)
}

fn pick<'a>(step: &Step, value: &'a Value) -> &'a Value {
    let Some(path) = &step.pick else { return value };
    path.split('.').try_fold(value, |value, name| value.get(name)).unwrap_or(&Value::Null)
}

fn add(step: &Step, name: &str, value: &Value, collected: &mut Map<String, Value>) {
    let Some(_) = &step.collect else { return };
    match (collected.get_mut(name), value) {
        (_, Value::Null) if step.pick.is_some() => {
            if step.for_each.is_some() {
                collected.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            }
        }
        (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
        (Some(Value::Array(items)), one) => items.push(one.clone()),
        (_, Value::Array(items)) => {
            collected.insert(name.to_owned(), Value::Array(items.clone()));
        }
        (None, one) if step.for_each.is_some() => {
            collected.insert(name.to_owned(), Value::Array(vec![one.clone()]));
        }
        (_, one) => {
            collected.insert(name.to_owned(), one.clone());
        }
    }
}

/// A result that says `unavailable` did not succeed, whatever else it holds.
fn record(step: &Step, name: &str, results: &Results, unplanned: u32, gathered: &mut CollectedParagraphs) {
    let mut warnings: Vec<String> = Vec::new();
    let (mut succeeded, mut items) = (0u64, 0u64);
    let mut unavailable = None;
    let mut warn = |text: &str| {
        if !warnings.iter().any(|known| known == text) {
            warnings.push(text.to_owned());
        }
    };
    for result in results {
        match result {
            Ok(value) => {
                let listed = value.get("warnings").and_then(Value::as_array).into_iter().flatten();
                // A result may have rows of its own under that name.
                listed.filter_map(Value::as_str).for_each(&mut warn);
                if let Some(why) = value.get("unavailable").and_then(Value::as_str) {
                    unavailable = Some(why.to_owned());
                    continue;
                }
                succeeded += 1;
                items += pick(step, value).as_array().map_or(1, |list| list.len() as u64);
            }
            Err(problem) => warn(&problem.message),
        }
    }
    if step.optional {
        for warning in &warnings {
            let failed = |result: &&Result<_, Problem>| {
                result.as_ref().is_err_and(|problem| &problem.message == warning)
            };
            let share = match (results.iter().filter(failed).count(), results.len()) {
                (0, _) | (_, 1) => String::new(),
                (failed, all) => format!(" ({failed} of {all} calls)"),
            };
            gathered.warnings.push(format!("{}: {warning}{share}", tool_name(step)));
        }
    }
    let telemetry = json!({
        "connected": results.iter().any(Result::is_ok),
        "planned": results.len() as u64 + u64::from(unplanned),
        "attempted": results.len(),
        "succeeded": succeeded,
        "failed": results.len() as u64 - succeeded,
        "results": items,
        "unavailable": unavailable,
        "warnings": warnings,
    });
    gathered.telemetry.insert(name.to_owned(), telemetry);
}

fn apply_prior(items: &mut Vec<Value>, field: &str, prior: &PriorUse<'_>) {
    let used =
        |item: &Value| item.get(field).and_then(Value::as_str).is_some_and(|id| prior.ids.contains(id));
    match prior.how {
        DeltaRetrieval::Off => {}
        DeltaRetrieval::Exclude => items.retain(|item| !used(item)),
        DeltaRetrieval::Demote => {
            for item in items.iter_mut().filter(|item| used(item)) {
                let Value::Object(map) = item else { continue };
                if map.insert("used_before".to_owned(), Value::Bool(true)).is_none()
                    && let Some(score) = map.get("score").and_then(Value::as_f64)
                {
                    map.insert("score".to_owned(), json!((score * 0.5 * 1e6).round() / 1e6));
                }
            }
        }
    }
}

fn dedupe(items: &mut Vec<Value>, field: &str) {
    let score = |item: &Value| item.get("score").and_then(Value::as_f64).unwrap_or(0.0);
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for item in items.drain(..) {
        let Some(key) = item.get(field).map(domain::canonical) else {
            kept.push(item);
            continue;
        };
        match places.get(&key) {
            Some(&place) if score(&item) > score(&kept[place]) => kept[place] = item,
            Some(_) => {}
            None => {
                places.insert(key, kept.len());
                kept.push(item);
            }
        }
    }
    *items = kept;
}

fn sort(items: &mut [Value], by: &str) {
    let (field, descending) = by.strip_prefix('-').map_or((by, false), |field| (field, true));
    let id = |item: &Value| item.get("id").map(domain::canonical).unwrap_or_default();
    items.sort_by(|a, b| {
        let (left, right) = (a.get(field), b.get(field));
        let order = match (left.and_then(Value::as_f64), right.and_then(Value::as_f64)) {
            (Some(left), Some(right)) => left.total_cmp(&right),
            _ => left.map(domain::canonical).cmp(&right.map(domain::canonical)),
        };
        let order = if descending { order.reverse() } else { order };
        order.then_with(|| id(a).cmp(&id(b)))
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn stage(steps: Value) -> Stage {
        serde_json::from_value(json!({"id": 1, "name": "s", "title": "S", "kind": "tools", "steps": steps}))
            .unwrap()
    }

    fn ok(value: Value) -> Result<Arc<Value>, Problem> {
        Ok(Arc::new(value))
    }

    #[test]
    fn hits_of_several_queries_are_joined_deduplicated_by_best_score_and_sorted_with_ties_by_id() {
        let stage = stage(json!([{"tool": "kb/search", "forEach": "x", "pick": "hits", "collect": "p",
            "dedupeBy": "id", "sortBy": "-score", "limit": "{{ 3 }}"}]));
        let results = vec![vec![
            ok(json!({"hits": [{"id": "b", "score": 0.5}, {"id": "a", "score": 0.2}]})),
            ok(
                json!({"hits": [{"id": "a", "score": 0.9}, {"id": "d", "score": 0.5}, {"id": "c", "score": 0.1}]}),
            ),
        ]];
        let gathered =
            gather(&stage, &results, &BTreeMap::new(), &Templates::new(), &Scope::new(), None).unwrap();
        assert_eq!(
            gathered.collected["p"],
            json!([{"id": "a", "score": 0.9}, {"id": "b", "score": 0.5}, {"id": "d", "score": 0.5}])
        );
    }

    #[test]
    fn a_limit_may_depend_on_what_was_gathered() {
        let stage = stage(json!([{"tool": "kb/gather", "pick": "hits", "collect": "p", "sortBy": "-score",
            "limit": "{{ 1 + (items|where('place')|length) }}"}]));
        let hits = json!({"hits": [{"id": "a", "score": 0.9, "place": "7"}, {"id": "b", "score": 0.8}, {"id": "c", "score": 0.1}]});
        let results = [vec![ok(hits)]];
        let gathered =
            gather(&stage, &results, &BTreeMap::new(), &Templates::new(), &Scope::new(), None).unwrap();
        let ids: Vec<&Value> =
            gathered.collected["p"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
        assert_eq!(ids, ["a", "b"]);
    }

    #[test]
    fn a_single_result_is_kept_as_it_is_and_a_failing_optional_call_is_a_warning() {
        let stage = stage(json!([
            {"tool": "kb/check", "collect": "checked"},
            {"tool": "kb/web", "forEach": "q", "pick": "results", "collect": "web", "optional": true}
        ]));
        let results = vec![
            vec![ok(json!({"score": 1}))],
            vec![
                Err(Problem::new(domain::ErrorCode::Deadline, "timed out")),
                ok(json!({"results": [], "unavailable": "no_key", "warnings": ["no key"]})),
            ],
        ];
        let gathered =
            gather(&stage, &results, &BTreeMap::new(), &Templates::new(), &Scope::new(), None).unwrap();
        assert_eq!(gathered.collected["checked"], json!({"score": 1}));
        assert_eq!(gathered.collected["web"], json!([]));
        assert_eq!(gathered.telemetry["web"]["succeeded"], 0);
        assert_eq!(gathered.telemetry["web"]["unavailable"], "no_key");
        assert_eq!(gathered.warnings, ["web: timed out (1 of 2 calls)", "web: no key"]);
    }

    #[test]
    fn a_follow_up_demotes_what_was_used_once_only_or_leaves_it_out() {
        let stage = stage(json!([
            {"tool": "kb/search", "pick": "hits", "collect": "p", "dedupeBy": "id", "sortBy": "-score"},
            {"tool": "kb/hop", "pick": "hits", "collect": "p", "dedupeBy": "id", "sortBy": "-score"}
        ]));
        let results = vec![
            vec![ok(json!({"hits": [{"id": "a", "score": 0.8}, {"id": "b", "score": 0.5}]}))],
            vec![ok(json!({"hits": []}))],
        ];
        let ids = BTreeSet::from(["a".to_owned()]);
        let demote = PriorUse { ids: &ids, how: DeltaRetrieval::Demote };
        let gathered =
            gather(&stage, &results, &BTreeMap::new(), &Templates::new(), &Scope::new(), Some(&demote))
                .unwrap();
        assert_eq!(
            gathered.collected["p"],
            json!([{"id": "b", "score": 0.5}, {"id": "a", "score": 0.4, "used_before": true}])
        );
        let exclude = PriorUse { ids: &ids, how: DeltaRetrieval::Exclude };
        let gathered =
            gather(&stage, &results, &BTreeMap::new(), &Templates::new(), &Scope::new(), Some(&exclude))
                .unwrap();
        assert_eq!(gathered.collected["p"], json!([{"id": "b", "score": 0.5}]));
    }

    #[test]
    fn telemetry_counts_what_was_wanted_and_what_was_tried() {
        let stage = stage(json!([{"tool": "kb/search", "forEach": "x", "pick": "hits", "collect": "p"}]));
        let results = vec![vec![ok(json!({"hits": []})), ok(json!({"hits": []}))]];
        let cuts = BTreeMap::from([(0, Cut { items: 3, ..Cut::default() })]);
        let gathered = gather(&stage, &results, &cuts, &Templates::new(), &Scope::new(), None).unwrap();
        assert_eq!(gathered.telemetry["p"]["planned"], 5);
        assert_eq!(gathered.telemetry["p"]["attempted"], 2);
    }
}
