import { SkillPage, SkillRows } from "@/domains/skill";
import { useRoute } from "@/routes";
import { Page } from "@/shared";

export default function SkillsView() {
    const route = useRoute();
    if (route.page === "skill") return <SkillPage key={route.slug} slug={route.slug} />;
    return (
        <Page title="Skills" lead="Instructions for special work. Name one in a message with “/”." width="reading">
            <SkillRows />
        </Page>
    );
}
