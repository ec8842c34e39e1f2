//! What is said of stages that share a conversation.

use domain::agent::Conversation;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Home, config};

/// Two stages that talk, one after the other, and a document.
fn talks() -> Value {
    let mut config = config();
    let talk = |id: &str| {
        json!({"id": id, "name": id, "title": id, "kind": "dialogue", "prompt": "talk.md", "contextBudget": 20_000,
            "outputSchema": "schemas/answer.json"})
    };
    config["orchestrator"] = json!({"conversation": "continue", "system": "shared.md"});
    let mut write = config["controlFlow"]["stages"][3].clone();
    write["document"] = json!({"answer": "outputs.build"});
    config["controlFlow"] = json!({"stages": [talk("plan"), talk("build"), write]});
    config
}

fn home(config: &Value) -> Home {
    let home = Home::new();
    home.config(config);
    home.write("prompts/talk.md", "Talk about {{ request }}.");
    home.write("prompts/shared.md", "You work on {{ request }} in stages.");
    home
}

/// The only problem: where, what was expected, what was found, the remedy.
fn problem(config: &Value) -> (String, String, String, Option<String>) {
    let problems = home(config).problems();
    assert_eq!(problems.len(), 1, "{problems:#?}");
    let problem = problems.into_iter().next().unwrap();
    assert!(problem.line.is_some(), "{problem:?}");
    (problem.pointer, problem.expected, problem.found, problem.remedy)
}

#[test]
fn stages_that_share_a_conversation_are_read() {
    let agent = home(&talks()).load().unwrap();
    let continuing: Vec<&str> = agent.config.continuing().map(|stage| stage.id.as_str()).collect();
    assert_eq!(continuing, ["plan", "build"]);
    assert_eq!(agent.config.control_flow.stages[1].context_budget, Some(20_000));
    assert_eq!(agent.prompts["shared.md"], "You work on {{ request }} in stages.");
    let mut config = talks();
    config["controlFlow"]["stages"][1]["conversation"] = json!("fresh");
    config["controlFlow"]["stages"][1].as_object_mut().unwrap().remove("contextBudget");
    let agent = home(&config).load().unwrap();
    assert_eq!(agent.config.continuing().count(), 1);
    assert_eq!(agent.config.control_flow.stages[1].conversation, Some(Conversation::Fresh));
}

#[test]
fn a_model_stage_that_would_continue_is_refused_by_its_name_with_the_remedy() {
    let mut config = talks();
    config["controlFlow"]["stages"][0]["kind"] = json!("model");
    config["controlFlow"]["stages"][0].as_object_mut().unwrap().remove("contextBudget");
    let (pointer, expected, found, remedy) = problem(&config);
    assert_eq!(pointer, "/controlFlow/stages/0/conversation");
    assert!(expected.starts_with("`fresh`: only stages of kind `dialogue`"), "{expected}");
    assert_eq!(found, "the model stage `plan`, which would continue");
    assert!(remedy.unwrap().starts_with("set `conversation` of the stage to `fresh`"));
    config["controlFlow"]["stages"][0]["conversation"] = json!("fresh");
    assert_eq!(home(&config).problems(), []);
}

#[test]
fn stages_of_a_conversation_come_one_after_the_other() {
    let mut config = talks();
    config["controlFlow"]["stages"][1]["dependsOn"] = json!([]);
    config["controlFlow"]["stages"][2]["dependsOn"] = json!(["plan", "build"]);
    let (pointer, expected, found, remedy) = problem(&config);
    assert_eq!(pointer, "/controlFlow/stages/1/conversation");
    assert!(expected.starts_with("a stage that waits for `plan`"), "{expected}");
    assert!(found.starts_with("`build`, which does not depend on it"), "{found}");
    assert!(remedy.unwrap().contains("add `plan` to its `dependsOn`"));
}

#[test]
fn what_a_conversation_lacks_or_cannot_have_is_said_with_its_place() {
    let change = |at: &str, value: Value| {
        let mut config = talks();
        let (parent, field) = at.rsplit_once('/').unwrap();
        let parent = config.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Value::Null => drop(parent.remove(field)),
            value => drop(parent.insert(field.to_owned(), value)),
        }
        problem(&config)
    };
    let (pointer, expected, ..) = change("/orchestrator/system", Value::Null);
    assert_eq!(pointer, "/orchestrator");
    assert!(expected.starts_with("the field `system`: the stage `plan` continues"), "{expected}");
    let (pointer, expected, ..) = change("/controlFlow/stages/1/contextBudget", json!(0));
    assert_eq!(pointer, "/controlFlow/stages/1/contextBudget");
    assert!(expected.starts_with("a whole number from 1"), "{expected}");
    let (pointer, expected, ..) = change("/controlFlow/stages/2/contextBudget", json!(10));
    assert_eq!(pointer, "/controlFlow/stages/2/contextBudget");
    assert!(expected.starts_with("no such field: the stage does not continue"), "{expected}");
    let (pointer, expected, ..) = change("/controlFlow/stages/1/model", json!("other"));
    assert_eq!(pointer, "/controlFlow/stages/1/model");
    assert!(expected.starts_with("no model of its own"), "{expected}");
    let (pointer, expected, ..) = change("/controlFlow/stages/2/conversation", json!("fresh"));
    assert_eq!(pointer, "/controlFlow/stages/2/conversation");
    assert!(expected.starts_with("no such field: only stages of kind `dialogue`"), "{expected}");
    let (pointer, ..) = change("/controlFlow/stages/1/forEach", json!("outputs.plan.quotes"));
    assert_eq!(pointer, "/controlFlow/stages/1/forEach");
}

#[test]
fn a_shared_system_prompt_is_refused_where_nothing_continues_or_where_it_would_change() {
    let mut config = config();
    config["orchestrator"] = json!({"system": "shared.md"});
    let (pointer, expected, ..) = problem(&config);
    assert_eq!(pointer, "/orchestrator/system");
    assert!(expected.starts_with("no such field: no stage continues"), "{expected}");
    let home = home(&talks());
    home.write("prompts/shared.md", "Heed {{ guidance }} and {{ outputs.plan.text }}.");
    let found: Vec<(String, String)> =
        home.problems().into_iter().map(|problem| (problem.file, problem.found)).collect();
    let file = || "prompts/shared.md".to_owned();
    assert_eq!(found, [(file(), "`guidance`".to_owned()), (file(), "`outputs`".to_owned())]);
}
