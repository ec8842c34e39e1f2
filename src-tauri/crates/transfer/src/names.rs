//! Names that come from outside.

/// The longest name of an entry, in bytes, and the most folders above it.
const MAX_NAME_BYTES: usize = 300;
const MAX_DEPTH: usize = 12;
/// The longest part of a name, in bytes.
const MAX_PART_BYTES: usize = 200;

/// Names that Windows gives to devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Why a name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// It is empty, or too long.
    #[error("its name is empty or too long")]
    Length,
    /// It leads out of its folder, or begins at the root.
    #[error("its name leads out of its folder")]
    Leads,
    /// It has characters or words that a file system gives a meaning of their own.
    #[error("its name holds characters that are not allowed in one")]
    Characters,
}

/// Checks a relative path with `/` between its parts. What passes is a file below the folder it is joined to, on every
/// system.
///
/// # Errors
/// Why it is refused.
pub fn check_name(name: &str) -> Result<(), NameFault> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return Err(NameFault::Length);
    }
    if name.starts_with('/') || name.contains('\\') {
        return Err(NameFault::Leads);
    }
    let parts: Vec<&str> = name.split('/').collect();
    if parts.len() > MAX_DEPTH {
        return Err(NameFault::Length);
    }
    for part in parts {
        if part == ".." || part == "." || part.is_empty() {
            return Err(NameFault::Leads);
        }
        if part.len() > MAX_PART_BYTES {
            return Err(NameFault::Length);
        }
        let odd =
            |c: char| c.is_control() || matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|') || is_hidden(c);
        if part.chars().any(odd) || part.ends_with(['.', ' ']) || part.starts_with(' ') || is_device(part) {
            return Err(NameFault::Characters);
        }
    }
    Ok(())
}

/// Characters that turn or hide what stands beside them.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"))
        .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()));
    numbered || DEVICES.contains(&stem.as_str())
}

/// Whether a text can be the id of a session, a run, a status or the like: letters, digits, `-` and `_`.
pub fn is_id(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && !text.starts_with('-')
        && !is_device(text)
}

/// A file's name made of any text: what is not allowed becomes `_`.
pub fn plain_name(text: &str) -> String {
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut out: String = last
        .chars()
        .map(|c| {
            let odd = c.is_control()
                || matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|' | '/' | '\\')
                || is_hidden(c);
            if odd { '_' } else { c }
        })
        .collect();
    out.truncate(out.floor_char_boundary(120));
    let trimmed = out.trim_matches([' ', '.']).to_owned();
    if trimmed.is_empty() || is_device(&trimmed) { format!("file_{trimmed}") } else { trimmed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_their_folder_on_any_system_are_refused() {
        for name in [
            "../x",
            "a/../x",
            "/x",
            "a//x",
            "a/./x",
            "..\\x",
            "C:\\x",
            "c:x",
            "a\0b",
            "con",
            "NUL.txt",
            "com1.log",
            "x.",
            "x ",
            "",
            "a\u{202E}b",
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        for name in ["x", "a/b.txt", "Bericht Ü.pdf", "…", ".hidden"] {
            assert!(check_name(name).is_ok(), "{name:?}");
        }
        assert!(check_name(&"a/".repeat(20)).is_err());
    }

    #[test]
    fn any_text_becomes_a_name_that_passes() {
        for text in ["", "..", "../../etc/passwd", "C:\\x\\y.txt", "a\nb", "con", " x. ", &"ü".repeat(400)] {
            let name = plain_name(text);
            assert!(check_name(&name).is_ok() && !name.contains('/'), "{text:?} -> {name:?}");
        }
    }
}
