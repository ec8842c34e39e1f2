//! Calls of tools in the forms in which models write them.

use domain::without_halves;
use serde_json::{Map, Value};

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    /// The name.
    pub name: String,
    /// The JSON Schema of the arguments: an object.
    pub parameters: Value,
}

/// A call as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenCall {
    /// A tool that is offered.
    pub name: String,
    /// Its arguments, or `Null` where they could not be read.
    pub arguments: Value,
    /// What could not be read.
    pub raw: Option<String>,
    /// Whether the answer ended within it.
    pub cut: bool,
}

/// The calls within a block; `None` where it holds none of a tool that is offered. `whole`: its end was written.
pub(crate) fn read(block: &str, tools: &[OfferedTool], whole: bool) -> Option<Vec<WrittenCall>> {
    let block = without_marks(block);
    let calls = of_json(&block, tools)
        .or_else(|| of_elements(&block, tools, "<function=", '>', "<parameter=", '>'))
        .or_else(|| of_elements(&block, tools, "<invoke name=\"", '"', "<parameter name=\"", '"'))
        .or_else(|| of_keys(&block, tools))
        .or_else(|| of_names(&block, tools));
    if calls.as_ref().is_some_and(|calls| !calls.is_empty()) {
        return calls;
    }
    // Its name alone can be read.
    let name = name_in(&block, tools)?;
    let raw = Some(block.trim().to_owned());
    Some(vec![WrittenCall { name, arguments: Value::Null, raw, cut: !whole }])
}

/// A call that is the whole text, as JSON without any mark: only what can be nothing else is one.
pub(crate) fn bare(text: &str, tools: &[OfferedTool]) -> Option<Vec<WrittenCall>> {
    let text = text.trim();
    if tools.is_empty() || !text.starts_with(['{', '[']) {
        return None;
    }
    let value: Value = serde_json::from_str(&without_halves(text)).ok()?;
    let items = match value {
        Value::Array(items) => items,
        value => vec![value],
    };
    let known = ["type", "id", "name", "arguments", "parameters", "args", "function"];
    let plain = |item: &Value| {
        let fields = item.as_object();
        fields.is_some_and(|fields| {
            fields.len() > 1 && fields.keys().all(|field| known.contains(&field.as_str()))
        })
    };
    if items.is_empty() || !items.iter().all(plain) {
        return None;
    }
    items.iter().map(|item| of_value(item, tools)).collect()
}

/// The tool that a model means, without the prefixes that templates put before it.
fn offered(name: &str, tools: &[OfferedTool]) -> Option<String> {
    let name = name.trim().trim_matches(['"', '\'', '`']);
    let known = |name: &str| tools.iter().any(|tool| tool.name == name).then(|| name.to_owned());
    known(name).or_else(|| {
        let name =
            name.strip_prefix("functions.").or_else(|| name.strip_prefix("default_api:")).unwrap_or(name);
        known(name.split_once(':').map_or(name, |(name, _)| name))
    })
}

/// A block without the special tokens that stand around the calls in it.
fn without_marks(block: &str) -> String {
    const MARKS: [(&str, &str); 10] = [
        ("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n<tool_name>"),
        ("<｜tool▁call▁begin｜>", "\n<tool_name>"),
        ("<|tool_call_begin|>", "\n<tool_name>"),
        ("<｜tool▁call▁end｜>", "\n"),
        ("<|tool_call_end|>", "\n"),
        ("<｜tool▁sep｜>", "\n"),
        ("<|tool_call_argument_begin|>", "\n"),
        ("[ARGS]", "\n"),
        ("<|constrain|>json", ""),
        ("<|message|>", "\n"),
    ];
    let mut block = block.to_owned();
    for (mark, instead) in MARKS {
        if block.contains(mark) {
            block = block.replace(mark, instead);
        }
    }
    block
}

fn of_json(block: &str, tools: &[OfferedTool]) -> Option<Vec<WrittenCall>> {
    let block = unfenced(block);
    let value: Value = serde_json::from_str(&without_halves(block)).ok()?;
    match &value {
        Value::Array(items) => items.iter().map(|item| of_value(item, tools)).collect(),
        value => Some(vec![of_value(value, tools)?]),
    }
}

fn of_value(value: &Value, tools: &[OfferedTool]) -> Option<WrittenCall> {
    let inner = value.get("function").filter(|inner| inner.is_object()).unwrap_or(value);
    let name =
        ["name", "function", "tool_name", "tool"].iter().find_map(|field| inner.get(*field)?.as_str())?;
    let name = offered(name, tools)?;
    let given = ["arguments", "parameters", "args", "input"].iter().find_map(|field| inner.get(*field));
    let (arguments, raw) = match given {
        None | Some(Value::Null) => (Value::Object(Map::new()), None),
        Some(object @ Value::Object(_)) => (object.clone(), None),
        Some(Value::String(text)) => object_of(text),
        Some(other) => (Value::Null, Some(other.to_string())),
    };
    Some(WrittenCall { name, arguments, raw, cut: false })
}

/// Arguments that are written as a text.
fn object_of(text: &str) -> (Value, Option<String>) {
    match serde_json::from_str::<Value>(&without_halves(unfenced(text))) {
        Ok(object @ Value::Object(_)) => (object, None),
        Ok(_) | Err(_) if text.trim().is_empty() => (Value::Object(Map::new()), None),
        Ok(_) | Err(_) => (Value::Null, Some(text.to_owned())),
    }
}

/// Calls as elements with a name, which hold JSON or an element for each argument.
fn of_elements(
    block: &str,
    tools: &[OfferedTool],
    open: &str,
    name_end: char,
    argument: &str,
    argument_end: char,
) -> Option<Vec<WrittenCall>> {
    let mut calls = Vec::new();
    for element in block.split(open).skip(1) {
        let (name, rest) = element.split_once(name_end)?;
        let name = offered(name, tools)?;
        let body = ["</function>", "</invoke>"].iter().find_map(|end| Some(rest.split_once(end)?.0))?;
        if body.contains(argument) {
            let mut arguments = Map::new();
            for pair in body.split(argument).skip(1) {
                let (key, value) = pair.split_once(argument_end)?;
                let value = value.strip_prefix('>').unwrap_or(value);
                // An end that is missing is the next one's beginning.
                let value = value.rsplit_once("</parameter>").map_or(value, |(value, _)| value);
                arguments.insert(key.trim().to_owned(), typed(value, key.trim(), &name, tools));
            }
            calls.push(WrittenCall { name, arguments: Value::Object(arguments), raw: None, cut: false });
        } else {
            let body = body.trim().trim_start_matches('>');
            let (arguments, raw) = object_of(body);
            calls.push(WrittenCall { name, arguments, raw, cut: false });
        }
    }
    (!calls.is_empty()).then_some(calls)
}

/// A name, then keys and values as elements.
fn of_keys(block: &str, tools: &[OfferedTool]) -> Option<Vec<WrittenCall>> {
    let (name, rest) = block.split_once("<arg_key>")?;
    let name = offered(name, tools)?;
    let mut arguments = Map::new();
    for pair in rest.split("<arg_key>") {
        let (key, value) = pair.split_once("</arg_key>")?;
        let (_, value) = value.split_once("<arg_value>")?;
        let (value, _) = value.rsplit_once("</arg_value>")?;
        arguments.insert(key.trim().to_owned(), typed(value, key.trim(), &name, tools));
    }
    Some(vec![WrittenCall { name, arguments: Value::Object(arguments), raw: None, cut: false }])
}

/// Names, each with JSON behind it: on the next line, in brackets, or after `to=`.
fn of_names(block: &str, tools: &[OfferedTool]) -> Option<Vec<WrittenCall>> {
    let block = block.trim();
    let calls: Vec<&str> = match block.contains("<tool_name>") {
        true => block.split("<tool_name>").skip(1).collect(),
        false => vec![block],
    };
    let read = |call: &str| {
        let call = call.trim();
        let named =
            call.split_once("to=").filter(|(before, _)| !before.contains('{')).map_or(call, |(_, call)| call);
        let end =
            named.find(|c: char| c.is_whitespace() || matches!(c, '{' | '(' | '`')).unwrap_or(named.len());
        let name = offered(&named[..end], tools)?;
        let (arguments, raw) = object_of(named[end..].trim());
        raw.is_none().then_some(WrittenCall { name, arguments, raw: None, cut: false })
    };
    calls.into_iter().map(read).collect()
}

/// An argument as its schema wants it, where its text is that; else the text.
fn typed(text: &str, key: &str, tool: &str, tools: &[OfferedTool]) -> Value {
    let schema = tools.iter().find(|one| one.name == tool);
    let kind = schema.and_then(|schema| schema.parameters.pointer("/properties")?.get(key)?.get("type"));
    let text = text.strip_prefix('\n').unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_text = kind.is_some_and(|kind| kind == "string");
    match serde_json::from_str::<Value>(text.trim()) {
        Ok(value) if !is_text && !value.is_string() => value,
        Ok(_) | Err(_) => Value::from(text),
    }
}

/// The name of a tool in a call that can't be read otherwise.
fn name_in(block: &str, tools: &[OfferedTool]) -> Option<String> {
    let after = |mark: &str| block.split_once(mark).map(|(_, rest)| rest);
    let quoted = after("\"name\"").and_then(|rest| {
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        Some(rest.split_once('"')?.0)
    });
    let element = || Some(after("<function=")?.split_once('>')?.0);
    let invoked = || Some(after("<invoke name=\"")?.split_once('"')?.0);
    let marked = || after("<tool_name>")?.split_whitespace().next();
    let keyed = || Some(block.split_once("<arg_key>")?.0);
    let addressed = || after("to=")?.split(|c: char| c.is_whitespace() || c == '<').next();
    let name = quoted.or_else(element).or_else(invoked).or_else(marked).or_else(keyed).or_else(addressed)?;
    offered(name, tools)
}

/// JSON without a code fence around it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```") else { return text };
    let inner = inner.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    inner.trim_end().strip_suffix("```").unwrap_or(inner).trim()
}
