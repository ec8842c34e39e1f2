import { AGENT, TaskBoard, TaskPage } from "@/domains/task";
import { go, useRoute } from "@/routes";
import { Button, Page } from "@/shared";

export default function TasksView() {
    const route = useRoute();
    if (route.page === "task") return <TaskPage key={route.task} task={route.task} />;
    return (
        <Page
            title="Tasks"
            lead="Work on git repositories, each in worktrees of its own."
            width="reading"
            actions={
                <Button variant="primary" onClick={() => go({ page: "new", agent: AGENT })}>
                    New task
                </Button>
            }
        >
            <TaskBoard />
        </Page>
    );
}
