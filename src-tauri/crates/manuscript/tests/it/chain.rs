//! The chain of the checks: dependencies and the matrix of repetitions.

use manuscript::CheckName;
use manuscript::chain::{ChainError, ChainRubric, Change, Dependency};
use pretty_assertions::assert_eq;

use CheckName::{AggregateRiskTables, ExtractCitations, ExtractFactRegistry, ScanCitationTags};

/// What a change runs again.
fn open_after(change: Change) -> Vec<CheckName> {
    ChainRubric::default().reruns(change)
}

#[test]
fn changed_content_runs_all_registers_again() {
    assert_eq!(
        open_after(Change::ContentChanged),
        [ExtractCitations, ScanCitationTags, ExtractFactRegistry, AggregateRiskTables]
    );
}

#[test]
fn corrected_citations_run_the_registry_and_then_the_tags_again() {
    assert_eq!(open_after(Change::CitationsRemediated), [ExtractCitations, ScanCitationTags]);
}

#[test]
fn a_settled_conflict_runs_only_the_facts_again() {
    assert_eq!(open_after(Change::FactConflictResolved), [ExtractFactRegistry]);
}

#[test]
fn an_updated_table_runs_only_the_exposures_again() {
    assert_eq!(open_after(Change::RiskTableUpdated), [AggregateRiskTables]);
}

#[test]
fn the_matrix_has_a_row_for_every_change() {
    let chain = ChainRubric::default();
    assert_eq!(chain.validate(), Ok(()));
    let rows: Vec<Change> = chain.matrix.iter().map(|row| row.change).collect();
    assert_eq!(rows, Change::ALL);
}

#[test]
fn what_needs_a_named_check_is_run_again_after_it() {
    let mut chain = ChainRubric::default();
    chain.matrix[1].reruns = vec![ExtractCitations];
    assert_eq!(chain.reruns(Change::CitationsRemediated), [ExtractCitations, ScanCitationTags]);
    let needs = |check, needs| Dependency { check, needs };
    chain.dependencies.push(needs(ExtractCitations, AggregateRiskTables));
    assert_eq!(
        chain.reruns(Change::RiskTableUpdated),
        [AggregateRiskTables, ExtractCitations, ScanCitationTags]
    );
}

#[test]
fn a_circle_and_a_double_row_are_refused() {
    let mut chain = ChainRubric::default();
    let back = Dependency { check: ExtractCitations, needs: ScanCitationTags };
    chain.dependencies.push(back);
    assert_eq!(chain.validate(), Err(ChainError::Circle(ExtractCitations)));
    assert_eq!(chain.reruns(Change::CitationsRemediated).len(), 2);
    let mut chain = ChainRubric::default();
    chain.matrix.push(chain.matrix[0].clone());
    assert_eq!(chain.validate(), Err(ChainError::Duplicate(Change::ContentChanged)));
}

#[test]
fn a_chain_survives_json() {
    let chain = ChainRubric::default();
    let json = serde_json::to_string(&chain).unwrap();
    assert_eq!(serde_json::from_str::<ChainRubric>(&json).unwrap(), chain);
}
