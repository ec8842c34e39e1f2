//! A real request over a connection, and in words how it went.

use std::time::Duration;

use domain::agent::Effort;
use domain::connection::{Auth, Connection};
use domain::{NanoUsd, Problem, Usage};
use llm::{
    Detail, Fault, Limits, Message, ModelAnswer, ModelInfo, ModelRequest, Provider, ProviderError,
    StreamEvent, collect,
};
use protocol::{ConnectionTest, CredentialState, TestVerdict};
use support::now_ms;
use tokio::time::Instant;

use super::credential::PresentedSecret;
use super::rows::{host_of, protocol, variable};

/// Output tokens of the request; a model that can't answer without thinking gets more.
const OUTPUT: u64 = 64;
const OUTPUT_THINKING: u64 = 1_024;
/// How long the answer may take: a local server may first have to load the model.
const ANSWER: Duration = Duration::from_secs(180);
/// How long a list of models may take.
const LIST: Duration = Duration::from_secs(20);
/// The most bytes of the answer.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A test's verdict, and what the provider listed on the way.
pub struct Outcome {
    pub test: ConnectionTest,
    pub listed: Option<Vec<ModelInfo>>,
}

/// Asks one small question. `lister` is the same connection without the person's own words on models.
pub async fn run(
    connection: &Connection,
    presented: PresentedSecret,
    provider: &dyn Provider,
    lister: &dyn Provider,
    model: Option<String>,
) -> Outcome {
    let at = now_ms();
    let blank = |model: String| ConnectionTest {
        verdict: TestVerdict::Works,
        message: String::new(),
        action: String::new(),
        model,
        first_ms: 0,
        ms: 0,
        usage: Usage::default(),
        request_id: None,
        at,
        models: 0,
    };
    if let Some((verdict, message, action)) = before_sending(&presented) {
        let model = model.unwrap_or_else(|| provider.default_model());
        return Outcome { test: ConnectionTest { verdict, message, action, ..blank(model) }, listed: None };
    }
    let named = model.or_else(|| Some(provider.default_model())).filter(|model| !model.trim().is_empty());
    let list = || tokio::time::timeout(LIST, lister.models());
    let (listed, model, asked) = match named {
        Some(model) => {
            let (listed, asked) = tokio::join!(list(), ask(provider, &model));
            (listed, model, asked)
        }
        None => {
            let listed = list().await;
            let first =
                listed.as_ref().ok().and_then(|listed| listed.as_ref().ok()).and_then(|list| list.first());
            match first.map(|model| model.id.clone()) {
                Some(model) => {
                    let asked = ask(provider, &model).await;
                    (listed, model, asked)
                }
                None => {
                    let error = match listed {
                        Ok(Err(error)) => error,
                        Ok(Ok(_)) | Err(_) => ProviderError::new(
                            &connection.slug,
                            Fault::BadRequest,
                            "no model is named, and the host lists none",
                        )
                        .with_detail(Detail::ModelUnknown),
                    };
                    let (verdict, message, action) = verdict(&error, connection, "");
                    let test = ConnectionTest { verdict, message, action, ..blank(String::new()) };
                    return Outcome { test, listed: None };
                }
            }
        }
    };
    let listed = listed.ok().and_then(Result::ok).filter(|list| !list.is_empty());
    let models = listed.as_ref().map_or(0, |list| u32::try_from(list.len()).unwrap_or(u32::MAX));
    let TestExchange { first_ms, ms, answer } = asked;
    let test = match answer {
        Ok(answer) => {
            let info = provider.model(&model);
            ConnectionTest {
                message: works(&answer, &info, &model, ms),
                first_ms,
                ms,
                usage: answer.usage,
                request_id: answer.request_id,
                models,
                ..blank(model)
            }
        }
        Err(error) => {
            let (verdict, message, action) = verdict(&error, connection, &model);
            ConnectionTest { verdict, message, action, ms, models, ..blank(model) }
        }
    };
    Outcome { test, listed }
}

struct TestExchange {
    first_ms: u64,
    ms: u64,
    answer: Result<ModelAnswer, ProviderError>,
}

async fn ask(provider: &dyn Provider, model: &str) -> TestExchange {
    let info = provider.model(model);
    let most = if info.thinking && !info.abilities.thinking_off { OUTPUT_THINKING } else { OUTPUT };
    let request = ModelRequest {
        model: model.to_owned(),
        messages: vec![Message::user("Answer with the one word: ready")],
        max_output_tokens: most.min(info.max_output.max(1)),
        effort: Some(Effort::Low),
        ..ModelRequest::default()
    };
    let begun = Instant::now();
    let since = |begun: Instant| u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut first = None;
    let limits = Limits { inactivity: ANSWER, max_bytes: MAX_ANSWER_BYTES };
    let collected = collect(provider.name(), provider.stream(request), limits, |event| {
        if !matches!(event, StreamEvent::Started { .. }) {
            first.get_or_insert_with(|| since(begun));
        }
    });
    let answer = match tokio::time::timeout(ANSWER, collected).await {
        Ok(answer) => answer,
        Err(_) => Err(ProviderError::new(
            provider.name(),
            Fault::Timeout,
            format!("there was no answer within {} seconds", ANSWER.as_secs()),
        )),
    };
    TestExchange { first_ms: first.unwrap_or_default(), ms: since(begun), answer }
}

fn works(answer: &ModelAnswer, info: &ModelInfo, model: &str, ms: u64) -> String {
    let usage = &answer.usage;
    let cost = answer.reported_cost.unwrap_or_else(|| info.cost(usage));
    let input = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    let spent = if usage.total() == 0 {
        "The host did not say how many tokens the test used.".to_owned()
    } else if cost == NanoUsd::default() || info.abilities.flat_rate {
        format!("The test used {input} input and {} output tokens.", usage.output)
    } else {
        format!("The test used {input} input and {} output tokens: {cost} by the table.", usage.output)
    };
    format!("{model} answered in {:.1} s. {spent}", ms as f64 / 1_000.0)
}

type TestReport = (TestVerdict, String, String);

/// What stands in the way before anything is sent.
fn before_sending(presented: &PresentedSecret) -> Option<TestReport> {
    let problem = presented.problem.as_ref();
    let words = |verdict, message: &str, action: &str| {
        let message = problem.map_or(message, |problem| problem.message.as_str());
        let action = problem.and_then(|problem| problem.action.as_deref()).unwrap_or(action);
        Some((verdict, format!("{message}."), capital(action)))
    };
    match presented.state {
        CredentialState::Missing => {
            words(TestVerdict::KeyMissing, "there is no key", "give the connection a key")
        }
        CredentialState::Locked => words(
            TestVerdict::KeyMissing,
            "the key is in the vault, which is locked",
            "unlock the vault with its passphrase",
        ),
        CredentialState::Expired => words(TestVerdict::KeyWrong, "the sign-in has expired", "sign in again"),
        CredentialState::NotNeeded | CredentialState::Stored | CredentialState::Environment => None,
    }
    .map(|(verdict, message, action)| (verdict, capital(&message), action))
}

/// A failed request in words.
fn verdict(error: &ProviderError, connection: &Connection, model: &str) -> TestReport {
    let host = match host_of(connection) {
        host if host.is_empty() => connection.slug.clone(),
        host => host,
    };
    let said = error.message.trim().trim_end_matches('.');
    let kind = of_kind(error, connection);
    let message = match kind {
        TestVerdict::Works => format!("{host} answered"),
        TestVerdict::KeyMissing => format!("{host} asks for a key, and the connection has none: {said}"),
        TestVerdict::KeyWrong => format!("The key was refused by {host}: {said}"),
        TestVerdict::NotAllowed => format!("The key may not use {model} at {host}: {said}"),
        TestVerdict::ModelUnknown if model.is_empty() => format!("No model can be asked at {host}: {said}"),
        TestVerdict::ModelUnknown => format!("{host} does not know the model {model}: {said}"),
        TestVerdict::NoCredit => format!("{host} has no credit for this key: {said}"),
        TestVerdict::Busy => format!("The connection is right, but {host} can't answer now: {said}"),
        TestVerdict::Unreachable => format!("{host} can't be reached: {said}"),
        TestVerdict::Tls => format!("The certificate of {host} is not trusted: {said}"),
        TestVerdict::Clock => {
            format!("The certificate of {host} is not valid at this machine's time: {said}")
        }
        TestVerdict::WrongProtocol => {
            format!("What answers at {host} does not speak {}: {said}", protocol(connection.provider))
        }
        TestVerdict::Refused => format!("{host} did not take the request: {said}"),
    };
    let action = match (kind, &connection.auth) {
        (TestVerdict::KeyMissing, _) => "Give the connection a key.".to_owned(),
        (TestVerdict::KeyWrong, Auth::Oauth { .. }) => "Sign in again.".to_owned(),
        (TestVerdict::KeyWrong, Auth::WorkloadIdentity { token_file, .. }) => {
            format!("Check that the platform keeps {token_file} fresh, and what the identity may do.")
        }
        (TestVerdict::KeyWrong, _) => match variable(connection) {
            Some(name) => format!("Correct {name} where the program is started, and start it again."),
            None => "Give the key again, or make a new one.".to_owned(),
        },
        _ => error.action().to_owned(),
    };
    (kind, format!("{message}."), action)
}

fn of_kind(error: &ProviderError, connection: &Connection) -> TestVerdict {
    match (error.detail, error.fault) {
        (Some(Detail::Dns | Detail::Refused | Detail::Unreachable | Detail::Reset | Detail::Proxy), _) => {
            TestVerdict::Unreachable
        }
        (Some(Detail::Tls), _) => TestVerdict::Tls,
        (Some(Detail::Clock), _) => TestVerdict::Clock,
        (Some(Detail::Redirect | Detail::WrongProtocol), _) => TestVerdict::WrongProtocol,
        (Some(Detail::Settings), _) => TestVerdict::Refused,
        (Some(Detail::ModelUnknown), _) => TestVerdict::ModelUnknown,
        (Some(Detail::SpendLimit), _) => TestVerdict::NoCredit,
        (None | Some(Detail::NotKept), fault) => match fault {
            Fault::Auth if connection.auth == Auth::None => TestVerdict::KeyMissing,
            Fault::Auth => TestVerdict::KeyWrong,
            Fault::Permission => TestVerdict::NotAllowed,
            Fault::Quota => TestVerdict::NoCredit,
            Fault::RateLimit { .. } | Fault::Overloaded { .. } => TestVerdict::Busy,
            Fault::Network | Fault::Timeout | Fault::StreamCut => TestVerdict::Unreachable,
            Fault::Malformed => TestVerdict::WrongProtocol,
            Fault::ContextTooLong | Fault::Refused | Fault::BadRequest | Fault::OverCap => {
                TestVerdict::Refused
            }
        },
    }
}

/// A verdict for a connection that can't even be opened.
pub fn can_not_be_opened(problem: &Problem, model: Option<String>) -> ConnectionTest {
    ConnectionTest {
        verdict: TestVerdict::Refused,
        message: problem.message.clone(),
        action: problem.action.clone().unwrap_or_default(),
        model: model.unwrap_or_default(),
        first_ms: 0,
        ms: 0,
        usage: Usage::default(),
        request_id: None,
        at: now_ms(),
        models: 0,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
