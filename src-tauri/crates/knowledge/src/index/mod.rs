//! `index.bin`: everything about a generation that can be derived from its paragraphs, ready to be searched.
//!
//! Seven sections: the lines of `paragraphs.jsonl` and their checksum; columns (ids, headings, tags, flags); keys
//! that ids are looked up by; the dictionary with lengths of fields; the link graph in both directions; what was
//! learned from the words (`lsi`), empty where nothing was; postings. The same paragraphs give the same bytes. An
//! index of another version is built again in memory.

mod analysis;
pub(crate) mod bytes;
mod columns;
mod keys;
mod languages;
mod postings;

use self::bytes::{Reader, Unpacked, pack, put_size, put_u64s, unpack};
use crate::error::KnowledgeError;
use crate::graph::Graph;
use crate::ids::IdIndex;
use crate::lsi::Lsi;
use crate::paragraph::Paragraph;

pub(crate) use self::analysis::{QueryWord, has_room, is_compound, places_among, query_words, stems_among};
pub use self::analysis::{Stem, stems};
pub(crate) use self::columns::Columns;
pub(crate) use self::keys::Keys;
pub(crate) use self::postings::{FIELDS, Posting, TEXT, Words};

const MAGIC: &[u8; 8] = b"kb-index";
/// Of the layout and of the analysis of words.
const VERSION: u32 = 0x200 + analysis::ANALYSIS;
const SECTIONS: usize = 7;

/// An index in memory.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) lines: Lines,
    pub(crate) columns: Columns,
    pub(crate) ids: IdIndex,
    pub(crate) words: Words,
    pub(crate) graph: Graph,
    pub(crate) lsi: Option<Lsi>,
}

/// What tells the `paragraphs.jsonl` that an index was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Where each line ends.
    pub(crate) ends: Vec<u64>,
    /// CRC-32 of all of them.
    pub(crate) crc: u32,
}

/// What became of stored bytes.
pub(crate) enum OpenedIndex {
    /// An index.
    Index(Box<Index>),
    /// An index that another version of the program made.
    Other,
    /// No index, or not as it was stored.
    Damaged(&'static str),
}

impl Index {
    /// Builds the index of `paragraphs`; `step` is told the paragraphs done and may stop it.
    pub(crate) fn build(
        lines: Lines,
        paragraphs: &[Paragraph],
        ids: IdIndex,
        mut step: impl FnMut(usize) -> Result<(), KnowledgeError>,
    ) -> Result<Self, KnowledgeError> {
        let mut words = postings::Builder::default();
        for ((position, paragraph), language) in (0..).zip(paragraphs).zip(languages::of_each(paragraphs)) {
            words.add(position, paragraph, language);
            step(position as usize)?;
        }
        let (columns, words) = (Columns::build(paragraphs), words.finish());
        Ok(Self {
            lines,
            lsi: Lsi::learn(&words, words.terms().len(), &columns.wholes()),
            columns,
            words,
            graph: Graph::build(paragraphs, &ids),
            ids,
        })
    }

    /// As stored.
    pub(crate) fn pack(&self) -> Vec<u8> {
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        let [lines, columns, ids, words, graph, lsi, postings] = &mut sections;
        put_size(lines, self.lines.crc as usize);
        put_u64s(lines, &self.lines.ends);
        self.columns.put(columns);
        self.ids.put(ids);
        self.words.put(words);
        postings.extend_from_slice(self.words.packed_postings());
        self.graph.put(graph);
        if let Some(learned) = &self.lsi {
            learned.put(lsi);
        }
        pack(MAGIC, VERSION, &sections)
    }

    /// Reads what [`Index::pack`] wrote.
    pub(crate) fn unpack(mut stored: Vec<u8>) -> OpenedIndex {
        let ranges = match unpack::<SECTIONS>(MAGIC, VERSION, &stored) {
            Unpacked::Whole(ranges) => ranges,
            Unpacked::Other => return OpenedIndex::Other,
            Unpacked::Damaged(what) => return OpenedIndex::Damaged(what),
        };
        let [lines, columns, ids, words, graph, lsi, postings] = ranges;
        let read = || {
            let lines = whole(&stored[lines], Lines::read)?;
            let count = lines.ends.len();
            let columns = whole(&stored[columns], Columns::read).filter(|columns| columns.len() == count)?;
            let words = whole(&stored[words], |from| Words::read(from, postings.len(), count))?;
            let (stems, wholes) = (words.terms().len(), columns.wholes().len());
            Some(Self {
                lines,
                ids: whole(&stored[ids], |from| IdIndex::read(from, count))?,
                graph: whole(&stored[graph], |from| Graph::read(from, count))?,
                lsi: match &stored[lsi] {
                    [] => None,
                    learned => Some(whole(learned, |from| Lsi::read(from, stems, wholes))?),
                },
                columns,
                words,
            })
        };
        let Some(mut index) = read() else { return OpenedIndex::Damaged("a section is malformed") };
        // The last and largest section stays where it is.
        stored.drain(..postings.start);
        index.words.hold(stored);
        OpenedIndex::Index(Box::new(index))
    }
}

impl Lines {
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (crc, ends) = (from.u64()?.try_into().ok()?, from.u64s()?);
        ends.is_sorted().then_some(Self { ends, crc })
    }

    /// Whether these are the lines.
    pub(crate) fn are(&self, stored: &[u8], crc: u32) -> bool {
        self.ends.last().map_or(0, |&end| end) == stored.len() as u64 && self.crc == crc
    }
}

/// Reads the whole of a section.
fn whole<'b, T>(bytes: &'b [u8], read: impl FnOnce(&mut Reader<'b>) -> Option<T>) -> Option<T> {
    let mut from = Reader::new(bytes);
    let found = read(&mut from)?;
    from.done().map(|()| found)
}

#[cfg(test)]
mod tests {
    use super::{Index, Lines, MAGIC, OpenedIndex, SECTIONS, Unpacked, VERSION, pack, unpack};
    use crate::ids::IdIndex;
    use crate::paragraph::{Paragraph, Reference};

    fn sections() -> [Vec<u8>; SECTIONS] {
        let paragraph = |number: usize| Paragraph {
            id: format!("{}.{}", number / 5 + 1, number % 5 + 1),
            title: format!("WorkspaceBases {number}"),
            path: vec!["Stores".to_owned()],
            text: format!("The keeper counts jars and boxes on shelf {number} every {} days.", number % 3),
            tags: vec!["stock".to_owned()],
            refs: vec![Reference { to: "1.1".to_owned(), kind: "related".to_owned() }],
            ..Paragraph::default()
        };
        let paragraphs: Vec<Paragraph> = (0..20).map(paragraph).collect();
        let lines = Lines { ends: (1..=20).map(|line| line * 100).collect(), crc: 7 };
        let ids = IdIndex::build(paragraphs.iter(), Vec::new());
        let stored = Index::build(lines, &paragraphs, ids, |_| Ok(())).unwrap().pack();
        let Unpacked::Whole(ranges) = unpack::<SECTIONS>(MAGIC, VERSION, &stored) else { panic!() };
        ranges.map(|range| stored[range].to_vec())
    }

    /// Everything a search asks.
    fn asked(index: &Index) -> usize {
        let mut seen = 0;
        for position in 0..index.columns.len() {
            let columns = &index.columns;
            seen +=
                columns.id(position).len() + columns.headings(position).len() + columns.tags(position).len();
            seen += columns.name(columns.doc(position)).len() + columns.name(columns.kind(position)).len();
            seen += index.graph.near(position, 3).len() + index.graph.walk(position, 2).len();
        }
        for term in 0..index.words.terms().len() {
            seen += index.words.postings(term).count() + index.words.holding(term).len();
        }
        seen += index.ids.below("1").count();
        seen += usize::from(index.ids.resolve("1.1").is_some());
        let learned = index.lsi.as_ref().and_then(|lsi| lsi.similarities(&[(0, 1.0), (3, 2.0)]));
        seen + learned.map_or(0, Iterator::count)
    }

    /// Whoever forges a file forges its checksums too: then it may say anything, and must still not end the program.
    #[test]
    fn forged_sections_are_refused_or_read_without_a_fault() {
        let sections = sections();
        let (mut refused, mut read) = (0, 0);
        for (at, section) in sections.iter().enumerate() {
            assert!(!section.is_empty(), "section {at}");
            for place in 0..section.len() {
                for change in [0x01, 0x80, 0xff] {
                    let mut forged = sections.clone();
                    forged[at][place] ^= change;
                    if change == 0xff {
                        forged[at].truncate(place);
                    }
                    match Index::unpack(pack(MAGIC, VERSION, &forged)) {
                        OpenedIndex::Index(index) => read += usize::from(asked(&index) < usize::MAX),
                        OpenedIndex::Damaged(_) => refused += 1,
                        OpenedIndex::Other => panic!("the version was not forged"),
                    }
                }
            }
        }
        assert!(refused > 1_000 && read > 1_000, "{refused} {read}");
    }
}
