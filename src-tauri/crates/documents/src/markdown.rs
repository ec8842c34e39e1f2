//! Markdown: CommonMark with tables, footnotes and front matter. It is read as the page that it describes, so that
//! HTML inside of it hides and shows what it does in a browser.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html as page};

use crate::output::Output;
use crate::{BlockKind, Document, Limits, ReadError, html};

/// Reads a Markdown file.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let mut output = Output::new(limits, cancel);
    let source = output.text(bytes, "Markdown")?;
    let source = source.as_ref();
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut text = String::with_capacity(source.len() + source.len() / 4);
    let (mut counted, mut line) = (0, 1_u32);
    let mut front = String::new();
    let events = Parser::new_ext(source, options).into_offset_iter().flat_map(|(event, range)| {
        let mark = matches!(event, Event::Start(_)).then(|| {
            if let Some(between) = source.as_bytes().get(counted..range.start) {
                line += u32::try_from(between.iter().filter(|&&b| b == b'\n').count()).unwrap_or(0);
                counted = range.start;
            }
            Event::InlineHtml(CowStr::from(html::line_mark(line)))
        });
        let event = match event {
            Event::Start(Tag::MetadataBlock(_)) => {
                front = source.get(range).unwrap_or_default().to_owned();
                Event::Html("<pre>".into())
            }
            Event::End(TagEnd::MetadataBlock(_)) => Event::Html("</pre>".into()),
            event => event,
        };
        mark.into_iter().chain([event])
    });
    page::push_html(&mut text, events);
    output.check()?;
    html::read_marked(&text, &mut output)?;
    let mut document = output.finish();
    document.title = front_title(&front);
    name(&mut document);
    Ok(document)
}

/// The title that the front matter gives.
fn front_title(front: &str) -> Option<String> {
    let title = front.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
    let title = title.trim_matches(['"', '\'']);
    (!title.is_empty() && !title.starts_with(['|', '>', '[', '{'])).then(|| title.to_owned())
}

/// Gives the document its title and the headings the anchors that links in Markdown use.
fn name(document: &mut Document) {
    let first = document.blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading(_)));
    if let Some(first) = first.filter(|block| block.kind == BlockKind::Heading(1) && block.label.is_none()) {
        document.title = Some(first.text.clone());
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for block in &mut document.blocks {
        if !matches!(block.kind, BlockKind::Heading(_)) || block.anchor.is_some() {
            continue;
        }
        let label = block.label.as_deref().unwrap_or_default();
        let slug: String = format!("{label} {}", block.text)
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                c => c.is_alphanumeric().then_some(c),
            })
            .collect();
        let count = seen.entry(slug.clone()).or_insert(0);
        block.anchor = Some(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
}
