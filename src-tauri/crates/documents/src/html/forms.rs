//! What the controls of a form show.

use super::hidden::value;
use super::tokens::{Attribute, Key};

/// What a person sees of an `input`: its value, a box. Passwords and what is hidden are never read.
pub(crate) fn input_text(attributes: &[Attribute<'_>]) -> Option<String> {
    let kind = value(attributes, Key::Type).unwrap_or("text").trim().to_ascii_lowercase();
    match kind.as_str() {
        "checkbox" | "radio" => {
            let checked = value(attributes, Key::Checked).is_some();
            Some(if checked { "☑ " } else { "☐ " }.to_owned())
        }
        "password" | "hidden" | "submit" | "button" | "reset" | "image" | "file" => None,
        _ => {
            let shown = value(attributes, Key::Value)?.trim();
            (!shown.is_empty()).then(|| format!(" {shown} "))
        }
    }
}
