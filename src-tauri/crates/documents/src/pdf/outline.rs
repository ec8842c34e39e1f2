//! Bookmarks: the document's own list of its headings.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hayro_font::hayro_syntax::object::Dict;

use super::strings;

/// Most bookmarks read.
const MAX_ENTRIES: usize = 50_000;
const MAX_DEPTH: u8 = 16;

/// Titles and their levels, in the order of the document.
#[derive(Debug, Default)]
pub(super) struct Outline {
    levels: BTreeMap<String, VecDeque<u8>>,
}

impl Outline {
    pub fn read(root: Option<&Dict<'_>>) -> Self {
        let mut outline = Self::default();
        let Some(first) = root.and_then(|root| root.get::<Dict<'_>>("Outlines")?.get::<Dict<'_>>("First"))
        else {
            return outline;
        };
        let mut seen = BTreeSet::new();
        let mut stack = vec![(first, 1_u8)];
        while let Some((entry, level)) = stack.pop() {
            if !seen.insert(entry.data().as_ptr() as usize) || seen.len() > MAX_ENTRIES {
                continue;
            }
            if let Some(title) = strings::text(&entry, "Title") {
                let key = key(&title);
                if !key.is_empty() {
                    outline.levels.entry(key).or_default().push_back(level);
                }
            }
            if let Some(next) = entry.get::<Dict<'_>>("Next") {
                stack.push((next, level));
            }
            if let Some(child) = entry.get::<Dict<'_>>("First").filter(|_| level < MAX_DEPTH) {
                stack.push((child, level + 1));
            }
        }
        outline
    }

    /// The level of the next heading of one of these words; each bookmark serves once, unless it is the last of its
    /// words.
    pub fn level(&mut self, words: &[String]) -> Option<u8> {
        let key = words.iter().find_map(|words| self.key(words))?;
        let levels = self.levels.get_mut(&key)?;
        if levels.len() > 1 { levels.pop_front() } else { levels.front().copied() }
    }

    /// The bookmark of these words; of many words, one that begins with them, too.
    fn key(&self, words: &str) -> Option<String> {
        let wanted = key(words);
        let (found, _) = self.levels.range(wanted.clone()..).next()?;
        (*found == wanted || wanted.len() >= 40 && found.starts_with(&wanted)).then(|| found.clone())
    }

    /// The level of the next heading of one of these words, without using it up.
    pub fn peek(&self, words: &[String]) -> Option<u8> {
        words.iter().find_map(|words| self.levels.get(&key(words)))?.front().copied()
    }
}

/// Letters and digits only: bookmarks and headings differ in spaces and dashes.
fn key(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
