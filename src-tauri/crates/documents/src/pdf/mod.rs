//! PDF: the text of the pages, put back into paragraphs.
//!
//! A page is a set of characters with places. They become words by gaps, lines by baselines, columns by white
//! stripes, paragraphs by leading, indents and line ends, and headings by size, weight and bookmarks. Pages stream
//! through; only their text is kept.

mod assemble;
mod bidi;
mod chapters;
mod columns;
mod fonts;
mod furniture;
mod glyphs;
mod labels;
mod lattice;
mod layout;
mod losses;
mod optional;
mod outline;
mod paragraphs;
mod passage;
mod picture;
mod rules;
mod scans;
mod shifts;
mod strikes;
mod strings;
mod tables;
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use hayro_font::hayro_syntax::object::{Array, Dict};
use hayro_font::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use crate::omissions::Omission;
use crate::output::{self, Output};
use crate::worker::pulse;
use crate::{BlockPosition, Document, Limits, ReadError};

use self::assemble::Drafts;
use self::furniture::{Sheet, Window};
use self::glyphs::Interpreter;
use self::losses::LostContent;
use self::outline::Outline;
use self::paragraphs::{Draft, Looks};

pub(crate) use self::picture::draw;
pub(crate) use self::scans::recogniser;

/// Most attached files that are counted.
const MAX_ATTACHMENTS: usize = 20_000;

/// Reads a PDF file.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let pdf = open(bytes.to_vec())?;
    let pages = pdf.pages();
    let count = pages.len().min(limits.pages);
    let root = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let mut output = Output::new(limits, cancel);
    output.document.pages = u32::try_from(pages.len()).ok();
    output.document.title =
        pdf.metadata().title.as_deref().map(strings::decode).and_then(|title| title_of(&title));

    let xfa = root.as_ref().is_some_and(is_only_xfa);
    if xfa {
        output.note(BlockPosition::default(), "its form is in XFA, whose fields are not read");
    }
    let attached = root.as_ref().map_or(0, attachments);
    output.omit(Omission::Embedded, attached, BlockPosition::default());
    let mut interpreter = Interpreter::new(root.as_ref(), limits.unfolded_bytes);
    let mut losses = LostContent::default();
    let mut flow = Flow::default();
    let mut window = Window::default();
    for (page, number) in pages.iter().take(count).zip(1_u32..) {
        output.check()?;
        // The parser meets hostile pages: one that breaks it is lost, not the document.
        let read = catch_unwind(AssertUnwindSafe(|| {
            let mut text = interpreter.read(page);
            let scan = scans::read(page, &mut text, limits.recogniser.as_deref())?;
            Ok::<_, ReadError>(layout::sheet(number, text, scan, &mut losses))
        }));
        let sheet = match read {
            Ok(sheet) => sheet?,
            Err(_) => {
                losses.broken.push(number);
                Sheet { number, height: 1.0, regions: Vec::new(), comments: Vec::new(), scan: Vec::new() }
            }
        };
        if let Some(sheet) = window.push(sheet, count) {
            flow.take(&sheet, &mut losses, limits)?;
        }
        pulse::beat();
    }
    while let Some(sheet) = window.pop(count) {
        flow.take(&sheet, &mut losses, limits)?;
    }
    output.omit(Omission::PageEdge, window.taken, BlockPosition::default());
    if losses.broken.len() == count {
        return Err(malformed("none of its pages can be read".into()));
    }
    if losses.empty.len() + losses.unread.len() == count {
        if losses.unread.is_empty() {
            if losses.nameless.0 > 0 {
                return Err(malformed("its fonts do not tell which characters they show".into()));
            }
            if !losses.drawn {
                let reason = if xfa {
                    "its form is in XFA, which is not read"
                } else {
                    "its pages are blank, or damaged"
                };
                return Err(malformed(reason.into()));
            }
        }
        if limits.recogniser.is_none() {
            return Err(ReadError::Scanned { pages: u32::try_from(count).unwrap_or(u32::MAX) });
        }
    }
    output.document.scans = u32::try_from(losses.pictured.len() + losses.unread.len()).unwrap_or(u32::MAX);
    if pages.len() > count {
        let what = format!("only the first {count} of {} pages were read", pages.len());
        output.note(BlockPosition::default(), what);
    }
    flow.drafts.finish(&mut Outline::read(root.as_ref()), &mut output)?;
    losses.report(&mut output);
    Ok(output.finish())
}

/// Whether a form has no fields but those of a description in XML, which Acrobat alone shows.
fn is_only_xfa(root: &Dict<'_>) -> bool {
    let Some(form) = root.get::<Dict<'_>>("AcroForm") else { return false };
    let fields = form.get::<Array<'_>>("Fields");
    form.contains_key("XFA") && fields.is_none_or(|fields| fields.raw_iter().next().is_none())
}

/// How many files are attached to the whole document.
fn attachments(root: &Dict<'_>) -> usize {
    let files = root.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("EmbeddedFiles"));
    let names = files.and_then(|files| files.get::<Array<'_>>("Names"));
    names.map_or(0, |names| names.raw_iter().take(MAX_ATTACHMENTS).count() / 2)
}

/// Opens a file that has pages.
fn open(bytes: Vec<u8>) -> Result<Pdf, ReadError> {
    let pdf = match Pdf::new(bytes) {
        Ok(pdf) => pdf,
        Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) => {
            return Err(ReadError::Encrypted);
        }
        Err(LoadPdfError::Decryption(error)) => return Err(malformed(format!("its encryption: {error:?}"))),
        Err(LoadPdfError::Invalid) => return Err(malformed("no pages can be found in it".into())),
    };
    if pdf.pages().is_empty() {
        return Err(malformed("it has no pages".into()));
    }
    Ok(pdf)
}

fn malformed(what: String) -> ReadError {
    ReadError::Malformed { format: "PDF", what }
}

/// The title that the file gives, unless it is only its author's file name.
fn title_of(title: &str) -> Option<String> {
    const FILES: [&str; 9] = [".doc", ".docx", ".tex", ".dvi", ".pdf", ".indd", ".ps", ".xml", ".fm"];
    let (title, _) = output::clean(title);
    let lower = title.to_lowercase();
    let poor = ["untitled", "microsoft word"].iter().any(|start| lower.starts_with(start))
        || FILES.iter().any(|end| lower.ends_with(end));
    (!poor && title.chars().any(char::is_alphabetic)).then_some(title)
}

/// The text on its way from pages to paragraphs.
#[derive(Default)]
struct Flow {
    drafts: Drafts,
    /// Bytes of words whose characters all have the same width, and of all words.
    mono: (f32, f32),
}

impl Flow {
    fn take(&mut self, sheet: &Sheet, losses: &mut LostContent, limits: &Limits) -> Result<(), ReadError> {
        let lines = || sheet.regions.iter().flat_map(|region| &region.lines);
        for line in lines() {
            let width = line.x1 - line.x0;
            self.mono.0 += width * line.share(|word| word.mono);
            self.mono.1 += width;
        }
        let looks = Looks { body: layout::body(lines()), mono: self.mono.0 > 0.7 * self.mono.1 };
        for region in &sheet.regions {
            let (drafts, contents) = paragraphs::drafts(region, sheet.number, looks);
            drafts.into_iter().for_each(|draft| self.drafts.push(draft));
            if contents > 0 && losses.contents.last() != Some(&sheet.number) {
                losses.contents.push(sheet.number);
            }
        }
        for comment in &sheet.comments {
            self.drafts.push(Draft::comment(comment, sheet.number));
        }
        self.drafts.take_scan(sheet.number, &sheet.scan);
        // The output keeps the bounds again; this one keeps the memory in between.
        if self.drafts.bytes > limits.text_bytes {
            return Err(ReadError::TooLarge { limit: limits.text_bytes as u64, what: "bytes of text" });
        }
        if self.drafts.len() > limits.blocks {
            return Err(ReadError::TooLarge { limit: limits.blocks as u64, what: "blocks" });
        }
        Ok(())
    }
}
