//! Whether confinement really confines here: a confined command tries what it must not be able to do.

use std::ffi::OsString;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Confinement, SandboxPolicy};

/// Says `started` first, so that a command that never ran is not taken for one that was kept from something.
const ATTEMPTS: &str = r#"echo started
( : > "$1/written" ) 2>/dev/null && echo wrote
( : >> "$1/there" ) 2>/dev/null && echo appended
( chmod 600 "$1/there" ) 2>/dev/null && echo changed
( exec 3<>"/dev/tcp/127.0.0.1/$2" ) 2>/dev/null && echo connected
[ -e "$3" ] && echo seen
( : >> /proc/sys/kernel/core_pattern ) 2>/dev/null && echo tuned
[ "$4" -gt 99 ] && kill -0 "$4" 2>/dev/null && echo signalled
cat "$1/there""#;

/// Why confinement does not confine here, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unfit(pub String);

impl From<String> for Unfit {
    fn from(words: String) -> Self {
        Self(words)
    }
}

/// Tries whether a confined command can do what it must not.
pub(super) fn probe(confinement: &Confinement) -> Result<(), Unfit> {
    if let Confinement::None { why } = confinement {
        return Err(Unfit(why.clone()));
    }
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what} could not be tried: {error}");
    let folder = Folder::new().map_err(|error| failed("confinement", &error))?;
    let shown = folder.0.join("shown");
    let hidden = folder.0.join("hidden");
    let prepared = std::fs::create_dir(&shown)
        .and_then(|()| std::fs::create_dir(&hidden))
        .and_then(|()| std::fs::write(shown.join("there"), "content"))
        .and_then(|()| std::fs::write(hidden.join("secret"), "secret"))
        .and_then(|()| TcpListener::bind("127.0.0.1:0"));
    let listener = prepared.map_err(|error| failed("confinement", &error))?;
    let port = listener.local_addr().map_err(|error| failed("a connection", &error))?.port();
    let shown = shown.canonicalize().map_err(|error| failed("confinement", &error))?;
    let sandbox = SandboxPolicy {
        data: hidden.clone(),
        shown: vec![shown.clone()],
        directory: shown.clone(),
        ..SandboxPolicy::default()
    };
    // Only bash opens connections by itself; another shell fails at it, and the rest is still tried.
    let shell = if Path::new("/bin/bash").is_file() { "/bin/bash" } else { "/bin/sh" };
    let arguments: Vec<OsString> = vec![
        "-c".into(),
        ATTEMPTS.into(),
        shell.into(),
        shown.clone().into(),
        port.to_string().into(),
        hidden.join("secret").into(),
        // A number as small as those of the command's own processes would tell nothing.
        std::process::id().to_string().into(),
    ];
    let confined =
        confinement.wrap(&sandbox, shell.as_ref(), &arguments).map_err(|error| error.to_string())?;
    let output = Command::new(&confined.program)
        .args(&confined.arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} could not be started: {error}", confined.program.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !said.starts_with("started\n") {
        let words = String::from_utf8_lossy(&output.stderr);
        let words = words.lines().next().unwrap_or("it said nothing");
        return Err(format!("{} does not work: {words}{}", confined.program.display(), hint()).into());
    }
    if said != "started\ncontent" || shown.join("written").exists() {
        return Err(format!(
            "{} did not confine: a command could do what it must not ({})",
            confined.program.display(),
            said.lines().skip(1).collect::<Vec<_>>().join(", ")
        )
        .into());
    }
    Ok(())
}

/// Ubuntu lets only programs with an AppArmor profile make namespaces.
fn hint() -> &'static str {
    let setting = std::fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    if setting.is_ok_and(|value| value.trim() == "1") {
        "; this system allows it only to programs with an AppArmor profile: add one for bwrap"
    } else {
        ""
    }
}

/// A temporary folder that is removed in the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let name = format!("agentnative-probe-{}-{:x}", std::process::id(), now());
        let path = std::env::temp_dir().join(name);
        // Fails where it is there already: nobody can have prepared it for us.
        #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set on Unix alone"))]
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn now() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}
