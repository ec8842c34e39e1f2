//! Results that a run takes over from the files of an earlier one whose log is lost.

use std::path::{Path, PathBuf};

use context::{Scope, Templates};
use domain::agent::AdoptSpec;
use domain::{ErrorCode, Problem};
use serde_json::{Map, Value, json};
use workspace::Agent;

/// Why a result is not taken over, for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
struct NotWhole(String);

/// The input that lists every file with what became of it.
const LIST: &str = "adoption";
/// The most files of one kind that are looked at.
const MAX_FILES: usize = 500;
/// The most bytes of one file.
const MAX_BYTES: u64 = 8 << 20;

/// The inputs of a run with what it can take over from a folder: results that are whole, and whose text stands in its file as it
/// was written. Everything else is listed with the reason, and done anew.
///
/// # Errors
/// The agent takes nothing over, or there is no such folder.
pub(super) fn adopt(agent: &Agent, folder: &str, inputs: Option<Value>) -> Result<Value, Problem> {
    let config = &agent.config;
    if config.adopts.is_empty() {
        let what = format!("agent {} takes nothing over from files", config.slug);
        return Err(Problem::new(ErrorCode::InvalidInput, what).with_action("start the run without --adopt"));
    }
    let root = Path::new(folder);
    if !root.is_dir() {
        return Err(Problem::new(ErrorCode::NotFound, format!("there is no folder {folder}")).with_action(
            "name the folder of the session: `sessions/<id>` in the data directory, or a copy of it",
        ));
    }
    let mut inputs = match inputs {
        Some(Value::Object(inputs)) => inputs,
        Some(other) => return Ok(other),
        None => Map::new(),
    };
    let templates = Templates::new();
    let mut list = Vec::new();
    for spec in &config.adopts {
        let mut taken = Vec::new();
        for path in candidates(root, &spec.files)? {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let found = whole(&templates, spec, root, &path);
            list.push(json!({ "file": name, "taken": found.is_ok(), "why": found.as_ref().err().map(|why| &why.0) }));
            taken.extend(found);
        }
        inputs.insert(spec.input.clone(), Value::Array(taken));
    }
    let properties = agent.input_schema.as_ref().and_then(|schema| schema.get("properties"));
    if properties.is_some_and(|properties| properties.get(LIST).is_some()) {
        inputs.insert(LIST.to_owned(), Value::Array(list));
    }
    Ok(Value::Object(inputs))
}

/// The files that a pattern with one `*` in its last name means, sorted.
fn candidates(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, Problem> {
    let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let (before, after) = name.split_once('*').unwrap_or((name, ""));
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Ok(Vec::new()) };
    let is_meant = |name: &str| {
        name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
    };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| is_meant(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .take(MAX_FILES)
        .collect();
    found.sort();
    Ok(found)
}

/// What a file holds, where it is whole; else why it is not.
fn whole(templates: &Templates, spec: &AdoptSpec, root: &Path, path: &Path) -> Result<Value, NotWhole> {
    let item: Value =
        serde_json::from_str(&text_of(path)?).map_err(|error| NotWhole(format!("not JSON: {error}")))?;
    let mut scope = Scope::new();
    scope.set("item", &item);
    let is_whole = templates.truthy(&spec.when, &scope).map_err(|error| NotWhole(error.to_string()))?;
    if !is_whole {
        return Err(NotWhole("it is not whole: too short, cut, or without what it needs".to_owned()));
    }
    let name = templates.render(&spec.text_file, &scope).map_err(|error| NotWhole(error.to_string()))?;
    let stays = Path::new(&name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !stays {
        return Err(NotWhole(format!("{name} leads out of the folder")));
    }
    let text = templates.eval(&spec.text, &scope).map_err(|error| NotWhole(error.to_string()))?;
    match text_of(&root.join(&name))? == text.as_str().unwrap_or_default() {
        true => Ok(item),
        false => Err(NotWhole(format!("{name} has another text than when it was written"))),
    }
}

fn text_of(path: &Path) -> Result<String, NotWhole> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let about = std::fs::metadata(path).map_err(|_| NotWhole(format!("{name} is missing")))?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(NotWhole(format!("{name} is no file of at most {} MB", MAX_BYTES >> 20)));
    }
    std::fs::read_to_string(path).map_err(|error| NotWhole(format!("{name} can't be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> AdoptSpec {
        AdoptSpec {
            input: "done".to_owned(),
            files: "parts/*.json".to_owned(),
            when: "item.words >= 3".to_owned(),
            text_file: "parts/{{ item.id }}.md".to_owned(),
            text: "item.text".to_owned(),
        }
    }

    #[test]
    fn what_is_whole_and_unchanged_is_taken_and_everything_else_says_why_not() {
        let root = tempfile::tempdir().unwrap();
        let parts = root.path().join("parts");
        std::fs::create_dir(&parts).unwrap();
        let write = |id: &str, value: &str, text: Option<&str>| {
            std::fs::write(parts.join(format!("{id}.json")), value).unwrap();
            if let Some(text) = text {
                std::fs::write(parts.join(format!("{id}.md")), text).unwrap();
            }
        };
        write("a", r#"{"id": "a", "words": 3, "text": "one two three"}"#, Some("one two three"));
        write("b", r#"{"id": "b", "words": 2, "text": "one two"}"#, Some("one two"));
        write("c", r#"{"id": "c", "words": 3, "text": "one two three"}"#, Some("one two"));
        write("d", r#"{"id": "d", "words": 3, "text": "one two three"}"#, None);
        write("e", "{", None);
        write("f", r#"{"id": "../x", "words": 3, "text": ""}"#, None);
        let files = candidates(root.path(), &spec().files).unwrap();
        let found: Vec<String> = files
            .iter()
            .map(|path| match whole(&Templates::new(), &spec(), root.path(), path) {
                Ok(item) => item["id"].as_str().unwrap().to_owned(),
                Err(why) => why.0,
            })
            .collect();
        assert_eq!(found[0], "a");
        assert!(found[1].contains("not whole"), "{found:?}");
        assert!(found[2].contains("c.md has another text"), "{found:?}");
        assert!(found[3].contains("d.md is missing"), "{found:?}");
        assert!(found[4].contains("not JSON"), "{found:?}");
        assert!(found[5].contains("leads out"), "{found:?}");
    }
}
