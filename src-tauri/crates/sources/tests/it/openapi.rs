use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sources::openapi::{Operation, read};
use sources::rest::Body;

const SHOP: &str = r#"
openapi: 3.0.3
info: {title: Corner shop, description: Sells things., version: "1"}
servers:
  - url: https://{region}.shop.example/api/
    variables: {region: {default: eu}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Shop-Key}
  parameters:
    Page: {name: page, in: query, schema: {type: integer, minimum: 1}, description: Which page.}
  schemas:
    Item:
      type: object
      required: [name]
      properties:
        name: {type: string, example: tea}
        price: {type: number, nullable: true}
        parts: {type: array, items: {$ref: '#/components/schemas/Item'}}
  requestBodies:
    Item: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Item'}}}}
paths:
  /items:
    get:
      operationId: listItems
      summary: Lists items.
      parameters:
        - $ref: '#/components/parameters/Page'
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: filter, in: query, style: deepObject, schema: {type: object}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string}}
      responses:
        200: {description: fine}
    post:
      operationId: items/add
      requestBody: {$ref: '#/components/requestBodies/Item'}
      responses: {201: {description: fine}}
  /items/{id}/notes/{id-2}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: id-2, in: path, required: true, schema: {type: integer}}
    put:
      requestBody: {content: {text/plain: {schema: {type: string}}}}
      responses: {200: {description: fine}}
    delete:
      operationId: forget
      responses: {204: {description: fine}}
  /upload:
    post:
      operationId: upload
      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}
      responses: {200: {description: fine}}
  /forms:
    post:
      operationId: order
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object}}}}
      responses: {200: {description: fine}}
  /broken/{what}:
    get: {operationId: broken, responses: {200: {description: fine}}}
"#;

fn shop() -> Vec<Operation> {
    read(SHOP).unwrap().operations
}

fn named(name: &str) -> Operation {
    shop().into_iter().find(|operation| operation.name == name).unwrap()
}

#[test]
fn a_document_becomes_tools_and_says_what_it_leaves_out() {
    let interface = read(SHOP).unwrap();
    assert_eq!(
        (interface.title.as_str(), interface.base_url.as_deref(), interface.security[0].as_str()),
        ("Corner shop", Some("https://eu.shop.example/api/"), "apiKey in header X-Shop-Key")
    );
    let names: Vec<_> =
        interface.operations.iter().map(|operation| (operation.name.as_str(), operation.reads())).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            ("PUT_items_id_notes_id-2", false),
            ("forget", false),
            ("items_add", false),
            ("listItems", true),
            ("order", false)
        ]
    );
    let warnings = interface.warnings.join("\n");
    for part in ["cookie session", "POST /upload", "GET /broken/{what}", "circular"] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
}

#[test]
fn schemas_are_unfolded_and_circles_end() {
    let schema = named("items_add").schema;
    assert_eq!(
        schema,
        json!({"type": "object", "additionalProperties": false, "required": ["body"], "properties": {"body": {
            "type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"}, "price": {"type": ["number", "null"]}, "parts": {"type": "array", "items": {}}}}}})
    );
    let listing = named("listItems").schema;
    assert_eq!(
        listing["properties"]["page"],
        json!({"type": "integer", "minimum": 1, "description": "Which page."})
    );
    assert_eq!(listing["properties"].as_object().unwrap().len(), 5);
}

#[test]
fn arguments_go_where_the_document_says() {
    let request = named("listItems")
        .request(
            &json!({"page": 2, "tags": ["a", "b"], "ids": [1, 2], "filter": {"size": "l"}, "X-Trace": "t"}),
        )
        .unwrap();
    let mut query: Vec<_> = request.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    query.sort_unstable();
    assert_eq!(query, ["filter[size]=l", "ids=1,2", "page=2", "tags=a", "tags=b"]);
    assert_eq!(request.headers, [("X-Trace".to_owned(), "t".to_owned())]);
    let request = named("PUT_items_id_notes_id-2")
        .request(&json!({"id": "a/../b", "id-2": 7, "body": "text"}))
        .unwrap();
    assert_eq!(request.path, "items/a%2F..%2Fb/notes/7");
    assert_eq!(request.body, Some(Body::Text { media_type: "text/plain".into(), text: "text".into() }));
    let request = named("order").request(&json!({"body": {"n": 2, "tags": ["a", "b"]}})).unwrap();
    let pairs =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(request.body, Some(Body::Form(pairs(&[("n", "2"), ("tags", "a"), ("tags", "b")]))));
}

#[test]
fn wrong_arguments_are_told() {
    for (name, arguments, part) in [
        ("forget", json!({"id": "a"}), "id-2 is missing"),
        ("forget", json!({"id": "", "id-2": 1}), "empty"),
        ("forget", json!({"id": {"a": 1}, "id-2": 1}), "must be a text"),
        ("listItems", json!({"pages": 1}), "no argument pages"),
        ("listItems", json!({"tags": [{"a": 1}]}), "can't be sent"),
        ("listItems", json!([1]), "must be an object"),
        ("order", json!({"body": "text"}), "must be an object"),
    ] {
        let why = named(name).request(&arguments).unwrap_err();
        assert!(why.0.contains(part), "{name}: {why}");
    }
}

#[test]
fn documents_that_are_none_are_refused_with_a_reason() {
    for (text, part) in [
        ("", "no OpenAPI document"),
        ("{", "neither JSON nor YAML"),
        ("a: [", "neither JSON nor YAML"),
        (r#"{"swagger": "2.0"}"#, "Swagger 2"),
        (r#"{"openapi": "4.0.0"}"#, "version 3"),
        (r#"{"openapi": "3.1.0", "paths": {}}"#, "no operation"),
        (r#"{"openapi": "3.1.0", "paths": {"/a": {"$ref": "https://evil.example/x.json"}}}"#, "no operation"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    assert!(read(&" ".repeat(5 << 20)).is_err());
}

fn document(paths: Value, components: Value) -> String {
    json!({"openapi": "3.1.0", "info": {"title": "t"}, "paths": paths, "components": components}).to_string()
}

#[test]
fn hostile_documents_cost_neither_time_nor_memory() {
    let get = |schema: Value| json!({"/a": {"get": {"operationId": "a", "parameters": [{"name": "p", "in": "query", "schema": schema}]}}});
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    // Each schema holds the next one ten times: unfolded wholly it would have 10^20 values.
    let bomb: Value = (0..20)
        .map(|level| {
            let properties: Value =
                (0..10).map(|at| (format!("p{at}"), reference(&format!("s{}", level + 1)))).collect();
            (format!("s{level}"), json!({"type": "object", "properties": properties}))
        })
        .collect();
    let round = json!({"s0": reference("s1"), "s1": reference("s0")});
    let mut deep = json!({});
    for _ in 0..90 {
        deep = json!({"items": deep});
    }
    for (schema, schemas) in [(reference("s0"), bomb), (reference("s0"), round), (deep, json!({}))] {
        let interface = read(&document(get(schema), json!({"schemas": schemas}))).unwrap();
        assert!(interface.operations[0].schema.to_string().len() < 64 << 10);
        assert!(interface.warnings[0].contains("circular or too large"), "{:?}", interface.warnings);
    }
    let many: Value =
        (0..2_000).map(|at| (format!("/p{at}"), json!({"get": {"operationId": "same"}}))).collect();
    let interface = read(&document(many, json!({}))).unwrap();
    assert_eq!(interface.operations.len(), 400);
    let names: std::collections::BTreeSet<_> = interface.operations.iter().map(|made| &made.name).collect();
    assert_eq!(names.len(), 400);
    let aliases = format!(
        "openapi: 3.0.0\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n{}paths: *a9\n",
        (1..10)
            .map(|at| format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 10].join(",")))
            .collect::<String>()
    );
    assert!(read(&aliases).is_err());
    let hidden = json!({"/a": {"get": {"operationId": "a\u{202e}\u{200b}b", "summary": "ok\u{200b}\u{7}"}}});
    let interface = read(&document(hidden, json!({}))).unwrap();
    assert_eq!(
        (interface.operations[0].name.as_str(), interface.operations[0].title.as_str()),
        ("a_b", "ok")
    );
}
