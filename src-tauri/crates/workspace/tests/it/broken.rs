//! One broken file for each kind of problem: file, pointer, what was expected, what was found.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Home, config};

/// The pointer of a stage: find 0, answer 1, check 2, write 3.
const FIND: &str = "/controlFlow/stages/0";
const ANSWER: &str = "/controlFlow/stages/1";
const CHECK: &str = "/controlFlow/stages/2";
const WRITE: &str = "/controlFlow/stages/3";

/// Sets (or, with null, removes) the value below a pointer.
fn changed(pointer: &str, value: Value) -> Value {
    let mut config = config();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match config.pointer_mut(parent).unwrap_or_else(|| panic!("{parent}")) {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        Value::Object(fields) if value.is_null() => {
            fields.remove(name).unwrap();
        }
        Value::Object(fields) => {
            fields.insert(name.to_owned(), value);
        }
        _ => panic!("{parent}"),
    }
    config
}

/// A change of the configuration and the only problem that it makes: where it is changed, to what; where the problem
/// is, the beginnings of what was expected and what was found, and what the remedy says.
pub struct Case(String, Value, String, &'static str, &'static str, Option<&'static str>);

pub fn case(
    at: &str,
    value: Value,
    problem_at: &str,
    expected: &'static str,
    found: &'static str,
    remedy: Option<&'static str>,
) -> Case {
    let pointer = if problem_at.is_empty() { at.to_owned() } else { problem_at.to_owned() };
    Case(at.to_owned(), value, pointer, expected, found, remedy)
}

pub fn check_all(cases: Vec<Case>) {
    for Case(at, value, pointer, expected, found, remedy) in cases {
        let home = Home::new();
        home.config(&changed(&at, value.clone()));
        let problems = home.problems();
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 1, "{at} = {value}: {shown:#?}");
        let problem = &problems[0];
        assert_eq!(
            (problem.file.as_str(), problem.pointer.as_str()),
            ("config.json", pointer.as_str()),
            "{shown:?}"
        );
        assert!(
            problem.expected.starts_with(expected),
            "{at}: expected {expected:?}, is {:?}",
            problem.expected
        );
        assert!(problem.found.starts_with(found), "{at}: found {found:?}, is {:?}", problem.found);
        if remedy.is_some() {
            assert_eq!(problem.remedy.as_deref(), remedy, "{at}");
        }
        assert!(problem.line.is_some(), "{at}");
    }
}

fn at(base: &str, rest: &str) -> String {
    format!("{base}{rest}")
}

#[test]
fn what_the_schema_refuses_is_told_in_words() {
    check_all(vec![
        case(
            &at(FIND, "/kind"),
            json!("tool"),
            "",
            "`model`, `tools`, `verify`, `render`, `dialogue` or `agent`",
            "the text `tool`",
            Some("did you mean `tools`?"),
        ),
        case(
            &at(FIND, "/depends_on"),
            json!([]),
            "",
            "one of the fields",
            "the unknown field `depends_on`",
            Some("did you mean `dependsOn`?"),
        ),
        case(&at(FIND, "/title"), Value::Null, FIND, "the field `title` (a text)", "no such field", None),
        case(&at(FIND, "/title"), json!(7), "", "a text", "7", None),
        case(
            &at(FIND, "/limits"),
            json!({"parallel": -1}),
            &at(FIND, "/limits/parallel"),
            "at least 0",
            "-1",
            None,
        ),
        case(
            &at(FIND, "/limits"),
            json!({"parallel": 99_999_999_999u64}),
            &at(FIND, "/limits/parallel"),
            "",
            "",
            None,
        ),
        case(&at(ANSWER, "/outputSchema"), json!(7), "", "a text or an object", "7", None),
        case(
            &at(ANSWER, "/effort"),
            json!("hihg"),
            "",
            "`low`, `medium`, `high` or `max`",
            "the text `hihg`",
            Some("did you mean `high`?"),
        ),
        case(&at(FIND, "/id"), json!(true), "", "a whole number or a text", "true", None),
        case("/controlFlow/stages", json!({}), "", "a list", "an object", None),
        case(
            "/sources",
            json!(["knowledge-base"]),
            "/sources/0",
            "an object",
            "the text `knowledge-base`",
            None,
        ),
    ]);
}

#[test]
fn the_graph_must_be_one_that_can_be_run() {
    check_all(vec![
        case(
            "/controlFlow/pauseAfterStages/0",
            json!("fnid"),
            "",
            "the id of a stage (find, answer, check, write)",
            "`fnid`",
            Some("did you mean `find`?"),
        ),
        case(
            &at(CHECK, "/dependsOn"),
            json!(["nothing"]),
            &at(CHECK, "/dependsOn/0"),
            "the id of a stage",
            "`nothing`",
            None,
        ),
        case(
            &at(FIND, "/dependsOn"),
            json!(["check"]),
            "",
            "stages that wait only for stages before them",
            "a circle: find waits for check waits for answer waits for find",
            None,
        ),
        case(
            &at(FIND, "/dependsOn"),
            json!(["find"]),
            "",
            "stages that wait only",
            "a circle: find waits for find",
            None,
        ),
        case(
            "/controlFlow/repairUnits/0/stages",
            json!(["find", "answer"]),
            "",
            "stages of which the last is of kind `verify`",
            "`answer`, which does not verify",
            None,
        ),
        case("/controlFlow/repairUnits/0/maxIterations", json!(0), "", "1 to 10", "0", None),
        case("/controlFlow/maxParallel", json!(0), "", "1 to 64", "0", None),
        case(&at(WRITE, "/name"), json!("wr-ite"), "", "a name that expressions can read", "`wr-ite`", None),
        case(
            &at(WRITE, "/name"),
            json!("find"),
            "",
            "a name of its own",
            "`find`, the name of stage 0",
            None,
        ),
        case(&at(WRITE, "/id"), json!("answer"), "", "an id of its own", "`answer`, the id of stage 1", None),
        case(
            &at(FIND, "/pause/choices/1/skips"),
            json!("nothing"),
            "",
            "the id of a stage",
            "`nothing`",
            None,
        ),
    ]);
}

#[test]
fn each_kind_of_stage_needs_its_own_fields() {
    check_all(vec![
        case(
            &at(ANSWER, "/prompt"),
            Value::Null,
            ANSWER,
            "the field `prompt`, which a stage of kind `model` needs",
            "no such field",
            None,
        ),
        case(&at(CHECK, "/pass"), Value::Null, CHECK, "the field `pass`", "no such field", None),
        case(&at(WRITE, "/document"), Value::Null, WRITE, "the field `document`", "no such field", None),
        case(
            &at(WRITE, "/prompt"),
            json!("answer.md"),
            "",
            "no such field in a stage of kind `render`",
            "`prompt`",
            None,
        ),
        case(
            &at(WRITE, "/tools"),
            json!(["read"]),
            "",
            "no such field in a stage of kind `render`",
            "`tools`",
            None,
        ),
    ]);
    let home = Home::new();
    let mut config = config();
    config["controlFlow"]["stages"][0] =
        json!({"id": "find", "name": "find", "title": "Find", "kind": "tools"});
    home.config(&config);
    assert!(home.problems().iter().any(|problem| problem.expected.starts_with("the field `steps`, which")));
}

#[test]
fn tools_steps_sections_and_choices_have_their_forms() {
    check_all(vec![
        case(&at(FIND, "/steps/0/tool"), json!("kb/"), "", "`source/tool` or", "`kb/`", None),
        case(
            &at(FIND, "/steps/0/tool"),
            json!("knowledgebase/search"),
            "",
            "a tool of a source that the agent lists (knowledge-base)",
            "`knowledgebase/search`",
            Some("did you mean `knowledge-base`?"),
        ),
        case(&at(FIND, "/steps/0/limit"), json!(0), "", "a whole number from 1 or a template", "0", None),
        case(
            &at(FIND, "/steps/1/collect"),
            json!("h its"),
            "",
            "a name that expressions can read",
            "`h its`",
            None,
        ),
        case(
            &at(FIND, "/steps/1"),
            json!({"tool": "knowledge-base/hop", "sortBy": "id"}),
            &at(FIND, "/steps/1/sortBy"),
            "`collect` beside it",
            "`sortBy` alone",
            None,
        ),
        case(&at(ANSWER, "/context/0/section"), json!("hits"), "", "a section name", "`hits`", None),
        case(
            &at(ANSWER, "/context/0/section"),
            json!("PARAGRAPH"),
            "",
            "a section name",
            "`PARAGRAPH`",
            None,
        ),
        case(
            &at(ANSWER, "/context/0/value"),
            Value::Null,
            &at(ANSWER, "/context/0"),
            "either the field `value` or the field `prompt`",
            "neither",
            None,
        ),
        case(
            &at(ANSWER, "/context/0/prompt"),
            json!("mend.md"),
            &at(ANSWER, "/context/0"),
            "either the field `value` or the field `prompt`",
            "both",
            None,
        ),
        case(
            &at(FIND, "/pause/choices/0/matches/0"),
            json!("go("),
            "",
            "a regular expression",
            "`go(`: unclosed group",
            None,
        ),
        case(
            &at(FIND, "/pause/choices/0/matches/0"),
            json!("((a{1000}){1000}){1000}"),
            "",
            "a regular expression",
            "",
            None,
        ),
        case(
            &at(FIND, "/pause/choices/1/id"),
            json!("go"),
            "",
            "an id of its own within the pause",
            "`go` a second time",
            None,
        ),
        case(
            &at(FIND, "/pause/choices/1/skips"),
            Value::Null,
            &at(FIND, "/pause/choices/1"),
            "the field `skips`",
            "no such field",
            None,
        ),
        case(
            &at(FIND, "/limits"),
            json!({"attempts": 0}),
            &at(FIND, "/limits/attempts"),
            "a whole number from 1 to 20",
            "0",
            None,
        ),
        case(
            &at(FIND, "/display"),
            json!({"header": "H", "meter": {"label": "M", "path": "m", "threshold": 7.0}}),
            &at(FIND, "/display/meter/threshold"),
            "a number from 0 to 1",
            "7",
            None,
        ),
    ]);
}

#[test]
fn settings_have_their_bounds() {
    check_all(vec![
        case("/slug", json!("writer"), "", "the folder's name, `reader`", "`writer`", None),
        case("/slug", json!("Reader"), "", "lower-case letters, digits and hyphens", "`Reader`", None),
        case(
            "/defaultDepth",
            json!("standrad"),
            "",
            "a depth mode (quick, standard)",
            "`standrad`",
            Some("did you mean `standard`?"),
        ),
        case(
            "/orchestrator",
            json!({"depthModeEffort": {"deep": "max"}}),
            "/orchestrator/depthModeEffort/deep",
            "a depth mode",
            "`deep`",
            None,
        ),
        case(
            "/orchestrator",
            json!({"perStageDesiredTokens": {"anwser": 10}}),
            "/orchestrator/perStageDesiredTokens/anwser",
            "the id of a stage",
            "`anwser`",
            Some("did you mean `answer`?"),
        ),
        case(
            "/orchestrator",
            json!({"budgetUsd": -1.0}),
            "/orchestrator/budgetUsd",
            "more than 0",
            "-1",
            None,
        ),
        case(
            "/orchestrator",
            json!({"contextWindow": 100}),
            "/orchestrator/minOutputBudget",
            "less than the context window, 100",
            "4096",
            None,
        ),
        case("/verification/thresholds/citation", json!(1.5), "", "a number from 0 to 1", "1.5", None),
        case(
            "/output",
            json!({"files": {"answerFile": "../answer.md"}}),
            "/output/files/answerFile",
            "a file name that ends in `.md`",
            "`../answer.md`",
            None,
        ),
        case(
            "/output",
            json!({"files": {"answerFile": "answer.html"}}),
            "/output/files/answerFile",
            "a file name that ends in `.md`",
            "`answer.html`",
            None,
        ),
        case(
            "/output",
            json!({"webReference": {"refFormat": "[W]"}}),
            "/output/webReference/refFormat",
            "a label that contains `{num}`",
            "`[W]`",
            None,
        ),
        case(
            "/sources",
            json!([{"slug": "knowledge-base"}, {"slug": "knowledge-base"}]),
            "/sources/1/slug",
            "each source once",
            "`knowledge-base` a second time",
            None,
        ),
        case(
            "/sources",
            json!([{"slug": "knowledge-base"}, {"slug": "knowlege-base"}]),
            "/sources/1/slug",
            "a source there is (isa-knowledge-base, knowledge-base, manuscript, web)",
            "`knowlege-base`",
            Some("did you mean `knowledge-base`?"),
        ),
    ]);
}

#[test]
fn expressions_and_templates_are_read_before_any_run() {
    let query = at(FIND, "/steps/0/args/query");
    let value = at(ANSWER, "/context/0/value");
    check_all(vec![
        case(&query, json!("{{ request"), "", "a template", "syntax error", None),
        case(&value, json!("outputs.find.hits |"), "", "an expression", "syntax error", None),
        case(
            &value,
            json!("{{ outputs.find.hits }}"),
            "",
            "an expression",
            "",
            Some("write the expression without `{{` and `}}`"),
        ),
        case(
            &value,
            json!("outputs.find.hits | shuffle"),
            "",
            "an expression",
            "there is no filter named `shuffle`",
            None,
        ),
        case(
            &query,
            json!("{{ requst }}"),
            "",
            "one of the variables answer, collected",
            "`requst`",
            Some("did you mean `request`?"),
        ),
        case(
            &value,
            json!("find.hits"),
            "",
            "one of the variables",
            "`find.hits`",
            Some("did you mean `outputs.find.hits`?"),
        ),
        case(
            &value,
            json!("outputs.fnid.hits"),
            "",
            "the output of a stage (answer, check, find, write)",
            "`outputs.fnid.hits`",
            Some("did you mean `find`?"),
        ),
        case(
            &value,
            json!("outputs.find.hit"),
            "",
            "a field of `outputs.find` (hits)",
            "`outputs.find.hit`",
            Some("did you mean `hits`?"),
        ),
        case(
            &value,
            json!("outputs.write.x"),
            "",
            "the output of a stage that has run before stage `answer`",
            "`outputs.write.x`",
            Some("let the stage depend on `write`"),
        ),
        case(
            &query,
            json!("{{ outputs.answer.text }}"),
            "",
            "the output of a stage that has run before stage `find`",
            "`outputs.answer.text`",
            None,
        ),
        case(
            &at(WRITE, "/document/answer"),
            json!("outputs.answer.txt"),
            "",
            "a field of `outputs.answer` (text, quotes, about)",
            "`outputs.answer.txt`",
            Some("did you mean `text`?"),
        ),
        case(
            &at(WRITE, "/document/answer"),
            json!("outputs.answer.about.topics"),
            "",
            "a field of `outputs.answer.about` (topic)",
            "`outputs.answer.about.topics`",
            None,
        ),
        case(
            &at(WRITE, "/document/answer"),
            json!("outputs.answer.quotes.first"),
            "",
            "no field of `outputs.answer.quotes`, which is a list",
            "`outputs.answer.quotes.first`",
            None,
        ),
        case(
            &query,
            json!("{{ depth.hops }}"),
            "",
            "a setting that every depth mode has",
            "`depth.hops`",
            Some("add `hops` to the depth modes quick"),
        ),
        case(
            &query,
            json!("{{ depth.topk }}"),
            "",
            "a setting that every depth mode has",
            "`depth.topk`",
            Some("did you mean `topK`?"),
        ),
        case(
            &query,
            json!("{{ collected.hits }}"),
            "",
            "what an earlier step of the stage collects (there is none)",
            "`collected.hits`",
            None,
        ),
        case(
            &query,
            json!("{{ item.x }}"),
            "",
            "a variable that is there: `item` and `index` need a `forEach`",
            "`item.x`",
            None,
        ),
        case(
            &at(CHECK, "/pass/when"),
            json!("scores.cite > 0"),
            "",
            "an axis that pass.scores names (citation)",
            "`scores.cite`",
            None,
        ),
        case(
            &at(CHECK, "/pass/when"),
            json!("verification.entity > 0"),
            "",
            "an axis that verification.thresholds names (citation)",
            "`verification.entity`",
            None,
        ),
        case(
            &at(FIND, "/pause/questions"),
            json!("outputs.find.question"),
            "",
            "a field of `outputs.find`",
            "`outputs.find.question`",
            None,
        ),
        case(
            "/output",
            json!({"titleTemplate": "{{ outputs.answr.text }}"}),
            "/output/titleTemplate",
            "the output of a stage",
            "`outputs.answr.text`",
            Some("did you mean `answer`?"),
        ),
        case(
            &query,
            json!("{{ outputs['find'] }}{% include 'x' %}"),
            "",
            "a template",
            "`include` is not available",
            None,
        ),
    ]);
}

#[test]
fn what_may_be_read_is_not_refused() {
    for (pointer, value) in [
        (
            at(ANSWER, "/context/0/value"),
            json!("outputs.check.checks or outputs.answer.quotes or repair.feedback"),
        ),
        (at(ANSWER, "/context/0/value"), json!("outputs.find.hits[0].id or outputs['find'] or range(3)")),
        (
            at(FIND, "/steps/1/args/id"),
            json!(
                "{% for x in collected.hits %}{{ x.id }}{{ loop.index }}{% endfor %}{{ item.anything.at.all }}"
            ),
        ),
        (
            at(WRITE, "/document/notice"),
            json!("corpus.notice or depth_name or followup.number or web.x or settings.y"),
        ),
    ] {
        let home = Home::new();
        home.config(&changed(&pointer, value));
        assert_eq!(home.problems(), [], "{pointer}");
    }
}

#[test]
fn files_that_are_named_must_be_there_and_inside() {
    check_all(vec![
        case(
            &at(ANSWER, "/prompt"),
            json!("anwser.md"),
            "",
            "a file at ",
            "`anwser.md`: no file of that name",
            Some("did you mean `answer.md`?"),
        ),
        case(
            &at(ANSWER, "/prompt"),
            json!("../AGENT.md"),
            "",
            "a path that stays inside the folder",
            "`../AGENT.md`",
            None,
        ),
        case(
            &at(ANSWER, "/prompt"),
            json!("/etc/hostname"),
            "",
            "a path that stays inside the folder",
            "`/etc/hostname`",
            None,
        ),
        case(
            &at(CHECK, "/pass/feedback"),
            json!("a\\b.md"),
            "",
            "a file name of 1 to 255 bytes",
            "`a\\b.md`",
            None,
        ),
        case(
            &at(ANSWER, "/outputSchema"),
            json!("schemas"),
            "",
            "a file",
            "`schemas`: a folder, pipe or device",
            None,
        ),
        case(
            &at(ANSWER, "/outputSchema"),
            json!({"type": "objekt"}),
            &at(ANSWER, "/outputSchema/type"),
            "a JSON Schema",
            "",
            None,
        ),
        case(
            &at(ANSWER, "/outputSchema"),
            json!({"properties": {"a": {"$ref": "https://example.org/x.json"}}}),
            &at(ANSWER, "/outputSchema/properties/a/$ref"),
            "a JSON Schema",
            "a reference to another document",
            None,
        ),
        case(
            &at(ANSWER, "/outputSchema"),
            json!({"properties": {"a": {"$ref": "#/$defs/none"}}}),
            "",
            "a JSON Schema",
            "",
            None,
        ),
    ]);
}
