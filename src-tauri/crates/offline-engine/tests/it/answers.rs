//! How the offline engine answers over texts of other kinds than the primer: laws, controls, manuals.

use context::{Body, ContextParagraph, Section};
use offline_engine::OfflineEngine;
use serde_json::{Value, json};

use crate::shelf::{request, schema_of, text, value};

/// A paragraph of a made-up rule book.
fn rule(id: &str, heading: &str, text: &str) -> ContextParagraph {
    ContextParagraph {
        id: id.into(),
        reference: format!("(Rule {id})"),
        source: "Rules for Lamps".into(),
        heading: heading.into(),
        score: 1.0,
        text: text.into(),
        ..ContextParagraph::default()
    }
}

fn rules() -> Vec<ContextParagraph> {
    let items: Vec<String> = ('a'..='k')
        .map(|letter| {
            let what = if letter == 'j' {
                "dim the lantern of a ferry within three hours".to_owned()
            } else {
                format!(
                    "keep the {letter} lamp clean and note in the book of the house who cleaned it and when"
                )
            };
            format!("({letter}) {what};")
        })
        .collect();
    vec![
        rule("1.1", "Scope", "This Regulation applies to every lamp that is lit in a public place."),
        rule("2.1", "Keepers", &format!("Keepers shall: {}", items.join(" "))),
        rule(
            "3.1",
            "Retirement of lamps",
            "Before a lamp is retired:\na. Remove the oil;\nb. Return the wick; and\nc. Report the number of the lamp.",
        ),
        rule("4.1", "Oil", "The oil shall be stored for two years after the purchase of a lamp."),
        rule("4.2", "Oil", "The oil of a lamp has a colour that many people like."),
    ]
}

fn answer(question: &str, paragraphs: Vec<ContextParagraph>) -> Value {
    let sections = [
        text("REQUEST", question),
        value("SETTINGS", json!({"depth": "standard"})),
        Section::new("RULES_CONTEXT", Body::Paragraphs(paragraphs)),
    ];
    OfflineEngine::answer(&request("synthesis", &sections))
}

/// What stands under the first heading.
fn opening(answer: &Value) -> Vec<String> {
    let body = answer["synthesis"].as_str().unwrap();
    let short = body.strip_prefix("## In short\n\n").unwrap().split("\n## ").next().unwrap();
    short
        .lines()
        .take_while(|line| *line != "> **Sources**")
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_item_of_a_long_enumeration_is_quoted_with_its_lead_in() {
    let lines = opening(&answer("How soon must the lantern of a ferry be dimmed?", rules()));
    assert_eq!(lines[0], "- \u{201c}Keepers shall:\u{201d} (Rule 2.1)");
    assert_eq!(lines[1], "  - \u{201c}dim the lantern of a ferry within three hours\u{201d} (Rule 2.1)");
}

#[test]
fn a_short_enumeration_is_quoted_whole() {
    let lines = opening(&answer("What has to be done before a lamp is retired?", rules()));
    let found: Vec<&str> = lines.iter().take(4).map(String::as_str).collect();
    assert_eq!(
        found,
        [
            "- \u{201c}Before a lamp is retired:\u{201d} (Rule 3.1)",
            "  - \u{201c}a. Remove the oil\u{201d} (Rule 3.1)",
            "  - \u{201c}b. Return the wick\u{201d} (Rule 3.1)",
            "  - \u{201c}c. Report the number of the lamp.\u{201d} (Rule 3.1)",
        ]
    );
}

#[test]
fn a_text_that_names_itself_points_at_nothing_before() {
    let lines = opening(&answer("Which lamps does the Regulation apply to?", rules()));
    assert!(lines[0].contains("This Regulation applies to every lamp"), "{lines:#?}");
}

#[test]
fn a_time_is_answered_with_a_time() {
    let found = answer("How long must the oil of a lamp be stored?", rules());
    assert!(opening(&found)[0].contains("two years"), "{found:#}");
    assert!(found["confidence"].as_f64() > Some(0.5), "{found:#}");
}

#[test]
fn what_no_paragraph_speaks_of_is_said_to_be_not_found_in_the_first_line() {
    let found = answer("Which dividends do the shareholders receive?", rules());
    let lines = opening(&found);
    assert_eq!(
        lines[0],
        "> **Not found.** None of the 5 paragraphs found in Rules for Lamps answers the question. No paragraph found mentions \
         “dividends”, “shareholders” or “receive”.",
    );
    assert_eq!((&found["confidence"], &found["citations"]), (&json!(0.0), &json!([])));
    let none = answer("Which dividends do the shareholders receive?", Vec::new());
    let sought = "The search for “dividends”, “shareholders” and “receive” found no paragraph.";
    assert_eq!(opening(&none)[0], format!("> **Not found.** {sought}"));
}

#[test]
fn the_name_of_a_file_tells_what_its_paragraphs_are_about() {
    let lease = |tenant: &str, years: &str| ContextParagraph {
        reference: format!("(lease_{tenant}:p3)"),
        ..rule(tenant, "Term", &format!("The initial term of this lease is {years} years from 1 April 2024."))
    };
    let leases = vec![lease("kestrel", "three"), lease("brightwater", "ten"), lease("orchard", "five")];
    let found = answer("How long is the initial term of the lease with Brightwater?", leases);
    let lines = opening(&found);
    assert!(lines[0].contains("ten years") && !lines[0].starts_with('>'), "{found:#}");
    assert!(!found["gaps"].to_string().contains("brightwater"), "{found:#}");
}

#[test]
fn a_gap_names_a_part_of_the_question_as_it_was_asked() {
    let sections = [
        text("REQUEST", "When then?"),
        text("EARLIER_QUESTION", "Which dividends do the shareholders receive?"),
        value("SETTINGS", json!({"depth": "standard"})),
        Section::new("RULES_CONTEXT", Body::Paragraphs(rules())),
    ];
    let answer = OfflineEngine::answer(&request("synthesis", &sections));
    assert_eq!(answer["gaps"][0], "No passage was found that answers “When then?”.", "{answer:#}");
}

#[test]
fn a_word_that_no_paragraph_has_is_named_first_and_costs_confidence() {
    let whole = answer("How long must the oil of a lamp be stored?", rules());
    let part = answer("How long must the oil of a submarine be stored?", rules());
    assert_eq!(
        opening(&part)[0],
        "> **No clear answer found.** These passages are the nearest to the question. No paragraph found mentions “submarine”.",
    );
    assert!((0.01..0.4).contains(&part["confidence"].as_f64().unwrap()), "{part:#}");
    assert!(whole["confidence"].as_f64() > Some(0.4), "{whole:#}");
    assert!(!opening(&whole)[0].starts_with('>'), "{whole:#}");
}

#[test]
fn no_heading_is_a_broken_question() {
    let found = answer("How long must keepers of public lamps keep the book of the house clean?", rules());
    let body = found["synthesis"].as_str().unwrap();
    let headings: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let known = ["In short", "Scope", "Keepers", "Retirement of lamps", "Oil", "Related points"];
    assert!(headings.iter().all(|heading| known.contains(heading)), "{headings:?}");
}

/// The answer to a request with the schema of another agent.
fn answer_of(agent: &str, schema: &str, sections: &[Section]) -> Value {
    let request =
        llm::ModelRequest { schema: Some(schema_of(agent, schema)), ..request("synthesis", sections) };
    let answer = OfflineEngine::answer(&request);
    let valid = jsonschema::validator_for(request.schema.as_ref().unwrap()).unwrap().is_valid(&answer);
    assert!(valid, "{answer:#}");
    answer
}

#[test]
fn the_parts_of_research_are_done_by_rule() {
    let asked = "How is materiality set? Who reviews it? Format: table of levels";
    let split = answer_of("prompt-parser", "split", &[text("REQUEST", asked)]);
    assert_eq!(
        (&split["objective"], &split["output_specification"]),
        (&json!("How is materiality set? Who reviews it?"), &json!("Format: table of levels"))
    );

    let plan = answer_of("research-planner", "plan", &[text("OBJECTIVE", asked)]);
    let questions: Vec<&Value> =
        plan["questions"].as_array().unwrap().iter().map(|one| &one["text"]).collect();
    assert_eq!(questions, ["How is materiality set?", "Who reviews it?"]);

    let objective = text("OBJECTIVE", "How is materiality set? Who reviews it?");
    let agenda = json!([
        { "task": "x1", "capability": "fact_checking" },
        { "task": "g1", "capability": "telepathy" },
        { "task": "t1", "capability": "research" },
        { "task": "t2", "capability": "research" },
    ]);
    let agents = json!([
        { "agent": "reader", "capabilities": ["research"] },
        { "agent": "checker", "capabilities": ["research", "fact_checking"] },
    ]);
    let sections =
        [objective.clone(), value("AGENDA", agenda), value("AGENTS", agents), text("MOST_ASSIGNMENTS", "2")];
    let step = answer_of("mission-orchestrator", "decision", &sections);
    let given = json!([{ "agent": "checker", "task": "x1" }, { "agent": "reader", "task": "t1" }]);
    assert_eq!((&step["assignments"], &step["exit"]), (&given, &json!(false)));
    let step = answer_of("mission-orchestrator", "decision", std::slice::from_ref(&objective));
    assert_eq!((&step["assignments"], &step["exit"]), (&json!([]), &json!(true)));

    let claims = json!([{ "id": "c7", "text": "Materiality is set when planning.", "status": "supported" }]);
    let report = answer_of("synthesis-agent", "report", &[objective, value("CLAIMS", claims)]);
    let stated = json!([{ "text": "Materiality is set when planning.", "claims": ["c7"] }]);
    assert_eq!(report["sections"][0]["statements"], stated);
}

#[test]
fn a_report_divides_its_claims_by_what_they_answer_and_makes_the_table_that_was_asked_for() {
    let objective = text("OBJECTIVE", "What is materiality? Who reviews it? When is it set?");
    let claims = json!([
        { "id": "c1", "text": "Materiality is judged from the readers' point of view.", "answers": ["What is materiality?"] },
        {
            "id": "c2", "text": "Materiality is the size of an error that matters.", "answers": ["What is materiality?"],
            "citations": [{ "source": "Primer", "quote": "x" }, { "source": "Primer", "quote": "y" }],
        },
        { "id": "c3", "text": "The partner reviews it.", "answers": ["t2", "Who reviews it?"] },
        { "id": "c4", "text": "Costs of reviews are small.", "answers": [] },
    ]);
    let sections = [objective.clone(), value("CLAIMS", claims.clone())];
    let report = answer_of("synthesis-agent", "report", &sections);
    assert_eq!(
        report,
        answer_of("synthesis-agent", "report", &sections),
        "the same material, the same report"
    );
    let ids = |section: &Value, list: &str| -> Vec<Value> {
        let stated = section.pointer(list).and_then(Value::as_array).into_iter().flatten();
        stated.map(|one| one["claims"][0].clone()).collect()
    };
    let told = |report: &Value, list: &str| -> Vec<(String, Vec<Value>)> {
        let sections = report["sections"].as_array().unwrap();
        sections.iter().map(|one| (one["heading"].as_str().unwrap().to_owned(), ids(one, list))).collect()
    };
    let by_question = |list: &str, report: &Value| {
        let expected = [
            ("What is materiality?", vec![json!("c2"), json!("c1")]),
            ("Who reviews it?", vec![json!("c3")]),
            ("When is it set?", vec![]),
            ("What is known", vec![json!("c4")]),
        ];
        assert_eq!(told(report, list), expected.map(|(heading, ids)| (heading.to_owned(), ids)));
    };
    by_question("/statements", &report);

    let form = text("FORM", "Format: table of statements and their sources");
    let report =
        answer_of("synthesis-agent", "report", &[objective.clone(), form, value("CLAIMS", claims.clone())]);
    by_question("/table/rows", &report);
    let cells = json!(["Materiality is the size of an error that matters.", "Primer"]);
    assert_eq!(report["sections"][0]["table"]["rows"][0]["cells"], cells);

    // A section that has to be there holds what shares its words; the program names the one that nothing was found for.
    let required = text("REQUIRED_SECTIONS", "- Costs\n- Outlook");
    let report = answer_of("synthesis-agent", "report", &[objective, required, value("CLAIMS", claims)]);
    assert_eq!(told(&report, "/statements")[0], ("Costs".to_owned(), vec![json!("c4")]));
    assert!(told(&report, "/statements").iter().all(|(heading, _)| heading != "Outlook"));
}
