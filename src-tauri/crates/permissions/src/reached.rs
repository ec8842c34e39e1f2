//! Which files a line of commands reads, and where they lie for the session.

use crate::disk::{Disk, PathEntry, TooMany};
use crate::known_folders::{KnownFolders, PathArea, below, joined};
use crate::overlap::stands_for;
use crate::policy::Context;
use crate::secrets;
use crate::shell::{self, Command, Extent, Line};
use crate::system::is_system;

/// The most folders that a line may have changed to; with more it is not known where it reads.
const MAX_FOLDERS: usize = 16;

/// A file that a line reads, as far as its words tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReachedFile {
    /// The word that names it.
    pub word: String,
    /// Its absolute path, by the names alone.
    pub path: String,
    /// What lies there.
    pub found: Option<PathEntry>,
    /// How far it is read.
    pub extent: Extent,
    /// Of a word that is a pattern, the pattern from the root.
    pattern: Option<String>,
    /// Its absolute path with the steps back that its word has.
    raw: String,
}

/// Where a file lies for a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileArea {
    /// In a folder of the session, or its own.
    Inside,
    /// The program's own data.
    Private,
    /// In a home folder, on a drive, or in another place where people and programs keep what is theirs.
    Hidden,
    /// In the machine's folder for temporary files, of which confined commands have one of their own.
    Temporary,
    /// Anywhere else on the machine: data of services, of other people and programs.
    Elsewhere,
    /// The system's: programs and what they need to run.
    System,
    /// Other processes.
    Processes,
}

impl ReachedFile {
    /// Where a change of it takes place: where nothing lies, in the folder that would hold it.
    pub(crate) fn landing(&self, disk: &dyn Disk) -> String {
        if let Some(found) = &self.found {
            return found.path.clone();
        }
        let mut rest = self.raw.as_str();
        while let Some((above, _)) = rest.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
            if let Some(found) = disk.find(above) {
                return joined(&found.path, "", self.raw[above.len()..].trim_start_matches('/'));
            }
            rest = above;
        }
        self.path.clone()
    }

    /// The first file that is read of a pattern, or below a folder, and is wanted.
    pub(crate) fn first_within(
        &self,
        disk: &dyn Disk,
        wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Option<(String, String)>, TooMany> {
        match (&self.pattern, self.extent) {
            (Some(pattern), Extent::Pattern) => {
                let (folder, depth) = pattern_start(pattern);
                let stands = |path: &str, real: &str| stands_for(pattern, path) && wanted(path, real);
                disk.first_below(folder, depth, &stands)
            }
            (Some(_) | None, _) => disk.first_below(self.real(), usize::MAX, wanted),
        }
    }

    /// Where it really is; by its name where nothing lies there.
    pub(crate) fn real(&self) -> &str {
        self.found.as_ref().map_or(self.path.as_str(), |found| found.path.as_str())
    }

    /// Whether more than one file is read.
    pub(crate) fn is_wide(&self) -> bool {
        match self.extent {
            Extent::Exact | Extent::Processes => false,
            Extent::Pattern | Extent::PatternBelow => true,
            Extent::Below => self.found.as_ref().is_none_or(|found| found.folder),
        }
    }

    /// Where it lies.
    pub(crate) fn territory(&self, places: &KnownFolders, context: &Context<'_>) -> FileArea {
        if self.extent == Extent::Processes {
            return FileArea::Processes;
        }
        let of = |path: &str| territory(path, self.is_wide(), places, context);
        let real = of(self.real());
        // Links of /proc lead elsewhere for each process.
        if below(&self.path, "/proc").is_some() && real == FileArea::System { FileArea::Hidden } else { real }
    }
}

/// Folders that confined commands see empty or as their own, besides the home folder.
const HIDDEN: &[&str] =
    &["/home", "/root", "/Users", "/mnt", "/media", "/srv", "/Volumes", "/run", "/var/run", "/proc"];

/// Where a path lies; `wide`: with everything below it.
pub(crate) fn territory(path: &str, wide: bool, places: &KnownFolders, context: &Context<'_>) -> FileArea {
    match places.ground(path, context.session) {
        PathArea::Private => return FileArea::Private,
        PathArea::OwnPlans | PathArea::OwnData | PathArea::OwnRest | PathArea::Workspace => {
            return FileArea::Inside;
        }
        PathArea::Foreign => {}
    }
    let in_home = below(path, &places.home);
    let secret = in_home.is_some_and(|rest| secrets::is_secret(rest) || wide && secrets::holds_secrets(rest))
        || wide && (below(&places.home, path).is_some() || below(&places.data, path).is_some());
    let inside = context.folders.iter().any(|folder| below(path, folder).is_some());
    if path == "/dev/null" || inside && !secret {
        return FileArea::Inside;
    }
    let hidden = HIDDEN.iter().any(|folder| below(path, folder).is_some());
    if secret || hidden || in_home.is_some() || wide && path == "/" {
        FileArea::Hidden
    } else if below(path, "/tmp").is_some() {
        FileArea::Temporary
    } else if is_system(path, wide) {
        FileArea::System
    } else {
        FileArea::Elsewhere
    }
}

/// What a line reads.
#[derive(Debug, Default)]
pub(crate) struct LineReach {
    pub reached: Vec<ReachedFile>,
    /// Why that may not be all, in words.
    pub unknown: Option<String>,
}

/// What those commands of a line read that `counts`, and its redirections, seen from a folder.
pub(crate) fn of_line(
    line: &Line,
    cwd: &str,
    home: &str,
    disk: &dyn Disk,
    counts: impl Fn(usize) -> bool,
) -> LineReach {
    let mut all = LineReach::default();
    let mut folders = Folders::new(cwd, home, disk);
    for (index, command) in line.commands.iter().enumerate() {
        if shell::plain_name(command.name()) == "cd" {
            folders.change(command, &mut all);
            continue;
        }
        if !counts(index) {
            continue;
        }
        let reach = shell::reach(command);
        if let Some(why) = reach.unknown {
            all.unknown.get_or_insert_with(|| format!("`{}`: {why}", command.name()));
        }
        for place in reach.places {
            all.reached.extend(folders.reached(&place.word, place.extent));
        }
    }
    for input in &line.inputs {
        all.reached.extend(folders.reached(input, Extent::Exact));
    }
    all
}

/// The folders that a line may be in: where it begins, and where each `cd` may have led.
pub(crate) struct Folders<'a> {
    /// Each as it is written, which is what steps back are taken from by `cd`.
    paths: Vec<String>,
    home: &'a str,
    disk: &'a dyn Disk,
}

impl<'a> Folders<'a> {
    pub(crate) fn new(cwd: &str, home: &'a str, disk: &'a dyn Disk) -> Self {
        Self { paths: vec![cwd.to_owned()], home, disk }
    }

    /// Follows a `cd`, which may fail: where it was counts as well.
    pub(crate) fn change(&mut self, command: &Command, all: &mut LineReach) {
        let target = match command.arguments() {
            [] => "~",
            [word] if !word.glob && !word.dynamic && !word.text.starts_with('-') => word.text.as_str(),
            _ => {
                all.unknown.get_or_insert_with(|| "it changes to a folder that is not known".to_owned());
                return;
            }
        };
        if target.strip_prefix('~').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')) {
            all.unknown.get_or_insert_with(|| format!("`{target}` is a folder that only the shell knows"));
            return;
        }
        let reached = self.reached(target, Extent::Exact);
        for path in reached.iter().flat_map(|one| [one.path.as_str(), one.real()]) {
            if !self.paths.iter().any(|known| known == path) {
                self.paths.push(path.to_owned());
            }
        }
        if self.paths.len() > MAX_FOLDERS {
            self.paths.truncate(MAX_FOLDERS);
            all.unknown.get_or_insert_with(|| "it changes folders too often".to_owned());
        }
        all.reached.extend(reached);
    }

    /// What a word names from each of the folders. Of a pattern: the folder below which all lies that it can stand for.
    pub(crate) fn reached(&self, word: &str, extent: Extent) -> Vec<ReachedFile> {
        let pattern = matches!(extent, Extent::Pattern | Extent::PatternBelow);
        let fixed = if pattern { before_pattern(word) } else { word };
        let of = |folder: &String| {
            let raw = raw(folder, self.home, fixed);
            ReachedFile {
                word: word.to_owned(),
                found: self.disk.find(&raw),
                path: joined(folder, self.home, fixed),
                extent,
                pattern: pattern.then(|| joined(folder, self.home, word)),
                raw,
            }
        };
        self.paths.iter().map(of).collect()
    }

    /// Absolute forms of a pattern.
    pub(crate) fn patterns<'b>(&'b self, word: &'b str) -> impl Iterator<Item = String> + 'b {
        self.paths.iter().map(move |folder| joined(folder, self.home, word))
    }
}

/// The folder that a pattern begins with; the root where it may climb out of it.
fn before_pattern(word: &str) -> &str {
    let first = word.find(['*', '?', '[', '{']).unwrap_or(word.len());
    let (fixed, rest) = word.split_at(word[..first].rfind('/').map_or(0, |slash| slash + 1));
    // `.*` may stand for `..`.
    let climbs = |part: &str| part == ".." || [".*", ".?", ".["].iter().any(|start| part.starts_with(start));
    match fixed {
        _ if rest.split('/').any(climbs) => "/",
        "" => ".",
        fixed => fixed,
    }
}

/// The folder that an absolute pattern begins in, and how many steps further down it reaches.
pub(crate) fn pattern_start(pattern: &str) -> (&str, usize) {
    let first = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let slash = pattern[..first].rfind('/').unwrap_or(0);
    let folder = if slash == 0 { "/" } else { &pattern[..slash] };
    (folder, pattern[slash..].matches('/').count())
}

/// A path that a word names, with its steps back as they are written: they are taken where links lead.
fn raw(folder: &str, home: &str, word: &str) -> String {
    match word.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ if word.starts_with('/') => word.to_owned(),
        _ => format!("{folder}/{word}"),
    }
}
