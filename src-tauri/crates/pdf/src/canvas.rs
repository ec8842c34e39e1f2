//! The file: what stands on the pages, drawn.

use std::collections::BTreeMap;

use docx::WordDocument;
use krilla::Document;
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target as Destination};
use krilla::color::rgb;
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::metadata::{DateTime, Metadata, PageLayout};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, SpanTag};

use crate::PdfError;
use crate::flow::{Heading, Item, Part};
use crate::fonts::Fonts;
use crate::pages::{Layout, Placed};
use crate::style::{
    Colour, FOOTER_TOP, HEADER_TOP, INK, LEFT, LINE, MARKER, NOTES_RULE, PAGE_HEIGHT, PAGE_WIDTH, RUNNING,
    WIDTH,
};
use crate::tags::Tags;
use crate::text::{Line, Target};

/// Where a link of a page stands, and where it leads.
type PlacedLink<'l> = (Rect, &'l Target);

/// Where places and footnotes stand: page and distance from the top.
#[derive(Default)]
struct Anchors {
    named: BTreeMap<String, (usize, f32)>,
    notes: BTreeMap<usize, (usize, f32)>,
    headings: BTreeMap<usize, (usize, f32)>,
}

impl Anchors {
    fn of(layout: &Layout) -> Self {
        let mut places = Self::default();
        for (number, page) in layout.pages.iter().enumerate() {
            for (placed, y) in &page.items {
                if let Placed::Note(note, 0) = placed {
                    places.notes.entry(*note).or_insert((number, *y));
                }
                let Placed::Text(index) = placed else { continue };
                let Some(item) = layout.items.get(*index) else { continue };
                for place in &item.places {
                    places.named.entry(place.clone()).or_insert((number, *y));
                }
                if let Some(heading) = item.heading {
                    places.headings.insert(heading, (number, *y));
                }
            }
        }
        places
    }

    fn destination(&self, target: &Target) -> Option<Destination> {
        let place = match target {
            Target::Web(address) => {
                return Some(Destination::Action(Action::Link(LinkAction::new(address.clone()))));
            }
            Target::Place(name) => self.named.get(name)?,
            Target::Note(index) => self.notes.get(index)?,
        };
        Some(Destination::Destination(destination(*place).into()))
    }
}

fn destination((page, y): (usize, f32)) -> XyzDestination {
    XyzDestination::new(page, Point::from_xy(0.0, (y - 12.0).max(0.0)))
}

/// Draws the pages.
pub(crate) fn draw(
    document: &WordDocument,
    layout: &Layout,
    headings: &[Heading],
    fonts: &mut Fonts,
    mut tags: Tags,
) -> Result<Vec<u8>, PdfError> {
    let settings = krilla::SerializeSettings { enable_tagging: true, ..krilla::SerializeSettings::default() };
    let mut file = Document::new_with(settings);
    let places = Anchors::of(layout);
    let count = layout.pages.len();
    let size = PageSettings::from_wh(PAGE_WIDTH, PAGE_HEIGHT)
        .ok_or_else(|| PdfError::Writing("the size of the pages is none".to_owned()))?;
    for (number, page) in layout.pages.iter().enumerate() {
        let mut sheet = file.start_page_with(size.clone());
        let mut surface = sheet.surface();
        running(&mut surface, document, number, count, fonts);
        let mut links: Vec<PlacedLink<'_>> = Vec::new();
        let mut above = 0.0;
        for (placed, y) in &page.items {
            let Some(item) = layout.item(placed) else { continue };
            grounds(&mut surface, item, *y, above);
            above = *y + item.height;
            for part in &item.parts {
                draw_part(&mut surface, part, *y, &mut tags, &mut links);
            }
        }
        if let Some(y) = page.rule {
            artifact(&mut surface, ArtifactType::Layout, |surface| {
                fill(surface, LEFT, y, NOTES_RULE, 0.6, INK);
            });
        }
        surface.finish();
        for (rect, target) in links {
            if let Some(target) = places.destination(target) {
                sheet.add_annotation(Annotation::new_link(LinkAnnotation::new(rect, target), None));
            }
        }
        sheet.finish();
    }
    file.set_outline(outline(headings, &places));
    file.set_metadata(metadata(document));
    file.set_tag_tree(tags.tree());
    file.finish().map_err(|error| PdfError::Writing(format!("{error:?}")))
}

/// The head of every page but the first, which has one only with a marking, and the foot.
fn running(
    surface: &mut Surface<'_>,
    document: &WordDocument,
    number: usize,
    count: usize,
    fonts: &mut Fonts,
) {
    let page = format!("Page {} of {count}", number + 1);
    artifact(surface, ArtifactType::Footer, |surface| {
        if let Some(line) = fonts.line_of(&page, &RUNNING) {
            words(surface, &line, LEFT + WIDTH - line.width, FOOTER_TOP, &mut Vec::new());
        }
        if let Some(line) = fonts.first_line(&document.footer, &RUNNING, WIDTH - 90.0) {
            words(surface, &line, LEFT, FOOTER_TOP, &mut Vec::new());
        }
    });
    let head = document.head();
    if head.is_empty() || (number == 0 && document.marking.is_empty()) {
        return;
    }
    artifact(surface, ArtifactType::Header, |surface| {
        if let Some(line) = fonts.first_line(&head, &RUNNING, WIDTH) {
            words(surface, &line, LEFT, HEADER_TOP, &mut Vec::new());
        }
        fill(surface, LEFT, HEADER_TOP + 15.0, WIDTH, 0.5, LINE);
    });
}

fn grounds(surface: &mut Surface<'_>, item: &Item, y: f32, above: f32) {
    if item.grounds.is_empty() {
        return;
    }
    artifact(surface, ArtifactType::Layout, |surface| {
        for ground in &item.grounds {
            let top = if ground.is_joined && above > 0.0 { above.min(y) } else { y };
            fill(surface, ground.x, top, ground.width, y + item.height - top, ground.colour);
        }
    });
}

fn draw_part<'l>(
    surface: &mut Surface<'_>,
    part: &'l Part,
    top: f32,
    tags: &mut Tags,
    links: &mut Vec<PlacedLink<'l>>,
) {
    match part {
        Part::Fill { x, y, width, height, colour } => {
            artifact(surface, ArtifactType::Layout, |surface| {
                fill(surface, *x, top + y, *width, *height, *colour);
            });
        }
        Part::Line { x, y, line, tag: Some(tag) } => {
            let content = surface.start_tagged(ContentTag::Span(SpanTag::empty()));
            words(surface, line, *x, top + y, links);
            surface.end_tagged();
            tags.drawn(*tag, content);
        }
        Part::Line { x, y, line, tag: None } => {
            artifact(surface, ArtifactType::Layout, |surface| words(surface, line, *x, top + y, links));
        }
    }
}

/// What is no part of the text.
fn artifact(surface: &mut Surface<'_>, kind: ArtifactType, draw: impl FnOnce(&mut Surface<'_>)) {
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(kind)));
    draw(surface);
    surface.end_tagged();
}

fn words<'l>(surface: &mut Surface<'_>, line: &'l Line, x: f32, top: f32, links: &mut Vec<PlacedLink<'l>>) {
    let baseline = top + line.baseline;
    for part in &line.glyphs {
        let left = x + part.x;
        if part.ink.highlight {
            fill(surface, left, baseline - part.size * 0.8, part.width, part.size * 1.05, MARKER);
        }
        set_fill(surface, part.ink.colour);
        let start = Point::from_xy(left, baseline - part.ink.rise);
        surface.draw_glyphs(start, &part.glyphs, part.font.clone(), &part.text, part.size, false);
        if part.ink.strike {
            fill(surface, left, baseline - part.size * 0.26, part.width, part.size * 0.06, part.ink.colour);
        }
        if let Some(target) = &part.target {
            let (from, to) =
                (baseline - part.ink.rise - part.size * 0.8, baseline - part.ink.rise + part.size * 0.25);
            if let Some(rect) = Rect::from_ltrb(left, from, left + part.width.max(1.0), to) {
                links.push((rect, target));
            }
        }
    }
}

fn set_fill(surface: &mut Surface<'_>, Colour(red, green, blue): Colour) {
    surface.set_fill(Some(Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        opacity: NormalizedF32::ONE,
        rule: FillRule::default(),
    }));
}

fn fill(surface: &mut Surface<'_>, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
    let Some(rect) = Rect::from_xywh(x, y, width, height) else { return };
    let mut path = PathBuilder::new();
    path.push_rect(rect);
    if let Some(path) = path.finish() {
        set_fill(surface, colour);
        surface.draw_path(&path);
    }
}

/// Bookmarks: headings below the heading that they belong to.
fn outline(headings: &[Heading], places: &Anchors) -> Outline {
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < headings.len() {
        nodes.extend(branch(headings, &mut at, places));
    }
    let mut outline = Outline::new();
    nodes.into_iter().for_each(|node| outline.push_child(node));
    outline
}

fn branch(headings: &[Heading], at: &mut usize, places: &Anchors) -> Option<OutlineNode> {
    let index = *at;
    let heading = headings.get(index)?;
    *at += 1;
    let mut node =
        places.headings.get(&index).map(|place| OutlineNode::new(heading.text.clone(), destination(*place)));
    while headings.get(*at).is_some_and(|next| next.level > heading.level) {
        let child = branch(headings, at, places);
        if let (Some(node), Some(child)) = (&mut node, child) {
            node.push_child(child);
        }
    }
    node
}

fn metadata(document: &WordDocument) -> Metadata {
    let language = if document.language.is_empty() { "en-GB" } else { &document.language };
    let mut metadata = Metadata::new()
        .title(document.title.clone())
        .language(language.to_owned())
        .authors(Some(document.author.clone()).filter(|author| !author.is_empty()).into_iter().collect())
        .creator("AgentNative".to_owned())
        .page_layout(PageLayout::OneColumn);
    if let Some(date) = document.created.as_deref().and_then(date) {
        metadata = metadata.creation_date(date);
    }
    metadata
}

/// `2026-11-26T09:30:00Z`.
fn date(text: &str) -> Option<DateTime> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u16>().ok();
    let small = |from: usize| number(from, from + 2).and_then(|number| u8::try_from(number).ok());
    let date = DateTime::new(number(0, 4)?).month(small(5)?).day(small(8)?);
    Some(date.hour(small(11)?).minute(small(14)?).second(small(17)?).utc_offset_hour(0).utc_offset_minute(0))
}
