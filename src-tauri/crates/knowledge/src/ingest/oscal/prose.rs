//! OSCAL prose as people read it: parameters spelled out as NIST prints them, links as their words.

use std::collections::HashMap;

use super::model::{Catalog, Control, Group, Param};

/// Parameters within parameters, at most.
const MAX_DEPTH: usize = 8;
/// Longest text that one prose may unfold to, in bytes: choices of choices multiply. One that would be longer stays as
/// written.
const MAX_PROSE_BYTES: usize = 32 << 10;

/// The parameters of a catalogue, by id and by alternative id.
#[derive(Default)]
pub(super) struct Params<'c>(HashMap<&'c str, &'c Param>);

impl<'c> Params<'c> {
    pub(super) fn of(catalog: &'c Catalog) -> Self {
        let mut all = Self::default();
        all.add(&catalog.params);
        all.add_controls(&catalog.controls);
        all.add_groups(&catalog.groups);
        all
    }

    fn add_groups(&mut self, groups: &'c [Group]) {
        for group in groups {
            self.add(&group.params);
            self.add_groups(&group.groups);
            self.add_controls(&group.controls);
        }
    }

    fn add_controls(&mut self, controls: &'c [Control]) {
        for control in controls {
            self.add(&control.params);
            self.add_controls(&control.controls);
        }
    }

    fn add(&mut self, params: &'c [Param]) {
        for param in params {
            self.0.entry(&param.id).or_insert(param);
            for other in param.props.iter().filter(|prop| prop.name == "alt-identifier") {
                self.0.entry(&other.value).or_insert(param);
            }
        }
    }
}

/// One prose, rendered.
#[derive(Default)]
pub(super) struct RenderedProse {
    /// Its text on one line.
    pub(super) text: String,
    /// Targets of its inner links, without `#`, in order.
    pub(super) links: Vec<String>,
    /// Parameters that the catalogue does not have; they stay as written.
    pub(super) unknown: Vec<String>,
}

/// `prose` with its parameters and links spelled out, white space folded.
pub(super) fn render(prose: &str, params: &Params<'_>) -> RenderedProse {
    let mut out = RenderedProse::default();
    write(prose, params, 0, &mut out);
    let text = if out.text.len() > MAX_PROSE_BYTES { prose } else { &out.text };
    out.text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    out
}

fn write(mut rest: &str, params: &Params<'_>, depth: usize, out: &mut RenderedProse) {
    while let Some(at) = rest.find(['{', '[']) {
        if out.text.len() > MAX_PROSE_BYTES {
            return;
        }
        out.text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((id, after)) = insertion(rest) {
            match params.0.get(id) {
                Some(param) if depth < MAX_DEPTH => write_param(param, params, depth, out),
                found => {
                    out.text.push_str(&rest[..rest.len() - after.len()]);
                    out.unknown.extend(found.is_none().then(|| id.to_owned()));
                }
            }
            rest = after;
        } else if let Some((words, target, after)) = link(rest) {
            out.text.push_str(words);
            // What a parameter's label mentions is about the parameter.
            out.links.extend(target.strip_prefix('#').filter(|_| depth == 0).map(str::to_owned));
            rest = after;
        } else {
            out.text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.text.push_str(rest);
}

fn write_param(param: &Param, params: &Params<'_>, depth: usize, out: &mut RenderedProse) {
    if let Some(select) = &param.select {
        out.text.push_str(match select.how_many.as_deref() {
            Some("one-or-more") => "[Selection (one or more): ",
            _ => "[Selection (one): ",
        });
        for (number, choice) in select.choice.iter().enumerate() {
            if number > 0 {
                out.text.push_str("; ");
            }
            write(choice, params, depth + 1, out);
        }
        out.text.push(']');
    } else if !param.values.is_empty() {
        out.text.push_str(&param.values.join(", "));
    } else {
        let label = param.label.as_deref().unwrap_or(&param.id);
        out.text.push_str("[Assignment: ");
        if !label.starts_with("organization-defined") {
            out.text.push_str("organization-defined ");
        }
        write(label, params, depth + 1, out);
        out.text.push(']');
    }
}

/// `{{ insert: param, id }}`, or `{{ id }}` as before OSCAL 1.0: the id and what follows.
fn insertion(text: &str) -> Option<(&str, &str)> {
    let (inner, after) = text.strip_prefix("{{")?.split_once("}}")?;
    let inner = inner.trim();
    let id = match inner.strip_prefix("insert:") {
        Some(what) => what.trim_start().strip_prefix("param,")?.trim(),
        None => inner,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!id.is_empty() && id.chars().all(plain)).then_some((id, after))
}

/// `[words](target)`: the words, the target and what follows.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (words, after) = text.strip_prefix('[')?.split_once("](")?;
    let (target, after) = after.split_once(')')?;
    let one_line = |part: &str| !part.contains(['[', ']', '\n']);
    (one_line(words) && one_line(target) && !target.contains(char::is_whitespace))
        .then_some((words, target, after))
}
