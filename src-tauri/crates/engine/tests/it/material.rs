//! Files that the person gives along with a question.

use engine::Exit;
use pretty_assertions::assert_eq;

use crate::isa::{QUESTION, Say, shipped, stage};
use crate::world::{World, ask_unattended, section};

#[tokio::test]
async fn material_of_the_person_reaches_the_plan_and_the_answer_of_both_agents() {
    for slug in ["isa-deep-research", "standards-research"] {
        let say = Say::default();
        let mut world = World::new(say.provider(), say.tools()).await;
        let case = engine::Material {
            name: "case.txt".to_owned(),
            text: "The bank was founded in 1987.".to_owned(),
        };
        let start = engine::StartRun { material: vec![case], ..ask_unattended(QUESTION) };
        let (_, told) = world.run(shipped(slug), start).await;
        assert_eq!(told.exit, Exit::Completed, "{slug}: {:?}", told.problem);
        for request in world.requests() {
            let shown = section(&request, "MATERIAL").unwrap_or_default();
            let reads = matches!(stage(&request), "analyze" | "synthesize");
            assert_eq!(
                shown.contains("case.txt") && shown.contains("1987"),
                reads,
                "{slug} {}",
                stage(&request)
            );
        }
    }
}
