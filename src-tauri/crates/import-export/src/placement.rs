//! Agents, sources and skills on their way into a workspace: as wholes, each read by the program's own loader before it counts,
//! and under names that hide nothing that the program brings.
//!
//! What is decided here is the same for a dry run: everything is laid out in a folder of its own first, beside copies of what
//! the workspace has, and read there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};
use serde_json::Value;
use tempfile::TempDir;
use transfer::craft::{Content, NewFile};
use transfer::{Limits, ReadError, Report, check_name, read_plain};
use workspace::{ConfigProblem, ShippedKind, Workspace, WorkspaceError, shipped_slugs};

use crate::files::FileDestination;
use crate::references::{Names, Rewritten, rewrite};

/// What is added to a name that the program has itself.
const SUFFIX: &str = "-imported";
/// The longest slug.
const MAX_SLUG_BYTES: usize = 64;
/// Settings of one agent that are left out before it is left out itself.
const MAX_REPAIRS: usize = 30;

/// What becomes of an agent, a source or a skill that has the name of a built-in one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SameName {
    /// Both are there: the imported one under another name.
    #[default]
    KeepBoth,
    /// The imported one takes the place of the built-in one in this workspace.
    Replace,
}

impl From<bool> for SameName {
    fn from(replace: bool) -> Self {
        if replace { Self::Replace } else { Self::KeepBoth }
    }
}

/// What is brought over, decided but not written.
pub struct Placement {
    root: PathBuf,
    person: Option<PathBuf>,
    same_name: SameName,
    staged: TempDir,
    /// The workspace as it would be.
    staging: Workspace,
    /// Files that may be written, those of a whole together and its main file first.
    pub files: Vec<NewFile>,
    /// The names under which things are here.
    pub names: Names,
    /// What was left out although it has a name here.
    refused: Vec<(ShippedKind, String)>,
    /// What has the name of something built in, as `agent isa-deep-research`.
    pub same_as_built_in: Vec<String>,
    /// What became of everything.
    pub report: Report,
}

/// Files of a workspace, and by agent the sources that its stages call of the program's own.
pub type WorkspaceFiles = (Vec<NewFile>, BTreeMap<String, Vec<String>>);

/// What of workspaces comes over, decided but not written. Blocking.
pub fn placed(
    place: &FileDestination,
    workspaces: Vec<WorkspaceFiles>,
    same_name: SameName,
) -> Result<Placement, Problem> {
    let mut placement = Placement::new(place, same_name)?;
    for (files, borrowed) in workspaces {
        placement.take(files, &borrowed)?;
    }
    Ok(placement)
}

/// An agent, a source or a skill.
struct Unit {
    kind: ShippedKind,
    /// Its name where it comes from.
    was: String,
    /// Its name here.
    slug: String,
    place: String,
    /// By name below its folder.
    files: BTreeMap<String, NewFile>,
}

/// What has a whole's name here.
enum Occupant {
    None,
    /// All of it is here, or an import that was cut short wrote the beginning of it.
    Same,
    /// Something else, and what to do about it.
    Other(String),
}

impl Placement {
    /// Lays out what the workspace has.
    ///
    /// # Errors
    /// `Storage`: there is no room for files of the moment.
    pub fn new(place: &FileDestination, same_name: SameName) -> Result<Self, Problem> {
        let staged = tempfile::Builder::new().prefix("agentnative-import-").tempdir().map_err(storage)?;
        let staging = Workspace::open(staged.path());
        let root = place.files.root().to_owned();
        let placement = Self {
            root,
            person: std::env::home_dir(),
            same_name,
            staged,
            staging,
            files: Vec::new(),
            names: Names::default(),
            refused: Vec::new(),
            same_as_built_in: Vec::new(),
            report: Report::default(),
        };
        placement.lay_out(&place.files)?;
        Ok(placement)
    }

    fn lay_out(&self, files: &Workspace) -> Result<(), Problem> {
        for slug in subfolders(&self.root.join("sources")) {
            let config = self.root.join("sources").join(&slug).join("config.json");
            let bytes = read_plain(&config, Limits::default().config_bytes).unwrap_or_default();
            self.stage(&format!("sources/{slug}/config.json"), &bytes)?;
        }
        for slug in subfolders(&self.root.join("agents")) {
            let Ok((workspace::Origin::Own(_), found)) = files.agent_files(&slug) else { continue };
            for file in found {
                self.stage(&format!("agents/{slug}/{}", file.name), &file.bytes)?;
            }
        }
        Ok(())
    }

    /// Writes a file of the layout.
    fn stage(&self, name: &str, bytes: &[u8]) -> Result<(), Problem> {
        let path = self.staging.root().join(name);
        let folder = path.parent().unwrap_or(self.staged.path());
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, bytes)).map_err(storage)
    }

    fn unstage(&self, unit: &Unit) {
        let folder = self.staging.root().join(unit.kind.folder()).join(&unit.slug);
        if let Err(error) = std::fs::remove_dir_all(&folder) {
            tracing::debug!(%error, folder = %folder.display(), "a folder of an import's layout stays until its end");
        }
    }

    /// Takes a workspace's files. `borrowed`: by agent, sources that its stages call of the program's own.
    ///
    /// # Errors
    /// `Storage`: the layout can't be written.
    pub fn take(
        &mut self,
        files: Vec<NewFile>,
        borrowed: &BTreeMap<String, Vec<String>>,
    ) -> Result<(), Problem> {
        let (mut units, rest) = units_of(files);
        let mut names = Names::default();
        for unit in &mut units {
            unit.slug = self.name(unit);
            names.add(unit.kind, &unit.was, &unit.slug);
        }
        // Agents and skills name sources, and agents name agents.
        units.sort_by_key(|unit| match unit.kind {
            ShippedKind::Source => 0,
            ShippedKind::Skill => 1,
            ShippedKind::Agent => 2,
        });
        let mut agents = Vec::new();
        for unit in units {
            let Some(unit) = self.under_its_name(unit, &names, borrowed) else { continue };
            if let Occupant::Other(why) = self.occupant(&unit) {
                self.report.leave_out(unit.kind.as_str(), &unit.was, why, &unit.place);
                continue;
            }
            self.stage_unit(&unit)?;
            match unit.kind {
                ShippedKind::Agent => agents.push(unit),
                ShippedKind::Source | ShippedKind::Skill => match self.fault(&unit) {
                    None => self.accept(unit),
                    Some(fault) => self.refuse(&unit, &in_words(&fault)),
                },
            }
        }
        self.agents(agents)?;
        for mut file in rest {
            if let Content::Bytes(bytes) = &mut file.content
                && file.kind == "rule"
                && let Some(text) = names.in_rules(bytes)
            {
                *bytes = text;
            }
            self.files.push(file);
        }
        // What sessions say of one that is not there is meant for the one that is.
        names.remove(&std::mem::take(&mut self.refused));
        self.names.join(names);
        Ok(())
    }

    /// The name that something gets.
    fn name(&mut self, unit: &Unit) -> String {
        let (kind, was) = (unit.kind, unit.was.as_str());
        let word = kind.as_str();
        let own = match kind {
            ShippedKind::Skill => self.person.as_ref().map(|home| home.join(".agents/skills").join(was)),
            ShippedKind::Agent | ShippedKind::Source => None,
        };
        let what = if shipped_slugs(kind).iter().any(|slug| slug == was) {
            format!("the built-in {word} `{was}`")
        } else if own.is_some_and(|folder| folder.join("SKILL.md").is_file()) {
            format!("your skill `{was}` of all workspaces")
        } else {
            return was.to_owned();
        };
        self.same_as_built_in.push(format!("{word} {was}"));
        match self.same_name {
            SameName::Replace => {
                let why = format!("replaces {what} in this workspace");
                self.report.change(word, was, why, &unit.place);
                was.to_owned()
            }
            SameName::KeepBoth => {
                let room = was.len().min(MAX_SLUG_BYTES - SUFFIX.len());
                let slug = format!("{}{SUFFIX}", was[..room].trim_end_matches('-'));
                let why = format!("{what} stays as it is; the imported one is here as `{slug}`");
                self.report.change(word, was, why, &unit.place);
                slug
            }
        }
    }

    /// The same with its own name in it, and with those of other things as they are called here.
    fn under_its_name(
        &mut self,
        mut unit: Unit,
        names: &Names,
        borrowed: &BTreeMap<String, Vec<String>>,
    ) -> Option<Unit> {
        let none = Vec::new();
        let own = borrowed.get(&unit.was).filter(|_| unit.kind == ShippedKind::Agent).unwrap_or(&none);
        let known: BTreeSet<String> = self.staging.sources().into_iter().map(|entry| entry.slug).collect();
        let mut notes = Vec::new();
        for (name, file) in &mut unit.files {
            if !["config.json", "AGENT.md", "SKILL.md", "mission.json"].contains(&name.as_str()) {
                continue;
            }
            let bytes = match bytes_of(file) {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.report.leave_out(unit.kind.as_str(), &unit.was, error.to_string(), &unit.place);
                    return None;
                }
            };
            let wanted = Rewritten {
                kind: unit.kind,
                was: &unit.was,
                slug: &unit.slug,
                names,
                built_in: own,
                known: &known,
            };
            file.content = Content::Bytes(rewrite(&wanted, name, bytes, &mut notes));
        }
        let mut said = BTreeSet::new();
        for why in notes.into_iter().filter(|why| said.insert(why.clone())) {
            self.report.change(unit.kind.as_str(), &unit.slug, why, &unit.place);
        }
        Some(unit)
    }

    fn stage_unit(&self, unit: &Unit) -> Result<(), Problem> {
        for (name, file) in &unit.files {
            // Loaders of sources and skills read no other file.
            if unit.kind != ShippedKind::Agent && !is_main(name) {
                continue;
            }
            // A file that can't be read or is named oddly is told of where it is written.
            let Ok(bytes) = bytes_of(file) else { continue };
            if check_name(name).is_ok() {
                self.stage(&format!("{}/{}/{name}", unit.kind.folder(), unit.slug), &bytes)?;
            }
        }
        Ok(())
    }

    /// What has its name here.
    fn occupant(&self, unit: &Unit) -> Occupant {
        let (word, folder) = (unit.kind.as_str(), self.root.join(unit.kind.folder()).join(&unit.slug));
        let below = format!("{}/{}/", unit.kind.folder(), unit.slug);
        if self.files.iter().any(|file| file.path.starts_with(&below)) {
            let same = unit.files.iter().all(|(name, file)| {
                let path = format!("{below}{name}");
                let known = self.files.iter().find(|known| known.path == path);
                known.is_some_and(|known| bytes_of(known).ok() == bytes_of(file).ok())
            });
            return match same {
                true => Occupant::Same,
                false => Occupant::Other(format!(
                    "another workspace of the folder has another {word} of this name, which was taken; import its workspace into one of its own"
                )),
            };
        }
        let Ok(about) = std::fs::symlink_metadata(&folder) else { return Occupant::None };
        let here = |name: &str| read_plain(&folder.join(name), Limits::default().entry_bytes).ok();
        let differs = |(name, file): (&String, &NewFile)| {
            here(name).is_some_and(|here| bytes_of(file).is_ok_and(|bytes| bytes != here))
        };
        let main = unit.files.keys().next().is_some_and(|name| here(main_of(unit, name)).is_some());
        if about.is_dir() && main && !unit.files.iter().any(differs) {
            return Occupant::Same;
        }
        Occupant::Other(format!(
            "there is another {word} `{}` here already, and it stays as it is; rename or remove it and import again",
            unit.slug
        ))
    }

    /// What the loader finds wrong with it.
    fn fault(&self, unit: &Unit) -> Option<WorkspaceError> {
        let broken = |problems: Vec<ConfigProblem>| WorkspaceError::Broken {
            what: unit.kind.as_str(),
            slug: unit.slug.clone(),
            problems,
        };
        match unit.kind {
            ShippedKind::Source => self.staging.source(&unit.slug).err(),
            ShippedKind::Skill => {
                let found = self.staging.skills(None, None).into_iter().find(|entry| entry.slug == unit.slug);
                found.and_then(|entry| entry.skill.err()).map(broken)
            }
            ShippedKind::Agent => {
                let has = |name: &str| unit.files.contains_key(name);
                let profile = has("mission.json").then(|| self.staging.profile(&unit.slug).err()).flatten();
                let is_agent = has("AGENT.md") || has("config.json");
                profile.or_else(|| is_agent.then(|| self.staging.agent(&unit.slug).err()).flatten())
            }
        }
    }

    /// Takes the agents that the loader accepts, as often as leaving one out may concern another.
    fn agents(&mut self, mut open: Vec<Unit>) -> Result<(), Problem> {
        loop {
            let mut refused = None;
            for (index, unit) in open.iter_mut().enumerate() {
                if let Some(fault) = self.fitted(unit)? {
                    refused = Some((index, fault));
                    break;
                }
            }
            match refused {
                Some((index, fault)) => {
                    let unit = open.remove(index);
                    self.refuse(&unit, &fault);
                }
                None => break,
            }
        }
        for unit in open {
            self.accept(unit);
        }
        Ok(())
    }

    /// Leaves out settings that the loader refuses, as far as an agent does the same without them. What is still wrong with it.
    fn fitted(&mut self, unit: &mut Unit) -> Result<Option<String>, Problem> {
        for _ in 0..MAX_REPAIRS {
            let Some(fault) = self.fault(unit) else { return Ok(None) };
            let WorkspaceError::Broken { problems, .. } = &fault else { return Ok(Some(in_words(&fault))) };
            let mut fitted = None;
            if let Some(file) = unit.files.get("config.json")
                && let Ok(mut config) = serde_json::from_slice::<Value>(&bytes_of(file).unwrap_or_default())
            {
                let spare = problems.iter().find(|problem| {
                    problem.file.ends_with("config.json") && remove(&mut config, &problem.pointer)
                });
                fitted = spare.map(|problem| (problem.clone(), config));
            }
            let Some((problem, config)) = fitted else { return Ok(Some(in_words(&fault))) };
            let why = format!(
                "`{}` was left out: expected {}, found {}",
                problem.pointer, problem.expected, problem.found
            );
            self.report.change("agent", &unit.slug, why, &unit.place);
            if let Some(file) = unit.files.get_mut("config.json") {
                file.content = Content::Bytes(transfer::craft::pretty(&config));
            }
            self.stage_unit(unit)?;
        }
        Ok(self.fault(unit).as_ref().map(in_words))
    }

    fn refuse(&mut self, unit: &Unit, fault: &str) {
        self.unstage(unit);
        self.refused.push((unit.kind, unit.was.clone()));
        let why = format!("it can't be used here: {fault}");
        self.report.leave_out(unit.kind.as_str(), &unit.slug, why, &unit.place);
    }

    fn accept(&mut self, unit: Unit) {
        let word = unit.kind.as_str();
        match self.occupant(&unit) {
            Occupant::None => self.report.bring(word, &unit.slug, words_of(&unit), &unit.place),
            Occupant::Same | Occupant::Other(_) => self.report.keep(word, 1),
        }
        let below = format!("{}/{}", unit.kind.folder(), unit.slug);
        let mut files: Vec<(String, NewFile)> = unit.files.into_iter().collect();
        // An import that is cut short leaves the file by which the rest is known again.
        files.sort_by_key(|(name, _)| !is_main(name));
        let named = files.into_iter().map(|(name, file)| NewFile {
            path: format!("{below}/{name}"),
            what: unit.slug.clone(),
            ..file
        });
        self.files.extend(named);
    }
}

/// What a loader finds wrong, without the folder of the moment in which it was read.
fn in_words(fault: &WorkspaceError) -> String {
    let WorkspaceError::Broken { problems, .. } = fault else { return fault.to_string() };
    let Some(first) = problems.first() else { return fault.to_string() };
    let file = first.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let more = match problems.len() {
        0 | 1 => String::new(),
        number => format!(" (and {} more)", number - 1),
    };
    format!("{file} {}: expected {}, found {}{more}", first.pointer, first.expected, first.found)
}

/// What a person should know of something that is new here.
fn words_of(unit: &Unit) -> &'static str {
    match unit.kind {
        ShippedKind::Agent => "new here; read its instructions before you let it work",
        ShippedKind::Source => "new here; it can be called once you have approved it",
        ShippedKind::Skill => "new here; its words become instructions where it is used",
    }
}

fn is_main(name: &str) -> bool {
    ["AGENT.md", "config.json", "SKILL.md", "mission.json"].contains(&name)
}

/// The file by which a whole is known: its main one where it has it, else the first.
fn main_of<'n>(unit: &'n Unit, first: &'n str) -> &'n str {
    let order: [&str; 4] = match unit.kind {
        ShippedKind::Agent => ["AGENT.md", "config.json", "mission.json", ""],
        ShippedKind::Source => ["config.json", "", "", ""],
        ShippedKind::Skill => ["SKILL.md", "", "", ""],
    };
    order.into_iter().find(|name| unit.files.contains_key(*name)).unwrap_or(first)
}

/// Files by the whole that they are part of, in the order in which they come, and the rest.
fn units_of(files: Vec<NewFile>) -> (Vec<Unit>, Vec<NewFile>) {
    let (mut units, mut rest): (Vec<Unit>, Vec<NewFile>) = (Vec::new(), Vec::new());
    for file in files {
        let mut parts = file.path.splitn(3, '/');
        let (Some(top), Some(slug), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            rest.push(file);
            continue;
        };
        let kinds = [ShippedKind::Agent, ShippedKind::Source, ShippedKind::Skill];
        let Some(kind) = kinds.into_iter().find(|kind| kind.folder() == top) else {
            rest.push(file);
            continue;
        };
        let (slug, name) = (slug.to_owned(), name.to_owned());
        match units.iter_mut().find(|unit| unit.kind == kind && unit.was == slug) {
            Some(unit) => {
                unit.files.insert(name, file);
            }
            None => units.push(Unit {
                kind,
                slug: slug.clone(),
                was: slug,
                place: file.place.clone(),
                files: BTreeMap::from([(name, file)]),
            }),
        }
    }
    (units, rest)
}

/// Settings without which an agent still does what it did.
fn is_spare(pointer: &str) -> bool {
    let spare = ["/output/", "/verification/", "/followUp/", "/orchestrator/", "/depthModes/", "/examples/"];
    let parts: Vec<&str> = pointer.split('/').collect();
    let of_stage =
        matches!(parts.as_slice(), ["", "controlFlow", "stages", _, "display" | "title" | "limits", ..]);
    of_stage || pointer == "/defaultDepth" || spare.iter().any(|start| pointer.starts_with(start))
}

/// Takes what stands at a pointer out of a value; a part of how a stage is shown goes with all of it. Whether it was there.
fn remove(config: &mut Value, pointer: &str) -> bool {
    if !is_spare(pointer) {
        return false;
    }
    let parts: Vec<&str> = pointer.split('/').collect();
    let whole = match parts.as_slice() {
        ["", "controlFlow", "stages", stage, "display", ..] => format!("/controlFlow/stages/{stage}/display"),
        _ => pointer.to_owned(),
    };
    let Some((above, last)) = whole.rsplit_once('/') else { return false };
    let last = last.replace("~1", "/").replace("~0", "~");
    match config.pointer_mut(above) {
        Some(Value::Object(fields)) => fields.remove(&last).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            Ok(_) | Err(_) => false,
        },
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => false,
    }
}

fn subfolders(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// What a file would hold.
///
/// # Errors
/// The file that it is copied from can't be read.
pub fn bytes_of(file: &NewFile) -> Result<Vec<u8>, ReadError> {
    match &file.content {
        Content::Bytes(bytes) => Ok(bytes.clone()),
        Content::Copy(from) => read_plain(from, Limits::default().entry_bytes),
    }
}

fn storage(error: std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("files of the import can't be laid out: {error}"))
        .with_action("free some room in the folder for temporary files and try again")
}
