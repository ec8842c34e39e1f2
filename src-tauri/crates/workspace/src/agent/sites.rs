//! Every expression and template of a configuration, with its place.

use domain::StageId;
use domain::agent::{AgentConfig, Stage, Step};
use serde_json::{Map, Value};

use super::Config;
use crate::json::child;

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Expression,
    Template,
}

/// When a text is evaluated, as far as it decides what it may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvalPhase {
    /// Before or while the stage runs; only what the steps before this one have collected is there.
    Step(usize),
    /// While the stage runs, after its steps.
    Stage,
    /// When the stage's own output is there: its pause and its display.
    After,
}

/// One expression or template.
#[derive(Debug)]
pub(super) struct ExpressionSite<'a> {
    pub pointer: String,
    pub text: &'a str,
    pub language: Language,
    /// The stage that it belongs to; none for the document's titles.
    pub stage: Option<&'a StageId>,
    pub moment: EvalPhase,
    /// Whether a `forEach` around it gives it an `item`.
    pub item: bool,
}

/// Where repair units stand.
const UNITS: &str = "/controlFlow/repairUnits/";
/// Where the state file and the other files stand.
const CHECKPOINT: &str = "/checkpoint/";
const FILES: &str = "/files/";
const TABLES: &str = "/tables/";

impl ExpressionSite<'_> {
    /// Whether it is a unit's rule of progress, which reads the scores of two checks.
    pub fn is_progress(&self) -> bool {
        self.pointer.starts_with(UNITS)
    }

    /// Whether it is of the state file or of another file, which see how the run stands.
    pub fn sees_run(&self) -> bool {
        self.pointer.starts_with(CHECKPOINT) || self.pointer.starts_with(FILES)
    }
}

/// Every expression and template of a configuration, in its order.
pub(super) fn sites<'a>(checked: &Config<'a>) -> Vec<ExpressionSite<'a>> {
    let mut sites = Vec::new();
    for (index, stage) in checked.config.control_flow.stages.iter().enumerate() {
        of_stage(stage, &format!("/controlFlow/stages/{index}"), &mut sites);
    }
    let units = &checked.config.control_flow.repair_units;
    for (index, unit) in units.iter().enumerate() {
        // An empty one is told of with the unit.
        let Some(text) = unit.progress.as_ref().filter(|text| !text.trim().is_empty()) else { continue };
        sites.push(ExpressionSite {
            pointer: format!("{UNITS}{index}/progress"),
            text,
            language: Language::Expression,
            stage: unit.stages.last(),
            moment: EvalPhase::Stage,
            item: false,
        });
    }
    files(checked.config, &mut sites);
    let output = &checked.config.output;
    for (field, text) in [
        ("titleTemplate", &output.title_template),
        ("followupTitleTemplate", &output.followup_title_template),
    ] {
        sites.push(ExpressionSite {
            pointer: format!("/output/{field}"),
            text,
            language: Language::Template,
            stage: None,
            moment: EvalPhase::After,
            item: false,
        });
    }
    sites
}

/// The state file and the other files.
fn files<'a>(config: &'a AgentConfig, sites: &mut Vec<ExpressionSite<'a>>) {
    let mut add = |pointer: String, text: &'a str, language, item| {
        sites.push(ExpressionSite { pointer, text, language, stage: None, moment: EvalPhase::After, item });
    };
    if let Some(checkpoint) = &config.checkpoint {
        add(format!("{CHECKPOINT}file"), &checkpoint.file, Language::Template, false);
        let mut open: Vec<(String, &Value)> = checkpoint
            .state
            .iter()
            .map(|(name, value)| (child(&format!("{CHECKPOINT}state"), name), value))
            .collect();
        while let Some((pointer, value)) = open.pop() {
            match value {
                Value::String(text) => add(pointer, text, Language::Template, false),
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    open.extend(items.map(|(at, value)| (format!("{pointer}/{at}"), value)));
                }
                Value::Object(map) => {
                    open.extend(map.iter().map(|(name, value)| (child(&pointer, name), value)));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }
    for (at, adopted) in config.adopts.iter().enumerate() {
        let pointer = |field: &str| format!("/adopts/{at}/{field}");
        add(pointer("when"), &adopted.when, Language::Expression, true);
        for (field, text, language) in [
            ("textFile", &adopted.text_file, Language::Template),
            ("text", &adopted.text, Language::Expression),
            ("stateFile", &adopted.state_file, Language::Template),
        ] {
            if let Some(text) = text {
                add(pointer(field), text, language, true);
            }
        }
    }
    for (at, table) in config.tables.iter().enumerate() {
        add(format!("{TABLES}{at}/rows"), &table.rows, Language::Expression, false);
        for (column, spec) in table.columns.iter().enumerate() {
            let pointer = format!("{TABLES}{at}/columns/{column}/value");
            add(pointer, &spec.value, Language::Expression, true);
            if let Some(max) = &spec.max {
                add(format!("{TABLES}{at}/columns/{column}/max"), max, Language::Expression, true);
            }
        }
    }
    for (at, file) in config.files.iter().enumerate() {
        let item = file.for_each.is_some();
        if let Some(expr) = &file.for_each {
            add(format!("{FILES}{at}/forEach"), expr, Language::Expression, false);
        }
        add(format!("{FILES}{at}/path"), &file.path, Language::Template, item);
        add(format!("{FILES}{at}/value"), &file.value, Language::Expression, item);
    }
}

/// Collects the sites of one stage.
struct Collector<'a, 'b> {
    stage: &'a Stage,
    sites: &'b mut Vec<ExpressionSite<'a>>,
}

impl<'a> Collector<'a, '_> {
    fn add(&mut self, pointer: String, text: &'a str, language: Language, moment: EvalPhase, item: bool) {
        self.sites.push(ExpressionSite {
            pointer,
            text,
            language,
            stage: Some(&self.stage.id),
            moment,
            item,
        });
    }

    fn expression(&mut self, pointer: String, text: Option<&'a String>, moment: EvalPhase, item: bool) {
        if let Some(text) = text {
            self.add(pointer, text, Language::Expression, moment, item);
        }
    }

    /// Every text of a value.
    fn texts(&mut self, pointer: String, value: &'a Value, moment: EvalPhase, item: bool) {
        match value {
            Value::String(text) => self.add(pointer, text, Language::Template, moment, item),
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    self.texts(format!("{pointer}/{index}"), value, moment, item);
                }
            }
            Value::Object(map) => self.map(&pointer, map, moment, item),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn map(&mut self, pointer: &str, map: &'a Map<String, Value>, moment: EvalPhase, item: bool) {
        for (name, value) in map {
            self.texts(child(pointer, name), value, moment, item);
        }
    }

    fn step(&mut self, pointer: &str, index: usize, step: &'a Step) {
        let moment = EvalPhase::Step(index);
        let outer = self.stage.for_each.is_some();
        let item = outer || step.for_each.is_some();
        self.expression(format!("{pointer}/forEach"), step.for_each.as_ref(), moment, outer);
        self.expression(format!("{pointer}/when"), step.when.as_ref(), moment, item);
        if let Some(title) = &step.title {
            self.add(format!("{pointer}/title"), title, Language::Template, moment, item);
        }
        self.map(&format!("{pointer}/args"), &step.args, moment, item);
        if let Some(limit) = &step.limit {
            self.texts(format!("{pointer}/limit"), limit, moment, item);
        }
    }
}

fn of_stage<'a>(stage: &'a Stage, pointer: &str, sites: &mut Vec<ExpressionSite<'a>>) {
    let item = stage.for_each.is_some();
    let mut all = Collector { stage, sites };
    all.expression(format!("{pointer}/when"), stage.when.as_ref(), EvalPhase::Step(0), false);
    all.expression(format!("{pointer}/forEach"), stage.for_each.as_ref(), EvalPhase::Stage, false);
    for (index, step) in stage.steps.iter().enumerate() {
        all.step(&format!("{pointer}/steps/{index}"), index, step);
    }
    all.expression(format!("{pointer}/modelWhen"), stage.model_when.as_ref(), EvalPhase::Stage, item);
    let sections = stage.context.iter().enumerate().filter(|(_, section)| !section.value.trim().is_empty());
    for (index, section) in sections {
        all.add(
            format!("{pointer}/context/{index}/value"),
            &section.value,
            Language::Expression,
            EvalPhase::Stage,
            item,
        );
    }
    all.expression(format!("{pointer}/cites"), stage.cites.as_ref(), EvalPhase::Stage, item);
    if let Some(form) = &stage.repair {
        // Replacements are asked for once: there is no item.
        all.expression(format!("{pointer}/repair/cites"), form.cites.as_ref(), EvalPhase::Stage, false);
        for (index, section) in
            form.context.iter().enumerate().filter(|(_, one)| !one.value.trim().is_empty())
        {
            let at = format!("{pointer}/repair/context/{index}/value");
            all.add(at, &section.value, Language::Expression, EvalPhase::Stage, false);
        }
    }
    if let Some(agent) = &stage.agent {
        all.add(format!("{pointer}/agent"), agent, Language::Template, EvalPhase::Stage, item);
    }
    all.expression(format!("{pointer}/itemKey"), stage.item_key.as_ref(), EvalPhase::Stage, item);
    for (index, folder) in stage.folders.iter().enumerate() {
        all.add(format!("{pointer}/folders/{index}"), folder, Language::Template, EvalPhase::Stage, false);
    }
    if let Some(inputs) = &stage.inputs {
        all.map(&format!("{pointer}/inputs"), inputs, EvalPhase::Stage, item);
    }
    for (field, map) in [("output", &stage.output), ("skippedOutput", &stage.skipped_output)] {
        if let Some(map) = map {
            all.map(&format!("{pointer}/{field}"), map, EvalPhase::Stage, item);
        }
    }
    if let Some(pass) = &stage.pass {
        all.expression(format!("{pointer}/pass/when"), Some(&pass.when), EvalPhase::Stage, false);
        for (axis, text) in &pass.scores {
            all.add(
                child(&format!("{pointer}/pass/scores"), axis),
                text,
                Language::Expression,
                EvalPhase::Stage,
                false,
            );
        }
        for (field, expr) in
            [("unsupported", pass.unsupported.as_ref()), ("rewriteWhen", pass.rewrite_when.as_ref())]
        {
            all.expression(format!("{pointer}/pass/{field}"), expr, EvalPhase::Stage, false);
        }
    }
    if let Some(document) = &stage.document {
        let fields = [
            ("answer", Some(&document.answer)),
            ("plan", document.plan.as_ref()),
            ("verification", document.verification.as_ref()),
            ("webReferences", document.web_references.as_ref()),
            ("paragraphs", document.paragraphs.as_ref()),
            ("notice", document.notice.as_ref()),
        ];
        for (field, text) in fields {
            all.expression(format!("{pointer}/document/{field}"), text, EvalPhase::Stage, false);
        }
    }
    if let Some(pause) = &stage.pause {
        all.expression(
            format!("{pointer}/pause/questions"),
            pause.questions.as_ref(),
            EvalPhase::After,
            false,
        );
        for (index, choice) in pause.choices.iter().enumerate() {
            let at = format!("{pointer}/pause/choices/{index}/when");
            all.expression(at, choice.when.as_ref(), EvalPhase::After, false);
            let at = format!("{pointer}/pause/choices/{index}/unavailable/when");
            let unavailable = choice.unavailable.as_ref().map(|unavailable| &unavailable.when);
            all.expression(at, unavailable, EvalPhase::After, false);
            if let Some(unavailable) = &choice.unavailable {
                let at = format!("{pointer}/pause/choices/{index}/unavailable/why");
                all.add(at, &unavailable.why, Language::Template, EvalPhase::After, false);
            }
        }
    }
    if let Some(display) = &stage.display {
        for (index, status) in display.status.iter().enumerate() {
            let at = format!("{pointer}/display/status/{index}");
            all.add(format!("{at}/when"), &status.when, Language::Expression, EvalPhase::After, false);
            all.add(format!("{at}/summary"), &status.summary, Language::Template, EvalPhase::After, false);
        }
    }
}
