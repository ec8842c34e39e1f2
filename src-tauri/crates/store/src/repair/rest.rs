//! What SQLite could not give: read from the leaves and put into the fresh database, and what is missing after that.

use std::collections::HashMap;
use std::path::Path;

use sqlx::AssertSqlSafe;

use super::header::beside;
use super::leaves::{Column, Kind, Leaf, Leaves, Row, Shape, Value};
use super::pages::{Pages, number};
use super::{Copy, Lost};
use crate::error::{Result, StoreError, from_io};
use crate::schema::Schema;

/// Pages that are read between two looks at whether it is to go on.
const PIECE: u32 = 1_000;
/// Ranges of missing rows of one table that are told.
const TOLD: usize = 50;
/// The table whose numbers have gaps by design: each pack has 256, and takes some of them.
const SPARSE: &str = "pack_pieces";

/// A column's name, type, place in the key (0 for none), whether it is `NOT NULL`, and whether it has a default.
type ColumnInfo = (String, String, i64, i64, bool);

/// A table of which not everything could be read.
pub(super) struct Unread {
    pub(super) table: String,
    /// What its rows are numbered by. `None`: by nothing, or nothing of it could be read.
    pub(super) key: Option<String>,
    pub(super) lost: Vec<Lost>,
    /// Whether its end is unknown.
    pub(super) open: bool,
}

impl Unread {
    pub(super) fn whole(table: String) -> Self {
        Self { table, key: None, lost: Vec::new(), open: true }
    }
}

/// Which table's rows lie below a root.
struct Roots {
    shapes: Vec<Shape>,
    /// Places in `shapes`.
    of: HashMap<u32, usize>,
    /// Whether the root of every table is known.
    known: bool,
}

impl Roots {
    /// The table of a page's rows.
    fn table(&mut self, leaf: &Leaf) -> Option<&Shape> {
        let listed = leaf.root.and_then(|root| self.of.get(&root).copied());
        if listed.is_some() || (self.known && leaf.root.is_some()) {
            return listed.and_then(|place| self.shapes.get(place));
        }
        // Rows without a number may as well be an index's, and those of the first page's tree list the tables.
        if !leaf.numbered || leaf.rows.is_empty() || leaf.root == Some(1) {
            return None;
        }
        let fits = |shape: &Shape| leaf.rows.iter().all(|row| shape.fits(row, true));
        let mut fitting = (0..self.shapes.len()).filter(|place| self.shapes.get(*place).is_some_and(fits));
        let (Some(place), None) = (fitting.next(), fitting.next()) else { return None };
        // The first page that tells its table tells it of all pages below its root.
        if let Some(root) = leaf.root {
            self.of.insert(root, place);
        }
        self.shapes.get(place)
    }
}

impl Copy<'_> {
    /// The schema's version, as the file's header has it.
    pub(super) fn header_version(&self, source: &Path) -> Result<u32> {
        let supported = Schema::CURRENT.version;
        let mut leaves = self.open_leaves(source)?;
        let found = leaves.first().map_or(0, |page| number(page.as_ref(), 60));
        Ok(if (1..=supported).contains(&found) { found } else { supported })
    }

    fn open_leaves(&self, source: &Path) -> Result<Leaves> {
        Pages::open(source, &beside(source, "-wal"))
            .map(Leaves::new)
            .map_err(|error| from_io("reading the damaged database", source, &error))
    }

    /// Reads what is missing of tables from their leaves, and tells what is missing then.
    pub(super) async fn leaves(&mut self, source: &Path) -> Result<()> {
        let unread = std::mem::take(&mut self.unread);
        if unread.is_empty() {
            return Ok(());
        }
        let mut roots = self.roots(source).await?;
        // While the transaction reads, nothing that it sees is overwritten in either file.
        self.must("BEGIN".to_owned()).await?;
        if self.lost_schema.is_none() {
            let seen =
                sqlx::query("SELECT count(*) FROM damaged.sqlite_schema").fetch_one(&mut *self.db).await;
            seen.map_err(|error| self.failed(&error))?;
        }
        let mut leaves = self.open_leaves(source)?;
        let mut read: HashMap<String, u64> = HashMap::new();
        let pages = leaves.count();
        for page in 1..=pages {
            if page % PIECE == 0 && !(self.watch)(u64::from(page), u64::from(pages)) {
                self.stopped = true;
                break;
            }
            let Some(leaf) = leaves.leaf(page) else { continue };
            let Some(shape) = roots.table(&leaf) else { continue };
            if !unread.iter().any(|unread| unread.table == shape.name) {
                continue;
            }
            let (shape, mut misfits) = (shape.clone(), false);
            for row in &leaf.rows {
                if !shape.fits(row, leaf.numbered) {
                    misfits = true;
                } else if self.put(&shape, row).await? {
                    *read.entry(shape.name.clone()).or_default() += 1;
                }
            }
            if misfits {
                leaves.distrust(page, leaf.root);
            }
        }
        self.must("COMMIT".to_owned()).await?;
        let total: u64 = read.values().sum();
        self.done.rows += total;
        if self.stopped {
            return Ok(());
        }
        if let Some(error) = self.lost_schema.take_if(|_| total == 0) {
            return Err(error);
        }
        if self.lost_schema.is_some() {
            self.find("database", "its list of tables can't be read: their rows were read from their pages");
        }
        for unread in unread {
            let rows = read.get(&unread.table).copied().unwrap_or_default();
            let complete = roots.of.iter().any(|(root, place)| {
                roots.shapes.get(*place).is_some_and(|shape| shape.name == unread.table)
                    && leaves.is_complete(*root)
            });
            self.tell(&unread, rows, complete && roots.known).await?;
        }
        Ok(())
    }

    /// What became of a table that could not be read whole.
    async fn tell(&mut self, unread: &Unread, rows: u64, complete: bool) -> Result<()> {
        let table = &unread.table;
        if rows > 0 {
            self.find(table, format!("{rows} rows were read from pages that it no longer leads to"));
        }
        if complete {
            if rows == 0 {
                self.find(
                    table,
                    "it can't be read as a whole; every page with rows was read, none is missing",
                );
            }
            return Ok(());
        }
        let mut told = 0;
        if let Some(key) = unread.key.as_ref().filter(|_| table != SPARSE) {
            // Where the end is unknown, what was looked for behind the last row was hardly ever there.
            let last = if unread.open { self.last_key(table, key).await? } else { i64::MAX };
            for Lost { from, to } in &unread.lost {
                for (from, to) in self.gaps(table, key, *from, last.min(*to)).await? {
                    told += 1;
                    match told {
                        ..=TOLD if from == to => self.find(table, format!("row {from} can't be read")),
                        ..=TOLD => self.find(table, format!("rows {from} to {to} can't be read")),
                        _ => {}
                    }
                }
            }
            if told > TOLD {
                self.find(table, format!("{} more ranges of rows can't be read", told - TOLD));
            }
        }
        if unread.open || table == SPARSE {
            self.find(table, "it can't be read as a whole: rows may be missing");
        }
        Ok(())
    }

    /// The last key of a table in the fresh database; 0 where it has none.
    async fn last_key(&mut self, table: &str, key: &str) -> Result<i64> {
        let last = self.numbers(&format!("SELECT coalesce(max({key}), 0) FROM main.\"{table}\"")).await?;
        Ok(last.first().copied().unwrap_or_default())
    }

    /// Ranges of keys that the fresh database lacks.
    async fn gaps(&mut self, table: &str, key: &str, from: i64, to: i64) -> Result<Vec<(i64, i64)>> {
        let there = self
            .numbers(&format!(
                "SELECT {key} FROM main.\"{table}\" WHERE {key} BETWEEN {from} AND {to} GROUP BY {key} ORDER BY {key}"
            ))
            .await?;
        let (mut gaps, mut next) = (Vec::new(), from);
        for key in there {
            if key > next {
                gaps.push((next, key - 1));
            }
            next = key.saturating_add(1);
        }
        if next <= to {
            gaps.push((next, to));
        }
        Ok(gaps)
    }

    /// The tables of the fresh database, and the roots that they have in the damaged one.
    async fn roots(&mut self, source: &Path) -> Result<Roots> {
        let tables: sqlx::Result<Vec<(String, i64)>> = sqlx::query_as(
            "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        )
        .fetch_all(&mut *self.db)
        .await;
        let mut shapes = Vec::new();
        for (name, without_number) in tables.map_err(|error| self.failed(&error))? {
            shapes.push(self.shape(name, without_number == 0).await?);
        }
        let listed = if self.lost_schema.is_none() {
            self.listed("damaged").await?
        } else {
            let fresh = self.listed("main").await?;
            let mut found = found_roots(&mut self.open_leaves(source)?);
            // Tables lie where those of a fresh database lie, unless the file was written anew.
            let same = |(name, root): (&String, &u32)| fresh.get(name) == Some(root);
            if !found.is_empty() && found.iter().filter(|(name, _)| fresh.contains_key(*name)).all(same) {
                found.extend(fresh);
            }
            found
        };
        let of: HashMap<u32, usize> = (0..)
            .zip(&shapes)
            .filter_map(|(place, shape)| Some((*listed.get(&shape.name)?, place)))
            .collect();
        Ok(Roots { known: of.len() == shapes.len(), shapes, of })
    }

    /// The roots of tables, as the list of a database has them.
    async fn listed(&mut self, database: &str) -> Result<HashMap<String, u32>> {
        let rows: sqlx::Result<Vec<(String, i64)>> = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT name, rootpage FROM {database}.sqlite_schema WHERE type = 'table' AND rootpage > 0"
        )))
        .fetch_all(&mut *self.db)
        .await;
        let rows = rows.map_err(|error| self.failed(&error))?;
        Ok(rows.into_iter().filter_map(|(name, root)| Some((name, u32::try_from(root).ok()?))).collect())
    }

    /// A table of the fresh database, as its rows lie in leaves.
    async fn shape(&mut self, name: String, numbered: bool) -> Result<Shape> {
        let columns: sqlx::Result<Vec<ColumnInfo>> = sqlx::query_as(
            "SELECT name, type, pk, \"notnull\", dflt_value IS NOT NULL FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0 ORDER BY cid",
        )
        .bind(name.clone())
        .fetch_all(&mut *self.db)
        .await;
        let columns = columns.map_err(|error| self.failed(&error))?;
        let keys = columns.iter().filter(|(_, _, pk, ..)| *pk > 0).count();
        let columns = columns
            .into_iter()
            .map(|(name, kind, pk, not_null, default)| Column {
                name,
                kind: match kind.as_str() {
                    "INTEGER" if numbered && pk == 1 && keys == 1 => Kind::RowNumber,
                    "INTEGER" => Kind::Integer,
                    "REAL" => Kind::Real,
                    "TEXT" => Kind::Text,
                    "BLOB" => Kind::Blob,
                    _ => Kind::Any,
                },
                nullable: not_null == 0 && (numbered || pk == 0),
                optional: not_null == 0 || default,
            })
            .collect();
        Ok(Shape { name, numbered, columns })
    }

    /// Puts a row in that is not there yet. Gives whether it was not.
    async fn put(&mut self, shape: &Shape, row: &Row) -> Result<bool> {
        let columns = shape.columns.iter().zip(&row.values);
        let has_number = shape.columns.iter().any(|column| column.kind == Kind::RowNumber);
        let mut names: Vec<String> =
            columns.clone().map(|(column, _)| format!("\"{}\"", column.name)).collect();
        if shape.numbered && !has_number {
            names.insert(0, "rowid".to_owned());
        }
        let sql = format!(
            "INSERT OR IGNORE INTO main.\"{}\"({}) VALUES({})",
            shape.name,
            names.join(", "),
            vec!["?"; names.len()].join(", ")
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        if shape.numbered && !has_number {
            query = query.bind(row.number);
        }
        for (column, value) in columns {
            query = match value {
                Value::Null if column.kind == Kind::RowNumber => query.bind(row.number),
                Value::Null => query.bind(None::<i64>),
                Value::Integer(number) => query.bind(*number),
                Value::Real(number) => query.bind(*number),
                Value::Text(text) => query.bind(text.clone()),
                Value::Blob(bytes) => query.bind(bytes.clone()),
            };
        }
        match query.execute(&mut *self.db).await.map_err(|error| self.failed(&error)) {
            Ok(done) => Ok(done.rows_affected() > 0),
            Err(StoreError::Refused { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The roots of tables, from what is left of the list of tables.
fn found_roots(leaves: &mut Leaves) -> HashMap<String, u32> {
    let mut found = HashMap::new();
    for page in 1..=leaves.count() {
        if leaves.root_of(page) != Some(1) {
            continue;
        }
        for row in leaves.leaf(page).map(|leaf| leaf.rows).unwrap_or_default() {
            if let [Value::Text(kind), Value::Text(name), _, Value::Integer(root), Value::Text(_)] =
                row.values.as_slice()
                && kind == "table"
                && let Ok(root) = u32::try_from(*root)
                && root > 1
            {
                found.insert(name.clone(), root);
            }
        }
    }
    found
}
