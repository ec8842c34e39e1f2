import { MakeSkill, SkillPage, SkillRows } from "@/domains/skill";
import { useRoute } from "@/routes";
import { Page } from "@/shared";

export default function SkillsView() {
    const route = useRoute();
    if (route.page === "skill") return <SkillPage key={route.slug} slug={route.slug} edit={route.edit} />;
    return (
        <Page
            title="Skills"
            lead="Skills are instructions for special tasks. Use “/” in a message to mention one."
            width="reading"
            actions={<MakeSkill />}
        >
            <SkillRows />
        </Page>
    );
}
