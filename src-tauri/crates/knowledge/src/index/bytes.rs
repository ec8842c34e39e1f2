//! Little-endian bytes of the stored index: numbers, string tables, lists, and a container of checked sections.
//!
//! Reading returns `None` for whatever is cut short or contradicts itself; nothing here panics on any input.

/// What is read, and how far.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(crate) fn size(&mut self) -> Option<usize> {
        self.u64()?.try_into().ok()
    }

    /// Seven bits a byte, the lowest first.
    pub(crate) fn varint(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(crate) fn u32s(&mut self) -> Option<Vec<u32>> {
        let count = self.size()?;
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|&four| u32::from_le_bytes(four)).collect())
    }

    pub(crate) fn u64s(&mut self) -> Option<Vec<u64>> {
        let count = self.size()?;
        let bytes = self.take(count.checked_mul(8)?)?;
        Some(bytes.as_chunks::<8>().0.iter().map(|&eight| u64::from_le_bytes(eight)).collect())
    }

    /// Nothing may be left over.
    pub(crate) fn done(&self) -> Option<()> {
        (self.at == self.bytes.len()).then_some(())
    }
}

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn put_size(out: &mut Vec<u8>, size: usize) {
    out.extend_from_slice(&(size as u64).to_le_bytes());
}

pub(crate) fn put_u32s(out: &mut Vec<u8>, values: &[u32]) {
    put_size(out, values.len());
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

pub(crate) fn put_u64s(out: &mut Vec<u8>, values: &[u64]) {
    put_size(out, values.len());
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

/// Strings by number, in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Strings {
    ends: Vec<u64>,
    text: String,
}

impl Strings {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len() as u64);
    }

    /// The string of that number; empty when there is none.
    pub(crate) fn get(&self, number: usize) -> &str {
        let Some(&end) = self.ends.get(number) else { return "" };
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        (0..self.len()).map(|number| self.get(number))
    }

    /// The first of sorted strings that `before` does not hold for.
    pub(crate) fn partition(&self, before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.get(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The number of a string, where the strings are sorted.
    pub(crate) fn find(&self, string: &str) -> Option<usize> {
        let at = self.partition(|one| one < string);
        (at < self.len() && self.get(at) == string).then_some(at)
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_u64s(out, &self.ends);
        put_size(out, self.text.len());
        out.extend_from_slice(self.text.as_bytes());
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let ends = from.u64s()?;
        let length = from.size()?;
        let text = std::str::from_utf8(from.take(length)?).ok()?.to_owned();
        (ends.last().is_none_or(|&end| end == length as u64) && ends.is_sorted())
            .then_some(Self { ends, text })
    }
}

/// A list of numbers for each of many rows, in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    ends: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.values.extend(row);
        self.ends.push(self.values.len() as u32);
    }

    /// The list of a row; empty when there is no such row.
    pub(crate) fn get(&self, row: usize) -> &[u32] {
        let Some(&end) = self.ends.get(row) else { return &[] };
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.values.get(start as usize..end as usize).unwrap_or(&[])
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_u32s(out, &self.ends);
        put_u32s(out, &self.values);
    }

    /// Lists whose every value is below `bound`.
    pub(crate) fn read(from: &mut Reader<'_>, bound: usize) -> Option<Self> {
        let (ends, values) = (from.u32s()?, from.u32s()?);
        let fits = ends.last().map_or(0, |&end| end as usize) == values.len() && ends.is_sorted();
        (fits && values.iter().all(|&value| (value as usize) < bound)).then_some(Self { ends, values })
    }
}

/// Sections one after the other behind a header that says their lengths and checksums:
/// magic, version (u32), count (u32), for each section its CRC-32 (u32) and length (u64), the CRC-32 of all that.
pub(crate) fn pack(magic: &[u8; 8], version: u32, sections: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + sections.iter().map(|one| one.len() + 12).sum::<usize>());
    out.extend_from_slice(magic);
    out.extend_from_slice(&version.to_le_bytes());
    out.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    for section in sections {
        out.extend_from_slice(&crc32fast::hash(section).to_le_bytes());
        put_size(&mut out, section.len());
    }
    out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
    sections.iter().for_each(|section| out.extend_from_slice(section));
    out
}

/// What a container turned out to be.
pub(crate) enum Unpacked<const N: usize> {
    /// Sections as they were packed.
    Whole([std::ops::Range<usize>; N]),
    /// Of a version that this program does not write.
    Other,
    /// Not what was packed.
    Damaged(&'static str),
}

/// The sections of a container, each found to be as it was packed.
pub(crate) fn unpack<const N: usize>(magic: &[u8; 8], version: u32, bytes: &[u8]) -> Unpacked<N> {
    let mut from = Reader::new(bytes);
    if from.take(8) != Some(magic) {
        return Unpacked::Damaged("it does not begin as such a file does");
    }
    match from.u32() {
        Some(found) if found != version => return Unpacked::Other,
        Some(_) => {}
        None => return Unpacked::Damaged("it is cut short"),
    }
    let Some(sections) = section_table::<N>(&mut from) else {
        return Unpacked::Damaged("its header is not as written");
    };
    let mut ranges = std::array::from_fn(|_| 0..0);
    for (range, (crc, length)) in ranges.iter_mut().zip(sections) {
        let start = from.at;
        let Some(section) = from.take(length) else { return Unpacked::Damaged("it is cut short") };
        if crc32fast::hash(section) != crc {
            return Unpacked::Damaged("a section is not as written");
        }
        *range = start..start + length;
    }
    if from.done().is_none() {
        return Unpacked::Damaged("something was added at its end");
    }
    Unpacked::Whole(ranges)
}

fn section_table<const N: usize>(from: &mut Reader<'_>) -> Option<[(u32, usize); N]> {
    if from.u32()? as usize != N {
        return None;
    }
    let mut sections = [(0, 0); N];
    for section in &mut sections {
        *section = (from.u32()?, from.size()?);
    }
    let header = crc32fast::hash(from.bytes.get(..from.at)?);
    (from.u32()? == header).then_some(sections)
}
