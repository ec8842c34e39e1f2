//! The end of elements, by their end tags and by what begins.

use std::borrow::Cow;

use super::{Builder, MAX_DEPTH, Open, counts_beyond};
use crate::html::tags::Tag;

impl<'a> Builder<'a, '_> {
    /// Closes what the start of `tag` closes; false when the tag itself is to be ignored.
    pub(super) fn close_implied(&mut self, tag: Tag) -> bool {
        use Tag::*;
        match tag {
            Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Colgroup => {
                let Some(table) = self.stack.iter().rposition(|open| matches!(open.tag, Table | Template))
                else {
                    return false;
                };
                let closes = |open: Tag| match tag {
                    Td | Th => matches!(open, Td | Th | Caption),
                    Tr => matches!(open, Td | Th | Tr | Caption),
                    _ => true,
                };
                if let Some(at) = (table + 1..self.stack.len()).find(|&at| closes(self.stack[at].tag)) {
                    self.pop_to(at);
                }
                return true;
            }
            Table
                if self
                    .stack
                    .last()
                    .is_some_and(|open| matches!(open.tag, Table | Tbody | Thead | Tfoot | Tr)) =>
            {
                if let Some(at) = self.stack.iter().rposition(|open| open.tag == Table) {
                    self.pop_to(at);
                }
            }
            A => {
                if let Some(at) = self.find(|open| open.tag == A, Tag::is_scope) {
                    self.remove(at);
                }
            }
            Button => {
                if let Some(at) = self.find(|open| open.tag == Button, Tag::is_scope) {
                    self.pop_to(at);
                }
            }
            Option | Optgroup if self.stack.last().is_some_and(|open| open.tag == Option) => {
                self.pop_to(self.stack.len() - 1);
            }
            Li => self.close_item(&[Li]),
            Dd | Dt => self.close_item(&[Dd, Dt]),
            _ => {}
        }
        if self.mathematics > 0 && tag.is_block() {
            // No text of the page stands in a formula.
            if let Some(at) = self.stack.iter().position(|open| open.tag == Math) {
                self.pop_to(at);
            }
        }
        if tag.ends_paragraph() {
            self.close_paragraph();
        }
        if tag.heading().is_some() && self.stack.last().is_some_and(|open| open.tag.heading().is_some()) {
            self.pop_to(self.stack.len() - 1);
        }
        true
    }

    pub(super) fn close_paragraph(&mut self) {
        if self.paragraphs > 0
            && let Some(at) = self.find(|open| open.tag == Tag::P, Tag::is_scope)
        {
            self.pop_to(at);
        }
    }

    fn close_item(&mut self, tags: &[Tag]) {
        let stops = |tag: Tag| {
            !tags.contains(&tag)
                && (tag.is_scope() || tag.is_block())
                && !matches!(tag, Tag::Address | Tag::Div | Tag::P)
        };
        if let Some(at) = self.find(|open| tags.contains(&open.tag), stops) {
            self.pop_to(at);
        }
    }

    /// The innermost open element that `is` it, unless one that `stops` comes first.
    fn find(&self, is: impl Fn(&Open<'_>) -> bool, stops: impl Fn(Tag) -> bool) -> Option<usize> {
        for (at, open) in self.stack.iter().enumerate().rev() {
            if is(open) {
                return Some(at);
            }
            if stops(open.tag) {
                return None;
            }
        }
        None
    }

    pub(super) fn end(&mut self, tag: Tag, name: &'a str, line: u32) {
        use Tag::*;
        if matches!(tag, Html | Head | Body) {
            return;
        }
        if tag == Br {
            self.start(Br, name, Vec::new(), false, line);
            return;
        }
        if matches!(tag, Select | Optgroup) {
            if self.stack.last().is_some_and(|open| open.tag == Option) {
                self.pop_to(self.stack.len() - 1);
            }
            self.text(Cow::Borrowed(" "), line);
        }
        if self.beyond > 0 {
            self.separate(tag, line);
            self.beyond -= usize::from(counts_beyond(tag));
            self.beyond_hides &= self.beyond > 0;
            return;
        }
        let same = |open: &Open<'_>| {
            open.tag == tag && (tag != Other || open.name.eq_ignore_ascii_case(name))
                || (tag.heading().is_some() && open.tag.heading().is_some())
        };
        let found = match tag {
            Table | Template => self.find(same, |open| open == Template),
            Td | Th | Tr | Tbody | Thead | Tfoot | Caption => {
                self.find(same, |open| matches!(open, Table | Template))
            }
            Li => self.find(same, |open| open.is_scope() || matches!(open, Ul | Ol)),
            _ if tag.is_block() || tag.is_scope() || tag.is_formatting() => self.find(same, Tag::is_scope),
            _ => self.find(same, |open| open.is_scope() || open.is_block()),
        };
        match found {
            Some(at) if tag.is_formatting() => self.remove(at),
            Some(at) => self.pop_to(at),
            None => {
                let same = |one: &&str| one.eq_ignore_ascii_case(name);
                if let Some(at) = self.sticky.iter().rposition(same) {
                    self.sticky.remove(at);
                } else if let Some(at) = self.sticky_struck.iter().rposition(same) {
                    self.sticky_struck.remove(at);
                }
            }
        }
    }

    /// Closes the element at `at` and all inside of it.
    pub(super) fn pop_to(&mut self, at: usize) {
        let quotations = self.stack.iter().skip(at).filter(|open| open.quotes).count();
        if quotations > 0 {
            let line = self.tokens.line();
            self.text(Cow::Owned("”".repeat(quotations)), line);
        }
        for (index, open) in self.stack.split_off(at).into_iter().enumerate() {
            self.closed(&open);
            let again = index > 0 && open.tag.is_formatting();
            if again && open.hides && self.sticky.len() < MAX_DEPTH {
                self.sticky.push(open.name);
            } else if again && open.strikes && self.sticky_struck.len() < MAX_DEPTH {
                self.sticky_struck.push(open.name);
            }
        }
    }

    /// Closes the element at `at` alone: a formatting element may end in the middle of a block.
    fn remove(&mut self, at: usize) {
        let open = self.stack.remove(at);
        self.closed(&open);
    }
}
