//! Decisions on commands in Auto: what stays within the session's folders runs, what reaches outside is asked for.

use domain::{AccessRequest, Ruling, Walls};

use crate::commands::{CommandView, exactly_or_ask, named, shared_prefix};
use crate::known_folders::{below, joined};
use crate::offers::{self, ask};
use crate::operations::{by_grant, by_mode};
use crate::policy::{Context, Hit, Policy, allow};
use crate::reached::{FileArea, Folders, LineReach, ReachedFile, territory};
use crate::rules::Effect;
use crate::ruleset::Layer;
use crate::shell::{self, Command, Extent, ReadOnlyCondition};

/// Devices that everybody may write to.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/fd"];

/// The most reasons of one question.
const MAX_REASONS: usize = 6;

/// Which words of a command count as what it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reckoning {
    /// Those that it is known to change.
    Changed,
    /// All: whatever it names it may change.
    Named,
}

impl Policy {
    /// The decision in Auto on a line that no rule forbids or has asked for.
    pub(crate) fn in_auto(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        sight: &CommandView<'_>,
        outside: Option<&str>,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
        if let Some(ruling) = self.reading_in_auto(claim, context, sight) {
            return ruling;
        }
        let line = sight.line;
        if context.own_words {
            return by_mode(context.mode);
        }
        if let Some(grant) = context.granted_exactly(claim, None) {
            return by_grant(grant);
        }
        if let Some(hit) = tool.filter(|hit| hit.effect() == Effect::Allow && *hit.layer != Layer::App) {
            return allow(hit.by());
        }
        let mut counted = 0..line.commands.len();
        let all = counted.all(|index| sight.is_allowed(index) || sight.reads(index));
        if line.fault.is_none() && all && (0..line.commands.len()).any(|index| sight.is_allowed(index)) {
            return by_mode(context.mode);
        }
        let mut reasons = self.changes_outside(sight, context, Reckoning::Changed);
        if let Some(words) = outside {
            reasons.push(format!("it is to run outside of the walls of Auto, because: {words}"));
        }
        if !reasons.is_empty() {
            return ask(listed(reasons), offers::narrow(claim, "this command"));
        }
        if context.can_bound {
            return Ruling::Allow {
                by: format!("mode {}, held to the session's folders", context.mode.as_str()).into(),
                confined: Walls::Folders,
            };
        }
        let unknown = self.not_known_inside(sight, context);
        if unknown.is_empty() {
            return by_mode(context.mode);
        }
        let prefix = line.fault.is_none().then(|| shared_prefix(line, sight.parts)).flatten();
        let why = format!("{}, and commands can't be held to the session's folders here", listed(unknown));
        ask(why, offers::of_command(claim, prefix))
    }

    /// The decision on commands that only read in the mode in which nothing is asked: they stay within the session's
    /// folders and the system's, confined where their words do not tell. `None`: the mode decides.
    fn reading_in_auto(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        sight: &CommandView<'_>,
    ) -> Option<Ruling> {
        let line = sight.line;
        // With an option that may write a program reads what it names all the same.
        let reads_at_least = |index: usize| shell::is_reader(&line.commands[index]);
        let reads = |index: usize| shell::only_reads(&line.commands[index]).is_ok();
        let reach = self.reach(sight, context, reads_at_least);
        let ask = |why: String| Some(exactly_or_ask(claim, context, why));
        if let Some(why) = self.outside(&reach, context, &[FileArea::Hidden]) {
            return ask(why);
        }
        let only_reads = !line.opaque && line.outputs.is_empty() && (0..line.commands.len()).all(reads);
        let wide = reach.reached.iter().any(ReachedFile::is_wide);
        let elsewhere =
            |one: &&ReachedFile| one.is_wide() && one.territory(&self.places, context) == FileArea::Elsewhere;
        if let Some(one) = reach.reached.iter().find(elsewhere) {
            return ask(format!("it reads {}, which is not in the session's folders", named(one)));
        }
        if !only_reads || !wide && reach.unknown.is_none() {
            return None;
        }
        if context.can_confine {
            return Some(Ruling::Allow {
                by: "every command of it only reads".into(),
                confined: Walls::Confined,
            });
        }
        if let Some(why) = reach.unknown {
            return ask(format!("{why}, and commands can't be confined here"));
        }
        let mut wide = reach.reached.iter().filter(|one| one.is_wide());
        wide.find_map(|one| self.hidden_below(one, context)).and_then(ask)
    }

    /// What a line changes, or may change, outside of the session's folders, in words; each once.
    pub(crate) fn changes_outside(
        &self,
        sight: &CommandView<'_>,
        context: &Context<'_>,
        counts: Reckoning,
    ) -> Vec<String> {
        let line = sight.line;
        let mut found: Vec<String> = Vec::new();
        let mut folders = Folders::new(sight.cwd, &self.places.home, context.disk);
        for (index, command) in line.commands.iter().enumerate() {
            if shell::plain_name(command.name()) == "cd" {
                folders.change(command, &mut LineReach::default());
                continue;
            }
            if sight.is_allowed(index) || shell::only_reads(command).is_ok() {
                continue;
            }
            let changed = shell::changes(command);
            let words_of = || {
                let words = command.arguments().iter().filter(|word| !word.dynamic);
                words.flat_map(|word| {
                    let extent = if word.glob { Extent::Pattern } else { Extent::Exact };
                    shell::spellings(&word.text).map(move |text| (text.to_owned(), extent))
                })
            };
            let words: Vec<(String, Extent)> = match counts {
                Reckoning::Named if changed.places.is_empty() => words_of().collect(),
                Reckoning::Named | Reckoning::Changed => {
                    changed.places.iter().map(|place| (place.word.clone(), place.extent)).collect()
                }
            };
            let verb = match () {
                () if changed.deletes => "deletes or overwrites",
                () if !changed.places.is_empty() => "changes",
                () => "may change",
            };
            let outside = words
                .iter()
                .filter_map(|(word, extent)| self.lands_outside(&folders, word, *extent, context));
            for place in outside {
                let reason = format!(
                    "`{}` {verb} {place}, which is not in the session's folders",
                    shell::plain_name(command.name())
                );
                if !found.contains(&reason) {
                    found.push(reason);
                }
            }
        }
        for output in &line.outputs {
            if let Some(place) = self.lands_outside(&folders, output, Extent::Exact, context) {
                found.push(format!("it writes to {place}, which is not in the session's folders"));
            }
        }
        // What deletes comes first: of a long list the end is left out.
        found.sort_by_key(|reason| !reason.contains(" deletes or overwrites "));
        found
    }

    /// Where a word leads outside of the session's folders, as the person is told of it.
    fn lands_outside(
        &self,
        folders: &Folders<'_>,
        word: &str,
        extent: Extent,
        context: &Context<'_>,
    ) -> Option<String> {
        // An address, or a path of another machine.
        if word.is_empty() || word.starts_with("//") {
            return None;
        }
        // A word that only looks like a path, such as a pattern of `awk`.
        if let Some(rest) = word.strip_prefix('/').filter(|rest| !rest.is_empty()) {
            let first = format!("/{}", rest.split('/').next().unwrap_or_default());
            let known = context.disk.find("/").is_some();
            if known && rest.contains('/') && context.disk.find(&first).is_none() {
                return None;
            }
        }
        folders.reached(word, extent).iter().find_map(|one| {
            let real = one.landing(context.disk);
            if DEVICES
                .iter()
                .any(|device| below(&real, device).is_some() || below(&one.path, device).is_some())
            {
                return None;
            }
            match territory(&real, false, &self.places, context) {
                FileArea::Inside => None,
                FileArea::Temporary if context.can_bound && context.mode == domain::Mode::AllowAll => None,
                FileArea::Private
                | FileArea::Hidden
                | FileArea::Elsewhere
                | FileArea::Temporary
                | FileArea::System
                | FileArea::Processes => Some(match real == word {
                    true => format!("`{word}`"),
                    false => format!("`{word}` (`{real}`)"),
                }),
            }
        })
    }

    /// Why it is not known that a line changes nothing outside of the session's folders; empty: it is known.
    fn not_known_inside(&self, sight: &CommandView<'_>, context: &Context<'_>) -> Vec<String> {
        let line = sight.line;
        if line.opaque {
            return vec!["it can't be told what it runs".to_owned()];
        }
        let mut found: Vec<String> = Vec::new();
        for (index, command) in line.commands.iter().enumerate() {
            if sight.is_allowed(index) {
                continue;
            }
            let known = match shell::only_reads(command) {
                Ok(ReadOnlyCondition::Nothing) => true,
                Ok(ReadOnlyCondition::Confinement) => self.reads_plainly(command, sight, context),
                // Where it leads was looked at.
                Err(_) => shell::changes(command).complete,
            };
            let reason = format!(
                "`{}` is not known to change nothing outside of the session's folders",
                command.name()
            );
            if !known && !found.contains(&reason) {
                found.push(reason);
            }
        }
        if line.writes_unknown {
            found.push("it is not known which file it writes".to_owned());
        }
        found
    }

    /// Whether git reads a repository of the session whose own settings name no program, and no file that a rule forbids.
    pub(crate) fn reads_plainly(
        &self,
        command: &Command,
        sight: &CommandView<'_>,
        context: &Context<'_>,
    ) -> bool {
        let moves = sight.line.commands.iter().any(|one| shell::plain_name(one.name()) == "cd");
        if shell::plain_name(command.name()) != "git" || moves {
            return false;
        }
        let Some(repository) = context.disk.plain_repository(sight.cwd) else { return false };
        let inside = territory(&repository.root, false, &self.places, context) == FileArea::Inside;
        let denied = |name: &String| {
            let path = joined(&repository.root, &self.places.home, name);
            self.is_denied(&path, context.session, context.folders)
        };
        inside && !repository.files.iter().any(denied)
    }

    /// Why reading everything that one word stands for, or what lies below it, has to be asked for: some of it must not
    /// be read unasked, or it is too much to be looked through.
    pub(crate) fn hidden_below(&self, one: &ReachedFile, context: &Context<'_>) -> Option<String> {
        let hides = |path: &str| self.is_denied(path, context.session, context.folders);
        let elsewhere = |real: &str| {
            let area = territory(real, false, &self.places, context);
            !matches!(area, FileArea::Inside | FileArea::System)
        };
        let bad = |path: &str, real: &str| hides(path) || hides(real) || elsewhere(real);
        let found = one.first_within(context.disk, &bad);
        match found {
            Ok(None) => None,
            Ok(Some((path, real))) if hides(&path) || hides(&real) => {
                Some(format!("it reads everything below `{}`, with `{path}` that a rule forbids", one.word))
            }
            Ok(Some((path, _))) => Some(format!(
                "it reads everything below `{}`, where `{path}` leads out of the session's folders",
                one.word
            )),
            Err(_) => Some(format!(
                "it reads everything below `{}`, which is too much to be looked through",
                one.word
            )),
        }
    }
}

/// Reasons in one sentence; of very many the first ones.
pub(crate) fn listed(mut reasons: Vec<String>) -> String {
    let more = reasons.len().saturating_sub(MAX_REASONS);
    reasons.truncate(MAX_REASONS);
    let text = reasons.join("; ");
    if more > 0 { format!("{text}; and {more} more reasons") } else { text }
}
