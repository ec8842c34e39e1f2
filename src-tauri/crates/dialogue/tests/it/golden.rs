//! The form of the log: what was written once must be read for ever.

use dialogue::{
    Bounds, End, Event, ExecutionPhase, Origin, PlanSubmission, Purpose, Record, State, Status, Stop,
    ToolEnd, Verdict,
};
use domain::{
    AgentSlug, Budget, Covers, Digest, ErrorCode, GrantScope, Mode, NanoUsd, Offer, Problem, Question,
    QuestionOption, Reserve, Ruling, RunId, SessionId, Show, Task, TaskStatus, Usage,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{
    Rig, allow, ask, bounded, deny, digest, ended, failed, question, read, reserve, same, unknown,
    with_answer, write,
};

const GOLDEN: &str = include_str!("../golden/v1.jsonl");

/// One turn with most types of events.
fn lived() -> Rig {
    let bounds = Bounds { iterations: 6, repeats: 2, parallel: 2, tries: 2, ..Bounds::default() };
    let budget = Budget { cost: Some(NanoUsd(900)), tokens: Some(5_000), active_ms: Some(60_000) };
    let mut turn = Rig::within(Bounds { budget, ..bounds });
    turn.active_ms = 2;
    turn.request();
    turn.crash();
    turn.fails(Some(40));
    turn.push(Event::Waited { call: 1 });
    turn.answers("I look first", &[read("a"), read("b"), unknown("c"), write("d")], Stop::WantsTools);
    turn.ends("c", ToolEnd::Failed);
    turn.decides("a", allow());
    turn.decides("b", ask());
    turn.starts("a");
    turn.steers("mind the tests");
    turn.push(Event::ModeChanged { mode: Mode::Safe });
    turn.decides("b", ask());
    let grant = "g1".to_owned();
    turn.person(
        "b",
        Verdict::Allowed { scope: GrantScope::Session, grant, confined: domain::Walls::Confined },
    );
    turn.push(Event::Suspended);
    turn.crash();
    turn.push(Event::Continued);
    turn.starts("a");
    turn.starts("b");
    turn.push(Event::QuestionAsked { call: "b".to_owned(), question: question() });
    turn.ends("a", ToolEnd::Ok);
    turn.push(Event::QuestionAnswered { call: "b".to_owned(), answer: "both".to_owned() });
    turn.ends("b", ToolEnd::Ok);
    turn.decides("d", allow());
    turn.starts("d");
    turn.crash();
    turn.push(Event::Repinned { pinned: digest("another model") });
    turn.needs_compaction();
    turn.says("summary");
    turn.compacts(true);
    turn.says("");
    turn.nudges();
    turn.calls(&[same("e", "x"), same("f", "x")]);
    turn.decides("e", deny());
    turn.decides("f", allow());
    turn.ends("e", ToolEnd::Denied);
    turn.push(Event::StopRequested);
    turn.ends("f", ToolEnd::Stopped);
    turn.push(Event::Retried);
    turn.nudges();
    turn.fails(None);
    turn.push(Event::Retried);
    turn.reserve = 500;
    turn.push(Event::TooDear { call: 6, purpose: Purpose::Step, reserve: reserve(500) });
    turn.says("as far as I came");
    turn
}

#[test]
fn the_golden_log_of_version_1_still_folds_to_the_same_turn() {
    let mut state = State::default();
    for line in GOLDEN.lines() {
        state.apply(&serde_json::from_str::<Record>(line).unwrap()).unwrap();
    }
    assert_eq!((state.status(), state.phase), (Status::Completed, ExecutionPhase::Response));
    assert_eq!((state.end.clone(), state.answer), (Some(bounded("cost")), with_answer("as far as I came")));
    let ends: Vec<_> = state.tools.iter().map(|(id, call)| (id.as_str(), call.end)).collect();
    use ToolEnd::{Denied, Failed, Ok, Stopped, Unknown};
    assert_eq!(
        ends,
        [
            ("a", Some(Ok)),
            ("b", Some(Ok)),
            ("c", Some(Failed)),
            ("d", Some(Unknown)),
            ("e", Some(Denied)),
            ("f", Some(Stopped)),
        ]
    );
    assert_eq!((state.iterations, state.tool_calls_made, state.model_calls.len()), (3, 6, 6));
    assert_eq!((state.cost, state.usage.input, state.doubtful), (NanoUsd(56), 56, reserve(100)));
    assert_eq!((state.entries.len(), state.mode, state.context), (8, Mode::Safe, 50));
    assert_eq!(state.pinned, Some(digest("another model")));
    assert_eq!(state.fallback, with_answer("I look first"));
    assert_eq!((state.tools["b"].answer.as_deref(), state.tools["a"].started_at), (Some("both"), Some(1)));
}

/// `UPDATE_GOLDEN=1` writes the log of a new version; logs of released versions stay as they are.
#[test]
fn this_version_still_writes_the_golden_log() {
    let lines: Vec<String> =
        lived().log.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    let written = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = format!("{}/tests/golden/v{}.jsonl", env!("CARGO_MANIFEST_DIR"), dialogue::EVENT_VERSION);
        std::fs::write(path, &written).unwrap();
        return;
    }
    assert!(
        written == GOLDEN,
        "the log of the golden turn differs: raise EVENT_VERSION and keep reading the old one"
    );
}

/// Every kind of event, with everything that it can hold.
fn every_event() -> Vec<Event> {
    let id = || "call \u{2028} 1".to_owned();
    let problem = Problem::new(ErrorCode::Deadline, "too long").with_action("wait").retryable();
    let usage =
        Usage { input: 1, output: 2, thinking: 3, cache_read: 4, cache_write: 5, cache_write_long: u64::MAX };
    let budget = Budget { cost: Some(NanoUsd(u64::MAX)), tokens: Some(1), active_ms: Some(2) };
    let started = |origin| Event::TurnStarted {
        session: SessionId::from("s"),
        agent: Some(AgentSlug::from("a")),
        origin,
        message: digest("m"),
        previous: Some(RunId::from("before")),
        pinned: digest("p"),
        mode: Mode::AllowAll,
        bounds: Bounds { budget, ..Bounds::default() },
    };
    let requested = |purpose| Event::ModelRequested {
        call: 1,
        r#try: 2,
        purpose,
        tools: true,
        request: digest("r"),
        reserve: reserve(9),
        tokens: u64::MAX,
    };
    let answered = |stop| Event::ModelAnswered {
        call: 1,
        answer: digest("a"),
        text: Some(digest("t")),
        stop,
        tools: vec![read("a"), unknown("b")],
        usage,
        cost: NanoUsd(3),
        equivalent: NanoUsd(4),
        request_id: Some("req_1".to_owned()),
        notes: vec!["a call was cut".to_owned()],
    };
    let decided = |ruling| Event::ToolJudged {
        call: id(),
        ruling,
        preview: Some(digest("p")),
        intent: "Søk".to_owned(),
    };
    let verdict = |verdict| Event::ToolAnswered { call: id(), verdict };
    let shows = vec![
        Show::Change {
            path: "/home/eva/a".to_owned(),
            before: None,
            after: Some(digest("b")),
            added: 1,
            removed: 0,
        },
        Show::Tasks { tasks: vec![Task { text: "t".to_owned(), status: TaskStatus::Doing }] },
        Show::Plan { title: "t".to_owned(), text: "# t".to_owned(), path: "/home/eva/p.md".to_owned() },
        Show::Media { media_type: "image/png".to_owned(), data: digest("d"), name: "n".to_owned() },
        Show::Background { shell: "1".to_owned() },
        Show::Value { value: json!({ "end": 0.1 + 0.2, "event": [null, -1, u64::MAX], "seq": "" }) },
    ];
    let options = vec![QuestionOption { label: "A".to_owned(), description: String::new() }];
    let covers = [
        Covers::Any,
        Covers::Arguments(Digest([255; 32])),
        Covers::Command(vec!["git".to_owned(), "commit".to_owned()]),
        Covers::Path("/home/eva".to_owned()),
        Covers::Host("example.org".to_owned()),
        Covers::Request("GET".to_owned(), "/a".to_owned()),
    ];
    let offer = |covers| Offer { scope: GrantScope::Always, covers, words: "w".to_owned() };
    let asks = Ruling::Ask { why: "w".to_owned(), offers: covers.map(offer).to_vec() };
    let denies = Ruling::Deny { why: "w".to_owned(), instead: Some("i".to_owned()) };
    let ended_as = |end| Event::ToolEnded {
        call: id(),
        end,
        result: digest("r"),
        summary: "s".to_owned(),
        show: shows.clone(),
        ms: 1,
        ends: true,
    };
    let ends = |end| Event::TurnEnded { end, answer: Some(digest("a")) };
    let mut events = vec![
        started(Origin::Person),
        started(Origin::Stage { run: RunId::from("r"), stage: "s".to_owned() }),
        started(Origin::Compaction),
        started(Origin::Plan(Box::new(PlanSubmission {
            title: "t".to_owned(),
            text: "# p".to_owned(),
            path: "plans/t.md".to_owned(),
        }))),
        Event::Repinned { pinned: digest("p") },
        Event::ModeChanged { mode: Mode::Safe },
        Event::CompactionNeeded { tokens: 9, window: 8 },
        Event::TooDear { call: 1, purpose: Purpose::Step, reserve: Reserve::default() },
        failed(1, None, true),
        Event::ModelFailed {
            call: 1,
            problem: problem.clone(),
            retry_ms: Some(0),
            too_long: false,
            shown: None,
            usage,
            cost: NanoUsd(u64::MAX),
            response_id: None,
        },
        Event::ModelFailed {
            call: 1,
            problem: problem.clone(),
            retry_ms: None,
            too_long: false,
            shown: Some(digest("s")),
            usage,
            cost: NanoUsd(0),
            response_id: None,
        },
        Event::ModelAccepted { call: 1, response_id: "resp_1".to_owned() },
        Event::ModelUnknown { call: 1 },
        Event::Waited { call: 1 },
        Event::Compacted { summary: digest("s"), by_model: false, before: 2, after: 1, checkpoint: None },
        Event::Nudged { text: digest("n") },
        decided(Ruling::Allow { by: "b".into(), confined: domain::Walls::Confined }),
        decided(asks),
        decided(denies),
        verdict(Verdict::Allowed {
            scope: GrantScope::Once,
            grant: "g".to_owned(),
            confined: domain::Walls::Confined,
        }),
        verdict(Verdict::Denied { reason: "r".to_owned() }),
        Event::ToolStarted { call: id() },
        Event::ToolModelRequested { call: id(), question: digest("q"), reserve: reserve(7) },
        Event::ToolModelEnded {
            call: id(),
            answer: Some(digest("a")),
            usage,
            cost: NanoUsd(1),
            equivalent: NanoUsd(2),
        },
        Event::QuestionAsked {
            call: id(),
            question: Question { text: "q".to_owned(), options, several: true },
        },
        Event::QuestionAnswered { call: id(), answer: "a".to_owned() },
        ended("a", ToolEnd::Ok, false),
        Event::Steered { message: digest("m") },
        Event::Responding { why: "answered".to_owned() },
        Event::StopRequested,
        Event::Suspended,
        Event::Continued,
        ends(End::Answered),
        ends(bounded("cost")),
        ends(End::Handed),
        ends(End::Stopped),
        Event::TurnEnded { end: End::Failed { problem }, answer: None },
        Event::Retried,
    ];
    events.extend([Purpose::Step, Purpose::Final, Purpose::Compact].map(requested));
    let stops = [
        Stop::Ended,
        Stop::WantsTools,
        Stop::Unclear,
        Stop::Cut,
        Stop::Refused,
        Stop::Withheld,
        Stop::Unexplained,
    ];
    events.extend(stops.map(answered));
    let tool_ends = [ToolEnd::Ok, ToolEnd::Failed, ToolEnd::Denied, ToolEnd::Stopped, ToolEnd::Unknown];
    events.extend(tool_ends.map(ended_as));
    events
}

#[test]
fn every_event_survives_its_written_form() {
    for (index, event) in every_event().into_iter().enumerate() {
        let name = event.name();
        let record = Record { seq: index as u64 + 1, at: u64::MAX, v: 1, active_ms: index as u64 % 2, event };
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains(&format!("\"event\":\"{name}\"")), "{text}");
        assert!(!text.contains('\n'), "a record is one line");
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record, "{text}");
    }
}

#[test]
fn malformed_records_are_errors_and_nothing_else() {
    let whole = serde_json::to_string(&Record {
        seq: 1,
        at: 1,
        v: 1,
        active_ms: 0,
        event: every_event().swap_remove(1),
    })
    .unwrap();
    for end in 0..whole.len() {
        assert!(serde_json::from_str::<Record>(&whole[..end]).is_err());
    }
    for text in [
        "{}",
        "null",
        r#"{"seq":1,"at":1,"v":1}"#,
        r#"{"seq":1,"at":1,"v":1,"event":"no_such"}"#,
        r#"{"seq":-1,"at":1,"v":1,"event":"suspended"}"#,
        r#"{"seq":1,"at":1,"v":1,"event":"turn_ended","end":"no_such"}"#,
        r#"{"seq":1,"at":1,"v":1,"event":"nudged","text":"xyz"}"#,
    ] {
        assert!(serde_json::from_str::<Record>(text).is_err(), "{text}");
    }
}
