//! Documents and paragraphs as resources: what a person attaches to a conversation, where tools are what a model
//! calls.

use knowledge::{Base, KnowledgeError, Tier};
use rmcp::ErrorData;
use rmcp::model::{
    Annotations, CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Role,
};

use super::Shared;
use super::address::{Address, DOCUMENT_TEMPLATE, PARAGRAPH_TEMPLATE};
use super::calls::TEXT_BYTES;
use super::paging::page;

const MARKDOWN: &str = "text/markdown";
/// A base may get a new generation at any time.
const FRESH_MS: u64 = 60_000;
/// Values offered for an argument that is being typed.
const OFFERED: usize = 50;

pub(super) fn list(shared: &Shared, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let mut resources = Vec::new();
    for summary in shared.bases.list().map_err(internal)? {
        let base = shared.bases.get(Some(&summary.name)).map_err(internal)?;
        for document in base.documents() {
            let address = Address::Document {
                base: summary.name.clone(),
                name: named(&document.name, &base).to_owned(),
                from: None,
            };
            let count = document.paragraphs;
            resources.push(
                Resource::new(address.uri(), format!("{}/{}", summary.name, named(&document.name, &base)))
                    .with_title(named(&document.name, &base))
                    .with_description(format!(
                        "{count} numbered paragraphs of {}, from {}",
                        summary.manifest.title,
                        base.citation(&document.first)
                    ))
                    .with_mime_type(MARKDOWN)
                    .with_annotations(weight(summary.manifest.tier)),
            );
        }
    }
    let (items, next) = page(resources.into_iter(), cursor)?;
    let mut listed = ListResourcesResult::with_all_items(items);
    listed.next_cursor = next;
    listed.ttl_ms = Some(FRESH_MS);
    listed.cache_scope = Some(CacheScope::Public);
    Ok(listed)
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let mut listed = ListResourceTemplatesResult::with_all_items(vec![
        ResourceTemplate::new(PARAGRAPH_TEMPLATE, "paragraph")
            .with_title("A paragraph")
            .with_description("One numbered paragraph with its citation, headings and links.")
            .with_mime_type(MARKDOWN),
        ResourceTemplate::new(DOCUMENT_TEMPLATE, "document")
            .with_title("A document")
            .with_description("The paragraphs of a document in order, from a paragraph on.")
            .with_mime_type(MARKDOWN),
    ]);
    listed.ttl_ms = Some(FRESH_MS);
    listed.cache_scope = Some(CacheScope::Public);
    listed
}

pub(super) fn read(shared: &Shared, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let shown: String = uri.chars().take(300).collect();
    let missing =
        |why: &dyn std::fmt::Display| ErrorData::resource_not_found(format!("{shown}: {why}"), None);
    let address = Address::parse(uri).ok_or_else(|| {
        let known = format_args!("{PARAGRAPH_TEMPLATE} and {DOCUMENT_TEMPLATE}");
        missing(&format!("not one of this server's addresses; they are {known}"))
    })?;
    let text = text_of(shared, &address).map_err(|error| missing(&error))?;
    let contents = ResourceContents::text(text, address.uri()).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
}

/// Values for an argument of a template or prompt that begin as typed.
pub(super) fn complete(shared: &Shared, argument: &str, typed: &str, base: Option<&str>) -> Vec<String> {
    let Ok(bases) = shared.bases.list() else { return Vec::new() };
    let begins = |value: &str| value.to_lowercase().starts_with(&typed.to_lowercase());
    if argument == "base" {
        return bases.into_iter().map(|base| base.name).filter(|name| begins(name)).take(OFFERED).collect();
    }
    let Ok(base) = shared.bases.get(base) else { return Vec::new() };
    match argument {
        "id" | "from" => {
            base.paragraphs().iter().map(|one| one.id.clone()).filter(|id| begins(id)).take(OFFERED).collect()
        }
        "name" => base
            .documents()
            .into_iter()
            .map(|document| named(&document.name, &base).to_owned())
            .filter(|name| begins(name))
            .take(OFFERED)
            .collect(),
        _ => Vec::new(),
    }
}

fn text_of(shared: &Shared, address: &Address) -> Result<String, KnowledgeError> {
    match address {
        Address::Paragraph { base, id } => paragraph(&*shared.bases.get(Some(base))?, id),
        Address::Document { base, name, from } => {
            whole(&*shared.bases.get(Some(base))?, base, name, from.as_deref())
        }
    }
}

fn paragraph(base: &Base, id: &str) -> Result<String, KnowledgeError> {
    let found = base.paragraph(id)?;
    let one = base.context_of(found);
    let mut text = format!("**{}**", one.citation);
    let path: Vec<&str> = one.path.iter().map(String::as_str).chain([one.title.as_str()]).collect();
    let path: Vec<&str> = path.into_iter().filter(|part| !part.is_empty()).collect();
    if !path.is_empty() {
        text.push_str(&format!(" {}", path.join(" > ")));
    }
    let page = one.page.map(|page| format!("page {page}"));
    let place = [
        Some(one.source),
        Some(one.tier.as_str().to_owned()),
        one.file,
        Some(one.edition),
        Some(one.date),
        page,
    ];
    let place: Vec<String> = place.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    text.push_str(&format!("\n\n*{}*\n", place.join(" · ")));
    if one.withdrawn {
        text.push_str(&format!("\nNo longer in force. Now: {}\n", found.superseded_by.join(", ")));
    }
    if !one.context.is_empty() {
        text.push_str(&format!("\n*{}*\n", one.context));
    }
    text.push_str(&format!("\n{}\n", one.text));
    let links = base.neighbours(&found.id)?;
    if !links.is_empty() {
        text.push_str("\nLinks:\n");
        for link in links.iter().take(OFFERED) {
            let way = if link.outgoing { "to" } else { "from" };
            text.push_str(&format!("- {} {way} {}\n", link.kind, base.citation(&link.id)));
        }
    }
    Ok(text)
}

fn whole(base: &Base, name: &str, document: &str, from: Option<&str>) -> Result<String, KnowledgeError> {
    let first = from.map(|id| base.paragraph(id).map(|one| one.id.clone())).transpose()?;
    let mut text = format!("# {document}\n");
    let mut headings: Vec<String> = Vec::new();
    let mut begun = first.is_none();
    let mut any = false;
    let chosen = base.documents().into_iter().find(|one| named(&one.name, base) == document);
    for one in base.paragraphs().iter() {
        // A title that documents of several files have stands for all of them.
        let inside =
            chosen.as_ref().map_or_else(|| named(&one.doc, base) == document, |chosen| chosen.holds(one));
        if one.part_of.is_some() || !inside {
            continue;
        }
        any = true;
        begun = begun || first.as_ref() == Some(&one.id);
        if !begun {
            continue;
        }
        if text.len() + one.text.len() > TEXT_BYTES {
            let next = Address::Document {
                base: name.to_owned(),
                name: document.to_owned(),
                from: Some(one.id.clone()),
            };
            text.push_str(&format!("\nThe document goes on at {}\n", next.uri()));
            return Ok(text);
        }
        let mut path = one.path.clone();
        path.push(one.title.clone());
        path.retain(|part| !part.is_empty());
        if path != headings {
            text.push_str(&format!("\n## {}\n", path.join(" > ")));
            headings = path;
        }
        text.push_str(&format!("\n**{}** {}\n", base.citation(&one.id), one.text));
    }
    if any {
        Ok(text)
    } else {
        Err(KnowledgeError::UnknownParagraph {
            id: document.chars().take(100).collect(),
            nearest: base.documents().into_iter().take(5).map(|one| one.name).collect(),
        })
    }
}

/// A document's name; one without a name is called as its base.
fn named<'n>(doc: &'n str, base: &'n Base) -> &'n str {
    if doc.is_empty() { &base.manifest().title } else { doc }
}

/// Authoritative texts first, for clients that choose.
fn weight(tier: Tier) -> Annotations {
    let priority = match tier {
        Tier::Standard => 1.0,
        Tier::Guide => 0.7,
        Tier::Document => 0.6,
        Tier::Primer => 0.5,
        Tier::Web => 0.3,
    };
    let mut annotations = Annotations::default();
    annotations.audience = Some(vec![Role::User, Role::Assistant]);
    annotations.priority = Some(priority);
    annotations
}

fn internal(error: KnowledgeError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
