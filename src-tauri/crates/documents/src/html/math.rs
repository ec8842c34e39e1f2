//! MathML as a formula: the elements that say how it looks, not those that say what it means.

use super::tags::Tag;
use super::tokens::Key;
use super::tree::{Id, Tree};
use crate::formula::{Formula, Scripts, accent, is_brace};
use crate::marks::{is_mark, struck};

/// A formula in one line, and whether elements were met that are not known.
pub(super) fn written(tree: &Tree<'_>, math: Id) -> (String, bool) {
    let mut reader = Reader { tree, unknown: false };
    let text = reader.row(math).written();
    let own = tree.value(math, Key::Alttext).map(str::trim).filter(|text| !text.is_empty());
    match own {
        Some(own) if reader.unknown => (own.replace(is_mark, ""), true),
        _ => (text, reader.unknown),
    }
}

struct Reader<'t, 'a> {
    tree: &'t Tree<'a>,
    unknown: bool,
}

impl Reader<'_, '_> {
    /// The elements in an element.
    fn elements(&self, id: Id) -> Vec<Id> {
        self.tree.children(id).filter(|&child| self.tree.text(child).is_none()).collect()
    }

    fn row(&mut self, id: Id) -> Formula {
        let mut parts: Vec<Formula> = self.elements(id).into_iter().map(|child| self.part(child)).collect();
        if parts.len() == 1 { parts.swap_remove(0) } else { Formula::Row(parts) }
    }

    fn arguments<const N: usize>(&mut self, id: Id) -> [Formula; N] {
        let mut children = self.elements(id).into_iter();
        std::array::from_fn(|_| children.next().map(|child| self.part(child)).unwrap_or_default())
    }

    /// The text in an element on one line.
    fn text(&self, id: Id) -> String {
        fn add(tree: &Tree<'_>, id: Id, out: &mut String) {
            for child in tree.children(id) {
                match tree.text(child) {
                    Some(text) => {
                        let shown: String = text
                            .chars()
                            .filter(|&c| !(is_mark(c) || ('\u{2061}'..='\u{2064}').contains(&c)))
                            .collect();
                        let is_struck = tree.node(child).tag == Tag::S;
                        out.push_str(&if is_struck { struck(&shown) } else { shown });
                    }
                    None => add(tree, child, out),
                }
            }
        }
        let mut out = String::new();
        add(self.tree, id, &mut out);
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn part(&mut self, id: Id) -> Formula {
        let none = Formula::default;
        match self.tree.node(id).tag {
            Tag::Mi => {
                let text = self.text(id);
                if text.chars().count() > 1 { Formula::Word(text) } else { Formula::Text(text) }
            }
            Tag::Mn | Tag::Mo => Formula::Text(self.text(id)),
            Tag::Mtext => Formula::Word(self.text(id)),
            Tag::Ms => Formula::Text(format!("\"{}\"", self.text(id))),
            Tag::Mspace => Formula::Text(" ".into()),
            Tag::Mfrac => {
                let parts = Box::new(self.arguments(id));
                match self.tree.value(id, Key::Linethickness).map(str::trim) {
                    Some("0" | "0px" | "0pt" | "0em" | "0%") => Formula::Stack(parts),
                    _ => Formula::Fraction(parts),
                }
            }
            Tag::Msqrt => Formula::Root(Box::new([none(), self.row(id)])),
            Tag::Mroot => {
                let [radicand, degree] = self.arguments(id);
                Formula::Root(Box::new([degree, radicand]))
            }
            Tag::Msup => {
                let [base, above] = self.arguments(id);
                scripts(base, none(), above)
            }
            Tag::Msub => {
                let [base, below] = self.arguments(id);
                scripts(base, below, none())
            }
            Tag::Msubsup => {
                let [base, below, above] = self.arguments(id);
                scripts(base, below, above)
            }
            Tag::Mmultiscripts => self.multiscripts(id),
            Tag::Munder => {
                let [base, below] = self.arguments(id);
                match accent(&below.written()) {
                    Some('\u{305}') => Formula::Accent(Box::new(base), '\u{332}'),
                    _ if is_brace(&below.written()) => base,
                    _ => Formula::Limits(Box::new([base, below, none()])),
                }
            }
            Tag::Mover => {
                let [base, above] = self.arguments(id);
                match accent(&above.written()) {
                    Some(sign) => Formula::Accent(Box::new(base), sign),
                    _ if is_brace(&above.written()) => base,
                    _ => Formula::Limits(Box::new([base, none(), above])),
                }
            }
            Tag::Munderover => Formula::Limits(Box::new(self.arguments(id))),
            Tag::Mtable => {
                let rows = self.elements(id).into_iter().map(|row| {
                    let mut cells = self.elements(row);
                    if self.tree.node(row).tag == Tag::Mlabeledtr {
                        // Its first cell is the number of the line.
                        let label = 1.min(cells.len());
                        cells.rotate_left(label);
                    }
                    cells.into_iter().map(|cell| self.row(cell)).collect()
                });
                Formula::Matrix(rows.collect())
            }
            Tag::Mfenced => {
                let sign = |key, usual: &str| self.tree.value(id, key).unwrap_or(usual).trim().to_owned();
                let (open, close) = (sign(Key::Open, "("), sign(Key::Close, ")"));
                let separator: String = sign(Key::Separators, ",").chars().take(1).collect();
                let parts = self.elements(id).into_iter().map(|child| self.part(child)).collect();
                Formula::Fenced { open, close, separator, parts }
            }
            Tag::Menclose => {
                let notation = self.tree.value(id, Key::Notation).unwrap_or_default().to_owned();
                let inner = self.row(id);
                match () {
                    () if notation.contains("strike") => Formula::Struck(Box::new(inner)),
                    () if notation.contains("radical") => Formula::Root(Box::new([none(), inner])),
                    () => inner,
                }
            }
            Tag::Maction => {
                let [shown] = self.arguments(id);
                shown
            }
            Tag::Mphantom
            | Tag::Mprescripts
            | Tag::Absent
            | Tag::Malignmark
            | Tag::Maligngroup
            | Tag::Mglyph => none(),
            Tag::Math | Tag::Merror | Tag::Mpadded | Tag::Mrow | Tag::Mstyle | Tag::Mtd | Tag::Semantics => {
                self.row(id)
            }
            // A link or a name around a part.
            Tag::A | Tag::Span => self.row(id),
            _ => {
                self.unknown = true;
                Formula::Word(self.text(id))
            }
        }
    }

    fn multiscripts(&mut self, id: Id) -> Formula {
        let children = self.elements(id);
        let Some((&base, rest)) = children.split_first() else { return Formula::default() };
        let at =
            rest.iter().position(|&one| self.tree.node(one).tag == Tag::Mprescripts).unwrap_or(rest.len());
        let mut pairs = |ids: &[Id]| {
            let (mut below, mut above) = (Vec::new(), Vec::new());
            for (index, &one) in ids.iter().enumerate() {
                if index % 2 == 0 { below.push(self.part(one)) } else { above.push(self.part(one)) }
            }
            [Formula::Row(below), Formula::Row(above)]
        };
        let [below, above] = pairs(&rest[..at]);
        let before = pairs(rest.get(at + 1..).unwrap_or_default());
        Formula::Scripts(Box::new(Scripts { base: self.part(base), below, above, before }))
    }
}

fn scripts(base: Formula, below: Formula, above: Formula) -> Formula {
    let before = [Formula::default(), Formula::default()];
    Formula::Scripts(Box::new(Scripts { base, below, above, before }))
}
