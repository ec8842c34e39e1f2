//! A record for each sentence, and checking the records again.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use citations::{
    AnswerCheck, Axis, Cited, FaultKind, Judge, Sentence, Verdict, check_answer, judge_records, recheck,
};
use domain::{Finding, Method, Proof, SentenceRecord, SentenceVerdict};
use knowledge::{Base, KnowledgeError, ingest};
use pretty_assertions::assert_eq;

use crate::world::{CORPUS, World};

/// A sentence with one citation.
fn said(claim: &str, source_ref: &str, quote: &str) -> Sentence {
    Sentence {
        text: format!("{claim} ({source_ref})."),
        claim: format!("{claim}."),
        citations: vec![Cited { source_ref: source_ref.into(), quote: quote.into(), paragraph_id: None }],
        elsewhere: false,
    }
}

fn checked(base: &Base, sentences: &[Sentence]) -> AnswerCheck {
    check_answer(&[base], sentences, &[]).unwrap()
}

fn record(claim: &str, source_ref: &str, quote: &str) -> SentenceRecord {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    checked(&world.base(), &[said(claim, source_ref, quote)]).records.remove(0)
}

#[test]
fn only_a_whole_sentence_word_for_word_is_verified() {
    let own = record(
        "The partner must attend this meeting and should speak last, so that the youngest voice is heard before the oldest",
        "3.2",
        "",
    );
    assert_eq!(
        (own.verdict, own.proof, &own.method),
        (SentenceVerdict::Verified, Proof::Quoted, &Method::Quoted)
    );
    let citation = &own.citations[0];
    assert_eq!(citation.verdict, Verdict::Verified);
    let (from, to) = citation.range.unwrap();
    assert!(citation.document.as_ref().is_some_and(|document| document.name.ends_with("corpus.jsonl")));
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let text: Vec<char> = world.base().paragraph("3.2").unwrap().text.chars().collect();
    assert!(text[from..to].iter().collect::<String>().starts_with("The partner must attend"));

    let part = record("The auditor shall not give a clean opinion", "4.2", "");
    assert_eq!(part.verdict, SentenceVerdict::Unverified, "its condition is cut off");
    let paraphrase =
        record("Partners take part in the talk about fraud", "3.2", "The partner must attend this meeting");
    assert_eq!(
        (paraphrase.verdict, paraphrase.proof, &paraphrase.method),
        (SentenceVerdict::Unverified, Proof::NamedThings, &Method::NoModel)
    );
}

#[test]
fn each_fault_has_its_verdict_and_its_method() {
    let found = |claim: &str, source_ref: &str, quote: &str| {
        let one = record(claim, source_ref, quote);
        (one.verdict, one.method.to_string())
    };
    let row = |verdict, method: &str| (verdict, method.to_owned());
    assert_eq!(found("It is so", "9.9", ""), row(SentenceVerdict::Missing, "lookup"));
    assert_eq!(found("It is so", "5.2", ""), row(SentenceVerdict::Withdrawn, "lookup"));
    assert_eq!(
        found("The partner comes", "3.2", "The partner may attend this meeting"),
        row(SentenceVerdict::Mismatch, "quoted")
    );
    assert_eq!(
        found("Notes are kept for 12 years", "3.2", ""),
        row(SentenceVerdict::Mismatch, "named-things")
    );
    assert_eq!(
        found("Paragraph 1.2 is related to paragraph 4.2", "1.2", ""),
        row(SentenceVerdict::Mismatch, "graph")
    );
    assert_eq!(
        found("The partner may attend this meeting and speak last", "3.2", ""),
        row(SentenceVerdict::Unverified, "conflict-candidate")
    );
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let bare = |elsewhere| Sentence {
        text: "It is so.".into(),
        claim: "It is so.".into(),
        elsewhere,
        ..Sentence::default()
    };
    let records = checked(&world.base(), &[bare(false), bare(true)]).records;
    assert_eq!(
        (records[0].verdict, records[1].verdict),
        (SentenceVerdict::Uncited, SentenceVerdict::Unverified)
    );
}

#[test]
fn the_axes_count_what_was_checked() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let check = checked(
        &world.base(),
        &[
            said("Notes are kept for 10 years or 12", "3.2", "Notes of the meeting are kept for 10 years"),
            said("Paragraph 1.1 refers to 2.1", "1.1", ""),
            said("It is so", "9.9", ""),
        ],
    );
    let counts: Vec<(Axis, usize, usize)> =
        check.axes.iter().map(|one| (one.axis, one.held, one.checked)).collect();
    assert_eq!(
        counts,
        [(Axis::Citation, 1, 3), (Axis::Entity, 1, 2), (Axis::Relation, 1, 1), (Axis::Contradiction, 2, 2)]
    );
    assert!(
        check
            .unsupported
            .iter()
            .any(|one| one.n == 1 && one.axis == Axis::Entity && one.reason.contains("12"))
    );
}

#[test]
fn terms_that_the_base_defines_are_looked_for_near_what_is_cited() {
    let rows = r#"{"id":"D.1","kind":"definition","text":"“Risk Owner” means a person who answers for a risk."}
{"id":"1","text":"Each plan names who answers for it.","refs":["D.1"]}
{"id":"2","text":"Plans are written down."}"#;
    let world = World::with(&[("rules.jsonl", rows)]);
    let base = world.base();
    let kinds = |claim: &str, cited: &str| -> Vec<(String, String, Option<String>)> {
        let records = checked(&base, &[said(claim, cited, "")]).records;
        records[0]
            .entities
            .iter()
            .map(|one| (one.kind.clone(), one.text.clone(), one.found_in.clone()))
            .collect()
    };
    let term = |found: Option<&str>| {
        vec![("defined_term".to_owned(), "Risk Owner".to_owned(), found.map(str::to_owned))]
    };
    assert_eq!(
        kinds("Each plan has its Risk Owner", "1"),
        term(Some("D.1")),
        "the paragraph refers to the definition"
    );
    assert_eq!(kinds("Each plan has its Risk Owner", "2"), term(None));
    assert_eq!(kinds("Each plan has its “Risk Owner”", "D.1"), term(Some("D.1")));
    assert_eq!(kinds("Each plan has its risk owner", "2"), [], "in small letters it is no term");
}

#[test]
fn a_citation_belongs_to_the_first_base_that_knows_it() {
    let one = World::with(&[("corpus.jsonl", CORPUS)]);
    let two =
        World::with(&[("law.jsonl", r#"{"id":"Art. 1(1)","text":"Every report is signed by a person."}"#)]);
    let (first, second) = (one.base(), two.base());
    let sentences = [said("Every report is signed by a person", "Art. 1(1)", "")];
    let check = check_answer(&[&first, &second], &sentences, &[]).unwrap();
    assert_eq!(check.records[0].verdict, SentenceVerdict::Verified);
    let check = check_answer(&[&first], &sentences, &[]).unwrap();
    assert_eq!(check.records[0].verdict, SentenceVerdict::Missing);
}

struct Reader(Finding);

impl Judge for Reader {
    fn name(&self) -> &str {
        "reader-1"
    }

    fn judge(&mut self, _: &str, paragraphs: &[String]) -> (Finding, String) {
        assert!(paragraphs[0].contains("The partner must attend"));
        (self.0, "read beside the paragraph".into())
    }
}

#[test]
fn a_judge_is_named_and_never_verifies() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let base = world.base();
    let mut records =
        checked(&base, &[said("Partners take part in it", "3.2", ""), said("It is so", "9.9", "")]).records;
    assert_eq!(judge_records(&[&base], &mut records, &mut Reader(Finding::Entailed)), 1);
    assert_eq!(
        (records[0].verdict, records[0].method.to_string().as_str()),
        (SentenceVerdict::JudgedSupported, "judge:reader-1")
    );
    assert_eq!(records[1].verdict, SentenceVerdict::Missing);
}

/// An answer of three sentences over a world's base.
fn answer(world: &World) -> Vec<SentenceRecord> {
    let base = world.base();
    let records = checked(
        &base,
        &[
            said("No report is filed unread", "5.1", ""),
            said("Partners take part in it", "3.2", "The partner must attend this meeting"),
            said("It is so", "9.9", ""),
        ],
    )
    .records;
    assert_eq!(records[0].verdict, SentenceVerdict::Verified);
    records
}

fn faults(world: &World, records: &[SentenceRecord]) -> Vec<(FaultKind, usize)> {
    let open = |base: &str, generation: &str| -> Result<Arc<Base>, KnowledgeError> {
        Base::open_generation(world.home.path(), base, generation).map(Arc::new)
    };
    recheck(records, open).iter().map(|fault| (fault.kind, fault.n)).collect()
}

#[test]
fn records_hold_while_nothing_changes_also_after_another_ingest() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let records = answer(&world);
    assert_eq!(faults(&world, &records), []);
    world.write("more.jsonl", br#"{"id":"7.1","text":"One more paragraph of this text."}"#);
    world.ingest();
    assert_eq!(faults(&world, &records), [], "they name their generation");
}

#[test]
fn a_range_that_is_off_by_one_character_is_found() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let records = answer(&world);
    for (from, to) in [(1, 0), (0, 1), (-1, 0), (0, -1)] {
        let mut records = records.clone();
        let range = records[1].citations[0].range.as_mut().unwrap();
        *range = (range.0.saturating_add_signed(from), range.1.saturating_add_signed(to));
        // A blank more on either side is no other place.
        if (from, to) == (-1, 0) || (from, to) == (0, 1) {
            *range = (range.0.saturating_add_signed(from * 2), range.1.saturating_add_signed(to * 2));
        }
        assert_eq!(faults(&world, &records), [(FaultKind::Range, 2)], "{from} {to}");
    }
}

#[test]
fn every_tampered_field_is_found() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let records = answer(&world);
    let changed = |change: &dyn Fn(&mut Vec<SentenceRecord>)| {
        let mut records = records.clone();
        change(&mut records);
        faults(&world, &records)
    };
    let other = domain::Digest::of("other");
    assert_eq!(
        changed(&|all| all[1].citations[0].quote = "The partner may attend this meeting".into()),
        [(FaultKind::Range, 2)]
    );
    assert_eq!(
        changed(&|all| all[1].citations[0].paragraph_id = Some("5.1".into())),
        [(FaultKind::Paragraph, 2)]
    );
    assert_eq!(
        changed(&|all| all[1].citations[0].paragraph_id = Some("8.8".into())),
        [(FaultKind::Paragraph, 2)]
    );
    assert_eq!(changed(&|all| all[1].citations[0].paragraph_sha256 = Some(other)), [(FaultKind::Text, 2)]);
    assert_eq!(
        changed(&|all| all[1].citations[0].document.as_mut().unwrap().sha256 = other),
        [(FaultKind::Document, 2)]
    );
    assert_eq!(changed(&|all| all[1].verdict = SentenceVerdict::Verified), [(FaultKind::Verdict, 2)]);
    assert_eq!(changed(&|all| all[1].proof = Proof::Quoted), [(FaultKind::Verdict, 2)]);
    assert_eq!(
        changed(&|all| all[0].claim = "Every report is filed unread.".into()),
        [(FaultKind::Verdict, 1)]
    );
    assert_eq!(changed(&|all| all[2].verdict = SentenceVerdict::Verified), [(FaultKind::Verdict, 3)]);
    assert_eq!(
        changed(&|all| all[0].citations[0].generation = "g000009".into()),
        [(FaultKind::Generation, 1)]
    );
}

#[test]
fn a_generation_that_is_gone_or_another_text_blocks() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let records = answer(&world);
    let folder = world.home.path().join("knowledge").join("primer");
    std::fs::remove_dir_all(folder.join("g000001")).unwrap();
    assert_eq!(
        faults(&world, &records),
        [(FaultKind::Generation, 1), (FaultKind::Generation, 2), (FaultKind::Generation, 3)]
    );

    // The same name with other texts, as a folder copied from elsewhere would have it.
    let changed = World::with(&[(
        "corpus.jsonl",
        &CORPUS.replace("No report is filed unread.", "No report is filed unseen."),
    )]);
    ingest(&changed.options(changed.sources.path()), &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let found = faults(&changed, &records);
    assert_eq!(found, [(FaultKind::Document, 1), (FaultKind::Document, 2)]);
}

#[test]
fn what_a_cited_paragraph_says_is_no_conflict_with_one_about_another_case() {
    let row = |id: &str, text: &str| {
        serde_json::json!({ "id": id, "title": "Reporting", "text": text }).to_string()
    };
    let rows = [
        row(
            "Art. 73(2)",
            "The report shall be made immediately after the provider has established a link, and not later than 15 days after the provider becomes aware of the serious incident.",
        ),
        row(
            "Art. 73(4)",
            "Notwithstanding paragraph 2, in the event of the death of a person the report shall be made immediately after the provider has established a link, but not later than 10 days after the provider becomes aware of the serious incident.",
        ),
        row(
            "Recital 81",
            "The providers should also be required to have a system in place to report serious incidents to the authorities.",
        ),
        row(
            "2 CFR 200.501(c)",
            "The entity may elect an audit of one program if the following conditions are met: it has one program; no statute asks for more.",
        ),
    ];
    let world = World::with(&[("corpus.jsonl", &rows.join("\n"))]);
    let base = world.base();
    let ids: Vec<String> = ["Art. 73(2)", "Art. 73(4)", "Recital 81"].map(str::to_owned).to_vec();
    let check = |claim: &str, source_ref: &str, quote: &str| {
        check_answer(&[&base], &[said(claim, source_ref, quote)], &ids).unwrap().records.remove(0)
    };
    let fifteen =
        "The report is made not later than 15 days after the provider becomes aware of the serious incident";
    let quote = "not later than 15 days after the provider becomes aware of the serious incident";
    let own = check(fifteen, "Art. 73(2)", quote);
    assert_eq!(own.conflicts, [], "Art. 73(4) is about the death of a person");
    // With the number of the other case the source itself says otherwise.
    let wrong = check(&fifteen.replace("15", "10"), "Art. 73(2)", quote);
    assert!(wrong.verdict == SentenceVerdict::Mismatch || !wrong.conflicts.is_empty(), "{wrong:?}");
    let should = check(
        "Providers should be required to have a system in place to report serious incidents to the authorities",
        "Recital 81",
        "The providers should also be required to have a system in place",
    );
    assert_eq!(should.conflicts, []);
    let must = check(
        "Providers must have a system in place to report serious incidents to the authorities",
        "Recital 81",
        "The providers should also be required to have a system in place",
    );
    assert_ne!(must.verdict, SentenceVerdict::Verified);
    let pointer = check(
        "An entity may elect an audit of one program if the conditions of § 200.501(c) are met",
        "2 CFR 200.501(c)",
        "The entity may elect an audit of one program if the following conditions are met",
    );
    assert_eq!(pointer.verdict, SentenceVerdict::Unverified, "{}", pointer.reason);
    let other = check(
        "An entity may elect an audit of one program if the conditions of § 200.502 are met",
        "2 CFR 200.501(c)",
        "The entity may elect an audit of one program if the following conditions are met",
    );
    assert_eq!(other.verdict, SentenceVerdict::Mismatch, "{}", other.reason);
}

#[test]
fn a_sentence_beside_the_cited_one_with_other_numbers_speaks_of_another_case() {
    let row =
        |id: &str, text: &str| serde_json::json!({ "id": id, "title": "Samples", "text": text }).to_string();
    let text = "Finding no deviation in 60 items gives roughly 95 per cent confidence that the deviation rate is below 5 per cent. \
                With 25 clean items, the auditor can be about 90 per cent confident that the rate is below roughly 9 per cent.";
    let world = World::with(&[("samples.jsonl", &row("1.1", text))]);
    let base = world.base();
    let conflicts = |claim: &str| checked(&base, &[said(claim, "1.1", "")]).records[0].conflicts.len();
    assert_eq!(
        conflicts(
            "No deviation in 60 items gives roughly 95 per cent confidence that the rate is below 5 per cent"
        ),
        0
    );
    assert!(
        conflicts(
            "No deviation in 60 items gives roughly 90 per cent confidence that the rate is below 5 per cent"
        ) > 0
    );
}
