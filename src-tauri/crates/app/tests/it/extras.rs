//! What the tools of conversations need of the program: another question to the model, rules that reach into commands,
//! the person's search path, text that is being written.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use app::{Local, Options, Request};
use domain::{Mode, RunId, UserMessage};
use engine::turn::{StepKind, StepStatus, TurnStatus, TurnView};
use llm::{Answer, ModelRequest, Part, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{SessionCopy, SettingsPatch, SetupPatch, TurnSend, UsageQuery};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::answer;

pub struct Desk {
    pub local: Local,
    pub provider: ScriptedProvider,
    pub folder: TempDir,
}

impl Desk {
    pub async fn new(provider: ScriptedProvider) -> Self {
        Self::over(TempDir::new().unwrap(), provider).await
    }

    async fn over(folder: TempDir, provider: ScriptedProvider) -> Self {
        std::fs::create_dir_all(folder.path().join("work")).unwrap();
        let named: Arc<dyn llm::Provider> = Arc::new(provider.clone());
        let options = Options {
            home: folder.path().join("home"),
            program: env!("CARGO_BIN_EXE_app-guard").into(),
            providers: BTreeMap::from([("scripted".to_owned(), named)]),
            hosts: None,
        };
        Self { local: Local::open(options).await.unwrap(), provider, folder }
    }

    /// The same data directory in what stands for a new process.
    pub async fn reopened(self) -> Self {
        for run in self.local.engine().live() {
            self.local.engine().suspend(&run).await.unwrap();
            self.local.engine().wait(&run).await.unwrap();
        }
        self.local.close().await.unwrap();
        let Self { local, provider, folder } = self;
        drop(local);
        Self::over(folder, provider).await
    }

    /// What a process that was killed now would leave behind, with another model.
    pub async fn killed(&self, provider: ScriptedProvider) -> Self {
        let folder = TempDir::new().unwrap();
        let home = folder.path().join("home");
        std::fs::create_dir(&home).unwrap();
        for entry in std::fs::read_dir(self.folder.path().join("home")).unwrap().flatten() {
            if entry.file_type().unwrap().is_file() {
                std::fs::copy(entry.path(), home.join(entry.file_name())).unwrap();
            }
        }
        Self::over(folder, provider).await
    }

    pub async fn call(&self, request: Request) -> app::Response {
        self.local.call(request).await.unwrap()
    }

    pub async fn begin(&self, mode: Mode) -> RunId {
        let work = self.folder.path().join("work").display().to_string();
        let send = TurnSend {
            message: UserMessage { text: "Go".to_owned(), ..UserMessage::default() },
            setup: SetupPatch { mode: Some(mode), folders: Some(vec![work]), ..SetupPatch::default() },
            connection: Some("scripted".to_owned()),
            ..TurnSend::default()
        };
        answer!(self.call(Request::TurnSend(Box::new(send))).await, Sent).turn.unwrap()
    }

    pub async fn view(&self, run: &RunId) -> TurnView {
        *answer!(self.call(Request::TurnShow { run: run.clone() }).await, Turn)
    }

    pub async fn turn(&self, mode: Mode) -> TurnView {
        let run = self.begin(mode).await;
        let ended = tokio::time::timeout(Duration::from_secs(60), self.local.engine().wait(&run));
        ended.await.expect("the turn goes on").unwrap();
        self.view(&run).await
    }

    /// What the tool gave, as the model was shown it.
    pub fn result(&self) -> String {
        let requests = self.provider.requests();
        let parts = requests.last().into_iter().flat_map(|request| &request.messages);
        let results = parts.flat_map(|message| &message.parts).filter_map(|part| match part {
            Part::ToolResult { content, .. } => Some(content.clone()),
            _ => None,
        });
        results.collect()
    }
}

/// A model that makes one call, and is done when it has its result.
pub fn calling(tool: &'static str, arguments: Value) -> ScriptedProvider {
    ScriptedProvider::answering(move |request: &ModelRequest| {
        if request.tools.is_empty() {
            return Answer::text("Four.");
        }
        let done = request
            .messages
            .iter()
            .any(|message| message.parts.iter().any(|part| matches!(part, Part::ToolResult { .. })));
        if done { Answer::text("All done.") } else { Answer::text("").call(tool, arguments.clone()) }
    })
}

#[tokio::test]
async fn a_model_is_asked_in_explore_too_and_the_usage_page_adds_it() {
    let desk = Desk::new(calling("call_model", json!({"prompt": "How many legs has a chair?"}))).await;
    let turn = desk.turn(Mode::Safe).await;
    assert_eq!(turn.head.status, TurnStatus::Completed, "{:?}", turn.head.problem);
    assert_eq!(desk.result(), "Four.");
    let query = UsageQuery::default();
    let usage = *answer!(desk.call(Request::UsageShow(query)).await, Usage);
    assert_eq!(usage.total.calls, 3);
    let asked = desk.provider.requests();
    assert_eq!(asked[1].messages[0].content, "How many legs has a chair?");
}

#[tokio::test]
async fn a_conversation_is_titled_by_its_model_where_the_person_wants_that() {
    let titling = ScriptedProvider::answering(|request: &ModelRequest| {
        if request.system.contains("title") && request.messages[0].content.contains("<answer>") {
            Answer::text("**Going there**\nbecause it says Go")
        } else {
            Answer::text("Went.")
        }
    });
    let desk = Desk::new(titling).await;
    let title = async |run: &RunId| {
        let session = desk.view(run).await.head.session.0;
        let shown = Request::SessionShow { session: session.clone(), before: None, limit: 0 };
        let row = answer!(desk.call(shown).await, SessionState).session;
        (session, row.title)
    };
    // By itself nothing is asked.
    let plain = desk.turn(Mode::Safe).await;
    let (session, first) = title(&plain.head.run).await;
    assert_eq!((first.as_str(), desk.provider.requests().len()), ("Go", 1));
    // When asked for, it is titled, and that is on the bill.
    let of = SessionCopy { session: session.clone() };
    assert_eq!(answer!(desk.call(Request::SessionTitle(of)).await, Titled), "Going there");
    assert_eq!(title(&plain.head.run).await.1, "Going there");
    let usage = *answer!(desk.call(Request::UsageShow(UsageQuery::default())).await, Usage);
    assert_eq!(usage.total.calls, 2);
    // With the setting, after the first answer.
    let on = SettingsPatch { model_titles: Some(true), ..SettingsPatch::default() };
    desk.call(Request::SettingsUpdate(on)).await;
    let mut told = desk.local.events();
    let titled = desk.turn(Mode::Safe).await;
    let wait = async {
        while title(&titled.head.run).await.1 == "Go" {
            let _ = told.recv().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), wait).await.expect("it gets a title");
    assert_eq!(title(&titled.head.run).await.1, "Going there");
    // A session without an answer of a conversation says so.
    let nowhere = Request::SessionTitle(SessionCopy { session: "none".to_owned() });
    assert!(desk.local.call(nowhere).await.is_err());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_confined_search_finds_nothing_in_files_that_rules_keep_from_being_read() {
    let desk = Desk::new(calling("shell", json!({"command": "grep -rl needle ."}))).await;
    let permissions = answer!(desk.call(Request::PermissionShow).await, Permissions);
    let work = desk.folder.path().join("work");
    std::fs::create_dir(work.join("sub")).unwrap();
    for file in [".env", "plain.txt", "sub/server.key", "sub/.env.local"] {
        std::fs::write(work.join(file), "needle").unwrap();
    }
    for mode in [Mode::Safe, Mode::Ask] {
        let turn = desk.turn(mode).await;
        let StepKind::Tool { summary, .. } = &turn.steps[1].kind else { panic!("{:?}", turn.steps) };
        if !permissions.can_confine {
            continue;
        }
        let result = desk.result();
        assert!(result.contains("./plain.txt"), "{summary}: {result}");
        let found: Vec<&str> = result.lines().filter(|line| !line.contains("Permission denied")).collect();
        assert!(!found.iter().any(|line| line.contains(".env") || line.contains(".key")), "{result}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_is_not_found_names_where_it_was_searched_for() {
    let desk = Desk::new(calling("shell", json!({"command": "no-such-program-anywhere"}))).await;
    desk.turn(Mode::AllowAll).await;
    let result = desk.result();
    assert!(result.contains("Programs were searched for in PATH=/"), "{result}");
}

#[tokio::test]
async fn a_session_that_is_opened_in_the_middle_of_an_answer_has_its_beginning() {
    let answer = Answer::text("The beginning of a long answer").hang_after(1);
    let desk = Desk::new(ScriptedProvider::queue([answer])).await;
    let mut told = desk.local.engine().subscribe_turns();
    let run = desk.begin(Mode::Ask).await;
    loop {
        let event = tokio::time::timeout(Duration::from_secs(20), told.recv()).await.unwrap().unwrap();
        if matches!(event.kind, engine::turn::TurnUiKind::Delta { .. }) {
            break;
        }
    }
    let session = desk.view(&run).await.head.session.0;
    let request = Request::SessionShow { session, before: None, limit: 0 };
    let state = *answer!(desk.call(request).await, SessionState);
    let step = state.turns[0].steps.last().unwrap();
    assert_eq!(step.status, StepStatus::Running);
    assert!(
        matches!(&step.kind, StepKind::Model { text, .. } if text.starts_with("The beginning")),
        "{step:?}"
    );
    desk.call(Request::TurnStop { run }).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_turn_is_told_of_its_folder_once_and_keeps_that_to_its_end() {
    let arguments = json!({"file_path": "made.txt", "content": "x"});
    let desk = Desk::new(calling("write", arguments)).await;
    let work = desk.folder.path().join("work");
    std::fs::write(work.join("AGENTS.md"), "Indent with tabs.").unwrap();
    std::fs::write(desk.folder.path().join("secret.md"), "not for models").unwrap();
    std::os::unix::fs::symlink(desk.folder.path().join("secret.md"), work.join("CLAUDE.md")).unwrap();
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        let done = git.args(words).current_dir(&work).env("GIT_CONFIG_GLOBAL", "/dev/null").output();
        done.is_ok_and(|done| done.status.success())
    };
    // What a repository says of itself must not run.
    let hook = format!("touch {}", work.join("ran").display());
    let there = git(&["init", "-q", "-b", "trunk"]) && git(&["config", "core.fsmonitor", &hook]);
    desk.turn(Mode::AllowAll).await;
    let requests = desk.provider.requests();
    let system = &requests[0].system;
    assert!(system.contains("Indent with tabs.") && !system.contains("not for models"), "{system}");
    assert!(system.contains("Today is "), "{system}");
    assert!(!there || system.contains("(git repository, branch `trunk`"), "{system}");
    // The turn itself changed the folder.
    assert_eq!(std::fs::read_to_string(work.join("made.txt")).unwrap(), "x");
    assert!(requests.len() == 2 && requests[1].system == *system);
    assert!(!work.join("ran").exists());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_may_write_runs_in_explore_in_a_copy_that_is_thrown_away() {
    let desk = Desk::new(calling("shell", json!({"command": "echo new > made; cat made kept"}))).await;
    let permissions = answer!(desk.call(Request::PermissionShow).await, Permissions);
    let work = desk.folder.path().join("work");
    std::fs::write(work.join("kept"), "old\n").unwrap();
    desk.turn(Mode::Safe).await;
    let result = desk.result();
    if permissions.can_confine {
        let expected = "new\nold\n[It ran in a copy without network; its changes were discarded.]\n";
        assert_eq!(result, expected);
    } else {
        assert!(result.contains("into a plan"), "{result}");
    }
    assert!(!work.join("made").exists());
}

#[tokio::test]
async fn a_wrong_argument_is_told_with_the_right_ones() {
    let desk = Desk::new(calling("shell", json!({"command": "true", "timeout": 5000}))).await;
    desk.turn(Mode::Ask).await;
    let result = desk.result();
    assert!(result.contains("there is no argument `timeout`, but `timeout_seconds`"), "{result}");
    assert!(result.contains("command (string, required)"), "{result}");
}
