//! Statuses, labels, views and search, over sessions of a real store.

use app::{Request, Response};
use domain::{ErrorCode, RunId, SessionId};
use engine::turn::{ImportedPart, ImportedTurn, told_commits};
use organise::{Category, Group};
use pretty_assertions::assert_eq;
use protocol::{
    ContentHits, ContentQuery, GroupFilter, GroupQuery, LabelEdit, RuleTry, SessionPatch, SessionQuery,
    StatusEdit, ViewEdit, ViewTry,
};

use crate::world::{World, answer};

/// Stores a conversation of one turn.
async fn say(world: &World, session: &str, title: &str, question: &str, reply: &str) {
    let commits = told_commits(ImportedTurn {
        run: RunId(format!("{session}-turn")),
        session: store::NewSession {
            id: session.to_owned(),
            title: title.to_owned(),
            ..store::NewSession::default()
        },
        agent: String::new(),
        previous: None,
        mode: domain::Mode::Safe,
        model: "a-model".to_owned(),
        at: 1_700_000_000_000,
        message: domain::UserMessage { text: question.to_owned(), ..domain::UserMessage::default() },
        said: vec![ImportedPart::Text { at: 1_700_000_000_000, text: reply.to_owned() }],
    });
    for commit in commits.unwrap() {
        world.local.engine().parts().store.commit(commit).await.unwrap();
    }
    assert_eq!(SessionId(session.to_owned()).0, session);
}

async fn search(world: &World, line: &str) -> ContentHits {
    let query = ContentQuery { line: line.to_owned(), ..ContentQuery::default() };
    *answer!(world.call(Request::ContentSearch(query)).await, ContentHits)
}

async fn found(world: &World, line: &str) -> Vec<String> {
    search(world, line).await.sessions.into_iter().map(|hit| hit.session.session).collect()
}

async fn listed(world: &World, query: SessionQuery) -> Vec<String> {
    let page = answer!(world.call(Request::SessionList(query)).await, Sessions);
    assert_eq!(page.mistakes, []);
    page.sessions.into_iter().map(|row| row.session).collect()
}

async fn change(world: &World, session: &str, patch: SessionPatch) {
    let request = Request::SessionUpdate { sessions: vec![session.to_owned()], patch };
    assert_eq!(world.call(request).await, Response::Done);
}

fn labelled(labels: &[&str]) -> SessionPatch {
    let add_labels = labels.iter().map(|label| (*label).to_owned()).collect();
    SessionPatch { add_labels, ..SessionPatch::default() }
}

async fn three(world: &World) {
    say(world, "one", "Materiality of Acme", "How is materiality set?", "By judgement and benchmarks.").await;
    say(world, "two", "Going concern", "What of doubt?", "Performance materiality is lower.").await;
    say(world, "three", "Leases", "Right of use?", "Discounted payments.").await;
}

#[tokio::test]
async fn a_search_finds_titles_messages_and_slips() {
    let world = World::new().await;
    three(&world).await;
    let hits = search(&world, "materiality").await;
    let ids: Vec<&str> = hits.sessions.iter().map(|hit| hit.session.session.as_str()).collect();
    assert_eq!(ids, ["one", "two"]);
    let first = &hits.sessions[0];
    assert!(first.title.iter().any(|piece| piece.hit && piece.text == "Materiality"));
    assert_eq!((first.messages[0].role.as_str(), first.found), ("user", 1));
    assert!(first.messages[0].text.iter().any(|piece| piece.hit && piece.text == "materiality"));
    assert_eq!(found(&world, "\"performance materiality\"").await, ["two"]);
    assert_eq!(found(&world, "materiality -benchmarks").await, ["one", "two"]);
    assert_eq!(found(&world, "discou").await, ["three"]);
    assert_eq!(found(&world, "discou ").await, [] as [&str; 0]);
    let slip = search(&world, "leasses ").await;
    assert_eq!(slip.sessions.len(), 1);
    assert_eq!(slip.meant.as_deref(), Some("leases "));
    for hostile in ["", "\"", "((", "-", "label:", "NEAR/2", "💥 *", "a:b:c"] {
        search(&world, hostile).await;
    }
    let wrong = search(&world, "status:nonsense").await;
    assert_eq!((wrong.sessions.len(), wrong.mistakes.len()), (0, 1));
    // In company, too: without the wrong filter more would be listed than was asked for.
    let line = Some("label:nonsense is:open".to_owned());
    let page = answer!(
        world.call(Request::SessionList(SessionQuery { line, ..SessionQuery::default() })).await,
        Sessions
    );
    assert_eq!((page.sessions.len(), page.mistakes.len()), (0, 1));
    let wrong = search(&world, "materiality label:nonsense").await;
    assert_eq!((wrong.sessions.len(), wrong.mistakes.len()), (0, 1));
    let query = ContentQuery { line: "has:do".to_owned(), caret: Some(6), ..ContentQuery::default() };
    let completed = answer!(world.call(Request::ContentSearch(query)).await, ContentHits).completions;
    assert_eq!(completed.items[0].insert, "document");
    assert_eq!((completed.replace.start, completed.replace.end), (4, 6));
}

#[tokio::test]
async fn a_slip_in_a_word_that_only_texts_have_is_forgiven() {
    let world = World::new().await;
    three(&world).await;
    let slip = search(&world, "Discountd payments ").await;
    assert_eq!(slip.meant.as_deref(), Some("discounted payments "));
    let ids: Vec<&str> = slip.sessions.iter().map(|hit| hit.session.session.as_str()).collect();
    assert_eq!(ids, ["three"]);
    assert!(slip.sessions[0].messages[0].text.iter().any(|piece| piece.hit && piece.text == "Discounted"));
    // Also two slips among the first letters.
    assert_eq!(search(&world, "idxscounted payments ").await.meant.as_deref(), Some("discounted payments "));
    // Within the filters alone, and within the session that is searched.
    let filtered = search(&world, "discountd -is:open ").await;
    assert_eq!((filtered.sessions.len(), filtered.meant), (0, None));
    for (session, found) in [("three", 1), ("one", 0)] {
        let query = ContentQuery {
            line: "discountd ".to_owned(),
            session: Some(session.to_owned()),
            ..ContentQuery::default()
        };
        let hits = answer!(world.call(Request::ContentSearch(query)).await, ContentHits);
        assert_eq!((hits.sessions.len(), hits.meant.is_some()), (found, found == 1), "{session}");
    }
    // What nothing is near to, and numbers, are not corrected.
    for line in ["xylophones ", "20244 ", "discountd20 ", "\"discountd payments\" "] {
        let none = search(&world, line).await;
        assert_eq!((none.sessions.len(), none.meant, none.suggested), (0, None, None), "{line}");
    }
}

#[tokio::test]
async fn a_word_that_one_text_has_and_many_have_nearly_is_offered() {
    let world = World::new().await;
    say(&world, "slip", "First", "What of depreciatoin?", "Nothing.").await;
    for number in 0..10 {
        say(&world, &format!("s{number}"), "Other", "What now?", "Depreciation is charged.").await;
    }
    let hits = search(&world, "depreciatoin ").await;
    let ids: Vec<&str> = hits.sessions.iter().map(|hit| hit.session.session.as_str()).collect();
    assert_eq!((ids, hits.meant.as_deref()), (vec!["slip"], None));
    assert_eq!(hits.suggested.as_deref(), Some("depreciation "));
    assert_eq!(search(&world, "depreciation ").await.suggested, None);
    // Of texts that are gone no word is offered.
    for number in 0..10 {
        world.local.engine().parts().store.delete_session(&format!("s{number}")).await.unwrap();
    }
    assert_eq!(search(&world, "depreciatoin ").await.suggested, None);
}

#[tokio::test]
async fn labels_statuses_views_and_groups_agree() {
    let world = World::new().await;
    three(&world).await;
    change(&world, "one", labelled(&["bug", "priority::3"])).await;
    change(&world, "two", labelled(&["priority::1"])).await;
    change(&world, "two", SessionPatch { status: Some("done".to_owned()), ..SessionPatch::default() }).await;
    let bad =
        Request::SessionUpdate { sessions: vec!["one".to_owned()], patch: labelled(&["no-such-label"]) };
    assert_eq!(world.local.call(bad).await.unwrap_err().code, ErrorCode::InvalidInput);
    let bad = SessionPatch { status: Some("dome".to_owned()), ..SessionPatch::default() };
    let bad = Request::SessionUpdate { sessions: vec!["one".to_owned()], patch: bad };
    let refused = world.local.call(bad).await.unwrap_err();
    assert_eq!(refused.action.as_deref(), Some("did you mean `done`?"));

    let line = |line: &str| SessionQuery { line: Some(line.to_owned()), ..SessionQuery::default() };
    assert_eq!(listed(&world, line("label:bug")).await, ["one"]);
    assert_eq!(listed(&world, line("label:priority")).await, ["two", "one"]);
    assert_eq!(listed(&world, line("priority>2")).await, [] as [&str; 0]);
    assert_eq!(listed(&world, line("label:priority>2")).await, ["one"]);
    assert_eq!(listed(&world, line("is:closed")).await, ["two"]);
    assert_eq!(listed(&world, line("is:open acme")).await, ["one"]);
    let by = SessionQuery { status: Some("todo".to_owned()), ..SessionQuery::default() };
    assert_eq!(listed(&world, by).await, ["three", "one"]);
    let by = SessionQuery { label: Some("bug".to_owned()), ..SessionQuery::default() };
    assert_eq!(listed(&world, by).await, ["one"]);

    for (by, expected) in [
        (Group::Status, vec![("todo", 2), ("done", 1)]),
        (Group::Label, vec![("bug", 1), ("priority", 2), ("", 1)]),
        (Group::Unread, vec![("read", 3)]),
        (Group::Date, vec![("older", 3)]),
    ] {
        let request = Request::SessionGroups(GroupQuery { list: SessionQuery::default(), by });
        let groups = answer!(world.call(request).await, Groups);
        let rows: Vec<(&str, u32)> =
            groups.iter().map(|group| (group.key.as_str(), group.sessions)).collect();
        assert_eq!(rows, expected, "{by:?}");
        for group in &groups {
            let of = GroupFilter { by, key: group.key.clone() };
            let query = SessionQuery { group: Some(of), ..SessionQuery::default() };
            assert_eq!(listed(&world, query).await.len(), group.sessions as usize, "{by:?} {}", group.key);
        }
    }
    let view = ViewEdit::Add {
        name: "Urgent".to_owned(),
        description: None,
        color: None,
        expression: "labelValue(\"priority\") >= 3".to_owned(),
        group_by: None,
        sort: Vec::new(),
    };
    let organisation = answer!(world.call(Request::ViewEdit(view)).await, Organisation);
    let view = organisation.views.iter().find(|view| view.name == "Urgent").unwrap();
    assert_eq!((view.sessions, view.id.as_str()), (Some(1), "urgent"));
    let by = SessionQuery { saved: Some("urgent".to_owned()), ..SessionQuery::default() };
    assert_eq!(listed(&world, by).await, ["one"]);
    let status = |id: &str| organisation.statuses.iter().find(|status| status.id == id).unwrap().sessions;
    assert_eq!((status("todo"), status("done")), (2, 1));

    let tried = ViewTry { expression: "isFlaged".to_owned(), caret: Some(4) };
    let tried = answer!(world.call(Request::ViewTry(tried)).await, ViewTried);
    assert_eq!((tried.mistakes.len(), tried.sessions), (1, None));
    assert!(tried.completions.items.iter().any(|item| item.insert == "isFlagged"));
}

#[tokio::test]
async fn a_removed_status_or_label_leaves_no_session_behind() {
    let world = World::new().await;
    three(&world).await;
    let add = StatusEdit::Add {
        label: "Waiting for client".to_owned(),
        category: Category::Open,
        color: None,
        icon: None,
    };
    let organisation = answer!(world.call(Request::StatusEdit(add)).await, Organisation);
    let own = organisation.statuses.last().unwrap().id.clone();
    change(&world, "one", SessionPatch { status: Some(own.clone()), ..SessionPatch::default() }).await;
    let remove = StatusEdit::Remove { id: own.clone(), instead: Some("needs-review".to_owned()) };
    let organisation = answer!(world.call(Request::StatusEdit(remove)).await, Organisation);
    assert!(organisation.statuses.iter().all(|status| status.id != own));
    let by = SessionQuery { status: Some("needs-review".to_owned()), ..SessionQuery::default() };
    assert_eq!(listed(&world, by).await, ["one"]);
    // Another default changes nothing that a session shows.
    let default = StatusEdit::Default { id: "in-progress".to_owned() };
    world.call(Request::StatusEdit(default)).await;
    let by = SessionQuery { status: Some("todo".to_owned()), ..SessionQuery::default() };
    assert_eq!(listed(&world, by).await, ["three", "two"]);

    let add = LabelEdit::Add { parent: None, name: "Client".to_owned(), color: None, value_type: None };
    world.call(Request::LabelEdit(add)).await;
    change(&world, "two", labelled(&["client"])).await;
    world.call(Request::LabelEdit(LabelEdit::Remove { id: "client".to_owned(), instead: None })).await;
    assert_eq!(world.session("two").await.session.labels, [] as [&str; 0]);
}

#[tokio::test]
async fn rules_label_what_is_asked() {
    let world = World::new().await;
    let rule = organise::AutoRule {
        pattern: r"\bISA (\d+)\b".to_owned(),
        flags: None,
        value_template: Some("$1".to_owned()),
        description: None,
        rest: serde_json::Map::new(),
    };
    let tried = RuleTry {
        label: "standard".to_owned(),
        value_type: Some(organise::ValueType::Number),
        rule: rule.clone(),
        text: "é ISA 320 and `ISA 330`".to_owned(),
    };
    let tried = answer!(world.call(Request::RuleTry(tried)).await, RuleTried);
    assert_eq!(tried.found.matches.len(), 1);
    assert_eq!(
        (tried.found.matches[0].at.start, tried.found.matches[0].entry.as_str()),
        (2, "standard::320")
    );
    let add = LabelEdit::Add {
        parent: None,
        name: "Standard".to_owned(),
        color: None,
        value_type: Some(organise::ValueType::Number),
    };
    world.call(Request::LabelEdit(add)).await;
    let change = LabelEdit::Change {
        id: "standard".to_owned(),
        name: None,
        color: None,
        value_type: None,
        auto_rules: Some(vec![rule]),
    };
    world.call(Request::LabelEdit(change)).await;
    let run = world.run(None, true).await;
    let state = world.state(&run).await;
    let row = world.session(&state.session).await.session;
    let named = state.request.contains("ISA ");
    assert_eq!(row.labels.iter().any(|label| label.starts_with("standard::")), named, "{}", state.request);
    assert!(
        found(&world, &state.request.split(' ').next_back().unwrap_or_default().replace('?', ""))
            .await
            .contains(&state.session)
    );
}
