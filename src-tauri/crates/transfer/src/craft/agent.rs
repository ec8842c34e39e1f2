//! The fork's agents: `AGENT.md`, `config.json`, `prompts/stage-{id}-{name}.md`.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{BoundedReader, Content, CraftWorkspace, NewFile, pretty, unknown};

/// Stages that more than these are not read.
const MAX_STAGES: usize = 100;

/// The built-in tools that do what a stage of theirs can do with files and commands.
const TOOLS: [&str; 6] = ["read", "list", "search", "write", "edit", "shell"];

impl BoundedReader<'_> {
    pub(super) fn agent(&mut self, folder: &Path, out: &mut CraftWorkspace) {
        let Some(slug) = self.slug(folder, "agent") else { return };
        let place = folder.display().to_string();
        let Some(page) = self.text(&folder.join("AGENT.md"), "agent", &slug) else {
            return self.report.leave_out("agent", &slug, "it has no AGENT.md", &place);
        };
        let Some(config) = self.json(&folder.join("config.json"), "agent", &slug) else {
            return self.report.leave_out("agent", &slug, "it has no config.json that can be read", &place);
        };
        let (head, body) = page_of(&page);
        let mut change = Agent {
            slug: &slug,
            name: word(&head, "name").unwrap_or_else(|| slug.clone()),
            description: word(&head, "description").unwrap_or_else(|| format!("Brought over: {slug}")),
            sources: sources_of(&head),
            prompts: Vec::new(),
            notes: Vec::new(),
        };
        for field in unknown(&head, &["name", "description", "sources", "type"]) {
            change.note(format!("`{field}` of AGENT.md has no counterpart"));
        }
        let Some(ours) = change.config(&config, |name| {
            let path = folder.join("prompts").join(name);
            self.text(&path, "agent", &slug)
        }) else {
            return self.report.leave_out("agent", &slug, "it has no stages", &place);
        };
        let Agent { name, description, sources, prompts, notes, .. } = change;
        for why in notes {
            self.report.change("agent", &slug, why, &place);
        }
        let mut file = |name: &str, bytes: Vec<u8>| {
            out.files.push(NewFile {
                kind: "agent",
                what: slug.clone(),
                path: format!("agents/{slug}/{name}"),
                content: Content::Bytes(bytes),
                place: place.clone(),
            });
        };
        let quoted = |text: &str| Value::String(text.to_owned()).to_string();
        let page = format!(
            "---\nname: {}\ndescription: {}\nsources: {}\n---\n\n{}\n",
            quoted(&name),
            quoted(&description),
            json!(sources),
            body.trim()
        );
        file("AGENT.md", page.into_bytes());
        file("config.json", pretty(&ours));
        for (name, text) in prompts {
            file(&format!("prompts/{name}"), text.into_bytes());
        }
        for name in ["icon.svg", "icon.png"] {
            let icon = folder.join(name);
            if std::fs::symlink_metadata(&icon).is_ok_and(|about| about.is_file()) {
                out.files.push(NewFile {
                    kind: "agent",
                    what: slug.clone(),
                    path: format!("agents/{slug}/{name}"),
                    content: Content::Copy(icon),
                    place: place.clone(),
                });
            }
        }
        self.report.keep("agent", 1);
    }
}

/// The head of a page and what follows it.
fn page_of(page: &str) -> (Value, &str) {
    let split = page.trim_start().strip_prefix("---").and_then(|rest| {
        let end = rest.find("\n---")?;
        Some((&rest[..end], rest[end + 4..].trim_start_matches('-')))
    });
    match split {
        Some((head, body)) => (serde_yaml_ng::from_str(head).unwrap_or(Value::Null), body),
        None => (Value::Null, page),
    }
}

fn word(head: &Value, name: &str) -> Option<String> {
    let text = head[name].as_str()?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// Slugs of sources, whether they are listed as texts or as objects.
fn sources_of(head: &Value) -> Vec<String> {
    let all = head["sources"].as_array().into_iter().flatten();
    let mut out: Vec<String> = Vec::new();
    for slug in all.filter_map(|source| source.as_str().or_else(|| source["slug"].as_str())) {
        if !out.iter().any(|known| known == slug) {
            out.push(slug.to_owned());
        }
    }
    out
}

/// An agent on its way into our form.
struct Agent<'a> {
    slug: &'a str,
    name: String,
    description: String,
    sources: Vec<String>,
    prompts: Vec<(String, String)>,
    notes: Vec<String>,
}

impl Agent<'_> {
    fn note(&mut self, why: impl Into<String>) {
        self.notes.push(why.into());
    }

    fn config(&mut self, config: &Value, mut prompt: impl FnMut(&str) -> Option<String>) -> Option<Value> {
        let flow = &config["controlFlow"];
        let stages = flow["stages"].as_array().filter(|stages| !stages.is_empty())?;
        let mut ours: Vec<Value> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (index, stage) in stages.iter().take(MAX_STAGES).enumerate() {
            let made = self.stage(index, stage, flow, &names, &mut prompt);
            names.push(made["name"].as_str().unwrap_or_default().to_owned());
            ours.push(made);
        }
        let units = self.repairs(flow, &mut ours);
        let mut pauses: Vec<Value> = flow["pauseAfterStages"].as_array().cloned().unwrap_or_default();
        pauses.retain(|id| ours.iter().any(|stage| same(&stage["id"], id)));
        if flow["autoAdvance"] == Value::Bool(true) && !pauses.is_empty() {
            self.note("with `autoAdvance` it did not stop where no choices were given; ours stops after every stage that it lists");
        }
        for field in
            unknown(flow, &["stages", "repairUnits", "pauseAfterStages", "autoAdvance", "stageOutputSchemas"])
        {
            self.note(format!("`controlFlow.{field}` has no counterpart"));
        }
        for field in unknown(
            config,
            &["controlFlow", "orchestrator", "depthModes", "slug", "name", "description", "$schema"],
        ) {
            self.note(format!("`{field}` has no counterpart"));
        }
        let mut out = json!({
            "slug": self.slug, "name": self.name, "description": self.description,
            "sources": self.sources.iter().map(|slug| json!({"slug": slug})).collect::<Vec<_>>(),
            "controlFlow": {"stages": ours, "repairUnits": units, "pauseAfterStages": pauses},
        });
        if let Some(modes) = config["depthModes"].as_object().filter(|modes| !modes.is_empty()) {
            out["depthModes"] = Value::Object(modes.clone());
            let standard = ["standard", "normal", "quick"].into_iter().find(|mode| modes.contains_key(*mode));
            let first = modes.keys().next().map(String::as_str);
            out["defaultDepth"] = json!(standard.or(first));
        }
        if let Some(orchestrator) = config["orchestrator"].as_object() {
            out["orchestrator"] = self.orchestrator(orchestrator);
        }
        Some(out)
    }

    fn orchestrator(&mut self, theirs: &Map<String, Value>) -> Value {
        let mut ours = Map::new();
        for (field, value) in theirs {
            match (field.as_str(), value) {
                ("enabled", _) => {}
                ("model", Value::String(_))
                | ("budgetUsd" | "contextWindow", Value::Number(_))
                | ("thinking", Value::Bool(_)) => {
                    ours.insert(field.clone(), value.clone());
                }
                ("perStageDesiredTokens", Value::Object(_)) => {
                    ours.insert(field.clone(), value.clone());
                }
                ("effort", Value::String(effort)) => {
                    let known = match effort.as_str() {
                        effort @ ("low" | "medium" | "high" | "max") => Some(effort),
                        "xhigh" => Some("max"),
                        "minimal" => Some("low"),
                        _ => None,
                    };
                    if let Some(effort) = known {
                        ours.insert("effort".to_owned(), effort.into());
                    }
                    match known {
                        Some(known) if known == effort => {}
                        Some(known) => self.note(format!("the effort {effort:?} became {known:?}")),
                        None => self.note(format!("the effort {effort:?} has no counterpart")),
                    }
                }
                (field, _) => self.note(format!("`orchestrator.{field}` has no counterpart")),
            }
        }
        Value::Object(ours)
    }

    fn stage(
        &mut self,
        index: usize,
        stage: &Value,
        flow: &Value,
        before: &[String],
        prompt: &mut impl FnMut(&str) -> Option<String>,
    ) -> Value {
        let id = match &stage["id"] {
            id @ (Value::Number(_) | Value::String(_)) => id.clone(),
            _ => json!(index),
        };
        let shown = plain_id(&id);
        let given = stage["name"].as_str().unwrap_or_default();
        let mut name: String = given
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name = format!("stage_{name}");
        }
        while before.contains(&name) {
            name.push_str("_again");
        }
        if name != given {
            self.note(format!("stage {shown} is now called `{name}`"));
        }
        let dialogue =
            stage["mode"].as_str() == Some("sdk_breakout") || stage["kind"].as_str() == Some("dialogue");
        let file = format!("stage-{shown}-{}.md", name.replace('_', "-"));
        let names = [format!("stage-{shown}-{given}.md"), file.clone()];
        let text = names.iter().find_map(|name| prompt(name)).unwrap_or_else(|| {
            self.note(format!(
                "stage {shown} has no prompt file: there, code that is no part of the agent may have run it. Here a model \
                 gets its description; write a prompt, or make it a stage of the kind `tools`, `verify` or `render`"
            ));
            stage["description"].as_str().unwrap_or("Do this stage's work.").to_owned()
        });
        self.prompts.push((file.clone(), literal(&text)));
        let title = stage["description"].as_str().map(|line| line.chars().take(60).collect::<String>());
        let mut context = vec![json!({"section": "REQUEST", "value": "request"})];
        context.extend(before.iter().map(|name| {
            let section: String = format!("OUTPUT_{}", name.to_ascii_uppercase()).chars().take(64).collect();
            json!({"section": section, "value": format!("outputs.{name}")})
        }));
        context.push(json!({"section": "USER_ANSWERS", "value": "user_answers"}));
        context.push(json!({"section": "AMEND_FEEDBACK", "value": "feedback", "form": "lines"}));
        let mut ours = json!({
            "id": id, "name": name,
            "title": title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| given.replace('_', " ")),
            "kind": if dialogue { "dialogue" } else { "model" },
            "prompt": file, "context": context,
        });
        if dialogue {
            let mut tools: Vec<Value> = TOOLS.into_iter().map(Value::from).collect();
            tools.extend(self.sources.iter().map(|slug| json!(format!("{slug}/*"))));
            ours["tools"] = Value::Array(tools);
            self.note(format!(
                "stage {shown} (`sdk_breakout`) is now a dialogue; what its model may call stands in `tools`"
            ));
        }
        if let Some(schema) = flow["stageOutputSchemas"].get(&shown) {
            ours["outputSchema"] = self.schema(&shown, schema);
        }
        if let Some(choices) = stage["pauseChoices"].as_array().filter(|choices| !choices.is_empty()) {
            ours["pause"] = json!({"choices": self.choices(&shown, choices)});
        }
        if let Some(fields) = stage["pauseDisplayFields"].as_array().filter(|fields| !fields.is_empty()) {
            ours["display"] = self.display(given, fields);
        }
        for field in unknown(
            stage,
            &["id", "name", "description", "mode", "kind", "pauseChoices", "pauseDisplayFields"],
        ) {
            self.note(format!("`{field}` of stage {shown} has no counterpart"));
        }
        ours
    }

    fn schema(&mut self, shown: &str, theirs: &Value) -> Value {
        if theirs["enforcement"].as_str() == Some("warn") {
            self.note(format!(
                "the schema of stage {shown} only warned; ours refuses an answer that does not satisfy it"
            ));
        }
        if theirs["blockMessage"].is_string() {
            self.note(format!("`blockMessage` of stage {shown} has no counterpart"));
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        for (field, value) in theirs.as_object().into_iter().flatten() {
            if !["enforcement", "blockMessage", "type"].contains(&field.as_str()) {
                schema.insert(field.clone(), value.clone());
            }
        }
        Value::Object(schema)
    }

    fn choices(&mut self, shown: &str, theirs: &[Value]) -> Vec<Value> {
        let mut out: Vec<Value> = Vec::new();
        for label in theirs.iter().filter_map(Value::as_str).take(12) {
            let lower = label.to_lowercase();
            let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            let action = if has(&["cancel", "abort", "stop"]) {
                "cancel"
            } else if has(&["amend", "modify", "change", "revise", "adjust", "edit", "refine"]) {
                "amend"
            } else {
                "proceed"
            };
            if action == "proceed" && !has(&["proceed", "continue", "accept", "approve", "yes", "ok", "go"]) {
                self.note(format!("the choice {label:?} of stage {shown} goes on; check what it is to do"));
            }
            let id: String =
                lower.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(40).collect();
            let id = if out.iter().any(|known| known["id"] == json!(id)) {
                format!("{id}_{}", out.len())
            } else {
                id
            };
            out.push(json!({"id": id, "label": label, "action": action}));
        }
        if !out.iter().any(|choice| choice["action"] == "cancel") {
            out.push(json!({"id": "cancel", "label": "Cancel", "action": "cancel"}));
        }
        out
    }

    fn display(&mut self, name: &str, theirs: &[Value]) -> Value {
        let mut sections = Vec::new();
        for field in theirs.iter().take(30) {
            let Some(key) = field["key"].as_str().filter(|key| !key.is_empty()) else { continue };
            let mut section = json!({"title": field["label"].as_str().unwrap_or(key), "path": key});
            if let Some(template) = field["itemTemplate"].as_str() {
                section["item"] = template.into();
            }
            if field["type"].as_str() == Some("key-value") && field["displayKeys"].is_array() {
                self.note(format!("`displayKeys` of {key} has no counterpart: all keys are shown"));
            }
            sections.push(section);
        }
        json!({"header": name.replace('_', " "), "sections": sections})
    }

    /// Repair units. Theirs ask the last stage's answer whether to repair; ours ask a stage of its own that only decides.
    fn repairs(&mut self, flow: &Value, stages: &mut Vec<Value>) -> Vec<Value> {
        let mut units = Vec::new();
        for unit in flow["repairUnits"].as_array().into_iter().flatten().take(20) {
            let ids: Vec<Value> = unit["stages"].as_array().cloned().unwrap_or_default();
            let places: Option<Vec<usize>> =
                ids.iter().map(|id| stages.iter().position(|stage| same(&stage["id"], id))).collect();
            let Some(last) =
                places.filter(|places| !places.is_empty()).and_then(|places| places.last().copied())
            else {
                self.note("a repair unit names stages that are not there, and was left out");
                continue;
            };
            let of = stages[last]["name"].as_str().unwrap_or_default().to_owned();
            let check = format!("check_{of}");
            let feedback = unit["feedbackField"].as_str().unwrap_or("repair_feedback");
            let file = format!("{}.md", check.replace('_', "-"));
            let readable = feedback.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let field = if readable && !feedback.is_empty() { feedback } else { "repair_feedback" };
            self.prompts.push((file.clone(), format!("{{{{ outputs.{of}.{field} }}}}\n")));
            let next = stages.get(last + 1).map(|stage| stage["id"].clone());
            stages.insert(
                last + 1,
                json!({
                    "id": check, "name": check, "title": "Check", "kind": "verify",
                    "dependsOn": [stages[last]["id"]],
                    "pass": {"when": format!("not outputs.{of}.needsRepair"), "feedback": file},
                }),
            );
            // Without this the next stage would still wait for the one before.
            if next.is_some()
                && let Some(stage) = stages.get_mut(last + 2)
            {
                stage["dependsOn"] = json!([check]);
            }
            let mut ids = ids;
            ids.push(json!(check));
            self.note(format!("whether `{of}` needs repair is now decided by a stage of its own, `{check}`"));
            let most = unit["maxIterations"].as_u64().unwrap_or(2).clamp(1, 10);
            units.push(json!({"stages": ids, "maxIterations": most}));
        }
        units
    }
}

fn plain_id(id: &Value) -> String {
    match id {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn same(one: &Value, other: &Value) -> bool {
    plain_id(one) == plain_id(other)
}

/// A prompt that holds no template: what looks like one stays text.
fn literal(text: &str) -> String {
    let odd = ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark));
    if !odd {
        return text.to_owned();
    }
    format!("{{% raw %}}{}{{% endraw %}}", text.replace("{% endraw %}", "").replace("{%endraw%}", ""))
}
