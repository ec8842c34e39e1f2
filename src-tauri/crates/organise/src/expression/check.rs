//! From tree to resolved expression: names, types, numbers of arguments, patterns.

use regex::{Regex, RegexBuilder};

use super::names::{Field, Function, Type};
use super::op::{Op, Step};
use super::tree::{Arithmetic, Kind, Node, Relation};
use super::value::Value;
use crate::mistake::{Mistake, Span, short};

/// The most mistakes of an expression that are listed.
const MAX_MISTAKES: usize = 20;
/// The largest compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// A checked expression.
pub(crate) struct CheckedExpression {
    pub op: Op,
    /// What it says is allowed, and hardly meant.
    pub notes: Vec<Mistake>,
}

pub(crate) fn check(node: &Node) -> Result<CheckedExpression, Vec<Mistake>> {
    let mut check = Check { wrong: Vec::new(), notes: Vec::new() };
    let (op, kind) = check.resolve(node);
    if kind == Type::List {
        check.wrong(node.at, "a list is neither true nor false", "write one like `length(labels) > 0`");
    }
    if check.wrong.is_empty() {
        return Ok(CheckedExpression { op, notes: check.notes });
    }
    check.wrong.sort_by_key(|mistake| mistake.at);
    check.wrong.truncate(MAX_MISTAKES);
    Err(check.wrong)
}

/// Compiles a pattern: linear in the text, and of bounded size.
pub(crate) fn pattern(text: &str, at: Span) -> Result<Regex, Mistake> {
    RegexBuilder::new(text).size_limit(PATTERN_SIZE).build().map_err(|error| {
        let mistake = Mistake::new(at, format!("`{}` is no pattern: {}", short(text), reason(&error)));
        if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|sign| text.contains(sign)) {
            mistake.hint("patterns look neither ahead nor behind: that keeps them quick on every text")
        } else {
            mistake
        }
    })
}

/// The reason in a regular expression's error, on one line.
pub(crate) fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    short(last.strip_prefix("error: ").unwrap_or(last).trim())
}

struct Check {
    wrong: Vec<Mistake>,
    notes: Vec<Mistake>,
}

type Typed = (Op, Type);

/// Stands for what could not be resolved.
const UNKNOWN: Typed = (Op::Value(Value::Nothing), Type::Any);

impl Check {
    fn wrong(&mut self, at: Span, message: impl Into<String>, hint: &str) {
        let mistake = Mistake::new(at, message);
        self.wrong.push(if hint.is_empty() { mistake } else { mistake.hint(hint) });
    }

    fn resolve(&mut self, node: &Node) -> Typed {
        match &node.kind {
            Kind::Number(number) => (Op::number(*number), Type::Number),
            Kind::Text(text) => (Op::text(text), Type::Text),
            Kind::Name { name, quoted: false } if name == "true" => (Op::number(1.0), Type::Flag),
            Kind::Name { name, quoted: false } if name == "false" => (Op::number(0.0), Type::Flag),
            Kind::Name { name, quoted } => self.name(node.at, name, *quoted),
            Kind::List(items) => {
                let items = items.iter().map(|item| self.resolve(item).0).collect();
                (Op::List(items), Type::List)
            }
            Kind::Negate(operand) => {
                let op = self.number(operand, "`-`");
                (Op::Negate(Box::new(op)), Type::Number)
            }
            Kind::Not(operand) => (Op::Not(Box::new(self.flag(operand, "`not`"))), Type::Flag),
            Kind::Arithmetic(left, Arithmetic::Add, right) => self.add(left, right),
            Kind::Arithmetic(left, sign, right) => {
                let what = format!("`{}`", sign.sign());
                let (left, right) = (self.number(left, &what), self.number(right, &what));
                (Op::Arithmetic(Box::new(left), *sign, Box::new(right)), Type::Number)
            }
            Kind::And(terms) => (Op::And(self.flags(terms, "`and`")), Type::Flag),
            Kind::Or(terms) => (Op::Or(self.flags(terms, "`or`")), Type::Flag),
            Kind::Compare(first, rest) => self.compare(first, rest),
            Kind::In { item, list, negated } => {
                let (item, list) = (self.resolve(item).0, self.resolve(list).0);
                (Op::In { item: Box::new(item), list: Box::new(list), negated: *negated }, Type::Flag)
            }
            Kind::If(parts) => {
                let condition = self.flag(&parts[0], "`if`");
                let (then, one) = self.resolve(&parts[1]);
                let (otherwise, other) = self.resolve(&parts[2]);
                let kind = match (one, other) {
                    _ if one == other => one,
                    (Type::List, _) | (_, Type::List) => Type::Any,
                    _ if one.is_number() && other.is_number() && one != Type::Any && other != Type::Any => {
                        Type::Number
                    }
                    _ => Type::Any,
                };
                if (one == Type::List) != (other == Type::List) {
                    self.wrong(node.at, "one branch is a list and the other is not", "");
                }
                (Op::If(Box::new([condition, then, otherwise])), kind)
            }
            Kind::Of { name, quoted, of } => self.member(node.at, name, *quoted, of),
            Kind::Call { name, args } => self.call(node.at, name, args),
        }
    }

    fn name(&mut self, at: Span, name: &str, quoted: bool) -> Typed {
        // In quotes dots part nothing, so what has one is no field.
        if let Some(field) = Field::from_name(name).filter(|_| !quoted || !name.contains('.')) {
            return (Op::Field(field), field.kind());
        }
        if !quoted && let Some(of) = name.strip_suffix(".length") {
            let (op, kind) = self.name(at, of, false);
            if matches!(kind, Type::Text | Type::List | Type::Any) {
                return (Op::Call(Function::Length, vec![op]), Type::Number);
            }
        }
        let mistake = Mistake::new(at, format!("there is no field `{}`", short(name)));
        let function = Function::from_name(name).map(|function| function.name());
        self.wrong.push(match (name, function) {
            ("tokenUsage", _) => mistake.hint("write one of its parts, such as `tokenUsage.totalTokens`"),
            ("null" | "undefined" | "nil", _) => mistake.hint("ask with `exists(…)` or `empty(…)`"),
            (_, Some(function)) => mistake.hint(format!("it is a function: write `{function}(…)`")),
            _ if quoted => mistake.hint(format!("a text is written in double quotes: \"{}\"", short(name))),
            _ => mistake.meaning(name, Field::names().chain(["true", "false"])),
        });
        UNKNOWN
    }

    /// `name of object` is `object.name`.
    fn member(&mut self, at: Span, name: &str, quoted: bool, of: &Node) -> Typed {
        if let Kind::Name { name: object, quoted: false } = &of.kind
            && !quoted
        {
            return self.name(at, &format!("{object}.{name}"), false);
        }
        if name == "length" {
            let (op, _) = self.resolve(of);
            return (Op::Call(Function::Length, vec![op]), Type::Number);
        }
        self.wrong(at, "only fields have parts", "write one like `costUsd of tokenUsage`");
        UNKNOWN
    }

    /// An operand that has to be a number.
    fn number(&mut self, node: &Node, what: &str) -> Op {
        let (op, kind) = self.resolve(node);
        if !kind.is_number() {
            self.wrong(node.at, format!("{what} takes numbers, this is {}", kind.words()), "");
        }
        op
    }

    /// An operand that has to be true or false; numbers are, by being 0 or not.
    fn flag(&mut self, node: &Node, what: &str) -> Op {
        let (op, kind) = self.resolve(node);
        if !kind.is_number() {
            let hint = if kind == Type::Text {
                format!("write `not empty({node})`")
            } else {
                format!("write `length({node}) > 0`")
            };
            self.wrong(node.at, format!("{what} takes true or false, this is {}", kind.words()), &hint);
        }
        op
    }

    fn flags(&mut self, terms: &[Node], what: &str) -> Vec<Op> {
        terms.iter().map(|term| self.flag(term, what)).collect()
    }

    /// Numbers are added, texts put together.
    fn add(&mut self, left: &Node, right: &Node) -> Typed {
        let ((first, one), (second, other)) = (self.resolve(left), self.resolve(right));
        for (node, kind) in [(left, one), (right, other)] {
            if kind == Type::List {
                self.wrong(node.at, "`+` takes numbers and texts, this is a list", "");
            }
        }
        let kind = match (one, other) {
            (Type::Text, _) | (_, Type::Text) => Type::Text,
            (Type::Any, _) | (_, Type::Any) => Type::Any,
            _ => Type::Number,
        };
        (Op::Arithmetic(Box::new(first), Arithmetic::Add, Box::new(second)), kind)
    }

    fn compare(&mut self, first: &Node, rest: &[(Relation, Node)]) -> Typed {
        // `not` holds more closely than a comparison, which surprises people.
        let (op, mut left) = if let Kind::Not(inner) = &first.kind {
            let (op, kind) = self.resolve(inner);
            if !matches!(kind, Type::Flag | Type::Any)
                && let Some((relation, right)) = rest.first()
            {
                let meant = format!("write `not ({inner} {} {right})`", relation.sign());
                let message = format!("`not` belongs to `{}` alone here", short(&inner.to_string()));
                self.wrong(first.at, message, &meant);
            }
            (Op::Not(Box::new(op)), Type::Flag)
        } else {
            self.resolve(first)
        };
        let mut left_at = first.at;
        let mut steps = Vec::new();
        for (relation, node) in rest {
            let (right, kind) = self.resolve(node);
            let mut pattern = None;
            match relation {
                Relation::Equal | Relation::Unequal => {
                    self.note_never_equal(left_at.to(node.at), left, kind, *relation);
                }
                Relation::Matches => {
                    if !matches!(left, Type::Text | Type::Any) {
                        self.wrong(left_at, format!("`~=` looks into a text, this is {}", left.words()), "");
                    }
                    pattern = self.pattern(node);
                }
                Relation::Less | Relation::AtMost | Relation::More | Relation::AtLeast => {
                    self.ordered(left_at, left, kind);
                    self.ordered(node.at, kind, left);
                }
            }
            steps.push(Step { relation: *relation, pattern, right });
            (left, left_at) = (kind, node.at);
        }
        (Op::Compare(Box::new(op), steps), Type::Flag)
    }

    fn ordered(&mut self, at: Span, kind: Type, other: Type) {
        if kind.is_number() {
            return;
        }
        let hint = match (kind, other) {
            (Type::Text, Type::Time) => "write a day like `date(\"2026-05-01\")`",
            (Type::List, _) => "count with `length(…)`",
            _ => "",
        };
        let message = format!("`<` and `>` compare numbers, this is {}", kind.words());
        if !self.wrong.iter().any(|mistake| mistake.at == at && mistake.message == message) {
            self.wrong(at, message, hint);
        }
    }

    fn note_never_equal(&mut self, at: Span, left: Type, right: Type, relation: Relation) {
        let alike = left == right
            || left == Type::Any
            || right == Type::Any
            || (left.is_number() && right.is_number());
        if !alike {
            let message = format!("{} and {} are never equal", left.words(), right.words());
            let always = if relation == Relation::Equal { "false" } else { "true" };
            self.notes.push(Mistake::new(at, message).hint(format!("this is always {always}")));
        }
    }

    fn pattern(&mut self, node: &Node) -> Option<Regex> {
        let Kind::Text(text) = &node.kind else {
            self.wrong(node.at, "a pattern is a text in double quotes", "");
            return None;
        };
        pattern(text, node.at).map_err(|mistake| self.wrong.push(mistake)).ok()
    }

    fn call(&mut self, at: Span, name: &str, args: &[Node]) -> Typed {
        let Some(function) = Function::from_name(name) else {
            let mistake = Mistake::new(at, format!("there is no function `{}`", short(name)));
            self.wrong.push(if name == "random" {
                mistake.hint(
                    "a view shows the same sessions whenever it is opened, so nothing is left to chance",
                )
            } else if let Some(field) = Field::from_name(name) {
                mistake.hint(format!("`{}` is a field: leave the parentheses out", field.name()))
            } else {
                mistake.meaning(name, Function::ALL.iter().map(|function| function.name()))
            });
            for arg in args {
                self.resolve(arg);
            }
            return UNKNOWN;
        };
        let (least, most) = function.arity();
        if !(least..=most).contains(&args.len()) {
            let wanted = if least == 1 { "one argument".to_owned() } else { format!("{least} arguments") };
            let call = format!("`{name}({})`", function.parameters().join(", "));
            self.wrong(at, format!("`{name}` takes {wanted}, not {}", args.len()), &format!("write {call}"));
            return (UNKNOWN.0, function.result());
        }
        let result = function.result();
        if function == Function::Matches {
            let op = self.argument(function, 0, &args[0]);
            return match self.pattern(&args[1]) {
                Some(pattern) => (Op::Matches(Box::new(op), pattern), result),
                None => (UNKNOWN.0, result),
            };
        }
        if function == Function::Date
            && let Kind::Text(text) = &args[0].kind
            && crate::time::day(text).is_none()
        {
            let message = format!("`{}` is no day", short(text));
            self.wrong(args[0].at, message, "write one like \"2026-05-01\"");
        }
        let ops = args.iter().enumerate().map(|(index, arg)| self.argument(function, index, arg)).collect();
        (Op::Call(function, ops), result)
    }

    fn argument(&mut self, function: Function, index: usize, node: &Node) -> Op {
        let (op, kind) = self.resolve(node);
        let (fits, wanted) = match function {
            Function::Exists | Function::Empty => (true, ""),
            Function::Contains if index == 1 => (kind != Type::List, "a text or a number"),
            Function::Contains | Function::Length => {
                (matches!(kind, Type::Text | Type::List | Type::Any), "a text or a list")
            }
            Function::Date
            | Function::HasLabel
            | Function::LabelValue
            | Function::StartsWith
            | Function::EndsWith
            | Function::Matches
            | Function::Lower => (matches!(kind, Type::Text | Type::Any), "a text"),
            Function::DaysSince | Function::HoursSince => (kind.is_number(), "a time"),
            Function::Abs
            | Function::Ceil
            | Function::Floor
            | Function::Round
            | Function::Sqrt
            | Function::Log
            | Function::Log2
            | Function::Log10
            | Function::Max
            | Function::Min => (kind.is_number(), "a number"),
        };
        if !fits {
            let hint = match (&node.kind, kind) {
                (Kind::Name { name, quoted: true }, _) => {
                    format!("a text is written in double quotes: \"{}\"", short(name))
                }
                (_, Type::List) if matches!(function, Function::StartsWith | Function::EndsWith) => {
                    "use `contains(…)` or `hasLabel(…)`".to_owned()
                }
                _ => String::new(),
            };
            let message = format!("`{}` takes {wanted} here, this is {}", function.name(), kind.words());
            self.wrong(node.at, message, &hint);
        }
        op
    }
}
