//! What runs used, as a surface asks for it; budgets raised and forecasts made over commands.

use std::collections::BTreeMap;

use app::{FormKind, Local, Options, PausePolicy, Reply, Request, StartRun};
use domain::{ErrorCode, NanoUsd, RunStatus, Usage};
use pretty_assertions::assert_eq;
use protocol::{ForecastQuery, UsageQuery};
use tempfile::TempDir;

use crate::world::{AGENT, QUESTION, World, answer};

#[tokio::test]
async fn what_a_run_used_is_summed_listed_and_exported() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let state = world.state(&run).await;
    let query = UsageQuery::default;
    let sums = *answer!(world.call(Request::UsageShow(query())).await, Usage);
    assert!(sums.total.calls >= 2 && sums.total.failed == 0);
    assert!(state.no_model && state.usage.total() > 0, "the log has what the offline engine counted");
    assert_eq!((sums.total.usage, sums.total.cost), (Usage::default(), NanoUsd(0)), "and no model was asked");
    for sum in [&sums.days[0], &sums.agents[0], &sums.models[0], &sums.connections[0], &sums.sessions[0]] {
        assert_eq!((sum.usage, sum.calls), (Usage::default(), sums.total.calls), "{}", sum.key);
    }
    assert_eq!((sums.agents.len(), sums.agents[0].key.as_str()), (1, AGENT));
    assert_eq!(sums.agents[0].title, state.agent_name);
    assert_eq!((sums.connections[0].key.as_str(), sums.models.len()), ("offline", 1));
    assert_eq!(
        (sums.sessions[0].key.as_str(), sums.sessions[0].title.as_str()),
        (state.session.as_str(), QUESTION)
    );
    assert_eq!((sums.days.len(), sums.days[0].key.len()), (1, 10));
    assert!(
        sums.stages
            .iter()
            .any(|stage| stage.key == format!("{AGENT}/3") && stage.title.contains("Synthesize"))
    );

    let rows = answer!(world.call(Request::UsageList { query: query(), limit: 0 }).await, UsageRows);
    assert_eq!(rows.len() as u64, sums.total.calls);
    assert!(rows.windows(2).all(|pair| pair[0].at >= pair[1].at));
    assert!(rows.iter().all(|row| row.run == run.0 && row.connection == "offline" && !row.unpriced));
    assert!(rows.iter().all(|row| row.usage == Usage::default()));
    let one = answer!(world.call(Request::UsageList { query: query(), limit: 1 }).await, UsageRows);
    assert_eq!(one, rows[..1]);
    let none = UsageQuery { agent: Some("nobody".to_owned()), ..query() };
    assert_eq!(answer!(world.call(Request::UsageShow(none)).await, Usage).total.calls, 0);

    let exported = answer!(world.call(Request::UsageExport(query())).await, Exported);
    let text = std::fs::read_to_string(&exported.path).unwrap();
    assert_eq!(exported.text.as_deref(), Some(text.as_str()));
    assert!(std::path::Path::new(&exported.path).starts_with(world.home().join("exports")));
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len() as u64, sums.total.calls + 1);
    assert!(lines[0].starts_with("ended_utc,session,run,agent,") && lines[1].contains(&run.0));
    let again = answer!(world.call(Request::UsageExport(query())).await, Exported);
    assert_ne!(again.path, exported.path);

    let wrong = UsageQuery { from: Some(2), to: Some(1), ..query() };
    assert_eq!(world.refused(Request::UsageShow(wrong)).await.code, ErrorCode::InvalidInput);
    let far = UsageQuery { utc_offset_minutes: i32::MIN, ..query() };
    assert_eq!(world.refused(Request::UsageShow(far)).await.code, ErrorCode::InvalidInput);
}

#[tokio::test]
async fn a_stage_shows_what_was_received() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let request = Request::RunStage { run, stage: "3".into() };
    let detail = *answer!(world.call(request).await, StageDetail);
    let call = detail.calls.iter().find(|call| call.model).unwrap();
    let received = call.received.as_ref().unwrap();
    assert!(received["text"].as_str().unwrap().contains("synthesis"));
    assert_eq!(
        (call.stop.as_deref(), call.wire.as_ref()),
        (Some("end_turn"), None),
        "nothing left the machine"
    );
    assert!(call.request.is_some() && call.answered_by.is_some());
    let names: Vec<&str> = detail.sections.iter().map(|section| section.name.as_str()).collect();
    assert!(names.contains(&"REQUEST") && names.contains(&"ISA_CONTEXT"), "{names:?}");
}

#[tokio::test]
async fn a_run_that_reached_its_budget_goes_on_when_the_budget_is_raised() {
    let world = World::new().await;
    let start = StartRun {
        agent: AGENT.to_owned(),
        request: QUESTION.to_owned(),
        budget_tokens: Some(1_000),
        attend: PausePolicy { replies: Vec::new(), unattended: true },
        ..StartRun::default()
    };
    let run = answer!(world.call(Request::RunStart(Box::new(start))).await, Run);
    world.local.engine().wait(&run).await.unwrap();
    let state = world.state(&run).await;
    assert_eq!((state.status, state.pauses[0].kind), (RunStatus::Paused, FormKind::Budget));
    assert!(state.events.iter().any(|record| record.event.name() == "budget_exceeded"));
    let raise = Reply { text: Some("5,000,000 tokens".to_owned()), ..Reply::default() };
    world.reply(&run, raise, true).await;
    let state = world.state(&run).await;
    assert_eq!((state.status, state.budget.tokens), (RunStatus::Completed, Some(5_000_000)));
}

#[tokio::test]
async fn a_forecast_comes_from_limits_and_then_from_earlier_runs() {
    let world = World::new().await;
    let query = || ForecastQuery {
        agent: AGENT.to_owned(),
        request: QUESTION.to_owned(),
        ..ForecastQuery::default()
    };
    let before = *answer!(world.call(Request::RunForecast(query())).await, Forecast);
    assert_eq!((before.runs, before.connection.as_str(), before.cost), (0, "offline", NanoUsd(0)));
    assert_eq!(
        before.stages.iter().map(|stage| stage.stage.as_str()).collect::<Vec<_>>(),
        ["0", "1", "3"],
        "the tools of this world search the web"
    );
    assert!(before.tokens > 0 && !before.unpriced && !before.no_web_search);
    let quick = ForecastQuery { depth: Some("quick".to_owned()), ..query() };
    let quick = *answer!(world.call(Request::RunForecast(quick)).await, Forecast);
    assert_eq!(quick.stages.iter().map(|stage| stage.stage.as_str()).collect::<Vec<_>>(), ["0", "3"]);
    assert!(quick.tokens > 0 && quick.tokens <= before.tokens);

    let run = world.run(None, true).await;
    let used = world.state(&run).await.usage.total();
    let after = *answer!(world.call(Request::RunForecast(query())).await, Forecast);
    assert_eq!((after.runs, after.tokens.abs_diff(used) <= 10), (1, true), "{} and {used}", after.tokens);
    let unknown = ForecastQuery { agent: "nobody".to_owned(), ..query() };
    assert_eq!(world.refused(Request::RunForecast(unknown)).await.code, ErrorCode::NotFound);
    let unknown = ForecastQuery { connection: Some("nowhere".to_owned()), ..query() };
    assert_eq!(world.refused(Request::RunForecast(unknown)).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_forecast_is_stored_with_the_run_and_scored_when_it_is_finished() {
    let world = World::new().await;
    let report = |agent| Request::UsageForecasts { agent };
    let none = answer!(world.call(report(None)).await, Forecasts);
    assert_eq!((none.runs, none.coverage, none.median_ratio), (0, None, None));

    let first = world.state(&world.run(None, true).await).await;
    let forecast = first.forecast.unwrap();
    assert_eq!(forecast.runs, 0, "there is no earlier run: it comes from the agent's limits");
    assert!(forecast.tokens.low == 0 && forecast.tokens.high > forecast.tokens.likely);
    let in_log = first.events.iter().any(|record| {
        matches!(&record.event, pipeline::Event::RunStarted { forecast: logged, .. } if *logged == Some(forecast))
    });
    assert!(in_log, "the log has it");

    let second = world.state(&world.run(None, true).await).await;
    let forecast = second.forecast.unwrap();
    let used = first.usage.total();
    assert_eq!(
        (forecast.runs, forecast.tokens.low, forecast.tokens.likely, forecast.tokens.high),
        (1, used, used, used)
    );

    let report_of_all = answer!(world.call(report(None)).await, Forecasts);
    assert_eq!((report_of_all.runs, report_of_all.from_history), (2, 1));
    assert_eq!(report_of_all.agents.len(), 1);
    assert_eq!((report_of_all.agents[0].agent.as_str(), report_of_all.agents[0].runs), (AGENT, 2));
    assert!(report_of_all.coverage.is_some() && report_of_all.median_ratio.is_some());
    let nobody = answer!(world.call(report(Some("nobody".to_owned()))).await, Forecasts);
    assert_eq!(nobody.runs, 0);

    // Another depth has no history of its own.
    let deep = ForecastQuery {
        agent: AGENT.to_owned(),
        request: QUESTION.to_owned(),
        depth: Some("deep".to_owned()),
        ..ForecastQuery::default()
    };
    assert_eq!(answer!(world.call(Request::RunForecast(deep)).await, Forecast).range.runs, 0);
}

#[tokio::test]
async fn a_forecast_leaves_out_a_web_search_that_is_not_set_up() {
    let folder = TempDir::new().unwrap();
    let options = Options {
        home: folder.path().join("home"),
        program: env!("CARGO_BIN_EXE_app-guard").into(),
        providers: BTreeMap::new(),
        hosts: None,
    };
    let local = Local::open(options).await.unwrap();
    let query =
        ForecastQuery { agent: AGENT.to_owned(), request: QUESTION.to_owned(), ..ForecastQuery::default() };
    let forecast = *answer!(local.call(Request::RunForecast(query)).await.unwrap(), Forecast);
    let stages: Vec<&str> = forecast.stages.iter().map(|stage| stage.stage.as_str()).collect();
    assert_eq!(stages, ["0", "3"]);
    assert!(forecast.no_web_search, "and says so");
    for (agent, depth, lacks) in [
        (AGENT, Some("quick"), false),
        ("standards-research", None, true),
        // Offline it searches nothing anyway.
        ("web-researcher", None, false),
        ("code-task", None, false),
    ] {
        let query = ForecastQuery {
            agent: agent.to_owned(),
            depth: depth.map(str::to_owned),
            request: QUESTION.to_owned(),
            ..ForecastQuery::default()
        };
        let forecast = *answer!(local.call(Request::RunForecast(query)).await.unwrap(), Forecast);
        assert_eq!(forecast.no_web_search, lacks, "{agent}");
    }
}
