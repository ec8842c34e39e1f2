//! An expression with its names resolved: what evaluation and compilation work on.

use regex::Regex;

use super::names::{Field, Function};
use super::tree::{Arithmetic, Relation};
use super::value::Value;

#[derive(Debug, Clone)]
pub(crate) enum Op {
    Value(Value<'static>),
    Field(Field),
    List(Vec<Op>),
    Negate(Box<Op>),
    Not(Box<Op>),
    Arithmetic(Box<Op>, Arithmetic, Box<Op>),
    And(Vec<Op>),
    Or(Vec<Op>),
    Compare(Box<Op>, Vec<Step>),
    In {
        item: Box<Op>,
        list: Box<Op>,
        negated: bool,
    },
    If(Box<[Op; 3]>),
    Call(Function, Vec<Op>),
    /// `matches`: its pattern is compiled.
    Matches(Box<Op>, Regex),
}

/// One relation of a chain and what it leads to.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub relation: Relation,
    /// The compiled pattern of `~=`.
    pub pattern: Option<Regex>,
    pub right: Op,
}

impl Op {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Value(Value::Text(text.into().into()))
    }

    pub fn number(number: f64) -> Self {
        Self::Value(Value::Number(number))
    }

    pub fn compare(self, relation: Relation, right: Self) -> Self {
        Self::Compare(Box::new(self), vec![Step { relation, pattern: None, right }])
    }

    /// Whether it has the same value for every session.
    pub fn is_fixed(&self) -> bool {
        match self {
            Self::Value(_) => true,
            Self::Field(_) | Self::Call(Function::HasLabel | Function::LabelValue, _) => false,
            Self::List(items) | Self::And(items) | Self::Or(items) | Self::Call(_, items) => {
                items.iter().all(Self::is_fixed)
            }
            Self::Negate(op) | Self::Not(op) | Self::Matches(op, _) => op.is_fixed(),
            Self::Arithmetic(left, _, right) => left.is_fixed() && right.is_fixed(),
            Self::Compare(first, steps) => first.is_fixed() && steps.iter().all(|step| step.right.is_fixed()),
            Self::In { item, list, .. } => item.is_fixed() && list.is_fixed(),
            Self::If(parts) => parts.iter().all(Self::is_fixed),
        }
    }
}
