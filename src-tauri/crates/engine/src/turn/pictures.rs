//! Pictures that a model answers with: kept among the session's attached files, with a line of the text in their place.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{MediaKind, RunId};
use llm::{ModelAnswer, Part};

use super::history::SessionFiles;

/// The largest picture that is kept, in bytes.
const MAX_PICTURE_BYTES: usize = 20 << 20;
/// The most pictures of one answer that are kept.
const MAX_PICTURES: usize = 16;

/// Why a picture is not kept.
enum PictureOmission {
    Kind(String),
    Many,
    Large,
    Unreadable,
    Storage(std::io::Error),
}

impl PictureOmission {
    fn reason(&self) -> String {
        match self {
            Self::Kind(kind) => format!("its kind, {kind:?}, is not shown here"),
            Self::Many => format!("more than {MAX_PICTURES} came in one answer"),
            Self::Large => "it is larger than 20 MB".to_owned(),
            Self::Unreadable => "its data can't be read".to_owned(),
            Self::Storage(error) => format!("it can't be stored: {error}"),
        }
    }
}

/// Takes the pictures out of an answer. Each becomes a file of the session and a line of the text that leads to it:
/// `[Picture 1: image/png, 240 kB](#attachment-<id>)`.
pub(super) async fn taken_out(
    mut answer: ModelAnswer,
    own: &SessionFiles,
    run: &RunId,
    call: u32,
) -> ModelAnswer {
    if !answer.parts.iter().any(|part| matches!(part, Part::Image { .. })) {
        return answer;
    }
    let mut number = 0;
    for part in &mut answer.parts {
        let Part::Image { media_type, data } = part else { continue };
        number += 1;
        let line = match kept(own, run, call, number, media_type, data).await {
            Ok((id, bytes)) => {
                format!("[Picture {number}: {media_type}, {}](#attachment-{id})", size(bytes))
            }
            Err(why) => format!("(Picture {number} is left out: {}.)", why.reason()),
        };
        if !answer.text.is_empty() {
            answer.text.push_str("\n\n");
        }
        answer.text.push_str(&line);
        *part = Part::Text { text: line };
    }
    if answer.parts.iter().all(|part| matches!(part, Part::Text { .. })) {
        answer.parts.clear();
    }
    answer
}

async fn kept(
    own: &SessionFiles,
    run: &RunId,
    call: u32,
    number: usize,
    media_type: &str,
    data: &str,
) -> Result<(String, usize), PictureOmission> {
    const KINDS: [MediaKind; 4] = [MediaKind::Png, MediaKind::Jpeg, MediaKind::Gif, MediaKind::Webp];
    let Some(kind) = KINDS.iter().find(|kind| kind.as_str() == media_type) else {
        return Err(PictureOmission::Kind(media_type.to_owned()));
    };
    if number > MAX_PICTURES {
        return Err(PictureOmission::Many);
    }
    if data.len() / 4 * 3 > MAX_PICTURE_BYTES {
        return Err(PictureOmission::Large);
    }
    let bytes = BASE64_STANDARD.decode(data.trim()).map_err(|_| PictureOmission::Unreadable)?;
    let short = &run.0[run.0.floor_char_boundary(run.0.len().saturating_sub(8))..];
    let id = format!("{short}.m{call}.{number}-picture.{}", kind.ending());
    let path = own.attachment(&id).ok_or(PictureOmission::Unreadable)?;
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await.map_err(PictureOmission::Storage)?;
    }
    tokio::fs::write(&path, &bytes).await.map_err(PictureOmission::Storage)?;
    Ok((id, bytes.len()))
}

fn size(bytes: usize) -> String {
    match bytes {
        ..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
