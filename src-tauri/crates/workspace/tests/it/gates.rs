//! What is said of a repair unit's name, its rule of progress and its outcome.

use domain::agent::OnExhausted;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::broken::{case, check_all};
use crate::support::{Home, config};

#[test]
fn what_is_wrong_with_a_gate_is_said_with_its_place() {
    check_all(vec![
        case(
            "/controlFlow/repairUnits/0/name",
            json!(" "),
            "",
            "a name of 1 to 100 characters",
            "0 characters",
            None,
        ),
        case(
            "/controlFlow/repairUnits/0/onExhausted",
            json!("stop"),
            "",
            "`best`, `pause`, `fail` or `certify`",
            "the text `stop`",
            None,
        ),
        case("/controlFlow/repairUnits/0/progress", json!(""), "", "an expression", "an empty one", None),
        case(
            "/controlFlow/repairUnits/0/progress",
            json!("scores.last.citation >"),
            "",
            "an expression",
            "syntax error",
            None,
        ),
        case(
            "/controlFlow/repairUnits/0/progress",
            json!("scores.first.citation > 0"),
            "",
            "the scores of a check (last, before)",
            "`scores.first.citation`",
            None,
        ),
        case(
            "/controlFlow/repairUnits/0/progress",
            json!("scores.last.citaton > scores.before.citation"),
            "",
            "an axis that pass.scores names (citation)",
            "`scores.last.citaton`",
            Some("did you mean `citation`?"),
        ),
        case(
            "/controlFlow/repairUnits/0",
            json!({"stages": ["answer", "check"], "maxIterations": 2, "stopWithoutGain": true, "progress": "true"}),
            "/controlFlow/repairUnits/0/progress",
            "one rule of progress",
            "`progress` beside `stopWithoutGain`",
            Some("leave `stopWithoutGain` out, and let `progress` say what is enough"),
        ),
    ]);
}

#[test]
fn two_gates_of_one_name_are_refused() {
    let mut config = config();
    let unit = |stages| json!({"name": "review", "stages": stages, "maxIterations": 1});
    config["controlFlow"]["repairUnits"] = json!([unit(["answer", "check"]), unit(["answer", "check"])]);
    let home = Home::new();
    home.config(&config);
    let problems = home.problems();
    let of_name =
        problems.iter().find(|problem| problem.pointer == "/controlFlow/repairUnits/1/name").unwrap();
    assert_eq!(
        (of_name.expected.as_str(), of_name.found.as_str()),
        ("a name of its own", "`review`, the name of unit 0 of the list")
    );
}

#[test]
fn a_sound_gate_is_read() {
    let mut config = config();
    config["controlFlow"]["repairUnits"][0] = json!({
        "name": "Review", "stages": ["answer", "check"], "maxIterations": 2, "onExhausted": "pause",
        "progress": "scores.last.citation >= scores.before.citation + 0.05"
    });
    let home = Home::new();
    home.config(&config);
    let agent = home.load().unwrap();
    let unit = &agent.config.control_flow.repair_units[0];
    assert_eq!((unit.name.as_deref(), unit.on_exhausted), (Some("Review"), OnExhausted::Pause));
    // A unit that says nothing of it keeps its form: the bytes of what a run pins stay.
    let plain = serde_json::to_string(&self::config()["controlFlow"]["repairUnits"][0]).unwrap();
    let unit: domain::agent::RepairUnit = serde_json::from_str(&plain).unwrap();
    assert_eq!(
        serde_json::to_value(&unit).unwrap(),
        json!({"stages": ["answer", "check"], "maxIterations": 2})
    );
}
