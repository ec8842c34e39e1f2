//! Search services of science, as their answers are documented.

use pretty_assertions::assert_eq;
use web_library::WebError;
use web_library::academic::{ServiceName, Work, service};
use web_library::policy::AcademicUse;

use crate::rig::{NOW, Rig};
use crate::server::{Server, answer, moved, status};

const CROSSREF: &str = r#"{"status":"ok","message":{"items":[
    {"DOI":"10.1000/x","title":["On <i>tides</i> &c"],"author":[{"given":"Eva","family":"Moon"},{"name":"A group"}],
     "container-title":["Sea Letters"],"issued":{"date-parts":[[2024,5]]},"URL":"https://doi.org/10.1000/x",
     "abstract":"<jats:p>Tides rise.</jats:p>","link":[{"URL":"https://sea.test/x.pdf","content-type":"application/pdf"}]},
    {"DOI":"10.1000/y","title":[],"issued":{"date-parts":[[null]]}},
    {"DOI":"10.1000/z","title":["Bare"],"issued":{"date-parts":[[null]]}}]}}"#;
const ARXIV: &str = r#"<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>
    <entry><id>http://arxiv.org/abs/2401.00001v2</id><title>Tides &amp;
      moons</title><summary> They rise. </summary><published>2024-01-01T00:00:00Z</published>
      <author><name>Eva Moon</name></author><author><name>Ann Sea</name></author>
      <link href="http://arxiv.org/abs/2401.00001v2" rel="alternate"/><link title="pdf" href="http://arxiv.org/pdf/2401.00001v2"/>
      <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/a</arxiv:doi></entry></feed>"#;
const NUMBERS: &str = r#"{"esearchresult":{"count":"2","idlist":["123","x; drop","77"]}}"#;
const SUMMARIES: &str = r#"{"result":{"uids":["123"],"123":{"title":"Tides and health.","authors":[{"name":"Moon E"}],
    "fulljournalname":"Sea Medicine","pubdate":"2023 Dec 1","articleids":[{"idtype":"pubmed","value":"123"},{"idtype":"doi","value":"10.1000/p"}]}}}"#;

async fn science() -> Server {
    Server::start(|path, _| match path.split('?').next().unwrap_or_default() {
        "/works" => answer("application/json", CROSSREF),
        "/api/query" => answer("application/atom+xml", ARXIV),
        "/entrez/eutils/esearch.fcgi" => answer("application/json", NUMBERS),
        "/entrez/eutils/esummary.fcgi" => answer("application/json", SUMMARIES),
        "/away/works" => moved("https://elsewhere.test/works"),
        "/form/works" => answer("text/html", "<html>"),
        _ => status("500 Oh"),
    })
    .await
}

async fn search(rig: &Rig, name: ServiceName, base: &str) -> Result<Vec<Work>, WebError> {
    let service = service(name, Some(base)).unwrap();
    service.search(&rig.library, &rig.policy, "tides & moons", 5, NOW).await
}

#[tokio::test]
async fn works_come_back_as_plain_data() {
    let server = science().await;
    let rig = Rig::new(&[]);
    let base = server.url("");
    let found = search(&rig, ServiceName::Crossref, &base).await.unwrap();
    assert_eq!(
        found[0],
        Work {
            title: "On tides &c".into(),
            authors: vec!["Eva Moon".into(), "A group".into()],
            year: Some(2024),
            journal: Some("Sea Letters".into()),
            doi: Some("10.1000/x".into()),
            id: None,
            url: "https://doi.org/10.1000/x".into(),
            pdf_url: Some("https://sea.test/x.pdf".into()),
            summary: Some("Tides rise.".into()),
        }
    );
    assert_eq!((found.len(), found[1].url.as_str(), found[1].year), (2, "https://doi.org/10.1000/z", None));
    let found = search(&rig, ServiceName::Arxiv, &base).await.unwrap();
    assert_eq!(
        found,
        [Work {
            title: "Tides & moons".into(),
            authors: vec!["Eva Moon".into(), "Ann Sea".into()],
            year: Some(2024),
            journal: None,
            doi: Some("10.1000/a".into()),
            id: Some("2401.00001v2".into()),
            url: "http://arxiv.org/abs/2401.00001v2".into(),
            pdf_url: Some("http://arxiv.org/pdf/2401.00001v2".into()),
            summary: Some("They rise.".into()),
        }]
    );
    let found = search(&rig, ServiceName::Pubmed, &base).await.unwrap();
    assert_eq!((found.len(), found[0].url.as_str()), (1, "https://pubmed.ncbi.nlm.nih.gov/123/"));
    assert_eq!((found[0].doi.as_deref(), found[0].year), (Some("10.1000/p"), Some(2023)));
    let asked = server.requests();
    assert!(asked[0].starts_with("GET /works?query=tides+%26+moons&rows=5 "), "{}", asked[0]);
    assert!(asked[3].contains("id=123%2C77"), "{}", asked[3]);
}

#[tokio::test]
async fn a_service_is_not_asked_where_it_is_off() {
    let server = science().await;
    let mut rig = Rig::new(&[]);
    rig.policy.academic = AcademicUse::Known;
    let error = search(&rig, ServiceName::Crossref, &server.url("")).await.unwrap_err();
    assert_eq!(error.refusal.code(), "service_off");
    assert_eq!(server.requests().len(), 0);
    rig.policy.allow.push("127.0.0.1".parse().unwrap());
    assert!(search(&rig, ServiceName::Crossref, &server.url("")).await.is_ok());
}

#[tokio::test]
async fn odd_answers_are_typed_errors_and_redirects_are_not_followed() {
    let server = science().await;
    let rig = Rig::new(&[]);
    for (folder, code) in [("/away", "status"), ("/form", "wrong_form"), ("/down", "status")] {
        let error = search(&rig, ServiceName::Crossref, &server.url(folder)).await.unwrap_err();
        assert_eq!(error.refusal.code(), code, "{folder}");
    }
}
