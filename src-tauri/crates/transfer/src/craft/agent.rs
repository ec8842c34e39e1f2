//! The fork's agents: `AGENT.md`, `config.json`, `prompts/stage-{id}-{name}.md`.

use std::path::Path;

use serde_json::{Value, json};

use super::counterpart::Counterpart;
use super::stages::{MAX_STAGES, plain_id, same};
use super::{BoundedReader, Content, CraftWorkspace, NewFile, built_in_tools, pretty, unknown};

/// Fields of a configuration that are read.
const READ: [&str; 16] = [
    "$schema",
    "controlFlow",
    "orchestrator",
    "depthModes",
    "defaultDepth",
    "followUp",
    "verification",
    "output",
    "icon",
    "displayName",
    "slug",
    "name",
    "description",
    "examples",
    "enabled",
    "version",
];
/// The most examples, and the most bytes of one, as an agent's own loader has them.
const MAX_EXAMPLES: usize = 12;
const MAX_EXAMPLE_BYTES: usize = 400;

impl BoundedReader<'_> {
    pub(super) fn agent(&mut self, folder: &Path, out: &mut CraftWorkspace) {
        let Some(slug) = self.slug(folder, "agent") else { return };
        let place = folder.display().to_string();
        let Some(page) = self.text(&folder.join("AGENT.md"), "agent", &slug) else {
            return self.report.leave_out("agent", &slug, "it has no AGENT.md", &place);
        };
        let path = folder.join("config.json");
        let config = match self.json(&path, "agent", &slug) {
            Some(config) => config,
            // One that is there and can't be read was told of.
            None if std::fs::symlink_metadata(&path).is_ok() => return,
            None => Value::Null,
        };
        if is_own(&config) {
            // It is in our form already, from another workspace of this program.
            return self.tree(folder, "agent", &slug, &format!("agents/{slug}"), &mut out.files);
        }
        let (head, body) = page_of(&page);
        let head = head.unwrap_or_default();
        let staged = config["controlFlow"]["stages"].as_array().is_some_and(|stages| !stages.is_empty());
        if !staged && !head.is_object() {
            let why = "it has no stages, and its AGENT.md has no head that names it";
            return self.report.leave_out("agent", &slug, why, &place);
        }
        let name =
            line(&config["displayName"]).or_else(|| line(&head["name"])).or_else(|| line(&config["name"]));
        let described = line(&head["description"]).or_else(|| line(&config["description"]));
        let mut change = Agent {
            name: name.unwrap_or_else(|| slug.clone()),
            description: described.unwrap_or_else(|| format!("Brought over: {slug}")),
            slug: &slug,
            sources: names(&head["sources"]),
            tools: tools(&head["tools"]),
            borrowed: Vec::new(),
            prompts: Vec::new(),
            notes: Vec::new(),
        };
        for field in unknown(&head, &["name", "description", "sources", "tools", "type", "slug"]) {
            change.note(format!("`{field}` of AGENT.md has no counterpart"));
        }
        for field in unknown(&config, &READ) {
            change.note(format!("`{field}` has no counterpart"));
        }
        let icons = self.icon(folder, &config["icon"], &mut change);
        let ours = staged.then(|| {
            let prompts = self.prompts(&folder.join("prompts"), &slug);
            change.config(&config, &prompts)
        });
        let Agent { name, description, sources, tools, borrowed, prompts, notes, .. } = change;
        for why in notes {
            self.report.change("agent", &slug, why, &place);
        }
        if !borrowed.is_empty() {
            out.borrowed.insert(slug.clone(), borrowed);
        }
        let mut file = |name: &str, content: Content| {
            out.files.push(NewFile {
                kind: "agent",
                what: slug.clone(),
                path: format!("agents/{slug}/{name}"),
                content,
                place: place.clone(),
            });
        };
        let quoted = |text: &str| Value::String(text.to_owned()).to_string();
        let mut page = format!("---\nname: {}\ndescription: {}\n", quoted(&name), quoted(&description));
        for (field, list) in [("sources", &sources), ("tools", &tools)] {
            if !list.is_empty() {
                page.push_str(&format!("{field}: {}\n", json!(list)));
            }
        }
        page.push_str(&format!("---\n\n{}\n", body.trim()));
        file("AGENT.md", Content::Bytes(page.into_bytes()));
        if let Some(ours) = ours {
            file("config.json", Content::Bytes(pretty(&ours)));
        }
        for (name, text) in prompts {
            file(&format!("prompts/{name}"), Content::Bytes(text.into_bytes()));
        }
        for (name, content) in icons {
            file(name, content);
        }
    }

    /// The texts of a folder's prompt files, by name.
    fn prompts(&mut self, folder: &Path, slug: &str) -> Vec<(String, String)> {
        let files = self.files(folder, "md");
        let named = files.into_iter().filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            Some((name, self.text(&path, "agent", slug)?))
        });
        named.collect()
    }

    /// The agent's picture: a file of its folder, or a sign that its configuration gives.
    fn icon(&self, folder: &Path, icon: &Value, change: &mut Agent<'_>) -> Vec<(&'static str, Content)> {
        let is_file = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
        let own = ["icon.svg", "icon.png"].map(|name| (name, folder.join(name)));
        let mut found: Vec<_> = own.into_iter().filter(|(_, path)| is_file(path)).collect();
        let Some(icon) = icon.as_str().map(str::trim).filter(|icon| !icon.is_empty()) else {
            return copies(found);
        };
        let relative = icon.strip_prefix("./").unwrap_or(icon);
        let plain = !relative.contains(['/', '\\']) && is_file(&folder.join(relative));
        match relative.rsplit('.').next() {
            _ if !found.is_empty() => {}
            Some("svg") if plain => found.push(("icon.svg", folder.join(relative))),
            Some("png") if plain => found.push(("icon.png", folder.join(relative))),
            _ if icon.chars().count() <= 8 && !icon.contains(['<', '>', '&', '.', '/', ':']) => {
                return vec![("icon.svg", Content::Bytes(sign(icon).into_bytes()))];
            }
            _ => change
                .note("its `icon` is no file of its folder and no sign; put an `icon.svg` into its folder"),
        }
        copies(found)
    }
}

/// Whether a configuration is one of this program: its stages say of what kind they are.
fn is_own(config: &Value) -> bool {
    let ours = ["model", "tools", "verify", "render", "agent"];
    let stages = config["controlFlow"]["stages"].as_array().into_iter().flatten();
    stages.filter_map(|stage| stage["kind"].as_str()).any(|kind| ours.contains(&kind))
}

fn copies(found: Vec<(&'static str, std::path::PathBuf)>) -> Vec<(&'static str, Content)> {
    found.into_iter().map(|(name, path)| (name, Content::Copy(path))).collect()
}

/// A picture that shows a sign, such as an emoji.
fn sign(text: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\"><text x=\"32\" y=\"47\" font-size=\"44\" \
         text-anchor=\"middle\">{text}</text></svg>\n"
    )
}

/// The head of a page and what follows it; `None` where it has no head that can be read.
fn page_of(page: &str) -> (Option<Value>, &str) {
    let split = page.trim_start().strip_prefix("---").and_then(|rest| {
        let end = rest.find("\n---")?;
        Some((&rest[..end], rest[end + 4..].trim_start_matches('-')))
    });
    match split {
        Some((head, body)) => (serde_yaml_ng::from_str(head).ok(), body),
        None => (None, page),
    }
}

/// A text on one line, where there is one.
pub(super) fn line(value: &Value) -> Option<String> {
    let text = value.as_str()?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// Names in a list, each once, whether they are texts or objects that have a slug or a name; one alone may be a text.
fn names(list: &Value) -> Vec<String> {
    let named = |value: &Value| {
        let name = value.as_str().or_else(|| value["slug"].as_str()).or_else(|| value["name"].as_str())?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    };
    let mut out: Vec<String> = Vec::new();
    let all = list.as_array().into_iter().flatten().filter_map(named);
    let one = list.as_str().into_iter().flat_map(|list| list.split(',')).map(|name| name.trim().to_owned());
    for name in all.chain(one.filter(|name| !name.is_empty())) {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// The tools that its conversations have: of those built in there, the ones that do the same here.
fn tools(list: &Value) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names(list) {
        // `mcp__<source>__<tool>` is how that program named a tool of a source.
        let plain = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map(|(_, tool)| tool);
        let plain = plain.unwrap_or(&name);
        let ours = built_in_tools(plain);
        let all = if ours.is_empty() {
            vec![plain.to_owned()]
        } else {
            ours.iter().map(|&tool| tool.to_owned()).collect()
        };
        for tool in all {
            if !out.contains(&tool) {
                out.push(tool);
            }
        }
    }
    out
}

/// An agent on its way into our form.
pub(super) struct Agent<'a> {
    pub(super) slug: &'a str,
    pub(super) name: String,
    pub(super) description: String,
    /// Slugs of the sources that its page names.
    pub(super) sources: Vec<String>,
    tools: Vec<String>,
    /// Sources of the program's own that its stages call.
    pub(super) borrowed: Vec<String>,
    pub(super) prompts: Vec<(String, String)>,
    notes: Vec<String>,
}

impl Agent<'_> {
    pub(super) fn note(&mut self, why: impl Into<String>) {
        self.notes.push(why.into());
    }

    /// The whole configuration; there are stages.
    fn config(&mut self, config: &Value, prompts: &[(String, String)]) -> Value {
        let flow = &config["controlFlow"];
        let stages: Vec<&Value> = flow["stages"].as_array().into_iter().flatten().take(MAX_STAGES).collect();
        for field in
            unknown(flow, &["stages", "repairUnits", "pauseAfterStages", "autoAdvance", "stageOutputSchemas"])
        {
            self.note(format!("`controlFlow.{field}` has no counterpart"));
        }
        let mut out = match Counterpart::find(&stages) {
            Some(counterpart) => self.like(&counterpart, config, &stages, prompts),
            None => self.own_stages(config, &stages, prompts),
        };
        self.settings(config, &mut out);
        if let Some(examples) = config["examples"].as_array() {
            let fits = |text: &&str| !text.trim().is_empty() && text.len() <= MAX_EXAMPLE_BYTES;
            let fitting = examples.iter().filter_map(Value::as_str).filter(fits).take(MAX_EXAMPLES);
            out["examples"] = fitting.collect();
        }
        out
    }

    /// An agent whose stages are all its own.
    fn own_stages(&mut self, config: &Value, stages: &[&Value], prompts: &[(String, String)]) -> Value {
        let flow = &config["controlFlow"];
        let silent = silent(config);
        let mut ours: Vec<Value> = Vec::new();
        let mut named: Vec<String> = Vec::new();
        for (index, stage) in stages.iter().enumerate() {
            let is_last = index + 1 == stages.len();
            let made = match is_last && silent.iter().any(|id| same(&stage["id"], id)) {
                true => self.rendering(stage, &ours),
                false => None,
            };
            let made = made.unwrap_or_else(|| self.stage(index, stage, flow, &named, prompts));
            named.push(made["name"].as_str().unwrap_or_default().to_owned());
            ours.push(made);
        }
        let units = self.repairs(flow, &mut ours);
        let mut pauses: Vec<Value> = flow["pauseAfterStages"].as_array().cloned().unwrap_or_default();
        pauses.retain(|id| ours.iter().any(|stage| same(&stage["id"], id)));
        self.tell_of_auto_advance(flow, &pauses);
        // A stage that talks calls its sources; no other stage does by itself.
        let required = ours.iter().any(|stage| stage["kind"] == "dialogue");
        let used = self.sources.iter().map(|slug| json!({"slug": slug, "required": required}));
        json!({
            "slug": self.slug, "name": self.name, "description": self.description,
            "sources": used.collect::<Vec<_>>(),
            "controlFlow": {"stages": ours, "repairUnits": units, "pauseAfterStages": pauses},
        })
    }

    pub(super) fn tell_of_auto_advance(&mut self, flow: &Value, pauses: &[Value]) {
        if flow["autoAdvance"] == Value::Bool(true) && !pauses.is_empty() {
            self.note("with `autoAdvance` it did not stop where no choices were given; ours stops after every stage that it lists");
        }
    }
}

/// Ids of stages that want no tokens: code ran them, no model.
fn silent(config: &Value) -> Vec<Value> {
    let desired = config["orchestrator"]["perStageDesiredTokens"].as_object().into_iter().flatten();
    desired
        .filter(|(_, tokens)| tokens.as_f64() == Some(0.0))
        .map(|(id, _)| json!(plain_id(&json!(id))))
        .collect()
}
