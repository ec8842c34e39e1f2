//! The numbers of pages in a table of contents.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::flow::Part;
use crate::fonts::Fonts;
use crate::pages::{Layout, Placed};
use crate::style::{self, LEFT, WIDTH};
use docx::HeadingLevel;

/// The space beside the dots.
const GAP: f32 = 5.0;

/// The page of each heading, from 1, by the heading's index.
pub(crate) fn pages(layout: &Layout) -> BTreeMap<usize, usize> {
    let mut pages = BTreeMap::new();
    for (number, page) in layout.pages.iter().enumerate() {
        for (placed, _) in &page.items {
            if let Placed::Text(index) = placed
                && let Some(heading) = layout.items.get(*index).and_then(|item| item.heading)
            {
                pages.insert(heading, number + 1);
            }
        }
    }
    pages
}

/// Writes the number of its heading's page at the end of each line of contents, with dots before it.
pub(crate) fn number(layout: &mut Layout, fonts: &mut Fonts) {
    let pages = pages(layout);
    let look = style::entry(HeadingLevel::First);
    let Some(dot) = fonts.line_of(".", &look).map(|line| line.width) else { return };
    for item in &mut layout.items {
        let Some(page) = item.entry.and_then(|heading| pages.get(&heading)) else { continue };
        let Some(number) = fonts.line_of(&page.to_string(), &look).map(Rc::new) else { continue };
        let right = LEFT + WIDTH - number.width;
        let (end, tag) = item
            .parts
            .iter()
            .find_map(|part| match part {
                Part::Line { x, line, tag, .. } => Some((x + line.width, *tag)),
                Part::Fill { .. } => None,
            })
            .unwrap_or((LEFT, None));
        // Dots stand on one grid, so that they are below each other.
        let step = dot * 2.0;
        let first = ((end + GAP) / step).ceil() * step;
        let count = ((right - GAP - first) / step).floor().max(0.0) as usize;
        let dots = ". ".repeat(count);
        if let Some(line) = fonts.spaced(dots.trim_end(), &look, step) {
            item.parts.push(Part::Line { x: first, y: 0.0, line: Rc::new(line), tag: None });
        }
        item.parts.push(Part::Line { x: right, y: 0.0, line: number, tag });
    }
}
