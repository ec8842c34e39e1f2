//! The faults of the original design: none of them may come back.

use std::time::Duration;

use engine::{Exit, ExportCheck, PausePolicy, Reply, StartRun};
use llm::{Answer, Fault, ScriptedProvider};
use pipeline::{Event, RepairEnd, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, model, render};
use crate::isa::{self, Say, isa, question, stage, synthesis, wrong_synthesis};
use crate::tools::Tools;
use crate::world::{World, ask, ask_unattended, choose, section, unattended};

async fn attended(say: Say) -> World {
    World::new(say.provider(), say.tools()).await
}

fn unattended_question() -> StartRun {
    ask_unattended(isa::QUESTION)
}

#[tokio::test]
async fn a_failed_check_repairs_the_answer_with_what_was_found() {
    let mut world = attended(Say::default().syntheses(vec![wrong_synthesis(), synthesis()])).await;
    let (run, told) = world.run(isa(), unattended_question()).await;
    assert_eq!(told.exit, Exit::Completed);
    let requests: Vec<_> =
        world.requests().into_iter().filter(|request| stage(request) == "synthesize").collect();
    assert_eq!(requests.len(), 1);
    let repair: Vec<_> = world.requests().into_iter().filter(|request| stage(request) == "repair").collect();
    assert_eq!(repair.len(), 1);
    let statements = section(&repair[0], "STATEMENTS").unwrap();
    assert!(statements.contains("The auditor sends the requests (Primer 4.12)."), "{statements}");
    assert!(statements.contains("the quote does not stand there"), "{statements}");
    let text = &repair[0].messages[0].content;
    assert!(
        text.contains("[@1.1] Confirmation requests are sent") && !text.contains("electronic mail"),
        "{text}"
    );
    let markdown = world.markdown(&run).await;
    assert!(
        !markdown.contains("best attempt") && markdown.contains("1 of 1 citation verified"),
        "{markdown}"
    );
    assert!(
        markdown.contains("The auditor sends the requests ([Primer 4.12](#cite-1)). [~](#statement-1)"),
        "{markdown}"
    );
}

#[tokio::test]
async fn a_repair_that_gains_nothing_is_the_last_and_the_best_attempt_stands_with_a_warning() {
    let say =
        Say { repair: json!({ "replacements": [] }), ..Say::default().syntheses(vec![wrong_synthesis()]) };
    let mut world = attended(say).await;
    let (run, told) = world.run(isa(), unattended_question()).await;
    assert_eq!(told.exit, Exit::Completed);
    let log = world.log(&run).await;
    let ended = log.iter().find_map(|record| match &record.event {
        Event::RepairEnded { reason, chosen, .. } => Some((*reason, *chosen)),
        _ => None,
    });
    assert_eq!(ended, Some((RepairEnd::NoGain, 0)));
    let count = |name: &str| log.iter().filter(|record| record.event.name() == name).count();
    assert_eq!(count("repair_started"), 1);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("A repair made nothing better, so no further one was made"), "{markdown}");
    assert!(markdown.contains("**1 statement: 1 not supported by the source.**"), "{markdown}");
}

#[tokio::test]
async fn usage_and_cost_add_up_over_repairs() {
    let mut world = attended(Say::default().syntheses(vec![wrong_synthesis()])).await;
    let (run, _) = world.run(isa(), unattended_question()).await;
    let state = world.state(&run).await;
    let log = world.log(&run).await;
    let usages = log.iter().filter_map(|record| match &record.event {
        Event::ModelCallCompleted { usage, .. } => Some(usage.total()),
        _ => None,
    });
    let usages: Vec<u64> = usages.collect();
    assert_eq!(usages.len(), 5, "analyze, calibrate, synthesis, repair and judge");
    assert!(usages.iter().all(|tokens| *tokens > 0));
    assert_eq!(state.usage.total(), usages.iter().sum::<u64>());
}

#[tokio::test]
async fn two_runs_of_one_session_at_the_same_time_do_not_see_each_other() {
    let provider = ScriptedProvider::answering(|request| {
        let question = section(request, "REQUEST").unwrap_or_default();
        Answer::json(&json!({ "text": format!("{} on {question}", request.system) }))
            .delay(Duration::from_millis(20))
    });
    let mut world = World::new(provider, Tools::none()).await;
    let stages = json!([model("first", json!({})), model("second", json!({})), render("second")]);
    let start = |text: &str| StartRun { session: Some("shared".into()), ..ask(text) };
    let one = world.start(agent(stages.clone(), json!({})), start("one")).await;
    let two = world.start(agent(stages.clone(), json!({})), start("two")).await;
    world.engine.wait(&one).await.unwrap();
    world.engine.wait(&two).await.unwrap();
    let three = world.start(agent(stages, json!({})), start("three")).await;
    assert_eq!(world.done(&three).await.exit, Exit::Completed);
    for (run, text) in [(&one, "one"), (&two, "two"), (&three, "three")] {
        let names = world.names(run).await;
        assert_eq!(names.iter().filter(|name| **name == "stage_completed").count(), 3, "{names:?}");
        assert_eq!(names.iter().filter(|name| **name == "model_call_completed").count(), 2);
        let markdown = world.markdown(run).await;
        assert!(markdown.contains(&format!("You are stage second. on {text}")), "{markdown}");
    }
    assert_eq!(world.requests().len(), 6);
}

#[tokio::test]
async fn the_log_is_the_only_truth_and_an_export_makes_the_same_files_again() {
    let mut world = attended(Say::default()).await;
    let (run, _) = world.run(isa(), question()).await;
    let folder = world.session_folder(&run).await;
    assert!(folder.join("data/pipeline-state.json").exists(), "exported at a pause, too");
    std::fs::remove_dir_all(&folder).unwrap();
    world.go(&run, choose("search")).await;
    std::fs::remove_dir_all(&folder).unwrap();
    let mut world = world.reopened().await;
    assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
    let files = ["data/pipeline-state.json", "data/answer.json", "plans/answer.md", "plans/answer.html"];
    let read = || files.map(|file| std::fs::read(folder.join(file)).unwrap());
    let before = read();
    assert_eq!(
        String::from_utf8(before[2].clone()).unwrap(),
        world.markdown(&run).await,
        "shown and written"
    );
    assert_eq!(String::from_utf8(before[3].clone()).unwrap(), world.document(&run).await.1);
    std::fs::remove_dir_all(&folder).unwrap();
    let world = world.reopened().await;
    let loaded = world.engine.load(&run).await.unwrap();
    assert_eq!(
        world.engine.export(loaded, ExportCheck::Rechecked).await.unwrap(),
        Some(folder.join("plans/answer.md"))
    );
    for (file, (before, after)) in files.iter().zip(before.iter().zip(read())) {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (before, after) = (text(before), text(&after));
        let other = before.lines().zip(after.lines()).find(|(one, other)| one != other);
        assert!(before == after, "{file} has other bytes: {other:?}");
    }
    let state: Value = serde_json::from_slice(&before[0]).unwrap();
    assert_eq!(
        (state["status"].as_str(), state["outputs"]["output"]["markdown"].is_string()),
        (Some("completed"), true)
    );
}

#[tokio::test]
async fn children_are_closed_and_the_end_is_told_once_on_all_four_exits() {
    let mut world = attended(Say::default()).await;
    let (run, told) = world.run(isa(), question()).await;
    assert_eq!((told.exit, world.tools.closed()), (Exit::Paused, 1));
    let told = world.go(&run, choose("skip_web")).await;
    assert_eq!((told.exit, world.tools.closed()), (Exit::Completed, 2));
    let (other, _) = world.run(isa(), question()).await;
    let told = world.go(&other, Reply { choice: Some("cancel".into()), ..Reply::default() }).await;
    assert_eq!((told.exit, world.tools.closed()), (Exit::Cancelled, 4));
    world.tools.break_source("isa-knowledge-base", "it does not start");
    let (failed, told) = world.run(isa(), question()).await;
    assert_eq!((told.exit, world.tools.closed()), (Exit::Failed, 5));
    for run in [&run, &other, &failed] {
        assert!(world.told_since(run).is_empty(), "nothing is told after the end");
    }
}

#[tokio::test]
async fn a_follow_up_keeps_what_was_found_through_both_pauses() {
    let mut world = attended(Say::default()).await;
    let (first, _) = world.run(isa(), unattended_question()).await;
    let start = StartRun {
        previous: Some(first.clone()),
        pause_at_plan: Some(true),
        ..ask("And what about electronic replies?")
    };
    let (run, _) = world.run(isa(), start).await;
    let mut world = world.reopened().await;
    world.go(&run, choose("search")).await;
    let mut world = world.reopened().await;
    assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
    let requests = world.requests();
    let last = |name: &str| requests.iter().rev().find(|request| stage(request) == name).unwrap().clone();
    let hint = section(&last("analyze"), "PRIOR_RESEARCH_CONTEXT").unwrap();
    assert!(hint.contains(isa::QUESTION) && hint.contains("The auditor sends the requests"), "{hint}");
    let prior = section(&last("synthesize"), "PRIOR_ANSWER_CONTEXT").unwrap();
    assert!(prior.contains("P1") && prior.contains("The auditor sends the requests"), "{prior}");
    let paragraphs = context::parse_sections(&last("synthesize").messages[0].content);
    let paragraphs = paragraphs.into_iter().find(|section| section.name == "ISA_CONTEXT").unwrap().paragraphs;
    assert!(
        paragraphs.iter().any(|paragraph| paragraph.reference == "(Primer 4.12)" && paragraph.used_before),
        "demoted, not removed"
    );
    let markdown = world.markdown(&run).await;
    assert!(markdown.starts_with("# Follow-up 1: And what about electronic replies?"), "{markdown}");
    let folder = world.session_folder(&run).await;
    assert_eq!(folder, world.session_folder(&first).await);
    assert!(folder.join("plans/answer.md").exists() && folder.join("plans/answer-follow-up-1.md").exists());
}

#[tokio::test]
async fn a_follow_up_without_a_subject_takes_that_of_the_question_before_it() {
    let mut world = attended(Say::default()).await;
    let (mut last, _) = world.run(isa(), unattended_question()).await;
    let both = |request: &str| format!("{} {request}", isa::QUESTION);
    let revised = both("Who approves it?");
    for (request, topic) in [
        ("when then?", isa::QUESTION),
        ("and why?", isa::QUESTION),
        ("Who approves it?", isa::QUESTION),
        ("And why?", revised.as_str()),
    ] {
        let start = StartRun { previous: Some(last.clone()), ..ask_unattended(request) };
        let (run, told) = world.run(isa(), start).await;
        assert_eq!(told.exit, Exit::Completed, "{request}");
        let requests = world.requests();
        for name in ["analyze", "synthesize"] {
            let sent = requests.iter().rev().find(|sent| stage(sent) == name).unwrap();
            assert_eq!(section(sent, "REQUEST").as_deref(), Some(request));
            assert_eq!(section(sent, "EARLIER_QUESTION").as_deref(), Some(topic), "{request} {name}");
        }
        let calls = world.tools.asked();
        for (tool, field) in [("isa_outline", "query"), ("isa_gather", "question")] {
            let call = calls.iter().rev().find(|call| call.tool == tool).unwrap();
            assert_eq!(call.args[field], format!("{topic} {request}"), "{tool}");
        }
        last = run;
    }
    let start = StartRun { previous: Some(last), ..ask_unattended("What is a going concern?") };
    world.run(isa(), start).await;
    let sent = world.requests().into_iter().rev().find(|sent| stage(sent) == "analyze").unwrap();
    assert_eq!(section(&sent, "EARLIER_QUESTION"), None, "a question with a subject of its own stands alone");
}

#[tokio::test]
async fn a_follow_up_of_nothing_is_a_normal_run_with_a_warning() {
    let mut world = attended(Say::default()).await;
    let (paused, _) = world.run(isa(), question()).await;
    for previous in [paused.0.as_str(), "run-none"] {
        let start = StartRun { previous: Some(domain::RunId(previous.to_owned())), ..unattended_question() };
        let (run, told) = world.run(isa(), start).await;
        assert_eq!(told.exit, Exit::Completed);
        let markdown = world.markdown(&run).await;
        assert!(markdown.contains("earlier answer"), "{markdown}");
    }
}

#[tokio::test]
async fn the_second_pause_claims_only_what_the_searches_did() {
    let calibrated = Say::default();
    let mut confirmed = Say::default();
    confirmed.calibration["intent_changes"] = json!({});
    let nothing =
        Say { web: json!({ "results": [], "queries_executed": ["q"], "warnings": [] }), ..Say::default() };
    let unavailable = json!({ "results": [], "queries_executed": [], "warnings": ["no key is set"], "unavailable": "no_key" });
    let unavailable = Say { web: unavailable, ..Say::default() };
    for (say, label, calls) in [
        (calibrated, "- Plan changed", 1),
        (confirmed, "- Plan unchanged", 1),
        (nothing, "- Nothing found", 0),
        (unavailable, "- No search possible", 0),
    ] {
        let mut world = attended(say).await;
        let (run, _) = world.run(isa(), question()).await;
        let told = world.go(&run, choose("search")).await;
        let shown = told.form().markdown.clone();
        for other in ["- Plan changed", "- Plan unchanged", "- Nothing found", "- No search possible"] {
            assert_eq!(shown.contains(other), other == label, "{label}: {shown}");
        }
        let made = world.requests().iter().filter(|request| stage(request) == "calibrate").count();
        assert_eq!(made, calls, "{label}: no results, no model call");
        if label == "- No search possible" {
            assert!(shown.contains("no key is set"), "{shown}");
        }
        assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
        let markdown = world.markdown(&run).await;
        assert_eq!(markdown.contains("External References"), calls == 1, "{label}: {markdown}");
    }
}

#[tokio::test]
async fn cut_json_is_never_the_message_of_a_pause() {
    let cut = r#"{"clarity_score": 0.6, "sub_queries": [{"query": "confirmation requ"#;
    let provider = ScriptedProvider::answering(move |_| Answer::text(cut).truncated());
    let mut world = World::new(provider, Tools::none()).await;
    let mut stage =
        model("plan", json!({ "pause": {}, "display": { "header": "Plan", "requires": "clarity_score" } }));
    stage.as_object_mut().unwrap().remove("outputSchema");
    let stages = json!([stage, render("plan")]);
    let (_, told) = world.run(agent(stages, json!({ "/pauseAfterStages": ["plan"] })), ask("q")).await;
    assert_eq!(told.exit, Exit::Paused);
    let shown = &told.form().markdown;
    let before_the_data = shown.split("<details").next().unwrap();
    assert!(!before_the_data.contains("{\"clarity_score"), "{shown}");
}

#[tokio::test]
async fn what_a_cut_stream_used_is_counted() {
    let mut first = true;
    let provider = ScriptedProvider::answering(move |_| {
        let answer = Answer::json(&json!({ "text": "word ".repeat(200) })).chunks(10);
        if std::mem::take(&mut first) { answer.cut_after(5) } else { answer }
    });
    let mut world = World::new(provider, Tools::none()).await;
    let (run, told) =
        world.run(agent(json!([model("only", json!({})), render("only")]), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    let log = world.log(&run).await;
    let cut = log.iter().find_map(|record| match &record.event {
        Event::ModelCallFailed { usage, .. } => Some(*usage),
        _ => None,
    });
    let cut = cut.unwrap();
    assert!(cut.input > 0 && cut.output > 0, "{cut:?}");
    let state = world.state(&run).await;
    assert!(state.usage.total() > cut.total());
}

#[tokio::test]
async fn a_provider_that_reports_nothing_is_estimated_and_one_that_reports_is_believed() {
    let reported = domain::Usage { input: 77, output: 11, cache_read: 5, ..Default::default() };
    let provider =
        ScriptedProvider::answering(move |_| Answer::json(&json!({ "text": "a" })).usage(reported));
    let mut world = World::new(provider, Tools::none()).await;
    let stages = json!([model("a", json!({})), model("b", json!({})), render("b")]);
    let (run, told) = world.run(agent(stages, json!({})), ask("q")).await;
    assert_eq!(world.state(&run).await.usage.total(), 2 * reported.total());
    let metered = told.kinds.iter().rev().find_map(|kind| match kind {
        engine::UiKind::Meter { usage, .. } => Some(usage.total()),
        _ => None,
    });
    assert_eq!(metered, Some(2 * reported.total()));
}

#[tokio::test]
async fn a_repair_that_itself_fails_leaves_the_attempt_before_it() {
    let mut calls = 0;
    let provider = ScriptedProvider::answering(move |request| match stage(request) {
        "analyze" => Answer::json(&isa::plan()),
        "calibrate" => Answer::json(&Say::default().calibration),
        _ => {
            calls += 1;
            if calls == 1 {
                Answer::json(&wrong_synthesis())
            } else {
                Answer::fail(Fault::Quota, "no credit")
            }
        }
    });
    let mut world = World::new(provider, Say::default().tools()).await;
    let (run, told) = world.run(isa(), unattended_question()).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("A repair failed; the best attempt before it is shown."), "{markdown}");
}

#[tokio::test]
async fn the_second_shipped_agent_runs_on_the_same_engine() {
    let provider = ScriptedProvider::answering(|request| {
        Answer::json(&if request.system.contains("You plan") || request.system.contains("plan research") {
            isa::plan()
        } else {
            synthesis()
        })
    });
    let mut world = World::new(provider, Say::default().tools()).await;
    let agent = isa::shipped("standards-research");
    let (run, mut told) = world.run(agent, question()).await;
    let mut stops = 0;
    while told.exit == Exit::Paused {
        stops += 1;
        told = world.go(&run, Reply::default()).await;
    }
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert!(stops >= 1, "it pauses too");
}

#[tokio::test]
async fn the_second_shipped_agent_searches_the_web_where_it_is_told_to_and_only_there() {
    for (choice, searches) in [("proceed", 0), ("search", 1)] {
        let mut world = attended(Say::default()).await;
        let (run, told) = world.run(isa::shipped("standards-research"), question()).await;
        let ids: Vec<&str> = told.form().choices.iter().map(|choice| choice.id.as_str()).collect();
        assert_eq!(ids, ["proceed", "search", "amend", "cancel"]);
        let told = world.go(&run, choose(choice)).await;
        assert_eq!(told.exit, Exit::Completed, "{choice}: {:?}", told.problem);
        assert_eq!(world.tools.count("web_search"), searches, "{choice}");
        let markdown = world.markdown(&run).await;
        assert_eq!(markdown.contains("https://example.org/replies"), searches > 0, "{choice}: {markdown}");
        assert!(!markdown.contains("Stages that did not run"), "{choice}: {markdown}");
    }
}

#[tokio::test]
async fn without_a_web_search_the_second_shipped_agent_offers_none() {
    let say = Say::default();
    let tools = say.tools();
    tools.no_web.store(true, std::sync::atomic::Ordering::SeqCst);
    let mut world = World::new(say.provider(), tools).await;
    let (run, told) = world.run(isa::shipped("standards-research"), question()).await;
    assert!(told.form().choices.iter().all(|choice| choice.id != "search"), "{:?}", told.form());
    assert_eq!(world.go(&run, Reply::default()).await.exit, Exit::Completed);
    assert_eq!(world.tools.count("web_search"), 0);
}

#[tokio::test]
async fn a_finished_run_refuses_what_it_can_no_longer_do() {
    let mut world = attended(Say::default()).await;
    let (run, _) = world.run(isa(), unattended_question()).await;
    let names = world.names(&run).await;
    assert!(world.engine.resume(&run, unattended()).await.is_err());
    assert!(world.engine.cancel(&run).await.is_err());
    assert!(world.engine.guide(&run, "more".into()).await.is_err());
    assert!(world.engine.answer(&run, None, choose("search"), PausePolicy::default()).await.is_err());
    assert_eq!(world.names(&run).await, names);
    assert_eq!(world.state(&run).await.status(), Status::Completed);
}
