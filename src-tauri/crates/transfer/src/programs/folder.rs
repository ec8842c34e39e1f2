//! The folders in which programs keep their sessions, a file each.

use std::collections::{BTreeMap, HashMap};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value};

use super::{
    Conversation, Program, SessionGroup, Unread, base_name, claude_code, codex, files_below, place_of,
};
use crate::jsonl::{LineOf, next_object};
use crate::limits::{Limits, open_plain};
use crate::lines::Lines;
use crate::report::Report;

/// Lines of a session that are looked at to tell whose it is, and files of a folder.
const HEAD_LINES: usize = 40;
const HEAD_FILES: usize = 200;
/// The most names of sessions that are read.
const MAX_NAMES: usize = 200_000;

/// A program's folder on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFolder {
    /// The program.
    pub program: Program,
    /// The folder.
    pub path: PathBuf,
    /// How many sessions it has.
    pub sessions: usize,
}

/// The folders of programs on this machine that have sessions. `variable` gives a variable of the environment.
pub fn program_folders(variable: impl Fn(&str) -> Option<PathBuf>, limits: &Limits) -> Vec<ProgramFolder> {
    let set = |name: &str| variable(name).filter(|path| path.is_absolute());
    let home = set("HOME").or_else(|| set("USERPROFILE"));
    let below = |name: &str| home.as_ref().map(|home| home.join(name));
    let config = set("XDG_CONFIG_HOME").or_else(|| below(".config")).map(|config| config.join("claude"));
    let mut all: Vec<(Program, PathBuf)> = Vec::new();
    match set("CLAUDE_CONFIG_DIR") {
        Some(own) => all.push((Program::ClaudeCode, own)),
        None => all
            .extend([below(".claude"), config].into_iter().flatten().map(|path| (Program::ClaudeCode, path))),
    }
    all.extend(set("CODEX_HOME").or_else(|| below(".codex")).map(|path| (Program::Codex, path)));
    let mut found: Vec<ProgramFolder> = Vec::new();
    for (program, path) in all {
        // Without one of them it is a folder that happens to bear the name, and may be somebody's whole home.
        if session_roots(&path, program).is_empty() {
            continue;
        }
        let sessions = SessionFiles::find(&path, program, *limits).left();
        if sessions > 0 && !found.iter().any(|known| known.path == path) {
            found.push(ProgramFolder { program, path, sessions });
        }
    }
    found
}

/// The folders within a program's folder that hold its sessions, where they are there.
fn session_roots(path: &Path, program: Program) -> Vec<PathBuf> {
    let parts: &[&str] = match program {
        Program::Codex => &["sessions", "archived_sessions"],
        Program::ChatGpt | Program::Claude | Program::ClaudeCode => &["projects"],
    };
    parts.iter().map(|part| path.join(part)).filter(|folder| folder.is_dir()).collect()
}

/// The program that keeps a folder or a session's file.
pub(super) fn detect(path: &Path, is_folder: bool, limits: &Limits) -> Option<Program> {
    if !is_folder {
        let lines = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jsonl"));
        return lines.then(|| program_of_file(path, limits)).flatten();
    }
    for program in [Program::ClaudeCode, Program::Codex] {
        let files = SessionFiles::find(path, program, *limits);
        let mut some = files.files.iter().take(HEAD_FILES);
        if some.any(|file| program_of_file(&file.path, limits) == Some(program)) {
            return Some(program);
        }
    }
    None
}

/// Whose session a file is, by the form of its first lines.
fn program_of_file(path: &Path, limits: &Limits) -> Option<Program> {
    let (file, _) = open_plain(path).ok()?;
    let mut lines = Lines::new(BufReader::new(file), limits.line_bytes);
    for _ in 0..HEAD_LINES {
        match next_object(&mut lines, "", &mut Report::default()) {
            Ok(LineOf::Object(_, line)) => {
                if codex::is_line(&line) {
                    return Some(Program::Codex);
                }
                if claude_code::is_line(&line) {
                    return Some(Program::ClaudeCode);
                }
            }
            Ok(LineOf::End) | Err(_) => return None,
        }
    }
    None
}

/// A session's file.
#[derive(Debug, Clone)]
struct SessionFile {
    path: PathBuf,
    /// The folder that it is in, below the program's.
    group: String,
}

/// The sessions of a folder, the one that changed last at the end.
#[derive(Debug)]
pub struct SessionFiles {
    program: Program,
    /// In reverse order.
    files: Vec<SessionFile>,
    /// Names that the program keeps beside its sessions, by their ids.
    names: HashMap<String, String>,
    limits: Limits,
    pub(super) report: Report,
}

impl SessionFiles {
    /// Finds sessions in a folder of a program, or takes the one that is named.
    pub(super) fn find(path: &Path, program: Program, limits: Limits) -> Self {
        let is_session: fn(&str) -> bool = match program {
            Program::Codex => codex::is_session_file,
            Program::ChatGpt | Program::Claude | Program::ClaudeCode => claude_code::is_session_file,
        };
        let mut made =
            Self { program, files: Vec::new(), names: HashMap::new(), limits, report: Report::default() };
        if !path.is_dir() {
            let file = path.is_file().then(|| SessionFile { path: path.to_owned(), group: String::new() });
            made.files.extend(file);
            return made;
        }
        let known = session_roots(path, program);
        let roots = if known.is_empty() { vec![path.to_owned()] } else { known };
        let mut dated = Vec::new();
        for root in roots {
            let (files, report) = files_below(&root, &limits);
            made.report.take(report);
            for (path, name) in files.into_iter().filter(|(_, name)| is_session(name)) {
                let changed = std::fs::symlink_metadata(&path).and_then(|seen| seen.modified()).ok();
                let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
                let group = name.split_once('/').map_or("", |(group, _)| group).to_owned();
                dated.push((changed, SessionFile { path, group }));
            }
        }
        dated.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.path.cmp(&a.1.path)));
        made.files = dated.into_iter().map(|(_, file)| file).take(limits.sessions).collect();
        if program == Program::Codex {
            made.names = names_beside(path, &limits);
        }
        made
    }

    pub(super) fn left(&self) -> usize {
        self.files.len()
    }

    pub(super) fn groups(&self) -> Vec<SessionGroup> {
        if self.program == Program::Codex {
            return Vec::new();
        }
        let mut groups: BTreeMap<&str, (usize, &Path)> = BTreeMap::new();
        for file in self.files.iter().filter(|file| !file.group.is_empty()) {
            groups.entry(&file.group).or_insert((0, file.path.as_path())).0 += 1;
        }
        if groups.len() < 2 {
            return Vec::new();
        }
        groups
            .into_iter()
            .map(|(slug, (sessions, path))| SessionGroup {
                slug: slug.to_owned(),
                // The folder's own name has lost the marks between its parts.
                name: claude_code::folder_of(path, &self.limits).unwrap_or_else(|| slug.to_owned()),
                sessions,
            })
            .collect()
    }

    pub(super) fn choose(&mut self, groups: &[String]) {
        if !groups.is_empty() {
            self.files.retain(|file| groups.contains(&file.group));
        }
    }

    pub(super) fn next_conversation(&mut self) -> Option<Result<Conversation, Unread>> {
        let file = self.files.pop()?;
        let read = match self.program {
            Program::Codex => codex::conversation(&file.path, &self.names, &self.limits),
            Program::ChatGpt | Program::Claude | Program::ClaudeCode => {
                claude_code::conversation(&file.path, &self.limits)
            }
        };
        Some(read.unwrap_or_else(|error| {
            Err(Unread::Damaged {
                name: base_name(&file.path),
                why: format!("it can't be read: {error}"),
                place: place_of(&file.path),
            })
        }))
    }
}

/// Names that a list beside the sessions gives them; the last one counts.
fn names_beside(path: &Path, limits: &Limits) -> HashMap<String, String> {
    let mut names = HashMap::new();
    let list = [path.join("session_index.jsonl"), path.join("../session_index.jsonl")];
    let Some((file, _)) = list.iter().find_map(|list| open_plain(list).ok()) else { return names };
    let mut lines = Lines::new(BufReader::new(file), limits.line_bytes);
    while let Ok(LineOf::Object(_, line)) = next_object(&mut lines, "", &mut Report::default()) {
        let text = |field: &str| line.get(field).and_then(Value::as_str).map(str::to_owned);
        if let (Some(id), Some(name)) = (text("id"), text("thread_name"))
            && names.len() < MAX_NAMES
        {
            names.insert(id, name);
        }
    }
    names
}

/// The text of a field of a line.
pub(super) fn field<'a>(line: &'a Map<String, Value>, name: &str) -> &'a str {
    line.get(name).and_then(Value::as_str).unwrap_or_default()
}
