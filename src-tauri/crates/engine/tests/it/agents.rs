//! Small agents written as JSON.

use std::collections::BTreeMap;

use domain::StageId;
use serde_json::{Value, json};
use workspace::{Agent, FrontMatter, Origin};

/// An agent of these stages; `more` overrides top-level fields and those of `controlFlow` named with a leading `/`.
pub fn agent(stages: Value, more: Value) -> Agent {
    let mut config = json!({
        "slug": "small", "name": "Small", "description": "For tests.",
        "controlFlow": { "stages": stages },
        "depthModes": { "standard": { "web": true }, "quick": { "web": false } },
        "orchestrator": { "contextWindow": 200_000, "maxOutputTokens": 1_000, "minOutputBudget": 200 },
    });
    if let Value::Object(more) = more {
        for (name, value) in more {
            match name.strip_prefix('/') {
                Some(name) => config["controlFlow"][name] = value,
                None => config[name] = value,
            }
        }
    }
    let config: domain::agent::AgentConfig = serde_json::from_value(config).unwrap();
    let mut prompts = BTreeMap::new();
    let mut schemas: BTreeMap<StageId, Value> = BTreeMap::new();
    for stage in &config.control_flow.stages {
        if let Some(prompt) = &stage.prompt {
            prompts.insert(prompt.clone(), format!("You are stage {}.", stage.name));
        }
        if let Some(domain::agent::SchemaRef::Inline(schema)) = &stage.output_schema {
            schemas.insert(stage.id.clone(), Value::Object(schema.clone()));
        }
        if let Some(feedback) = stage.pass.as_ref().and_then(|pass| pass.feedback.clone()) {
            prompts.insert(feedback, "Mend this: {{ unsupported | join(', ') }}".to_owned());
        }
    }
    if let Some(system) = &config.orchestrator.system {
        prompts.insert(system.clone(), "You work in stages.".to_owned());
    }
    Agent {
        repairs: Default::default(),
        origin: Origin::Shipped,
        config,
        front_matter: FrontMatter {
            name: "Small".into(),
            description: "For tests.".into(),
            sources: vec![],
            tools: vec![],
        },
        instructions: String::new(),
        prompts,
        schemas,
        input_schema: None,
        data: Default::default(),
        checkpoint: None,
    }
}

/// A model stage that answers `{"text": …}`, merged with `more`.
pub fn model(name: &str, more: Value) -> Value {
    let stage = json!({
        "id": name, "name": name, "title": name.to_uppercase(), "kind": "model", "prompt": format!("{name}.md"),
        "context": [
            { "section": "REQUEST", "value": "request" },
            { "section": "USER_ANSWERS", "value": "user_answers" },
            { "section": "AMEND_FEEDBACK", "value": "feedback", "form": "lines" },
            { "section": "GUIDANCE", "value": "guidance", "form": "lines" },
            { "section": "REPAIR_FEEDBACK", "value": "repair.feedback" },
        ],
        "outputSchema": {
            "type": "object", "required": ["text"],
            "properties": { "text": { "type": "string", "minLength": 1 } },
        },
    });
    merged(stage, more)
}

/// A stage of tool calls.
pub fn tools(name: &str, steps: Value, more: Value) -> Value {
    merged(
        json!({ "id": name, "name": name, "title": name.to_uppercase(), "kind": "tools", "steps": steps }),
        more,
    )
}

/// A render stage over the output of a stage.
pub fn render(of: &str) -> Value {
    json!({ "id": "output", "name": "output", "title": "Output", "kind": "render",
            "document": { "answer": format!("{{'synthesis': outputs.{of}.text}}") } })
}

/// A section that shows the model an expression.
pub fn shows(name: &str, value: &str) -> Value {
    json!({ "section": name, "value": value })
}

pub fn merged(mut into: Value, more: Value) -> Value {
    if let (Value::Object(into), Value::Object(more)) = (&mut into, more) {
        into.extend(more);
    }
    into
}
