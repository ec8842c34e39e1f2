//! What a run looks like in a terminal: one line a stage on standard error, the document's path on standard output.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use app::{AnyClient, Exit, UiEvent, UiKind};
use domain::{Problem, RunId, StageId, Usage};
use money::foreseen;
use pipeline::{Event, RepairEnd};
use protocol::{Client, ReuseRow, RunRef, RunState};

use crate::outcome::{Outcome, of_exit};

pub use support::{duration, plain, printable, printable_json};

/// The help of `--json`.
pub const JSON: &str = "Print the result as JSON";

/// Shows one run.
pub struct Terminal {
    json: bool,
    live: bool,
    titles: BTreeMap<StageId, String>,
    started: BTreeMap<StageId, u64>,
    status: usize,
}

impl Terminal {
    /// Lines of words, or of JSON.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            live: !json && std::io::stderr().is_terminal(),
            titles: BTreeMap::new(),
            started: BTreeMap::new(),
            status: 0,
        }
    }

    /// Whether the stages' titles are known.
    pub fn knows_stages(&self) -> bool {
        self.json || !self.titles.is_empty()
    }

    /// Learns the stages' titles, once the run is in the log.
    pub async fn begin(&mut self, client: &AnyClient, run: &RunId) -> Result<(), Problem> {
        if self.json {
            return Ok(());
        }
        if let Ok(state) = self.state(client, run).await {
            self.titles = state.stages.into_iter().map(|stage| (stage.id, stage.title)).collect();
        }
        Ok(())
    }

    /// A run's state.
    pub async fn state(&self, client: &AnyClient, run: &RunId) -> Result<RunState, Problem> {
        client.run_show(RunRef::Id(run.0.clone()), None, false).await
    }

    /// Shows an event.
    pub fn show(&mut self, event: &UiEvent) {
        if self.json {
            println!("{}", json_line(event));
            return;
        }
        match &event.kind {
            UiKind::Event { record } => self.event(&event.run, record.at, &record.event),
            UiKind::Progress { stage, text, done, total } => {
                let title = self.title(stage);
                if *total > 1 {
                    self.line(&format!("{title}: {text} ({} of {total})", (done + 1).min(*total)));
                } else if !text.is_empty() {
                    self.line(&format!("{title}: {text}"));
                }
            }
            UiKind::Waiting { stage, ms, problem } => {
                let title = self.title(stage);
                self.note(&format!(
                    "{title}: {}; next attempt in {:.1} s",
                    problem.message,
                    *ms as f64 / 1000.0
                ));
            }
            UiKind::Meter { .. } | UiKind::Delta { .. } | UiKind::Pause { .. } | UiKind::Done { .. } => {}
        }
    }

    fn event(&mut self, run: &RunId, at: u64, event: &Event) {
        match event {
            Event::StageStarted { stage, iteration, .. } => {
                self.started.insert(stage.clone(), at);
                let repair = if *iteration > 0 { format!(" (repair {iteration})") } else { String::new() };
                let title = self.title(stage);
                self.line(&format!("{title}{repair}"));
            }
            Event::ContextHandoffRequested { stage, fill, .. } => {
                let title = self.title(stage);
                self.line(&format!("  the conversation is at {:.0} %, too full for {title}", fill * 100.0));
            }
            Event::ContextHandoffApproved { .. } => {
                self.line("  the conversation has handed over to a fresh one");
            }
            Event::StageCompleted { stage, summary, warnings, .. } => {
                let seconds =
                    at.saturating_sub(self.started.get(stage).copied().unwrap_or(at)) as f64 / 1000.0;
                let title = self.title(stage);
                let summary = if summary.is_empty() || summary.len() > 70 {
                    String::new()
                } else {
                    format!("  {summary}")
                };
                self.note(&format!("done     {title:<12} {seconds:>6.1} s{summary}"));
                for warning in warnings {
                    self.note(&format!("warning  {title:<12} {warning}"));
                }
            }
            Event::StageSkipped { stage, why, .. } => {
                let title = self.title(stage);
                self.note(&format!("skipped  {title:<12} {why}"));
            }
            Event::StageFailed { stage, problem, .. } => {
                let title = self.title(stage);
                self.note(&format!("failed   {title:<12} {}", problem.message));
            }
            Event::RepairStarted { iteration, .. } => {
                self.note(&format!("repair   the check found something; repair {iteration}"))
            }
            Event::RepairEnded { reason, .. } => self.note(match reason {
                RepairEnd::Exhausted => "repair   no further repair allowed; the best attempt is used",
                RepairEnd::Budget => "repair   no budget for another; the best attempt is used",
                RepairEnd::NoGain => "repair   no improvement; the best attempt is used",
                RepairEnd::Failed => "repair   the repair failed; the best attempt is used",
            }),
            Event::OutcomeUnknown { key, .. } => {
                self.note(&format!(
                    "notice   call {key} was interrupted; it may be paid twice if it goes to a priced model"
                ));
            }
            Event::Resumed { decision, .. } if decision.follow_up => self.note(&format!(
                "pause    {}, taken by itself because this is a follow-up; for another plan stop it and use \
                 `agentnative rerun {run} --edit <stage>=<file>`, or ask with --pause-at-plan",
                decision.choice
            )),
            Event::Resumed { decision, .. } => {
                let who = if decision.unattended { "answered automatically" } else { "answered" };
                let why = decision.because.iter().map(|why| format!(" ({why})")).collect::<String>();
                self.note(&format!("pause    {who}: {}{why}", decision.choice));
            }
            _ => {}
        }
    }

    /// Says that events were lost.
    pub fn gap(&mut self) {
        self.note("(some progress was not shown)");
    }

    /// A line that stays.
    pub fn note(&mut self, text: &str) {
        if self.json {
            return;
        }
        self.clear();
        eprintln!("{}", printable(text));
    }

    /// A line that the next one replaces; only on a terminal.
    fn line(&mut self, text: &str) {
        if !self.live {
            return;
        }
        self.clear();
        let text: String = printable(text).chars().take(100).collect();
        self.status = text.chars().count();
        eprint!("{text}\r");
        let _ = std::io::stderr().flush();
    }

    fn clear(&mut self) {
        if self.status > 0 {
            eprint!("{:width$}\r", "", width = self.status);
            self.status = 0;
        }
    }

    fn title(&self, stage: &StageId) -> String {
        self.titles.get(stage).cloned().unwrap_or_else(|| stage.0.clone())
    }

    /// The last lines: what became of the run.
    pub async fn end(
        &mut self,
        client: &AnyClient,
        run: &RunId,
        exit: Exit,
        problem: Option<Problem>,
    ) -> Result<Outcome, Problem> {
        self.clear();
        let (document, unmet) = match exit {
            Exit::Completed => {
                let unmet: Vec<String> =
                    self.state(client, run).await?.unmet().map(|stage| stage.title.clone()).collect();
                (client.run_export(RunRef::Id(run.0.clone()), false).await?, unmet)
            }
            Exit::Paused | Exit::Failed | Exit::Cancelled => (None, Vec::new()),
        };
        let outcome = if unmet.is_empty() { of_exit(exit) } else { Outcome::Failed };
        if self.json {
            let reuse = self.state(client, run).await?.reuse;
            let mut last = serde_json::json!({ "run": run, "kind": "end", "exit": exit, "document": document, "problem": problem });
            if !unmet.is_empty() {
                last["unmet"] = unmet.into();
            }
            if let Some(reuse) = reuse {
                last["reuse"] = serde_json::json!({
                    "base": reuse.base, "calls_reused": reuse.calls_reused, "calls_made": reuse.calls_made,
                    "cost_saved_usd": reuse.cost_saved.usd(), "tokens_saved": reuse.tokens_saved, "edited": reuse.edited,
                });
            }
            println!("{}", json_line(&last));
            return Ok(outcome);
        }
        match exit {
            Exit::Completed => {
                let state = self.state(client, run).await?;
                eprintln!("{}, {}", state.cost, tokens(state.no_model, &state.usage));
                for line in foreseen(&state).into_iter().chain(reused(&state)) {
                    eprintln!("{line}");
                }
                for title in unmet {
                    eprintln!(
                        "{}: its check does not pass; it was accepted as it stands, without anybody there.",
                        printable(&title)
                    );
                }
                match document {
                    Some(path) => println!("{}", printable(&path)),
                    None => eprintln!(
                        "The agent makes no document. `agentnative show {run} --outputs` shows what it found."
                    ),
                }
            }
            Exit::Paused if problem.is_none() => {
                let state = self.state(client, run).await?;
                let mut ids = Vec::new();
                for form in &state.pauses {
                    eprintln!("\n{}", plain(&form.markdown));
                    ids.extend(form.choices.iter().map(|choice| printable(&choice.id)));
                }
                eprintln!(
                    "The run waits. `agentnative resume {run}` goes on; with --yes it takes the default choice, with \
                     --answers <file> another: {} (`agentnative schema answers` shows the file).",
                    ids.join(", ")
                );
            }
            Exit::Cancelled => {
                eprintln!("Cancelled. What it found so far is kept: `agentnative show {run}`.")
            }
            Exit::Paused | Exit::Failed => {
                if let Some(problem) = problem {
                    eprintln!("agentnative: {}", printable(&problem.to_string()));
                }
                eprintln!(
                    "Nothing that was done is lost. `agentnative resume {run}` tries again from where it failed."
                );
            }
        }
        Ok(outcome)
    }
}

/// What a run that repeats another took over.
pub fn reused(state: &RunState) -> Option<String> {
    let ReuseRow { base, calls_reused, calls_made, cost_saved, tokens_saved, .. } = state.reuse.as_ref()?;
    Some(format!(
        "{calls_reused} of {} calls taken over from {base}: {cost_saved} and {tokens_saved} tokens saved",
        calls_reused + calls_made
    ))
}

/// Tokens in words; the offline engine asks no model, whatever it read.
pub fn tokens(no_model: bool, usage: &Usage) -> String {
    if no_model { "no model".to_owned() } else { format!("{} tokens", usage.total()) }
}

/// The text of a file, or of standard input for `-`.
pub fn read_text(file: &Path) -> std::io::Result<String> {
    if file == Path::new("-") {
        return std::io::read_to_string(std::io::stdin());
    }
    std::fs::read_to_string(file)
}

/// A time in milliseconds since 1970, by the clock of this machine.
pub fn local_time(at: i64) -> String {
    let zoned = jiff::Timestamp::from_millisecond(at).map(|at| at.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| at.to_string(), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// Minutes that the clock of this machine is ahead of UTC now: for the days of filters and sums.
pub fn utc_offset_minutes() -> i32 {
    jiff::tz::TimeZone::system().to_offset(jiff::Timestamp::now()).seconds() / 60
}

/// A value as a line of JSON.
pub fn json_line(value: &(impl serde::Serialize + ?Sized)) -> String {
    // By way of a value: how each type becomes one is compiled already, where answers are written for the page.
    let value = serde_json::to_value(value).unwrap_or_default();
    printable_json(&value.to_string()).into_owned()
}

/// Prints a value as a line of JSON where that is asked for, else in words.
pub fn print_either<T: serde::Serialize>(json: bool, value: &T, in_words: impl FnOnce(&T)) {
    if json { println!("{}", json_line(value)) } else { in_words(value) }
}

/// Prints a value as a line of JSON, which is all that a command prints then.
pub fn print_json(value: &(impl serde::Serialize + ?Sized)) -> Result<Outcome, Problem> {
    println!("{}", json_line(value));
    Ok(Outcome::Done)
}
