//! Decisions on commands of a shell.

use domain::{AccessRequest, AllowedBy, Grant, Mode, Ruling, Walls};

use crate::auto::{Reckoning, listed};
use crate::known_folders::{PathArea, slashed};
use crate::offers::{self, ask};
use crate::operations::{BY_PLAN, by_grant};
use crate::overlap::{overlaps, stands_for};
use crate::policy::{Context, GrantNeed, Hit, Policy, allow, deny};
use crate::reached::{FileArea, Folders, LineReach, ReachedFile, of_line, pattern_start};
use crate::rules::{Access, Effect, Rule};
use crate::ruleset::{Kind, Layer, ToolRef, is_for};
use crate::shell::{self, Command, Extent, Line, ReadOnlyCondition};

const PIECEWISE: &str =
    "run plain commands one at a time, without variables, substitutions and redirections into files";

const FILE_TOOLS: &str = "use the tools that read, list and search files";

const ADD_FOLDER: &str = "ask the person to add its folder to the session";

/// The name of files with rules.
const RULES: &str = "permissions.json";

/// A command as it is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShellCommand<'a> {
    /// The whole line.
    pub command: &'a str,
    /// The folder that it starts in.
    pub cwd: &'a str,
    /// Why it has to change something outside of the session's folders, in the caller's words.
    pub outside: Option<&'a str>,
}

/// What is known of one command of a line.
pub(crate) enum Part {
    /// It only reads.
    Reads(ReadOnlyCondition),
    /// A rule allows it.
    Ruled(String),
    /// The person allowed it.
    Granted(String),
    /// A rule has it asked for.
    Asked(String),
    /// It may change something.
    Writes(String),
}

/// A line with what is known of its commands, and the folder that it starts in.
#[derive(Clone, Copy)]
pub(crate) struct CommandView<'a> {
    pub line: &'a Line,
    pub parts: &'a [Part],
    pub cwd: &'a str,
}

impl CommandView<'_> {
    /// Whether a command of the line runs because it only reads, and not because a rule or a grant says so.
    pub(crate) fn reads(&self, index: usize) -> bool {
        matches!(self.parts.get(index), Some(Part::Reads(_)))
    }

    /// Whether a command of the line was allowed by a rule or a grant of the person.
    pub(crate) fn is_allowed(&self, index: usize) -> bool {
        matches!(self.parts.get(index), Some(Part::Ruled(_) | Part::Granted(_)))
    }
}

impl Policy {
    pub(crate) fn shell(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        called: ShellCommand<'_>,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
        let ShellCommand { command, cwd, outside } = called;
        let line = shell::read(command);
        if let Some(hit) = self.forbidden(claim, &line) {
            return hit.deny();
        }
        let parts: Vec<Part> =
            line.commands.iter().map(|command| self.part(claim, context, command, &line)).collect();
        if let Some(ruling) = self.forbidden_file(claim, context, &line, &parts, &slashed(cwd)) {
            return ruling;
        }
        let protected = self.protected_file(claim, context, &line, &parts, &slashed(cwd));
        let tool_asks = tool.filter(|hit| hit.effect() == Effect::Ask);
        let asked = parts.iter().find_map(|part| match part {
            Part::Asked(reason) => Some(reason.clone()),
            Part::Reads(_) | Part::Ruled(_) | Part::Granted(_) | Part::Writes(_) => None,
        });
        let asked = asked.or_else(|| tool_asks.map(|hit| hit.rule.reason.clone()));
        let sight = CommandView { line: &line, parts: &parts, cwd: &slashed(cwd) };
        match context.mode {
            Mode::Safe => self.in_explore(&sight, asked.or(protected), context),
            Mode::Ask => self.asking(claim, context, &sight, asked.or(protected), tool),
            Mode::AllowAll => {
                let asked = asked.or(protected).or_else(|| self.unclear_reason(&line));
                match asked {
                    None => self.in_auto(claim, context, &sight, outside, tool),
                    Some(reason) => exactly_or_ask(claim, context, reason),
                }
            }
        }
    }

    /// What the reading commands of a line reach.
    pub(crate) fn reach(
        &self,
        sight: &CommandView<'_>,
        context: &Context<'_>,
        counts: impl Fn(usize) -> bool,
    ) -> LineReach {
        of_line(sight.line, sight.cwd, &self.places.home, context.disk, counts)
    }

    /// Why what a line reads has to be asked for where it is confined: it names what it would not see there.
    fn unseen(&self, sight: &CommandView<'_>, context: &Context<'_>) -> Option<String> {
        let reach = self.reach(sight, context, |index| sight.reads(index));
        self.outside(&reach, context, &[FileArea::Hidden, FileArea::Temporary, FileArea::Elsewhere])
    }

    /// That a line reads something that lies in one of these territories.
    pub(crate) fn outside(
        &self,
        reach: &LineReach,
        context: &Context<'_>,
        which: &[FileArea],
    ) -> Option<String> {
        let lies_there = |one: &&ReachedFile| which.contains(&one.territory(&self.places, context));
        let one = reach.reached.iter().find(lies_there)?;
        Some(format!("it reads {}, which is not in the session's folders", named(one)))
    }

    /// Why what a line reads has to be asked for where it is not confined: not every file that it reads is known to lie
    /// in the session's folders.
    fn unbounded(&self, sight: &CommandView<'_>, context: &Context<'_>) -> Option<String> {
        let reach = self.reach(sight, context, |index| sight.reads(index));
        use FileArea::{Elsewhere, Hidden, Private, Processes, System, Temporary};
        let elsewhere = [Private, Hidden, Temporary, Elsewhere, System, Processes];
        if let Some(why) = self.outside(&reach, context, &elsewhere) {
            return Some(why);
        }
        let mut wide = reach.reached.iter().filter(|one| one.is_wide());
        let why = reach.unknown.or_else(|| wide.find_map(|one| self.hidden_below(one, context)))?;
        let unconfined =
            if context.can_confine { "it would not run confined" } else { "commands can't be confined here" };
        Some(format!("{why}, and {unconfined}"))
    }

    /// A rule that denies one of the commands, or one that they run in turn.
    fn forbidden<'a>(&'a self, claim: &'a AccessRequest, line: &Line) -> Option<Hit<'a>> {
        if !self.sets.iter().any(|set| set.guards_commands()) {
            return None;
        }
        line.commands.iter().find_map(|command| {
            let forms = command.guarded();
            let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
            self.strongest(Kind::Command, &forms, tool_ref(claim), |hit| hit.rule.effect == Effect::Deny)
        })
    }

    /// A word that names a file that must not be read, or written by what may write, or that can stand for one.
    fn forbidden_file(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        line: &Line,
        parts: &[Part],
        cwd: &str,
    ) -> Option<Ruling> {
        let about = tool_ref(claim);
        let uses =
            |rule: &Rule, writes: bool| is_for(rule, Access::Read) || writes && is_for(rule, Access::Write);
        let barred = |path: &str, writes: bool| {
            let forms = self.places.forms(path, context.folders);
            forms.iter().flat_map(|form| self.sets.iter().map(move |set| (form, set))).find_map(
                |(form, set)| {
                    let rule = set.denying_rules(form, about).find(|rule| uses(rule, writes))?;
                    Some(Hit { rule, layer: set.layer() }.deny())
                },
            )
        };
        let literal = |folders: &Folders<'_>, word: &str, writes: bool| {
            shell::spellings(word).find_map(|spelling| {
                let as_written = self.sets.iter().find_map(|set| {
                    let rule = set.denying_rules(spelling, about).find(|rule| uses(rule, writes))?;
                    Some(Hit { rule, layer: set.layer() }.deny())
                });
                as_written.or_else(|| {
                    folders
                        .reached(spelling, Extent::Exact)
                        .iter()
                        .find_map(|one| barred(&one.path, writes).or_else(|| barred(one.real(), writes)))
                })
            })
        };
        // Confined commands don't see what must not be read, so there a pattern stands for nothing of it.
        let masked = context.can_confine
            && context.mode != Mode::AllowAll
            && line.fault.is_none()
            && parts.iter().all(|part| matches!(part, Part::Reads(_)));
        let pattern = |folders: &Folders<'_>, word: &str, writes: bool| {
            shell::spellings(word).flat_map(|word| folders.patterns(word)).find_map(|pattern| {
                let may_be = |rule: &str| {
                    self.places.rooted(rule, context.folders).any(|rule| overlaps(&pattern, &rule))
                };
                let mut sets = self.sets.iter();
                let (rule, layer) = sets.find_map(|set| {
                    let rule = set.rules_that_may_deny(about, &may_be).find(|rule| uses(rule, writes))?;
                    Some((rule, set.layer()))
                })?;
                let (folder, depth) = pattern_start(&pattern);
                let either = |path: &str, real: &str| barred(path, writes).or_else(|| barred(real, writes));
                let stands =
                    |path: &str, real: &str| stands_for(&pattern, path) && either(path, real).is_some();
                match context.disk.first_below(folder, depth, &stands) {
                    Ok(found) => found.and_then(|(path, real)| either(&path, &real)),
                    // Not all of it can be looked at, so it counts.
                    Err(_) => Some(Hit { rule, layer }.deny()),
                }
            })
        };
        let private = |folders: &Folders<'_>, word: &str| {
            let reached = folders.reached(word, Extent::Exact);
            let mut paths = reached.iter().flat_map(|one| [one.path.as_str(), one.real()]);
            paths
                .any(|path| self.places.ground(path, context.session) == PathArea::Private)
                .then(|| deny("it names the program's own data", None))
        };
        let mut folders = Folders::new(cwd, &self.places.home, context.disk);
        for (command, part) in line.commands.iter().zip(parts) {
            let writes = !matches!(part, Part::Reads(_));
            for word in command.arguments() {
                let text = word.text.as_str();
                let ruling = literal(&folders, text, writes)
                    .or_else(|| private(&folders, text))
                    .or_else(|| (word.glob && !masked).then(|| pattern(&folders, text, writes)).flatten());
                if ruling.is_some() {
                    return ruling;
                }
            }
            if shell::plain_name(command.name()) == "cd" {
                folders.change(command, &mut LineReach::default());
            }
        }
        let inputs = line.inputs.iter().map(|input| (input, false));
        let outputs = line.outputs.iter().map(|output| (output, true));
        inputs
            .chain(outputs)
            .find_map(|(path, writes)| literal(&folders, path, writes).or_else(|| private(&folders, path)))
    }

    /// Why a command that may write has to be asked for, whatever the mode: it names a file that decides what happens
    /// later, as a word or as the target of a redirection.
    fn protected_file(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        line: &Line,
        parts: &[Part],
        cwd: &str,
    ) -> Option<String> {
        let protected = |path: &str, redirected: bool| {
            let rules = path.rsplit('/').next() == Some(RULES);
            match self.places.ground(path, context.session) {
                PathArea::Workspace if redirected || rules => {
                    return Some("it changes how the program works later".to_owned());
                }
                PathArea::OwnRest if rules => return Some("it changes what this session may do".to_owned()),
                PathArea::Foreign
                | PathArea::OwnPlans
                | PathArea::OwnData
                | PathArea::OwnRest
                | PathArea::Workspace
                | PathArea::Private => {}
            }
            let hit = self.on_file(claim, context, path, Access::Write)?;
            (hit.effect() == Effect::Ask && is_for(hit.rule, Access::Write)).then(|| hit.rule.reason.clone())
        };
        let reached = |folders: &Folders<'_>, word: &str, redirected: bool| {
            folders.reached(word, Extent::Exact).iter().find_map(|one| {
                protected(&one.path, redirected).or_else(|| protected(one.real(), redirected))
            })
        };
        let mut folders = Folders::new(cwd, &self.places.home, context.disk);
        for (command, part) in line.commands.iter().zip(parts) {
            if !matches!(part, Part::Reads(_)) {
                let mut words = command.arguments().iter().flat_map(|word| shell::spellings(&word.text));
                if let Some(reason) = words.find_map(|word| reached(&folders, word, false)) {
                    return Some(reason);
                }
            }
            if shell::plain_name(command.name()) == "cd" {
                folders.change(command, &mut LineReach::default());
            }
        }
        line.outputs.iter().find_map(|output| reached(&folders, output, true))
    }

    fn part(&self, claim: &AccessRequest, context: &Context<'_>, command: &Command, line: &Line) -> Part {
        let rule = self.on_command(claim, command, line.fault.is_none());
        match rule {
            Some(hit) if hit.effect() == Effect::Ask => return Part::Asked(hit.rule.reason.clone()),
            Some(hit) if *hit.layer == Layer::App => match shell::only_reads(command) {
                Ok(needs) => return Part::Reads(needs),
                Err(unfit) => return self.granted_part(claim, context, command, line, unfit.0),
            },
            Some(hit) => return Part::Ruled(hit.by()),
            None => {}
        }
        let reason =
            shell::only_reads(command).err().map_or_else(|| "no rule allows it".to_owned(), |unfit| unfit.0);
        self.granted_part(claim, context, command, line, reason)
    }

    fn granted_part(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        command: &Command,
        line: &Line,
        reason: String,
    ) -> Part {
        match command_grant(claim, context, command, line) {
            Some(grant) => Part::Granted(grant.id.clone()),
            None => Part::Writes(format!("`{}`: {reason}", command.name())),
        }
    }

    /// The rule on a command: those that allow see its words as they are, the others whatever it may run.
    fn on_command<'a>(
        &'a self,
        claim: &'a AccessRequest,
        command: &Command,
        understood: bool,
    ) -> Option<Hit<'a>> {
        let mut decided: Option<Hit<'a>> = None;
        let guarded =
            if self.sets.iter().any(|set| set.guards_commands()) { command.guarded() } else { Vec::new() };
        let exact = command.exact().filter(|_| understood);
        for set in self.sets.iter().rev() {
            let layer = set.layer();
            let asks = guarded
                .iter()
                .flat_map(|form| set.hits(Kind::Command, form, tool_ref(claim)))
                .find(|rule| rule.effect == Effect::Ask);
            let allows = exact
                .iter()
                .flat_map(|form| set.hits(Kind::Command, form, tool_ref(claim)))
                .find(|rule| rule.effect == Effect::Allow);
            if let Some(rule) = asks.or(allows) {
                let hit = Hit { rule, layer };
                // What comes with the program says what reads; what a person says about a command goes before it.
                if decided.is_none() {
                    decided = Some(hit);
                }
            }
        }
        decided
    }

    fn asking(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        sight: &CommandView<'_>,
        asked: Option<String>,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
        let CommandView { line, parts, .. } = *sight;
        if let Some(reason) = asked {
            return exactly_or_ask(claim, context, reason);
        }
        if let Some(grant) = context.granted_exactly(claim, None) {
            return by_grant(grant);
        }
        if let Some(fault) = &line.fault {
            if let Some(hit) = tool {
                return allow(hit.by());
            }
            let mut reasons = self.changes_outside(sight, context, Reckoning::Named);
            let deletes = |reason: &String| reason.ends_with(DELETES);
            reasons.extend(write_reasons(sight, &reasons).into_iter().filter(deletes));
            reasons.push(format!("it is not known to only read: {fault}"));
            return ask(listed(reasons), offers::narrow(claim, "this command"));
        }
        if parts.iter().any(|part| matches!(part, Part::Writes(_))) {
            if let Some(hit) = tool {
                return allow(hit.by());
            }
            let mut reasons = self.changes_outside(sight, context, Reckoning::Named);
            reasons.extend(write_reasons(sight, &reasons));
            return ask(listed(reasons), offers::of_command(claim, shared_prefix(line, parts)));
        }
        let decided = parts.iter().find_map(|part| match part {
            Part::Ruled(by) => Some(by.clone().into()),
            Part::Granted(id) => Some(AllowedBy::Grant(id.clone())),
            Part::Reads(_) | Part::Asked(_) | Part::Writes(_) => None,
        });
        let confined = decided.is_none() && context.can_confine;
        // Beside what a rule or a grant allows nothing is confined, so what needs that has to be granted as well.
        let needs = line
            .commands
            .iter()
            .zip(parts)
            .filter(|(_, part)| matches!(part, Part::Reads(ReadOnlyCondition::Confinement)))
            .filter(|(command, _)| confined || !self.reads_plainly(command, sight, context));
        let led = needs.map(|(command, _)| (command, command_grant(claim, context, command, line)));
        let led: Vec<(&Command, Option<&Grant>)> = if confined { Vec::new() } else { led.collect() };
        let mut exposed =
            led.iter().filter(|(_, grant)| grant.is_none()).map(|(command, _)| *command).peekable();
        if let Some(command) = exposed.peek() {
            if let Some(hit) = tool {
                return allow(hit.by());
            }
            let unconfined = if context.can_confine {
                "beside a command that is allowed it would not run confined"
            } else {
                "commands can't be confined here"
            };
            return ask(
                format!(
                    "`{}` only reads, but a folder's own settings can make it run other programs, and {unconfined}",
                    command.name()
                ),
                offers::of_command(claim, shared_prefix_of(exposed)),
            );
        }
        // What may run as the person reads only what its words name; what is confined sees nothing else.
        let question = if confined { self.unseen(sight, context) } else { self.unbounded(sight, context) };
        match (question, tool) {
            (Some(_), Some(hit)) => allow(hit.by()),
            (Some(why), None) => ask(why, offers::narrow(claim, "this command")),
            (None, _) => {
                let granted =
                    led.iter().find_map(|(_, grant)| grant.map(|grant| AllowedBy::Grant(grant.id.clone())));
                let by = decided.or(granted).unwrap_or_else(|| "every command of it only reads".into());
                Ruling::Allow { by, confined: if confined { Walls::Confined } else { Walls::Open } }
            }
        }
    }

    /// Where commands are forbidden, one that can't be made out may be one of them.
    pub(crate) fn unclear_reason(&self, line: &Line) -> Option<String> {
        let guarded = self.sets.iter().any(|set| set.guards_commands());
        (guarded && line.opaque)
            .then(|| "rules forbid some commands, and it can't be told which ones this runs".to_owned())
    }
}

/// A file as it was named, with where that leads.
pub(crate) fn named(reached: &ReachedFile) -> String {
    match reached.real() {
        real if real == reached.word => format!("`{real}`"),
        real => format!("`{}` (`{real}`)", reached.word),
    }
}

fn tool_ref(claim: &AccessRequest) -> ToolRef<'_> {
    ToolRef { source: &claim.source, tool: &claim.tool }
}

pub(crate) fn exactly_or_ask(claim: &AccessRequest, context: &Context<'_>, reason: String) -> Ruling {
    match context.granted_exactly(claim, None) {
        Some(grant) => by_grant(grant),
        None => ask(reason, offers::narrow(claim, "this command")),
    }
}

/// A grant that covers a command of an understood line.
fn command_grant<'a>(
    claim: &AccessRequest,
    context: &'a Context<'_>,
    command: &Command,
    line: &Line,
) -> Option<&'a Grant> {
    let exact = command.exact().filter(|_| line.fault.is_none())?;
    context.granted(claim, &GrantNeed::Command(&exact))
}

impl Policy {
    /// The decision in Explore: what is understood and only reads runs confined, all else on a copy that is thrown away.
    fn in_explore(&self, sight: &CommandView<'_>, asked: Option<String>, context: &Context<'_>) -> Ruling {
        let CommandView { line, parts, .. } = *sight;
        let refused = |why: &str, instead: &str| {
            deny(format!("the session's mode is Explore: {why}"), Some(instead.to_owned()))
        };
        if let Some(reason) = asked {
            return refused(&format!("a rule has it asked for: {reason}"), BY_PLAN);
        }
        let changes = parts.iter().find_map(|part| match part {
            Part::Writes(reason) => Some(reason.clone()),
            Part::Granted(_) => Some("what was granted may change something".to_owned()),
            Part::Reads(_) | Part::Ruled(_) | Part::Asked(_) => None,
        });
        let fault =
            line.fault.as_ref().map(|fault| format!("the command is not known to only read: {fault}"));
        let confined = match (fault, changes) {
            (None, None) if context.can_confine => Walls::Confined,
            (None, None) => return refused("commands can't be confined on this machine", FILE_TOOLS),
            (Some(_), _) | (None, Some(_)) if context.can_copy => Walls::Copied,
            (Some(why), _) if context.can_confine => return refused(&why, PIECEWISE),
            (Some(why), _) | (None, Some(why)) => return refused(&why, BY_PLAN),
        };
        if confined == Walls::Copied
            && let Some(why) = self.unclear_reason(line)
        {
            return refused(&why, PIECEWISE);
        }
        if let Some(why) = self.unseen(sight, context) {
            return refused(&why, ADD_FOLDER);
        }
        let ruled = parts.iter().find_map(|part| match part {
            Part::Ruled(by) => Some(by.clone()),
            Part::Reads(_) | Part::Granted(_) | Part::Asked(_) | Part::Writes(_) => None,
        });
        let by = match confined {
            Walls::Copied => {
                "it runs in a copy of the folders, and what it changes there is thrown away".to_owned()
            }
            Walls::Confined | Walls::Open | Walls::Folders => {
                ruled.unwrap_or_else(|| "every command of it only reads".to_owned())
            }
        };
        Ruling::Allow { by: by.into(), confined }
    }
}

/// What is said of a command that deletes.
const DELETES: &str = "deletes or overwrites what it names";

/// Why commands of a line are not known to only read, what deletes first; of those that are named already, nothing.
fn write_reasons(sight: &CommandView<'_>, named: &[String]) -> Vec<String> {
    let mut reasons: Vec<(bool, String)> = Vec::new();
    for (command, part) in sight.line.commands.iter().zip(sight.parts) {
        let Part::Writes(reason) = part else { continue };
        let deletes = shell::changes(command).deletes;
        let begin = format!("`{}` ", shell::plain_name(command.name()));
        let reason = if deletes { format!("{begin}{DELETES}") } else { reason.clone() };
        let known = reasons.iter().any(|(_, other)| *other == reason);
        if !known && !named.iter().any(|named| named.starts_with(&begin)) {
            reasons.push((deletes, reason));
        }
    }
    reasons.sort_by_key(|(deletes, _)| !deletes);
    reasons.into_iter().map(|(_, reason)| reason).collect()
}

/// The beginning that all commands share that may change something.
pub(crate) fn shared_prefix(line: &Line, parts: &[Part]) -> Option<Vec<String>> {
    let writing = line.commands.iter().zip(parts).filter(|(_, part)| matches!(part, Part::Writes(_)));
    shared_prefix_of(writing.map(|(command, _)| command))
}

fn shared_prefix_of<'a>(mut commands: impl Iterator<Item = &'a Command>) -> Option<Vec<String>> {
    let first = shell::prefix(commands.next()?)?;
    commands.all(|command| shell::prefix(command).as_ref() == Some(&first)).then_some(first)
}
