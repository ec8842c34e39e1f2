//! Agents of one's own: made, changed and removed.

use std::path::{Path, PathBuf};

use config::ConfigStore;
use domain::{Digest, ErrorCode, Problem};
use protocol::{AgentFiles, AgentMake, AgentView, FileEdit, FileProblem, PromptText};
use serde_json::{Value, json};
use support::{Readers, blocking, replace_file};
use workspace::{AgentFile, ConfigProblem, Origin, Workspace, file_text, workspace_slug};

use crate::{Environment, file_problems};

/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 80;
/// The most files that are edited at once, and the largest one in bytes.
const MAX_EDITS: usize = 200;
const MAX_FILE_BYTES: usize = 1 << 20;
/// What an agent is, beside its prompts and schemas.
const PAGE: &str = "AGENT.md";
const CONFIG: &str = "config.json";
/// What a new agent is told before anybody has written it.
const BLANK: &str =
    "Say here what the agent is for, how it works, what it must not do, and what its answers look like.\n";

impl Environment {
    /// Makes an agent: a copy of another one, or one that has instructions alone.
    pub async fn agent_make(&self, make: AgentMake) -> Result<AgentView, Problem> {
        let files = self.files();
        let slug = blocking(move || {
            let (slug, name) = named(&files, &make.name)?;
            let made = match &make.from {
                Some(from) => copied(&files, from, &slug, &name)?,
                None => vec![AgentFile { name: PAGE.to_owned(), bytes: page(&name).into_bytes() }],
            };
            place(&files, &slug, &made)?;
            Ok(slug)
        })
        .await?;
        self.agent_show(slug).await
    }

    /// An agent's files as text.
    pub async fn agent_files(&self, slug: String) -> Result<AgentFiles, Problem> {
        let files = self.files();
        blocking(move || {
            let (origin, all) = files.agent_files(&slug).map_err(|error| error.problem())?;
            let texts = all.into_iter().filter(|file| is_edited(&file.name)).filter_map(|file| {
                let text = String::from_utf8(file.bytes).ok()?;
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
                Some(PromptText { name: file.name, text })
            });
            Ok(AgentFiles { own: origin != Origin::Shipped, files: texts.collect() })
        })
        .await
    }

    /// What would be wrong with an agent with these edits.
    pub async fn agent_try(&self, slug: String, edits: Vec<FileEdit>) -> Result<Vec<FileProblem>, Problem> {
        let files = self.files();
        blocking(move || Ok(file_problems(&tried(&files, &slug, &edits)?))).await
    }

    /// Keeps edits of an agent of one's own.
    pub async fn agent_save(&self, slug: String, edits: Vec<FileEdit>) -> Result<AgentView, Problem> {
        let (files, live, asked) = (self.files(), self.config.clone(), slug.clone());
        blocking(move || {
            if let Some(problem) = tried(&files, &asked, &edits)?.first() {
                return Err(Problem::new(ErrorCode::InvalidConfig, problem.to_string())
                    .with_action("correct it; nothing was changed"));
            }
            saved(&live, &own(&files, &asked)?, edits)
        })
        .await?;
        self.agent_show(slug).await
    }

    /// Deletes an agent of one's own.
    pub async fn agent_remove(&self, slug: String) -> Result<(), Problem> {
        let files = self.files();
        blocking(move || {
            let folder = own(&files, &slug)?;
            std::fs::remove_dir_all(&folder).map_err(|error| failed(&folder, &error))
        })
        .await
    }
}

/// The folder of an agent of one's own.
fn own(files: &Workspace, slug: &str) -> Result<PathBuf, Problem> {
    match files.agent_files(slug).map_err(|error| error.problem())?.0 {
        Origin::Own(folder) => Ok(folder),
        Origin::Shipped | Origin::Pinned => {
            Err(Problem::new(ErrorCode::InvalidInput, format!("agent {slug} is built in and is not changed"))
                .with_action(format!("copy it first: `agentnative agent copy {slug} <name>`")))
        }
    }
}

/// A name and the folder name that follows from it; no agent may have that one yet.
fn named(files: &Workspace, name: &str) -> Result<(String, String), Problem> {
    let invalid = |message: String| Problem::new(ErrorCode::InvalidInput, message);
    let name = name.trim();
    if name.is_empty()
        || name.chars().count() > MAX_NAME_CHARS
        || name.contains(|c: char| c.is_control() || matches!(c, '/' | '\\'))
    {
        return Err(invalid(format!(
            "a name is one line of 1 to {MAX_NAME_CHARS} characters without slashes"
        )));
    }
    let slug = workspace_slug(name)
        .ok_or_else(|| invalid(format!("{name:?} has no letter from a to z or digit for a folder name")))?;
    if files.agents().iter().any(|entry| entry.slug == slug) {
        return Err(Problem::new(
            ErrorCode::Conflict,
            format!("an agent {slug} exists already; nothing was changed"),
        )
        .with_action("choose another name"));
    }
    // A folder name given as the name becomes words.
    let words = if name == slug { name.replace('-', " ") } else { name.to_owned() };
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    Ok((slug, first + letters.as_str()))
}

/// The page of an agent that nobody has written yet.
fn page(name: &str) -> String {
    format!("---\nname: {}\ndescription: Answers in conversations.\n---\n\n{BLANK}", json!(name))
}

/// The files of an agent under another name. Texts stay as they are written but for that.
fn copied(files: &Workspace, from: &str, slug: &str, name: &str) -> Result<Vec<AgentFile>, Problem> {
    let agent = files.agent(from).map_err(|error| error.problem())?;
    let (_, mut all) = files.agent_files(from).map_err(|error| error.problem())?;
    for file in &mut all {
        let text = match file.name.as_str() {
            PAGE | CONFIG => String::from_utf8_lossy(&file.bytes).into_owned(),
            _ => continue,
        };
        let text = match file.name.as_str() {
            PAGE => renamed_page(&text, name),
            _ => renamed_config(
                &text,
                [("slug", agent.config.slug.as_str(), slug), ("name", &agent.config.name, name)],
            ),
        };
        file.bytes = text.into_bytes();
    }
    Ok(all)
}

fn renamed_page(text: &str, name: &str) -> String {
    let mut done = false;
    let lines = text.lines().map(|line| match line.strip_prefix("name:") {
        Some(_) if !done => {
            done = true;
            format!("name: {}", json!(name))
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The schema that a shipped configuration names lies elsewhere for a copy.
fn renamed_config(text: &str, fields: [(&str, &str, &str); 2]) -> String {
    let mut new: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("\"$schema\""))
        .flat_map(|line| [line, "\n"])
        .collect();
    for (field, old, to) in fields {
        let of = |value: &str| format!("\"{field}\": {}", json!(value));
        new = new.replacen(&of(old), &of(to), 1);
    }
    let is_renamed = |value: &Value| {
        fields.iter().all(|(field, _, to)| value[*field] == *to) && value["$schema"].is_null()
    };
    if serde_json::from_str(&new).is_ok_and(|value| is_renamed(&value)) {
        return new;
    }
    // Written in an unusual way: the layout is lost, nothing else.
    let Ok(Value::Object(mut value)) = serde_json::from_str(text) else { return new };
    value.remove("$schema");
    for (field, _, to) in fields {
        value.insert(field.to_owned(), json!(to));
    }
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

/// Puts a new agent's folder in its place as a whole.
fn place(files: &Workspace, slug: &str, made: &[AgentFile]) -> Result<(), Problem> {
    let agents = files.root().join("agents");
    std::fs::create_dir_all(&agents).map_err(|error| failed(&agents, &error))?;
    // Hidden: nobody takes it for an agent while it is written.
    let making = tempfile::Builder::new().prefix(".making-").tempdir_in(&agents);
    let making = making.map_err(|error| failed(&agents, &error))?;
    let folder = making.path().join(slug);
    written(&folder, made)?;
    if let Err(problems) = files.check_agent(&folder) {
        let what = problems.first().map(ToString::to_string).unwrap_or_default();
        return Err(Problem::new(ErrorCode::InvalidConfig, what).with_action("nothing was made"));
    }
    let to = agents.join(slug);
    std::fs::rename(&folder, &to).map_err(|error| failed(&to, &error))
}

fn written(folder: &Path, made: &[AgentFile]) -> Result<(), Problem> {
    for file in made {
        let path = folder.join(&file.name);
        let write = || {
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            replace_file(&path, &file.bytes, Readers::Default)
        };
        write().map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

/// What would be wrong with an agent with these edits. They are laid over a copy of its folder, which is gone afterwards.
fn tried(files: &Workspace, slug: &str, edits: &[FileEdit]) -> Result<Vec<ConfigProblem>, Problem> {
    let (_, mut all) = files.agent_files(slug).map_err(|error| error.problem())?;
    check(edits)?;
    for edit in edits {
        let bytes = edit.text.clone().into_bytes();
        match all.iter_mut().find(|file| file.name == edit.name) {
            Some(file) => file.bytes = bytes,
            None => all.push(AgentFile { name: edit.name.clone(), bytes }),
        }
    }
    let trial = tempfile::tempdir().map_err(|error| failed(&std::env::temp_dir(), &error))?;
    let root = trial.path().canonicalize().unwrap_or_else(|_| trial.path().to_owned());
    written(&root.join(slug), &all)?;
    let mut problems = files.check_agent(&root.join(slug)).err().unwrap_or_default();
    // Problems are told with the places of the files that they are of.
    let (from, to) = (root.display().to_string(), files.root().join("agents").display().to_string());
    for problem in &mut problems {
        for text in [&mut problem.file, &mut problem.expected, &mut problem.found] {
            *text = text.replace(&from, &to);
        }
    }
    Ok(problems)
}

fn check(edits: &[FileEdit]) -> Result<(), Problem> {
    let invalid = |message: String| Err(Problem::new(ErrorCode::InvalidInput, message));
    if edits.len() > MAX_EDITS {
        return invalid(format!("at most {MAX_EDITS} files are changed at once; nothing was changed"));
    }
    for edit in edits {
        if !is_edited(&edit.name) {
            return invalid(format!(
                "{:?} is no file of an agent: {PAGE}, {CONFIG}, prompts/<name>.md or schemas/<name>.json",
                edit.name
            ));
        }
        if edit.text.len() > MAX_FILE_BYTES {
            return invalid(format!("{} has more than 1 MiB; nothing was changed", edit.name));
        }
    }
    Ok(())
}

/// Whether a file of an agent is edited as text.
fn is_edited(name: &str) -> bool {
    let plain = |name: &str| {
        !name.starts_with('.')
            && name.len() <= 200
            && !name.contains(['/', '\\', ':'])
            && !name.contains(char::is_control)
    };
    match name.split_once('/') {
        None => [PAGE, CONFIG].contains(&name),
        Some(("prompts", file)) => plain(file) && (file.ends_with(".md") || file.ends_with(".txt")),
        Some(("schemas", file)) => plain(file) && file.ends_with(".json"),
        Some(_) => false,
    }
}

/// Writes edits. Every file is compared before the first one is written; what brings the others into use comes last.
fn saved(live: &ConfigStore, folder: &Path, mut edits: Vec<FileEdit>) -> Result<(), Problem> {
    for edit in &edits {
        let path = folder.join(&edit.name);
        let there = file_text(&path).ok().flatten().map(|(_, text)| text);
        if there != edit.before {
            return Err(Problem::new(
                ErrorCode::Conflict,
                format!("{} was changed outside meanwhile", path.display()),
            )
            .with_action("look at it as it is now, and change it again; nothing was changed"));
        }
    }
    edits.sort_by_key(|edit| [CONFIG, PAGE].contains(&edit.name.as_str()));
    for edit in edits.iter().filter(|edit| edit.before.as_ref() != Some(&edit.text)) {
        let seen = edit.before.as_ref().map(|text| Digest::of(text.as_bytes()));
        live.save(&folder.join(&edit.name), seen, &edit.text)?;
    }
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display()))
        .with_action("free some space or correct the permissions, and try again")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn edit(name: &str, text: &str, before: Option<&str>) -> FileEdit {
        FileEdit { name: name.to_owned(), text: text.to_owned(), before: before.map(str::to_owned) }
    }

    fn copy(files: &Workspace, name: &str) -> Result<String, Problem> {
        let (slug, name) = named(files, name)?;
        place(files, &slug, &copied(files, "standards-research", &slug, &name)?)?;
        Ok(slug)
    }

    #[test]
    fn a_copy_differs_in_its_names_alone_and_can_be_used() {
        let home = tempfile::tempdir().unwrap();
        let files = Workspace::open(home.path());
        let first = files.agent("standards-research").unwrap();
        let slug = copy(&files, "Tax \"Research\"").unwrap();
        let agent = files.agent(&slug).unwrap();
        assert_eq!((slug.as_str(), agent.front_matter.name.as_str()), ("tax-research", "Tax \"Research\""));
        assert_eq!(agent.config.name, "Tax \"Research\"");
        assert_eq!((agent.config.control_flow, agent.prompts), (first.config.control_flow, first.prompts));
        assert_eq!((agent.schemas, agent.instructions), (first.schemas, first.instructions));
        let text = std::fs::read_to_string(files.root().join("agents/tax-research/config.json")).unwrap();
        assert!(text.starts_with("{\n  \"slug\": \"tax-research\","), "the layout is kept: {text}");
        assert_eq!(copy(&files, "tax-research").unwrap_err().code, ErrorCode::Conflict);
        assert_eq!(copy(&files, "standards-research").unwrap_err().code, ErrorCode::Conflict);
        let left = std::fs::read_dir(files.root().join("agents")).unwrap().count();
        assert_eq!(left, 1, "nothing is left beside it");
    }

    #[test]
    fn a_folder_name_given_as_a_name_becomes_words() {
        let home = tempfile::tempdir().unwrap();
        let files = Workspace::open(home.path());
        let (slug, name) = named(&files, "loan-clerk").unwrap();
        assert_eq!((slug.as_str(), name.as_str()), ("loan-clerk", "Loan clerk"));
        place(&files, &slug, &[AgentFile { name: PAGE.to_owned(), bytes: page(&name).into_bytes() }])
            .unwrap();
        assert!(files.agent("loan-clerk").unwrap().config.control_flow.stages.is_empty());
        for bad in ["", "§§", "../out", "two\nlines", &"x".repeat(81)] {
            assert!(named(&files, bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn edits_are_checked_without_being_kept_and_told_at_their_place() {
        let home = tempfile::tempdir().unwrap();
        let files = Workspace::open(home.path());
        let slug = copy(&files, "Tax").unwrap();
        let page = std::fs::read_to_string(files.root().join("agents/tax/AGENT.md")).unwrap();
        assert_eq!(tried(&files, &slug, &[]).unwrap(), []);
        let wrong = tried(&files, &slug, &[edit("AGENT.md", "---\nname: [\n---\n", Some(&page))]).unwrap();
        assert_eq!(wrong[0].file, files.root().join("agents/tax/AGENT.md").display().to_string());
        let wrong = tried(&files, &slug, &[edit("prompts/stage-plan.md", "{{ unclosed", None)]).unwrap();
        assert!(wrong[0].file.ends_with("prompts/stage-plan.md"), "{wrong:?}");
        assert_eq!(std::fs::read_to_string(files.root().join("agents/tax/AGENT.md")).unwrap(), page);
        for name in
            ["../AGENT.md", "prompts/../AGENT.md", "prompts/.hidden.md", "icon.svg", "prompts/a/b.md", ""]
        {
            assert!(tried(&files, &slug, &[edit(name, "x", None)]).is_err(), "{name:?}");
        }
    }

    #[test]
    fn edits_of_files_that_were_changed_meanwhile_change_nothing() {
        let home = tempfile::tempdir().unwrap();
        let (files, live) = (Workspace::open(home.path()), ConfigStore::new(home.path()));
        let slug = copy(&files, "Tax").unwrap();
        let folder = own(&files, &slug).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let (page, prompt) = (read("AGENT.md"), read("prompts/judge.md"));
        let new = format!("{page}\nBe brief.\n");
        let both = || {
            vec![
                edit("AGENT.md", &new, Some(&page)),
                edit("prompts/judge.md", "Judge {{ request }}.\n", Some("another text")),
            ]
        };
        assert_eq!(saved(&live, &folder, both()).unwrap_err().code, ErrorCode::Conflict);
        assert_eq!((read("AGENT.md"), read("prompts/judge.md")), (page.clone(), prompt));
        saved(
            &live,
            &folder,
            vec![edit("AGENT.md", &new, Some(&page)), edit("prompts/new.md", "New.\n", None)],
        )
        .unwrap();
        assert_eq!((read("AGENT.md"), read("prompts/new.md")), (new, "New.\n".to_owned()));
        assert!(own(&files, "standards-research").unwrap_err().action.unwrap().contains("agent copy"));
    }
}
