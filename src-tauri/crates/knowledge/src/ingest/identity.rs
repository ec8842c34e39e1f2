//! Whose an id is: a file's ids say which file or which edition they are of where the number alone does not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use regex::Regex;

use super::link::FileDrafts;
use super::options::{FileProblem, FileReport};
use super::sources::stem;
use crate::ids::{bare, tight};
use crate::paragraph::Paragraph;
use crate::rules::GENERAL;

/// Longest name of a file before an id, in bytes.
const MAX_NAME: usize = 100;

/// What tells a file's ids from those of others.
pub(crate) enum Naming {
    /// Its name, before each id.
    File { name: String, stem: String },
    /// Its edition, behind the number of the work: the work, and the work with its edition.
    Edition(BTreeMap<String, String>),
}

impl Naming {
    /// An id of the file as it is called in the base.
    pub(crate) fn add(&self, id: &str) -> String {
        match self {
            Self::File { name, stem } => match id.strip_prefix(stem.as_str()) {
                Some(rest) if rest.starts_with([':', '/', ' ']) => format!("{name}{rest}"),
                _ => format!("{name}:{id}"),
            },
            Self::Edition(works) => {
                let named =
                    works.iter().find_map(|(work, named)| Some(format!("{named}{}", of_work(id, work)?)));
                named.unwrap_or_else(|| id.to_owned())
            }
        }
    }

    fn rename(&self, file: &mut FileDrafts) {
        let own: BTreeSet<String> = file.drafts.iter().map(|draft| draft.paragraph.id.clone()).collect();
        let rows = file.rules.is_none();
        for draft in &mut file.drafts {
            let paragraph = &mut draft.paragraph;
            match self {
                Self::File { name, stem } if !rows && !paragraph.id.starts_with(stem.as_str()) => {
                    paragraph.section = format!("{name}:{}", paragraph.section);
                }
                Self::File { .. } => {}
                Self::Edition(works) => {
                    if let Some(named) = works.get(&paragraph.doc) {
                        paragraph.doc.clone_from(named);
                    }
                }
            }
            paragraph.id = self.add(&paragraph.id);
            paragraph.part_of = paragraph.part_of.as_deref().map(|id| self.add(id));
            for reference in paragraph.refs.iter_mut().filter(|one| own.contains(&one.to)) {
                reference.to = self.add(&reference.to);
            }
            for id in paragraph.superseded_by.iter_mut().filter(|id| own.contains(*id)) {
                *id = self.add(id);
            }
        }
    }
}

/// What stands behind the number of a work in an id of it.
fn of_work<'i>(id: &'i str, work: &str) -> Option<&'i str> {
    let rest = id.strip_prefix(work).filter(|_| !work.is_empty())?;
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// Gives the ids of a file its name or its edition where another file uses one of them, and its name where they are numbers of
/// sections that tell no document and the citation form names no work. Each file's report says it.
pub(crate) fn name_files(files: &mut [FileDrafts], reports: &mut [FileReport], names_work: bool) {
    let shared = sharing(files);
    for (at, naming) in editions(files, &shared, reports) {
        naming.rename(&mut files[at]);
        files[at].naming = Some(naming);
    }
    let documents = files.iter().filter(|file| !file.drafts.is_empty()).count();
    let mut told: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, others) in shared.iter().enumerate() {
        if files[at].naming.is_none()
            && (!others.is_empty() || !names_work && tells_no_document(&files[at], documents))
        {
            told.push((at, others.first().copied()));
        }
    }
    let named: Vec<usize> = told.iter().map(|(at, _)| *at).collect();
    let names =
        short_names(&named.iter().map(|&at| reports[files[at].report].name.as_str()).collect::<Vec<_>>());
    for ((at, other), name) in told.into_iter().zip(names) {
        if let Some(other) = other {
            let other = reports[files[other].report].name.clone();
            let what = format!("ids of it are used in {other}, too: those of this file begin with '{name}:'");
            // Sections of many documents have the same numbers; a standard's own paragraph is no number of many.
            let minor = files[at].rules.as_ref().is_some_and(|rules| rules.set.name == GENERAL);
            reports[files[at].report].add(FileProblem { what, minor, ..FileProblem::default() });
        }
        let naming = Naming::File { name, stem: stem(&reports[files[at].report].name) };
        naming.rename(&mut files[at]);
        files[at].naming = Some(naming);
    }
}

/// The other files of each that use one of its ids. A row that says the same again in another file is no other paragraph.
fn sharing(files: &[FileDrafts]) -> Vec<Vec<usize>> {
    let mut users: HashMap<String, Vec<(usize, &Paragraph)>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        for draft in &file.drafts {
            users.entry(tight(&draft.paragraph.id)).or_default().push((at, &draft.paragraph));
        }
    }
    let mut found = vec![BTreeSet::new(); files.len()];
    for users in users.values().filter(|users| users.len() > 1) {
        let (first, paragraph) = users[0];
        for &(at, other) in &users[1..] {
            let same =
                files[first].rules.is_none() && files[at].rules.is_none() && paragraph.text == other.text;
            if at != first && !same {
                found[first].insert(at);
                found[at].insert(first);
            }
        }
    }
    found.into_iter().map(|others| others.into_iter().collect()).collect()
}

/// Whether a file's ids are numbers of sections that do not tell which document they are of: among several documents, and where
/// much of the text does not stand below such a number.
fn tells_no_document(file: &FileDrafts, documents: usize) -> bool {
    if file.rules.as_ref().is_none_or(|rules| rules.set.name != GENERAL) {
        return false;
    }
    let wholes = || file.drafts.iter().filter(|draft| draft.paragraph.part_of.is_none());
    let numbered = wholes().filter(|draft| bare(&draft.paragraph.id)).count();
    numbered > 0 && (documents > 1 || numbered * 3 < wholes().count() * 2)
}

/// The editions of works that several files hold, where each of them says another one. Reports tell the newest.
fn editions(
    files: &mut [FileDrafts],
    shared: &[Vec<usize>],
    reports: &mut [FileReport],
) -> Vec<(usize, Naming)> {
    let mut works: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate().filter(|(at, _)| !shared[*at].is_empty()) {
        for draft in &file.drafts {
            let Paragraph { id, doc, .. } = &draft.paragraph;
            if of_work(id, doc).is_some() {
                let said = draft.scope.get("edition").filter(|edition| !edition.is_empty());
                let edition = || {
                    said.cloned().or_else(|| edition_of(file, &reports[file.report].name)).unwrap_or_default()
                };
                works.entry(doc.clone()).or_default().entry(at).or_insert_with(edition);
            }
        }
    }
    let mut named: BTreeMap<usize, BTreeMap<String, String>> = BTreeMap::new();
    let (mut told, mut said) = (Vec::new(), Vec::new());
    for (work, editions) in works {
        let distinct: BTreeSet<&String> = editions.values().filter(|edition| !edition.is_empty()).collect();
        if editions.len() < 2 || distinct.len() < editions.len() {
            continue;
        }
        let newest = editions.iter().max_by_key(|(_, edition)| age(edition)).map(|(at, _)| *at);
        for (&at, edition) in &editions {
            named.entry(at).or_default().insert(work.clone(), format!("{work} ({edition})"));
            let newest = newest.filter(|newest| *newest != at && age(&editions[newest]) > age(edition));
            let newest_said =
                newest.map(|newest| format!("{edition}; newer in this base: {}", editions[&newest]));
            said.push((at, newest_said.unwrap_or_else(|| edition.clone())));
            told.push((files[at].report, match newest {
                Some(newest) => format!(
                    "{work} is here in several editions, and this one ({edition}) is not the newest: {} is ({}); ids name the \
                     edition",
                    reports[files[newest].report].name, editions[&newest]
                ),
                None => format!("{work} is here in several editions: the ids of this one name it ({edition})"),
            }));
        }
    }
    told.into_iter().for_each(|(report, what)| reports[report].problem(None, what));
    said.into_iter().for_each(|(at, edition)| files[at].front.edition = edition);
    named.into_iter().map(|(at, works)| (at, Naming::Edition(works))).collect()
}

/// The edition that a file says, or the year of its name.
fn edition_of(file: &FileDrafts, name: &str) -> Option<String> {
    if !file.front.edition.is_empty() {
        return Some(file.front.edition.clone());
    }
    year(&stem(name)).or_else(|| year(&file.front.date)).map(|year| year.to_string())
}

/// What an edition is ordered by: its year, and a revised one after the one that is not.
fn age(edition: &str) -> (u32, bool) {
    (year(edition).unwrap_or(0), edition.to_lowercase().contains("revised"))
}

fn year(text: &str) -> Option<u32> {
    static YEAR: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|\D)((?:19|20)[0-9]{2})(?:\D|$)").ok());
    YEAR.as_ref()?.captures(text)?.get(1)?.as_str().parse().ok()
}

/// The names of files without their endings; with folders and endings where it takes them to tell the files apart.
fn short_names(names: &[&str]) -> Vec<String> {
    let forms: [fn(&str) -> String; 3] = [
        |name| stem(name),
        |name| match name.rsplit_once('/') {
            Some((folders, _)) => format!("{}.{}", folders.replace('/', "."), stem(name)),
            None => stem(name),
        },
        |name| name.replace('/', ".").replace('[', "(").replace(']', ")"),
    ];
    let form = |form: fn(&str) -> String, name: &&str| {
        let mut name = form(name);
        name.truncate(name.floor_char_boundary(MAX_NAME));
        name
    };
    let all = forms.map(|one| names.iter().map(|name| form(one, name)).collect::<Vec<_>>());
    let alone = |form: &[String], at: usize| form.iter().filter(|other| **other == form[at]).count() == 1;
    let name = |at: usize| all.iter().find(|form| alone(form, at)).unwrap_or(&all[2])[at].clone();
    (0..names.len()).map(name).collect()
}
