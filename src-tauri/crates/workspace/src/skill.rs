//! Skills: folders with a `SKILL.md`, in the common format: YAML front matter with a name and a description, then instructions
//! in Markdown. Of the workspace, the person (`.agents/skills` in the home directory) and what is shipped the nearest wins. Those
//! of the project (`.agents/skills` in a working folder) are the work of others: they replace none of the person's, and where
//! one has its name they are called `<name>-project`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use serde::{Deserialize, Serialize};

use crate::folder::{Folder, folders};
use crate::problem::ConfigProblem;
use crate::{Workspace, shipped};

const FILE: &str = "SKILL.md";
/// What the name of a project's skill ends with where another skill has its name.
const OF_PROJECT: &str = "-project";
/// Where shipped skills stand.
const SHIPPED: &str = "prompts/skills";
/// The longest head, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Longest name and description, in characters.
const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1_024;

/// Where a skill is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillOrigin {
    /// A working folder's `.agents/skills`.
    Project,
    /// The workspace's `skills`.
    Workspace,
    /// The home directory's `.agents/skills`.
    Person,
    /// Embedded in the program.
    Shipped,
}

impl SkillOrigin {
    /// As it is written for a surface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Workspace => "workspace",
            Self::Person => "user",
            Self::Shipped => "shipped",
        }
    }
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// Its name for a person.
    pub name: String,
    /// When it is of use: what a model chooses it by.
    pub description: String,
    /// Files that it is for.
    pub globs: Vec<String>,
    /// Sources that it needs, by slug.
    pub required_sources: Vec<String>,
    /// Its instructions, Markdown.
    pub text: String,
}

/// A skill in a list: usable, or with what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillEntry {
    /// Its folder's name: what `/name` calls it.
    pub slug: String,
    /// Where it is from.
    pub origin: SkillOrigin,
    /// Its folder; nothing for a shipped one.
    pub folder: Option<PathBuf>,
    /// The skill, or all that is wrong with it.
    pub skill: Result<Skill, Vec<ConfigProblem>>,
    /// Names of the files beside its instructions.
    pub files: Vec<String>,
}

/// The head. What other programs keep there besides is left alone.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    globs: Names,
    #[serde(default, rename = "requiredSources", alias = "required_sources")]
    required_sources: Names,
}

/// A list of names, or one alone.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Names {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

impl From<Names> for Vec<String> {
    fn from(names: Names) -> Self {
        match names {
            Names::None => Self::new(),
            Names::One(name) => name.split(',').map(|name| name.trim().to_owned()).collect(),
            Names::Several(names) => names,
        }
    }
}

impl Workspace {
    /// Every skill, sorted by slug. `person` is the home directory, `project` the first working folder.
    pub fn skills(&self, person: Option<&Path>, project: Option<&Path>) -> Vec<SkillEntry> {
        let mut found: BTreeMap<String, SkillEntry> = BTreeMap::new();
        // From the farthest to the nearest: the nearer one takes its place.
        for slug in shipped::folders(SHIPPED) {
            let folder = Folder::Shipped(format!("{SHIPPED}/{slug}"));
            found.insert(slug.clone(), entry(slug, SkillOrigin::Shipped, &folder, None));
        }
        let places = [
            (SkillOrigin::Person, person.map(|home| home.join(".agents").join("skills"))),
            (SkillOrigin::Workspace, Some(self.root().join("skills"))),
            (SkillOrigin::Project, project.map(|folder| folder.join(".agents").join("skills"))),
        ];
        for (origin, place) in places {
            let Some(place) = place else { continue };
            // A project is others' work: what its links lead to is not of it.
            let within = project.filter(|_| origin == SkillOrigin::Project).map(Path::canonicalize);
            for slug in folders(&place) {
                let path = place.join(&slug);
                let leads_out = within.as_ref().is_some_and(|root| match (root, path.canonicalize()) {
                    (Ok(root), Ok(real)) => !real.starts_with(root),
                    (Ok(_) | Err(_), _) => true,
                });
                if leads_out || !path.join(FILE).exists() {
                    continue;
                }
                let taken = origin == SkillOrigin::Project && found.contains_key(&slug);
                let slug = if taken { format!("{slug}{OF_PROJECT}") } else { slug };
                if taken && found.contains_key(&slug) {
                    continue;
                }
                let folder = Folder::Disk(path.clone());
                found.insert(slug.clone(), entry(slug, origin, &folder, Some(path)));
            }
        }
        found.into_values().collect()
    }
}

impl SkillEntry {
    /// Its `SKILL.md` as it stands; none where it can't be read.
    pub fn source_text(&self) -> Option<String> {
        self.place().text(FILE).ok()
    }

    /// What is wrong with it. With globs that say nothing it can be named all the same.
    pub fn problems(&self) -> Vec<ConfigProblem> {
        match &self.skill {
            Ok(skill) => skill.glob_problem(&self.place().label(FILE)).into_iter().collect(),
            Err(problems) => problems.clone(),
        }
    }

    fn place(&self) -> Folder {
        match &self.folder {
            Some(path) => Folder::Disk(path.clone()),
            None => Folder::Shipped(format!("{SHIPPED}/{}", self.slug)),
        }
    }
}

impl Skill {
    fn glob_problem(&self, file: &str) -> Option<ConfigProblem> {
        let error = FilePatterns::new(&self.globs).err()?;
        let expected = "`globs` such as `*.rs`, `docs/**` or `!target/**`";
        Some(ConfigProblem::new(file, "", expected, error.to_string()))
    }
}

/// Patterns of file names, such as `*.rs`, `docs/**` or `!target/**`.
#[derive(Debug, Clone)]
pub struct FilePatterns(Override);

impl FilePatterns {
    /// Of what a skill lists.
    ///
    /// # Errors
    /// What is wrong with one.
    pub fn new(patterns: &[String]) -> Result<Self, ignore::Error> {
        let mut builder = OverrideBuilder::new("");
        for pattern in patterns {
            builder.add(pattern.trim())?;
        }
        builder.build().map(Self)
    }

    /// Whether a relative path to a file matches.
    pub fn matches(&self, path: &str) -> bool {
        self.0.matched(path, false).is_whitelist()
    }
}

/// Checks the text of a `SKILL.md`; `file` is its name in problems.
///
/// # Errors
/// What is wrong with it.
pub fn parse_skill(slug: &str, file: &str, text: &str) -> Result<Skill, Vec<ConfigProblem>> {
    let skill = parse(slug, file, text).map_err(|problem| vec![*problem])?;
    skill.glob_problem(file).map_or(Ok(skill), |problem| Err(vec![problem]))
}

fn entry(slug: String, origin: SkillOrigin, folder: &Folder, path: Option<PathBuf>) -> SkillEntry {
    let skill = load(&slug, folder).map_err(|problem| vec![*problem]);
    let files = folder.names().into_iter().filter(|name| name != FILE).collect();
    SkillEntry { slug, origin, folder: path, skill, files }
}

fn load(slug: &str, folder: &Folder) -> Result<Skill, Box<ConfigProblem>> {
    let file = folder.label(FILE);
    let text = folder.text(FILE).map_err(|fault| Box::new(fault.problem(&file, "")))?;
    parse(slug, &file, &text)
}

fn parse(slug: &str, file: &str, text: &str) -> Result<Skill, Box<ConfigProblem>> {
    let wrong = |expected: &str, found: String| Box::new(ConfigProblem::new(file, "", expected, found));
    if !slug.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return Err(wrong("a folder name of letters, digits, `-`, `_` and `.`", format!("`{slug}`")));
    }
    let text = plain_lines(text);
    let (head, body) = split(&text)
        .ok_or_else(|| wrong("YAML front matter between two lines of `---`", "a text without one".into()))?;
    if head.len() > MAX_HEAD_BYTES {
        return Err(wrong("front matter of at most 16 KiB", format!("{} bytes", head.len())));
    }
    let head: Head = serde_yaml_ng::from_str(head).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line() + 1);
        let message = error.to_string();
        let found = message.split(" at line ").next().unwrap_or(&message);
        Box::new(ConfigProblem::new(file, "", "YAML", found).on_line(line))
    })?;
    let short = |text: Option<String>, most: usize| {
        text.map(|text| text.trim().chars().take(most).collect::<String>()).filter(|text| !text.is_empty())
    };
    let description = short(head.description, MAX_DESCRIPTION_CHARS)
        .ok_or_else(|| wrong("a `description` that says when the skill is of use", "none".into()))?;
    Ok(Skill {
        name: short(head.name, MAX_NAME_CHARS).unwrap_or_else(|| slug.to_owned()),
        description,
        globs: head.globs.into(),
        required_sources: head.required_sources.into(),
        text: body.trim().to_owned(),
    })
}

/// A text as other editors save it: without a byte order mark, with line feeds alone.
pub(crate) fn plain_lines(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")
}

fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n")?;
    let end = rest.find("\n---\n").or_else(|| rest.strip_suffix("\n---").map(str::len))?;
    Some((&rest[..end], rest.get(end + 5..).unwrap_or_default()))
}

/// A shipped page of help: its name without ending, and its Markdown. Sorted by name.
pub fn help_pages() -> Vec<(String, &'static str)> {
    shipped::below("prompts/help")
        .filter_map(|(path, bytes)| {
            Some((path.strip_suffix(".md")?.to_owned(), std::str::from_utf8(bytes).ok()?))
        })
        .collect()
}

/// The template of what a model is told in chat.
pub fn chat_prompt() -> &'static str {
    shipped::file("prompts/chat/system.md")
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(root: &Path, slug: &str, text: &str) {
        let folder = root.join(slug);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(FILE), text).unwrap();
    }

    #[test]
    fn the_nearest_skill_of_a_name_is_taken_and_a_projects_replaces_none() {
        let home = tempfile::tempdir().unwrap();
        let (person, project) = (home.path().join("person"), home.path().join("project"));
        let head =
            |of: &str| format!("---\nname: Commit\ndescription: {of}\nallowed-tools: x\n---\nDo it.\n");
        write(&person.join(".agents/skills"), "commit", &head("the person's"));
        write(&home.path().join("workspaces/default/skills"), "commit", &head("the workspace's"));
        let workspace = Workspace::open(home.path());
        let find = |slug: &str| {
            let all = workspace.skills(Some(&person), Some(&project));
            let found = all.into_iter().find(|entry| entry.slug == slug);
            found.map(|entry| (entry.origin, entry.skill.map(|skill| skill.description).unwrap()))
        };
        assert_eq!(find("commit"), Some((SkillOrigin::Workspace, "the workspace's".to_owned())));
        for slug in ["commit", "plan-first", "of-its-own"] {
            write(&project.join(".agents/skills"), slug, &head("the project's"));
        }
        let of_project = Some((SkillOrigin::Project, "the project's".to_owned()));
        assert_eq!(find("commit"), Some((SkillOrigin::Workspace, "the workspace's".to_owned())));
        assert_eq!(find("plan-first").map(|(origin, _)| origin), Some(SkillOrigin::Shipped));
        assert_eq!(find("commit-project"), of_project);
        assert_eq!(find("plan-first-project"), of_project);
        assert_eq!(find("of-its-own"), of_project);
        write(&project.join(".agents/skills"), "commit-project", &head("another"));
        assert!(find("commit-project").is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_skill_that_a_project_links_to_elsewhere_is_none_of_it() {
        let home = tempfile::tempdir().unwrap();
        let (person, project) = (home.path().join("person"), home.path().join("project"));
        let head = "---\nname: Notes\ndescription: Notes.\n---\nx\n";
        write(&home.path().join("elsewhere"), "notes", head);
        write(&project.join("shared"), "inner", head);
        for root in [&person, &project] {
            fs::create_dir_all(root.join(".agents/skills")).unwrap();
            std::os::unix::fs::symlink(
                home.path().join("elsewhere/notes"),
                root.join(".agents/skills/notes"),
            )
            .unwrap();
        }
        std::os::unix::fs::symlink(project.join("shared/inner"), project.join(".agents/skills/inner"))
            .unwrap();
        let workspace = Workspace::open(home.path());
        let has = |person: Option<&Path>, slug: &str| {
            workspace.skills(person, Some(&project)).iter().any(|entry| entry.slug == slug)
        };
        assert!(!has(None, "notes") && has(None, "inner"));
        // What the person links to is theirs.
        assert!(has(Some(&person), "notes"));
    }

    #[test]
    fn a_file_of_another_system_is_read_like_any_other() {
        let home = tempfile::tempdir().unwrap();
        let text = "\u{feff}---\r\nname: Commit\r\ndescription: Commits.\r\n---\r\nDo it.\r\nThen stop.\r\n";
        write(&home.path().join("workspaces/default/skills"), "commit", text);
        let all = Workspace::open(home.path()).skills(None, None);
        let skill = all.iter().find(|entry| entry.slug == "commit").unwrap().skill.clone().unwrap();
        assert_eq!((skill.description.as_str(), skill.text.as_str()), ("Commits.", "Do it.\nThen stop."));
    }

    #[test]
    fn a_broken_skill_says_what_is_wrong_and_where() {
        let home = tempfile::tempdir().unwrap();
        let skills = home.path().join("workspaces/default/skills");
        write(&skills, "bare", "Just text.\n");
        write(&skills, "mute", "---\nname: Mute\n---\nx\n");
        write(&skills, "torn", "---\nname: [\n---\nx\n");
        write(&skills, "open", "---\nname: Open\ndescription: Opens.\nglobs: 'src/{a,b'\n---\nx\n");
        let all = Workspace::open(home.path()).skills(None, None);
        let found = |slug: &str| {
            let entry = all.iter().find(|entry| entry.slug == slug).unwrap();
            entry.skill.clone().unwrap_err()[0].to_string()
        };
        assert!(found("bare").contains("YAML front matter"));
        assert!(found("mute").contains("description"));
        assert!(found("torn").contains("YAML"));
        let open = all.iter().find(|entry| entry.slug == "open").unwrap();
        assert!(open.problems()[0].to_string().contains("globs"), "{:?}", open.problems());
        assert!(open.skill.is_ok(), "it can still be named");
        assert!(parse_skill("open", FILE, &open.source_text().unwrap()).is_err(), "but not kept anew");
    }

    #[test]
    fn every_shipped_skill_and_page_is_sound() {
        for entry in Workspace::open(Path::new("/nowhere")).skills(None, None) {
            assert!(entry.skill.is_ok(), "{}: {:?}", entry.slug, entry.skill);
        }
        assert!(chat_prompt().contains("tools"));
        assert!(help_pages().iter().all(|(_, text)| text.starts_with("# ")));
    }
}
