use std::collections::BTreeSet;
use std::path::Path;

use pretty_assertions::assert_eq;
use workspace::{Origin, Workspace, shipped_corpora};

fn shipped() -> Workspace {
    Workspace::open(Path::new("no-such-directory"))
}

#[test]
fn every_shipped_agent_is_sound() {
    let agents = shipped().agents();
    assert!(!agents.is_empty());
    for entry in agents {
        assert_eq!(entry.origin, Origin::Shipped);
        if let Err(problems) = entry.agent {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            panic!("{}:\n{}", entry.slug, lines.join("\n"));
        }
    }
}

#[test]
fn every_shipped_source_is_sound_and_has_a_guide() {
    let sources = shipped().sources();
    let slugs: Vec<&str> = sources.iter().map(|entry| entry.slug.as_str()).collect();
    assert_eq!(slugs, ["isa-knowledge-base", "knowledge-base", "manuscript", "web"]);
    for entry in &sources {
        assert_eq!(entry.source.as_ref().err(), None, "{}", entry.slug);
        assert!(shipped().source_guide(&entry.slug).is_some(), "{}", entry.slug);
    }
}

#[test]
fn the_primer_is_shipped_whole() {
    let corpora = shipped_corpora("isa-knowledge-base");
    assert_eq!(corpora.len(), 1);
    let primer = &corpora[0];
    assert_eq!((primer.base.as_str(), primer.tier.as_str()), ("isa-primer", "primer"));
    assert_eq!(primer.citation, "(Primer {id})");
    assert!(primer.notice.is_some());
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sources/isa-knowledge-base/corpora/primer");
    let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".jsonl"))
        .collect();
    let embedded: BTreeSet<String> = primer.files.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(embedded, on_disk);
    let rows = primer.files.iter().flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n'));
    assert!(
        rows.filter(|row| !row.is_empty())
            .all(|row| serde_json::from_slice::<serde_json::Value>(row).is_ok())
    );
}

#[test]
fn a_source_without_corpora_has_none() {
    assert_eq!(shipped_corpora("knowledge-base"), []);
    assert_eq!(shipped_corpora("no-such-source"), []);
}
