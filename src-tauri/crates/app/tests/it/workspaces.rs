//! Several workspaces through the table: same slugs in two of them, sessions of their own, defaults, files that change
//! while the program runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::{Batches, Host, Options, Request, Response, RunRef, StartRun};
use domain::{ErrorCode, Mode, Problem, UserMessage};
use llm::{Answer, Provider, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{
    ApiEvent, ConfigProblemRow, SessionMove, SessionQuery, SettingsPatch, Tag, TurnSend, WorkspaceCreate,
    WorkspaceDefaultsView, WorkspaceFolder, WorkspaceRemove, WorkspaceRestore, WorkspaceRow, WorkspaceUpdate,
};
use tempfile::TempDir;

use crate::unfinished::researcher;
use crate::world::answer;

struct Place {
    host: Host,
    folder: TempDir,
}

impl Place {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { host: Host::open(options(folder.path())).await.unwrap(), folder }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn workspace(&self, slug: &str) -> PathBuf {
        self.home().join("workspaces").join(slug)
    }

    async fn call(&self, workspace: &str, request: Request) -> Response {
        self.asked(workspace, request).await.unwrap()
    }

    async fn asked(&self, workspace: &str, request: Request) -> Result<Response, Problem> {
        let workspace = (!workspace.is_empty()).then(|| workspace.to_owned());
        self.host.call_in(workspace, request).await
    }

    async fn create(&self, name: &str) -> WorkspaceRow {
        let create = WorkspaceCreate { name: name.to_owned(), ..WorkspaceCreate::default() };
        *answer!(self.call("", Request::WorkspaceCreate(create)).await, Workspace)
    }

    async fn list(&self) -> Vec<WorkspaceRow> {
        answer!(self.call("", Request::WorkspaceList).await, Workspaces)
    }

    async fn problems(&self) -> Vec<ConfigProblemRow> {
        self.problems_in("").await
    }

    async fn problems_in(&self, workspace: &str) -> Vec<ConfigProblemRow> {
        answer!(self.call(workspace, Request::ConfigProblems).await, ConfigProblems)
    }

    /// A message to the offline engine in a workspace; its session.
    async fn say(&self, workspace: &str) -> String {
        let message = UserMessage { text: "Hello.".to_owned(), ..UserMessage::default() };
        let send = TurnSend { message, ..TurnSend::default() };
        answer!(self.call(workspace, Request::TurnSend(Box::new(send))).await, Sent).session
    }

    async fn sessions(&self, workspace: &str) -> Vec<String> {
        let list = Request::SessionList(SessionQuery::default());
        let page = answer!(self.call(workspace, list).await, Sessions);
        page.sessions.into_iter().map(|row| row.session).collect()
    }

    async fn skills(&self, workspace: &str) -> Vec<String> {
        let rows = answer!(self.call(workspace, Request::SkillList { session: None }).await, Skills);
        rows.into_iter().map(|row| row.description).collect()
    }

    /// Waits until nothing is under way.
    async fn idle(&self) {
        while answer!(self.call("", Request::AppInfo).await, AppInfo).live_runs > 0 {
            tokio::task::yield_now().await;
        }
    }

    async fn close(self) {
        self.host.close().await.unwrap();
    }
}

fn options(folder: &Path) -> Options {
    Options {
        home: folder.join("home"),
        program: env!("CARGO_BIN_EXE_app-guard").into(),
        providers: BTreeMap::new(),
        hosts: None,
    }
}

fn skill(root: &Path, description: &str) {
    let folder = root.join("skills/clerk");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("SKILL.md"),
        format!("---\nname: clerk\ndescription: {description}\n---\nDo it.\n"),
    )
    .unwrap();
}

/// Waits until surfaces are told of all these tags.
async fn told(events: &mut Batches, wanted: &[Tag]) {
    let mut left: Vec<Tag> = wanted.to_vec();
    let all = async {
        while !left.is_empty() {
            for event in events.next().await.unwrap() {
                if let ApiEvent::Changed(tags) = event {
                    left.retain(|tag| !tags.contains(tag));
                }
            }
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), all).await.expect("nothing was told");
}

#[tokio::test]
async fn two_workspaces_have_files_of_their_own_under_the_same_slugs() {
    let place = Place::new().await;
    let lab = place.create("The  Lab").await;
    assert_eq!((lab.id.as_str(), lab.name.as_str(), lab.sessions), ("the-lab", "The Lab", 0));
    skill(&place.workspace("default"), "the default one's");
    skill(&place.workspace("the-lab"), "the lab's");
    assert!(place.skills("").await.contains(&"the default one's".to_owned()));
    assert!(place.skills("the-lab").await.contains(&"the lab's".to_owned()));
    assert!(!place.skills("the-lab").await.contains(&"the default one's".to_owned()));
    let refused = place.asked("nowhere", Request::AgentList).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert!(refused.message.contains("the-lab"), "{}", refused.message);
    for bad in ["../default", "", "Default", "a/b"] {
        let request = Request::WorkspaceCreate(WorkspaceCreate {
            name: "x".to_owned(),
            slug: Some(bad.to_owned()),
            defaults: None,
        });
        assert_eq!(place.asked("", request).await.unwrap_err().code, ErrorCode::InvalidInput, "{bad}");
    }
    place.close().await;
}

#[tokio::test]
async fn sessions_belong_to_their_workspace_and_commands_on_them_follow() {
    let place = Place::new().await;
    place.create("Lab").await;
    let (here, there) = (place.say("").await, place.say("lab").await);
    assert_eq!(place.sessions("").await, [here.as_str()]);
    assert_eq!(place.sessions("lab").await, [there.as_str()]);
    skill(&place.workspace("lab"), "the lab's");
    // Whoever asks, a session's skills are those of its workspace.
    let of = |session: &str| Request::SkillList { session: Some(session.to_owned()) };
    let rows = answer!(place.call("", of(&there)).await, Skills);
    assert!(rows.iter().any(|row| row.description == "the lab's"));
    let rows = answer!(place.call("lab", of(&here)).await, Skills);
    assert!(!rows.iter().any(|row| row.description == "the lab's"));
    let current = SettingsPatch { workspace: Some("lab".to_owned()), ..SettingsPatch::default() };
    place.call("", Request::SettingsUpdate(current)).await;
    assert_eq!(place.sessions("").await, [there.as_str()]);
    let moved = SessionMove { sessions: vec![there.clone()], workspace: "default".to_owned() };
    while let Err(busy) = place.asked("", Request::SessionMove(moved.clone())).await {
        assert_eq!(busy.code, ErrorCode::Conflict);
        tokio::task::yield_now().await;
    }
    assert_eq!(place.sessions("default").await.len(), 2);
    place.close().await;
}

#[tokio::test]
async fn a_new_session_begins_with_what_its_workspace_says() {
    let place = Place::new().await;
    place.create("Lab").await;
    let folder = place.folder.path().join("bench");
    fs::create_dir(&folder).unwrap();
    let defaults = WorkspaceDefaultsView {
        mode: Some(Mode::Safe),
        folder: Some(folder.display().to_string()),
        connection: Some("offline".to_owned()),
        ..WorkspaceDefaultsView::default()
    };
    let update = WorkspaceUpdate {
        workspace: "lab".to_owned(),
        name: Some("Laboratory".to_owned()),
        defaults: Some(defaults.clone()),
        place: Some(0),
    };
    let row = *answer!(place.call("", Request::WorkspaceUpdate(update)).await, Workspace);
    assert_eq!((row.name.as_str(), &row.defaults), ("Laboratory", &defaults));
    assert_eq!(place.list().await.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["lab", "default"]);
    let session = place.say("lab").await;
    let show = Request::SessionShow { session, before: None, limit: 0 };
    let setup = answer!(place.call("", show).await, SessionState).chat.setup;
    assert_eq!(setup.mode, Mode::Safe);
    assert_eq!(setup.folders, [folder.canonicalize().unwrap().display().to_string()]);
    place.close().await;
}

#[tokio::test]
async fn a_workspace_with_sessions_goes_only_with_a_place_for_them_and_can_come_back() {
    let place = Place::new().await;
    place.create("Lab").await;
    skill(&place.workspace("lab"), "the lab's");
    let session = place.say("lab").await;
    let remove = |to: Option<&str>| {
        Request::WorkspaceRemove(WorkspaceRemove {
            workspace: "lab".to_owned(),
            move_to: to.map(str::to_owned),
        })
    };
    assert_eq!(place.asked("", remove(None)).await.unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(place.asked("", remove(Some("lab"))).await.unwrap_err().code, ErrorCode::NotFound);
    place.idle().await;
    let removed = answer!(place.call("", remove(Some("default"))).await, WorkspaceRemoved);
    assert_eq!((removed.moved, place.list().await.len()), (1, 1));
    assert_eq!(place.sessions("").await, [session]);
    assert!(!place.workspace("lab").exists());
    let restore = |trash: &str| Request::WorkspaceRestore(WorkspaceRestore { trash: trash.to_owned() });
    for bad in ["", "../..", "nothing"] {
        assert_eq!(place.asked("", restore(bad)).await.unwrap_err().code, ErrorCode::NotFound);
    }
    place.call("", restore(&removed.trash)).await;
    assert!(place.skills("lab").await.contains(&"the lab's".to_owned()));
    let default =
        Request::WorkspaceRemove(WorkspaceRemove { workspace: "default".to_owned(), move_to: None });
    assert_eq!(place.asked("", default).await.unwrap_err().code, ErrorCode::InvalidInput);
    place.close().await;
}

#[tokio::test]
async fn a_workspace_that_can_t_be_removed_keeps_its_files_and_its_sessions() {
    let place = Place::new().await;
    place.create("Lab").await;
    skill(&place.workspace("lab"), "the lab's");
    let (here, there) = (place.say("").await, place.say("lab").await);
    place.idle().await;
    // The trash can't be made.
    fs::write(place.home().join("trash"), "no folder").unwrap();
    let remove = Request::WorkspaceRemove(WorkspaceRemove {
        workspace: "lab".to_owned(),
        move_to: Some("default".to_owned()),
    });
    let refused = place.asked("", remove.clone()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Storage);
    assert!(refused.action.is_some_and(|action| action.contains("nothing was changed")));
    assert_eq!((place.sessions("").await, place.sessions("lab").await), (vec![here], vec![there]));
    assert!(place.skills("lab").await.contains(&"the lab's".to_owned()));
    fs::remove_file(place.home().join("trash")).unwrap();
    place.call("", remove).await;
    assert_eq!((place.list().await.len(), place.sessions("").await.len()), (1, 2));
    place.close().await;
}

#[tokio::test]
async fn neither_a_workspace_with_work_under_way_goes_nor_a_session_out_of_it() {
    let hangs: Arc<dyn Provider> = Arc::new(ScriptedProvider::answering(|_| Answer::hang()));
    let folder = TempDir::new().unwrap();
    let options =
        Options { providers: BTreeMap::from([("scripted".to_owned(), hangs)]), ..options(folder.path()) };
    let place = Place { host: Host::open(options).await.unwrap(), folder };
    place.create("Lab").await;
    researcher(&place.workspace("lab"));
    let start = StartRun {
        agent: "small".to_owned(),
        request: "What is tested?".to_owned(),
        connection: Some("scripted".to_owned()),
        ..StartRun::default()
    };
    let run = answer!(place.call("lab", Request::RunStart(Box::new(start))).await, Run);
    let [session]: [String; 1] = place.sessions("lab").await.try_into().unwrap();
    let moved =
        Request::SessionMove(SessionMove { sessions: vec![session], workspace: "default".to_owned() });
    let remove = Request::WorkspaceRemove(WorkspaceRemove {
        workspace: "lab".to_owned(),
        move_to: Some("default".to_owned()),
    });
    for request in [&moved, &remove] {
        let refused = place.asked("", request.clone()).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::Conflict);
        assert!(refused.message.contains("at work"), "{}", refused.message);
    }
    assert_eq!((place.sessions("lab").await.len(), place.workspace("lab").is_dir()), (1, true));
    place.call("", Request::RunCancel { run: RunRef::Id(run.0) }).await;
    place.idle().await;
    place.call("", moved).await;
    place.call("", remove).await;
    assert_eq!(place.sessions("").await.len(), 1);
    place.close().await;
}

#[tokio::test]
async fn a_folder_of_the_persons_is_a_workspace_and_its_absence_costs_nothing() {
    let place = Place::new().await;
    let folder = place.folder.path().join("Our Shop");
    fs::create_dir(&folder).unwrap();
    skill(&folder, "the shop's");
    let open = |folder: &Path| {
        Request::WorkspaceOpenFolder(WorkspaceFolder { folder: folder.display().to_string(), name: None })
    };
    let row = *answer!(place.call("", open(&folder)).await, Workspace);
    assert_eq!((row.id.as_str(), row.elsewhere, row.there), ("our-shop", true, true));
    let again = *answer!(place.call("", open(&folder)).await, Workspace);
    assert_eq!(again.id, "our-shop");
    assert!(place.skills("our-shop").await.contains(&"the shop's".to_owned()));
    for bad in [
        place.home(),
        place.home().join("workspaces"),
        place.folder.path().to_owned(),
        "/".into(),
        "relative".into(),
    ] {
        assert!(place.asked("", open(&bad)).await.is_err(), "{}", bad.display());
    }
    let labels = folder.join("labels/config.json");
    fs::create_dir_all(labels.parent().unwrap()).unwrap();
    fs::write(&labels, r#"{"version": 1, "labels": [{"id": "till", "name": "Till"}]}"#).unwrap();
    let names = async || {
        let shown = answer!(place.call("our-shop", Request::OrganiseShow).await, Organisation);
        shown.labels.into_iter().map(|label| label.name).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["Till"]);
    // The disk that it is on goes and comes back.
    let away = place.folder.path().join("away");
    fs::rename(&folder, &away).unwrap();
    assert_eq!(names().await, ["Till"]);
    let row = place.list().await.into_iter().find(|row| row.elsewhere).unwrap();
    assert!(!row.there);
    let problems = place.problems_in("our-shop").await;
    assert!(problems.iter().any(|problem| problem.workspace.as_deref() == Some("our-shop")), "{problems:?}");
    assert_eq!(place.problems().await, [], "a client's files are named in its own workspace alone");
    fs::rename(&away, &folder).unwrap();
    assert_eq!((names().await, place.problems_in("our-shop").await.len()), (vec!["Till".to_owned()], 0));
    place.close().await;
}

#[tokio::test]
async fn surfaces_are_told_what_changed_on_disk_however_it_was_written() {
    let place = Place::new().await;
    let mut events = place.host.events();
    let root = place.workspace("default");
    let file = root.join("labels/config.json");
    let one = r#"{"version": 1, "labels": [{"id": "bug", "name": "Bug"}]}"#;
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, one).unwrap();
    told(&mut events, &[Tag::Organisation]).await;
    // By a rename, as many editors save.
    fs::write(root.join("labels/.swap"), one.replace("Bug", "Fault")).unwrap();
    fs::rename(root.join("labels/.swap"), &file).unwrap();
    told(&mut events, &[Tag::Organisation]).await;
    // Broken: the last good version holds, and the line is named.
    fs::write(&file, "{\n\"version\": 1,\n\"labels\": oops\n}").unwrap();
    told(&mut events, &[Tag::Organisation, Tag::Problems]).await;
    let problem = place.problems().await.remove(0);
    assert_eq!((problem.part.as_str(), problem.line, problem.kept), ("labels", Some(3), true));
    let shown = answer!(place.call("", Request::OrganiseShow).await, Organisation);
    assert_eq!(shown.labels[0].name, "Fault");
    fs::write(&file, one).unwrap();
    told(&mut events, &[Tag::Problems]).await;
    assert_eq!(place.problems().await, []);
    // A whole folder comes, changes and goes.
    skill(&root, "new");
    told(&mut events, &[Tag::Skills]).await;
    skill(&root, "newer");
    told(&mut events, &[Tag::Skills]).await;
    fs::remove_dir_all(root.join("skills")).unwrap();
    told(&mut events, &[Tag::Skills]).await;
    skill(&root, "back again");
    told(&mut events, &[Tag::Skills]).await;
    // The next change of a folder that was made anew is seen, too.
    skill(&root, "and changed");
    told(&mut events, &[Tag::Skills]).await;
    fs::write(place.home().join("settings.json"), r#"{"zoom": 1.2}"#).unwrap();
    told(&mut events, &[Tag::Settings]).await;
    // A new workspace, made by hand.
    skill(&place.workspace("by-hand"), "by hand");
    told(&mut events, &[Tag::Workspaces]).await;
    assert_eq!(place.list().await.len(), 2);
    place.close().await;
}

#[tokio::test]
async fn settings_and_connections_that_break_go_on_as_they_were_over_a_restart_too() {
    let place = Place::new().await;
    let mut events = place.host.events();
    let files = ["connections.json", "settings.json"].map(|name| place.home().join(name));
    let valid = [
        r#"{"version": 1, "connections": [{"slug": "haus", "name": "Büro 🏠", "provider": "ollama"}]}"#,
        r#"{"zoom": 1.2}"#,
    ];
    let broken = ["{\n\"version\": 1,\n oops", "{\n\"zoom\": \"groß\"\n}"];
    for (file, text) in files.iter().zip(valid) {
        fs::write(file, text).unwrap();
    }
    told(&mut events, &[Tag::Connections, Tag::Settings]).await;
    for (file, text) in files.iter().zip(broken) {
        fs::write(file, text).unwrap();
    }
    told(&mut events, &[Tag::Connections, Tag::Settings, Tag::Problems]).await;
    let Place { host, folder } = place;
    host.close().await.unwrap();
    let place = Place { host: Host::open(options(folder.path())).await.unwrap(), folder };

    let problems = place.problems().await;
    let rows: Vec<_> = problems.iter().map(|row| (row.part.as_str(), row.line, row.kept)).collect();
    assert_eq!(rows, [("connections", Some(3), true), ("settings", Some(2), true)]);
    let settings = answer!(place.call("", Request::SettingsShow).await, Settings);
    assert_eq!(settings.zoom, 1.2);
    let connections = answer!(place.call("", Request::ConnectionList).await, Connections);
    assert!(connections.iter().any(|row| row.name == "Büro 🏠"), "{connections:?}");
    // A change takes the last valid version on, and keeps what the person wrote.
    let patch = SettingsPatch { welcomed: Some(true), ..SettingsPatch::default() };
    let settings = answer!(place.call("", Request::SettingsUpdate(patch)).await, Settings);
    assert_eq!((settings.zoom, settings.welcomed), (1.2, true));
    let aside = fs::read_to_string(place.home().join("settings.broken.json")).unwrap();
    assert_eq!(aside, broken[1]);
    assert_eq!(place.problems().await.len(), 1);
    place.close().await;
}

#[tokio::test]
async fn a_thousand_quick_writes_end_with_the_last_one() {
    let place = Place::new().await;
    let mut events = place.host.events();
    let file = place.workspace("default").join("labels/config.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = |number: usize| format!(r#"{{"version": 1, "labels": [{{"id": "n", "name": "N{number}"}}]}}"#);
    let (path, last) = (file.clone(), text(1_000));
    let writing = tokio::task::spawn_blocking(move || {
        for number in 1..=1_000 {
            fs::write(&path, text(number)).unwrap();
        }
    });
    writing.await.unwrap();
    told(&mut events, &[Tag::Organisation]).await;
    let shown = answer!(place.call("", Request::OrganiseShow).await, Organisation);
    assert_eq!(shown.labels[0].name, "N1000");
    assert_eq!(fs::read_to_string(&file).unwrap(), last);
    assert_eq!(place.problems().await, []);
    place.close().await;
}
