//! Documents and titles that a question names, and titles that a text names.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use knowledge::eval::{EvalOptions, evaluate};
use knowledge::{Base, Hit, HitOrigin, IngestOptions, Mode, Query, ingest};
use pretty_assertions::assert_eq;

use crate::World;

/// A report of a firm, longer than its beginning, with what every report says.
fn report(firm: &str, sales: usize) -> String {
    let mut text = format!("{firm} hereby tells its owners how the season went.\n\n");
    for number in 0..40 {
        let short = firm.split(' ').next().unwrap_or_default();
        let _ = write!(
            text,
            "Berth {number} was painted, swept and let to a skipper for {} crowns; {short} keeps the key of the shed \
             beside it and looks after ropes and lamps there.\n\n",
            sales + number
        );
    }
    let _ = writeln!(text, "Net sales of ferry tickets came to {sales} crowns.");
    text
}

fn reports() -> World {
    World::with(&[
        ("2021_Q1_HRBR.txt", &report("Harbour Works Ltd", 1_000)),
        ("2021_Q2_HRBR.txt", &report("Harbour Works Ltd", 2_000)),
        ("2022_Q1_MILL.txt", &report("Millrace GmbH", 3_000)),
        (
            "quay_lease.txt",
            "Whoever rents the quay pays on the first day of May. Ferry tickets are sold at the gate.",
        ),
        (
            "crane_handbook.txt",
            "The crane is greased in May, and nobody stands below it. Net sales are not its business.",
        ),
    ])
}

fn asked(base: &Base, text: &str) -> Vec<Hit> {
    base.search(&Query { text: text.into(), limit: 20, ..Query::default() }).unwrap()
}

fn plain(base: &Base, text: &str) -> Vec<Hit> {
    base.search(&Query { text: text.into(), limit: 20, plain: true, ..Query::default() }).unwrap()
}

fn file<'b>(base: &'b Base, hit: &Hit) -> &'b str {
    base.file(base.paragraph(&hit.id).unwrap()).map_or("", |file| file.name.as_str())
}

#[test]
fn a_question_is_answered_from_the_documents_that_it_names() {
    let world = reports();
    let base = world.base();
    let cases: &[(&str, &[&str], &str)] = &[
        // The question, what of it is the scope, and whose paragraph comes first.
        (
            "net sales of ferry tickets at Harbour in the second quarter of 2021",
            &["Harbour", "second quarter of 2021"],
            "2021_Q2_HRBR.txt",
        ),
        ("net sales of ferry tickets, HRBR, Q1 2021", &["HRBR", "Q1 2021"], "2021_Q1_HRBR.txt"),
        ("Millrace's net sales of ferry tickets", &["Millrace"], "2022_Q1_MILL.txt"),
        ("latest net sales of ferry tickets of Harbour", &["Harbour", "latest"], "2021_Q2_HRBR.txt"),
        ("what does the lease say on ferry tickets", &["lease"], "quay_lease.txt"),
        ("what the crane handbook says on net sales", &["crane handbook", "handbook"], "crane_handbook.txt"),
    ];
    for (text, scope, name) in cases {
        let hits = asked(&base, text);
        assert_eq!(file(&base, &hits[0]), *name, "{text}");
        assert_eq!(hits[0].why.scope, *scope, "{text}");
        // What is not named is behind, not gone.
        assert!(hits.len() == 20 || hits.iter().any(|hit| file(&base, hit) != *name), "{text}");
    }
}

#[test]
fn a_question_that_names_no_document_is_searched_as_ever() {
    let world = reports();
    let base = world.base();
    for text in [
        "net sales of ferry tickets",
        // No such report, and a year that is what a text is about.
        "net sales of ferry tickets in Q4 2020",
        "net sales of ferry tickets in 2021",
        // Every document has them; none is called so.
        "Who keeps the Berth and the Shed?",
        "May",
        "nothing of the kind",
        "",
    ] {
        assert_eq!(asked(&base, text), plain(&base, text), "{text}");
    }
}

#[test]
fn what_others_speak_of_as_well_chooses_no_document() {
    let gate = "The gate of Harbour opens at six, says the watch, and closes when the last boat is in.";
    let world = reports();
    world.write("gate.txt", gate.as_bytes());
    world.write(
        "watch.txt",
        (0..20)
            .map(|n| format!("Watch {n} saw Harbour by night, from tower {n}.\n\n"))
            .collect::<String>()
            .as_bytes(),
    );
    let base = world.base();
    let text = "net sales of ferry tickets at Harbour";
    assert_eq!(asked(&base, text), plain(&base, text));
}

#[test]
fn a_name_that_others_speak_of_chooses_among_documents_of_the_kind_that_is_named() {
    let lease = |tenant: &str, years: &str| {
        format!(
            "This lease is made with {tenant}, who rents the quay.\n\nThe initial term of this lease is {years} years.\n\n\
             Rent is paid in advance, and the crane is greased by whoever used it last.\n"
        )
    };
    let list = |n: usize| format!("Meridian Freight paid invoice {n} late, before the initial term.\n\n");
    let world = World::with(&[
        ("lease_granite.txt", &lease("Granite Mills Ltd", "five")),
        ("lease_meridian.txt", &lease("Meridian Freight Corporation", "three")),
        ("payments.txt", &(0..20).map(list).collect::<String>()),
    ]);
    let base = world.base();
    let hits = asked(&base, "How long is the initial term of the lease with Meridian Freight?");
    let text = &base.paragraph(&hits[0].id).unwrap().text;
    assert_eq!((file(&base, &hits[0]), text.contains("three years")), ("lease_meridian.txt", true), "{text}");
    assert_eq!(hits[0].why.scope, ["lease", "Meridian Freight"]);
    // Without the kind any of the texts may be meant.
    let text = "How long is the initial term for Meridian Freight?";
    assert_eq!(asked(&base, text), plain(&base, text));
}

#[test]
fn a_defined_term_stays_in_the_query_and_chooses_no_document() {
    let rule = |n: usize| {
        format!(
            "Rule {n}: a provider amends the Governing Contract in writing, and the Trust in step {n}.\n\n"
        )
    };
    let world = World::with(&[
        ("rulebook.txt", &(0..20).map(rule).collect::<String>()),
        (
            "sample_contract.txt",
            "This contract is made in May. Ferries are hired by the hour, and nobody amends anything.\n",
        ),
        (
            "trust_deed.txt",
            "The Trust holds the quay. A deed names the keeper of the quay, and what he amends.\n",
        ),
        ("annual_report.txt", "The year was wet. Whoever keeps the quay amends the accounts in writing.\n"),
    ]);
    let base = world.base();
    for text in [
        "Who amends the Governing Contract in writing?",
        "How is the contract of a provider amended in writing, step 3?",
        "Who amends the Trust in step 4?",
    ] {
        let hits = asked(&base, text);
        assert_eq!(file(&base, &hits[0]), "rulebook.txt", "{text}: {:?}", hits[0].why.scope);
        // The rulebook begins with a contract, too: the kind may choose it, a term chooses nothing.
        assert!(text.contains("the contract") || hits == plain(&base, text), "{text}");
    }
    // A kind that hardly any other document speaks of still chooses.
    let hits = asked(&base, "what does the annual report say on the quay in writing");
    assert_eq!(file(&base, &hits[0]), "annual_report.txt");
}

#[test]
fn names_are_found_however_their_letters_are_put_together() {
    let long = |word: &str| report(&format!("{word} Ltd"), 500);
    // The file's name has its marks apart from the letters, as some systems write them.
    let world = World::with(&[("U\u{308}berfahrt.txt", &long("Ferries")), ("Æbelø.txt", &long("Island"))]);
    let base = world.base();
    for (text, name) in [("Überfahrt net sales", "U\u{308}berfahrt.txt"), ("Æbelø net sales", "Æbelø.txt")]
    {
        let hits = asked(&base, text);
        assert_eq!((file(&base, &hits[0]), hits[0].why.scope.len()), (name, 1), "{text}");
    }
}

const ENTRIES: &str = r#"{"id":"1","title":"The Salt Road (ballad)","text":"The ballad was written down by Edda Vanterpool in the year of the flood."}
{"id":"2","title":"Edda Vanterpool","text":"She was born in a mill near Dunmorrow and never left the valley."}
{"id":"3","title":"Åse Ødegård","text":"A singer of the coast who knew every verse."}
{"id":"4","title":"The Long Night","text":"The play is said to be by Åse Ødegård, though the print has no name."}
{"id":"5","title":"Salt","text":"What is left when sea water has gone."}
{"id":"6","title":"Written word","text":"What is written stays."}
{"id":"7","title":"Valley","text":"Low ground between hills; a flood fills it first."}
{"id":"8","title":"Flood","text":"The written word does not stop a flood in the valley, nor does salt."}
{"id":"9","title":"Mills","text":"A flood drives no mill, and salt spoils the written word of the miller."}
{"id":"10","title":"Verses","text":"Every valley has its verse on the flood, written or not."}
"#;

#[test]
fn what_a_text_names_by_its_title_is_brought_in() {
    let world = World::with(&[("entries.jsonl", ENTRIES)]);
    let base = world.base();
    // The title without its note; and from there the one who is named in the text.
    let hits = asked(&base, "Where was the writer of The Salt Road born?");
    let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids[..2], ["1", "2"]);
    assert_eq!((&hits[0].via, hits[1].why.path[0].from.as_str()), (&HitOrigin::Id, "1"));
    assert_eq!(hits[1].why.path[0].kind, "names");
    let hits = asked(&base, "whose play has no name in print");
    assert_eq!((hits[0].id.as_str(), hits[1].id.as_str()), ("4", "3"));
    assert_eq!(hits[1].via, HitOrigin::Link { from: "4".into(), kind: "names".into() });
    let without = plain(&base, "whose play has no name in print");
    assert!(without.iter().all(|hit| hit.id != "3" && hit.why.path.is_empty()));
}

#[test]
fn titles_of_common_words_lead_nowhere() {
    let world = World::with(&[("entries.jsonl", ENTRIES)]);
    let base = world.base();
    for text in [
        "written word",
        "What of the Valley in a Flood?",
        "Salt",
        "mills and verses",
        "the long night of salt",
    ] {
        let brought = |hit: &&Hit| !hit.why.path.is_empty() || hit.via == HitOrigin::Id;
        let brought: Vec<String> =
            asked(&base, text).iter().filter(brought).map(|hit| hit.id.clone()).collect();
        assert!(brought.iter().all(|id| ["2", "3"].contains(&id.as_str())), "{text}: {brought:?}");
    }
}

#[test]
fn ten_thousand_titles_are_no_burden() {
    let mut rows = String::new();
    for number in 0..10_000 {
        let next = (number + 1) % 10_000;
        let _ = writeln!(
            rows,
            "{{\"id\":\"{number}\",\"document\":\"Ship Kestrel{number} 20{:02} Q{}\",\"title\":\"Kestrel{number} Log\",\
             \"text\":\"The boat was caulked before Kestrel{next} Log was begun, and the mate kept count of the nails.\"}}",
            number % 100,
            number % 4 + 1
        );
    }
    let world = World::with(&[("ships.jsonl", &rows)]);
    let base = world.base();
    let first = Instant::now();
    let hits = asked(&base, "Who kept count of the nails by the Kestrel4711 Log?");
    let first = first.elapsed();
    assert_eq!((hits[0].id.as_str(), hits[1].id.as_str()), ("4711", "4712"));
    let again = Instant::now();
    for number in 0..20 {
        let hits =
            asked(&base, &format!("nails counted on Kestrel{number} in Q{} 20{number:02}", number % 4 + 1));
        assert_eq!(hits[0].id, number.to_string());
    }
    let again = again.elapsed() / 20;
    println!("10,000 titles: {first:.1?} at first, then {again:.1?} a search");
    assert!(first < Duration::from_secs(5) && again < Duration::from_millis(500), "{first:?} {again:?}");
}

/// The folder of collections for measuring.
fn data(inside: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("AGENTNATIVE_CORPORA")?);
    let above = folder.parent()?.to_owned();
    [folder, above].into_iter().map(|folder| folder.join(inside)).find(|folder| folder.is_dir())
}

#[test]
fn questions_over_two_texts_find_both() {
    let Some(folder) = data("judged/2wiki-101") else {
        return println!("skipped: AGENTNATIVE_CORPORA names no folder with judged/2wiki-101");
    };
    let options =
        EvalOptions { folder, embedder: None, mode: Mode::Auto, hops: 0, plain: false, links: None };
    let of = |plain: bool| {
        let options = EvalOptions { plain, ..options.clone() };
        let found = evaluate(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        println!("plain {plain}: {:?}", found.ways[0].scores.mean);
        found.ways[0].scores.mean.all_8
    };
    let (named, without) = (of(false), of(true));
    assert!(named >= 0.98 && without < 0.5, "{named} {without}");
}

#[test]
fn collections_without_such_names_are_ranked_as_ever() {
    let Some(folder) = data("judged") else {
        return println!("skipped: AGENTNATIVE_CORPORA names no folder with judged collections");
    };
    for (name, hops) in [("nist-csf", 0), ("nist-csf", 1), ("cranfield", 0)] {
        let of = |plain: bool| {
            let folder = folder.join(name);
            let options = EvalOptions { folder, embedder: None, mode: Mode::Auto, hops, plain, links: None };
            evaluate(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap().ways.remove(0)
        };
        let (named, without) = (of(false), of(true));
        println!("{name}, {hops} hops: {:?}, plain {:?}", named.scores.mean, without.scores.mean);
        assert!(named.scores.mean.ndcg_10 >= without.scores.mean.ndcg_10 - 1e-9);
    }
}

/// The whole figures of a text, without the commas between thousands.
fn figures(text: &str) -> Vec<String> {
    let digits = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    let all = text.split(|c| !digits(c)).map(|one| one.replace(',', "").trim_matches('.').to_owned());
    all.filter(|one| !one.is_empty()).collect()
}

/// The share of the answers' figures that stand on the first five pages, and on five pages of the right documents that are
/// drawn at random.
fn found_figures(base: &Base, folder: &Path, plain: bool) -> (f64, f64) {
    let rows = |name: &str| -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let pages = rows("pages.jsonl");
    let (mut found, mut drawn, mut count) = (0.0, 0.0, 0.0);
    for question in rows("questions.jsonl") {
        let wanted: Vec<&str> =
            question["numbers"].as_array().unwrap().iter().filter_map(|one| one.as_str()).collect();
        if wanted.is_empty() {
            continue;
        }
        let share = |ids: &[String]| {
            let text = |id: &String| {
                pages.iter().find(|page| page["_id"] == **id).map(|page| page["text"].as_str().unwrap())
            };
            let held: Vec<String> = ids.iter().filter_map(text).flat_map(figures).collect();
            wanted.iter().filter(|one| held.iter().any(|held| held == *one)).count() as f64
                / wanted.len() as f64
        };
        let text = question["question"].as_str().unwrap().to_owned();
        let mut first: Vec<String> = Vec::new();
        for hit in base.search(&Query { text, limit: 100, plain, ..Query::default() }).unwrap() {
            let paragraph = base.paragraph(&hit.id).unwrap();
            let (Some(page), Some(file)) = (paragraph.page, base.file(paragraph)) else { continue };
            let id = format!("{}#p{page}", file.name.trim_end_matches(".pdf").replace(' ', "_"));
            if !first.contains(&id) && first.len() < 5 {
                first.push(id);
            }
        }
        let right =
            |page: &&serde_json::Value| question["documents"].as_array().unwrap().contains(&page["document"]);
        let right: Vec<String> =
            pages.iter().filter(right).map(|page| page["_id"].as_str().unwrap().to_owned()).collect();
        let draws = 50;
        let mut state = 1_u64;
        for _ in 0..draws {
            let mut left = right.clone();
            let ids: Vec<String> = (0..5.min(right.len()))
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    left.swap_remove((state >> 33) as usize % left.len())
                })
                .collect();
            drawn += share(&ids) / f64::from(draws);
        }
        found += share(&first);
        count += 1.0;
    }
    (found / count, drawn / count)
}

#[test]
fn figures_are_found_in_the_reports_that_questions_name() {
    let Some(folder) = data("sec-10q") else {
        return println!("skipped: AGENTNATIVE_CORPORA names no folder beside sec-10q");
    };
    let home = tempfile::tempdir().unwrap();
    let options = IngestOptions::new(home.path(), "reports", vec![folder.join("docs")]);
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let base = Base::open(home.path(), "reports").unwrap();
    let (named, random) = found_figures(&base, &folder, false);
    let (without, _) = found_figures(&base, &folder, true);
    println!(
        "figures on five pages: {named:.3}, plain {without:.3}, random pages of the right documents {random:.3}"
    );
    assert!(named >= 0.45 && named > without && named > 2.0 * random, "{named} {without} {random}");
}
