import { useEffect, useRef } from "react";

import { useSettings } from "@/domains/settings";
import { go } from "@/routes";
import { currentPath } from "@/shared";

/** Shows the first page to who never saw it, unless the window was opened at a certain place. */
export function FirstRun() {
    const { settings } = useSettings();
    const began = useRef(currentPath());
    const welcomed = settings?.welcomed;
    useEffect(() => {
        if (welcomed === undefined) return;
        // Asked of the window itself: it may have gone elsewhere since it was drawn.
        if (!welcomed && began.current === "/" && currentPath() === "/") go({ page: "welcome" }, { replace: true });
        // Once the settings are known the question is settled for this window.
        began.current = "";
    }, [welcomed]);
    return null;
}
