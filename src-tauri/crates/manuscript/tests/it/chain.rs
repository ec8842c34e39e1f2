//! The chain of the checks: dependencies, the matrix of repetitions, what is known of a check.

use manuscript::chain::{
    ChainError, ChainRubric, Change, CheckStatus, CheckTrack, Clearance, Dependency, Ledger,
};
use manuscript::{CheckName, ExitCode};
use pretty_assertions::assert_eq;

use CheckName::{AggregateRiskTables, ExtractCitations, ExtractFactRegistry, ScanCitationTags};

fn all_done() -> Ledger {
    let done = |check: &CheckName| {
        let mut track = CheckTrack::default();
        track.begin();
        track.end(ExitCode::Pass);
        (*check, track)
    };
    CheckName::ALL.iter().map(done).collect()
}

/// What stands to be run after a change, with everything else in place.
fn open_after(change: Change) -> Vec<CheckName> {
    let chain = ChainRubric::default();
    let mut ledger = all_done();
    let named = chain.invalidate(change, &mut ledger);
    let mut open = Vec::new();
    for check in &named {
        assert_eq!(chain.clearance(*check, &ledger), Clearance::Run, "{check} out of order");
        let track = ledger.get_mut(check).unwrap();
        track.begin();
        track.end(ExitCode::Pass);
        assert_eq!(track.iteration_count, 2);
        open.push(*check);
    }
    for check in CheckName::ALL {
        assert_eq!(chain.clearance(*check, &ledger), Clearance::Cached);
    }
    open
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
fn tags_wait_for_the_registry_and_halt_after_its_error() {
    let chain = ChainRubric::default();
    let mut ledger = Ledger::new();
    assert_eq!(chain.clearance(ScanCitationTags, &ledger), Clearance::RunFirst(ExtractCitations));
    for (code, clearance) in [
        (ExitCode::Pass, Clearance::Run),
        (ExitCode::Findings, Clearance::Run),
        (ExitCode::Error, Clearance::Halt(ExtractCitations)),
    ] {
        let track = ledger.entry(ExtractCitations).or_default();
        track.begin();
        track.end(code);
        assert_eq!(chain.clearance(ScanCitationTags, &ledger), clearance);
    }
}

#[test]
fn an_interrupted_check_is_run_again() {
    let chain = ChainRubric::default();
    let mut ledger = all_done();
    let track = ledger.get_mut(&ExtractCitations).unwrap();
    track.begin();
    assert_eq!((track.status, track.exit_code), (CheckStatus::Running, None));
    assert_eq!(chain.clearance(ExtractCitations, &ledger), Clearance::Run);
    ledger.get_mut(&ScanCitationTags).unwrap().reset();
    assert_eq!(chain.clearance(ScanCitationTags, &ledger), Clearance::RunFirst(ExtractCitations));
}

#[test]
fn exit_codes_decide_the_status() {
    let status = |code| {
        let mut track = CheckTrack::default();
        track.end(code);
        track.status
    };
    assert_eq!(status(ExitCode::Pass), CheckStatus::Complete);
    assert_eq!(status(ExitCode::Findings), CheckStatus::Failed);
    assert_eq!(status(ExitCode::Error), CheckStatus::Error);
}

#[test]
fn the_third_run_is_for_a_person_and_a_reset_does_not_hide_it() {
    let chain = ChainRubric::default();
    let mut track = CheckTrack::default();
    let reviews: Vec<bool> = (0..4)
        .map(|_| {
            track.begin();
            track.end(ExitCode::Findings);
            track.reset();
            chain.is_for_review(&track)
        })
        .collect();
    assert_eq!(reviews, [false, false, true, true]);
}

#[test]
fn what_needs_a_named_check_is_run_again_after_it() {
    let mut chain = ChainRubric::default();
    chain.matrix[1].reruns = vec![ExtractCitations];
    assert_eq!(chain.reruns(Change::CitationsRemediated), [ExtractCitations, ScanCitationTags]);
    let needs = |check, needs| Dependency { check, needs, exit_codes: vec![ExitCode::Pass] };
    chain.dependencies.push(needs(ExtractCitations, AggregateRiskTables));
    assert_eq!(
        chain.reruns(Change::RiskTableUpdated),
        [AggregateRiskTables, ExtractCitations, ScanCitationTags]
    );
}

#[test]
fn a_circle_and_a_double_row_are_refused() {
    let mut chain = ChainRubric::default();
    let back =
        Dependency { check: ExtractCitations, needs: ScanCitationTags, exit_codes: vec![ExitCode::Pass] };
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
    assert!(json.contains("\"exit_codes\":[0,1]"), "{json}");
    assert_eq!(serde_json::from_str::<ChainRubric>(&json).unwrap(), chain);
}
