//! The chain of the checks: dependencies and the matrix of repetitions.

use manuscript::CheckName;
use manuscript::chain::{ChainError, ChainRubric, Change, Dependency};
use pretty_assertions::assert_eq;

use CheckName::{
    AggregateRiskTables, AnalyzeXrefs, CheckQuestions, ExtractCitations, ExtractFactRegistry, PreQaValidate,
    ScanCitationTags,
};

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
fn questions_that_were_written_again_run_what_reads_them_again() {
    assert_eq!(
        open_after(Change::QuestionsRemediated),
        [PreQaValidate, AnalyzeXrefs, ExtractCitations, ScanCitationTags, CheckQuestions]
    );
}

#[test]
fn the_chain_of_the_shipped_assessment_holds() {
    let data = include_str!("../../../../../agents/memo-qa-diagnostic/reinvocation.json");
    let chain: ChainRubric = serde_json::from_str(data).unwrap();
    assert_eq!(chain.validate(), Ok(()));
    for change in Change::ALL {
        let row = chain.matrix.iter().find(|row| row.change == change).unwrap();
        let mut named = row.reruns.clone();
        named.sort_unstable();
        let mut all = chain.reruns(change);
        all.sort_unstable();
        // An agent reads the rows as they stand: what needs a named check is named, too.
        assert_eq!(named, all, "{change:?}");
    }
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
