//! The checks over texts.

use serde_json::json;

use super::input::{
    AssembleInput, CounterInput, HeadingMode, HeadingsInput, IntegrityInput, NotesInput, QuestionsInput,
    ReadinessInput, XrefsInput,
};
use super::{Body, refused};
use crate::fault::{Fault, Location, Rule};
use crate::findings::MAX_FINDINGS;
use crate::headings::{apply, census, insertions};
use crate::numbers::MAX_ROWS;
use crate::parts::{Part, counts, validate};
use crate::{assemble, counter, footnotes, headings, integrity, questions, readiness, xref};

pub(super) fn valid(parts: &[Part]) -> Result<(), Fault> {
    validate(parts).map_err(|problem| refused("parts", problem))
}

pub(super) fn few_findings(findings: &[crate::findings::Finding]) -> Result<(), Fault> {
    match findings.len() > MAX_FINDINGS {
        true => Err(refused("findings", format_args!("more than {MAX_FINDINGS} findings"))),
        false => Ok(()),
    }
}

pub(super) fn readiness(input: &ReadinessInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    if input.numbers.len() > MAX_ROWS {
        return Err(refused("numbers", format_args!("more than {MAX_ROWS} rows")));
    }
    let ready = readiness::readiness(&input.parts, input.document.as_deref(), &input.numbers, &input.rubric);
    let is_blocking = |fault: &&Fault| !fault.rule.is_warning() && !input.warn_only.contains(&fault.rule);
    let mut failed: Vec<Rule> = ready.faults.iter().filter(is_blocking).map(|fault| fault.rule).collect();
    failed.sort_unstable();
    failed.dedup();
    let output = json!({
        "blocking_checks_failed": failed,
        "verification_status": {
            "word_count_check": ready.word_count,
            "placeholder_check": ready.placeholders,
            "cross_ref_check": ready.references,
            "sections_check": ready.sections,
            "footnotes_check": ready.footnotes,
        },
        "intact_sections": ready.intact_parts,
        "words": counts(&input.parts),
    });
    Ok(Body::new(ready.faults, output))
}

pub(super) fn headings(input: &HeadingsInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    let before = census(&input.parts, &input.rubric);
    let map = insertions(&input.parts, &input.rubric);
    let (parts, after, inserted) = match input.mode {
        HeadingMode::Scan => (None, before.clone(), Vec::new()),
        HeadingMode::Apply => {
            let parts = apply(&input.parts, &map);
            let after = census(&parts, &input.rubric);
            let is_placed = |insertion: &&headings::Insertion| insertion.before_line.is_some();
            (Some(parts), after, map.iter().filter(is_placed).collect())
        }
    };
    let mut faults = headings::faults(&after, &input.rubric);
    faults.extend(inserted.iter().map(|insertion| {
        let place = Location { at: insertion.part.clone(), line: insertion.before_line };
        Fault::new(place, Rule::HeadingInserted, &insertion.heading)
    }));
    let output = json!({
        "min_headers_target": input.rubric.min_headings,
        "headers_before": before.rows.len(),
        "headers_after": after.rows.len(),
        "headers_by_type": after.by_type,
        "sections_complete": after.complete,
        "sections_missing": after.incomplete,
        "sections_disordered": after.disordered,
        "headers": after.rows,
        "insertion_map": map,
        "parts": parts,
    });
    let file_name = input.rubric.insertion_map_file.clone();
    Ok(Body { faults, output, file_name })
}

pub(super) fn xrefs(input: &XrefsInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    few_findings(&input.findings)?;
    let references = xref::analyze(&input.parts, &input.findings, &input.rubric);
    let open = references.faults.iter().filter(|fault| fault.rule == Rule::Placeholder);
    let places: Vec<&Location> = open.map(|fault| &fault.place).collect();
    let output = json!({
        "xref_count": references.count,
        "matrix": references.matrix,
        "placeholder_count": places.len(),
        "placeholder_locations": places,
        "orphaned_findings_count": references.orphaned.len(),
        "orphaned_findings": references.orphaned,
    });
    Ok(Body::new(references.faults, output))
}

pub(super) fn counter(input: &CounterInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    let found = counter::detect(&input.parts, &input.rubric);
    let output = json!({
        "detections_count": found.places.len(),
        "locations": found.places,
        "sections_missing": found.lacking,
    });
    Ok(Body::new(found.faults, output))
}

pub(super) fn questions(input: &QuestionsInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    let found = questions::census(&input.parts, &input.rubric);
    let output = json!({
        "questions_count": found.rows.len(),
        "answered_count": found.answered,
        "by_opening": found.by_opening,
        "questions": found.rows,
    });
    Ok(Body::new(found.faults, output))
}

pub(super) fn integrity(input: &IntegrityInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    let mut faults = Vec::new();
    let mut intact = Vec::new();
    for part in &input.parts {
        let found = integrity::check(&part.id, &part.markdown, &input.rubric);
        if found.is_empty() {
            intact.push(part.id.as_str());
        }
        faults.extend(found);
    }
    let output = json!({ "intact": intact, "words": counts(&input.parts) });
    Ok(Body::new(faults, output))
}

pub(super) fn notes(input: &NotesInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    let numbers = footnotes::renumber(&input.parts, &input.rubric);
    let tests = footnotes::tests(&numbers.rows, &input.rubric);
    let count = |rule: Rule| tests.iter().filter(|fault| fault.rule == rule).count();
    let output = json!({
        "parts": numbers.parts,
        "footnotes": numbers.rows,
        "consolidated": footnotes::consolidated(&numbers.rows),
        "sections_status": numbers.sections,
        "metrics": {
            "total_sections": input.parts.len(),
            "footnotes_collected": numbers.rows.len(),
            "placeholders_found": count(Rule::Placeholder),
            "pincites_missing": count(Rule::PinciteMissing),
            "verification_tags_missing": count(Rule::TagMissing),
        },
    });
    Ok(Body::new([numbers.faults, tests].concat(), output))
}

pub(super) fn assembly(input: &AssembleInput) -> Result<Body, Fault> {
    valid(&input.parts)?;
    let document = assemble::assemble(&input.title, &input.parts, &input.rubric);
    let output = json!({
        "markdown": document.markdown,
        "toc": document.toc,
        "footnotes": document.notes,
        "sections_status": document.sections,
        "metrics": document.metrics,
    });
    Ok(Body { faults: document.faults, output, file_name: input.file_name.clone() })
}
