//! Commands that add, change, call and approve sources.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use connections::clean;
use domain::{ErrorCode, Problem};
use protocol::{
    FileProblem, OpenApiPreview, SignIn, SourceCheck, SourceLog, SourcePreset, SourceSave, SourceView,
};
use secrets::{SecretString, Vault};
use serde::Deserialize;
use serde_json::{Value, json};
use sources::openapi::{self, Interface};
use sources::rest::LogLine;
use support::{Readers, blocking, replace_file};
use workspace::{SourceConfig, Workspace, WorkspaceError};

use super::commands::{NOT_SHOWN, VALUES, tool_rows};
use crate::{Entry, Failed, Sources, forget_secrets, is_own, keep_secrets, listed_operations, read_address};

/// The largest guide, in bytes.
const MAX_GUIDE_BYTES: usize = 256 << 10;
/// The document's name beside `config.json`.
const DOCUMENT: &str = "openapi";

/// The beginning of what the forms leave to the person.
const PLACEHOLDER: &str = "YOUR-";

/// Forms that are shipped.
static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    workspace::source_presets().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
});

/// A form as it is shipped.
#[derive(Deserialize)]
struct Preset {
    name: String,
    description: String,
    credentials: String,
    config: Value,
    guide: String,
}

impl Sources {
    /// Adds or changes a source. Its secrets go into the vault and are never given out.
    pub async fn source_save(&self, save: SourceSave) -> Result<SourceView, Problem> {
        let SourceSave { config, guide, secrets, openapi, approved, is_new } = save;
        let (files, asked) = (self.env.files(), config);
        let config = blocking(move || Ok(restored(&files, asked))).await?;
        let (mut config, text) = checked(config).map_err(|problems| {
            let lines: Vec<String> =
                problems.iter().map(|problem| format!("{}: {}", problem.place, problem.message)).collect();
            invalid(lines.join("\n")).with_action("correct it and save again")
        })?;
        if text.len() > MAX_GUIDE_BYTES {
            return Err(invalid("the configuration is too large"));
        }
        config.owner = self.env.stored_slug();
        if !approved {
            return Err(invalid(format!(
                "{} would be run or reached, and nobody approved it",
                config.reaches()
            ))
            .with_action("look at the whole of it and approve it"));
        }
        if guide.as_ref().is_some_and(|guide| guide.len() > MAX_GUIDE_BYTES) {
            return Err(invalid(format!("a guide has at most {MAX_GUIDE_BYTES} bytes")));
        }
        let document = match (&openapi, config.api.as_ref().and_then(|api| api.openapi.clone())) {
            (Some(_), None) => {
                return Err(invalid(
                    "there is an OpenAPI document, and the configuration names no file for it",
                )
                .with_action("set `openapi` to openapi.json or openapi.yaml"));
            }
            (Some(text), Some(file)) => {
                openapi::read(text).map_err(|error| invalid(error.to_string()))?;
                Some((file, text.clone()))
            }
            (None, _) => None,
        };
        let given = given(secrets)?;
        let (others, vault, saved) = (self.env.files(), self.registry.vault().clone(), config.clone());
        blocking(move || {
            if is_new && !matches!(others.source(&saved.slug), Err(WorkspaceError::UnknownSource { .. })) {
                let message = format!("there is a source {} already; nothing was changed", saved.slug);
                return Err(Problem::new(ErrorCode::Conflict, message)
                    .with_action("give another folder name, or edit that source on its page"));
            }
            let folder = others.root().join("sources").join(&saved.slug);
            // What is stored goes nowhere that it was not given for: the vault decides before anything is written.
            keep_secrets(&vault, &saved, &given)?;
            let mut files: Vec<(&str, &str)> = Vec::new();
            if let Some((file, document)) = &document {
                files.push((file, document));
            }
            if let Some(guide) = &guide {
                files.push(("guide.md", guide));
            }
            // The configuration comes last: with it the rest is in use.
            files.push(("config.json", &text));
            written(&folder, &files)
        })
        .await?;
        self.tools.end(&config.slug).await;
        self.tools.approve_whole(&config).await?;
        self.source_show(config.slug).await
    }

    /// Removes a source with its processes and secrets.
    pub async fn source_remove(&self, slug: String) -> Result<(), Problem> {
        let (workspace, vault, asked) = (self.env.files(), self.registry.vault().clone(), slug.clone());
        blocking(move || {
            if !workspace.sources().iter().any(|entry| entry.slug == asked) {
                return workspace.source(&asked).map(drop).map_err(|error| error.problem());
            }
            if !is_own(&workspace, &asked) {
                return Err(invalid(format!("{asked} is part of the program and can't be removed"))
                    .with_action("switch it off instead"));
            }
            Ok(())
        })
        .await?;
        // Its processes end first: nothing of it writes into a folder that is gone.
        self.tools.end(&slug).await;
        let (files, asked) = (self.env.files(), slug.clone());
        let key = workspace::source_key(&self.env.stored_slug(), &slug);
        let of_vault = key.clone();
        blocking(move || {
            forget(&vault, &of_vault)?;
            let folder = files.root().join("sources").join(&asked);
            removed(&folder)
        })
        .await?;
        self.env.store().forget_source(&key).await?;
        self.tools.switch(&slug, true).await?;
        // Whoever started it between its end and its removal.
        self.tools.end(&slug).await;
        Ok(())
    }

    /// Switches a source off or on for everyone.
    pub async fn source_enable(&self, slug: String, on: bool) -> Result<(), Problem> {
        let (workspace, asked) = (self.env.files(), slug.clone());
        blocking(move || {
            let known = workspace.sources().iter().any(|entry| entry.slug == asked);
            if known { Ok(()) } else { workspace.source(&asked).map(drop).map_err(|error| error.problem()) }
        })
        .await?;
        self.tools.switch(&slug, on).await
    }

    /// Approves the tools of a source as they are now; what changes later asks again.
    pub async fn source_trust(&self, slug: String, believe: bool) -> Result<SourceView, Problem> {
        let tools = self.tools.clone();
        let entry: Entry = tools.entry(&slug).await?;
        if entry.approval.shipped {
            return Err(invalid(format!("{slug} comes with the program and is approved with it")));
        }
        let _trial = self.trial().await?;
        tools.approve(&entry, believe).await.map_err(|Failed { problem, .. }| problem)?;
        self.source_show(slug).await
    }

    /// What a source wrote to standard error, and its checks.
    pub async fn source_log(&self, slug: String) -> Result<SourceLog, Problem> {
        let own = self.owns(&slug).await?;
        let key = workspace::source_key(&if own { self.env.stored_slug() } else { String::new() }, &slug);
        let checks = self.env.store().source_checks(&key).await?;
        let state = self.tools.state(&slug);
        let requests: Vec<String> = state.requests.iter().rev().take(100).rev().map(line).collect();
        let mut log = state.log;
        if !requests.is_empty() {
            log = requests.join("\n");
        }
        let checks = checks.into_iter().map(|check| SourceCheck {
            at: check.at,
            ok: check.ok,
            ms: u64::try_from(check.ms).unwrap_or_default(),
            detail: check.detail,
        });
        Ok(SourceLog { log, checks: checks.collect() })
    }

    /// Signs in at a source's OAuth service: gives the address to open in a browser.
    pub async fn source_sign_in(&self, slug: String) -> Result<SignIn, Problem> {
        let tools = self.tools.clone();
        let entry = tools.entry(&slug).await?;
        let (url, ended) = tools.sign_in(&entry).await?;
        let stream = self.env.stream.clone();
        let ended = async move {
            let ended = ended.await;
            stream.tell(&[protocol::Tag::Sources]);
            ended
        };
        // Connections and sources have slugs of their own.
        self.registry.sign_ins().follow(&format!("source {slug}"), url, ended)
    }
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::InvalidInput, message)
}

/// Forms for new sources.
pub fn source_presets() -> Vec<SourcePreset> {
    let made = |preset: &Preset| SourcePreset {
        name: preset.name.clone(),
        description: preset.description.clone(),
        credentials: preset.credentials.clone(),
        config: preset.config.clone(),
        guide: preset.guide.clone(),
    };
    PRESETS.iter().map(made).collect()
}

/// A configuration in which values that a view did not show are what they were.
fn restored(files: &Workspace, mut config: Value) -> Value {
    let slug = config.get("slug").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Ok(before) = files.source(&slug) else { return config };
    let before = serde_json::to_value(before).unwrap_or_default();
    for place in VALUES {
        let values = config.pointer_mut(place).and_then(Value::as_object_mut);
        for (name, value) in values.into_iter().flatten() {
            let old = before.pointer(place).and_then(|values| values.get(name));
            if let (Some(NOT_SHOWN), Some(old)) = (value.as_str(), old) {
                *value = old.clone();
            }
        }
    }
    config
}

/// A configuration as it will be read, and its text; or all that is wrong with it.
pub fn checked(config: Value) -> Result<(SourceConfig, String), Vec<FileProblem>> {
    let slug = config.get("slug").and_then(Value::as_str).unwrap_or_default().to_owned();
    let text = format!("{config:#}\n");
    let config = workspace::read_source("config.json", &slug, &text)
        .map_err(|problems| environment::file_problems(&problems))?;
    let open = placeholders(&serde_json::to_value(&config).unwrap_or_default(), "");
    if open.is_empty() { Ok((config, text)) } else { Err(open) }
}

/// Values of a form that nobody has replaced.
fn placeholders(value: &Value, place: &str) -> Vec<FileProblem> {
    match value {
        Value::String(text) if text.contains(PLACEHOLDER) => vec![FileProblem {
            file: "config.json".to_owned(),
            place: place.to_owned(),
            message: format!("replace the placeholder in {text}"),
        }],
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| placeholders(value, &format!("{place}/{name}"))).collect()
        }
        _ => Vec::new(),
    }
}

pub fn given(secrets: BTreeMap<String, protocol::Hidden>) -> Result<BTreeMap<String, SecretString>, Problem> {
    let mut given = BTreeMap::new();
    for (name, secret) in secrets {
        if let Some(secret) = clean(&SecretString::from(secret.0))? {
            given.insert(name, secret);
        }
    }
    Ok(given)
}

fn forget(vault: &Vault, slug: &str) -> Result<(), Problem> {
    forget_secrets(vault, slug).map_err(|problem| {
        problem
            .with_action("the source was not removed, since its secrets could not be: open the vault first")
    })
}

fn written(folder: &Path, files: &[(&str, &str)]) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(ErrorCode::Storage, format!("{}: {error}", folder.display()))
            .with_action("free some space or correct the folder's permissions, and save again")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, text) in files {
        replace_file(&folder.join(name), text.as_bytes(), Readers::Person).map_err(failed)?;
    }
    Ok(())
}

/// Removes a source's folder: first its configuration, so that half of a removal is none that can be used.
fn removed(folder: &Path) -> Result<(), Problem> {
    let failed =
        |error: std::io::Error| Problem::new(ErrorCode::Storage, format!("{}: {error}", folder.display()));
    // A link in place of the folder is removed itself, never what it leads to.
    let about = std::fs::symlink_metadata(folder).map_err(failed)?;
    if about.file_type().is_symlink() {
        return std::fs::remove_file(folder).map_err(failed);
    }
    match std::fs::remove_file(folder.join("config.json")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    std::fs::remove_dir_all(folder).map_err(failed)
}

fn line(line: &LogLine) -> String {
    let status = line.status.map(|status| status.to_string()).unwrap_or_else(|| "-".to_owned());
    let seconds = line.at.div_euclid(1000);
    let (hours, minutes, seconds) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let mut text = format!(
        "{hours:02}:{minutes:02}:{seconds:02} UTC {} {} {status} {} {} bytes",
        line.method,
        line.path,
        support::duration(line.ms),
        line.bytes
    );
    if !line.error.is_empty() {
        text.push_str(": ");
        text.push_str(&line.error.replace('\n', " "));
    }
    text
}

/// Reads an OpenAPI document and shows which tools it would make.
pub async fn source_import(text: String) -> Result<OpenApiPreview, Problem> {
    let trimmed = text.trim();
    let (text, from) = match trimmed.starts_with("https://") && !trimmed.contains(char::is_whitespace) {
        true => (read_address(trimmed).await?, Some(trimmed.to_owned())),
        false => (text, None),
    };
    blocking(move || {
        let interface = openapi::read(&text).map_err(|error| invalid(error.to_string()))?;
        Ok(preview(interface, from.as_deref()))
    })
    .await
}

fn preview(interface: Interface, from: Option<&str>) -> OpenApiPreview {
    let base_url = interface.base_url.clone().unwrap_or_default();
    let mut warnings = interface.warnings.clone();
    if base_url.is_empty() {
        warnings.insert(0, "the document names no whole address: give the base address yourself".to_owned());
    }
    let mut api = json!({"baseUrl": base_url, "authType": "none", "openapi": format!("{DOCUMENT}.json")});
    if from.is_some_and(|from| from.ends_with(".yaml") || from.ends_with(".yml")) {
        api["openapi"] = json!(format!("{DOCUMENT}.yaml"));
    }
    match interface.security.first().map(String::as_str) {
        Some("http bearer" | "oauth2" | "openIdConnect") => api["authType"] = json!("bearer"),
        Some("http basic") => api["authType"] = json!("basic"),
        Some(key) => {
            if let Some(name) = key.strip_prefix("apiKey in header ") {
                api["authType"] = json!("header");
                api["headerName"] = json!(name);
            } else if let Some(name) = key.strip_prefix("apiKey in query ") {
                api["authType"] = json!("query");
                api["queryParam"] = json!(name);
            }
        }
        None => {}
    }
    let name = if interface.title.is_empty() { "New interface".to_owned() } else { interface.title.clone() };
    let first = interface.description.lines().next().unwrap_or_default().to_owned();
    let description = if first.is_empty() { name.clone() } else { first };
    let config =
        json!({"slug": slug_of(&name), "name": name, "description": description, "type": "api", "api": api});
    OpenApiPreview {
        title: interface.title.clone(),
        base_url,
        tools: tool_rows(&listed_operations(&interface.operations), None),
        warnings,
        config,
    }
}

pub fn slug_of(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.to_ascii_lowercase().chars() {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-').to_owned();
    if slug.is_empty() { "interface".to_owned() } else { slug }
}
