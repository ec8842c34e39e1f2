//! Knowledge bases as surfaces see them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{ErrorCode, Problem, RunId, RunStatus};
use environment::Step;
use knowledge::ingest::Progress;
use knowledge::{Base, DocumentSummary, IngestReport, KnowledgeError, Manifest, Paragraph, Tier};
use parking_lot::Mutex;
use protocol::{
    BaseRow, BaseShare, BaseSource, BaseView, IngestRequest, JobKind, JobState, ParagraphPage, ParagraphRow,
    Tag,
};
use store::RunFilter;
use support::{blocking, clipped};
use workspace::{Workspace, shipped_corpora};
use workspace_bases::{NamedBase, WorkspaceBases};

use crate::bases::{self, Recipe};
use crate::{Library, corpus, intake};

/// Bases that stay open: a search over all of them must not read each again for every key.
const OPEN: usize = 8;
/// The most bytes of text on one page of paragraphs.
const MAX_PAGE_BYTES: usize = 2 << 20;
/// The most files and folders of one ingest, and the longest name of one.
pub(crate) const PATHS: usize = 1_000;
const PATH: usize = 4_096;
/// The longest title and form of citation.
const MAX_TITLE: usize = 200;
const MAX_CITATION: usize = 100;
/// The most runs that are looked at for whether they rest on a base.
const MAX_UNFINISHED: u32 = 200;
/// The most files that a size is summed over.
const MAX_FILES: usize = 100_000;

/// Bases that were opened lately: the paragraphs of one are read again for every key that is pressed in a search.
pub struct BaseCache {
    home: PathBuf,
    /// The one used last at the end.
    open: Mutex<Vec<Arc<Base>>>,
    /// Documents and bytes of generations, by base: to count them a base must be read.
    sizes: Mutex<HashMap<String, (String, u32, u64)>>,
}

impl BaseCache {
    /// Of a data directory; opens nothing yet.
    pub fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), open: Mutex::default(), sizes: Mutex::default() }
    }

    /// A base at a generation; without one at its current. Waits for the disk.
    pub fn base(&self, name: &str, generation: Option<&str>) -> Result<Arc<Base>, Problem> {
        let generation = match generation {
            Some(generation) => generation.to_owned(),
            None => knowledge::current_generation(&self.home, name).map_err(corpus::problem)?,
        };
        let is = |base: &Arc<Base>| base.manifest().base == name && base.manifest().generation == generation;
        {
            let mut open = self.open.lock();
            if let Some(place) = open.iter().position(is) {
                let base = open.remove(place);
                open.push(base.clone());
                return Ok(base);
            }
        }
        let base = Base::open_generation(&self.home, name, &generation).map_err(corpus::problem)?;
        let base = Arc::new(base);
        let mut open = self.open.lock();
        open.retain(|other| !is(other));
        open.push(base.clone());
        if open.len() > OPEN {
            open.remove(0);
        }
        Ok(base)
    }

    /// How many documents a base has, and how many bytes it takes on the disk.
    fn sizes(&self, manifest: &Manifest) -> (u32, u64) {
        let known = |sizes: &HashMap<String, (String, u32, u64)>| match sizes.get(&manifest.base) {
            Some((generation, documents, bytes)) if *generation == manifest.generation => {
                Some((*documents, *bytes))
            }
            _ => None,
        };
        let sizes = || self.sizes.lock();
        if let Some(known) = known(&sizes()) {
            return known;
        }
        // A base that can't be read is listed all the same; opening it says what is wrong.
        let base = self.base(&manifest.base, Some(&manifest.generation));
        let documents = base.map_or(0, |base| small(base.documents().len() as u64));
        let bytes = bytes_below(&self.home.join("knowledge").join(&manifest.base));
        sizes().insert(manifest.base.clone(), (manifest.generation.clone(), documents, bytes));
        (documents, bytes)
    }

    /// Lets go of a base.
    fn forget(&self, name: &str) {
        self.open.lock().retain(|base| base.manifest().base != name);
    }
}

impl Library {
    /// Lists knowledge bases.
    pub async fn base_list(&self) -> Result<Vec<BaseRow>, Problem> {
        let local = self.clone();
        blocking(move || {
            let (home, cache) = (&local.env.home, &local.state.shelf);
            let sources = source_slugs(home);
            // A shipped base that can't be made is no reason to hide the person's own: the check-up tells of it.
            if let Err(problem) = corpus::ensure_shipped(home, &sources) {
                tracing::warn!("a shipped knowledge base can't be made: {}", problem.message);
            }
            let bases = local.env.bases().list().map_err(corpus::problem)?;
            Ok(bases
                .into_iter()
                .map(|(base, summary)| row(cache, &sources, &base, summary.manifest, local.env.slug()))
                .collect())
        })
        .await
    }

    /// A knowledge base.
    pub async fn base_show(&self, name: String) -> Result<BaseView, Problem> {
        let local = self.clone();
        let read = self.with_shelved(name, move |shelved, base| {
            let manifest = base.manifest().clone();
            let named = |name: &str, paragraphs: u64| BaseSource {
                name: clipped(if name.is_empty() { &manifest.title } else { name }, MAX_TITLE * 2),
                paragraphs: small(paragraphs),
                bytes: 0,
                format: String::new(),
                rules: String::new(),
            };
            let view = BaseView {
                sources: manifest
                    .sources
                    .iter()
                    .map(|source| BaseSource {
                        bytes: source.bytes,
                        format: source.format.clone(),
                        rules: source.rules.clone(),
                        ..named(&source.name, source.paragraphs)
                    })
                    .collect(),
                documents: base
                    .documents()
                    .iter()
                    .map(|document| named(&document.name, document.paragraphs as u64))
                    .collect(),
                recipe: Recipe::read(&local.env.home, &shelved.id)
                    .map(|recipe| request(&shelved.name, recipe)),
                base: row(
                    &local.state.shelf,
                    &source_slugs(&local.env.home),
                    shelved,
                    manifest,
                    local.env.slug(),
                ),
                unfinished: Vec::new(),
                reading: bases::reading(&base.reports()),
            };
            Ok((view, shelved.id.clone()))
        });
        let (view, id) = read.await?;
        Ok(BaseView { unfinished: self.unfinished(&id).await?, ..view })
    }

    /// Paragraphs of a base in its order.
    pub async fn base_paragraphs(
        &self,
        name: String,
        document: Option<String>,
        after: u32,
        limit: u32,
    ) -> Result<ParagraphPage, Problem> {
        let limit = if limit == 0 { 50 } else { limit.min(200) } as usize;
        self.with_base(name, move |base| {
            let is_wanted = |one: &DocumentSummary, wanted: &str| {
                one.name == wanted || (one.name.is_empty() && base.manifest().title == wanted)
            };
            let wanted = document.as_deref().map(|wanted| {
                let found = base.documents().into_iter().find(|one| is_wanted(one, wanted));
                found.ok_or(wanted)
            });
            let listed = |paragraph: &&Paragraph| {
                paragraph.part_of.is_none()
                    && match &wanted {
                        None => true,
                        Some(Ok(document)) => document.holds(paragraph),
                        // A title that documents of several files have.
                        Some(Err(title)) => *title == document_of(base, paragraph),
                    }
            };
            let total = base.paragraphs().iter().filter(listed).count();
            let (mut bytes, mut paragraphs) = (0, Vec::new());
            for paragraph in base.paragraphs().iter().filter(listed).skip(after as usize).take(limit) {
                bytes += paragraph.text.len();
                if bytes > MAX_PAGE_BYTES && !paragraphs.is_empty() {
                    break;
                }
                paragraphs.push(paragraph_row(base, paragraph));
            }
            let next = after as usize + paragraphs.len();
            Ok(ParagraphPage {
                total: small(total as u64),
                next: (next < total && !paragraphs.is_empty()).then_some(small(next as u64)),
                paragraphs,
            })
        })
        .await
    }

    /// Makes files into a base, or a new generation of one.
    pub async fn base_ingest(&self, ingest: IngestRequest) -> Result<JobState, Problem> {
        let (name, recipe) = self.recipe(ingest).await?;
        let shelf = self.env.bases();
        let made = blocking(move || match name.as_str() {
            "" => {
                intake::base_of(&shelf, &recipe.paths).map(|(base, before)| (base, before.unwrap_or(recipe)))
            }
            name => Ok((shelf.claim(name).map_err(corpus::problem)?, recipe)),
        });
        let (base, recipe) = made.await?;
        self.begin_ingest(&base, recipe)
    }

    /// Begins the job that makes a base after its recipe.
    pub fn begin_ingest(&self, base: &NamedBase, recipe: Recipe) -> Result<JobState, Problem> {
        let mut step = self.env.begin_job(JobKind::Ingest, base.name.clone())?;
        let base = base.id.clone();
        let state = step.state();
        let (home, handle) = (self.env.home.clone(), tokio::runtime::Handle::current());
        // The person sees the job; the command does not wait for it.
        tokio::task::spawn_blocking(move || {
            let cancel = step.cancel.clone();
            let mut tell = |progress| show(&mut step, progress);
            match bases::ingest(&home, &base, &recipe, &handle, &mut tell, &cancel) {
                Ok(report) => step.end(Ok(summary(&report)), bases::warnings(&report.files), &[Tag::Bases]),
                Err(problem) => step.end(Err(problem), Vec::new(), &[]),
            }
        });
        Ok(state)
    }

    /// Removes a base with all its generations.
    pub async fn base_remove(&self, name: String) -> Result<(), Problem> {
        if corpus::is_shipped(&name, &source_slugs(&self.env.home)) {
            return Err(Problem::new(
                ErrorCode::Conflict,
                format!("{name} ships with the program and would come back at once; nothing was changed"),
            ));
        }
        let shelf = self.env.bases();
        let base = blocking(move || removable(&shelf, &name)).await?;
        for run in self.env.engine.live() {
            if self.reads(&run, &base.id).await {
                return Err(Problem::new(
                    ErrorCode::Busy,
                    format!("{run} is reading {}; nothing was changed", base.name),
                )
                .with_action("wait until it has ended, or stop it"));
            }
        }
        let local = self.clone();
        blocking(move || {
            local.state.shelf.forget(&base.id);
            knowledge::remove_base(&local.env.home, &base.id).map_err(corpus::problem)
        })
        .await
    }

    /// Shares a base of the workspace with another one, or no longer.
    ///
    /// # Errors
    /// For a base that ships with the program or is not the workspace's own, and a workspace that is not there.
    pub async fn base_share(&self, share: BaseShare) -> Result<Box<BaseView>, Problem> {
        let BaseShare { base, workspace, on } = share;
        if workspace == self.env.slug() {
            let what = format!("{base} is the workspace {workspace}'s own");
            return Err(Problem::new(ErrorCode::InvalidInput, what).with_action("name another workspace"));
        }
        // One that is gone may still be named to end what it was given.
        if on && !self.env.is_there(&workspace) {
            return Err(self.env.unknown(&workspace));
        }
        let (shelf, name) = (self.env.bases(), base.clone());
        blocking(move || shelf.share(&name, &workspace, on).map_err(corpus::problem)).await?;
        self.base_show(base).await.map(Box::new)
    }

    /// Runs that have not ended and rest on a base.
    async fn unfinished(&self, base: &str) -> Result<Vec<String>, Problem> {
        let open = [RunStatus::Running, RunStatus::Paused, RunStatus::Suspended, RunStatus::Failed];
        let filter = RunFilter {
            statuses: open.map(|status| status.to_string()).into(),
            workspace: Some(self.env.slug().to_owned()),
            ..RunFilter::default()
        };
        let mut found = Vec::new();
        for run in self.env.store().list_runs(&filter, None, MAX_UNFINISHED).await?.runs {
            if self.reads(&RunId(run.id.clone()), base).await {
                found.push(run.id);
            }
        }
        Ok(found)
    }

    async fn reads(&self, run: &RunId, base: &str) -> bool {
        // A run that is just starting is not in the log yet; it has its base open, or says that it is gone.
        let loaded = self.env.engine.load(run).await;
        loaded.is_ok_and(|loaded| loaded.pinned.corpus.as_ref().is_some_and(|corpus| corpus.base == base))
    }

    /// What an ingest asks for, checked; the name is empty where the files say which base it is.
    pub async fn recipe(&self, ingest: IngestRequest) -> Result<(String, Recipe), Problem> {
        let home = self.env.home.clone();
        blocking(move || {
            let wrong = |what: String| Err(Problem::new(ErrorCode::InvalidInput, what));
            let IngestRequest { base, title, tier, citation, paths, rules, model, watch } = ingest;
            // A name that no base can have is refused before anything begins.
            if !base.is_empty() && let Err(bad @ KnowledgeError::BadName { .. }) = knowledge::current_generation(&home, &base) {
                return Err(corpus::problem(bad));
            }
            if corpus::is_shipped(&base, &source_slugs(&home)) {
                return wrong(format!("{base} is the name of a base that ships with the program; choose another"));
            }
            if paths.is_empty() || paths.len() > PATHS {
                return wrong(format!("{} files and folders were given; 1 to {PATHS} can be", paths.len()));
            }
            let citation = citation.trim();
            if !citation.is_empty() && (!citation.contains("{id}") || citation.len() > MAX_CITATION) {
                return wrong(format!(
                    "a form of citation has {{id}} where the paragraph's number goes, and at most {MAX_CITATION} bytes"
                ));
            }
            if title.len() > MAX_TITLE {
                return wrong(format!("the title has {} bytes; at most {MAX_TITLE} are taken", title.len()));
            }
            let mut sources = Vec::with_capacity(paths.len());
            for path in paths {
                let source = PathBuf::from(&path);
                if path.len() > PATH || !source.is_absolute() {
                    return wrong(format!("{} is not an absolute path", clipped(&path, 200)));
                }
                if !source.exists() {
                    return wrong(format!("{} does not exist", source.display()));
                }
                sources.push(source);
            }
            let tier = if tier.is_empty() { Tier::Document.as_str().to_owned() } else { tier };
            corpus::tier(&tier)?;
            let named = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            let recipe = Recipe {
                paths: sources,
                title: title.trim().to_owned(),
                tier,
                citation: citation.to_owned(),
                rules: named(rules),
                model: named(model),
                watch,
                ..Recipe::default()
            };
            Ok((base, recipe))
        })
        .await
    }

    /// Works with a base of the workspace away from what must answer at once. A shipped one is made when it is needed.
    pub async fn with_base<T: Send + 'static>(
        &self,
        name: String,
        work: impl FnOnce(&Base) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        self.with_shelved(name, |_, base| work(base)).await
    }

    async fn with_shelved<T: Send + 'static>(
        &self,
        name: String,
        work: impl FnOnce(&NamedBase, &Base) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let local = self.clone();
        blocking(move || {
            let (shelved, base) = local.opened(&name)?;
            work(&shelved, &base)
        })
        .await
    }

    /// A base of the workspace at its current generation. Waits for the disk.
    pub(crate) fn opened(&self, name: &str) -> Result<(NamedBase, Arc<Base>), Problem> {
        let (shelf, shipped) = (self.env.bases(), source_slugs(&self.env.home));
        if corpus::is_shipped(name, &shipped) {
            corpus::resolve(&shelf, name, &shipped)?;
        }
        let shelved = shelf.find(name).map_err(corpus::problem)?;
        let base = self.state.shelf.base(&shelved.id, None)?;
        Ok((shelved, base))
    }
}

/// A base that the workspace may remove: its own, or a published text.
pub fn removable(shelf: &WorkspaceBases, name: &str) -> Result<NamedBase, Problem> {
    let base = shelf.find(name).map_err(corpus::problem)?;
    if shelf.owns(&base) || base.belonging.published {
        return Ok(base);
    }
    let owner = base.belonging.owner();
    let what = format!("{name} is shared by the workspace {owner}; nothing was changed");
    Err(Problem::new(ErrorCode::Conflict, what)
        .with_action(format!("remove it in the workspace {owner}, or end the sharing there")))
}

/// Slugs of the sources of every workspace.
pub fn source_slugs(home: &Path) -> Vec<String> {
    let slugs: BTreeSet<String> =
        Workspace::open(home).sources().into_iter().map(|entry| entry.slug).collect();
    slugs.into_iter().filter(|slug| !shipped_corpora(slug).is_empty()).collect()
}

/// A base's row for the workspace that the cache's reader is in.
fn row(
    shelf: &BaseCache,
    sources: &[String],
    base: &NamedBase,
    manifest: Manifest,
    workspace: &str,
) -> BaseRow {
    let (documents, bytes) = shelf.sizes(&manifest);
    let recipe = Recipe::read(&shelf.home, &base.id).unwrap_or_default();
    let owner = base.belonging.owner();
    let is_own = !base.belonging.published && owner == workspace;
    BaseRow {
        shipped: corpus::is_shipped(&manifest.base, sources),
        published: base.belonging.published,
        shared_by: (!is_own && !base.belonging.published).then(|| owner.to_owned()),
        // Whom a base is shared with is its owner's business.
        shared_with: if is_own { base.belonging.shared_with.iter().cloned().collect() } else { Vec::new() },
        folder: match (recipe.paths.as_slice(), is_own && recipe.origin.is_none()) {
            ([one], true) => Some(one.display().to_string()),
            _ => None,
        },
        documents,
        paragraphs: small(manifest.counts.paragraphs),
        references: small(manifest.counts.references),
        name: base.name.clone(),
        title: manifest.title,
        tier: manifest.tier.as_str().to_owned(),
        citation: manifest.citation,
        generation: manifest.generation,
        created_at: manifest.created_at_ms,
        bytes,
        vectors: manifest.vectors.map(|vectors| vectors.model),
        origin: recipe.origin,
        watched: recipe.watch,
    }
}

/// A recipe as it is asked for.
fn request(base: &str, recipe: Recipe) -> IngestRequest {
    IngestRequest {
        base: base.to_owned(),
        title: recipe.title,
        tier: recipe.tier,
        citation: recipe.citation,
        paths: recipe.paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        rules: recipe.rules.unwrap_or_default(),
        model: recipe.model.unwrap_or_default(),
        watch: recipe.watch,
    }
}

/// Sums the files below a folder.
pub fn bytes_below(folder: &Path) -> u64 {
    let (mut bytes, mut files, mut folders) = (0, 0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            files += 1;
            if files > MAX_FILES {
                return bytes;
            }
            match entry.metadata() {
                Ok(about) if about.is_dir() => folders.push(entry.path()),
                Ok(about) => bytes += about.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

pub fn paragraph_row(base: &Base, paragraph: &Paragraph) -> ParagraphRow {
    ParagraphRow {
        id: paragraph.id.clone(),
        citation: base.label(paragraph),
        document: document_of(base, paragraph),
        heading: match paragraph.title.is_empty() {
            false => paragraph.title.clone(),
            true => paragraph.path.last().cloned().unwrap_or_default(),
        },
        text: paragraph.text.clone(),
    }
}

fn document_of(base: &Base, paragraph: &Paragraph) -> String {
    if paragraph.doc.is_empty() { base.manifest().title.clone() } else { paragraph.doc.clone() }
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What an ingest did, in a sentence.
pub fn summary(report: &IngestReport) -> String {
    if report.unchanged {
        return "Nothing has changed since the last time".to_owned();
    }
    let counts = report.manifest.counts;
    format!(
        "{} paragraphs from {} files, {} cross-references",
        counts.paragraphs,
        report.manifest.sources.len(),
        counts.references
    )
}

/// Shows an ingest's progress as its job's.
pub fn show(step: &mut Step, progress: Progress) {
    match progress {
        Progress::Reading { file, files, of, bytes, of_bytes, paragraphs: _ } => {
            let text = format!("Reading {}", clipped(&file, 80));
            match of_bytes {
                0 => step.progress(&text, files as u64, of as u64),
                of_bytes => step.progress(&text, bytes, of_bytes),
            }
        }
        Progress::Embedding { done, of } => step.progress("Making vectors", done as u64, of as u64),
        Progress::Indexing { done, of } => step.progress("Indexing", done as u64, of as u64),
        Progress::Publishing => step.progress("Storing", 1, 1),
    }
}
