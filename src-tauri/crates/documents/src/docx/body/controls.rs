//! Forms: content controls, and the fields of forms before them.

use crate::ReadError;
use crate::omissions::Omission;
use crate::xml::{Node, Xml};

/// Why a content control's content is no text, by its properties, which are read to their end.
pub(super) fn control(xml: &mut Xml<'_>) -> Result<Option<Omission>, ReadError> {
    let mut found = None;
    let mut inside = 1_usize;
    while inside > 0 {
        match xml.next()? {
            Node::Open(element) => {
                inside += 1;
                match element.name() {
                    "docPartGallery"
                        if element
                            .attr("val")
                            .is_some_and(|value| value.starts_with("Table of Contents")) =>
                    {
                        found = Some(Omission::Contents);
                    }
                    "showingPlcHdr" if element.is_on() && found.is_none() => {
                        found = Some(Omission::Placeholder);
                    }
                    _ => {}
                }
            }
            Node::Close => inside -= 1,
            Node::Text(_) => {}
            Node::End => break,
        }
    }
    Ok(found)
}

/// What a field of a form shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormValue {
    Box(char),
    Choice(String),
}

/// The state of a form's field, by what its beginning says; that is read to its end.
pub(super) fn form_value(xml: &mut Xml<'_>) -> Result<Option<FormValue>, ReadError> {
    let (mut is_box, mut is_list) = (false, false);
    let (mut usual, mut checked, mut result) = (None, None, None);
    let mut entries = Vec::new();
    let mut inside = 1_usize;
    while inside > 0 {
        match xml.next()? {
            Node::Open(element) => {
                inside += 1;
                match element.name() {
                    "checkBox" => is_box = true,
                    "ddList" => is_list = true,
                    "default" => usual = Some((element.attr("val"), element.is_on())),
                    "checked" => checked = Some(element.is_on()),
                    "result" => result = element.attr("val"),
                    "listEntry" => entries.extend(element.attr("val")),
                    _ => {}
                }
            }
            Node::Close => inside -= 1,
            Node::Text(_) => {}
            Node::End => break,
        }
    }
    if is_box {
        let checked = checked.or(usual.map(|(_, on)| on)).unwrap_or(false);
        return Ok(Some(FormValue::Box(if checked { '☑' } else { '☐' })));
    }
    let index =
        result.or(usual.and_then(|(value, _)| value)).and_then(|index| index.parse().ok()).unwrap_or(0);
    Ok(entries.into_iter().nth(index).filter(|_| is_list).map(FormValue::Choice))
}
