//! Documents that are attached to a question: a small base of their session alone, so that an answer cites their pages and the
//! citations are checked as any others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use domain::{Attachment, Digest, ErrorCode, Problem};
use engine::Corpus;
use environment::Environment;
use knowledge::Base;
use knowledge::ingest::{FileReport, Unread};

use crate::bases::{self, Recipe};
use crate::corpus;

/// The most documents of a question, and the most bytes of all of them.
const MAX_FILES: usize = 20;
const MAX_BYTES: u64 = 100 << 20;
/// A reading that no question used is kept for a day.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// What was read of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Its pages, where its format has them.
    pub pages: Option<u32>,
    /// What could not be read of it.
    pub note: Option<String>,
}

/// Where readings of attached documents are kept until a question asks them.
pub(crate) fn readings(home: &Path) -> PathBuf {
    home.join("knowledge").join(".attached")
}

/// Reads a document in a process of its own. What was read is kept for the base that a question makes of it. Blocking.
///
/// # Errors
/// When nothing of it can be read, with the file's name and the remedy.
pub fn read(home: &Path, path: &Path, name: &str) -> Result<Reading, Problem> {
    sweep(&readings(home));
    let recipe = Recipe {
        paths: vec![path.to_owned()],
        names: [(path.to_owned(), name.to_owned())].into(),
        ..Recipe::default()
    };
    let mut options = recipe.options(home, "attached")?;
    options.readings = Some(readings(home));
    let reports = knowledge::ingest::read_ahead(&options, &mut |_| {}, &AtomicBool::new(false))
        .map_err(corpus::problem)?;
    let report = reports.into_iter().next().unwrap_or_default();
    if let Some(refused) = refusal(name, &report) {
        return Err(refused);
    }
    let problems = report.problems.iter().filter(|problem| !problem.minor).count();
    let problems = u64::try_from(problems).unwrap_or(u64::MAX).saturating_add(report.more_problems);
    let note = bases::warnings(std::slice::from_ref(&report)).into_iter().next().map(|first| {
        let first =
            first.strip_prefix(&report.name).unwrap_or(&first).trim_start_matches([',', ':', ' ']).to_owned();
        if problems > 1 { format!("{first} (and {} more)", problems - 1) } else { first }
    });
    Ok(Reading { pages: report.pages, note })
}

/// Why nothing could be read of a document; none where something was.
fn refusal(name: &str, report: &FileReport) -> Option<Problem> {
    let unread = report.unread?;
    let what = report.problems.last().map_or("it can't be read", |problem| problem.what.as_str());
    let (code, what, remedy) = match unread {
        Unread::Encrypted => (
            ErrorCode::InvalidInput,
            "it is encrypted with a password".to_owned(),
            "save a copy without the password and attach that",
        ),
        // What was found comes before what to do.
        Unread::Scanned => (
            ErrorCode::InvalidInput,
            what.split(": ").next().unwrap_or(what).to_owned(),
            "install the model that reads pictures of pages (Knowledge › Add from registry › Models, or `agentnative kb model page-reader`) and attach it again",
        ),
        Unread::Damaged => (
            ErrorCode::InvalidInput,
            what.to_owned(),
            "open it in the program that made it, save it anew, and attach that",
        ),
        Unread::TooLarge => (
            ErrorCode::InvalidInput,
            what.to_owned(),
            "attach a part of it, or make a knowledge base of its folder",
        ),
        Unread::Empty => {
            (ErrorCode::InvalidInput, "there is no text in it".to_owned(), "attach a file with text in it")
        }
        Unread::Failed => (ErrorCode::InvalidInput, what.to_owned(), "attach its text instead"),
        Unread::Io => (ErrorCode::Storage, what.to_owned(), "attach it again"),
    };
    Some(Problem::new(code, format!("{name}: {what}")).with_action(remedy))
}

/// Removes readings that no question has used for long.
fn sweep(folder: &Path) {
    let now = SystemTime::now();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let old = entry
            .metadata()
            .and_then(|about| about.modified())
            .is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT));
        if old {
            // It is looked at again with the next document.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The base of a session's documents, made where it is not there. `folder` holds them under their ids. The same documents of
/// a session have the same base.
///
/// # Errors
/// When they are too many or one of them can't be read, with its name.
pub async fn base(
    env: &Environment,
    session: &str,
    folder: &Path,
    files: &[Attachment],
) -> Result<Corpus, Problem> {
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    if files.len() > MAX_FILES || bytes > MAX_BYTES {
        let what = format!(
            "the attached documents are {} files with {} MiB; a question takes {MAX_FILES} with {} MiB",
            files.len(),
            bytes >> 20,
            MAX_BYTES >> 20
        );
        return Err(Problem::new(ErrorCode::InvalidInput, what)
            .with_action("make a knowledge base of their folder and ask that; nothing was started"));
    }
    let name = name(session, files);
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(&file.id)).collect();
    let recipe = Recipe {
        names: paths.iter().cloned().zip(names(files)).collect(),
        paths,
        title: title(files),
        tier: "document".to_owned(),
        session: Some(session.to_owned()),
        ..Recipe::default()
    };
    let (home, shelf, handle) = (env.home.clone(), env.bases(), tokio::runtime::Handle::current());
    support::blocking(move || {
        let go = AtomicBool::new(false);
        let mut options = recipe.options(&home, &name)?;
        options.readings = Some(readings(&home));
        let reports = knowledge::ingest::read_ahead(&options, &mut |_| {}, &go).map_err(corpus::problem)?;
        if let Some(refused) = reports.iter().find_map(|report| refusal(&report.name, report)) {
            return Err(refused);
        }
        let base = shelf.claim(&name).map_err(corpus::problem)?;
        bases::ingest(&home, &base.id, &recipe, &handle, &mut |_| {}, &go)?;
        corpus::resolve(&shelf, &base.id, &[])
    })
    .await
}

/// The name of a base of documents: of their session, ids and names.
fn name(session: &str, files: &[Attachment]) -> String {
    let files: Vec<(&str, &str)> = files.iter().map(|file| (file.id.as_str(), file.name.as_str())).collect();
    let mark = Digest::of_json(&serde_json::json!([session, files])).to_string();
    format!("attached-{}", mark.chars().take(12).collect::<String>())
}

fn title(files: &[Attachment]) -> String {
    match files {
        [] => "Attached documents".to_owned(),
        [one] => one.name.clone(),
        [first, others @ ..] => format!("{} and {} more", first.name, others.len()),
    }
}

/// The names of documents, each another one.
fn names(files: &[Attachment]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let unique = |file: &Attachment| {
        let plain = file.name.replace(['/', '\\'], "_");
        let (stem, ending) = plain.rsplit_once('.').unwrap_or((&plain, ""));
        let numbered = (2..).map(|number| match ending {
            "" => format!("{stem} ({number})"),
            ending => format!("{stem} ({number}).{ending}"),
        });
        std::iter::once(plain.clone()).chain(numbered).find(|name| known.insert(name.clone()))
    };
    files.iter().filter_map(unique).collect()
}

/// The texts of a base's documents with the pages on which they stand, for agents that search no base. Blocking.
///
/// # Errors
/// When it can't be read.
pub fn texts(home: &Path, base: &Corpus) -> Result<Vec<(String, String)>, Problem> {
    let base = Base::open_generation(home, &base.base, &base.generation).map_err(corpus::problem)?;
    let mut texts: BTreeMap<usize, (String, Option<u32>)> = BTreeMap::new();
    for paragraph in base.paragraphs().iter().filter(|one| one.part_of.is_none()) {
        let (text, page) = texts.entry(paragraph.file as usize).or_default();
        if paragraph.page.is_some() && *page != paragraph.page {
            *page = paragraph.page;
            text.push_str(&page.map_or_else(String::new, |page| format!("[page {page}]\n\n")));
        }
        let mut from = 0;
        let begins = *page;
        for one in paragraph.breaks.iter().filter(|one| Some(one.page) > begins) {
            let (Some(before), Some(_)) = (paragraph.text.get(from..one.at), paragraph.text.get(one.at..))
            else {
                continue;
            };
            text.push_str(&format!("{}\n[page {}]\n", before.trim_end(), one.page));
            (from, *page) = (one.at, Some(one.page));
        }
        text.push_str(paragraph.text[from..].trim_start());
        text.push_str("\n\n");
    }
    let sources = &base.manifest().sources;
    let named = texts
        .into_iter()
        .filter_map(|(at, (text, _))| Some((sources.get(at)?.name.clone(), text.trim_end().to_owned())));
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use knowledge::ingest::FileProblem;

    use super::*;

    #[test]
    fn what_nobody_misses_is_no_warning() {
        let told = |what: &str, minor| FileProblem { what: what.into(), minor, ..FileProblem::default() };
        let problems =
            vec![told("a table of contents was left out", true), told("2 pages are pictures", false)];
        let report =
            FileReport { name: "a.pdf".into(), problems, format: "pdf".into(), ..FileReport::default() };
        assert_eq!(bases::warnings(&[report]), ["a.pdf: 2 pages are pictures"]);
    }

    fn file(id: &str, name: &str) -> Attachment {
        let (id, name) = (id.to_owned(), name.to_owned());
        Attachment { id, name, media_type: "application/pdf".into(), bytes: 1, note: None, pages: None }
    }

    #[test]
    fn files_of_one_name_have_two_in_their_base() {
        let files =
            [file("1-a.pdf", "a.pdf"), file("2-a.pdf", "a.pdf"), file("3-b", "b/c"), file("4-b", "b_c")];
        assert_eq!(names(&files), ["a.pdf", "a (2).pdf", "b_c", "b_c (2)"]);
    }

    #[test]
    fn the_same_documents_of_a_session_have_one_base() {
        let files = [file("1-a.pdf", "a.pdf")];
        assert_eq!(name("s1", &files), name("s1", &files));
        assert_ne!(name("s1", &files), name("s2", &files));
        assert_ne!(name("s1", &files), name("s1", &[file("2-a.pdf", "a.pdf")]));
    }
}
