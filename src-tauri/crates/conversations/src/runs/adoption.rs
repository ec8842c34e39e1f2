//! Results that a run takes over from the files of an earlier one whose log is lost.

use std::path::{Path, PathBuf};

use context::{Scope, Templates};
use domain::agent::AdoptSpec;
use domain::{ErrorCode, Problem};
use serde_json::{Map, Value, json};
use workspace::{Agent, AgentEntry};

/// Why a result is not taken over, for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
struct NotWhole(String);

/// The input that lists every file with what became of it.
const LIST: &str = "adoption";
/// The input with the state files that are taken over.
const STATES: &str = "adopted_states";
/// The status of a state whose work is done.
const COMPLETE: &str = "complete";
/// The most files of one kind that are looked at.
const MAX_FILES: usize = 500;
/// The most bytes of one file.
const MAX_BYTES: u64 = 8 << 20;

/// The inputs of a run with what it can take over from a folder: results that are whole, and whose text stands in its file as it
/// was written, with the states of what wrote them. Everything else is listed with the reason, and done anew. `agents` are asked
/// for the schemas of the states.
///
/// # Errors
/// The agent takes nothing over, or there is no such folder.
pub(super) fn adopt(
    agent: &Agent,
    agents: &[AgentEntry],
    folder: &str,
    inputs: Option<Value>,
) -> Result<Value, Problem> {
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
    let (mut list, mut states) = (Vec::new(), Vec::new());
    let mut row = |file: &str, found: Result<(), &NotWhole>| {
        list.push(json!({ "file": file, "taken": found.is_ok(), "why": found.err().map(|why| &why.0) }));
    };
    for spec in &config.adopts {
        let mut taken = Vec::new();
        for path in candidates(root, &spec.files) {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let found = whole(&templates, spec, root, &path);
            row(&name, found.as_ref().map(|_| ()));
            let Ok(item) = found else { continue };
            if let Some(file) = &spec.state_file {
                let state = state_of(&templates, agents, root, file, &item);
                row(&state.file, state.found.as_ref().map(|_| ()));
                states.extend(state.found.map(|found| json!({ "file": state.file, "state": found })));
            }
            taken.push(item);
        }
        inputs.insert(spec.input.clone(), Value::Array(taken));
    }
    let properties = agent.input_schema.as_ref().and_then(|schema| schema.get("properties"));
    for (name, value) in [(LIST, list), (STATES, states)] {
        if properties.is_some_and(|properties| properties.get(name).is_some()) {
            inputs.insert(name.to_owned(), Value::Array(value));
        }
    }
    Ok(Value::Object(inputs))
}

/// The files that a pattern with one `*` in its last name means, sorted; without one the file that it names, there or not.
fn candidates(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let Some((before, after)) = name.split_once('*') else { return vec![root.join(pattern)] };
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Vec::new() };
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
    found
}

/// What a file holds, where it is whole; else why it is not.
fn whole(templates: &Templates, spec: &AdoptSpec, root: &Path, path: &Path) -> Result<Value, NotWhole> {
    let item: Value =
        serde_json::from_str(&text_of(path)?).map_err(|error| NotWhole(format!("not JSON: {error}")))?;
    let mut scope = Scope::new();
    scope.set("item", &item);
    let is_whole = templates.truthy(&spec.when, &scope).map_err(|error| NotWhole(error.to_string()))?;
    if !is_whole {
        let why = spec.when_not.as_deref();
        let why = why.unwrap_or("it is not whole: too short, cut, changed, or without what it needs");
        return Err(NotWhole(why.to_owned()));
    }
    let (file, text) = match (&spec.text_file, &spec.text) {
        (None, None) => return Ok(item),
        (Some(file), Some(text)) => (file, text),
        (Some(_), None) | (None, Some(_)) => {
            return Err(NotWhole("its agent names only one of `textFile` and `text`".to_owned()));
        }
    };
    let name = named(templates, file, &scope)?;
    let text = templates.eval(text, &scope).map_err(|error| NotWhole(error.to_string()))?;
    match text_of(&root.join(&name))? == text.as_str().unwrap_or_default() {
        true => Ok(item),
        false => Err(NotWhole(format!("{name} has another text than when it was written"))),
    }
}

/// A path in the folder.
fn named(templates: &Templates, file: &str, scope: &Scope) -> Result<String, NotWhole> {
    let name = templates.render(file, scope).map_err(|error| NotWhole(error.to_string()))?;
    let stays = Path::new(&name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if stays { Ok(name) } else { Err(NotWhole(format!("{name} leads out of the folder"))) }
}

/// The state of what wrote a result.
struct FoundState {
    file: String,
    found: Result<Value, NotWhole>,
}

/// The state file of a result that is taken over.
fn state_of(
    templates: &Templates,
    agents: &[AgentEntry],
    root: &Path,
    file: &str,
    item: &Value,
) -> FoundState {
    let mut scope = Scope::new();
    scope.set("item", item);
    let file = match named(templates, file, &scope) {
        Ok(file) => file,
        Err(why) => return FoundState { file: file.to_owned(), found: Err(why) },
    };
    let found = read_state(agents, &root.join(&file))
        .map_err(|why| NotWhole(format!("{why}; it is derived from the result", why = why.0)));
    FoundState { file, found }
}

/// A state that fits its schema and is complete.
fn read_state(agents: &[AgentEntry], path: &Path) -> Result<Value, NotWhole> {
    let text = text_of(path)?;
    let (_, faults) =
        workspace::check_state_file(agents, path, &text).map_err(|error| NotWhole(error.to_string()))?;
    if let Some(fault) = faults.first() {
        return Err(NotWhole(format!("it does not fit its schema: {fault}")));
    }
    let state: Value = serde_json::from_str(&text).map_err(|error| NotWhole(format!("not JSON: {error}")))?;
    match state["status"] == COMPLETE {
        true => Ok(state),
        false => Err(NotWhole("it is not the state of complete work".to_owned())),
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
            when_not: None,
            text_file: Some("parts/{{ item.id }}.md".to_owned()),
            text: Some("item.text".to_owned()),
            state_file: None,
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
        let files = candidates(root.path(), &spec().files);
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

    #[test]
    fn one_file_is_looked_for_by_its_name_and_said_to_be_missing() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("plan.json.changed"), "{}").unwrap();
        let one = AdoptSpec {
            files: "plan.json".to_owned(),
            when: "item.seal == item.facts|digest".to_owned(),
            when_not: Some("nobody signed it".to_owned()),
            text_file: None,
            text: None,
            ..spec()
        };
        let paths = candidates(root.path(), &one.files);
        assert_eq!(paths, [root.path().join("plan.json")]);
        let found = || whole(&Templates::new(), &one, root.path(), &paths[0]);
        assert_eq!(found().unwrap_err().0, "plan.json is missing");
        let facts = json!(["a", { "b": 1 }]);
        let seal = domain::Digest::of_json(&facts).to_string();
        let write = |facts: &Value| {
            std::fs::write(&paths[0], json!({ "seal": seal, "facts": facts }).to_string()).unwrap();
        };
        write(&facts);
        assert_eq!(found().unwrap()["facts"], facts);
        write(&json!(["a", { "b": 2 }]));
        assert_eq!(found().unwrap_err().0, "nobody signed it");
    }

    #[test]
    fn a_state_is_taken_over_where_it_fits_its_schema_and_is_complete() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("none-state.json");
        let why = || read_state(&[], &path).unwrap_err().0;
        assert_eq!(why(), "none-state.json is missing");
        std::fs::write(&path, r#"{"status": "complete"}"#).unwrap();
        assert!(why().contains("no agent writes a state file called none-state.json"), "{}", why());
        let item = json!({ "id": "../x" });
        let state = state_of(&Templates::new(), &[], root.path(), "{{ item.id }}.json", &item);
        assert!(state.found.unwrap_err().0.contains("leads out"));
    }
}
