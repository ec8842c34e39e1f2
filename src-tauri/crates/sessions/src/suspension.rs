//! The suspension of a copied run: one that had not ended waits for the person, since nobody asked to pay for it twice.

use domain::{ErrorCode, Problem};

/// The event that suspends a run of this kind, as its log holds it.
///
/// # Errors
/// Only by a defect.
pub fn suspension(kind: &str, seq: u64, at_ms: i64) -> Result<Vec<u8>, Problem> {
    let (at, active_ms) = (u64::try_from(at_ms).unwrap_or_default(), 0);
    match kind {
        engine::turn::KIND => {
            let (v, event) = (dialogue::EVENT_VERSION, dialogue::Event::Suspended);
            engine::turn::encode_turn(&[dialogue::Record { seq, at, v, active_ms, event }])
        }
        engine::mission::KIND => {
            let (v, event) = (missions::EVENT_VERSION, missions::Event::Suspended);
            serde_json::to_vec(&[missions::Record { seq, at, v, active_ms, event }])
                .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
        }
        _ => {
            let event = pipeline::Event::Suspended;
            let v = event.version();
            engine::encode_log(&[pipeline::Record { seq, at, v, active_ms, event }])
        }
    }
}
