//! Asking the person.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use app::{AnyClient, Form, FormChoice, FormKind, Reply};
use domain::agent::ChoiceAction;
use domain::{ErrorCode, Problem};
use protocol::{Client, ConnectionRow, CredentialState, RunState};

use crate::connect::unlock;
use crate::terminal::{plain, printable};

/// The most copies of texts that were refused and kept, for one process.
const MAX_COPIES: usize = 100;

/// One line from the terminal; `None` at its end or at Ctrl-C.
pub async fn line(question: &str) -> Option<String> {
    eprint!("{}", printable(question));
    let _ = std::io::stderr().flush();
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(read) if read > 0 => Some(line.trim_end_matches(['\n', '\r']).to_owned()),
            _ => None,
        }
    });
    tokio::select! {
        line = read => line.ok().flatten(),
        _ = tokio::signal::ctrl_c() => None,
    }
}

/// Asks whether to go on; without a terminal `--yes` has to say so.
pub async fn agreed(question: &str) -> Result<bool, Problem> {
    if !std::io::stdin().is_terminal() {
        let what = format!("there is no terminal to ask in: {question}");
        return Err(
            Problem::new(ErrorCode::InvalidInput, what).with_action("nothing was done; to agree, add --yes")
        );
    }
    let said = line(&format!("\n{question} [y/N] ")).await.unwrap_or_default();
    Ok(replies::is_agreement(&said))
}

/// Shows a pause and reads a reply; `None` when the person leaves it open. What is changed besides stays in `reply` for as
/// long as the pause is open.
pub async fn ask(
    client: &AnyClient,
    run: &RunState,
    form: &Form,
    reply: &mut Reply,
) -> Result<Option<Reply>, Problem> {
    eprintln!("\n{}", plain(&form.markdown));
    for question in &form.questions {
        if reply.answers.contains_key(question) {
            continue;
        }
        let Some(answer) = line(&format!("{}\n  (Enter leaves it open) > ", printable(question))).await
        else {
            return Ok(None);
        };
        if !answer.trim().is_empty() {
            reply.answers.insert(question.clone(), answer);
        }
    }
    let depths: &[String] = if form.depth.is_some() { &run.depths } else { &[] };
    let connections = if form.kind == FormKind::Stage { usable(client).await? } else { Vec::new() };
    let changes = [
        ("e", form.editable, "Edit in your editor"),
        ("d", depths.len() > 1, "Change the depth"),
        ("c", connections.iter().any(|slug| *slug != run.connection), "Change the connection"),
    ];
    eprintln!();
    for (index, choice) in form.choices.iter().enumerate() {
        let default = if is_default(form, choice) { " (Enter)" } else { "" };
        eprintln!("  {}  {}{default}\n     {}", index + 1, printable(&choice.label), printable(&choice.next));
    }
    changes
        .iter()
        .filter(|(_, offered, _)| *offered)
        .for_each(|(key, _, label)| eprintln!("  {key}  {label}"));
    loop {
        let Some(text) = line("Number, or your own words > ").await else { return Ok(None) };
        let text = text.trim();
        match changes.iter().find(|(key, offered, _)| *offered && text.eq_ignore_ascii_case(key)) {
            Some(("e", ..)) => edit(form, reply).await,
            Some(("d", ..)) => {
                let now = reply.depth.as_deref().or(form.depth.as_deref());
                if let Some(depth) = one_of("Depth", depths, now.unwrap_or_default()).await {
                    reply.depth = Some(depth);
                }
            }
            Some(_) => {
                let now = reply.connection.as_ref().unwrap_or(&run.connection);
                if let Some(connection) = one_of("Connection", &connections, now).await {
                    match unlock(client, &connection).await {
                        Ok(()) => reply.connection = Some(connection),
                        Err(problem) => eprintln!("{}", printable(&problem.to_string())),
                    }
                }
            }
            None => return chosen(form, reply.clone(), text).await,
        }
    }
}

/// The reply with a choice by its number, or with words; `None` when the person leaves it open.
async fn chosen(form: &Form, mut reply: Reply, text: &str) -> Result<Option<Reply>, Problem> {
    if text.is_empty() {
        reply.choice =
            form.choices.iter().find(|choice| is_default(form, choice)).map(|choice| choice.id.clone());
        return Ok(Some(reply));
    }
    let chosen = text.parse::<usize>().ok().and_then(|number| form.choices.get(number.checked_sub(1)?));
    let Some(choice) = chosen else {
        reply.text = Some(text.to_owned());
        return Ok(Some(reply));
    };
    reply.choice = Some(choice.id.clone());
    let asks = match choice.action {
        // What is made anew takes no edit of what there is.
        ChoiceAction::Amend => {
            reply.edit = None;
            "What should be different? > "
        }
        _ if form.kind == FormKind::Budget && choice.id == "raise" => {
            "New limit, such as $2.50 or 400000 tokens (Enter doubles it) > "
        }
        ChoiceAction::Proceed | ChoiceAction::Skip if reply.edit.is_some() => {
            "Words to go with the edit (Enter for none) > "
        }
        _ => return Ok(Some(reply)),
    };
    let Some(words) = line(asks).await else { return Ok(None) };
    reply.text = Some(words);
    Ok(Some(reply))
}

/// The connections that a run can be moved to, and its own.
async fn usable(client: &AnyClient) -> Result<Vec<String>, Problem> {
    let ready = |row: &ConnectionRow| {
        row.problem.is_none()
            && !matches!(row.credential, CredentialState::Missing | CredentialState::Expired)
    };
    Ok(client.connection_list().await?.into_iter().filter(ready).map(|row| row.slug).collect())
}

/// One of some names; `None` where it stays as it is.
async fn one_of(what: &str, names: &[String], now: &str) -> Option<String> {
    let known = printable(&names.join(", "));
    let said = line(&format!("{what}: {known} (Enter keeps {}) > ", printable(now))).await?;
    let said = said.trim();
    let found = names.iter().find(|name| *name == said).cloned();
    if found.is_none() && !said.is_empty() {
        eprintln!("There is no {}; nothing was changed.", printable(said));
    }
    found
}

fn is_default(form: &Form, choice: &FormChoice) -> bool {
    form.choices
        .iter()
        .find(|choice| matches!(choice.action, ChoiceAction::Proceed | ChoiceAction::Skip))
        .is_some_and(|first| first.id == choice.id)
}

/// Puts the stage's output, as the person's editor leaves it, into the reply.
async fn edit(form: &Form, reply: &mut Reply) {
    let now = reply.edit.as_ref().or(form.output.as_ref());
    let before = now.map(|output| format!("{output:#}")).unwrap_or_default();
    let read = async |text: String| {
        let bad = |error| Problem::new(ErrorCode::InvalidInput, format!("the edit can't be read: {error}"));
        serde_json::from_str(&text).map_err(bad)
    };
    match edited_copy("plan.json", &before, read).await {
        Ok(None) => eprintln!("Nothing was changed."),
        Ok(edit) => reply.edit = edit,
        Err(problem) => eprintln!("{}", printable(&problem.to_string())),
    }
}

/// Gives a text to `take` as the user's editor leaves it; `None` when nothing changed. What `take` refuses stays where it was
/// edited, and so does what was saved in an editor that failed.
pub async fn edited_copy<T>(
    name: &str,
    before: &str,
    take: impl AsyncFnOnce(String) -> Result<T, Problem>,
) -> Result<Option<T>, Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(ErrorCode::Storage, format!("the text can't be put where it is edited: {error}"))
    };
    let folder = (0..MAX_COPIES)
        .map(|n| std::env::temp_dir().join(format!("agentnative-edit-{}-{n}", std::process::id())))
        .find(|folder| !folder.exists())
        .unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir(&folder).map_err(failed)?;
    let path = folder.join(name);
    std::fs::write(&path, before).map_err(failed)?;
    let kept = |problem: Problem| {
        let kept = format!("what you wrote is kept in {}", path.display());
        let action = problem.action.iter().map(|action| format!("{action}; {kept}")).next();
        problem.with_action(action.unwrap_or(kept))
    };
    if let Err(problem) = edited(&path) {
        // An editor that fails may have saved before.
        if std::fs::read_to_string(&path).is_ok_and(|after| after != before) {
            return Err(kept(problem));
        }
        let _ = std::fs::remove_dir_all(&folder);
        return Err(problem);
    }
    let after = std::fs::read_to_string(&path).map_err(failed)?;
    let taken = if after == before { None } else { Some(take(after).await) };
    match taken.transpose() {
        Ok(taken) => {
            let _ = std::fs::remove_dir_all(&folder);
            Ok(taken)
        }
        Err(problem) => Err(kept(problem)),
    }
}

/// Opens a file in the user's editor and waits until it is closed.
pub fn edited(path: &Path) -> Result<(), Problem> {
    let named = |name: &&str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = ["VISUAL", "EDITOR"].iter().find_map(named).unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let status = std::process::Command::new(words.next().unwrap_or("vi")).args(words).arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Problem::new(ErrorCode::InvalidInput, format!("{editor}: {status}"))
            .with_action("save and close the file in the editor; nothing more was done")),
        Err(error) => Err(Problem::new(ErrorCode::InvalidInput, format!("{editor}: {error}"))
            .with_action("set $EDITOR to a program that edits text")),
    }
}
