//! Texts and figures for people: cut at a character's edge, sizes, counts.

/// At most `most` bytes of a text, at a character's edge.
pub fn capped(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A number of bytes for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// `1 line`, `2 lines`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match noun {
        "match" => "matches",
        "entry" => "entries",
        _ => "",
    };
    match (number, plural) {
        (1, _) => format!("1 {noun}"),
        (_, "") => format!("{number} {noun}s"),
        _ => format!("{number} {plural}"),
    }
}
