import { useEffect, useRef, useState } from "react";

import { shell } from "@/backend";

/**
 * Files that are dropped on the window while the component is there. In a browser a page is not told where a file lies, so it is told of the attempt with no paths.
 * Gives whether something is held over the window.
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
            if (desktop === undefined) latest.current([]);
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
