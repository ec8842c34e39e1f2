//! Pauses: what they show, how they are answered, and what their answers do.

use std::collections::BTreeMap;

use domain::ErrorCode;
use engine::{Answered, Exit, ListPiece, Reply};
use pipeline::{Event, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, render, tools};
use crate::isa::{Say, isa, plan, question, stage};
use crate::tools::Tools;
use crate::world::{World, ask, ask_unattended, choose, refused, say, section};

async fn world() -> World {
    let say = Say::default();
    World::new(say.provider(), say.tools()).await
}

fn asked(world: &World, name: &str) -> Vec<llm::ModelRequest> {
    world.requests().into_iter().filter(|request| stage(request) == name).collect()
}

#[tokio::test]
async fn a_run_stops_at_both_pauses_and_ends_with_a_document() {
    let mut world = world().await;
    let (run, told) = world.run(isa(), question()).await;
    assert_eq!(told.exit, Exit::Paused);
    assert!(told.form().markdown.starts_with("**Research plan** - Clarity: 64% (below 70% threshold)"));
    assert_eq!(told.form().questions, ["Is the entity a bank?"]);
    let told = world.go(&run, choose("search")).await;
    assert_eq!(told.exit, Exit::Paused);
    assert!(told.form().markdown.contains("Plan changed"), "{}", told.form().markdown);
    let told = world.go(&run, choose("proceed")).await;
    assert_eq!((told.exit, told.problem.clone(), told.dones()), (Exit::Completed, None, 1));
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("The auditor sends the requests"), "{markdown}");
}

#[tokio::test]
async fn a_pause_is_answered_once_and_a_second_answer_learns_what_the_first_decided() {
    let mut world = world().await;
    let (run, told) = world.run(isa(), question()).await;
    let pause = told.form().pause.clone();
    world.go(&run, choose("search")).await;
    let problem = refused(world.answer_to(&run, &pause, choose("skip_web")).await, ErrorCode::Conflict);
    assert!(problem.message.contains("already answered by a person with \"search\""), "{problem}");
    assert_eq!(asked(&world, "calibrate").len(), 1);
    assert_eq!(world.state(&run).await.status(), Status::Paused);
}

#[tokio::test]
async fn no_and_questions_leave_the_pause_open_and_say_what_each_choice_does() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let before = world.names(&run).await.len();
    for text in ["no", "No.", "why?", "what will this change?", "stop"] {
        let answered = world.answer(&run, say(text)).await.unwrap();
        let Answered::StillOpen { message, .. } = answered else { panic!("{text:?} decided something") };
        assert!(message.starts_with("Nothing was decided") && !message.contains("skip_web"), "{message}");
        assert!(message.contains("Searches the web to calibrate"), "{message}");
        assert_eq!(world.done(&run).await.exit, Exit::Paused);
    }
    assert_eq!(world.names(&run).await.len(), before, "a question adds nothing to the log");
    assert_eq!(world.go(&run, choose("search")).await.exit, Exit::Paused);
}

#[tokio::test]
async fn a_depth_a_plan_and_a_bad_edit() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let mut edit = plan();
    edit["sub_queries"] = json!([{ "role": "primary" }]);
    let bad = Reply { choice: Some("search".into()), edit: Some(edit), ..Reply::default() };
    let before = world.log(&run).await;
    let problem = refused(world.answer(&run, bad).await, ErrorCode::InvalidInput);
    assert!(problem.message.contains("/sub_queries/0"), "{problem}");
    assert_eq!(world.done(&run).await.exit, Exit::Paused);
    assert_eq!(world.log(&run).await, before, "a refused edit changes nothing");
    let mut edit = plan();
    edit["sub_queries"] = json!([{ "query": "replies that were edited in", "role": "primary" }]);
    let good = Reply { choice: Some("search".into()), edit: Some(edit.clone()), ..Reply::default() };
    world.go(&run, good).await;
    let shown = section(&asked(&world, "calibrate")[0], "QUERY_PLAN").unwrap();
    assert!(shown.contains("replies that were edited in"), "{shown}");
    assert_eq!(world.output(&run, "analyze_query").await, edit);
    let log = world.log(&run).await;
    let original = log.iter().find_map(|record| match &record.event {
        Event::StageCompleted { output, .. } => Some(*output),
        _ => None,
    });
    assert_eq!(world.blob(original.unwrap()).await, plan(), "the original stays in the log");
}

#[tokio::test]
async fn a_blank_query_and_an_answer_beyond_all_measure_are_refused_and_the_pause_stays_open() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let before = world.log(&run).await;
    let mut edit = plan();
    edit["sub_queries"] = json!([{ "query": "  \u{a0}", "role": "primary" }]);
    let mut huge = plan();
    huge["assumptions"] = json!(["x".repeat(2 << 20)]);
    let amend = || Reply { choice: Some("amend".into()), ..Reply::default() };
    let question = ("Is the entity a bank?".to_owned(), "y".repeat(100_001));
    for (reply, named) in [
        (
            Reply { choice: Some("search".into()), edit: Some(edit), ..Reply::default() },
            "/sub_queries/0/query",
        ),
        (Reply { choice: Some("search".into()), edit: Some(huge), ..Reply::default() }, "the edits"),
        (Reply { text: Some("ü".repeat(50_001)), ..amend() }, "the words of the answer have 100002 bytes"),
        (Reply { answers: [question].into(), ..amend() }, "the words"),
    ] {
        let problem = refused(world.answer(&run, reply).await, ErrorCode::InvalidInput);
        assert!(problem.message.contains(named) && problem.action.is_some(), "{problem}");
        assert_eq!(world.done(&run).await.exit, Exit::Paused);
    }
    assert_eq!(world.log(&run).await, before, "nothing of them is in the log");
    assert_eq!(world.go(&run, choose("skip_web")).await.exit, Exit::Completed);
}

#[tokio::test]
async fn an_amendment_runs_the_stage_again_with_the_words_and_the_second_pause_still_comes() {
    let mut world = world().await;
    let (run, first) = world.run(isa(), question()).await;
    let refusal = world
        .answer(&run, Reply { choice: Some("amend".into()), edit: Some(plan()), ..Reply::default() })
        .await;
    refused(refusal, ErrorCode::InvalidInput);
    world.done(&run).await;
    assert!(!world.names(&run).await.contains(&"edited"), "an amendment without words changes nothing");
    let told = world
        .go(&run, Reply { choice: Some("amend".into()), text: Some("banks only".into()), ..Reply::default() })
        .await;
    assert_eq!(told.exit, Exit::Paused);
    assert_ne!(told.form().pause, first.form().pause);
    assert_eq!(told.form().stage, first.form().stage);
    assert!(section(&asked(&world, "analyze")[1], "AMEND_FEEDBACK").unwrap().contains("banks only"));
    let told = world.go(&run, choose("search")).await;
    assert_eq!(told.form().stage.as_str(), "1", "the second pause comes after an amendment, too");
    let told = world
        .go(&run, Reply { choice: Some("amend".into()), text: Some("fewer".into()), ..Reply::default() })
        .await;
    assert_eq!(told.form().stage.as_str(), "1");
    assert!(section(&asked(&world, "calibrate")[1], "AMEND_FEEDBACK").unwrap().contains("fewer"));
    assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
}

#[tokio::test]
async fn answers_to_questions_plan_again_once_without_another_pause() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let answers = [("Is the entity a bank?".to_owned(), "Yes, a savings bank".to_owned())].into();
    let told = world.go(&run, Reply { choice: Some("search".into()), answers, ..Reply::default() }).await;
    assert_eq!(told.form().stage.as_str(), "1");
    let planned = asked(&world, "analyze");
    assert_eq!(planned.len(), 2);
    assert!(section(&planned[1], "USER_ANSWERS").unwrap().contains("A: Yes, a savings bank"));
    assert_eq!(world.go(&run, say("please be brief")).await.exit, Exit::Completed);
    let last = asked(&world, "synthesize").pop().unwrap();
    let answers = section(&last, "USER_ANSWERS").unwrap();
    assert!(answers.contains("savings bank") && answers.contains("please be brief"), "{answers}");
    assert_eq!(asked(&world, "analyze").len(), 2, "once");
}

#[tokio::test]
async fn skipping_the_web_skips_that_stage_alone_and_there_is_no_second_pause() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let told = world.go(&run, say("no web search please")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!((world.tools.count("isa_web_search"), world.tools.count("isa_gather")), (0, 1));
    assert_eq!(asked(&world, "calibrate").len(), 0);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("Calibrate") && markdown.contains("left out by the person"), "{markdown}");
    assert!(!markdown.contains("Plan changed") && !markdown.contains("External References"));
}

#[tokio::test]
async fn a_consent_is_no_content_and_what_names_no_choice_takes_none_that_acts_outside() {
    for text in ["continue now", "please do not cancel, go ahead"] {
        let mut world = world().await;
        let (run, _) = world.run(isa(), question()).await;
        let told = world.go(&run, say(text)).await;
        assert_eq!((told.exit, told.form().stage.as_str()), (Exit::Paused, "1"), "{text}");
        assert_eq!((asked(&world, "analyze").len(), asked(&world, "calibrate").len()), (1, 1), "{text}");
    }
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    for (text, rest) in [("3", None), ("maybe search the web", None), ("banks only", Some("banks only"))] {
        let answered = world.answer(&run, say(text)).await.unwrap();
        let Answered::StillOpen { message, words } = answered else { panic!("{text:?} decided something") };
        assert!(message.contains("has to be meant"), "{message}");
        assert_eq!(words.as_deref(), rest, "{text}");
        assert_eq!(world.done(&run).await.exit, Exit::Paused);
    }
    let against = Reply { text: Some("no web search, please".into()), ..choose("search") };
    assert!(matches!(world.answer(&run, against).await.unwrap(), Answered::StillOpen { .. }));
    world.done(&run).await;
    let told = world.go(&run, say("Please don’t search the web, and mind the small entities")).await;
    assert_eq!((told.exit, world.tools.count("isa_web_search")), (Exit::Completed, 0));
    let again = asked(&world, "analyze").pop().unwrap();
    let answers = section(&again, "USER_ANSWERS").unwrap();
    assert!(answers.contains("mind the small entities") && !answers.contains("web"), "{answers}");
}

#[tokio::test]
async fn where_nobody_is_there_unclear_words_take_what_does_least_and_a_refusal_takes_nothing() {
    let unattended = |text: &str| {
        let mut start = question();
        start.attend.replies = vec![say(text)];
        start
    };
    let mut world = world().await;
    let (run, told) = world.run(isa(), unattended("banks only")).await;
    assert_eq!((told.exit, world.tools.count("isa_web_search")), (Exit::Completed, 0));
    let decision = world.log(&run).await.into_iter().find_map(|record| match record.event {
        Event::Resumed { decision, .. } => Some(decision),
        _ => None,
    });
    let decision = decision.unwrap();
    assert_eq!((decision.choice.as_str(), decision.text.as_deref()), ("skip_web", Some("banks only")));
    assert!(decision.because.unwrap().contains("Nobody could be asked"));
    let (_, told) = world.run(isa(), unattended("don't go on yet")).await;
    assert_eq!(told.exit, Exit::Paused);
}

#[tokio::test]
async fn pauses_happen_and_are_recorded_when_nobody_attends() {
    let mut world = world().await;
    let (run, told) = world.run(isa(), crate::world::ask_unattended(crate::isa::QUESTION)).await;
    assert_eq!((told.exit, told.dones()), (Exit::Completed, 1));
    let log = world.log(&run).await;
    let decisions = log.iter().filter_map(|record| match &record.event {
        Event::Resumed { decision, .. } => Some((decision.choice.as_str(), decision.unattended)),
        _ => None,
    });
    assert_eq!(decisions.collect::<Vec<_>>(), [("search", true), ("proceed", true)]);
    let names = world.names(&run).await;
    assert_eq!(names.iter().filter(|name| **name == "pause_formatted").count(), 2);
}

#[tokio::test]
async fn a_list_of_more_than_a_megabyte_is_edited_as_a_whole_and_row_by_row() {
    let rows: Vec<Value> =
        (0..3_000).map(|at| json!({ "fact": format!("{at}: {}", "x".repeat(400)) })).collect();
    let schema = json!({ "type": "object", "required": ["facts"], "properties": { "facts": {
        "type": "array", "maxItems": 20_000,
        "items": { "type": "object", "properties": { "fact": { "type": "string" } } },
    } } });
    let sheet = json!({ "output": { "text": "a sheet", "facts": rows }, "outputSchema": schema, "pause": { "editable": true } });
    let stages = json!([tools("sheet", json!([]), sheet), render("sheet")]);
    let big = || agent(stages.clone(), json!({ "/pauseAfterStages": ["sheet"] }));
    let mut edited = rows.clone();
    edited[7]["fact"] = json!("seven");
    edited.remove(8);
    let kept = |first, count| ListPiece::Kept { first, count };
    let row = ListPiece::Row { row: json!({ "fact": "seven" }) };
    let pieces = |last| BTreeMap::from([("facts".to_owned(), vec![kept(0, 7), row.clone(), kept(9, last)])]);
    for reply in [
        Reply { edit: Some(json!({ "text": "a sheet", "facts": edited })), ..choose("proceed") },
        Reply { lists: pieces(2_991), ..choose("proceed") },
    ] {
        let mut world = World::new(llm::ScriptedProvider::queue([]), Tools::none()).await;
        let (run, _) = world.run(big(), ask("q")).await;
        // More than it edits and a megabyte, and rows that are not there.
        let both = [&edited[..], &rows[..]].concat();
        let doubled = Reply { edit: Some(json!({ "text": "a sheet", "facts": both })), ..choose("proceed") };
        for bad in [doubled, Reply { lists: pieces(2_992), ..choose("proceed") }] {
            refused(world.answer(&run, bad).await, ErrorCode::InvalidInput);
            assert_eq!(world.done(&run).await.exit, Exit::Paused);
        }
        assert_eq!(world.go(&run, reply).await.exit, Exit::Completed);
        assert!(world.output(&run, "sheet").await["facts"] == json!(edited));
    }
}

#[tokio::test]
async fn later_stages_see_what_was_decided_at_a_pause_and_when() {
    let signed = || {
        let sheet =
            json!({ "output": { "text": "a sheet" }, "pause": { "questions": "['Who signs the sheet?']" } });
        let stages = json!([
            tools("sheet", json!([]), sheet),
            tools("after", json!([]), json!({ "output": { "decided": "{{ decisions.sheet }}" } })),
            render("sheet"),
        ]);
        agent(stages, json!({ "/pauseAfterStages": ["sheet"] }))
    };
    let mut world = World::new(llm::ScriptedProvider::queue([]), Tools::none()).await;
    let (run, told) = world.run(signed(), ask("q")).await;
    assert_eq!(told.exit, Exit::Paused);
    let answers = [("1".to_owned(), "Jane Doe".to_owned())].into();
    let told = world.go(&run, Reply { choice: Some("proceed".into()), answers, ..Reply::default() }).await;
    assert_eq!((told.exit, told.problem.clone()), (Exit::Completed, None));
    let decided = world.output(&run, "after").await["decided"].clone();
    assert_eq!(decided["answers"], json!({ "Who signs the sheet?": "Jane Doe" }));
    assert_eq!((&decided["choice"], &decided["unattended"]), (&json!("proceed"), &json!(null)));
    // It is the recorded time: computed again, which every run of these tests is, the output stays the same.
    let taken = world.log(&run).await.into_iter().find_map(|record| match record.event {
        Event::Resumed { decision, .. } => decision.at,
        _ => None,
    });
    assert_eq!(decided["at"].as_str().map(str::to_owned), taken);
    assert!(taken.unwrap().ends_with('Z'));

    let (run, _) = world.run(signed(), ask_unattended("q")).await;
    assert_eq!(world.output(&run, "after").await["decided"]["unattended"], json!(true));
}

#[tokio::test]
async fn a_depth_chosen_at_the_pause_holds_from_there_on() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let bad = Reply { choice: Some("search".into()), depth: Some("bottomless".into()), ..Reply::default() };
    refused(world.answer(&run, bad).await, ErrorCode::InvalidInput);
    world.done(&run).await;
    let told = world
        .go(&run, Reply { choice: Some("search".into()), depth: Some("quick".into()), ..Reply::default() })
        .await;
    assert_eq!(told.exit, Exit::Completed, "the stage that the depth disables does not pause");
    assert_eq!(world.tools.count("isa_web_search"), 0);
    let gathered = world.tools.asked().into_iter().find(|asked| asked.tool == "isa_gather").unwrap();
    assert_eq!(gathered.args["hop_depth"], 0, "no links are followed");
    assert!(section(&asked(&world, "synthesize")[0], "SETTINGS").unwrap().contains("quick"));
    assert!(world.markdown(&run).await.contains("this depth makes no web search"));
}

#[tokio::test]
async fn an_answer_given_while_the_run_is_just_leaving_the_engine_is_not_lost() {
    let mut world = world().await;
    let run = world.start(isa(), question()).await;
    for choice in ["search", "proceed"] {
        // The pause is told before the run has left the engine.
        while !matches!(world.next(&run).await, engine::UiKind::Pause { .. }) {}
        assert!(matches!(world.answer(&run, choose(choice)).await.unwrap(), Answered::Accepted { .. }));
    }
    while world.state(&run).await.status() != Status::Completed {
        world.next(&run).await;
    }
}

#[tokio::test]
async fn two_answers_at_once_are_taken_once() {
    let mut world = world().await;
    let (run, told) = world.run(isa(), question()).await;
    let pause = told.form().pause.clone();
    let (one, other) = tokio::join!(
        world.answer_to(&run, &pause, choose("search")),
        world.answer_to(&run, &pause, choose("skip_web"))
    );
    let (taken, refusal) = if one.is_ok() { (one, other) } else { (other, one) };
    assert!(matches!(taken, Ok(Answered::Accepted { .. })));
    assert!(refused(refusal, ErrorCode::Conflict).message.contains("already answered"));
}

#[tokio::test]
async fn a_run_that_waits_is_cancelled_by_the_exact_word_or_from_outside() {
    for outside in [false, true] {
        let mut world = world().await;
        let (run, _) = world.run(isa(), question()).await;
        if outside {
            world.engine.cancel(&run).await.unwrap();
        } else {
            world.answer(&run, say(" CANCEL ")).await.unwrap();
        }
        let told = world.done(&run).await;
        assert_eq!((told.exit, told.dones()), (Exit::Cancelled, 1));
        assert!(world.names(&run).await.ends_with(&["run_cancelled"]));
        let folder = world.session_folder(&run).await;
        assert!(folder.join("data/pipeline-state.json").exists() && !folder.join("plans").exists());
    }
}

#[tokio::test]
async fn replies_given_beforehand_are_used_in_order_and_a_wrong_one_loses_nothing() {
    let mut world = world().await;
    let attend =
        engine::PausePolicy { replies: vec![say("banks only"), choose("proceed")], unattended: false };
    let (_, told) = world.run(isa(), engine::StartRun { attend, ..question() }).await;
    assert_eq!(told.exit, Exit::Completed);
    let mut world = World::new(Say::default().provider(), Say::default().tools()).await;
    let attend = engine::PausePolicy { replies: vec![choose("nonsense")], unattended: true };
    let (run, told) = world.run(isa(), engine::StartRun { attend, ..question() }).await;
    assert_eq!(told.exit, Exit::Failed);
    let problem = told.problem.unwrap();
    assert!(problem.message.contains("no choice \"nonsense\" here; there are search, skip_web"), "{problem}");
    assert_eq!((world.state(&run).await.status(), asked(&world, "analyze").len()), (Status::Paused, 1));
    assert_eq!(world.go(&run, choose("search")).await.exit, Exit::Paused);
    assert_eq!(asked(&world, "analyze").len(), 1, "what was paid before the wrong reply is kept");
}

#[tokio::test]
async fn an_edited_plan_survives_words_in_the_same_answer_at_both_pauses() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let mut edit = plan();
    edit["sub_queries"] = json!([{ "query": "replies that were edited in" }]);
    let answers = [("1".to_owned(), "Yes, a savings bank".to_owned())].into();
    let text = Some("banks only".to_owned());
    let reply =
        Reply { choice: Some("search".into()), edit: Some(edit.clone()), answers, text, ..Reply::default() };
    let told = world.go(&run, reply).await;
    assert_eq!(
        (told.form().stage.as_str(), asked(&world, "analyze").len()),
        ("1", 1),
        "nothing is planned again"
    );
    edit["sub_queries"][0]["role"] = json!("supporting");
    assert_eq!(world.output(&run, "analyze_query").await, edit, "with the role that an added query has");
    let shown = section(&asked(&world, "calibrate")[0], "USER_ANSWERS").unwrap();
    assert!(shown.contains("A: Yes, a savings bank") && shown.contains("banks only"), "{shown}");

    let mut output = world.output(&run, "websearch_calibration").await;
    let before = world.log(&run).await;
    for (queries, why) in
        [(json!([]), "/queries"), (json!([{ "role": "primary" }]), "/queries/0"), (json!(null), "/queries")]
    {
        output["queries"] = queries;
        let reply = Reply { choice: Some("proceed".into()), edit: Some(output.clone()), ..Reply::default() };
        let problem = refused(world.answer(&run, reply).await, ErrorCode::InvalidInput);
        assert!(problem.message.contains(why), "{problem}");
        world.done(&run).await;
    }
    output.as_object_mut().unwrap().remove("queries");
    let reply = Reply { choice: Some("proceed".into()), edit: Some(output.clone()), ..Reply::default() };
    refused(world.answer(&run, reply).await, ErrorCode::InvalidInput);
    world.done(&run).await;
    assert_eq!(world.log(&run).await, before, "refused edits change nothing");
    output["queries"] = json!([{ "query": "the last word", "role": "primary" }]);
    let text = Some("and be brief".to_owned());
    let reply = Reply { choice: Some("proceed".into()), edit: Some(output), text, ..Reply::default() };
    assert_eq!(world.go(&run, reply).await.exit, Exit::Completed);
    let gathered = world.tools.asked().into_iter().find(|asked| asked.tool == "isa_gather").unwrap();
    assert_eq!(gathered.args["queries"], json!([{ "query": "the last word", "role": "primary" }]));
    let shown = section(&asked(&world, "synthesize")[0], "USER_ANSWERS").unwrap();
    assert!(shown.contains("and be brief"), "{shown}");
}

#[tokio::test]
async fn an_edit_that_changes_nothing_leaves_answers_their_effect() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let text = Some("banks only".to_owned());
    world
        .go(&run, Reply { choice: Some("search".into()), edit: Some(plan()), text, ..Reply::default() })
        .await;
    assert_eq!(asked(&world, "analyze").len(), 2);
    assert!(!world.names(&run).await.contains(&"edited"));
}

#[tokio::test]
async fn a_question_is_answered_with_what_the_stage_found() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let Answered::StillOpen { message, .. } = world.answer(&run, say("Why is reply a query?")).await.unwrap()
    else {
        panic!("a question decided something")
    };
    let (first, rest) = message.split_once("**Clarity: 64%**").unwrap();
    assert!(first.contains("no reply") && !first.contains("confirmation requests"), "{first}");
    for said in
        ["below 70%", "The entity is listed.", "[primary] confirmation requests", "Is the entity a bank?"]
    {
        assert!(rest.contains(said), "{said}: {rest}");
    }
    world.done(&run).await;
    let Answered::StillOpen { message, .. } = world.answer(&run, say("no")).await.unwrap() else {
        panic!("a bare no decided something")
    };
    assert!(!message.contains("Clarity") && message.contains("**What you can do**"), "{message}");
}

#[tokio::test]
async fn without_a_web_search_it_is_not_the_first_choice_and_the_reason_is_said() {
    let say = Say::default();
    let tools = say.tools();
    tools.no_web.store(true, std::sync::atomic::Ordering::SeqCst);
    let mut world = World::new(say.provider(), tools).await;
    let (run, told) = world.run(isa(), question()).await;
    let form = told.form();
    let ids: Vec<&str> = form.choices.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(ids, ["skip_web", "search", "amend", "cancel"]);
    assert!(
        form.parts[0].markdown.contains("No web search is set up")
            && form.choices[1].next.contains("No web search is set up"),
        "{form:?}"
    );
    assert_eq!(form.status, None);
    let told = world.go(&run, Reply::default()).await;
    assert_eq!((told.exit, world.tools.count("isa_web_search")), (Exit::Completed, 0));
}

#[tokio::test]
async fn where_the_vault_is_locked_a_pause_says_so_and_not_that_no_search_is_set_up() {
    let say = Say::default();
    let tools = say.tools();
    tools.locked.store(true, std::sync::atomic::Ordering::SeqCst);
    let mut world = World::new(say.provider(), tools).await;
    let (_, told) = world.run(isa(), question()).await;
    let form = told.form();
    let next = &form.choices[1].next;
    assert!(next.contains("The vault is locked") && next.contains("Unlock the vault"), "{next}");
    assert!(!form.markdown.contains("No web search is set up"), "{}", form.markdown);
}

#[tokio::test]
async fn a_depth_chosen_at_the_start_can_be_changed_at_the_pause() {
    let mut world = world().await;
    let start = engine::StartRun { depth: Some("deep".to_owned()), ..question() };
    let (run, told) = world.run(isa(), start).await;
    assert_eq!(told.form().depth.as_deref(), Some("deep"));
    let reply = Reply { choice: Some("search".into()), depth: Some("quick".into()), ..Reply::default() };
    assert_eq!(world.go(&run, reply).await.exit, Exit::Completed);
    let gathered = world.tools.asked().into_iter().find(|asked| asked.tool == "isa_gather").unwrap();
    assert_eq!(gathered.args["hop_depth"], 0);
}

#[tokio::test]
async fn a_run_that_waits_is_moved_to_another_connection_or_model() {
    let mut world = world().await;
    let (run, _) = world.run(isa(), question()).await;
    let before = world.log(&run).await;
    let nowhere =
        Reply { choice: Some("search".into()), connection: Some("nowhere".into()), ..Reply::default() };
    assert!(world.answer(&run, nowhere).await.is_err());
    world.done(&run).await;
    assert_eq!(world.log(&run).await, before, "a connection that is not there changes nothing");
    let first = asked(&world, "analyze")[0].model.clone();
    let reply = Reply {
        choice: Some("search".into()),
        connection: Some("scripted".into()),
        model: Some("another-model".into()),
        ..Reply::default()
    };
    world.go(&run, reply).await;
    assert_eq!(asked(&world, "calibrate")[0].model, "another-model");
    let mut world = world.reopened().await;
    assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
    assert_eq!(asked(&world, "synthesize")[0].model, "another-model");
    let loaded = world.engine.load(&run).await.unwrap();
    assert_eq!(loaded.pinned.model, "another-model");
    for (stage, model) in [("0", first.as_str()), ("1", "another-model"), ("3", "another-model")] {
        let sent =
            world.engine.sent(world.engine.load(&run).await.unwrap(), Some(&stage.into())).await.unwrap();
        let models = sent.values().filter_map(|payload| match payload {
            engine::Payload::Model(request) => Some(request.model.as_str()),
            _ => None,
        });
        assert_eq!(models.collect::<Vec<_>>(), [model], "stage {stage}");
    }
}
