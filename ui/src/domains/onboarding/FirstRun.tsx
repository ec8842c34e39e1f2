import { useEffect, useRef } from "react";

import { useSettings } from "@/domains/settings";
import { go } from "@/routes";
import { usePath } from "@/shared";

/** Shows the first page to who never saw it, unless the window was opened at a certain place. */
export function FirstRun() {
    const { settings } = useSettings();
    const path = usePath();
    const began = useRef(path);
    const welcomed = settings?.welcomed;
    useEffect(() => {
        if (welcomed === undefined) return;
        if (!welcomed && began.current === "/" && path === "/") go({ page: "welcome" }, { replace: true });
        // Once the settings are known the question is settled for this window.
        began.current = "";
    }, [welcomed, path]);
    return null;
}
