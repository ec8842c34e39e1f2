//! The language of views: filtrex expressions over what is known of a session.
//!
//! Text to tree (`parse`), tree to resolved operations (`check`), and those to an answer (`eval`) or to a condition for
//! SQLite (`sql`). The help page on views is its reference.

mod check;
mod complete;
mod eval;
mod facts;
mod names;
mod op;
mod parse;
mod sql;
mod token;
mod tree;
mod value;

use std::fmt;

pub use complete::{Choice, Completion, CompletionKind, Completions, KnownValues};
pub use facts::{Facts, Scope};
pub use names::{Field, Function, Type};
pub use parse::{MAX_EXPRESSION_BYTES, MAX_EXPRESSION_DEPTH, MAX_PARTS};
pub use sql::{Bind, Columns, Compiled, Piece};

pub(crate) use check::reason;
pub(crate) use op::Op;
pub(crate) use tree::Relation;

use crate::mistake::Mistake;

/// An expression that is right, ready to be asked.
#[derive(Debug, Clone)]
pub struct Expression {
    tree: tree::Node,
    condition: Condition,
    notes: Vec<Mistake>,
}

impl Expression {
    /// Reads and checks a text.
    ///
    /// # Errors
    /// The first mistake of its grammar, or all that is wrong with names and types.
    pub fn parse(text: &str) -> Result<Self, Vec<Mistake>> {
        let tree = parse::parse(text).map_err(|mistake| vec![mistake])?;
        let checked = check::check(&tree)?;
        Ok(Self { tree, condition: Condition { op: checked.op }, notes: checked.notes })
    }

    /// What it says that is allowed and hardly meant.
    pub fn notes(&self) -> &[Mistake] {
        &self.notes
    }

    /// It as a condition.
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Whether it holds for a session.
    pub fn holds(&self, facts: &Facts, scope: &Scope<'_>) -> bool {
        self.condition.holds(facts, scope)
    }

    /// It as a condition for SQLite, with the columns that there are.
    pub fn compile(&self, columns: &Columns<'_>, scope: &Scope<'_>) -> Compiled {
        self.condition.compile(columns, scope)
    }
}

/// Written out evenly; read again it is the same expression.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tree.fmt(f)
    }
}

/// Two are equal when they say the same, however they are written.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.tree == other.tree
    }
}

/// What a session has to be like: of a view's expression or of a search line.
#[derive(Debug, Clone)]
pub struct Condition {
    op: Op,
}

impl Condition {
    pub(crate) fn new(op: Op) -> Self {
        Self { op }
    }

    /// One that holds for every session.
    pub fn always() -> Self {
        Self { op: Op::number(1.0) }
    }

    /// Both of them.
    pub fn and(self, other: Self) -> Self {
        Self { op: Op::And(vec![self.op, other.op]) }
    }

    /// Whether it holds for a session.
    pub fn holds(&self, facts: &Facts, scope: &Scope<'_>) -> bool {
        eval::EvaluationCase { facts, scope }.holds(&self.op)
    }

    /// It as a condition for SQLite, with the columns that there are.
    pub fn compile(&self, columns: &Columns<'_>, scope: &Scope<'_>) -> Compiled {
        sql::compile(&self.op, columns, scope)
    }
}

/// What fits at a place of an expression; `caret` is a byte offset.
pub fn complete(text: &str, caret: usize, known: &KnownValues) -> Completions {
    complete::complete(text, caret, known)
}
