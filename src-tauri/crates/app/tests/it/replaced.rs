//! Turns that an edited message replaced: on no page, in no export for readers, found by no search; and what a message goes
//! back to.

use app::Request;
use domain::RunId;
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{
    ContentHits, ContentQuery, ExportFormat, ExportOptions, Exported, SessionState, TransferFormat,
};

use crate::extras::Desk;
use crate::world::answer;

impl Desk {
    async fn said(&self, session: Option<&str>, text: &str, replaces: Option<&RunId>) -> (String, RunId) {
        let sent = self.say(session, text, replaces).await;
        let turn = sent.turn.expect("it begins at once");
        self.left(&turn).await;
        (sent.session, turn)
    }

    async fn page(&self, session: &str, before: Option<i64>, limit: u32) -> SessionState {
        let request = Request::SessionShow { session: session.to_owned(), before, limit };
        *answer!(self.call(request).await, SessionState)
    }

    async fn found(&self, line: &str) -> ContentHits {
        let query = ContentQuery { line: line.to_owned(), ..ContentQuery::default() };
        *answer!(self.call(Request::ContentSearch(query)).await, ContentHits)
    }

    async fn exported(&self, session: &str, format: ExportFormat) -> Exported {
        let request = Request::SessionExport {
            session: session.to_owned(),
            run: None,
            format,
            unchecked: false,
            changes_from: None,
        };
        answer!(self.call(request).await, Exported)
    }

    /// A first message, and a second one that was answered and then edited.
    async fn edited() -> (Self, String, [RunId; 3]) {
        let answers = ["One.", "Zebras graze.", "Other."].map(Answer::text);
        let desk = Self::new(ScriptedProvider::queue(answers)).await;
        let (session, first) = desk.said(None, "First.", None).await;
        let (_, second) = desk.said(Some(&session), "The zebra clause?", None).await;
        assert_eq!(desk.found("zebra").await.sessions.len(), 1);
        let (_, third) = desk.said(Some(&session), "Second, edited.", Some(&second)).await;
        (desk, session, [first, second, third])
    }
}

fn shown(page: &SessionState) -> Vec<&RunId> {
    page.turns.iter().map(|turn| &turn.head.run).collect()
}

#[tokio::test]
async fn a_replaced_turn_is_on_no_page_and_is_named() {
    let (desk, session, [first, second, third]) = Desk::edited().await;
    let page = desk.page(&session, None, 0).await;
    assert_eq!(shown(&page), [&first, &third]);
    assert_eq!((page.order, page.replaced, page.earlier), (vec![first, third], vec![second.clone()], None));
    // It is stored.
    assert_eq!(desk.view(&second).await.head.answer.as_deref(), Some("Zebras graze."));
}

#[tokio::test]
async fn pages_count_what_is_shown() {
    let answers = ["One.", "Two.", "Three.", "One again.", "Four."].map(Answer::text);
    let desk = Desk::new(ScriptedProvider::queue(answers)).await;
    let (session, first) = desk.said(None, "First.", None).await;
    desk.said(Some(&session), "Second.", None).await;
    desk.said(Some(&session), "Third.", None).await;
    let (_, again) = desk.said(Some(&session), "First, edited.", Some(&first)).await;
    let page = desk.page(&session, None, 2).await;
    assert_eq!((shown(&page), page.replaced.len(), page.earlier), (vec![&again], 3, None));
    let (_, last) = desk.said(Some(&session), "Fourth.", None).await;
    let page = desk.page(&session, None, 1).await;
    assert_eq!(shown(&page), [&last]);
    let page = desk.page(&session, page.earlier, 1).await;
    assert_eq!((shown(&page), page.earlier), (vec![&again], None));
}

#[tokio::test]
async fn a_replaced_turn_is_in_no_export_for_readers_and_in_the_log() {
    let (desk, session, _) = Desk::edited().await;
    for format in [ExportFormat::Markdown, ExportFormat::Html] {
        let text = desk.exported(&session, format).await.text.expect("it is short");
        assert!(text.contains("Other.") && !text.to_lowercase().contains("zebra"), "{text}");
    }
    let lines = desk.exported(&session, ExportFormat::Jsonl).await.text.expect("it is short");
    assert!(lines.contains("zebra"), "{lines}");
    for (format, name) in [
        (TransferFormat::Jsonl, "a.jsonl"),
        (TransferFormat::Markdown, "a.md"),
        (TransferFormat::Html, "a.html"),
    ] {
        let path = desk.folder.path().join(name);
        let export = ExportOptions {
            sessions: vec![session.clone()],
            format,
            path: Some(path.display().to_string()),
            ..ExportOptions::default()
        };
        desk.call(Request::ExportWrite(export)).await;
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("Other.") && !text.to_lowercase().contains("zebra"), "{text}");
    }
}

#[tokio::test]
async fn a_replaced_turn_is_not_found() {
    let (desk, session, [_, _, third]) = Desk::edited().await;
    assert_eq!(desk.found("zebra").await.sessions.len(), 0);
    let hits = desk.found("edited").await;
    let runs: Vec<&str> =
        hits.sessions.iter().flat_map(|hit| &hit.messages).map(|message| message.run.as_str()).collect();
    assert_eq!((hits.sessions[0].session.session.as_str(), runs), (session.as_str(), vec![third.0.as_str()]));
}

#[tokio::test]
async fn a_message_after_a_mission_goes_on_from_its_report() {
    let provider = ScriptedProvider::answering(|request| {
        let is_message = format!("{:?}", request.messages).contains("And now?");
        Answer::text(if is_message { "Done." } else { r#"{"text":"A machine that moves water."}"# })
    });
    let desk = Desk::new(provider).await;
    let mission = desk.mission().await;
    // However it ends.
    let _ = desk.local.engine().wait(&mission).await;
    let session = desk.local.engine().parts().store.get_run(&mission.0).await.unwrap().session;
    let (_, turn) = desk.said(Some(&session), "And now?", None).await;
    let view = desk.view(&turn).await;
    assert_eq!((view.head.answer.as_deref(), view.head.previous), (Some("Done."), Some(mission)));
    let request = desk.provider.requests().pop().unwrap();
    let said = format!("{:?}", request.messages);
    assert!(said.contains("What is a pump?") && said.contains("And now?"), "{said}");
    let branch = answer!(desk.call(Request::SessionBranch { run: turn }).await, Branched);
    let page = desk.page(&branch, None, 0).await;
    assert_eq!(page.turns.first().unwrap().message.text, "What is a pump?");
    assert_eq!(page.turns.len(), 2);
}
