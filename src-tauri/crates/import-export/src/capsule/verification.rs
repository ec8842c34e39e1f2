//! Checking a capsule: nothing of this machine is read but the file, and no network is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use domain::{Digest, ErrorCode, Problem, RunId, SentenceRecord, Verdict};
use engine::{Chain, Engine, Parts};
use store::{Batch, Blob, Commit, DataDir, Durability, MAX_BLOB_BYTES, NewRun, NewSession, RunChange, Store};
use support::blocking;
use transfer::{
    CHAIN, Capsule, CapsuleFault, CapsuleReport, ChainLine, CitedParagraph, EVIDENCE, REDACTION, RunFile,
    blob_entry, document_entry, run_entry,
};

use super::sources;

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// Payloads of one commit.
const BLOBS: usize = 500;

/// Why checking ends: something of the capsule does not hold, or this machine can't check it.
enum Stop {
    Fault(CapsuleFault),
    Problem(Problem),
}

impl From<CapsuleFault> for Stop {
    fn from(fault: CapsuleFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<store::StoreError> for Stop {
    fn from(error: store::StoreError) -> Self {
        Self::Problem(error.into())
    }
}

/// Checks a capsule: every byte, the chain, the logs computed again, documents, sentences against the cited paragraphs.
///
/// # Errors
/// When the file can't be read, or a scratch folder can't be made. What is wrong with the capsule stands in the report.
pub async fn verify(path: &Path) -> Result<CapsuleReport, Problem> {
    let from = path.to_owned();
    let file = blocking(move || {
        transfer::read_plain(&from, MAX_FILE_BYTES)
            .map_err(|error| Problem::new(ErrorCode::InvalidInput, error.to_string()))
    })
    .await?;
    let scratch = tempfile::TempDir::new().map_err(|error| {
        Problem::new(ErrorCode::Storage, format!("no scratch folder can be made: {error}"))
    })?;
    let mut report = CapsuleReport::default();
    let ended = checked(&file, scratch.path(), &mut report).await;
    match ended {
        Ok(()) => report.holds = report.faults.is_empty(),
        Err(Stop::Fault(fault)) => report.faults.push(fault),
        Err(Stop::Problem(problem)) => return Err(problem),
    }
    Ok(report)
}

async fn checked(file: &[u8], scratch: &Path, report: &mut CapsuleReport) -> Result<(), Stop> {
    let capsule = Capsule::read(file, store::SCHEMA_VERSION)?;
    let manifest = &capsule.manifest;
    report.run = manifest.run.to_string();
    report.head = manifest.head.to_string();
    report.runs = manifest.runs.len() as u32;
    if manifest.tree.first() != Some(&manifest.run)
        || manifest.tree.iter().any(|run| !manifest.runs.contains(run))
    {
        return Err(manifest_fault("its runs are not those that it is of").into());
    }
    let mut used: BTreeSet<String> = [CHAIN, EVIDENCE, REDACTION].map(str::to_owned).into();
    let mut runs = BTreeMap::new();
    for run in &manifest.runs {
        let stored = capsule.run(run)?;
        used.insert(run_entry(run));
        used.extend(stored.blobs.iter().map(|digest| blob_entry(*digest)));
        runs.insert(run.clone(), stored);
    }
    chained(&capsule, &runs)?;
    let dir = DataDir::open(scratch)?;
    let store = Store::open(&dir, "capsule").await?;
    // In the order in which they began: what a conversation goes on from is found by it.
    let mut ordered: Vec<&RunFile> = manifest.runs.iter().filter_map(|run| runs.get(run)).collect();
    ordered.sort_by_key(|stored| (stored.created_at, stored.parent.is_some()));
    for stored in ordered {
        take_in(&store, &capsule, stored).await?;
    }
    let home = PathBuf::from(&manifest.home);
    let parts = Parts::unconnected(store.clone(), home, env!("CARGO_PKG_VERSION").to_owned());
    let engine = Engine::new(parts);
    let replayed = computed(&engine, &capsule, &runs, report, &mut used).await;
    if replayed.is_ok() && runs.get(&manifest.run).is_some_and(|stored| stored.kind != engine::turn::KIND) {
        driven(&engine, &manifest.run, &scratch.join("again"), report).await;
    }
    let turns: Vec<RunId> = manifest
        .runs
        .iter()
        .filter(|run| runs.get(run).is_some_and(|stored| stored.kind == engine::turn::KIND))
        .cloned()
        .collect();
    let cited: Vec<CitedParagraph> = capsule.lines(EVIDENCE)?;
    let sources = match &replayed {
        Ok(_) => sources::borne_out(&capsule, &engine, &turns, &cited).await,
        Err(_) => Ok(Vec::new()),
    };
    store.close().await?;
    let records = replayed?;
    borne_out(cited, &capsule, &records, report)?;
    let sources = sources?;
    report.sources = sources.len().saturating_sub(1) as u32;
    used.extend(sources);
    report.faults.extend(capsule.unused(&used));
    Ok(())
}

fn manifest_fault(why: &str) -> CapsuleFault {
    CapsuleFault::new(transfer::CAPSULE_MANIFEST, why)
}

/// The chain goes over exactly these logs, and ends at the head that the manifest names.
fn chained(capsule: &Capsule, runs: &BTreeMap<RunId, RunFile>) -> Result<(), CapsuleFault> {
    let lines: Vec<ChainLine> = capsule.lines(CHAIN)?;
    let mut chain = Chain::default();
    for run in &capsule.manifest.tree {
        for batch in runs.get(run).into_iter().flat_map(|stored| &stored.log) {
            chain.add(run, &batch_of(batch));
        }
    }
    for (at, link) in chain.links().iter().enumerate() {
        let line = ChainLine {
            run: link.run.clone(),
            first: link.first,
            last: link.last,
            sha256: link.sha256,
            head: link.head,
        };
        if lines.get(at) != Some(&line) {
            let why = format!("line {} is not what the log of {} gives", at + 1, link.run);
            return Err(CapsuleFault::new(CHAIN, why));
        }
    }
    if lines.len() != chain.links().len() {
        return Err(CapsuleFault::new(CHAIN, "it has more commits than the logs"));
    }
    if chain.head() != capsule.manifest.head {
        return Err(manifest_fault("its head is not that of the chain"));
    }
    Ok(())
}

fn batch_of(batch: &transfer::StoredBatch) -> Batch {
    Batch {
        seq_first: batch.first,
        seq_last: batch.last,
        at_ms: batch.at,
        bytes: batch.events.clone().into_bytes(),
    }
}

/// Puts a run into the scratch store.
async fn take_in(store: &Store, capsule: &Capsule, run: &RunFile) -> Result<(), Stop> {
    let id = RunId(run.id.clone());
    let fault = |why: String| CapsuleFault::new(run_entry(&id), why);
    let mut blobs = Vec::with_capacity(run.blobs.len());
    for digest in &run.blobs {
        let bytes = capsule.payload(*digest)?;
        if bytes.len() > MAX_BLOB_BYTES {
            return Err(CapsuleFault::new(blob_entry(*digest), "it is larger than any payload").into());
        }
        blobs.push(Blob::new(bytes)?);
    }
    let create = NewRun {
        session: NewSession { id: capsule.manifest.session.clone(), ..NewSession::default() },
        agent: run.agent.clone(),
        status: run.status.clone(),
        title: run.title.clone(),
        previous_run: run.previous.clone(),
        kind: run.kind.clone(),
        parent: run.parent.clone(),
        ..NewRun::default()
    };
    let mut create = Some(create);
    let mut blobs = blobs.into_iter().peekable();
    while blobs.peek().is_some() || create.is_some() {
        let commit = Commit {
            run: run.id.clone(),
            at_ms: run.created_at,
            blobs: blobs.by_ref().take(BLOBS).collect(),
            change: create.take().map_or(RunChange::Keep, RunChange::Create),
            durability: Durability::Normal,
            ..Commit::default()
        };
        store.commit(commit).await.map_err(|error| fault(error.to_string()))?;
    }
    let mut last = 0;
    for batch in &run.log {
        if batch.first != last + 1 || batch.last < batch.first {
            return Err(fault("its log has gaps".to_owned()).into());
        }
        let commit = Commit {
            run: run.id.clone(),
            expect_seq: last,
            seq_last: batch.last,
            at_ms: batch.at,
            events: batch.events.clone().into_bytes(),
            durability: Durability::Normal,
            ..Commit::default()
        };
        store.commit(commit).await.map_err(|error| fault(error.to_string()))?;
        last = batch.last;
    }
    Ok(())
}

/// Folds and computes everything again; gives the sentence records of the documents.
async fn computed(
    engine: &Engine,
    capsule: &Capsule,
    runs: &BTreeMap<RunId, RunFile>,
    report: &mut CapsuleReport,
    used: &mut BTreeSet<String>,
) -> Result<Vec<SentenceRecord>, Stop> {
    let root = &capsule.manifest.run;
    let broken = |run: &RunId, problem: Problem| CapsuleFault::new(run_entry(run), problem.message);
    let replay = engine.replay(root).await.map_err(|problem| broken(root, problem))?;
    report.events = replay.events;
    report.recomputed = replay.recomputed;
    for each in &replay.differences {
        let why = format!("event {}, {}: the {} comes out differently", each.seq, each.place, each.what);
        report.faults.push(CapsuleFault::new(run_entry(&each.run), why));
    }
    report.gaps = replay.gaps.iter().map(|gap| format!("{}: {}: {}", gap.run, gap.place, gap.why)).collect();
    let mut records = Vec::new();
    for run in &capsule.manifest.tree {
        if runs.get(run).is_none_or(|stored| stored.kind == engine::turn::KIND) {
            continue;
        }
        let loaded = engine.load(run).await.map_err(|problem| broken(run, problem))?;
        let written = engine.document(loaded).await.map_err(|problem| broken(run, problem))?;
        let Some(written) = written else { continue };
        let name = document_entry(run);
        if capsule.entry(&name)? != written.markdown.as_bytes() {
            return Err(CapsuleFault::new(name, "it is not the document that the log gives").into());
        }
        used.insert(name);
        report.documents += 1;
        records.extend(written.document.records);
    }
    Ok(records)
}

/// Drives the run again over its recorded answers; one that was interrupted while it worked is computed again only.
async fn driven(engine: &Engine, run: &RunId, scratch: &Path, report: &mut CapsuleReport) {
    match engine.redrive(run, scratch).await {
        Ok(again) => {
            report.redriven = again.identical;
            for each in &again.differences {
                let why =
                    format!("driven again, event {} comes out differently: {}", each.seq, each.recorded);
                report.faults.push(CapsuleFault::new(run_entry(run), why));
            }
        }
        Err(problem) if problem.code == ErrorCode::Conflict => {}
        Err(problem) => report.faults.push(CapsuleFault::new(run_entry(run), problem.message)),
    }
}

/// Each citation of each sentence rests on a cited paragraph of the capsule.
fn borne_out(
    mut lines: Vec<CitedParagraph>,
    capsule: &Capsule,
    records: &[SentenceRecord],
    report: &mut CapsuleReport,
) -> Result<(), CapsuleFault> {
    report.paragraphs = lines.len() as u32;
    report.sentences = records.len() as u32;
    let fault = |why: String| CapsuleFault::new(EVIDENCE, why);
    for line in &lines {
        if line.text.as_ref().is_some_and(|text| Digest::of(text) != line.sha256) {
            return Err(fault(format!("the text of paragraph {} is another", line.id)));
        }
        if line.text.is_some() != capsule.manifest.texts {
            report.gaps.push(format!("paragraph {} of {} is in it without its text", line.id, line.base));
        }
    }
    let mut rested = BTreeSet::new();
    for record in records {
        for one in &record.citations {
            let (Some(id), Some(sha256)) = (&one.paragraph_id, one.paragraph_sha256) else { continue };
            let cited = lines
                .iter()
                .find(|line| line.base == one.base && line.generation == one.generation && &line.id == id);
            let Some(cited) = cited else {
                return Err(fault(format!("statement {} cites {id}, which is not in it", record.n)));
            };
            if cited.sha256 != sha256 || cited.document != one.document {
                return Err(fault(format!("statement {} rests on another text of {id}", record.n)));
            }
            let quoted = one.verdict == Verdict::Verified;
            if let Some(text) = cited.text.as_ref().filter(|_| quoted)
                && !citations::stands_at(text, one.range, &one.quote)
            {
                return Err(fault(format!("the quote of statement {} does not stand in {id}", record.n)));
            }
            rested.insert((cited.base.clone(), cited.generation.clone(), cited.id.clone()));
        }
    }
    lines.retain(|line| !rested.contains(&(line.base.clone(), line.generation.clone(), line.id.clone())));
    match lines.first() {
        Some(line) => Err(fault(format!("no statement cites paragraph {}", line.id))),
        None => Ok(()),
    }
}
