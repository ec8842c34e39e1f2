use app::{Request, Response, Scope};
use domain::ErrorCode;
use pretty_assertions::assert_eq;
use protocol::{SessionPatch, SessionView};

use crate::world::{World, answer};

async fn save(world: &World, key: &str, text: &str) {
    let request = Request::DraftSave { key: key.to_owned(), text: text.to_owned() };
    assert_eq!(world.call(request).await, Response::Done);
}

async fn shown(world: &World, key: &str) -> Option<String> {
    let draft = answer!(world.call(Request::DraftShow { key: key.to_owned() }).await, Draft);
    draft.map(|draft| draft.text)
}

#[tokio::test]
async fn what_was_typed_is_there_after_a_restart_and_goes_with_its_session() {
    let world = World::new().await;
    let run = world.run(None, false).await;
    let session = world.state(&run).await.session;
    save(&world, "new", "How should").await;
    save(&world, &session, "And what if").await;
    save(&world, &format!("{run}/p1"), "{\"answer\": 1}").await;
    assert!(world.session(&session).await.session.has_draft);

    let world = world.reopened().await;
    assert_eq!(shown(&world, "new").await.as_deref(), Some("How should"));
    assert_eq!(shown(&world, &session).await.as_deref(), Some("And what if"));
    save(&world, "new", "").await;
    assert_eq!(shown(&world, "new").await, None);
    let long = Request::DraftSave { key: "new".to_owned(), text: "x".repeat(200_001) };
    assert_eq!(world.refused(long).await.code, ErrorCode::InvalidInput);

    world.patch(&session, SessionPatch { deleted: Some(true), ..SessionPatch::default() }).await;
    assert_eq!(world.list(SessionView::Trash).await.len(), 1);
    let purge = Request::SessionPurge { sessions: Vec::new() };
    assert_eq!(purge.scope(), Scope::Sessions);
    assert_eq!(world.call(purge).await, Response::Purged(1));
    assert_eq!(shown(&world, &session).await, None);
    assert_eq!(shown(&world, &format!("{run}/p1")).await, None);
}
