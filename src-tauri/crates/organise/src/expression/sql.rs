//! Conditions for SQLite. What can't be said there becomes a condition that holds for more sessions; the rest is then
//! asked of the expression itself.

use super::eval::{DAY, EvaluationCase, HOUR};
use super::facts::{Facts, Scope};
use super::names::{Field, Function, Type};
use super::op::{Op, Step};
use super::tree::{Arithmetic, Relation};
use super::value::Value;

/// The most pieces of a condition; what is beyond it is left to evaluation.
const MAX_PIECES: usize = 4_000;
/// Numbers of columns are smaller than this.
const MAX_COLUMN_VALUE: f64 = 1e18;
/// Beyond this a product may become infinite, and then there is no telling what SQLite makes of it.
const MAX_VALUE: f64 = 1e300;

/// How fields are said in SQL. The texts hold no `?` but the one that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Fields that are no lists: an expression of the field's type that is never NULL; true and false are 1 and 0, and no
    /// text holds a NUL character.
    pub values: &'a [(Field, &'a str)],
    /// Lists: a condition that holds when one of their texts is among those of `IN (?)`, as in
    /// `EXISTS (SELECT 1 FROM session_sources AS x WHERE x.session = s.no AND x.slug IN (?))`.
    pub lists: &'a [(Field, &'a str)],
    /// The same for the ids of labels, without their values.
    pub label_ids: Option<&'a str>,
}

/// A value bound to a `?`.
#[derive(Debug, Clone, PartialEq)]
pub enum Bind {
    /// A finite number, bound as REAL.
    Number(f64),
    /// A text.
    Text(String),
}

/// A condition. Nothing that a person typed is in its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// The condition, in parentheses where it needs them.
    pub sql: String,
    /// What its `?` stand for, in order.
    pub binds: Vec<Bind>,
    /// Whether it holds for exactly the sessions for which the expression does. If not, it holds for those and maybe for
    /// others, and each one has to be asked about.
    pub exact: bool,
}

/// A part of a condition, for builders that write their own placeholders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Piece<'a> {
    /// SQL without placeholders.
    Sql(&'a str),
    /// A value in place of one.
    Bind(&'a Bind),
}

impl Compiled {
    /// The same in pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let mut binds = self.binds.iter();
        self.sql.split('?').enumerate().flat_map(move |(index, sql)| {
            let bind = if index == 0 { None } else { binds.next() };
            [bind.map(Piece::Bind), Some(Piece::Sql(sql))].into_iter().flatten()
        })
    }
}

pub(crate) fn compile(op: &Op, columns: &Columns<'_>, scope: &Scope<'_>) -> Compiled {
    let mut compiler = Compiler { columns, scope, left: MAX_PIECES };
    let condition = compiler.condition(op, Bound::Above);
    Compiled { sql: condition.sql, binds: condition.binds, exact: condition.exact }
}

/// Which way a condition may err.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// It holds at least where the expression does.
    Above,
    /// It holds at most where the expression does.
    Below,
}

impl Bound {
    fn other(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::Below => Self::Above,
        }
    }
}

#[derive(Debug, Clone)]
struct Condition {
    sql: String,
    binds: Vec<Bind>,
    exact: bool,
}

impl Condition {
    fn fixed(holds: bool) -> Self {
        Self { sql: if holds { "1" } else { "0" }.to_owned(), binds: Vec::new(), exact: true }
    }

    /// What is not known, on the safe side.
    fn unknown(bound: Bound) -> Self {
        Self { exact: false, ..Self::fixed(bound == Bound::Above) }
    }

    fn not(self) -> Self {
        Self { sql: format!("(NOT {})", self.sql), ..self }
    }

    /// All of them, or one of them; as a balanced tree, so that SQLite's limit on depth is far.
    fn joined(mut terms: Vec<Self>, word: &str) -> Self {
        match terms.len() {
            0 => Self::fixed(word == "AND"),
            1 => terms.remove(0),
            count => {
                let second = Self::joined(terms.split_off(count / 2), word);
                let first = Self::joined(terms, word);
                let mut binds = first.binds;
                binds.extend(second.binds);
                Self {
                    sql: format!("({} {word} {})", first.sql, second.sql),
                    binds,
                    exact: first.exact && second.exact,
                }
            }
        }
    }
}

/// A value in SQL, of the same type and value as the expression's for every session.
#[derive(Debug, Clone)]
struct Scalar {
    sql: String,
    binds: Vec<Bind>,
    text: bool,
    /// No number is further from zero.
    most: f64,
}

impl Scalar {
    fn number(sql: String, binds: Vec<Bind>, most: f64) -> Option<Self> {
        (most <= MAX_VALUE).then_some(Self { sql, binds, text: false, most })
    }

    fn from_value(value: &Value<'_>) -> Option<Self> {
        let sql = "?".to_owned();
        match value {
            Value::Number(number) if number.is_finite() => {
                Self::number(sql, vec![Bind::Number(*number)], number.abs())
            }
            Value::Text(text) if !text.contains('\0') => {
                Some(Self { sql, binds: vec![Bind::Text(text.to_string())], text: true, most: 0.0 })
            }
            Value::Nothing | Value::Number(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    /// Two values with a sign between them.
    fn with(self, sign: &str, other: Self) -> (String, Vec<Bind>) {
        let mut binds = self.binds;
        binds.extend(other.binds);
        (format!("({} {sign} {})", self.sql, other.sql), binds)
    }
}

struct Compiler<'a> {
    columns: &'a Columns<'a>,
    scope: &'a Scope<'a>,
    /// Pieces that may still be made.
    left: usize,
}

impl<'a> Compiler<'a> {
    fn spent(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    /// The value of what is the same for every session.
    fn fixed(&self, op: &Op) -> Option<Value<'static>> {
        if !op.is_fixed() {
            return None;
        }
        let facts = Facts::default();
        Some(owned(&EvaluationCase { facts: &facts, scope: self.scope }.value(op)))
    }

    fn column(&self, field: Field) -> Option<String> {
        let column = self.columns.values.iter().find(|(known, _)| *known == field);
        column.map(|(_, sql)| format!("({sql})"))
    }

    fn list(&self, field: Field) -> Option<&'a str> {
        let lists: &'a [(Field, &'a str)] = self.columns.lists;
        lists.iter().find(|(known, _)| *known == field).map(|(_, sql)| *sql)
    }

    fn condition(&mut self, op: &Op, bound: Bound) -> Condition {
        if self.spent() {
            return Condition::unknown(bound);
        }
        if let Some(value) = self.fixed(op) {
            return Condition::fixed(value.is_true());
        }
        match op {
            Op::And(terms) => self.terms(terms, "AND", bound),
            Op::Or(terms) => self.terms(terms, "OR", bound),
            Op::Not(op) => self.condition(op, bound.other()).not(),
            Op::If(parts) => self.choice(parts, bound),
            Op::Compare(first, steps) => self.chain(first, steps, bound),
            Op::In { item, list, negated } => {
                let found = self.member(item, list);
                let found =
                    found.unwrap_or_else(|| Condition::unknown(if *negated { bound.other() } else { bound }));
                if *negated { found.not() } else { found }
            }
            Op::Call(Function::Contains, args) => self.contains(args).unwrap_or(Condition::unknown(bound)),
            Op::Call(Function::HasLabel, args) => self.has_label(args).unwrap_or(Condition::unknown(bound)),
            Op::Call(Function::StartsWith, args) => {
                self.edge(args, true).unwrap_or(Condition::unknown(bound))
            }
            Op::Call(Function::EndsWith, args) => self.edge(args, false).unwrap_or(Condition::unknown(bound)),
            // Every field has a value.
            Op::Call(Function::Exists, args) => match args.first() {
                Some(Op::Field(_)) => Condition::fixed(true),
                arg => match arg.and_then(|arg| self.scalar(arg)) {
                    Some(_) => Condition::fixed(true),
                    None => Condition::unknown(bound),
                },
            },
            Op::Call(Function::Empty, args) => self.empty(args).unwrap_or(Condition::unknown(bound)),
            Op::Field(field) if field.kind() == Type::Flag => match self.column(*field) {
                Some(sql) => Condition { sql, binds: Vec::new(), exact: true },
                None => Condition::unknown(bound),
            },
            Op::Value(_)
            | Op::Field(_)
            | Op::List(_)
            | Op::Negate(_)
            | Op::Arithmetic(..)
            | Op::Matches(..)
            | Op::Call(..) => match self.scalar(op) {
                Some(scalar) => {
                    let zero = if scalar.text { "''" } else { "0" };
                    let sql = format!("({} <> {zero})", scalar.sql);
                    Condition { sql, binds: scalar.binds, exact: true }
                }
                None => Condition::unknown(bound),
            },
        }
    }

    fn terms(&mut self, terms: &[Op], word: &str, bound: Bound) -> Condition {
        Condition::joined(terms.iter().map(|term| self.condition(term, bound)).collect(), word)
    }

    /// `(if and then) or (not if and otherwise)`, each on the safe side.
    fn choice(&mut self, parts: &[Op; 3], bound: Bound) -> Condition {
        let [condition, then, otherwise] = parts;
        let taken = vec![self.condition(condition, bound), self.condition(then, bound)];
        let not_taken =
            vec![self.condition(condition, bound.other()).not(), self.condition(otherwise, bound)];
        Condition::joined(vec![Condition::joined(taken, "AND"), Condition::joined(not_taken, "AND")], "OR")
    }

    fn chain(&mut self, first: &Op, steps: &[Step], bound: Bound) -> Condition {
        let lefts = std::iter::once(first).chain(steps.iter().map(|step| &step.right));
        let conditions = lefts.zip(steps).map(|(left, step)| self.relation(left, step, bound)).collect();
        Condition::joined(conditions, "AND")
    }

    fn relation(&mut self, left: &Op, step: &Step, bound: Bound) -> Condition {
        let (relation, right) = (step.relation, &step.right);
        if let Some(condition) = self.against_flag(left, relation, right, bound) {
            return condition;
        }
        if let (Some(left), Some(right)) = (self.scalar(left), self.scalar(right)) {
            let sign = match relation {
                Relation::Equal => "=",
                Relation::Unequal => "<>",
                Relation::Less => "<",
                Relation::AtMost => "<=",
                Relation::More => ">",
                Relation::AtLeast => ">=",
                Relation::Matches => return Condition::unknown(bound),
            };
            let ordered = !matches!(relation, Relation::Equal | Relation::Unequal);
            if left.text != right.text || (left.text && ordered) {
                return Condition::fixed(relation == Relation::Unequal);
            }
            let (sql, binds) = left.with(sign, right);
            return Condition { sql, binds, exact: true };
        }
        // Only a session that has the label can have a value of it.
        let labelled = [left, right]
            .into_iter()
            .find_map(|op| if let Op::Call(Function::LabelValue, args) = op { args.first() } else { None });
        let other = if matches!(left, Op::Call(Function::LabelValue, _)) { right } else { left };
        let needs_value = relation != Relation::Unequal
            && (relation != Relation::Equal
                || self.fixed(other).is_some_and(|value| value != Value::Nothing));
        match labelled.and_then(|label| self.fixed(label)) {
            Some(Value::Text(label)) if needs_value && bound == Bound::Above => {
                let found = self.among(self.columns.label_ids, vec![label.to_string()]);
                Condition { exact: false, ..found.unwrap_or(Condition::unknown(bound)) }
            }
            _ => Condition::unknown(bound),
        }
    }

    /// `condition == true` and the like are the condition itself.
    fn against_flag(&mut self, left: &Op, relation: Relation, right: &Op, bound: Bound) -> Option<Condition> {
        let wanted = match relation {
            Relation::Equal => true,
            Relation::Unequal => false,
            Relation::Matches | Relation::Less | Relation::AtMost | Relation::More | Relation::AtLeast => {
                return None;
            }
        };
        let (condition, value) = match (self.fixed(left), self.fixed(right)) {
            (None, Some(value)) if is_flag(left) => (left, value),
            (Some(value), None) if is_flag(right) => (right, value),
            _ => return None,
        };
        let value = value.number()?;
        if value != 1.0 && value != 0.0 {
            return Some(Condition::fixed(!wanted));
        }
        Some(if (value == 1.0) == wanted {
            self.condition(condition, bound)
        } else {
            self.condition(condition, bound.other()).not()
        })
    }

    /// `item in list`.
    fn member(&mut self, item: &Op, list: &Op) -> Option<Condition> {
        if let Op::Field(field) = list
            && let Some(template) = self.list(*field)
        {
            let wanted = self.fixed(item)?;
            let mut conditions = Vec::new();
            for wanted in wanted.items() {
                conditions.push(match wanted {
                    Value::Text(text) => self.among(Some(template), vec![text.to_string()])?,
                    Value::Nothing | Value::Number(_) | Value::List(_) => Condition::fixed(false),
                });
            }
            return Some(Condition::joined(conditions, "AND"));
        }
        let candidates = items_of(list);
        let candidates: Option<Vec<Scalar>> = candidates.iter().map(|op| self.scalar(op)).collect();
        let candidates = candidates?;
        let items = items_of(item);
        let mut conditions = Vec::new();
        for item in items {
            let item = self.scalar(item)?;
            let alike: Vec<&Scalar> = candidates.iter().filter(|other| other.text == item.text).collect();
            if alike.is_empty() {
                conditions.push(Condition::fixed(false));
                continue;
            }
            let list: Vec<&str> = alike.iter().map(|other| other.sql.as_str()).collect();
            let sql = format!("({} IN ({}))", item.sql, list.join(", "));
            let mut binds = item.binds;
            binds.extend(alike.iter().flat_map(|other| other.binds.iter().cloned()));
            conditions.push(Condition { sql, binds, exact: true });
        }
        Some(Condition::joined(conditions, "AND"))
    }

    /// A list's own condition, for one of these texts.
    fn among(&mut self, template: Option<&str>, texts: Vec<String>) -> Option<Condition> {
        let template = template?;
        self.left = self.left.saturating_sub(texts.len());
        if self.left == 0 || texts.is_empty() || texts.iter().any(|text| text.contains('\0')) {
            return None;
        }
        let marks = vec!["?"; texts.len()].join(", ");
        let binds = texts.into_iter().map(Bind::Text).collect();
        Some(Condition { sql: format!("({})", template.replacen('?', &marks, 1)), binds, exact: true })
    }

    fn contains(&mut self, args: &[Op]) -> Option<Condition> {
        let [collection, wanted] = args else { return None };
        if let Op::Field(field) = collection
            && field.kind() == Type::List
        {
            let wanted = self.fixed(wanted)?;
            let Some(text) = wanted.as_text() else { return Some(Condition::fixed(false)) };
            // What has a value can't be an id, and what has none is its own id.
            let by_id = *field == Field::Labels && !text.contains("::");
            let template = if by_id { self.columns.label_ids } else { self.list(*field) };
            return self.among(template, vec![text.to_owned()]);
        }
        let (text, part) = (self.scalar(collection)?, self.scalar(wanted)?);
        if !text.text || !part.text {
            return Some(Condition::fixed(false));
        }
        let mut binds = text.binds;
        binds.extend(part.binds);
        Some(Condition { sql: format!("(instr({}, {}) > 0)", text.sql, part.sql), binds, exact: true })
    }

    fn has_label(&mut self, args: &[Op]) -> Option<Condition> {
        let label = self.fixed(args.first()?)?;
        let Some(label) = label.as_text() else { return Some(Condition::fixed(false)) };
        self.among(self.columns.label_ids, self.scope.family(label))
    }

    /// `startsWith` and `endsWith`.
    fn edge(&mut self, args: &[Op], start: bool) -> Option<Condition> {
        let [text, part] = args else { return None };
        let (text, part) = (self.scalar(text)?, self.fixed(part)?);
        let Some(part) = part.as_text().filter(|_| text.text) else { return Some(Condition::fixed(false)) };
        if part.is_empty() {
            return Some(Condition::fixed(true));
        }
        let wanted = Scalar::from_value(&Value::text(part))?;
        let mut binds = text.binds;
        let sql = if start {
            format!("(instr({}, ?) = 1)", text.sql)
        } else {
            binds.push(Bind::Number(-(part.chars().count() as f64)));
            format!("(substr({}, ?) = ?)", text.sql)
        };
        binds.extend(wanted.binds);
        Some(Condition { sql, binds, exact: true })
    }

    fn empty(&mut self, args: &[Op]) -> Option<Condition> {
        let arg = args.first()?;
        if let Op::Field(Field::Labels) = arg {
            let sql = format!("({} = 0)", self.column(Field::LabelCount)?);
            return Some(Condition { sql, binds: Vec::new(), exact: true });
        }
        let scalar = self.scalar(arg)?;
        if !scalar.text {
            return Some(Condition::fixed(false));
        }
        Some(Condition { sql: format!("({} = '')", scalar.sql), binds: scalar.binds, exact: true })
    }

    fn scalar(&mut self, op: &Op) -> Option<Scalar> {
        if self.spent() {
            return None;
        }
        if let Some(value) = self.fixed(op) {
            return Scalar::from_value(&value);
        }
        if is_flag(op) && !matches!(op, Op::Field(_)) {
            let condition = self.condition(op, Bound::Above);
            return condition.exact.then_some(Scalar {
                sql: condition.sql,
                binds: condition.binds,
                text: false,
                most: 1.0,
            });
        }
        match op {
            Op::Field(field) => {
                let sql = self.column(*field)?;
                let text = field.kind() == Type::Text;
                Some(Scalar { sql, binds: Vec::new(), text, most: MAX_COLUMN_VALUE })
            }
            Op::Negate(op) => {
                let Scalar { sql, binds, text: false, most } = self.real(op)? else { return None };
                Scalar::number(format!("(- {sql})"), binds, most)
            }
            Op::Arithmetic(left, sign, right) => self.arithmetic(left, *sign, right),
            Op::If(parts) => {
                let condition = self.condition(&parts[0], Bound::Above);
                let (then, otherwise) = (self.scalar(&parts[1])?, self.scalar(&parts[2])?);
                if !condition.exact || then.text != otherwise.text {
                    return None;
                }
                let sql =
                    format!("(CASE WHEN {} THEN {} ELSE {} END)", condition.sql, then.sql, otherwise.sql);
                let mut binds = condition.binds;
                binds.extend(then.binds);
                binds.extend(otherwise.binds);
                Some(Scalar { sql, binds, text: then.text, most: then.most.max(otherwise.most) })
            }
            Op::Call(Function::DaysSince, args) => self.since(args, DAY),
            Op::Call(Function::HoursSince, args) => self.since(args, HOUR),
            Op::Call(Function::Length, args) => {
                let arg = args.first()?;
                if matches!(arg, Op::Field(Field::Labels)) {
                    return self.scalar(&Op::Field(Field::LabelCount));
                }
                let text = self.scalar(arg).filter(|scalar| scalar.text)?;
                Scalar::number(format!("length({})", text.sql), text.binds, MAX_COLUMN_VALUE)
            }
            Op::Call(Function::Abs, args) => {
                let number = self.real(args.first()?)?;
                Scalar::number(format!("abs({})", number.sql), number.binds, number.most)
            }
            Op::Call(function @ (Function::Max | Function::Min), args) if args.len() > 1 => {
                let numbers: Option<Vec<Scalar>> = args.iter().map(|arg| self.real(arg)).collect();
                let numbers = numbers?;
                let list: Vec<&str> = numbers.iter().map(|number| number.sql.as_str()).collect();
                let sql = format!("{}({})", function.name(), list.join(", "));
                let most = numbers.iter().fold(0.0, |most: f64, number| most.max(number.most));
                let binds = numbers.into_iter().flat_map(|number| number.binds).collect();
                Scalar::number(sql, binds, most)
            }
            Op::Value(_)
            | Op::List(_)
            | Op::Not(_)
            | Op::And(_)
            | Op::Or(_)
            | Op::Compare(..)
            | Op::In { .. }
            | Op::Matches(..)
            | Op::Call(..) => None,
        }
    }

    /// A number to reckon with.
    fn real(&mut self, op: &Op) -> Option<Scalar> {
        self.scalar(op).and_then(|scalar| as_real(op, scalar))
    }

    fn arithmetic(&mut self, left: &Op, sign: Arithmetic, right: &Op) -> Option<Scalar> {
        let (one, other) = (self.scalar(left)?, self.scalar(right)?);
        if sign == Arithmetic::Add && (one.text || other.text) {
            if one.text != other.text {
                return None;
            }
            let (sql, binds) = one.with("||", other);
            return Some(Scalar { sql, binds, text: true, most: 0.0 });
        }
        let (left, right) = (as_real(left, one)?, as_real(right, other)?);
        let (one, other) = (left.most, right.most);
        let most = match sign {
            Arithmetic::Add | Arithmetic::Subtract => one + other,
            Arithmetic::Multiply => one * other,
            // By a known number that is not tiny: whatever else may be infinite or none at all.
            Arithmetic::Divide => match right.binds.as_slice() {
                [Bind::Number(number)] if right.sql == "?" && number.abs() >= 1e-9 => one / number.abs(),
                _ => return None,
            },
            Arithmetic::Modulo | Arithmetic::Power => return None,
        };
        let (sql, binds) = left.with(sign.sign(), right);
        Scalar::number(sql, binds, most)
    }

    fn since(&mut self, args: &[Op], unit: f64) -> Option<Scalar> {
        let Op::Field(field) = args.first()? else { return None };
        let column = self.column(*field).filter(|_| field.kind() != Type::Text)?;
        let now = self.scope.now_ms as f64;
        let sql = format!(
            "(CASE WHEN {column} = 0 OR {column} >= ? THEN 0.0 ELSE (? - CAST({column} AS REAL)) / ? END)"
        );
        Scalar::number(
            sql,
            vec![Bind::Number(now), Bind::Number(now), Bind::Number(unit)],
            now.abs() + MAX_COLUMN_VALUE,
        )
    }
}

/// A number as floating point, as evaluation has it.
fn as_real(op: &Op, scalar: Scalar) -> Option<Scalar> {
    if scalar.text {
        return None;
    }
    let is_real = scalar.sql == "?" || matches!(op, Op::Arithmetic(..) | Op::Negate(_));
    Some(if is_real { scalar } else { Scalar { sql: format!("CAST({} AS REAL)", scalar.sql), ..scalar } })
}

/// Whether it can only be 1 or 0.
/// The items of a list; what is none is its only one.
fn items_of(op: &Op) -> &[Op] {
    if let Op::List(items) = op { items } else { std::slice::from_ref(op) }
}

fn is_flag(op: &Op) -> bool {
    match op {
        Op::Not(_) | Op::And(_) | Op::Or(_) | Op::Compare(..) | Op::In { .. } | Op::Matches(..) => true,
        Op::Field(field) => field.kind() == Type::Flag,
        Op::Call(function, _) => function.result() == Type::Flag,
        Op::If(parts) => is_flag(&parts[1]) && is_flag(&parts[2]),
        Op::Value(_) | Op::List(_) | Op::Negate(_) | Op::Arithmetic(..) => false,
    }
}

fn owned(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Nothing => Value::Nothing,
        Value::Number(number) => Value::Number(*number),
        Value::Text(text) => Value::Text(text.to_string().into()),
        Value::List(items) => Value::List(items.iter().map(owned).collect()),
    }
}
