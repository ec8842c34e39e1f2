//! Resources, prompts, completions and pages, in both protocol eras.

use pretty_assertions::assert_eq;
use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, Reference, ResourceContents,
};
use serde_json::json;

use super::knowledge_server::{Client, Fixture, eras};

async fn text(client: &Client, uri: &str) -> String {
    let read = client.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
    match &read.contents[..] {
        [ResourceContents::TextResourceContents { text, mime_type, uri: of, .. }] => {
            assert_eq!(mime_type.as_deref(), Some("text/markdown"));
            assert_eq!(of, uri);
            text.clone()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_person_can_attach_documents_and_paragraphs() {
    let fixture = Fixture::new();
    for era in eras() {
        let client = fixture.client(&era).await;
        let listed = client.list_all_resources().await.unwrap();
        let uris: Vec<&str> = listed.iter().map(|one| one.uri.as_str()).collect();
        assert_eq!(uris, ["kb://primer/documents/Primer"]);
        let document = text(&client, uris[0]).await;
        assert!(document.starts_with("# Primer\n"), "{document}");
        assert!(document.contains("**(Primer 4.2)** Many teams begin with 5 % of profit"), "{document}");
        let rest = text(&client, "kb://primer/documents/Primer?from=7.1").await;
        assert!(!rest.contains("(Primer 4.2)") && rest.contains("(Primer 7.1)"), "{rest}");
        let paragraph = text(&client, "kb://primer/paragraphs/7.2").await;
        assert!(paragraph.contains("No longer in force. Now: 7.1"), "{paragraph}");
        assert!(paragraph.contains("- moved-to to (Primer 7.1)"), "{paragraph}");
        assert_eq!(client.list_all_resource_templates().await.unwrap().len(), 2);
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn what_is_not_there_is_refused_with_what_is() {
    let fixture = Fixture::new();
    let client = fixture.client(&ProtocolVersion::V_2026_07_28).await;
    for (uri, words) in [
        ("file:///etc/passwd", "kb://{base}/paragraphs/{id}"),
        ("kb://other/paragraphs/4.1", "there are: primer"),
        ("kb://primer/paragraphs/4.9", "nearest: 4.1"),
        ("kb://primer/documents/Nothing", "Primer"),
        ("kb://..%2F..%2Fetc/paragraphs/1", "is not a base name"),
    ] {
        let error = client.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap_err().to_string();
        assert!(error.contains(words), "{uri}: {error}");
    }
}

#[tokio::test]
async fn long_documents_go_on_at_an_address_and_lists_have_pages() {
    let fixture = Fixture::new();
    let row = |n: usize| {
        let text = format!("Paragraph {n} {}", "says the same words again and again ".repeat(40));
        json!({"id": format!("{n}.1"), "doc": format!("Part {}", n % 130), "text": text}).to_string()
    };
    fixture.add("long", "", &(1..=260).map(row).collect::<Vec<_>>().join("\n"));
    let one =
        |n: usize| json!({"id": format!("9.{n}"), "doc": "Whole", "text": "word ".repeat(2_000)}).to_string();
    fixture.add("whole", "", &(1..=100).map(one).collect::<Vec<_>>().join("\n"));
    let client = fixture.client(&ProtocolVersion::V_2025_11_25).await;
    let first = client.list_resources(None).await.unwrap();
    assert_eq!(first.resources.len(), 100);
    let next = PaginatedRequestParams::default().with_cursor(first.next_cursor);
    let second = client.list_resources(Some(next)).await.unwrap();
    assert_eq!((second.resources.len(), second.next_cursor), (32, None));
    let wrong = PaginatedRequestParams::default().with_cursor(Some("page-2".into()));
    assert!(client.list_resources(Some(wrong)).await.is_err());
    let mut uri = "kb://whole/documents/Whole".to_owned();
    let (mut pages, mut paragraphs) = (0, 0);
    loop {
        let page = text(&client, &uri).await;
        pages += 1;
        paragraphs += page.matches("**(9.").count();
        assert!(page.len() < 600_000);
        match page.rsplit_once("The document goes on at ") {
            Some((_, next)) => uri = next.trim().to_owned(),
            None => break,
        }
    }
    assert_eq!((pages, paragraphs), (2, 100));
}

#[tokio::test]
async fn prompts_are_filled_in_once_and_complete_what_is_typed() {
    let fixture = Fixture::new();
    for era in eras() {
        let client = fixture.client(&era).await;
        assert_eq!(client.list_all_prompts().await.unwrap().len(), 3);
        let arguments = json!({"question": "What is {base}?"}).as_object().unwrap().clone();
        let prompt = client
            .get_prompt(GetPromptRequestParams::new("answer_with_citations").with_arguments(arguments))
            .await
            .unwrap();
        let words = prompt.messages[0].content.as_text().unwrap().text.clone();
        assert!(words.contains("knowledge base primer alone"), "{words}");
        assert!(words.ends_with("Question: What is {base}?"), "{words}");
        let missing = client.get_prompt(GetPromptRequestParams::new("check_text")).await.unwrap_err();
        assert!(missing.to_string().contains("needs the argument 'text'"), "{missing}");
        let reference = || Reference::for_resource("kb://{base}/paragraphs/{id}");
        let ids = CompleteRequestParams::new(reference(), ArgumentInfo::new("id", "4."));
        assert_eq!(client.complete(ids).await.unwrap().completion.values, ["4.1", "4.2"]);
        let bases = CompleteRequestParams::new(reference(), ArgumentInfo::new("base", "PR"));
        assert_eq!(client.complete(bases).await.unwrap().completion.values, ["primer"]);
        client.cancel().await.unwrap();
    }
}
