//! What fits at the caret.

use domain::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::{Field, Function, Type};
use super::token::{Token, Word, in_name, starts_name, tokens};
use crate::mistake::Span;

/// The most completions that are given.
const MAX_COMPLETIONS: usize = 100;

/// A value that a field can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// The value, such as a status' id.
    pub value: String,
    /// What people call it.
    pub label: String,
}

/// Values that are known of fields, such as the ids of statuses and labels. Permission modes need not be given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownValues {
    /// Fields and what they can be.
    pub values: Vec<(Field, Vec<Choice>)>,
}

impl KnownValues {
    fn choices(&self, field: Field) -> Vec<Choice> {
        let given = self.values.iter().find(|(known, _)| *known == field);
        if let Some((_, choices)) = given {
            return choices.clone();
        }
        let fixed: &[(&str, &str)] = if field == Field::PermissionMode {
            &[
                (Mode::Safe.as_str(), "Explore"),
                (Mode::Ask.as_str(), "Ask to edit"),
                (Mode::AllowAll.as_str(), "Auto"),
            ]
        } else if field == Field::LastMessageRole {
            &[
                ("user", "User"),
                ("assistant", "Assistant"),
                ("tool", "Tool"),
                ("plan", "Plan"),
                ("error", "Error"),
            ]
        } else {
            &[]
        };
        let choice =
            |(value, label): &(&str, &str)| Choice { value: (*value).to_owned(), label: (*label).to_owned() };
        fixed.iter().map(choice).collect()
    }
}

/// What a completion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompletionKind {
    /// A value that a field can have.
    Value,
    /// A field.
    Field,
    /// A function.
    Function,
    /// A sign or a word between values.
    Operator,
    /// `true`, `false`, `not` and `if`.
    Word,
}

/// Something that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// What it is.
    pub kind: CompletionKind,
    /// What is put in place of [`Completions::replace`].
    pub insert: String,
    /// What it is called in the list.
    pub label: String,
    /// One line about it.
    pub about: String,
}

/// What fits at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completions {
    /// The part of the text that a completion replaces, in bytes; empty at the caret where nothing was begun.
    pub replace: Span,
    /// What fits, the likeliest first.
    pub items: Vec<Completion>,
}

pub(super) fn complete(text: &str, caret: usize, known: &KnownValues) -> Completions {
    let caret = text.floor_char_boundary(caret.min(text.len()).min(super::MAX_EXPRESSION_BYTES));
    let (mut before, broken) = tokens(&text[..caret]);
    // A text that was begun is what the reading of tokens stopped at.
    if let Some(start) = broken.as_ref().map(|mistake| mistake.at.start as usize) {
        let begun = text[start..caret].strip_prefix('"');
        let items = match (begun, wanted_of(&before)) {
            (Some(begun), Some(field)) => values(known, field, begun),
            _ => Vec::new(),
        };
        return Completions { replace: Span::new(start, caret), items };
    }
    let begun = match before.last() {
        Some((Token::Name(_) | Token::Word(_), at)) if at.end as usize == caret => {
            before.pop().map(|(_, at)| at.start as usize).unwrap_or(caret)
        }
        _ => caret,
    };
    // The rest of a word behind the caret belongs to it.
    let rest = text[caret..].find(|c: char| !in_name(c)).unwrap_or(text.len() - caret);
    let end = if begun < caret && text[begun..].starts_with(starts_name) { caret + rest } else { caret };
    let prefix = &text[begun..caret];
    let mut items = Vec::new();
    if after_value(&before) {
        items.extend(operators(kind_before(&before)));
    } else {
        if let Some(field) = wanted_of(&before) {
            items.extend(values(known, field, ""));
        }
        items.extend(operands());
    }
    let prefix = prefix.to_lowercase();
    let rank = |item: &Completion| {
        let name = item.label.to_lowercase();
        if name.starts_with(&prefix) || item.insert.trim_matches('"').to_lowercase().starts_with(&prefix) {
            Some(0)
        } else {
            name.contains(&prefix).then_some(1)
        }
    };
    let mut ranked: Vec<(u8, Completion)> =
        items.into_iter().filter_map(|item| rank(&item).map(|rank| (rank, item))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let items = ranked.into_iter().map(|(_, item)| item).take(MAX_COMPLETIONS).collect();
    Completions { replace: Span::new(begun, end), items }
}

/// Whether a value is complete, so that an operator comes next.
fn after_value(before: &[(Token, Span)]) -> bool {
    match before.last() {
        Some((Token::Number(_) | Token::Text(_) | Token::Name(_) | Token::Quoted(_), _)) => true,
        Some((Token::Sign(sign), _)) => *sign == ")",
        Some((Token::Word(_), _)) | None => false,
    }
}

/// What the field or the value before the caret is.
fn kind_before(before: &[(Token, Span)]) -> Type {
    match before.last() {
        Some((Token::Name(name) | Token::Quoted(name), _)) => match name.as_str() {
            "true" | "false" => Type::Flag,
            name => Field::from_name(name).map_or(Type::Any, Field::kind),
        },
        Some((Token::Text(_), _)) => Type::Text,
        Some((Token::Number(_), _)) => Type::Number,
        _ => Type::Any,
    }
}

/// The field whose values fit: it stands before a comparison, before `in (`, or first in a call.
fn wanted_of(before: &[(Token, Span)]) -> Option<Field> {
    let mut rest = before;
    // Earlier values of a list, up to its parenthesis.
    while let [head @ .., (Token::Text(_) | Token::Number(_), _), (Token::Sign(","), _)] = rest {
        rest = head;
    }
    let field = |token: &Token| match token {
        Token::Name(name) | Token::Quoted(name) => Field::from_name(name),
        Token::Number(_) | Token::Text(_) | Token::Word(_) | Token::Sign(_) => None,
    };
    match rest {
        [.., (name, _), (Token::Sign("==" | "!="), _)] => field(name),
        [.., (name, _), (Token::Word(Word::Not), _), (Token::Word(Word::In), _), (Token::Sign("("), _)]
        | [.., (name, _), (Token::Word(Word::In), _), (Token::Sign("("), _)] => field(name),
        [.., (Token::Name(call), _), (Token::Sign("("), _)]
            if ["hasLabel", "labelValue"].contains(&call.as_str()) =>
        {
            Some(Field::Labels)
        }
        [.., (Token::Name(call), _), (Token::Sign("("), _), (name, _), (Token::Sign(","), _)]
            if ["contains", "startsWith", "endsWith"].contains(&call.as_str()) =>
        {
            field(name)
        }
        _ => None,
    }
}

fn values(known: &KnownValues, field: Field, begun: &str) -> Vec<Completion> {
    let begun = begun.to_lowercase();
    let fits = |choice: &Choice| {
        choice.value.to_lowercase().contains(&begun) || choice.label.to_lowercase().contains(&begun)
    };
    let completion = |choice: Choice| Completion {
        kind: CompletionKind::Value,
        insert: format!("\"{}\"", choice.value.replace('\\', "\\\\").replace('"', "\\\"")),
        about: if choice.label == choice.value { String::new() } else { choice.label },
        label: choice.value,
    };
    known.choices(field).into_iter().filter(fits).map(completion).take(MAX_COMPLETIONS).collect()
}

fn operands() -> Vec<Completion> {
    let field = |field: &Field| Completion {
        kind: CompletionKind::Field,
        insert: field.name().to_owned(),
        label: field.name().to_owned(),
        about: field.about().to_owned(),
    };
    let function = |function: &Function| Completion {
        kind: CompletionKind::Function,
        insert: format!("{}(", function.name()),
        label: format!("{}({})", function.name(), function.parameters().join(", ")),
        about: function.about().to_owned(),
    };
    let words = [
        ("not ", "Turns true and false around."),
        ("true", "True."),
        ("false", "False."),
        ("if ", "One value or another: if … then … else …"),
    ];
    let fields = Field::ALL.iter().map(field);
    fields
        .chain(Function::ALL.iter().map(function))
        .chain(words.map(|(word, about)| spelled(CompletionKind::Word, word, about)))
        .collect()
}

fn operators(kind: Type) -> Vec<Completion> {
    let equal = [("== ", "Is."), ("!= ", "Is not.")];
    let order =
        [("< ", "Is less than."), ("<= ", "Is at most."), ("> ", "Is more than."), (">= ", "Is at least.")];
    let member = [("in (", "Is one of."), ("not in (", "Is none of.")];
    let matches = [("~= ", "Holds what a regular expression describes.")];
    let joining = [("and ", "Both hold."), ("or ", "One of both holds.")];
    let reckoning = [("+ ", "Plus."), ("- ", "Minus."), ("* ", "Times."), ("/ ", "Divided by.")];
    let mut fitting: Vec<(&str, &str)> = Vec::new();
    match kind {
        Type::Flag => fitting.extend(joining.into_iter().chain(equal)),
        Type::Number | Type::Time => {
            fitting.extend(order.into_iter().chain(equal).chain(joining).chain(reckoning));
        }
        Type::Text => fitting.extend(equal.into_iter().chain(member).chain(matches).chain(joining)),
        Type::List => fitting.extend(member),
        Type::Any => fitting.extend(
            joining.into_iter().chain(equal).chain(order).chain(matches).chain(member).chain(reckoning),
        ),
    }
    fitting.into_iter().map(|(sign, about)| spelled(CompletionKind::Operator, sign, about)).collect()
}

fn spelled(kind: CompletionKind, insert: &str, about: &str) -> Completion {
    Completion {
        kind,
        insert: insert.to_owned(),
        label: insert.trim_end_matches([' ', '(']).to_owned(),
        about: about.to_owned(),
    }
}
