//! Ingesting again: what has not changed is not read again, and the result is what a first ingest would give.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use knowledge::ingest::{Unread, is_document, read_ahead};
use knowledge::{Base, IngestOptions, ingest, list_bases, remove_session_bases};
use pretty_assertions::assert_eq;

use crate::World;

/// Every file of a generation with its bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        found.insert(entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    }
    found
}

fn same_generation(one: &Path, other: &Path) {
    let (one, other) = (contents(one), contents(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        // A generation's name depends on how many there were before it.
        let plain = |bytes: &[u8]| match name.as_str() {
            "manifest.json" => {
                let mut manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap();
                manifest["generation"] = "".into();
                manifest.to_string().into_bytes()
            }
            _ => bytes.to_vec(),
        };
        assert!(plain(bytes) == plain(&other[name]), "{name} differs");
    }
}

const MANUAL: &str =
    "# Manual\n\n## 1.1 Stands\n\nStands are black, see section 1.2.\n\n## 1.2 Hooks\n\nHooks are white.\n";

#[test]
fn the_same_input_gives_the_same_generation_byte_for_byte() {
    let files = [
        ("a.md", MANUAL),
        ("b/a.md", MANUAL),
        ("c.html", "<h1>1.1. C</h1><p>See <a href='b/a.md#x'>it</a>.</p>"),
    ];
    let (one, other) = (World::with(&files), World::with(&files));
    one.ingest();
    other.ingest();
    let folder = "knowledge/primer/g000001";
    assert!(contents(&one.home.path().join(folder)) == contents(&other.home.path().join(folder)));
}

#[test]
fn nothing_changed_writes_no_generation_and_says_so() {
    let world = World::with(&[("a.md", MANUAL), ("picture.png", "\u{1}")]);
    let first = world.ingest();
    let second = world.ingest();
    assert_eq!((first.unchanged, second.unchanged), (false, true));
    assert_eq!((&first.manifest, &first.files), (&second.manifest, &second.files));
    let retitled = IngestOptions { title: "Another".into(), ..world.options(world.sources.path()) };
    let third = ingest(&retitled, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!((third.unchanged, third.manifest.generation.as_str()), (false, "g000002"));
    assert!(third.files.iter().find(|file| file.name == "a.md").unwrap().reused);
}

#[test]
fn a_changed_rule_set_reads_its_files_again() {
    let world = World::with(&[("a.md", MANUAL)]);
    let folder = world.home.path().join("rules");
    fs::create_dir_all(&folder).unwrap();
    let own = |count: &str| {
        let text =
            format!(r#"{{ "name": "own", "title": "", "description": "", "unnumbered": ["{count}"] }}"#);
        fs::write(folder.join("own.json"), text).unwrap();
    };
    let options = IngestOptions { rules: Some("own".into()), ..world.options(world.sources.path()) };
    own("p{count}");
    let first = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    own("q{count}");
    let second = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert!(!second.unchanged && !second.files[0].reused);
    assert!(first.manifest.sources[0].rules_version != second.manifest.sources[0].rules_version);
}

#[test]
fn a_damaged_kept_reading_is_read_again() {
    let world = World::with(&[("a.md", MANUAL)]);
    world.ingest();
    let kept = world.home.path().join("knowledge/primer/read");
    for entry in fs::read_dir(kept).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    world.write("b.txt", b"Another text.\n");
    let report = world.ingest();
    assert!(report.files.iter().all(|file| !file.reused && file.paragraphs > 0), "{:?}", report.files);
}

/// A seeded generator (the constants are Knuth's MMIX), so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn text(&mut self) -> String {
        let mut text = String::from("# Rules\n\n");
        for section in 1..2 + self.below(3) {
            text.push_str(&format!("## {}.{section} Part\n\n", 1 + self.below(3)));
            for _ in 0..1 + self.below(3) {
                let words = ["rain", "stands", "hooks", "see section 1.2", "see section 2.1", "1.2.3 has it"];
                text.push_str(&format!("Word {} {}.\n\n", words[self.below(6)], self.below(9)));
            }
            if self.below(3) == 0 {
                text.push_str(&format!(
                    "{}.{section}.{} Numbered, see 1.1.\n\n",
                    1 + self.below(2),
                    1 + self.below(2)
                ));
            }
        }
        text
    }
}

#[test]
fn whatever_was_edited_the_result_is_that_of_a_first_ingest() {
    let mut dice = Dice(7);
    let names = ["a.md", "b.md", "sub/a.md", "c.txt", "d.html"];
    let world = World::new();
    world.write("a.md", dice.text().as_bytes());
    let mut reused = 0;
    for _ in 0..25 {
        for _ in 0..1 + dice.below(2) {
            let name = names[dice.below(names.len())];
            let path = world.sources.path().join(name);
            if dice.below(4) == 0 && path.exists() && name != "a.md" {
                fs::remove_file(path).unwrap();
            } else if name.ends_with("html") {
                world.write(name, format!("<h2>1.2. Html</h2><p>{}</p>", dice.text()).as_bytes());
            } else {
                world.write(name, dice.text().as_bytes());
            }
        }
        let again = world.ingest();
        reused += again.files.iter().filter(|file| file.reused).count();
        let fresh = World { home: tempfile::tempdir().unwrap(), sources: tempfile::tempdir().unwrap() };
        let options =
            IngestOptions { home: fresh.home.path().to_owned(), ..world.options(world.sources.path()) };
        ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        same_generation(
            &world.home.path().join("knowledge/primer").join(&again.manifest.generation),
            &fresh.home.path().join("knowledge/primer/g000001"),
        );
    }
    assert!(reused > 10, "{reused} readings were used again");
}

#[test]
fn every_stored_text_is_found_in_its_source_and_every_id_is_unique() {
    let mut dice = Dice(11);
    let world = World::new();
    for (turn, ending) in ["md", "txt", "html", "jsonl"].into_iter().cycle().take(24).enumerate() {
        let text = dice.text();
        let body = match ending {
            "html" => text
                .split("\n\n")
                .map(|block| match block.trim_start_matches('#').trim() {
                    title if block.starts_with('#') => format!("<h2>{title}</h2>"),
                    words => format!("<p>{words}</p>"),
                })
                .collect(),
            "jsonl" => text
                .split("\n\n")
                .filter(|block| !block.trim().is_empty())
                .map(|block| {
                    format!("{}\n", serde_json::json!({ "id": format!("r{}", dice.below(4)), "text": block }))
                })
                .collect(),
            _ => text,
        };
        world.write(&format!("f{turn}.{ending}"), body.as_bytes());
    }
    let base = world.base();
    let mut ids = std::collections::BTreeSet::new();
    for paragraph in base.paragraphs().iter() {
        assert!(ids.insert(paragraph.id.clone()), "{} is there twice", paragraph.id);
        let name = &base.manifest().sources[paragraph.file as usize].name;
        let source = fs::read_to_string(world.sources.path().join(name)).unwrap();
        for line in paragraph.text.lines() {
            assert!(source.contains(line), "{line:?} of {} is not in {name}", paragraph.id);
        }
    }
    assert!(ids.len() > 60, "{}", ids.len());
}

#[test]
fn documents_of_a_session_are_read_once_named_as_they_were_and_listed_nowhere() {
    let world = World::with(&[("0123-notes.md", "# Notes\n\nThe pilot boards two miles before the mole.\n")]);
    let path = world.sources.path().join("0123-notes.md");
    let readings = world.home.path().join("knowledge/.attached");
    let options = IngestOptions {
        base: "attached-1".into(),
        names: [(path.clone(), "notes.md".to_owned())].into(),
        session: Some("s1".into()),
        readings: Some(readings.clone()),
        ..IngestOptions::new(world.home.path(), "attached-1", vec![path])
    };
    let reports = read_ahead(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!((reports[0].name.as_str(), reports[0].unread), ("notes.md", None));
    assert_eq!(fs::read_dir(&readings).unwrap().count(), 1);

    let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert!(report.files[0].reused, "it was read before");
    assert_eq!(report.manifest.sources[0].name, "notes.md");
    assert_eq!(fs::read_dir(&readings).unwrap().count(), 1, "others may be made of it");
    let again = IngestOptions { base: "attached-2".into(), session: Some("s2".into()), ..options };
    assert!(ingest(&again, &mut |_| {}, &AtomicBool::new(false)).unwrap().files[0].reused);

    assert!(list_bases(world.home.path()).unwrap().is_empty());
    remove_session_bases(world.home.path(), "s1").unwrap();
    assert!(Base::open(world.home.path(), "attached-1").is_err());
    assert!(Base::open(world.home.path(), "attached-2").is_ok(), "the other session keeps its own");
}

#[test]
fn a_document_without_text_says_so_in_its_report() {
    let world = World::with(&[("empty.md", " \n")]);
    let options = world.options(world.sources.path());
    let reports = read_ahead(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(reports[0].unread, Some(Unread::Empty));
    assert!(is_document("a.csv", b"a,b\n") && is_document("a", b"%PDF-1.7") && !is_document("a.md", b"# A"));
}
