//! The register of numbers, and quantities as texts state them.

use manuscript::numbers::{NumberCheck, NumberRow, check};
use manuscript::quantity::{Decimal, day, days, figure, quantities, quantity};
use manuscript::{Note, Part, Rule};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::rig::part;

fn rows(value: Value) -> Vec<NumberRow> {
    serde_json::from_value(value).unwrap()
}

fn row(id: &str, key: &str, value: Value, unit: &str) -> Value {
    json!({ "id": id, "keys": [key], "value": value, "unit": unit, "source": "ledger", "page": 1 })
}

/// What a text states of rows: row, words, whether it agrees.
fn stated(text: &str, register: Value) -> Vec<(String, String, bool)> {
    let found = check(&[part("a", "", text)], &rows(register));
    found
        .statements
        .into_iter()
        .map(|statement| (statement.row, statement.stated, statement.agrees))
        .collect()
}

fn said(row: &str, words: &str, agrees: bool) -> (String, String, bool) {
    (row.into(), words.into(), agrees)
}

#[test]
fn a_wrong_number_in_one_of_many_parts_is_caught() {
    let texts = [
        "Total ARR is $41.2M.",
        "The total ARR of $41,200,000 is concentrated.",
        "Total ARR reached $41.3M.",
    ];
    let parts: Vec<Part> = texts.iter().zip(["a", "b", "c"]).map(|(text, id)| part(id, "", text)).collect();
    let NumberCheck { statements, unstated, faults } =
        check(&parts, &rows(json!([row("arr", "total ARR", json!(41_200_000), "USD")])));
    assert_eq!(statements.iter().map(|statement| statement.agrees).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(unstated, Vec::<String>::new());
    let [fault] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!((fault.rule, fault.place.to_string().as_str()), (Rule::NumberMismatch, "c:1"));
    assert_eq!(fault.found, "arr: $41.3m; the register says 41200000 USD");
}

#[test]
fn a_number_behind_another_one_is_not_taken_for_the_value() {
    let register = json!([row("arr", "total ARR", json!(41_200_000), "USD")]);
    assert_eq!(stated("The fee is $3,100,000 (some 7.5% of the total ARR).", register.clone()), []);
    // A date is no such number.
    let text = "Total ARR as of March 31, 2026 was $41.3M.";
    assert_eq!(stated(text, register), [said("arr", "$41.3m", false)]);
}

#[test]
fn a_number_may_be_rounded_to_what_is_stated_unless_it_is_exact() {
    let register = |rounding: &str| {
        let mut row = row("cost", "cost", json!(12_412_000), "USD");
        row["rounding"] = json!(rounding);
        json!([row])
    };
    let verdict = |text: &str, rounding: &str| stated(text, register(rounding))[0].2;
    for text in ["The cost is $12.4 million.", "A cost of $12 million.", "The cost: USD 12,412,000."] {
        assert!(verdict(text, "stated"), "{text}");
    }
    for text in ["The cost is $12.5 million.", "A cost of $12,400,000.", "A cost of $12.4 thousand."] {
        assert!(!verdict(text, "stated"), "{text}");
    }
    assert!(!verdict("The cost is $12.4 million.", "exact"));
}

#[test]
fn the_period_chooses_the_row() {
    let at = |id: &str, value: i64, period: &str| {
        let mut row = row(id, "revenue", json!(value), "EUR");
        row["period"] = json!(period);
        row
    };
    let register = || json!([at("r24", 100, "FY 2024"), at("r25", 120, "FY 2025")]);
    assert_eq!(stated("Revenue in FY 2025 was €120.", register()), [said("r25", "€120", true)]);
    assert_eq!(stated("Revenue in FY 2025 was €100.", register()), [said("r25", "€100", false)]);
    let both = stated("Revenue rose from €100 in FY 2024 to €120 in FY 2025.", register());
    assert_eq!(both, [said("r24", "€100", true), said("r25", "€120", true)]);
}

#[test]
fn another_number_beside_the_right_one_is_no_fault() {
    let register = || {
        json!([
            row("arr", "total ARR", json!(41_200_000), "USD"),
            row("top", "Meridian", json!(12_400_000), "USD"),
            row("share", "Meridian", json!("30.1"), "%"),
        ])
    };
    let found = stated("Total ARR is $41.2M, up from $35.0M; Meridian pays $12.4M, 30.1% of it.", register());
    assert_eq!(
        found,
        [said("arr", "$41.2m", true), said("top", "$12.4m", true), said("share", "30.1%", true)]
    );
    let found = stated("Meridian pays $12.4M of a total ARR of $42.1M.", register());
    assert_eq!(found, [said("top", "$12.4m", true), said("arr", "$42.1m", false)]);
    assert_eq!(stated("Meridian signed in 2024 under Section 12.", register()), []);
}

#[test]
fn counted_things_are_not_mistaken_for_years() {
    let register = || json!([row("staff", "employees", json!(1_247), "employees")]);
    assert_eq!(stated("In 2024 it had 1,247 employees.", register()), [said("staff", "1,247", true)]);
    assert_eq!(stated("In 2024 it had 1,312 employees.", register()), [said("staff", "1,312", false)]);
    assert_eq!(stated("Employees: 1,312 in all.", register()), [said("staff", "1,312", false)]);
    for other in [
        "Employees joined in 2019.",
        "Employees in 3 offices met on 31 March 2026.",
        "Of 5 findings in all the last one concerns employees.",
    ] {
        assert_eq!(stated(other, register()), [], "{other}");
    }
}

#[test]
fn cells_of_tables_are_read_with_their_row_and_column() {
    let register = || {
        let mut first = row("q1", "net revenue", json!(5_100_000), "USD");
        first["period"] = json!("2024");
        let mut second = row("q2", "net revenue", json!(6_300_000), "USD");
        second["period"] = json!("2025");
        json!([first, second])
    };
    let table = |value: &str| {
        format!(
            "| Item | 2024 ($000s) | 2025 ($000s) |\n|---|---:|---:|\n| **Net revenue** | 5,100 | {value} |\n"
        )
    };
    assert_eq!(stated(&table("6,300"), register()), [said("q1", "5,100", true), said("q2", "6,300", true)]);
    assert_eq!(stated(&table("6,030"), register()), [said("q1", "5,100", true), said("q2", "6,030", false)]);
}

/// A figure of one document, which a number has to stand beside.
fn number_row(document: &str, id: &str, key: &str, value: Value, unit: &str) -> Value {
    let mut row = row(id, key, value, unit);
    row["within"] = json!(document);
    row["binding"] = json!("beside");
    row
}

/// What a text with footnotes states of rows.
fn cited(text: &str, notes: &[(&str, &str)], register: &Value) -> Vec<(String, String, bool)> {
    let note = |(label, text): &(&str, &str)| Note { label: (*label).into(), text: (*text).into() };
    let part = Part { footnotes: notes.iter().map(note).collect(), ..part("a", "", text) };
    let found = check(&[part], &rows(register.clone()));
    assert_eq!(
        found.faults.iter().filter(|fault| fault.rule == Rule::NumberMismatch).count(),
        found.statements.iter().filter(|statement| !statement.agrees).count()
    );
    found.statements.into_iter().map(|found| (found.row, found.stated, found.agrees)).collect()
}

#[test]
fn a_figure_of_one_document_is_looked_for_where_that_document_is_cited() {
    let register = json!([
        number_row("lease", "fee-lease", "annual fee", json!(4_200_000), "USD"),
        number_row("lease-b", "fee-lease-b", "annual fee", json!(1_800_000), "USD"),
    ]);
    let notes = [
        ("1", "lease.pdf, page 2: “The annual fee”"),
        ("2", "Lease B.pdf, 1.2"),
        ("3", "other.md, 1: “lease”"),
    ];
    let states = |text: &str| cited(text, &notes, &register);
    assert_eq!(states("The annual fee is $4.2 million.[^1]"), [said("fee-lease", "$4.2 million", true)]);
    assert_eq!(states("The annual fee is $4.3 million[^1]."), [said("fee-lease", "$4.3 million", false)]);
    assert_eq!(states("The annual fee is $4,200,000.[^2]"), [said("fee-lease-b", "$4,200,000", false)]);
    assert_eq!(states("The annual fee is $9.9 million.[^3]"), [], "another document");
    assert_eq!(states("The annual fee is $9.9 million."), [], "no document");
    let both = states("The annual fee is $4.2 million for A and $1.8 million for B.[^1][^2]");
    assert_eq!(both, [said("fee-lease", "$4.2 million", true), said("fee-lease-b", "$1.8 million", true)]);
    // The mark belongs to the sentence before it.
    let text = "The annual fee is due.[^1] Elsewhere an annual fee is $5.[^3] It is an annual fee of $6.[^1]";
    assert_eq!(states(text), [said("fee-lease", "$6", false)]);
}

#[test]
fn a_number_that_does_not_stand_beside_the_key_is_not_taken_for_its_figure() {
    let register = json!([
        number_row("lease", "fee", "annual fee", json!(4_200_000), "USD"),
        number_row("lease", "notice", "notice of non-renewal", json!(60), "days"),
        number_row("lease", "tenant", "Tenant A", json!("30.1"), "%"),
    ]);
    let states = |text: &str| cited(&format!("{text}[^1]"), &[("1", "lease.md, 4")], &register);
    for none in [
        "Damages are capped at twice the annual fee, at most $900,000",
        "The annual fee may rise to more than $5,000,000",
        "A notice of non-renewal ends it unless the invoice is paid within 30 days",
        "Tenant A objected to the 12% rise",
    ] {
        assert_eq!(states(none), [], "{none}");
    }
    assert_eq!(states("An annual fee of USD 4,100,000 is due"), [said("fee", "usd 4,100,000", false)]);
    assert_eq!(states("The $4,100,000 annual fee is due"), [said("fee", "$4,100,000", false)]);
    let late = "It needs ninety (90) days' prior written notice of non-renewal";
    assert_eq!(states(late), [said("notice", "90", false)]);
    assert_eq!(states("Tenant A accounts for 31.0% of it"), [said("tenant", "31.0%", false)]);
    let table = |cell: &str| format!("| Tenant | Share |\n|---|---|\n| {cell} | 49% |");
    let rows = |cell: &str| {
        let text = table(cell);
        cited(&text, &[("1", "lease.md, 4")], &register)
    };
    assert_eq!(rows("Tenant A[^1]"), [said("tenant", "49%", false)]);
    assert_eq!(rows("Tenant A and Tenant B together[^1]"), []);
    // A text need not state every figure of every document.
    let unstated = check(&[part("a", "", "Nothing.")], &self::rows(register.clone()));
    assert_eq!((unstated.unstated.len(), unstated.faults.len()), (3, 0));
}

#[test]
fn a_day_is_a_figure() {
    let register = json!([number_row("lease", "start", "lease begins", json!(20_250_301), "date")]);
    let states = |text: &str| cited(&format!("{text}[^1]"), &[("1", "lease.md, 1")], &register);
    for right in ["The lease begins on 1 March 2025", "The lease begins on March 1, 2025 for 12 years"] {
        assert!(states(right).iter().all(|(.., agrees)| *agrees) && !states(right).is_empty(), "{right}");
    }
    assert_eq!(states("The lease begins on 2025-04-01"), [said("start", "2025-04-01", false)]);
    assert_eq!(states("The lease begins in 2026, with a rent of $7"), []);
    let found = days("From 1 March 2025 to Dec. 31, 2027, 12 months.");
    let days: Vec<String> = found.iter().map(|day| day.value.to_string()).collect();
    assert_eq!(days, ["20250301", "20271231"]);
    assert_eq!(figure("15th March 2026").unwrap().unit, Some("date"));
    assert_eq!(figure("$12").unwrap().unit, Some("USD"));
    let part = Part {
        footnotes: vec![Note { label: "1".into(), text: "lease.md, 1".into() }],
        ..part("a", "", "The lease begins on 2025-04-01.[^1]")
    };
    let faults = check(&[part], &rows(register.clone())).faults;
    assert_eq!(faults[0].found, "start: 2025-04-01; the register says 2025-03-01");
}

#[test]
fn the_columns_of_a_table_that_state_something_else_are_no_fault() {
    let register = || json!([row("staff", "employees", json!(1_247), "employees")]);
    let table = |count: &str| {
        format!("| # | Item | Count | Share |\n|---|---|---|---|\n| 1 | Employees | {count} | 30 |\n")
    };
    assert_eq!(stated(&table("1,247"), register()), [said("staff", "1,247", true)]);
    assert_eq!(stated(&table("1,312"), register()), [said("staff", "1,312", false)]);
}

#[test]
fn rows_without_a_source_or_a_statement_are_reported() {
    let mut lost = row("lost", "head count", json!(7), "");
    lost["source"] = json!(" ");
    let found = check(&[part("a", "", "Nothing.")], &rows(json!([lost])));
    let rules: Vec<Rule> = found.faults.iter().map(|fault| fault.rule).collect();
    assert_eq!(rules, [Rule::NumberUnsourced, Rule::NumberUnstated]);
    assert_eq!(found.unstated, ["lost"]);
}

#[test]
fn quantities_are_read_with_scale_and_unit() {
    let read = |text: &str| {
        let found = quantities(text);
        found
            .into_iter()
            .map(|quantity| (quantity.value.to_string(), quantity.precision, quantity.unit.unwrap_or("")))
            .collect::<Vec<_>>()
    };
    let one = |value: &str, precision, unit| vec![(value.to_owned(), precision, unit)];
    assert_eq!(read("$12.4 million"), one("12400000", 5, "USD"));
    assert_eq!(read("EUR 1,234.50"), one("1234.5", -2, "EUR"));
    assert_eq!(read("£3bn"), one("3000000000", 9, "GBP"));
    assert_eq!(read("7 per cent"), one("7", 0, "%"));
    assert_eq!(read("250 basis points"), one("250", 0, "bps"));
    assert_eq!(read("-$5k"), one("-5000", 3, "USD"));
    assert_eq!(read("a $28.8M total"), one("28800000", 5, "USD"));
    for none in ["Q1", "IV.2", "3rd", "[^4]", "2026-03-31", "5-7%", "v2.3.1", "5m wide", "12:30", "1/2"] {
        assert_eq!(read(none), [], "{none}");
    }
}

#[test]
fn decimals_are_exact() {
    let read = |text: &str| Decimal::parse(text).unwrap();
    assert_eq!(read("12.40"), read("12.4"));
    assert_eq!(read("-0.05").to_string(), "-0.05");
    assert!(read("0.1") < read("0.11"));
    assert!(read("0.3").rounds_to(read("0.30"), -2));
    assert!(!read("0.3000001").rounds_to(read("0.3"), -8));
    for refused in ["", "-", "1.", ".5", "1e5", "1,2,x", "NaN", &"9".repeat(25)] {
        assert!(Decimal::parse(refused).is_err(), "{refused}");
    }
    assert_eq!(serde_json::from_str::<Decimal>("41200000").unwrap(), read("41,200,000"));
    assert!(serde_json::from_str::<Decimal>("12.5").is_err());
    let written =
        serde_json::to_string(&[read("12.5"), read("12"), read("999999999999999999999999")]).unwrap();
    assert_eq!(written, r#"["12.5",12,"999999999999999999999999"]"#);
}

#[test]
fn days_have_one_form() {
    for text in ["2026-03-15", "March 15, 2026", "15 March 2026", "15th Mar 2026"] {
        assert_eq!(day(text), Some((2026, 3, 15)), "{text}");
    }
    for text in ["2026", "Q1 2026", "32 March 2026", "15.03", "1 2 3", "March 2026"] {
        assert_eq!(day(text), None, "{text}");
    }
    assert_eq!(quantity("1,247").unwrap().value, Decimal::new(1_247, 0));
    assert_eq!(quantity("about 1,247"), None);
}
