//! What goes into a base, and what is reported instead.

use std::fs;
use std::sync::atomic::AtomicBool;

use knowledge::{Base, IngestOptions, KnowledgeError, ingest, list_bases};
use pretty_assertions::assert_eq;

use crate::{CORPUS, World};

fn problems(world: &World) -> Vec<(String, Option<usize>, String)> {
    let report = world.ingest();
    let each = report.files.into_iter();
    each.flat_map(|file| file.problems.into_iter().map(move |p| (file.name.clone(), p.line, p.what)))
        .collect()
}

const GOOD: &str = "{\"id\":\"1\",\"text\":\"A good paragraph.\"}\n";

#[test]
fn the_same_inputs_give_the_same_digest_in_a_new_generation() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let first = world.ingest().manifest;
    let renamed = IngestOptions { title: "Renamed".into(), ..world.options(world.sources.path()) };
    let second = ingest(&renamed, &mut |_| {}, &AtomicBool::new(false)).unwrap().manifest;
    assert_eq!((first.generation.as_str(), second.generation.as_str()), ("g000001", "g000002"));
    assert_eq!(first.digest, second.digest);
    assert_eq!(Base::open(world.home.path(), "primer").unwrap().manifest(), &second);
    assert!(Base::open_generation(world.home.path(), "primer", "g000001").is_ok());
}

#[test]
fn faulty_rows_are_reported_with_their_line_and_the_rest_is_taken() {
    let world = World::new();
    let mut rows = b"\xef\xbb\xbf{\"id\":\"1\",\"text\":\"With a byte order mark.\"}\r\n".to_vec();
    rows.extend_from_slice(b"{\"id\":\"1\",\"text\":\"The same id.\"}\n{\"id\":\"2\"}\nnot json\n{\"id\":\"3\",\"text\":\"bad \xff byte\"}\n[]\n");
    rows.extend_from_slice(b"{\"id\":\"4\",\"text\":\"");
    rows.extend(std::iter::repeat_n(b'x', 5 << 20));
    rows.extend_from_slice(b"\"}\n{\"id\":\"5\",\"text\":\"The last one.\"}");
    world.write("rows.jsonl", &rows);
    let found = problems(&world);
    let lines: Vec<Option<usize>> = found.iter().map(|one| one.1).collect();
    assert_eq!(lines, [Some(3), Some(4), Some(5), Some(6), Some(7), Some(2)]);
    let base = Base::open(world.home.path(), "primer").unwrap();
    assert_eq!(
        base.paragraphs().iter().map(|one| one.id.as_str()).collect::<Vec<_>>(),
        ["1", "1 no. 2", "5"]
    );
}

#[test]
fn a_row_may_have_whole_numbers_for_ids_and_nothing_but_a_title() {
    let rows = r#"{"_id":7,"doc":1,"title":"On folding umbrellas","text":""}
{"_id":8,"doc":1,"family":2,"kind":"note","title":3,"text":"Cloth dries slowly.","refs":[7,{"to":9}],"items":[{"id":81,"text":"In the hall."}]}
{"_id":9,"title":"On stands"}
{"_id":10,"title":" ","text":" "}
"#;
    let world = World::with(&[("rows.jsonl", rows)]);
    let found = problems(&world);
    assert_eq!(found.iter().map(|one| one.1).collect::<Vec<_>>(), [Some(4)], "{found:?}");
    let base = Base::open(world.home.path(), "primer").unwrap();
    assert_eq!(base.paragraph("7").unwrap().text, "On folding umbrellas");
    assert_eq!(base.paragraph("9").unwrap().text, "On stands");
    let other = base.paragraph("8").unwrap();
    assert_eq!((other.doc.as_str(), other.title.as_str(), other.path[0].as_str()), ("1", "3", "2"));
    assert_eq!(other.refs.iter().map(|one| one.to.as_str()).collect::<Vec<_>>(), ["7", "9"]);
    assert_eq!(base.paragraph("81").unwrap().text, "In the hall.");
}

#[test]
fn odd_files_are_passed_over_and_named() {
    let world =
        World::with(&[("good.jsonl", GOOD), ("empty.md", ""), ("picture.png", "x"), ("sub/latin.txt", "")]);
    world.write("binary.txt", b"ab\0cd");
    world.write("sub/latin.txt", b"caf\xe9 is not UTF-8\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", world.sources.path().join("link.txt")).unwrap();
    let names: Vec<String> = problems(&world).into_iter().map(|one| one.0).collect();
    for name in ["empty.md", "picture.png", "binary.txt", "sub/latin.txt"] {
        assert!(names.iter().any(|one| one == name), "{name} in {names:?}");
    }
    assert_eq!(names.iter().any(|one| one == "link.txt"), cfg!(unix));
}

#[test]
fn nothing_to_ingest_is_an_error_and_leaves_no_base() {
    let world = World::with(&[("empty.txt", "")]);
    assert!(matches!(world.try_ingest(), Err(KnowledgeError::Nothing { .. })));
    assert_eq!(list_bases(world.home.path()).unwrap(), []);
    assert!(matches!(Base::open(world.home.path(), "primer"), Err(KnowledgeError::UnknownBase { .. })));
    assert!(matches!(Base::open(world.home.path(), "../up"), Err(KnowledgeError::BadName { .. })));
}

#[test]
fn a_long_paragraph_is_split_and_reported() {
    let text = "word ".repeat(30_000);
    let world = World::with(&[("long.jsonl", &format!("{{\"id\":\"9\",\"text\":\"{text}\"}}"))]);
    assert_eq!(problems(&world).len(), 1);
    let base = Base::open(world.home.path(), "primer").unwrap();
    assert_eq!(
        base.paragraphs().iter().map(|p| p.id.as_str()).collect::<Vec<_>>(),
        ["9", "9 part 2", "9 part 3"]
    );
}

#[test]
fn a_cancelled_or_interrupted_ingest_leaves_the_old_generation() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    world.ingest();
    let cancelled = ingest(&world.options(world.sources.path()), &mut |_| {}, &AtomicBool::new(true));
    assert!(matches!(cancelled, Err(KnowledgeError::Cancelled)));
    let folder = world.home.path().join("knowledge/primer");
    // What a crash can leave: a half-written folder, and a whole one that never became current.
    fs::create_dir(folder.join(".ingest-g000002")).unwrap();
    fs::create_dir(folder.join("g000002")).unwrap();
    fs::write(folder.join("g000002/manifest.json"), "{").unwrap();
    assert_eq!(Base::open(world.home.path(), "primer").unwrap().manifest().generation, "g000001");
    world.write("more.jsonl", GOOD.as_bytes());
    assert_eq!(world.ingest().manifest.generation, "g000002");
    assert!(!folder.join(".ingest-g000002").exists());
    assert_eq!(Base::open(world.home.path(), "primer").unwrap().manifest().generation, "g000002");
}

#[test]
fn a_newer_format_is_refused_and_a_damaged_base_is_named() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    world.ingest();
    let generation = world.home.path().join("knowledge/primer/g000001");
    let paragraphs = fs::read_to_string(generation.join("paragraphs.jsonl")).unwrap();
    fs::write(generation.join("paragraphs.jsonl"), &paragraphs[..paragraphs.len() - 20]).unwrap();
    assert!(matches!(Base::open(world.home.path(), "primer"), Err(KnowledgeError::Damaged { .. })));
    fs::write(generation.join("manifest.json"), "{\"format\": 99, \"shape\": \"unknown\"}").unwrap();
    let error = Base::open(world.home.path(), "primer").err().unwrap();
    assert!(matches!(error, KnowledgeError::NewerFormat { found: 99, .. }), "{error}");
}

#[test]
fn markdown_gives_numbered_and_named_ids() {
    let text = "---\ntitle: x\n---\n# Manual\n\nBefore any section.\n\n## Scope and aim\n\nFirst.\n\n- a list\n- goes along\n\n## 2.1 Method\n\nUnder a number.\n\n2.1.4 Has its own number, see section 2.2.\n\n## 2.2 More\n\n```\n# not a heading\n```\n";
    let world = World::with(&[("guide.md", text)]);
    let base = world.base();
    let found: Vec<(&str, &str)> =
        base.paragraphs().iter().map(|p| (p.id.as_str(), p.text.as_str())).collect();
    assert_eq!(
        found,
        [
            ("guide/p1", "title: x"),
            ("guide:manual/p1", "Before any section."),
            ("guide:scope-and-aim/p1", "First.\na list\ngoes along"),
            ("2.1 ¶1", "Under a number."),
            ("2.1.4", "Has its own number, see section 2.2."),
            ("2.2 ¶1", "# not a heading"),
        ]
    );
    assert_eq!(base.paragraph("2.1.4").unwrap().refs[0].to, "2.2");
    assert_eq!(base.paragraph("2.1 para 1").unwrap().id, "2.1 ¶1");
}

#[test]
fn texts_that_number_alike_get_their_names() {
    let chapter = "1.1. One\n========\n\nSome text.\n";
    let world = World::with(&[("a.txt", chapter), ("b.txt", chapter)]);
    let base = world.base();
    assert_eq!(base.paragraphs().iter().map(|p| p.id.as_str()).collect::<Vec<_>>(), ["a:1.1 ¶1", "b:1.1 ¶1"]);
}

#[test]
fn a_real_manual_is_taken_in_by_its_sections() {
    let path = std::path::Path::new("/usr/share/doc/debian-policy/policy.txt.gz");
    if !path.exists() {
        println!("skipped: the package debian-policy is not installed");
        return;
    }
    let world = World::new();
    let mut options = world.options(path);
    options.citation = "(Policy {id})".into();
    let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let base = Base::open(world.home.path(), "primer").unwrap();
    assert!(report.manifest.counts.paragraphs > 1_000, "{:?}", report.manifest.counts);
    assert!(report.files[0].problems.is_empty(), "{:?}", report.files[0].problems);
    let found = base.paragraph("(Policy 3.4 ¶1)").unwrap();
    assert_eq!(found.title, "The description of a package");
    assert_eq!(base.citation(&found.id), "(Policy 3.4 ¶1)");
    assert!(report.manifest.counts.references > 50, "{:?}", report.manifest.counts);
}

#[test]
fn an_id_that_only_counts_has_the_file_and_the_place_as_its_label() {
    let world = World::with(&[
        (
            "guide.md",
            "# Guide\n\nBefore any section.\n\n## Scope and aim\n\nFirst.\n\n## 2.1 Method\n\nNumbered.\n",
        ),
        ("more/notes.txt", "Only words stand here.\n"),
        ("more/same.md", "# One\n\nThe first of two.\n"),
        ("same.md", "# Two\n\nThe second of two.\n"),
        ("lease.pdf.md", "# Lease\n\nA text made of a file.\n"),
        ("deed.pdf.md", "# Deed\n\nThe text.\n"),
        ("deed.pdf.txt", "Another one.\n"),
        ("rows.jsonl", "{\"id\":\"9/p1\",\"text\":\"A row names itself.\"}\n"),
    ]);
    let made = |citation: &str| {
        let options = IngestOptions { citation: citation.into(), ..world.options(world.sources.path()) };
        ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        Base::open(world.home.path(), "primer").unwrap()
    };
    let base = made("");
    let labels: Vec<(&str, Option<String>)> =
        base.paragraphs().iter().map(|one| (one.text.as_str(), base.file_label(one))).collect();
    let expected = [
        // A text has the name of the file that it was made of, unless that is the name of two.
        ("The text.", Some("deed.pdf.md, Deed ¶1")),
        ("Another one.", Some("deed.pdf.txt ¶1")),
        ("Before any section.", Some("guide.md, Guide ¶1")),
        ("First.", Some("guide.md, Scope and aim ¶1")),
        ("Numbered.", Some("guide.md, 2.1 ¶1")),
        ("A text made of a file.", Some("lease.pdf, Lease ¶1")),
        ("Only words stand here.", Some("notes.txt ¶1")),
        ("The first of two.", Some("more/same.md, One ¶1")),
        ("A row names itself.", None),
        ("The second of two.", Some("same.md, Two ¶1")),
    ];
    assert_eq!(labels, expected.map(|(text, label)| (text, label.map(str::to_owned))));
    for (id, label) in
        [("guide:scope-and-aim/p1", "guide.md, page 7"), ("2.1 ¶1", "guide.md, 2.1 ¶1, page 7")]
    {
        let paged = knowledge::Paragraph { page: Some(7), ..base.paragraph(id).unwrap().clone() };
        assert_eq!(base.label(&paged), label);
        assert_eq!(base.context_of(&paged).page, Some(7));
    }
    // Words in the form name the work; so do words in an id.
    let base = made("(House {id})");
    assert_eq!(base.label(base.paragraph("2.1 ¶1").unwrap()), "(House 2.1 ¶1)");
    let world = World::with(&[("cfr.txt", "§ 200.516 Audit findings.\n\n(a) The auditor must report.\n")]);
    let one = world.base();
    let named = knowledge::Paragraph { id: "2 CFR 200.516(a)".into(), ..one.paragraphs()[0].clone() };
    assert_eq!(base.file_label(&named), None);
}
