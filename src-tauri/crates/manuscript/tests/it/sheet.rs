//! A sheet of facts as it was accepted, and the register of its figures.

use manuscript::checks::run;
use manuscript::numbers::check;
use manuscript::sheet::{FactKeys, FactStanding, Sheet, SheetFact, read};
use manuscript::{CheckName, ExitCode, Part};
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
    let stands: Vec<(&str, FactStanding, Vec<&str>)> = read
        .facts
        .iter()
        .map(|one| (one.fact.as_str(), one.class, one.sources.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        stands,
        [
            ("both", FactStanding::Corroborated, vec!["deed", "minutes"]),
            ("one", FactStanding::SingleSourced, vec!["deed"]),
            ("open", FactStanding::Contradicted, vec!["deck", "ledger", "schedule"]),
            ("chosen", FactStanding::Settled, vec!["ledger", "schedule"]),
            ("other", FactStanding::Given, vec!["fact sheet"]),
            ("changed", FactStanding::Given, vec!["fact sheet"]),
            ("added", FactStanding::Given, vec!["letter"]),
            ("added without a document", FactStanding::Given, vec!["fact sheet"]),
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
fn keys_that_name_nothing_are_refused() {
    let input =
        json!({ "facts": [], "keys": [{ "fact": "Staff", "keys": [" "] }], "given_by": "fact sheet" });
    let report = run(CheckName::RegisterNumbers, &input);
    assert_eq!(report.exit_code, ExitCode::Error);
    assert_eq!(report.blocking[0].place.at, "keys[0].keys");
}
