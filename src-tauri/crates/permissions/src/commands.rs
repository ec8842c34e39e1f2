//! Decisions on commands of a shell.

use domain::{Claim, Mode, Ruling};

use crate::deeds::{by_grant, by_mode};
use crate::offers::{self, ask};
use crate::places::{Ground, joined, slashed};
use crate::policy::{Context, Hit, Policy, Wanted, allow, deny};
use crate::rules::{Access, Effect};
use crate::ruleset::{About, Kind, Layer, is_for};
use crate::shell::{self, Command, Line, Needs};

const PIECEWISE: &str = "run plain commands one at a time, without variables, substitutions and redirections into files, or use \
                         the tools for files";

/// The name of files with rules.
const RULES: &str = "permissions.json";

/// What is known of one command of a line.
enum Part {
    /// It only reads.
    Reads(Needs),
    /// A rule allows it.
    Ruled(String),
    /// The person allowed it.
    Granted(String),
    /// A rule has it asked for.
    Asked(String),
    /// It may change something.
    Writes(String),
}

impl Policy {
    pub(crate) fn shell(
        &self,
        claim: &Claim,
        context: &Context<'_>,
        command: &str,
        cwd: &str,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
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
            _ => None,
        });
        let asked = asked.or_else(|| tool_asks.map(|hit| hit.rule.reason.clone()));
        match context.mode {
            Mode::Safe => confined(&line, &parts, asked, context),
            Mode::Ask => self.asking(claim, context, &line, &parts, asked, tool),
            Mode::AllowAll => {
                let asked = asked.or(protected).or_else(|| self.untold(&line));
                match asked {
                    None => by_mode(context.mode),
                    Some(reason) => exactly_or_ask(claim, context, reason),
                }
            }
        }
    }

    /// A rule that denies one of the commands, or one that they run in turn.
    fn forbidden<'a>(&'a self, claim: &'a Claim, line: &Line) -> Option<Hit<'a>> {
        if !self.sets.iter().any(|set| set.guards_commands()) {
            return None;
        }
        line.commands.iter().find_map(|command| {
            let forms = command.guarded();
            let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
            self.strongest(Kind::Command, &forms, about(claim), |hit| hit.rule.effect == Effect::Deny)
        })
    }

    /// A word that names a file that must not be read, or written by what may write.
    fn forbidden_file(
        &self,
        claim: &Claim,
        context: &Context<'_>,
        line: &Line,
        parts: &[Part],
        cwd: &str,
    ) -> Option<Ruling> {
        let barred = |word: &str, writes: bool| {
            spellings(word).find_map(|spelling| {
                let path = joined(cwd, &self.places.home, spelling);
                let forms = self.places.forms(&path, context.folders);
                let forms = forms.iter().map(String::as_str).chain([spelling]);
                forms.flat_map(|form| self.sets.iter().map(move |set| (form, set))).find_map(|(form, set)| {
                    let uses = |hit: &&crate::rules::Rule| {
                        is_for(hit, Access::Read) || writes && is_for(hit, Access::Write)
                    };
                    let rule = set.bars(form, about(claim)).find(uses)?;
                    Some(Hit { rule, layer: set.layer() }.deny())
                })
            })
        };
        let private = |word: &str| {
            let path = joined(cwd, &self.places.home, word);
            let ground = self.places.ground(&path, context.session);
            (ground == Ground::Private).then(|| deny("it names the program's own data", None))
        };
        for (command, part) in line.commands.iter().zip(parts) {
            let writes = !matches!(part, Part::Reads(_));
            for word in command.arguments() {
                if let Some(ruling) = barred(&word.text, writes).or_else(|| private(&word.text)) {
                    return Some(ruling);
                }
            }
        }
        let inputs = line.inputs.iter().map(|input| (input, false));
        let outputs = line.outputs.iter().map(|output| (output, true));
        inputs.chain(outputs).find_map(|(path, writes)| barred(path, writes).or_else(|| private(path)))
    }

    /// Why a command that may write has to be asked for, whatever the mode: it names a file that decides what happens
    /// later, as a word or as the target of a redirection.
    fn protected_file(
        &self,
        claim: &Claim,
        context: &Context<'_>,
        line: &Line,
        parts: &[Part],
        cwd: &str,
    ) -> Option<String> {
        let protected = |word: &str, redirected: bool| {
            let path = joined(cwd, &self.places.home, word);
            let rules = path.rsplit('/').next() == Some(RULES);
            match self.places.ground(&path, context.session) {
                Ground::Workspace if redirected || rules => {
                    return Some("it changes how the program works later".to_owned());
                }
                Ground::OwnRest if rules => return Some("it changes what this session may do".to_owned()),
                _ => {}
            }
            let hit = self.on_file(claim, context, &path, Access::Write)?;
            (hit.effect() == Effect::Ask && is_for(hit.rule, Access::Write)).then(|| hit.rule.reason.clone())
        };
        let writing = line.commands.iter().zip(parts).filter(|(_, part)| !matches!(part, Part::Reads(_)));
        let mut words = writing.flat_map(|(command, _)| command.arguments());
        let named = words.find_map(|word| spellings(&word.text).find_map(|word| protected(word, false)));
        named.or_else(|| line.outputs.iter().find_map(|output| protected(output, true)))
    }

    fn part(&self, claim: &Claim, context: &Context<'_>, command: &Command, line: &Line) -> Part {
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
        claim: &Claim,
        context: &Context<'_>,
        command: &Command,
        line: &Line,
        reason: String,
    ) -> Part {
        let exact = command.exact().filter(|_| line.fault.is_none());
        match exact.and_then(|words| context.granted(claim, &Wanted::Command(&words)).cloned()) {
            Some(grant) => Part::Granted(grant.id),
            None => Part::Writes(format!("`{}`: {reason}", command.name())),
        }
    }

    /// The rule on a command: those that allow see its words as they are, the others whatever it may run.
    fn on_command<'a>(&'a self, claim: &'a Claim, command: &Command, understood: bool) -> Option<Hit<'a>> {
        let mut decided: Option<Hit<'a>> = None;
        let guarded =
            if self.sets.iter().any(|set| set.guards_commands()) { command.guarded() } else { Vec::new() };
        let exact = command.exact().filter(|_| understood);
        for set in self.sets.iter().rev() {
            let layer = set.layer();
            let asks = guarded
                .iter()
                .flat_map(|form| set.hits(Kind::Command, form, about(claim)))
                .find(|rule| rule.effect == Effect::Ask);
            let allows = exact
                .iter()
                .flat_map(|form| set.hits(Kind::Command, form, about(claim)))
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
        claim: &Claim,
        context: &Context<'_>,
        line: &Line,
        parts: &[Part],
        asked: Option<String>,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
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
            return ask(
                format!("it is not known to only read: {fault}"),
                offers::narrow(claim, "this command"),
            );
        }
        let writes: Vec<&String> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Writes(reason) => Some(reason),
                _ => None,
            })
            .collect();
        let needs = parts.iter().map(needs_of).max().unwrap_or(Some(Needs::Nothing));
        if let Some(reason) = writes.first() {
            if let Some(hit) = tool {
                return allow(hit.by());
            }
            return ask((*reason).clone(), offers::of_command(claim, shared_prefix(line, parts)));
        }
        let decided = parts.iter().find_map(|part| match part {
            Part::Ruled(by) => Some(by.clone()),
            Part::Granted(id) => Some(format!("grant {id}")),
            _ => None,
        });
        match decided {
            Some(by) => allow(by),
            None if context.can_confine => {
                Ruling::Allow { by: "every command of it only reads".to_owned(), confined: true }
            }
            None if needs == Some(Needs::Confinement) => ask(
                "it only reads, but a folder's own settings can make it run other programs, and commands can't be confined here",
                offers::of_command(claim, shared_prefix_of(line.commands.iter())),
            ),
            None => allow("every command of it only reads"),
        }
    }

    /// Where commands are forbidden, one that can't be made out may be one of them.
    fn untold(&self, line: &Line) -> Option<String> {
        let guarded = self.sets.iter().any(|set| set.guards_commands());
        (guarded && line.opaque)
            .then(|| "rules forbid some commands, and it can't be told which ones this runs".to_owned())
    }
}

fn about(claim: &Claim) -> About<'_> {
    About { source: &claim.source, tool: &claim.tool }
}

fn exactly_or_ask(claim: &Claim, context: &Context<'_>, reason: String) -> Ruling {
    match context.granted_exactly(claim, None) {
        Some(grant) => by_grant(grant),
        None => ask(reason, offers::narrow(claim, "this command")),
    }
}

fn needs_of(part: &Part) -> Option<Needs> {
    match part {
        Part::Reads(needs) => Some(*needs),
        Part::Ruled(_) | Part::Granted(_) | Part::Asked(_) | Part::Writes(_) => None,
    }
}

/// The decision in Explore: only what is understood and reads, and only confined.
fn confined(line: &Line, parts: &[Part], asked: Option<String>, context: &Context<'_>) -> Ruling {
    let refused = |why: String, instead: &str| {
        deny(format!("the session's mode is Explore: {why}"), Some(instead.to_owned()))
    };
    if let Some(fault) = &line.fault {
        return refused(format!("the command is not known to only read: {fault}"), PIECEWISE);
    }
    if let Some(reason) = asked {
        return refused(
            format!("a rule has it asked for: {reason}"),
            "ask the person to switch the session's mode",
        );
    }
    for part in parts {
        match part {
            Part::Writes(reason) => {
                return refused(
                    reason.clone(),
                    "use a command that only reads, or submit a plan for the person to accept",
                );
            }
            Part::Granted(_) => {
                return refused(
                    "what was granted may change something".to_owned(),
                    "submit a plan for the person to accept, or ask them to switch the session's mode",
                );
            }
            Part::Reads(_) | Part::Ruled(_) | Part::Asked(_) => {}
        }
    }
    if !context.can_confine {
        return refused(
            "commands can't be confined on this machine".to_owned(),
            "use the tools for files, or ask the person to switch the session's mode",
        );
    }
    let by = parts.iter().find_map(|part| match part {
        Part::Ruled(by) => Some(by.clone()),
        _ => None,
    });
    Ruling::Allow { by: by.unwrap_or_else(|| "every command of it only reads".to_owned()), confined: true }
}

/// The beginning that all commands share that may change something.
fn shared_prefix(line: &Line, parts: &[Part]) -> Option<Vec<String>> {
    let writing = line.commands.iter().zip(parts).filter(|(_, part)| matches!(part, Part::Writes(_)));
    shared_prefix_of(writing.map(|(command, _)| command))
}

fn shared_prefix_of<'a>(mut commands: impl Iterator<Item = &'a Command>) -> Option<Vec<String>> {
    let first = shell::prefix(commands.next()?)?;
    commands.all(|command| shell::prefix(command).as_ref() == Some(&first)).then_some(first)
}

/// A word, and what of it may be a file's name: after `=`, `:` or `@`, or behind an option's letter.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let after = |c: char| word.split_once(c).map(|(_, rest)| rest);
    let behind = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    [Some(word), after('='), after(':'), after('@'), behind]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
}
