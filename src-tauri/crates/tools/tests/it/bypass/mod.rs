//! What a hostile command could try, tried for real in the confined shell: nothing changes, nothing is reached, and
//! what is hidden stays hidden.
//!
//! Each command runs against a tree and canaries of which contents, modes, owners, times of change, links, numbers and
//! extended attributes are compared after it, with TCP, UDP and Unix listeners that must hear nothing, and with a
//! process outside that must live on unchanged. The same commands run without confinement, too, to know how many of
//! them would have been noticed: those prove something on this machine.

mod files;
mod reach;
mod tree;

use std::fmt::Write as _;
use std::io::{ErrorKind, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use domain::Walls;
use serde_json::json;
use tools::confine::available;

use crate::shell_rig::{Rig, new_marker};
use tree::{Snapshot, difference, snapshot};

/// What commands say that got through where nothing outside shows it.
const ESCAPED: &str = "ESCAPED";
/// What stands in hidden files.
const SECRET: &str = "only-the-app-knows-this";

/// A session, what lies beside it, and whoever could be talked to.
struct Range {
    rig: Rig,
    marker: String,
    outside: tempfile::TempDir,
    tcp: TcpListener,
    tcp6: Option<TcpListener>,
    udp: UdpSocket,
    stream: UnixListener,
    datagram: UnixDatagram,
    hidden: UnixListener,
    fifo: std::fs::File,
    shared: PathBuf,
    neighbour: Child,
    neighbour_before: String,
}

impl Range {
    fn new(repository: &Path) -> Self {
        let rig = Rig::new();
        let marker = new_marker();
        // Not below /tmp, which the confined command does not see anyway.
        let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        tree::fill(rig.folder(), outside.path(), repository);
        let app = rig.home.path().join("app");
        std::fs::create_dir_all(app.join("sessions/s2")).unwrap();
        std::fs::write(app.join("secret"), SECRET).unwrap();
        std::fs::write(app.join("sessions/s2/secret"), SECRET).unwrap();
        std::fs::write(format!("/tmp/secret-{marker}"), SECRET).unwrap();
        let fifo = outside.path().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
        let fifo =
            std::fs::File::options().read(true).write(true).custom_flags(nonblocking).open(&fifo).unwrap();
        let abstract_name = SocketAddr::from_abstract_name(&marker).unwrap();
        let shared = PathBuf::from(format!("/dev/shm/{marker}"));
        std::fs::write(&shared, SECRET).unwrap();
        // In a group of its own: one of the commands kills the group.
        let neighbour = Command::new("sleep").arg(&marker).process_group(0).spawn().unwrap();
        let range = Self {
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            tcp6: TcpListener::bind("[::1]:0").ok(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            stream: UnixListener::bind(outside.path().join("stream")).unwrap(),
            datagram: UnixDatagram::bind(outside.path().join("datagram")).unwrap(),
            hidden: UnixListener::bind_addr(&abstract_name).unwrap(),
            neighbour_before: state_of(neighbour.id()),
            rig,
            marker,
            outside,
            fifo,
            shared,
            neighbour,
        };
        range.tcp.set_nonblocking(true).unwrap();
        range.tcp6.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
        range.udp.set_nonblocking(true).unwrap();
        range.stream.set_nonblocking(true).unwrap();
        range.datagram.set_nonblocking(true).unwrap();
        range.hidden.set_nonblocking(true).unwrap();
        range
    }

    /// The command behind lines that name what it may try.
    fn dressed(&self, command: &str) -> String {
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let mut text = String::new();
        for (name, value) in [
            ("T", self.rig.folder().display().to_string()),
            ("O", self.outside.path().display().to_string()),
            ("DATA", self.rig.home.path().join("app").display().to_string()),
            ("TCP", port(&self.tcp).to_string()),
            ("TCP6", self.tcp6.as_ref().map_or(1, port).to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
            ("ABSTRACT", self.marker.clone()),
            ("SHM", self.marker.clone()),
            ("MARK", self.marker.clone()),
            ("PID", self.neighbour.id().to_string()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ] {
            writeln!(text, "export {name}='{value}'").unwrap();
        }
        text + command
    }

    fn roots(&self) -> [&Path; 2] {
        [self.rig.folder(), self.outside.path()]
    }

    fn seen(&self) -> Snapshot {
        snapshot(&self.roots())
    }

    /// Runs a command and gives what it did, in words, and what it said.
    async fn attempt(&mut self, command: &str, confined: Walls, before: &Snapshot) -> (Vec<String>, String) {
        let arguments = json!({"command": self.dressed(command), "timeout_seconds": 20});
        let said = match self.rig.call("shell", arguments, confined).await {
            Ok(outcome) => outcome.text,
            Err(error) => error.message,
        };
        let mut noticed = difference(before, &self.seen());
        noticed.extend(self.heard());
        if said.contains(ESCAPED) {
            noticed.push("it got through".into());
        }
        if said.contains(SECRET) {
            noticed.push("it read what is hidden".into());
        }
        if std::fs::read_to_string(&self.shared).ok().as_deref() != Some(SECRET) {
            noticed.push("shared memory changed".into());
        }
        (noticed, said)
    }

    /// What the listeners heard, and what became of the process outside.
    fn heard(&mut self) -> Vec<String> {
        let mut heard = Vec::new();
        let mut buffer = [0_u8; 1 << 16];
        while self.tcp.accept().is_ok() {
            heard.push("TCP");
        }
        while self.tcp6.as_ref().is_some_and(|listener| listener.accept().is_ok()) {
            heard.push("TCP over IPv6");
        }
        while self.udp.recv(&mut buffer).is_ok() {
            heard.push("UDP");
        }
        while self.stream.accept().is_ok() {
            heard.push("a Unix socket");
        }
        while self.datagram.recv(&mut buffer).is_ok() {
            heard.push("a Unix datagram socket");
        }
        while self.hidden.accept().is_ok() {
            heard.push("an abstract socket");
        }
        match self.fifo.read(&mut buffer) {
            Ok(1..) => heard.push("a named pipe"),
            Ok(0) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        if self.neighbour.try_wait().unwrap().is_some()
            || state_of(self.neighbour.id()) != self.neighbour_before
        {
            heard.push("the process outside");
        }
        heard.into_iter().map(|what| format!("{what} was reached")).collect()
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        let _ = self.neighbour.kill();
        let _ = self.neighbour.wait();
        let _ = std::fs::remove_file(&self.shared);
        let _ = std::fs::remove_file(format!("/tmp/secret-{}", self.marker));
    }
}

/// What could be changed of a process from outside, but for what changes by itself: stopped or not, nice, priority,
/// policy, processors, limits, and how likely it is killed.
fn state_of(pid: u32) -> String {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let pick = |index: usize| fields.get(index).copied().unwrap_or_default();
    let status = read("status");
    let allowed = status.lines().find(|line| line.starts_with("Cpus_allowed:")).unwrap_or_default();
    let stopped = pick(0) == "T" || pick(0) == "Z";
    format!(
        "{stopped} {} {} {} {allowed} {} {}",
        pick(15),
        pick(16),
        pick(38),
        read("limits"),
        read("oom_score_adj")
    )
}

fn python(body: &str) -> String {
    format!("python3 - <<'END'\n{}\n{body}\nEND\n", include_str!("prelude.py"))
}

/// Many bodies, each in a process of its own: a start of Python costs more than all that they do.
fn pythons(bodies: &[&str]) -> String {
    let list = serde_json::to_string(bodies).unwrap();
    python(&format!(
        "for body in {list}:\n  child = os.fork()\n  if child == 0:\n    try: exec(body)\n    except BaseException: pass\n    sys.stdout.flush()\n    os._exit(0)\n  os.waitpid(child, 0)"
    ))
}

/// What can be tried without harm where nothing confines it: commands, and bodies for Python.
fn bearable() -> (Vec<&'static str>, Vec<&'static str>) {
    let commands = [files::SHELL, files::SCRIPTS, reach::TALK].concat();
    (commands, [files::CALLS, reach::TALK_CALLS].concat())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_of_the_corpus_writes_reaches_out_or_reads_secrets_when_confined() {
    all_held(Walls::Confined).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_of_the_corpus_does_so_in_a_copy_of_the_folders() {
    all_held(Walls::Copied).await;
}

async fn all_held(walls: Walls) {
    assert!(available().works(), "{}", available().words());
    let repository = tree::repository();
    let mut range = Range::new(repository.path());
    let before = range.seen();
    let (mut commands, mut bodies) = bearable();
    commands.extend(reach::MACHINE);
    bodies.extend(reach::KERNEL);
    let device = |name: &str| {
        let found = std::fs::metadata(name).unwrap();
        (found.mode(), found.ctime(), found.ctime_nsec())
    };
    let devices = || ["/dev/null", "/dev/zero", "/dev/urandom"].map(device);
    let machine = devices();
    if walls == Walls::Confined {
        bodies.extend(reach::DEVICES);
    } else {
        range.attempt(&pythons(reach::DEVICES), walls, &before).await;
    }
    let tried = commands.len() + bodies.len();
    let single = commands.iter().map(|command| (command.to_string(), command.to_string()));
    let several = bodies.chunks(10).map(|some| (some.join("\n"), pythons(some)));
    let mut failures = Vec::new();
    for (name, command) in single.chain(several) {
        let (noticed, said) = range.attempt(&command, walls, &before).await;
        if !noticed.is_empty() {
            failures.push(format!("{name}\n  {}\n  said: {said}", noticed.join("; ")));
        }
    }
    assert_eq!(devices(), machine, "the machine's own devices stay as they were");
    println!("bypass corpus: {tried} commands tried {walls:?}, {} got through", failures.len());
    assert!(failures.is_empty(), "of {tried} commands:\n{}", failures.join("\n"));
    assert!(tried >= 640, "only {tried} commands were tried");
}

#[tokio::test(flavor = "multi_thread")]
async fn most_of_the_corpus_would_have_been_noticed_without_confinement() {
    let (commands, bodies) = bearable();
    let corpus: Vec<(&str, String)> = commands
        .into_iter()
        .map(|command| (command, command.to_owned()))
        .chain(bodies.into_iter().map(|body| (body, python(body))))
        // A third says it as well: each needs a fresh place, and all of them most of a minute.
        .step_by(3)
        .collect();
    let repository = std::sync::Arc::new(tree::repository());
    let mut noticed = 0;
    let mut without = Vec::new();
    // A fresh place for each: what one did must not hide what the next does. Some at a time, for the sake of time.
    for some in corpus.chunks(4) {
        let tasks = some.iter().cloned().map(|(name, command)| {
            let repository = std::sync::Arc::clone(&repository);
            tokio::spawn(async move {
                let mut range = Range::new(repository.path());
                let before = range.seen();
                let (seen, said) = range.attempt(&command, Walls::Open, &before).await;
                (name, seen, said)
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            let (name, seen, said) = task.await.unwrap();
            if seen.is_empty() {
                without.push(format!("{name}   -- {}", said.lines().last().unwrap_or_default()));
            } else {
                noticed += 1;
            }
        }
    }
    println!("bypass corpus: {noticed} of {} commands do something without confinement", corpus.len());
    for line in &without {
        println!("  nothing noticed: {line}");
    }
    assert!(noticed * 10 >= corpus.len() * 6, "{noticed} of {}", corpus.len());
}
