//! Asking the person.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use app::{AnyClient, Form, FormChoice, FormKind, Reply};
use domain::agent::ChoiceAction;
use domain::{ErrorCode, Problem, RunId};
use protocol::{Client, RunRef};

use crate::terminal::{plain, printable};

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

/// Asks whether to go on; without a terminal `--yes` has to say so. `what` is a verb, as in "delete".
pub async fn agreed(question: &str, what: &str) -> Result<bool, Problem> {
    if !std::io::stdin().is_terminal() {
        return Err(Problem::new(ErrorCode::InvalidInput, format!("nobody is there to {what} it"))
            .with_action("look at what is above, then add --yes"));
    }
    let said = line(&format!("\n{question} [y/N] ")).await.unwrap_or_default();
    Ok(matches!(said.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Shows a pause and reads a reply; `None` when the person leaves it open.
pub async fn ask(surface: &AnyClient, run: &RunId, form: &Form) -> Result<Option<Reply>, Problem> {
    eprintln!("\n{}", plain(&form.markdown));
    let mut reply = Reply::default();
    for question in &form.questions {
        let Some(answer) = line(&format!("{}\n  (Enter leaves it open) > ", printable(question))).await
        else {
            return Ok(None);
        };
        if !answer.trim().is_empty() {
            reply.answers.insert(question.clone(), answer);
        }
    }
    eprintln!();
    for (index, choice) in form.choices.iter().enumerate() {
        let default = if is_default(form, choice) { " (Enter)" } else { "" };
        eprintln!("  {}  {}{default}\n     {}", index + 1, printable(&choice.label), printable(&choice.next));
    }
    if form.editable {
        eprintln!("  e  Edit in your editor");
    }
    let Some(text) = line("Number, or your own words > ").await else { return Ok(None) };
    let text = text.trim();
    if text.is_empty() {
        reply.choice =
            form.choices.iter().find(|choice| is_default(form, choice)).map(|choice| choice.id.clone());
        return Ok(Some(reply));
    }
    if text.eq_ignore_ascii_case("e") && form.editable {
        reply.edit = edit(surface, run, form).await?;
        reply.choice =
            form.choices.iter().find(|choice| is_default(form, choice)).map(|choice| choice.id.clone());
        return Ok(Some(reply));
    }
    let chosen = text.parse::<usize>().ok().and_then(|number| form.choices.get(number.checked_sub(1)?));
    match chosen {
        Some(choice) => {
            reply.choice = Some(choice.id.clone());
            if choice.action == ChoiceAction::Amend {
                let Some(words) = line("What should be different? > ").await else { return Ok(None) };
                reply.text = Some(words);
            }
            if form.kind == FormKind::Budget && choice.id == "raise" {
                let Some(words) =
                    line("New limit, such as $2.50 or 400000 tokens (Enter doubles it) > ").await
                else {
                    return Ok(None);
                };
                reply.text = Some(words);
            }
        }
        None => reply.text = Some(text.to_owned()),
    }
    Ok(Some(reply))
}

fn is_default(form: &Form, choice: &FormChoice) -> bool {
    form.choices
        .iter()
        .find(|choice| matches!(choice.action, ChoiceAction::Proceed | ChoiceAction::Skip))
        .is_some_and(|first| first.id == choice.id)
}

/// The stage's output as the person's editor left it; `None` when nothing changed.
async fn edit(surface: &AnyClient, run: &RunId, form: &Form) -> Result<Option<serde_json::Value>, Problem> {
    let failed =
        |error: String| Problem::new(ErrorCode::InvalidInput, format!("the edit could not be read: {error}"));
    let state = surface.run_show(RunRef::Id(run.0.clone()), None, true).await?;
    // Outputs are listed by stage name, in the order of the stages that have one.
    let position = state.stages.iter().position(|stage| stage.id == form.stage);
    let outputs = state.outputs.as_ref().and_then(|outputs| outputs.as_object());
    let value = position
        .zip(outputs)
        .and_then(|(position, outputs)| outputs.values().nth(position))
        .cloned()
        .unwrap_or_default();
    let before = serde_json::to_string_pretty(&value).map_err(|error| failed(error.to_string()))?;
    let folder = std::env::temp_dir().join(format!("agentnative-edit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| failed(error.to_string()))?;
    let path = folder.join("plan.json");
    std::fs::write(&path, &before).map_err(|error| failed(error.to_string()))?;
    let opened = edited(&path);
    let after = std::fs::read_to_string(&path);
    let _ = std::fs::remove_dir_all(&folder);
    opened?;
    let after = after.map_err(|error| failed(error.to_string()))?;
    if after == before {
        return Ok(None);
    }
    serde_json::from_str(&after).map(Some).map_err(|error| failed(error.to_string()))
}

/// Opens a file in the user's editor and waits until it is closed.
pub fn edited(path: &Path) -> Result<(), Problem> {
    let named = |name: &&str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = ["VISUAL", "EDITOR"].iter().find_map(named).unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let status = std::process::Command::new(words.next().unwrap_or("vi")).args(words).arg(path).status();
    match status {
        Ok(_) => Ok(()),
        Err(error) => Err(Problem::new(ErrorCode::InvalidInput, format!("{editor}: {error}"))
            .with_action("set $EDITOR to a program that edits text")),
    }
}
