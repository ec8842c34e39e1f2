//! Anthropic Messages: requests.

use domain::agent::Effort;
use llm::wire::Codec as _;
use llm::wire::anthropic::Anthropic;
use llm::{Message, ModelRequest, Origin, Part, Role, ThinkingStyle, ToolCall, ToolChoice, ToolSpec};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::anthropic::{Place, question};

fn tool(name: &str) -> ToolSpec {
    let parameters =
        json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    ToolSpec { name: name.to_owned(), description: format!("Does {name}."), parameters }
}

fn call(id: &str, arguments: Value) -> Part {
    Part::ToolCall(ToolCall {
        id: id.to_owned(),
        name: "get_weather".to_owned(),
        arguments,
        raw: None,
        signature: None,
        cut: false,
    })
}

fn result(call: &str, content: &str, is_error: bool) -> Part {
    let (call, name, content) = (call.to_owned(), "get_weather".to_owned(), content.to_owned());
    Part::ToolResult { call, name, content, is_error }
}

fn said(role: Role, parts: Vec<Part>) -> Message {
    Message { role, content: String::new(), parts, cache: false }
}

fn text(text: &str) -> Part {
    Part::Text { text: text.to_owned() }
}

/// A block as it came with the answer to the first message of a request.
fn kept(request: &ModelRequest, raw: &str) -> Part {
    let origin = Origin {
        provider: "anthropic@api.anthropic.com".to_owned(),
        model: request.model.clone(),
        prefix: request.prefix(1),
    };
    Part::Opaque { origin, raw: raw.to_owned() }
}

#[test]
fn a_question_is_asked_with_what_the_provider_needs_and_nothing_else() {
    let place = Place::new("claude-opus-5-5");
    let mut request = question("claude-opus-5-5");
    request.system = "Be brief.".to_owned();
    request.tool_choice = ToolChoice::None;
    assert_eq!(
        place.body(&request),
        json!({
            "model": "claude-opus-5-5",
            "max_tokens": 4096,
            "stream": true,
            "system": "Be brief.",
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Weather in Lyon?" }] }]
        })
    );
    let call = Anthropic.encode(&request, place.target()).unwrap();
    assert_eq!((call.path.as_str(), call.query.len()), ("v1/messages", 0));
    let headers: Vec<_> =
        call.headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!(headers, [("anthropic-version", "2026-10-21")]);
}

#[test]
fn a_loop_of_tools_goes_back_with_its_thinking_byte_for_byte() {
    let place = Place::new("claude-sonnet-5-5");
    let mut request = question("claude-sonnet-5-5");
    request.thinking = true;
    request.effort = Some(Effort::High);
    request.tools = vec![tool("get_weather")];
    let thinking = r#"{ "type":"thinking","thinking":"Two cities\u002c two calls.","signature":"EqQB+/==" }"#;
    let parts = vec![
        kept(&request, thinking),
        kept(&request, r#"{"type":"redacted_thinking","data":"eA=="}"#),
        text("I look."),
        text(" \n"),
        call("toolu_01A", json!({ "city": "Lyon", "b": 1.0, "a": null })),
        call("toolu_01B", json!({ "city": "Nice" })),
    ];
    request.messages.push(said(Role::Assistant, parts));
    let mut results =
        said(Role::User, vec![result("toolu_01B", "", true), result("toolu_01A", "12C", false)]);
    results.content = "And?".to_owned();
    request.messages.push(results);
    request.messages.push(Message::user("Well?"));
    let body = place.raw_body(&request);
    assert!(body.contains(thinking));
    assert!(body.contains(r#""input":{"city":"Lyon","b":1.0,"a":null}"#));
    assert_eq!(
        serde_json::from_str::<Value>(&body).unwrap(),
        json!({
            "model": "claude-sonnet-5-5",
            "max_tokens": 4096,
            "stream": true,
            "thinking": { "type": "adaptive", "display": "summarized" },
            "output_config": { "effort": "high" },
            "tools": [{ "name": "get_weather", "description": "Does get_weather.",
                "input_schema": { "type": "object", "properties": { "city": { "type": "string" } },
                    "required": ["city"] } }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "Weather in Lyon?" }] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "Two cities, two calls.", "signature": "EqQB+/==" },
                    { "type": "redacted_thinking", "data": "eA==" },
                    { "type": "text", "text": "I look." },
                    { "type": "tool_use", "id": "toolu_01A", "name": "get_weather",
                        "input": { "city": "Lyon", "b": 1.0, "a": null } },
                    { "type": "tool_use", "id": "toolu_01B", "name": "get_weather", "input": { "city": "Nice" } }
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "toolu_01B", "content": "failed without a message",
                        "is_error": true },
                    { "type": "tool_result", "tool_use_id": "toolu_01A", "content": "12C" },
                    { "type": "text", "text": "And?" },
                    { "type": "text", "text": "Well?" }
                ] }
            ]
        })
    );
}

#[test]
fn blocks_of_another_origin_are_left_out() {
    let place = Place::new("claude-sonnet-5-5");
    let mut request = question("claude-sonnet-5-5");
    let thinking = kept(&request, r#"{"type":"thinking","thinking":"t","signature":"s"}"#);
    let damaged = kept(&request, r#"{"type":"thinking","#);
    request.messages.push(said(Role::Assistant, vec![thinking.clone(), text("Rain."), damaged]));
    request.messages.push(said(Role::User, vec![text("And Nice?"), thinking]));
    let sent =
        |request: &ModelRequest, place: &Place| place.raw_body(request).matches("\"thinking\"").count();
    assert_eq!(sent(&request, &place), 2, "the block's type and its text");
    let mut other = request.clone();
    other.system = "Changed.".to_owned();
    assert_eq!(sent(&other, &place), 0);
    let mut other = request.clone();
    other.messages[0].content.push('!');
    assert_eq!(sent(&other, &place), 0);
    let mut other = request.clone();
    other.model = "claude-opus-5-5".to_owned();
    assert_eq!(sent(&other, &Place::new("claude-opus-5-5")), 0);
    let elsewhere = Place::new("claude-sonnet-5-5").elsewhere("https://gateway.example.org/claude/");
    assert_eq!(sent(&request, &elsewhere), 0);
    assert_eq!(
        elsewhere.body(&request)["messages"][1]["content"],
        json!([{ "type": "text", "text": "Rain." }])
    );
}

#[test]
fn thinking_is_asked_for_as_each_model_takes_it() {
    let thinking = |model: &str, on: bool, effort: Option<Effort>, most: u64| {
        let mut request = question(model);
        (request.thinking, request.effort, request.max_output_tokens) = (on, effort, most);
        let body = Place::new(model).body(&request);
        (body.get("thinking").cloned(), body["output_config"]["effort"].as_str().map(str::to_owned))
    };
    let adaptive = || Some(json!({ "type": "adaptive", "display": "summarized" }));
    let disabled = || Some(json!({ "type": "disabled" }));
    let budget = |tokens: u64| Some(json!({ "type": "enabled", "budget_tokens": tokens }));
    let word = |word: &str| Some(word.to_owned());
    let max = Some(Effort::Max);
    for model in
        ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5", "claude-fable-5-2", "claude-mythos-5-1"]
    {
        assert_eq!(thinking(model, true, max, 9_000), (adaptive(), word("max")), "{model}");
        assert_eq!(thinking(model, false, max, 9_000), (None, word("max")), "{model}");
    }
    for model in ["claude-haiku-5-5", "claude-opus-5", "claude-sonnet-5"] {
        assert_eq!(thinking(model, true, max, 9_000), (adaptive(), word("max")), "{model}");
        assert_eq!(thinking(model, false, max, 9_000), (disabled(), word("high")), "{model}");
        assert_eq!(thinking(model, false, None, 9_000), (disabled(), None), "{model}");
    }
    for model in ["claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-sonnet-4-6"] {
        assert_eq!(thinking(model, true, max, 9_000), (adaptive(), word("max")), "{model}");
        assert_eq!(thinking(model, false, max, 9_000), (None, word("max")), "{model}");
    }
    assert_eq!(thinking("claude-opus-4-5", true, max, 8_000), (budget(6_000), word("high")));
    assert_eq!(thinking("claude-sonnet-4-5", true, Some(Effort::Low), 8_000), (budget(1_024), None));
    assert_eq!(thinking("claude-haiku-4-5", true, Some(Effort::Medium), 8_000), (budget(2_000), None));
    assert_eq!(thinking("claude-haiku-4-5", true, None, 1_025), (budget(1_024), None));
    assert_eq!(thinking("claude-haiku-4-5", true, None, 1_024), (None, None));
    assert_eq!(thinking("claude-haiku-4-5", false, None, 8_000), (None, None));
}

#[test]
fn a_model_with_a_budget_does_not_begin_to_think_in_the_middle_of_a_turn() {
    let mut request = question("claude-haiku-4-5");
    request.thinking = true;
    request.tools = vec![tool("get_weather")];
    let thought = kept(&request, r#"{"type":"thinking","thinking":"t","signature":"s"}"#);
    let loop_with = |first: Vec<Part>| {
        let mut request = request.clone();
        let parts = first.into_iter().chain([call("toolu_1", json!({}))]).collect();
        request.messages.push(said(Role::Assistant, parts));
        request.messages.push(said(Role::User, vec![result("toolu_1", "12C", false)]));
        Place::new("claude-haiku-4-5").body(&request)["thinking"]["type"].clone()
    };
    assert_eq!(loop_with(vec![thought]), json!("enabled"));
    assert_eq!(loop_with(vec![text("I look.")]), Value::Null);
}

#[test]
fn a_schema_is_the_format_where_the_provider_compiles_it_and_words_where_not() {
    let mut request = question("claude-opus-5-5");
    request.system = "Plan.".to_owned();
    request.cache_system = true;
    request.schema =
        Some(json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1 } } }));
    let place = Place::new("claude-opus-5-5");
    let body = place.body(&request);
    assert_eq!(
        body["output_config"],
        json!({ "format": { "type": "json_schema", "schema": { "type": "object", "properties": {
            "n": { "type": "integer", "description": "It must also satisfy: {\"minimum\":1}" } },
            "additionalProperties": false } } })
    );
    let marked = json!({ "type": "text", "text": "Plan.", "cache_control": { "type": "ephemeral" } });
    assert_eq!(body["system"], json!([marked]));
    let mut plain = Place::new("claude-opus-5-5");
    plain.model.structured = false;
    let open = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let mut with_open = request.clone();
    with_open.schema = Some(open.clone());
    for (place, request) in [(&plain, &request), (&place, &with_open)] {
        let body = place.body(request);
        assert_eq!(body.get("output_config"), None);
        assert_eq!(body["system"][0], marked);
        let words = body["system"][1]["text"].as_str().unwrap();
        assert!(words.contains(&request.schema.as_ref().unwrap().to_string()), "{words}");
    }
    let mut bare = with_open;
    (bare.system, bare.cache_system) = (String::new(), false);
    assert_eq!(place.body(&bare)["system"].as_array().unwrap().len(), 1);
}

#[test]
fn at_most_four_marks_of_a_cache_stand_the_last_ones_and_none_on_thinking() {
    let place = Place::new("claude-opus-5-5");
    let mut request = question("claude-opus-5-5");
    request.system = "Be brief.".to_owned();
    request.cache_system = true;
    request.tools = vec![tool("a"), tool("b")];
    request.messages.clear();
    for turn in 0..4 {
        let mut asked = Message::user(format!("q{turn}"));
        asked.cache = true;
        request.messages.push(asked);
        let before = request.messages.len();
        let origin = Origin {
            provider: "anthropic@api.anthropic.com".to_owned(),
            model: request.model.clone(),
            prefix: request.prefix(before),
        };
        let raw = format!(r#"{{"type":"redacted_thinking","data":"{turn}"}}"#);
        let mut answer = said(Role::Assistant, vec![text(&format!("a{turn}")), Part::Opaque { origin, raw }]);
        answer.cache = true;
        request.messages.push(answer);
    }
    request.messages.push(Message::user("last"));
    let marked = |body: &Value| -> Vec<String> {
        let blocks = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let messages = blocks(&body["messages"]);
        let all = blocks(&body["tools"]).into_iter().chain(blocks(&body["system"]));
        let all = all.chain(messages.iter().flat_map(|message| blocks(&message["content"])));
        all.filter(|block| block["cache_control"] == json!({ "type": "ephemeral" }))
            .map(|block| block["name"].as_str().or(block["text"].as_str()).unwrap().to_owned())
            .collect()
    };
    let body = place.body(&request);
    assert_eq!(marked(&body), ["b", "Be brief.", "q3", "a3"]);
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    assert_eq!(body.to_string().matches("redacted_thinking").count(), 4);
    let mut without = request.clone();
    without.cache_system = false;
    assert_eq!(marked(&place.body(&without)), ["q2", "a2", "q3", "a3"]);
}

#[test]
fn choosing_tools_is_left_to_the_model_or_forbidden_and_forced_only_where_that_works() {
    let choice = |model: &str, choice: ToolChoice| {
        let mut request = question(model);
        request.tools = vec![tool("get_weather")];
        request.tool_choice = choice;
        Anthropic
            .encode(&request, Place::new(model).target())
            .map(|call| serde_json::from_str::<Value>(&call.body.unwrap()).unwrap()["tool_choice"].clone())
            .map_err(|error| error.message)
    };
    assert_eq!(choice("claude-opus-5-5", ToolChoice::Auto), Ok(Value::Null));
    assert_eq!(choice("claude-opus-5-5", ToolChoice::None), Ok(json!({ "type": "none" })));
    assert_eq!(choice("claude-haiku-5-5", ToolChoice::Required), Ok(json!({ "type": "any" })));
    for model in
        ["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-fable-5-2", "claude-mythos-5-1"]
    {
        let refused = format!("{model} can't be forced to call a tool; let it choose");
        assert_eq!(choice(model, ToolChoice::Required), Err(refused));
    }
    let mut thinking = question("claude-haiku-4-5");
    (thinking.thinking, thinking.tools, thinking.tool_choice) = (true, vec![tool("a")], ToolChoice::Required);
    assert!(Place::new("claude-haiku-4-5").refused(&thinking).contains("while it thinks"));
    let mut none = question("claude-haiku-5-5");
    none.tool_choice = ToolChoice::Required;
    assert!(Place::new("claude-haiku-5-5").refused(&none).contains("there is no tool"));
}

#[test]
fn images_and_documents_go_with_the_question() {
    let place = Place::new("claude-haiku-5-5");
    let mut request = question("claude-haiku-5-5");
    let image = |media_type: &str| Part::Image { media_type: media_type.to_owned(), data: "aW1n".to_owned() };
    let document = |name: &str| Part::Document {
        media_type: "application/pdf".to_owned(),
        name: name.to_owned(),
        data: "cGRm".to_owned(),
    };
    request.messages[0].parts = vec![image("image/webp"), document("Bericht ü.pdf"), document("")];
    let source = json!({ "type": "base64", "media_type": "application/pdf", "data": "cGRm" });
    assert_eq!(
        place.body(&request)["messages"][0]["content"],
        json!([
            { "type": "text", "text": "Weather in Lyon?" },
            { "type": "image", "source": { "type": "base64", "media_type": "image/webp", "data": "aW1n" } },
            { "type": "document", "source": source, "title": "Bericht ü.pdf" },
            { "type": "document", "source": source }
        ])
    );
    let mut blind = Place::new("claude-haiku-5-5");
    blind.model.abilities.images = false;
    assert_eq!(blind.refused(&request), "claude-haiku-5-5 reads no images");
    let mut papers = Place::new("claude-haiku-5-5");
    papers.model.abilities.documents = false;
    assert_eq!(papers.refused(&request), "claude-haiku-5-5 reads no documents");
    request.messages[0].parts = vec![image("image/tiff")];
    assert!(place.refused(&request).contains("image/tiff"));
    request.messages[0].parts.clear();
    request.messages.push(said(Role::Assistant, vec![image("image/png")]));
    request.messages.push(Message::user("?"));
    assert!(place.refused(&request).contains("answer of a model"));
}

#[test]
fn what_would_be_refused_is_told_before_it_is_sent() {
    let place = Place::new("claude-opus-5-5");
    let with = |change: &dyn Fn(&mut ModelRequest)| {
        let mut request = question("claude-opus-5-5");
        change(&mut request);
        place.refused(&request)
    };
    let calls = |parts: Vec<Part>, results: Vec<Part>| {
        move |request: &mut ModelRequest| {
            request.messages.push(said(Role::Assistant, parts.clone()));
            request.messages.push(said(Role::User, [results.clone(), vec![text("so?")]].concat()));
        }
    };
    let one = || vec![call("c1", json!({}))];
    for (change, words) in [
        (&(|r: &mut ModelRequest| r.messages.clear()) as &dyn Fn(&mut ModelRequest), "no message"),
        (&|r: &mut ModelRequest| r.messages[0].content = " \n".to_owned(), "no message"),
        (&|r: &mut ModelRequest| r.max_output_tokens = 0, "no tokens"),
        (&|r: &mut ModelRequest| r.messages.push(Message::assistant("{")), "beginning of an answer"),
        (&|r: &mut ModelRequest| r.messages.insert(0, Message::assistant("Hello.")), "begins with a message"),
        (&calls(one(), vec![]), "does not hold its result"),
        (&calls(vec![text("x")], vec![result("c1", "r", false)]), "no such call"),
        (&calls(one(), vec![result("c1", "r", false), result("c1", "r", false)]), "more than one result"),
        (&|r: &mut ModelRequest| r.tools = vec![tool("bad name")], "\"bad name\""),
        (&|r: &mut ModelRequest| r.tools = vec![tool("")], "can't be named"),
        (&|r: &mut ModelRequest| r.tools = vec![tool("twice"), tool("twice")], "two tools are named twice"),
        (
            &|r: &mut ModelRequest| {
                r.tools = vec![ToolSpec { parameters: json!({ "type": "string" }), ..tool("t") }]
            },
            "no object",
        ),
        (
            &|r: &mut ModelRequest| r.tools = vec![ToolSpec { parameters: json!([1]), ..tool("t") }],
            "no JSON Schema",
        ),
        (&|r: &mut ModelRequest| r.messages[0].parts = one(), "the person holds a call"),
    ] {
        let told = with(change);
        assert!(told.contains(words), "{told} does not say {words}");
    }
    let mut handless = Place::new("claude-opus-5-5");
    handless.model.abilities.tools = false;
    let mut request = question("claude-opus-5-5");
    request.tools = vec![tool("t")];
    assert_eq!(handless.refused(&request), "claude-opus-5-5 calls no tools");
}

#[test]
fn ids_of_other_providers_are_made_to_fit_and_stay_paired() {
    let place = Place::new("claude-opus-5-5");
    let mut request = question("claude-opus-5-5");
    let broken = Part::ToolCall(ToolCall {
        id: "call|1".to_owned(),
        name: "get_weather".to_owned(),
        arguments: Value::Null,
        raw: Some("{\"city\":".to_owned()),
        signature: Some("elsewhere".to_owned()),
        cut: false,
    });
    for (turn, made) in [call("call|1", json!({ "city": "Lyon" })), broken].into_iter().enumerate() {
        request.messages.push(said(Role::Assistant, vec![made]));
        request.messages.push(said(Role::User, vec![result("call|1", &format!("r{turn}"), false)]));
    }
    let body = place.body(&request);
    let ids: Vec<&Value> = (1..5)
        .map(|at| &body["messages"][at]["content"][0])
        .map(|block| block.get("id").unwrap_or(&block["tool_use_id"]))
        .collect();
    assert_eq!(ids, ["call_1", "call_1", "call_1_2", "call_1_2"]);
    assert_eq!(body["messages"][3]["content"][0]["input"], json!({ "INVALID_JSON": "{\"city\":" }));
}

#[test]
fn a_paused_answer_goes_on_as_the_last_message() {
    let place = Place::new("claude-opus-5-5");
    let mut request = question("claude-opus-5-5");
    let paused =
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query": "rain"}}"#;
    request.messages.push(said(Role::Assistant, vec![text("I search."), kept(&request, paused)]));
    assert!(place.raw_body(&request).contains(paused));
    let thought = kept(&request, r#"{"type":"thinking","thinking":"t","signature":"s"}"#);
    request.messages[1].parts.push(thought);
    assert!(place.refused(&request).contains("beginning of an answer"));
}

#[test]
fn an_answer_is_no_longer_than_the_model_can_write_and_an_effort_no_higher_than_it_knows() {
    let mut request = question("claude-opus-4-5");
    (request.max_output_tokens, request.effort) = (u64::MAX, Some(Effort::Max));
    let mut place = Place::new("claude-opus-4-5");
    let body = place.body(&request);
    assert_eq!((&body["max_tokens"], &body["output_config"]), (&json!(64_000), &json!({ "effort": "high" })));
    place.model.abilities.efforts = vec![Effort::High];
    request.effort = Some(Effort::Low);
    assert_eq!(place.body(&request)["output_config"], json!({ "effort": "high" }));
    place.model.abilities.thinking = ThinkingStyle::Level;
    request.thinking = true;
    assert_eq!(place.body(&request).get("thinking"), None);
}

#[test]
fn counting_asks_for_the_same_without_an_answer() {
    let place = Place::new("claude-opus-5-5");
    let mut request = question("claude-opus-5-5");
    request.system = "Be brief.".to_owned();
    request.tools = vec![tool("get_weather")];
    let call = Anthropic.count(&request, place.target()).unwrap().unwrap();
    assert_eq!(call.path, "v1/messages/count_tokens");
    let mut expected = place.body(&request);
    expected.as_object_mut().unwrap().remove("max_tokens");
    expected.as_object_mut().unwrap().remove("stream");
    assert_eq!(serde_json::from_str::<Value>(&call.body.unwrap()).unwrap(), expected);
    assert_eq!(Anthropic.counted(&json!({ "input_tokens": 2095 })), Some(2_095));
    assert_eq!(Anthropic.counted(&json!({ "error": {} })), None);
}

#[test]
fn no_sampling_parameter_is_ever_sent() {
    let mut request = question("claude-haiku-4-5");
    request.tools = vec![tool("t")];
    request.cache_key = Some("session".to_owned());
    let body = Place::new("claude-haiku-4-5").body(&request);
    for name in ["temperature", "top_p", "top_k", "metadata", "stop_sequences"] {
        assert_eq!(body.get(name), None);
    }
}
