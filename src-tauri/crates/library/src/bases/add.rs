//! Openly licensed texts and models: what there is, and getting it. Nothing is fetched unless a person asks for it
//! and accepts its licence.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use corpora::{Corpus, Download, DownloadError, Downloader, License, ModelEntry, RemoteFile};
use documents::RECOGNISER;
use domain::{Digest, ErrorCode, Problem};
use embeddings::LocalEncoder;
use knowledge::IngestReport;
use knowledge::ingest::Progress;
use protocol::{CatalogEntry, KnowledgeCatalog, RuleSetRow};
use support::now_ms;
use tokio::runtime::Handle;
use workspace_bases::{NamedBase, WorkspaceBases};

use super::recipe::{self, Recipe};
use crate::corpus;

/// Most bytes of a text, and of a model's file.
const TEXT_BYTES: u64 = 1 << 30;
const MODEL_BYTES: u64 = 4 << 30;
/// Endings that are read, for a dialog that picks files.
const ENDINGS: [&str; 21] = [
    "pdf", "docx", "xlsx", "epub", "html", "htm", "xhtml", "md", "markdown", "txt", "text", "json", "jsonl",
    "ndjson", "csv", "tsv", "xml", "gz", "png", "jpg", "jpeg",
];

/// A text that a person wants.
#[derive(Debug, Clone, Default)]
pub struct CorpusRequest {
    /// A name of the registry, or an address.
    pub name: String,
    /// The base's name; empty for the registry's.
    pub base: String,
    /// Whether its licence is accepted.
    pub accepted: bool,
    /// The model for vectors.
    pub model: Option<String>,
}

/// How far getting a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddProgress {
    /// Files come over the network.
    Downloading {
        /// The file.
        file: String,
        /// Bytes there.
        bytes: u64,
        /// Bytes in all, where known.
        of: Option<u64>,
    },
    /// It is made into a base.
    Ingesting(Progress),
}

/// What can be had, and which rule sets there are.
pub fn catalog(shelf: &WorkspaceBases) -> Result<KnowledgeCatalog, Problem> {
    let (home, registry) = (shelf.home(), registry()?);
    let known = shelf.list().map_err(corpus::problem)?;
    let models = embeddings::local_models(home);
    let recogniser = documents::recogniser_in(&home.join("models")).is_some();
    let entry =
        |name: &str, title: &str, publisher: &str, license: &License, files: &[RemoteFile]| CatalogEntry {
            name: name.to_owned(),
            title: title.to_owned(),
            publisher: publisher.to_owned(),
            license: license.name.clone(),
            license_address: license.address.clone(),
            license_summary: license.summary.clone(),
            addresses: files.iter().map(|file| file.address.clone()).collect(),
            megabytes: None,
            installed: false,
        };
    let texts = registry.corpora.iter().map(|one| CatalogEntry {
        installed: known.iter().any(|(base, _)| base.name == one.name && base.belonging.published),
        ..entry(&one.name, &one.title, &one.publisher, &one.license, &one.files)
    });
    let mut model_rows: Vec<CatalogEntry> = registry
        .models
        .iter()
        .map(|one| CatalogEntry {
            installed: models.contains(&one.name) || one.name == RECOGNISER && recogniser,
            megabytes: Some(one.megabytes),
            ..entry(&one.name, &one.title, "", &one.license, &one.files)
        })
        .collect();
    // Models that the person put there without the registry.
    for name in models.iter().filter(|name| registry.model(name).is_none()) {
        model_rows.push(CatalogEntry {
            name: name.clone(),
            title: name.clone(),
            publisher: String::new(),
            license: String::new(),
            license_address: String::new(),
            license_summary: String::new(),
            addresses: Vec::new(),
            megabytes: None,
            installed: true,
        });
    }
    let shipped = knowledge::rules::shipped_names();
    let rules = match knowledge::rules::rule_sets(home) {
        Ok(sets) => sets
            .into_iter()
            .map(|set| RuleSetRow {
                own: !shipped.contains(&set.name.as_str()),
                name: set.name,
                title: set.title,
                fault: None,
            })
            .collect(),
        Err(error) => vec![RuleSetRow {
            name: String::new(),
            title: String::new(),
            own: true,
            fault: Some(error.to_string()),
        }],
    };
    Ok(KnowledgeCatalog {
        corpora: texts.collect(),
        models: model_rows,
        rules,
        endings: ENDINGS.map(str::to_owned).to_vec(),
    })
}

/// Downloads a text and makes it a base; what the registry did not expect comes back as words.
pub async fn add(
    shelf: &WorkspaceBases,
    wanted: CorpusRequest,
    mut tell: impl FnMut(AddProgress) + Send + 'static,
    cancel: Arc<AtomicBool>,
) -> Result<(IngestReport, Vec<String>), Problem> {
    let registry = registry()?;
    let known = registry.corpus(&wanted.name).cloned();
    let (base, files, recipe) = match &known {
        Some(corpus) => of_registry(corpus, &wanted)?,
        None => of_address(&wanted, &registry)?,
    };
    // A name that no base can have is refused before anything is fetched.
    let made = match &known {
        Some(_) => published(shelf, &base),
        None => shelf.claim(&base).map_err(corpus::problem),
    }?;
    let folder = shelf.home().join("downloads").join(&made.id);
    let mut paths = Vec::new();
    for file in &files {
        let said = file.name.clone();
        let mut progress = |now: corpora::Progress| {
            tell(AddProgress::Downloading { file: said.clone(), bytes: now.bytes, of: now.of });
        };
        paths.push(fetch(file, &folder, TEXT_BYTES, "ingest the file", &mut progress, &cancel).await?);
    }
    let recipe = Recipe { paths, ..recipe };
    let (home, handle) = (shelf.home().to_owned(), Handle::current());
    let report = tokio::task::spawn_blocking(move || {
        let mut progress = |now| tell(AddProgress::Ingesting(now));
        recipe::ingest(&home, &made.id, &recipe, &handle, &mut progress, &cancel)
    })
    .await
    .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))??;
    let doubts = known.map_or_else(Vec::new, |corpus| doubts(&corpus, &report));
    Ok((report, doubts))
}

/// The base of a text of the registry. One of before it was written down that such texts are every workspace's is that text.
fn published(shelf: &WorkspaceBases, name: &str) -> Result<NamedBase, Problem> {
    if Recipe::read(shelf.home(), name).is_some_and(|recipe| recipe.license.is_some()) {
        workspace_bases::publish(shelf.home(), name).map_err(corpus::problem)?;
    }
    shelf.claim_published(name).map_err(corpus::problem)
}

/// Downloads a model, or takes its files from the folder `from`, and opens it once, to know that it can be used.
pub async fn add_model(
    home: &Path,
    name: &str,
    accepted: bool,
    from: Option<&Path>,
    mut tell: impl FnMut(AddProgress) + Send,
    cancel: &AtomicBool,
) -> Result<(), Problem> {
    let registry = registry()?;
    let Some(entry): Option<&ModelEntry> = registry.model(name) else {
        let names: Vec<&str> = registry.models.iter().map(|one| one.name.as_str()).collect();
        return Err(Problem::new(
            ErrorCode::NotFound,
            format!(
                "the registry has no model '{}'; it has: {}",
                support::clipped(name, 80),
                names.join(", ")
            ),
        )
        .with_action("put the folder of another model into `models` of the data directory"));
    };
    must_be_accepted(&entry.license, &entry.title, accepted)?;
    let part = home.join("models").join(format!(".part-{name}"));
    for file in &entry.files {
        let mut progress = |now: corpora::Progress| {
            tell(AddProgress::Downloading { file: file.name.clone(), bytes: now.bytes, of: now.of });
        };
        if let Some(folder) = from {
            take(file, folder, &part)?;
            continue;
        }
        let by_hand = "name the folder with the model's files (in the terminal: --from)";
        fetch(file, &part, MODEL_BYTES, by_hand, &mut progress, cancel).await?;
    }
    let target = embeddings::local_folder(home, name);
    let reads_pages = name == RECOGNISER;
    tokio::task::spawn_blocking(move || {
        let opened = if reads_pages {
            documents::open_recogniser(&part).map_err(|error| error.to_string())
        } else {
            LocalEncoder::open(&part).map(drop).map_err(|error| error.to_string())
        };
        opened.map_err(|error| {
            Problem::new(ErrorCode::Provider, format!("the downloaded model can't be used: {error}"))
        })?;
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Storage, format!("{}: {error}", target.display()))
        };
        if target.exists() {
            std::fs::remove_dir_all(&target).map_err(failed)?;
        }
        std::fs::rename(&part, &target).map_err(failed)
    })
    .await
    .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
}

/// Copies a file of a model from a folder, where it has the name it is stored under or that of its address.
fn take(file: &RemoteFile, folder: &Path, part: &Path) -> Result<(), Problem> {
    let last = file.address.rsplit('/').next().unwrap_or_default();
    let Some(source) =
        [file.name.as_str(), last].map(|name| folder.join(name)).into_iter().find(|path| path.is_file())
    else {
        let missing = format!("{} has no file {} or {last}", folder.display(), file.name);
        return Err(
            Problem::new(ErrorCode::NotFound, missing).with_action(format!("it is at {}", file.address))
        );
    };
    let failed =
        |error: std::io::Error| Problem::new(ErrorCode::Storage, format!("{}: {error}", source.display()));
    let bytes = std::fs::read(&source).map_err(failed)?;
    if file.sha256.is_some_and(|wanted| wanted != Digest::of(&bytes)) {
        let other = format!("{} is another file than the registry names, or damaged", source.display());
        return Err(Problem::new(ErrorCode::Corrupt, other).with_action(format!("it is at {}", file.address)));
    }
    let target = part.join(&file.name);
    std::fs::create_dir_all(target.parent().unwrap_or(part)).map_err(failed)?;
    std::fs::write(&target, bytes).map_err(failed)
}

fn registry() -> Result<corpora::Registry, Problem> {
    corpora::registry().map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
}

type AddPlan = (String, Vec<RemoteFile>, Recipe);

fn of_registry(corpus: &Corpus, wanted: &CorpusRequest) -> Result<AddPlan, Problem> {
    must_be_accepted(&corpus.license, &corpus.title, wanted.accepted)?;
    let base = if wanted.base.is_empty() { &corpus.name } else { &wanted.base };
    let recipe = Recipe {
        title: corpus.title.clone(),
        tier: corpus.tier.clone(),
        citation: corpus.citation.clone(),
        rules: Some(corpus.rules.clone()).filter(|rules| !rules.is_empty()),
        model: wanted.model.clone(),
        origin: corpus.files.first().map(|file| file.address.clone()),
        license: Some(corpus.license.name.clone()),
        ..Recipe::default()
    };
    Ok((base.clone(), corpus.files.clone(), recipe))
}

fn of_address(wanted: &CorpusRequest, registry: &corpora::Registry) -> Result<AddPlan, Problem> {
    let invalid = |what: String| Problem::new(ErrorCode::InvalidInput, what);
    let url = corpora::allowed(&wanted.name).map_err(|error| {
        let names: Vec<&str> = registry.corpora.iter().map(|one| one.name.as_str()).collect();
        invalid(format!("neither a name of the registry ({}) nor an address: {error}", names.join(", ")))
    })?;
    if wanted.base.is_empty() {
        return Err(invalid("a base made from an address needs a name".into())
            .with_action("give it one (in the terminal: --base)"));
    }
    if !wanted.accepted {
        return Err(invalid(format!("the licence of {url} is not known to this program")).with_action(
            "read it at its publisher; when you may keep a copy, accept it (in the terminal: --accept-license)",
        ));
    }
    let file = RemoteFile { address: url.to_string(), name: corpora::file_name(&url), sha256: None };
    let recipe = Recipe {
        title: wanted.base.clone(),
        tier: "web".into(),
        model: wanted.model.clone(),
        origin: Some(url.to_string()),
        ..Recipe::default()
    };
    Ok((wanted.base.clone(), vec![file], recipe))
}

fn must_be_accepted(license: &License, title: &str, accepted: bool) -> Result<(), Problem> {
    if accepted {
        return Ok(());
    }
    Err(Problem::new(
        ErrorCode::InvalidInput,
        format!("{title} comes under: {}. {} ({})", license.name, license.summary, license.address),
    )
    .with_action("accept it to go on (in the terminal: --accept-license)"))
}

async fn fetch(
    file: &RemoteFile,
    folder: &Path,
    most_bytes: u64,
    by_hand: &str,
    progress: &mut (dyn FnMut(corpora::Progress) + Send),
    cancel: &AtomicBool,
) -> Result<PathBuf, Problem> {
    let address = corpora::allowed(&file.address)
        .map_err(|error| Problem::new(ErrorCode::InvalidInput, error.to_string()))?;
    let download = Download {
        address,
        file: folder.join(&file.name),
        sha256: file.sha256,
        most_bytes,
        now_ms: now_ms(),
    };
    let fetched = async { Downloader::new()?.fetch(&download, progress, cancel).await };
    fetched.await.map_err(|error: DownloadError| {
        let code = match &error {
            DownloadError::Address(_) | DownloadError::TooLarge { .. } => ErrorCode::InvalidInput,
            DownloadError::Disk { .. } => ErrorCode::Storage,
            DownloadError::Cancelled => ErrorCode::Cancelled,
            DownloadError::Changed { .. } => ErrorCode::Corrupt,
            DownloadError::NoNetwork { .. }
            | DownloadError::Refused { .. }
            | DownloadError::Interrupted { .. }
            | DownloadError::Redirects(_)
            | DownloadError::Setup(_) => ErrorCode::Source,
        };
        let then = if error.is_by_hand() { format!(" and {by_hand}") } else { String::new() };
        Problem::new(code, format!("{error}{then}"))
    })?;
    Ok(download.file)
}

/// Where an import is far from what the registry expects: the publisher changed its form, or a reader fails.
fn doubts(corpus: &Corpus, report: &IngestReport) -> Vec<String> {
    let counts = report.manifest.counts;
    let found = [
        ("paragraphs", counts.paragraphs, corpus.expected.paragraphs),
        ("cross-references", counts.references, corpus.expected.references),
    ];
    found
        .into_iter()
        .filter(|(_, found, (from, to))| found < from || found > to)
        .map(|(what, found, (from, to))| {
            format!("{found} {what} were found, {from} to {to} were expected: look at the base before you rely on it")
        })
        .collect()
}
