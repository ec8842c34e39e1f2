//! Resources and prompts that the suite reads.

use serde_json::{Value, json};

/// A picture of one pixel, as PNG.
pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
/// A sound without samples, as WAV.
pub const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

pub fn resources() -> Value {
    json!({"resources": [
        {"uri": "test://static-text", "name": "text", "description": "Some text.", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "picture", "description": "A pixel.", "mimeType": "image/png"},
    ]})
}

pub fn templates() -> Value {
    json!({"resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "data",
        "description": "Data of an id.", "mimeType": "application/json"}]})
}

/// The contents at an address.
pub fn read(uri: &str) -> Option<Value> {
    match uri {
        "test://static-text" => {
            Some(json!({"uri": uri, "mimeType": "text/plain", "text": "Some static text."}))
        }
        "test://static-binary" => Some(json!({"uri": uri, "mimeType": "image/png", "blob": PIXEL})),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            Some(json!({"uri": uri, "mimeType": "application/json", "text": text.to_string()}))
        }
    }
}

pub fn prompts() -> Value {
    let argument = |name: &str| json!({"name": name, "description": "Goes into the text.", "required": true});
    let prompt = |name: &str| json!({"name": name, "description": "Examined by the suite."});
    let mut with_arguments = prompt("test_prompt_with_arguments");
    with_arguments["arguments"] = json!([argument("arg1"), argument("arg2")]);
    let mut with_resource = prompt("test_prompt_with_embedded_resource");
    with_resource["arguments"] = json!([argument("resourceUri")]);
    json!({"prompts": [prompt("test_simple_prompt"), with_arguments, with_resource,
        prompt("test_prompt_with_image"), prompt("test_input_required_result_prompt")]})
}

/// The messages of a prompt.
pub fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let said = |content: Value| json!({"role": "user", "content": content});
    let text = |words: String| json!({"type": "text", "text": words});
    let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    let messages = match name {
        "test_simple_prompt" => vec![said(text("This is a simple prompt for testing.".into()))],
        "test_prompt_with_arguments" => {
            let words =
                format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2"));
            vec![said(text(words))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = argument("resourceUri");
            let resource = json!({"uri": if uri.is_empty() { "test://static-text".to_owned() } else { uri },
                "mimeType": "text/plain", "text": "Embedded resource content for testing."});
            vec![
                said(json!({"type": "resource", "resource": resource})),
                said(text("Please process the embedded resource above.".into())),
            ]
        }
        "test_prompt_with_image" => vec![
            said(json!({"type": "image", "data": PIXEL, "mimeType": "image/png"})),
            said(text("Please analyze the image above.".into())),
        ],
        _ => return None,
    };
    Some(json!({"resultType": "complete", "messages": messages}))
}
