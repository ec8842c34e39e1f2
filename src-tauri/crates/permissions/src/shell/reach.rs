//! Which files a command that only reads can reach: those that its words name, and what lies below them.
//!
//! Options are listed, as in [`super::flags`]: with one that is not, it is not known what the command reads.

use super::flags::is_number;
use super::forms::{Form, Words, form};
use super::table::TAKE_LISTS;
use super::{Command, Word, only_reads, plain_name};

/// The files that a command can reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReachablePaths {
    /// What its words name.
    pub places: Vec<NamedPath>,
    /// Why that may not be all, in words.
    pub unknown: Option<String>,
}

/// What a word names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPath {
    /// The word as it was written.
    pub word: String,
    /// How far it reaches.
    pub extent: Extent,
}

/// How far a command reads from what a word names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// That file or folder alone.
    Exact,
    /// Everything below it if it is a folder.
    Below,
    /// Whatever matches it as a pattern.
    Pattern,
    /// The same, with everything below it.
    PatternBelow,
    /// No file: what other processes are, without their environment.
    Processes,
}

/// Commands that read no file that a word names.
const TEXT: &[&str] = &[
    "arch", "basename", "cal", "dirname", "echo", "expr", "factor", "false", "free", "getconf", "groups",
    "hostname", "id", "locale", "logname", "lsblk", "lscpu", "nproc", "numfmt", "printf", "pwd", "seq",
    "sleep", "tr", "true", "tty", "type", "command", "uname", "uptime", "which", "whoami",
];

/// What a command reaches of which it is known that it only reads.
pub(crate) fn reach(command: &Command) -> ReachablePaths {
    let name = plain_name(command.name());
    let arguments = command.arguments();
    if TEXT.contains(&name) || matches!(arguments, [word] if word.text == "--version") {
        return ReachablePaths::default();
    }
    match name {
        "find" => find(arguments),
        "git" => git(arguments),
        "tar" | "unzip" => all(arguments.get(1..).unwrap_or_default(), Extent::Exact),
        "test" | "xxd" => all(arguments, Extent::Exact),
        "ps" => {
            let extent = if only_reads(command).is_ok() { Extent::Processes } else { Extent::Exact };
            ReachablePaths { places: vec![NamedPath { word: "/proc".to_owned(), extent }], unknown: None }
        }
        "yq" => unknown("its expressions can load files"),
        "jq" if arguments
            .iter()
            .any(|word| word.text.contains("import") || word.text.contains("include")) =>
        {
            unknown("its filter can load files")
        }
        name if TAKE_LISTS.contains(&name) && arguments.iter().any(|word| word.text.starts_with('@')) => {
            unknown("it takes options from a file")
        }
        name => match form(name) {
            Some(form) => by_form(arguments, &form),
            None => unknown("it is not known which files it reads"),
        },
    }
}

fn unknown(why: &str) -> ReachablePaths {
    ReachablePaths { places: Vec::new(), unknown: Some(why.to_owned()) }
}

impl ReachablePaths {
    fn doubt(&mut self, why: impl Into<String>) {
        self.unknown.get_or_insert_with(|| why.into());
    }

    /// A word that is the value of an option, and no file, if it is one word and the program takes it as that.
    fn skip_value(&mut self, word: Option<&Word>) {
        if let Some(word) = word.filter(|word| word.glob || word.dynamic || word.text.starts_with("--")) {
            self.doubt(format!("`{}` may be more than the value of an option", word.text));
        }
    }

    fn add(&mut self, word: &Word, text: &str, extent: Extent) {
        if word.dynamic {
            self.doubt("a word of it is a variable or what another command prints");
        }
        if text.contains('{') && (text.contains(',') || text.contains("..")) {
            self.doubt(format!("`{text}` may become several words"));
        }
        if text.is_empty() || text == "-" && word.text == "-" {
            return;
        }
        let named = text.strip_prefix('~').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
        if named {
            self.doubt(format!("`{text}` is a folder that only the shell knows"));
        }
        let extent = match extent {
            Extent::Exact if word.glob => Extent::Pattern,
            Extent::Below if word.glob => Extent::PatternBelow,
            Extent::Exact | Extent::Below | Extent::Pattern | Extent::PatternBelow | Extent::Processes => {
                extent
            }
        };
        self.places.push(NamedPath { word: text.to_owned(), extent });
    }
}

/// Every word that is no option is a file.
fn all(words: &[Word], extent: Extent) -> ReachablePaths {
    let mut reach = ReachablePaths::default();
    for word in words.iter().filter(|word| !word.text.starts_with('-')) {
        reach.add(word, &word.text, extent);
    }
    reach
}

/// `find`: where it starts, and files that it compares others with.
fn find(arguments: &[Word]) -> ReachablePaths {
    const COMPARED: &[&str] = &["-newer", "-anewer", "-cnewer", "-newermm", "-samefile"];
    let mut reach = ReachablePaths::default();
    let mut starts = true;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if matches!(text, "-H" | "-L" | "-P") {
            continue;
        }
        starts &= !text.starts_with('-') && !matches!(text, "(" | ")" | "!" | ",");
        if starts {
            reach.add(word, text, Extent::Below);
        } else if COMPARED.contains(&text)
            && let Some(file) = rest.next()
        {
            reach.add(file, &file.text, Extent::Exact);
        }
    }
    here_unless_named(&mut reach);
    reach
}

/// `git`: any word may name a file, also behind an option.
fn git(arguments: &[Word]) -> ReachablePaths {
    let mut reach = ReachablePaths::default();
    for word in arguments {
        let text = match word.text.split_once('=') {
            Some((option, value)) if option.starts_with('-') => value,
            _ if word.text == "--no-index" => {
                reach.doubt("it reads files that are not of the repository");
                continue;
            }
            _ if word.text.starts_with("--") => continue,
            // A file behind its option's letter: `grep -f/a`, `ls-files -X/a`.
            _ if word.text.starts_with('-') => match word.text.split_once(['f', 'X']) {
                Some((_, file)) => file,
                None => continue,
            },
            _ => word.text.as_str(),
        };
        reach.add(word, text, Extent::Exact);
    }
    reach
}

fn here_unless_named(reach: &mut ReachablePaths) {
    if reach.places.is_empty() {
        reach.places.push(NamedPath { word: ".".to_owned(), extent: Extent::Below });
    }
}

fn by_form(arguments: &[Word], form: &Form) -> ReachablePaths {
    let mut reach = ReachablePaths::default();
    let mut plain: Vec<&Word> = Vec::new();
    let mut extent = form.extent;
    let mut has_text = form.words != Words::TextThenFiles;
    let mut options = true;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "-" || !text.starts_with('-') {
            plain.push(word);
            continue;
        }
        // A program that takes the `--` for the value of an option goes on with options behind it.
        if !options {
            reach.doubt(format!("`{text}` behind `--` may still be an option"));
            plain.push(word);
            continue;
        }
        if text == "--" {
            options = false;
            continue;
        }
        if word.glob || word.dynamic {
            reach.doubt(format!("`{text}` may become several words"));
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            if form.long_valued.contains(&name) {
                if value.is_none() {
                    reach.skip_value(rest.next());
                }
            } else if form.long_deep.contains(&name) {
                extent = Extent::Below;
            } else if !form.long.contains(&name) {
                reach.doubt(format!("the option `--{name}` is not known to read nothing else"));
            }
            // What stands in for the pattern.
            has_text |= matches!(name, "regexp" | "files" | "type-list");
            continue;
        }
        let mut letters = text[1..].chars();
        let mut counted = false;
        while let Some(letter) = letters.next() {
            let in_word = letters.as_str();
            if form.attached.contains(letter) {
                break;
            }
            if form.valued.contains(letter) || form.apart.contains(letter) {
                has_text |= letter == 'e';
                if counted || form.apart.contains(letter) && !is_number(in_word) {
                    reach.doubt(format!("`{text}` can be read in more than one way"));
                }
                if in_word.is_empty() {
                    reach.skip_value(rest.next());
                }
                break;
            }
            if form.files.contains(letter) {
                has_text = true;
                match (in_word.is_empty(), rest.as_slice().first()) {
                    (false, _) => reach.add(word, in_word, Extent::Exact),
                    (true, Some(file)) => {
                        reach.add(file, &file.text, Extent::Exact);
                        rest.next();
                    }
                    (true, None) => {}
                }
                break;
            }
            if form.deep.contains(letter) {
                extent = Extent::Below;
            } else if !form.bare.contains(letter) {
                reach.doubt(format!("the option `-{letter}` is not known to read nothing else"));
            }
            counted |= letter.is_ascii_digit();
        }
    }
    let files = plain.get(usize::from(!has_text)..).unwrap_or_default();
    for word in files {
        reach.add(word, &word.text, extent);
    }
    if extent == Extent::Below && files.is_empty() {
        reach.places.push(NamedPath { word: ".".to_owned(), extent });
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(line: &str) -> (Vec<(String, Extent)>, bool) {
        let line = crate::shell::read(line);
        let reach = reach(&line.commands[0]);
        let places = reach.places.into_iter().map(|place| (place.word, place.extent)).collect();
        (places, reach.unknown.is_some())
    }

    #[test]
    fn words_are_files_where_the_command_takes_them_for_files() {
        use Extent::{Below, Exact, Pattern};
        for (line, expected) in [
            ("cat a -n b", vec![("a", Exact), ("b", Exact)]),
            ("cat -- a -", vec![("a", Exact)]),
            ("od -w /x", vec![("/x", Exact)]),
            ("od -w16 -t x1 /x", vec![("/x", Exact)]),
            ("xxd -ps /x", vec![("/x", Exact)]),
            ("xxd -l 64 /x", vec![("64", Exact), ("/x", Exact)]),
            ("head --lines 5 /x", vec![("/x", Exact)]),
            ("grep --include '*.c' -r a /x", vec![("/x", Below)]),
            ("rg --glob -g a /x", vec![("/x", Below)]),
            ("rg --glob '*.c' a", vec![(".", Below)]),
            ("tree -L 2 /x", vec![("/x", Below)]),
            ("tree -L2 /x", vec![("/x", Below)]),
            ("shuf -i 1-3 /x", vec![("/x", Exact)]),
            ("head -n 20 x", vec![("x", Exact)]),
            ("tail -20 x", vec![("x", Exact)]),
            ("grep /etc/ x", vec![("x", Exact)]),
            ("grep -e /etc/ x y", vec![("x", Exact), ("y", Exact)]),
            ("grep -f list x", vec![("list", Exact), ("x", Exact)]),
            ("grep -flist x", vec![("list", Exact), ("x", Exact)]),
            ("grep -rn pattern", vec![(".", Below)]),
            ("grep pattern -r src", vec![("src", Below)]),
            ("rg --files src", vec![("src", Below)]),
            ("rg pattern", vec![(".", Below)]),
            ("find", vec![(".", Below)]),
            ("find -L /a b -newer /c -name x", vec![("/a", Below), ("b", Below), ("/c", Exact)]),
            ("ls", vec![]),
            ("ls -R", vec![(".", Below)]),
            ("ls ~", vec![("~", Exact)]),
            ("cat ~/.ss?/id", vec![("~/.ss?/id", Pattern)]),
            ("diff -rN ~ sub", vec![("~", Below), ("sub", Below)]),
            ("tar -tzf /a.tgz", vec![("/a.tgz", Exact)]),
            ("sed -n 5p /x", vec![("/x", Exact)]),
            ("jq .a /x", vec![("/x", Exact)]),
            ("date -r /x", vec![("/x", Exact)]),
            ("echo /x", vec![]),
            ("test -f /x", vec![("/x", Exact)]),
            ("ps aux", vec![("/proc", Extent::Processes)]),
            ("ps auxe", vec![("/proc", Exact)]),
            ("git log -p --since=/a -- b", vec![("log", Exact), ("/a", Exact), ("b", Exact)]),
            ("git grep -f/a b", vec![("grep", Exact), ("/a", Exact), ("b", Exact)]),
        ] {
            let expected: Vec<(String, Extent)> =
                expected.into_iter().map(|(word, extent)| (word.to_owned(), extent)).collect();
            assert_eq!(reached(line), (expected, false), "{line}");
        }
    }

    #[test]
    fn a_command_with_an_option_that_is_not_listed_may_read_anything() {
        for line in [
            "wc --files0-from=list",
            "sha256sum -c list",
            "du --files0-from=list",
            "objdump -S a.o",
            "strings @/x",
            "jq 'import \"a\" as $a; .' x",
            "jq --slurpfile a /x .",
            "yq 'load_str(\"/x\")' a",
            "grep -d recurse x y",
            "cat ~root/x",
            "git diff --no-index /a b",
            // What stands behind a `--` that a program takes for a value.
            "cat -- -a",
            "grep -e -- -f/x y",
            // A value that the shell makes several words of.
            "grep -e /etc/p* y",
            "head -n 1* y",
            // `head -5c /x` and `tree -P x -I y /x` in other words.
            "head -5c /x",
            "tail -20c /x",
            "tree -PI x /x",
            // What has a value in some versions of a program alone.
            "ls -w 80",
            "column -n x y",
            "grep --context 3 x y",
        ] {
            assert!(reached(line).1, "{line}");
        }
    }
}
