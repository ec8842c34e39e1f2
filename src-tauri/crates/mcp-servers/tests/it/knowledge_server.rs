//! The knowledge server over real MCP connections of both protocol eras.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;
use knowledge::{IngestOptions, Tier, ingest};
use mcp_servers::{KnowledgeServerOptions, WebResult, WebSearch, WebSearchError, serve_knowledge_on};
use pretty_assertions::assert_eq;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientConfig, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::DuplexStream;

pub(crate) type Client = RunningService<RoleClient, ClientConfig>;

const PRIMER: &str = r#"{"id":"4.1","doc":"Primer","chapter":4,"title":"What materiality is for","section":"Materiality","standards":["ISA 320"],"text":"Materiality tells the auditor how large an error may be before it matters to a reader. It shall not be set by habit alone.","refs":["4.2"]}
{"id":"4.2","doc":"Primer","chapter":4,"title":"Choosing a benchmark","section":"Materiality","standards":["ISA 320"],"text":"Many teams begin with 5 % of profit before tax, and explain why that benchmark fits the entity.","refs":["4.1"]}
{"id":"7.1","doc":"Primer","chapter":7,"title":"Fraud","section":"Fraud","standards":["ISA 240"],"text":"Management can override controls that otherwise work well, so every audit plans for it.","refs":[]}
{"id":"7.2","doc":"Primer","chapter":7,"title":"Old advice","section":"Fraud","standards":["ISA 240"],"text":"This advice has been replaced by a newer paragraph.","refs":[{"to":"7.1","kind":"moved-to"}],"withdrawn":true}
"#;

pub(crate) struct Fixture {
    pub(crate) home: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let fixture = Self { home: TempDir::new().unwrap() };
        fixture.add("primer", "(Primer {id})", PRIMER);
        fixture
    }

    pub(crate) fn add(&self, base: &str, citation: &str, rows: &str) {
        let source = self.home.path().join(format!("{base}.jsonl"));
        fs::write(&source, rows).unwrap();
        let options = IngestOptions {
            tier: Tier::Primer,
            citation: citation.into(),
            ..IngestOptions::new(self.home.path(), base, vec![source])
        };
        ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    }

    pub(crate) fn options(&self) -> KnowledgeServerOptions {
        KnowledgeServerOptions {
            home: self.home.path().to_owned(),
            default_base: "primer".into(),
            ..KnowledgeServerOptions::default()
        }
    }

    pub(crate) async fn client(&self, era: &ProtocolVersion) -> Client {
        connect(self.options(), era).await
    }
}

pub(crate) async fn connect(options: KnowledgeServerOptions, era: &ProtocolVersion) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve_knowledge_on(options, ours));
    client_on(theirs, era).await
}

pub(crate) async fn client_on(stream: DuplexStream, era: &ProtocolVersion) -> Client {
    let mode = if *era == ProtocolVersion::V_2026_07_28 {
        ClientLifecycleMode::Discover { preferred_versions: vec![era.clone()] }
    } else {
        ClientLifecycleMode::Initialize
    };
    ClientConfig::default().serve_with_lifecycle(stream, mode).await.unwrap()
}

pub(crate) fn eras() -> [ProtocolVersion; 2] {
    [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28]
}

async fn call_raw(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

pub(crate) async fn call(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let result = call_raw(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(false), "{result:?}");
    result.structured_content.unwrap()
}

async fn refused(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = call_raw(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(true), "{result:?}");
    result.content[0].as_text().unwrap().text.clone()
}

#[tokio::test]
async fn every_tool_is_listed_with_schemas_and_as_read_only_in_both_eras() {
    let fixture = Fixture::new();
    for era in eras() {
        let client = fixture.client(&era).await;
        let tools = client.list_all_tools().await.unwrap();
        assert_eq!(tools.len(), 27);
        for tool in &tools {
            assert!(tool.output_schema.is_some(), "{}", tool.name);
            assert_eq!(tool.annotations.as_ref().unwrap().read_only_hint, Some(true), "{}", tool.name);
            let takes_base = tool.input_schema["properties"].get("base").is_some();
            let bound = tool.name.starts_with("isa_") || matches!(&*tool.name, "kb_list" | "web_search");
            assert_eq!(takes_base, !bound, "{}", tool.name);
        }
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn every_result_fits_its_output_schema() {
    let fixture = Fixture::new();
    let client = fixture.client(&ProtocolVersion::V_2026_07_28).await;
    let tools = client.list_all_tools().await.unwrap();
    let citation = json!({"source_ref": "(Primer 4.2)", "quote": "begin with 5 % of profit before tax"});
    let citation_again = citation.clone();
    let calls = [
        ("isa_hybrid_search", json!({"query": "materiality benchmark", "hops": 1})),
        (
            "isa_gather",
            json!({"question": "materiality benchmark", "limit": "9",
                   "queries": [{"query": "fraud, benchmarks", "role": "primary", "target_standards": ["4.1", "99.9"]}]}),
        ),
        ("isa_hop_retrieve", json!({"paragraph_id": "4.1", "depth": "2"})),
        ("isa_format_context", json!({"paragraph_ids": ["4.1", "9.9"]})),
        ("isa_citation_verify", json!({"citations": [citation]})),
        ("isa_entity_verify", json!({"claims": [{"text": "ISA 320 asks for 5 %.", "source_refs": ["4.2"]}]})),
        (
            "isa_relation_verify",
            json!({"pairs": [{"from": "4.1", "to": "4.2"}, {"from": "4.1", "to": "0.0"}]}),
        ),
        (
            "isa_contradiction_check",
            json!({"claims": ["Materiality shall be set by habit alone"], "paragraph_ids": ["4.1"]}),
        ),
        (
            "isa_answer_verify",
            json!({"synthesis": "Benchmarks begin with 5 % (Primer 4.2). Nobody says why.", "citations": [citation_again]}),
        ),
        ("isa_paragraph", json!({"id": "Primer 4.1"})),
        ("isa_outline", json!({"query": "fraud"})),
        ("isa_standards", json!({})),
        ("kb_list", json!({})),
        ("isa_web_search", json!({"queries": ["isa 320"]})),
    ];
    for (name, arguments) in calls {
        let result = call(&client, name, arguments).await;
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        let schema = Value::Object((**tool.output_schema.as_ref().unwrap()).clone());
        let faults: Vec<String> =
            jsonschema::validator_for(&schema).unwrap().iter_errors(&result).map(|e| e.to_string()).collect();
        assert_eq!(faults, Vec::<String>::new(), "{name}: {result}");
    }
}

#[tokio::test]
async fn a_question_finds_its_paragraph_with_its_citation_form() {
    let fixture = Fixture::new();
    for era in eras() {
        let client = fixture.client(&era).await;
        let found =
            call(&client, "isa_hybrid_search", json!({"query": "how to choose a benchmark", "limit": "2"}))
                .await;
        assert_eq!(found["hits"][0]["ref"], "(Primer 4.2)");
        assert_eq!(found["hits"][0]["standards"], json!(["ISA 320"]));
        assert_eq!(found["hits"][0]["tier"], "primer");
        assert_eq!(found["generation"], "g000001");
        assert_eq!(found["hits"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn an_answer_is_recorded_sentence_by_sentence_over_the_bases_named() {
    let fixture = Fixture::new();
    fixture.add("law", "({id})", r#"{"id":"Art. 1(1)","text":"Every report is signed by a person."}"#);
    let client = fixture.client(&ProtocolVersion::V_2026_07_28).await;
    let synthesis = "## In short\n\nIt shall not be set by habit alone (Primer 4.1). Every report is signed by a person (Art. 1(1)). Teams may pick any number (Primer 4.2). Nobody says why this is so.\n";
    let citations = json!([{"source_ref": "(Primer 4.2)", "quote": "Many teams begin with 5 %"}]);
    let verdicts = |checked: &Value| -> Vec<String> {
        let records = checked["records"].as_array().unwrap();
        records.iter().map(|one| one["verdict"].as_str().unwrap().to_owned()).collect()
    };
    let arguments = json!({"synthesis": synthesis, "citations": citations, "bases": ["law"]});
    let checked = call(&client, "kb_verify_answer", arguments.clone()).await;
    assert_eq!(verdicts(&checked), ["verified", "verified", "unverified", "uncited"]);
    assert_eq!(checked["records"][2]["method"], "no-model");
    assert_eq!(checked["records"][1]["citations"][0]["base"], "law");
    assert_eq!(checked["scores"]["citation"], 1.0);
    assert_eq!(checked["verdicts"]["verified"], 2);
    assert_eq!(checked["unsupported"][0]["n"], 4);
    let bound = call(&client, "isa_answer_verify", arguments).await;
    assert_eq!(verdicts(&bound)[1], "missing", "a tool bound to one base reads no other");
    let given =
        json!({"sentences": [{"text": "Teams begin with 7 %.", "citations": [{"source_ref": "4.2"}]}]});
    let checked = call(&client, "kb_verify_answer", given).await;
    assert_eq!(verdicts(&checked), ["mismatch"]);
    assert_eq!(checked["records"][0]["method"], "named-things");
}

#[tokio::test]
async fn what_a_judge_is_shown_names_each_paragraph_once_and_a_cell_by_its_row() {
    let fixture = Fixture::new();
    fixture.add("law", "({id})", r#"{"id":"Art. 1(1)","title":"Reports","text":"Every report is signed by a person within two days. It is kept for ten years."}"#);
    let client = fixture.client(&ProtocolVersion::V_2026_07_28).await;
    let synthesis = "A person signs the report (Art. 1(1)).\n\n| what | how long |\n|---|---|\n| Report | ten years (Art. 1(1)) |\n";
    let arguments = json!({"synthesis": synthesis, "citations": [], "base": "law"});
    let checked = call(&client, "kb_verify_answer", arguments).await;
    let text = "Every report is signed by a person within two days. It is kept for ten years.";
    assert_eq!(
        checked["evidence"],
        json!([{"p": 1, "ref": "(Art. 1(1))", "heading": "Reports", "text": text}])
    );
    let pairs = checked["pairs"].as_array().unwrap();
    assert_eq!((pairs.len(), &pairs[0]["cites"], &pairs[1]["cites"]), (2, &json!([1]), &json!([1])));
    assert_eq!((&pairs[0]["row"], &pairs[1]["row"]), (&Value::Null, &json!("Report | how long")));
    assert_eq!(pairs[1]["statement"], "ten years");
    assert_ne!(pairs[0]["key"], pairs[1]["key"]);
}

#[tokio::test]
async fn citations_are_judged_one_by_one() {
    let fixture = Fixture::new();
    let client = fixture.client(&ProtocolVersion::V_2026_07_28).await;
    let checked = call(
        &client,
        "isa_citation_verify",
        json!({"citations": [
            {"source_ref": "(Primer 4.1)", "quote": "It shall not be set by habit alone."},
            {"source_ref": "(Primer 4.1)", "quote": "It shall be set by habit alone."},
            {"source_ref": "(Primer 9.9)", "quote": "It shall not be set by habit alone."},
            {"source_ref": "(Primer 7.2)", "quote": "This advice has been replaced"},
            {"source_ref": "(Primer 7.1)"},
            {"source_ref": "(Primer 7.1)", "quote": "It shall not be set by habit alone."},
        ]}),
    )
    .await;
    let verdicts: Vec<&str> =
        checked["results"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(
        verdicts,
        ["verified", "quote_mismatch", "missing", "withdrawn", "unverified", "quote_mismatch"]
    );
    assert_eq!(checked["results"][5]["also_found_in"], "4.1");
    assert_eq!(checked["verified"], 1);
    assert_eq!(checked["total"], 6);
    let (start, end) = (&checked["results"][0]["start"], &checked["results"][0]["end"]);
    let text = checked["results"][0]["text"].as_str().unwrap();
    assert_eq!(
        &text[start.as_u64().unwrap() as usize..end.as_u64().unwrap() as usize],
        "It shall not be set by habit alone"
    );
}

#[tokio::test]
async fn faults_are_tool_errors_that_say_what_to_do() {
    let fixture = Fixture::new();
    let client = fixture.client(&ProtocolVersion::V_2025_11_25).await;
    let message = refused(&client, "kb_search", json!({"query": "x", "base": "nist"})).await;
    assert_eq!(message, "there is no knowledge base 'nist'; there are: primer");
    let message = refused(&client, "kb_paragraph", json!({"id": "4.12"})).await;
    assert!(message.starts_with("there is no paragraph '4.12'; nearest: 4.1, 4.2"), "{message}");
    let message = refused(&client, "kb_search", json!({"query": "a".repeat(4_001)})).await;
    assert!(message.contains("at most 4000"), "{message}");
    let message = refused(&client, "kb_search", json!({"limit": 3})).await;
    assert!(message.contains("missing field `query`"), "{message}");
    let message = refused(&client, "kb_search", json!({"query": "x", "tier": "gospel"})).await;
    assert!(message.contains("standard, guide, document, web, primer"), "{message}");
    let many = vec![json!({"source_ref": "4.1"}); 20_001];
    let message = refused(&client, "kb_verify_citations", json!({"citations": many})).await;
    assert!(message.contains("20001 is too much, at most 20000"), "{message}");
    assert!(client.call_tool(CallToolRequestParams::new("no_such_tool")).await.is_err());
}

#[tokio::test]
async fn a_base_that_is_not_allowed_does_not_exist() {
    let fixture = Fixture::new();
    fixture.add("private", "", r#"{"id":"1.1","text":"Nobody shall read this here."}"#);
    let options = KnowledgeServerOptions { allowed: vec!["primer".into()], ..fixture.options() };
    let client = connect(options, &ProtocolVersion::V_2026_07_28).await;
    let listed = call(&client, "kb_list", json!({})).await;
    assert_eq!(listed["bases"].as_array().unwrap().len(), 1);
    let message = refused(&client, "kb_paragraph", json!({"id": "1.1", "base": "private"})).await;
    assert_eq!(message, "there is no knowledge base 'private'; there are: primer");
    // The tools bound to the default base do not look at a base that is named.
    let message = refused(&client, "isa_paragraph", json!({"id": "1.1", "base": "private"})).await;
    assert!(message.starts_with("there is no paragraph '1.1'"), "{message}");
}

#[tokio::test]
async fn attached_documents_are_asked_before_the_base_beside_which_they_are_attached() {
    let fixture = Fixture::new();
    // Its 4.2 is another paragraph than that of the primer.
    let rows = r#"{"id":"4.2","text":"Our own benchmark is 2 % of revenue."}
{"id":"8.1","text":"The materiality of this engagement was set at 40,000 euros."}"#;
    fixture.add("attached", "(File {id})", rows);
    let options = KnowledgeServerOptions {
        beside: vec!["attached@g000001".into(), String::new()],
        ..fixture.options()
    };
    let client = connect(options, &ProtocolVersion::V_2026_07_28).await;
    let gathered = call(
        &client,
        "isa_gather",
        json!({"question": "What is materiality, and which benchmark is used?", "limit": 4, "hop_depth": 0}),
    )
    .await;
    let hits: Vec<(&str, &str)> = gathered["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| (hit["base"].as_str().unwrap(), hit["id"].as_str().unwrap()))
        .collect();
    assert_eq!(hits[0].0, "attached");
    assert!(hits.contains(&("attached", "8.1")) && hits.contains(&("primer", "4.1")), "{hits:?}");
    assert!(!hits.contains(&("primer", "4.2")), "the file's paragraph of that id is the one: {hits:?}");
    assert_eq!(gathered["base"], "primer");

    let own = json!({"source_ref": "(File 4.2)", "quote": "benchmark is 2 % of revenue"});
    let other = json!({"source_ref": "(Primer 4.1)", "quote": "how large an error may be"});
    let checked = call(&client, "isa_citation_verify", json!({"citations": [own, other]})).await;
    assert_eq!((&checked["verified"], &checked["total"]), (&json!(2), &json!(2)), "{checked}");
    let synthesis = "Our own benchmark is 2 % of revenue (File 4.2). Management can override controls that otherwise work well, so every audit plans for it (Primer 7.1).";
    let answer = call(&client, "isa_answer_verify", json!({"synthesis": synthesis, "citations": []})).await;
    let bases: Vec<&str> = answer["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["citations"][0]["base"].as_str().unwrap_or_else(|| panic!("{record}")))
        .collect();
    assert_eq!(bases, ["attached", "primer"]);

    let shown = call(&client, "isa_paragraph", json!({"id": "8.1"})).await;
    assert_eq!(shown["base"], "attached");
    let shown = call(&client, "isa_format_context", json!({"paragraph_ids": ["7.1", "8.1"]})).await;
    assert_eq!(shown["paragraphs"].as_array().unwrap().len(), 2);
    let outline = call(&client, "isa_outline", json!({"query": "materiality", "limit": 4})).await;
    assert!(outline["headings"].as_array().unwrap().len() > 1, "{outline}");
    // A base that is named is asked alone.
    let named = call(&client, "kb_search", json!({"query": "materiality", "base": "primer"})).await;
    assert!(named["hits"].as_array().unwrap().iter().all(|hit| hit["base"] == "primer"), "{named}");
}

#[tokio::test]
async fn a_new_generation_is_seen_and_a_pinned_one_stays() {
    let fixture = Fixture::new();
    let client = fixture.client(&ProtocolVersion::V_2026_07_28).await;
    let pins = [("primer".to_owned(), "g000001".to_owned())].into();
    let pinned =
        connect(KnowledgeServerOptions { pins, ..fixture.options() }, &ProtocolVersion::V_2026_07_28).await;
    assert_eq!(call(&client, "isa_standards", json!({})).await["generation"], "g000001");
    fixture.add("primer", "", r#"{"id":"1.1","text":"A new edition with one paragraph."}"#);
    assert_eq!(call(&client, "isa_standards", json!({})).await["generation"], "g000002");
    assert_eq!(call(&pinned, "isa_standards", json!({})).await["generation"], "g000001");
}

struct OnePage;

#[async_trait]
impl WebSearch for OnePage {
    async fn search(&self, query: &str, _limit: usize) -> Result<Vec<WebResult>, WebSearchError> {
        if query == "down" {
            return Err(WebSearchError::Unavailable("no answer in 10 s".into()));
        }
        Ok(vec![WebResult {
            title: query.into(),
            url: "https://example.org/".into(),
            snippet: "text".into(),
            age: None,
        }])
    }
}

#[tokio::test]
async fn web_search_says_when_there_is_none_and_works_when_there_is() {
    let fixture = Fixture::new();
    let client = fixture.client(&ProtocolVersion::V_2026_07_28).await;
    let without = call(&client, "isa_web_search", json!({"queries": ["isa 320"]})).await;
    assert_eq!(without["unavailable"], "no_key");
    assert_eq!(without["results"], json!([]));
    let options = KnowledgeServerOptions { web: Some(Arc::new(OnePage)), ..fixture.options() };
    let client = connect(options, &ProtocolVersion::V_2026_07_28).await;
    let found = call(&client, "isa_web_search", json!({"queries": ["a", {"query": "down"}]})).await;
    assert_eq!(found["queries_executed"], json!(["a"]));
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    assert_eq!(found["warnings"].as_array().unwrap().len(), 1);
    assert_eq!(found.get("unavailable"), None);
    let down = call(&client, "isa_web_search", json!({"queries": ["down"]})).await;
    assert_eq!(down["unavailable"], "no_answer");
}
