//! A sheet of facts as it was accepted, and the register of its figures.

use manuscript::checks::run;
use manuscript::numbers::check;
use manuscript::sheet::{FactKeys, FactState, Sheet, SheetFact, read};
use manuscript::{CheckName, ExitCode, Note, Part};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::rig::part;

fn sheet(facts: Value, keys: Value) -> Sheet {
    let facts: Vec<SheetFact> = serde_json::from_value(facts).unwrap();
    let keys: Vec<FactKeys> = serde_json::from_value(keys).unwrap();
    read(&facts, &keys, "fact sheet")
}

fn keys() -> Value {
    json!([
        { "fact": "Recurring revenue", "keys": ["recurring revenue", "ARR"] },
        { "fact": "Staff", "keys": ["employees"], "unit": "employees" },
    ])
}

/// A fact whose sources give these values.
fn fact(name: &str, value: Value, given: &[(&str, &[&str])]) -> Value {
    let values: Vec<Value> =
        given.iter().map(|(value, sources)| json!({ "value": value, "sources": sources })).collect();
    json!({ "category": "figures", "fact": name, "value": value, "values": values })
}

const TWO: &[(&str, &[&str])] = &[("$7,900,000", &["deck"]), ("$7,500,000", &["ledger", "schedule"])];

#[test]
fn a_fact_stands_as_it_was_accepted() {
    let read = sheet(
        json!([
            fact("both", json!("Delaware"), &[("Delaware", &["deed", "minutes"])]),
            fact("one", json!("Delaware"), &[("Delaware", &["deed"])]),
            fact("open", json!("$7,900,000 vs $7,500,000"), TWO),
            fact("chosen", json!("USD 7.5 million"), TWO),
            fact("other", json!("$8,000,000"), TWO),
            fact("changed", json!("Ohio"), &[("Delaware", &["deed"])]),
            { "fact": "added", "value": 12, "sources": ["letter"] },
            { "fact": "added without a document", "value": "12" },
            { "fact": "struck", "value": " " },
        ]),
        json!([]),
    );
    let stands: Vec<(&str, FactState, Vec<&str>)> = read
        .facts
        .iter()
        .map(|one| (one.fact.as_str(), one.class, one.sources.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        stands,
        [
            ("both", FactState::Corroborated, vec!["deed", "minutes"]),
            ("one", FactState::SingleSourced, vec!["deed"]),
            ("open", FactState::Contradicted, vec!["deck", "ledger", "schedule"]),
            ("chosen", FactState::Settled, vec!["ledger", "schedule"]),
            ("other", FactState::Given, vec!["fact sheet"]),
            ("changed", FactState::Given, vec!["fact sheet"]),
            ("added", FactState::Given, vec!["letter"]),
            ("added without a document", FactState::Given, vec!["fact sheet"]),
        ]
    );
}

#[test]
fn the_register_has_the_accepted_value_and_not_the_one_that_was_found() {
    let found = fact("Recurring revenue", json!("$7,500,000"), &[("$7,500,000", &["schedule"])]);
    let corrected = fact("Recurring revenue", json!("$7,600,000"), &[("$7,500,000", &["schedule"])]);
    let states = |value: &str| vec![part("H", "", &format!("The ARR is {value}."))];
    let wrong = |fact: &Value, parts: &[Part]| {
        let register = sheet(json!([fact]), keys()).numbers;
        let found = check(parts, &register);
        found.statements.iter().filter(|statement| !statement.agrees).count()
    };
    assert_eq!(wrong(&found, &states("$7,500,000")), 0);
    assert_eq!(wrong(&corrected, &states("$7,600,000")), 0);
    assert_eq!(wrong(&corrected, &states("$7,500,000")), 1);
}

#[test]
fn a_contradiction_is_held_against_the_text_once_it_is_settled() {
    let register = |value: &str| {
        let rows = sheet(json!([fact("recurring  revenue", json!(value), TWO)]), keys()).numbers;
        rows.into_iter().map(|row| (row.id, row.value.to_string(), row.unit, row.source)).collect::<Vec<_>>()
    };
    assert_eq!(register("$7,900,000 vs $7,500,000"), []);
    let row = |value: &str, source: &str| {
        vec![("recurring-revenue".to_owned(), value.to_owned(), "USD".to_owned(), source.to_owned())]
    };
    assert_eq!(register("$7.5 million"), row("7500000", "ledger"));
    assert_eq!(register("$7,700,000"), row("7700000", "fact sheet"));
}

#[test]
fn a_count_has_the_unit_of_its_name_and_every_row_an_id_of_its_own() {
    let rows = sheet(
        json!([{ "fact": "Staff", "value": 1247 }, { "fact": "staff", "value": "1,247", "sources": ["list"] }]),
        keys(),
    )
    .numbers;
    let rows: Vec<(&str, &str, &str)> =
        rows.iter().map(|row| (row.id.as_str(), row.unit.as_str(), row.source.as_str())).collect();
    assert_eq!(rows, [("staff", "employees", "fact sheet"), ("staff-2", "employees", "list")]);
}

#[test]
fn a_bare_number_has_the_unit_of_the_sources() {
    let rows = sheet(json!([fact("Recurring revenue", json!(7_600_000), TWO)]), keys()).numbers;
    assert_eq!((rows[0].value.to_string().as_str(), rows[0].unit.as_str()), ("7600000", "USD"));
}

#[test]
fn every_figure_and_every_day_is_a_row_with_its_document_and_page() {
    let keys = json!([{ "fact": "Annual fee", "keys": ["annual fee", "yearly fee"] }]);
    let paged = |name: &str, value: &str, source: &str, page: u32| {
        json!({ "fact": name, "value": value, "sources": [source],
            "values": [{ "value": value, "sources": [source], "pages": { source: [page, 9] }, "period": "2025" }] })
    };
    let read = sheet(
        json!([
            paged("Annual fee (lease.pdf)", "$4,200,000", "lease.pdf", 2),
            paged("Tenant A | Ground floor", "$12,400,000 | 30.1%", "schedule", 5),
            paged("Effective date (lease.pdf)", "March 1, 2025", "lease.pdf", 1),
            paged("State (of origin)", "Ohio", "lease.pdf", 1),
            fact("Rooms", json!("12"), &[("12", &["lease.pdf", "schedule"])]),
        ]),
        keys,
    );
    let rows: Vec<Value> = read.numbers.iter().map(|row| serde_json::to_value(row).unwrap()).collect();
    let row = |id: &str, keys: Value, value: Value, unit: &str, source: &str, page: u32| {
        json!({ "id": id, "keys": keys, "value": value, "unit": unit, "period": "2025", "source": source,
            "page": page, "rounding": "stated", "within": source, "binding": "beside" })
    };
    let tenant = json!(["Tenant A"]);
    assert_eq!(
        rows[..4],
        [
            row(
                "annual-fee-lease-pdf",
                json!(["annual fee", "yearly fee"]),
                json!(4_200_000),
                "USD",
                "lease.pdf",
                2
            ),
            row("tenant-a-ground-floor", tenant.clone(), json!(12_400_000), "USD", "schedule", 5),
            row("tenant-a-ground-floor-2", tenant, json!("30.1"), "%", "schedule", 5),
            row(
                "effective-date-lease-pdf",
                json!(["Effective date"]),
                json!(20_250_301),
                "date",
                "lease.pdf",
                1
            ),
        ]
    );
    assert_eq!((rows.len(), &rows[4]["keys"], rows[4].get("within")), (5, &json!(["Rooms"]), None));
    assert_eq!(read.facts[0].places, ["lease.pdf p. 2", "lease.pdf p. 9"]);
    assert_eq!(read.facts[4].places, ["lease.pdf", "schedule"]);
}

#[test]
fn an_altered_annual_fee_in_one_section_is_caught() {
    let register = sheet(
        json!([
            fact("Annual fee (lease)", json!("$4,200,000"), &[("$4,200,000", &["lease"])]),
            fact("Annual fee (order)", json!("$1,800,000"), &[("$1,800,000", &["order"])]),
        ]),
        json!([]),
    )
    .numbers;
    let section = |id: &str, text: &str, document: &str| Part {
        footnotes: vec![Note {
            label: "1".into(), text: format!("{document}.md, 1.2: “…” [VERIFIED]")
        }],
        ..part(id, "", text)
    };
    let parts = [
        section("A", "The annual fee is $4,200,000.[^1]", "lease"),
        section("B", "The annual fee of $4.2 million is prepaid.[^1]", "lease"),
        section("C", "The annual fee is $4,800,000.[^1]", "lease"),
        section("D", "The annual fee is $1,800,000.[^1]", "order"),
    ];
    let found = check(&parts, &register).faults;
    let [fault] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(fault.place.to_string(), "C:1");
    assert_eq!(fault.found, "annual-fee-lease: $4,800,000; the register says 4200000 USD");
}

#[test]
fn keys_that_name_nothing_are_refused() {
    let input =
        json!({ "facts": [], "keys": [{ "fact": "Staff", "keys": [" "] }], "given_by": "fact sheet" });
    let report = run(CheckName::RegisterNumbers, &input);
    assert_eq!(report.exit_code, ExitCode::Error);
    assert_eq!(report.blocking[0].place.at, "keys[0].keys");
}
