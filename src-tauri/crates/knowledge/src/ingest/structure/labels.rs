//! Labels of items, as their files have them and as paragraphs name them.

use documents::Block;

/// A block's label, where its text does not begin with it as well.
pub(super) fn apart(block: &Block) -> Option<&str> {
    let label = block.label.as_deref()?.trim();
    let first = label.find(')').map_or(label, |end| &label[..=end]).replace('*', "");
    (first.is_empty() || !block.text.starts_with(&first)).then_some(label)
}

/// A block's text behind its label, where that says something.
pub(super) fn labelled(block: &Block, text: &str) -> String {
    match apart(block) {
        Some(label) if label.chars().any(char::is_alphanumeric) => format!("{label} {text}"),
        _ => text.to_owned(),
    }
}

/// A label as a mark: with the brackets or stops that formats leave out of it.
pub(super) fn labels(label: &str) -> Vec<String> {
    if label.ends_with([')', '.']) {
        vec![label.to_owned()]
    } else {
        vec![format!("{label}."), format!("{label})")]
    }
}

/// The mark as the source writes it.
pub(super) fn written(block: &Block, last: &str) -> String {
    match apart(block) {
        Some(label) if !label.is_empty() => label.to_owned(),
        _ => format!("({last})"),
    }
}
