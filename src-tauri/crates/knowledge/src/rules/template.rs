//! Templates such as `{standard}.{number}`.

/// A template in pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Variable(String),
}

impl Template {
    /// Reads a template, or tells what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{', '}']) {
            if rest[open..].starts_with('}') {
                return Err("a '}' without '{'");
            }
            if open > 0 {
                pieces.push(Piece::Words(rest[..open].to_owned()));
            }
            let close = rest[open..].find('}').ok_or("a '{' without '}'")? + open;
            let name = &rest[open + 1..close];
            if name.is_empty() || !name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
                return Err("a variable's name holds letters, digits and '_' only");
            }
            pieces.push(Piece::Variable(name.to_owned()));
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Words(rest.to_owned()));
        }
        if pieces.is_empty() { Err("an empty template") } else { Ok(Self(pieces)) }
    }

    /// Names of its variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Words(_) => None,
            Piece::Variable(name) => Some(name.as_str()),
        })
    }

    /// The template with its variables' values; `None` when one is not set.
    pub(crate) fn render<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Option<String> {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Words(words) => out.push_str(words),
                Piece::Variable(name) => out.push_str(value(name).filter(|value| !value.is_empty())?),
            }
        }
        Some(out)
    }
}

/// The first template whose variables are all set.
pub(crate) fn first<'v>(
    templates: &[Template],
    value: impl Fn(&str) -> Option<&'v str> + Copy,
) -> Option<String> {
    templates.iter().find_map(|template| template.render(value))
}
