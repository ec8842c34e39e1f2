//! Fields: a code that Word evaluates, and the result that a person sees (ECMA-376 part 1, section 17.16).

/// Fields within fields, at most; deeper ones are read as their result.
const MAX_DEPTH: usize = 64;
/// Longest code that is kept, in bytes.
const CODE_BYTES: usize = 2048;

struct Field {
    code: String,
    shown: bool,
    dropped: bool,
    /// Where it links to.
    link: Option<String>,
    /// What a list in a form shows.
    value: Option<String>,
    /// How long the paragraph was when its result began.
    from: usize,
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
    /// Whether it was a table of contents or an index.
    pub(super) contents: bool,
    /// Whether it was a page's number.
    pub(super) page_number: bool,
    /// What it shows in place of a result.
    pub(super) shows: Instead,
}

/// What a field shows that has no result in the file.
#[derive(Default, PartialEq, Eq)]
pub(super) enum Instead {
    #[default]
    Nothing,
    Text(String),
    /// A sign of a font, by its code.
    Sign(String, u32),
    Formula(String),
    Placeholder,
    /// Something that Word computes.
    Computed,
}

impl Fields {
    /// A field begins; `value` is what a list of a form shows.
    pub(super) fn begin(&mut self, value: Option<String>) {
        if self.open.len() < MAX_DEPTH {
            let code = String::new();
            self.open.push(Field { code, shown: false, dropped: false, link: None, value, from: 0 });
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

    /// The result begins where the paragraph is so long; tells whether it links somewhere.
    pub(super) fn separate(&mut self, length: usize) -> bool {
        let Some(field) = self.open.last_mut().filter(|_| self.too_deep == 0) else { return false };
        field.shown = true;
        field.from = length;
        field.dropped = is_dropped(&field.code);
        field.link = target(&field.code);
        field.link.is_some()
    }

    /// The innermost field ends where the paragraph is so long.
    pub(super) fn end(&mut self, length: usize) -> FieldEnd {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return FieldEnd { link: None, contents: false, page_number: false, shows: Instead::Nothing };
        }
        let Some(field) = self.open.pop() else {
            return FieldEnd { link: None, contents: false, page_number: false, shows: Instead::Nothing };
        };
        let empty = !field.shown || field.from == length;
        let shows = match field.value {
            _ if self.hides() => Instead::Nothing,
            Some(value) if empty => Instead::Text(value),
            None if !field.shown => instead(&field.code),
            _ => Instead::Nothing,
        };
        let name = word(&field.code);
        FieldEnd {
            contents: matches!(name.as_str(), "TOC" | "INDEX"),
            page_number: matches!(name.as_str(), "PAGE" | "NUMPAGES" | "SECTIONPAGES"),
            link: field.link,
            shows,
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
    matches!(word(code).as_str(), "TOC" | "PAGEREF" | "PAGE" | "NUMPAGES" | "SECTIONPAGES" | "INDEX")
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

/// What a field without result shows by its code.
fn instead(code: &str) -> Instead {
    let name = word(code);
    let rest = code.trim_start().get(name.len()..).unwrap_or_default().trim();
    match name.as_str() {
        "EQ" => Instead::Formula(rest.to_owned()),
        "SYMBOL" => {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let number = words.first().copied().unwrap_or_default();
            let code = match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => number.parse().ok(),
            };
            let font = rest.split_once("\\f").map_or("", |(_, name)| name.trim());
            let font = match font.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or_default(),
                None => font.split_whitespace().next().unwrap_or_default(),
            };
            code.map_or(Instead::Computed, |code| Instead::Sign(font.to_owned(), code))
        }
        "MACROBUTTON" | "GOTOBUTTON" => Instead::Placeholder,
        // Marks for lists, switches of the layout, boxes that are shown at their beginning.
        "" | "XE" | "TC" | "TA" | "RD" | "SET" | "PRIVATE" | "FORMCHECKBOX" | "FORMDROPDOWN" | "FORMTEXT"
        | "PAGE" | "NUMPAGES" | "SECTIONPAGES" | "PAGEREF" | "TOC" | "INDEX" | "ADVANCE" | "HYPERLINK"
        | "ADDIN" | "NEXT" | "ASK" | "PRINT" => Instead::Nothing,
        _ => Instead::Computed,
    }
}
