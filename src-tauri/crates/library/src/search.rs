//! Searching bases, looking around in them, and getting new ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use domain::{ErrorCode, Problem};
use knowledge::ingest::FileProblem;
use knowledge::{Base, Hit, HitOrigin, MAX_HITS, Query, search_many};
use protocol::{
    BaseGraph, FilePreview, GraphEdge, GraphNode, IngestPreview, IngestRequest, JobKind, JobState,
    KnowledgeCatalog, PathKind, PathRow, PreviewHeading, PreviewParagraph, SearchExplained, SearchRow, Tag,
    TermShare,
};
use support::{blocking, clipped};
use tokio::runtime::Handle;
use workspace_bases::NamedBase;

use crate::bases::{self, AddProgress, CorpusRequest, Meanings, Recipe};
use crate::commands::{PATHS, paragraph_row, removable, show, source_slugs, summary};
use crate::text::ranges;
use crate::{Library, corpus};

/// The longest query, in bytes.
const MAX_QUERY_BYTES: usize = 10_000;
/// The most bases searched at once.
const MAX_BASES: usize = 50;
/// The most paragraphs and links of a graph.
const MAX_NODES: usize = 150;
const MAX_EDGES: usize = 600;
/// What a preview shows of its files.
const FILES: usize = 200;
const HEADINGS: usize = 500;
const PROBLEMS: usize = 50;

impl Library {
    /// Searches several bases at once and explains what it finds.
    pub async fn knowledge_search(
        &self,
        names: Vec<String>,
        text: String,
        after: u32,
        limit: u32,
        hops: u32,
    ) -> Result<SearchExplained, Problem> {
        let wrong = |what: String| Err(Problem::new(ErrorCode::InvalidInput, what));
        if text.len() > MAX_QUERY_BYTES {
            return wrong(format!("the query has {} bytes; at most {MAX_QUERY_BYTES} are taken", text.len()));
        }
        if names.len() > MAX_BASES {
            return wrong(format!(
                "{} bases were named; at most {MAX_BASES} are searched at once",
                names.len()
            ));
        }
        let local = self.clone();
        let handle = Handle::current();
        blocking(move || {
            let names = if names.is_empty() {
                local.env.bases().names().into_iter().take(MAX_BASES).collect()
            } else {
                names
            };
            let bases = names.iter().map(|name| local.opened(name)).collect::<Result<Vec<_>, _>>()?;
            let query = Query {
                limit: if limit == 0 { 20 } else { limit.min(100) } as usize,
                offset: after as usize,
                hops: hops.min(2) as usize,
                text,
                ..Query::default()
            };
            let meanings = local.state.meanings.get_or_init(|| Meanings::new(&local.env.home, handle));
            explained(&bases, query, meanings)
        })
        .await
    }

    /// A paragraph's surroundings along cross-references.
    pub async fn base_graph(&self, base: String, id: String, depth: u32) -> Result<BaseGraph, Problem> {
        self.with_base(base, move |base| graph(base, &id, depth.clamp(1, 3))).await
    }

    /// What can be downloaded, and which rule sets there are.
    pub async fn knowledge_catalog(&self) -> Result<KnowledgeCatalog, Problem> {
        let shelf = self.env.bases();
        blocking(move || bases::catalog(&shelf)).await
    }

    /// Shows what an ingest would recognise; stores nothing.
    pub async fn base_preview(&self, ingest: IngestRequest) -> Result<IngestPreview, Problem> {
        let (base, recipe) = self.recipe(ingest).await?;
        let mut step = self.env.begin_job(JobKind::Preview, base.clone())?;
        let (home, shelf) = (self.env.home.clone(), self.env.bases());
        blocking(move || {
            let cancel = step.cancel.clone();
            let base = shelf.find(&base).map_or(base, |known| known.id);
            let seen = bases::preview(&home, &base, &recipe, &mut |now| show(&mut step, now), &cancel);
            match seen {
                Ok(preview) => {
                    step.end(Ok("Looked at the files".to_owned()), Vec::new(), &[]);
                    Ok(previewed(preview))
                }
                Err(problem) => {
                    step.end(Err(problem.clone()), Vec::new(), &[]);
                    Err(problem)
                }
            }
        })
        .await
    }

    /// What lies at paths, in their order.
    pub async fn paths_check(&self, paths: Vec<String>) -> Result<Vec<PathRow>, Problem> {
        if paths.len() > PATHS {
            let what = format!("{} paths were given; at most {PATHS} are looked at", paths.len());
            return Err(Problem::new(ErrorCode::InvalidInput, what));
        }
        blocking(move || Ok(paths.into_iter().map(path_row).collect())).await
    }

    /// Downloads an openly licensed text, or a file from an address, and makes it a base.
    pub async fn base_add(
        &self,
        name: String,
        base: String,
        accepted: bool,
        model: String,
    ) -> Result<JobState, Problem> {
        let subject = if base.is_empty() { &name } else { &base };
        if corpus::is_shipped(subject, &source_slugs(&self.env.home)) {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("{subject} is the name of a base that ships with the program; choose another"),
            ));
        }
        let step = self.env.begin_job(JobKind::Download, clipped(subject, 100))?;
        let (state, cancel) = (step.state(), step.cancel.clone());
        let wanted =
            CorpusRequest { name, base, accepted, model: Some(model).filter(|model| !model.is_empty()) };
        let shelf = self.env.bases();
        tokio::spawn(async move {
            // The job is told from two places: while files come, and while they are made into a base.
            let step = Arc::new(parking_lot::Mutex::new(step));
            let told = Arc::clone(&step);
            let tell = move |now| {
                let mut step = told.lock();
                match now {
                    AddProgress::Downloading { file, bytes, of } => {
                        step.progress(&format!("Downloading {file}"), bytes, of.unwrap_or(0));
                    }
                    AddProgress::Ingesting(progress) => show(&mut step, progress),
                }
            };
            let ended = bases::add(&shelf, wanted, tell, cancel).await;
            let Ok(step) = Arc::try_unwrap(step) else { return };
            let step = step.into_inner();
            match ended {
                Ok((report, mut doubts)) => {
                    doubts.extend(bases::warnings(&report.files));
                    step.end(Ok(summary(&report)), doubts, &[Tag::Bases]);
                }
                Err(problem) => step.end(Err(problem), Vec::new(), &[]),
            }
        });
        Ok(state)
    }

    /// Downloads a model for vectors.
    pub async fn model_add(&self, name: String, accepted: bool) -> Result<JobState, Problem> {
        let mut step = self.env.begin_job(JobKind::Download, clipped(&name, 100))?;
        let (state, cancel) = (step.state(), step.cancel.clone());
        let home = self.env.home.clone();
        tokio::spawn(async move {
            let tell = |now| {
                if let AddProgress::Downloading { file, bytes, of } = now {
                    step.progress(&format!("Downloading {file}"), bytes, of.unwrap_or(0));
                }
            };
            match bases::add_model(&home, &name, accepted, None, tell, &cancel).await {
                Ok(()) => step.end(Ok("The model is ready".to_owned()), Vec::new(), &[Tag::Bases]),
                Err(problem) => step.end(Err(problem), Vec::new(), &[]),
            }
        });
        Ok(state)
    }

    /// Ingests a base again whenever its files change, or no longer.
    pub async fn base_watch(&self, base: String, on: bool) -> Result<(), Problem> {
        let (home, shelf) = (self.env.home.clone(), self.env.bases());
        blocking(move || {
            let known = removable(&shelf, &base)?;
            let Some(recipe) = Recipe::read(&home, &known.id).filter(|recipe| recipe.origin.is_none()) else {
                return Err(Problem::new(
                    ErrorCode::Conflict,
                    format!("{base} was not made from files on this machine that can be watched"),
                )
                .with_action("ingest its files again"));
            };
            Recipe { watch: on, ..recipe }.keep(&home, &known.id)
        })
        .await?;
        self.state.watching.look();
        Ok(())
    }
}

/// A relative path means another place to every program: nothing lies there.
fn path_row(path: String) -> PathRow {
    let place = std::path::Path::new(&path);
    let kind = match std::fs::metadata(place) {
        Ok(found) if place.is_absolute() && found.is_dir() => PathKind::Folder,
        Ok(_) if place.is_absolute() => PathKind::File,
        _ => PathKind::Missing,
    };
    PathRow { path, kind }
}

fn explained(
    bases: &[(NamedBase, Arc<Base>)],
    mut query: Query,
    meanings: &Meanings,
) -> Result<SearchExplained, Problem> {
    let begun = Instant::now();
    let refs: Vec<&Base> = bases.iter().map(|(_, base)| base.as_ref()).collect();
    // One question, one vector: bases whose vectors another model made are searched by words.
    let with = refs.iter().find(|base| base.manifest().vectors.is_some());
    let mut meaning = None;
    if let Some(base) = with {
        match meanings.vector(base, &query.text) {
            Ok(vector) => {
                query.vector = vector;
                meaning = base.manifest().vectors.as_ref().map(|vectors| vectors.model.clone());
            }
            Err(problem) => tracing::warn!("a search goes by words: {}", problem.message),
        }
    }
    let limit = query.limit;
    // Every hit is asked for, so that the way to each of those shown is known.
    let asked = Query { limit: MAX_HITS.min(limit + 50), ..query.clone() };
    let found = search_many(&refs, &asked).map_err(corpus::problem)?;
    // Without a model, likeness that was learned from the texts themselves.
    let learned = || found.iter().any(|(_, hit)| hit.why.learned.is_some()).then(|| "corpus".to_owned());
    let meaning = meaning.or_else(learned);
    let scoped = found.iter().find(|(_, hit)| !hit.why.scope.is_empty());
    let came: HashMap<&str, &Hit> = found.iter().map(|(_, hit)| (hit.id.as_str(), hit)).collect();
    let mut hits = Vec::with_capacity(limit);
    for (place, hit) in found.iter().take(limit) {
        let base = refs[*place];
        let paragraph = base.paragraph(&hit.id).map_err(corpus::problem)?;
        let all: f64 = hit.why.words.iter().map(|word| word.share).sum();
        hits.push(SearchRow {
            score: hit.score,
            words: hit.why.words_score,
            matched: hit.matched.clone(),
            path: path(&came, hit),
            highlights: ranges(&paragraph.text, &knowledge::found_in(&query.text, &paragraph.text)),
            base: bases[*place].0.name.clone(),
            tier: base.manifest().tier.as_str().to_owned(),
            similarity: hit.why.similarity,
            shares: hit
                .why
                .words
                .iter()
                .map(|word| TermShare {
                    term: word.term.clone(),
                    share: if all > 0.0 { word.share / all } else { 0.0 },
                })
                .collect(),
            duplicates: hit.why.duplicates.clone(),
            paragraph: paragraph_row(base, paragraph),
        });
    }
    Ok(SearchExplained {
        terms: knowledge::terms(&query.text),
        hits,
        ms: begun.elapsed().as_secs_f64() * 1_000.0,
        meaning,
        scope: scoped.map(|(_, hit)| hit.why.scope.clone()).unwrap_or_default(),
    })
}

/// The paragraphs over which a hit was reached, the one that words found first.
fn path(came: &HashMap<&str, &Hit>, hit: &Hit) -> Vec<String> {
    let mut path = Vec::new();
    let mut at = hit;
    while let HitOrigin::Link { from, .. } = &at.via {
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

/// What a reader is shown for a paragraph, as documents name it.
fn named(base: &Base, id: &str) -> String {
    base.paragraph(id).map_or_else(|_| base.citation(id), |paragraph| base.label(paragraph))
}

/// What is around a paragraph, nearest first, within bounds.
fn graph(base: &Base, id: &str, depth: u32) -> Result<BaseGraph, Problem> {
    let around = base.neighbourhood(id, depth as usize, MAX_NODES).map_err(corpus::problem)?;
    let nodes = around.nodes.into_iter().map(|node| GraphNode {
        citation: named(base, &node.id),
        id: node.id,
        heading: node.title,
        depth: u32::try_from(node.depth).unwrap_or(u32::MAX),
        withdrawn: node.withdrawn,
    });
    let more = around.cut || around.links.len() > MAX_EDGES;
    let links = around.links.into_iter().take(MAX_EDGES);
    let edges = links.map(|link| GraphEdge { from: link.from, to: link.to, kind: link.kind });
    Ok(BaseGraph { nodes: nodes.collect(), edges: edges.collect(), more })
}

fn previewed(preview: knowledge::ingest::Preview) -> IngestPreview {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let more = number(preview.files.len().saturating_sub(FILES));
    let files = preview.files.into_iter().take(FILES).map(|file| {
        let told = |problem: &FileProblem| match (problem.page, problem.line) {
            (Some(page), _) => format!("page {page}: {}", problem.what),
            (None, Some(line)) => format!("line {line}: {}", problem.what),
            (None, None) => problem.what.clone(),
        };
        let (minor, problems): (Vec<_>, Vec<_>) =
            file.problems.iter().take(PROBLEMS).partition(|problem| problem.minor);
        let references = |id: &str| {
            let of = file.references.iter().filter(|(from, _)| from == id);
            of.map(|(_, to)| to.to.clone()).collect()
        };
        FilePreview {
            paragraphs: number(file.paragraphs),
            headings: file
                .headings
                .iter()
                .take(HEADINGS)
                .map(|(path, paragraphs)| PreviewHeading {
                    level: number(path.len()),
                    title: path.last().cloned().unwrap_or_default(),
                    paragraphs: number(*paragraphs),
                })
                .collect(),
            samples: file
                .samples
                .iter()
                .map(|sample| PreviewParagraph {
                    references: references(&sample.id),
                    id: sample.id.clone(),
                    kind: sample.kind.clone(),
                    text: sample.text.clone(),
                    page: sample.page,
                })
                .collect(),
            references: number(file.resolved + file.dangling),
            dangling: number(file.dangling),
            problems: problems.into_iter().map(told).collect(),
            notes: minor.into_iter().map(told).collect(),
            confidence: f64::from(file.confidence) / 100.0,
            name: file.name,
            format: file.format,
            rules: file.rules,
        }
    });
    IngestPreview { files: files.collect(), more }
}
