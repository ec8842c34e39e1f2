//! Agents, schemas and the check-up.

use std::path::{Path, PathBuf};

use app::{Reply, UiEvent};
use domain::{ErrorCode, Problem};
use protocol::{AgentMake, CheckState, Client};
use serde_json::Value;
use workspace::{Agent, AgentEntry, Origin, Workspace};

use crate::args::{AgentCommand, SchemaOf};
use crate::home;
use crate::outcome::Outcome;
use crate::prompt::edited;
use crate::run::{close, open, with_client};
use crate::terminal::{json_line, printable, printable_json};

/// `agent`.
pub async fn agent(home: &Path, command: AgentCommand) -> Result<Outcome, Problem> {
    let workspace = home::files(home)?;
    match command {
        AgentCommand::List { json } => {
            let agents = workspace.agents();
            if json {
                agents.iter().for_each(|entry| println!("{}", json_line(&agent_row(entry))));
            } else {
                print_agents(&agents);
            }
            Ok(Outcome::Done)
        }
        AgentCommand::Show { slug } => {
            let agent = workspace.agent(&slug).map_err(|error| error.problem())?;
            print_agent(&agent);
            Ok(Outcome::Done)
        }
        AgentCommand::Check { agent } => checked(&workspace, &agent),
        AgentCommand::New { name, template } => make(home, AgentMake { name, from: template }).await,
        AgentCommand::Copy { agent, name } => make(home, AgentMake { name, from: Some(agent) }).await,
        AgentCommand::Edit { agent, file } => edit(&workspace, &agent, &file),
    }
}

fn agent_row(entry: &AgentEntry) -> Value {
    let problems: Vec<String> =
        entry.agent.as_ref().err().into_iter().flatten().map(ToString::to_string).collect();
    let agent = entry.agent.as_ref().ok();
    let mut row = serde_json::json!({
        "slug": entry.slug, "problems": problems, "config": agent.map(|agent| &agent.config),
    });
    if let Some(schema) = agent.and_then(|agent| agent.input_schema.as_ref()) {
        row["inputSchema"] = schema.clone();
    }
    row
}

/// An agent's parts stand below it; a part of a part stands for itself.
fn print_agents(agents: &[AgentEntry]) {
    let named = |entry: &AgentEntry| entry.agent.as_ref().ok()?.config.part_of.clone();
    let owner = |entry: &AgentEntry| {
        let part_of = named(entry)?;
        agents.iter().any(|other| other.slug == part_of.as_str() && named(other).is_none()).then_some(part_of)
    };
    let width = agents.iter().map(|entry| entry.slug.len() + 2).max().unwrap_or_default();
    for entry in agents.iter().filter(|entry| owner(entry).is_none()) {
        print_agent_line(entry, "", width);
        let parts = agents.iter().filter(|part| owner(part).is_some_and(|of| of.as_str() == entry.slug));
        parts.for_each(|part| print_agent_line(part, "  ", width));
    }
}

fn print_agent_line(entry: &AgentEntry, indent: &str, width: usize) {
    let name = format!("{indent}{}", entry.slug);
    match &entry.agent {
        Ok(agent) => println!("{name:<width$}  {}", printable(&agent.config.description)),
        Err(problems) => {
            println!("{name:<width$}  can't be used:");
            problems.iter().for_each(|problem| println!("    {}", printable(&problem.to_string())));
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
    if config.control_flow.stages.is_empty() {
        println!("answers in conversations: agentnative chat --agent {}", config.slug);
    } else {
        println!("\ndepths: {} (default {})", depths.join(", "), config.default_depth);
    }
    if let Some(corpus) = &config.default_corpus {
        println!("knowledge base: {corpus}");
    }
    if let Some(schema) = &agent.input_schema {
        println!("\ninputs (agentnative run {} --input <file>):", config.slug);
        println!("{}", printable_json(&serde_json::to_string_pretty(schema).unwrap_or_default()));
    }
    println!("\n{}", printable(agent.instructions.trim()));
}

/// Makes an agent and prints its folder.
async fn make(home: &Path, make: AgentMake) -> Result<Outcome, Problem> {
    let made = with_client(home, async |client| client.agent_make(make).await).await?;
    println!("{}", printable(&made.folder));
    Ok(Outcome::Done)
}

/// Opens a file of an agent in the user's editor, and says afterwards what is wrong with the agent.
fn edit(workspace: &Workspace, slug: &str, file: &str) -> Result<Outcome, Problem> {
    let (origin, files) = workspace.agent_files(slug).map_err(|error| error.problem())?;
    let Origin::Own(folder) = origin else {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("agent {slug} is built in and is not changed"),
        )
        .with_action(format!("copy it first: agentnative agent copy {slug} <name>")));
    };
    if !files.iter().any(|known| known.name == file) {
        let known: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        return Err(Problem::new(ErrorCode::NotFound, format!("agent {slug} has no file {file}"))
            .with_action(format!("its files are {}", known.join(", "))));
    }
    edited(&folder.join(file))?;
    checked(workspace, slug)
}

/// Says what is wrong with an agent, by slug or folder.
fn checked(workspace: &Workspace, agent: &str) -> Result<Outcome, Problem> {
    let folder = Path::new(agent);
    let problems = if folder.is_dir() {
        workspace.check_agent(folder).err().unwrap_or_default()
    } else {
        match workspace.agent(agent) {
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

/// `schema`.
pub fn schema(of: SchemaOf) -> Result<Outcome, Problem> {
    let schema = match of {
        SchemaOf::Agent => workspace::agent_schema(),
        SchemaOf::Source => workspace::source_schema(),
        SchemaOf::Event => serde_json::to_value(schemars::schema_for!(UiEvent)).unwrap_or_default(),
        SchemaOf::Answers => serde_json::to_value(schemars::schema_for!(Vec<Reply>)).unwrap_or_default(),
        SchemaOf::Record => serde_json::to_value(schemars::schema_for!(pipeline::Record)).unwrap_or_default(),
        SchemaOf::Check => return Ok(Outcome::Done),
    };
    println!("{}", serde_json::to_string_pretty(&schema).unwrap_or_default());
    Ok(Outcome::Done)
}

/// `schema check`.
pub fn check_states(home: &Path, files: &[PathBuf]) -> Result<Outcome, Problem> {
    let agents = home::files(home)?.agents();
    let mut fit = true;
    for file in files {
        let bad = |what: String| Problem::new(ErrorCode::InvalidInput, format!("{}: {what}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| bad(error.to_string()))?;
        let (agent, faults) =
            workspace::check_state_file(&agents, file, &text).map_err(|error| bad(error.to_string()))?;
        let shown = file.display();
        match faults.is_empty() {
            true => println!("{shown}: a state of {agent}"),
            false => faults.iter().for_each(|fault| println!("{shown}{}", printable(fault))),
        }
        fit &= faults.is_empty();
    }
    Ok(if fit { Outcome::Done } else { Outcome::Failed })
}

/// `doctor`.
pub async fn doctor(home: &Path) -> Result<Outcome, Problem> {
    let checks = match open(home).await {
        Ok((client, instance)) => {
            let answer = client.app_check().await;
            let remote = client.is_remote();
            close(client, instance).await?;
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
