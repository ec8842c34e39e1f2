//! `kb search` and `kb graph`.

use std::collections::{BTreeMap, BTreeSet};

use app::bases::Meanings;
use app::corpus;
use domain::{ErrorCode, Problem};
use knowledge::{Base, Filter, Hit, HitOrigin, Link, Mode, Query, search_many};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use workspace_bases::WorkspaceBases;

use super::args::{SearchArgs, SearchBy};
use super::{SHIPPED, open};
use crate::outcome::Outcome;
use crate::terminal::{json_line, printable};

/// The most paragraphs of one graph.
const MAX_NODES: usize = 500;

pub(super) async fn search(shelf: &WorkspaceBases, args: SearchArgs) -> Result<Outcome, Problem> {
    let (shelf, handle) = (shelf.clone(), Handle::current());
    tokio::task::spawn_blocking(move || found(&shelf, args, handle))
        .await
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
}

fn found(shelf: &WorkspaceBases, args: SearchArgs, handle: Handle) -> Result<Outcome, Problem> {
    let opened: Vec<(String, Base)> = if args.all || args.base.is_empty() {
        let (opened, problems) = corpus::open_all(shelf, &[SHIPPED.to_owned()])?;
        problems.iter().for_each(|problem| eprintln!("left out: {}", printable(&problem.to_string())));
        opened.into_iter().map(|(known, base)| (known.name, base)).collect()
    } else {
        let named = args.base.iter().map(|name| Ok((name.clone(), open(shelf, name)?)));
        named.collect::<Result<_, Problem>>()?
    };
    let bases: Vec<&Base> = opened.iter().map(|(_, base)| base).collect();
    let text = args.query.join(" ");
    // A question has one vector, which says nothing to a base of another model.
    let stored = bases.iter().filter_map(|base| base.manifest().vectors.as_ref());
    let models: BTreeSet<&str> = stored.map(|vectors| vectors.model.as_str()).collect();
    let mode = mode(if models.len() > 1 && args.by == SearchBy::Auto { SearchBy::Words } else { args.by });
    let mut vector = None;
    if let (Mode::Auto | Mode::Vectors, Some(base)) =
        (mode, bases.iter().find(|base| base.manifest().vectors.is_some()))
    {
        match Meanings::new(shelf.home(), handle).vector(base, &text) {
            Ok(made) => vector = made,
            Err(problem) if mode == Mode::Auto => {
                eprintln!("searching by words: {}", printable(&problem.to_string()))
            }
            Err(problem) => return Err(problem),
        }
    }
    let query = Query {
        text,
        limit: args.limit,
        offset: args.offset,
        hops: args.hops,
        tiers: args.tier.iter().map(|tier| corpus::tier(tier)).collect::<Result<_, _>>()?,
        filter: Filter { docs: args.document, kinds: args.kind, under: args.under, tags: Vec::new() },
        mode,
        plain: args.plain,
        vector,
        ..Query::default()
    };
    let hits = search_many(&bases, &query).map_err(corpus::problem)?;
    if let (false, Some((_, hit))) = (args.json, hits.iter().find(|(_, hit)| !hit.why.scope.is_empty())) {
        println!("scope: {}\n", printable(&hit.why.scope.join(", ")));
    }
    for (place, hit) in &hits {
        let base = bases[*place];
        let paragraph = base.paragraph(&hit.id).map_err(corpus::problem)?;
        if args.json {
            let row = json!({
                "id": hit.id, "ref": base.citation(&hit.id), "base": opened[*place].0, "score": hit.score,
                "title": paragraph.title, "text": paragraph.text, "matched": hit.matched, "via": hit.via, "why": hit.why,
            });
            println!("{}", json_line(&row));
            continue;
        }
        let of = if bases.len() > 1 { format!("  [{}]", opened[*place].0) } else { String::new() };
        println!(
            "{:>8.3}  {}  {}{of}\n          {}",
            hit.score,
            printable(&base.citation(&hit.id)),
            printable(&paragraph.title),
            printable(&hit.snippet)
        );
        if args.explain {
            explain(hit);
        }
        println!();
    }
    if hits.is_empty() && !args.json {
        eprintln!(
            "Nothing found. Other words may help: the base's own headings are in `agentnative kb stats`."
        );
    }
    Ok(Outcome::Done)
}

/// What decides, as the search takes it.
pub(super) fn mode(by: SearchBy) -> Mode {
    match by {
        SearchBy::Auto => Mode::Auto,
        SearchBy::Words => Mode::Words,
        SearchBy::Vectors => Mode::Vectors,
    }
}

fn explain(hit: &Hit) {
    let why = &hit.why;
    let shares: Vec<String> =
        why.words.iter().take(6).map(|word| format!("{} {:.2}", printable(&word.term), word.share)).collect();
    if let Some(rank) = why.words_rank {
        println!(
            "          words: {:.2} (place {rank}) from {}",
            why.words_score,
            printable(&shares.join(", "))
        );
    }
    if let (Some(similarity), Some(rank)) = (why.similarity, why.similarity_rank) {
        println!("          meaning: {similarity:.3} (place {rank})");
    }
    if !why.scope.is_empty() {
        println!("          scope: {}", printable(&why.scope.join(", ")));
    }
    for step in why.path.iter().take(4) {
        println!(
            "          link: {} from {} brought {:.3}",
            printable(&step.kind),
            printable(&step.from),
            step.gain
        );
    }
    if matches!(hit.via, HitOrigin::Id) {
        println!("          named in the question");
    }
    if !why.duplicates.is_empty() {
        println!("          says the same: {}", printable(&why.duplicates.join(", ")));
    }
}

pub(super) fn graph(
    shelf: &WorkspaceBases,
    id: Option<&str>,
    base: &str,
    depth: usize,
    as_json: bool,
    dot: bool,
) -> Result<Outcome, Problem> {
    let base = open(shelf, base)?;
    let named =
        |id: &str| base.paragraph(id).map_or_else(|_| base.citation(id), |paragraph| base.label(paragraph));
    let Some(id) = id else {
        if dot {
            print_dot(base.links(), named);
        } else {
            base.links().for_each(|link| println!("{}", json_line(&labelled_link(&link, named))));
        }
        return Ok(Outcome::Done);
    };
    let around = base.neighbourhood(id, depth, MAX_NODES).map_err(corpus::problem)?;
    if as_json {
        let nodes: Vec<Value> = around
            .nodes
            .iter()
            .map(|node| {
                json!({
                    "id": node.id,
                    "label": named(&node.id),
                    "title": node.title,
                    "kind": node.kind,
                    "withdrawn": node.withdrawn,
                    "depth": node.depth,
                })
            })
            .collect();
        let links: Vec<Value> = around.links.iter().map(|link| labelled_link(link, named)).collect();
        println!("{}", json_line(&json!({"nodes": nodes, "links": links, "cut": around.cut})));
    } else if dot {
        print_dot(around.links.into_iter(), named);
    } else {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for node in &around.nodes {
            let gone = if node.withdrawn { "  (no longer in force)" } else { "" };
            println!(
                "{}{}  {}{gone}",
                "  ".repeat(node.depth),
                printable(&named(&node.id)),
                printable(&node.title)
            );
        }
        around.links.iter().for_each(|link| *kinds.entry(&link.kind).or_default() += 1);
        let kinds: Vec<String> =
            kinds.into_iter().map(|(kind, count)| format!("{count} {}", printable(kind))).collect();
        println!("\n{} links: {}", around.links.len(), printable(&kinds.join(", ")));
    }
    if around.cut && !as_json {
        eprintln!("There is more than is shown.");
    }
    Ok(Outcome::Done)
}

/// A link with what a reader knows its ends by.
fn labelled_link(link: &Link, named: impl Fn(&str) -> String) -> Value {
    json!({
        "from": link.from,
        "to": link.to,
        "kind": link.kind,
        "from_label": named(&link.from),
        "to_label": named(&link.to),
    })
}

/// A graph for Graphviz: nodes by their ids, shown by their labels.
fn print_dot(links: impl Iterator<Item = Link>, named: impl Fn(&str) -> String) {
    let mut known = BTreeSet::new();
    println!("digraph references {{");
    for link in links {
        for id in [&link.from, &link.to] {
            if known.insert(id.clone()) {
                println!("  {} [label={}];", dot_text(id), dot_text(&named(id)));
            }
        }
        println!("  {} -> {} [label={}];", dot_text(&link.from), dot_text(&link.to), dot_text(&link.kind));
    }
    println!("}}");
}

/// A text as Graphviz reads it back.
fn dot_text(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\""))
}
