//! Tables: what a row needs to be understood goes with it.

use pretty_assertions::assert_eq;

use crate::World;

fn contexts(name: &str, text: &str) -> Vec<(String, String)> {
    let base = World::with(&[(name, text)]).base();
    base.paragraphs().iter().map(|one| (one.text.clone(), one.context.clone())).collect()
}

#[test]
fn a_table_has_its_title_its_lead_in_and_its_heads_beside_it() {
    let text = "# Report\n\n## Balance sheet\n\nA sentence that says nothing of it.\n\nBalance sheet of Acme (in thousands)\n\nJune 30, December 31, 2025 2024\n\n| Item | 2025 | 2024 |\n|---|---|---|\n| Cash | 27,502 | 34,940 |\n| Total assets | 336,309 | 351,002 |\n";
    let found = contexts("report.md", text);
    let (_, context) = found.iter().find(|(text, _)| text.contains("336,309")).unwrap();
    assert_eq!(
        context,
        "Balance sheet of Acme (in thousands) · June 30, December 31, 2025 2024 · Item | 2025 | 2024"
    );
    let (_, context) = found.iter().find(|(text, _)| text.contains("says nothing")).unwrap();
    assert_eq!(context, "");
}

#[test]
fn a_lead_in_may_end_with_a_colon_and_heads_may_stand_in_the_text_above() {
    let text = "# Report\n\nWe looked at two years. The figures as of June 25, 2022 and September 25, 2021 are as follows:\n\n| | | |\n|---|---|---|\n| Cash | 27,502 | 34,940 |\n| Debt | 5 | 6 |\n";
    let found = contexts("report.md", text);
    let (_, context) = found.iter().find(|(text, _)| text.contains("27,502")).unwrap();
    assert_eq!(context, "The figures as of June 25, 2022 and September 25, 2021 are as follows:");
}

#[test]
fn a_long_table_is_several_paragraphs_that_all_have_its_heads() {
    let rows: String =
        (0..400).map(|row| format!("| Supplier number {row} | {row} | 2025-01-31 |\n")).collect();
    let found =
        contexts("list.md", &format!("# List\n\n| Supplier | Contracts | Signed |\n|---|---|---|\n{rows}"));
    assert!(found.len() > 3, "{}", found.len());
    assert!(found.iter().all(|(text, _)| text.len() <= 3_000));
    assert!(found.iter().all(|(_, context)| context == "Supplier | Contracts | Signed"), "{found:?}");
    let lines: usize = found.iter().map(|(text, _)| text.lines().count()).sum();
    assert_eq!(lines, 401);
}

#[test]
fn a_numbered_row_has_the_heads_of_its_table() {
    let text = "# V6 Umbrellas\n\n## V6.2 Handles\n\n| # | Requirement | Level |\n|---|---|---|\n| 6.2.1 | Verify that each handle is long enough. | 1 |\n| 6.2.2 | Verify that the holder can change it. | 2 |\n";
    let found = contexts("umbrellas.md", text);
    let (_, context) = found.iter().find(|(text, _)| text.starts_with("Verify that each")).unwrap();
    assert_eq!(context, "# | Requirement | Level");
}

#[test]
fn rows_of_a_file_of_rows_have_its_titles_and_are_found_by_them() {
    let text =
        "Trial balance at 31 December 2025,,\nAccount,Debit,Credit\n1000 Cash,500,\n2000 Payables,,300\n";
    let world = World::with(&[("balance.csv", text)]);
    let base = world.base();
    let row = base.paragraphs().iter().find(|one| one.text.contains("2000 Payables")).unwrap();
    assert_eq!(
        (row.text.as_str(), row.context.as_str()),
        ("Account: 2000 Payables; Credit: 300", "Trial balance at 31 December 2025")
    );
    let context = base.context_of(row);
    assert_eq!(context.context, row.context);
}
