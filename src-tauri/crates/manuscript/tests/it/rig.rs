//! A small document that every check passes, its rubric, and the inputs of the checks.

use manuscript::checks::run;
use manuscript::{CheckName, CheckReport, ExitCode, Part, Rule};
use serde_json::{Value, json};

pub(crate) const FIRST: &str = "## IV.A Structure

### Conclusion

The structure holds, and total recurring revenue was $41.2 million on 31 March 2026.[^1] Section IV.B weighs the staff.

### Rule

A transfer needs consent.[^2]

### Counter-Analysis

However, a court could hold otherwise where the customer acquiesced.

## Footnotes

[^1]: See Revenue Schedule 2026, p. 3 [VERIFIED].
[^2]: Smith v. Jones, 10 F.3d 20, at 25 [VERIFIED]; see also Doe v. Roe, 11 F.3d 40, at 41 [INFERRED].
";

pub(crate) const SECOND: &str = "## IV.B Staff

### Conclusion

The company has 1,247 employees, and finding F-1 of Section IV.A concerns 12% of them.[^1]

### Rule

Wages are due monthly.[^a]

### Counter-Analysis

Conversely, the claims may be time-barred.

## Footnotes

[^1]: See Staff List 2026, p. 9 [VERIFIED].
[^a]: Adams v. Brown, 12 F.3d 50, at 55 [VERIFIED].
";

pub(crate) const QUESTIONS: &str = "## I.A Questions

### Questions

1. Under the agreement with Meridian, may the customer terminate within 60 days when control of the provider changes, so that
   $12.4 million of revenue ends (CRITICAL; Section IV.A)?
2. Under the agreement with Harbor, does a fee of 15 % fall due when the provider assigns it (HIGH; Section IV.B)?

### Answers

1. Yes. The customer has that right for 60 days after it is told.[^1]
2. Probably no. The assignment is free where the buyer takes over everything.[^2]

[^1]: Agreement, p. 3 [VERIFIED].
[^2]: Agreement, p. 4 [VERIFIED].
";

/// A task with two criteria.
fn task(id: &str, wave: u32, severities: Value) -> Value {
    json!({
        "id": id, "wave": wave, "title": "Task", "dimensions": ["dim_0"], "severities": severities,
        "criteria": [
            { "says": "12 questions", "when": { "measure": "questions", "at_least": 12 } },
            { "says": "No word of an advocate", "when": { "measure": "advocacy", "at_most": 0 } },
        ],
    })
}

pub(crate) fn part(id: &str, number: &str, markdown: &str) -> Part {
    Part { id: id.into(), number: number.into(), markdown: markdown.into(), ..Part::default() }
}

pub(crate) fn parts() -> Vec<Part> {
    vec![part("IV-A", "IV.A", FIRST), part("IV-B", "IV.B", SECOND)]
}

fn text(id: &str, number: &str, markdown: &str) -> Value {
    json!({ "id": id, "number": number, "markdown": markdown })
}

/// The parts with one text replaced in the first.
pub(crate) fn with(from: &str, to: &str) -> Value {
    assert!(FIRST.contains(from), "the fixture has no {from:?}");
    json!([text("IV-A", "IV.A", &FIRST.replacen(from, to, 1)), text("IV-B", "IV.B", SECOND)])
}

pub(crate) fn rubric() -> Value {
    let references = json!({
        "references": ["Section (?P<part>[IVX]+\\.[A-Z])"],
        "placeholders": ["\\[(?:TBD|XREF)[^\\]]*\\]"],
        "min_references": 2,
    });
    let heading = |name: &str, title: &str, anchor: &str| json!({ "name": name, "title": title, "patterns": [format!("(?i)^{title}")], "anchors": [anchor], "min_words": 3 });
    json!({
        "readiness": {
            "document": { "min_words": 60, "footers": ["^END OF DOCUMENT$"], "footer_lines": 1,
                "truncation_marks": ["^\\.\\.\\.$", "^…$", "^\\[continue"] },
            "part": { "min_words": 20, "footers": ["^---$", "^## Footnotes"], "truncation_marks": ["^\\[continue"],
                "placeholders": ["\\[TBD\\]"] },
            "required_parts": ["IV.A", "IV.B"],
            "min_parts": 2,
            "min_footnotes": 4,
            "references": references,
        },
        "headings": {
            "min_headings": 6,
            "order": ["conclusion", "rule", "counter_analysis"],
            "types": [
                heading("conclusion", "Conclusion", "(?i)\\bholds\\b"),
                heading("rule", "Rule", "(?i)\\bneeds\\b"),
                heading("counter_analysis", "Counter-Analysis", "(?i)\\bhowever\\b"),
            ],
            "insertion_map_file": "scripts/insertion-map.json",
        },
        "references": references,
        "provisions": {
            "severities": ["CRITICAL", "HIGH"],
            "min_words": 4,
            "kinds": ["escrow", "indemnity"],
            "operative": ["(?i)\\b(?:shall|holds)\\b"],
            "placeholders": ["\\[_+\\]"],
        },
        "questions": {
            "questions": ["^Questions$"],
            "answers": ["^Answers$"],
            "min_questions": 2,
            "forms": ["^Under\\b.+\\b(?:does|may)\\b.+\\bwhen\\b.+\\?"],
            "facts": ["\\$[0-9.]+ million", "\\b[0-9]+ (?:days|%)", "\\bSection [IVX]+\\.[A-Z]", "\\b(?:Meridian|Harbor)\\b"],
            "min_facts": 3,
            "weights": [
                { "name": "CRITICAL", "pattern": "\\bCRITICAL\\b" },
                { "name": "HIGH", "pattern": "\\bHIGH\\b" },
            ],
            "openings": [
                { "name": "yes", "pattern": "^Yes\\b" },
                { "name": "probably_no", "pattern": "^Probably no\\b" },
            ],
            "min_answer_words": 5,
        },
        "counter": {
            "patterns": [{ "name": "contrast", "pattern": "(?i)^(?:however|conversely)\\b" }],
            "min_per_part": 1,
        },
        "citations": {
            "kinds": [
                { "name": "case", "pattern": "[A-Z]\\w+ v\\. [A-Z]\\w+, \\d+ F\\.3d \\d+", "confidence": "HIGH",
                    "importance": "HIGH" },
                { "name": "record", "pattern": "(?:Revenue Schedule|Staff List) \\d{4}", "confidence": "MEDIUM" },
            ],
            "pincites": ["\\bp\\. \\d+", "\\bat \\d+"],
            "tags": [
                { "name": "VERIFIED", "pattern": "\\[VERIFIED\\]", "state": "verified" },
                { "name": "INFERRED", "pattern": "\\[INFERRED\\]", "state": "inferred" },
                { "name": "UNVERIFIED", "pattern": "\\[UNVERIFIED\\]", "state": "unverified" },
            ],
            "signals": ["(?i)\\bsee(?: also)?\\b"],
        },
        "tags": { "min_coverage": 90, "hard_fail_coverage": 50, "hard_fail_high_unverified": 2 },
        "facts": {
            "categories": [
                { "name": "key_dates" },
                { "name": "quantitative_facts", "minor_permille": 60 },
            ],
            "expected": [{ "category": "key_dates", "fact": "Closing date" }],
        },
        "exposures": {
            "categories": [{ "name": "penalties", "holdback_basis_points": 1500 }, { "name": "litigation" }],
            "discount_basis_points": 800,
            "overlap_basis_points": { "wages": 5000 },
        },
    })
}

pub(crate) fn finding(id: &str, part: &str, severity: &str) -> Value {
    json!({ "id": id, "part": part, "severity": severity, "title": "Consent is missing" })
}

pub(crate) fn exposures() -> Value {
    json!([
        { "id": "E-1", "category": "penalties", "type": "ONE_TIME", "cents": 1_200_000_000_i64,
            "probability_basis_points": 2500, "correlation": "wages" },
        { "id": "E-2", "category": "litigation", "type": "PERPETUAL", "cents": 80_000_000,
            "probability_basis_points": 5000, "correlation": "wages" },
    ])
}

pub(crate) fn rows() -> Value {
    json!([
        { "id": "arr", "keys": ["recurring revenue"], "value": 41_200_000, "unit": "USD", "period": "31 March 2026",
            "source": "ARR schedule", "page": 1 },
        { "id": "staff", "keys": ["employees"], "value": 1247, "unit": "employees", "source": "Staff list", "page": 9 },
        { "id": "share", "keys": ["F-1"], "value": "12.0", "unit": "%", "source": "Staff list", "page": 10 },
    ])
}

pub(crate) fn score_rubric() -> Value {
    json!({
        "dimensions": [
            { "id": "dim_4", "max": 40, "rules": [{ "rule": "range", "name": "length", "measure": "summary_words",
                "min": 2500, "max": 3500, "per": 100, "points": 0.2 }] },
            { "id": "dim_5", "max": 60 },
        ],
        "issue_points": { "CRITICAL": 10, "HIGH": 4 },
        "tiers": [{ "name": "TIER_1", "min": 94 }, { "name": "TIER_2", "min": 88 }, { "name": "TIER_3", "min": 0 }],
        "certify_at": 88,
        "max_cycles": 3,
    })
}

/// The input of a check with which it passes.
pub(crate) fn clean(check: CheckName) -> Value {
    let rubric = rubric();
    let parts = json!(parts());
    match check {
        CheckName::PreQaValidate => json!({
            "parts": parts,
            "document": format!("# Report\n\n{FIRST}\n{SECOND}\n\nEND OF DOCUMENT\n"),
            "numbers": rows(),
            "rubric": rubric["readiness"],
        }),
        CheckName::ApplyHeadings => json!({ "parts": parts, "rubric": rubric["headings"] }),
        CheckName::ValidateProvisions => json!({
            "findings": [finding("F-1", "IV.A", "HIGH"), finding("F-2", "IV.B", "LOW")],
            "provisions": [{ "id": "P-1", "kind": "escrow", "text": "The buyer holds back a sum.", "findings": ["F-1"] }],
            "rubric": rubric["provisions"],
        }),
        CheckName::AnalyzeXrefs => json!({
            "parts": parts, "findings": [finding("F-1", "IV.A", "HIGH")], "rubric": rubric["references"],
        }),
        CheckName::DetectCounterAnalysis => json!({ "parts": parts, "rubric": rubric["counter"] }),
        CheckName::ExtractCitations => json!({ "parts": parts, "rubric": rubric["citations"] }),
        CheckName::ScanCitationTags => {
            let registry = run(CheckName::ExtractCitations, &clean(CheckName::ExtractCitations));
            json!({
                "citations": registry.output["citations"],
                "extract_exit_code": registry.exit_code,
                "rubric": rubric["tags"],
            })
        }
        CheckName::ExtractFactRegistry => json!({
            "statements": [
                fact("key_dates", "Closing date", "2026-03-15", "plan"),
                fact("key_dates", "closing  date", "March 15, 2026", "contract"),
            ],
            "rubric": rubric["facts"],
        }),
        CheckName::AggregateRiskTables => json!({
            "exposures": exposures(),
            "stated_totals": [
                { "measure": "gross", "cents": 2_200_000_000_i64, "part": "IV-A" },
                { "measure": "weighted", "category": "penalties", "cents": 300_000_000 },
            ],
            "rubric": rubric["exposures"],
        }),
        CheckName::RegisterNumbers => json!({
            "facts": [{ "fact": "Recurring revenue", "value": "$41.2 million", "sources": ["ARR schedule"] }],
            "keys": [{ "fact": "Recurring revenue", "keys": ["recurring revenue"] }],
            "given_by": "fact sheet",
        }),
        CheckName::CheckNumbers => json!({ "parts": parts, "numbers": rows() }),
        CheckName::CheckQuestions => json!({
            "parts": [text("Q", "I.A", QUESTIONS)], "rubric": rubric["questions"],
        }),
        CheckName::CheckTasks => json!({
            "tasks": [task("W4-1", 4, json!(["LOW"])), task("W2-1", 2, json!(["MEDIUM", "CRITICAL"]))],
            "measures": { "questions": 12, "advocacy": 0 },
        }),
        CheckName::Integrity => json!({ "parts": parts, "rubric": rubric["readiness"]["part"] }),
        CheckName::RenumberFootnotes => json!({ "parts": parts }),
        CheckName::Assemble => json!({
            "title": { "title": "Report", "lines": ["For the board"] },
            "parts": parts,
            "file_name": "final.md",
            "rubric": { "toc_title": "Contents", "notes_title": "Footnotes", "footer": "END OF DOCUMENT" },
        }),
        CheckName::Score => json!({
            "evidence": { "measures": { "summary_words": 3000 } }, "rubric": score_rubric(),
        }),
    }
}

pub(crate) fn fact(category: &str, name: &str, value: &str, source: &str) -> Value {
    json!({ "category": category, "fact": name, "value": value, "source": source })
}

/// An input with the value at a pointer replaced.
pub(crate) fn set(mut input: Value, pointer: &str, value: Value) -> Value {
    *input.pointer_mut(pointer).unwrap_or_else(|| panic!("nothing at {pointer}")) = value;
    input
}

/// An input with a field added to the object at a pointer.
pub(crate) fn add(mut input: Value, pointer: &str, field: &str, value: Value) -> Value {
    let object = input.pointer_mut(pointer).unwrap_or_else(|| panic!("nothing at {pointer}"));
    object[field] = value;
    input
}

/// The rules by which something blocks, each once.
pub(crate) fn blocking(report: &CheckReport) -> Vec<Rule> {
    let mut rules: Vec<Rule> = report.blocking.iter().map(|fault| fault.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

pub(crate) fn passes(report: &CheckReport) -> bool {
    report.exit_code == ExitCode::Pass && report.blocking.is_empty()
}
