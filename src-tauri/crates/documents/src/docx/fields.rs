//! Fields: a code that Word evaluates, and the result that a person sees (ECMA-376 part 1, section 17.16).

/// Fields within fields, at most; deeper ones are read as their result.
const MAX_DEPTH: usize = 64;
/// Longest code that is kept, in bytes.
const CODE_BYTES: usize = 2048;

struct Field {
    code: String,
    shown: bool,
    dropped: bool,
    /// Where its result began in the paragraph, and where it links to.
    link: Option<String>,
}

/// The fields that are open. They may reach over many paragraphs.
#[derive(Default)]
pub(super) struct Fields {
    open: Vec<Field>,
    too_deep: usize,
}

/// What became of a field.
pub(super) struct FieldEnd {
    /// Its link's target.
    pub(super) link: Option<String>,
    /// Whether it was a table of contents.
    pub(super) contents: bool,
}

impl Fields {
    pub(super) fn begin(&mut self) {
        if self.open.len() < MAX_DEPTH {
            self.open.push(Field { code: String::new(), shown: false, dropped: false, link: None });
        } else {
            self.too_deep += 1;
        }
    }

    pub(super) fn code(&mut self, text: &str) {
        if let Some(field) = self.open.last_mut().filter(|field| !field.shown && self.too_deep == 0)
            && field.code.len() + text.len() <= CODE_BYTES
        {
            field.code.push_str(text);
        }
    }

    /// The result begins; tells whether it links somewhere.
    pub(super) fn separate(&mut self) -> bool {
        let Some(field) = self.open.last_mut().filter(|_| self.too_deep == 0) else { return false };
        field.shown = true;
        field.dropped = is_dropped(&field.code);
        field.link = target(&field.code);
        field.link.is_some()
    }

    pub(super) fn end(&mut self) -> FieldEnd {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return FieldEnd { link: None, contents: false };
        }
        let field = self.open.pop();
        FieldEnd {
            contents: field.as_ref().is_some_and(|field| word(&field.code) == "TOC"),
            link: field.and_then(|field| field.link),
        }
    }

    /// Whether text is of a code, or of a result that is not part of the words.
    pub(super) fn hides(&self) -> bool {
        self.open.iter().any(|field| !field.shown || field.dropped)
    }
}

fn word(code: &str) -> String {
    code.split_whitespace().next().unwrap_or_default().to_uppercase()
}

/// Whether a field's result is about the layout rather than the matter.
pub(super) fn is_dropped(code: &str) -> bool {
    matches!(word(code).as_str(), "TOC" | "PAGEREF" | "PAGE" | "NUMPAGES" | "INDEX")
}

/// Where a field's result leads: `HYPERLINK "https://…"`, `HYPERLINK \l "name"`, `REF name \h`.
pub(super) fn target(code: &str) -> Option<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let unquoted = |word: &&str| word.trim_matches(['"', '“', '”']).to_owned();
    match word(code).as_str() {
        "REF" => words.get(1).map(|name| format!("#{}", unquoted(name))),
        "HYPERLINK" => {
            let anchor =
                words.iter().position(|one| *one == "\\l").and_then(|at| words.get(at + 1)).map(unquoted);
            let address = words.get(1).filter(|one| !one.starts_with('\\')).map(unquoted).unwrap_or_default();
            match anchor {
                Some(anchor) => Some(format!("{address}#{anchor}")),
                None => Some(address).filter(|address| !address.is_empty()),
            }
        }
        _ => None,
    }
}
