//! `mission graph`: what a mission knows, item by item.

use std::path::Path;

use app::AnyClient;
use domain::mission::{ItemId, percent};
use domain::{ErrorCode, Problem};
use evidence_graph::{CitedSource, Item, ItemKind, Scope};
use protocol::{Client, ExportFormat, MissionGraphQuery};

use super::args::{GraphArgs, GraphFile, GraphKind};
use super::{exported, shown};
use crate::outcome::Outcome;
use crate::terminal::{print_json, printable};

/// `mission graph`.
pub(super) async fn graph(client: &AnyClient, args: GraphArgs) -> Result<Outcome, Problem> {
    match args.file {
        Some(GraphFile::Import { file, profile, json }) => return import(client, &file, profile, json).await,
        Some(GraphFile::Export { mission, output }) => {
            let view = shown(client, mission).await?;
            return exported(client, view.mission, ExportFormat::Jsonl, output).await;
        }
        None => {}
    }
    let view = shown(client, args.mission).await?;
    if let Some(claim) = args.claim {
        let found = client.claim_show(view.mission, ItemId(claim)).await?;
        if args.json {
            return print_json(&found);
        }
        println!("{} {}", found.claim.id.0, printable(&found.claim.text));
        println!("  confidence {} %, {}", percent(found.claim.confidence), found.claim.status.name());
        found.citations.iter().for_each(print_citation);
        return Ok(Outcome::Done);
    }
    if let Some(entity) = args.entity {
        let around = client.entity_show(view.mission, ItemId(entity)).await?;
        if args.json {
            return print_json(&around);
        }
        let name = |id: &ItemId| {
            let known = around.entities.iter().find(|one| one.id == *id);
            known.map_or_else(|| id.0.clone(), |one| one.name.clone())
        };
        if let Some(one) = around.entities.first() {
            println!("{}", printable(&Item::Entity(one.clone()).line()));
        }
        for one in &around.relations {
            println!(
                "  {}",
                printable(&format!("{} {} {}", name(&one.from), one.kind.replace('_', " "), name(&one.to)))
            );
        }
        for one in &around.claims {
            println!("  {}", printable(&Item::Claim(one.clone()).line()));
        }
        return Ok(Outcome::Done);
    }
    let kind = match args.kind {
        GraphKind::Claims => ItemKind::Claim,
        GraphKind::Gaps => ItemKind::Gap,
        GraphKind::Contradictions => ItemKind::Contradiction,
        GraphKind::Sources => ItemKind::Source,
        GraphKind::Citations => ItemKind::Citation,
        GraphKind::Entities => ItemKind::Entity,
        GraphKind::Relations => ItemKind::Relation,
        GraphKind::Questions => ItemKind::Question,
        GraphKind::Leads => ItemKind::Lead,
    };
    let kinds: Vec<domain::mission::SourceKind> =
        args.source_kind.iter().map(|kind| named("--source-kind", kind)).collect::<Result<_, _>>()?;
    let query = MissionGraphQuery {
        mission: view.mission,
        kind,
        status: args.status,
        text: args.text,
        scope: Scope { entities: args.about.into_iter().map(ItemId).collect(), kinds, origins: args.origin },
        sort: named("--sort", &args.sort)?,
        after: args.after.map(ItemId),
        limit: args.limit,
    };
    let page = client.mission_graph(query).await?;
    if args.json {
        return print_json(&page);
    }
    for item in &page.items {
        println!("{}", printable(&item.line()));
    }
    if let Some(next) = &page.next {
        println!("{} in all; --after {} goes on", page.total, next.0);
    }
    Ok(Outcome::Done)
}

/// A value of ours by the word that an option names it with.
pub(super) fn named<T: serde::de::DeserializeOwned>(option: &str, word: &str) -> Result<T, Problem> {
    serde_json::from_value(word.into())
        .map_err(|error| Problem::new(ErrorCode::InvalidInput, format!("{option} {word}: {error}")))
}

/// Opens an exported graph.
async fn import(client: &AnyClient, file: &Path, profile: String, json: bool) -> Result<Outcome, Problem> {
    // Whoever drives the data directory may have another working folder.
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mission = client.graph_import(path.to_string_lossy().into_owned(), profile).await?;
    if json {
        return print_json(&serde_json::json!({ "mission": mission }));
    }
    println!("{mission}");
    eprintln!(
        "`agentnative mission extend {mission} \"…\"` goes on with it; `agentnative mission resume {mission}` writes its report."
    );
    Ok(Outcome::Done)
}

/// A citation with everything that leads to the bytes that were read.
fn print_citation(CitedSource { citation, source }: &CitedSource) {
    let page = citation.page.map(|page| format!(", page {page}")).unwrap_or_default();
    let place = citation.paragraph.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
    let words = format!("{} ({}{page}{place}): {}", citation.id.0, source.title, citation.quote);
    println!("  {}", printable(&words));
    if !source.address.is_empty() {
        println!("      address  {}", printable(&source.address));
    }
    if let Some(object) = &source.object {
        println!("      SHA-256  {object}");
    }
}
