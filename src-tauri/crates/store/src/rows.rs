//! The rows of commits in the tables that have many, written as few statements.
//!
//! A statement takes 64 rows, or half as many, and so on down to one: a small number of texts, which stay prepared.

use std::borrow::Cow;
use std::sync::Arc;

use sqlx::Arguments as _;
use sqlx::error::BoxDynError;
use sqlx::sqlite::SqliteArguments;

use crate::codec::{Packed, pack};
use crate::commit::{Script, Statement, refused};
use crate::error::Result;
use crate::hash::BlobHash;
use crate::tables::blobs::{self, Blob};
use crate::tables::passages::{self, Passage};
use crate::tables::run_events;

/// Most rows of one statement, a power of two.
const MOST: usize = 64;

/// A statement that takes any number of rows.
pub(crate) struct Insert {
    /// Up to `VALUES`.
    pub(crate) head: &'static str,
    /// One row.
    pub(crate) row: &'static str,
    /// What follows the rows.
    pub(crate) tail: &'static str,
}

/// What one commit adds to the tables that have many rows.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) events: Option<EventsRow>,
    pub(crate) blobs: Vec<BlobRow>,
    /// Blobs that are there already.
    pub(crate) refs: Vec<BlobHash>,
    pub(crate) passages: Vec<PassageRow>,
}

pub(crate) struct EventsRow {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) at_ms: i64,
    pub(crate) events: Packed,
}

pub(crate) struct BlobRow {
    hash: BlobHash,
    size: i64,
    data: Packed,
}

impl BlobRow {
    pub(crate) fn new(blob: Blob) -> Self {
        let (hash, bytes) = blob.into_parts();
        Self { hash, size: bytes.len() as i64, data: pack(bytes) }
    }
}

pub(crate) struct PassageRow {
    role: i64,
    at_ms: i64,
    step: Arc<str>,
    blob: BlobHash,
    words: Arc<str>,
}

impl PassageRow {
    pub(crate) fn new(passage: Passage) -> Self {
        let words = Arc::from(passage.words());
        let Passage { role, step, at_ms, blob, .. } = passage;
        Self { role: role.number(), at_ms, step: step.into(), blob, words }
    }
}

impl Rows {
    /// Bytes that are bound: a measure for memory and for the growth of the write-ahead log.
    pub(crate) fn bytes(&self) -> u64 {
        let events = self.events.as_ref().map_or(0, |row| row.events.data.len());
        let blobs: usize = self.blobs.iter().map(|row| row.data.data.len() + 64).sum();
        let passages: usize = self.passages.iter().map(|row| row.words.len() + row.step.len()).sum();
        (events + blobs + passages) as u64
    }
}

/// The statements that write the rows of some commits, each with its run's id, in order.
pub(crate) fn fill(all: &[(&str, &Rows)]) -> Result<Vec<Statement>> {
    let mut statements = Vec::new();
    add_rows(all, &mut |insert, count, bind| {
        let mut script = Script::default();
        script.insert(insert, count);
        bind(&mut script.values).map_err(refused)?;
        statements.push(Statement { sql: Cow::Owned(script.sql), values: script.values, session: None });
        Ok(())
    })?;
    Ok(statements)
}

/// The same as a part of a script.
pub(crate) fn append(script: &mut Script, run: &str, rows: &Rows) -> Result<()> {
    add_rows(&[(run, rows)], &mut |insert, count, bind| {
        script.insert(insert, count);
        bind(&mut script.values).map_err(refused)
    })
}

type Bound = std::result::Result<(), BoxDynError>;
/// Takes a statement, the number of its rows and what binds their values.
type Take<'a> = dyn FnMut(&Insert, usize, &dyn Fn(&mut SqliteArguments) -> Bound) -> Result<()> + 'a;

fn add_rows(all: &[(&str, &Rows)], take: &mut Take<'_>) -> Result<()> {
    let events = all.iter().filter_map(|(run, rows)| Some((*run, rows.events.as_ref()?)));
    split(take, &run_events::INSERT, &events.collect::<Vec<_>>(), |values, (run, row)| {
        values.add(*run)?;
        values.add(row.first)?;
        values.add(row.last)?;
        values.add(row.at_ms)?;
        values.add(row.events.codec)?;
        values.add(row.events.data.as_slice())
    })?;
    let blobs: Vec<&BlobRow> = all.iter().flat_map(|(_, rows)| &rows.blobs).collect();
    split(take, &blobs::INSERT, &blobs, |values, row| {
        values.add(row.hash.as_bytes().as_slice())?;
        values.add(row.size)?;
        values.add(row.data.codec)?;
        values.add(row.data.data.as_slice())
    })?;
    let refs = all.iter().flat_map(|(run, rows)| {
        rows.blobs.iter().map(|row| &row.hash).chain(&rows.refs).map(move |hash| (*run, hash))
    });
    split(take, &blobs::REFER, &refs.collect::<Vec<_>>(), |values, (run, hash)| {
        values.add(*run)?;
        values.add(hash.as_bytes().as_slice())
    })?;
    let passages: Vec<(&str, &PassageRow)> =
        all.iter().flat_map(|(run, rows)| rows.passages.iter().map(move |row| (*run, row))).collect();
    split(take, &passages::INSERT, &passages, |values, (run, row)| {
        values.add(*run)?;
        values.add(row.role)?;
        values.add(row.at_ms)?;
        values.add(Arc::clone(&row.step))?;
        values.add(row.blob.as_bytes().as_slice())
    })?;
    // They got the highest numbers, in this order.
    let words: Vec<(usize, &PassageRow)> =
        passages.iter().enumerate().map(|(place, (_, row))| (passages.len() - 1 - place, *row)).collect();
    split(take, &passages::INSERT_WORDS, &words, |values, (before, row)| {
        values.add(*before as i64)?;
        values.add(Arc::clone(&row.words))
    })
}

fn split<T>(
    take: &mut Take<'_>,
    insert: &Insert,
    rows: &[T],
    bind: impl Fn(&mut SqliteArguments, &T) -> Bound,
) -> Result<()> {
    let mut rest = rows;
    while !rest.is_empty() {
        // The largest power of two that is left.
        let (these, others) = rest.split_at(MOST.min(1 << rest.len().ilog2()));
        rest = others;
        take(insert, these.len(), &|values| these.iter().try_for_each(|row| bind(values, row)))?;
    }
    Ok(())
}
