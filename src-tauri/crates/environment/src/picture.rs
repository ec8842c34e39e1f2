//! Small pictures that stand beside agents and statuses, as a page can show them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// The largest picture, in bytes.
const MAX_PICTURE_BYTES: usize = 64 << 10;

/// A picture as a data URL; none for what is too large or no picture by its name.
pub fn data_url(name: &str, bytes: &[u8]) -> Option<String> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())?;
    let kind = match ending.as_str() {
        "svg" => "svg+xml",
        "png" => "png",
        "jpg" | "jpeg" => "jpeg",
        "webp" => "webp",
        _ => return None,
    };
    (bytes.len() <= MAX_PICTURE_BYTES)
        .then(|| format!("data:image/{kind};base64,{}", BASE64_STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pictures_are_shown_and_nothing_else() {
        assert_eq!(data_url("icon.svg", b"<svg/>").unwrap(), "data:image/svg+xml;base64,PHN2Zy8+");
        assert!(data_url("a.b.PNG", b"x").unwrap().starts_with("data:image/png;"));
        assert_eq!(data_url("icon.html", b"x"), None);
        assert_eq!(data_url("icon", b"x"), None);
        assert_eq!(data_url("icon.svg", &vec![0; MAX_PICTURE_BYTES + 1]), None);
    }
}
