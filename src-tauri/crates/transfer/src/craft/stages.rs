//! Stages of an agent that runs by itself: each asks a model, with what the stages before it gave.

use serde_json::{Map, Value, json};

use super::agent::{Agent, line};
use super::unknown;

/// Stages that more than these are not read.
pub(super) const MAX_STAGES: usize = 100;
/// The built-in tools that do what a stage of theirs can do with files and commands.
const TOOLS: [&str; 6] = ["read", "list", "search", "write", "edit", "shell"];
/// Fields of a stage's answer that hold a text to read, the fullest first.
const TEXTS: [&str; 7] = ["synthesis", "answer", "markdown", "report", "document", "text", "summary"];

impl Agent<'_> {
    pub(super) fn stage(
        &mut self,
        index: usize,
        stage: &Value,
        flow: &Value,
        before: &[String],
        prompts: &[(String, String)],
    ) -> Value {
        let id = match &stage["id"] {
            id @ (Value::Number(_) | Value::String(_)) => id.clone(),
            _ => json!(index),
        };
        let shown = plain_id(&id);
        let given = stage["name"].as_str().unwrap_or_default();
        let mut name = name_of(stage);
        while before.contains(&name) {
            name.push_str("_again");
        }
        if name != given {
            self.note(format!("stage {shown} is now called `{name}`"));
        }
        let dialogue =
            stage["mode"].as_str() == Some("sdk_breakout") || stage["kind"].as_str() == Some("dialogue");
        let file = format!("stage-{shown}-{}.md", name.replace('_', "-"));
        let text = prompt_of(prompts, &shown, given).map(str::to_owned).unwrap_or_else(|| {
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
    pub(super) fn repairs(&mut self, flow: &Value, stages: &mut Vec<Value>) -> Vec<Value> {
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

    /// A last stage that no model wrote there: the document, made of the text that a stage before it wrote.
    pub(super) fn rendering(&mut self, stage: &Value, before: &[Value]) -> Option<Value> {
        let writes = |stage: &&Value| {
            let name = stage["name"].as_str().unwrap_or_default();
            ["synth", "answer", "write", "draft", "report"].iter().any(|word| name.contains(word))
        };
        let source = before.iter().rev().find(writes).or(before.last())?;
        let of = source["name"].as_str()?;
        let declared = source["outputSchema"]["properties"].as_object();
        let known =
            TEXTS.into_iter().find(|field| declared.is_some_and(|fields| fields.contains_key(*field)));
        let answer = match (declared, known) {
            (None, _) | (Some(_), Some("synthesis")) => format!("outputs.{of}"),
            (Some(_), Some(field)) => format!("outputs.{of}.{field}"),
            (Some(_), None) => return None,
        };
        let shown = plain_id(&stage["id"]);
        self.note(format!(
            "stage {shown} makes the document of what `{of}` gives, without a model, as it did there"
        ));
        let title = line(&stage["description"]).map(|line| line.chars().take(60).collect::<String>());
        Some(json!({
            "id": stage["id"], "name": name_of(stage), "title": title.unwrap_or_else(|| "Document".to_owned()),
            "kind": "render", "document": {"answer": answer},
        }))
    }
}

/// The name under which expressions read a stage's output.
pub(super) fn name_of(stage: &Value) -> String {
    let given = stage["name"].as_str().unwrap_or_default();
    let name: String =
        given.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("stage_{name}") }
}

/// The prompt of a stage: `stage-{id}-{name}.md`, or the one file that names its id.
pub(super) fn prompt_of<'p>(prompts: &'p [(String, String)], id: &str, name: &str) -> Option<&'p str> {
    let exact = [format!("stage-{id}-{name}.md"), format!("stage-{id}-{}.md", name.replace('_', "-"))];
    let begins = format!("stage-{id}-");
    let found = prompts.iter().find(|(file, _)| exact.contains(file));
    let found = found.or_else(|| prompts.iter().find(|(file, _)| file.starts_with(&begins)));
    found.map(|(_, text)| text.as_str()).filter(|text| !text.trim().is_empty())
}

pub(super) fn plain_id(id: &Value) -> String {
    match id {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(super) fn same(one: &Value, other: &Value) -> bool {
    plain_id(one) == plain_id(other)
}

/// A prompt that holds no template: what looks like one stays text.
pub(super) fn literal(text: &str) -> String {
    let marks = ["{{", "{%", "{#"];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return text.to_owned();
    }
    if !text.contains("endraw") {
        return format!("{{% raw %}}{text}{{% endraw %}}");
    }
    // What ends a raw part is written mark by mark.
    let (mut out, mut rest) = (String::new(), text);
    while let Some((at, mark)) = marks.iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min() {
        out.push_str(&rest[..at]);
        out.push_str(&format!("{{{{ '{mark}' }}}}"));
        rest = &rest[at + mark.len()..];
    }
    out.push_str(rest);
    out
}
