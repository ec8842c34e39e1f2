//! Small payloads, those of a commit together: they compress better than alone, and cost one row.
//!
//! A pack belongs to one run and goes with it. Larger payloads are blobs, which runs share.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::ops::Range;

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use crate::codec::{EncodedBytes, Unpacker, pack_thoroughly};
use crate::hash::BlobHash;
use crate::rows::Insert;
use crate::schema::Migration;
use crate::tables::blobs::Blob;

/// The largest payload that goes into a pack. What is larger is more often shared, and gains less from its neighbours.
const MAX_PACKED_BYTES: usize = 2 << 10;
/// Most bytes of the payloads of one pack: whoever reads one unpacks all of them.
const MAX_PACK_BYTES: usize = 64 << 10;
/// Most bytes that unpacking may give: the payloads and their lengths.
const MAX_UNPACKED_BYTES: usize = MAX_PACK_BYTES + (MAX_PACK_BYTES / 8);
/// The beginning of a digest, by which a payload is found.
pub(crate) const NAME_BYTES: usize = 6;
/// Bytes of a piece: eight of them fill a page of the file. A pack's own row has what is left.
pub(crate) const PIECE_BYTES: usize = 496;
/// Fewest bytes that a payload counts for, so that the lengths and names of a pack are bounded as well.
const MIN_COUNTED_BYTES: usize = 32;

/// What a payload is that [`Pack::get`] does not give.
pub(crate) const WRONG_NAME: &str = "a payload does not have the digest that it was stored under";

// `names` has the beginnings of the digests of its payloads, in order; `packed` finds them. A payload that several packs hold
// is in each of them. Whole pieces of the data lie in `pack_pieces`, numbered from 256 times the pack's number, and what follows
// them in the pack's row: rows of some kilobytes would leave a large part of the file's pages empty.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    sql: "CREATE TABLE packs(
            no INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            names BLOB NOT NULL,
            codec INTEGER NOT NULL,
            data BLOB NOT NULL
          ) STRICT;
          CREATE INDEX packs_by_run ON packs(run);
          CREATE TABLE pack_pieces(no INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
          CREATE TABLE packed(
            name BLOB NOT NULL,
            pack INTEGER NOT NULL,
            PRIMARY KEY(name, pack)
          ) STRICT, WITHOUT ROWID;
          CREATE TRIGGER packs_gone AFTER DELETE ON packs
          BEGIN
            DELETE FROM pack_pieces WHERE no BETWEEN OLD.no * 256 AND OLD.no * 256 + 255;
            DELETE FROM packed WHERE pack = OLD.no AND name IN (
              WITH RECURSIVE places(at) AS (
                SELECT 1 UNION ALL SELECT at + 6 FROM places WHERE at + 6 < length(OLD.names))
              SELECT substr(OLD.names, at, 6) FROM places);
          END;",
}];

/// Parameters: run id, names, codec, data.
pub(crate) const INSERT: Insert = Insert {
    head: "INSERT INTO packs(run, names, codec, data) SELECT runs.no, v.column2, v.column3, v.column4 FROM (VALUES",
    row: "(?, ?, ?, ?)",
    tail: ") AS v CROSS JOIN runs ON runs.id = v.column1;",
};

// Not `max(no)`: that walks through an index where there is one.
/// Parameters: how many packs came after its own, its place, data. Follows [`INSERT`].
pub(crate) const INSERT_PIECES: Insert = Insert {
    head: "INSERT INTO pack_pieces(no, data) SELECT (last.no - v.column1) * 256 + v.column2, v.column3 \
           FROM (SELECT (SELECT no FROM packs ORDER BY no DESC LIMIT 1) AS no) AS last CROSS JOIN (VALUES",
    row: "(?, ?, ?)",
    tail: ") AS v;",
};

/// Parameters: name, how many packs came after its own. Follows [`INSERT`].
pub(crate) const INSERT_NAMES: Insert = Insert {
    head: "INSERT INTO packed(name, pack) \
           SELECT v.column1, last.no - v.column2 FROM (SELECT (SELECT no FROM packs ORDER BY no DESC LIMIT 1) AS no) AS last CROSS JOIN (VALUES",
    row: "(?, ?)",
    tail: ") AS v WHERE true ON CONFLICT DO NOTHING;",
};

/// Makes the index of names of all packs.
pub(crate) const INDEX: &str = "INSERT INTO main.packed(name, pack) \
     WITH RECURSIVE places(no, names, at) AS (SELECT no, names, 1 FROM main.packs \
       UNION ALL SELECT no, names, at + 6 FROM places WHERE at + 6 < length(names)) \
     SELECT substr(names, at, 6), no FROM places WHERE true ON CONFLICT DO NOTHING";

/// Deletes what no pack is there for.
pub(crate) const DELETE_LOST_PIECES: &str =
    "DELETE FROM main.pack_pieces WHERE no / 256 NOT IN (SELECT no FROM main.packs)";

/// Parameters: name, a pack's number. The next pack after it that may hold a payload; columns of [`Pack::read`], run id. A payload
/// may lie in as many packs as there are runs: they are looked at one by one.
pub(crate) const HOLDING: &str = "SELECT k.no, k.names, k.codec, k.data, r.id FROM packed CROSS JOIN packs k ON k.no = packed.pack \
     JOIN runs r ON r.no = k.run WHERE packed.name = ? AND packed.pack > ? ORDER BY packed.pack LIMIT 1";

/// As [`HOLDING`], in packs of one run. Parameters: name, a pack's number, run id.
pub(crate) const HOLDING_OF_RUN: &str = "SELECT k.no, k.names, k.codec, k.data, r.id FROM runs r CROSS JOIN packs k ON k.run = r.no \
     CROSS JOIN packed ON packed.name = ? AND packed.pack = k.no WHERE k.no > ? AND r.id = ? ORDER BY k.no LIMIT 1";

/// Parameter: run id.
pub(crate) const OF_RUN: &str =
    "SELECT no, names, codec, data FROM packs WHERE run = (SELECT no FROM runs WHERE id = ?)";

/// Parameter: a pack's number, twice.
const PIECES: &str = "SELECT data FROM pack_pieces WHERE no BETWEEN ? * 256 AND ? * 256 + 255 ORDER BY no";

/// The beginning of a payload's digest.
pub(crate) fn name(hash: &BlobHash) -> &[u8] {
    &hash.as_bytes()[..NAME_BYTES]
}

/// Where a payload lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackPosition {
    /// The pack's number, or its place among those of its commit.
    pub(crate) pack: i64,
    /// Which of its payloads.
    pub(crate) part: i64,
}

/// A pack to be stored.
pub(crate) struct PackRow {
    pub(crate) names: Vec<u8>,
    pub(crate) data: EncodedBytes,
}

impl PackRow {
    /// What its own row has of its data.
    pub(crate) fn end(&self) -> &[u8] {
        self.data.data.chunks_exact(PIECE_BYTES).remainder()
    }

    /// What goes before, with the place of each piece.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (i64, &[u8])> {
        (0..).zip(self.data.data.chunks_exact(PIECE_BYTES))
    }
}

/// Packs the small ones of some payloads, each once; gives back where they are and what is too large.
pub(crate) fn split(blobs: Vec<Blob>) -> (Vec<PackRow>, HashMap<BlobHash, PackPosition>, Vec<Blob>) {
    let (mut packs, mut places, mut large) = (Vec::new(), HashMap::new(), Vec::new());
    let mut open: Vec<Blob> = Vec::new();
    let mut bytes = 0;
    for blob in blobs {
        let size = blob.bytes().len();
        if size > MAX_PACKED_BYTES {
            large.push(blob);
            continue;
        }
        if bytes + size.max(MIN_COUNTED_BYTES) > MAX_PACK_BYTES {
            packs.push(packed(&std::mem::take(&mut open)));
            bytes = 0;
        }
        let place = PackPosition { pack: packs.len() as i64, part: open.len() as i64 };
        if let Entry::Vacant(entry) = places.entry(blob.hash()) {
            entry.insert(place);
            bytes += size.max(MIN_COUNTED_BYTES);
            open.push(blob);
        }
    }
    if !open.is_empty() {
        packs.push(packed(&open));
    }
    (packs, places, large)
}

/// The lengths of all (LEB128), then their bytes.
fn packed(blobs: &[Blob]) -> PackRow {
    let mut names = Vec::with_capacity(blobs.len() * NAME_BYTES);
    let mut bytes = Vec::new();
    for blob in blobs {
        names.extend_from_slice(name(&blob.hash()));
        let mut length = blob.bytes().len();
        while length >= 0x80 {
            bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
    }
    for blob in blobs {
        bytes.extend_from_slice(blob.bytes());
    }
    PackRow { names, data: pack_thoroughly(bytes) }
}

/// A stored pack, unpacked.
pub(crate) struct Pack {
    names: Vec<u8>,
    bytes: Vec<u8>,
    parts: Vec<Range<usize>>,
}

impl Pack {
    /// Reads a pack whose number, `names`, `codec` and `data` begin at column `first`.
    pub(crate) async fn read(
        db: &mut SqliteConnection,
        row: &SqliteRow,
        first: usize,
    ) -> sqlx::Result<io::Result<Self>> {
        let number: i64 = row.try_get(first)?;
        let (names, codec, data): (&[u8], i64, &[u8]) =
            (row.try_get(first + 1)?, row.try_get(first + 2)?, row.try_get(first + 3)?);
        let pieces: Vec<Vec<u8>> = sqlx::query_scalar(PIECES).bind(number).bind(number).fetch_all(db).await?;
        let mut whole = pieces.concat();
        whole.extend_from_slice(data);
        Ok(Self::unpack(names, codec, &whole))
    }

    fn unpack(names: &[u8], codec: i64, data: &[u8]) -> io::Result<Self> {
        let bytes = Unpacker::new().unpack(codec, data, MAX_UNPACKED_BYTES)?.into_owned();
        let wrong = || io::Error::other("a pack's lengths do not fit its bytes");
        let mut lengths = bytes.iter();
        let mut parts = Vec::with_capacity(names.len() / NAME_BYTES);
        let mut end = 0_usize;
        for _ in names.chunks_exact(NAME_BYTES) {
            let (mut length, mut shift) = (0, 0);
            loop {
                let byte = lengths.next().filter(|_| shift < 28).ok_or_else(wrong)?;
                length |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            parts.push(end..end + length);
            end += length;
        }
        let begin = bytes.len() - lengths.len();
        for part in &mut parts {
            *part = part.start + begin..part.end + begin;
        }
        if end + begin != bytes.len() || !names.len().is_multiple_of(NAME_BYTES) {
            return Err(wrong());
        }
        Ok(Self { names: names.to_vec(), bytes, parts })
    }

    /// A payload by its place, with its digest; `None` where that is not the one under which it was stored.
    pub(crate) fn get(&self, part: usize) -> Option<(BlobHash, &[u8])> {
        let bytes = &self.bytes[self.parts.get(part)?.clone()];
        let hash = BlobHash::of(bytes);
        (self.names.chunks_exact(NAME_BYTES).nth(part) == Some(name(&hash))).then_some((hash, bytes))
    }

    /// A payload by its digest, with its place.
    pub(crate) fn find(&self, hash: &BlobHash) -> Option<(usize, &[u8])> {
        let named = self.names.chunks_exact(NAME_BYTES).enumerate().filter(|(_, each)| *each == name(hash));
        named
            .map(|(part, _)| part)
            .find_map(|part| Some((part, self.get(part).filter(|(of, _)| of == hash)?.1)))
    }

    /// How many payloads it has.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }
}
