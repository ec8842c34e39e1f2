//! Git as a child process: it asks nothing, opens nothing, runs no hook, speaks English, and is bounded.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;

use crate::command::{Child, Finished, Runner};
use crate::error::TaskError;
use crate::named_programs::NamedPrograms;

/// How long one command of git may take.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The most that is read of one command's output, in bytes.
pub(crate) const MAX_OUTPUT_BYTES: usize = 64 << 20;
/// The most of an error that is passed on, in bytes.
const MAX_MESSAGE_BYTES: usize = 2_000;
/// Settings that hold whatever the person's configuration says.
const SETTINGS: &[&str] = &[
    if cfg!(windows) { "core.hooksPath=NUL" } else { "core.hooksPath=/dev/null" },
    "core.fsmonitor=false",
    "core.quotePath=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "advice.detachedHead=false",
];
/// Who makes commits where the person is not known to git, and all save points.
const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "AgentNative"),
    ("GIT_AUTHOR_EMAIL", "agentnative@localhost"),
    ("GIT_COMMITTER_NAME", "AgentNative"),
    ("GIT_COMMITTER_EMAIL", "agentnative@localhost"),
];

/// Git in one folder.
#[derive(Debug, Clone)]
pub(crate) struct Git<'a> {
    runner: &'a Runner,
    folder: PathBuf,
    variables: Vec<(OsString, OsString)>,
    /// Whether `:(…)` before a path has its meaning.
    magic: bool,
    /// Programs that the repository's own configuration names, once they were looked for.
    named: Arc<OnceCell<NamedPrograms>>,
}

/// Commands that look at no file's content, and so start none of the programs that change it.
const WITHOUT_CONTENT: [&str; 7] =
    ["rev-parse", "config", "merge-base", "update-ref", "for-each-ref", "rev-list", "symbolic-ref"];

impl<'a> Git<'a> {
    /// Git in a folder of a repository.
    pub(crate) fn new(runner: &'a Runner, folder: impl Into<PathBuf>) -> Self {
        Self { runner, folder: folder.into(), variables: Vec::new(), magic: false, named: Arc::default() }
    }

    /// The same with a variable.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().into()));
        self
    }

    /// The same, with the meaning of `:(…)` before paths, which are literal otherwise.
    pub(crate) fn with_magic(mut self) -> Self {
        self.magic = true;
        self
    }

    /// Git in another folder, without this one's variables.
    pub(crate) fn at(&self, folder: impl Into<PathBuf>) -> Self {
        Self::new(self.runner, folder)
    }

    /// The same as this program, not as the person.
    pub(crate) fn by_program(self) -> Self {
        IDENTITY.into_iter().fold(self, |git, (name, value)| git.with(name, value))
    }

    /// The same as the person where git knows them, else as this program.
    pub(crate) async fn by_person(self) -> Result<Self, TaskError> {
        let known = ["user.name", "user.email"];
        for name in known {
            if self.ask(&["config", "--get", name]).await?.is_none_or(|value| value.trim().is_empty()) {
                return Ok(self.by_program());
            }
        }
        Ok(self)
    }

    /// Where it works.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Programs that the repository's own configuration names for what files hold.
    pub(crate) async fn named_programs(&self) -> Result<&NamedPrograms, TaskError> {
        self.named
            .get_or_try_init(|| async {
                let list = ["config", "--list", "-z", "--show-scope"];
                let finished = self.start(&list, &[], &[]).await?;
                match finished.code {
                    Some(0) => NamedPrograms::read(&finished.output),
                    _ => Err(failed(&list, &finished)),
                }
            })
            .await
    }

    /// Runs a command, whatever its exit code. Programs that only the repository's own configuration names are not started.
    pub(crate) async fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Finished, TaskError> {
        if arguments.first().is_some_and(|command| WITHOUT_CONTENT.contains(command)) {
            return self.start(arguments, input, &[]).await;
        }
        let instead = self.named_programs().await?.settings();
        self.start(arguments, input, instead).await
    }

    async fn start(
        &self,
        arguments: &[&str],
        input: &[u8],
        settings: &[String],
    ) -> Result<Finished, TaskError> {
        let command = || arguments.first().copied().unwrap_or_default().to_owned();
        let mut words: Vec<OsString> = vec!["--no-pager".into()];
        if !self.magic {
            words.push("--literal-pathspecs".into());
        }
        for setting in SETTINGS.iter().copied().chain(settings.iter().map(String::as_str)) {
            words.extend(["-c".into(), OsString::from(setting)]);
        }
        words.extend(arguments.iter().map(OsString::from));
        let plain = [
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_PAGER", "cat"),
            ("GIT_EDITOR", ":"),
            ("GIT_SEQUENCE_EDITOR", ":"),
            ("GIT_ASKPASS", ""),
            ("SSH_ASKPASS", ""),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_MERGE_AUTOEDIT", "no"),
            ("TERM", "dumb"),
        ];
        let plain = plain.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let finished = self
            .runner
            .run(Child {
                program: OsStr::new("git"),
                arguments: words,
                directory: &self.folder,
                variables: plain.chain(self.variables.iter().cloned()).collect(),
                input,
                timeout: TIMEOUT,
                max_bytes: MAX_OUTPUT_BYTES,
            })
            .await
            .map_err(|error| match self.folder.is_dir() {
                true => TaskError::NoGit(error),
                false => TaskError::NoFolder(self.folder.clone()),
            })?;
        if finished.timed_out {
            return Err(TaskError::TimedOut { command: command(), seconds: TIMEOUT.as_secs() });
        }
        if finished.cut {
            return Err(TaskError::TooMuchOutput { command: command(), limit: MAX_OUTPUT_BYTES });
        }
        Ok(finished)
    }

    /// Runs a command that must succeed, and gives its output.
    pub(crate) async fn bytes(&self, arguments: &[&str]) -> Result<Vec<u8>, TaskError> {
        self.bytes_of(arguments, &[]).await
    }

    /// The same with an input.
    pub(crate) async fn bytes_of(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, TaskError> {
        let finished = self.run(arguments, input).await?;
        match finished.code {
            Some(0) => Ok(finished.output),
            _ => Err(failed(arguments, &finished)),
        }
    }

    /// Runs a command that must succeed, and gives its output without the last line end.
    pub(crate) async fn text(&self, arguments: &[&str]) -> Result<String, TaskError> {
        let bytes = self.bytes(arguments).await?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned())
    }

    /// The output of a command that may say no: `None` when it ended with another code than 0.
    pub(crate) async fn ask(&self, arguments: &[&str]) -> Result<Option<String>, TaskError> {
        let finished = self.run(arguments, &[]).await?;
        let text = String::from_utf8_lossy(&finished.output).trim_end_matches(['\n', '\r']).to_owned();
        Ok((finished.code == Some(0)).then_some(text))
    }

    /// The commit that a name stands for.
    pub(crate) async fn commit(&self, name: &str) -> Result<Option<String>, TaskError> {
        // A name that begins with a dash would be an option.
        if name.starts_with('-') {
            return Ok(None);
        }
        self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
            .await
    }

    /// The tree of a commit.
    pub(crate) async fn tree(&self, commit: &str) -> Result<String, TaskError> {
        self.text(&["rev-parse", "--verify", "--quiet", &format!("{commit}^{{tree}}")]).await
    }

    /// Whether one commit is the other or among what it descends from.
    pub(crate) async fn is_ancestor(&self, ancestor: &str, of: &str) -> Result<bool, TaskError> {
        Ok(self.run(&["merge-base", "--is-ancestor", ancestor, of], &[]).await?.code == Some(0))
    }
}

/// The error of a command that ended with another code than 0.
pub(crate) fn failed(arguments: &[&str], finished: &Finished) -> TaskError {
    let said = String::from_utf8_lossy(&finished.errors);
    let message = support::clipped(said.trim(), MAX_MESSAGE_BYTES);
    TaskError::Git { command: arguments.first().copied().unwrap_or_default().to_owned(), message }
}

/// The parts of an output that are ended by NUL.
pub(crate) fn fields(bytes: &[u8]) -> impl Iterator<Item = String> {
    let ended = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    let parts = (!ended.is_empty()).then(|| ended.split(|byte| *byte == 0));
    parts.into_iter().flatten().map(|part| String::from_utf8_lossy(part).into_owned())
}
