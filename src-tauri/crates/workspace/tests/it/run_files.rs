//! The data of an agent, the state file and the other files of its runs: what is wrong with them is told with its place.

use serde_json::{Value, json};

use crate::broken::{case, check_all};

/// What the answering stage is shown.
const VALUE: &str = "/controlFlow/stages/1/context/0/value";

#[test]
fn data_and_the_files_of_a_run_are_checked() {
    let state = |state: Value| json!({ "file": "s.json", "schema": "schemas/answer.json", "state": state });
    check_all(vec![
        case("/data", json!({ "list": "list.json" }), "/data/list", "a file at", "`list.json`", None),
        case(
            VALUE,
            json!("data.list"),
            "",
            "a name of the agent's `data` (there is none)",
            "`data.list`",
            None,
        ),
        case(
            "/checkpoint",
            json!({ "file": "s.json", "schema": "none.json", "state": {} }),
            "/checkpoint/schema",
            "a file at",
            "`none.json`",
            None,
        ),
        case(
            "/checkpoint",
            state(json!({ "a": { "b": ["{{ runn.id }}"] } })),
            "/checkpoint/state/a/b/0",
            "one of the variables",
            "`runn.id`",
            None,
        ),
        case(
            "/files",
            json!([{ "path": "x.md", "value": "outputs.nothing" }]),
            "/files/0/value",
            "the output of a stage",
            "`outputs.nothing`",
            None,
        ),
        case(
            "/output",
            json!({ "sectionReference": "s." }),
            "/output/sectionReference",
            "words that contain `{section}`",
            "`s.`",
            None,
        ),
        // How a run stands is for its files alone.
        case(VALUE, json!("progress.done"), "", "one of the variables", "`progress.done`", None),
    ]);
}
