// A list of sessions that grows as it is scrolled and stays true while things happen.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { call, useQuery, type Problem, type SessionQuery, type SessionRow } from "@/backend";

import { merged } from "./views";

const PAGE = 100;

export interface Sessions {
    rows: SessionRow[];
    /** Nothing is known yet. */
    loading: boolean;
    problem: Problem | undefined;
    reload: () => void;
    /** Reads the next page, if there is one. */
    more: () => void;
}

interface Later {
    of: string;
    pages: SessionRow[][];
    next: number | null | undefined;
}

export function useSessions(query: Pick<SessionQuery, "view" | "text">): Sessions {
    const params = useMemo(() => ({ view: query.view, text: query.text, limit: PAGE, before: null }), [query.view, query.text]);
    const key = JSON.stringify(params);
    const { data, problem, reload } = useQuery("session_list", params);
    const [later, setLater] = useState<Later>({ of: key, pages: [], next: undefined });
    const current = later.of === key ? later : { of: key, pages: [], next: undefined };
    const reading = useRef(false);
    const next = current.next === undefined ? (data?.next ?? null) : current.next;

    const more = useCallback(() => {
        if (next === null || reading.current) return;
        reading.current = true;
        void call("session_list", { ...params, before: next })
            .then((page) => setLater((before) => ({ of: key, pages: [...(before.of === key ? before.pages : []), page.sessions], next: page.next })))
            .catch(() => undefined)
            .finally(() => (reading.current = false));
    }, [params, key, next]);

    // The first page was read again because something happened: later pages may be affected too.
    const first = useRef(data);
    useEffect(() => {
        if (data === undefined || first.current === data) return;
        first.current = data;
        const count = current.pages.length;
        if (count === 0) return;
        let gone = false;
        void (async () => {
            const pages: SessionRow[][] = [];
            let from = data.next;
            while (pages.length < count && from !== null) {
                const page = await call("session_list", { ...params, before: from });
                pages.push(page.sessions);
                from = page.next;
            }
            if (!gone) setLater({ of: key, pages, next: from });
        })().catch(() => undefined);
        return () => {
            gone = true;
        };
        // Only a new first page is a reason.
        // eslint-disable-next-line react-hooks/exhaustive-deps
    }, [data]);

    const rows = useMemo(() => merged([data?.sessions ?? [], ...current.pages]), [data, current.pages]);
    return { rows, loading: data === undefined && problem === undefined, problem, reload, more };
}
