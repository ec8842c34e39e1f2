//! `vectors.bin`: a header, the rows as little-endian f32, the CRC-32 of everything before.
//!
//! Header: magic, version (u32), dimensions (u32), rows (u32), length of the model's name (u32), the name.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::Vectors;
use crate::error::KnowledgeError;
use crate::generation::StoredVectors;

const MAGIC: &[u8; 8] = b"kb-vecs\0";
const VERSION: u32 = 1;
/// Longest name of a model, and most dimensions.
const NAME_BYTES: usize = 1_000;
pub(super) const DIMENSIONS: usize = 8_192;
/// Rows are read and written in pieces of so many numbers.
const PIECE: usize = 1 << 16;

/// Writes the vectors and says what the manifest records of them.
pub(crate) fn write(path: &Path, vectors: &Vectors) -> Result<StoredVectors, KnowledgeError> {
    let io = || KnowledgeError::io(path);
    let mut out = BufWriter::with_capacity(1 << 18, File::create(path).map_err(io())?);
    let (mut sha256, mut crc) = (Sha256::new(), crc32fast::Hasher::new());
    let mut header = MAGIC.to_vec();
    for number in [VERSION, vectors.dimensions as u32, vectors.len() as u32, vectors.model.len() as u32] {
        header.extend(number.to_le_bytes());
    }
    header.extend(vectors.model.as_bytes());
    let mut piece = header;
    let mut rows = vectors.rows.chunks(PIECE);
    loop {
        sha256.update(&piece);
        crc.update(&piece);
        out.write_all(&piece).map_err(io())?;
        piece.clear();
        let Some(next) = rows.next() else { break };
        next.iter().for_each(|value| piece.extend(value.to_le_bytes()));
    }
    let crc = crc.finalize().to_le_bytes();
    sha256.update(crc);
    out.write_all(&crc).and_then(|()| out.flush()).map_err(io())?;
    Ok(StoredVectors {
        model: vectors.model.clone(),
        dimensions: vectors.dimensions,
        digest: domain::Digest(sha256.finalize().into()),
    })
}

/// Reads what [`write`] wrote for `count` paragraphs. The inner error says what is wrong with the file.
pub(crate) fn read(path: &Path, count: usize) -> std::io::Result<Result<Vectors, &'static str>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut from = BufReader::with_capacity(1 << 18, file);
    let mut crc = crc32fast::Hasher::new();
    let mut head = [0; 24];
    let mut take = |from: &mut BufReader<File>, into: &mut [u8]| match from.read_exact(into) {
        Ok(()) => {
            crc.update(into);
            Ok(true)
        }
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    };
    if !take(&mut from, &mut head)? {
        return Ok(Err("it is cut short"));
    }
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize;
    let (version, dimensions, rows, name) = (number(8), number(12), number(16), number(20));
    if &head[..8] != MAGIC || version != VERSION as usize {
        return Ok(Err("it does not begin as such a file does"));
    }
    if rows != count || dimensions == 0 || dimensions > DIMENSIONS || name > NAME_BYTES {
        return Ok(Err("its header does not fit the base"));
    }
    let numbers = rows * dimensions;
    if length != (24 + name + numbers * 4 + 4) as u64 {
        return Ok(Err("it is not as long as its header says"));
    }
    let mut model = vec![0; name];
    let mut rows = Vec::with_capacity(numbers);
    let mut piece = vec![0; PIECE * 4];
    if !take(&mut from, &mut model)? {
        return Ok(Err("it is cut short"));
    }
    while rows.len() < numbers {
        let bytes = &mut piece[..(numbers - rows.len()).min(PIECE) * 4];
        if !take(&mut from, bytes)? {
            return Ok(Err("it is cut short"));
        }
        rows.extend(bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)));
    }
    let mut stored = [0; 4];
    from.read_exact(&mut stored)?;
    if u32::from_le_bytes(stored) != crc.finalize() {
        return Ok(Err("it is not as written"));
    }
    match String::from_utf8(model) {
        Ok(model) if rows.iter().all(|value: &f32| value.is_finite()) => {
            Ok(Ok(Vectors { model, dimensions, rows }))
        }
        _ => Ok(Err("it holds what is no vector")),
    }
}
