import { useEffect, useRef, useState } from "react";

import { shell } from "@/backend";

/**
 * Files that are dropped on the window while the component is there. A browser does not tell where a file lies: there they are handed over
 * to the core, and their paths are those that they have then. Gives whether something is held over the window.
 */
export function useDroppedFiles(onDrop: (paths: string[]) => void): boolean {
    const [over, setOver] = useState(false);
    const latest = useRef(onDrop);
    useEffect(() => {
        latest.current = onDrop;
    });
    useEffect(() => {
        const desktop = shell();
        const stop = desktop?.onDrop((paths) => {
            setOver(false);
            latest.current(paths);
        });
        const carries = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
        const hold = (event: DragEvent) => {
            if (!carries(event)) return;
            event.preventDefault();
            setOver(true);
        };
        const leave = (event: DragEvent) => {
            if (event.relatedTarget === null) setOver(false);
        };
        const drop = (event: DragEvent) => {
            if (!carries(event)) return;
            event.preventDefault();
            setOver(false);
            if (desktop !== undefined || event.dataTransfer === null) return;
            // What is dropped is known only while the event is handled.
            const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());
            const files = [...event.dataTransfer.files];
            void import("./handOver")
                .then(async ({ droppedFiles, handOver }) => handOver(await droppedFiles(entries, files)))
                .then((paths) => paths.length > 0 && latest.current(paths));
        };
        window.addEventListener("dragover", hold);
        window.addEventListener("dragleave", leave);
        window.addEventListener("drop", drop);
        return () => {
            stop?.();
            window.removeEventListener("dragover", hold);
            window.removeEventListener("dragleave", leave);
            window.removeEventListener("drop", drop);
        };
    }, []);
    return over;
}
