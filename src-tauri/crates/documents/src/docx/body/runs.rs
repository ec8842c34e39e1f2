//! The runs of a paragraph: text by its look, fields, notes, formulas, what drawings hold.

use super::controls::{FormValue, control, form_value};
use super::paragraph::{Paragraph, Stretch};
use super::remarks::note_anchor;
use super::{Body, branch, has, rest_of};
use crate::docx::fields::{Instead, is_dropped};
use crate::docx::looks::{Look, Shown};
use crate::docx::math::Mathematics;
use crate::docx::numbers::written;
use crate::docx::{Relations, equation};
use crate::omissions::Omission;
use crate::symbols::{SymbolFont, has_private, is_private};
use crate::xml::{Element, Node, Xml};
use crate::{BlockPosition, Link, ReadError};

/// A run while it is read.
#[derive(Default)]
struct Run {
    shown: Shown,
    /// Whether it has text that is hidden.
    hides: bool,
}

impl Body<'_, '_> {
    /// What stands in a paragraph, or in an element within it.
    pub(super) fn runs(
        &mut self,
        xml: &mut Xml<'_>,
        near: &Relations,
        into: &mut Paragraph,
    ) -> Result<(), ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "pPr" => self.properties(xml, into)?,
                    "r" => self.run(xml, near, into)?,
                    "oMath" | "oMathPara" => self.formula(xml, into)?,
                    "hyperlink" => {
                        let anchor =
                            element.attr("anchor").map(|anchor| format!("#{anchor}")).unwrap_or_default();
                        let address = element.attr("id").and_then(|id| near.address(&id).map(str::to_owned));
                        let start = into.length();
                        self.runs(xml, near, into)?;
                        into.link(start, format!("{}{anchor}", address.unwrap_or_default()));
                    }
                    "fldSimple" => {
                        let code = element.attr("instr").unwrap_or_default();
                        if is_dropped(&code) {
                            self.page_numbers += usize::from(code.to_uppercase().contains("PAGE"));
                            xml.skip()?;
                        } else {
                            let start = into.length();
                            self.runs(xml, near, into)?;
                            into.field(start, &code);
                        }
                    }
                    "del" => {
                        self.deleting += 1;
                        let read = self.runs(xml, near, into);
                        self.deleting -= 1;
                        read?;
                    }
                    "moveFrom" => {
                        self.omit(Omission::TrackedDeletion);
                        // A field or a page may end in what was moved away.
                        self.moved(xml)?;
                    }
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    "AlternateContent" => {
                        if branch(xml)? {
                            self.runs(xml, near, into)?;
                            rest_of(xml)?;
                        }
                    }
                    "sdtPr" => {
                        if let Some(told) = control(xml)? {
                            self.omit(told);
                            // The control's content and end, which is this level's.
                            return rest_of(xml);
                        }
                    }
                    "subDoc" => {
                        self.omit(Omission::Embedded);
                        xml.skip()?;
                    }
                    "rPr" | "sdtEndPr" | "proofErr" | "commentRangeStart" | "commentRangeEnd"
                    | "bookmarkEnd" | "customXmlPr" | "smartTagPr" => {
                        xml.skip()?;
                    }
                    // Insertions, smart tags, content controls, and what is not known: its runs are text.
                    _ => self.runs(xml, near, into)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }

    fn run(&mut self, xml: &mut Xml<'_>, near: &Relations, into: &mut Paragraph) -> Result<(), ReadError> {
        let style = into.style.as_deref();
        let shown = *into.plain.get_or_insert_with(|| self.styles.look_of(style, &Look::default()));
        let mut run = Run { shown, hides: false };
        self.run_content(xml, near, into, &mut run)?;
        if run.hides {
            self.omit(Omission::Hidden);
        }
        Ok(())
    }

    fn run_content(
        &mut self,
        xml: &mut Xml<'_>,
        near: &Relations,
        into: &mut Paragraph,
        run: &mut Run,
    ) -> Result<(), ReadError> {
        loop {
            let element = match xml.next()? {
                Node::Open(element) => element,
                Node::Text(_) => continue,
                Node::Close | Node::End => return Ok(()),
            };
            match element.name() {
                "rPr" => run.shown = self.styles.look_of(into.style.as_deref(), &Look::read(xml)?),
                "t" | "delText" => {
                    let text = xml.text()?;
                    let (text, unknown) = in_font(run.shown.font, text);
                    if self.write(&text, run, into) {
                        self.output.omit(Omission::UnknownSign, unknown, self.place());
                    }
                }
                "sym" => {
                    let font = element.attr("font").and_then(|name| SymbolFont::of_name(&name));
                    let code = element.attr("char").and_then(|code| u32::from_str_radix(&code, 16).ok());
                    self.sign(font, code.unwrap_or_default(), run, into);
                    xml.skip()?;
                }
                "instrText" | "delInstrText" => {
                    let code = xml.text()?;
                    self.fields.code(&code);
                }
                "fldChar" => self.field(&element, xml, into, run)?,
                "lastRenderedPageBreak" => {
                    self.page = self.page.map(|page| page.saturating_add(1));
                    xml.skip()?;
                }
                "footnoteReference" | "endnoteReference" => {
                    self.note(&element, into);
                    xml.skip()?;
                }
                "commentReference" => {
                    self.commented.extend(element.attr("id"));
                    xml.skip()?;
                }
                "AlternateContent" => {
                    if branch(xml)? {
                        self.run_content(xml, near, into, run)?;
                        rest_of(xml)?;
                    }
                }
                "drawing" | "pict" | "object" => self.boxes(xml, near, into)?,
                "ruby" | "rubyBase" | "r" => {
                    let mut inner = Run { shown: run.shown, hides: false };
                    self.run_content(xml, near, into, &mut inner)?;
                    run.hides |= inner.hides;
                }
                "rt" => {
                    self.omit(Omission::Reading);
                    xml.skip()?;
                }
                "contentPart" => {
                    self.omit(Omission::Picture);
                    xml.skip()?;
                }
                "pgNum" => {
                    self.page_numbers += 1;
                    xml.skip()?;
                }
                "dayShort" | "dayLong" | "monthShort" | "monthLong" | "yearShort" | "yearLong" => {
                    self.omit(Omission::Computed);
                    xml.skip()?;
                }
                name => {
                    let shown = match name {
                        "tab" | "ptab" => " ",
                        "br" | "cr" => "\n",
                        "noBreakHyphen" => "-",
                        // A soft hyphen is only where a line may break; the marks of notes are their labels.
                        "softHyphen"
                        | "footnoteRef"
                        | "endnoteRef"
                        | "annotationRef"
                        | "separator"
                        | "continuationSeparator" => "",
                        _ => {
                            self.pass_over(xml)?;
                            continue;
                        }
                    };
                    if !self.fields.hides() && !run.shown.hidden && !shown.is_empty() {
                        into.push(shown, self.stretch(&Run::default()));
                    }
                    xml.skip()?;
                }
            }
        }
    }

    pub(super) fn place(&self) -> BlockPosition {
        BlockPosition { page: self.page, line: None }
    }

    fn stretch(&self, run: &Run) -> Stretch {
        Stretch { shift: run.shown.shift, struck: run.shown.struck, deleted: self.deleting > 0 }
    }

    /// Adds text that a person sees; false where nobody does.
    fn write(&mut self, text: &str, run: &mut Run, into: &mut Paragraph) -> bool {
        if self.fields.hides() || text.is_empty() {
            return false;
        }
        if run.shown.hidden {
            run.hides = true;
            return false;
        }
        if into.page.is_none() && !text.trim().is_empty() {
            into.page = self.page;
        }
        let stretch = self.stretch(run);
        into.push(text, stretch);
        true
    }

    /// A sign by its font and code.
    fn sign(&mut self, font: Option<SymbolFont>, code: u32, run: &mut Run, into: &mut Paragraph) {
        let known = match font {
            Some(font) => font.character(code),
            None => char::from_u32(code).filter(|c| !is_private(code) && !c.is_control()),
        };
        let text = known.unwrap_or('\u{fffd}').to_string();
        if self.write(&text, run, into) && known.is_none() {
            self.omit(Omission::UnknownSign);
        }
    }

    /// A formula in one line.
    pub(super) fn formula(&mut self, xml: &mut Xml<'_>, into: &mut Paragraph) -> Result<(), ReadError> {
        let mut mathematics = Mathematics::default();
        let formula = mathematics.read(xml)?;
        if mathematics.unknown > 0 {
            self.omit(Omission::Formula);
        }
        self.write_formula(&formula.written(), into);
        Ok(())
    }

    fn write_formula(&mut self, text: &str, into: &mut Paragraph) {
        // A number before it must not become a part of it.
        if into.text.ends_with(|c: char| c.is_numeric()) && text.starts_with(|c: char| c.is_numeric()) {
            into.push(" ", Stretch::default());
        }
        self.write(text, &mut Run::default(), into);
    }

    fn field(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        into: &mut Paragraph,
        run: &mut Run,
    ) -> Result<(), ReadError> {
        match element.attr("fldCharType").as_deref() {
            Some("begin") => {
                let mut choice = None;
                match form_value(xml)? {
                    Some(FormValue::Box(sign)) => drop(self.write(&sign.to_string(), run, into)),
                    Some(FormValue::Choice(value)) => choice = Some(value),
                    None => {}
                }
                self.fields.begin(choice);
                return Ok(());
            }
            Some("separate") => {
                let length = into.length();
                if self.fields.separate(length) {
                    into.starts.push(length);
                }
            }
            Some("end") => {
                let ended = self.fields.end(into.length());
                self.page_numbers += usize::from(ended.page_number);
                if ended.contents {
                    self.omit(Omission::Contents);
                }
                match ended.shows {
                    Instead::Nothing => {}
                    Instead::Text(text) => drop(self.write(&text, run, into)),
                    Instead::Sign(font, code) => self.sign(SymbolFont::of_name(&font), code, run, into),
                    Instead::Formula(code) => {
                        let (formula, known) = equation::formula(&code);
                        if !known {
                            self.omit(Omission::Formula);
                        }
                        self.write_formula(&formula.written(), into);
                    }
                    Instead::Placeholder => self.omit(Omission::Placeholder),
                    Instead::Computed => self.omit(Omission::Computed),
                }
                if let Some(target) = ended.link {
                    // A result over several paragraphs links from its last.
                    let start = into.starts.pop().unwrap_or(0);
                    into.link(start, target);
                }
            }
            _ => {}
        }
        xml.skip()
    }

    /// Text that was moved away, of which only the ends of fields count.
    fn moved(&mut self, xml: &mut Xml<'_>) -> Result<(), ReadError> {
        let mut inside = 1_usize;
        while inside > 0 {
            match xml.next()? {
                Node::Open(element) => {
                    inside += 1;
                    match (element.name(), element.attr("fldCharType").as_deref()) {
                        ("fldChar", Some("begin")) => self.fields.begin(None),
                        ("fldChar", Some("separate")) => drop(self.fields.separate(0)),
                        ("fldChar", Some("end")) => drop(self.fields.end(0)),
                        _ => {}
                    }
                }
                Node::Close => inside -= 1,
                Node::Text(_) => {}
                Node::End => break,
            }
        }
        Ok(())
    }

    fn note(&mut self, element: &Element<'_>, into: &mut Paragraph) {
        let end = element.name() == "endnoteReference";
        let Some(id) = element.attr("id").filter(|_| !self.fields.hides() && self.deleting == 0) else {
            return;
        };
        let count = &mut self.noted[usize::from(end)];
        let label = self.notes.entry((end, id)).or_insert_with(|| {
            *count += 1;
            written(*count, if end { "lowerRoman" } else { "decimal" })
        });
        into.links.push(Link { text: label.clone(), target: format!("#{}", note_anchor(end, label)) });
    }

    fn properties(&mut self, xml: &mut Xml<'_>, into: &mut Paragraph) -> Result<(), ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => {
                    let value = element.attr("val");
                    match element.name() {
                        "pStyle" => into.style = value,
                        "outlineLvl" => into.outline = value.and_then(|level| level.parse().ok()),
                        "rPr" => {
                            into.mark_deleted = has(xml, "del")?;
                            continue;
                        }
                        "numPr" => {
                            list_of(xml, into)?;
                            continue;
                        }
                        "sectPr" => {
                            self.section(xml)?;
                            continue;
                        }
                        _ => {}
                    }
                    xml.skip()?;
                }
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }
}

fn list_of(xml: &mut Xml<'_>, into: &mut Paragraph) -> Result<(), ReadError> {
    loop {
        match xml.next()? {
            Node::Open(element) => {
                let value = element.attr("val");
                match element.name() {
                    "numId" => into.list = value,
                    "ilvl" => into.level = value.and_then(|level| level.parse().ok()),
                    _ => {}
                }
                xml.skip()?;
            }
            Node::Text(_) => {}
            Node::Close | Node::End => return Ok(()),
        }
    }
}

/// Text as its font shows it, and how many signs are not known.
fn in_font(font: Option<SymbolFont>, text: String) -> (String, usize) {
    match font {
        Some(font) => font.text(&text),
        // Codes of the private area are those of a font of signs; without its name it is Symbol.
        None if has_private(&text) => SymbolFont::Symbol.text_of_private(&text),
        None => (text, 0),
    }
}
