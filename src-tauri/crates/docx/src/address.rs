//! Addresses that links may lead to.

/// The longest address of a link, in bytes; Word reads little more.
const MAX_ADDRESS_BYTES: usize = 2_000;

/// An address of the web or of mail, written so that a relationship can hold it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WebAddress(String);

impl WebAddress {
    /// Takes `http`, `https` and `mailto`, and nothing else: a document must not start programs or read files.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (scheme, rest) = text.split_once(':')?;
        let scheme = scheme.to_ascii_lowercase();
        let written = match scheme.as_str() {
            "http" | "https" => {
                let rest = rest.strip_prefix("//")?;
                let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
                let (host, path) = rest.split_at(end);
                if !is_host(host) {
                    return None;
                }
                format!("{scheme}://{host}{}", encoded(path))
            }
            "mailto" => {
                let (user, host) = rest.split_once('@')?;
                if user.is_empty() || host.is_empty() || user.contains('/') {
                    return None;
                }
                format!("mailto:{}", encoded(rest))
            }
            _ => return None,
        };
        (written.len() <= MAX_ADDRESS_BYTES).then_some(Self(written))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name or a number with an optional port. A user before it is refused: it makes one host look like another.
fn is_host(host: &str) -> bool {
    if let Some(inside) = host.strip_prefix('[') {
        let Some((number, port)) = inside.split_once(']') else { return false };
        let is_number =
            !number.is_empty() && number.chars().all(|c| c.is_ascii_hexdigit() || ":.".contains(c));
        return is_number && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
    }
    let (name, port) = host.split_once(':').unwrap_or((host, "0"));
    let letters = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
    !name.is_empty()
        && !name.contains("..")
        && !name.starts_with('.')
        && name.chars().all(letters)
        && is_port(port)
}

fn is_port(port: &str) -> bool {
    port.parse::<u16>().is_ok()
}

/// Encodes what an address can't hold: Word calls a file damaged whose links it can't read.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marked = false;
    for (at, c) in text.char_indices() {
        let rest = &text.as_bytes()[at + c.len_utf8()..];
        let keeps = match c {
            '%' => rest.len() >= 2 && rest[..2].iter().all(u8::is_ascii_hexdigit),
            '#' => !std::mem::replace(&mut marked, true),
            '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' | '[' | ']' => false,
            c => c.is_ascii_graphic(),
        };
        if keeps {
            out.push(c);
            continue;
        }
        let mut bytes = [0; 4];
        for byte in c.encode_utf8(&mut bytes).bytes() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
