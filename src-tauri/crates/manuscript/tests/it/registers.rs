//! Registers: provisions, citations, facts, exposures, references.

use manuscript::citations::{CitationRubric, Confidence, extract_citations};
use manuscript::exposures::{ExposureError, ExposureRubric, aggregate};
use manuscript::facts::{ConflictSeverity, FactClass, FactRubric, is_same, registry, statements};
use manuscript::findings::{Finding, Severity};
use manuscript::fixed::Percent;
use manuscript::provisions::{ProvisionRubric, coverage};
use manuscript::xref::{MatrixRow, ReferenceRubric, analyze};
use manuscript::{Note, Part, Rule};
use pretty_assertions::assert_eq;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::rig::{exposures, fact, finding, part, parts, rubric};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[test]
fn coverage_counts_findings_and_not_provisions() {
    let findings: Vec<Finding> = read(json!([
        finding("F-1", "A", "CRITICAL"),
        finding("F-2", "A", "HIGH"),
        finding("F-3", "A", "LOW"),
    ]));
    let provisions: Vec<_> = read(json!([
        { "id": "P-1", "kind": "escrow", "text": "An escrow settles F-1 in full.", "findings": ["F-1"] },
        { "id": "P-2", "kind": "indemnity", "text": "An indemnity for finding f-1 and others." },
        { "id": "P-3", "kind": "escrow", "text": "Unrelated words of some length." },
    ]));
    let rubric = ProvisionRubric {
        severities: vec![Severity::Critical, Severity::High],
        min_words: 3,
        ..ProvisionRubric::default()
    };
    let found = coverage(&findings, &provisions, &rubric);
    assert_eq!(found.percentage, Percent::whole(50));
    assert_eq!(found.missing, ["F-2"]);
    assert_eq!(found.rows[0].provisions, ["P-1", "P-2"]);
    assert_eq!(found.by_severity, [(Severity::Critical, 2)].into());
    assert_eq!(found.types.len(), 2);
    let faults: Vec<(&str, Rule)> =
        found.faults.iter().map(|fault| (fault.place.at.as_str(), fault.rule)).collect();
    assert_eq!(faults, [("P-3", Rule::ProvisionUnlinked), ("F-2", Rule::ProvisionMissing)]);
    assert_eq!(coverage(&[], &[], &rubric).percentage, Percent::whole(100));
}

#[test]
fn an_id_is_named_as_a_whole_word_only() {
    let finding: Finding = read(finding("F-1", "A", "LOW"));
    assert!(finding.is_named_in("See (f-1)."));
    assert!(!finding.is_named_in("See F-12."));
    assert!(!finding.is_named_in("See EF-1."));
}

#[test]
fn citations_of_one_footnote_keep_their_own_place_tag_and_signal() {
    let rubric: CitationRubric = read(rubric()["citations"].clone());
    let found = extract_citations(&parts(), &rubric);
    let second = &found.rows[1];
    let third = &found.rows[2];
    assert_eq!(second.text, "Smith v. Jones, 10 F.3d 20");
    assert_eq!(
        (second.pincite.as_deref(), second.tag.as_deref(), &second.signal),
        (Some("at 25"), Some("VERIFIED"), &None)
    );
    assert_eq!(third.text, "Doe v. Roe, 11 F.3d 40");
    assert_eq!(
        (third.pincite.as_deref(), third.tag.as_deref(), third.signal.as_deref()),
        (Some("at 41"), Some("INFERRED"), Some("see also"))
    );
    assert_eq!((third.id, third.footnote.as_deref(), third.confidence), (3, Some("2"), Confidence::High));
    assert_eq!(found.by_kind, [("case".to_owned(), 3), ("record".to_owned(), 2)].into());
}

#[test]
fn a_citation_of_two_kinds_is_of_the_first() {
    let mut rubric: CitationRubric = read(rubric()["citations"].clone());
    let loose = json!({ "name": "reporter", "pattern": "\\d+ F\\.3d \\d+", "confidence": "MEDIUM" });
    rubric.kinds.push(read(loose));
    let found = extract_citations(&parts(), &rubric);
    assert_eq!(found.by_kind, [("case".to_owned(), 3), ("record".to_owned(), 2)].into());
    rubric.kinds.rotate_right(1);
    assert_eq!(extract_citations(&parts(), &rubric).by_kind["reporter"], 3);
}

#[test]
fn a_citation_with_a_placeholder_has_low_confidence() {
    let mut rubric: CitationRubric = read(rubric()["citations"].clone());
    rubric.placeholders = read(json!(["\\[cite\\]"]));
    let note = Note { label: "1".into(), text: "Smith v. Jones, 10 F.3d 20, at 25 [cite]".into() };
    let found = extract_citations(&[Part { footnotes: vec![note], ..part("a", "", "Text.[^1]") }], &rubric);
    assert_eq!(found.low_confidence, 1);
    assert_eq!(found.faults[0].rule, Rule::ConfidenceLow);
}

#[test]
fn citations_in_the_text_are_registered_where_the_rubric_asks() {
    let mut rubric: CitationRubric = read(rubric()["citations"].clone());
    let text = [part("a", "", "Words.\nAs Smith v. Jones, 10 F.3d 20, at 25 [VERIFIED] holds.\n")];
    assert_eq!(extract_citations(&text, &rubric).rows.len(), 0);
    rubric.places = manuscript::citations::CitationPlaces::FootnotesAndText;
    let found = extract_citations(&text, &rubric);
    assert_eq!((found.rows.len(), found.rows[0].line, &found.rows[0].footnote), (1, Some(2), &None));
}

#[test]
fn facts_fall_into_four_classes() {
    let rubric: FactRubric = read(json!({
        "categories": [{ "name": "dates" }, { "name": "figures", "minor_permille": 60 }],
        "expected": [{ "category": "dates", "fact": "Signing" }, { "category": "dates", "fact": "CLOSING" }],
    }));
    let given = read::<Vec<_>>(json!([
        fact("figures", "Employees", "1,247", "list"),
        fact("dates", "Closing", "2026-03-15", "plan"),
        fact("dates", "Closing", "15 March 2026", "contract"),
        fact("dates", "Filing", "2026-01-01", "plan"),
        fact("dates", "Filing", "2026-01-01", "plan"),
        fact("figures", "employees", "1,312", "deck"),
        fact("figures", "Revenue", "$12.4 million", "deck"),
        fact("figures", "Revenue", "$24,000,000", "ledger"),
        fact("figures", "Price", "$100", "deck"),
        fact("figures", "Price", "€100", "ledger"),
    ]));
    let found = registry(&given, &rubric);
    let classes: Vec<(&str, FactClass)> =
        found.rows.iter().map(|row| (row.fact.as_str(), row.class)).collect();
    assert_eq!(
        classes,
        [
            ("Closing", FactClass::Corroborated),
            ("Filing", FactClass::SingleSourced),
            ("Signing", FactClass::Missing),
            ("Employees", FactClass::Contradicted),
            ("Revenue", FactClass::Contradicted),
            ("Price", FactClass::Contradicted),
        ]
    );
    let conflicts: Vec<(&str, ConflictSeverity)> =
        found.conflicts.iter().map(|conflict| (conflict.conflict.as_str(), conflict.severity)).collect();
    assert_eq!(
        conflicts,
        [
            ("1,247 vs 1,312", ConflictSeverity::Minor),
            ("$12.4 million vs $24,000,000", ConflictSeverity::Major),
            ("$100 vs €100", ConflictSeverity::Major)
        ]
    );
    assert_eq!(found.by_class[&FactClass::Contradicted], 3);
}

#[test]
fn facts_are_found_in_texts_by_patterns() {
    let rubric: FactRubric = read(json!({ "patterns": [
        { "category": "dates", "fact": "Closing", "pattern": "(?i)closes on (?<value>\\d{4}-\\d\\d-\\d\\d)" },
        { "category": "terms", "pattern": "^(?<fact>[A-Z][a-z ]+): (?<value>.+)$" },
    ] }));
    let texts = [
        part("plan", "", "The deal closes on 2026-03-15.\nGoverning law: Delaware\n"),
        part("memo", "", "It closes on 2026-04-01."),
    ];
    let found = registry(&statements(&texts, &rubric), &rubric);
    assert_eq!(found.conflicts[0].conflict, "2026-03-15 vs 2026-04-01");
    assert_eq!(
        (found.rows[1].fact.as_str(), found.rows[1].values[0].value.as_str()),
        ("Governing law", "Delaware")
    );
}

#[test]
fn a_fact_names_the_pages_and_the_period_that_it_was_found_with() {
    let rubric: FactRubric = read(json!({ "patterns": [
        { "category": "figures", "fact": "Rent", "pattern": "rent is (?<value>\\$\\d+)(?: as of (?<period>\\d{4}))?" },
    ] }));
    let texts: Vec<Part> = read(json!([
        { "id": "lease", "markdown": "The rent is $5 as of 2025.\n\nIt is due.\n\nThe rent is $5.",
            "pages": [{ "line": 1, "page": 2 }, { "line": 5, "page": 7 }] },
        { "id": "letter", "markdown": "The rent is $5.\n\nThe rent is $6." },
    ]));
    let stated = statements(&texts, &rubric);
    assert_eq!(stated.iter().map(|one| one.page).collect::<Vec<_>>(), [Some(2), Some(7), None, None]);
    let found = registry(&stated, &rubric);
    let [row] = found.rows.as_slice() else { panic!("{:?}", found.rows) };
    assert_eq!(row.places, ["lease p. 2", "lease p. 7", "letter"]);
    assert_eq!(row.values[0].pages, [("lease".to_owned(), [2, 7].into())].into());
    assert_eq!(row.values[0].period.as_deref(), Some("2025"));
    assert_eq!(row.values[1].period, None);
}

#[test]
fn values_that_are_written_differently_are_the_same() {
    for (this, other) in [
        ("2026-03-15", "March 15, 2026"),
        ("$12.4 million", "USD 12,400,000"),
        ("1,247", "1247"),
        ("Northwind, Inc.", "NORTHWIND INC"),
        ("—", "—"),
    ] {
        assert!(is_same(this, other), "{this} {other}");
    }
    for (this, other) in [("12%", "12"), ("$5", "€5"), ("2026-03-15", "2026-03-16"), ("—", "–"), ("", "x")]
    {
        assert!(!is_same(this, other), "{this} {other}");
    }
}

#[test]
fn exposures_are_weighted_capitalised_and_adjusted() {
    let rubric: ExposureRubric = read(rubric()["exposures"].clone());
    let found = aggregate(&read::<Vec<_>>(exposures()), &[], &rubric).unwrap();
    // 800,000 a year at 8 % is 10,000,000; half of it 5,000,000, the larger; a quarter of 12,000,000 is 3,000,000, less half.
    let amounts: Vec<(i64, i64, i64)> =
        found.rows.iter().map(|row| (row.gross, row.weighted, row.adjusted)).collect();
    assert_eq!(
        amounts,
        [(1_200_000_000, 300_000_000, 150_000_000), (1_000_000_000, 500_000_000, 500_000_000)]
    );
    let sums = |gross, weighted, adjusted| (gross, weighted, adjusted);
    let total = (found.total.gross, found.total.weighted, found.total.adjusted);
    assert_eq!(total, sums(2_200_000_000, 800_000_000, 650_000_000));
    // 15 % of 1,500,000.00
    assert_eq!(found.holdbacks, [("penalties".to_owned(), 22_500_000)].into());
    let by_category: i64 = found.by_category.values().map(|sums| sums.adjusted).sum();
    let by_kind: i64 = found.by_kind.values().map(|sums| sums.adjusted).sum();
    assert_eq!((by_category, by_kind), (found.total.adjusted, found.total.adjusted));
}

#[test]
fn the_totals_of_categories_that_do_not_add_up_are_caught() {
    let millions = [("a", 45), ("b", 32), ("c", 25), ("d", 15)];
    let given: Vec<Value> = millions
        .iter()
        .map(|(category, millions)| {
            json!({ "id": category, "category": category, "type": "ONE_TIME", "cents": millions * 100_000_000_i64,
                "probability_basis_points": 10_000 })
        })
        .collect();
    let stated = json!([{ "measure": "gross", "cents": 12_700_000_000_i64, "part": "summary" }]);
    let found = aggregate(&read::<Vec<_>>(json!(given)), &read::<Vec<_>>(stated), &ExposureRubric::default())
        .unwrap();
    assert_eq!(found.total.gross, 11_700_000_000);
    assert_eq!(found.faults[0].rule, Rule::TotalMismatch);
    assert_eq!(found.faults[0].found, "total: 12700000000 cents stated, 11700000000 cents computed");
}

#[test]
fn exposures_out_of_range_are_refused() {
    let rubric: ExposureRubric = read(rubric()["exposures"].clone());
    let refusal = |field: &str, value: Value| {
        let mut given = exposures();
        given[1][field] = value;
        aggregate(&read::<Vec<_>>(given), &[], &rubric).unwrap_err()
    };
    let id = || "E-2".to_owned();
    assert_eq!(refusal("cents", json!(-1)), ExposureError::Amount(id()));
    assert_eq!(refusal("cents", json!(i64::MAX)), ExposureError::Amount(id()));
    assert_eq!(refusal("probability_basis_points", json!(10_001)), ExposureError::Share(id()));
    assert_eq!(refusal("id", json!("E-1")), ExposureError::Duplicate("E-1".into()));
    let no_rate = aggregate(&read::<Vec<_>>(exposures()), &[], &ExposureRubric::default());
    assert_eq!(no_rate.unwrap_err(), ExposureError::NoRate(id()));
}

#[test]
fn half_a_cent_is_rounded_up_and_a_holdback_never_down() {
    let rubric: ExposureRubric =
        read(json!({ "categories": [{ "name": "c", "holdback_basis_points": 3333 }] }));
    let given = json!([{ "id": "E", "category": "c", "type": "ONE_TIME", "cents": 101, "probability_basis_points": 5000 }]);
    let found = aggregate(&read::<Vec<_>>(given), &[], &rubric).unwrap();
    assert_eq!(found.rows[0].weighted, 51);
    assert_eq!(found.holdbacks["c"], 17);
}

#[test]
fn the_matrix_counts_references_to_other_parts_only() {
    let rubric: ReferenceRubric =
        read(json!({ "references": ["Section ([IVX]+[.-][A-Z])", "Part (?<part>\\w+)"] }));
    let texts = [
        part("IV-A", "IV.A", "See Section IV.B and Section IV-B. See Section IV.A.\nAnd Section IV.B."),
        part("IV-B", "IV.B", "See `Section IV.A` and Part IX."),
    ];
    let found = analyze(&texts, &[], &rubric);
    let row = MatrixRow { from: "IV-A".into(), to: "IV-B".into(), count: 3, lines: vec![1, 1, 2] };
    assert_eq!((found.matrix, found.count), (vec![row], 3));
    assert_eq!(found.faults[0].found, "Part IX");
}

#[test]
fn a_finding_is_connected_by_its_related_parts_or_by_its_name_elsewhere() {
    let rubric: ReferenceRubric = read(rubric()["references"].clone());
    let orphaned = |finding: Value| analyze(&parts(), &read::<Vec<_>>(json!([finding])), &rubric).orphaned;
    assert_eq!(orphaned(finding("F-1", "IV.A", "HIGH")), Vec::<String>::new());
    assert_eq!(orphaned(finding("F-5", "IV.A", "HIGH")), ["F-5"]);
    let mut related = finding("F-5", "IV.A", "HIGH");
    related["related"] = json!(["IV-B"]);
    assert_eq!(orphaned(related), Vec::<String>::new());
    let mut keyed = finding("F-5", "IV.B", "HIGH");
    keyed["keys"] = json!(["customer acquiesced"]);
    assert_eq!(orphaned(keyed), Vec::<String>::new());
    let own_name_only = finding("F-1", "IV.B", "HIGH");
    assert_eq!(orphaned(own_name_only), ["F-1"]);
}
