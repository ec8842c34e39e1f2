//! Filters that agents' expressions use beside minijinja's own.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::{Rest, Serde, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};

pub(super) fn register(environment: &mut Environment<'static>) {
    environment.add_filter("pluck", pluck);
    environment.add_filter("where", keep_where);
    environment.add_filter("fields", fields);
    environment.add_filter("numbered", numbered);
    environment.add_filter("compact", compact);
    environment.add_filter("flatten", flatten);
    environment.add_filter("uniq", uniq);
    environment.add_filter("tojson", to_json);
    environment.add_filter("truncate_words", truncate_words);
    environment.add_filter("cites", cites);
    environment.add_filter("known_urls", known_urls);
}

/// The items of a list; nothing for null and undefined, so that a skipped stage's output is an empty list.
fn items(list: &Value) -> Result<Vec<Value>, Error> {
    if list.is_undefined() || list.is_none() {
        return Ok(Vec::new());
    }
    if !matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("a list is needed, this is a {}", list.kind()),
        ));
    }
    Ok(list.try_iter()?.collect())
}

/// A field of a map; dots go deeper; undefined when it is missing.
fn field_of(item: &Value, field: &str) -> Value {
    field.split('.').fold(item.clone(), |value, name| value.get_attr(name).unwrap_or(Value::UNDEFINED))
}

/// `list|pluck("field")`: the values of a field, without the items that lack it.
fn pluck(list: &Value, field: &str) -> Result<Value, Error> {
    Ok(items(list)?.iter().map(|item| field_of(item, field)).filter(|value| !value.is_undefined()).collect())
}

/// `list|where("field")` keeps items whose field is true; `list|where("field", value)` those where it equals the value.
fn keep_where(list: &Value, field: &str, value: Option<Value>) -> Result<Value, Error> {
    Ok(items(list)?
        .into_iter()
        .filter(|item| {
            let found = field_of(item, field);
            value.as_ref().map_or_else(|| found.is_true(), |wanted| found == *wanted)
        })
        .collect())
}

/// `list|fields("a", "b")`: of each item these fields alone.
fn fields(list: &Value, names: Rest<String>) -> Result<Value, Error> {
    Ok(items(list)?
        .into_iter()
        .map(|item| {
            let kept = names.iter().map(|name| (name.clone(), field_of(&item, name)));
            Value::from(kept.filter(|(_, value)| !value.is_undefined()).collect::<BTreeMap<String, Value>>())
        })
        .collect())
}

/// `list|numbered("field")`: each item as `{n, field}`, counted from 1.
fn numbered(list: &Value, field: String) -> Result<Value, Error> {
    let numbered = items(list)?.into_iter().zip(1..).map(|(item, n)| {
        Value::from(BTreeMap::from([("n".to_owned(), Value::from(n)), (field.clone(), item)]))
    });
    Ok(numbered.collect())
}

/// `list|compact`: without null, undefined and blank texts.
fn compact(list: &Value) -> Result<Value, Error> {
    Ok(items(list)?
        .into_iter()
        .filter(|item| {
            !(item.is_undefined()
                || item.is_none()
                || item.as_str().is_some_and(|text| text.trim().is_empty()))
        })
        .collect())
}

/// `list|flatten`: one level of lists in the list is opened.
fn flatten(list: &Value) -> Result<Value, Error> {
    let mut out = Vec::new();
    for item in items(list)? {
        if matches!(item.kind(), ValueKind::Seq | ValueKind::Iterable) {
            out.extend(item.try_iter()?);
        } else {
            out.push(item);
        }
    }
    Ok(Value::from(out))
}

/// `list|uniq` or `list|uniq("field")`: the first of those that are equal (in that field) stays.
fn uniq(list: &Value, field: Option<&str>) -> Result<Value, Error> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for item in items(list)? {
        let key = field.map_or_else(|| item.clone(), |field| field_of(&item, field));
        if seen.insert(json_of(&key)?) {
            out.push(item);
        }
    }
    Ok(Value::from(out))
}

fn json_of(value: &Value) -> Result<String, Error> {
    serde_json::to_value(value)
        .map(|json| domain::canonical(&json))
        .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// `value|tojson`: compact canonical JSON.
fn to_json(value: &Value) -> Result<String, Error> {
    json_of(value)
}

/// `text|truncate_words(n)`: the first `n` words, with `…` when there were more.
fn truncate_words(text: &Value, count: usize) -> Result<String, Error> {
    if text.is_undefined() || text.is_none() {
        return Ok(String::new());
    }
    let text = text.to_string();
    let mut ends =
        text.split_whitespace().map(|word| word.as_ptr() as usize - text.as_ptr() as usize + word.len());
    let end = ends.by_ref().take(count).last().unwrap_or(0);
    Ok(if ends.next().is_some() {
        format!("{}…", text[..end].trim_start())
    } else {
        text.trim().to_owned()
    })
}

/// `markdown|cites`: every citation as `{source_ref, sentence}`.
fn cites(text: &Value) -> Result<Value, Error> {
    if text.is_undefined() || text.is_none() {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    let Some(text) = text.as_str() else {
        return Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("a text is needed, this is a {}", text.kind()),
        ));
    };
    Ok(crate::citations(text)
        .into_iter()
        .map(|citation| {
            Value::from(Serde(
                &serde_json::json!({"source_ref": citation.source_ref, "sentence": citation.sentence}),
            ))
        })
        .collect())
}

/// `claimed|known_urls(results)`: the items whose `url` is the `url` of one of the results, so that a page that no
/// search returned can't be listed as a source.
fn known_urls(claimed: &Value, results: &Value) -> Result<Value, Error> {
    let url = |item: &Value| field_of(item, "url").as_str().map(|url| url.trim().to_owned());
    let known: BTreeSet<String> = items(results)?.iter().filter_map(url).collect();
    Ok(items(claimed)?.into_iter().filter(|item| url(item).is_some_and(|url| known.contains(&url))).collect())
}
