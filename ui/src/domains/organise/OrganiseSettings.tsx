// Statuses, labels and views, edited. The same stands in files that a person may edit instead.

import { useEffect, useRef, useState } from "react";

import { useQuery } from "@/backend";
import { AsyncBoundary } from "@/shared";

import { LabelEditor } from "./LabelEditor";
import { organised } from "./organisation";
import { NEW, StatusEditor } from "./StatusEditor";
import { ViewEditor } from "./ViewEditor";

type Part = "status" | "label" | "view";

interface Open {
    part: Part;
    id: string;
}

/** `open`: `view:bugs`; `add`: `view`, or `label:work` for one below another. */
function asked(open: string | undefined, add: string | undefined): Open | undefined {
    const text = add ?? open;
    if (text === undefined) return undefined;
    const at = text.indexOf(":");
    const [part, id] = at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
    if (part !== "status" && part !== "label" && part !== "view") return undefined;
    return { part, id: add === undefined ? id : id === "" ? NEW : `${NEW}:${id}` };
}

export function OrganiseSettings({ open, add }: { open?: string; add?: string }) {
    const query = useQuery("organise_show", null);
    const from = `${open ?? ""} ${add ?? ""}`;
    const [seen, setSeen] = useState(from);
    const [shown, setShown] = useState<Open | undefined>(() => asked(open, add));
    if (seen !== from) {
        setSeen(from);
        setShown(asked(open, add));
    }
    const box = useRef<HTMLDivElement>(null);
    const known = query.data !== undefined;
    useEffect(() => {
        // What a link asked for is brought into sight once it is there.
        if (known && asked(open, add) !== undefined)
            box.current?.querySelector("form")?.scrollIntoView({ block: "center" });
    }, [known, open, add]);
    const at = (part: Part) => ({
        open: shown?.part === part ? shown.id : undefined,
        onOpen: (id: string | undefined) => setShown(id === undefined ? undefined : { part, id }),
    });
    return (
        <AsyncBoundary of={query} what="statuses, labels and views">
            {(data) => {
                const organisation = organised(data);
                return (
                    <div ref={box}>
                        {data.problems.length > 0 && (
                            <ul
                                role="alert"
                                className="mb-6 rounded-card border border-hairline border-l-2 border-l-needs-rule bg-surface p-3 text-ui"
                            >
                                {data.problems.map((problem) => (
                                    <li key={`${problem.file} ${problem.place}`} className="py-0.5">
                                        <code className="font-mono text-code">{problem.file}</code> {problem.place}:{" "}
                                        {problem.message}{" "}
                                        <span className="text-ink-3">The last valid version stays in use.</span>
                                    </li>
                                ))}
                            </ul>
                        )}
                        <StatusEditor organisation={organisation} {...at("status")} />
                        <LabelEditor organisation={organisation} {...at("label")} />
                        <ViewEditor organisation={organisation} {...at("view")} />
                        <p className="mt-8 text-small text-ink-3">
                            These settings are stored in the workspace files{" "}
                            <code className="font-mono">statuses/config.json</code>,{" "}
                            <code className="font-mono">labels/config.json</code> and{" "}
                            <code className="font-mono">views.json</code>. Changes there take effect immediately.
                        </p>
                    </div>
                );
            }}
        </AsyncBoundary>
    );
}
