//! What only the whole base can tell: unique ids, and where references lead.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::crossrefs;
use super::draft::Draft;
use super::front::Front;
use super::identity::{Naming, name_files};
use super::options::FileReport;
use crate::error::KnowledgeError;
use crate::ids::{IdIndex, Resolved, tight};
use crate::paragraph::{Paragraph, Reference};
use crate::rules::references::Target;
use crate::rules::{Compiled, references};

/// Most references that are found in one paragraph.
const MAX_REFERENCES: usize = 500;
/// Most links of one paragraph.
const MAX_LINKS: usize = 200;

/// A file's paragraphs on their way into the base.
pub(crate) struct FileDrafts {
    /// Its report's place.
    pub(crate) report: usize,
    /// The rules that found its paragraphs; none for a file that names them itself.
    pub(crate) rules: Option<Arc<Compiled>>,
    /// What it says of itself.
    pub(crate) front: Front,
    /// What its ids got so that they tell whose they are.
    pub(crate) naming: Option<Naming>,
    pub(crate) drafts: Vec<Draft>,
}

/// An id that was used already, and what it became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The file.
    pub file: String,
    /// The line, 0 where the format has none.
    pub line: usize,
    /// The id.
    pub id: String,
    /// What it became; none for a paragraph that was left out because its text is the same, too.
    pub became: Option<String>,
}

/// A reference that leads to nothing in the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DanglingReference {
    /// The paragraph's id.
    pub from: String,
    /// What it refers to.
    pub to: String,
}

/// All paragraphs, settled.
#[derive(Default)]
pub(crate) struct ResolvedParagraphs {
    pub(crate) paragraphs: Vec<Paragraph>,
    pub(crate) ids: IdIndex,
    pub(crate) duplicates: Vec<Duplicate>,
    pub(crate) dangling: Vec<DanglingReference>,
    /// What each file says of itself.
    pub(crate) fronts: Vec<Front>,
}

/// Settles ids and references over all files. `names_work` says that the citation form names the work; `check` is asked often whether to go on.
pub(crate) fn resolve_references(
    mut files: Vec<FileDrafts>,
    reports: &mut [FileReport],
    names_work: bool,
    check: &dyn Fn() -> Result<(), KnowledgeError>,
) -> Result<ResolvedParagraphs, KnowledgeError> {
    name_files(&mut files, reports, names_work);
    let duplicates = make_unique(&mut files, reports);
    for (number, file) in files.iter_mut().enumerate() {
        reports[file.report].paragraphs = file.drafts.len() as u64;
        for draft in &mut file.drafts {
            draft.paragraph.file = number as u32;
        }
    }
    let ids =
        IdIndex::build(files.iter().flat_map(|file| &file.drafts).map(|draft| &draft.paragraph), Vec::new());
    let dangling = link(&mut files, reports, &ids, check)?;
    let fronts = files.iter_mut().map(|file| std::mem::take(&mut file.front)).collect();
    let paragraphs = files.into_iter().flat_map(|file| file.drafts).map(|draft| draft.paragraph).collect();
    Ok(ResolvedParagraphs { paragraphs, ids, duplicates, dangling, fronts })
}

/// Gives every paragraph an id of its own: a second `12` of a file becomes `12 no. 2`. A row that says the same again is left out.
fn make_unique(files: &mut [FileDrafts], reports: &mut [FileReport]) -> Vec<Duplicate> {
    /// Where an id was used first, and its text's place.
    struct FirstUse {
        file: usize,
        draft: usize,
        times: usize,
    }
    let mut seen: HashMap<String, FirstUse> = HashMap::new();
    let mut duplicates = Vec::new();
    for at in 0..files.len() {
        let report = files[at].report;
        let rows = files[at].rules.is_none();
        let mut drafts = std::mem::take(&mut files[at].drafts);
        let mut kept: Vec<Draft> = Vec::with_capacity(drafts.len());
        // What the whole before became: its parts follow it. `None` while it was left out.
        let mut whole: Option<(String, Option<String>)> = None;
        for mut draft in drafts.drain(..) {
            if let (Some(of), Some((old, new))) = (&draft.paragraph.part_of, &whole)
                && of == old
            {
                match new {
                    Some(new) => draft.paragraph.part_of = Some(new.clone()),
                    None => continue,
                }
            }
            let id = draft.paragraph.id.clone();
            let is_whole = draft.paragraph.part_of.is_none();
            let key = tight(&id);
            let Some(first) = seen.get_mut(&key) else {
                seen.insert(key, FirstUse { file: at, draft: kept.len(), times: 1 });
                if is_whole {
                    whole = None;
                }
                kept.push(draft);
                continue;
            };
            let earlier =
                if first.file == at { &kept[first.draft] } else { &files[first.file].drafts[first.draft] };
            let place = match earlier.line {
                0 => reports[files[first.file].report].name.clone(),
                line => format!("{}:{line}", reports[files[first.file].report].name),
            };
            let same = rows && earlier.paragraph.text == draft.paragraph.text;
            let mut became = None;
            if same {
                let what = format!("id '{id}' with the same text is already used at {place}: skipped");
                reports[report].problem(Some(draft.line), what);
            } else {
                let new = loop {
                    let Some(first) = seen.get_mut(&key) else { break id.clone() };
                    first.times += 1;
                    let new = format!("{id} no. {}", first.times);
                    if !seen.contains_key(&tight(&new)) {
                        break new;
                    }
                };
                let what = format!("id '{id}' is already used at {place}: taken as '{new}'");
                reports[report].problem(Some(draft.line), what);
                seen.insert(tight(&new), FirstUse { file: at, draft: kept.len(), times: 1 });
                draft.paragraph.id.clone_from(&new);
                became = Some(new);
            }
            if is_whole {
                whole = Some((id.clone(), became.clone()));
            }
            let file = reports[report].name.clone();
            duplicates.push(Duplicate { file, line: draft.line, id, became });
            if !same {
                kept.push(draft);
            }
        }
        files[at].drafts = kept;
    }
    // A part whose whole was refused would be found by nobody.
    let drafts = files.iter().flat_map(|file| &file.drafts);
    let wholes: BTreeSet<String> =
        drafts.filter(|one| one.paragraph.part_of.is_none()).map(|one| one.paragraph.id.clone()).collect();
    for file in files {
        file.drafts
            .retain(|draft| draft.paragraph.part_of.as_ref().is_none_or(|whole| wholes.contains(whole)));
    }
    duplicates
}

fn link(
    files: &mut [FileDrafts],
    reports: &[FileReport],
    ids: &IdIndex,
    check: &dyn Fn() -> Result<(), KnowledgeError>,
) -> Result<Vec<DanglingReference>, KnowledgeError> {
    let all_ids: Vec<String> =
        files.iter().flat_map(|file| &file.drafts).map(|draft| draft.paragraph.id.clone()).collect();
    let anchors = anchors(files, reports);
    let general = |file: &FileDrafts| file.rules.as_ref().is_none_or(|rules| rules.set.general_references);
    let scanned = files.iter().filter(|file| general(file)).flat_map(|file| &file.drafts);
    let titles =
        crossrefs::titles(scanned.filter(|draft| draft.scan_references).map(|draft| &draft.paragraph));
    let mut dangling = Vec::new();
    for at in 0..files.len() {
        let naming = files[at].naming.take();
        let known = |written: &str| {
            let target = |written: &str| match ids.resolve(written)? {
                Resolved::Paragraph(position) => Some(Target::Paragraph(all_ids[position].clone())),
                Resolved::Section(_) => Some(Target::Section(written.to_owned())),
            };
            // References mean the file's own paragraphs first.
            let own = naming.as_ref().and_then(|naming| target(&naming.add(written)));
            own.or_else(|| target(written))
        };
        let general = general(&files[at]);
        let rules = files[at].rules.clone();
        let name = reports[files[at].report].name.as_str();
        for (number, draft) in files[at].drafts.iter_mut().enumerate() {
            if number % 256 == 0 {
                check()?;
            }
            if draft.scan_references {
                let mut refs = Vec::new();
                if let Some(rules) = &rules {
                    let found = references::find(rules, draft, &known);
                    let from = &draft.paragraph.id;
                    dangling.extend(
                        found.dangling.into_iter().map(|to| DanglingReference { from: from.clone(), to }),
                    );
                    refs = found.references;
                }
                if general {
                    refs.extend(crossrefs::find(&draft.paragraph, &titles, &known));
                }
                add(&mut draft.paragraph, refs);
            }
            let links = std::mem::take(&mut draft.links);
            let linked = links.iter().take(MAX_LINKS).filter_map(|link| anchors.get(&absolute(name, link)?));
            let linked = linked.map(|&to| Reference { to: all_ids[to].clone(), kind: "mentions".into() });
            add(&mut draft.paragraph, linked.collect());
            if let Some(whole) = draft.paragraph.part_of.clone() {
                draft.paragraph.refs.push(Reference { to: whole, kind: "part-of".into() });
            }
        }
    }
    Ok(dangling)
}

/// Adds references, each target once, the paragraph itself and its whole left out.
fn add(paragraph: &mut Paragraph, references: Vec<Reference>) {
    for reference in references {
        let own = reference.to == paragraph.id || paragraph.part_of.as_ref() == Some(&reference.to);
        if paragraph.refs.len() >= MAX_REFERENCES {
            return;
        }
        if !own && paragraph.refs.iter().all(|one| one.to != reference.to) {
            paragraph.refs.push(reference);
        }
    }
}

/// File and name of every place that links reach, with the paragraph there.
fn anchors(files: &[FileDrafts], reports: &[FileReport]) -> HashMap<(String, String), usize> {
    let mut found = HashMap::new();
    let mut position = 0;
    for file in files {
        let name = &reports[file.report].name;
        for draft in &file.drafts {
            for anchor in &draft.anchors {
                found.entry((name.clone(), anchor.clone())).or_insert(position);
            }
            position += 1;
        }
    }
    found
}

/// File and name that a link of the file `from` leads to, when it names a place.
fn absolute(from: &str, link: &str) -> Option<(String, String)> {
    let (file, anchor) = link.split_once('#')?;
    if anchor.is_empty() || file.contains(':') || file.starts_with('/') {
        return None;
    }
    if file.is_empty() {
        return Some((from.to_owned(), anchor.to_owned()));
    }
    let mut path: Vec<&str> = from.split('/').collect();
    path.pop();
    for step in file.split('/') {
        match step {
            "." => {}
            ".." => drop(path.pop()?),
            step => path.push(step),
        }
    }
    Some((path.join("/"), anchor.to_owned()))
}
