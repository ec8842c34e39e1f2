//! Exports check each sentence's record against its source again.

use std::path::{Path, PathBuf};

use app::shares::{now, read_share};
use app::{Request, Response, RunRef, recheck_answer};
use domain::{ErrorCode, Problem, RunId, SentenceVerdict};
use pretty_assertions::assert_eq;
use protocol::{DocumentText, ExportFormat, Exported, SharePageOptions};
use serde_json::{Value, json};

use crate::world::{World, answer};

const NOTICE: &str = "Exported without checking its statements against their sources again.";

/// A finished run, with its session.
async fn finished() -> (World, RunId, String) {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let session = world.state(&run).await.session;
    (world, run, session)
}

fn session_export(session: &str, unchecked: bool) -> Request {
    Request::SessionExport {
        session: session.to_owned(),
        run: None,
        format: ExportFormat::Markdown,
        unchecked,
        changes_from: None,
    }
}

fn run_export(run: &RunId, unchecked: bool) -> Request {
    Request::RunExport { run: RunRef::Id(run.0.clone()), unchecked }
}

/// The folder of the generation that the run read.
fn generation(world: &World) -> PathBuf {
    let base = world.home().join("knowledge").join("isa-primer");
    let current = std::fs::read_to_string(base.join("CURRENT")).unwrap();
    base.join(current.trim())
}

async fn document(world: &World, run: &RunId) -> DocumentText {
    let request = Request::RunDocument { run: RunRef::Id(run.0.clone()) };
    *answer!(world.call(request).await, Document).expect("there is a document")
}

/// Both exports are refused, and both go through unchecked and say so.
async fn assert_blocked(world: &World, run: &RunId, session: &str, says: &str) -> Problem {
    let refused = world.refused(session_export(session, false)).await;
    assert_eq!(refused.code, ErrorCode::Corrupt);
    assert!(refused.message.contains(says) && refused.message.contains("statement "), "{refused}");
    assert!(refused.action.as_deref().is_some_and(|action| action.contains("--unchecked")), "{refused}");
    assert_eq!(world.refused(run_export(run, false)).await.message, refused.message);
    let exported: Exported = answer!(world.call(session_export(session, true)).await, Exported);
    assert!(exported.text.unwrap().contains(NOTICE));
    let Response::Written(Some(path)) = world.call(run_export(run, true)).await else { panic!("no path") };
    assert!(std::fs::read_to_string(path).unwrap().contains(NOTICE));
    refused
}

#[tokio::test]
async fn each_sentence_of_a_document_has_a_record_and_the_export_holds() {
    let (world, run, session) = finished().await;
    let document = document(&world, &run).await;
    assert!(document.sentences.len() >= 3, "{:?}", document.sentences);
    let total: u32 = document.sentence_counts.iter().map(|one| one.count).sum();
    assert_eq!(total as usize, document.sentences.len());
    let axes: Vec<&str> = document.axes.iter().map(|axis| axis.axis.as_str()).collect();
    assert_eq!(axes, ["citation", "entity", "relation", "contradiction", "support"]);
    assert!(document.axes.iter().all(|axis| axis.held <= axis.checked && axis.checked.is_some()));
    // The offline engine copies sentences; those it copied whole are proved.
    let verified = document.sentences.iter().filter(|one| one.verdict == SentenceVerdict::Verified).count();
    assert!(verified > 0, "{:#?}", document.sentences);
    for record in &document.sentences {
        assert!(
            document.markdown.replace("\\", "").contains(record.claim.split(' ').next().unwrap()),
            "{record:?}"
        );
    }
    let exported = answer!(world.call(session_export(&session, false)).await, Exported);
    assert!(!exported.text.unwrap().contains(NOTICE));
}

#[tokio::test]
async fn a_generation_that_is_gone_blocks_the_export() {
    let (world, run, session) = finished().await;
    let folder = generation(&world);
    let aside = folder.with_file_name("aside");
    std::fs::rename(&folder, &aside).unwrap();
    let refused = assert_blocked(&world, &run, &session, "generation").await;
    assert!(refused.action.unwrap().contains("restore the knowledge base's generation"));
    std::fs::rename(&aside, &folder).unwrap();
    world.call(session_export(&session, false)).await;
}

#[tokio::test]
async fn a_shared_page_says_that_it_was_not_checked_only_where_it_was_not() {
    let (world, _, session) = finished().await;
    let page = async || {
        let of = SharePageOptions { session: session.clone(), ..SharePageOptions::default() };
        let made = answer!(world.call(Request::ShareAdd(of)).await, Shares).remove(0);
        read_share(world.home(), &made.id, now()).unwrap()
    };
    assert!(!page().await.contains(NOTICE), "its document holds");
    let folder = generation(&world);
    std::fs::rename(&folder, folder.with_file_name("aside")).unwrap();
    assert!(page().await.contains(NOTICE));
}

#[tokio::test]
async fn a_paragraph_that_was_changed_on_disk_blocks_the_export() {
    let (world, run, session) = finished().await;
    let record = document(&world, &run).await.sentences.into_iter();
    let id = record.flat_map(|one| one.citations).find_map(|one| one.paragraph_id).unwrap();
    let path = generation(&world).join("paragraphs.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.contains(&format!("\"id\":\"{id}\""))).expect("it is there");
    let from = line.find("\"text\":\"").unwrap() + 8;
    let mut changed = line.to_owned();
    changed.replace_range(from..from + 1, if line[from..].starts_with('X') { "Y" } else { "X" });
    std::fs::write(&path, text.replace(line, &changed)).unwrap();
    assert_blocked(&world, &run, &session, "isa-primer").await;
}

#[tokio::test]
async fn an_answer_file_that_was_tampered_with_does_not_hold() {
    let (world, _, session) = finished().await;
    let file = world.home().join("sessions").join(&session).join("data").join("answer.json");
    let written: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let held = recheck_answer(world.home(), &written).unwrap();
    let records = written["sentences"]["records"].as_array().unwrap();
    assert_eq!(held, records.len());
    let at = records.iter().position(|one| !one["citations"][0]["range"].is_null()).unwrap();
    let refused = |pointer: &str, value: Value| {
        let mut tampered = written.clone();
        *tampered.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        recheck_answer(world.home(), &tampered).unwrap_err()
    };
    let record = format!("/sentences/records/{at}");
    let range = &records[at]["citations"][0]["range"];
    let shifted = json!([range[0].as_u64().unwrap() + 1, range[1]]);
    let message = refused(&format!("{record}/citations/0/range"), shifted).message;
    let id = records[at]["citations"][0]["paragraph_id"].as_str().unwrap();
    assert!(message.contains(&format!("statement {}", at + 1)) && message.contains(id), "{message}");
    refused(&format!("{record}/citations/0/paragraph_sha256"), json!("0".repeat(64)));
    refused(&format!("{record}/citations/0/quote"), json!("words that nobody wrote there"));
    refused(&format!("{record}/sentence"), json!("A sentence that the answer does not have."));
    let text = written["answer"].as_str().unwrap();
    refused("/answer", json!(format!("{text}\n\nAnd nobody ever has to check anything again.\n")));
    let mut bare = written.clone();
    bare.as_object_mut().unwrap().remove("sentences");
    assert_eq!(recheck_answer(Path::new("/nowhere"), &bare).unwrap_err().code, ErrorCode::InvalidInput);
}
