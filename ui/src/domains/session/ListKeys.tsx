// What the keyboard does in the list, each under a name of its own, so that the list of shortcuts shows it and a person can give it other keys.

import { useShortcut } from "@/shared";

export interface ListKey {
    id: string;
    keys: string;
    label: string;
    run: (event: KeyboardEvent) => void;
}

function Key({ id, keys, label, run, enabled }: ListKey & { enabled: boolean }) {
    useShortcut(id, keys, label, run, { group: "List", enabled });
    return null;
}

/** `enabled`: while the list has the keyboard. Draws nothing. */
export function ListKeys({ keys, enabled }: { keys: readonly ListKey[]; enabled: boolean }) {
    return keys.map((key) => <Key key={`${key.id} ${key.keys}`} {...key} enabled={enabled} />);
}
