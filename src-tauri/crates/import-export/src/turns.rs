//! A transcript as turns of ours.

use dialogue::ToolEnd;
use domain::{Attachment, Digest, Mode, RunId, UserMessage};
use engine::turn::{ImportedPart, ImportedTurn};
use serde_json::Value;
use store::NewSession;
use transfer::{Message, Report, Role, ToolStatus, Transcript};

/// What stands for a first message that is not there.
const NO_FIRST: &str = "(This conversation was brought over without its first message.)";
/// The most bytes of a message.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The most bytes of a payload, below what the store takes.
const MAX_PAYLOAD_BYTES: usize = 32 << 20;

/// The turns of a session; the same transcript and source give the same ids.
pub fn turns(
    transcript: &Transcript,
    source: Digest,
    session: &NewSession,
    place: &str,
    report: &mut Report,
) -> Vec<ImportedTurn> {
    let mut turns: Vec<ImportedTurn> = Vec::new();
    let (mut last, mut left) = (transcript.header.created_at, std::collections::BTreeMap::<Role, u64>::new());
    for message in &transcript.messages {
        // What has no time happened when the one before it did.
        last = if message.at > 0 { message.at } else { last };
        let at = u64::try_from(last).unwrap_or_default();
        let told = match message.role {
            Role::User => {
                let next = turn(transcript, source, session, message, at, turns.last(), place, report);
                turns.push(next);
                continue;
            }
            Role::Tool => match &message.tool {
                Some(tool) => ImportedPart::Call {
                    at,
                    tool: if tool.name.is_empty() { "tool".to_owned() } else { tool.name.clone() },
                    title: tool.title.clone(),
                    intent: tool.intent.clone(),
                    arguments: match &tool.input {
                        input @ Value::Object(_) => input.clone(),
                        _ => Value::Object(serde_json::Map::new()),
                    },
                    result: fitting(&tool.output, MAX_PAYLOAD_BYTES, message, place, report),
                    end: end(tool.status),
                    ms: tool.ms,
                },
                None => ImportedPart::Text { at, text: message.text.clone() },
            },
            Role::Assistant | Role::Plan => ImportedPart::Text {
                at,
                text: fitting(&message.text, MAX_PAYLOAD_BYTES, message, place, report),
            },
            Role::Error => ImportedPart::Text { at, text: format!("**Error:** {}", message.text) },
            Role::Status | Role::System | Role::Info | Role::Warning | Role::Auth => {
                *left.entry(message.role).or_default() += 1;
                continue;
            }
        };
        if turns.is_empty() {
            let first = Message::new(Role::User, "first", last, NO_FIRST);
            turns.push(turn(transcript, source, session, &first, at, None, place, report));
        }
        if let Some(turn) = turns.last_mut() {
            turn.said.push(told);
        }
    }
    for (role, number) in left {
        let what = format!("{number} of kind {}", role.title().to_lowercase());
        report.leave_out(
            "message",
            &what,
            "what the other program told its person is no part of what was said",
            place,
        );
    }
    turns
}

#[expect(clippy::too_many_arguments, reason = "all of them are what a turn is made of")]
fn turn(
    transcript: &Transcript,
    source: Digest,
    session: &NewSession,
    message: &Message,
    at: u64,
    before: Option<&ImportedTurn>,
    place: &str,
    report: &mut Report,
) -> ImportedTurn {
    let header = &transcript.header;
    let files = message.attachments.iter().filter(|file| !file.file.is_empty()).map(|file| Attachment {
        id: file.file.clone(),
        name: file.name.clone(),
        media_type: file.media_type.clone(),
        bytes: file.bytes,
        note: None,
        pages: None,
    });
    let mut text = fitting(&message.text, MAX_TEXT_BYTES, message, place, report);
    let attachments: Vec<Attachment> = files.collect();
    if text.trim().is_empty() && attachments.is_empty() {
        text = NO_FIRST.to_owned();
    }
    ImportedTurn {
        run: run_id(source, &message.id, at),
        session: session.clone(),
        agent: header.agent.clone(),
        previous: before.map(|turn| turn.run.clone()),
        mode: match header.mode.as_str() {
            "safe" => Mode::Safe,
            "allow-all" => Mode::AllowAll,
            _ => Mode::Ask,
        },
        model: header.model.clone(),
        at,
        message: UserMessage { text, mentions: Vec::new(), attachments },
        said: Vec::new(),
    }
}

fn fitting(text: &str, most: usize, message: &Message, place: &str, report: &mut Report) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let why = format!("it has {} bytes and was cut to {most}", text.len());
    report.change("message", &message.id, why, place);
    text[..text.floor_char_boundary(most)].to_owned()
}

fn end(status: ToolStatus) -> ToolEnd {
    match status {
        ToolStatus::Completed | ToolStatus::Backgrounded => ToolEnd::Ok,
        ToolStatus::Error => ToolEnd::Failed,
        ToolStatus::Denied => ToolEnd::Denied,
        ToolStatus::Stopped | ToolStatus::Pending => ToolEnd::Stopped,
        ToolStatus::Executing => ToolEnd::Unknown,
    }
}

/// A run's id that the same message of the same source always gets: 48 bits of time and 80 of a digest, in the form of all
/// ids of runs.
pub fn run_id(source: Digest, message: &str, at: u64) -> RunId {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let digest = Digest::of(format!("{source}/{message}")).0;
    let chance = digest.iter().take(10).fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    let bits = (u128::from(at & 0xFFFF_FFFF_FFFF) << 80) | chance;
    let text: String =
        (0..26).rev().map(|place| DIGITS[((bits >> (place * 5)) & 31) as usize] as char).collect();
    RunId(format!("run-{text}"))
}
