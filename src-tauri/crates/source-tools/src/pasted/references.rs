//! What stands in a configuration for a value that its program fills in: a question to the person, a variable, a folder.

use std::collections::BTreeMap;

use serde_json::Value;

/// What stands around a server in its configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    /// What its program asks the person, by id.
    pub(super) inputs: BTreeMap<String, Input>,
    /// The folder of the project that it belongs to.
    pub(super) project: Option<String>,
}

/// Something that a program asks the person when a server starts.
#[derive(Debug, Clone, Default)]
pub(super) struct Input {
    /// The question.
    pub(super) description: String,
    /// The value that is offered.
    pub(super) default: Option<String>,
    /// Whether the answer is a secret.
    pub(super) password: bool,
}

impl Input {
    /// All of a list, by id.
    pub(super) fn all(list: Option<&Value>) -> BTreeMap<String, Self> {
        let inputs = list.and_then(Value::as_array).into_iter().flatten();
        inputs
            .filter_map(|input| {
                let text = |field: &str| input.get(field).and_then(Value::as_str);
                let of = Self {
                    description: text("description").unwrap_or_default().to_owned(),
                    default: text("default").filter(|value| !value.is_empty()).map(str::to_owned),
                    password: input.get("password").and_then(Value::as_bool).unwrap_or_default(),
                };
                Some((text("id")?.to_owned(), of))
            })
            .take(200)
            .collect()
    }
}

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as it is.
    Text(String),
    /// What is filled in, and where it comes from in words.
    Open(String),
}

impl Surroundings {
    /// The parts of a value. What is known here is filled in: the home folder, the project's folder, defaults that are no
    /// secrets. `sensitive`: no default may stand in a file.
    pub(super) fn pieces(&self, value: &str, sensitive: bool) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if is_blank(value) {
            return vec![Piece::Open("a value that is to be filled in".to_owned())];
        }
        if let Some(name) = value.strip_prefix('$').filter(|name| is_name(name)) {
            return vec![self.variable(name, None, sensitive)];
        }
        let mut left = value;
        while let Some((at, reference, after)) = next_reference(left) {
            if at > 0 {
                pieces.push(Piece::Text(left[..at].to_owned()));
            }
            pieces.push(self.piece(reference, sensitive));
            left = after;
        }
        if !left.is_empty() {
            pieces.push(Piece::Text(left.to_owned()));
        }
        pieces
    }

    fn piece(&self, reference: &str, sensitive: bool) -> Piece {
        let (kind, name) = reference.split_once(':').unwrap_or((reference, ""));
        match kind {
            "input" => {
                let input = self.inputs.get(name).cloned().unwrap_or_default();
                match input.default.filter(|_| !input.password && !sensitive) {
                    Some(default) => Piece::Text(default),
                    None if input.description.is_empty() => {
                        Piece::Open(format!("what its program asks for as {name}"))
                    }
                    None => {
                        Piece::Open(format!("what its program asks for as {name}: {}", input.description))
                    }
                }
            }
            "env" => self.variable(name, None, sensitive),
            "userHome" | "home" => {
                home().map_or_else(|| Piece::Open("the home folder".to_owned()), Piece::Text)
            }
            "pathSeparator" | "/" => Piece::Text(std::path::MAIN_SEPARATOR.to_string()),
            "workspaceFolder" | "workspaceRoot" | "cwd" | "PWD" | "CLAUDE_PROJECT_DIR" => match &self.project
            {
                Some(project) => Piece::Text(project.clone()),
                None => Piece::Open("the folder that is open in its program".to_owned()),
            },
            "file" => Piece::Open(format!("what the file {name} holds")),
            _ => match reference.split_once(":-") {
                Some((name, default)) if is_name(name) => self.variable(name, Some(default), sensitive),
                _ if is_name(reference) => self.variable(reference, None, sensitive),
                _ => Piece::Open(format!("what its program fills in for {reference}")),
            },
        }
    }

    fn variable(&self, name: &str, default: Option<&str>, sensitive: bool) -> Piece {
        match (name, default) {
            ("HOME" | "USERPROFILE", _) if home().is_some() => Piece::Text(home().unwrap_or_default()),
            (_, Some(default)) if !sensitive && !default.is_empty() => Piece::Text(default.to_owned()),
            _ => Piece::Open(format!("the environment variable {name}")),
        }
    }
}

/// The next reference of a value: where it begins, what stands in it, and what comes after it.
fn next_reference(text: &str) -> Option<(usize, &str, &str)> {
    let begins = ["${", "{env:", "{file:", "$("];
    let (at, begin) =
        begins.iter().filter_map(|begin| Some((text.find(begin)?, *begin))).min_by_key(|(at, _)| *at)?;
    let close = if begin == "$(" { ')' } else { '}' };
    let inside = &text[at + if begin.starts_with('$') { 2 } else { 1 }..];
    let (reference, after) = inside.split_once(close)?;
    Some((at, reference, after))
}

/// The variable whose value a text is as a whole.
pub(super) fn whole_variable(value: &str) -> Option<&str> {
    let inside = value
        .strip_prefix("${env:")
        .or_else(|| value.strip_prefix("{env:"))
        .or_else(|| value.strip_prefix("${"));
    let name = match inside {
        Some(inside) => inside.strip_suffix('}')?,
        None => value.strip_prefix('$')?,
    };
    is_name(name).then_some(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a value only stands for one that the person writes: `<your key>`, `YOUR_TOKEN`, or nothing.
fn is_blank(value: &str) -> bool {
    let value = value.trim();
    let upper = value.to_ascii_uppercase();
    value.is_empty()
        || (value.starts_with('<') && value.ends_with('>'))
        || ["YOUR_", "YOUR-", "YOUR "].iter().any(|begin| upper.starts_with(begin))
}

fn home() -> Option<String> {
    let home = std::env::var("HOME").or_else(|_| std::env::var("USERPROFILE")).ok();
    home.filter(|home| !home.is_empty())
}
