//! What a person gives a run besides its question: checked before anything of the run is stored.

use domain::{ErrorCode, Problem, canonical};
use engine_types::StartRun;
use serde_json::Value;
use workspace::Agent;

/// The most bytes of a run's inputs, as canonical JSON.
const MAX_INPUT_BYTES: usize = 1 << 20;
/// The same where results of an earlier run are among them.
const MAX_ADOPTED_BYTES: usize = 32 << 20;
/// The most bytes of a question.
pub(crate) const MAX_QUESTION_BYTES: usize = 100_000;

/// Checks the question and the inputs against what the agent takes. A run that is given inputs needs no question:
/// then it is called after the input `title`, else after the agent.
pub fn prepare(start: &mut StartRun, agent: &Agent) -> Result<(), Problem> {
    let given = start.inputs.is_some();
    check_inputs(start, agent)?;
    let mut request = start.request.trim().to_owned();
    if request.is_empty() && given {
        start.input_title().unwrap_or(&agent.config.name).clone_into(&mut request);
    }
    if request.is_empty() {
        return Err(Problem::new(ErrorCode::InvalidInput, "the question is empty"));
    }
    if request.len() > MAX_QUESTION_BYTES {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("the question has {} bytes; at most 100,000 are taken", request.len()),
        )
        .with_action("put long material into a knowledge base and ask about it"));
    }
    start.request = request;
    Ok(())
}

fn check_inputs(start: &mut StartRun, agent: &Agent) -> Result<(), Problem> {
    let slug = &agent.config.slug;
    let refused = |what: String| Problem::new(ErrorCode::InvalidInput, what);
    let shown = format!("`agentnative agent show {slug}` prints its inputs");
    let Some(schema) = &agent.input_schema else {
        return match start.inputs {
            None => Ok(()),
            Some(_) => Err(refused(format!("agent {slug} takes no inputs: it has no `inputSchema`"))
                .with_action("start the run with a question alone")),
        };
    };
    let given = start.inputs.is_some();
    let inputs = start.inputs.get_or_insert_with(|| Value::Object(serde_json::Map::new()));
    if !inputs.is_object() {
        return Err(refused("the inputs are not a JSON object".to_owned()).with_action(shown));
    }
    let bytes = canonical(inputs).len();
    let most = if start.adopt.is_some() { MAX_ADOPTED_BYTES } else { MAX_INPUT_BYTES };
    if bytes > most {
        let what = format!("the inputs have {bytes} bytes; at most {most} are taken");
        return Err(refused(what).with_action("put long material into files and name them in the inputs"));
    }
    let validator = jsonschema::validator_for(schema).map_err(|error| {
        Problem::new(ErrorCode::InvalidConfig, format!("agent {slug}: bad inputSchema: {error}"))
            .with_action(format!("run `agentnative agent check {slug}`"))
    })?;
    let faults = llm::extract::faults(&validator, inputs);
    if faults.is_empty() {
        return Ok(());
    }
    if !given {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let names: Vec<&str> = required.filter_map(Value::as_str).collect();
        return Err(refused(format!("agent {slug} needs inputs: {}", names.join(", ")))
            .with_action(format!("give them as a JSON object (--input <file>); {shown}")));
    }
    let list: Vec<String> = faults
        .iter()
        .map(|fault| match fault.path.as_str() {
            "" => fault.message.clone(),
            path => format!("{path}: {}", fault.message),
        })
        .collect();
    Err(refused(format!("the inputs do not fit agent {slug}: {}", list.join("; ")))
        .with_action(format!("correct them; {shown}")))
}
