//! Measuring search against judged queries: a folder of documents, queries and judgments goes through the real
//! ingest and the real search.

mod collection;
mod compare;
mod error;
mod measures;
mod run;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use embeddings::{Embedder, Purpose};

pub use collection::{Collection, Judgments, Question};
pub use compare::{Comparison, compare};
pub use error::EvalError;
pub use measures::{Measures, Scores, score};
pub use run::Run;

use crate::base::Base;
use crate::ingest::{self, IngestOptions, ingest};
use crate::search::{MAX_HITS, Mode, Query};

/// What to measure.
#[derive(Clone)]
pub struct EvalOptions {
    /// The folder with documents, queries and judgments; see [`Collection::read`].
    pub folder: PathBuf,
    /// What makes the vectors; none to measure words alone.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// What decides: what has to do without a model is measured, and with an embedder also what has it.
    pub mode: Mode,
    /// Links to follow from the best hits.
    pub hops: usize,
    /// Passes over the documents and titles that queries name.
    pub plain: bool,
    /// A corpus whose rows tell links between the documents, where the documents themselves have none.
    pub links: Option<PathBuf>,
}

/// How far a measurement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The documents are ingested.
    Ingesting(ingest::Progress),
    /// Queries that were asked, of all.
    Asking {
        /// Queries asked.
        done: usize,
        /// Queries in all.
        of: usize,
    },
}

/// What was measured.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// Paragraphs that were searched.
    pub paragraphs: usize,
    /// How long ingest took, vectors included.
    pub ingest: Duration,
    /// Problems with documents, the first of each file.
    pub problems: Vec<String>,
    /// The model's name, where vectors were made.
    pub model: Option<String>,
    /// Making the questions' vectors; none without a model.
    pub encoder: Option<Times>,
    /// Without the model's vectors, and with them; one of the two where the mode leaves no other.
    pub ways: Vec<Measured>,
}

/// What one way of searching came to.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Whether questions had vectors of the model.
    pub with_model: bool,
    /// Over all judged queries, and of each.
    pub scores: Scores,
    /// How long one search took, without the encoder.
    pub search: Times,
    /// What was found.
    pub run: Run,
}

/// Times of one step, over all queries.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Half of them were at most so many milliseconds.
    pub p50_ms: f64,
    /// And 95 of 100.
    pub p95_ms: f64,
}

impl Times {
    /// By nearest rank; zeros where there are none.
    fn of(mut each: Vec<Duration>) -> Self {
        each.sort_unstable();
        let rank = |hundredths: usize| {
            let at = (each.len() * hundredths).div_ceil(100).saturating_sub(1);
            each.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Self { p50_ms: rank(50), p95_ms: rank(95) }
    }
}

/// Ingests the documents into a base that is removed afterwards, and asks every query. Setting `cancel` stops at
/// the next query or paragraph.
pub fn evaluate(
    options: &EvalOptions,
    progress: &mut dyn FnMut(Progress),
    cancel: &AtomicBool,
) -> Result<Evaluation, EvalError> {
    let collection = Collection::read(&options.folder)?;
    let scratch = Scratch::new()?;
    let documents = match &options.links {
        Some(corpus) => collection.linked(corpus, &scratch.0)?,
        None => collection.documents.clone(),
    };
    let ingested = IngestOptions {
        embedder: options.embedder.clone(),
        ..IngestOptions::new(&scratch.0, "judged", vec![documents])
    };
    let started = Instant::now();
    let report = ingest(&ingested, &mut |step| progress(Progress::Ingesting(step)), cancel)?;
    let ingest = started.elapsed();
    let base = Base::open(&scratch.0, "judged")?;
    let problems = report.files.iter().flat_map(|file| {
        let first = file.problems.iter().take(5);
        first.map(|problem| format!("{}:{}: {}", file.name, problem.line.unwrap_or(0), problem.what))
    });

    let (vectors, encoder) = match &options.embedder {
        None => (Vec::new(), None),
        Some(embedder) => {
            let (vectors, times) = encoded(&collection, embedder.as_ref(), cancel)?;
            (vectors, Some(Times::of(times)))
        }
    };
    let ways: &[bool] = match (options.mode, &options.embedder) {
        (Mode::Words, _) | (_, None) => &[false],
        (Mode::Auto, Some(_)) => &[false, true],
        (Mode::Vectors, Some(_)) => &[true],
    };
    let of = ways.len() * collection.questions.len();
    let mut done = 0;
    let mut asked = |&with_model: &bool| -> Result<Measured, EvalError> {
        let mut run = Run::default();
        let mut times = Vec::with_capacity(collection.questions.len());
        for (number, question) in collection.questions.iter().enumerate() {
            if cancel.load(Ordering::Relaxed) {
                return Err(EvalError::Cancelled);
            }
            progress(Progress::Asking { done, of });
            let query = Query {
                text: question.text.clone(),
                limit: MAX_HITS,
                hops: options.hops,
                mode: options.mode,
                plain: options.plain,
                vector: vectors.get(number).cloned().filter(|_| with_model),
                ..Query::default()
            };
            if number == 0 {
                // What is read on first use is not part of a search.
                base.search(&query)?;
            }
            let started = Instant::now();
            let hits = base.search(&query)?;
            times.push(started.elapsed());
            for hit in hits {
                for id in std::iter::once(&hit.id).chain(&hit.why.duplicates) {
                    run.add(&question.id, document(id), hit.score);
                }
            }
            done += 1;
        }
        let scores = score(&run, &collection.judgments);
        Ok(Measured { with_model, scores, search: Times::of(times), run })
    };
    let ways = ways.iter().map(&mut asked).collect::<Result<_, _>>()?;
    Ok(Evaluation {
        paragraphs: base.paragraphs().len(),
        ingest,
        problems: problems.collect(),
        model: options.embedder.as_ref().map(|embedder| embedder.model().id.clone()),
        encoder,
        ways,
    })
}

/// The document that a paragraph is or is a piece of: one that is too long is stored as `X`, `X part 2` …
fn document(id: &str) -> &str {
    match id.rsplit_once(" part ") {
        Some((whole, part)) if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        _ => id,
    }
}

/// The vector of each question, and how long each took.
fn encoded(
    collection: &Collection,
    embedder: &dyn Embedder,
    cancel: &AtomicBool,
) -> Result<(Vec<Vec<f32>>, Vec<Duration>), EvalError> {
    let mut vectors = Vec::with_capacity(collection.questions.len());
    let mut times = Vec::with_capacity(collection.questions.len());
    for question in &collection.questions {
        if cancel.load(Ordering::Relaxed) {
            return Err(EvalError::Cancelled);
        }
        let started = Instant::now();
        let made = embedder.embed(&[&question.text], Purpose::Query)?;
        times.push(started.elapsed());
        vectors.push(made.into_iter().next().unwrap_or_default());
    }
    Ok((vectors, times))
}

/// A folder of this process alone, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, EvalError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("kb-eval-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(EvalError::io(&path)(error)),
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind lies in the system's folder for what may be lost.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Reads a text file as a whole.
fn read(path: &Path) -> Result<String, EvalError> {
    std::fs::read_to_string(path).map_err(EvalError::io(path))
}
