//! What stands on disk, how it is opened, and what becomes of it when it is damaged.

use std::fs;
use std::path::PathBuf;

use knowledge::{Base, KnowledgeError, Query, import};
use pretty_assertions::assert_eq;

use crate::{CORPUS, World};

fn generation(world: &World, number: u32) -> PathBuf {
    world.home.path().join(format!("knowledge/primer/g{number:06}"))
}

/// Enough paragraphs that something is learned from them, with links, tags, headings and parts.
fn rows() -> String {
    let row = |n: usize| {
        format!(
            r#"{{"id":"{a}.{b}","doc":"D{a}","title":"Keeping {n}","path":["Part {a}"],"standards":["T {b}"],"text":"The keeper of shelf {n} shall count boxes, jars and ledgers of row {b} every week.","items":[{{"id":"{a}.{b}(a)","text":"count boxes"}}],"refs":[{{"to":"{b}.{a}","kind":"related"}},"9.9"]}}"#,
            a = n / 8 + 1,
            b = n % 8 + 1
        )
    };
    (0..40).map(row).collect::<Vec<_>>().join("\n")
}

fn answers(base: &Base) -> Vec<knowledge::Hit> {
    let text = "count the jars of row 3".to_owned();
    base.search(&Query { text, hops: 2, limit: 40, ..Query::default() }).unwrap()
}

#[test]
fn the_same_paragraphs_give_the_same_bytes() {
    let files = |_: u32| {
        let world = World::with(&[("rows.jsonl", &rows())]);
        world.ingest();
        ["paragraphs.jsonl", "index.bin"].map(|name| fs::read(generation(&world, 1).join(name)).unwrap())
    };
    assert!(files(1) == files(2));
}

#[test]
fn what_is_opened_is_what_was_ingested() {
    let world = World::with(&[("rows.jsonl", &rows())]);
    let base = world.base();
    let stored = fs::read_to_string(generation(&world, 1).join("paragraphs.jsonl")).unwrap();
    let lines: Vec<knowledge::Paragraph> =
        stored.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(base.paragraphs().iter().cloned().collect::<Vec<_>>(), lines);
    assert_eq!(base.paragraphs().iter().rev().nth(3), lines.iter().rev().nth(3));
    assert_eq!(base.paragraphs().between(78..200).count(), 2);
    assert_eq!(base.paragraphs().get(80), None);
    assert_eq!(base.stats().tags.len(), 8);
    assert_eq!(base.documents().len(), 5);
}

#[test]
fn documents_of_one_title_in_different_files_are_two_and_told_apart_by_their_files() {
    let page = |words: &str| format!("# Report\n\n{words} are repaired at the eastern pier.\n");
    let world = World::with(&[("a.md", &page("Ships")), ("b.md", &page("Boats"))]);
    let base = world.base();
    let documents = base.documents();
    let listed: Vec<_> = documents.iter().map(|one| (one.name.as_str(), one.paragraphs)).collect();
    assert_eq!(listed, [("Report (a.md)", 1), ("Report (b.md)", 1)]);
    let held = |at: usize| base.paragraphs().iter().filter(|one| documents[at].holds(one)).count();
    assert_eq!((held(0), held(1)), (1, 1));

    // Rows name their document themselves, in however many files they stand.
    let row = |id: &str, doc: &str| {
        format!("{{\"id\":\"{id}\",\"doc\":\"{doc}\",\"text\":\"Ships and piers {id}.\"}}\n")
    };
    let first = format!("{}{}", row("1", "Report"), row("3", "Lease"));
    let base = World::with(&[("a.jsonl", &first), ("b.jsonl", &row("4", "Report"))]);
    let documents = base.base().documents();
    let listed: Vec<_> = documents.iter().map(|one| (one.name.as_str(), one.paragraphs)).collect();
    assert_eq!(listed, [("Report", 2), ("Lease", 1)]);
}

#[test]
fn a_base_of_the_first_format_is_opened_and_answers_alike() {
    let world = World::with(&[("rows.jsonl", &rows())]);
    let expected = answers(&world.base());
    let folder = generation(&world, 1);
    fs::remove_file(folder.join("index.bin")).unwrap();
    fs::create_dir(folder.join("index")).unwrap();
    let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["format"] = 1.into();
    manifest.as_object_mut().unwrap().remove("index");
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    assert_eq!(answers(&Base::open(world.home.path(), "primer").unwrap()), expected);
}

#[test]
fn an_index_of_another_version_is_built_again() {
    let world = World::with(&[("rows.jsonl", &rows())]);
    let expected = answers(&world.base());
    let path = generation(&world, 1).join("index.bin");
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] ^= 0x40;
    fs::write(&path, bytes).unwrap();
    assert_eq!(answers(&Base::open(world.home.path(), "primer").unwrap()), expected);
}

#[test]
fn a_damaged_or_shortened_file_is_named_and_never_answered_from() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    world.ingest();
    let mut tried = 0;
    for name in ["paragraphs.jsonl", "index.bin"] {
        let path = generation(&world, 1).join(name);
        let whole = fs::read(&path).unwrap();
        let step = (whole.len() / 300).max(1);
        // Bytes 8 to 12 of the index are its version; see above.
        let places = (0..whole.len()).step_by(step).filter(|at| name != "index.bin" || !(8..12).contains(at));
        for at in places {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            for bytes in [&flipped[..], &whole[..at]] {
                fs::write(&path, bytes).unwrap();
                let opened = Base::open(world.home.path(), "primer");
                assert!(matches!(opened, Err(KnowledgeError::Damaged { .. })), "{name} at {at}");
                tried += 1;
            }
        }
        fs::write(&path, [&whole[..], b"\n"].concat()).unwrap();
        assert!(Base::open(world.home.path(), "primer").is_err(), "{name} with something added");
        fs::write(&path, &whole).unwrap();
    }
    assert!(tried > 500, "{tried}");
    fs::remove_file(generation(&world, 1).join("index.bin")).unwrap();
    assert!(matches!(Base::open(world.home.path(), "primer"), Err(KnowledgeError::Damaged { .. })));
}

#[test]
fn an_exported_base_is_taken_in_elsewhere_and_answers_alike() {
    let world = World::with(&[("rows.jsonl", &rows())]);
    let base = world.base();
    let other = World::new();
    let folder = other.sources.path().join("carried");
    base.export(&folder).unwrap();
    let manifest = import(other.home.path(), "carried", &folder, 7).unwrap();
    assert_eq!((&manifest.digest, &manifest.index), (&base.manifest().digest, &base.manifest().index));
    assert_eq!(manifest.counts, base.manifest().counts);
    assert_eq!(answers(&Base::open(other.home.path(), "carried").unwrap()), answers(&base));
    assert!(matches!(base.export(&folder), Err(KnowledgeError::Io { .. })));
}

#[test]
fn an_edited_export_is_refused_where_an_ingest_would_not_have_written_it() {
    let world = World::with(&[("rows.jsonl", &rows())]);
    let folder = world.sources.path().join("carried");
    world.base().export(&folder).unwrap();
    let path = folder.join("paragraphs.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let first = whole.lines().next().unwrap();
    for bad in [
        format!("{whole}{first}\n"),
        format!("{whole}{{\"id\":\"\",\"text\":\"x\"}}\n"),
        format!("{whole}{{\"id\":\"z\",\"text\":\"x\",\"part_of\":\"nothing\"}}\n"),
        format!("{whole}no paragraph\n"),
        String::new(),
    ] {
        fs::write(&path, bad).unwrap();
        let refused = import(world.home.path(), "carried", &folder, 0);
        assert!(matches!(refused, Err(KnowledgeError::Damaged { .. })), "{refused:?}");
    }
    assert!(matches!(Base::open(world.home.path(), "carried"), Err(KnowledgeError::UnknownBase { .. })));
}

#[test]
fn a_neighbourhood_holds_what_is_near_and_the_links_between() {
    let rows = r#"{"id":"1","title":"One","text":"First","refs":["2","3"]}
{"id":"2","text":"Second","refs":["3"]}
{"id":"3","text":"Third","refs":[]}
{"id":"4","text":"Fourth","refs":["3"]}
{"id":"5","text":"Fifth","refs":["4"]}"#;
    let world = World::with(&[("c.jsonl", rows)]);
    let base = world.base();
    let seen = |depth, limit| {
        let found = base.neighbourhood("1", depth, limit).unwrap();
        let nodes: Vec<(String, usize)> = found.nodes.into_iter().map(|node| (node.id, node.depth)).collect();
        let links: Vec<String> =
            found.links.iter().map(|link| format!("{}-{}", link.from, link.to)).collect();
        (nodes, links.join(" "), found.cut)
    };
    let node = |id: &str, depth| (id.to_owned(), depth);
    assert_eq!(
        seen(1, 10),
        (vec![node("1", 0), node("2", 1), node("3", 1)], "1-2 1-3 2-3".to_owned(), false)
    );
    assert_eq!(seen(3, 10).0.last(), Some(&node("5", 3)));
    assert_eq!(seen(3, 2), (vec![node("1", 0), node("2", 1)], "1-2".to_owned(), true));
    assert_eq!(base.links().count(), 5);
}
