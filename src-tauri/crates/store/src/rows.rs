//! The rows of commits in the tables that have many, written as few statements.
//!
//! A statement takes 256 rows, or half as many, and so on down to one: a small number of texts, which stay prepared. The words of
//! a transaction are added by one statement, with empty rows up to the next power of two: FTS5 sorts and writes a piece of its
//! index for each statement, and merges the pieces later.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use sqlx::Arguments as _;
use sqlx::error::BoxDynError;
use sqlx::sqlite::SqliteArguments;

use crate::codec::{EncodedBytes, pack};
use crate::commit::{Statement, refused};
use crate::error::Result;
use crate::hash::BlobHash;
use crate::tables::blobs::{self, Blob};
use crate::tables::packs::{self, PackPosition, PackRow};
use crate::tables::passages::{self, Passage};
use crate::tables::run_events;

/// Most rows of one statement, a power of two.
pub(crate) const MAX_ROWS: usize = 256;
/// Most rows of the statement that adds words: SQLite binds 32,766 values.
const MAX_WORDS_ROWS: usize = 16_384;

/// In a row's text: how many rows come after it.
const ROWS_AFTER: char = '#';

/// How many of some rows, at least one, a statement takes: the largest power of two, so that few texts of statements stay prepared.
/// `most` is a power of two.
pub(crate) fn part_of(rows: usize, most: usize) -> usize {
    most.min(1 << rows.ilog2())
}

/// A statement that takes any number of rows.
pub(crate) struct Insert {
    /// Up to `VALUES`.
    pub(crate) head: &'static str,
    /// One row. [`ROWS_AFTER`] in it stands for how many rows follow it.
    pub(crate) row: &'static str,
    /// What follows the rows.
    pub(crate) tail: &'static str,
}

impl Insert {
    /// Adds the statement for so many rows.
    fn write(&self, sql: &mut String, count: usize) {
        sql.reserve(self.head.len() + self.tail.len() + count * (self.row.len() + 1));
        sql.push_str(self.head);
        for place in 0..count {
            sql.push_str(if place > 0 { "," } else { "" });
            match self.row.split_once(ROWS_AFTER) {
                Some((before, after)) => {
                    // Writing to a text does not fail.
                    let _ = write!(sql, "{before}{}{after}", count - 1 - place);
                }
                None => sql.push_str(self.row),
            }
        }
        sql.push_str(self.tail);
    }

    /// Keeps the statement for so many rows, with their values.
    fn keep(
        &self,
        statements: &mut Vec<Statement>,
        count: usize,
        bind: &dyn Fn(&mut SqliteArguments) -> Bound,
    ) -> Result<()> {
        let (mut sql, mut values) = (String::new(), SqliteArguments::default());
        self.write(&mut sql, count);
        bind(&mut values).map_err(refused)?;
        statements.push(Statement { sql: Cow::Owned(sql), values, sessions: Vec::new() });
        Ok(())
    }
}

/// What one commit adds to the tables that have many rows.
pub(crate) struct Rows {
    pub(crate) events: Option<EventsRow>,
    packs: Vec<PackRow>,
    blobs: Vec<BlobRow>,
    /// Blobs that are there already.
    pub(crate) refs: Vec<BlobHash>,
    passages: Vec<PassageRow>,
}

pub(crate) struct EventsRow {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) at_ms: i64,
    pub(crate) events: EncodedBytes,
}

struct BlobRow {
    hash: BlobHash,
    size: i64,
    data: EncodedBytes,
}

struct PassageRow {
    role: i64,
    at_ms: i64,
    step: Arc<str>,
    words: Arc<str>,
    text: Text,
}

/// Where a passage's text lies.
enum Text {
    Blob(BlobHash),
    /// In a pack of the same commit.
    Own(PackPosition),
    /// In a pack that is there already.
    Stored(PackPosition),
}

impl Rows {
    /// The rows of payloads, of blobs that are there, and of texts to find again. `known` is where such texts lie in packs.
    pub(crate) fn new(
        blobs: Vec<Blob>,
        refs: Vec<BlobHash>,
        passages: Vec<Passage>,
        known: &HashMap<BlobHash, PackPosition>,
    ) -> Self {
        let (packs, places, large) = packs::split(blobs);
        let blobs = large.into_iter().map(|blob| {
            let (hash, bytes) = blob.into_parts();
            BlobRow { hash, size: bytes.len() as i64, data: pack(bytes) }
        });
        let passages = passages.into_iter().map(|passage| {
            let words = Arc::from(&*passage.words());
            let Passage { role, step, at_ms, blob, .. } = passage;
            let text = match (places.get(&blob), known.get(&blob)) {
                (Some(place), _) => Text::Own(*place),
                (None, Some(place)) => Text::Stored(*place),
                (None, None) => Text::Blob(blob),
            };
            PassageRow { role: role.number(), at_ms, step: step.into(), words, text }
        });
        Self { events: None, packs, blobs: blobs.collect(), refs, passages: passages.collect() }
    }

    /// Bytes that are bound: a measure for memory and for the growth of the write-ahead log.
    pub(crate) fn bytes(&self) -> u64 {
        let events = self.events.as_ref().map_or(0, |row| row.events.data.len());
        let packs: usize = self.packs.iter().map(|row| row.data.data.len() + 4 * row.names.len()).sum();
        let blobs: usize = self.blobs.iter().map(|row| row.data.data.len() + 64).sum();
        let passages: usize = self.passages.iter().map(|row| row.words.len() + row.step.len()).sum();
        (events + packs + blobs + passages) as u64
    }
}

/// The statements that write the rows of some commits, each with its run's id, in order.
pub(crate) fn fill(all: &[(&str, &Rows)]) -> Result<Vec<Statement>> {
    let mut statements = Vec::new();
    add_rows(all, &mut |insert, count, bind| insert.keep(&mut statements, count, bind))?;
    Ok(statements)
}

/// The statements that write rows to one table.
pub(crate) fn statements<T>(
    insert: &Insert,
    rows: &[T],
    bind: impl Fn(&mut SqliteArguments, &T) -> Bound,
) -> Result<Vec<Statement>> {
    let mut statements = Vec::new();
    split(&mut |insert, count, bind| insert.keep(&mut statements, count, bind), insert, rows, bind)?;
    Ok(statements)
}

/// The same as a part of a script; how many statements it has.
pub(crate) fn append(
    sql: &mut String,
    values: &mut SqliteArguments,
    run: &str,
    rows: &Rows,
) -> Result<usize> {
    let mut statements = 0;
    add_rows(&[(run, rows)], &mut |insert, count, bind| {
        insert.write(sql, count);
        statements += 1;
        bind(values).map_err(refused)
    })?;
    Ok(statements)
}

pub(crate) type Bound = std::result::Result<(), BoxDynError>;
/// Takes a statement, the number of its rows and what binds their values.
type RowSink<'a> = dyn FnMut(&Insert, usize, &dyn Fn(&mut SqliteArguments) -> Bound) -> Result<()> + 'a;

fn add_rows(all: &[(&str, &Rows)], take: &mut RowSink<'_>) -> Result<()> {
    let events = all.iter().filter_map(|(run, rows)| Some((*run, rows.events.as_ref()?)));
    split(take, &run_events::INSERT, &events.collect::<Vec<_>>(), |values, (run, row)| {
        values.add(*run)?;
        values.add(row.first)?;
        values.add(row.last)?;
        values.add(row.at_ms)?;
        values.add(row.events.codec)?;
        values.add(row.events.data.as_slice())
    })?;
    let packs: Vec<(&str, &PackRow)> =
        all.iter().flat_map(|(run, rows)| rows.packs.iter().map(move |row| (*run, row))).collect();
    split(take, &packs::INSERT, &packs, |values, (run, row)| {
        values.add(*run)?;
        values.add(row.names.as_slice())?;
        values.add(row.data.codec)?;
        values.add(row.end())
    })?;
    // They got the highest numbers, in this order.
    let newest = packs.len() as i64 - 1;
    let pieces = packs
        .iter()
        .zip(0..)
        .flat_map(|((_, row), place)| row.pieces().map(move |(number, data)| (newest - place, number, data)));
    let pieces: Vec<(i64, i64, &[u8])> = pieces.collect();
    split(take, &packs::INSERT_PIECES, &pieces, |values, (before, number, data)| {
        values.add(*before)?;
        values.add(*number)?;
        values.add(*data)
    })?;
    let names = packs.iter().zip(0..).flat_map(|((_, row), place)| {
        row.names.chunks_exact(packs::NAME_BYTES).map(move |name| (name, newest - place))
    });
    let mut names: Vec<(&[u8], i64)> = names.collect();
    // Neighbours in the index are found together.
    names.sort_unstable();
    split(take, &packs::INSERT_NAMES, &names, |values, (name, before)| {
        values.add(*name)?;
        values.add(*before)
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
    let mut first = 0;
    let mut passages: Vec<(&str, i64, &PassageRow)> = Vec::new();
    for (run, rows) in all {
        passages.extend(rows.passages.iter().map(|row| (*run, first, row)));
        first += rows.packs.len() as i64;
    }
    split(take, &passages::INSERT, &passages, |values, (run, first, row)| {
        values.add(*run)?;
        values.add(row.role)?;
        values.add(row.at_ms)?;
        values.add(Arc::clone(&row.step))?;
        let (blob, place) = match &row.text {
            Text::Blob(hash) => (Some(hash.as_bytes().as_slice()), None),
            Text::Own(PackPosition { pack, part }) => (None, Some((first + pack - newest, *part))),
            Text::Stored(PackPosition { pack, part }) => (None, Some((*pack, *part))),
        };
        values.add(blob)?;
        values.add(place.map(|(pack, _)| pack))?;
        values.add(place.map(|(_, part)| part))
    })?;
    // They got the highest numbers, in this order.
    let behind = (0_i64..).map(|part| part * MAX_WORDS_ROWS as i64);
    let parts: Vec<_> = passages.rchunks(MAX_WORDS_ROWS).zip(behind).collect();
    for (part, behind) in parts.into_iter().rev() {
        let count = part.len().next_power_of_two();
        take(&passages::INSERT_WORDS, count, &|values| {
            values.add(behind)?;
            (part.len()..count).try_for_each(|_| values.add(None::<&str>))?;
            part.iter().try_for_each(|(.., row)| values.add(Arc::clone(&row.words)))
        })?;
    }
    Ok(())
}

fn split<T>(
    take: &mut RowSink<'_>,
    insert: &Insert,
    rows: &[T],
    bind: impl Fn(&mut SqliteArguments, &T) -> Bound,
) -> Result<()> {
    let mut rest = rows;
    while !rest.is_empty() {
        let (these, others) = rest.split_at(part_of(rest.len(), MAX_ROWS));
        rest = others;
        take(insert, these.len(), &|values| these.iter().try_for_each(|row| bind(values, row)))?;
    }
    Ok(())
}
