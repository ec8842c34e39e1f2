//! The tools: names, words, schemas.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::Value;

use super::params::{
    AnswerParams, BaseParams, CitationsParams, ClaimsParams, ContradictionParams, GatherParams, HopParams,
    IdsParams, NoParams, OutlineParams, PairsParams, ParagraphParams, SearchParams, WebParams,
};
use super::results::{
    AnswerOut, CitationsOut, ClaimsOut, ContextOut, ContradictionsOut, GatherOut, HopsOut, ListOut,
    OneParagraphOut, OutlineOut, RelationsOut, SearchOut, StandardsOut, WebOut,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Search,
    Gather,
    Hop,
    Context,
    Citations,
    Entities,
    Relations,
    Contradictions,
    Answer,
    Paragraph,
    Outline,
    Standards,
    List,
    Web,
}

/// A tool by one of its names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) operation: Operation,
    /// Whether the caller may name a base.
    pub(super) any_base: bool,
}

struct Entry {
    operation: Operation,
    /// Name bound to the default base, and name that takes a base.
    names: [Option<&'static str>; 2],
    title: &'static str,
    words: &'static str,
}

const ENTRIES: [Entry; 14] = [
    Entry {
        operation: Operation::Search,
        names: [Some("isa_hybrid_search"), Some("kb_search")],
        title: "Search paragraphs",
        words: "Finds the paragraphs that answer a question: BM25 over headings, tags and text, then cross-references from the best hits.",
    },
    Entry {
        operation: Operation::Gather,
        names: [Some("isa_gather"), Some("kb_gather")],
        title: "Gather paragraphs for research",
        words: "Gathers what a question, its sub-queries and the places they name need, in one list: what each finds first and each named place that exists are in it, cross-references are followed, lists of assessment steps come last.",
    },
    Entry {
        operation: Operation::Hop,
        names: [Some("isa_hop_retrieve"), Some("kb_hop")],
        title: "Follow cross-references",
        words: "Lists the paragraphs that a paragraph refers to or that refer to it, nearest first.",
    },
    Entry {
        operation: Operation::Context,
        names: [Some("isa_format_context"), Some("kb_format_context")],
        title: "Read several paragraphs",
        words: "Gives the full text, headings and citation form of paragraphs, in the order asked for.",
    },
    Entry {
        operation: Operation::Citations,
        names: [Some("isa_citation_verify"), Some("kb_verify_citations")],
        title: "Check citations",
        words: "Checks that each cited paragraph exists, is in force, and holds the quote word for word. White space, typographic marks, hyphenation and honest ellipses are tolerated; no other word, number, modal or negation is.",
    },
    Entry {
        operation: Operation::Entities,
        names: [Some("isa_entity_verify"), Some("kb_verify_entities")],
        title: "Check named things",
        words: "Checks that numbers, dates, quoted terms and named standards of sentences occur in the paragraphs they cite.",
    },
    Entry {
        operation: Operation::Relations,
        names: [Some("isa_relation_verify"), Some("kb_verify_relations")],
        title: "Check links",
        words: "Checks that claimed links between paragraphs exist.",
    },
    Entry {
        operation: Operation::Contradictions,
        names: [Some("isa_contradiction_check"), Some("kb_check_contradictions")],
        title: "Find possible contradictions",
        words: "Compares sentences with paragraphs by number, modal and negation. Gives candidates for a reader, never verdicts.",
    },
    Entry {
        operation: Operation::Answer,
        names: [Some("isa_answer_verify"), Some("kb_verify_answer")],
        title: "Check an answer sentence by sentence",
        words: "Checks every sentence of an answer on four axes: citations and their quotes, named things, claimed links, possible contradictions. Gives a record for each sentence. Verified is only what stands word for word in what it cites; what needs a reader is unverified.",
    },
    Entry {
        operation: Operation::Paragraph,
        names: [Some("isa_paragraph"), Some("kb_paragraph")],
        title: "Read one paragraph",
        words: "Gives one paragraph with its links.",
    },
    Entry {
        operation: Operation::Outline,
        names: [Some("isa_outline"), Some("kb_outline")],
        title: "Find headings",
        words: "Lists the headings under which a question is answered, with their paragraph counts.",
    },
    Entry {
        operation: Operation::Standards,
        names: [Some("isa_standards"), Some("kb_standards")],
        title: "List standards",
        words: "Lists what the paragraphs are about, with counts.",
    },
    Entry {
        operation: Operation::List,
        names: [None, Some("kb_list")],
        title: "List knowledge bases",
        words: "Lists the knowledge bases that can be read here, and which one is read where none is named.",
    },
    Entry {
        operation: Operation::Web,
        names: [Some("isa_web_search"), Some("web_search")],
        title: "Search the web",
        words: "Searches the web, where a search service is configured; says so where none is.",
    },
];

/// The tool of that name.
pub(super) fn find(name: &str) -> Option<Call> {
    ENTRIES.iter().find_map(|entry| {
        let at = entry.names.iter().position(|one| *one == Some(name))?;
        Some(Call { operation: entry.operation, any_base: at == 1 })
    })
}

/// Every tool as it is listed.
pub(super) fn tools() -> Vec<Tool> {
    let mut tools = Vec::new();
    for entry in &ENTRIES {
        let (input, output) = schemas(entry.operation);
        for (at, name) in entry.names.into_iter().enumerate() {
            let Some(name) = name else { continue };
            let input = if at == 0 { without_base(input.clone()) } else { input.clone() };
            let open_world = entry.operation == Operation::Web;
            let annotations = ToolAnnotations::with_title(entry.title)
                .read_only(true)
                .idempotent(true)
                .open_world(open_world);
            tools.push(
                Tool::new(name, entry.words, Arc::new(input))
                    .with_title(entry.title)
                    .with_raw_output_schema(Arc::new(output.clone()))
                    .with_annotations(annotations),
            );
        }
    }
    tools
}

fn schemas(operation: Operation) -> (JsonObject, JsonObject) {
    match operation {
        Operation::Search => (input::<SearchParams>(), output::<SearchOut>()),
        Operation::Gather => (input::<GatherParams>(), output::<GatherOut>()),
        Operation::Hop => (input::<HopParams>(), output::<HopsOut>()),
        Operation::Context => (input::<IdsParams>(), output::<ContextOut>()),
        Operation::Citations => (input::<CitationsParams>(), output::<CitationsOut>()),
        Operation::Entities => (input::<ClaimsParams>(), output::<ClaimsOut>()),
        Operation::Relations => (input::<PairsParams>(), output::<RelationsOut>()),
        Operation::Answer => (input::<AnswerParams>(), output::<AnswerOut>()),
        Operation::Contradictions => (input::<ContradictionParams>(), output::<ContradictionsOut>()),
        Operation::Paragraph => (input::<ParagraphParams>(), output::<OneParagraphOut>()),
        Operation::Outline => (input::<OutlineParams>(), output::<OutlineOut>()),
        Operation::Standards => (input::<BaseParams>(), output::<StandardsOut>()),
        Operation::List => (input::<NoParams>(), output::<ListOut>()),
        Operation::Web => (input::<WebParams>(), output::<WebOut>()),
    }
}

/// What callers send: the shape that is read.
pub(crate) fn input<T: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = object(settings.into_generator().into_root_schema_for::<T>());
    // Some clients expect it even where there is nothing to give.
    schema.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
    schema
}

/// What callers get: the shape that is written.
pub(crate) fn output<T: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    object(settings.into_generator().into_root_schema_for::<T>())
}

/// A schema as a client is shown it.
pub(crate) fn object(schema: schemars::Schema) -> JsonObject {
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    // The name of a type of this program means nothing to a client.
    object.remove("title");
    object
}

fn without_base(mut schema: JsonObject) -> JsonObject {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.remove("base");
        properties.remove("bases");
        properties.remove("bases");
    }
    schema
}
