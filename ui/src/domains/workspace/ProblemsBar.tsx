import { useState } from "react";

import { useQuery, useWindowWorkspace } from "@/backend";
import { lazyPart } from "@/shared";

const ProblemsSection = lazyPart(() => import("./ProblemsSection").then((part) => part.ProblemsSection));

/** One line at the top while a file that was edited by hand is broken; nothing otherwise. */
export function ProblemsBar() {
    const { data } = useQuery("config_problems", null);
    const { slug } = useWindowWorkspace();
    const [hidden, setHidden] = useState("");
    const here = (data ?? []).filter(
        (row) => row.workspace === null || row.workspace === undefined || row.workspace === slug,
    );
    const sign = here.map((row) => `${row.file}:${row.line ?? ""}:${row.message}`).join("\n");
    const first = here[0];
    // Hidden until something else is wrong.
    if (first === undefined || hidden === sign) return null;
    return <ProblemsSection here={here} first={first} onHide={() => setHidden(sign)} />;
}
