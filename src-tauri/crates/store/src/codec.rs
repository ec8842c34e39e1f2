//! How payload bytes lie in a column: as they are, or zstd when that is smaller.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;

/// Column value for bytes stored as they are.
pub(crate) const RAW: i64 = 0;
/// Column value for one zstd frame (RFC 8878).
pub(crate) const ZSTD: i64 = 1;

// Below this a frame header eats what compression saves.
const MIN_COMPRESSED: usize = 128;
// Level 1 is within some percent of level 3 on JSON and twice as fast on bytes that do not compress.
const LEVEL: i32 = 1;

/// Bytes ready for a column, with the codec that reads them back.
pub(crate) struct Packed {
    pub(crate) codec: i64,
    pub(crate) data: Vec<u8>,
}

/// Packs `bytes`, compressed only if that makes them smaller.
pub(crate) fn pack(bytes: Vec<u8>) -> Packed {
    if bytes.len() >= MIN_COMPRESSED {
        // A compressor that fails is no reason to fail the commit: the bytes can be stored as they are.
        if let Ok(data) = compress(&bytes)
            && data.len() < bytes.len()
        {
            return Packed { codec: ZSTD, data };
        }
    }
    Packed { codec: RAW, data: bytes }
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    thread_local! {
        // Setting one up costs more than compressing an event.
        static ZSTD: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    }
    ZSTD.with_borrow_mut(|slot| {
        let zstd = match slot {
            Some(zstd) => zstd,
            empty => empty.insert(zstd::bulk::Compressor::new(LEVEL)?),
        };
        zstd.compress(bytes)
    })
}

/// Reads columns back; keeps its decompression state from row to row.
pub(crate) struct Unpacker {
    zstd: Option<zstd::bulk::Decompressor<'static>>,
}

impl Unpacker {
    pub(crate) const fn new() -> Self {
        Self { zstd: None }
    }

    /// The bytes that went into [`pack`]; refuses more than `cap` bytes whatever the frame claims.
    pub(crate) fn unpack<'d>(&mut self, codec: i64, data: &'d [u8], cap: usize) -> io::Result<Cow<'d, [u8]>> {
        match codec {
            RAW if data.len() <= cap => Ok(Cow::Borrowed(data)),
            RAW => Err(io::Error::other(format!("{} bytes where at most {cap} were expected", data.len()))),
            ZSTD => {
                let zstd = match &mut self.zstd {
                    Some(zstd) => zstd,
                    empty => empty.insert(zstd::bulk::Decompressor::new()?),
                };
                zstd.decompress(data, cap).map(Cow::Owned)
            }
            other => Err(io::Error::other(format!("unknown codec {other}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shrinks_and_noise_stays_as_it_is() {
        let text = "the same words again and again. ".repeat(50).into_bytes();
        let noise: Vec<u8> = (0..64_u8).flat_map(|n| *crate::BlobHash::of(&[n]).as_bytes()).collect();
        for (bytes, codec) in [(text, ZSTD), (noise, RAW), (Vec::new(), RAW), (b"short".to_vec(), RAW)] {
            let packed = pack(bytes.clone());
            assert_eq!(packed.codec, codec);
            let back = Unpacker::new().unpack(packed.codec, &packed.data, bytes.len()).expect("unpacks");
            assert_eq!(back, bytes);
        }
    }

    #[test]
    fn a_frame_that_claims_more_than_the_cap_is_refused() {
        let packed = pack(vec![0; 100_000]);
        assert_eq!(packed.codec, ZSTD);
        assert!(Unpacker::new().unpack(ZSTD, &packed.data, 99_999).is_err());
        assert!(Unpacker::new().unpack(ZSTD, &packed.data[..packed.data.len() - 1], 100_000).is_err());
        assert!(Unpacker::new().unpack(RAW, b"four", 3).is_err());
        assert!(Unpacker::new().unpack(7, b"four", 9).is_err());
    }
}
