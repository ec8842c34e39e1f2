//! Which paragraphs hold a stem, in which fields and how often.

use text_analysis::{Language, Languages};

use super::analysis::Vocabulary;
use super::bytes::{Reader, Strings, put_size, put_u32s, put_u64s, put_varint};
use crate::paragraph::Paragraph;

/// What of a paragraph is searched, in the order of the counts of a [`Posting`]: title and text as one, headings,
/// tags. Measured: a title with lengths and rarities of its own harms whoever looks for a known paragraph.
pub(crate) const FIELDS: usize = 3;
/// Title and text among the fields.
pub(crate) const TEXT: usize = 0;

/// A paragraph that holds a stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    /// Its position in the base.
    pub(crate) position: u32,
    /// How often each field holds the stem.
    pub(crate) counts: [u32; FIELDS],
}

/// The inverted index over whole paragraphs; parts are searched through their wholes.
#[derive(Debug, Default)]
pub(crate) struct Words {
    terms: Strings,
    /// Where the postings of each term end.
    ends: Vec<u64>,
    /// Paragraphs whose field holds the term, for each term and field.
    holding: Vec<u32>,
    /// Stems in each field, for each position in the base.
    lengths: Vec<u32>,
    /// The number of the language of each position in the base.
    languages: Vec<u32>,
    /// Paragraphs that are searched.
    pub(crate) searched: u32,
    /// Stems in each field of all of them.
    pub(crate) totals: [u64; FIELDS],
    postings: Vec<u8>,
}

/// Collects postings while paragraphs are met in order.
#[derive(Default)]
pub(crate) struct Builder {
    vocabulary: Vocabulary,
    terms: Vec<Term>,
    lengths: Vec<u32>,
    languages: Vec<u32>,
    searched: u32,
    met: Vec<(u32, u8)>,
}

#[derive(Default)]
struct Term {
    last: u32,
    holding: [u32; FIELDS],
    postings: Vec<u8>,
}

impl Builder {
    /// Adds the next paragraph, which is in a language.
    pub(crate) fn add(&mut self, position: u32, paragraph: &Paragraph, language: Language) {
        self.languages.push(u32::from(language.number()));
        if paragraph.part_of.is_some() {
            self.lengths.extend([0; FIELDS]);
            return;
        }
        self.searched += 1;
        let (path, tags) = (paragraph.path.join(" "), paragraph.tags.join(" "));
        let path = format!("{path} {}", paragraph.context);
        let fields: [&[&str]; FIELDS] = [&[&paragraph.title, &paragraph.text], &[&path], &[&tags]];
        self.met.clear();
        for (field, texts) in (0..).zip(fields) {
            let mut length = 0;
            for text in texts {
                self.vocabulary.numbers(text, language, |number, counts| {
                    self.met.push((number, field));
                    length += u32::from(counts);
                });
            }
            self.lengths.push(length);
        }
        self.met.sort_unstable();
        for same in self.met.chunk_by(|a, b| a.0 == b.0) {
            let number = same[0].0 as usize;
            if number >= self.terms.len() {
                self.terms.resize_with(number + 1, Term::default);
            }
            let mut counts = [0; FIELDS];
            same.iter().for_each(|&(_, field)| counts[usize::from(field)] += 1);
            self.terms[number].add(Posting { position, counts });
        }
    }

    pub(crate) fn finish(self) -> Words {
        let Self { lengths, languages, searched, .. } = self;
        let mut words = Words { lengths, languages, searched, ..Words::default() };
        for (stem, number) in self.vocabulary.sorted() {
            let Some(term) = self.terms.get(number as usize) else { continue };
            words.terms.push(&stem);
            words.postings.extend_from_slice(&term.postings);
            words.ends.push(words.postings.len() as u64);
            words.holding.extend(term.holding);
        }
        words.sum();
        words
    }
}

impl Term {
    /// The distance to the posting before, and in its two lowest bits what follows: 0 nothing (the text holds
    /// the stem once), 1 the text's count, 2 a byte that names the fields and the count of each of them.
    fn add(&mut self, posting: Posting) {
        let distance = posting.position - self.last;
        self.last = posting.position;
        let mask = (0..FIELDS).fold(0, |mask, field| mask | u8::from(posting.counts[field] > 0) << field);
        let code = match (mask, posting.counts[TEXT]) {
            (1, 1) => 0,
            (1, _) => 1,
            _ => 2,
        };
        put_varint(&mut self.postings, distance << 2 | code);
        match code {
            0 => {}
            1 => put_varint(&mut self.postings, posting.counts[TEXT]),
            _ => {
                self.postings.push(mask);
                let counts = posting.counts.into_iter().filter(|&count| count > 0);
                counts.for_each(|count| put_varint(&mut self.postings, count));
            }
        }
        for (holding, count) in self.holding.iter_mut().zip(posting.counts) {
            *holding += u32::from(count > 0);
        }
    }
}

impl Words {
    fn sum(&mut self) {
        self.totals = [0; FIELDS];
        for lengths in self.lengths.as_chunks::<FIELDS>().0 {
            for (total, &length) in self.totals.iter_mut().zip(lengths) {
                *total += u64::from(length);
            }
        }
    }

    pub(crate) fn term(&self, stem: &str) -> Option<usize> {
        self.terms.find(stem)
    }

    /// The numbers of the stems that begin so.
    pub(crate) fn beginning<'w>(&'w self, with: &'w str) -> impl Iterator<Item = usize> {
        let start = self.terms.partition(|term| term < with);
        (start..self.terms.len()).take_while(move |&term| self.terms.get(term).starts_with(with))
    }

    /// Every stem, sorted.
    pub(crate) fn terms(&self) -> &Strings {
        &self.terms
    }

    /// Paragraphs that hold the term in each field.
    pub(crate) fn holding(&self, term: usize) -> [u32; FIELDS] {
        self.holding.as_chunks::<FIELDS>().0.get(term).copied().unwrap_or_default()
    }

    /// Stems in each field of a paragraph.
    pub(crate) fn lengths(&self, position: usize) -> [u32; FIELDS] {
        self.lengths.as_chunks::<FIELDS>().0.get(position).copied().unwrap_or_default()
    }

    /// The language of a paragraph.
    pub(crate) fn language(&self, position: usize) -> Language {
        let number = self.languages.get(position).and_then(|&number| u8::try_from(number).ok());
        number.and_then(Language::from_number).unwrap_or(Language::ENGLISH)
    }

    /// The languages of the paragraphs, the commonest first.
    pub(crate) fn languages(&self) -> Languages {
        let mut counts = [0_u32; 256];
        self.languages.iter().for_each(|&number| counts[number as usize & 0xff] += 1);
        let mut all: Vec<(u32, Language)> = Language::all()
            .map(|one| (counts[usize::from(one.number())], one))
            .filter(|(count, _)| *count > 0)
            .collect();
        all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        all.into_iter().map(|(_, one)| one).collect()
    }

    /// The postings of a term, positions ascending.
    pub(crate) fn postings(&self, term: usize) -> Postings<'_> {
        let end = self.ends.get(term).map_or(0, |&end| end as usize);
        let start =
            term.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        Postings { from: Reader::new(self.postings.get(start..end).unwrap_or(&[])), position: 0 }
    }

    /// The dictionary and the lengths.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        self.terms.put(out);
        put_u64s(out, &self.ends);
        put_u32s(out, &self.holding);
        put_u32s(out, &self.lengths);
        put_u32s(out, &self.languages);
        put_size(out, self.searched as usize);
    }

    /// Takes the postings that [`Words::packed_postings`] gave.
    pub(crate) fn hold(&mut self, postings: Vec<u8>) {
        self.postings = postings;
    }

    pub(crate) fn packed_postings(&self) -> &[u8] {
        &self.postings
    }

    /// All but the postings, of which there are so many bytes; `paragraphs` is how many the base has.
    pub(crate) fn read(from: &mut Reader<'_>, postings: usize, paragraphs: usize) -> Option<Self> {
        let mut words = Self {
            terms: Strings::read(from)?,
            ends: from.u64s()?,
            holding: from.u32s()?,
            lengths: from.u32s()?,
            languages: from.u32s()?,
            searched: from.size()?.try_into().ok()?,
            totals: [0; FIELDS],
            postings: Vec::new(),
        };
        let fits = words.ends.len() == words.terms.len()
            && words.ends.last().map_or(0, |&end| end) == postings as u64
            && words.ends.is_sorted()
            && words.holding.len() == words.terms.len() * FIELDS
            && words.lengths.len() == paragraphs * FIELDS
            && words.languages.len() == paragraphs
            && words.searched as usize <= paragraphs;
        words.sum();
        fits.then_some(words)
    }
}

/// Reads postings one after the other.
pub(crate) struct Postings<'b> {
    from: Reader<'b>,
    position: u32,
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let head = self.from.varint()?;
        self.position = self.position.checked_add(head >> 2)?;
        let mut counts = [0; FIELDS];
        match head & 3 {
            0 => counts[TEXT] = 1,
            1 => counts[TEXT] = self.from.varint()?,
            _ => {
                let mask = self.from.u8()?;
                for (field, count) in counts.iter_mut().enumerate() {
                    if mask >> field & 1 == 1 {
                        *count = self.from.varint()?;
                    }
                }
            }
        }
        Some(Posting { position: self.position, counts })
    }
}
