//! An expression as it was written, and how it is written out.

use std::fmt::{self, Write as _};

use super::token::{Word, in_name, starts_name};
use crate::mistake::Span;

/// A part of an expression. Two are equal when they say the same, wherever they stand.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub at: Span,
    /// How deep it goes: one more than the deepest of its parts.
    pub depth: usize,
    pub kind: Kind,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Number(f64),
    Text(String),
    Name {
        name: String,
        quoted: bool,
    },
    /// Two or more.
    List(Vec<Node>),
    Negate(Box<Node>),
    Not(Box<Node>),
    Arithmetic(Box<Node>, Arithmetic, Box<Node>),
    /// Two or more.
    And(Vec<Node>),
    /// Two or more.
    Or(Vec<Node>),
    /// `a < b <= c` is `a < b and b <= c`.
    Compare(Box<Node>, Vec<(Relation, Node)>),
    In {
        item: Box<Node>,
        list: Box<Node>,
        negated: bool,
    },
    If(Box<[Node; 3]>),
    Of {
        name: String,
        quoted: bool,
        of: Box<Node>,
    },
    Call {
        name: String,
        args: Vec<Node>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

impl Arithmetic {
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "mod",
            Self::Power => "^",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    Unequal,
    Matches,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Relation {
    pub const ALL: [Self; 7] =
        [Self::Equal, Self::Unequal, Self::Matches, Self::Less, Self::AtMost, Self::More, Self::AtLeast];

    pub fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Matches => "~=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// How closely parts hold together, from the loosest.
const IF: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const IN: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const UNARY: u8 = 7;
const POWER: u8 = 8;
const ATOM: u8 = 9;

impl Node {
    fn level(&self) -> u8 {
        match &self.kind {
            Kind::If(_) => IF,
            Kind::Or(_) => OR,
            Kind::And(_) => AND,
            Kind::In { .. } => IN,
            Kind::Compare(..) => COMPARE,
            Kind::Arithmetic(_, Arithmetic::Add | Arithmetic::Subtract, _) => SUM,
            Kind::Arithmetic(_, Arithmetic::Power, _) => POWER,
            Kind::Arithmetic(..) => PRODUCT,
            Kind::Negate(_) | Kind::Not(_) => UNARY,
            Kind::Number(_)
            | Kind::Text(_)
            | Kind::Name { .. }
            | Kind::List(_)
            | Kind::Of { .. }
            | Kind::Call { .. } => ATOM,
        }
    }

    /// Writes it, in parentheses where it holds together less closely than it has to here.
    fn write(&self, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.level() < least {
            f.write_char('(')?;
            self.write(IF, f)?;
            return f.write_char(')');
        }
        match &self.kind {
            Kind::Number(number) => write!(f, "{number}"),
            Kind::Text(text) => in_quotes(text, '"', f),
            Kind::Name { name, quoted } => named(name, *quoted, f),
            Kind::List(items) => {
                f.write_char('(')?;
                separated(items, ", ", IF, f)?;
                f.write_char(')')
            }
            Kind::Negate(node) => {
                f.write_char('-')?;
                node.write(UNARY, f)
            }
            Kind::Not(node) => {
                f.write_str("not ")?;
                node.write(UNARY, f)
            }
            Kind::Arithmetic(left, sign, right) => {
                let level = self.level();
                // A power takes the rest to its right; the others group to the left.
                let (first, second) =
                    if *sign == Arithmetic::Power { (ATOM, UNARY) } else { (level, level + 1) };
                left.write(first, f)?;
                write!(f, " {} ", sign.sign())?;
                right.write(second, f)
            }
            Kind::And(items) => separated(items, " and ", AND + 1, f),
            Kind::Or(items) => separated(items, " or ", OR + 1, f),
            Kind::Compare(first, rest) => {
                first.write(SUM, f)?;
                for (relation, node) in rest {
                    write!(f, " {} ", relation.sign())?;
                    node.write(SUM, f)?;
                }
                Ok(())
            }
            Kind::In { item, list, negated } => {
                item.write(IN, f)?;
                f.write_str(if *negated { " not in " } else { " in " })?;
                list.write(COMPARE, f)
            }
            Kind::If(parts) => {
                f.write_str("if ")?;
                parts[0].write(IF, f)?;
                f.write_str(" then ")?;
                parts[1].write(IF, f)?;
                f.write_str(" else ")?;
                parts[2].write(IF, f)
            }
            Kind::Of { name, quoted, of } => {
                named(name, *quoted, f)?;
                f.write_str(" of ")?;
                of.write(ATOM, f)
            }
            Kind::Call { name, args } => {
                named(name, !is_name(name), f)?;
                f.write_char('(')?;
                separated(args, ", ", IF, f)?;
                f.write_char(')')
            }
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(IF, f)
    }
}

fn separated(nodes: &[Node], by: &str, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            f.write_str(by)?;
        }
        node.write(least, f)?;
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    name.starts_with(starts_name) && name.chars().all(in_name) && Word::from_name(name).is_none()
}

fn named(name: &str, quoted: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if quoted { in_quotes(name, '\'', f) } else { f.write_str(name) }
}

fn in_quotes(text: &str, quote: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char(quote)?;
    for c in text.chars() {
        if c == quote || c == '\\' {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    f.write_char(quote)
}
