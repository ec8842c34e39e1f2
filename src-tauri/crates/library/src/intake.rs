//! Documents that a person hands over: a folder becomes a knowledge base before what asks it begins. The same files are one base
//! of a workspace, whatever they were handed to.

use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};
use environment::Environment;
use protocol::{JobKind, Tag};
use support::blocking;
use workspace_bases::{NamedBase, WorkspaceBases};

use crate::bases::{self, Recipe};
use crate::commands::{show, summary};
use crate::corpus;

/// Bytes of a base's name that come from the folder's.
const NAME_BYTES: usize = 40;

/// Makes a folder's documents a base of the workspace, or a new generation of the one that was made of them before where they
/// have changed, and gives its name. The work is listed as a job, which can be stopped.
///
/// # Errors
/// The folder is not there or has no document; a document can't be read; the job was stopped.
pub async fn folder(env: &Environment, folder: &str) -> Result<String, Problem> {
    let path = PathBuf::from(folder);
    if !path.is_absolute() || !path.is_dir() {
        let what = format!("{folder} is no folder of this machine");
        return Err(Problem::new(ErrorCode::InvalidInput, what)
            .with_action("give the absolute path of the folder with the documents"));
    }
    let path = std::fs::canonicalize(&path)
        .map_err(|error| Problem::new(ErrorCode::Storage, format!("{folder}: {error}")))?;
    let (shelf, paths) = (env.bases(), vec![path]);
    let new = Recipe {
        title: title(&paths),
        paths: paths.clone(),
        tier: "document".to_owned(),
        ..Recipe::default()
    };
    let (base, before) = blocking(move || base_of(&shelf, &paths)).await?;
    let recipe = before.unwrap_or(new);
    // Somebody may be making just this base: then it is looked at once more.
    env.jobs.ended(env.slug(), &base.name).await;
    let mut step = env.begin_job(JobKind::Ingest, base.name.clone())?;
    let (home, handle) = (env.home.clone(), tokio::runtime::Handle::current());
    let made = tokio::task::spawn_blocking(move || {
        let cancel = step.cancel.clone();
        let mut tell = |progress| show(&mut step, progress);
        let made = bases::ingest(&home, &base.id, &recipe, &handle, &mut tell, &cancel);
        match &made {
            Ok(report) => step.end(Ok(summary(report)), bases::warnings(&report.files), &[Tag::Bases]),
            Err(problem) => step.end(Err(problem.clone()), Vec::new(), &[]),
        }
        made.map(|_| base.name)
    });
    made.await.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
}

/// The base of files and folders in a workspace: its own that was made of just these, with how, else a new one that is called
/// after them. Blocking.
///
/// # Errors
/// The disk.
pub fn base_of(shelf: &WorkspaceBases, paths: &[PathBuf]) -> Result<(NamedBase, Option<Recipe>), Problem> {
    let known = shelf.list().map_err(corpus::problem)?;
    let same = known.iter().filter(|(base, _)| shelf.owns(base)).filter_map(|(base, summary)| {
        let recipe = Recipe::read(shelf.home(), &base.id).filter(|recipe| recipe.is_of(paths))?;
        Some((summary.manifest.created_at_ms, base, recipe))
    });
    // Earlier versions made several; the newest is the one in use.
    if let Some((_, base, recipe)) = same.max_by_key(|(made_at, _, _)| *made_at) {
        return Ok((base.clone(), Some(recipe)));
    }
    let taken: Vec<&str> = known.iter().map(|(base, _)| base.name.as_str()).collect();
    Ok((shelf.claim(&free_name(paths, &taken)).map_err(corpus::problem)?, None))
}

/// What several files lie in, or the only one.
fn called_after(paths: &[PathBuf]) -> &Path {
    let first = paths.first().map_or(Path::new(""), PathBuf::as_path);
    if paths.len() > 1 { first.parent().unwrap_or(first) } else { first }
}

/// A base's title: what its files are called together.
fn title(paths: &[PathBuf]) -> String {
    let named = called_after(paths);
    named.file_name().map(|name| name.to_string_lossy().replace('_', " ")).unwrap_or_default()
}

/// A name that no base has: the folder's, with the one above it where that is taken, else with a number.
fn free_name(paths: &[PathBuf], taken: &[&str]) -> String {
    let named = called_after(paths);
    let own = words(named, paths.len() == 1 && named.is_file());
    let own = if own.is_empty() { "documents".to_owned() } else { own };
    let above = named.parent().map(|above| words(above, false)).filter(|above| !above.is_empty());
    let told_apart = above.map(|above| format!("{own}-{above}"));
    let numbered = (2..).map(|number| format!("{own}-{number}"));
    let mut names = std::iter::once(own.clone()).chain(told_apart).chain(numbered);
    names.find(|name| !taken.contains(&name.as_str())).unwrap_or(own)
}

/// The letters and digits of a file's name as a base's name may have them.
fn words(path: &Path, is_file: bool) -> String {
    let name = if is_file { path.file_stem() } else { path.file_name() };
    let own = name.map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let words: Vec<&str> =
        own.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    // Half the room is left for what tells it apart.
    name.truncate(NAME_BYTES / 2 + 10);
    name.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_s_base_is_called_after_it_and_told_apart_by_where_it_lies() {
        let name = |path: &str, taken: &[&str]| free_name(&[PathBuf::from(path)], taken);
        assert_eq!(name("/a/Deal Room_2", &[]), "deal-room-2");
        assert_eq!(name("/acme/deal", &["deal"]), "deal-acme");
        assert_eq!(name("/acme/deal", &["deal", "deal-acme"]), "deal-2");
        assert_eq!(name("/契約", &[]), "documents");
        assert!(name(&format!("/{0}/{0}", "x".repeat(200)), &["y"]).len() <= 64);
        let files = [PathBuf::from("/acme/deal/a.pdf"), PathBuf::from("/acme/deal/b.pdf")];
        assert_eq!((free_name(&files, &[]), title(&files)), ("deal".to_owned(), "deal".to_owned()));
    }

    #[test]
    fn the_same_files_are_one_base_whichever_way_they_are_written() {
        let root = tempfile::tempdir().unwrap();
        let deal = root.path().join("deal");
        std::fs::create_dir_all(deal.join("in")).unwrap();
        let recipe = Recipe { paths: vec![deal.clone()], ..Recipe::default() };
        for path in [deal.clone(), deal.join(""), deal.join("in/.."), deal.join(".")] {
            assert!(recipe.is_of(std::slice::from_ref(&path)), "{}", path.display());
        }
        assert!(!recipe.is_of(&[deal.join("in")]));
        assert!(!recipe.is_of(&[deal.clone(), deal.join("in")]));
        let session = Recipe { session: Some("s".to_owned()), ..recipe };
        assert!(!session.is_of(&[deal]), "documents of a session are its own");
    }
}
