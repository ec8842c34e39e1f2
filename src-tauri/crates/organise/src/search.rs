//! The search line: words and filters, as in `label:bug is:unread "exact phrase" -word`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{ValueType, normalise};
use crate::expression::{
    Completion, CompletionKind, Completions, Condition, Field, Function, KnownValues, Op, Relation, Scope,
};
use crate::labels::LabelList;
use crate::mistake::{Mistake, Span, short};
use crate::statuses::{Category, StatusList};
use crate::time;

/// What is read of a line, in bytes.
const MAX_LINE_BYTES: usize = 2_000;
/// The most completions at a caret.
const MAX_COMPLETIONS: usize = 50;
/// The most terms of a line.
const MAX_TERMS: usize = 50;

/// What a filter begins with, and what it takes.
const KEYS: [(&str, &str); 10] = [
    ("agent", "an agent's slug"),
    ("label", "a label, such as bug, priority::3 or priority>2"),
    ("status", "a status, such as todo"),
    ("mode", "safe, ask or allow-all"),
    ("model", "a part of a model's name"),
    ("source", "a source's slug"),
    ("before", "a day such as 2026-05-01, or an age such as 7d"),
    ("after", "a day such as 2026-05-01, or an age such as 7d"),
    ("has", "document, plan, draft, label, source or attachment"),
    ("is", "flagged, unread, read, running, waiting, archived, open or closed"),
];
const MODES: [&str; 3] = ["safe", "ask", "allow-all"];

/// A line as it was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchLine {
    /// Its words and filters, in order. A filter that is wrong is left out.
    pub terms: Vec<Term>,
    /// What is wrong or odd in it.
    pub mistakes: Vec<Mistake>,
}

/// A word or a filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Term {
    /// Where it stands, in bytes.
    pub at: Span,
    /// With a `-` before it: only what is not so.
    pub negated: bool,
    /// What it asks for.
    pub test: Test,
}

/// What a term asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// A word of the text.
    Word(String),
    /// Words of the text in this order.
    Phrase(String),
    /// Something known of the session.
    Filter(Filter),
}

/// Something known of a session. Of several values one has to fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// Its agent's slug.
    Agent(Vec<String>),
    /// It has a label, or one below it; or a label with exactly this value.
    Label(Vec<String>),
    /// A label's value compared with a number; days count in milliseconds since 1970.
    LabelValue {
        /// The label's id.
        label: String,
        /// `<`, `<=`, `>` or `>=`.
        sign: String,
        /// The number.
        number: f64,
    },
    /// Its status' id.
    Status(Vec<String>),
    /// Its permission mode.
    Mode(Vec<String>),
    /// A part of its model's name.
    Model(Vec<String>),
    /// A source that it may use.
    Source(Vec<String>),
    /// Nothing happened in it since this moment, in milliseconds since 1970.
    Before(i64),
    /// Something happened in it at this moment or later.
    After(i64),
    /// It has something.
    Has(HasFilter),
    /// It is somehow.
    Is(StateFilter),
    /// Its status is one that is open or closed; the ids of those that are closed.
    Category {
        /// Whether it has to be open.
        open: bool,
        /// Statuses that are closed.
        closed: Vec<String>,
    },
}

/// What a session can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the words say it
pub enum HasFilter {
    Document,
    Plan,
    Draft,
    Label,
    Source,
    Attachment,
}

/// How a session can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the words say it
pub enum StateFilter {
    Flagged,
    Unread,
    Read,
    Running,
    Waiting,
    Archived,
}

impl SearchLine {
    /// Reads a line; never refuses one. Labels are looked up in the scope's tree; `known` has the agents, sources and so
    /// on that there are, for hints.
    pub fn parse(line: &str, scope: &Scope<'_>, statuses: &StatusList, known: &KnownValues) -> Self {
        let text = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
        let mut reader = Reader { text, scope, statuses, known, found: Self::default() };
        let mut at = 0;
        while let Some(start) = text[at..].find(|c: char| !c.is_whitespace()).map(|skip| at + skip) {
            if reader.found.terms.len() == MAX_TERMS {
                let at = Span::new(start, line.len());
                reader.found.mistakes.push(Mistake::new(at, format!("more than {MAX_TERMS} terms")));
                return reader.found;
            }
            at = reader.term(start);
        }
        if text.len() < line.len() {
            let at = Span::new(text.len(), line.len());
            reader.found.mistakes.push(Mistake::new(at, format!("more than {MAX_LINE_BYTES} bytes")));
        }
        reader.found
    }

    /// What fits at a place of a line; `caret` is a byte offset.
    pub fn complete(line: &str, caret: usize, known: &KnownValues) -> Completions {
        let caret = line.floor_char_boundary(caret.min(line.len()));
        let start = line[..caret].rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let begun = line[start..caret].trim_start_matches(['-', '"']);
        let start = caret - begun.len();
        let end = line[caret..].find(char::is_whitespace).map_or(line.len(), |end| caret + end);
        let item = |insert: String, label: &str, about: &str, kind| Completion {
            kind,
            insert,
            label: label.to_owned(),
            about: about.to_owned(),
        };
        let Some((key, value)) = begun.split_once(':') else {
            let begun = begun.to_lowercase();
            let keys = KEYS.iter().filter(|(key, _)| key.starts_with(&begun));
            let items = keys
                .map(|(key, takes)| item(format!("{key}:"), &format!("{key}:"), takes, CompletionKind::Field))
                .collect();
            return Completions { replace: Span::new(start, end), items };
        };
        let from = start + key.len() + 1 + value.rfind(',').map_or(0, |comma| comma + 1);
        let begun = line[from..caret].to_lowercase();
        let fixed: &[&str] = match key {
            "mode" => &MODES,
            "has" => &["document", "plan", "draft", "label", "source", "attachment"],
            "is" => &["flagged", "unread", "read", "running", "waiting", "archived", "open", "closed"],
            "before" | "after" => &["1d", "7d", "30d", "1y"],
            _ => &[],
        };
        let field = match key {
            "agent" => Some(Field::Agent),
            "label" => Some(Field::Labels),
            "status" => Some(Field::SessionStatus),
            "model" => Some(Field::Model),
            "source" => Some(Field::Sources),
            _ => None,
        };
        let choices = known.values.iter().filter(|(known, _)| Some(*known) == field).flat_map(|(_, of)| of);
        let fits = |text: &str| text.to_lowercase().contains(&begun);
        let fixed = fixed
            .iter()
            .filter(|word| fits(word))
            .map(|word| item((*word).to_owned(), word, "", CompletionKind::Value));
        let named = choices.filter(|choice| fits(&choice.value) || fits(&choice.label)).map(|choice| {
            let quoted = choice.value.contains(char::is_whitespace);
            let insert = if quoted { format!("\"{}\"", choice.value) } else { choice.value.clone() };
            item(insert, &choice.label, &choice.value, CompletionKind::Value)
        });
        let items = fixed.chain(named).take(MAX_COMPLETIONS).collect();
        Completions { replace: Span::new(from, end), items }
    }

    /// What is wrong with filters that were left out: without them the line would find more than was asked for.
    pub fn refused(&self) -> Vec<Mistake> {
        let read = |mistake: &Mistake| {
            self.terms.iter().any(|term| term.at.start <= mistake.at.start && mistake.at.end <= term.at.end)
        };
        self.mistakes.iter().filter(|mistake| !read(mistake)).cloned().collect()
    }

    /// Its words and phrases: for a search in texts.
    pub fn words(&self) -> impl Iterator<Item = &Term> {
        self.terms.iter().filter(|term| !matches!(term.test, Test::Filter(_)))
    }

    /// Its filters as a condition; words are not in it. Several agents, statuses, modes and models are alternatives,
    /// several labels have to be there together.
    pub fn condition(&self) -> Condition {
        let mut alternatives: Vec<(Field, Vec<Op>)> = Vec::new();
        let mut all = Vec::new();
        for term in &self.terms {
            let Test::Filter(filter) = &term.test else { continue };
            let op = filter.op();
            match filter.only() {
                Some(field) if !term.negated => {
                    match alternatives.iter_mut().find(|(known, _)| *known == field) {
                        Some((_, ops)) => ops.push(op),
                        None => alternatives.push((field, vec![op])),
                    }
                }
                _ if term.negated => all.push(Op::Not(Box::new(op))),
                _ => all.push(op),
            }
        }
        all.extend(alternatives.into_iter().map(|(_, ops)| Op::Or(ops)));
        Condition::new(Op::And(all))
    }
}

impl Filter {
    /// The field of which a session has only one value.
    fn only(&self) -> Option<Field> {
        match self {
            Self::Agent(_) => Some(Field::Agent),
            Self::Status(_) => Some(Field::SessionStatus),
            Self::Mode(_) => Some(Field::PermissionMode),
            Self::Model(_) => Some(Field::Model),
            Self::Label(_)
            | Self::LabelValue { .. }
            | Self::Source(_)
            | Self::Before(_)
            | Self::After(_)
            | Self::Has(_)
            | Self::Is(_)
            | Self::Category { .. } => None,
        }
    }

    fn op(&self) -> Op {
        let any = |field: Field, values: &[String]| Op::In {
            item: Box::new(Op::Field(field)),
            list: Box::new(Op::List(values.iter().map(Op::text).collect())),
            negated: false,
        };
        let each = |values: &[String], op: &dyn Fn(&String) -> Op| Op::Or(values.iter().map(op).collect());
        let contains = |field: Field, value: &String| {
            Op::Call(Function::Contains, vec![Op::Field(field), Op::text(value)])
        };
        match self {
            Self::Agent(slugs) => any(Field::Agent, slugs),
            Self::Status(ids) => any(Field::SessionStatus, ids),
            Self::Mode(words) => any(Field::PermissionMode, words),
            Self::Model(parts) => each(parts, &|part| contains(Field::Model, part)),
            Self::Source(slugs) => each(slugs, &|slug| contains(Field::Sources, slug)),
            Self::Label(entries) => each(entries, &|entry| {
                if entry.contains("::") {
                    contains(Field::Labels, entry)
                } else {
                    Op::Call(Function::HasLabel, vec![Op::text(entry)])
                }
            }),
            Self::LabelValue { label, sign, number } => {
                let relation = Relation::ALL.into_iter().find(|relation| relation.sign() == sign);
                let value = Op::Call(Function::LabelValue, vec![Op::text(label)]);
                value.compare(relation.unwrap_or(Relation::Equal), Op::number(*number))
            }
            Self::Before(ms) => Op::Field(Field::LastUsedAt).compare(Relation::Less, Op::number(*ms as f64)),
            Self::After(ms) => {
                Op::Field(Field::LastUsedAt).compare(Relation::AtLeast, Op::number(*ms as f64))
            }
            Self::Has(HasFilter::Document) => Op::Field(Field::HasDocument),
            Self::Has(HasFilter::Plan) => Op::Field(Field::HasPendingPlan),
            Self::Has(HasFilter::Draft) => Op::Field(Field::HasDraft),
            Self::Has(HasFilter::Attachment) => Op::Field(Field::HasAttachments),
            Self::Has(HasFilter::Label) => {
                Op::Field(Field::LabelCount).compare(Relation::More, Op::number(0.0))
            }
            Self::Has(HasFilter::Source) => Op::Call(Function::Length, vec![Op::Field(Field::Sources)]),
            Self::Is(StateFilter::Flagged) => Op::Field(Field::IsFlagged),
            Self::Is(StateFilter::Unread) => Op::Field(Field::HasUnread),
            Self::Is(StateFilter::Read) => Op::Not(Box::new(Op::Field(Field::HasUnread))),
            Self::Is(StateFilter::Running) => Op::Field(Field::IsProcessing),
            Self::Is(StateFilter::Waiting) => Op::Field(Field::NeedsYou),
            Self::Is(StateFilter::Archived) => Op::Field(Field::IsArchived),
            Self::Category { open: true, closed } => Op::Not(Box::new(any(Field::SessionStatus, closed))),
            Self::Category { open: false, closed } => any(Field::SessionStatus, closed),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    scope: &'a Scope<'a>,
    statuses: &'a StatusList,
    known: &'a KnownValues,
    found: SearchLine,
}

impl Reader<'_> {
    /// Reads the term that begins here; where it ends.
    fn term(&mut self, start: usize) -> usize {
        let text = self.text;
        let rest = &text[start..];
        let negated =
            rest.starts_with('-') && rest[1..].starts_with(|c: char| !c.is_whitespace() && c != '-');
        let from = start + usize::from(negated);
        if let Some(opened) = text[from..].strip_prefix('"') {
            let length = opened.find('"').unwrap_or(opened.len());
            let end = (from + 1 + length + 1).min(text.len());
            self.push(Span::new(start, end), negated, Test::Phrase(opened[..length].trim().to_owned()));
            return end;
        }
        let key_end =
            text[from..].find(|c: char| !c.is_ascii_alphabetic()).map_or(text.len(), |end| from + end);
        let key = text[from..key_end].to_ascii_lowercase();
        if !key.is_empty() && text[key_end..].starts_with(':') {
            if KEYS.iter().any(|(known, _)| *known == key) {
                return self.filter(start, negated, &key, key_end + 1);
            }
            if let Some(mistake) = unknown_key(Span::new(from, key_end), &key, &text[key_end + 1..]) {
                self.found.mistakes.push(mistake);
                return values(text, key_end + 1).1;
            }
        }
        let end =
            text[from..].find(|c: char| c.is_whitespace() || c == '"').map_or(text.len(), |end| from + end);
        self.push(Span::new(start, end), negated, Test::Word(text[from..end].to_owned()));
        end
    }

    fn push(&mut self, at: Span, negated: bool, test: Test) {
        if !matches!(&test, Test::Word(text) | Test::Phrase(text) if text.is_empty()) {
            self.found.terms.push(Term { at, negated, test });
        }
    }

    fn filter(&mut self, start: usize, negated: bool, key: &str, from: usize) -> usize {
        let (values, end) = values(self.text, from);
        let at = Span::new(start, end);
        let takes = KEYS.iter().find(|(known, _)| *known == key).map_or("", |(_, takes)| takes);
        if values.is_empty() {
            let mistake = Mistake::new(at, format!("`{key}:` takes {takes}"));
            self.found.mistakes.push(mistake);
            return end;
        }
        match self.read(key, &values, Span::new(from, end)) {
            Ok(filter) => self.push(at, negated, Test::Filter(filter)),
            Err(mistake) => self.found.mistakes.push(match mistake.hint {
                Some(_) => mistake,
                None => mistake.hint(format!("`{key}:` takes {takes}")),
            }),
        }
        end
    }

    fn read(&mut self, key: &str, values: &[String], at: Span) -> Result<Filter, Mistake> {
        let one = || match values {
            [value] => Ok(value.as_str()),
            _ => Err(Mistake::new(at, format!("`{key}:` takes one value"))),
        };
        match key {
            "agent" => Ok(Filter::Agent(self.hinted(Field::Agent, "agent", values, at))),
            "source" => Ok(Filter::Source(self.hinted(Field::Sources, "source", values, at))),
            "model" => Ok(Filter::Model(values.iter().map(|value| value.to_lowercase()).collect())),
            "mode" => {
                for value in values {
                    if !MODES.contains(&value.as_str()) {
                        let mistake = Mistake::new(at, format!("there is no mode `{}`", short(value)));
                        return Err(mistake.meaning(value, MODES));
                    }
                }
                Ok(Filter::Mode(values.to_vec()))
            }
            "status" => values
                .iter()
                .map(|value| self.status(value, at))
                .collect::<Result<Vec<String>, Mistake>>()
                .map(Filter::Status),
            "label" => self.label(values, at),
            "before" => Ok(Filter::Before(self.moment(one()?, at)?)),
            "after" => Ok(Filter::After(self.moment(one()?, at)?)),
            "has" => {
                let word = one()?.to_lowercase();
                let word = word.strip_suffix('s').unwrap_or(&word);
                Ok(Filter::Has(match word {
                    "document" => HasFilter::Document,
                    "plan" => HasFilter::Plan,
                    "draft" => HasFilter::Draft,
                    "label" => HasFilter::Label,
                    "source" => HasFilter::Source,
                    "attachment" | "file" => HasFilter::Attachment,
                    _ => {
                        let words = ["document", "plan", "draft", "label", "source", "attachment"];
                        let mistake = Mistake::new(at, format!("a session can't have `{}`", short(word)));
                        return Err(mistake.meaning(word, words));
                    }
                }))
            }
            "is" => self.is(&one()?.to_lowercase(), at),
            _ => Err(Mistake::new(at, format!("`{key}:` is no filter"))),
        }
    }

    fn is(&self, word: &str, at: Span) -> Result<Filter, Mistake> {
        let category = |open: bool| {
            let closed = self.statuses.statuses.iter().filter(|status| status.category == Category::Closed);
            Filter::Category { open, closed: closed.map(|status| status.id.clone()).collect() }
        };
        Ok(match word {
            "flagged" => Filter::Is(StateFilter::Flagged),
            "unread" => Filter::Is(StateFilter::Unread),
            "read" => Filter::Is(StateFilter::Read),
            "running" | "processing" => Filter::Is(StateFilter::Running),
            "waiting" | "needs-you" => Filter::Is(StateFilter::Waiting),
            "archived" => Filter::Is(StateFilter::Archived),
            "open" => category(true),
            "closed" => category(false),
            _ => {
                let words = ["flagged", "unread", "read", "running", "waiting", "archived", "open", "closed"];
                let mistake = Mistake::new(at, format!("a session is never `{}`", short(word)));
                return Err(mistake.meaning(word, words));
            }
        })
    }

    /// Values that may not be known: they are asked for all the same.
    fn hinted(&mut self, field: Field, what: &str, values: &[String], at: Span) -> Vec<String> {
        let known = self.known.values.iter().find(|(known, _)| *known == field);
        let choices = known.map(|(_, choices)| choices.as_slice()).unwrap_or_default();
        for value in values {
            if !choices.is_empty() && !choices.iter().any(|choice| choice.value == *value) {
                let mistake = Mistake::new(at, format!("there is no {what} `{}`", short(value)));
                let names = choices.iter().map(|choice| choice.value.as_str());
                self.found.mistakes.push(mistake.meaning(value, names));
            }
        }
        values.to_vec()
    }

    /// A status by its id or, whatever the case, by its name.
    fn status(&self, value: &str, at: Span) -> Result<String, Mistake> {
        let folded = value.to_lowercase();
        let found = self.statuses.find(value).or_else(|| {
            let same = |text: &str| text.to_lowercase() == folded;
            self.statuses.statuses.iter().find(|status| same(&status.id) || same(&status.label))
        });
        match found {
            Some(status) => Ok(status.id.clone()),
            None => {
                let mistake = Mistake::new(at, format!("there is no status `{}`", short(value)));
                Err(mistake.meaning(value, self.statuses.ids()))
            }
        }
    }

    fn label(&self, values: &[String], at: Span) -> Result<Filter, Mistake> {
        let empty = LabelList::empty();
        let labels = self.scope.labels.unwrap_or(&empty);
        let find = |name: &str| {
            labels.named(name).ok_or_else(|| {
                let names: Vec<&str> = labels.ids().collect();
                Mistake::new(at, format!("there is no label `{}`", short(name))).meaning(name, names)
            })
        };
        let mut entries = Vec::new();
        for value in values {
            if let Some((name, raw)) = value.split_once("::") {
                let label = find(name)?;
                let wanted = label.value_type.unwrap_or(ValueType::String);
                let stored = normalise(raw, wanted);
                let stored =
                    stored.ok_or_else(|| Mistake::new(at, format!("`{}` is no value of it", short(raw))))?;
                entries.push(format!("{}::{stored}", label.id));
            } else if let Some(split) = value.find(['<', '>']).filter(|_| values.len() == 1) {
                let (name, rest) = value.split_at(split);
                let sign = if rest[1..].starts_with('=') { &rest[..2] } else { &rest[..1] };
                let label = find(name)?;
                let number = self.number(&rest[sign.len()..], label.value_type);
                let number = number.ok_or_else(|| {
                    Mistake::new(at, format!("`{}` is no number and no day", short(&rest[sign.len()..])))
                })?;
                return Ok(Filter::LabelValue { label: label.id.clone(), sign: sign.to_owned(), number });
            } else {
                entries.push(find(value)?.id.clone());
            }
        }
        Ok(Filter::Label(entries))
    }

    fn number(&self, raw: &str, kind: Option<ValueType>) -> Option<f64> {
        if kind == Some(ValueType::Date) {
            let day = time::day(&normalise(raw, ValueType::Date)?)?;
            return Some(time::begins(day, self.scope.offset_minutes) as f64);
        }
        normalise(raw, ValueType::Number)?.parse().ok()
    }

    /// A day, a month or a year, which stand for their beginning; or an age.
    fn moment(&self, value: &str, at: Span) -> Result<i64, Mistake> {
        let Scope { now_ms, offset_minutes, .. } = *self.scope;
        let begins = |day: i64| time::begins(day, offset_minutes);
        let today = time::today(now_ms, offset_minutes);
        let word = value.to_lowercase();
        let day = match word.as_str() {
            "today" => Some(today),
            "yesterday" => Some(today - 1),
            word if word.len() == 4 => time::day(&format!("{word}-01-01")),
            word if word.len() == 7 => time::day(&format!("{word}-01")),
            word => time::day(word),
        };
        if let Some(day) = day {
            return Ok(begins(day));
        }
        let age = word
            .char_indices()
            .last()
            .and_then(|(split, unit)| Some((word[..split].parse::<u16>().ok()?, unit)));
        match age {
            Some((number, 'h')) => Ok(now_ms - i64::from(number) * 3_600_000),
            Some((number, 'd')) => Ok(now_ms - i64::from(number) * time::DAY_MS),
            Some((number, 'w')) => Ok(now_ms - i64::from(number) * 7 * time::DAY_MS),
            Some((number, unit @ ('m' | 'y'))) => {
                let (year, month, day) = time::civil_from_days(today);
                let months = year * 12 + month - 1 - i64::from(number) * if unit == 'y' { 12 } else { 1 };
                let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
                let day = day.min(time::days_of(year, month));
                Ok(begins(time::days_from_civil(year, month, day)))
            }
            _ => Err(Mistake::new(at, format!("`{}` is no day", short(value)))),
        }
    }
}

/// `http://…` and `12:30` are words; `lable:bug` probably is none.
fn unknown_key(at: Span, key: &str, after: &str) -> Option<Mistake> {
    let plain = after.is_empty() || after.starts_with(['/', ' ', ':']);
    let near = domain::nearest(key, KEYS.iter().map(|(known, _)| *known)).first().copied();
    let near = near.filter(|_| !plain && key.len() > 2)?;
    let mistake = Mistake::new(at, format!("there is no filter `{key}:`"));
    Some(mistake.hint(format!("did you mean `{near}:`? Words with a colon go in quotes")))
}

/// The values behind a filter's colon, parted by commas, and where they end. Quotes keep spaces and commas together.
fn values(text: &str, from: usize) -> (Vec<String>, usize) {
    let mut values = vec![String::new()];
    let mut quoted = false;
    let mut end = text.len();
    for (at, c) in text[from..].char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                end = from + at;
                break;
            }
            ',' if !quoted => values.push(String::new()),
            c => {
                if let Some(value) = values.last_mut() {
                    value.push(c);
                }
            }
        }
    }
    let values = values.into_iter().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    (values.collect(), end)
}
