//! Missions on one graph: what one finds the other knows, in one order, and nothing is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use domain::mission::{ClaimRejection, ItemId};
use domain::{Problem, RunId};
use engine::mission::{MissionSetup, MissionSteering, MissionView, StartMission, StoredMission};
use engine::{ResolvedAgent, UiKind};
use evidence_graph::ClaimStatus;
use llm::{Answer, ModelRequest, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::agents::{agent, model};
use crate::tools::Tools;
use crate::world::{World, section};

const FACTS: [(&str, &str); 4] = [
    ("pump", "A pump moves water."),
    ("valve", "A valve stops water."),
    ("gauge", "A gauge shows pressure."),
    ("filter", "A filter holds back sand."),
];

/// Finds one claim on each question, after the time that the question takes.
fn researcher(slow: BTreeSet<&'static str>, ms: u64) -> ScriptedProvider {
    ScriptedProvider::answering(move |request: &ModelRequest| {
        let asked = section(request, "REQUEST").unwrap_or_default();
        let Some((word, fact)) = FACTS.into_iter().find(|(word, _)| asked.contains(word)) else {
            return Answer::json(&json!({ "text": "nothing", "findings": {} }));
        };
        let findings = json!({
            "sources": [{ "id": "1", "title": word, "address": format!("https://{word}.example/") }],
            "claims": [{ "text": fact, "citations": [{ "source": "1", "quote": fact }] }],
        });
        let answer = Answer::json(&json!({ "text": fact, "findings": findings }));
        answer.delay(Duration::from_millis(if slow.contains(word) { ms } else { 15 }))
    })
}

fn order() -> MissionSetup {
    let profile = json!({
        "slug": "survey", "name": "Survey", "description": "For tests.", "pauses": [],
        "successCriteria": { "coverage": 1.0 },
        "constraints": { "iterations": 2, "maxParallel": 2, "noProgressRounds": 5 },
    });
    let more = json!({ "slug": "researcher", "capabilities": ["research"] });
    let researcher = agent(json!([model("look", json!({ "outputSchema": { "type": "object" } }))]), more);
    MissionSetup {
        profile: serde_json::from_value(profile).unwrap(),
        agents: vec![ResolvedAgent { agent: researcher, sources: Vec::new(), corpus: None }],
        left_out: Vec::new(),
        connection: "scripted".to_owned(),
        model: Some("scripted-1".to_owned()),
        corpora: Vec::new(),
        readers: BTreeSet::new(),
        workspace: String::new(),
    }
}

fn start(request: &str, previous: Option<Arc<StoredMission>>) -> StartMission {
    StartMission {
        order: order(),
        request: request.to_owned(),
        session: None,
        as_of: "2026-01-01".to_owned(),
        unattended: true,
        previous,
        base: None,
        report_only: false,
        without: Vec::<ClaimRejection>::new(),
        imported: None,
    }
}

async fn begin(world: &World, request: &str, previous: Option<&RunId>) -> Result<RunId, Problem> {
    let previous = match previous {
        Some(run) => Some(world.engine.load_mission(run).await?),
        None => None,
    };
    world.engine.begin_mission(start(request, previous)).await
}

/// What a mission knows, each claim with how many citations.
async fn known(world: &World, run: &RunId) -> BTreeMap<String, usize> {
    let stored = world.engine.load_mission(run).await.unwrap();
    stored.graph.claims().map(|claim| (claim.text.clone(), claim.citations.len())).collect()
}

fn facts(words: &[&str]) -> BTreeMap<String, usize> {
    FACTS.iter().filter(|(word, _)| words.contains(word)).map(|(_, fact)| ((*fact).to_owned(), 1)).collect()
}

#[tokio::test]
async fn two_missions_on_one_graph_at_the_same_time_lose_nothing_of_each_other() {
    // Whichever ends first: the other one takes in what it found.
    for slow in [BTreeSet::from(["gauge"]), BTreeSet::from(["pump", "valve"])] {
        let is_second_last = slow.contains("gauge");
        let world = World::new(researcher(slow, 250), Tools::none()).await;
        let first = begin(&world, "What is a pump? What is a valve?", None).await.unwrap();
        let second = begin(&world, "What is a gauge?", Some(&first)).await.unwrap();
        for run in [&first, &second] {
            world.engine.wait(run).await.unwrap();
        }
        let last = if is_second_last { &second } else { &first };
        assert_eq!(known(&world, last).await, facts(&["pump", "valve", "gauge"]));
        let journal = world.engine.mission_journal(last).await.unwrap();
        let joined = journal.iter().filter(|line| line.text.contains("on the same graph found"));
        assert!(joined.count() >= 1, "{journal:?}");

        // Who goes on with the one that ended first knows all of it from the beginning.
        let early = if is_second_last { &first } else { &second };
        let third = begin(&world, "What is a filter?", Some(early)).await.unwrap();
        world.engine.wait(&third).await.unwrap();
        let all = facts(&["pump", "valve", "gauge", "filter"]);
        assert_eq!(known(&world, &third).await, all);
        for run in [&first, &second, &third] {
            let stored = world.engine.load_mission(run).await.unwrap();
            assert_eq!(stored.state.start.as_ref().unwrap().graph.id, first.0, "one graph");
        }

        // The log alone gives the same again.
        let world = world.reopened().await;
        assert_eq!(known(&world, &third).await, all);
    }
}

#[tokio::test]
async fn missions_on_different_graphs_know_nothing_of_each_other() {
    let world = World::new(researcher(BTreeSet::from(["pump"]), 150), Tools::none()).await;
    let first = begin(&world, "What is a pump?", None).await.unwrap();
    let second = begin(&world, "What is a gauge?", None).await.unwrap();
    for run in [&first, &second] {
        world.engine.wait(run).await.unwrap();
    }
    assert_eq!(known(&world, &first).await, facts(&["pump"]));
    assert_eq!(known(&world, &second).await, facts(&["gauge"]));
}

#[tokio::test]
async fn an_imported_graph_rests_until_its_report_is_wanted_or_another_mission_goes_on_with_it() {
    let world = World::new(researcher(BTreeSet::new(), 1), Tools::none()).await;
    let first = begin(&world, "What is a pump? What is a valve?", None).await.unwrap();
    world.engine.wait(&first).await.unwrap();
    let stored = world.engine.load_mission(&first).await.unwrap();
    let exported = evidence_graph::to_jsonl(&stored.graph);
    let graph = evidence_graph::import(&exported).unwrap();

    let imported = StartMission { imported: Some(graph), ..start("What is a pump?", None) };
    let imported = world.engine.begin_mission(imported).await.unwrap();
    assert!(!world.engine.is_live(&imported));
    let view = world.engine.mission_view(&imported).await.unwrap();
    assert_eq!((view.iteration, view.report.is_some()), (0, false));
    assert_eq!(view.facts.version, stored.graph.version());
    assert_eq!(known(&world, &imported).await, known(&world, &first).await);

    let further = begin(&world, "What is a filter?", Some(&imported)).await.unwrap();
    world.engine.wait(&further).await.unwrap();
    assert_eq!(known(&world, &further).await, facts(&["pump", "valve", "filter"]));
    let before = world.provider.requests().len();

    world.engine.resume_mission(&imported, true).await.unwrap();
    world.engine.wait(&imported).await.unwrap();
    assert!(world.engine.mission_report(&imported).await.unwrap().is_some());
    assert_eq!(world.provider.requests().len(), before, "nothing is researched for it");
}

#[tokio::test]
async fn whoever_writes_the_report_is_told_of_questions_that_nobody_could_answer() {
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = told.clone();
    let provider = ScriptedProvider::answering(move |request: &ModelRequest| {
        let Some(open) = section(request, "OPEN_QUESTIONS") else {
            return Answer::json(&json!({ "text": "nothing", "findings": {} }));
        };
        seen.lock().unwrap().push(open);
        Answer::json(&json!({ "text": "done", "markdown": "# Parts" }))
    });
    let world = World::new(provider, Tools::none()).await;
    let mut start = start("What is a sprocket? What is a cam?", None);
    let open = json!([{ "section": "OPEN_QUESTIONS", "value": "inputs.open_questions", "form": "lines" }]);
    let write = model("write", json!({ "outputSchema": { "type": "object" }, "context": open }));
    let writer = agent(json!([write]), json!({ "slug": "writer", "capabilities": ["synthesis"] }));
    start.order.agents.push(ResolvedAgent { agent: writer, sources: Vec::new(), corpus: None });
    start.order.profile.agents.roles.synthesise = Some("writer".into());
    let mission = world.engine.begin_mission(start).await.unwrap();
    world.engine.wait(&mission).await.unwrap();
    let told = told.lock().unwrap().join("; ");
    assert!(told.contains("What is a sprocket?") && told.contains("What is a cam?"), "{told}");
}

#[tokio::test]
async fn an_agent_whose_log_is_gone_when_a_mission_resumes_is_invoked_anew_aloud() {
    let world = World::new(researcher(BTreeSet::from(["pump"]), 600_000), Tools::none()).await;
    let mission = begin(&world, "What is a pump?", None).await.unwrap();
    let begun = async {
        loop {
            let view = world.engine.mission_view(&mission).await.unwrap();
            if let Some(run) = view.invocations.first().and_then(|one| one.run.clone())
                && world.store.get_run(&run.0).await.is_ok()
            {
                break run;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let run = tokio::time::timeout(Duration::from_secs(60), begun).await.unwrap();
    // The process dies, and the log of the agent's run is lost.
    world.store.close().await.unwrap();
    let mut world = world.reopened_with(researcher(BTreeSet::new(), 1)).await;
    assert!(world.store.delete_run(&run.0).await.unwrap());
    world.engine.resume_mission(&mission, true).await.unwrap();
    world.engine.wait(&mission).await.unwrap();
    assert_eq!(known(&world, &mission).await, facts(&["pump"]));
    let is_said = |text: &str| text.contains("left no log");
    let told = world.told_since(&mission);
    assert!(
        told.iter().any(|kind| matches!(kind, UiKind::Progress { text, .. } if is_said(text))),
        "{told:?}"
    );
    let journal = world.engine.mission_journal(&mission).await.unwrap();
    assert_eq!(journal.iter().filter(|line| is_said(&line.text)).count(), 1, "{journal:?}");
}

#[tokio::test]
async fn what_is_found_and_said_of_it_is_shown_while_agents_work() {
    let world = World::new(researcher(BTreeSet::from(["valve"]), 600_000), Tools::none()).await;
    let mission = begin(&world, "What is a pump? What is a valve?", None).await.unwrap();
    let claim = ItemId("c1".to_owned());
    let is_found = |view: &MissionView| view.newest_claims.first().is_some_and(|one| one.claim == claim);
    let found = async {
        loop {
            let view = world.engine.mission_view(&mission).await.unwrap();
            if is_found(&view) {
                break view;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let view = tokio::time::timeout(Duration::from_secs(60), found).await.unwrap();
    let newest = &view.newest_claims[0];
    assert_eq!((newest.text.as_str(), newest.status), ("A pump moves water.", ClaimStatus::Unsupported));
    assert_eq!((newest.sources.clone(), view.facts.counts.unsupported_claims), (vec!["pump".to_owned()], 1));
    let since = view.working_since.unwrap();
    assert_eq!(view.active_ms_at(since + 5_000), view.active_ms + 5_000);

    // The agent works on; what is said takes effect in what is shown.
    let reject = MissionSteering::Reject(claim.clone(), "It does not.".to_owned());
    world.engine.steer_mission(&mission, reject, false).await.unwrap();
    let stored = world.engine.load_mission(&mission).await.unwrap();
    assert_eq!(stored.graph.claim(&claim).unwrap().rejected, None, "no analysis before the wave is over");
    assert_eq!(stored.known().claim(&claim).unwrap().rejected.as_deref(), Some("It does not."));
    let told = world.engine.mission_view(&mission).await.unwrap();
    assert_eq!(told.newest_claims[0].status, ClaimStatus::Rejected);
    assert_eq!((told.facts.counts.unsupported_claims, told.facts.counts.rejected_claims), (0, 1));
    assert_ne!(told.graph_version, view.graph_version);

    world.engine.steer_mission(&mission, MissionSteering::Cancel, false).await.unwrap();
    world.engine.wait(&mission).await.unwrap();
    let rests = world.engine.mission_view(&mission).await.unwrap();
    assert_eq!(rests.working_since, None);
    assert_eq!(rests.active_ms_at(i64::MAX), rests.active_ms);
}
