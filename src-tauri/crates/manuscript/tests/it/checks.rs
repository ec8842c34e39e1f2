//! Every check: clean inputs pass, each seeded fault blocks by its rule, broken inputs are refused with their place.

use manuscript::checks::run;
use manuscript::{CheckName, ExitCode, Rule};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::rig::{QUESTIONS, SECOND, add, blocking, clean, fact, finding, passes, rows, set, with};

#[test]
fn a_clean_input_passes_every_check() {
    for check in CheckName::ALL {
        let report = run(*check, &clean(*check));
        assert!(passes(&report), "{check}: {:#?}", report.blocking);
        assert!(report.output.is_object(), "{check}");
    }
}

/// Checks the inputs of one check, each with the rules by which it has to block.
fn seeded(check: CheckName, inputs: Vec<(&str, Value, &[Rule])>) {
    for (what, input, rules) in inputs {
        let report = run(check, &input);
        assert_eq!(report.exit_code, ExitCode::Findings, "{check}: {what}: {:#?}", report.blocking);
        assert_eq!(blocking(&report), rules, "{check}: {what}: {:#?}", report.blocking);
        assert!(report.blocking.iter().all(|fault| !fault.found.is_empty() && !fault.remedy.is_empty()));
    }
}

#[test]
fn readiness_finds_each_seeded_fault() {
    let good = || clean(CheckName::PreQaValidate);
    let changed = |from: &str, to: &str| set(good(), "/parts", with(from, to));
    let document =
        |end: &str| set(good(), "/document", json!(format!("# Report\n\n{SECOND}\n\n{SECOND}{end}")));
    seeded(
        CheckName::PreQaValidate,
        vec![
            ("a short document", set(good(), "/rubric/document/min_words", json!(5000)), &[Rule::TooShort]),
            ("no footer", document("\n\nThe end.\n"), &[Rule::FooterMissing]),
            ("a cut end", document("\n\n[continue\n\nEND OF DOCUMENT\n"), &[Rule::Truncated]),
            ("a placeholder", changed("consent", "[TBD]"), &[Rule::Placeholder]),
            ("a lost part", set(good(), "/rubric/required_parts", json!(["IV.C"])), &[Rule::PartMissing]),
            ("too few parts", set(good(), "/rubric/min_parts", json!(10)), &[Rule::PartsTooFew]),
            (
                "too few parts beside those with a name",
                add(good(), "/rubric", "named", json!({ "IV.A": {} })),
                &[Rule::PartsTooFew],
            ),
            (
                "too few references",
                set(good(), "/rubric/references/min_references", json!(3)),
                &[Rule::ReferencesTooFew],
            ),
            (
                "a reference to nothing",
                changed("Section IV.B", "Section IV.Z"),
                &[Rule::ReferenceDangling, Rule::ReferencesTooFew],
            ),
            ("too few footnotes", set(good(), "/rubric/min_footnotes", json!(250)), &[Rule::NotesTooFew]),
            ("a lost footnote", changed("[^2]: Smith", "Smith"), &[Rule::NoteMissing, Rule::NotesTooFew]),
            ("a wrong number", changed("$41.2 million", "$42.1 million"), &[Rule::NumberMismatch]),
        ],
    );
}

#[test]
fn headings_find_each_seeded_fault() {
    let good = || clean(CheckName::ApplyHeadings);
    let without = |from: &str| set(good(), "/parts", with(from, ""));
    let unanchored = || {
        let input = set(without("### Rule\n\n"), "/rubric/types/1/anchors", json!(["(?i)nowhere"]));
        add(input, "", "mode", json!("apply"))
    };
    seeded(
        CheckName::ApplyHeadings,
        vec![
            ("a missing heading", without("### Rule\n\n"), &[Rule::HeadingMissing, Rule::HeadingsTooFew]),
            ("too few headings", set(good(), "/rubric/min_headings", json!(50)), &[Rule::HeadingsTooFew]),
            (
                "another order",
                set(good(), "/rubric/order", json!(["rule", "conclusion", "counter_analysis"])),
                &[Rule::HeadingOrder],
            ),
            (
                "no conclusion at the end",
                set(good(), "/rubric/order", json!(["conclusion", "rule", "counter_analysis", "conclusion"])),
                &[Rule::HeadingOrder],
            ),
            ("too little below it", set(good(), "/rubric/types/1/min_words", json!(9)), &[Rule::TooShort]),
            ("no place for it", unanchored(), &[Rule::HeadingMissing, Rule::HeadingsTooFew]),
        ],
    );
}

#[test]
fn provisions_find_each_seeded_fault() {
    let good = || clean(CheckName::ValidateProvisions);
    seeded(
        CheckName::ValidateProvisions,
        vec![
            ("no provision", set(good(), "/provisions", json!([])), &[Rule::ProvisionMissing]),
            (
                "a higher severity",
                set(good(), "/findings/1/severity", json!("CRITICAL")),
                &[Rule::ProvisionMissing],
            ),
            (
                "an empty provision",
                set(good(), "/provisions/0/text", json!("A sum.")),
                &[Rule::ProvisionMissing, Rule::ProvisionEmpty],
            ),
            (
                "words that bind nobody",
                set(good(), "/provisions/0/text", json!("A sum for the buyer.")),
                &[Rule::ProvisionInoperative],
            ),
            (
                "a sum to be filled in",
                set(good(), "/provisions/0/text", json!("The buyer holds back [___].")),
                &[Rule::Placeholder],
            ),
            ("an unknown type", set(good(), "/provisions/0/kind", json!("waiver")), &[Rule::ProvisionKind]),
            (
                "another finding",
                set(good(), "/provisions/0/findings", json!(["F-9"])),
                &[Rule::ProvisionMissing],
            ),
        ],
    );
}

#[test]
fn references_find_each_seeded_fault() {
    let good = || clean(CheckName::AnalyzeXrefs);
    let changed = |from: &str, to: &str| set(good(), "/parts", with(from, to));
    seeded(
        CheckName::AnalyzeXrefs,
        vec![
            (
                "a reference to nothing",
                changed("Section IV.B", "Section VII.B"),
                &[Rule::ReferenceDangling, Rule::ReferencesTooFew],
            ),
            ("an open reference", changed("consent", "[XREF: consent]"), &[Rule::Placeholder]),
            ("an orphaned finding", set(good(), "/findings/0/id", json!("F-77")), &[Rule::FindingOrphaned]),
            (
                "a part that is not there",
                set(good(), "/findings/0/part", json!("IX")),
                &[Rule::FindingMisplaced],
            ),
        ],
    );
}

#[test]
fn questions_find_each_seeded_fault() {
    let good = || clean(CheckName::CheckQuestions);
    let changed = |from: &str, to: &str| {
        assert!(QUESTIONS.contains(from), "the fixture has no {from:?}");
        set(good(), "/parts/0/markdown", json!(QUESTIONS.replacen(from, to, 1)))
    };
    let swapped = QUESTIONS.replacen("(CRITICAL", "(HIGH", 1).replacen("it (HIGH", "it (CRITICAL", 1);
    let swapped = set(good(), "/parts/0/markdown", json!(swapped));
    let report = run(CheckName::CheckQuestions, &good());
    assert_eq!(report.output["questions_count"], json!(2));
    assert_eq!(report.output["by_opening"], json!({ "yes": 1, "probably_no": 1 }));
    assert_eq!(report.output["questions"][0]["weight"], json!("CRITICAL"));
    seeded(
        CheckName::CheckQuestions,
        vec![
            ("too few", set(good(), "/rubric/min_questions", json!(12)), &[Rule::QuestionsTooFew]),
            (
                "another form",
                changed("Under the agreement with Harbor, does", "Harbor:"),
                &[Rule::QuestionForm],
            ),
            ("too few facts", changed("a fee of 15 %", "a fee"), &[Rule::QuestionFacts]),
            ("no weight", changed("HIGH; ", ""), &[Rule::QuestionOrder]),
            ("the gravest last", swapped, &[Rule::QuestionOrder]),
            ("no answer", changed("2. Probably no", "Probably no"), &[Rule::AnswerMissing]),
            (
                "an answer that does not say how sure it is",
                changed("Probably no", "It depends"),
                &[Rule::AnswerOpening],
            ),
            (
                "an answer of one word",
                changed(
                    "Probably no. The assignment is free where the buyer takes over everything",
                    "Probably no",
                ),
                &[Rule::TooShort],
            ),
            (
                "an answer to nothing",
                changed("2. Under", "Under"),
                &[Rule::QuestionsTooFew, Rule::AnswerUnasked],
            ),
        ],
    );
}

#[test]
fn tasks_stand_in_the_order_of_their_waves_and_name_each_unmet_criterion() {
    let good = || clean(CheckName::CheckTasks);
    let report = run(CheckName::CheckTasks, &good());
    assert_eq!(report.output["waves"], json!({ "2": ["W2-1"], "4": ["W4-1"] }));
    assert_eq!(report.output["tasks"][0]["severity"], json!("CRITICAL"));
    assert_eq!(report.output["done"], json!(2));
    let few = set(good(), "/measures/questions", json!(3));
    assert_eq!(
        run(CheckName::CheckTasks, &few).output["unmet"][0],
        json!({ "task": "W2-1", "says": "12 questions (measured: 3)" })
    );
    seeded(CheckName::CheckTasks, vec![("an unmet criterion", few, &[Rule::CriterionUnmet])]);
    for broken in [
        set(good(), "/measures", json!({ "questions": 12 })),
        set(good(), "/tasks/0/criteria", json!([])),
        set(good(), "/tasks/0/id", json!("W2-1")),
    ] {
        assert_eq!(run(CheckName::CheckTasks, &broken).exit_code, ExitCode::Error, "{broken}");
    }
}

#[test]
fn opposite_views_find_each_seeded_fault() {
    let input = set(clean(CheckName::DetectCounterAnalysis), "/parts", with("However, a", "A"));
    let report = run(CheckName::DetectCounterAnalysis, &input);
    assert_eq!(report.output["sections_missing"], json!(["IV-A"]));
    seeded(CheckName::DetectCounterAnalysis, vec![("one-sided", input, &[Rule::CounterMissing])]);
}

#[test]
fn citations_find_each_seeded_fault() {
    let good = || clean(CheckName::ExtractCitations);
    let changed = |from: &str, to: &str| set(good(), "/parts", with(from, to));
    seeded(
        CheckName::ExtractCitations,
        vec![
            ("no place", changed("10 F.3d 20, at 25", "10 F.3d 20"), &[Rule::PinciteMissing]),
            ("no known kind", changed("Revenue Schedule 2026, p. 3", "Somewhere"), &[Rule::ConfidenceLow]),
            ("no signal", add(good(), "/rubric", "signal", json!("required")), &[Rule::SignalMissing]),
            (
                "no citation",
                set(good(), "/parts", json!([{ "id": "x", "markdown": "Text." }])),
                &[Rule::CitationsMissing],
            ),
        ],
    );
}

#[test]
fn tags_find_each_seeded_fault() {
    let good = || clean(CheckName::ScanCitationTags);
    let untagged = |mut input: Value, at: usize| {
        input["citations"][at]["tag"] = Value::Null;
        input["citations"][at]["tag_state"] = Value::Null;
        input
    };
    let unverified = set(good(), "/citations/1/tag_state", json!("unverified"));
    seeded(
        CheckName::ScanCitationTags,
        vec![
            ("a missing tag", untagged(good(), 0), &[Rule::TagMissing, Rule::CoverageLow]),
            ("an unverified one that matters", unverified.clone(), &[Rule::Unverified]),
        ],
    );
    assert_eq!(run(CheckName::ScanCitationTags, &unverified).output["triggers_hard_fail"], json!(false));
    let all = (0..5).fold(good(), untagged);
    let report = run(CheckName::ScanCitationTags, &all);
    assert_eq!(report.output["triggers_hard_fail"], json!(true));
    assert_eq!(report.output["coverage_percentage"], json!(0));
    let halted = run(CheckName::ScanCitationTags, &set(good(), "/extract_exit_code", json!(2)));
    assert_eq!(halted.exit_code, ExitCode::Error);
    assert_eq!(blocking(&halted), [Rule::Dependency]);
}

#[test]
fn facts_find_each_seeded_fault() {
    let good = || clean(CheckName::ExtractFactRegistry);
    let more = |statements: &[Value]| {
        let mut input = good();
        input["statements"].as_array_mut().unwrap().extend(statements.iter().cloned());
        input
    };
    let conflict = more(&[fact("key_dates", "Closing date", "2026-04-01", "letter")]);
    let report = run(CheckName::ExtractFactRegistry, &conflict);
    assert_eq!(
        report.output["conflicts_detected"],
        json!([{ "category": "key_dates", "fact": "Closing date", "conflict": "2026-03-15 vs 2026-04-01",
            "severity": "MAJOR" }])
    );
    seeded(
        CheckName::ExtractFactRegistry,
        vec![
            ("two values", conflict, &[Rule::FactConflict]),
            ("another category", more(&[fact("colours", "Logo", "red", "deck")]), &[Rule::CategoryUnknown]),
            (
                "a missing fact",
                set(good(), "/rubric/expected/0/fact", json!("Signing date")),
                &[Rule::FactMissing],
            ),
        ],
    );
}

#[test]
fn exposures_find_each_seeded_fault() {
    let good = || clean(CheckName::AggregateRiskTables);
    let gate = add(good(), "/exposures/1", "weight", json!("blocking"));
    assert_eq!(run(CheckName::AggregateRiskTables, &gate).output["deal_blocking_count"], json!(1));
    seeded(
        CheckName::AggregateRiskTables,
        vec![
            (
                "a wrong total",
                set(good(), "/stated_totals/0/cents", json!(12_700_000_000_i64)),
                &[Rule::TotalMismatch],
            ),
            (
                "another category",
                set(good(), "/exposures/0/category", json!("weather")),
                &[Rule::CategoryUnknown, Rule::TotalMismatch],
            ),
            ("one that ends the matter", gate, &[Rule::Blocker]),
        ],
    );
}

#[test]
fn numbers_integrity_footnotes_assembly_and_score_find_their_faults() {
    let of = |check: CheckName, from: &str, to: &str| set(clean(check), "/parts", with(from, to));
    let unsourced = set(clean(CheckName::CheckNumbers), "/numbers/0/source", json!(""));
    seeded(
        CheckName::CheckNumbers,
        vec![
            ("a wrong number", of(CheckName::CheckNumbers, "$41.2", "$14.2"), &[Rule::NumberMismatch]),
            ("no source", unsourced, &[Rule::NumberUnsourced]),
        ],
    );
    seeded(
        CheckName::Integrity,
        vec![("a placeholder", of(CheckName::Integrity, "consent", "[TBD]"), &[Rule::Placeholder])],
    );
    let lost = |check| of(check, "[^2]: Smith", "Smith");
    seeded(
        CheckName::RenumberFootnotes,
        vec![("a lost footnote", lost(CheckName::RenumberFootnotes), &[Rule::NoteMissing])],
    );
    let empty = set(clean(CheckName::Assemble), "/parts/0/markdown", json!(""));
    seeded(
        CheckName::Assemble,
        vec![
            ("a lost footnote", lost(CheckName::Assemble), &[Rule::NoteMissing]),
            ("an empty part", empty, &[Rule::Empty]),
        ],
    );
    let critical = json!([{ "id": "C-1", "dimension": "dim_5", "severity": "CRITICAL" }]);
    seeded(
        CheckName::Score,
        vec![(
            "a critical issue",
            add(clean(CheckName::Score), "/evidence", "issues", critical),
            &[Rule::ScoreLow],
        )],
    );
}

#[test]
fn broken_inputs_are_refused_by_every_check() {
    for check in CheckName::ALL {
        for input in [Value::Null, json!({}), json!([]), add(clean(*check), "", "surplus", json!(1))] {
            let report = run(*check, &input);
            assert_eq!(report.exit_code, ExitCode::Error, "{check}: {input}");
            assert_eq!(report.output, Value::Null);
            assert_eq!(report.file_name, None);
            let [fault] = report.blocking.as_slice() else { panic!("{check}: {:?}", report.blocking) };
            assert!(!fault.found.is_empty() && !fault.remedy.is_empty(), "{check}");
        }
        let surplus = run(*check, &add(clean(*check), "", "surplus", json!(1)));
        assert_eq!(surplus.blocking[0].place.at, "surplus", "{check}");
    }
}

#[test]
fn a_refusal_names_its_place_in_the_input() {
    let refused = |check: CheckName, input: Value| {
        let report = run(check, &input);
        assert_eq!(report.exit_code, ExitCode::Error, "{:?}", report.blocking);
        let fault = report.blocking.into_iter().next().unwrap();
        (fault.place.at, fault.found)
    };
    let xrefs = |pointer: &str, value: Value| set(clean(CheckName::AnalyzeXrefs), pointer, value);
    let (place, found) = refused(CheckName::AnalyzeXrefs, xrefs("/parts/1/markdown", json!(7)));
    assert_eq!(place, "parts[1].markdown");
    assert!(found.contains("expected a string"), "{found}");
    let (place, found) = refused(CheckName::AnalyzeXrefs, xrefs("/rubric/references", json!(["(open"])));
    assert_eq!(place, "rubric.references[0]");
    assert!(found.contains("(open"), "{found}");
    assert_eq!(refused(CheckName::AnalyzeXrefs, xrefs("/parts/0", json!({ "number": "IV" }))).0, "parts[0]");
    assert_eq!(refused(CheckName::AnalyzeXrefs, xrefs("/parts", json!([]))).0, "parts");
    let twice = xrefs("/parts/1/id", json!("iv.a"));
    assert!(refused(CheckName::AnalyzeXrefs, twice).1.contains("two parts"));
    let perpetual = json!({ "categories": [] });
    let (place, found) = refused(
        CheckName::AggregateRiskTables,
        set(clean(CheckName::AggregateRiskTables), "/rubric", perpetual),
    );
    assert_eq!(place, "exposures");
    assert!(found.contains("discount_basis_points"), "{found}");
    let (place, _) = refused(
        CheckName::CheckNumbers,
        set(clean(CheckName::CheckNumbers), "/numbers/1/value", json!(12.5)),
    );
    assert_eq!(place, "numbers[1].value");
    let mut doubled = rows();
    doubled[2]["id"] = json!("arr");
    let doubled = set(clean(CheckName::CheckNumbers), "/numbers", doubled);
    assert_eq!(refused(CheckName::CheckNumbers, doubled).0, "numbers[2].id");
    let unmeasured = set(clean(CheckName::Score), "/evidence/measures", json!({}));
    let (place, found) = refused(CheckName::Score, unmeasured);
    assert_eq!(place, "evidence.measures");
    assert!(found.contains("summary_words"), "{found}");
}

#[test]
fn a_rule_can_be_told_to_warn_only() {
    let input = set(clean(CheckName::AnalyzeXrefs), "/findings", json!([finding("F-77", "IV.A", "LOW")]));
    assert_eq!(run(CheckName::AnalyzeXrefs, &input).exit_code, ExitCode::Findings);
    let report = run(CheckName::AnalyzeXrefs, &add(input, "", "warn_only", json!(["finding_orphaned"])));
    assert_eq!(report.exit_code, ExitCode::Pass);
    assert_eq!(report.warnings[0].rule, Rule::FindingOrphaned);
}

#[test]
fn reports_carry_the_fields_and_files_of_the_checkpoints() {
    let fields: [(CheckName, Option<&str>, &[&str]); 9] = [
        (CheckName::PreQaValidate, None, &["blocking_checks_failed", "verification_status"]),
        (
            CheckName::ApplyHeadings,
            Some("scripts/insertion-map.json"),
            &["min_headers_target", "headers_before", "headers_after", "headers_by_type"],
        ),
        (
            CheckName::ValidateProvisions,
            Some("provision-gaps.json"),
            &["coverage_percentage", "findings_missing_provisions", "total_provisions", "by_severity"],
        ),
        (
            CheckName::AnalyzeXrefs,
            Some("xref-matrix.json"),
            &["orphaned_findings_count", "placeholder_count", "placeholder_locations", "xref_count"],
        ),
        (CheckName::DetectCounterAnalysis, Some("counter-analysis-locations.json"), &["detections_count"]),
        (
            CheckName::ExtractCitations,
            Some("citation-registry.json"),
            &["total_citations", "low_confidence_count"],
        ),
        (
            CheckName::ScanCitationTags,
            Some("citation-tag-report.json"),
            &["coverage_percentage", "high_unverified_count", "triggers_hard_fail"],
        ),
        (CheckName::ExtractFactRegistry, Some("fact-registry.json"), &["total_facts", "conflict_count"]),
        (
            CheckName::AggregateRiskTables,
            Some("risk-summary.json"),
            &["total_findings", "deal_blocking_count"],
        ),
    ];
    for (check, file, names) in fields {
        let report = run(check, &clean(check));
        assert_eq!(report.file_name.as_deref(), file, "{check}");
        for name in names {
            assert!(!report.output[name].is_null(), "{check} has no {name}");
        }
        let written = serde_json::to_value(&report).unwrap();
        assert_eq!(written["exit_code"], json!(0));
        assert_eq!(written["check"], json!(check.as_str()));
    }
}

#[test]
fn names_schemas_and_descriptions_belong_to_every_check() {
    for check in CheckName::ALL {
        assert_eq!(check.as_str().parse(), Ok(*check));
        assert_eq!(serde_json::to_value(check).unwrap(), json!(check.as_str()));
        let schema = check.input_schema().to_value();
        assert_eq!(schema["additionalProperties"], json!(false), "{check}");
        assert!(schema["properties"]["warn_only"].is_object(), "{check}");
        assert!(check.description().ends_with('.'), "{check}");
    }
    assert!("cook".parse::<CheckName>().is_err());
}
