//! Whose a paragraph is: a document is its file, and a number in a name or heading makes it no standard. Every text here was made
//! up for these tests.

use std::sync::atomic::AtomicBool;

use knowledge::ingest::FileReport;
use knowledge::{Base, IngestOptions, Tier, ingest};
use pretty_assertions::assert_eq;

use crate::World;

struct Made {
    _world: World,
    base: Base,
    files: Vec<FileReport>,
}

fn made_by(files: &[(&str, &str)], rules: Option<&str>) -> Made {
    let world = World::with(files);
    let options = IngestOptions {
        citation: String::new(),
        rules: rules.map(str::to_owned),
        ..world.options(world.sources.path())
    };
    let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let base = Base::open(world.home.path(), "primer").unwrap();
    Made { _world: world, base, files: report.files }
}

fn made(files: &[(&str, &str)]) -> Made {
    made_by(files, None)
}

impl Made {
    fn ids(&self) -> Vec<&str> {
        self.base.paragraphs().iter().map(|one| one.id.as_str()).collect()
    }

    fn text(&self, id: &str) -> &str {
        self.base.paragraph(id).map_or("", |one| one.text.as_str())
    }

    fn told(&self, file: &str) -> Vec<&str> {
        let report = self.files.iter().find(|report| report.name == file).unwrap();
        report.problems.iter().map(|problem| problem.what.as_str()).collect()
    }
}

/// The parts of a standard under any title.
fn standard(title: &str, requirement: &str) -> String {
    format!(
        "# {title}\n\n## Introduction\n\n1. This deals with umbrellas.\n\n## Objective\n\n2. The objective is to know them.\n\n\
         ## Requirements\n\n3. {requirement} (Ref: Para. A1)\n\n## Application and Other Explanatory Material\n\nA1. See \
         paragraph 3.\n"
    )
}

const COUNT: &str = "The auditor shall count every umbrella.";
const LEAVE: &str = "We shall count nothing, because last year nothing was found.";

#[test]
fn a_memorandum_beside_a_standard_is_itself_and_the_standard_keeps_its_numbers() {
    let titles = [
        "ISA 999: Memo for Client Alpha",
        "ISA 999 Memo",
        "ISA 999 (Revised) – Summary for Partners",
        "ISA 999: Working Paper",
        "ISA 999 working paper",
        "International Standard on Auditing 999 – Memo for Client Alpha",
        "Our approach under International Standard on Auditing 999",
    ];
    for title in titles {
        let found = made(&[
            ("alpha.md", &standard(title, LEAVE)),
            ("standard.md", &standard("International Standard on Auditing 999: Counting Umbrellas", COUNT)),
        ]);
        let rules: Vec<&str> = found.files.iter().map(|file| file.rules.as_str()).collect();
        assert_eq!(rules, ["numbered-manual", "isa"], "{title}");
        assert!(found.text("ISA 999.3").starts_with(COUNT), "{title}: {:?}", found.ids());
        let own = found.base.paragraphs().iter().find(|one| one.text.contains(LEAVE)).unwrap();
        assert!(own.id.starts_with("alpha:") && own.kind == "paragraph", "{title}: {}", own.id);
        let is_told = found.told("alpha.md").iter().any(|what| what.contains("named by this file"));
        assert_eq!(is_told, !title.starts_with("Our"), "{title}");
    }
    // The file's name says it, whatever stands at its head.
    let title = "International Standard on Auditing 999: Counting Umbrellas";
    let found = made(&[("ISA_999-memo_alpha.md", &standard(title, LEAVE))]);
    assert_eq!(found.files[0].rules, "numbered-manual");
}

#[test]
fn real_shapes_of_standards_are_recognised() {
    for title in [
        "International Standard on Auditing 999 (Revised 2031), Counting Umbrellas",
        "INTERNATIONAL STANDARD ON AUDITING 999",
        "International Standard on Auditing (UK) 999 (Revised June 2031) Counting Umbrellas",
        // ISA 810 has this word in its title.
        "International Standard on Auditing 999, Engagements to Report on Summary Umbrella Statements",
        "International Standard on Quality Management 9: Quality of Umbrellas",
    ] {
        let found = made(&[("isa-999-summary-statements.md", &standard(title, COUNT))]);
        assert_eq!(found.files[0].rules, "isa", "{title}");
    }
    // A title in short, and the standard's own words on how it is read.
    let read = "International Standard on Auditing (ISA) 999 (Revised 2031), Counting, should be read in conjunction with ISA 998.";
    let text = format!("{read}\n\n{}", standard("ISA 999 (Revised 2031), Counting", COUNT));
    let found = made(&[("a.md", &text)]);
    assert_eq!((found.files[0].rules.as_str(), found.text("ISA 999.3").starts_with(COUNT)), ("isa", true));
}

#[test]
fn what_only_speaks_of_an_rfc_a_control_or_a_law_is_named_by_its_file() {
    let readme = "# rfc2047-decoder\n\nThis project is considered as finished. It decodes RFC 2047.\n";
    let proxy = "# RFC 9999 proxy notes\n\nThe Internet Engineering Task Force says so.\n\n## 5. Joining\n\nOur proxy joins headers.\n";
    let mut plan = String::from("# System Security Plan after NIST SP 800-53\n\n");
    for number in 1..9 {
        plan += &format!(
            "## AC-{number} Unsuccessful Logon Attempts\n\nControl: There is no limit.\n\nDiscussion: None. Related Controls: AC-2.\n\n"
        );
    }
    let mut contract = String::from("# Agreement\n\nWHEREAS:\n\nThe parties like umbrellas.\n\n");
    for number in 1..8 {
        contract += &format!("## Article {number} Rain\n\n1. It rains.\n\n");
    }
    contract += "## ANNEX\n\nA list.\n";
    let mut notes = String::from("# Notes on 2 CFR 200\n\n");
    for number in 501..509 {
        notes += &format!("## § 200.{number} Audit.\n\n(a) We skip this.\n\n");
    }
    let files = [
        ("rfc2047-decoder-1.1.0.md", readme),
        ("rfc9999-proxy-notes.md", proxy),
        ("controls.md", &plan),
        ("contract.md", &contract),
        ("uniform.md", &notes),
    ];
    for (name, text) in files {
        let found = made(&[(name, text)]);
        let stem = name.rsplit_once('.').unwrap().0;
        assert_eq!(found.files[0].rules, "numbered-manual", "{name}");
        assert!(found.ids().iter().all(|id| id.starts_with(stem)), "{name}: {:?}", found.ids());
        // Whoever chooses the rules themselves has them.
        let chosen = made_by(&[(name, text)], Some("rfc"));
        assert_eq!((chosen.files[0].rules.as_str(), chosen.files[0].confidence), ("rfc", 100));
    }
}

#[test]
fn an_id_that_two_files_use_has_the_name_of_its_file_in_both_and_both_say_so() {
    let title = "International Standard on Auditing 999: Counting";
    for (rules, one, other) in [
        (Some("isa"), standard("ISA 999: Memo", LEAVE), standard(title, COUNT)),
        (
            Some("cfr"),
            "# Title 9\n\n## § 1.1 Rain.\n\nIt rains.\n".to_owned(),
            "# Title 9\n\n## § 1.1 Rain.\n\nIt pours.\n".to_owned(),
        ),
        (Some("eu-law"), "Article 1\n\n1. Rain.\n".to_owned(), "Article 1\n\n1. Hail.\n".to_owned()),
    ] {
        let found = made_by(&[("a [draft].md", &one), ("b.md", &other)], rules);
        let ids = found.ids();
        assert!(ids.iter().all(|id| id.starts_with("a (draft):") || id.starts_with("b:")), "{ids:?}");
        assert!(ids.iter().all(|id| !id.contains('[')), "{ids:?}");
        for (file, name) in [("a [draft].md", "a (draft):"), ("b.md", "b:")] {
            assert!(
                found.told(file).iter().any(|what| what.contains(name)),
                "{file}: {:?}",
                found.told(file)
            );
        }
        assert!(found.base.paragraph("ISA 999.3").is_err() && found.base.paragraph("9 CFR 1.1").is_err());
    }
    // Rows that name themselves, too; those that say the same are one.
    let row =
        |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\",\"refs\":[\"2\",\"9\"]}}\n");
    let found = made(&[
        ("a.jsonl", &(row("1", "Rain.") + &row("2", "Same."))),
        ("b.jsonl", &(row("1", "Hail.") + &row("3", "Own."))),
        ("c.jsonl", &row("9", "Snow.")),
    ]);
    assert_eq!(found.ids(), ["a:1", "a:2", "b:1", "b:3", "9"]);
    let to: Vec<&str> = found.base.paragraph("a:1").unwrap().refs.iter().map(|one| one.to.as_str()).collect();
    assert_eq!(to, ["a:2", "9"]);
    // One name in two folders, and one name with two endings.
    let found = made(&[("x/a.md", "# 1. Rain\n\nIt rains.\n"), ("y/a.md", "# 1. Rain\n\nIt pours.\n")]);
    assert_eq!(found.ids(), ["x.a:1 ¶1", "y.a:1 ¶1"]);
    let found = made(&[("a.md", "# 1. Rain\n\nIt rains.\n"), ("a.txt", "1. Rain\n=======\n\nIt pours.\n")]);
    assert_eq!(found.ids(), ["a.md:1 ¶1", "a.txt:1 ¶1"]);
}

#[test]
fn editions_of_a_standard_stay_apart_and_the_newer_is_told() {
    let title = "International Standard on Auditing 999";
    let found = made(&[
        (
            "ISA 999 (Revised 2024).md",
            &standard(&format!("{title} (Revised 2024): Counting"), "The auditor shall count one in ten."),
        ),
        ("ISA 999 2016.md", &standard(&format!("{title}: Counting"), COUNT)),
    ]);
    assert!(found.text("ISA 999 (2016).3").starts_with(COUNT), "{:?}", found.ids());
    assert!(found.text("ISA 999 (Revised 2024), paragraph 3").contains("one in ten"));
    assert!(found.base.paragraph("ISA 999.3").is_err(), "it is not told which");
    let old = found.base.paragraph("ISA 999 (2016).A1").unwrap();
    assert_eq!(old.refs[0].to, "ISA 999 (2016).3");
    assert!(found.told("ISA 999 2016.md")[0].contains("not the newest: ISA 999 (Revised 2024).md"));
    let context = found.base.context_of(found.base.paragraph("ISA 999 (2016).3").unwrap());
    assert_eq!(context.file.as_deref(), Some("ISA 999 2016.md"));
    assert_eq!(context.edition, "2016; newer in this base: Revised 2024");
    let newer = found.base.context_of(found.base.paragraph("ISA 999 (Revised 2024).3").unwrap());
    assert_eq!(newer.edition, "Revised 2024");
    // Without a sign of the edition the file's name tells them apart.
    let found = made(&[
        ("new.md", &standard(&format!("{title}: Counting"), LEAVE)),
        ("old.md", &standard(&format!("{title}: Counting"), COUNT)),
    ]);
    assert!(found.text("old:ISA 999.3").starts_with(COUNT), "{:?}", found.ids());
}

#[test]
fn a_number_in_a_heading_names_no_paragraph_of_a_readme_alone() {
    let croner = "# croner\n\nCron.\n\n## Use\n\nInstall it.\n\nRun it.\n\n### 1. Making seconds optional\n\nSeconds are optional.\n";
    let release =
        "# encoding\n\nIt encodes.\n\n## 0.8.36 though 0.8.39\n\nBytes.\n\n## 0.8.35\n\nMore bytes.\n";
    let report = "# Report\n\nSales grew.\n\n## 2024. Assets\n\n| Cash | 4 |\n|---|---|\n| Debt | 5 |\n";
    for (name, text) in [("croner.md", croner), ("encoding.md", release), ("report.md", report)] {
        let found = made(&[(name, text)]);
        let stem = name.strip_suffix(".md").unwrap();
        assert!(found.ids().iter().all(|id| id.starts_with(stem)), "{name}: {:?}", found.ids());
    }
    assert!(made(&[("encoding.md", release)]).ids().iter().all(|id| !id.contains("0.8.36 ¶")));
    // Of several documents each number has its document; what only one of them numbers so is found by the number, too.
    let manual = "# 1. Lamp\n\nIt burns.\n\n## 1.1 Oil\n\nIt is dear, see section 1.2.\n\n## 1.2 Wick\n\nIt is short.\n";
    let found = made(&[("manual.md", manual), ("note.md", "# Note\n\nNothing.\n")]);
    assert_eq!(found.ids(), ["manual:1 ¶1", "manual:1.1 ¶1", "manual:1.2 ¶1", "note:note/p1"]);
    assert_eq!(found.text("1.2 ¶1"), "It is short.");
    assert_eq!(found.base.paragraph("manual:1.1 ¶1").unwrap().refs[0].to, "manual:1.2");
    // A manual alone, and a form that names the work, need no name before each number.
    assert_eq!(made(&[("manual.md", manual)]).ids(), ["1 ¶1", "1.1 ¶1", "1.2 ¶1"]);
    let world = World::with(&[("manual.md", manual), ("note.md", "# Note\n\nNothing.\n")]);
    assert_eq!(world.base().paragraph("1.1 ¶1").unwrap().id, "1.1 ¶1");
}

#[test]
fn a_document_says_its_date_and_edition_and_is_no_standard_unless_somebody_says_so() {
    let found = made(&[
        ("lease.md", "---\ntitle: Lease\ndate: 2031-05-04\nversion: 3\n---\n\n# Lease\n\nRent is due.\n"),
        ("policy.md", "# Policy\n\nVersion 2.1\n\nEffective date: 4 May 2031\n\nKeep dry.\n"),
    ]);
    let context = |text: &str| {
        let one = found.base.paragraphs().iter().find(|one| one.text.contains(text)).unwrap();
        let context = found.base.context_of(one);
        (context.file.unwrap(), context.edition, context.date)
    };
    let is = |file: &str, edition: &str, date: &str| (file.to_owned(), edition.to_owned(), date.to_owned());
    assert_eq!(context("Rent is due"), is("lease.md", "version 3", "2031-05-04"));
    assert_eq!(context("Keep dry"), is("policy.md", "Version 2.1", "4 May 2031"));
    assert_eq!(IngestOptions::new("home", "base", Vec::new()).tier, Tier::Document);
    assert_eq!(Tier::parse("document"), Some(Tier::Document));
}
