//! `task`: coding tasks in worktrees, in the terminal.

mod args;
mod text;

use std::path::PathBuf;

use app::{AnyClient, StartRun};
use domain::{ErrorCode, Problem};
use protocol::{
    AttemptAdd, AttemptEnd, Client, CommandsApprove, CommentsSet, FilesRevert, RepositoryRef, SavepointMake,
    TaskRef, TaskStart,
};
use worktrees::{
    AttemptId, Commands, CommentAdd, CommentState, DiffQuery, DiffScope, Ending, MergeOptions, MergeStyle,
    Side, TaskCreate, TaskId,
};

pub use args::TaskCommand;
use args::{AttemptArgs, CreateArgs, EndArgs, TaskRunArgs};

use crate::outcome::Outcome;
use crate::prompt::agreed;
use crate::run::{begin, pause_policy};
use crate::terminal::{json_line, printable};

/// `task`.
pub async fn task(client: &AnyClient, command: TaskCommand) -> Result<Outcome, Problem> {
    match command {
        TaskCommand::List { json } => {
            let list = client.task_list().await?;
            let runs = if json { Vec::new() } else { client.task_runs(None).await? };
            for task in &list.tasks {
                println!("{}", if json { json_line(task) } else { text::row(task, &runs) });
            }
            for bad in &list.unreadable {
                eprintln!("warning: {}", printable(&bad.message));
            }
        }
        TaskCommand::Show { task, json } => {
            let view = client.task_show(reference(&task)?).await?;
            let runs = if json { Vec::new() } else { client.task_runs(Some(view.task.id.clone())).await? };
            println!("{}", if json { json_line(&view) } else { text::view(&view, &runs) });
        }
        TaskCommand::Create(args) => create(client, args).await?,
        TaskCommand::Approve { repository, base, yes } => {
            let folder = folder(repository)?;
            let project = client.task_commands(RepositoryRef { folder: folder.clone(), base }).await?;
            if !accepted(&project.commands, project.approved, yes).await? {
                return Ok(Outcome::Failed);
            }
            client.task_approve(CommandsApprove { folder, commands: project.commands }).await?;
        }
        TaskCommand::Attempt { task, label, no_setup } => {
            let view = client.task_attempt(AttemptAdd { task: id(&task)?, label, no_setup }).await?;
            println!("{}", text::view(&view, &[]));
        }
        TaskCommand::Run(args) => return run(client, args).await,
        TaskCommand::Worktree(args) => {
            let view = client.task_show(reference(&args.task)?).await?;
            println!("{}", view.task.attempt(args.attempt)?.folder.display());
        }
        TaskCommand::Setup(args) => {
            let result = client.task_setup(attempt(&args)?).await?;
            println!("{}", if args.json { json_line(&result) } else { text::result("set-up", &result) });
            return Ok(outcome(result.passed()));
        }
        TaskCommand::Diff { attempt: args, paths, since, stat } => {
            let wanted = DiffQuery { attempt: attempt(&args)?, scope: scope(&since)?, paths, no_hunks: stat };
            let diff = client.task_diff(wanted).await?;
            println!("{}", if args.json { json_line(&diff) } else { text::diff(&diff, stat) });
        }
        TaskCommand::Check(args) => {
            let run = client.task_check(attempt(&args)?).await?;
            match args.json {
                true => println!("{}", json_line(&run)),
                false => {
                    run.results.iter().for_each(|one| println!("{}", text::result(&one.name, &one.result)))
                }
            }
            return Ok(outcome(run.passed()));
        }
        TaskCommand::Save { attempt: args, label } => {
            let savepoint = client.task_save(SavepointMake { attempt: attempt(&args)?, label }).await?;
            println!("{}", if args.json { json_line(&savepoint) } else { savepoint.number.to_string() });
        }
        TaskCommand::Revert { attempt: args, paths, since } => {
            let revert = FilesRevert { attempt: attempt(&args)?, scope: scope(&since)?, paths };
            let savepoint = client.task_revert(revert).await?;
            println!("{}", if args.json { json_line(&savepoint) } else { undone_by(&args.task) });
        }
        TaskCommand::Comment { attempt: args, line, text, old } => {
            let place = line.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
            let Some((path, line)) = place else {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    format!("{line:?} is not <file>:<number>"),
                ));
            };
            let side = if old { Side::Old } else { Side::New };
            let add = CommentAdd { attempt: attempt(&args)?, path: path.to_owned(), side, line, text };
            let comment = client.task_comment(add).await?;
            println!("{}", if args.json { json_line(&comment) } else { comment.number.to_string() });
        }
        TaskCommand::Comments { attempt: args, message, sent, resolved, open } => {
            let attempt = attempt(&args)?;
            let marks =
                [(sent, CommentState::Sent), (resolved, CommentState::Resolved), (open, CommentState::Open)];
            for (numbers, state) in marks.into_iter().filter(|(numbers, _)| !numbers.is_empty()) {
                client.task_comment_set(CommentsSet { attempt: attempt.clone(), numbers, state }).await?;
            }
            let comments = client.task_comments(attempt).await?;
            match (args.json, message) {
                (true, _) => println!("{}", json_line(&comments)),
                (false, true) => print!("{}", printable(&comments.message)),
                (false, false) => comments.comments.iter().for_each(|one| println!("{}", text::comment(one))),
            }
        }
        TaskCommand::Choose(args) => {
            let ending = if args.force { Ending::ChooseSaved } else { Ending::Choose };
            return end(client, &args.attempt, ending).await;
        }
        TaskCommand::Discard(EndArgs { attempt, force }) => {
            let ending = if force { Ending::DiscardSaved } else { Ending::Discard };
            return end(client, &attempt, ending).await;
        }
        TaskCommand::Keep { attempt, remove_folder } => {
            let ending = if remove_folder { Ending::KeepBranch } else { Ending::Keep };
            return end(client, &attempt, ending).await;
        }
        TaskCommand::Merge { attempt: args, squash, message, into, unchecked, keep_folder } => {
            let style = if squash { MergeStyle::Squash } else { MergeStyle::Merge };
            let attempt = attempt(&args)?;
            let wanted = MergeOptions { attempt, style, message, target: into, unchecked, keep_folder };
            let outcome = client.task_merge(wanted).await?;
            println!("{}", if args.json { json_line(&outcome) } else { text::merge(&outcome) });
        }
        TaskCommand::Undo { task } => {
            let outcome = client.task_undo(reference(&task)?).await?;
            println!("{}", text::undo(&outcome));
        }
        TaskCommand::Forget { task, yes } => {
            let reference = reference(&task)?;
            let question = format!("Delete the record of {task}, with its save points and what undo needs?");
            if !yes && !agreed(&question).await? {
                return Ok(Outcome::Failed);
            }
            client.task_forget(reference).await?;
        }
    }
    Ok(Outcome::Done)
}

async fn run(client: &AnyClient, args: TaskRunArgs) -> Result<Outcome, Problem> {
    let attend = pause_policy(&args.attendance)?;
    let of = AttemptId { task: id(&args.task)?, attempt: args.attempt };
    let TaskStart { agent, mut inputs, session } = client.task_start(of).await?;
    if let Some(connection) = &args.over.connection {
        inputs["label"] = connection.as_str().into();
    }
    let start = StartRun {
        agent,
        inputs: Some(inputs),
        session,
        connection: args.over.connection,
        model: args.over.model,
        depth: args.depth,
        mode: args.mode.map(Into::into),
        attend: attend.clone(),
        ..StartRun::default()
    };
    begin(client, start, &args.attendance, attend).await
}

async fn create(client: &AnyClient, args: CreateArgs) -> Result<(), Problem> {
    let repository = folder(args.repository)?;
    let of = RepositoryRef { folder: repository.clone(), base: args.base.clone() };
    let project = client.task_commands(of).await?;
    // Declined, the task begins all the same: nothing of the project is run.
    if !project.approved && accepted(&project.commands, false, args.yes).await? {
        let approve = CommandsApprove { folder: repository.clone(), commands: project.commands };
        client.task_approve(approve).await?;
    }
    let create = TaskCreate {
        // The core says which one it is asked in.
        workspace: None,
        title: args.title,
        description: args.description,
        repository,
        base: args.base,
        target: args.target,
        attempts: args.attempts,
        labels: args.labels,
        commands: None,
        no_setup: args.no_setup,
        origin: None,
    };
    let view = client.task_create(create).await?;
    println!("{}", if args.json { json_line(&view) } else { view.task.id.to_string() });
    for attempt in &view.task.attempts {
        for skipped in &attempt.included.skipped {
            eprintln!("warning: {} was not copied: {}", printable(&skipped.path), printable(&skipped.reason));
        }
        if let Some(setup) = attempt.setup.as_ref().filter(|setup| !setup.passed()) {
            eprintln!("warning: {}", text::result("set-up", setup));
        }
    }
    Ok(())
}

/// Shows what a project would run, and asks whether it may.
async fn accepted(commands: &Commands, approved: bool, yes: bool) -> Result<bool, Problem> {
    if commands.is_empty() || approved || yes {
        return Ok(true);
    }
    eprintln!("The project declares commands that run as you:");
    commands.lines().iter().for_each(|line| eprintln!("  {}", printable(line)));
    agreed("Accept them for this repository?").await
}

async fn end(client: &AnyClient, args: &AttemptArgs, ending: Ending) -> Result<Outcome, Problem> {
    let removals = client.task_end(AttemptEnd { attempt: attempt(args)?, ending }).await?;
    for removal in &removals {
        println!("{}", if args.json { json_line(removal) } else { text::removal(removal) });
    }
    Ok(outcome(removals.iter().all(|removal| removal.reasons.is_empty())))
}

fn outcome(passed: bool) -> Outcome {
    if passed { Outcome::Done } else { Outcome::Failed }
}

fn undone_by(task: &str) -> String {
    format!("put back; `agentnative task undo {}` restores them", printable(task))
}

fn id(task: &str) -> Result<TaskId, Problem> {
    Ok(TaskId::new(task)?)
}

fn reference(task: &str) -> Result<TaskRef, Problem> {
    Ok(TaskRef { task: id(task)? })
}

fn attempt(args: &AttemptArgs) -> Result<AttemptId, Problem> {
    Ok(AttemptId { task: id(&args.task)?, attempt: args.attempt })
}

fn scope(since: &str) -> Result<DiffScope, Problem> {
    match (since, since.parse()) {
        ("base", _) => Ok(DiffScope::Base),
        ("uncommitted", _) => Ok(DiffScope::Uncommitted),
        ("last", _) => Ok(DiffScope::Last),
        (_, Ok(number)) => Ok(DiffScope::Savepoint(number)),
        _ => Err(Problem::new(ErrorCode::InvalidInput, format!("--since knows no {since:?}"))
            .with_action("say base, uncommitted, last, or a save point's number")),
    }
}

fn folder(given: Option<PathBuf>) -> Result<PathBuf, Problem> {
    let given = given.unwrap_or_else(|| PathBuf::from("."));
    std::path::absolute(&given)
        .map_err(|error| Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", given.display())))
}
