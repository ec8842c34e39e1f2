//! Secrets of sources: asked for, given, bound to where the source leads, and sources that were put there by hand.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use app::{Hidden, Request};
use pretty_assertions::assert_eq;
use protocol::{SecretUse, SourceStatus, SourceTest, SourceView};
use serde_json::{Value, json};

use crate::chat_server::{Asked, ChatServer, Reply};
use crate::sources::{Desk, interface, save, shop, trust};
use crate::world::answer;

fn give(slug: &str, secrets: &[(&str, &str)], stored: bool) -> Request {
    let secrets = secrets.iter().map(|(name, value)| ((*name).to_owned(), Hidden((*value).to_owned())));
    Request::SourceSecrets { slug: slug.to_owned(), secrets: secrets.collect(), stored }
}

/// What stands of each secret: its label, and whether it is there and may be used.
fn stands(secrets: &[SecretUse]) -> Vec<(&str, bool, bool)> {
    secrets.iter().map(|secret| (secret.label.as_str(), secret.present, !secret.unbound)).collect()
}

fn by_hand(desk: &Desk, slug: &str, config: &Value) {
    let file = desk.config(slug);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, config.to_string()).unwrap();
}

async fn approved(desk: &Desk, view: &SourceView) -> Result<SourceTest, domain::Problem> {
    let request = Request::SourceTest { slug: view.source.slug.clone(), approve: Some(view.reach.clone()) };
    desk.local.call(request).await.map(|answer| *answer!(answer, SourceTest))
}

#[tokio::test]
async fn every_web_api_form_asks_for_its_secret_and_sends_it_where_it_says() {
    let heard: Arc<Mutex<Vec<BTreeMap<&'static str, String>>>> = Arc::default();
    let noted = heard.clone();
    let house = ChatServer::new(move |asked: &Asked| {
        let names =
            ["x-api-key", "api-key", "ocp-apim-subscription-key", "x-subscription-token", "authorization"];
        let there = names.into_iter().filter_map(|name| Some((name, asked.header(name)?.to_owned())));
        noted.lock().unwrap().push(there.collect());
        Some(Reply::json(200, &json!({})))
    })
    .await;
    let desk = Desk::new().await;
    let presets = answer!(desk.call(Request::SourcePresets).await, SourcePresets);
    let mut tried = 0;
    for preset in presets {
        let mut config = preset.config;
        if config["type"] != "api" || config["api"]["authType"] == "oauth" {
            continue;
        }
        let open = config.to_string().contains("YOUR-");
        let needs = answer!(desk.call(Request::SourceNeeds { config: config.clone() }).await, SourceNeeds);
        assert_eq!(needs.problems.len(), usize::from(open), "{}: {:?}", preset.name, needs.problems);
        config["api"]["baseUrl"] = json!(house.base());
        // A form without a test of its own is tried with a request.
        config["api"]["testEndpoint"] = json!({"path": "me"});
        let needs = answer!(desk.call(Request::SourceNeeds { config: config.clone() }).await, SourceNeeds);
        assert_eq!((needs.problems.len(), needs.secrets.len()), (0, 1), "{}", preset.name);
        let slug = config["slug"].as_str().unwrap().to_owned();
        desk.call(save(config, &[])).await;
        let row = desk.row(&slug).await;
        assert_eq!(row.status, SourceStatus::NeedsAuth, "{slug}: {}", row.status_detail);
        desk.call(give(&slug, &[(needs.secrets[0].name.as_str(), "canary-7319")], false)).await;
        assert_eq!(desk.row(&slug).await.status, SourceStatus::Idle, "{slug}");
        assert!(desk.tested(&slug).await.ok, "{slug}");
        let last = heard.lock().unwrap().pop().unwrap();
        assert_eq!(last.len(), 1, "{slug}: {last:?}");
        assert!(last.values().all(|value| value.ends_with("canary-7319")), "{slug}: {last:?}");
        tried += 1;
    }
    assert_eq!(tried, 10);
}

#[tokio::test]
async fn a_secret_that_was_stored_by_name_is_used_once_the_person_says_for_what() {
    let house = ChatServer::new(|_: &Asked| Some(Reply::json(200, &json!({})))).await;
    let desk = Desk::new().await;
    desk.call(save(interface(&house.base()), &[])).await;
    let put = Request::SecretPut { name: "source/desk/apikey".into(), value: Hidden("canary-7319".into()) };
    desk.call(put).await;
    let view = desk.view("desk").await;
    assert_eq!(stands(&view.secrets), [("API key (header X-Key)", true, false)]);
    assert_eq!(view.source.status, SourceStatus::NeedsAuth);
    let why = desk.tested("desk").await.problem.unwrap();
    assert!(why.message.contains("may go to") && why.action.unwrap().contains("--stored"), "{}", why.message);

    let view = *answer!(desk.call(give("desk", &[], true)).await, Source);
    assert_eq!(stands(&view.secrets), [("API key (header X-Key)", true, true)]);
    assert!(view.secrets[0].stored_at.is_some_and(|at| at > 1_700_000_000_000));
    assert!(desk.tested("desk").await.ok);

    // Where the source leads elsewhere, it is unbound again; one that is given for the new place is used there.
    desk.edit("desk", "/api/headerName", json!("X-Other"));
    assert_eq!(stands(&desk.view("desk").await.secrets), [("API key (header X-Other)", true, false)]);
    let given = *answer!(desk.call(give("desk", &[("apikey", "another-one")], false)).await, Source);
    assert_eq!(stands(&given.secrets), [("API key (header X-Other)", true, true)]);

    let other = desk.refused(give("desk", &[("nobody", "x")], false)).await;
    assert!(other.message.contains("names no secret nobody"), "{other}");
    assert!(desk.refused(give("desk", &[], false)).await.message.contains("no secret was given"));
    assert!(
        desk.refused(give("knowledge-base", &[("a", "b")], false))
            .await
            .message
            .contains("part of the program")
    );
}

#[tokio::test]
async fn a_source_that_was_put_there_by_hand_is_approved_as_it_was_seen() {
    let desk = Desk::new().await;
    let (program, other) = (desk.server("house"), desk.server("other"));
    by_hand(&desk, "shop", &shop(&program));
    let view = desk.view("shop").await;
    assert_eq!((view.approved, view.reaches.as_str()), (false, program.as_str()));
    desk.call(give("shop", &[("key", "canary-7319")], false)).await;
    assert!(!desk.tested("shop").await.ok, "a test alone approves nothing");

    // What was changed between the look and the click is not approved.
    desk.edit("shop", "/mcp/command", json!(other));
    let changed = approved(&desk, &view).await.unwrap_err();
    assert!(changed.message.contains("has changed since"), "{changed}");
    assert_eq!((desk.starts("house"), desk.starts("other")), (0, 0));

    desk.edit("shop", "/mcp/command", json!(program));
    let trial = approved(&desk, &view).await.unwrap();
    assert_eq!((trial.ok, trial.tools.len()), (true, 1), "{:?}", trial.problem);
    assert_eq!(desk.row("shop").await.status, SourceStatus::NeedsApproval, "its tools are approved apart");
    desk.call(trust("shop")).await;
    assert_eq!(desk.called("shop", "tell", json!({})).await.text, "key is canary-7319, house is ");
}

#[tokio::test]
async fn a_sign_in_that_is_missing_is_told_before_a_call_and_a_form_keeps_what_it_did_not_show() {
    let desk = Desk::new().await;
    let config = json!({"slug": "mail", "name": "Mail", "description": "Reads mail.", "type": "api",
        "api": {"baseUrl": "https://mail.example.org/", "authType": "oauth",
            "oauth": {"authorizeUrl": "https://id.example.org/a", "tokenUrl": "https://id.example.org/t",
                "clientId": "mine"}}});
    desk.call(save(config, &[("client-secret", "canary-7319")])).await;
    let view = desk.view("mail").await;
    assert_eq!((view.signs_in, view.signed_in), (true, false));
    assert_eq!(
        (view.source.status.as_str(), view.source.status_detail.as_str()),
        ("needs_auth", "nobody is signed in")
    );
    assert_eq!(stands(&view.secrets), [("Client secret, if the service gave one", true, true)]);

    let program = desk.server("house");
    let mut config = shop(&program);
    config["mcp"]["env"]["HOUSE_PLANTED"] = json!("green");
    desk.call(save(config, &[("key", "canary-7319")])).await;
    let shown = desk.view("shop").await.config;
    assert_eq!(shown["mcp"]["env"]["HOUSE_PLANTED"], "(not shown)");
    desk.call(save(shown, &[])).await;
    desk.call(trust("shop")).await;
    assert_eq!(desk.called("shop", "tell", json!({})).await.text, "key is canary-7319, house is green");
}

#[tokio::test]
async fn the_web_search_is_kept_in_the_vault_and_an_address_goes_before_a_key() {
    let desk = Desk::new().await;
    let save = |key: Option<&str>, address: Option<&str>| Request::WebSearchSave {
        key: key.map(|key| Hidden(key.to_owned())),
        address: address.map(str::to_owned),
    };
    assert_eq!(answer!(desk.call(Request::WebSearchShow).await, WebSearch).service, "");
    let brave = answer!(desk.call(save(Some("canary-7319"), None)).await, WebSearch);
    assert!(brave.service == "brave" && brave.stored_at.is_some() && !brave.environment, "{brave:?}");
    let vault = answer!(desk.call(Request::VaultShow).await, Vault);
    let entry = vault.entries.iter().find(|entry| entry.name == "web-search/brave").unwrap();
    assert_eq!(entry.used_by, "Web search");

    let refused = desk.refused(save(None, Some("https://user:word@find.example"))).await;
    assert!(refused.message.contains("hold no password"), "{refused}");
    let searxng = answer!(desk.call(save(None, Some("https://find.example"))).await, WebSearch);
    assert_eq!((searxng.service.as_str(), searxng.address.as_str()), ("searxng", "https://find.example"));
    let brave = answer!(desk.call(save(None, Some(""))).await, WebSearch);
    assert_eq!(brave.service, "brave", "the key was kept");
    let passphrase = || Some(Hidden("a good long phrase".to_owned()));
    let protection = protocol::VaultProtection::Passphrase;
    desk.call(Request::VaultProtect { protection, passphrase: passphrase() }).await;
    desk.call(Request::VaultLock).await;
    let locked = answer!(desk.call(Request::WebSearchShow).await, WebSearch);
    assert_eq!((locked.service.as_str(), locked.locked), ("", true), "nobody knows what is in it");
    desk.call(Request::VaultUnlock { passphrase: passphrase().unwrap() }).await;
    let none = answer!(desk.call(save(Some(""), None)).await, WebSearch);
    assert_eq!((none.service.as_str(), none.locked), ("", false));
}
