//! Calls every tool of a server over stdio through a source, with arguments made from its schemas.
//!
//! `sources-reference <folder> <command> <argument>…`: the folder is where paths among the arguments lead. The last line
//! says how many tools there were and how their calls ended; a call that broke the connection or the protocol is a failure.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sources::{CallLimits, Source, SourceConfig, SourceError, SourceErrorKind, SourceState};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(command)) = (arguments.next(), arguments.next()) else {
        eprintln!("give a folder and a command");
        return ExitCode::from(2);
    };
    let config = SourceConfig::new("reference", command).with_args(arguments);
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::from(2);
    };
    match runtime.block_on(call_all(config, Path::new(&folder))) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn call_all(config: SourceConfig, folder: &Path) -> Result<bool, SourceError> {
    let source = Source::start(config, None, None).await?;
    let (mut good, mut told, mut bad) = (0, 0, 0);
    for tool in source.tools().values() {
        let given = object_for(&tool.input_schema, folder);
        // Some of them only show that they can take long: that they are waited for no longer is the right outcome.
        let limits = CallLimits::within(Duration::from_secs(5));
        match source.call(&tool.name, given, limits).await {
            Ok(outcome) => {
                good += 1;
                println!("{}: {} bytes", tool.name, outcome.bytes);
            }
            Err(error) => match error.kind {
                SourceErrorKind::Tool { .. }
                | SourceErrorKind::Refused { .. }
                | SourceErrorKind::Deadline { .. } => {
                    told += 1;
                    println!("{}: {}", tool.name, error.kind);
                }
                kind => {
                    bad += 1;
                    println!("{}: BROKEN: {kind}", tool.name);
                }
            },
        }
    }
    let (count, state) = (source.tools().len(), source.state());
    let server = source.server().unwrap_or_default();
    source.close().await;
    if bad > 0 || state != SourceState::Ready {
        println!("{bad} calls broke; state {}", state.name());
        return Ok(false);
    }
    println!(
        "tools: {count}; answered: {good}; told what is wrong with the made-up arguments: {told}; {server}"
    );
    Ok(true)
}

/// An object that fits a schema as far as that can be made up.
fn object_for(schema: &Value, folder: &Path) -> Value {
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let values: Map<String, Value> = properties
        .iter()
        .filter(|(name, _)| required.contains(&name.as_str()))
        .map(|(name, property)| (name.clone(), value_for(name, property, folder)))
        .collect();
    Value::Object(values)
}

fn value_for(name: &str, schema: &Value, folder: &Path) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    match schema["type"].as_str() {
        Some("number" | "integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(false),
        Some("array") => json!([value_for(name, &schema["items"], folder)]),
        Some("object") => object_for(schema, folder),
        Some(_) | None => match name {
            "repo_path" => json!(folder),
            "path" | "paths" => json!(folder.join("note.txt")),
            "source" | "destination" => json!(folder.join(format!("{name}.txt"))),
            "source_timezone" | "target_timezone" | "timezone" => json!("UTC"),
            "time" => json!("12:00"),
            // Nothing listens there: a page elsewhere is not asked for.
            "url" => json!("http://127.0.0.1:9/"),
            _ => json!("test"),
        },
    }
}
