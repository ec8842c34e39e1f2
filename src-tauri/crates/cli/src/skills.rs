//! `skill`: skills in the terminal.

use std::path::Path;

use app::AnyClient;
use clap::Subcommand;
use domain::{ErrorCode, Problem};
use protocol::{Client, FileEdit, FileProblem, SkillView};

use crate::chat::{ChatArgs, with_skill};
use crate::outcome::Outcome;
use crate::prompt::{agreed, edited_copy};
use crate::terminal::{json_line, printable, read_text};

/// The file that a skill is.
const FILE: &str = "SKILL.md";
/// The longest folder name that is made of a name, in bytes.
const MAX_SLUG_BYTES: usize = 60;

/// `skill`.
#[derive(Debug, Subcommand)]
pub enum SkillCommand {
    /// List skills, those that can't be used included.
    List {
        /// The session whose first folder's skills are listed, too.
        #[arg(long)]
        session: Option<String>,
        /// Print the result as JSON, one skill a line.
        #[arg(long)]
        json: bool,
    },
    /// Show a skill: when it is of use, what it needs, its instructions.
    Show {
        /// The skill's folder name.
        skill: String,
        /// The session whose first folder's skills count, too.
        #[arg(long)]
        session: Option<String>,
        /// Print its SKILL.md as it stands.
        #[arg(long, conflicts_with = "json")]
        source: bool,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a skill in this workspace: a text to edit, or a SKILL.md of yours.
    New {
        /// The new skill's name; its folder name follows from it.
        name: String,
        /// The SKILL.md to begin with; `-` is standard input.
        #[arg(long, value_name = "FILE")]
        file: Option<String>,
    },
    /// Edit a skill in $VISUAL or $EDITOR; a built-in one is saved as this workspace's own version.
    Edit {
        /// The skill's folder name.
        skill: String,
    },
    /// Save a SKILL.md as a skill of this workspace; it replaces a built-in one of the same name.
    Save {
        /// The skill's folder name.
        skill: String,
        /// The SKILL.md; `-` is standard input.
        file: String,
    },
    /// Check a skill by its folder name, or a SKILL.md before it is saved.
    Check {
        /// The skill's folder name, or a file.
        skill: String,
    },
    /// Try a skill: begin a conversation with a message that names it.
    Try {
        /// The skill's folder name.
        skill: String,
        #[command(flatten)]
        chat: Box<ChatArgs>,
    },
    /// Delete a skill of this workspace with its folder; a built-in one of the same name is used again.
    Remove {
        /// The skill's folder name.
        skill: String,
        /// Do not ask for confirmation.
        #[arg(long)]
        yes: bool,
    },
}

/// `skill`.
pub async fn skill(client: &AnyClient, command: SkillCommand) -> Result<Outcome, Problem> {
    match command {
        SkillCommand::List { session, json } => {
            for row in client.skill_list(session).await? {
                if json {
                    println!("{}", json_line(&row));
                } else {
                    println!("{:<24} {:<10} {}", row.slug, row.origin, printable(&row.description));
                    row.problems.iter().for_each(|problem| println!("    {}", problem_line(problem)));
                }
            }
            Ok(Outcome::Done)
        }
        SkillCommand::Show { skill, session, source, json } => {
            let view = client.skill_show(skill, session).await?;
            match (json, source) {
                (true, _) => println!("{}", json_line(&view)),
                (false, true) => print!("{}", printable(&view.source)),
                (false, false) => print(&view),
            }
            Ok(Outcome::Done)
        }
        SkillCommand::New { name, file } => {
            let (skill, text) = (slug(&name), file.map_or_else(|| Ok(blank(&name)), |file| read(&file))?);
            if source(client, &skill).await?.is_some() {
                return Err(Problem::new(ErrorCode::Conflict, format!("a skill {skill} exists already"))
                    .with_action(format!("choose another name, or `agentnative skill edit {skill}`")));
            }
            save(client, &skill, text, None).await
        }
        SkillCommand::Edit { skill } => edit(client, skill).await,
        SkillCommand::Save { skill, file } => {
            let text = read(&file)?;
            let before = source(client, &skill).await?;
            save(client, &skill, text, before).await
        }
        SkillCommand::Check { skill } => {
            let problems = match Path::new(&skill).is_file() {
                true => client.skill_try(FILE.to_owned(), read(&skill)?).await?,
                false => client.skill_show(skill.clone(), None).await?.skill.problems,
            };
            Ok(checked(&skill, &problems))
        }
        SkillCommand::Try { skill, chat } => {
            let view = client.skill_show(skill, None).await?;
            match view.skill.problems.is_empty() {
                true => with_skill(client, &view.skill.slug, *chat).await,
                false => Ok(checked(&view.skill.slug, &view.skill.problems)),
            }
        }
        SkillCommand::Remove { skill, yes } => {
            // One that is not there is named before anything is asked.
            let view = client.skill_show(skill.clone(), None).await?;
            let question = format!("Delete the skill {} with its folder {}?", skill, printable(&view.folder));
            let own = view.skill.origin == "workspace";
            if own && !yes && !agreed(&question).await? {
                return Ok(Outcome::Cancelled);
            }
            client.skill_remove(skill).await?;
            Ok(Outcome::Done)
        }
    }
}

fn print(view: &SkillView) {
    let row = &view.skill;
    println!("{}  {}\n", printable(&row.name), printable(&row.description));
    row.problems.iter().for_each(|problem| println!("problem: {}", problem_line(problem)));
    let list = |all: &[String], none: &str| match all {
        [] => none.to_owned(),
        all => printable(&all.join(", ")),
    };
    println!("named     /{} ({})", row.slug, row.origin);
    println!("needs     {}", list(&row.required_sources, "no sources"));
    println!("for files {}", list(&row.globs, "any"));
    let folder = if view.folder.is_empty() { "built in" } else { &view.folder };
    println!("folder    {}", printable(folder));
    println!("files     {}", list(&view.files, "none besides its instructions"));
    println!("\n{}", printable(view.text.trim()));
}

fn problem_line(FileProblem { file, place, message }: &FileProblem) -> String {
    let gap = if place.is_empty() { "" } else { " " };
    printable(&format!("{file}{gap}{place}: {message}"))
}

/// Says what is wrong with a skill.
fn checked(skill: &str, problems: &[FileProblem]) -> Outcome {
    problems.iter().for_each(|problem| println!("{}", problem_line(problem)));
    if problems.is_empty() {
        println!("{skill}: nothing wrong");
        return Outcome::Done;
    }
    Outcome::Failed
}

fn read(file: &str) -> Result<String, Problem> {
    read_text(Path::new(file))
        .map_err(|error| Problem::new(ErrorCode::InvalidInput, format!("{file} can't be read: {error}")))
}

/// Opens a skill in the user's editor and saves it.
async fn edit(client: &AnyClient, skill: String) -> Result<Outcome, Problem> {
    let before = client.skill_show(skill.clone(), None).await?.source;
    let save = async |text| save(client, &skill, text, Some(before.clone())).await;
    match edited_copy(FILE, &before, save).await? {
        Some(outcome) => Ok(outcome),
        None => {
            println!("{skill}: nothing was changed");
            Ok(Outcome::Done)
        }
    }
}

/// Saves a skill and prints its folder.
async fn save(
    client: &AnyClient,
    skill: &str,
    text: String,
    before: Option<String>,
) -> Result<Outcome, Problem> {
    let edit = FileEdit { name: FILE.to_owned(), text, before };
    println!("{}", printable(&client.skill_save(skill.to_owned(), edit).await?.folder));
    Ok(Outcome::Done)
}

/// The SKILL.md of a skill as it is used now; `None` where there is no such skill.
async fn source(client: &AnyClient, skill: &str) -> Result<Option<String>, Problem> {
    match client.skill_show(skill.to_owned(), None).await {
        Ok(view) => Ok(Some(view.source)),
        Err(problem) if problem.code == ErrorCode::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// A new skill, as it is before anybody has written it.
fn blank(name: &str) -> String {
    let quoted = serde_json::Value::from(name);
    format!(
        "---\nname: {quoted}\ndescription: Use it when …\n---\n# {name}\n\n1. Say here, step by step, how the work is done.\n"
    )
}

/// A skill's folder name, from its name.
fn slug(name: &str) -> String {
    let words = name.to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = words.collect::<Vec<_>>().join("-");
    slug.truncate(MAX_SLUG_BYTES);
    slug
}
