//! What a search asks about many paragraphs, without decoding them: ids, headings, tags, kinds, flags.

use std::collections::HashMap;

use super::bytes::{Lists, Reader, Strings, put_u32s};
use crate::paragraph::Paragraph;

/// One value a paragraph; names are numbers in [`Columns::names`].
#[derive(Debug, Default)]
pub(crate) struct Columns {
    ids: Strings,
    names: Strings,
    docs: Vec<u32>,
    kinds: Vec<u32>,
    titles: Vec<u32>,
    /// Headings above the title, outermost first.
    paths: Lists,
    tags: Lists,
    flags: Vec<u32>,
}

const WITHDRAWN: u32 = 1;
const PART: u32 = 2;

/// Numbers names in the order they are first met.
#[derive(Default)]
struct Names(HashMap<String, u32>, Strings);

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.0.get(name) {
            return known;
        }
        let next = self.1.len() as u32;
        self.0.insert(name.to_owned(), next);
        self.1.push(name);
        next
    }
}

impl Columns {
    pub(crate) fn build(paragraphs: &[Paragraph]) -> Self {
        let (mut columns, mut names) = (Self::default(), Names::default());
        for paragraph in paragraphs {
            columns.ids.push(&paragraph.id);
            columns.docs.push(names.number(&paragraph.doc));
            columns.kinds.push(names.number(&paragraph.kind));
            columns.titles.push(names.number(&paragraph.title));
            columns.paths.push(paragraph.path.iter().map(|heading| names.number(heading)));
            columns.tags.push(paragraph.tags.iter().map(|tag| names.number(tag)));
            let withdrawn = if paragraph.withdrawn { WITHDRAWN } else { 0 };
            columns.flags.push(withdrawn | if paragraph.part_of.is_some() { PART } else { 0 });
        }
        columns.names = names.1;
        columns
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn id(&self, position: usize) -> &str {
        self.ids.get(position)
    }

    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize)
    }

    /// Numbers of the names that `wanted` holds for.
    pub(crate) fn numbers(&self, wanted: impl Fn(&str) -> bool) -> Vec<u32> {
        (0..).zip(self.names.iter()).filter(|(_, name)| wanted(name)).map(|(number, _)| number).collect()
    }

    pub(crate) fn doc(&self, position: usize) -> u32 {
        self.docs[position]
    }

    pub(crate) fn kind(&self, position: usize) -> u32 {
        self.kinds[position]
    }

    pub(crate) fn tags(&self, position: usize) -> &[u32] {
        self.tags.get(position)
    }

    pub(crate) fn title(&self, position: usize) -> &str {
        self.name(self.titles[position])
    }

    /// Headings, outermost first, the paragraph's own title last, without empty ones.
    pub(crate) fn headings(&self, position: usize) -> Vec<u32> {
        let mut headings = self.paths.get(position).to_vec();
        let title = self.titles[position];
        if !self.name(title).is_empty() && headings.last() != Some(&title) {
            headings.push(title);
        }
        headings
    }

    pub(crate) fn withdrawn(&self, position: usize) -> bool {
        self.flags[position] & WITHDRAWN != 0
    }

    pub(crate) fn part(&self, position: usize) -> bool {
        self.flags[position] & PART != 0
    }

    /// Positions of the paragraphs that are no parts.
    pub(crate) fn wholes(&self) -> Vec<u32> {
        (0..self.len() as u32).filter(|&position| !self.part(position as usize)).collect()
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        self.ids.put(out);
        self.names.put(out);
        [&self.docs, &self.kinds, &self.titles, &self.flags].iter().for_each(|column| put_u32s(out, column));
        self.paths.put(out);
        self.tags.put(out);
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (ids, names) = (Strings::read(from)?, Strings::read(from)?);
        let [docs, kinds, titles, flags] = [from.u32s()?, from.u32s()?, from.u32s()?, from.u32s()?];
        let (paths, tags) = (Lists::read(from, names.len())?, Lists::read(from, names.len())?);
        let count = ids.len();
        let lengths = [docs.len(), kinds.len(), titles.len(), flags.len(), paths.len(), tags.len()];
        lengths.iter().all(|&length| length == count).then_some(Self {
            ids,
            names,
            docs,
            kinds,
            titles,
            paths,
            tags,
            flags,
        })
    }
}
