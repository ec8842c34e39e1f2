//! `source add`, `secret`, `sign-in` and `remove`.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use app::AnyClient;
use clap::{Args, ValueEnum};
use domain::{ErrorCode, Problem};
use protocol::{Client, Hidden, SourceDraft, SourceSave, SourceStatus};
use serde_json::{Value, json};

use super::status_text;
use crate::connect::{secret, signed_in};
use crate::outcome::Outcome;
use crate::prompt::agreed;
use crate::terminal::printable;

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// `source add`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The folder name of the new source: lower-case letters, digits and hyphens. Default: that of the form or file.
    slug: Option<String>,
    /// Begin with a form; `agentnative source presets` lists them.
    #[arg(long, group = "from")]
    preset: Option<String>,
    /// Read a config.json, or the settings in which another program keeps its MCP servers (JSON, with comments too, TOML or YAML);
    /// `-` is standard input.
    #[arg(long, group = "from", value_name = "FILE")]
    file: Option<PathBuf>,
    /// With --file: add every server of the file that is not here yet.
    #[arg(long, requires = "file", conflicts_with_all = ["slug", "set", "secret"])]
    all: bool,
    /// The address of a remote MCP server.
    #[arg(long, group = "from")]
    url: Option<String>,
    /// With --url: what requests present.
    #[arg(long, value_enum, requires = "url")]
    auth: Option<Auth>,
    /// An environment variable for a local MCP server; can be given several times.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["preset", "file", "url"])]
    env: Vec<String>,
    /// An environment variable for a local MCP server that is a secret, which is asked for and kept in the vault; can be given
    /// several times.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["preset", "file", "url"])]
    secret_env: Vec<String>,
    /// Set a field of the configuration, such as /api/baseUrl=https://example.org/; can be given several times.
    #[arg(long, value_name = "POINTER=VALUE")]
    set: Vec<String>,
    /// Take a secret from a variable of this terminal's environment, such as bearer=GITHUB_TOKEN; can be given several times.
    #[arg(long, value_name = "SECRET=VARIABLE")]
    secret: Vec<String>,
    /// Do not ask; for scripts that know what they approve.
    #[arg(long)]
    yes: bool,
    /// The command of a local MCP server with its arguments, after `--`.
    #[arg(last = true, group = "from")]
    command: Vec<String>,
}

/// What requests to a remote MCP server present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Auth {
    /// Nothing.
    None,
    /// A token or key, sent as a bearer token.
    Bearer,
    /// A token of a sign-in in the browser.
    Oauth,
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::InvalidInput, message)
}

/// `source add`.
pub async fn add(client: &AnyClient, args: AddArgs) -> Result<Outcome, Problem> {
    if !args.all {
        let (draft, guide) = begun(client, &args).await?;
        return one(client, &args, draft, guide).await;
    }
    for draft in drafts(client, args.file.as_deref().unwrap_or(Path::new("-"))).await? {
        println!("{}:", printable(&slug_of(&draft)));
        if let Err(problem) = one(client, &args, draft, None).await {
            println!("left out: {}", printable(&problem.message));
        }
    }
    Ok(Outcome::Done)
}

fn slug_of(draft: &SourceDraft) -> String {
    draft.config["slug"].as_str().unwrap_or_default().to_owned()
}

/// Adds one source.
async fn one(
    client: &AnyClient,
    args: &AddArgs,
    draft: SourceDraft,
    guide: Option<String>,
) -> Result<Outcome, Problem> {
    let SourceDraft { mut config, mut secrets, left_out, notes, problem } = draft;
    if let Some(problem) = problem {
        let name = config["name"].as_str().unwrap_or_default();
        return Err(invalid(format!("{name} can't be a source here: {problem}")));
    }
    for note in notes {
        eprintln!("note: {}", printable(&note));
    }
    for field in left_out {
        eprintln!("not taken over: {}", printable(&field));
    }
    if let Some(slug) = &args.slug {
        config["slug"] = json!(slug);
    }
    for pair in &args.set {
        let (pointer, value) = pair.split_once('=').ok_or_else(|| invalid("--set wants POINTER=VALUE"))?;
        set(&mut config, pointer, value)?;
    }
    let slug = config["slug"].as_str().unwrap_or_default().to_owned();
    if client.source_list().await?.iter().any(|row| row.slug == slug) {
        return Err(invalid(format!("there is a source {slug}, and it stays as it is"))
            .with_action("give another name"));
    }
    let needs = client.source_needs(config.clone()).await?;
    if !needs.problems.is_empty() {
        let lines: Vec<String> =
            needs.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.message)).collect();
        let action = match needs.problems.iter().find(|problem| problem.place != "/slug") {
            Some(problem) => format!("set fields with --set, such as --set {}=…", problem.place),
            None => "give another name".to_owned(),
        };
        return Err(invalid(lines.join("\n")).with_action(action));
    }
    for pair in &args.secret {
        let (name, variable) =
            pair.split_once('=').ok_or_else(|| invalid("--secret wants SECRET=VARIABLE"))?;
        let value = std::env::var(variable).map_err(|_| invalid(format!("${variable} is not set")))?;
        secrets.insert(name.to_owned(), Hidden(value));
    }
    println!("It runs or reaches: {}", printable(&needs.reaches));
    if !args.yes && !agreed("Do you trust it?").await? {
        return Ok(Outcome::Cancelled);
    }
    let mut missing = Vec::new();
    for wanted in needs.secrets.iter().filter(|wanted| !wanted.present && !wanted.optional) {
        if secrets.contains_key(&wanted.name) {
            continue;
        }
        if std::io::stdin().is_terminal() && !args.yes {
            secrets.insert(wanted.name.clone(), Hidden(secret(&format!("{}: ", wanted.label))?));
        } else {
            missing.push(wanted.name.clone());
        }
    }
    let save = SourceSave { config, guide, secrets, openapi: None, approved: true, is_new: true };
    let view = client.source_save(Box::new(save)).await?;
    println!("{}: {}", view.source.slug, status_text(&view));
    for name in missing {
        println!("store its secret with: agentnative source secret {slug} {name}");
    }
    if needs.signs_in {
        println!("sign in with: agentnative source sign-in {slug}");
    } else if view.source.status == SourceStatus::NeedsApproval {
        println!("approve its tools with: agentnative source approve {slug}");
    }
    Ok(Outcome::Done)
}

/// The configuration to begin with, the secrets that stood in it, and a guide.
async fn begun(client: &AnyClient, args: &AddArgs) -> Result<(SourceDraft, Option<String>), Problem> {
    if let Some(name) = &args.preset {
        let presets = client.source_presets().await?;
        let found = presets.into_iter().find(|preset| {
            preset.name.eq_ignore_ascii_case(name) || preset.config["slug"].as_str() == Some(name.as_str())
        });
        let found = found.ok_or_else(|| {
            invalid(format!("there is no form {name}")).with_action("`agentnative source presets` lists them")
        })?;
        eprintln!("{}", printable(&found.credentials));
        return Ok((plain(found.config), Some(found.guide)));
    }
    if let Some(file) = &args.file {
        let mut all = drafts(client, file).await?;
        let known: Vec<String> = all.iter().map(slug_of).collect();
        if let Some(slug) = args.slug.as_ref().filter(|_| all.len() > 1) {
            all.retain(|draft| slug_of(draft) == *slug);
        }
        return match (all.pop(), all.len()) {
            (Some(draft), 0) => Ok((draft, None)),
            _ => Err(invalid(format!("{} names the servers {}", file.display(), known.join(", ")))
                .with_action(format!(
                    "name the one to add: agentnative source add {} --file {}, or add all of them with --all",
                    known.first().map_or("<name>", String::as_str),
                    file.display()
                ))),
        };
    }
    const USE: &str = "agentnative source add <name> with --preset, --file, --url, or a command after --";
    let slug = args.slug.clone().ok_or_else(|| invalid("the source has no name").with_action(USE))?;
    let mut secrets = json!({});
    for pair in &args.env {
        let (name, value) = pair.split_once('=').ok_or_else(|| invalid("--env wants NAME=VALUE"))?;
        secrets[name] = json!(value);
    }
    for name in &args.secret_env {
        secrets[name] = json!(format!("${{secret:{name}}}"));
    }
    let mcp = match (&args.url, args.command.split_first()) {
        (Some(url), _) => {
            let auth = args.auth.unwrap_or(Auth::None).to_possible_value();
            let auth = auth.map(|auth| auth.get_name().to_owned());
            json!({"transport": "http", "url": url, "authType": auth})
        }
        (None, Some((command, rest))) => {
            json!({"transport": "stdio", "command": command, "args": rest, "env": secrets})
        }
        (None, None) => {
            return Err(invalid("the kind of the source is missing").with_action(USE));
        }
    };
    let description = format!("The MCP server {slug}.");
    let config = json!({"slug": slug, "name": slug, "description": description, "type": "mcp", "mcp": mcp});
    Ok((plain(config), None))
}

/// What a file holds: a configuration of ours, or servers of another program.
async fn drafts(client: &AnyClient, file: &Path) -> Result<Vec<SourceDraft>, Problem> {
    let text = read(file)?;
    match serde_json::from_str::<Value>(&text) {
        Ok(config) if config.get("slug").is_some() => Ok(vec![plain(config)]),
        Ok(_) | Err(_) => client.source_read(Hidden(text)).await,
    }
}

/// A configuration as it is.
fn plain(config: Value) -> SourceDraft {
    SourceDraft { config, ..SourceDraft::default() }
}

/// A file's text, in whichever encoding an editor wrote it.
fn read(file: &Path) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes),
        _ => std::fs::File::open(file)
            .and_then(|opened| opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)),
    };
    let bad = |what: String| invalid(format!("{}: {what}", file.display()));
    read.map_err(|error| bad(error.to_string()).with_action("name a readable file"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(bad(format!("it has more than {MAX_FILE_BYTES} bytes"))
            .with_action("name a file with the server's configuration alone"));
    }
    Ok(::transfer::decoded(bytes).0)
}

/// Sets a field; its object must be there.
fn set(config: &mut Value, pointer: &str, value: &str) -> Result<(), Problem> {
    let wrong = || invalid(format!("the configuration has no place {pointer}"));
    let (parent, name) = pointer.rsplit_once('/').ok_or_else(wrong)?;
    let parent = config.pointer_mut(parent).and_then(Value::as_object_mut).ok_or_else(wrong)?;
    // A list or a number stands as JSON; anything else is a text.
    let value = match serde_json::from_str(value) {
        Ok(value @ (Value::Array(_) | Value::Number(_) | Value::Bool(_))) => value,
        Ok(_) | Err(_) => json!(value),
    };
    parent.insert(name.to_owned(), value);
    Ok(())
}

/// `source presets`.
pub async fn presets(client: &AnyClient) -> Result<Outcome, Problem> {
    for preset in client.source_presets().await? {
        println!("{:<28} {}", printable(&preset.name), printable(&preset.description));
    }
    Ok(Outcome::Done)
}

/// `source secret`.
pub async fn give(
    client: &AnyClient,
    slug: String,
    name: Option<String>,
    stored: bool,
) -> Result<Outcome, Problem> {
    let view = client.source_show(slug.clone()).await?;
    let mut given = BTreeMap::new();
    let known: Vec<&str> = view.secrets.iter().map(|secret| secret.name.as_str()).collect();
    let name = match (name, known.as_slice()) {
        (None, _) if stored => None,
        (_, []) => return Err(invalid(format!("source {slug} wants no secret"))),
        (Some(name), known) if known.contains(&name.as_str()) => Some(name),
        (Some(name), known) => {
            return Err(invalid(format!("source {slug} has no secret {name}"))
                .with_action(format!("it has {}", known.join(", "))));
        }
        (None, [only]) => Some((*only).to_owned()),
        (None, known) => {
            return Err(invalid(format!("source {slug} has the secrets {}", known.join(", "))).with_action(
                format!("name the one to store: agentnative source secret {slug} {}", known[0]),
            ));
        }
    };
    if let Some(name) = name {
        eprintln!("It is used for {} only.", printable(&view.reaches));
        let value = secret(&format!("{name}: "))?;
        given.insert(name, Hidden(value));
    }
    let view = client.source_secrets(slug, given, stored).await?;
    println!("{}: {}", view.source.slug, status_text(&view));
    Ok(Outcome::Done)
}

/// `source sign-in`.
pub async fn sign_in(client: &AnyClient, slug: String) -> Result<Outcome, Problem> {
    let begun = client.source_sign_in(slug).await?;
    signed_in(client, begun, ErrorCode::Source).await
}

/// `source remove`.
pub async fn remove(client: &AnyClient, slug: String, yes: bool) -> Result<Outcome, Problem> {
    // One that is not there is named before anything is asked.
    client.source_show(slug.clone()).await?;
    let question = format!("Remove {slug} with its folder and its secrets?");
    if !yes && !agreed(&question).await? {
        return Ok(Outcome::Cancelled);
    }
    client.source_remove(slug.clone()).await?;
    eprintln!("removed {slug} and its secrets");
    Ok(Outcome::Done)
}
