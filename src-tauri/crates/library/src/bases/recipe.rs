//! What a base is made of, kept beside it: so that it can be made again when its files have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use domain::{Digest, ErrorCode, Problem};
use embeddings::{Embedder, ModelRef};
use knowledge::ingest::{FileReport, Preview, Progress};
use knowledge::{IngestOptions, IngestReport, SourceFile};
use protocol::{BaseReading, ReadingNote, UnreadFile};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use workspace_bases::Belonging;

use crate::{attached, corpus};

/// The most notes on files that are listed.
const NOTES: usize = 500;

/// How a base is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Recipe {
    /// Files and folders, absolute.
    pub paths: Vec<PathBuf>,
    /// What files are called in the base that lie under another name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<PathBuf, String>,
    /// The session whose attached documents they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its title; empty for the name.
    pub title: String,
    /// `standard`, `guide`, `web` or `primer`.
    pub tier: String,
    /// How a paragraph is cited; empty for the rule set's form.
    pub citation: String,
    /// The rule set; none to choose one for each file.
    pub rules: Option<String>,
    /// The model of its vectors; none for a base without.
    pub model: Option<String>,
    /// Whether it is made again when its files change.
    pub watch: bool,
    /// Where its files were downloaded from.
    pub origin: Option<String>,
    /// The licence that was accepted.
    pub license: Option<String>,
}

const FILE: &str = "recipe.json";

impl Recipe {
    /// The recipe of a base; none for one that ships with the program, or is older than recipes.
    pub fn read(home: &Path, base: &str) -> Option<Self> {
        knowledge::current_generation(home, base).ok()?;
        serde_json::from_slice(&std::fs::read(place(home, base)).ok()?).ok()
    }

    /// Keeps it beside its base, which must exist.
    pub fn keep(&self, home: &Path, base: &str) -> Result<(), Problem> {
        knowledge::current_generation(home, base).map_err(corpus::problem)?;
        let path = place(home, base);
        let failed =
            |error: std::io::Error| Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display()));
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
        text.push(b'\n');
        support::replace_file(&path, &text, support::Readers::Default).map_err(failed)
    }

    /// The options of an ingest, without vectors.
    pub(crate) fn options(&self, home: &Path, base: &str) -> Result<IngestOptions, Problem> {
        let mut options = IngestOptions::new(home, base, self.paths.clone());
        options.names.clone_from(&self.names);
        options.session.clone_from(&self.session);
        // What people call it, not what its folder is called.
        options.title =
            if self.title.is_empty() { Belonging::read(home, base).name } else { self.title.clone() };
        options.tier = corpus::tier(if self.tier.is_empty() { "guide" } else { &self.tier })?;
        options.citation.clone_from(&self.citation);
        options.created_at_ms = support::now_ms();
        options.rules.clone_from(&self.rules);
        // What strangers wrote is read in a process of its own.
        Ok(options.read_apart())
    }

    /// Whether it makes a base of these files and folders, whichever way their paths are written.
    pub fn is_of(&self, paths: &[PathBuf]) -> bool {
        let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let set = |paths: &[PathBuf]| paths.iter().map(real).collect::<BTreeSet<PathBuf>>();
        self.session.is_none() && self.origin.is_none() && set(&self.paths) == set(paths)
    }
}

fn place(home: &Path, base: &str) -> PathBuf {
    home.join("knowledge").join(base).join(FILE)
}

/// What the person's bases are made from: files and folders. Blocking.
pub fn source_paths(home: &Path) -> Vec<PathBuf> {
    let bases = knowledge::list_bases(home).unwrap_or_default();
    bases.iter().filter_map(|base| Recipe::read(home, &base.name)).flat_map(|recipe| recipe.paths).collect()
}

/// What became of a file that was ingested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Original {
    /// It lies here, with the bytes that were ingested.
    Unchanged(PathBuf),
    /// What lies here now has another digest.
    Changed(PathBuf, Digest),
    /// Nothing lies here any more that can be read.
    Missing(PathBuf),
    /// Nobody knows where it was: the base is shipped, imported or older than recipes.
    Unknown,
}

/// Looks for a file of a base where it was ingested from. Blocking.
pub fn original(home: &Path, base: &str, file: &SourceFile) -> Original {
    let Some(recipe) = Recipe::read(home, base) else { return Original::Unknown };
    let mut found = Original::Unknown;
    for path in recipe.paths {
        let place = match path.metadata() {
            _ if recipe.names.get(&path) == Some(&file.name) => path,
            Ok(data) if data.is_dir() => path.join(&file.name),
            _ if path.ends_with(&file.name) => path,
            // A folder that is gone had the file below it; another file never had.
            Err(_) if path.extension().is_none() => path.join(&file.name),
            _ => continue,
        };
        match std::fs::read(&place) {
            Ok(bytes) => {
                let digest = Digest::of(&bytes);
                if digest == file.sha256 {
                    return Original::Unchanged(place);
                }
                found = Original::Changed(place, digest);
            }
            Err(_) if found == Original::Unknown => found = Original::Missing(place),
            Err(_) => {}
        }
    }
    found
}

/// Makes a base after its recipe and keeps the recipe. Blocking; `handle` is for models of services.
pub fn ingest(
    home: &Path,
    base: &str,
    recipe: &Recipe,
    handle: &Handle,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<IngestReport, Problem> {
    let mut options = recipe.options(home, base)?;
    options.readings = recipe.session.is_some().then(|| attached::readings(home));
    options.embedder = recipe.model.as_deref().map(|model| embedder(home, model, handle)).transpose()?;
    let report = knowledge::ingest(&options, progress, cancel).map_err(corpus::problem)?;
    recipe.keep(home, base)?;
    Ok(report)
}

/// What [`ingest`] would recognise. Blocking; nothing is stored.
pub fn preview(
    home: &Path,
    base: &str,
    recipe: &Recipe,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<Preview, Problem> {
    knowledge::ingest::preview(&recipe.options(home, base)?, progress, cancel).map_err(corpus::problem)
}

/// The embedder that a reference to a model names. Blocking.
pub fn embedder(home: &Path, model: &str, handle: &Handle) -> Result<Arc<dyn Embedder>, Problem> {
    let reference: ModelRef = model.parse().map_err(|error| {
        Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", support::clipped(model, 200)))
    })?;
    // A key that is set where the program was started counts before one that is kept.
    let vault = secrets::Vault::open(home);
    let kept = |name: &str| {
        let secret = vault.get(name).ok().flatten()?;
        Some(llm::embeddings::Secret::new(secrets::ExposeSecret::expose_secret(&secret)))
    };
    let keys = |name: &str| llm::embeddings::environment(name).or_else(|| kept(name));
    llm::embeddings::open(&reference, home, &keys, handle).map_err(|error| {
        Problem::new(ErrorCode::Provider, format!("the model {reference} can't be used: {error}"))
            .with_action("give another model, or leave it out to search by words")
    })
}

/// How files were read, for a person.
pub fn reading(files: &[FileReport]) -> BaseReading {
    let mut reading = BaseReading { found: files.len() as u32, ..BaseReading::default() };
    for file in files {
        if let Some((why, remedy)) = file.unread() {
            let remedy = remedy.to_owned();
            reading.unread.push(UnreadFile { name: file.name.clone(), why, remedy });
            continue;
        }
        reading.more += u32::try_from(file.more_problems).unwrap_or(u32::MAX);
        for problem in file.problems.iter().filter(|problem| !problem.minor) {
            if reading.notes.len() == NOTES {
                reading.more += 1;
                continue;
            }
            let place = match (problem.page, problem.line) {
                (Some(page), _) => format!("page {page}"),
                (None, Some(line)) => format!("line {line}"),
                (None, None) => String::new(),
            };
            let (file, what) = (file.name.clone(), problem.what.clone());
            reading.notes.push(ReadingNote { file, place, what });
        }
    }
    reading
}

/// The same as lines: where files were not read how many and why, and what is lost or doubtful in the others.
pub fn warnings(files: &[FileReport]) -> Vec<String> {
    let BaseReading { found, unread, notes, more } = reading(files);
    let mut lines = Vec::new();
    if !unread.is_empty() {
        lines.push(format!("{} of {found} files read", found as usize - unread.len()));
    }
    for UnreadFile { name, why, remedy } in unread {
        let remedy = if remedy.is_empty() { String::new() } else { format!(" ({remedy})") };
        lines.push(format!("not read: {name}: {why}{remedy}"));
    }
    for ReadingNote { file, place, what } in notes {
        let place = if place.is_empty() { place } else { format!(", {place}") };
        lines.push(format!("{file}{place}: {what}"));
    }
    if more > 0 {
        lines.push(format!("{more} more notes"));
    }
    lines
}
