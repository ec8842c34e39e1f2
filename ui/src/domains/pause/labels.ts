// Names of fields and choices for a person.

import type { AnsweredPause, Form, FormChoice } from "@/backend";

/** "depth_mode" as "Depth mode"; what a field's own name does not say plainly in other words. */
export function titleOf(field: string): string {
    if (field === "target_standards") return "Where to look";
    const words = field.replace(/[_-]+/g, " ").trim();
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One of what a list's title names: "5 queries planned (deep)" and "sub_queries" give "Query". */
export function singular(title: string): string {
    const plural = /([\p{L}]+(?:ies|s))\b/u.exec(title.replace(/[_-]+/g, " "))?.[1];
    if (plural === undefined) return "Item";
    const one = plural.endsWith("ies") ? `${plural.slice(0, -3)}y` : plural.replace(/(?<=x|ch|sh)es$|(?<!s)s$/, "");
    return one.charAt(0).toUpperCase() + one.slice(1);
}

/** A pause's heading and the message under it. A message without parts begins with its heading: `**Budget reached** - Retrieve`. */
export function headed(form: Form): { heading: string; body: string } {
    if (form.heading) return { heading: form.heading, body: form.markdown };
    const [, what, where, body] = /^\*\*(.+?)\*\*(?: - ([^\n]*))?\n\n([\s\S]*)$/.exec(form.markdown) ?? [];
    if (what === undefined || body === undefined) return { heading: form.title, body: form.markdown };
    return { heading: where ? `${what}: ${where}` : what, body };
}

const SETTINGS = [
    { id: "credentials", word: "Credentials" },
    { id: "connections", word: "Connections" },
] as const;

/** The page of the settings where a choice becomes possible: one that a choice names, as in "under Settings, Credentials". */
export function settingsNamed(form: Form): (typeof SETTINGS)[number] | undefined {
    return SETTINGS.find(({ word }) =>
        form.choices.some(({ next }) =>
            [`Settings, ${word}`, `Settings > ${word}`].some((name) => next.includes(name)),
        ),
    );
}

/** What was decided and by whom, in one line. */
export function decided({ decision, label, edited }: AnsweredPause): string {
    const because = decision.because ?? "";
    const configured = because === "" ? "automatically, as configured" : "automatically";
    const by =
        decision.followUp === true
            ? "by itself, because this is a follow-up"
            : decision.unattended === true
              ? configured
              : "by you";
    const answers = Object.keys(decision.answers ?? {}).length;
    const extras = [
        edited && "plan edited",
        answers > 0 && `${answers} ${answers === 1 ? "question" : "questions"} answered`,
    ]
        .filter(Boolean)
        .join(", ");
    const why = because === "" ? "" : `: ${because}`;
    return `${label === "" ? decision.choice : label} ${by}${extras === "" ? "" : `, ${extras}`}${why}`;
}

/** What happens next with what has been filled in; said under the buttons. */
export function nextLine(choice: FormChoice, filled: { edited: boolean; words: boolean }): string {
    if (choice.action === "cancel" || choice.action === "amend") {
        const lost = filled.edited
            ? choice.action === "amend"
                ? " A new plan is created; your edits are not used."
                : ""
            : "";
        return `${choice.next}${lost}`;
    }
    const used = [filled.edited && "your edits", filled.words && "your words"].filter(Boolean).join(" and ");
    return used === "" ? choice.next : `${choice.next.replace(/\.$/, "")}, with ${used}.`;
}
