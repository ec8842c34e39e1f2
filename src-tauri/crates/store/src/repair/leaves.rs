//! Rows read from the leaves of a table, whatever became of the pages that lead to them.
//!
//! A page does not say whose it is. The file's pointer maps do: they name the parent of every page, and so its root. Where
//! the map of a page is lost as well, its rows tell, if they fit one table alone.

use std::collections::{HashMap, HashSet};

use super::pages::{PAGE_BYTES, Page, Pages, number};
use crate::tables::packs;

/// Pages between two pointer maps, the map included.
const MAPPED: u32 = (PAGE_BYTES / 5) as u32 + 1;
/// The page that SQLite leaves out for its locks.
const LOCK_PAGE: u32 = 0x4000_0000 / PAGE_BYTES as u32 + 1;
/// The most pages between a leaf and its root.
const DEEPEST: u32 = 20;
/// The most bytes of one row.
const LARGEST_ROW: u64 = 1 << 30;
const TABLE_LEAF: u8 = 13;
const TABLE_INTERIOR: u8 = 5;
const INDEX_LEAF: u8 = 10;
const INDEX_INTERIOR: u8 = 2;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// What a column of a table takes.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) nullable: bool,
    /// Whether rows from before the column was added may lack it.
    pub(super) optional: bool,
}

/// A type of a strict table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The number of the row, which the record leaves out.
    RowNumber,
    Integer,
    Real,
    Text,
    Blob,
    Any,
}

/// A table, as its rows lie in leaves.
///
/// Columns that are computed when they are read are not in it.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) name: String,
    /// Whether its rows have numbers of their own.
    pub(super) numbered: bool,
    pub(super) columns: Vec<Column>,
}

/// A row. Columns at its end may be missing: they have their default.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Its number; 0 in a table without.
    pub(super) number: i64,
    pub(super) values: Vec<Value>,
}

/// The rows of one page.
pub(super) struct Leaf {
    /// Whose page it is, where that is known.
    pub(super) root: Option<u32>,
    /// Whether its rows have numbers.
    pub(super) numbered: bool,
    pub(super) rows: Vec<Row>,
}

/// A file that is read page by page.
pub(super) struct Leaves {
    pages: Pages,
    maps: HashMap<u32, Option<Box<Page>>>,
    /// Pages that other pages have as their parent.
    parents: HashSet<u32>,
    /// Pages of which not every row could be read, with their root.
    broken: Vec<(u32, Option<u32>)>,
    /// Roots of tables whose rows have no number: their upper pages hold rows as well.
    unnumbered: HashSet<u32>,
}

impl Leaves {
    pub(super) fn new(pages: Pages) -> Self {
        Self {
            pages,
            maps: HashMap::new(),
            parents: HashSet::new(),
            broken: Vec::new(),
            unnumbered: HashSet::new(),
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.pages.count()
    }

    /// The first page's bytes, where they can be read.
    pub(super) fn first(&mut self) -> Option<Box<Page>> {
        self.pages.page(1)
    }

    /// Whether every row of a root's table was among the leaves that were read.
    pub(super) fn is_complete(&self, root: u32) -> bool {
        let upper = |page: u32| self.parents.contains(&page) && !self.unnumbered.contains(&root);
        !self.broken.iter().any(|(page, of)| of.is_none_or(|of| of == root) && !upper(*page))
    }

    /// The root of a page's table or index, where the pointer maps have it.
    pub(super) fn root_of(&mut self, page: u32) -> Option<u32> {
        match self.owner(page) {
            Owner::Root(root) => Some(root),
            Owner::None | Owner::Unknown => None,
        }
    }

    /// Notes that a page holds something else than rows of its table.
    pub(super) fn distrust(&mut self, page: u32, root: Option<u32>) {
        self.broken.push((page, root));
    }

    /// The rows of a page, unless it is none of a table's or index's.
    pub(super) fn leaf(&mut self, page: u32) -> Option<Leaf> {
        if page == LOCK_PAGE || map_of(page) == page {
            return None;
        }
        let owner = self.owner(page);
        if owner == Owner::None {
            return None;
        }
        let root = match owner {
            Owner::Root(root) => Some(root),
            Owner::Unknown | Owner::None => None,
        };
        let Some(bytes) = self.pages.page(page) else {
            self.broken.push((page, root));
            return None;
        };
        let head = if page == 1 { 100 } else { 0 };
        let kind = bytes[head];
        match kind {
            TABLE_INTERIOR if is_whole(&bytes, head) => return None,
            INDEX_LEAF | INDEX_INTERIOR => {
                self.unnumbered.extend(root);
            }
            TABLE_LEAF => {}
            _ => {
                // A page that was never written holds nothing; one that is known to be a tree's was destroyed.
                if root.is_some() || bytes.iter().any(|byte| *byte != 0) {
                    self.broken.push((page, root));
                }
                return None;
            }
        }
        let (rows, whole) = self.rows(&bytes, head, kind);
        if !whole {
            self.broken.push((page, root));
        }
        Some(Leaf { root, numbered: kind == TABLE_LEAF, rows })
    }

    fn rows(&mut self, bytes: &Page, head: usize, kind: u8) -> (Vec<Row>, bool) {
        let numbered = kind == TABLE_LEAF;
        let start = head + if kind == INDEX_INTERIOR { 12 } else { 8 };
        let cells = short(bytes, head + 3);
        let (mut rows, mut whole, mut used) = (Vec::new(), true, 0);
        for cell in 0..cells {
            let at = start + cell * 2;
            if at + 2 > PAGE_BYTES {
                whole = false;
                break;
            }
            let from = short(bytes, at);
            let read = (from >= start)
                .then(|| self.row(bytes, if kind == INDEX_INTERIOR { from + 4 } else { from }, numbered))
                .flatten();
            match read {
                Some((row, end)) => {
                    used += (end - from).max(4);
                    rows.push(row);
                }
                None => whole = false,
            }
        }
        let free = free_bytes(bytes, head, start + cells * 2);
        (rows, whole && free.is_some_and(|free| start + cells * 2 + used + free == PAGE_BYTES))
    }

    /// A row and where its cell ends.
    fn row(&mut self, bytes: &Page, at: usize, numbered: bool) -> Option<(Row, usize)> {
        let (size, mut at) = varint(bytes, at)?;
        let mut number = 0;
        if numbered {
            let (own, next) = varint(bytes, at)?;
            (number, at) = (own.cast_signed(), next);
        }
        if size > LARGEST_ROW {
            return None;
        }
        let size = usize::try_from(size).ok()?;
        let most = if numbered { PAGE_BYTES - 35 } else { (PAGE_BYTES - 12) * 64 / 255 - 23 };
        if size <= most {
            let record = bytes.get(at..at + size)?;
            return Some((Row { number, values: record_of(record)? }, at + size));
        }
        let least = (PAGE_BYTES - 12) * 32 / 255 - 23;
        let fitting = least + (size - least) % (PAGE_BYTES - 4);
        let local = if fitting <= most { fitting } else { least };
        let mut record = bytes.get(at..at + local)?.to_vec();
        let end = at + local + 4;
        let mut next = bytes.get(at + local..end).map(|bytes| self::number(bytes, 0))?;
        // As many pages as the size needs: a chain that leads in a circle ends there.
        while record.len() < size {
            let page = self.pages.page(next)?;
            next = self::number(page.as_ref(), 0);
            let rest = (size - record.len()).min(PAGE_BYTES - 4);
            record.extend_from_slice(&page[4..4 + rest]);
        }
        (next == 0).then_some(())?;
        Some((Row { number, values: record_of(&record)? }, end))
    }

    /// Whose page it is, by the pointer maps.
    fn owner(&mut self, page: u32) -> Owner {
        let mut at = page;
        for _ in 0..DEEPEST {
            if at == 1 {
                return Owner::Root(1);
            }
            match self.entry(at) {
                Some((1, 0)) => return Owner::Root(at),
                Some((2..=4, _)) if at == page => return Owner::None,
                Some((5, parent)) if parent > 0 && parent <= self.count() => {
                    self.parents.insert(parent);
                    at = parent;
                }
                _ => return Owner::Unknown,
            }
        }
        Owner::Unknown
    }

    /// A page's kind and parent.
    fn entry(&mut self, page: u32) -> Option<(u8, u32)> {
        let map = map_of(page);
        let pages = &mut self.pages;
        let bytes = self.maps.entry(map).or_insert_with(|| pages.page(map)).as_ref()?;
        let at = 5 * (page - map - 1) as usize;
        Some((*bytes.get(at)?, number(bytes.get(at + 1..at + 5)?, 0)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Root(u32),
    /// The page is free, or the rest of a row.
    None,
    Unknown,
}

impl Shape {
    /// Whether a row can be one of this table.
    pub(super) fn fits(&self, row: &Row, numbered: bool) -> bool {
        if numbered != self.numbered || row.values.len() > self.columns.len() {
            return false;
        }
        let (there, missing) = self.columns.split_at(row.values.len());
        let known = missing.iter().all(|column| column.optional);
        known
            && there.iter().zip(&row.values).all(|(column, value)| column.takes(value))
            && self.is_piece(row)
    }

    /// Pieces of packs all have one length. What the index of words stores would fit them otherwise.
    fn is_piece(&self, row: &Row) -> bool {
        self.name != "pack_pieces"
            || matches!(row.values.last(), Some(Value::Blob(bytes)) if bytes.len() == packs::PIECE_BYTES)
    }
}

impl Column {
    fn takes(&self, value: &Value) -> bool {
        match (self.kind, value) {
            (Kind::RowNumber, Value::Null) => true,
            (Kind::RowNumber, _) => false,
            (_, Value::Null) => self.nullable,
            (Kind::Integer, Value::Integer(_))
            | (Kind::Real, Value::Real(_) | Value::Integer(_))
            | (Kind::Text, Value::Text(_))
            | (Kind::Blob, Value::Blob(_))
            | (Kind::Any, _) => true,
            (Kind::Integer | Kind::Real | Kind::Text | Kind::Blob, _) => false,
        }
    }
}

/// The pointer map that has a page's entry.
fn map_of(page: u32) -> u32 {
    if page < 2 {
        return 0;
    }
    let map = (page - 2) / MAPPED * MAPPED + 2;
    if map == LOCK_PAGE { map + 1 } else { map }
}

fn short(bytes: &Page, at: usize) -> usize {
    usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1])
}

/// Whether the cells of an upper page lie within it.
fn is_whole(bytes: &Page, head: usize) -> bool {
    let start = head + 12;
    let end = start + short(bytes, head + 3) * 2;
    end <= PAGE_BYTES && (start..end).step_by(2).all(|at| (end..PAGE_BYTES).contains(&short(bytes, at)))
}

/// Unused bytes of a page behind its list of cells, as its head and its list of free blocks have them.
fn free_bytes(bytes: &Page, head: usize, end: usize) -> Option<usize> {
    let content = match short(bytes, head + 5) {
        0 => 65_536,
        content => content,
    };
    let mut free = content.checked_sub(end)? + usize::from(bytes[head + 7]);
    let mut at = short(bytes, head + 1);
    while at != 0 {
        if at < content || at + 4 > PAGE_BYTES {
            return None;
        }
        free += short(bytes, at + 2);
        let next = short(bytes, at);
        if next != 0 && next <= at {
            return None;
        }
        at = next;
    }
    (free <= PAGE_BYTES).then_some(free)
}

/// A number of up to nine bytes, and where it ends.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for place in 0..8 {
        let byte = *bytes.get(at + place)?;
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + place + 1));
        }
    }
    Some((value << 8 | u64::from(*bytes.get(at + 8)?), at + 9))
}

/// The values of a record. `None`: it is none.
fn record_of(record: &[u8]) -> Option<Vec<Value>> {
    let (head, mut at) = varint(record, 0)?;
    let head = usize::try_from(head).ok()?;
    let (mut values, mut from) = (Vec::new(), head);
    while at < head {
        let (kind, next) = varint(record, at)?;
        at = next;
        let size = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind as usize,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            size => usize::try_from((size - 12) / 2).ok()?,
        };
        let bytes = record.get(from..from.checked_add(size)?)?;
        from += size;
        values.push(match kind {
            0 => Value::Null,
            8 => Value::Integer(0),
            9 => Value::Integer(1),
            1..=6 => Value::Integer(signed(bytes)),
            7 => Value::Real(f64::from_bits(signed(bytes).cast_unsigned())),
            kind if kind % 2 == 0 => Value::Blob(bytes.to_vec()),
            _ => Value::Text(String::from_utf8(bytes.to_vec()).ok()?),
        });
    }
    (at == head && from == record.len() && !values.is_empty()).then_some(values)
}

/// A number in two's complement of up to eight bytes.
fn signed(bytes: &[u8]) -> i64 {
    let first = bytes.first().map_or(0, |byte| i64::from(byte.cast_signed()));
    bytes.iter().skip(1).fold(first, |sum, byte| sum << 8 | i64::from(*byte))
}
