use context::{Body, ContextParagraph, Section, WebReference, citations};
use llm::{Limits, OfflineEngine, Provider, collect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::shelf::{Shelf, request, schema, text, value};

const QUESTIONS: [&str; 8] = [
    "How should an auditor respond to significant doubt about going concern?",
    "What is performance materiality and how is it set?",
    "How do group auditors set component materiality and direct component auditors?",
    "When must an auditor modify the opinion, and how does a disclaimer differ from an adverse opinion?",
    "How are accounting estimates audited, especially where management bias is possible?",
    "What should be documented and by when must the file be assembled?",
    "What are the presumed fraud risks?",
    "How does an auditor confirm receivables?",
];

fn plan(shelf: &Shelf, question: &str, extra: &[Section]) -> Value {
    let mut sections = vec![
        text("REQUEST", question),
        value("SETTINGS", json!({"depth": "standard", "maxSubQueries": 5})),
        value("CORPUS_OUTLINE", shelf.outline(question)),
    ];
    sections.extend_from_slice(extra);
    let plan = OfflineEngine::answer(&request("query-plan", &sections));
    assert_valid("query-plan", &plan);
    plan
}

fn assert_valid(name: &str, value: &Value) {
    let validator = jsonschema::validator_for(&schema(name)).unwrap();
    assert_eq!(llm::extract::faults(&validator, value), []);
}

fn queries(plan: &Value) -> Vec<String> {
    plan["sub_queries"].as_array().unwrap().iter().map(|query| query["query"].as_str().unwrap().to_owned()).collect()
}

fn synthesis_sections(question: &str, depth: &str, plan: &Value, paragraphs: Vec<ContextParagraph>) -> Vec<Section> {
    vec![
        text("REQUEST", question),
        value("SETTINGS", json!({"depth": depth})),
        value("QUERY_PLAN", plan.clone()),
        Section::new("ISA_CONTEXT", Body::Paragraphs(paragraphs)),
    ]
}

fn answer(sections: &[Section]) -> Value {
    let answer = OfflineEngine::answer(&request("synthesis", sections));
    assert_valid("synthesis", &answer);
    answer
}

/// Every citation names a paragraph that was given, every quote stands in it and in the answer.
fn assert_faithful(answer: &Value, paragraphs: &[ContextParagraph]) {
    let body = answer["synthesis"].as_str().unwrap();
    let listed = answer["citations"].as_array().unwrap();
    for citation in listed {
        let reference = format!("({})", citation["source_ref"].as_str().unwrap());
        let paragraph = paragraphs.iter().find(|one| one.reference == reference).unwrap();
        let quote = citation["quote"].as_str().unwrap();
        assert!(paragraph.text.contains(quote), "{quote}");
        assert!(body.contains(&format!("\u{201c}{quote}\u{201d} {reference}")), "{quote}");
    }
    for citation in citations(body) {
        assert!(listed.iter().any(|one| one["source_ref"] == citation.source_ref.as_str()), "{citation:?}");
    }
}

#[test]
fn answers_over_the_primer_are_faithful_and_cover_their_question() {
    let shelf = Shelf::primer();
    for question in QUESTIONS {
        let plan = plan(&shelf, question, &[]);
        println!("# {question}\n\n{plan:#}\n");
        assert!(plan["clarity_score"].as_f64().unwrap() >= 0.7, "{question}: {plan:#}");
        for depth in ["quick", "standard", "deep"] {
            let paragraphs = shelf.retrieve(&queries(&plan), if depth == "deep" { 10 } else { 6 });
            let answer = answer(&synthesis_sections(question, depth, &plan, paragraphs.clone()));
            if depth == "standard" {
                println!("{}\n{:#}\n{}\n", answer["synthesis"].as_str().unwrap(), answer["gaps"], answer["confidence"]);
            }
            assert_faithful(&answer, &paragraphs);
            let count = answer["citations"].as_array().unwrap().len();
            assert!(count >= if depth == "quick" { 3 } else { 6 }, "{question} {depth}: {count}");
            assert!(answer["confidence"].as_f64().unwrap() >= 0.5, "{question} {depth}: {answer:#}");
        }
    }
}
