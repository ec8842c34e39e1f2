//! OSCAL catalogues (NIST's JSON form of control catalogues): controls, enhancements, statement items, discussion and
//! assessment procedures with the ids as NIST prints them, straight into paragraphs.
//!
//! The shape, for control AC-2 with enhancement AC-2(1): `AC-2` (kind control), its items `AC-2a`, `AC-2d1` as parts,
//! `AC-2#D` (guidance), `AC-2#O` and `AC-2#M` (assessment objectives and methods), `AC-2(1)` (enhancement). A source
//! listed at the end of the catalogue is `doc:` and its title; it is not a paragraph.

mod model;
mod prose;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;

use thiserror::Error;

use super::draft::Draft;
use super::limits::BASE_PARAGRAPHS;
use crate::paragraph::{Paragraph, Reference};
use model::{Catalog, Control, File, Group, Link, OTHERS, Part, label};
use prose::{Params, render};

/// Most bytes of a catalogue. It is held in memory as a whole, and small elements take much more there than in the file;
/// NIST's largest have 10 million.
const CATALOG_BYTES: u64 = 32 << 20;

/// Why a file is not a catalogue that can be read.
#[derive(Debug, Error)]
pub(crate) enum CatalogFault {
    /// Not the JSON of a catalogue.
    #[error("not an OSCAL catalogue: {0}")]
    Json(#[from] serde_json::Error),
    /// Another of OSCAL's models.
    #[error(
        "an OSCAL {0}, not a catalogue: resolve it to a catalogue first, or ingest the catalogue that it builds on"
    )]
    Other(&'static str),
    /// JSON without any of OSCAL's keys.
    #[error("no \"catalog\" in it: not an OSCAL catalogue")]
    None,
    /// Longer than any catalogue.
    #[error("more than {CATALOG_BYTES} bytes: not read as a catalogue")]
    TooLong,
    /// More than a base may hold.
    #[error("more than {BASE_PARAGRAPHS} paragraphs: not read")]
    TooMany,
}

/// A catalogue, read.
#[derive(Debug)]
pub(crate) struct CatalogRead {
    /// Its paragraphs in its order; a control, its parts, its discussion and procedures, its enhancements.
    pub(crate) drafts: Vec<Draft>,
    /// What was read with loss.
    pub(crate) problems: Vec<String>,
}

/// Whether a JSON file begins like one of OSCAL's: a key of its outermost object is one of the models' names.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let mut chars = head.trim_start_matches('\u{feff}').char_indices().peekable();
    let text = head.trim_start_matches('\u{feff}');
    let mut depth = 0_usize;
    while let Some((at, c)) = chars.next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            '"' => {
                let mut end = None;
                while let Some((at, c)) = chars.next() {
                    match c {
                        '\\' => drop(chars.next()),
                        '"' => {
                            end = Some(at);
                            break;
                        }
                        _ => {}
                    }
                }
                let Some(end) = end else { return false };
                let key = &text[at + 1..end];
                if depth == 1 && text[end + 1..].trim_start().starts_with(':') {
                    // The other models' names are common words.
                    let oscal = || text.contains("\"uuid\"") || text.contains("\"oscal-version\"");
                    if key == "catalog" || (OTHERS.contains(&key) && oscal()) {
                        return true;
                    }
                }
            }
            c if depth == 0 && !c.is_whitespace() => return false,
            _ => {}
        }
    }
    false
}

/// The paragraphs of a catalogue.
pub(crate) fn read(input: impl Read) -> Result<CatalogRead, CatalogFault> {
    let mut input = input.take(CATALOG_BYTES + 1);
    let file = serde_json::from_reader(&mut input);
    if input.limit() == 0 {
        return Err(CatalogFault::TooLong);
    }
    let file: File = file?;
    if let Some(other) = file.other() {
        return Err(CatalogFault::Other(other));
    }
    let catalog = file.catalog.ok_or(CatalogFault::None)?;
    let mut reading = Reading {
        doc: document_name(&catalog.metadata.title),
        params: Params::of(&catalog),
        targets: targets(&catalog),
        drafts: Vec::new(),
        unknown: BTreeSet::new(),
        dangling: BTreeSet::new(),
    };
    let root = ControlPosition::default();
    for control in &catalog.controls {
        reading.control(control, &root)?;
    }
    for group in &catalog.groups {
        reading.group(group, &root)?;
    }
    let mut problems = Vec::new();
    let mut tell = |ids: &BTreeSet<String>, what: &str| {
        if !ids.is_empty() {
            let some = ids.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            problems.push(format!("{} {what}: {some}{}", ids.len(), if ids.len() > 5 { " …" } else { "" }));
        }
    };
    tell(&reading.unknown, "parameters that the catalogue does not define, left as written");
    tell(&reading.dangling, "links to nothing in the catalogue, left out");
    Ok(CatalogRead { drafts: reading.drafts, problems })
}

/// Where a control stands.
#[derive(Default, Clone)]
struct ControlPosition {
    path: Vec<String>,
    section: String,
    title: String,
}

struct Reading<'c> {
    doc: String,
    params: Params<'c>,
    /// What `#…` in a link stands for.
    targets: HashMap<&'c str, String>,
    drafts: Vec<Draft>,
    unknown: BTreeSet<String>,
    dangling: BTreeSet<String>,
}

impl Reading<'_> {
    fn group(&mut self, group: &Group, above: &ControlPosition) -> Result<(), CatalogFault> {
        let id = group_id(group);
        let heading = [id.as_str(), group.title.trim()].join(" ").trim().to_owned();
        let mut place = ControlPosition { section: id, title: String::new(), path: above.path.clone() };
        if !heading.is_empty() {
            place.path.push(heading);
        }
        if !place.section.is_empty() {
            let whole = ControlPosition { title: group.title.trim().to_owned(), ..place.clone() };
            self.other_parts(&group.parts, &place.section, &whole)?;
        }
        for control in &group.controls {
            self.control(control, &place)?;
        }
        for inner in &group.groups {
            self.group(inner, &place)?;
        }
        Ok(())
    }

    fn control(&mut self, control: &Control, above: &ControlPosition) -> Result<(), CatalogFault> {
        let id = control_id(control);
        let enhancement = !above.title.is_empty();
        let own = control.title.trim();
        let title = if enhancement { format!("{} | {own}", above.title) } else { own.to_owned() };
        let place = ControlPosition { title, ..above.clone() };
        let withdrawn = control
            .props
            .iter()
            .any(|prop| prop.name == "status" && prop.value.trim().eq_ignore_ascii_case("withdrawn"));
        let mut refs = self.references(&control.links);
        refs.retain(|one| one.to != id);
        let mut lines = Vec::new();
        let mut items = Vec::new();
        for part in control.parts.iter().filter(|part| part.name == "statement") {
            self.statement(
                part,
                &id,
                "",
                &mut Statement { lines: &mut lines, items: &mut items, refs: &mut refs },
            );
        }
        let superseded_by: Vec<String> =
            refs.iter().filter(|one| gone_to(&one.kind).is_some()).map(|one| one.to.clone()).collect();
        let text = match (lines.is_empty(), withdrawn) {
            (false, _) => lines.join("\n"),
            (true, true) => withdrawal(&refs),
            (true, false) => own.to_owned(),
        };
        self.push(
            Paragraph {
                id: id.clone(),
                kind: if enhancement { "enhancement" } else { "control" }.into(),
                text,
                refs,
                withdrawn,
                superseded_by,
                ..Paragraph::default()
            },
            &place,
        )?;
        for (item, text) in items {
            let part = Paragraph {
                id: item,
                kind: "item".into(),
                text,
                withdrawn,
                part_of: Some(id.clone()),
                ..Paragraph::default()
            };
            self.push(part, &place)?;
        }
        self.discussion(control, &id, &place)?;
        self.procedures(control, &id, &place)?;
        self.other_parts(&control.parts, &id, &place)?;
        for inner in &control.controls {
            self.control(inner, &place)?;
        }
        Ok(())
    }

    /// The lines of a statement, each with its label, and the items with ids of their own.
    fn statement(&mut self, part: &Part, control: &str, above: &str, into: &mut Statement<'_>) {
        let mark = label(&part.props).unwrap_or_default();
        let text = self.prose(&part.prose, into.refs);
        if !text.is_empty() {
            into.lines.push(format!("{mark} {text}").trim().to_owned());
        }
        let id = item_id(part, control, above);
        if part.name == "item" && id != above && !text.is_empty() {
            into.items.push((id.clone(), text));
        }
        for inner in part.parts.iter().filter(|inner| inner.name != "guidance") {
            self.statement(inner, control, &id, into);
        }
    }

    fn discussion(
        &mut self,
        control: &Control,
        id: &str,
        place: &ControlPosition,
    ) -> Result<(), CatalogFault> {
        let mut refs = vec![Reference { to: id.to_owned(), kind: "discusses".into() }];
        let mut lines = Vec::new();
        for part in control.parts.iter().filter(|part| part.name == "guidance") {
            self.lines(part, &mut lines, &mut refs);
            add(&mut refs, self.references(&part.links));
        }
        let guidance = Paragraph {
            id: format!("{id}#D"),
            kind: "guidance".into(),
            text: lines.join("\n"),
            refs,
            ..Paragraph::default()
        };
        self.push(guidance, place)
    }

    /// Assessment objectives and methods, named differently before revision 5.
    fn procedures(
        &mut self,
        control: &Control,
        id: &str,
        place: &ControlPosition,
    ) -> Result<(), CatalogFault> {
        let assesses = || vec![Reference { to: id.to_owned(), kind: "assesses".into() }];
        let mut refs = assesses();
        let mut objectives = Vec::new();
        for part in control.parts.iter().filter(|part| is_objective(part)) {
            self.objectives(part, &mut objectives, &mut refs);
        }
        let objective = Paragraph {
            id: format!("{id}#O"),
            kind: "assessment".into(),
            text: objectives.join(" "),
            refs,
            ..Paragraph::default()
        };
        self.push(objective, place)?;
        let mut refs = assesses();
        let mut methods = Vec::new();
        for part in control.parts.iter().filter(|part| is_method(part)) {
            methods.extend(self.method(part, &mut refs));
        }
        let method = Paragraph {
            id: format!("{id}#M"),
            kind: "assessment".into(),
            text: methods.join(" "),
            refs,
            ..Paragraph::default()
        };
        self.push(method, place)
    }

    fn objectives(&mut self, part: &Part, lines: &mut Vec<String>, refs: &mut Vec<Reference>) {
        let text = self.prose(&part.prose, refs);
        if !text.is_empty() {
            let mark =
                part.props.iter().find(|prop| prop.name == "label").map_or("", |prop| prop.value.trim());
            lines.push(format!("{mark} {text}").trim().to_owned());
        }
        for inner in &part.parts {
            self.objectives(inner, lines, refs);
        }
    }

    /// `Examine: one object; another.`
    fn method(&mut self, part: &Part, refs: &mut Vec<Reference>) -> Option<String> {
        let name = part.props.iter().find(|prop| prop.name == "method").map_or("", |prop| prop.value.trim());
        let mut objects = Vec::new();
        for prose in part.parts.iter().map(|inner| &inner.prose).chain([&part.prose]) {
            objects.extend(prose.lines().map(|line| self.prose(line, refs)).filter(|line| !line.is_empty()));
        }
        let objects = objects.join("; ");
        let objects = objects.trim_end_matches(['.', ';']);
        let mut letters = name.chars();
        let name = letters.next().map(|first| format!("{first}{}: ", letters.as_str().to_lowercase()));
        (!objects.is_empty()).then(|| format!("{}{objects}.", name.unwrap_or_default()))
    }

    /// Parts with names of their own, one paragraph for each name.
    fn other_parts(&mut self, parts: &[Part], id: &str, place: &ControlPosition) -> Result<(), CatalogFault> {
        let mut by_name: BTreeMap<&str, (Vec<String>, Vec<Reference>)> = BTreeMap::new();
        for part in parts {
            let known = matches!(part.name.as_str(), "statement" | "guidance" | "")
                || is_objective(part)
                || is_method(part);
            if !known {
                let about = || vec![Reference { to: id.to_owned(), kind: "discusses".into() }];
                let (lines, refs) = by_name.entry(&part.name).or_insert_with(|| (Vec::new(), about()));
                self.lines(part, lines, refs);
            }
        }
        for (name, (lines, refs)) in by_name {
            let paragraph = Paragraph {
                id: format!("{id}#{name}"),
                kind: name.to_owned(),
                text: lines.join("\n"),
                refs,
                ..Paragraph::default()
            };
            self.push(paragraph, place)?;
        }
        Ok(())
    }

    fn lines(&mut self, part: &Part, lines: &mut Vec<String>, refs: &mut Vec<Reference>) {
        let text = self.prose(&part.prose, refs);
        if !text.is_empty() {
            lines.push(format!("{} {text}", label(&part.props).unwrap_or_default()).trim().to_owned());
        }
        for inner in &part.parts {
            self.lines(inner, lines, refs);
        }
    }

    /// The prose as read; its links are added to `refs` as mentions.
    fn prose(&mut self, prose: &str, refs: &mut Vec<Reference>) -> String {
        let rendered = render(prose, &self.params);
        self.unknown.extend(rendered.unknown);
        for link in rendered.links {
            // A discussion mentions its own control often; that it discusses it is said already.
            let own = |to: &String| refs.iter().any(|one| one.to == *to && one.kind == "discusses");
            if let Some(to) = self.target(&link).filter(|to| !own(to)) {
                add(refs, vec![Reference { to, kind: "mentions".into() }]);
            }
        }
        rendered.text
    }

    fn references(&mut self, links: &[Link]) -> Vec<Reference> {
        let mut refs = Vec::new();
        for link in links {
            let to = match (link.href.strip_prefix('#'), link.rel.as_str()) {
                (Some(inner), _) => self.target(inner),
                (None, "reference") => {
                    Some(format!("doc:{}", link.text.as_deref().unwrap_or(&link.href).trim()))
                }
                (None, _) => None,
            };
            let kind = if link.rel.is_empty() { "refers" } else { &link.rel };
            add(&mut refs, to.map(|to| Reference { to, kind: kind.to_owned() }).into_iter().collect());
        }
        refs
    }

    fn target(&mut self, href: &str) -> Option<String> {
        if let Some(to) = self.targets.get(href) {
            return (!to.is_empty()).then(|| to.clone());
        }
        // A resolved profile leaves controls out to which others still point.
        let known = written_id(href);
        if known.is_none() {
            self.dangling.insert(href.to_owned());
        }
        known
    }

    fn push(&mut self, paragraph: Paragraph, place: &ControlPosition) -> Result<(), CatalogFault> {
        if paragraph.text.is_empty() {
            return Ok(());
        }
        if self.drafts.len() as u64 >= BASE_PARAGRAPHS {
            return Err(CatalogFault::TooMany);
        }
        self.drafts.push(Draft {
            paragraph: Paragraph {
                doc: self.doc.clone(),
                section: place.section.clone(),
                title: place.title.clone(),
                path: place.path.clone(),
                ..paragraph
            },
            ..Draft::default()
        });
        Ok(())
    }
}

struct Statement<'s> {
    lines: &'s mut Vec<String>,
    items: &'s mut Vec<(String, String)>,
    refs: &'s mut Vec<Reference>,
}

fn is_objective(part: &Part) -> bool {
    matches!(part.name.as_str(), "assessment-objective" | "objective")
}

fn is_method(part: &Part) -> bool {
    matches!(part.name.as_str(), "assessment-method" | "assessment")
}

fn add(refs: &mut Vec<Reference>, more: Vec<Reference>) {
    for one in more {
        if !refs.contains(&one) {
            refs.push(one);
        }
    }
}

fn gone_to(kind: &str) -> Option<&'static str> {
    match kind {
        "incorporated-into" => Some("Incorporated into"),
        "moved-to" => Some("Moved to"),
        _ => None,
    }
}

/// `[Withdrawn: Incorporated into AC-2, AU-6.]`, as NIST prints it; the catalogue has only the links.
fn withdrawal(refs: &[Reference]) -> String {
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in refs {
        let Some(how) = gone_to(&one.kind) else { continue };
        match said.iter_mut().find(|(known, _)| *known == how) {
            Some((_, ids)) => ids.push(&one.to),
            None => said.push((how, vec![&one.to])),
        }
    }
    let said: Vec<String> = said.iter().map(|(how, ids)| format!("{how} {}", ids.join(", "))).collect();
    if said.is_empty() { "[Withdrawn.]".into() } else { format!("[Withdrawn: {}.]", said.join("; ")) }
}

/// `NIST SP 800-53 r5` from the many titles of that publication's catalogues; another's title as it is.
fn document_name(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    let number = words
        .iter()
        .position(|word| *word == "SP")
        .map(|at| at + 1)
        .or_else(|| words.windows(2).position(|two| two == ["Special", "Publication"]).map(|at| at + 2));
    let number =
        number.and_then(|at| words.get(at)).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let revision = words
        .iter()
        .position(|word| matches!(*word, "Revision" | "Rev" | "Rev." | "rev"))
        .and_then(|at| words.get(at + 1))
        .map(|word| word.chars().take_while(char::is_ascii_digit).collect::<String>())
        .filter(|digits| !digits.is_empty());
    match (title.contains("NIST"), number, revision) {
        (true, Some(number), Some(revision)) => format!("NIST SP {number} r{revision}"),
        _ => words.join(" "),
    }
}

fn group_id(group: &Group) -> String {
    label(&group.props).map_or_else(|| group.id.trim().to_uppercase(), str::to_owned)
}

fn control_id(control: &Control) -> String {
    label(&control.props)
        .map(str::to_owned)
        .or_else(|| written_id(&control.id))
        .unwrap_or_else(|| control.id.trim().to_owned())
}

/// `AC-2(1)` of `ac-2.1`, `AC-2d1` of `ac-2_smt.d.1`; `None` for what is not a control's id of that catalogue.
fn written_id(id: &str) -> Option<String> {
    let (control, item) = id.split_once("_smt").unwrap_or((id, ""));
    let (family, number) = control.split_once('-')?;
    let (number, enhancement) = number.split_once('.').map_or((number, None), |(n, e)| (n, Some(e)));
    let digits = |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let fits = (2..=4).contains(&family.len())
        && family.bytes().all(|b| b.is_ascii_lowercase())
        && digits(number)
        && enhancement.is_none_or(digits)
        && item.chars().all(|c| c == '.' || c.is_ascii_alphanumeric());
    let enhancement = enhancement.map(|number| format!("({number})")).unwrap_or_default();
    fits.then(|| format!("{}-{number}{enhancement}{}", family.to_uppercase(), item.replace('.', "")))
}

/// `AC-2d` + `1.` = `AC-2d1`; `AC-2(3)` + `(a)` = `AC-2(3)a`.
fn item_id(part: &Part, control: &str, above: &str) -> String {
    let above = if above.is_empty() { control } else { above };
    let Some(mark) = label(&part.props) else { return above.to_owned() };
    let bare: String = mark.chars().filter(|c| c.is_alphanumeric()).collect();
    if mark.starts_with(control) { mark.trim_end_matches('.').to_owned() } else { format!("{above}{bare}") }
}

/// What links may lead to. Groups are known, but are no paragraphs.
fn targets(catalog: &Catalog) -> HashMap<&str, String> {
    let mut all = HashMap::new();
    for resource in &catalog.back_matter.resources {
        let title = resource.title.as_deref().or(resource.citation.as_ref().map(|one| one.text.as_str()));
        let title = title.map(str::trim).filter(|title| !title.is_empty()).unwrap_or(&resource.uuid);
        all.entry(resource.uuid.as_str()).or_insert_with(|| format!("doc:{title}"));
    }
    group_targets(&catalog.groups, &mut all);
    control_targets(&catalog.controls, &mut all);
    all
}

fn group_targets<'c>(groups: &'c [Group], all: &mut HashMap<&'c str, String>) {
    for group in groups {
        all.entry(&group.id).or_default();
        group_targets(&group.groups, all);
        control_targets(&group.controls, all);
    }
}

fn control_targets<'c>(controls: &'c [Control], all: &mut HashMap<&'c str, String>) {
    for control in controls {
        let id = control_id(control);
        for part in &control.parts {
            let whole = match part.name.as_str() {
                "guidance" => format!("{id}#D"),
                _ if is_objective(part) => format!("{id}#O"),
                _ if is_method(part) => format!("{id}#M"),
                _ => id.clone(),
            };
            part_targets(part, &id, &whole, all);
        }
        all.entry(&control.id).or_insert(id);
        control_targets(&control.controls, all);
    }
}

fn part_targets<'c>(part: &'c Part, control: &str, above: &str, all: &mut HashMap<&'c str, String>) {
    let id = if part.name == "item" { item_id(part, control, above) } else { above.to_owned() };
    if !part.id.is_empty() {
        all.entry(&part.id).or_insert_with(|| id.clone());
    }
    for inner in &part.parts {
        part_targets(inner, control, &id, all);
    }
}
