use std::path::{Path, PathBuf};

use serde_json::Value;
use workspace::{
    agent_schema, connections_schema, labels_schema, mission_schema, permissions_schema, source_schema,
    statuses_schema, theme_schema, views_schema,
};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

/// Compares a shipped copy with what the types say, or writes it when `UPDATE_SCHEMAS` is set.
fn is_current(path: &str, schema: &Value) {
    let mut text = serde_json::to_string_pretty(schema).unwrap();
    text.push('\n');
    let path = repository(path);
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let shipped = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shipped == text, "{} is stale: UPDATE_SCHEMAS=1 cargo test -p workspace", path.display());
}

#[test]
fn the_shipped_agent_schema_is_the_types() {
    is_current("agents/agent.schema.json", &agent_schema());
}

#[test]
fn the_shipped_mission_schema_is_the_types() {
    is_current("agents/mission.schema.json", &mission_schema());
}

#[test]
fn the_shipped_source_schema_is_the_types() {
    is_current("sources/source.schema.json", &source_schema());
}

#[test]
fn the_shipped_connections_schema_is_the_types() {
    is_current("sources/connections.schema.json", &connections_schema());
}

#[test]
fn the_shipped_permissions_schema_is_the_types() {
    is_current("sources/permissions.schema.json", &permissions_schema());
}

#[test]
fn the_shipped_schemas_of_what_orders_sessions_are_the_types() {
    is_current("sources/statuses.schema.json", &statuses_schema());
    is_current("sources/labels.schema.json", &labels_schema());
    is_current("sources/views.schema.json", &views_schema());
}

#[test]
fn the_shipped_schema_of_themes_is_the_type() {
    is_current("sources/theme.schema.json", &theme_schema());
}

#[test]
fn the_schemas_compile_and_describe_every_field() {
    let of_sessions = [statuses_schema(), labels_schema(), views_schema()];
    let others =
        [agent_schema(), source_schema(), connections_schema(), permissions_schema(), theme_schema()];
    for schema in of_sessions.into_iter().chain(others) {
        jsonschema::options().offline().build(&schema).unwrap();
        let objects = schema["$defs"].as_object().into_iter().flat_map(|definitions| definitions.values());
        for object in objects.chain([&schema]) {
            for (name, field) in object["properties"].as_object().into_iter().flatten() {
                assert!(field["description"].is_string(), "{name} of {}", object["description"]);
            }
        }
    }
}
