//! Agents, schemas and the check-up.

use std::path::{Path, PathBuf};

use app::{Reply, UiEvent};
use domain::{ErrorCode, Problem};
use protocol::{CheckState, Client};
use workspace::{Agent, Workspace};

use crate::args::{AgentCommand, SchemaOf};
use crate::home;
use crate::outcome::Outcome;
use crate::run::{close, open};
use crate::terminal::{json_line, printable};

/// `agent`.
pub fn agent(home: &Path, command: AgentCommand) -> Result<Outcome, Problem> {
    let workspace = home::files(home)?;
    match command {
        AgentCommand::List { json } => {
            for entry in workspace.agents() {
                if json {
                    let problems: Vec<String> =
                        entry.agent.as_ref().err().into_iter().flatten().map(ToString::to_string).collect();
                    let config = entry.agent.as_ref().ok().map(|agent| &agent.config);
                    println!(
                        "{}",
                        json_line(
                            &serde_json::json!({ "slug": entry.slug, "problems": problems, "config": config })
                        )
                    );
                    continue;
                }
                match &entry.agent {
                    Ok(agent) => println!("{:<22} {}", entry.slug, printable(&agent.config.description)),
                    Err(problems) => {
                        println!("{:<22} can't be used:", entry.slug);
                        problems
                            .iter()
                            .for_each(|problem| println!("    {}", printable(&problem.to_string())));
                    }
                }
            }
            Ok(Outcome::Done)
        }
        AgentCommand::Show { slug } => {
            let agent = workspace.agent(&slug).map_err(|error| error.problem())?;
            print_agent(&agent);
            Ok(Outcome::Done)
        }
        AgentCommand::Check { agent } => {
            let folder = Path::new(&agent);
            let problems = if folder.is_dir() {
                workspace.check_agent(folder).err().unwrap_or_default()
            } else {
                match workspace.agent(&agent) {
                    Ok(_) => Vec::new(),
                    Err(workspace::WorkspaceError::Broken { problems, .. }) => problems,
                    Err(error) => return Err(error.problem()),
                }
            };
            problems.iter().for_each(|problem| println!("{}", printable(&problem.to_string())));
            if problems.is_empty() {
                println!("{agent}: nothing wrong");
                return Ok(Outcome::Done);
            }
            Ok(Outcome::Failed)
        }
        AgentCommand::New { slug, template } => {
            let agent = workspace.agent(&template).map_err(|error| error.problem())?;
            let folder = make(&workspace, &slug, agent)?;
            println!("{}", folder.display());
            Ok(Outcome::Done)
        }
    }
}

fn print_agent(agent: &Agent) {
    let config = &agent.config;
    println!("{}  {}\n", printable(&config.name), printable(&config.description));
    for stage in &config.control_flow.stages {
        let kind = serde_json::to_value(stage.kind).unwrap_or_default();
        let pauses = config.control_flow.pause_after_stages.contains(&stage.id) || stage.pause.is_some();
        let pause = if pauses { "  then waits for you" } else { "" };
        println!(
            "  {:<4} {:<24} {}{pause}",
            stage.id.as_str(),
            printable(&stage.title),
            kind.as_str().unwrap_or_default()
        );
        for step in &stage.steps {
            println!("         {}", printable(&step.tool));
        }
    }
    let depths: Vec<&str> = config.depth_modes.keys().map(String::as_str).collect();
    println!("\ndepths: {} (default {})", depths.join(", "), config.default_depth);
    if let Some(corpus) = &config.default_corpus {
        println!("knowledge base: {corpus}");
    }
    println!("\n{}", printable(agent.instructions.trim()));
}

/// Writes a copy of an agent under another slug.
fn make(workspace: &Workspace, slug: &str, agent: Agent) -> Result<PathBuf, Problem> {
    let valid = !slug.is_empty()
        && slug.len() <= 64
        && slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !valid {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("{slug:?} is not a slug: use lower-case letters, digits and hyphens"),
        ));
    }
    let folder = workspace.root().join("agents").join(slug);
    if folder.exists() {
        return Err(Problem::new(
            ErrorCode::Conflict,
            format!("{} exists already; nothing was changed", folder.display()),
        ));
    }
    let failed =
        |error: std::io::Error| Problem::new(ErrorCode::Storage, format!("{}: {error}", folder.display()));
    let write = |path: PathBuf, text: String| -> std::io::Result<()> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)
    };
    let mut config = serde_json::to_value(&agent.config)
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    config["slug"] = serde_json::json!(slug);
    if let Some(map) = config.as_object_mut() {
        map.remove("$schema");
    }
    for (stage, schema) in &agent.schemas {
        let index = agent.config.control_flow.stages.iter().position(|config| &config.id == stage);
        if let Some(index) = index {
            let name = format!("schemas/{}.schema.json", agent.config.control_flow.stages[index].name);
            config["controlFlow"]["stages"][index]["outputSchema"] = serde_json::json!(name);
            write(folder.join(&name), serde_json::to_string_pretty(schema).unwrap_or_default())
                .map_err(failed)?;
        }
    }
    for (stage, schema) in &agent.repairs {
        let index = agent.config.control_flow.stages.iter().position(|config| &config.id == stage);
        if let Some(index) = index {
            let name = format!("schemas/{}-repair.schema.json", agent.config.control_flow.stages[index].name);
            config["controlFlow"]["stages"][index]["repair"]["outputSchema"] = serde_json::json!(name);
            write(folder.join(&name), serde_json::to_string_pretty(schema).unwrap_or_default())
                .map_err(failed)?;
        }
    }
    for (name, text) in &agent.prompts {
        write(folder.join("prompts").join(name), text.clone()).map_err(failed)?;
    }
    let head = format!(
        "---\nname: {}\ndescription: {}\nsources: {:?}\ntools: {:?}\n---\n",
        agent.config.name, agent.config.description, agent.front_matter.sources, agent.front_matter.tools
    );
    write(folder.join("AGENT.md"), format!("{head}{}", agent.instructions)).map_err(failed)?;
    write(folder.join("config.json"), serde_json::to_string_pretty(&config).unwrap_or_default())
        .map_err(failed)?;
    Ok(folder)
}

/// `schema`.
pub fn schema(of: SchemaOf) -> Result<Outcome, Problem> {
    let schema = match of {
        SchemaOf::Agent => workspace::agent_schema(),
        SchemaOf::Source => workspace::source_schema(),
        SchemaOf::Event => serde_json::to_value(schemars::schema_for!(UiEvent)).unwrap_or_default(),
        SchemaOf::Answers => serde_json::to_value(schemars::schema_for!(Vec<Reply>)).unwrap_or_default(),
        SchemaOf::Record => serde_json::to_value(schemars::schema_for!(pipeline::Record)).unwrap_or_default(),
    };
    println!("{}", serde_json::to_string_pretty(&schema).unwrap_or_default());
    Ok(Outcome::Done)
}

/// `doctor`.
pub async fn doctor(home: &Path) -> Result<Outcome, Problem> {
    let checks = match open(home).await {
        Ok((surface, instance)) => {
            let answer = surface.app_check().await;
            let remote = surface.is_remote();
            close(surface, instance).await?;
            let mut checks = answer?;
            for check in checks.iter_mut().filter(|check| remote && check.name == "database") {
                check.message.push_str("; held by another instance, which answers");
            }
            checks
        }
        // What does not need the database is looked at all the same.
        Err(problem) => {
            let mut checks = app::check::of_program(home);
            checks.push(app::check::of_confinement());
            checks.push(app::check::broken("database", &problem));
            checks.extend(app::check::of_files(home, &home::files(home)?));
            checks
        }
    };
    for check in &checks {
        let state = match check.state {
            CheckState::Ok => "ok",
            CheckState::Note => "note",
            CheckState::Broken => "wrong",
        };
        println!("{state:<6} {:<16} {}", check.name, printable(&check.message));
        if let Some(action) = &check.action {
            println!("{:<6} {:<16} {}", "", "", printable(action));
        }
    }
    let wrong = checks.iter().any(|check| check.state == CheckState::Broken);
    Ok(if wrong { Outcome::Failed } else { Outcome::Done })
}
