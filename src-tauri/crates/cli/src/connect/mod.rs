//! Connections to model providers, their models, what they cost and the secrets they use, from the terminal.

mod args;
mod secrets;
mod usage;

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::time::Duration;

use app::AnyClient;
use domain::connection::{Auth, Connection, MAX_PARALLEL_CALLS, ProviderKind};
use domain::{ErrorCode, Problem};
use protocol::{
    Client, ConnectionSave, ConnectionShare, ConnectionTest, ConnectionView, CredentialState, SettingsPatch,
    SignIn, SignInState, TestVerdict,
};

pub use args::{ConnectCommand, ModelsArgs, SecretsCommand, UsageArgs};
pub use secrets::{secrets, unlock, unlock_vault};
pub use usage::usage;

use crate::outcome::Outcome;
use crate::run::with_client;
use crate::terminal::{json_line, print_json, printable};
use args::{AddArgs, Protocol};

/// The most bytes of a secret that are read from standard input.
const MAX_SECRET_BYTES: u64 = 64 << 10;
/// How often a sign-in is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// `connect`.
pub async fn connect(home: &Path, command: ConnectCommand) -> Result<Outcome, Problem> {
    // What is asked of the person is asked before the data directory is held.
    let command = match command {
        ConnectCommand::Presets { json } => {
            return with_client(home, async |client| presets(client, json).await).await;
        }
        other => other,
    };
    with_client(home, async |client| match command {
        ConnectCommand::Add(args) => add(client, *args).await,
        ConnectCommand::Edit { slug, max_parallel_calls } => edit(client, slug, &max_parallel_calls).await,
        ConnectCommand::List { json } => list(client, json).await,
        ConnectCommand::Show { slug, json } => show(client, slug, json).await,
        ConnectCommand::Test { slug, model, json } => {
            unlock(client, &slug).await?;
            let tested = client.connection_test(slug, model).await?;
            Ok(tell(&tested, json))
        }
        ConnectCommand::Key { slug } => key(client, slug).await,
        ConnectCommand::Login { slug } => login(client, slug).await,
        ConnectCommand::Default { slug, agent } => default(client, slug, agent).await,
        ConnectCommand::Share { slug, with, all } => {
            // An empty name stands for the workspace itself, which the core knows.
            let workspaces = if all { Vec::new() } else { with.into_iter().chain([String::new()]).collect() };
            let share = ConnectionShare { slug: slug.clone(), workspaces };
            let having = client.connection_share(share).await?.row.workspaces.join(", ");
            println!("{slug} is in {}", if having.is_empty() { "every workspace" } else { &having });
            Ok(Outcome::Done)
        }
        ConnectCommand::Remove { slug } => {
            client.connection_remove(slug.clone()).await?;
            eprintln!("removed {slug} and its secrets");
            Ok(Outcome::Done)
        }
        ConnectCommand::Presets { json } => presets(client, json).await,
    })
    .await
}

/// `models`.
pub async fn models(home: &Path, args: ModelsArgs) -> Result<Outcome, Problem> {
    with_client(home, async |client| {
        let slugs = match args.connection {
            Some(slug) => vec![slug],
            None => client.connection_list().await?.into_iter().map(|row| row.slug).collect(),
        };
        let mut all = Vec::new();
        for slug in slugs {
            all.push(match args.refresh {
                true => client.connection_models(slug).await?,
                false => client.connection_show(slug).await?,
            });
        }
        if args.json {
            let models: Vec<_> = all.into_iter().flat_map(|view| view.models).collect();
            return print_json(&models);
        }
        for view in &all {
            print_models(view);
        }
        Ok(Outcome::Done)
    })
    .await
}

async fn add(client: &AnyClient, args: AddArgs) -> Result<Outcome, Problem> {
    let mut connection = match &args.preset {
        Some(preset) => from_preset(client, preset).await?,
        None => Connection::new("", ProviderKind::Offline),
    };
    connection.slug = args.slug;
    if let Some(provider) = args.provider {
        connection.provider = kind(provider);
        // A key is what these providers ask for; compatible hosts and local servers often want none.
        if args.preset.is_none()
            && matches!(provider, Protocol::Anthropic | Protocol::Openai | Protocol::Gemini)
        {
            connection.auth = Auth::Key { env: None };
        }
    }
    if let Some(name) = args.name {
        connection.name = name;
    }
    connection.base_url = args.base_url.or(connection.base_url);
    connection.default_model = args.model.or(connection.default_model);
    connection.judge_model = args.judge_model.or(connection.judge_model);
    connection.flat_rate |= args.flat_rate;
    connection.background |= args.background;
    connection.max_parallel_calls = args.max_parallel_calls.or(connection.max_parallel_calls);
    connection.proxy = args.proxy.or(connection.proxy);
    if let Some(file) = args.ca_file {
        let file = std::path::absolute(&file).unwrap_or(file);
        connection.ca_file = Some(file.display().to_string());
    }
    for header in &args.headers {
        let Some((name, value)) = header.split_once(':') else {
            return Err(Problem::new(ErrorCode::InvalidInput, format!("{header:?} is no header"))
                .with_action("write it as \"Name: value\""));
        };
        connection.headers.insert(name.trim().to_owned(), value.trim().to_owned());
    }
    match (args.no_key, args.bearer, args.key_env) {
        (true, ..) => connection.auth = Auth::None,
        (false, true, env) => connection.auth = Auth::Bearer { env },
        (false, false, Some(env)) => connection.auth = Auth::Key { env: Some(env) },
        (false, false, None) => {}
    }
    let asks = matches!(connection.auth, Auth::Key { env: None } | Auth::Bearer { env: None });
    let secret = if asks { Some(secret(&format!("Key for {}: ", connection.slug))?) } else { None };
    let slug = connection.slug.clone();
    let is_first = client.connection_list().await?.iter().all(|row| row.built_in);
    let added = connection.clone();
    let save = ConnectionSave { connection, secret, was: None, replace: args.replace, private: args.private };
    client.connection_save(Box::new(save)).await?;
    eprintln!("added {slug}");
    money::set_own_limits(client, &slug, &args.limits).await?;
    money::ask_for_limits(client, &added).await?;
    if args.no_test {
        return Ok(Outcome::Done);
    }
    let tested = client.connection_test(slug.clone(), None).await?;
    let outcome = tell(&tested, args.json);
    if outcome == Outcome::Failed {
        eprintln!("the connection is kept; `agentnative connect test {slug}` tries it again");
    } else if is_first {
        // Nothing else was chosen.
        default(client, slug, None).await?;
    }
    Ok(outcome)
}

async fn edit(client: &AnyClient, slug: String, calls: &str) -> Result<Outcome, Problem> {
    let calls = match calls {
        "default" => None,
        number => Some(number.parse().map_err(|_| {
            Problem::new(ErrorCode::InvalidInput, format!("{number:?} is no number of calls"))
                .with_action(format!("give 1 to {MAX_PARALLEL_CALLS}, or \"default\""))
        })?),
    };
    let Some(connection) = client.connection_show(slug.clone()).await?.config else {
        return Err(Problem::new(ErrorCode::InvalidInput, format!("{slug} has no settings to change"))
            .with_action("`agentnative connect list` shows the connections of your own"));
    };
    let connection = Connection { max_parallel_calls: calls, ..connection };
    let save =
        ConnectionSave { connection, secret: None, was: Some(slug.clone()), replace: false, private: false };
    client.connection_save(Box::new(save)).await?;
    eprintln!("changed {slug}");
    Ok(Outcome::Done)
}

async fn from_preset(client: &AnyClient, wanted: &str) -> Result<Connection, Problem> {
    let presets = client.connection_presets().await?;
    let known: Vec<String> = presets.iter().map(|preset| preset.preset.clone()).collect();
    presets.into_iter().find(|preset| preset.preset == wanted).map(|preset| preset.connection).ok_or_else(
        || Problem::new(ErrorCode::NotFound, format!("no preset {wanted:?}; there are {}", known.join(", "))),
    )
}

const fn kind(protocol: Protocol) -> ProviderKind {
    match protocol {
        Protocol::Anthropic => ProviderKind::Anthropic,
        Protocol::Openai => ProviderKind::Openai,
        Protocol::OpenaiChat => ProviderKind::OpenaiChat,
        Protocol::Gemini => ProviderKind::Gemini,
        Protocol::Ollama => ProviderKind::Ollama,
    }
}

async fn list(client: &AnyClient, json: bool) -> Result<Outcome, Problem> {
    let rows = client.connection_list().await?;
    if json {
        return print_json(&rows);
    }
    for row in rows {
        let mark = if row.default { "*" } else { " " };
        let model = row.default_model.as_deref().unwrap_or("");
        println!(
            "{mark} {:<18} {:<12} {:<28} {:<14} {}",
            row.slug,
            row.provider.as_str(),
            printable(model),
            state(row.credential),
            printable(&row.address)
        );
        for problem in row.problem.iter().chain(&row.outdated) {
            println!("    {}", printable(&problem.to_string()));
        }
    }
    Ok(Outcome::Done)
}

const fn state(credential: CredentialState) -> &'static str {
    match credential {
        CredentialState::NotNeeded => "no key needed",
        CredentialState::Stored => "key stored",
        CredentialState::Environment => "key from env",
        CredentialState::Missing => "key missing",
        CredentialState::Locked => "vault locked",
        CredentialState::Expired => "sign in again",
    }
}

async fn show(client: &AnyClient, slug: String, json: bool) -> Result<Outcome, Problem> {
    let view = client.connection_show(slug).await?;
    if json {
        return print_json(&view);
    }
    let row = &view.row;
    println!("{}  {}  {}", row.slug, row.provider.as_str(), printable(&row.address));
    println!("{}", printable(&row.description));
    println!("{}", state(row.credential));
    if let Some(tested) = &row.tested {
        println!("last test: {}", printable(&tested.message));
    }
    for problem in row.problem.iter().chain(&row.outdated) {
        println!("{}", printable(&problem.to_string()));
    }
    println!();
    print_models(&view);
    Ok(Outcome::Done)
}

fn print_models(view: &ConnectionView) {
    let price = |price: Option<f64>| price.map_or_else(|| "?".to_owned(), |price| format!("{price}"));
    for model in &view.models {
        println!(
            "{:<16} {:<36} {:>9} in {:>7} out  ${:>6} / ${:<6} {}",
            printable(&model.connection),
            printable(&model.id),
            model.context_window,
            model.max_output,
            price(model.input_price),
            price(model.output_price),
            model.known_from
        );
    }
    if view.models.is_empty() {
        eprintln!(
            "{}: no models are known; `agentnative models {} --refresh` asks for them",
            view.row.slug, view.row.slug
        );
    }
}

/// Says how a test went: the machine's form to stdout, words to the person.
fn tell(tested: &ConnectionTest, json: bool) -> Outcome {
    if json {
        println!("{}", json_line(tested));
    } else {
        println!("{}", printable(&tested.message));
        if !tested.action.is_empty() {
            println!("{}", printable(&tested.action));
        }
    }
    if tested.verdict == TestVerdict::Works { Outcome::Done } else { Outcome::Failed }
}

async fn key(client: &AnyClient, slug: String) -> Result<Outcome, Problem> {
    let view = client.connection_show(slug).await?;
    let Some(connection) = view.config else {
        return Err(Problem::new(ErrorCode::InvalidInput, format!("{} needs no key", view.row.slug)));
    };
    let secret = Some(secret(&format!("Key for {}: ", connection.slug))?);
    let save = ConnectionSave {
        was: Some(connection.slug.clone()),
        connection,
        secret,
        replace: true,
        private: false,
    };
    client.connection_save(Box::new(save)).await?;
    eprintln!("stored");
    Ok(Outcome::Done)
}

async fn login(client: &AnyClient, slug: String) -> Result<Outcome, Problem> {
    let begun = client.sign_in_begin(slug).await?;
    signed_in(client, begun, ErrorCode::Provider).await
}

/// Waits until a sign-in in a browser has ended; one that fails has this code.
pub async fn signed_in(client: &AnyClient, begun: SignIn, code: ErrorCode) -> Result<Outcome, Problem> {
    if !begun.url.is_empty() {
        eprintln!(
            "Open this address in a browser on this machine:\n\n  {}\n\nCtrl-C gives up.",
            printable(&begun.url)
        );
    }
    loop {
        let now = client.sign_in_show(begun.id.clone()).await?;
        match now.state {
            SignInState::Waiting => {}
            SignInState::Done => {
                println!("{}", printable(&now.message));
                return Ok(Outcome::Done);
            }
            SignInState::Failed => return Err(Problem::new(code, now.message)),
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = tokio::signal::ctrl_c() => {
                client.sign_in_cancel(begun.id.clone()).await?;
                return Ok(Outcome::Cancelled);
            }
        }
    }
}

async fn default(client: &AnyClient, slug: String, agent: Option<String>) -> Result<Outcome, Problem> {
    if !client.connection_list().await?.iter().any(|row| row.slug == slug) {
        return Err(Problem::new(ErrorCode::NotFound, format!("no connection {slug:?}"))
            .with_action("`agentnative connect list` shows them"));
    }
    let (patch, whose) = match agent {
        None => {
            let patch = SettingsPatch { default_connection: Some(slug.clone()), ..Default::default() };
            (patch, "new questions, unless their agent has a connection of its own,".to_owned())
        }
        Some(agent) => {
            let mut settings = client.settings_show().await?;
            let whose = format!("new questions to {agent}");
            settings.agent_connections.insert(agent, slug.clone());
            let patch =
                SettingsPatch { agent_connections: Some(settings.agent_connections), ..Default::default() };
            (patch, whose)
        }
    };
    client.settings_update(patch).await?;
    eprintln!("{whose} go over {slug}");
    Ok(Outcome::Done)
}

async fn presets(client: &AnyClient, json: bool) -> Result<Outcome, Problem> {
    let presets = client.connection_presets().await?;
    if json {
        return print_json(&presets);
    }
    for preset in presets {
        println!("{:<18} {:<26} {}", preset.preset, printable(&preset.name), printable(&preset.description));
    }
    Ok(Outcome::Done)
}

/// A secret: typed without an echo, or the whole of standard input where that is no terminal.
pub fn secret(question: &str) -> Result<String, Problem> {
    let bad = |what: &str| {
        Problem::new(ErrorCode::InvalidInput, format!("no secret: {what}"))
            .with_action("pipe it in, as in `printf %s \"$KEY\" | agentnative …`")
    };
    let read = if std::io::stdin().is_terminal() {
        rpassword::prompt_password(question).map_err(|error| bad(&error.to_string()))?
    } else {
        let mut text = String::new();
        let most = MAX_SECRET_BYTES + 1;
        std::io::stdin().take(most).read_to_string(&mut text).map_err(|error| bad(&error.to_string()))?;
        if text.len() as u64 == most {
            return Err(bad(&format!("more than {MAX_SECRET_BYTES} bytes were given")));
        }
        text
    };
    let read = read.trim().to_owned();
    if read.is_empty() { Err(bad("nothing was given")) } else { Ok(read) }
}
