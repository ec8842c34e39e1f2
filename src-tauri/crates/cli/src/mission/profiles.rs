//! `mission profiles` and `mission check`: what missions are after, when they are done and what they may use.

use app::AnyClient;
use domain::{ErrorCode, Problem};
use protocol::{Client, ProfileRow};

use super::forecast::{criteria, limits};
use crate::outcome::Outcome;
use crate::terminal::{print_either, print_json, printable};

/// `mission profiles`.
pub(super) async fn profiles(
    client: &AnyClient,
    slug: Option<String>,
    json: bool,
) -> Result<Outcome, Problem> {
    if let Some(slug) = slug {
        let profile = named(client, &slug).await?;
        print_either(json, &profile, show);
        return Ok(Outcome::Done);
    }
    let profiles = client.profile_list().await?;
    if json {
        return print_json(&serde_json::json!({ "profiles": profiles }));
    }
    for profile in profiles {
        println!("{}: {}", profile.slug, printable(&profile.description));
        modes(&profile);
        for problem in &profile.problems {
            println!("    ! {}", printable(problem));
        }
    }
    Ok(Outcome::Done)
}

fn modes(profile: &ProfileRow) {
    for mode in &profile.modes {
        println!("    --mode {}: {}", printable(&mode.name), printable(&mode.description));
    }
}

/// One profile with all that it is agreed on.
fn show(profile: &ProfileRow) {
    println!("{}  {}", profile.slug, printable(&profile.name));
    println!("{}", printable(&profile.description));
    modes(profile);
    let list = |name: &str, words: &[String], none: &str| {
        let words = if words.is_empty() { none.to_owned() } else { words.join(", ") };
        println!("{name}: {}", printable(&words));
    };
    criteria(&profile.criteria);
    limits(&profile.limits);
    list("agents", &profile.agents, "every one with `capabilities`");
    list("sections of the report", &profile.sections, "none required");
    for example in &profile.examples {
        println!("example: {}", printable(example));
    }
    for problem in &profile.problems {
        println!("! {}", printable(problem));
    }
}

async fn named(client: &AnyClient, slug: &str) -> Result<ProfileRow, Problem> {
    let found = client.profile_list().await?.into_iter().find(|profile| profile.slug == slug);
    found.ok_or_else(|| {
        Problem::new(ErrorCode::NotFound, format!("there is no mission profile {slug}"))
            .with_action("`agentnative mission profiles` lists them")
    })
}

/// `mission check`.
pub(super) async fn check(client: &AnyClient, slug: &str) -> Result<Outcome, Problem> {
    let profile = named(client, slug).await?;
    for problem in &profile.problems {
        println!("{}", printable(problem));
    }
    if profile.problems.is_empty() {
        println!("{slug} can be used");
        return Ok(Outcome::Done);
    }
    Ok(Outcome::Failed)
}
