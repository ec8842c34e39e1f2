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
    environment.add_filter("digest", digest);
    environment.add_filter("truncate_words", truncate_words);
    environment.add_filter("cites", cites);
    environment.add_filter("known_urls", known_urls);
    environment.add_filter("assign", assign);
    environment.add_filter("by", by);
    environment.add_filter("merge", merge);
    environment.add_filter("merge_each", merge_each);
    environment.add_filter("demote", demote);
    environment.add_filter("footnoted", footnoted);
    environment.add_filter("by_document", by_document);
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

/// `value|digest`: the SHA-256 of the value as canonical JSON, so that a change of anything in it shows.
fn digest(value: &Value) -> Result<String, Error> {
    Ok(domain::Digest::of(json_of(value)?).to_string())
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

/// The entries of a map; none for null and undefined.
fn entries(map: &Value) -> Result<BTreeMap<String, Value>, Error> {
    if map.is_undefined() || map.is_none() {
        return Ok(BTreeMap::new());
    }
    if map.kind() != ValueKind::Map {
        return Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("a map is needed, this is a {}", map.kind()),
        ));
    }
    Ok(map.try_iter()?.map(|key| (key.to_string(), map.get_item(&key).unwrap_or(Value::UNDEFINED))).collect())
}

/// `list|assign("field", value)`: each item, a map, with that field set to the value.
fn assign(list: &Value, field: String, value: Value) -> Result<Value, Error> {
    let mut out = Vec::new();
    for item in items(list)? {
        let mut map = entries(&item)?;
        map.insert(field.clone(), value.clone());
        out.push(Value::from(map));
    }
    Ok(Value::from(out))
}

/// `list|by("id", "a", "b")`: a map of the items by a field, each with the fields named; with all of its fields where none is.
fn by(list: &Value, key: &str, names: Rest<String>) -> Result<Value, Error> {
    let mut out = BTreeMap::new();
    for item in items(list)? {
        let name = field_of(&item, key);
        if name.is_undefined() || name.is_none() {
            continue;
        }
        let kept = match names.is_empty() {
            true => item,
            false => Value::from(
                names.iter().map(|name| (name.clone(), field_of(&item, name))).collect::<BTreeMap<_, _>>(),
            ),
        };
        out.insert(name.to_string(), kept);
    }
    Ok(Value::from(out))
}

/// `a|merge(b)`: a map with the entries of both; those of `b` come before those of `a`.
fn merge(one: &Value, other: &Value) -> Result<Value, Error> {
    let mut out = entries(one)?;
    out.extend(entries(other)?);
    Ok(Value::from(out))
}

/// `list|merge_each(others)`: each item, a map, merged with the one at its place in the other list; without one as it is.
fn merge_each(list: &Value, others: &Value) -> Result<Value, Error> {
    let others = items(others)?;
    let merged = items(list)?.into_iter().enumerate().map(|(at, item)| match others.get(at) {
        Some(other) => merge(&item, other),
        None => Ok(item),
    });
    merged.collect::<Result<Vec<_>, _>>().map(Value::from)
}

/// `markdown|demote(n)`: the text with its headings so many levels lower, outside of code blocks.
fn demote(text: &Value, levels: usize) -> String {
    let Some(text) = text.as_str() else { return String::new() };
    let (mut out, mut fence) = (String::with_capacity(text.len() + 64), None);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = fence.is_none() && (1..=6).contains(&hashes) && line[hashes..].starts_with(' ');
        if is_heading {
            out.push_str(&"#".repeat((hashes + levels).min(6) - hashes));
        }
        out.push_str(line);
    }
    out
}

/// `part|footnoted`: the `markdown` of a part with its `footnotes` below a rule.
fn footnoted(part: &Value) -> Result<String, Error> {
    let markdown = field_of(part, "markdown");
    let mut text = markdown.as_str().unwrap_or_default().trim_end().to_owned();
    let notes = items(&field_of(part, "footnotes"))?;
    text.push_str(if notes.is_empty() { "\n\n---\n" } else { "\n\n---\n\n## Footnotes\n" });
    for note in notes {
        let words = field_of(&note, "text").to_string();
        text.push_str(&format!("\n[^{}]: {words}\n", field_of(&note, "label")));
    }
    Ok(text)
}

/// A document's name, its title, and its texts with their pages.
type DocumentTexts = (String, String, Vec<(String, Option<u64>)>);

/// `paragraphs|by_document`: one part `{id, title, markdown}` for each document that the paragraphs are of, with their texts in
/// the order given. A paragraph's id begins with the name of its document and a colon; without one its `source` names it.
/// Where paragraphs have a page the part has `pages`: the line of the text at which each begins.
fn by_document(list: &Value) -> Result<Value, Error> {
    let mut parts: Vec<DocumentTexts> = Vec::new();
    for item in items(list)? {
        let id = field_of(&item, "id").to_string();
        let source = field_of(&item, "source").as_str().unwrap_or_default().to_owned();
        let document = id.split_once(':').map_or_else(|| source.clone(), |(document, _)| document.to_owned());
        let text = field_of(&item, "text").as_str().unwrap_or_default().to_owned();
        let page = u64::try_from(field_of(&item, "page")).ok();
        match parts.iter_mut().find(|(known, ..)| *known == document) {
            Some((.., texts)) => texts.push((text, page)),
            None => parts.push((document, source, vec![(text, page)])),
        }
    }
    parts.sort();
    let part = |(id, title, texts): DocumentTexts| {
        let (mut markdown, mut pages, mut line) = (String::new(), Vec::new(), 1);
        for (at, (text, page)) in texts.into_iter().enumerate() {
            if at > 0 {
                markdown.push_str("\n\n");
            }
            pages.extend(page.map(|page| serde_json::json!({ "line": line, "page": page })));
            line += text.matches('\n').count() + 2;
            markdown.push_str(&text);
        }
        let mut part = serde_json::json!({ "id": id, "title": title, "markdown": markdown });
        if !pages.is_empty() {
            part["pages"] = pages.into();
        }
        Value::from(Serde(&part))
    };
    Ok(parts.into_iter().filter(|(id, ..)| !id.is_empty()).map(part).collect())
}
