//! Knowledge bases as surfaces see them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use domain::{ErrorCode, Problem, RunId};
use knowledge::ingest::Progress;
use knowledge::{
    Base, Hit, IngestOptions, IngestReport, KnowledgeError, MOST_HITS, Manifest, Paragraph, Query, Via,
};
use workspace::{Workspace, shipped_corpora};

use super::aside;
use super::text::{clipped, ranges};
use crate::corpus;
use crate::local::Local;
use crate::wire::{
    BaseRow, BaseSource, BaseView, IngestRequest, JobKind, JobState, ParagraphPage, ParagraphRow,
    SearchExplained, SearchRow, Tag,
};

/// Bases that stay open.
const OPEN: usize = 2;
/// The most bytes of text on one page of paragraphs.
const PAGE: usize = 2 << 20;
/// The longest query, in bytes.
const QUERY: usize = 10_000;
/// The most files and folders of one ingest, and the longest name of one.
const PATHS: usize = 1_000;
const PATH: usize = 4_096;
/// The longest title and form of citation.
const TITLE: usize = 200;
const CITATION: usize = 100;
/// The most files that a size is summed over.
const FILES: usize = 100_000;

/// Bases that were opened lately: the paragraphs of one are read again for every key that is pressed in a search.
pub(crate) struct Shelf {
    home: PathBuf,
    /// The one used last at the end.
    open: Mutex<Vec<Arc<Base>>>,
    /// Documents and bytes of generations, by base: to count them a base must be read.
    sizes: Mutex<HashMap<String, (String, u32, u64)>>,
}

impl Shelf {
    pub(crate) fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), open: Mutex::default(), sizes: Mutex::default() }
    }

    /// A base at a generation; without one at its current. Waits for the disk.
    pub(crate) fn base(&self, name: &str, generation: Option<&str>) -> Result<Arc<Base>, Problem> {
        let generation = match generation {
            Some(generation) => generation.to_owned(),
            None => knowledge::current_generation(&self.home, name).map_err(corpus::problem)?,
        };
        let is = |base: &Arc<Base>| base.manifest().base == name && base.manifest().generation == generation;
        {
            let mut open = self.lock();
            if let Some(place) = open.iter().position(is) {
                let base = open.remove(place);
                open.push(base.clone());
                return Ok(base);
            }
        }
        let base = Base::open_generation(&self.home, name, &generation).map_err(corpus::problem)?;
        let base = Arc::new(base);
        let mut open = self.lock();
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
        let sizes = || self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
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
        self.lock().retain(|base| base.manifest().base != name);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Base>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Local {
    pub(crate) async fn base_list(&self) -> Result<Vec<BaseRow>, Problem> {
        let local = self.clone();
        aside(move || {
            let (home, shelf) = (&local.home, &local.desk.shelf);
            let sources = source_slugs(home);
            // A shipped base that can't be made is no reason to hide the person's own: the check-up tells of it.
            if let Err(problem) = corpus::ensure_shipped(home, &sources) {
                tracing::warn!("a shipped knowledge base can't be made: {}", problem.message);
            }
            let bases = knowledge::list_bases(home).map_err(corpus::problem)?;
            Ok(bases.into_iter().map(|base| row(shelf, &sources, base.manifest)).collect())
        })
        .await
    }

    pub(super) async fn base_show(&self, name: String) -> Result<BaseView, Problem> {
        let local = self.clone();
        self.with_base(name, move |base| {
            let manifest = base.manifest().clone();
            let named = |name: &str, paragraphs: u64, bytes: u64| BaseSource {
                name: clipped(if name.is_empty() { &manifest.title } else { name }, TITLE * 2),
                paragraphs: small(paragraphs),
                bytes,
            };
            Ok(BaseView {
                sources: manifest
                    .sources
                    .iter()
                    .map(|source| named(&source.name, source.paragraphs, source.bytes))
                    .collect(),
                documents: base
                    .documents()
                    .iter()
                    .map(|document| named(&document.name, document.paragraphs as u64, 0))
                    .collect(),
                base: row(&local.desk.shelf, &source_slugs(&local.home), manifest),
            })
        })
        .await
    }

    pub(super) async fn base_paragraphs(
        &self,
        name: String,
        document: Option<String>,
        after: u32,
        limit: u32,
    ) -> Result<ParagraphPage, Problem> {
        let limit = if limit == 0 { 50 } else { limit.min(200) } as usize;
        self.with_base(name, move |base| {
            let listed = |paragraph: &&Paragraph| {
                paragraph.part_of.is_none()
                    && document.as_ref().is_none_or(|document| *document == document_of(base, paragraph))
            };
            let total = base.paragraphs().iter().filter(listed).count();
            let (mut bytes, mut paragraphs) = (0, Vec::new());
            for paragraph in base.paragraphs().iter().filter(listed).skip(after as usize).take(limit) {
                bytes += paragraph.text.len();
                if bytes > PAGE && !paragraphs.is_empty() {
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

    pub(super) async fn base_search(
        &self,
        name: String,
        text: String,
        limit: u32,
        hops: u32,
    ) -> Result<SearchExplained, Problem> {
        if text.len() > QUERY {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("the query has {} bytes; at most {QUERY} are taken", text.len()),
            ));
        }
        let limit = if limit == 0 { 20 } else { limit.min(100) } as usize;
        let hops = hops.min(2) as usize;
        self.with_base(name, move |base| explained(base, &text, limit, hops)).await
    }

    pub(super) async fn base_ingest(&self, ingest: IngestRequest) -> Result<JobState, Problem> {
        let options = self.options(ingest).await?;
        let mut step = self.desk.jobs.begin(JobKind::Ingest, options.base.clone(), &self.stream)?;
        let state = step.state();
        // The person sees the job; the command does not wait for it.
        tokio::task::spawn_blocking(move || {
            let cancel = step.cancel.clone();
            let mut tell = |progress| match progress {
                Progress::Reading { files, of, paragraphs } => {
                    step.progress(
                        &format!("Reading files: {paragraphs} paragraphs"),
                        files as u64,
                        of as u64,
                    );
                }
                Progress::Indexing { done, of } => step.progress("Indexing", done as u64, of as u64),
                Progress::Publishing => step.progress("Storing", 1, 1),
            };
            let ingested = knowledge::ingest(&options, &mut tell, &cancel).map_err(corpus::problem);
            match ingested {
                Ok(report) => {
                    let counts = report.manifest.counts;
                    let text = format!(
                        "{} paragraphs from {} files, {} cross-references",
                        counts.paragraphs,
                        report.manifest.sources.len(),
                        counts.references
                    );
                    step.end(Ok(text), warnings(&report), &[Tag::Bases]);
                }
                Err(problem) => step.end(Err(problem), Vec::new(), &[]),
            }
        });
        Ok(state)
    }

    pub(super) async fn base_remove(&self, name: String) -> Result<(), Problem> {
        if corpus::is_shipped(&name, &source_slugs(&self.home)) {
            return Err(Problem::new(
                ErrorCode::Conflict,
                format!("{name} ships with the program and would come back at once; nothing was changed"),
            ));
        }
        for run in self.engine.live() {
            if self.reads(&run, &name).await {
                return Err(Problem::new(
                    ErrorCode::Busy,
                    format!("{run} is reading {name}; nothing was changed"),
                )
                .with_action("wait until it has ended, or stop it"));
            }
        }
        let local = self.clone();
        aside(move || {
            local.desk.shelf.forget(&name);
            knowledge::remove_base(&local.home, &name).map_err(corpus::problem)
        })
        .await
    }

    async fn reads(&self, run: &RunId, base: &str) -> bool {
        // A run that is just starting is not in the log yet; it has its base open, or says that it is gone.
        let loaded = self.engine.load(run).await;
        loaded.is_ok_and(|loaded| loaded.pinned.corpus.as_ref().is_some_and(|corpus| corpus.base == base))
    }

    async fn options(&self, ingest: IngestRequest) -> Result<IngestOptions, Problem> {
        let home = self.home.clone();
        aside(move || {
            let wrong = |what: String| Err(Problem::new(ErrorCode::InvalidInput, what));
            let IngestRequest { base, title, tier, citation, paths } = ingest;
            // A name that no base can have is refused before anything begins.
            if let Err(bad @ KnowledgeError::BadName { .. }) = knowledge::current_generation(&home, &base) {
                return Err(corpus::problem(bad));
            }
            if corpus::is_shipped(&base, &source_slugs(&home)) {
                return wrong(format!("{base} is the name of a base that ships with the program; choose another"));
            }
            if paths.is_empty() || paths.len() > PATHS {
                return wrong(format!("{} files and folders were given; 1 to {PATHS} can be", paths.len()));
            }
            let citation = citation.trim();
            if !citation.is_empty() && (!citation.contains("{id}") || citation.len() > CITATION) {
                return wrong(format!(
                    "a form of citation has {{id}} where the paragraph's number goes, and at most {CITATION} bytes"
                ));
            }
            if title.len() > TITLE {
                return wrong(format!("the title has {} bytes; at most {TITLE} are taken", title.len()));
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
            Ok(IngestOptions {
                home,
                base,
                title: title.trim().to_owned(),
                tier: corpus::tier(if tier.is_empty() { "guide" } else { &tier })?,
                citation: citation.to_owned(),
                created_at_ms: corpus::now_ms(),
                sources,
            })
        })
        .await
    }

    /// Works with a base away from what must answer at once. A shipped one is made when it is needed.
    async fn with_base<T: Send + 'static>(
        &self,
        name: String,
        work: impl FnOnce(&Base) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let local = self.clone();
        aside(move || {
            let shipped = source_slugs(&local.home);
            if corpus::is_shipped(&name, &shipped) {
                corpus::resolve(&local.home, &name, &shipped)?;
            }
            let base = local.desk.shelf.base(&name, None)?;
            work(&base)
        })
        .await
    }
}

fn source_slugs(home: &Path) -> Vec<String> {
    let slugs: BTreeSet<String> =
        Workspace::open(home).sources().into_iter().map(|entry| entry.slug).collect();
    slugs.into_iter().filter(|slug| !shipped_corpora(slug).is_empty()).collect()
}

fn row(shelf: &Shelf, sources: &[String], manifest: Manifest) -> BaseRow {
    let (documents, bytes) = shelf.sizes(&manifest);
    BaseRow {
        shipped: corpus::is_shipped(&manifest.base, sources),
        documents,
        paragraphs: small(manifest.counts.paragraphs),
        references: small(manifest.counts.references),
        name: manifest.base,
        title: manifest.title,
        tier: manifest.tier.as_str().to_owned(),
        citation: manifest.citation,
        generation: manifest.generation,
        created_at: manifest.created_at_ms,
        bytes,
    }
}

/// Sums the files below a folder.
pub(super) fn bytes_below(folder: &Path) -> u64 {
    let (mut bytes, mut files, mut folders) = (0, 0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            files += 1;
            if files > FILES {
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

fn paragraph_row(base: &Base, paragraph: &Paragraph) -> ParagraphRow {
    ParagraphRow {
        id: paragraph.id.clone(),
        citation: base.citation(&paragraph.id),
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

fn explained(base: &Base, text: &str, limit: usize, hops: usize) -> Result<SearchExplained, Problem> {
    let begun = Instant::now();
    let query = |hops, limit| Query { text: text.to_owned(), limit, hops, ..Query::default() };
    let by_words = base.search(&query(0, MOST_HITS)).map_err(corpus::problem)?;
    let words: HashMap<&str, f64> = by_words.iter().map(|hit| (hit.id.as_str(), hit.score)).collect();
    let found = match hops {
        0 => by_words.clone(),
        hops => base.search(&query(hops, MOST_HITS)).map_err(corpus::problem)?,
    };
    let came: HashMap<&str, &Hit> = found.iter().map(|hit| (hit.id.as_str(), hit)).collect();
    let mut hits = Vec::with_capacity(limit);
    for hit in found.iter().take(limit) {
        let paragraph = base.paragraph(&hit.id).map_err(corpus::problem)?;
        hits.push(SearchRow {
            score: hit.score,
            words: words.get(hit.id.as_str()).copied().unwrap_or(0.0),
            matched: hit.matched.clone(),
            path: path(&came, hit),
            highlights: ranges(&paragraph.text, &knowledge::found_in(text, &paragraph.text)),
            paragraph: paragraph_row(base, paragraph),
        });
    }
    Ok(SearchExplained { terms: knowledge::terms(text), hits, ms: begun.elapsed().as_secs_f64() * 1_000.0 })
}

/// The paragraphs over which a hit was reached, the one that words found first.
fn path(came: &HashMap<&str, &Hit>, hit: &Hit) -> Vec<String> {
    let mut path = Vec::new();
    let mut at = hit;
    while let Via::Link { from, .. } = &at.via {
        if path.contains(from) {
            break;
        }
        path.push(from.clone());
        match came.get(from.as_str()) {
            Some(before) => at = before,
            None => break,
        }
    }
    path.reverse();
    path
}

fn warnings(report: &IngestReport) -> Vec<String> {
    let mut warnings = Vec::new();
    for file in &report.files {
        for problem in &file.problems {
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            warnings.push(format!("{}{line}: {}", file.name, problem.what));
        }
        if file.more_problems > 0 {
            warnings.push(format!("{}: {} more", file.name, file.more_problems));
        }
    }
    warnings
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
