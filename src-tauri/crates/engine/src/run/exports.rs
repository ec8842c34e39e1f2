//! Files derived from the log on each exit, never read back by the engine.

use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem, RunStatus};
use pipeline::{Event, Status};
use serde_json::{Map, Value, json};

use crate::core::document::WrittenDocument;
use crate::core::log::decode_log;
use crate::core::recheck::ExportCheck;
use crate::run::driver::Driver;
use crate::run::evaluate::stage_of;

/// Writes a run's files. Gives the Markdown document's path, where there is one. The answer's files are written only when
/// every sentence record still holds, unless the person wants them unchecked.
pub(crate) async fn write(driver: &mut Driver, checking: ExportCheck) -> Result<Option<PathBuf>, Problem> {
    let Some(start) = driver.state().start.clone() else { return Ok(None) };
    // Files are derived from what is stored, never from what a failed commit left in memory.
    if driver.journal.committed() == 0 || !driver.journal.pending().is_empty() {
        return Ok(None);
    }
    let folder = folder(driver, &start);
    let state = pipeline_state(driver).await?;
    save(&folder.join("data").join("pipeline-state.json"), pretty(&state).as_bytes()).await?;
    if driver.state().status() != Status::Completed {
        return Ok(None);
    }
    let Some(mut written) = document(driver).await? else { return Ok(None) };
    if let (ExportCheck::Rechecked, Some(recheck)) = (checking, &driver.parts.recheck) {
        recheck.recheck(&written.document.records).await?;
    }
    checking.mark(&mut written);
    let Some(mut answer) = answer_json(driver).await? else { return Ok(None) };
    answer["notice"] = json!(written.document.notice);
    save(&folder.join("data").join("answer.json"), pretty(&answer).as_bytes()).await?;
    save(&written.path, written.markdown.as_bytes()).await?;
    save(&written.path.with_extension("html"), answers::to_html(&written.document).as_bytes()).await?;
    let main = driver.pinned.config.output.files.main.as_ref().map(|main| folder.join(main));
    Ok(Some(main.filter(|path| path.is_file()).unwrap_or(written.path)))
}

/// Where a run's files stand: of a child run below its session's, so that it does not replace those of the run that it
/// works for.
fn folder(driver: &Driver, start: &pipeline::Start) -> PathBuf {
    let session = driver.parts.home.join("sessions").join(&start.session.0);
    match &start.parent {
        Some(_) => session.join("runs").join(&driver.run_id().0),
        None => session,
    }
}

/// The first run of a session has the configured name; later ones say which they are.
fn answer_file(driver: &Driver) -> String {
    let name = &driver.pinned.config.output.files.answer_file;
    let number = driver.state().follow_up.as_ref().map_or(0, |follow_up| follow_up.number);
    match (number, name.rsplit_once('.')) {
        (0, _) => name.clone(),
        (number, Some((stem, extension))) => format!("{stem}-follow-up-{number}.{extension}"),
        (number, None) => format!("{name}-follow-up-{number}"),
    }
}

/// The document as a text that can be found again.
pub(crate) async fn passage(driver: &mut Driver) -> Result<Option<store::Passage>, Problem> {
    // What a child run wrote is found in what it was written for.
    if driver.state().start.as_ref().is_some_and(|start| start.parent.is_some()) {
        return Ok(None);
    }
    let Some(id) = driver.rendered() else { return Ok(None) };
    load(driver).await?;
    let Some(output) = driver.state().stage(&id).and_then(|stage| stage.output) else { return Ok(None) };
    let markdown =
        driver.values.get(output).and_then(|output| output.get("markdown")).and_then(Value::as_str);
    Ok(markdown.and_then(|markdown| {
        crate::core::passages::document(markdown, output, crate::core::ids::now_ms() as i64)
    }))
}

/// The document of the render stage that has run.
pub(crate) async fn document(driver: &mut Driver) -> Result<Option<WrittenDocument>, Problem> {
    let Some(id) = driver.rendered() else { return Ok(None) };
    load(driver).await?;
    let output = driver.state().stage(&id).and_then(|stage| driver.values.get(stage.output?));
    let markdown = output
        .and_then(|output| output.get("markdown"))
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let document = driver.evaluate(|evaluation| {
        let stage = stage_of(evaluation.pinned, &id)?;
        crate::run::render::document(evaluation, stage)
    })?;
    let start = driver.state().start.clone();
    let folder = start.map(|start| folder(driver, &start)).unwrap_or_default().join("plans");
    Ok(Some(WrittenDocument { markdown, document, path: folder.join(answer_file(driver)) }))
}

/// `answer.json`: the answer with what changes from run to run in one provenance block.
pub(crate) async fn answer_json(driver: &mut Driver) -> Result<Option<Value>, Problem> {
    let Some(id) = driver.rendered() else { return Ok(None) };
    load(driver).await?;
    let document = driver.evaluate(|evaluation| {
        let stage = stage_of(evaluation.pinned, &id)?;
        crate::run::render::document(evaluation, stage)
    })?;
    let (state, pinned) = (driver.state(), &driver.pinned);
    let start = state.start.as_ref();
    let row = driver.parts.store.get_run(&driver.run_id().0).await.map_err(crate::core::problem::store)?;
    let head = crate::replay::chain::head(&driver.parts.store, driver.run_id()).await?;
    let mut provenance = json!({
        "run": driver.run_id(),
        "chainHead": head,
        "session": start.map(|start| &start.session),
        "previousRun": start.and_then(|start| start.previous.as_ref()),
        "agent": pinned.config.slug,
        "connection": pinned.connection,
        "model": pinned.model,
        "corpus": pinned.corpus,
        "startedAt": row.created_at,
        "finishedAt": row.updated_at,
        "activeMs": state.active_ms,
        "usage": state.usage,
        "costUsd": state.cost.usd(),
        "possiblyPaidTwice": state.maybe_paid_twice,
        "possiblePaidTwiceUsd": state.doubtful.cost.usd(),
        "program": driver.parts.version,
    });
    if let Some(attached) = &pinned.attached {
        provenance["attached"] = json!(attached);
    }
    Ok(Some(answers::to_answer_json(&document, provenance)))
}

async fn load(driver: &mut Driver) -> Result<(), Problem> {
    driver.values.load_for(&driver.journal.state, &driver.parts.store).await
}

async fn pipeline_state(driver: &mut Driver) -> Result<Value, Problem> {
    load(driver).await?;
    let batches =
        driver.parts.store.load_events(&driver.run_id().0).await.map_err(crate::core::problem::store)?;
    let mut events = Vec::new();
    for batch in &batches {
        events.extend(decode_log(&batch.bytes)?);
    }
    let previous = events.iter().find_map(|record| match &record.event {
        Event::RunStarted { previous, .. } => previous.clone(),
        _ => None,
    });
    let state = driver.state();
    let mut outputs = Map::new();
    for (config, stage) in driver.pinned.config.control_flow.stages.iter().zip(&state.stages) {
        if let Some(value) = stage.output.and_then(|digest| driver.values.get(digest)) {
            outputs.insert(config.name.clone(), (**value).clone());
        }
    }
    let start = state.start.as_ref();
    Ok(json!({
        "version": 1,
        "run": driver.run_id(),
        "session": start.map(|start| &start.session),
        "agent": start.map(|start| &start.agent),
        "request": start.map(|start| &start.request),
        "previousRun": previous,
        "status": RunStatus::from(state.status()),
        "events": events,
        "outputs": outputs,
    }))
}

pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Replaces a file atomically: a reader sees the old or the new one, never half of either.
pub(crate) async fn save(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(ErrorCode::Storage, format!("{} could not be written: {error}", path.display()))
            .with_action("the answer is safe in the database: free space or correct the permissions, then use `agentnative export`")
    };
    support::write_file(path, bytes.to_vec(), support::Readers::Default).await.map_err(failed)
}
