//! JSON Schemas of the files a person edits, generated from their types, and compiled to check those files.

use std::sync::LazyLock;

use domain::agent::AgentConfig;
use domain::connection::Connection;
use domain::mission::MissionProfile;
use jsonschema::Validator;
use organise::{LabelList, StatusList, View};
use permissions::RuleFile;
use schemars::JsonSchema;
use serde_json::Value;

use crate::agent::FrontMatter;
use crate::connections::ConnectionsFile;
use crate::entries::WorkspaceConfig;
use crate::source::SourceConfig;
use crate::theme::Theme;
use crate::views::ViewsFile;

/// A schema and its validator.
pub(crate) struct CompiledSchema {
    pub schema: Value,
    pub validator: Option<Validator>,
}

/// The JSON Schema of an agent's `config.json`, as it is shipped in `agents/agent.schema.json`.
pub fn agent_schema() -> Value {
    titled::<AgentConfig>("Agent")
}

/// The JSON Schema of a mission's `mission.json`, as it is shipped in `agents/mission.schema.json`.
pub fn mission_schema() -> Value {
    titled::<MissionProfile>("Mission")
}

/// The JSON Schema of a source's `config.json`, as it is shipped in `sources/source.schema.json`.
pub fn source_schema() -> Value {
    titled::<SourceConfig>("Source")
}

/// The JSON Schema of `connections.json`, as it is shipped in `sources/connections.schema.json`.
pub fn connections_schema() -> Value {
    titled::<ConnectionsFile>("Connections")
}

/// The JSON Schema of a `permissions.json`, as it is shipped in `sources/permissions.schema.json`.
pub fn permissions_schema() -> Value {
    titled::<RuleFile>("Permissions")
}

/// The JSON Schema of `statuses/config.json`, as it is shipped in `sources/statuses.schema.json`.
pub fn statuses_schema() -> Value {
    titled::<StatusList>("Statuses")
}

/// The JSON Schema of `labels/config.json`, as it is shipped in `sources/labels.schema.json`.
pub fn labels_schema() -> Value {
    titled::<LabelList>("Labels")
}

/// The JSON Schema of `views.json`, as it is shipped in `sources/views.schema.json`.
pub fn views_schema() -> Value {
    titled::<ViewsFile>("Views")
}

/// The JSON Schema of a theme, as it is shipped in `sources/theme.schema.json`.
pub fn theme_schema() -> Value {
    titled::<Theme>("Theme")
}

/// The JSON Schema of a workspace's `config.json`.
pub fn workspace_schema() -> Value {
    titled::<WorkspaceConfig>("Workspace")
}

fn titled<T: JsonSchema>(title: &str) -> Value {
    let mut schema = schemars::schema_for!(T);
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

fn checked(schema: Value) -> CompiledSchema {
    // Generated schemas compile (a test proves it). If one did not, reading into the type would still refuse what is
    // wrong, only with less to say.
    let validator = jsonschema::options().offline().build(&schema).ok();
    CompiledSchema { schema, validator }
}

pub(crate) static AGENT: LazyLock<CompiledSchema> = LazyLock::new(|| checked(agent_schema()));
pub(crate) static MISSION: LazyLock<CompiledSchema> = LazyLock::new(|| checked(mission_schema()));
pub(crate) static SOURCE: LazyLock<CompiledSchema> = LazyLock::new(|| checked(source_schema()));
pub(crate) static CONNECTION: LazyLock<CompiledSchema> =
    LazyLock::new(|| checked(titled::<Connection>("Connection")));
pub(crate) static PERMISSIONS: LazyLock<CompiledSchema> = LazyLock::new(|| checked(permissions_schema()));
pub(crate) static STATUSES: LazyLock<CompiledSchema> = LazyLock::new(|| checked(statuses_schema()));
pub(crate) static LABELS: LazyLock<CompiledSchema> = LazyLock::new(|| checked(labels_schema()));
pub(crate) static THEME: LazyLock<CompiledSchema> = LazyLock::new(|| checked(theme_schema()));
pub(crate) static WORKSPACE: LazyLock<CompiledSchema> = LazyLock::new(|| checked(workspace_schema()));
pub(crate) static VIEW: LazyLock<CompiledSchema> = LazyLock::new(|| checked(titled::<View>("View")));
pub(crate) static FRONT_MATTER: LazyLock<CompiledSchema> =
    LazyLock::new(|| checked(titled::<FrontMatter>("Front matter")));

/// Why a JSON Schema can't be used, if it can't: it names other documents or does not compile.
pub(crate) fn fault_of_schema(schema: &Value) -> Option<(String, String)> {
    if let Some((pointer, target)) = foreign_reference(schema, "", 0) {
        return Some((pointer, format!("a reference to another document, `{target}`")));
    }
    match jsonschema::options().offline().build(schema) {
        Ok(_) => None,
        Err(error) => Some((error.instance_path().as_str().to_owned(), error.to_string())),
    }
}

fn foreign_reference(value: &Value, pointer: &str, depth: u32) -> Option<(String, String)> {
    if depth > 128 {
        return None;
    }
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let at = crate::json::child(pointer, name);
            match (name.as_str(), value.as_str()) {
                ("$ref" | "$dynamicRef", Some(target)) if !target.starts_with('#') => {
                    Some((at, target.to_owned()))
                }
                _ => foreign_reference(value, &at, depth + 1),
            }
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, value)| foreign_reference(value, &format!("{pointer}/{index}"), depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
