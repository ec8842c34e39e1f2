//! What of an answer can be read while it is being written.

use engine::turn::{StepKind, StepStatus, TurnUiKind};
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;

use crate::turn_world::World;

#[tokio::test]
async fn a_turn_that_is_read_in_the_middle_holds_what_was_said_so_far() {
    let said = "Ein langer Weg 🌄 und noch mehr davon.";
    let answer = Answer::text(said).thinking("Hm.").chunks(8).hang_after(7);
    let mut world = World::new(ScriptedProvider::queue([answer])).await;
    let (_, run) = world.begin("Go").await;
    let (mut text, mut thinking) = (String::new(), String::new());
    while thinking.is_empty() || !text.contains("noch") {
        let told = world.until(&run, |kind| matches!(kind, TurnUiKind::Delta { .. })).await;
        let TurnUiKind::Delta { text: piece, thinking: thought, at, .. } = told else { unreachable!() };
        let whole = if thought { &mut thinking } else { &mut text };
        // Each piece says where it stands.
        assert_eq!(at, whole.encode_utf16().count() as u64);
        whole.push_str(&piece);
    }
    let view = world.engine.turn_view(&run).await.unwrap();
    let step = view.steps.last().unwrap();
    assert_eq!(step.status, StepStatus::Running);
    assert_eq!(step.kind, StepKind::Model { thinking, text });
    assert!(!world.names(&run).await.contains(&"model_answered"), "nothing of it is in the log");
    world.engine.stop_turn(&run).await.unwrap();
    let view = world.engine.turn_view(&run).await.unwrap();
    let nothing = StepKind::Model { thinking: String::new(), text: String::new() };
    assert_eq!(view.steps.last().unwrap().kind, nothing);
}
