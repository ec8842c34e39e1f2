import { atom, getDefaultStore, useAtomValue } from "jotai";
import { useCallback, useEffect } from "react";

import { learn, send, toProblem, useQuery, type Problem, type Settings, type SettingsPatch } from "@/backend";
import { toast, problemText } from "@/shared";

import { UNREAD, settle, shown, type SettingsEvent } from "./state";

const stateAtom = atom(UNREAD);
const shownAtom = atom((get) => shown(get(stateAtom)));
const store = getDefaultStore();
let count = 0;
/** The last change, while it is under way: the next one waits for it. */
let sent: Promise<unknown> | undefined;

function happen(event: SettingsEvent): void {
    store.set(stateAtom, (state) => settle(state, event));
}

/**
 * Changes settings at once; where the core can't keep them they go back, and the person is told. Gives whether they were kept. Changes are sent one
 * after the other: which one is the later is known here alone.
 */
export async function changeSettings(patch: SettingsPatch): Promise<boolean> {
    count += 1;
    const id = count;
    happen({ do: "choose", id, patch });
    const answer =
        sent === undefined ? send("settings_update", patch) : sent.then(() => send("settings_update", patch));
    const done = answer.then(
        () => undefined,
        () => undefined,
    );
    sent = done;
    void done.then(() => {
        if (sent === done) sent = undefined;
    });
    try {
        const settings = await answer;
        // The answer may be older than what was read meanwhile: reading the same again has to count as news.
        learn("settings_show", null, settings);
        happen({ do: "keep", id, settings });
        return true;
    } catch (thrown) {
        happen({ do: "revert", id });
        const problem = toProblem(thrown);
        toast({
            text: problemText(problem, "The setting was not saved"),
            tone: "failed",
            action: { label: "Try again", onSelect: () => void changeSettings(patch) },
        });
        return false;
    }
}

/** For tests: forgets everything. */
export function forgetSettings(): void {
    store.set(stateAtom, UNREAD);
    sent = undefined;
}

export interface SettingsUse {
    /** Undefined until they were read. */
    settings: Settings | undefined;
    problem: Problem | undefined;
    reload: () => void;
    change: (patch: SettingsPatch) => Promise<boolean>;
}

/** What the person set, with changes that are on their way. */
export function useSettings(): SettingsUse {
    const { data, problem, reload } = useQuery("settings_show", null);
    useEffect(() => {
        if (data !== undefined) happen({ do: "read", settings: data });
    }, [data]);
    const settings = useAtomValue(shownAtom);
    const change = useCallback((patch: SettingsPatch) => changeSettings(patch), []);
    return { settings, problem, reload, change };
}
