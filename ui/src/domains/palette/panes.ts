// The window's panes by number, for the keyboard.

const PANES = ["sidebar", "list", "content"] as const;

/** What a pane is most used for: its list, what it is at, or its text field; else the first thing that takes the focus. */
const PREFERRED = [
    '[role="listbox"][tabindex="0"], [role="tree"][tabindex="0"]',
    '[aria-current="page"]',
    "textarea:not(:disabled)",
    "h1[tabindex]",
];
const ANY = 'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** Moves the focus into a pane, from 1. Gives whether it is in sight. */
export function focusPane(number: number): boolean {
    const name = PANES[number - 1];
    const pane = name === undefined ? null : document.querySelector<HTMLElement>(`[data-pane="${name}"]`);
    if (pane === null) return false;
    for (const selector of [...PREFERRED, ANY]) {
        const target = [...pane.querySelectorAll<HTMLElement>(selector)].find(
            (each) => each.closest("[hidden], [inert]") === null,
        );
        if (target === undefined) continue;
        target.focus();
        return true;
    }
    return false;
}
