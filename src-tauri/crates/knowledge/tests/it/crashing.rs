//! An ingest that is killed leaves the generation before it in use. A child of this program ingests and is killed for real.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;

use knowledge::{Base, IngestOptions, ingest};
use pretty_assertions::assert_eq;

use crate::World;

const HOME: &str = "AGENTNATIVE_TEST_CRASH_HOME";
const SOURCES: &str = "AGENTNATIVE_TEST_CRASH_SOURCES";

/// What the child does: it tells every step, and goes on when it is told to.
#[test]
#[ignore = "run as a child of the tests below"]
fn child() {
    let path = |name| PathBuf::from(std::env::var_os(name).expect("started by a test"));
    let options = IngestOptions::new(path(HOME), "base", vec![path(SOURCES)]);
    let mut step = |progress| {
        println!("STEP {progress:?}");
        let mut go = [0];
        std::io::stdin().read_exact(&mut go).unwrap();
    };
    ingest(&options, &mut step, &AtomicBool::new(false)).unwrap();
    println!("DONE");
}

fn command(world: &World) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "crashing::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(HOME, world.home.path())
        .env(SOURCES, world.sources.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Lets the child go on for `steps` steps and kills it at the next one. False when it was done before.
fn killed_after(mut child: Child, steps: usize) -> bool {
    let mut go = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut step = || lines.by_ref().find(|line| line.contains("STEP") || line.contains("DONE"));
    let mut done = false;
    for _ in 0..steps {
        match step() {
            Some(line) if line.contains("STEP") => go.write_all(b"g").unwrap(),
            Some(_) | None => {
                done = true;
                break;
            }
        }
    }
    if !done {
        done = step().is_none_or(|line| line.contains("DONE"));
    }
    if !done {
        child.kill().unwrap();
    }
    drop(go);
    let status = child.wait().unwrap();
    assert_eq!(status.success(), done);
    !done
}

fn with_a_base() -> World {
    let world = World::with(&[("a.md", "# A\n\nOld words.\n"), ("b.md", "# B\n\nMore old words.\n")]);
    let options = IngestOptions::new(world.home.path(), "base", vec![world.sources.path().to_owned()]);
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    world.write("a.md", b"# A\n\nNew words.\n");
    world.write("c.md", b"# C\n\nOther new words.\n");
    world
}

fn words(world: &World) -> String {
    Base::open(world.home.path(), "base").unwrap().paragraphs()[0].text.clone()
}

#[test]
fn a_kill_at_any_step_leaves_the_old_generation_and_the_next_ingest_succeeds() {
    let mut kills = 0;
    for steps in 0.. {
        let world = with_a_base();
        if !killed_after(command(&world).spawn().unwrap(), steps) {
            assert_eq!(words(&world), "New words.");
            break;
        }
        kills += 1;
        assert_eq!(words(&world), "Old words.", "killed at step {steps}");
        let options = IngestOptions::new(world.home.path(), "base", vec![world.sources.path().to_owned()]);
        ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        assert_eq!(words(&world), "New words.");
        let left = std::fs::read_dir(world.home.path().join("knowledge/base")).unwrap().flatten();
        assert!(left.into_iter().all(|one| !one.file_name().to_string_lossy().starts_with(".ingest-")));
    }
    assert!(kills >= 4, "only {kills} kills");
}

/// Every file is written in full before anything depends on it: the system ends the child at its first write beyond
/// a size.
#[cfg(unix)]
#[test]
fn a_write_that_fails_anywhere_leaves_the_old_generation() {
    let mut ended = 0;
    for blocks in [0, 1, 2, 4] {
        let world = with_a_base();
        // Files of several sizes, so that each limit is met in another place.
        world.write("d.md", format!("# D\n\n{}\n", "Words and words. ".repeat(400)).as_bytes());
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("ulimit -f {blocks}; exec \"$0\" \"$@\""))
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "crashing::child", "--ignored", "--nocapture", "--test-threads=1"])
            .env(HOME, world.home.path())
            .env(SOURCES, world.sources.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = shell.spawn().unwrap();
        // It may end before it has read all of this.
        let _ = child.stdin.take().unwrap().write_all(&[b'g'; 64]);
        ended += usize::from(!child.wait().unwrap().success());
        assert_eq!(words(&world), "Old words.", "at most {blocks} blocks");
    }
    assert_eq!(ended, 4);
}
