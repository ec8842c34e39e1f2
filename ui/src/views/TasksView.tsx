import { TaskBoard, TaskPage } from "@/domains/task";
import { useRoute } from "@/routes";
import { Page } from "@/shared";

export default function TasksView() {
    const route = useRoute();
    if (route.page === "task") return <TaskPage key={route.task} task={route.task} />;
    return (
        <Page title="Tasks" lead="Work on git repositories, each in worktrees of its own." width="reading">
            <TaskBoard />
        </Page>
    );
}
