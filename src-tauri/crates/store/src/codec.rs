//! How payload bytes lie in a column: as they are, or as a zstd frame (RFC 8878) when that is smaller.
//!
//! Most payloads are small and much alike: events, answers, requests. These are compressed with a dictionary that the program
//! brings along: 64 KiB, trained by zstd on logs and payloads of this repository's tests, its texts and its code.
//! It holds nothing of any person's, and its number is part of the codec: a dictionary never changes, a better one gets a
//! codec of its own.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io;
use std::sync::LazyLock;
use std::thread::LocalKey;

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::CParameter;

/// Column value for bytes stored as they are.
pub(crate) const RAW: i64 = 0;
/// Column value for one zstd frame.
pub(crate) const ZSTD: i64 = 1;
/// Column value for one zstd frame with [`DICTIONARY`].
const ZSTD_DICTIONARY: i64 = 2;

static DICTIONARY: &[u8] = include_bytes!("dictionaries/1.zdict");
// Level 3, as matches in the dictionary are found as fast, and more of them.
static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, 3));
// Level 6 makes packs of texts 8 % smaller in two to three times the time; events gain nothing by it.
static THOROUGH_ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, THOROUGH_LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> = LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

// Below these a frame's header eats what compression saves.
const MIN_COMPRESSED: usize = 128;
const MIN_WITH_DICTIONARY: usize = 32;
/// From here on a payload has more to repeat of its own than of a dictionary.
const MAX_WITH_DICTIONARY: usize = 32 << 10;
// Level 1 is within some percent of level 3 on JSON and twice as fast on bytes that do not compress.
const LEVEL: i32 = 1;
const THOROUGH_LEVEL: i32 = 6;

/// Of how many texts one is compressed in both ways.
const TRIED: u32 = 16;

/// Bytes ready for a column, with the codec that reads them back.
pub(crate) struct EncodedBytes {
    pub(crate) codec: i64,
    pub(crate) data: Vec<u8>,
}

/// Packs `bytes` in the way that makes them smallest.
pub(crate) fn pack(bytes: Vec<u8>) -> EncodedBytes {
    pack_with(bytes, [&PLAIN, &PRIMED])
}

/// Takes more time for that.
pub(crate) fn pack_thoroughly(bytes: Vec<u8>) -> EncodedBytes {
    pack_with(bytes, [&THOROUGH_PLAIN, &THOROUGH_PRIMED])
}

fn pack_with(bytes: Vec<u8>, [plain_way, primed_way]: [&'static ThreadCompressor; 2]) -> EncodedBytes {
    // What looks like JSON is what the dictionary is for. Of other texts it depends on their language and kind: both ways are
    // tried at times, and the one that was better then is taken.
    let primed = (MIN_WITH_DICTIONARY..=MAX_WITH_DICTIONARY).contains(&bytes.len());
    let plain = bytes.len() >= MIN_COMPRESSED;
    let try_both = primed && plain && TEXTS.get().is_multiple_of(TRIED);
    let (primed, plain) = match bytes.first() {
        Some(b'{' | b'[') => (primed, plain && !primed),
        _ if !(primed && plain) => (primed, plain),
        _ => {
            TEXTS.set(TEXTS.get().wrapping_add(1));
            (try_both || BETTER.get(), try_both || !BETTER.get())
        }
    };
    // A compressor that fails is no reason to fail the commit: the bytes can be stored as they are.
    let primed = primed.then(|| primed_way.compress(&bytes)).and_then(Result::ok);
    let plain = plain.then(|| plain_way.compress(&bytes)).and_then(Result::ok);
    if let (Some(primed), Some(plain)) = (&primed, &plain) {
        BETTER.set(primed.len() < plain.len());
    }
    let raw = EncodedBytes { codec: RAW, data: bytes };
    [
        plain.map(|data| EncodedBytes { codec: ZSTD, data }),
        primed.map(|data| EncodedBytes { codec: ZSTD_DICTIONARY, data }),
    ]
    .into_iter()
    .flatten()
    .fold(raw, |best, next| if next.data.len() < best.data.len() { next } else { best })
}

/// A way of compressing, with what it keeps from one time to the next on each thread.
struct ThreadCompressor {
    slot: &'static LocalKey<RefCell<Option<Compressor<'static>>>>,
    new: fn() -> io::Result<Compressor<'static>>,
}

static PLAIN: ThreadCompressor = ThreadCompressor { slot: &PLAIN_SLOT, new: || Compressor::new(LEVEL) };
static PRIMED: ThreadCompressor = ThreadCompressor { slot: &PRIMED_SLOT, new: || with_dictionary(&ENCODER) };
static THOROUGH_PLAIN: ThreadCompressor =
    ThreadCompressor { slot: &THOROUGH_PLAIN_SLOT, new: || Compressor::new(THOROUGH_LEVEL) };
static THOROUGH_PRIMED: ThreadCompressor =
    ThreadCompressor { slot: &THOROUGH_PRIMED_SLOT, new: || with_dictionary(&THOROUGH_ENCODER) };

thread_local! {
    // Setting one up costs more than compressing an event.
    static PLAIN_SLOT: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static PRIMED_SLOT: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static THOROUGH_PLAIN_SLOT: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static THOROUGH_PRIMED_SLOT: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    /// Texts that could be compressed in both ways, and whether the dictionary was better for the last one that was.
    static TEXTS: Cell<u32> = const { Cell::new(0) };
    static BETTER: Cell<bool> = const { Cell::new(false) };
}

fn with_dictionary(dictionary: &'static EncoderDictionary<'static>) -> io::Result<Compressor<'static>> {
    let mut zstd = Compressor::with_prepared_dictionary(dictionary)?;
    // The codec says which dictionary it is.
    zstd.set_parameter(CParameter::DictIdFlag(false))?;
    Ok(zstd)
}

impl ThreadCompressor {
    fn compress(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.slot.with_borrow_mut(|slot| {
            let zstd = match slot {
                Some(zstd) => zstd,
                empty => empty.insert((self.new)()?),
            };
            zstd.compress(bytes)
        })
    }
}

/// Reads columns back; keeps its decompression state from row to row.
pub(crate) struct Unpacker {
    plain: Option<Decompressor<'static>>,
    primed: Option<Decompressor<'static>>,
}

impl Unpacker {
    pub(crate) const fn new() -> Self {
        Self { plain: None, primed: None }
    }

    /// The bytes that went into [`pack`]; refuses more than `cap` bytes whatever the frame claims.
    pub(crate) fn unpack<'d>(&mut self, codec: i64, data: &'d [u8], cap: usize) -> io::Result<Cow<'d, [u8]>> {
        let zstd = match codec {
            RAW if data.len() <= cap => return Ok(Cow::Borrowed(data)),
            RAW => {
                let detail = format!("{} bytes where at most {cap} were expected", data.len());
                return Err(io::Error::other(detail));
            }
            ZSTD => match &mut self.plain {
                Some(zstd) => zstd,
                empty => empty.insert(Decompressor::new()?),
            },
            ZSTD_DICTIONARY => match &mut self.primed {
                Some(zstd) => zstd,
                empty => empty.insert(Decompressor::with_prepared_dictionary(&DECODER)?),
            },
            other => return Err(io::Error::other(format!("unknown codec {other}"))),
        };
        zstd.decompress(data, cap).map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shrinks_and_noise_stays_as_it_is() {
        let text = "the same words again and again. ".repeat(50).into_bytes();
        let noise: Vec<u8> = (0..64_u8).flat_map(|n| *crate::BlobHash::of(&[n]).as_bytes()).collect();
        let event =
            br#"[[7,1750000000000,1,0,{"event":"model_requested","call":1,"try":1,"purpose":"step"}]]"#
                .to_vec();
        for (bytes, codec) in [
            (text.repeat(100), ZSTD),
            (event, ZSTD_DICTIONARY),
            (noise, RAW),
            (Vec::new(), RAW),
            (b"short".to_vec(), RAW),
        ] {
            let packed = pack(bytes.clone());
            assert_eq!(packed.codec, codec);
            for packed in [packed, pack_thoroughly(bytes.clone())] {
                let back = Unpacker::new().unpack(packed.codec, &packed.data, bytes.len()).expect("unpacks");
                assert_eq!(back, bytes);
            }
        }
    }

    #[test]
    fn the_dictionary_is_the_one_that_stored_payloads_were_made_with() {
        let digest = crate::BlobHash::of(DICTIONARY).to_string();
        assert_eq!(digest, "8d02abc124fa4cc25f4efc3dcb3f5b3d1702e7254cb09d86802de389f2d45f02");
        let frame = pack(br#"{"text":"What does the auditor have to do about going concern?"}"#.to_vec());
        assert_eq!(frame.codec, ZSTD_DICTIONARY);
        assert!(Unpacker::new().unpack(ZSTD, &frame.data, 100).is_err(), "not without it");
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
