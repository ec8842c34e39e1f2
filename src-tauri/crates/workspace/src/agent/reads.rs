//! Expressions and templates: their syntax, and that what they read can be there.

use std::collections::{BTreeMap, BTreeSet};

use context::templates::Templates;
use domain::StageId;
use domain::agent::Stage;

use super::outputs::{self, Form};
use super::sites::{EvalPhase, ExpressionSite, Language, sites};
use super::{Config, files};
use crate::folder::Folder;
use crate::problem::{ConfigProblem, MAX_PROBLEMS};

/// The variables that expressions may read.
const VARIABLES: [&str; 32] = [
    "answer",
    "collected",
    "corpus",
    "data",
    "decisions",
    "depth",
    "depth_name",
    "feedback",
    "followup",
    "followup_number",
    "guidance",
    "index",
    "inputs",
    "item",
    "items",
    "judge",
    "material",
    "offline",
    "output",
    "outputs",
    "repair",
    "request",
    "scores",
    "settings",
    "telemetry",
    "unsupported",
    "user_answers",
    "vault_locked",
    "verification",
    "warnings",
    "web",
    "web_search",
];

/// What the state file and the other files of a run may read besides.
const RUN_VARIABLES: [&str; 10] =
    ["drafts", "environment", "errors", "gates", "items", "next", "progress", "run", "stages", "trigger"];

/// Checks every expression and template; `ordered` tells whether the order of stages is known.
pub(super) fn check(
    checked: &Config<'_>,
    ordered: bool,
    prompts_folder: &Folder,
    prompts: &BTreeMap<String, String>,
    problems: &mut Vec<ConfigProblem>,
) {
    let reader = Reader::new(checked, ordered);
    for site in sites(checked) {
        reader.check(&checked.file, &site, problems);
    }
    let mut done = BTreeSet::new();
    for (_, index, name) in files::prompt_uses(checked.config) {
        let (Some(text), Some(stage)) = (prompts.get(name), checked.config.control_flow.stages.get(index))
        else {
            continue;
        };
        // Two stages may share a prompt; what is wrong with it for both is said once.
        let site = ExpressionSite {
            pointer: String::new(),
            text,
            language: Language::Template,
            stage: Some(&stage.id),
            moment: EvalPhase::Stage,
            item: stage.for_each.is_some(),
        };
        let mut found = Vec::new();
        reader.check(&prompts_folder.label(name), &site, &mut found);
        for problem in found {
            if done.insert(problem.clone()) {
                problems.push(problem);
            }
        }
    }
}

/// What can be read where.
struct Reader<'a> {
    templates: Templates,
    checked: &'a Config<'a>,
    /// By a stage's name.
    forms: BTreeMap<&'a str, Form<'a>>,
    /// For each stage, the names of the stages whose output may be there when it runs; none when the order of stages
    /// is not known.
    visible: Option<BTreeMap<&'a StageId, BTreeSet<&'a str>>>,
}

impl<'a> Reader<'a> {
    fn new(checked: &'a Config<'a>, ordered: bool) -> Self {
        let stages = &checked.config.control_flow.stages;
        let forms = stages
            .iter()
            .map(|stage| (stage.name.as_str(), outputs::form(stage, checked.schemas.get(&stage.id))))
            .collect();
        let visible =
            ordered.then(|| stages.iter().map(|stage| (&stage.id, visible(checked, stage))).collect());
        Self { templates: Templates::new(), checked, forms, visible }
    }

    fn check(&self, file: &str, site: &ExpressionSite<'_>, problems: &mut Vec<ConfigProblem>) {
        if problems.len() > MAX_PROBLEMS {
            return;
        }
        if site.language == Language::Template && !site.text.contains('{') {
            return;
        }
        let result = match site.language {
            Language::Expression => self.templates.check_expr(site.text),
            Language::Template => self.templates.check_template(site.text),
        };
        if let Err(error) = result {
            let expected = match site.language {
                Language::Expression => "an expression",
                Language::Template => "a template",
            };
            // In the configuration the pointer says where; a line within the text would be taken for one of the file.
            let line = if site.pointer.is_empty() { error.line } else { 0 };
            let mut problem = ConfigProblem::new(
                file,
                &site.pointer,
                expected,
                format!("{} in `{}`", error.reason, error.excerpt),
            )
            .on_line(line);
            if site.language == Language::Expression && site.text.contains("{{") {
                problem = problem.with_remedy("write the expression without `{{` and `}}`");
            }
            problems.push(problem);
            return;
        }
        let paths = match site.language {
            Language::Expression => self.templates.expr_paths(site.text),
            Language::Template => self.templates.template_paths(site.text),
        };
        for path in paths {
            if let Some(mut problem) = self.misread(file, site, &path) {
                if site.pointer.is_empty() {
                    problem = problem.on_line(line_with(site.text, &path.join(".")));
                }
                problems.push(problem);
            }
        }
    }

    /// What is wrong with a path that a text reads.
    fn misread(&self, file: &str, site: &ExpressionSite<'_>, path: &[String]) -> Option<ConfigProblem> {
        let (root, rest) = path.split_first()?;
        let new = |expected: String| {
            ConfigProblem::new(file, &site.pointer, expected, format!("`{}`", path.join(".")))
        };
        let field = || rest.first().map(String::as_str);
        let one_of = |what: &str, known: &[&str], name: &str| {
            let known_text = if known.is_empty() { "there is none".to_owned() } else { known.join(", ") };
            (!known.contains(&name))
                .then(|| new(format!("{what} ({known_text})")).meaning(name, known.iter().copied()))
        };
        let stage = site
            .stage
            .and_then(|id| self.checked.config.control_flow.stages.iter().find(|stage| &stage.id == id));
        match root.as_str() {
            name if site.sees_run() && RUN_VARIABLES.contains(&name) => None,
            "outputs" => self.misread_output(site, rest, &new),
            "depth" => {
                let name = field()?;
                let modes = &self.checked.config.depth_modes;
                let lacking: Vec<&str> = modes
                    .iter()
                    .filter(|(_, settings)| !settings.contains_key(name))
                    .map(|(mode, _)| mode.as_str())
                    .collect();
                if lacking.is_empty() && !modes.is_empty() {
                    return None;
                }
                let known: BTreeSet<&str> =
                    modes.values().flat_map(|mode| mode.keys()).map(String::as_str).collect();
                let problem = new("a setting that every depth mode has".to_owned());
                Some(if known.contains(name) {
                    problem.with_remedy(format!("add `{name}` to the depth modes {}", lacking.join(", ")))
                } else {
                    problem.meaning(name, known)
                })
            }
            "data" => {
                let known: Vec<&str> = self.checked.config.data.keys().map(String::as_str).collect();
                one_of("a name of the agent's `data`", &known, field()?)
            }
            "verification" => {
                let known: Vec<&str> =
                    self.checked.config.verification.thresholds.keys().map(String::as_str).collect();
                one_of("an axis that verification.thresholds names", &known, field()?)
            }
            "scores" if site.is_progress() => {
                let which = field()?;
                let known: Vec<&str> = stage?.pass.as_ref()?.scores.keys().map(String::as_str).collect();
                one_of("the scores of a check", &["last", "before"], which).or_else(|| {
                    one_of("an axis that pass.scores names", &known, rest.get(1).map(String::as_str)?)
                })
            }
            "scores" => {
                let known: Vec<&str> = stage?.pass.as_ref()?.scores.keys().map(String::as_str).collect();
                one_of("an axis that pass.scores names", &known, field()?)
            }
            "collected" => {
                let until = match site.moment {
                    EvalPhase::Step(index) => index,
                    EvalPhase::Stage | EvalPhase::After => usize::MAX,
                };
                let known: BTreeSet<&str> =
                    stage?.steps.iter().take(until).filter_map(|step| step.collect.as_deref()).collect();
                let known: Vec<&str> = known.into_iter().collect();
                one_of("what an earlier step of the stage collects", &known, field()?)
            }
            "item" | "index" if !site.item => {
                Some(new("a variable that is there: `item` and `index` need a `forEach`".to_owned()))
            }
            "items" if !site.pointer.ends_with("/limit") => Some(new(
                "a variable that is there: `items` is what a step collected, for its `limit`".to_owned(),
            )),
            name if VARIABLES.contains(&name) => None,
            name => {
                let problem = new(format!("one of the variables {}", VARIABLES.join(", ")));
                let stage = self.forms.contains_key(name);
                Some(if stage {
                    problem.with_remedy(format!("did you mean `outputs.{}`?", path.join(".")))
                } else {
                    problem.meaning(name, VARIABLES)
                })
            }
        }
    }

    fn misread_output(
        &self,
        site: &ExpressionSite<'_>,
        rest: &[String],
        new: &dyn Fn(String) -> ConfigProblem,
    ) -> Option<ConfigProblem> {
        let (name, rest) = rest.split_first()?;
        let Some(form) = self.forms.get(name.as_str()) else {
            let known: Vec<&str> = self.forms.keys().copied().collect();
            let problem = new(format!("the output of a stage ({})", known.join(", ")));
            let by_id =
                self.checked.config.control_flow.stages.iter().find(|stage| stage.id.as_str() == name);
            return Some(match by_id {
                Some(stage) => {
                    problem.with_remedy(format!("outputs have their stage's name: `outputs.{}`", stage.name))
                }
                None => problem.meaning(name, known),
            });
        };
        if let (Some(id), Some(visible)) = (site.stage, &self.visible) {
            let own = site.moment == EvalPhase::After
                && self
                    .checked
                    .config
                    .control_flow
                    .stages
                    .iter()
                    .any(|stage| &stage.id == id && &stage.name == name);
            let seen = visible.get(id).is_some_and(|names| names.contains(name.as_str()));
            if !own && !seen {
                return Some(
                    new(format!("the output of a stage that has run before stage `{id}`"))
                        .with_remedy(format!("let the stage depend on `{name}`")),
                );
            }
        }
        let miss = outputs::miss(form, rest)?;
        let missing = rest.get(miss.depth).map_or("", String::as_str);
        let mut place = format!("outputs.{name}");
        for part in rest.iter().take(miss.depth) {
            place.push('.');
            place.push_str(part);
        }
        Some(if miss.list {
            new(format!("no field of `{place}`, which is a list"))
        } else {
            new(format!("a field of `{place}` ({})", miss.known.join(", ")))
                .meaning(missing, miss.known.iter().map(String::as_str))
        })
    }
}

/// Names of the stages whose output may be there when a stage runs: those it waits for, directly or not; itself, when a
/// pause can make it run again; and those of its repair unit, from the attempt before.
fn visible<'a>(checked: &'a Config<'_>, stage: &'a Stage) -> BTreeSet<&'a str> {
    let flow = &checked.config.control_flow;
    let mut waiting = vec![stage];
    let mut seen: BTreeSet<&StageId> = BTreeSet::new();
    while let Some(next) = waiting.pop() {
        let before = flow.stages.iter().enumerate().filter(|(index, other)| match &next.depends_on {
            Some(ids) => ids.contains(&other.id),
            None => flow.stages.get(index + 1).is_some_and(|after| after.id == next.id),
        });
        for (_, other) in before {
            if seen.insert(&other.id) {
                waiting.push(other);
            }
        }
    }
    if stage.pause.is_some() || flow.pause_after_stages.contains(&stage.id) {
        seen.insert(&stage.id);
    }
    for unit in flow.repair_units.iter().filter(|unit| unit.stages.contains(&stage.id)) {
        seen.extend(&unit.stages);
    }
    flow.stages.iter().filter(|stage| seen.contains(&stage.id)).map(|stage| stage.name.as_str()).collect()
}

/// The line on which a text first stands, from 1; 0 when it doesn't.
fn line_with(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).map_or(0, |index| index + 1)
}

/// What is wrong with a template that may read nothing but some variables.
pub(crate) fn variables_problem(
    file: &str,
    pointer: &str,
    template: &str,
    known: &[&str],
) -> Option<ConfigProblem> {
    let templates = Templates::new();
    if let Err(error) = templates.check_template(template) {
        return Some(ConfigProblem::new(
            file,
            pointer,
            "a template",
            format!("{} in `{}`", error.reason, error.excerpt),
        ));
    }
    let path = templates
        .template_paths(template)
        .into_iter()
        .find(|path| path.first().is_some_and(|root| !known.contains(&root.as_str())) || path.len() > 1)?;
    let name = path.first().map_or("", String::as_str);
    Some(
        ConfigProblem::new(
            file,
            pointer,
            format!("one of the variables {}", known.join(", ")),
            format!("`{}`", path.join(".")),
        )
        .meaning(name, known.iter().copied()),
    )
}
