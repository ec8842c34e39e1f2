//! Pictures and documents that models read, told by their bytes and never by the name or label that came with them.

/// The most pixels on a side of a picture that providers take.
const MAX_SIDE_PIXELS: u32 = 8_000;
/// How far into a file the beginning of a drawing is looked for, in bytes.
const DRAWING_HEAD_BYTES: usize = 1_024;

/// A kind of picture or document that models read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named by the words themselves
pub enum MediaKind {
    Png,
    Jpeg,
    Gif,
    Webp,
    Pdf,
}

/// Why a file is not shown to a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MediaFault {
    /// There is nothing in the file.
    #[error("is empty")]
    Empty,
    /// A drawing in SVG.
    #[error("is a drawing (SVG), which models do not read as a picture")]
    Drawing,
    /// Another kind than [`MediaKind`] has.
    #[error("is of a kind that models do not read")]
    Unknown,
    /// The file breaks off, or contradicts itself.
    #[error("is damaged: {0}")]
    Damaged(&'static str),
    /// More pixels than providers take.
    #[error("is {width} x {height} pixels large; models read at most {MAX_SIDE_PIXELS} on a side")]
    TooManyPixels {
        /// Pixels in a row.
        width: u32,
        /// Rows of pixels.
        height: u32,
    },
}

const CUT: MediaFault = MediaFault::Damaged("it breaks off before its end");
const NO_SIZE: MediaFault = MediaFault::Damaged("it has no size");

impl MediaKind {
    /// The kind that the first bytes tell.
    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'%', b'P', b'D', b'F', b'-', ..] => Some(Self::Pdf),
            _ => None,
        }
    }

    /// The kind of a whole file that a model can be shown.
    ///
    /// # Errors
    /// Why it can't: begins with a verb, as in "x.png is damaged: ...".
    pub fn parse(bytes: &[u8]) -> Result<Self, MediaFault> {
        let Some(kind) = Self::detect(bytes) else {
            return Err(match bytes {
                [] => MediaFault::Empty,
                _ if is_drawing(bytes) => MediaFault::Drawing,
                _ => MediaFault::Unknown,
            });
        };
        let size = match kind {
            Self::Png => png(bytes),
            Self::Jpeg => jpeg(bytes),
            Self::Gif => gif(bytes),
            Self::Webp => webp(bytes),
            Self::Pdf => return if ends_as_pdf(bytes) { Ok(kind) } else { Err(CUT) },
        };
        match size? {
            (0, _) | (_, 0) => Err(NO_SIZE),
            (width, height) if width.max(height) > MAX_SIDE_PIXELS => {
                Err(MediaFault::TooManyPixels { width, height })
            }
            _ => Ok(kind),
        }
    }

    /// The media type: `image/png`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
        }
    }

    /// How the names of such files end, without the dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Webp => "webp",
            Self::Pdf => "pdf",
        }
    }

    /// Whether it is a picture, not a document.
    pub const fn is_picture(self) -> bool {
        match self {
            Self::Png | Self::Jpeg | Self::Gif | Self::Webp => true,
            Self::Pdf => false,
        }
    }
}

fn is_drawing(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DRAWING_HEAD_BYTES)]);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with("<svg") || (head.starts_with('<') && head.contains("<svg"))
}

/// Width and height in pixels.
type Size = Result<(u32, u32), MediaFault>;

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = bytes.get(at..at.checked_add(length)?)?;
    Some(digits.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn number_le(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = bytes.get(at..at.checked_add(length)?)?;
    Some(digits.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Chunks of a length, a name, data and a checksum, from `IHDR` to `IEND`.
fn png(bytes: &[u8]) -> Size {
    match (bytes.get(4..8), bytes.get(12..16)) {
        (Some(b"\r\n\x1a\n"), Some(b"IHDR")) => {}
        // Whatever takes it for text changes the ends of lines.
        (Some(_), Some(_)) => return Err(MediaFault::Damaged("its beginning was changed")),
        _ => return Err(CUT),
    }
    let size = number(bytes, 16, 4).zip(number(bytes, 20, 4)).ok_or(CUT)?;
    let (mut at, mut pictured) = (8_usize, false);
    loop {
        let length = number(bytes, at, 4).ok_or(CUT)? as usize;
        let name = bytes.get(at + 4..at + 8).ok_or(CUT)?;
        let end = at.checked_add(12).and_then(|at| at.checked_add(length)).ok_or(CUT)?;
        if end > bytes.len() {
            return Err(CUT);
        }
        match name {
            b"IDAT" => pictured = true,
            b"IEND" if pictured => return Ok(size),
            b"IEND" => return Err(MediaFault::Damaged("it holds no picture")),
            _ => {}
        }
        at = end;
    }
}

/// Segments up to the picture's data, which ends with a mark.
fn jpeg(bytes: &[u8]) -> Size {
    let (mut at, mut size) = (2_usize, None);
    loop {
        let marker = bytes.get(at..at + 2).ok_or(CUT)?;
        match marker {
            // Fill bytes may stand before a marker.
            [0xff, 0xff] => at += 1,
            [0xff, 0xd9] => return Err(MediaFault::Damaged("it holds no picture")),
            [0xff, 0x01 | 0xd0..=0xd7] => at += 2,
            [0xff, name] => {
                let length = number(bytes, at + 2, 2).ok_or(CUT)? as usize;
                if matches!(name, 0xc0..=0xcf) && !matches!(name, 0xc4 | 0xc8 | 0xcc) {
                    size = number(bytes, at + 7, 2).zip(number(bytes, at + 5, 2));
                }
                at += 2 + length;
                if *name == 0xda {
                    break;
                }
            }
            _ => return Err(MediaFault::Damaged("its segments do not follow each other")),
        }
    }
    let data = bytes.get(at..).ok_or(CUT)?;
    if !data.windows(2).any(|pair| pair == [0xff, 0xd9]) {
        return Err(CUT);
    }
    size.ok_or(NO_SIZE)
}

/// A screen, then blocks up to the trailer.
fn gif(bytes: &[u8]) -> Size {
    let size = number_le(bytes, 6, 2).zip(number_le(bytes, 8, 2)).ok_or(CUT)?;
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10).ok_or(CUT)?);
    let mut pictured = false;
    loop {
        match bytes.get(at).ok_or(CUT)? {
            0x21 => at += 2,
            0x2c => {
                at += 11 + table(*bytes.get(at + 9).ok_or(CUT)?);
                pictured = true;
            }
            0x3b if pictured => return Ok(size),
            0x3b => return Err(MediaFault::Damaged("it holds no picture")),
            _ => return Err(MediaFault::Damaged("its blocks do not follow each other")),
        }
        // Pieces of data, each with its length, up to an empty one.
        loop {
            let length = usize::from(*bytes.get(at).ok_or(CUT)?);
            at += 1 + length;
            if length == 0 {
                break;
            }
        }
    }
}

/// A container that says how long it is.
fn webp(bytes: &[u8]) -> Size {
    let length = number_le(bytes, 4, 4).ok_or(CUT)? as usize;
    if bytes.len() < length.saturating_add(8) {
        return Err(CUT);
    }
    let size = match bytes.get(12..16) {
        Some(b"VP8 ") => number_le(bytes, 26, 2)
            .zip(number_le(bytes, 28, 2))
            .map(|(width, height)| (width & 0x3fff, height & 0x3fff)),
        Some(b"VP8L") => number_le(bytes, 21, 4).map(|bits| ((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)),
        Some(b"VP8X") => number_le(bytes, 24, 3)
            .zip(number_le(bytes, 27, 3))
            .map(|(width, height)| (width + 1, height + 1)),
        _ => return Err(MediaFault::Damaged("it holds no picture")),
    };
    size.ok_or(CUT)
}

/// Whether the mark of the end stands near it: programs append a little.
fn ends_as_pdf(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(4_096)..];
    let has = |mark: &[u8]| tail.windows(mark.len()).any(|window| window == mark);
    has(b"%%EOF") || has(b"startxref")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// A PNG with one chunk of data; nobody checks its checksums.
    fn a_png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut chunk = |name: &[u8], data: &[u8]| {
            bytes.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
            bytes.extend(name);
            bytes.extend(data);
            bytes.extend([0; 4]);
        };
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
        chunk(b"IHDR", &header);
        chunk(b"IDAT", b"data");
        chunk(b"IEND", b"");
        bytes
    }

    const GIF: &[u8] =
        b"GIF89a\x01\x00\x01\x00\x80\x00\x00\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

    fn a_jpeg() -> Vec<u8> {
        let frame = [0xff, 0xc0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0];
        let scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34, 0xff, 0xd9];
        [&[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2][..], &frame, &scan].concat()
    }

    fn a_webp() -> Vec<u8> {
        let mut bytes = b"RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0".to_vec();
        bytes.extend([0, 0, 0, 0x9d, 1, 0x2a, 5, 0, 7, 0]);
        bytes
    }

    #[test]
    fn a_whole_file_is_told_by_its_bytes_and_a_cut_one_is_damaged_wherever_it_was_cut() {
        let pdf = b"%PDF-1.7\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\n".to_vec();
        for (kind, bytes) in [
            (MediaKind::Png, a_png(3, 2)),
            (MediaKind::Gif, GIF.to_vec()),
            (MediaKind::Jpeg, a_jpeg()),
            (MediaKind::Webp, a_webp()),
        ] {
            assert_eq!(MediaKind::parse(&bytes), Ok(kind));
            for cut in 12..bytes.len() - 1 {
                let fault = MediaKind::parse(&bytes[..cut]).unwrap_err();
                assert!(matches!(fault, MediaFault::Damaged(_)), "{kind:?} cut at {cut}: {fault}");
            }
        }
        assert_eq!(MediaKind::parse(&pdf), Ok(MediaKind::Pdf));
        assert_eq!(MediaKind::parse(&pdf[..20]), Err(CUT));
    }

    #[test]
    fn what_models_do_not_read_is_told_apart() {
        assert_eq!(MediaKind::parse(b""), Err(MediaFault::Empty));
        assert_eq!(MediaKind::parse(b"BM......"), Err(MediaFault::Unknown));
        for drawing in ["<svg xmlns='x'/>", "\u{feff}<?xml version='1.0'?>\n<!-- a --><svg/>"] {
            assert_eq!(MediaKind::parse(drawing.as_bytes()), Err(MediaFault::Drawing), "{drawing}");
        }
        assert_eq!(MediaKind::parse(&a_png(0, 2)), Err(NO_SIZE));
        let large = MediaKind::parse(&a_png(9_000, 2)).unwrap_err();
        assert_eq!(large, MediaFault::TooManyPixels { width: 9_000, height: 2 });
    }
}
