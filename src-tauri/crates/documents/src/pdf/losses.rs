//! What was not taken of the pages, told once at the end.

use crate::BlockPosition;
use crate::error::INSTALL;
use crate::omissions::Omission;
use crate::output::Output;

use super::glyphs::{Origin, PageText};
use super::scans::Scan;

/// Most pages that one note names.
const MAX_LISTED: usize = 12;

/// Pages with losses, by kind.
#[derive(Debug, Default)]
pub(super) struct LostContent {
    /// Pages without text.
    pub empty: Vec<u32>,
    /// Whether a page without text shows something else.
    pub drawn: bool,
    /// Pages that are pictures of text, and were not read.
    pub unread: Vec<u32>,
    /// Pages that were read from their pictures.
    pub pictured: Vec<u32>,
    unclear: (usize, Vec<u32>),
    /// Pages that broke the parser.
    pub broken: Vec<u32>,
    /// Pages whose text the file brings along, recognised from a picture by another program.
    layered: Vec<u32>,
    /// Pages of which a table of contents was left out.
    pub contents: Vec<u32>,
    /// Pages whose letters from the right are laid from left to right.
    pub in_order: Vec<u32>,
    omitted: Vec<(Omission, usize, u32)>,
    cut: Vec<u32>,
    hidden: (usize, Vec<u32>),
    /// Codes without a known character, and their pages.
    pub nameless: (usize, Vec<u32>),
    slanted: (usize, Vec<u32>),
}

impl LostContent {
    /// Counts one page's.
    pub fn page(&mut self, number: u32, page: &PageText, scan: &Scan) {
        if !scan.lines.is_empty() {
            self.pictured.push(number);
        } else if page.glyphs.iter().any(|glyph| glyph.origin == Origin::Layer) {
            self.layered.push(number);
        } else if page.is_unread() && !scan.tried {
            self.unread.push(number);
        } else if page.glyphs.iter().all(|glyph| glyph.c.is_whitespace()) {
            self.empty.push(number);
            self.drawn |= page.drawn;
        }
        self.omitted.extend(page.omitted.iter().map(|(kind, count)| (*kind, *count, number)));
        if page.cut {
            self.cut.push(number);
        }
        let count = |of: &mut (usize, Vec<u32>), some: usize| {
            if some > 0 {
                of.0 += some;
                of.1.push(number);
            }
        };
        count(&mut self.hidden, page.hidden);
        count(&mut self.nameless, page.nameless);
        count(&mut self.slanted, page.slanted);
        count(&mut self.unclear, scan.unclear);
    }

    pub fn report(self, output: &mut Output<'_>) {
        let mut tell = |pages: &[u32], what: String| {
            if !pages.is_empty() {
                output.note(BlockPosition::default(), format!("{what} ({})", list(pages)));
            }
        };
        tell(&self.broken, "pages that cannot be read were left out".into());
        tell(&self.cut, "pages with more content than the limits allow were read in part".into());
        tell(&self.empty, "pages without text".into());
        tell(&self.unread, format!("pages that are pictures of text were not read; {INSTALL}"));
        tell(
            &self.pictured,
            "text was read from pictures: look at the page before relying on a number".into(),
        );
        tell(&self.unclear.1, format!("{} lines of pictures are too unclear to be read", self.unclear.0));
        tell(&self.layered, "text that another program recognised from pictures was taken as it is".into());
        tell(&self.hidden.1, format!("{} characters that nobody sees were left out", self.hidden.0));
        tell(&self.nameless.1, format!("{} signs without a known character were left out", self.nameless.0));
        tell(&self.slanted.1, format!("{} slanted characters (a watermark) were left out", self.slanted.0));
        tell(&self.in_order, "Hebrew or Arabic stands in the order of its letters and was not turned".into());
        for (kind, count, page) in self.omitted {
            output.omit(kind, count, BlockPosition { page: Some(page), line: None });
        }
        if !self.contents.is_empty() {
            output.note_minor(format!("a table of contents was left out ({})", list(&self.contents)));
        }
    }
}

/// `page 3`, `pages 1, 4-9 and 12 more`.
fn list(pages: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => ranges.push((*page, *page)),
        }
    }
    let named: Vec<String> = ranges
        .iter()
        .take(MAX_LISTED)
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    let more: u32 = ranges.iter().skip(MAX_LISTED).map(|(first, last)| last - first + 1).sum();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let plural = if pages.len() == 1 { "" } else { "s" };
    format!("page{plural} {}{more}", named.join(", "))
}
