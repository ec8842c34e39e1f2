//! Names of agents and sources in the files that refer to them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use workspace::ShippedKind;

/// What things are called here, by what they were called there; only those with another name.
#[derive(Debug, Default, Clone)]
pub struct Names(BTreeMap<(ShippedKind, String), String>);

impl Names {
    /// Notes a name.
    pub fn add(&mut self, kind: ShippedKind, was: &str, is: &str) {
        if was != is {
            self.0.insert((kind, was.to_owned()), is.to_owned());
        }
    }

    /// Forgets the names of what is not here.
    pub fn remove(&mut self, gone: &[(ShippedKind, String)]) {
        self.0.retain(|was, _| !gone.contains(was));
    }

    /// Takes others in.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// What something is called here.
    pub fn name_of<'n>(&'n self, kind: ShippedKind, was: &'n str) -> &'n str {
        self.0.get(&(kind, was.to_owned())).map_or(was, String::as_str)
    }

    /// A rule file with the names of its sources as they are here; `None` where nothing changes.
    pub fn in_rules(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut value: Value = serde_json::from_slice(bytes).ok()?;
        let mut changed = false;
        for rule in value["rules"].as_array_mut()? {
            let Some(was) = rule["source"].as_str().map(str::to_owned) else { continue };
            let here = self.name_of(ShippedKind::Source, &was);
            if here != was {
                rule["source"] = here.into();
                changed = true;
            }
        }
        changed.then(|| transfer::craft::pretty(&value))
    }
}

/// Whose file is rewritten, and what it may refer to.
pub struct Rewritten<'a> {
    pub kind: ShippedKind,
    pub was: &'a str,
    pub slug: &'a str,
    pub names: &'a Names,
    /// Sources that mean the program's own, in what its stages call.
    pub built_in: &'a [String],
    /// Sources that there are.
    pub known: &'a BTreeSet<String>,
}

/// A main file with every name as it is here; as it was where there is nothing to change or it can't be read, which its loader
/// tells.
pub fn rewrite(of: &Rewritten<'_>, name: &str, bytes: Vec<u8>, notes: &mut Vec<String>) -> Vec<u8> {
    if name.ends_with(".json") {
        let Ok(before) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
        let mut value = before.clone();
        if let Some(slug) = value.get_mut("slug").filter(|slug| *slug == of.was) {
            *slug = of.slug.into();
        }
        if of.kind == ShippedKind::Agent {
            of.agent(&mut value, notes);
        }
        return if value == before { bytes } else { transfer::craft::pretty(&value) };
    }
    let Ok(text) = std::str::from_utf8(&bytes) else { return bytes };
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let Some((head, body)) = plain.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")) else {
        return bytes;
    };
    let Ok(before) = serde_yaml_ng::from_str::<Value>(head) else { return bytes };
    let mut value = before.clone();
    for field in ["sources", "requiredSources", "required_sources"] {
        if let Some(list) = value.get_mut(field) {
            of.sources(list, notes);
        }
    }
    if value == before {
        return bytes;
    }
    // JSON is YAML, and says each value without doubt.
    let lines =
        value.as_object().into_iter().flatten().map(|(field, value)| format!("{}: {value}\n", json!(field)));
    format!("---\n{}---{body}", lines.collect::<String>()).into_bytes()
}

impl Rewritten<'_> {
    fn source(&self, was: &str) -> String {
        self.names.name_of(ShippedKind::Source, was).to_owned()
    }

    /// `source/tool` with the source's name as it is here.
    fn tool(&self, tool: &mut Value) {
        if let Some((source, name)) = tool.as_str().and_then(|tool| tool.split_once('/'))
            && !self.built_in.iter().any(|own| own == source)
        {
            *tool = format!("{}/{name}", self.source(source)).into();
        }
    }

    /// A list of slugs, or one alone, without those that are not here.
    fn sources(&self, list: &mut Value, notes: &mut Vec<String>) {
        if let Some(was) = list.as_str().map(str::to_owned) {
            let here: Vec<String> = was.split(',').map(|name| self.source(name.trim())).collect();
            *list = here.join(", ").into();
        }
        let Some(items) = list.as_array_mut() else { return };
        items.retain_mut(|item| {
            let Some(was) = item.as_str().map(str::to_owned) else { return true };
            let here = self.source(&was);
            if here != was {
                notes.push(format!("its source `{was}` is the imported `{here}`"));
            }
            let there = self.kind != ShippedKind::Agent || self.known.contains(&here);
            if !there {
                notes.push(missing(&here));
            }
            *item = here.into();
            there
        });
    }

    fn agent(&self, config: &mut Value, notes: &mut Vec<String>) {
        let mut called = BTreeSet::new();
        let stages = config.pointer_mut("/controlFlow/stages").and_then(Value::as_array_mut);
        for stage in stages.into_iter().flatten() {
            let steps = stage.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten();
            for tool in steps.filter_map(|step| step.get_mut("tool")) {
                self.tool(tool);
                let source = tool.as_str().and_then(|tool| tool.split_once('/')).map(|(source, _)| source);
                called.extend(source.map(str::to_owned));
            }
            if let Some(tools) = stage.get_mut("tools").and_then(Value::as_array_mut) {
                tools.iter_mut().for_each(|tool| self.tool(tool));
                tools.retain(|tool| {
                    let source =
                        tool.as_str().and_then(|tool| tool.split_once('/')).map(|(source, _)| source);
                    source.is_none_or(|source| self.known.contains(source))
                });
            }
            self.children(stage, notes);
        }
        if let Some(of) = config.get_mut("partOf")
            && let Some(was) = of.as_str()
        {
            *of = self.names.name_of(ShippedKind::Agent, was).into();
        }
        let Some(used) = config.get_mut("sources").and_then(Value::as_array_mut) else { return };
        let mut more = Vec::new();
        for source in used.iter_mut() {
            let Some(was) = source["slug"].as_str().map(str::to_owned) else { continue };
            let here = self.source(&was);
            if here == was {
                continue;
            }
            if self.built_in.contains(&was) {
                // Stages call the program's own; conversations have the imported one.
                more.push(json!({"slug": here, "required": false}));
            } else {
                source["slug"] = here.into();
            }
        }
        used.extend(more);
        used.retain(|source| {
            let slug = source["slug"].as_str().unwrap_or_default();
            let there = self.known.contains(slug) || called.contains(slug);
            if !there {
                notes.push(missing(slug));
            }
            there
        });
    }

    /// The agents that a stage runs. One that is chosen by a template keeps the names that the template may give.
    fn children(&self, stage: &mut Value, notes: &mut Vec<String>) {
        let Some(agent) = stage.get("agent").and_then(Value::as_str).map(str::to_owned) else { return };
        let is_template = agent.contains('{');
        if !is_template {
            stage["agent"] = self.names.name_of(ShippedKind::Agent, &agent).into();
        }
        for item in stage.get_mut("agents").and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(was) = item.as_str().map(str::to_owned) else { continue };
            let here = self.names.name_of(ShippedKind::Agent, &was);
            match is_template && here != was {
                true => notes.push(format!(
                    "a stage chooses its agent by a template and so runs the built-in `{was}`, not `{here}`"
                )),
                false => *item = here.into(),
            }
        }
    }
}

fn missing(slug: &str) -> String {
    format!("its source `{slug}` is not here and was left out; add it under that name and list it again")
}
