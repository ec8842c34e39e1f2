use domain::agent::Effort;
use llm::wire::gemini::Gemini;
use llm::wire::{AuthScheme, Call, Codec as _};
use llm::{Detail, Fault, Message, ModelRequest, Part, Role, ThinkingStyle, ToolCall, ToolChoice};
use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{body, body_for, model, question, reader, weather, with_target};
use crate::wire_support::{fixture_frames, run};

fn call(request: &ModelRequest) -> Call {
    with_target(&model(&request.model), |target| Gemini.encode(request, target)).unwrap()
}

#[test]
fn a_plain_question_goes_out_whole() {
    let mut request = question("gemini-3.8-flash");
    request.system = "Be brief.".into();
    request.cache_system = true;
    request.cache_key = Some("s1".into());
    let call = call(&request);
    assert_eq!(call.path, "v1beta/models/gemini-3.8-flash:streamGenerateContent");
    assert_eq!(call.query, [("alt", "sse".to_owned())]);
    assert_eq!(call.headers, []);
    assert_eq!(
        serde_json::from_str::<Value>(&call.body.unwrap()).unwrap(),
        json!({
            "systemInstruction": { "parts": [{ "text": "Be brief." }] },
            "contents": [{ "role": "user", "parts": [{ "text": "Weather in Lyon and Nice?" }] }],
            "generationConfig": { "maxOutputTokens": 4096, "thinkingConfig": { "thinkingLevel": "MINIMAL" } }
        })
    );
}

#[test]
fn thinking_is_asked_for_as_each_generation_takes_it() {
    let config = |name: &str, thinking: bool, effort: Option<Effort>| {
        let mut request = question(name);
        request.thinking = thinking;
        request.effort = effort;
        body(&request)["generationConfig"]["thinkingConfig"].clone()
    };
    let (flash, argon, old, old_pro) =
        ("gemini-3.8-flash", "gemini-4-argon", "gemini-2.5-flash", "gemini-2.5-pro");
    assert_eq!(config(flash, true, None), json!({ "includeThoughts": true }));
    assert_eq!(
        config(flash, true, Some(Effort::Low)),
        json!({ "includeThoughts": true, "thinkingLevel": "LOW" })
    );
    assert_eq!(
        config(argon, true, Some(Effort::Medium)),
        json!({ "includeThoughts": true, "thinkingLevel": "MEDIUM" })
    );
    assert_eq!(
        config(argon, true, Some(Effort::Max)),
        json!({ "includeThoughts": true, "thinkingLevel": "HIGH" })
    );
    // It can't be switched off there.
    assert_eq!(config(argon, false, None), json!({ "thinkingLevel": "LOW" }));
    assert_eq!(config(old, true, None), json!({ "includeThoughts": true, "thinkingBudget": -1 }));
    assert_eq!(
        config(old, true, Some(Effort::High)),
        json!({ "includeThoughts": true, "thinkingBudget": 2048 })
    );
    assert_eq!(config(old, false, None), json!({ "thinkingBudget": 0 }));
    assert_eq!(config(old_pro, false, None), json!({ "thinkingBudget": 128 }));
    for name in [flash, argon, old, old_pro] {
        for thinking in [false, true] {
            let config = config(name, thinking, Some(Effort::Medium));
            assert!(
                config.get("thinkingLevel").is_none() || config.get("thinkingBudget").is_none(),
                "{name}"
            );
        }
    }
    let mut unknown = model(flash);
    unknown.abilities.thinking = ThinkingStyle::None;
    let mut request = question(flash);
    request.thinking = true;
    assert_eq!(body_for(&request, &unknown)["generationConfig"], json!({ "maxOutputTokens": 4096 }));
}

#[test]
fn an_answer_by_a_schema_is_asked_for_natively_where_that_goes() {
    let schema = json!({
        "type": "object", "properties": { "a": { "type": "string", "minLength": 1 } }, "required": ["a"],
        "additionalProperties": false
    });
    let mut request = question("gemini-3.8-flash");
    request.schema = Some(schema.clone());
    let adapted = json!({
        "type": "object", "properties": { "a": { "type": "string", "description": "(minLength: 1)" } },
        "required": ["a"], "additionalProperties": false
    });
    let native = json!({
        "maxOutputTokens": 4096, "thinkingConfig": { "thinkingLevel": "MINIMAL" },
        "responseMimeType": "application/json", "responseJsonSchema": adapted
    });
    assert_eq!(body(&request)["generationConfig"], native);
    request.tools = vec![weather()];
    assert_eq!(body(&request)["generationConfig"], native);

    // The second generation refuses JSON as the answer's type beside tools that may be called.
    request.model = "gemini-2.5-flash".into();
    let both = body(&request);
    assert_eq!(
        both["generationConfig"],
        json!({ "maxOutputTokens": 4096, "thinkingConfig": { "thinkingBudget": 0 } })
    );
    let system = both["systemInstruction"]["parts"][0]["text"].as_str().unwrap();
    assert!(system.contains("JSON Schema") && system.contains("\"minLength\":1"), "{system}");
    request.tool_choice = ToolChoice::None;
    assert_eq!(body(&request)["generationConfig"]["responseMimeType"], "application/json");

    let mut loose = model("gemini-3.8-flash");
    loose.structured = false;
    request =
        ModelRequest { system: "Be brief.".into(), schema: Some(schema), ..question("gemini-3.8-flash") };
    let in_words = body_for(&request, &loose);
    assert_eq!(in_words["generationConfig"].get("responseMimeType"), None);
    let system = in_words["systemInstruction"]["parts"][0]["text"].as_str().unwrap();
    assert!(system.starts_with("Be brief.\n\n"), "{system}");
}

#[test]
fn tools_and_the_choice_of_them_go_out_only_where_there_are_any() {
    let mut request = question("gemini-3.8-flash");
    request.tool_choice = ToolChoice::Required;
    let without = body(&request);
    assert_eq!((without.get("tools"), without.get("toolConfig")), (None, None));
    request.tools = vec![weather()];
    let declared = json!([{ "functionDeclarations": [{
        "name": "get_weather", "description": "The weather now.",
        "parametersJsonSchema": {
            "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"]
        }
    }] }]);
    for (choice, config) in [
        (ToolChoice::Auto, None),
        (ToolChoice::None, Some(json!({ "functionCallingConfig": { "mode": "NONE" } }))),
        (ToolChoice::Required, Some(json!({ "functionCallingConfig": { "mode": "ANY" } }))),
    ] {
        request.tool_choice = choice;
        let body = body(&request);
        assert_eq!((&body["tools"], body.get("toolConfig")), (&declared, config.as_ref()));
    }
}

#[test]
fn the_second_request_of_a_loop_gives_back_signatures_and_results_in_order() {
    let mut request = question("gemini-3.8-flash");
    request.tools = vec![weather()];
    request.thinking = true;
    let answer = run(reader(&request), &fixture_frames("gemini/thinking-tools.sse")).answer().clone();
    let result = |call: &str, content: &str, is_error| Part::ToolResult {
        call: call.into(),
        name: "get_weather".into(),
        content: content.into(),
        is_error,
    };
    let said = Message { role: Role::Assistant, content: String::new(), parts: answer.parts, cache: false };
    let results = Message {
        role: Role::User,
        content: String::new(),
        // In the order in which they came back, which is not the order of the calls.
        parts: vec![result("k2", "station offline", true), result("k1", "12C", false)],
        cache: false,
    };
    request.messages.extend([said, results, Message::user("Shortly, please.")]);
    let contents = json!([
        { "role": "user", "parts": [{ "text": "Weather in Lyon and Nice?" }] },
        { "role": "model", "parts": [
            { "text": "Let me look." },
            { "functionCall": { "id": "k1", "name": "get_weather", "args": { "city": "Lyon" } },
              "thoughtSignature": "CqQB+/==" },
            { "functionCall": { "id": "k2", "name": "get_weather", "args": { "city": "Nice" } } },
            { "text": "", "thoughtSignature": "EpEg" }
        ] },
        { "role": "user", "parts": [
            { "functionResponse": { "id": "k1", "name": "get_weather", "response": { "output": "12C" } } },
            { "functionResponse": { "id": "k2", "name": "get_weather", "response": { "error": "station offline" } } },
            { "text": "Shortly, please." }
        ] }
    ]);
    assert_eq!(body(&request)["contents"], contents);

    // After a change of what stood before, the signed text stays out; the calls keep their signatures.
    request.system = "Changed.".into();
    let mut changed = contents;
    changed[1]["parts"].as_array_mut().unwrap().pop();
    assert_eq!(body(&request)["contents"], changed);
}

#[test]
fn signed_text_goes_back_in_its_own_part_and_only_once() {
    let mut request = question("gemini-3.8-flash");
    let answer = run(reader(&request), &fixture_frames("gemini/signed-text.sse")).answer().clone();
    assert_eq!(answer.text, "One. Two. Three.");
    let said = Message { role: Role::Assistant, content: String::new(), parts: answer.parts, cache: false };
    request.messages.extend([said, Message::user("And?")]);
    assert_eq!(
        body(&request)["contents"][1]["parts"],
        json!([
            { "text": "One. " },
            { "text": "Two.", "thoughtSignature": "Sig/Two==" },
            { "text": " Three." },
            { "text": "", "thoughtSignature": "Sig/End==" }
        ])
    );
    // Another model gets the text alone.
    request.model = "gemini-4-argon".into();
    assert_eq!(
        body(&request)["contents"][1]["parts"],
        json!([{ "text": "One. Two." }, { "text": " Three." }])
    );
}

#[test]
fn ids_that_were_made_here_do_not_go_out() {
    let mut request = question("gemini-3.8-flash");
    request.tools = vec![weather()];
    let answer = run(reader(&request), &fixture_frames("gemini/pieces.sse")).answer().clone();
    let ids: Vec<String> = answer.tool_calls().map(|call| call.id.clone()).collect();
    assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), 3);
    let results = ids.iter().rev().map(|id| Part::ToolResult {
        call: id.clone(),
        name: format!("tool {}", &id[id.len() - 1..]),
        content: "done".into(),
        is_error: false,
    });
    let results =
        Message { role: Role::User, content: String::new(), parts: results.collect(), cache: false };
    let said = Message { role: Role::Assistant, content: String::new(), parts: answer.parts, cache: false };
    request.messages.extend([said, results]);
    let contents = &body(&request)["contents"];
    assert_eq!(
        contents[1]["parts"],
        json!([
            { "functionCall": { "name": "now", "args": {} }, "thoughtSignature": "AY89" },
            { "functionCall": { "name": "cook", "args": { "dish": "Lasagna", "steps": [{ "minutes": 25, "hot": true }] } } },
            { "functionCall": { "name": "serve", "args": { "guests": 4 } } }
        ])
    );
    let names = |at: usize| contents[2]["parts"][at]["functionResponse"].clone();
    assert_eq!(names(0), json!({ "name": "tool 0", "response": { "output": "done" } }));
    assert_eq!(names(2)["name"], "tool 2");
}

#[test]
fn pictures_and_documents_go_inline_or_are_refused_in_words() {
    let mut request = question("gemini-3.8-flash");
    request.messages[0].parts = vec![
        Part::Image { media_type: "image/png".into(), data: "iVBO".into() },
        Part::Document { media_type: "application/pdf".into(), name: "a.pdf".into(), data: "JVBE".into() },
    ];
    assert_eq!(
        body(&request)["contents"][0]["parts"],
        json!([
            { "text": "Weather in Lyon and Nice?" },
            { "inlineData": { "mimeType": "image/png", "data": "iVBO" } },
            { "inlineData": { "mimeType": "application/pdf", "data": "JVBE" } }
        ])
    );
    let mut blind = model("gemini-3.8-flash");
    blind.abilities.images = false;
    let refused = with_target(&blind, |target| Gemini.encode(&request, target)).unwrap_err();
    assert_eq!(refused.fault, Fault::BadRequest);
    assert!(refused.message.contains("does not read images"), "{refused}");
    blind.abilities.images = true;
    blind.abilities.documents = false;
    let refused = with_target(&blind, |target| Gemini.encode(&request, target)).unwrap_err();
    assert!(refused.message.contains("a.pdf"), "{refused}");
}

#[test]
fn what_the_model_does_not_do_is_refused_before_it_is_sent() {
    let mut request = question("gemini-3.8-flash");
    request.tools = vec![weather()];
    let mut simple = model("gemini-3.8-flash");
    simple.abilities.forced_tools = false;
    request.tool_choice = ToolChoice::Required;
    let refused = with_target(&simple, |target| Gemini.encode(&request, target)).unwrap_err();
    assert!(refused.message.contains("can't be made to call"), "{refused}");
    simple.abilities.tools = false;
    request.tool_choice = ToolChoice::Auto;
    let refused = with_target(&simple, |target| Gemini.encode(&request, target)).unwrap_err();
    assert!(refused.message.contains("calls no tools"), "{refused}");
    request.tools.clear();
    request.messages.clear();
    let refused = with_target(&simple, |target| Gemini.encode(&request, target)).unwrap_err();
    assert!(refused.message.contains("nothing to ask"), "{refused}");
}

#[test]
fn names_that_would_lead_elsewhere_are_no_models() {
    for name in
        ["", "..", "../../x", "a/../b", "m?key=1", "m#x", "http://x", "m/a/b", "mödel", "a b", "m%2f", "/m"]
    {
        let request = ModelRequest { model: name.into(), ..question("gemini-3.8-flash") };
        let refused =
            with_target(&model("gemini-3.8-flash"), |target| Gemini.encode(&request, target)).unwrap_err();
        assert_eq!(
            (refused.fault, refused.detail),
            (Fault::BadRequest, Some(Detail::ModelUnknown)),
            "{name}"
        );
    }
    for (name, path) in [
        ("models/gemini-3.8-flash", "v1beta/models/gemini-3.8-flash:streamGenerateContent"),
        ("tunedModels/mine_1", "v1beta/tunedModels/mine_1:streamGenerateContent"),
    ] {
        let request = ModelRequest { model: name.into(), ..question("gemini-3.8-flash") };
        let call = with_target(&model("gemini-3.8-flash"), |target| Gemini.encode(&request, target)).unwrap();
        assert_eq!(call.path, path);
    }
}

#[test]
fn calls_of_other_providers_and_broken_arguments_still_make_a_conversation() {
    let mut request = question("gemini-3.8-flash");
    let call = ToolCall {
        id: "toolu_01".into(),
        name: "get_weather".into(),
        arguments: Value::Null,
        raw: Some("{\"city\":".into()),
        signature: None,
        cut: false,
    };
    let result = Part::ToolResult {
        call: "toolu_01".into(),
        name: "get_weather".into(),
        content: String::new(),
        is_error: false,
    };
    let parts = |part| vec![part];
    request.messages.extend([
        Message {
            role: Role::Assistant,
            content: String::new(),
            parts: parts(Part::ToolCall(call)),
            cache: false,
        },
        Message { role: Role::User, content: String::new(), parts: parts(result), cache: false },
        Message::assistant(""),
        Message::user("Go on."),
    ]);
    assert_eq!(
        body(&request)["contents"].as_array().unwrap()[1..],
        [
            json!({ "role": "model", "parts": [
                { "functionCall": { "id": "toolu_01", "name": "get_weather", "args": { "raw": "{\"city\":" } } }
            ] }),
            json!({ "role": "user", "parts": [
                { "functionResponse": { "id": "toolu_01", "name": "get_weather", "response": { "output": "" } } },
                { "text": "Go on." }
            ] })
        ]
    );
}

#[test]
fn tokens_are_counted_over_the_whole_request() {
    let mut request = question("gemini-3.8-flash");
    request.system = "Be brief.".into();
    request.tools = vec![weather()];
    let call =
        with_target(&model("gemini-3.8-flash"), |target| Gemini.count(&request, target)).unwrap().unwrap();
    assert_eq!(call.path, "v1beta/models/gemini-3.8-flash:countTokens");
    let mut expected = body(&request);
    expected["model"] = "models/gemini-3.8-flash".into();
    let sent: Value = serde_json::from_str(&call.body.unwrap()).unwrap();
    assert_eq!(sent, json!({ "generateContentRequest": expected }));
    assert_eq!(Gemini.counted(&json!({ "totalTokens": 31, "promptTokensDetails": [] })), Some(31));
    assert_eq!(Gemini.counted(&json!({})), None);
}

#[test]
fn a_key_and_a_token_are_presented_each_in_its_way() {
    let headers = |bearing| Gemini.credential(&SecretString::from("k-1"), bearing).unwrap();
    let [(name, value)] = &headers(AuthScheme::Key)[..] else { panic!() };
    assert_eq!((name.as_str(), value.to_str().unwrap()), ("x-goog-api-key", "k-1"));
    let [(name, value)] = &headers(AuthScheme::Bearer)[..] else { panic!() };
    assert_eq!((name.as_str(), value.to_str().unwrap()), ("authorization", "Bearer k-1"));
    let refused = Gemini.credential(&SecretString::from("k\n1"), AuthScheme::Key).unwrap_err();
    assert_eq!(refused.fault, Fault::Auth);
    assert!(!refused.message.contains("k\n1"));
}
