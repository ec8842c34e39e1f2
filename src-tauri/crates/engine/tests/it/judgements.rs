//! A judge reads what code left open: within the check, once for each pair, and what it refuses is mended.

use engine::Exit;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::isa::{self, Say, isa, stage};
use crate::world::{World, ask_unattended, section};

fn keyed() -> Value {
    json!({
        "synthesis": "## In short\n\nThe auditor sends the requests [@1.1]. The client may send them as well [@1.1].\n",
        "gaps": [], "confidence": 0.9,
    })
}

fn judged_pairs(world: &World) -> Vec<Vec<u64>> {
    let requests = world.requests();
    let judges = requests.iter().filter(|request| stage(request) == "judge");
    judges
        .map(|request| {
            let pairs: Value = serde_json::from_str(&section(request, "PAIRS").unwrap()).unwrap();
            pairs.as_array().unwrap().iter().map(|pair| pair["n"].as_u64().unwrap()).collect()
        })
        .collect()
}

#[tokio::test]
async fn what_a_judge_refuses_is_mended_and_what_it_read_is_not_read_again() {
    let repair = json!({ "replacements": [{ "n": 2, "text": "The client does not send them [@1.1]." }] });
    let say = Say {
        repair,
        judge: |statement| if statement.contains("may") { "contradicted" } else { "supported" },
        ..Say::default().syntheses(vec![keyed()])
    };
    let mut world = World::new(say.provider(), say.tools()).await;
    let (run, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(
        judged_pairs(&world),
        [vec![1, 2], vec![2]],
        "the first statement is the same in both attempts"
    );
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("**2 statements: 2 judged supported.**"), "{markdown}");
    assert!(
        markdown.contains("The client does not send them ([Primer 4.12](#cite-1)). [~](#statement-2)"),
        "{markdown}"
    );
    let repairs: Vec<_> = world.requests().into_iter().filter(|request| stage(request) == "repair").collect();
    let statements = section(&repairs[0], "STATEMENTS").unwrap();
    assert!(statements.contains("a judge read it as contradicted: it is so"), "{statements}");
    assert!(!statements.contains("The auditor sends"), "{statements}");
}

#[tokio::test]
async fn a_judge_that_fails_leaves_statements_unverified_and_the_document_is_made() {
    let say = Say::default().syntheses(vec![keyed()]);
    let others = say.clone();
    let provider = llm::ScriptedProvider::answering(move |request| match stage(request) {
        "judge" => llm::Answer::fail(llm::Fault::BadRequest, "no such model"),
        _ => llm::Answer::json(&others.answer(request)),
    });
    let mut world = World::new(provider, say.tools()).await;
    let (run, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("**2 statements: 2 unverified.**"), "{markdown}");
    assert!(markdown.contains("2 statements were not read by the judge; they stay unverified"), "{markdown}");
}

fn with_gaps() -> Value {
    let mut answer = keyed();
    answer["gaps"] = json!(["What happens when no reply arrives", "Who pays for it"]);
    answer
}

#[tokio::test]
async fn a_gap_is_searched_for_once_more_and_what_the_base_answers_is_none() {
    let repair = json!({ "replacements": [], "filled": [{ "n": 1, "text": "The auditor follows up when no reply arrives [@1.1].", "short": "", "open": "" }] });
    let say = Say { repair, ..Say::default().syntheses(vec![with_gaps()]) };
    let tools = say.tools_with(|asked| asked.args["question"] == json!("What happens when no reply arrives"));
    let mut world = World::new(say.provider(), tools).await;
    let (run, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let markdown = world.markdown(&run).await;
    assert!(
        markdown.contains(
            "## Found in a second search\n\n### What happens when no reply arrives\n\nThe auditor follows up when no reply arrives ([Primer 9.1]"
        ),
        "{markdown}"
    );
    let short = markdown.split("## Found").next().unwrap();
    assert!(short.contains("The auditor follows up when no reply arrives ([Primer 9.1]"), "{markdown}");
    assert_eq!(markdown.matches("What happens when no reply arrives").count(), 1, "{markdown}");
    assert!(markdown.contains("Who pays for it"), "{markdown}");
    let repairs: Vec<_> = world.requests().into_iter().filter(|request| stage(request) == "repair").collect();
    assert_eq!(repairs.len(), 1);
    let gaps: Value = serde_json::from_str(&section(&repairs[0], "GAPS").unwrap()).unwrap();
    assert_eq!(gaps[1], json!({ "n": 2, "gap": "Who pays for it" }));
    assert_eq!(section(&repairs[0], "STATEMENTS"), None, "every statement held");
    assert_eq!(judged_pairs(&world), [vec![1, 2], vec![3, 4]], "what was filled is judged as well");
}

#[tokio::test]
async fn a_gap_that_the_base_does_not_answer_is_printed_and_costs_no_request() {
    let say = Say::default().syntheses(vec![with_gaps()]);
    let mut world = World::new(say.provider(), say.tools_with(|_| false)).await;
    let (run, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let markdown = world.markdown(&run).await;
    for gap in ["What happens when no reply arrives", "Who pays for it"] {
        assert!(markdown.contains(gap), "{markdown}");
    }
    assert!(world.requests().iter().all(|request| stage(request) != "repair"));
}

#[tokio::test]
async fn statements_are_judged_by_the_connection_s_judge_and_booked_at_its_price() {
    let say = Say::default().syntheses(vec![keyed()]);
    let price = llm::Price { input: 1_000.0, output: 1_000.0, ..llm::Price::default() };
    let judge = llm::ModelInfo { price, ..llm::ModelInfo::free("small", "scripted", 50_000, 4_000) };
    let mut world = World::new(say.provider().with_judge(judge), say.tools()).await;
    let (run, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    for request in world.requests() {
        assert_eq!(request.model == "small", stage(&request) == "judge", "{}", stage(&request));
    }
    let output = world.output(&run, "verify").await;
    let records = output["answer"]["records"].as_array().unwrap();
    assert!(records.iter().any(|record| record["method"] == "judge:small"), "{records:#?}");
    assert!(world.state(&run).await.cost.0 > 0, "its price counts");
}

#[tokio::test]
async fn what_a_judge_found_is_not_asked_for_again_in_a_later_run() {
    let repair = json!({ "replacements": [{ "n": 2, "text": "" }] });
    let say = Say {
        repair,
        judge: |statement| if statement.contains("may") { "contradicted" } else { "supported" },
        ..Say::default().syntheses(vec![keyed()])
    };
    let mut world = World::new(say.provider(), say.tools()).await;
    let (first, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(judged_pairs(&world), [vec![1, 2]]);
    let markdown = world.markdown(&first).await;

    let (second, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(judged_pairs(&world), [vec![1, 2]], "both pairs are known");
    assert_eq!(world.markdown(&second).await, markdown, "and what is known of them is the same");
    let records = world.output(&second, "verify").await["answer"]["records"].clone();
    assert_eq!(records[0]["verdict"], "judged_supported");

    // Another question is another matter, and so is what a deleted run had found.
    let (_, told) = world.run(isa(), ask_unattended("Who sends the requests?")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(judged_pairs(&world), [vec![1, 2], vec![1, 2]]);
    for run in [&first, &second] {
        assert!(world.store.delete_run(&run.0).await.unwrap());
    }
    let (_, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(judged_pairs(&world).len(), 3);
}

#[tokio::test]
async fn a_judge_is_shown_the_question_and_each_paragraph_once() {
    let say = Say::default().syntheses(vec![keyed()]);
    let mut world = World::new(say.provider(), say.tools()).await;
    let (_, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let requests = world.requests();
    let request = requests.iter().find(|request| stage(request) == "judge").unwrap();
    assert_eq!(section(request, "REQUEST").unwrap().trim(), isa::QUESTION);
    let evidence: Value = serde_json::from_str(&section(request, "EVIDENCE").unwrap()).unwrap();
    assert_eq!(evidence, json!([{ "p": 1, "ref": "(Primer 4.12)", "text": isa::TEXTS[0].1 }]));
    let pairs: Value = serde_json::from_str(&section(request, "PAIRS").unwrap()).unwrap();
    assert_eq!(pairs.as_array().unwrap().len(), 2);
    assert_eq!(pairs[0], json!({ "n": 1, "statement": "The auditor sends the requests.", "cites": [1] }));
}
