//! The built program from outside: from the start of a process until a resumed run gets its next answer; and the commits
//! of a whole research run.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use app::{Local, Options, PausePolicy, StartRun};
use pipeline::Event;
use protocol::{Client, RunRef};
use serde_json::{Value, json};

use crate::figure::{Figure, median, ms};
use crate::resumption::copy;
use crate::rig::{CHARACTERS, PROMPT, config};
use crate::{Bench, Outcome};

const ROUNDS: usize = 15;

/// Kills what it started when dropped.
struct ChildProcess(Child);

impl Drop for ChildProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// From the start of the process until the first text of the resumed run's next model answer is read from its standard
/// output. That is a little more than "until the next effect": the effect, its answer and the way out are in it.
pub fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    Ok(vec![bare(bench)?, with_child(bench)?, started(bench)?])
}

/// A run of six model stages, killed with -9 while its fourth waits for an answer.
fn bare(bench: &Bench) -> Outcome<Figure> {
    let folder = bench.scratch()?;
    let home = folder.path().join("home");
    let answer = |seed: u64| json!({"text": "%BYTES%", "repeatBytes": CHARACTERS, "seed": seed});
    write_agent(&home, &config(6))?;
    let script = json!({"answers": [answer(1), answer(2), answer(3), {"hang": true}]});
    fs::write(folder.path().join("first.json"), script.to_string())?;
    let arguments = ["run", "six", "--yes", "--json", "--connection", "scripted", "A question."];
    let mut child = start(bench, &home, &folder.path().join("first.json"), &arguments)?;
    until(&mut child, |line| line["kind"] == "progress" && line["stage"] == "s4")?;
    drop(child);
    let value = resumed(bench, folder.path(), &home)?;
    Ok(Figure::plain("resume.process-to-effect", value, "ms").beside(607.0).at_most(50.0))
}

/// A run that waits at the pause before its tool calls: the next answer comes after the knowledge server was started as
/// a child, has searched, and the model was asked.
fn with_child(bench: &Bench) -> Outcome<Figure> {
    let folder = bench.scratch()?;
    let home = folder.path().join("home");
    let mut config = config(3);
    config["sources"] = json!([{"slug": "isa-knowledge-base", "required": true}]);
    config["defaultCorpus"] = json!("isa-primer");
    config["controlFlow"]["pauseAfterStages"] = json!(["s1"]);
    config["controlFlow"]["stages"][1] = json!({
        "id": "s2", "name": "s2", "title": "s2", "kind": "tools",
        "steps": [{"tool": "isa-knowledge-base/isa_hybrid_search", "collect": "found",
            "args": {"query": "{{ request }}"}}],
    });
    write_agent(&home, &config)?;
    fs::write(folder.path().join("first.json"), json!({"default": {"text": "A plan."}}).to_string())?;
    let arguments = ["run", "six", "--json", "--connection", "scripted", "What is materiality?"];
    let mut child = start(bench, &home, &folder.path().join("first.json"), &arguments)?;
    until(&mut child, |line| line["kind"] == "done")?;
    child.0.wait()?;
    let value = resumed(bench, folder.path(), &home)?;
    Ok(Figure::plain("resume.process-with-server", value, "ms").at_most(150.0))
}

/// What a process costs that does nearly nothing.
fn started(bench: &Bench) -> Outcome<Figure> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let status = Command::new(&bench.program).arg("--version").stdout(Stdio::null()).status()?;
        times.push(ms(start.elapsed()));
        if !status.success() {
            return Err(format!("{} --version: {status}", bench.program.display()).into());
        }
    }
    Ok(Figure::plain("resume.process-alone", median(times), "ms"))
}

fn resumed(bench: &Bench, folder: &Path, home: &Path) -> Outcome<f64> {
    let script = folder.join("second.json");
    fs::write(&script, json!({"default": {"text": "More."}}).to_string())?;
    let mut times = Vec::new();
    for round in 0..=ROUNDS {
        let copied = folder.join(format!("round-{round}"));
        copy(home, &copied)?;
        let begin = Instant::now();
        let mut child = start(bench, &copied, &script, &["resume", "--last", "--yes", "--json"])?;
        let took = until(&mut child, |line| line["kind"] == "delta")?.duration_since(begin);
        child.0.wait()?;
        fs::remove_dir_all(&copied)?;
        if round > 0 {
            times.push(ms(took));
        }
    }
    Ok(median(times))
}

fn start(bench: &Bench, home: &Path, script: &Path, arguments: &[&str]) -> Outcome<ChildProcess> {
    let child = Command::new(&bench.program)
        .args(arguments)
        .env("AGENTNATIVE_HOME", home)
        .env("AGENTNATIVE_SCRIPT", script)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(ChildProcess(child))
}

/// Reads lines until one is wanted; the rest of the output is read and dropped meanwhile. Gives when it was read.
fn until(child: &mut ChildProcess, wanted: impl Fn(&Value) -> bool) -> Outcome<Instant> {
    let stdout = child.0.stdout.take().ok_or("no standard output")?;
    let mut lines = BufReader::new(stdout).lines();
    let mut last = String::new();
    while let Some(line) = lines.next() {
        let line = line?;
        let read = Instant::now();
        if wanted(&serde_json::from_str(&line).unwrap_or_default()) {
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(read);
        }
        last = line;
    }
    Err(format!("the program ended without what was waited for; its last line: {last}").into())
}

fn write_agent(home: &Path, config: &Value) -> Outcome<()> {
    let folder = home.join("workspaces/default/agents/six");
    fs::create_dir_all(folder.join("prompts"))?;
    fs::write(folder.join("config.json"), config.to_string())?;
    let sources: Vec<&str> = config["sources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|source| source["slug"].as_str())
        .collect();
    let head = format!(
        "---\nname: Six\ndescription: Model stages in a row.\nsources: {}\n---\n\nFor measuring.\n",
        json!(sources)
    );
    fs::write(folder.join("AGENT.md"), head)?;
    fs::write(folder.join("prompts/write.md"), PROMPT)?;
    Ok(())
}

/// A whole run of the shipped research agent with the offline engine: its commits beside what it did.
pub async fn research(bench: &Bench) -> Outcome<Vec<Figure>> {
    let home = bench.scratch()?;
    let options = Options {
        home: home.path().to_owned(),
        program: bench.program.clone(),
        providers: std::collections::BTreeMap::new(),
        hosts: None,
    };
    let local = Local::open(options).await?;
    let begin = Instant::now();
    let start = StartRun {
        agent: "isa-deep-research".to_owned(),
        request: "How does an auditor respond to a significant risk of fraud in revenue?".to_owned(),
        attend: PausePolicy { replies: Vec::new(), unattended: true },
        ..StartRun::default()
    };
    let run = local.run_start(Box::new(start)).await?;
    let (exit, problem) = local.engine().wait(&run).await?;
    let took = begin.elapsed();
    if let Some(problem) = problem {
        return Err(format!("the run ended as {exit:?}: {problem}").into());
    }
    let commits = local.engine().parts().store.stats().full_transactions;
    let state = local.run_show(RunRef::Id(run.0.clone()), Some(0), false).await?;
    local.close().await?;
    let (mut paid, mut pauses, mut waves) = (0, 0, 0);
    for record in &state.events {
        match &record.event {
            Event::ModelCallRequested { .. } => paid += 1,
            Event::PauseRequested { .. } => pauses += 1,
            // A wave of tools: its calls reserve nothing.
            Event::StagePlanned { calls, .. } if calls.iter().any(|call| call.repeatable) => waves += 1,
            _ => {}
        }
    }
    let allowed = f64::from(2 + paid + pauses + waves);
    Ok(vec![
        Figure::plain("research.commits", commits as f64, "commits").beside(allowed).ratio_at_most(1.0),
        Figure::plain("research.paid-calls", f64::from(paid), "calls"),
        Figure::plain("research.pauses", f64::from(pauses), "pauses"),
        Figure::plain("research.tool-waves", f64::from(waves), "waves"),
        Figure::plain("research.wall", ms(took), "ms"),
    ])
}
