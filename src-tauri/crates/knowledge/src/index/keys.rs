//! Keys with the positions they stand for, as ids are looked up.

use super::bytes::{Lists, Reader, Strings};

/// Sorted keys, each with the positions it stands for.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    keys: Strings,
    positions: Lists,
}

impl Keys {
    pub(crate) fn new<P: IntoIterator<Item = u32>>(entries: impl IntoIterator<Item = (String, P)>) -> Self {
        let mut entries: Vec<(String, P)> = entries.into_iter().collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut table = Self::default();
        for (key, positions) in entries {
            table.keys.push(&key);
            table.positions.push(positions);
        }
        table
    }

    pub(crate) fn get(&self, key: &str) -> Option<&[u32]> {
        self.keys.find(key).map(|row| self.positions.get(row)).filter(|list| !list.is_empty())
    }

    /// Keys with the first of their positions, sorted, those that begin with `prefix`.
    pub(crate) fn beginning<'k>(&'k self, prefix: &'k str) -> impl Iterator<Item = (&'k str, u32)> {
        let start = self.keys.partition(|key| key < prefix);
        (start..self.keys.len())
            .map(|row| (row, self.keys.get(row)))
            .take_while(move |(_, key)| key.starts_with(prefix))
            .filter_map(|(row, key)| Some((key, *self.positions.get(row).first()?)))
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        self.keys.put(out);
        self.positions.put(out);
    }

    pub(crate) fn read(from: &mut Reader<'_>, paragraphs: usize) -> Option<Self> {
        let table = Self { keys: Strings::read(from)?, positions: Lists::read(from, paragraphs)? };
        (table.keys.len() == table.positions.len()).then_some(table)
    }
}
