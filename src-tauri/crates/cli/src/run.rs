//! Running and resuming in a terminal.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use app::turn::{TurnStatus, TurnUi, TurnUiKind};
use app::{
    Answered, AnyClient, Exit, Instance, Options, PausePolicy, RepeatedRun, Reply, StartRun, UiEvent, UiKind,
};
use domain::{ErrorCode, Problem, RunId, RunStatus};
use money::forecast_line;
use protocol::{
    AgentRow, ApiEvent, AttachmentAdd, Client, ForecastQuery, Response, RunFound, RunKind, RunRef,
};
use serde_json::Value;
use tokio::sync::broadcast::{self, error::RecvError};

use crate::args::{InputArgs, PauseReplies, RepetitionArgs, RerunArgs, ResumeArgs, RunArgs};
use crate::chat::{self, approvals::TerminalUser};
use crate::connect::{unlock, unlock_vault};
use crate::interrupts::Interrupts;
use crate::outcome::{Outcome, of_problem};
use crate::show::named;
use crate::terminal::{Terminal, printable, read_text};
use crate::{home, prompt};

/// How long nothing may be heard of a run before its state is asked for.
const POLL_AFTER: Duration = Duration::from_secs(5);

/// Opens the data directory, or the instance that holds it.
pub async fn open(home: &Path) -> Result<(AnyClient, Option<Instance>), Problem> {
    let (client, instance) = AnyClient::open(options(home)?).await?;
    if let Some(shared) = app::check::shared(home) {
        eprintln!("warning: {}", printable(&shared));
    }
    Ok((client.in_workspace(home::workspace()), instance))
}

/// How this program opens a data directory.
pub fn options(home: &Path) -> Result<Options, Problem> {
    let mut providers = std::collections::BTreeMap::new();
    if let Some(script) = std::env::var_os("AGENTNATIVE_SCRIPT") {
        let provider = scripted(Path::new(&script))?;
        providers.insert("scripted".to_owned(), provider);
    }
    Ok(Options { home: home.to_owned(), program: home::program()?, providers, hosts: None })
}

/// Answers from a file instead of a model: for tests of agents, and for trying a pipeline without paying.
fn scripted(path: &Path) -> Result<std::sync::Arc<dyn llm::Provider>, Problem> {
    let bad = |error: String| {
        Problem::new(ErrorCode::InvalidInput, format!("AGENTNATIVE_SCRIPT {}: {error}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    let value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    Ok(std::sync::Arc::new(llm::ScriptedProvider::from_json(&value).map_err(|error| bad(error.to_string()))?))
}

/// Releases the data directory; first lets runs that others started here come to an end.
pub async fn close(client: AnyClient, instance: Option<Instance>) -> Result<(), Problem> {
    let AnyClient::Local(local) = client else { return Ok(()) };
    if let Some(instance) = instance {
        instance.finish(&local, |run| eprintln!("waiting for {run}, which this process carries out")).await;
    }
    local.close().await
}

/// Opens the data directory, or the instance that holds it, for one piece of work.
pub async fn with_client<T>(
    home: &Path,
    work: impl AsyncFnOnce(&AnyClient) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let (client, instance) = open(home).await?;
    let outcome = work(&client).await;
    close(client, instance).await?;
    outcome
}

/// `run`.
pub async fn run(home: &Path, args: RunArgs) -> Result<Outcome, Problem> {
    let (agent, request) = words(&args)?;
    let inputs = inputs(&args.input)?;
    let attend = pause_policy(&args.attendance)?;
    let start = StartRun { agent, request, inputs, ..StartRun::default() };
    with_client(home, async |client| run_on(client, args, start, attend).await).await
}

async fn run_on(
    client: &AnyClient,
    args: RunArgs,
    start: StartRun,
    attend: PausePolicy,
) -> Result<Outcome, Problem> {
    let previous = match args.follow_up.as_deref() {
        None => None,
        Some(named) => {
            let state = client.run_show(RunRef::Id(named.to_owned()), None, false).await?;
            if state.status != RunStatus::Completed {
                let message =
                    format!("run {} is {}; only a completed run can be followed up", state.run, state.status);
                return Err(Problem::new(ErrorCode::InvalidInput, message));
            }
            Some(state.run)
        }
    };
    let base = repeated(client, args.base.as_deref(), &args.repetition).await?.map(|(base, _)| base);
    let add = AttachmentAdd { session: args.session.clone(), read: true, ..AttachmentAdd::default() };
    let attachments = chat::attach(client, &args.attach, add).await?;
    let mut start = StartRun {
        depth: args.depth,
        corpus: args.corpus.map(base_or_folder).transpose()?,
        session: args.session,
        mode: args.mode.map(Into::into),
        previous,
        connection: args.over.connection,
        model: args.over.model,
        budget_usd: args.budget.budget_usd,
        budget_tokens: args.budget.budget_tokens,
        budget_minutes: args.budget.budget_minutes,
        attachments,
        attend: attend.clone(),
        pause_at_plan: args.pause_at_plan.then_some(true),
        base,
        adopt: args.adopt.as_deref().map(absolute).transpose()?,
        ..start
    };
    if start.corpus.is_none() {
        start.corpus = newest_base(client, &start).await?;
    }
    if !args.attendance.json {
        forecast(client, &start).await;
    }
    begin(client, start, &args.attendance, attend).await
}

/// A knowledge base by its name, or a folder by its absolute path.
pub fn base_or_folder(named: String) -> Result<String, Problem> {
    let is_path = named.starts_with('.') || named.contains(std::path::is_separator);
    if is_path { absolute(Path::new(&named)) } else { Ok(named) }
}

/// The base of a new question that names none, for an agent without one of its own: the newest, as in the window.
async fn newest_base(client: &AnyClient, start: &StartRun) -> Result<Option<String>, Problem> {
    let is_new = start.previous.is_none() && start.base.is_none() && start.session.is_none();
    let agents = client.agent_list().await?;
    let asks = |row: &AgentRow| row.slug == start.agent && row.needs_corpus && row.default_corpus.is_none();
    if !is_new || !start.attachments.is_empty() || !agents.iter().any(asks) {
        return Ok(None);
    }
    let own = client.base_list().await?.into_iter().filter(|base| !base.shipped);
    Ok(own.max_by_key(|base| base.created_at).map(|base| base.name).inspect(|name| {
        eprintln!("asking the knowledge base {}, your newest; --corpus names another", printable(name));
    }))
}

/// A file or folder by its absolute path: the run may be started by another process.
pub fn absolute(path: &Path) -> Result<String, Problem> {
    let path = std::path::absolute(path)
        .map_err(|error| Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display())))?;
    Ok(path.to_string_lossy().into_owned())
}

/// `rerun`.
pub async fn rerun(home: &Path, args: RerunArgs) -> Result<Outcome, Problem> {
    let attend = pause_policy(&args.attendance)?;
    let inputs = inputs(&args.input)?;
    with_client(home, async |client| rerun_on(client, args, inputs, attend).await).await
}

async fn rerun_on(
    client: &AnyClient,
    args: RerunArgs,
    inputs: Option<Value>,
    attend: PausePolicy,
) -> Result<Outcome, Problem> {
    let (base, agent) = repeated(client, Some(&args.run), &args.repetition).await?.unzip();
    let start = StartRun {
        base,
        agent: agent.unwrap_or_default(),
        inputs,
        depth: args.depth,
        connection: args.connection,
        model: args.model,
        attend: attend.clone(),
        ..StartRun::default()
    };
    begin(client, start, &args.attendance, attend).await
}

/// The run that another one repeats with what is different in it, and its agent.
async fn repeated(
    client: &AnyClient,
    run: Option<&str>,
    args: &RepetitionArgs,
) -> Result<Option<(RepeatedRun, String)>, Problem> {
    let Some(run) = run else {
        if args.from.is_some() || !args.edits.is_empty() {
            let what = "--from and --edit change a run that is repeated, and none is named";
            return Err(Problem::new(ErrorCode::InvalidInput, what).with_action("name it with --base <run>"));
        }
        return Ok(None);
    };
    let mut edits = std::collections::BTreeMap::new();
    for edit in &args.edits {
        let bad = |what: String| Problem::new(ErrorCode::InvalidInput, format!("--edit {edit}: {what}"));
        let (stage, file) =
            edit.split_once('=').ok_or_else(|| bad("write it as <stage>=<file>".to_owned()))?;
        let text = std::fs::read_to_string(file).map_err(|error| bad(error.to_string()))?;
        let value = serde_json::from_str(&text).map_err(|error| bad(format!("not JSON: {error}")))?;
        if edits.insert(stage.to_owned(), value).is_some() {
            return Err(bad(format!("stage {stage} is edited twice")));
        }
    }
    let state = client.run_show(RunRef::Id(run.to_owned()), None, false).await?;
    Ok(Some((RepeatedRun { run: state.run, from: args.from.clone(), edits }, state.agent)))
}

/// Starts a run, asking for what it may do by itself, and follows it.
pub async fn begin(
    client: &AnyClient,
    start: StartRun,
    args: &PauseReplies,
    attend: PausePolicy,
) -> Result<Outcome, Problem> {
    unlock(client, start.connection.as_deref().unwrap_or_default()).await?;
    let events = Events::subscribe(client);
    let adopts = start.adopt.is_some();
    let mut started = client.run_start(Box::new(start.clone())).await;
    if let Err(problem) = &started
        && problem.code == ErrorCode::Permission
        && !args.json
        && allow_stages(client, &start.agent).await?
    {
        started = client.run_start(Box::new(start)).await;
    }
    let started = started?;
    if adopts {
        list_adopted(client, &started).await?;
    }
    follow(client, started, events, args, attend, Reply::default()).await
}

/// Says which files of an earlier run were taken over, and why others are done anew.
async fn list_adopted(client: &AnyClient, run: &RunId) -> Result<(), Problem> {
    let state = client.run_show(RunRef::Id(run.0.clone()), None, false).await?;
    let list = state.inputs.as_ref().and_then(|inputs| inputs.get("adoption")).and_then(Value::as_array);
    for one in list.into_iter().flatten() {
        let text = |name: &str| printable(one.get(name).and_then(Value::as_str).unwrap_or_default());
        match one.get("taken").and_then(Value::as_bool) {
            Some(true) => eprintln!("taken over: {}", text("file")),
            _ => eprintln!("run again: {}: {}", text("file"), text("why")),
        }
    }
    Ok(())
}

/// Asks whoever sits at the terminal to allow what the stages of an agent call, and keeps the answer.
async fn allow_stages(client: &AnyClient, agent: &str) -> Result<bool, Problem> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    let rows = client.permission_stages(agent.to_owned()).await?;
    let rows: Vec<_> = rows.into_iter().filter(|row| !row.granted).collect();
    if rows.is_empty() {
        return Ok(false);
    }
    eprintln!("The stages of {} call these tools by themselves, without asking each time:", printable(agent));
    for row in rows {
        eprintln!("  {}: {}", printable(&row.source), printable(&row.tools.join(", ")));
    }
    if !prompt::agreed("Allow it in this workspace, until you take it back?").await? {
        return Ok(false);
    }
    client.permission_allow(agent.to_owned()).await?;
    Ok(true)
}

/// Says what a run is likely to cost, where it costs. What can't be told keeps nobody from asking.
async fn forecast(client: &AnyClient, start: &StartRun) {
    let title = start.input_title().unwrap_or_default().to_owned();
    let query = ForecastQuery {
        agent: start.agent.clone(),
        depth: start.depth.clone(),
        connection: start.connection.clone(),
        model: start.model.clone(),
        request: if start.request.is_empty() { title } else { start.request.clone() },
    };
    let Ok(forecast) = client.run_forecast(query).await else { return };
    if forecast.no_web_search {
        let locked = client.web_search_show().await.is_ok_and(|state| state.locked);
        eprintln!(
            "{}",
            match locked {
                true =>
                    "The vault is locked: a web search that is set up in it is not used. Its passphrase unlocks it, in a \
                     terminal here or in the window under Settings > Credentials.",
                false =>
                    "No web search is set up: `agentnative secrets put web-search/brave` stores a key for one.",
            }
        );
        if let Err(problem) = unlock_vault(client).await {
            eprintln!("agentnative: {}", printable(&problem.to_string()));
        }
    }
    if let Some(line) = forecast_line(&forecast) {
        eprintln!("{}", printable(&line));
    }
}

/// The agent and the question: `run <agent> <question>`, or `run --agent <agent> <question>`.
fn words(args: &RunArgs) -> Result<(String, String), Problem> {
    let missing = |what: &str| {
        Problem::new(ErrorCode::InvalidInput, format!("no {what}"))
            .with_action("agentnative run <agent> \"<question>\"")
    };
    let (agent, words) = match (&args.agent, args.agent_or_question.as_slice()) {
        (Some(agent), words) => {
            // `run isa-deep-research --agent other "…"`: the option wins over a first word that names an agent.
            let words = match words {
                [first, rest @ ..] if !rest.is_empty() && !first.contains(' ') && first.contains('-') => rest,
                words => words,
            };
            (agent.clone(), words)
        }
        (None, [agent, words @ ..]) => (agent.clone(), words),
        (None, []) => return Err(missing("agent and question")),
    };
    let mut request = words.join(" ");
    let has_inputs = args.input.input.is_some();
    if has_inputs && request.trim() == "-" && args.input.input.as_deref() == Some(Path::new("-")) {
        let what = "the question and the inputs can't both be read from standard input";
        return Err(Problem::new(ErrorCode::InvalidInput, what).with_action("put the inputs into a file"));
    }
    if request.trim() == "-" || (request.is_empty() && !has_inputs && !std::io::stdin().is_terminal()) {
        request = std::io::read_to_string(std::io::stdin())
            .map_err(|error| missing(&format!("readable question: {error}")))?;
    }
    if request.trim().is_empty() && !has_inputs {
        return Err(missing("question"));
    }
    Ok((agent, request))
}

/// What the file of `--input` says.
fn inputs(args: &InputArgs) -> Result<Option<Value>, Problem> {
    let Some(path) = &args.input else { return Ok(None) };
    let bad = |error: String| {
        Problem::new(ErrorCode::InvalidInput, format!("--input {}: {error}", path.display()))
            .with_action("give a JSON object; `agentnative agent show <agent>` prints what it takes")
    };
    let text = read_text(path).map_err(|error| bad(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| bad(format!("not JSON: {error}")))?;
    if value.is_object() { Ok(Some(value)) } else { Err(bad("not a JSON object".to_owned())) }
}

pub fn pause_policy(args: &PauseReplies) -> Result<PausePolicy, Problem> {
    let replies = match &args.answers {
        None => Vec::new(),
        Some(path) => {
            let bad = |error: String| {
                Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display()))
                    .with_action("`agentnative schema answers` shows the form")
            };
            let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
            serde_json::from_str::<Vec<Reply>>(&text).map_err(|error| bad(error.to_string()))?
        }
    };
    Ok(PausePolicy { replies, unattended: args.yes })
}

/// `resume`.
pub async fn resume(home: &Path, args: ResumeArgs) -> Result<Outcome, Problem> {
    let attend = pause_policy(&args.attendance)?;
    with_client(home, async |client| resume_on(client, &args, attend).await).await
}

async fn resume_on(
    client: &AnyClient,
    args: &ResumeArgs,
    mut attend: PausePolicy,
) -> Result<Outcome, Problem> {
    let found = match &args.run {
        Some(run) => Some(named(client, Some(run)).await),
        None => None,
    };
    let run = match found {
        Some(Ok(RunFound { run, kind: RunKind::Turn, session, .. })) => {
            if args.connection.is_some() {
                let what = format!(
                    "{run} is a turn of a conversation: it goes on with the connection it began with"
                );
                return Err(Problem::new(ErrorCode::InvalidInput, what).with_action(format!(
                    "agentnative chat --session {session} --connection <slug> \"<message>\""
                )));
            }
            return match chat::resume(client, &run, args.attendance.json).await {
                Err(problem) if problem.code == ErrorCode::Conflict => Ok(nothing(&problem)),
                ended => ended,
            };
        }
        Some(Ok(RunFound { run, kind: RunKind::Run | RunKind::Mission, .. })) => RunRef::Id(run.0),
        Some(Err(problem)) if problem.code == ErrorCode::NotFound => return Ok(nothing(&problem)),
        Some(Err(problem)) => return Err(problem),
        None => RunRef::LastOpen,
    };
    let moved = match &args.connection {
        Some(connection) => match moved(client, &run, connection, &args.attendance, &mut attend).await {
            Err(problem) if problem.code == ErrorCode::NotFound => return Ok(nothing(&problem)),
            moved => moved?,
        },
        None => Reply::default(),
    };
    let events = Events::subscribe(client);
    let resumed = client.run_resume(run.clone(), attend.clone()).await;
    let run = match resumed {
        Ok(run) => run,
        Err(problem) if matches!(problem.code, ErrorCode::Conflict | ErrorCode::NotFound) => {
            if problem.code == ErrorCode::Conflict
                && let Some(outcome) = finished(client, run, args.attendance.json).await?
            {
                return Ok(outcome);
            }
            return Ok(nothing(&problem));
        }
        Err(problem) => return Err(problem),
    };
    follow(client, run, events, &args.attendance, attend, moved).await
}

/// Has the next pause of a run answered with another connection: by the replies given beforehand, else by the person. Gives
/// what the person's reply begins with.
async fn moved(
    client: &AnyClient,
    run: &RunRef,
    connection: &str,
    args: &PauseReplies,
    attend: &mut PausePolicy,
) -> Result<Reply, Problem> {
    let refused = |what: String, action: &str| {
        Err(Problem::new(ErrorCode::InvalidInput, what).with_action(action.to_owned()))
    };
    let state = client.run_show(run.clone(), None, false).await?;
    if state.pauses.first().is_none_or(|form| form.kind != app::FormKind::Stage) {
        let what = format!("{} is moved to another connection only while it waits after a stage", state.run);
        return refused(what, "begin it again: agentnative rerun <run> --connection <slug>");
    }
    if !client.connection_list().await?.iter().any(|row| row.slug == connection) {
        return refused(format!("there is no connection {connection}"), "agentnative connect list");
    }
    unlock(client, connection).await?;
    let reply = Reply { connection: Some(connection.to_owned()), ..Reply::default() };
    match attend.replies.first_mut() {
        Some(first) => first.connection = reply.connection,
        None if attend.unattended => attend.replies.push(reply),
        None if asks_at_pauses(args) => return Ok(reply),
        None => {
            let what = "a run is moved when its pause is answered, and nobody is there to answer".to_owned();
            return refused(what, "add --yes to take the default choice, or give the reply with --answers");
        }
    }
    Ok(Reply::default())
}

fn nothing(problem: &Problem) -> Outcome {
    eprintln!("agentnative: {}", printable(&problem.to_string()));
    Outcome::NothingToResume
}

/// Gives a completed run's document. A program that is killed between a run's last commit and its files leaves a run
/// that has nothing to do and a person without a document: for that person this is where the run ends.
async fn finished(client: &AnyClient, run: RunRef, json: bool) -> Result<Option<Outcome>, Problem> {
    let state = client.run_show(run, None, false).await?;
    if state.status != RunStatus::Completed {
        return Ok(None);
    }
    let mut terminal = Terminal::new(json);
    terminal.begin(client, &state.run).await?;
    terminal.note(&format!("run {} had already completed", state.run));
    terminal.end(client, &state.run, Exit::Completed, None).await.map(Some)
}

/// `cancel`: ends a run, or the turn that an id names.
pub async fn cancel(client: &AnyClient, id: String) -> Result<Outcome, Problem> {
    let RunFound { run, kind, .. } = named(client, Some(&id)).await?;
    match kind {
        RunKind::Run | RunKind::Mission => client.run_cancel(RunRef::Id(run.0)).await,
        RunKind::Turn => client.turn_stop(run).await,
    }?;
    Ok(Outcome::Done)
}

/// Without a command: asks for a question and runs the first agent, pause by pause.
pub async fn interactive(home: &Path) -> Result<Outcome, Problem> {
    if !std::io::stdin().is_terminal() {
        let message = "standard input is not a terminal, so there is nobody to ask";
        return Err(Problem::new(ErrorCode::InvalidInput, message)
            .with_action("run `npm run -s research -- --yes \"<question>\"`, or `agentnative run <agent> --yes \"<question>\"`"));
    }
    eprintln!("AgentNative. Ask about auditing; the answer cites the primer that ships with it.");
    eprintln!("(For your own documents: agentnative kb ingest <folder> --base <name>.)\n");
    let Some(question) = prompt::line("Your question: ").await else { return Ok(Outcome::Usage) };
    if question.trim().is_empty() {
        return Err(Problem::new(ErrorCode::InvalidInput, "no question"));
    }
    let args = RunArgs {
        agent_or_question: vec![question],
        agent: Some("isa-deep-research".to_owned()),
        ..RunArgs::default()
    };
    run(home, args).await
}

/// What is told of runs and of the turns of their stages.
pub struct Events {
    runs: broadcast::Receiver<UiEvent>,
    turns: broadcast::Receiver<ApiEvent>,
    /// Whether nothing is told of turns any more.
    deaf: bool,
}

impl Events {
    /// From now on.
    pub fn subscribe(client: &AnyClient) -> Self {
        Self { runs: client.subscribe(), turns: client.events(), deaf: false }
    }
}

/// Whether a turn of one of the run's stages waits for permission or an answer.
fn asks(told: &TurnUi, run: &RunId) -> bool {
    let TurnUiKind::Changed { head, .. } = &told.kind else { return false };
    head.status == TurnStatus::Waiting && head.of.as_ref().is_some_and(|of| of.run == *run)
}

/// Has the person answer what a turn of a stage asks. Somebody else may have answered first.
async fn permit(client: &AnyClient, turn: &RunId, person: &mut TerminalUser) -> Result<(), Problem> {
    let view = client.turn_show(turn.clone()).await?;
    match person.answer(client, &view).await {
        Ok(_) => Ok(()),
        Err(problem) if problem.code == ErrorCode::Conflict => Ok(()),
        Err(problem) => Err(problem),
    }
}

/// Whether somebody sits at the terminal who is asked at pauses.
fn asks_at_pauses(args: &PauseReplies) -> bool {
    !args.json && !args.yes && std::io::stdin().is_terminal()
}

/// Shows a run until it leaves the engine, and asks the person at each pause where there is one to ask. `reply` is what the
/// first one is answered with besides.
pub async fn follow(
    client: &AnyClient,
    run: RunId,
    mut events: Events,
    args: &PauseReplies,
    attend: PausePolicy,
    mut reply: Reply,
) -> Result<Outcome, Problem> {
    let mut terminal = Terminal::new(args.json);
    let ask = asks_at_pauses(args);
    let mut person = TerminalUser::at_terminal(ask);
    terminal.begin(client, &run).await?;
    loop {
        let (exit, problem) = until_done(client, &run, &mut events, &mut person, &mut terminal).await?;
        if exit == Exit::Paused && ask && problem.is_none() {
            let state = terminal.state(client, &run).await?;
            let Some(form) = state.pauses.first().cloned() else {
                // That was told of an answer which decided nothing: since then the run goes on.
                if state.status == RunStatus::Running {
                    continue;
                }
                eprintln!("Stopped. `agentnative resume {run}` goes on.");
                return Ok(Outcome::Paused);
            };
            loop {
                let Some(given) = prompt::ask(client, &state, &form, &mut reply).await? else {
                    eprintln!("\nThe run waits. `agentnative resume {run}` goes on.");
                    return Ok(Outcome::Paused);
                };
                events = Events::subscribe(client);
                let (pause, given) = (Some(form.pause.clone()), Box::new(given));
                match client.run_answer(run.clone(), pause, given, attend.clone()).await {
                    Ok(Answered::Accepted { .. }) => break,
                    Ok(Answered::StillOpen { message, words }) => {
                        eprintln!("\n{}\n", printable(&message));
                        reply.text = words;
                    }
                    Err(problem) => {
                        eprintln!("\n{}\n", printable(&problem.to_string()));
                        (reply.depth, reply.connection) = (None, None);
                    }
                }
            }
            reply = Reply::default();
            continue;
        }
        // A run that stopped because nothing could be stored is told by what is wrong with the data directory.
        let storage = problem.as_ref().map(of_problem).filter(|outcome| *outcome == Outcome::Storage);
        return terminal.end(client, &run, exit, problem).await.map(|ended| storage.unwrap_or(ended));
    }
}

/// Until the run leaves the engine. The first Ctrl-C stops it so that it can be resumed, the second cancels it.
async fn until_done(
    client: &AnyClient,
    run: &RunId,
    events: &mut Events,
    person: &mut TerminalUser,
    terminal: &mut Terminal,
) -> Result<(Exit, Option<Problem>), Problem> {
    let mut interrupts = Interrupts::listen()?;
    let mut pressed = 0;
    loop {
        tokio::select! {
            biased;
            () = interrupts.next() => {
                pressed += 1;
                if pressed == 1 {
                    terminal.note("stopping; the run can be resumed. Ctrl-C again cancels it for good.");
                    client.run_suspend(run.clone()).await?;
                } else {
                    terminal.note("cancelling");
                    client.run_cancel(RunRef::Id(run.0.clone())).await?;
                }
            }
            event = events.turns.recv(), if !events.deaf => match event {
                Ok(ApiEvent::Turn(told)) if asks(&told, run) => permit(client, &told.run, person).await?,
                Ok(ApiEvent::Limit(text)) => terminal.note(&text),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => events.deaf = true,
            },
            event = events.runs.recv() => match event {
                Ok(event) if &event.run == run => {
                    if event.seq > 0 && !terminal.knows_stages() {
                        terminal.begin(client, run).await?;
                    }
                    terminal.show(&event);
                    // A cancellation overtakes the stop before it.
                    if let UiKind::Done { exit, problem } = event.kind
                        && !(pressed > 1 && exit == Exit::Paused)
                    {
                        return Ok((exit, problem));
                    }
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => terminal.gap(),
                Err(RecvError::Closed) => return Err(Problem::new(ErrorCode::Busy, "the connection to the instance that executes the run was lost")),
            },
            () = tokio::time::sleep(POLL_AFTER) => {
                // Events may be lost, states may not: the log says whether the run is over.
                match terminal.state(client, run).await {
                    Ok(state) => {
                        if let Some(exit) = Response::exit_of(state.status) {
                            return Ok((exit, state.problem));
                        }
                    }
                    // Its sources are still starting; its first commit comes after them.
                    Err(problem) if problem.code == ErrorCode::NotFound => {}
                    Err(problem) => return Err(problem),
                }
            }
        }
    }
}
