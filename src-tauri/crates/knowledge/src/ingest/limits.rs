//! Bounds on what an ingest takes in. Everything beyond is reported, never half-read.

/// Longest line of a source, in bytes.
pub const LINE_BYTES: usize = 4 << 20;
/// Longest paragraph, in bytes; a longer one is split.
pub const PARAGRAPH_BYTES: usize = 64 << 10;
/// Most bytes of one source file, decompressed.
pub const FILE_BYTES: u64 = 1 << 30;
/// Most bytes of text in one base.
pub const BASE_BYTES: u64 = 1 << 30;
/// Most paragraphs in one base, parts included.
pub const BASE_PARAGRAPHS: u64 = 1_000_000;
/// Most problems reported for one file; the rest are counted.
pub const FILE_PROBLEMS: usize = 50;
/// Longest id, in bytes.
pub const ID_BYTES: usize = 200;
/// Most files taken from one folder.
pub const FILES: usize = 10_000;
