//! What an expression says of a session. Nothing can fail here: what does not fit is nothing, or false.

use super::facts::{Facts, Scope};
use super::names::{Field, Function};
use super::op::{Op, Step};
use super::tree::{Arithmetic, Relation};
use super::value::{Value, written};
use crate::entry::Entry;
use crate::time;

/// Milliseconds of an hour and of a day.
pub(crate) const HOUR: f64 = 3_600_000.0;
pub(crate) const DAY: f64 = 86_400_000.0;

/// A session and what evaluation depends on besides.
#[derive(Clone, Copy)]
pub(crate) struct EvaluationCase<'a> {
    pub facts: &'a Facts,
    pub scope: &'a Scope<'a>,
}

impl<'a> EvaluationCase<'a> {
    pub fn holds(self, op: &'a Op) -> bool {
        match op {
            Op::And(terms) => terms.iter().all(|term| self.holds(term)),
            Op::Or(terms) => terms.iter().any(|term| self.holds(term)),
            Op::Not(op) => !self.holds(op),
            Op::Value(_)
            | Op::Field(_)
            | Op::List(_)
            | Op::Negate(_)
            | Op::Arithmetic(..)
            | Op::Compare(..)
            | Op::In { .. }
            | Op::If(_)
            | Op::Call(..)
            | Op::Matches(..) => self.value(op).is_true(),
        }
    }

    pub fn value(self, op: &'a Op) -> Value<'a> {
        match op {
            Op::Value(value) => value.clone(),
            Op::Field(field) => self.facts.value(*field),
            Op::List(items) => Value::List(items.iter().map(|item| self.value(item)).collect()),
            Op::Negate(op) => match self.value(op).number() {
                Some(number) => Value::Number(-number),
                None => Value::Nothing,
            },
            Op::Not(_) | Op::And(_) | Op::Or(_) => Value::flag(self.holds(op)),
            Op::Arithmetic(left, sign, right) => arithmetic(self.value(left), *sign, &self.value(right)),
            Op::Compare(first, steps) => Value::flag(self.compares(first, steps)),
            Op::In { item, list, negated } => {
                let (item, list) = (self.value(item), self.value(list));
                let list = list.items();
                Value::flag(item.items().iter().all(|item| list.contains(item)) != *negated)
            }
            Op::If(parts) => self.value(if self.holds(&parts[0]) { &parts[1] } else { &parts[2] }),
            Op::Matches(op, pattern) => {
                Value::flag(self.value(op).as_text().is_some_and(|text| pattern.is_match(text)))
            }
            Op::Call(function, args) => self.call(*function, args),
        }
    }

    fn compares(self, first: &'a Op, steps: &'a [Step]) -> bool {
        let mut left = self.value(first);
        steps.iter().all(|step| {
            let right = self.value(&step.right);
            let numbers = left.number().zip(right.number());
            let holds = match step.relation {
                Relation::Equal => left == right,
                Relation::Unequal => left != right,
                Relation::Matches => left
                    .as_text()
                    .zip(step.pattern.as_ref())
                    .is_some_and(|(text, pattern)| pattern.is_match(text)),
                Relation::Less => numbers.is_some_and(|(left, right)| left < right),
                Relation::AtMost => numbers.is_some_and(|(left, right)| left <= right),
                Relation::More => numbers.is_some_and(|(left, right)| left > right),
                Relation::AtLeast => numbers.is_some_and(|(left, right)| left >= right),
            };
            left = right;
            holds
        })
    }

    fn since(self, time: &Value<'_>, unit: f64) -> Value<'a> {
        let Some(time) = time.number().filter(|time| *time != 0.0) else { return Value::Number(0.0) };
        let passed = self.scope.now_ms as f64 - time;
        Value::Number(if passed > 0.0 { passed / unit } else { 0.0 })
    }

    fn call(self, function: Function, args: &'a [Op]) -> Value<'a> {
        let given = |index: usize| args.get(index).map_or(Value::Nothing, |arg| self.value(arg));
        let reckon = |reckon: fn(f64) -> f64| match given(0).number() {
            Some(number) => Value::Number(reckon(number)),
            None => Value::Nothing,
        };
        let texts = |holds: fn(&str, &str) -> bool| {
            let (text, part) = (given(0), given(1));
            Value::flag(text.as_text().zip(part.as_text()).is_some_and(|(text, part)| holds(text, part)))
        };
        match function {
            Function::DaysSince => self.since(&given(0), DAY),
            Function::HoursSince => self.since(&given(0), HOUR),
            Function::Date => match given(0).as_text().and_then(time::day) {
                Some(day) => Value::Number(time::begins(day, self.scope.offset_minutes) as f64),
                None => Value::Nothing,
            },
            Function::Contains => Value::flag(self.contains(&args[0], &given(1))),
            Function::HasLabel => {
                let label = given(0);
                let Some(label) = label.as_text() else { return Value::flag(false) };
                let family = self.scope.family(label);
                let has = |entry: &String| family.iter().any(|id| id == Entry::id_of(entry));
                Value::flag(self.facts.labels.iter().any(has))
            }
            Function::LabelValue => self.label_value(&given(0)),
            Function::Length => match args.first() {
                Some(Op::Field(field)) if self.facts.texts(*field).is_some() => {
                    Value::Number(self.facts.texts(*field).map_or(0, <[String]>::len) as f64)
                }
                _ => Value::Number(match given(0) {
                    Value::Text(text) => text.chars().count() as f64,
                    Value::List(items) => items.len() as f64,
                    Value::Nothing | Value::Number(_) => 0.0,
                }),
            },
            Function::StartsWith => texts(|text, part| text.starts_with(part)),
            Function::EndsWith => texts(|text, part| text.ends_with(part)),
            // It has an operation of its own, with its pattern compiled.
            Function::Matches => Value::flag(false),
            Function::Lower => match given(0) {
                Value::Text(text) => Value::Text(text.to_lowercase().into()),
                Value::Nothing | Value::Number(_) | Value::List(_) => Value::text(""),
            },
            Function::Empty => Value::flag(match given(0) {
                Value::Nothing => true,
                Value::Number(_) => false,
                Value::Text(text) => text.is_empty(),
                Value::List(items) => items.is_empty(),
            }),
            Function::Exists => Value::flag(given(0) != Value::Nothing),
            Function::Abs => reckon(f64::abs),
            Function::Ceil => reckon(f64::ceil),
            Function::Floor => reckon(f64::floor),
            Function::Round => reckon(round),
            Function::Sqrt => reckon(f64::sqrt),
            Function::Log => reckon(f64::ln),
            Function::Log2 => reckon(f64::log2),
            Function::Log10 => reckon(f64::log10),
            Function::Max => self.extreme(args, f64::NEG_INFINITY, |number, best| number > best),
            Function::Min => self.extreme(args, f64::INFINITY, |number, best| number < best),
        }
    }

    fn contains(self, collection: &'a Op, wanted: &Value<'a>) -> bool {
        // Lists of texts are by far the most common: looked through without copying them.
        if let Op::Field(field) = collection
            && let Some(texts) = self.facts.texts(*field)
        {
            let Some(wanted) = wanted.as_text() else { return false };
            return texts
                .iter()
                .any(|text| text == wanted || (*field == Field::Labels && Entry::id_of(text) == wanted));
        }
        match (self.value(collection), wanted) {
            (Value::List(items), wanted) => items.iter().any(|item| {
                item == wanted
                    || item.as_text().zip(wanted.as_text()).is_some_and(|(item, id)| Entry::id_of(item) == id)
            }),
            (Value::Text(text), Value::Text(part)) => text.contains(&**part),
            _ => false,
        }
    }

    /// The value of the first entry of a label: a number, the beginning of a day, or its text.
    fn label_value(self, label: &Value<'_>) -> Value<'a> {
        let Some(id) = label.as_text() else { return Value::Nothing };
        let entries = self.facts.labels.iter().map(|entry| Entry::parse(entry));
        let Some(raw) = entries.filter(|entry| entry.id == id).find_map(|entry| entry.value) else {
            return Value::Nothing;
        };
        if let Some(day) = time::day(&raw) {
            return Value::Number(time::begins(day, self.scope.offset_minutes) as f64);
        }
        match raw.parse::<f64>().ok().filter(|number| number.is_finite()) {
            Some(number) => Value::Number(number),
            None => Value::Text(raw.into()),
        }
    }

    /// The most extreme of numbers; not a number when one of them is none.
    fn extreme(self, args: &'a [Op], none: f64, better: fn(f64, f64) -> bool) -> Value<'a> {
        let numbers = args.iter().map(|arg| self.value(arg).number().unwrap_or(f64::NAN));
        Value::Number(numbers.fold(
            none,
            |best, number| {
                if number.is_nan() || better(number, best) { number } else { best }
            },
        ))
    }
}

/// Half a step goes up, as in JavaScript.
fn round(number: f64) -> f64 {
    let below = number.floor();
    if number - below >= 0.5 { below + 1.0 } else { below }
}

fn arithmetic<'a>(left: Value<'a>, sign: Arithmetic, right: &Value<'a>) -> Value<'a> {
    if let (Some(a), Some(b)) = (left.number(), right.number()) {
        return Value::Number(match sign {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
            Arithmetic::Divide => a / b,
            // The remainder has the sign of the divisor.
            Arithmetic::Modulo => ((a % b) + b) % b,
            // As in JavaScript, what IEEE 754 leaves at 1 is not a number.
            Arithmetic::Power if b.is_nan() || (a.abs() == 1.0 && b.is_infinite()) => f64::NAN,
            Arithmetic::Power => a.powf(b),
        });
    }
    let text = |value: &Value<'_>| match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Number(number) => Some(written(*number)),
        Value::Nothing | Value::List(_) => None,
    };
    match (sign, text(&left), text(right)) {
        (Arithmetic::Add, Some(left), Some(right)) => Value::Text((left + &right).into()),
        _ => Value::Nothing,
    }
}
