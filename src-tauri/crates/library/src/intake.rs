//! Documents that a person hands to a run: a folder becomes a knowledge base before the run begins.

use std::path::{Path, PathBuf};

use domain::{Digest, ErrorCode, Problem};
use environment::Environment;
use protocol::{JobKind, Tag};

use crate::bases::{self, Recipe};
use crate::commands::{show, summary};

/// Bytes of a base's name that come from the folder's.
const NAME_BYTES: usize = 40;

/// Makes a folder's documents a base, or a new generation of it where they have changed, and gives its name. The same
/// folder has the same base. The work is listed as a job, which can be stopped.
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
    let base = name(&path);
    let recipe =
        Recipe { title: title(&path), paths: vec![path], tier: "standard".to_owned(), ..Recipe::default() };
    let mut step = env.jobs.begin(JobKind::Ingest, base.clone(), &env.stream)?;
    let (home, handle, of) = (env.home.clone(), tokio::runtime::Handle::current(), base.clone());
    let made = tokio::task::spawn_blocking(move || {
        let cancel = step.cancel.clone();
        let mut tell = |progress| show(&mut step, progress);
        let made = bases::ingest(&home, &of, &recipe, &handle, &mut tell, &cancel);
        match &made {
            Ok(report) => step.end(Ok(summary(report)), bases::warnings(&report.files), &[Tag::Bases]),
            Err(problem) => step.end(Err(problem.clone()), Vec::new(), &[]),
        }
        made
    });
    made.await.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))??;
    Ok(base)
}

fn title(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().replace('_', " ")).unwrap_or_default()
}

/// The name of a folder's base: what its own name has of letters and digits, and a mark that tells it from other folders
/// of that name.
fn name(path: &Path) -> String {
    let own = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let words: Vec<String> = own
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let mut name = words.join("-");
    name.truncate(NAME_BYTES);
    let mark: String = Digest::of(path.to_string_lossy().as_bytes()).to_string().chars().take(8).collect();
    if name.is_empty() {
        format!("documents-{mark}")
    } else {
        format!("{}-{mark}", name.trim_end_matches('-'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_name_and_another_one_of_that_name_has_another() {
        let one = name(Path::new("/a/Deal Room_2"));
        assert!(one.starts_with("deal-room-2-"), "{one}");
        assert_eq!(one, name(Path::new("/a/Deal Room_2")));
        assert_ne!(one, name(Path::new("/b/Deal Room_2")));
        assert!(name(Path::new("/契約")).starts_with("documents-"));
        assert!(name(Path::new(&format!("/{}", "x".repeat(200)))).len() <= NAME_BYTES + 9);
    }
}
