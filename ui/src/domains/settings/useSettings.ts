import { atom, getDefaultStore, useAtomValue } from "jotai";
import { useCallback, useEffect } from "react";

import { send, toProblem, useQuery, type Problem, type Settings, type SettingsPatch } from "@/backend";
import { toast } from "@/shared";

import { UNREAD, settle, shown, type SettingsEvent } from "./state";

const stateAtom = atom(UNREAD);
const shownAtom = atom((get) => shown(get(stateAtom)));
const store = getDefaultStore();
let count = 0;

function happen(event: SettingsEvent): void {
    store.set(stateAtom, (state) => settle(state, event));
}

/** Changes settings at once; where the core can't keep them they go back, and the person is told. Gives whether they were kept. */
export async function changeSettings(patch: SettingsPatch): Promise<boolean> {
    count += 1;
    const id = count;
    happen({ do: "choose", id, patch });
    try {
        happen({ do: "keep", id, settings: await send("settings_update", patch) });
        return true;
    } catch (thrown) {
        happen({ do: "revert", id });
        const problem = toProblem(thrown);
        toast({
            text: `The setting was not saved: ${problem.message} ${problem.action ?? ""}`.trim(),
            tone: "failed",
            action: { label: "Try again", onSelect: () => void changeSettings(patch) },
        });
        return false;
    }
}

/** For tests: forgets everything. */
export function forgetSettings(): void {
    store.set(stateAtom, UNREAD);
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
