//! What stands beside an agent's stages: depths, efforts and budgets, follow-ups, thresholds, the document.

use serde_json::{Map, Value, json};

use super::agent::Agent;
use super::stages::plain_id;
use super::unknown;

/// The most of a number of tokens, as an agent's own loader has it.
const MAX_TOKENS: u64 = 100_000_000;
/// The context window of an agent that names none.
const DEFAULT_WINDOW: u64 = 200_000;
/// The most bytes of the name of a document's file.
const MAX_FILE_NAME_BYTES: usize = 128;

impl Agent<'_> {
    /// Puts every setting of theirs over `ours`.
    pub(super) fn settings(&mut self, config: &Value, ours: &mut Value) {
        self.depths(config, ours);
        if let Some(theirs) = config["orchestrator"].as_object() {
            self.orchestrator(theirs, ours);
        }
        self.follow_up(&config["followUp"], ours);
        self.verification(&config["verification"], ours);
        self.output(&config["output"], ours);
    }

    fn depths(&mut self, config: &Value, ours: &mut Value) {
        let known = ours["depthModes"].as_object().cloned().unwrap_or_default();
        let own_default = ours["defaultDepth"].as_str().and_then(|mode| known.get(mode)).cloned();
        let mut modes = Map::new();
        for (mode, settings) in config["depthModes"].as_object().into_iter().flatten() {
            let Some(settings) = settings.as_object() else {
                self.note(format!("`depthModes.{mode}` is no list of settings and was left out"));
                continue;
            };
            // A stage that is the program's own reads settings that theirs does not have.
            let mut all = known
                .get(mode)
                .or(own_default.as_ref())
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
            for (name, value) in settings {
                let readable = identifier(name);
                if readable != *name {
                    self.note(format!("the setting `{name}` of the depth {mode} is now called `{readable}`"));
                }
                all.insert(readable, value.clone());
            }
            modes.insert(mode.clone(), Value::Object(all));
        }
        if modes.is_empty() {
            return;
        }
        let wanted = [
            config["defaultDepth"].as_str(),
            ours["defaultDepth"].as_str(),
            Some("standard"),
            Some("normal"),
            Some("quick"),
        ];
        let default = wanted.into_iter().flatten().find(|mode| modes.contains_key(*mode));
        let first = modes.keys().next().map(String::as_str);
        ours["defaultDepth"] = json!(default.or(first));
        ours["depthModes"] = Value::Object(modes);
    }

    fn orchestrator(&mut self, theirs: &Map<String, Value>, config: &mut Value) {
        let mut ours = config["orchestrator"].as_object().cloned().unwrap_or_default();
        for (field, value) in theirs {
            match (field.as_str(), value) {
                ("enabled", _) | (_, Value::Null) => {}
                ("model", Value::String(_)) => {
                    ours.insert(field.clone(), value.clone());
                }
                ("contextWindow" | "minOutputBudget" | "maxOutputTokens" | "budgetTokens", _) => {
                    match whole(value).filter(|tokens| (1..=MAX_TOKENS).contains(tokens)) {
                        Some(tokens) => {
                            ours.insert(field.clone(), tokens.into());
                        }
                        None => self.note(format!(
                            "`orchestrator.{field}` is no number of tokens ({value}) and was left out"
                        )),
                    }
                }
                ("budgetUsd" | "budgetMinutes", _) => match number(value).filter(|most| *most > 0.0) {
                    Some(most) => {
                        ours.insert(field.clone(), json!(most));
                    }
                    None => {
                        self.note(format!("`orchestrator.{field}` is no limit ({value}) and was left out"))
                    }
                },
                ("thinking", _) => match self.thinking(value) {
                    Some(thinks) => {
                        ours.insert(field.clone(), thinks.into());
                    }
                    None => self.note(format!(
                        "`orchestrator.thinking` is {value}, which says neither yes nor no, and was left out"
                    )),
                },
                ("perStageDesiredTokens", Value::Object(desired)) => {
                    let desired = self.desired(desired, config);
                    ours.insert(field.clone(), Value::Object(desired));
                }
                ("effort", Value::String(effort)) => {
                    if let Some(known) = self.effort(effort) {
                        ours.insert(field.clone(), known.into());
                    }
                }
                ("depthModeEffort", Value::Object(efforts)) => {
                    let mut by_mode = Map::new();
                    for (mode, effort) in efforts {
                        let there =
                            config["depthModes"].as_object().is_none_or(|modes| modes.contains_key(mode));
                        match effort.as_str().filter(|_| there) {
                            Some(effort) => {
                                by_mode.extend(self.effort(effort).map(|known| (mode.clone(), known.into())));
                            }
                            None => self.note(format!("the effort of the depth {mode:?} was left out: there is no such depth, or it is no effort")),
                        }
                    }
                    ours.insert(field.clone(), Value::Object(by_mode));
                }
                (field, _) => self.note(format!("`orchestrator.{field}` has no counterpart")),
            }
        }
        let window = ours.get("contextWindow").and_then(Value::as_u64).unwrap_or(DEFAULT_WINDOW);
        if ours.get("minOutputBudget").and_then(Value::as_u64).is_some_and(|least| least >= window) {
            ours.remove("minOutputBudget");
            self.note("`orchestrator.minOutputBudget` is no less than the context window and was left out");
        }
        config["orchestrator"] = Value::Object(ours);
    }

    /// Tokens wanted by stage. None wanted means that no model takes part.
    fn desired(&mut self, desired: &Map<String, Value>, config: &Value) -> Map<String, Value> {
        let stages = config["controlFlow"]["stages"].as_array().cloned().unwrap_or_default();
        let mut out = Map::new();
        for (id, tokens) in desired {
            let Some(stage) = stages.iter().find(|stage| plain_id(&stage["id"]) == *id) else {
                self.note(format!(
                    "`orchestrator.perStageDesiredTokens` names the stage {id}, which is not there"
                ));
                continue;
            };
            let asks = matches!(stage["kind"].as_str(), Some("model" | "dialogue"));
            match whole(tokens).filter(|tokens| *tokens <= MAX_TOKENS) {
                Some(0) if asks => self.note(format!(
                    "stage {id} wanted no tokens, so code ran it there; here a model does, with as many as it needs"
                )),
                Some(0) => self.note(format!("stage {id} wants no tokens: here, too, it runs without a model")),
                Some(tokens) => {
                    out.insert(id.clone(), tokens.into());
                }
                None => self.note(format!("the tokens wanted by stage {id} are no number ({tokens}) and were left out")),
            }
        }
        out
    }

    fn thinking(&mut self, value: &Value) -> Option<bool> {
        let word = match value {
            Value::Bool(thinks) => return Some(*thinks),
            Value::String(word) => word,
            Value::Object(setting) => {
                if setting.keys().any(|name| name.contains("udget")) {
                    self.note("`orchestrator.thinking` names a budget; here the effort says how much a model thinks");
                }
                setting.get("type").and_then(Value::as_str)?
            }
            Value::Null | Value::Number(_) | Value::Array(_) => return None,
        };
        match word.to_ascii_lowercase().as_str() {
            "adaptive" | "enabled" | "on" | "true" | "auto" => Some(true),
            "disabled" | "off" | "none" | "false" => Some(false),
            _ => None,
        }
    }

    fn effort(&mut self, effort: &str) -> Option<&'static str> {
        let known = match effort {
            "low" => "low",
            "medium" => "medium",
            "high" => "high",
            "max" => "max",
            "xhigh" => "max",
            "minimal" | "none" => "low",
            _ => {
                self.note(format!("the effort {effort:?} has no counterpart"));
                return None;
            }
        };
        if known != effort {
            self.note(format!("the effort {effort:?} became {known:?}"));
        }
        Some(known)
    }

    fn follow_up(&mut self, theirs: &Value, config: &mut Value) {
        let mut ours = config["followUp"].as_object().cloned().unwrap_or_default();
        if let Value::Bool(enabled) = theirs {
            ours.insert("enabled".to_owned(), (*enabled).into());
        }
        for (field, value) in theirs.as_object().into_iter().flatten() {
            let known = match (field.as_str(), value) {
                ("enabled", Value::Bool(_)) => value.clone(),
                // There, paragraphs of the earlier answer were left out or not.
                ("deltaRetrieval", Value::Bool(true)) => "exclude".into(),
                ("deltaRetrieval", Value::Bool(false)) => "off".into(),
                ("deltaRetrieval", Value::String(word))
                    if ["demote", "exclude", "off"].contains(&word.as_str()) =>
                {
                    value.clone()
                }
                _ => {
                    self.note(format!("`followUp.{field}` ({value}) has no counterpart"));
                    continue;
                }
            };
            ours.insert(field.clone(), known);
        }
        if !ours.is_empty() {
            config["followUp"] = Value::Object(ours);
        }
    }

    fn verification(&mut self, theirs: &Value, config: &mut Value) {
        let mut ours = config["verification"]["thresholds"].as_object().cloned().unwrap_or_default();
        let before = ours.clone();
        let listed = theirs["thresholds"].as_object().into_iter().flatten();
        let beside = theirs.as_object().into_iter().flatten().filter(|(name, _)| *name != "thresholds");
        for (axis, value) in listed.chain(beside) {
            let share =
                number(value).map(|score| if score > 1.0 && score <= 100.0 { score / 100.0 } else { score });
            match share.filter(|share| (0.0..=1.0).contains(share)) {
                Some(share) => {
                    if number(value) != Some(share) {
                        self.note(format!("the threshold {axis} of {value} percent is now {share}"));
                    }
                    ours.insert(identifier(axis), json!(share));
                }
                None => self.note(format!("`verification.{axis}` ({value}) has no counterpart")),
            }
        }
        if ours != before {
            config["verification"] = json!({"thresholds": ours});
        }
    }

    fn output(&mut self, theirs: &Value, config: &mut Value) {
        let mut ours = config["output"].as_object().cloned().unwrap_or_default();
        let Some(fields) = theirs.as_object() else { return };
        for (field, value) in fields {
            match (field.as_str(), value) {
                ("titleTemplate", Value::String(text)) => {
                    ours.insert(field.clone(), self.template(text).into());
                }
                ("followupTitleTemplate" | "followUpTitleTemplate", Value::String(text)) => {
                    ours.insert("followupTitleTemplate".to_owned(), self.template(text).into());
                }
                ("files", Value::Object(files)) => {
                    for other in unknown(value, &["answerFile"]) {
                        self.note(format!("`output.files.{other}` has no counterpart: its contents stand in the document and in answer.json"));
                    }
                    if let Some(name) = files.get("answerFile").and_then(Value::as_str) {
                        match file_name(name) {
                            Some(plain) => {
                                if plain != name {
                                    self.note(format!(
                                        "the document's file {name:?} is now called {plain:?}"
                                    ));
                                }
                                ours.insert("files".to_owned(), json!({"answerFile": plain}));
                            }
                            None => self.note(format!(
                                "`output.files.answerFile` ({name:?}) can't be a file's name and was left out"
                            )),
                        }
                    }
                }
                ("webReference", Value::Object(reference)) => {
                    let mut web =
                        ours.get("webReference").and_then(Value::as_object).cloned().unwrap_or_default();
                    for other in unknown(value, &["refFormat", "linkToOriginal"]) {
                        self.note(format!("`output.webReference.{other}` has no counterpart"));
                    }
                    if let Some(form) = reference.get("refFormat").and_then(Value::as_str) {
                        let numbered = ["{n}", "{number}", "{index}", "{i}"]
                            .into_iter()
                            .fold(form.to_owned(), |form, name| form.replace(name, "{num}"));
                        match numbered.contains("{num}") {
                            true => {
                                web.insert("refFormat".to_owned(), numbered.into());
                            }
                            false => self.note(format!("`output.webReference.refFormat` ({form:?}) has no number in it and was left out")),
                        }
                    }
                    if let Some(links @ Value::Bool(_)) = reference.get("linkToOriginal") {
                        web.insert("linkToOriginal".to_owned(), links.clone());
                    }
                    ours.insert("webReference".to_owned(), Value::Object(web));
                }
                _ => self.note(format!("`output.{field}` has no counterpart")),
            }
        }
        if !ours.is_empty() {
            config["output"] = Value::Object(ours);
        }
    }

    /// A title with the names of theirs in braces as variables of ours.
    fn template(&mut self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(open) = rest.find('{') {
            let doubled = rest[open..].starts_with("{{");
            let (marks, end) = if doubled { (2, "}}") } else { (1, "}") };
            let inner = rest[open + marks..].find(end).map(|close| &rest[open + marks..open + marks + close]);
            let Some(inner) = inner else { break };
            let before = &rest[..open];
            out.push_str(before.strip_suffix('$').unwrap_or(before));
            let plain: String =
                inner.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
            match plain.as_str() {
                "query" | "question" | "request" | "originalquery" | "originalquestion" | "usermessage"
                | "topic" => {
                    out.push_str("{{ request }}");
                }
                "followupnumber" | "number" | "num" | "n" => out.push_str("{{ followup_number }}"),
                "depth" | "depthmode" => out.push_str("{{ depth_name }}"),
                _ => {
                    self.note(format!(
                        "`{{{inner}}}` of a title has no counterpart and stays as it is written"
                    ));
                    out.push_str(&format!("({})", inner.replace(['{', '}', '%', '#'], "").trim()));
                }
            }
            rest = &rest[open + marks + inner.len() + end.len()..];
        }
        // What is left opens nothing.
        out.push_str(&rest.replace("{{", "(").replace("{%", "(").replace("{#", "("));
        if out.trim().is_empty() { "{{ request }}".to_owned() } else { out }
    }
}

/// A whole number, however it is written.
fn whole(value: &Value) -> Option<u64> {
    let number = number(value)?;
    (number >= 0.0 && number.fract() == 0.0 && number < 1e15).then_some(number as u64)
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    number.filter(|number| number.is_finite())
}

/// A name that expressions can read.
fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("setting_{plain}") }
}

/// The plain name of a Markdown file.
fn file_name(path: &str) -> Option<String> {
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let stem = last.strip_suffix(".md").unwrap_or(last);
    let plain = !stem.is_empty()
        && !stem.starts_with('.')
        && !stem.contains([':', '\0', '{', '}'])
        && stem.len() + 3 <= MAX_FILE_NAME_BYTES;
    plain.then(|| format!("{stem}.md"))
}
