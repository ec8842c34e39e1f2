//! The shipped agents with a model and a knowledge base that tests can bend.

use std::sync::{Arc, Mutex};

use engine::StartRun;
use llm::{Answer, ModelRequest, ScriptedProvider};
use serde_json::{Value, json};

use crate::tools::{Act, Asked, Tools};
use crate::world::ask;

pub const QUESTION: &str = "When must the auditor send confirmation requests?";

/// The paragraphs of the knowledge base.
pub const TEXTS: [(&str, &str); 3] = [
    (
        "4.12",
        "Confirmation requests are sent by the auditor and not by the client, so that replies come back directly.",
    ),
    ("4.13", "A reply that arrives by electronic mail needs more care before 2 partners rely on it."),
    ("9.1", "When no reply arrives the auditor follows up and, if need be, performs other procedures."),
];

type Synthesis = dyn FnMut(&ModelRequest) -> Value + Send;

/// What the model and the tools say; a test changes what it is about.
#[derive(Clone)]
pub struct Say {
    pub plan: Value,
    pub calibration: Value,
    pub synthesis: Arc<Mutex<Synthesis>>,
    pub repair: Value,
    /// What the judge finds of a statement.
    pub judge: fn(&str) -> &'static str,
    pub web: Value,
}

impl Default for Say {
    fn default() -> Self {
        Self {
            plan: plan(),
            calibration: json!({
                "queries": [{ "query": "confirmation requests", "role": "primary" }, { "query": "electronic replies", "role": "exceptions" }],
                "web_research_context": "One page says that replies by mail are risky.",
                "intent_changes": { "sub_queries_added": [{ "query": "electronic replies", "role": "exceptions", "reason": "a page names them" }] },
                "web_sources": [{ "title": "Replies", "url": "https://example.org/replies", "insight": "Mail is risky." }],
            }),
            synthesis: Arc::new(Mutex::new(|_: &ModelRequest| synthesis())),
            repair: json!({ "replacements": [{ "n": 1, "text": "The auditor sends the requests [@1.1]." }] }),
            judge: |_| "supported",
            web: json!({ "results": [{ "title": "Replies", "url": "https://example.org/replies", "snippet": "Mail is risky." }],
                         "queries_executed": ["confirmation"], "warnings": [] }),
        }
    }
}

impl Say {
    /// Syntheses in this order; the last again and again.
    pub fn syntheses(mut self, answers: Vec<Value>) -> Self {
        let mut at = 0;
        self.synthesis = Arc::new(Mutex::new(move |_: &ModelRequest| {
            let answer = answers[at.min(answers.len() - 1)].clone();
            at += 1;
            answer
        }));
        self
    }

    /// What a request is answered with.
    pub fn answer(&self, request: &ModelRequest) -> Value {
        match stage(request) {
            "analyze" => self.plan.clone(),
            "calibrate" => self.calibration.clone(),
            "repair" => self.repair.clone(),
            "judge" => judged(request, self.judge),
            _ => (self.synthesis.lock().unwrap())(request),
        }
    }

    pub fn provider(&self) -> ScriptedProvider {
        let say = self.clone();
        ScriptedProvider::answering(move |request| Answer::json(&say.answer(request)))
    }

    pub fn tools(&self) -> Arc<Tools> {
        let say = self.clone();
        Tools::new(move |asked| Act::Give(knowledge(asked, &say.web)))
    }

    /// Tools whose search for a single gap finds the last paragraph where `finds` says so, and nothing elsewhere.
    pub fn tools_with(&self, finds: fn(&Asked) -> bool) -> Arc<Tools> {
        let say = self.clone();
        Tools::new(move |asked| {
            let gap = asked.tool.ends_with("_gather") && asked.args["queries"].is_null();
            Act::Give(match (gap, finds(asked)) {
                (true, true) => json!({ "hits": [paragraph("9.1", TEXTS[2].1, 0.8)], "missing_targets": [] }),
                (true, false) => json!({ "hits": [], "missing_targets": [] }),
                (false, _) => knowledge(asked, &say.web),
            })
        })
    }
}

fn judged(request: &ModelRequest, judge: fn(&str) -> &'static str) -> Value {
    let pairs: Value = serde_json::from_str(&crate::world::section(request, "PAIRS").unwrap()).unwrap();
    let judgements = pairs.as_array().unwrap().iter().map(|pair| {
        let finding = judge(pair["statement"].as_str().unwrap());
        json!({ "n": pair["n"], "words": "these words", "reason": "it is so", "finding": finding })
    });
    json!({ "judgements": judgements.collect::<Vec<_>>() })
}

/// Which stage of the agent a request belongs to.
pub fn stage(request: &ModelRequest) -> &'static str {
    match &request.system {
        system if system.starts_with("You plan research") => "analyze",
        system if system.starts_with("You adjust a research plan") => "calibrate",
        system if system.starts_with("An answer to a question was checked") => "repair",
        system if system.starts_with("You check whether statements") => "judge",
        _ => "synthesize",
    }
}

pub fn plan() -> Value {
    json!({
        "original_query": QUESTION, "clarity_score": 0.64, "recommended_action": "clarify",
        "assumptions": ["The entity is listed."], "alternative_interpretations": ["Bank confirmations only."],
        "clarification_questions": ["Is the entity a bank?"], "primary_standards": ["ISA 505"],
        "sub_queries": [{ "query": "confirmation requests", "role": "primary", "target_standards": ["ISA 505"] },
                        { "query": "no reply", "role": "procedures" }],
        "depth_mode": "standard", "scope": "single-standard",
        "authority_sources": { "search_queries": ["external confirmations"] },
    })
}

pub fn synthesis() -> Value {
    json!({
        "synthesis": "## In short\n\nThe auditor sends the requests (Primer 4.12).\n\n> **Sources**\n> (Primer 4.12)\n",
        "citations": [{ "source_ref": "(Primer 4.12)", "claim": "The auditor sends them.",
                        "quote": "Confirmation requests are sent by the auditor and not by the client" }],
        "confidence": 0.9, "gaps": [], "out_of_scope": [],
    })
}

/// A synthesis whose quote does not stand in its paragraph.
pub fn wrong_synthesis() -> Value {
    let mut wrong = synthesis();
    wrong["citations"][0]["quote"] = json!("Confirmation requests are sent by the client");
    wrong
}

fn paragraph(id: &str, text: &str, score: f64) -> Value {
    json!({ "id": id, "ref": format!("(Primer {id})"), "title": "Confirmations", "path": ["Evidence", "Confirmations"],
            "tier": "primer", "source": "primer", "standards": ["ISA 505"], "text": text, "score": score })
}

/// What a small knowledge base answers.
pub fn knowledge(asked: &Asked, web: &Value) -> Value {
    match asked.tool.as_str() {
        "isa_outline" | "kb_outline" => {
            json!({ "headings": [{ "path": ["Evidence", "Confirmations"], "paragraphs": 3 }] })
        }
        "isa_web_search" | "web_search" => web.clone(),
        "isa_gather" | "kb_gather" => {
            let mut hits = vec![paragraph("4.12", TEXTS[0].1, 1.0), paragraph("4.13", TEXTS[1].1, 0.9)];
            if asked.args["hop_depth"] != json!(0) {
                hits.push(paragraph("9.1", TEXTS[2].1, 0.8));
            }
            json!({ "hits": hits, "missing_targets": [] })
        }
        "isa_citation_verify" | "kb_citation_verify" => citations(&asked.args),
        "isa_contradiction_check" | "kb_contradiction_check" => {
            json!({ "candidates": [], "score": 1.0, "missing": [], "unsupported": [] })
        }
        "isa_answer_verify" | "kb_verify_answer" => answer(&asked.args),
        _ => json!({ "results": [], "score": 1.0, "unsupported": [] }),
    }
}

/// A record for each sentence, by what its quotes are found to be.
fn answer(args: &Value) -> Value {
    let checked = &citations(args);
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let listed: Vec<answers::ListedCitation> = args["citations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| answers::ListedCitation {
            source_ref: text(one, "source_ref"),
            claim: text(one, "claim"),
            quote: text(one, "quote"),
            paragraph_id: None,
        })
        .collect();
    let sentences = answers::cited_sentences(args["synthesis"].as_str().unwrap_or_default(), &listed, &[]);
    let records: Vec<Value> = sentences
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let cited: Vec<Value> = one.citations.iter().map(|cited| json!({ "source_ref": cited.source_ref, "quote": cited.quote })).collect();
            let found = citations(&json!({ "citations": cited }));
            let held = found["verified"] == found["total"];
            let cited: Vec<Value> = found["results"].as_array().into_iter().flatten().map(|one| {
                json!({ "source_ref": one["source_ref"], "base": "primer", "generation": "g000001", "paragraph_id": one["paragraph_id"],
                        "quote": one["quote"], "verdict": one["verdict"], "method": "quoted", "reason": "" })
            }).collect();
            json!({ "n": at + 1, "sentence": one.text, "claim": one.claim, "verdict": if held { "unverified" } else { "mismatch" },
                    "proof": if held { "named_things" } else { "none" }, "method": if held { "no-model" } else { "quoted" },
                    "reason": if held { "" } else { "the quote does not stand there" }, "citations": cited })
        })
        .collect();
    let axis = |name: &str, held: &Value, checked: &Value, score: &Value| json!({ "axis": name, "held": held, "checked": checked, "score": score });
    let one = json!(1.0);
    // Statements that the program cited are left to a judge.
    let keyed = args["citations"].as_array().into_iter().flatten().any(|one| one["key"].is_string());
    let pairs: Vec<Value> = records
        .iter()
        .filter(|record| keyed && record["verdict"] == "unverified")
        .map(|record| {
            json!({ "n": record["n"], "key": record["claim"], "statement": record["claim"], "cites": [1],
                    "evidence": [{ "ref": "(Primer 4.12)", "text": TEXTS[0].1 }] })
        })
        .collect();
    json!({ "records": records, "unsupported": [], "pairs": pairs,
            "evidence": [{ "p": 1, "ref": "(Primer 4.12)", "text": TEXTS[0].1 }],
            "axes": [axis("citation", &checked["verified"], &checked["total"], &checked["score"]), axis("relation", &json!(0), &json!(0), &one)],
            "scores": { "citation": checked["score"], "entity": one, "relation": one, "contradiction": one } })
}

fn citations(args: &Value) -> Value {
    let mut results = Vec::new();
    let mut unsupported = Vec::new();
    let mut texts = Vec::new();
    for citation in args["citations"].as_array().into_iter().flatten() {
        let reference = citation["source_ref"].as_str().unwrap_or_default();
        let quote = citation["quote"].as_str().unwrap_or_default();
        let id = reference.trim_matches(['(', ')']).trim_start_matches("Primer ").to_owned();
        let text = TEXTS.iter().find(|(known, _)| *known == id).map(|(_, text)| *text);
        let verdict = match text {
            None => "missing",
            Some(text) if text.contains(quote) => "verified",
            Some(_) => "quote_mismatch",
        };
        if verdict != "verified" {
            unsupported.push(json!({ "item": reference, "reason": format!("{verdict}: {quote}") }));
        }
        if let Some(text) = text {
            texts.push(json!({ "id": id, "ref": reference, "text": text }));
        }
        results.push(json!({ "source_ref": reference, "quote": quote, "verdict": verdict, "reason": verdict,
                             "paragraph_id": id, "text": text }));
    }
    let verified = results.len() - unsupported.len();
    let score = if results.is_empty() { 1.0 } else { verified as f64 / results.len() as f64 };
    json!({ "results": results, "verified": verified, "total": results.len(), "score": score,
            "unsupported": unsupported, "source_texts": texts })
}

/// A shipped agent as the workspace loads it.
pub fn shipped(slug: &str) -> workspace::Agent {
    let folder = tempfile::TempDir::new().unwrap();
    workspace::Workspace::open(folder.path()).agent(slug).unwrap()
}

pub fn isa() -> workspace::Agent {
    shipped("isa-deep-research")
}

pub fn question() -> StartRun {
    ask(QUESTION)
}
