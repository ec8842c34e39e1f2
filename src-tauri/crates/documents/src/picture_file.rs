//! A picture as a file: a page of its own, so that everything that reads and draws pages does so with it.

use std::io::Cursor;

use hayro::vello_cpu::Pixmap;

use crate::ReadError;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff";
/// Points of a pixel: as of a scan with 150 to the inch, but on no larger page than a sheet of A4.
const POINTS: f32 = 0.48;
const MAX_PAGE_POINTS: f32 = 842.0;

/// Whether these first bytes are of a picture that can be read.
pub(crate) fn is_picture(head: &[u8]) -> bool {
    head.starts_with(PNG) || head.starts_with(JPEG)
}

/// The bytes of a PDF file whose one page is the picture.
pub(crate) fn page(bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    if bytes.starts_with(PNG) {
        let pixels =
            Pixmap::from_png(Cursor::new(bytes)).map_err(|error| malformed("PNG", error.to_string()))?;
        let (width, height) = (u32::from(pixels.width()), u32::from(pixels.height()));
        // What is clear is seen as paper.
        let over = |part: u8, alpha: u8| part.saturating_add(u8::MAX - alpha);
        let colours = pixels.data().iter().flat_map(|p| [over(p.r, p.a), over(p.g, p.a), over(p.b, p.a)]);
        return Ok(paper(width, height, "/ColorSpace/DeviceRGB", &colours.collect::<Vec<u8>>()));
    }
    let (width, height, parts) = jpeg(bytes).ok_or_else(|| malformed("JPEG", "no size in it".into()))?;
    let space = match parts {
        1 => "DeviceGray",
        3 => "DeviceRGB",
        // Programs that write four parts write them inverted.
        4 => "DeviceCMYK/Decode[1 0 1 0 1 0 1 0]",
        _ => return Err(malformed("JPEG", format!("{parts} parts of a colour"))),
    };
    Ok(paper(width, height, &format!("/Filter/DCTDecode/ColorSpace/{space}"), bytes))
}

fn malformed(format: &'static str, what: String) -> ReadError {
    ReadError::Malformed { format, what }
}

/// Width, height and number of colours of a JPEG, by its first frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32, u8)> {
    let mut at = 2;
    loop {
        let [0xff, marker] = *bytes.get(at..at + 2)? else { return None };
        match marker {
            0xff => at += 1,
            0x01 | 0xd0..=0xd9 => at += 2,
            // Frames; what lies between them are tables.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let [_, _, _, a, b, c, d, parts] = *bytes.get(at + 2..at + 10)? else { return None };
                let side = |high, low| u32::from(u16::from_be_bytes([high, low]));
                let (height, width) = (side(a, b), side(c, d));
                return (width > 0 && height > 0).then_some((width, height, parts));
            }
            _ => {
                let [high, low] = *bytes.get(at + 2..at + 4)? else { return None };
                at += 2 + usize::from(u16::from_be_bytes([high, low])).max(2);
            }
        }
    }
}

fn paper(width: u32, height: u32, entries: &str, data: &[u8]) -> Vec<u8> {
    let points = POINTS.min(MAX_PAGE_POINTS / width.max(height) as f32);
    let (across, down) = (width as f32 * points, height as f32 * points);
    let content = format!("{across} 0 0 {down} 0 0 cm /Im Do");
    let image = format!(
        "<</Type/XObject/Subtype/Image/Width {width}/Height {height}/BitsPerComponent 8{entries}/Length {}>>\nstream\n",
        data.len()
    );
    let objects: [Vec<u8>; 5] = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>".to_vec(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {across} {down}]/Contents 4 0 R/Resources<</XObject<</Im 5 0 R>>>>>>"
        )
        .into_bytes(),
        format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()).into_bytes(),
        [image.as_bytes(), data, b"\nendstream"].concat(),
    ];
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut table = String::from("xref\n0 6\n0000000000 65535 f \n");
    for (number, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.extend_from_slice(format!("{} 0 obj\n", number + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let start = out.len();
    out.extend_from_slice(
        format!("{table}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").as_bytes(),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_size_of_a_jpeg_is_that_of_its_first_frame() {
        let comment = [0xff, 0xfe, 0, 4, 0xff, 0xc0];
        let frame = [0xff, 0xc2, 0, 11, 8, 0, 100, 1, 44, 3, 1, 0x11, 0];
        let bytes = [&[0xff, 0xd8][..], &comment, &[0xff], &frame].concat();
        assert_eq!(jpeg(&bytes), Some((300, 100, 3)));
        assert_eq!(jpeg(&bytes[..14]), None, "cut short");
        assert_eq!(jpeg(b"\xff\xd8\xff\xe0\0\0"), None);
        assert!(matches!(page(b"\xff\xd8\xff\xd9"), Err(ReadError::Malformed { format: "JPEG", .. })));
    }

    #[test]
    fn a_picture_is_a_page_that_can_be_drawn() {
        let pixels = Pixmap::new(40, 20);
        let png = pixels.into_png().unwrap();
        assert!(is_picture(&png));
        let pdf = page(&png).unwrap();
        let limits = crate::Limits::default();
        let read =
            crate::read_bytes(&pdf, crate::Format::Pdf, &limits, &std::sync::atomic::AtomicBool::new(false));
        assert_eq!(read, Err(ReadError::Scanned { pages: 1 }));
    }
}
