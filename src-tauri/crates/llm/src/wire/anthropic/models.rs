//! The provider's list of models.

use domain::agent::Effort;
use serde_json::Value;

use super::NAME;
use crate::{ModelInfo, Price, Prices, ThinkingStyle};

/// What is assumed of a model that neither the list nor the table describes.
const WINDOW: u64 = 200_000;
const OUTPUT: u64 = 32_000;

/// Each model that can still be asked: what the list says of it, over what the table knows.
pub fn listed(body: &Value) -> Vec<ModelInfo> {
    let items = body.get("data").and_then(Value::as_array);
    items.into_iter().flatten().filter_map(model).collect()
}

fn model(item: &Value) -> Option<ModelInfo> {
    let id = item.get("id")?.as_str().filter(|id| !id.is_empty())?;
    if item.get("lifecycle").and_then(Value::as_str) == Some("retired") {
        return None;
    }
    let mut info = match Prices::embedded().model(id).filter(|known| known.provider == NAME) {
        Some(known) => ModelInfo { id: id.to_owned(), ..known.clone() },
        None => unknown(id, item),
    };
    let number = |name: &str| item.get(name).and_then(Value::as_u64).filter(|number| *number > 0);
    info.context_window = number("max_input_tokens").unwrap_or(info.context_window);
    info.max_output = number("max_tokens").unwrap_or(info.max_output);
    // Where the list is silent, what is known stays.
    let can = |path: &str| item.pointer(&format!("/capabilities/{path}/supported")).and_then(Value::as_bool);
    let set = |value: &mut bool, path: &str| *value = can(path).unwrap_or(*value);
    set(&mut info.structured, "structured_outputs");
    set(&mut info.thinking, "thinking");
    let abilities = &mut info.abilities;
    set(&mut abilities.images, "image_input");
    set(&mut abilities.documents, "pdf_input");
    set(&mut abilities.thinking_off, "thinking/types/disabled");
    abilities.thinking = match (can("thinking/types/adaptive"), can("thinking/types/enabled")) {
        _ if !info.thinking => ThinkingStyle::None,
        (Some(true), _) => ThinkingStyle::Adaptive,
        (_, Some(true)) => ThinkingStyle::Budget,
        (None, _) | (_, None) => abilities.thinking,
        (Some(false), Some(false)) => ThinkingStyle::None,
    };
    match can("effort") {
        Some(false) => abilities.efforts.clear(),
        Some(true) => {
            let words = [
                ("low", Effort::Low),
                ("medium", Effort::Medium),
                ("high", Effort::High),
                ("max", Effort::Max),
            ];
            abilities.efforts = words
                .into_iter()
                .filter(|(word, _)| can(&format!("effort/{word}")) == Some(true))
                .map(|(_, effort)| effort)
                .collect();
        }
        None => {}
    }
    Some(info)
}

/// A model that is newer than the table: the dearest prices of its line, so that no budget is surprised.
fn unknown(id: &str, item: &Value) -> ModelInfo {
    let line = item.get("line").and_then(Value::as_str).map(|line| format!("claude-{line}-"));
    let ours = || Prices::embedded().models.iter().filter(|model| model.provider == NAME);
    let like = |model: &&ModelInfo| line.as_ref().is_some_and(|line| model.id.starts_with(line));
    let mut models: Vec<&ModelInfo> = ours().filter(like).collect();
    if models.is_empty() {
        models = ours().collect();
    }
    let prices =
        models.iter().flat_map(|model| [Some(model.price), model.long.map(|long| long.price)]).flatten();
    let mut info = ModelInfo::free(id, NAME, WINDOW, OUTPUT);
    info.structured = false;
    info.priced = false;
    info.price = prices.fold(Price::default(), |dear, price| Price {
        input: dear.input.max(price.input),
        output: dear.output.max(price.output),
        cache_read: dear.cache_read.max(price.cache_read),
        cache_write: dear.cache_write.max(price.cache_write),
        cache_write_long: Some(
            dear.cache_write_long
                .unwrap_or_default()
                .max(price.cache_write_long.unwrap_or(price.cache_write)),
        ),
    });
    info
}
