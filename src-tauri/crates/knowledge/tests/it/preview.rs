//! What is recognised, before anything is stored.

use std::sync::atomic::AtomicBool;

use knowledge::ingest::{Preview, preview};
use knowledge::{Base, KnowledgeError, list_bases};
use pretty_assertions::assert_eq;

use crate::World;

fn look(world: &World) -> Preview {
    preview(&world.options(world.sources.path()), &mut |_| {}, &AtomicBool::new(false)).unwrap()
}

const MANUAL: &str = "# Manual\n\n## 1.1 Stands\n\nStands are black, see section 1.2.\n\n## 1.2 Hooks\n\nHooks are\nwhite.\n\n1.2.7 This one has a number.\n\n1.2.7 And this one the same.\n";

#[test]
fn a_preview_tells_ids_headings_references_and_duplicates_and_stores_nothing() {
    let world = World::with(&[("manual.md", MANUAL), ("picture.png", "\u{1}")]);
    let found = look(&world);
    assert_eq!(list_bases(world.home.path()).unwrap(), []);
    assert!(!world.home.path().join("knowledge").exists());
    let [manual, picture] = &found.files[..] else { panic!("{found:#?}") };
    let (manual, picture) = if manual.name == "manual.md" { (manual, picture) } else { (picture, manual) };
    assert_eq!((manual.format.as_str(), manual.rules.as_str()), ("markdown", "numbered-manual"));
    assert_eq!(manual.paragraphs, 4);
    assert_eq!(
        manual.samples.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(),
        ["1.1 ¶1", "1.2 ¶1", "1.2.7"]
    );
    assert_eq!(
        manual
            .headings
            .iter()
            .map(|(path, count)| (path.last().unwrap().as_str(), *count))
            .collect::<Vec<_>>(),
        [("Stands", 1), ("Hooks", 3)]
    );
    assert_eq!((manual.resolved, manual.duplicates), (1, 1));
    assert_eq!(manual.duplicate_samples[0].became.as_deref(), Some("1.2.7 no. 2"));
    assert_eq!((picture.format.as_str(), picture.problems.len()), ("", 1));
}

#[test]
fn a_preview_shows_what_the_ingest_then_stores() {
    let world = World::with(&[("manual.md", MANUAL), ("other.txt", "1.1. Other\n==========\n\nText.\n")]);
    let found = look(&world);
    let manifest = world.ingest().manifest;
    let stored: Vec<(String, u64)> =
        manifest.sources.iter().map(|one| (one.name.clone(), one.paragraphs)).collect();
    let seen: Vec<(String, u64)> =
        found.files.iter().map(|one| (one.name.clone(), one.paragraphs as u64)).collect();
    assert_eq!(stored, seen);
    let base = Base::open(world.home.path(), "primer").unwrap();
    for sample in found.files.iter().flat_map(|file| &file.samples) {
        assert!(base.paragraph(&sample.id).unwrap().text.starts_with(&sample.text), "{}", sample.id);
    }
    let resolved: usize = found.files.iter().map(|file| file.resolved).sum();
    assert_eq!(resolved as u64, manifest.counts.references - manifest.counts.dangling);
}

#[test]
fn a_preview_of_nothing_is_a_report_and_a_cancelled_one_stops() {
    let world = World::with(&[("empty.md", "")]);
    assert_eq!(look(&world).files[0].problems[0].what, "no text in it");
    let cancelled = preview(&world.options(world.sources.path()), &mut |_| {}, &AtomicBool::new(true));
    assert!(matches!(cancelled, Err(KnowledgeError::Cancelled)));
}
