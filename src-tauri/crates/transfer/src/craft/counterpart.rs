//! Agents whose stages this program has itself: what code ran there, the stages of the built-in agent run here.
//!
//! Stages of the fork name work, not what does it: tool calls, checks and the document were code of that program. An agent whose
//! stages have the ids and names of a built-in agent's is that agent with prompts and settings of its own.

use serde_json::{Map, Value, json};
use workspace::{ShippedKind, shipped_slugs, shipped_text};

use super::agent::Agent;
use super::stages::{literal, name_of, plain_id, prompt_of, same};
use super::unknown;

/// What stands between their prompt of a stage and ours, which says in which form the answer is read.
const BETWEEN: &str = "How this program runs the stage follows. Where what stands above names another form of the answer, of \
                       citations or of sections, what follows holds.";

/// A built-in agent.
pub(super) struct Counterpart {
    slug: String,
    config: Value,
}

impl Counterpart {
    /// The built-in agent that has the same stages.
    pub(super) fn find(stages: &[&Value]) -> Option<Self> {
        let wanted: Vec<(String, String)> =
            stages.iter().map(|stage| (plain_id(&stage["id"]), name_of(stage))).collect();
        // One of a stage or two could be anything.
        if wanted.len() < 3 {
            return None;
        }
        shipped_slugs(ShippedKind::Agent).into_iter().find_map(|slug| {
            let config: Value =
                serde_json::from_str(shipped_text(&format!("agents/{slug}/config.json"))?).ok()?;
            let own = config["controlFlow"]["stages"].as_array()?;
            let named = own.iter().map(|stage| (plain_id(&stage["id"]), name_of(stage)));
            named.eq(wanted.iter().cloned()).then_some(Self { slug, config })
        })
    }
}

impl Agent<'_> {
    /// The built-in agent's configuration with their names, prompts, pauses and repairs.
    pub(super) fn like(
        &mut self,
        counterpart: &Counterpart,
        config: &Value,
        theirs: &[&Value],
        prompts: &[(String, String)],
    ) -> Value {
        let slug = &counterpart.slug;
        self.note(format!(
            "its stages are those of the built-in agent `{slug}`: what code ran there (tools, checks, the document) runs here as it does in `{slug}`; \
             prompts and settings are its own"
        ));
        let mut ours = counterpart.config.clone();
        for (field, value) in [("slug", self.slug), ("name", &self.name), ("description", &self.description)]
        {
            ours[field] = value.into();
        }
        if let Some(fields) = ours.as_object_mut() {
            fields.remove("$schema");
            fields.remove("partOf");
        }
        let shared = |name: &str| format!("@{slug}/{name}");
        borrow_files(&mut ours, slug);
        let flow = &config["controlFlow"];
        if let Some(stages) = ours["controlFlow"]["stages"].as_array_mut() {
            for (stage, their) in stages.iter_mut().zip(theirs) {
                let id = plain_id(&stage["id"]);
                let given = their["name"].as_str().unwrap_or_default();
                let asks = matches!(stage["kind"].as_str(), Some("model" | "dialogue"));
                let own = stage["prompt"]
                    .as_str()
                    .and_then(|name| name.strip_prefix(&shared("")))
                    .map(str::to_owned);
                match (prompt_of(prompts, &id, given), own.filter(|_| asks)) {
                    (Some(text), Some(own)) => {
                        let file = format!("stage-{id}-{}.md", name_of(their).replace('_', "-"));
                        let form = shipped_text(&format!("prompts/{slug}/{own}")).unwrap_or_default();
                        let whole = format!("{}\n\n---\n\n{BETWEEN}\n\n{form}", literal(text.trim()));
                        self.prompts.push((file.clone(), whole));
                        stage["prompt"] = file.into();
                    }
                    (Some(_), None) => {
                        self.note(format!("the prompt of stage {id} is not used: the stage runs without it"))
                    }
                    (None, _) => {}
                }
                for (field, what) in [("pauseChoices", "choices"), ("pauseDisplayFields", "fields")] {
                    if their[field].as_array().is_some_and(|list| !list.is_empty()) {
                        self.note(format!("the pause of stage {id} has the {what} of the built-in agent"));
                    }
                }
                if flow["stageOutputSchemas"].get(&id).is_some() {
                    self.note(format!("the answer of stage {id} has the schema of the built-in agent"));
                }
                for field in unknown(
                    their,
                    &[
                        "id",
                        "name",
                        "description",
                        "mode",
                        "kind",
                        "pauseChoices",
                        "pauseDisplayFields",
                        "pauseInstructions",
                    ],
                ) {
                    self.note(format!("`{field}` of stage {id} has no counterpart"));
                }
            }
        }
        if let Some(pauses) = flow["pauseAfterStages"].as_array() {
            let known = |id: &&Value| theirs.iter().any(|stage| same(&stage["id"], id));
            let pauses: Vec<Value> = pauses.iter().filter(known).cloned().collect();
            self.tell_of_auto_advance(flow, &pauses);
            ours["controlFlow"]["pauseAfterStages"] = Value::Array(pauses);
        }
        self.repair_counts(flow, &mut ours);
        self.borrow_sources(&mut ours);
        ours
    }

    /// How often their units repair, where the built-in agent has the same unit.
    fn repair_counts(&mut self, flow: &Value, ours: &mut Value) {
        let Some(units) = ours["controlFlow"]["repairUnits"].as_array_mut() else { return };
        let ids = |unit: &Value| -> Vec<String> {
            unit["stages"].as_array().into_iter().flatten().map(plain_id).collect()
        };
        for theirs in flow["repairUnits"].as_array().into_iter().flatten() {
            match units.iter_mut().find(|unit| ids(unit) == ids(theirs)) {
                Some(unit) => {
                    if let Some(most) = theirs["maxIterations"].as_u64() {
                        unit["maxIterations"] = most.clamp(1, 10).into();
                    }
                }
                None => self.notes_of_unit(&ids(theirs)),
            }
        }
    }

    fn notes_of_unit(&mut self, stages: &[String]) {
        let stages = stages.join(", ");
        self.note(format!(
            "the repair of the stages {stages} was left out: the built-in agent repairs others"
        ));
    }

    /// Its stages call the program's own sources; conversations with it have those that its page names.
    fn borrow_sources(&mut self, ours: &mut Value) {
        let mut used = ours["sources"].as_array().cloned().unwrap_or_default();
        self.borrowed = used.iter().filter_map(|source| source["slug"].as_str()).map(str::to_owned).collect();
        let more = self.sources.iter().filter(|slug| !self.borrowed.contains(slug));
        used.extend(more.map(|slug| json!({"slug": slug, "required": false})));
        ours["sources"] = Value::Array(used);
    }
}

/// Names files of a built-in agent in a way that another agent can: `@<agent>/<file>`.
fn borrow_files(config: &mut Value, slug: &str) {
    let share = |value: &mut Value| {
        if let Some(name) = value.as_str().filter(|name| !name.starts_with('@')) {
            *value = format!("@{slug}/{name}").into();
        }
    };
    let of_stage = |stage: &mut Map<String, Value>| {
        for field in ["prompt", "outputSchema"] {
            stage.get_mut(field).into_iter().for_each(share);
        }
        let sections = stage.get_mut("context").and_then(Value::as_array_mut).into_iter().flatten();
        sections.filter_map(|section| section.get_mut("prompt")).for_each(share);
    };
    let stages = config["controlFlow"]["stages"].as_array_mut().into_iter().flatten();
    for stage in stages.filter_map(Value::as_object_mut) {
        of_stage(stage);
        stage.get_mut("repair").and_then(Value::as_object_mut).into_iter().for_each(of_stage);
        stage.get_mut("pass").and_then(|pass| pass.get_mut("feedback")).into_iter().for_each(share);
    }
    for pointer in ["/inputSchema", "/checkpoint/schema", "/orchestrator/system"] {
        config.pointer_mut(pointer).into_iter().for_each(share);
    }
    let data = config.get_mut("data").and_then(Value::as_object_mut).into_iter();
    data.flat_map(|data| data.values_mut()).for_each(share);
}
