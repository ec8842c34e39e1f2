//! Documents that research made in a session of the fork: `plans/*.md`, with `data/answer.json` for the last of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use super::BoundedReader;
use crate::limits::read_plain;
use crate::lines::decoded;

/// The most documents of a session.
const MAX_DOCUMENTS: usize = 50;
/// The most bytes of one.
const MAX_DOCUMENT_BYTES: u64 = 4 << 20;
/// The most bytes of the state of a pipeline: it holds what every stage gave.
const MAX_STATE_BYTES: u64 = 64 << 20;
/// Characters by which a text is known again within another.
const KNOWN_CHARS: usize = 160;

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchDocument {
    /// The name of its file.
    pub name: String,
    /// The agent that made it; empty where nothing says so.
    pub agent: String,
    /// What was asked.
    pub question: String,
    /// When it was finished, in milliseconds since 1970.
    pub at: i64,
    /// Its text, its citations, queries and pages, in the form in which answers are kept.
    pub answer: Value,
}

impl BoundedReader<'_> {
    /// The documents of a session, the oldest first. `plans`: names of files that were plans to agree to; `asked`: what the person
    /// wrote first; `at`: when something last happened.
    pub(super) fn research(
        &mut self,
        folder: &Path,
        plans: &BTreeSet<String>,
        asked: &str,
        at: i64,
    ) -> Vec<ResearchDocument> {
        let data = folder.join("data");
        let state = self.data(&data.join("pipeline-state.json"), MAX_STATE_BYTES);
        let answer = self.data(&data.join("answer.json"), MAX_DOCUMENT_BYTES);
        let answer =
            answer.filter(|answer| answer["answer"].as_str().is_some_and(|text| !text.trim().is_empty()));
        let agents = self.folders(&data.join("agents"));
        if answer.is_none() && state.is_none() && agents.is_empty() {
            return Vec::new();
        }
        let state = state.unwrap_or_default();
        let agent = state["agentSlug"].as_str().filter(|slug| !slug.is_empty()).map(str::to_owned);
        let of_folder = || agents.first()?.file_name().map(|name| name.to_string_lossy().into_owned());
        let agent = agent.or_else(of_folder).unwrap_or_default();
        let asked =
            state["originalUserMessage"].as_str().filter(|text| !text.trim().is_empty()).unwrap_or(asked);
        let at = state["savedAt"].as_i64().filter(|at| *at > 0).unwrap_or(at);
        let mut found = self.texts(&folder.join("plans"), plans);
        // The answer as data is that of the last document; which one that is, its words say.
        let of = answer.as_ref().map(|answer| {
            let begins = beginning(answer["answer"].as_str().unwrap_or_default());
            found.iter().rposition(|(_, text)| squeezed(text).contains(&begins)).unwrap_or(found.len())
        });
        if of == Some(found.len()) && found.len() != 1 {
            found.push(("answer.md".to_owned(), String::new()));
        }
        let last = found.len().saturating_sub(1);
        let of = of.map(|of| of.min(last));
        let documents = found.into_iter().enumerate().take(MAX_DOCUMENTS).map(|(index, (name, text))| {
            let own = answer.as_ref().filter(|_| of == Some(index));
            let question = match own.and_then(|answer| answer["original_query"].as_str()) {
                Some(question) if !question.trim().is_empty() => question.to_owned(),
                _ => question_of(&text).unwrap_or_else(|| asked.to_owned()),
            };
            let answer = own.cloned().unwrap_or_else(|| json!({"answer": text}));
            ResearchDocument { name, agent: agent.clone(), question: question.trim().to_owned(), at, answer }
        });
        documents.filter(|document| !document.question.is_empty()).collect()
    }

    /// A file of data; one that can't be read is told of and left where it is.
    fn data(&mut self, path: &Path, most: u64) -> Option<Value> {
        if std::fs::symlink_metadata(path).is_err() {
            return None;
        }
        let read = read_plain(path, most).map_err(|error| error.to_string());
        let value = read.and_then(|bytes| {
            serde_json::from_str(&decoded(bytes).0).map_err(|error| format!("it is not JSON: {error}"))
        });
        match value {
            Ok(value) => Some(value),
            Err(why) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                self.report.leave_out("document", &name, why, &path.display().to_string());
                None
            }
        }
    }

    /// Markdown files in the order in which they were written.
    fn texts(&mut self, folder: &Path, plans: &BTreeSet<String>) -> Vec<(String, String)> {
        let mut files: Vec<(u128, PathBuf)> = self
            .files(folder, "md")
            .into_iter()
            .map(|path| {
                let written = std::fs::symlink_metadata(&path).and_then(|about| about.modified()).ok();
                let at = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
                (at.map_or(0, |at| at.as_millis()), path)
            })
            .collect();
        files.sort();
        let named = files.into_iter().filter_map(|(_, path)| {
            let name = path.file_name()?.to_str()?.to_owned();
            if plans.contains(&name) {
                return None;
            }
            match read_plain(&path, MAX_DOCUMENT_BYTES) {
                Ok(bytes) => Some((name, decoded(bytes).0)).filter(|(_, text)| !text.trim().is_empty()),
                Err(error) => {
                    self.report.leave_out("document", &name, error.to_string(), &path.display().to_string());
                    None
                }
            }
        });
        named.collect()
    }
}

/// A text's words with one space between them, without marks that a renderer changes.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn beginning(text: &str) -> String {
    squeezed(text).chars().take(KNOWN_CHARS).collect()
}

/// What a document says it was asked: the text below `Original Question`, else its title.
fn question_of(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let headed = lines.by_ref().find(|line| {
        line.starts_with('#') && line.trim_matches(['#', ' ']).eq_ignore_ascii_case("Original Question")
    });
    if headed.is_some() {
        let below = lines.take_while(|line| !line.starts_with('#'));
        let words =
            squeezed(&below.map(|line| line.trim_start_matches(['>', ' '])).collect::<Vec<_>>().join(" "));
        if !words.is_empty() {
            return Some(words);
        }
    }
    let title = text.lines().find_map(|line| line.strip_prefix("# "))?;
    Some(squeezed(title)).filter(|title| !title.is_empty())
}
