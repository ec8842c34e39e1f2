// What runs inside of the page to find elements as a person with a screen reader does: by role and name. It follows
// WAI-ARIA 1.2 and Accessible Name 1.2 as far as our own pages need them.

/** Functions as text; whoever runs them in a page puts them before its own. */
export const PAGE = String.raw`
const ROLES = {
    button: "button, summary, input[type=button], input[type=submit]",
    link: "a[href]",
    textbox: "textarea, input:not([type]), input[type=text], input[type=email], input[type=url], [contenteditable=true]",
    searchbox: "input[type=search]",
    checkbox: "input[type=checkbox]:not([role])",
    radio: "input[type=radio]",
    spinbutton: "input[type=number]",
    heading: "h1, h2, h3, h4, h5, h6",
    list: "ul, ol", listitem: "li", table: "table", row: "tr", article: "article", navigation: "nav", main: "main",
    dialog: "dialog", meter: "meter", progressbar: "progress", group: "fieldset, details", img: "img[alt]", combobox: "select",
    option: "option", complementary: "aside", region: "section[aria-label], section[aria-labelledby]", form: "form",
};
function squeezed(text) { return (text ?? "").replace(/\s+/g, " ").trim(); }
function roleOf(at) {
    const given = at.getAttribute("role");
    if (given) return given.split(" ")[0];
    for (const role of Object.keys(ROLES)) if (at.matches(ROLES[role])) return role;
    return at.tagName.toLowerCase();
}
function textOf(at) {
    let text = "";
    for (const node of at.childNodes) {
        if (node.nodeType === 3) text += node.data;
        else if (node.nodeType === 1 && node.getAttribute("aria-hidden") !== "true") {
            text += node.getAttribute("aria-label") ?? (node.tagName === "IMG" ? node.alt : " " + textOf(node) + " ");
        }
    }
    return text;
}
function nameOf(at) {
    const labelledby = at.getAttribute("aria-labelledby");
    if (labelledby) {
        const text = labelledby.split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean).map(textOf).join(" ");
        if (squeezed(text)) return squeezed(text);
    }
    const label = at.getAttribute("aria-label");
    if (label) return squeezed(label);
    if (at.labels && at.labels.length > 0) return squeezed([...at.labels].map(textOf).join(" "));
    if (at.matches("input, textarea, select")) return squeezed(at.title || at.placeholder);
    if (at.matches("fieldset")) return squeezed(textOf(at.querySelector("legend") ?? document.createElement("i")));
    if (at.matches("details")) return squeezed(textOf(at.querySelector("summary") ?? document.createElement("i")));
    return squeezed(textOf(at)) || squeezed(at.title);
}
function visible(at) {
    if (at.closest("[aria-hidden=true], [inert]")) return false;
    if (at.checkVisibility && !at.checkVisibility({ checkVisibilityCSS: true })) return false;
    const box = at.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
}
function all(wanted, root) {
    const selector = "[role~='" + wanted.role + "']" + (ROLES[wanted.role] ? ", " + ROLES[wanted.role] : "");
    const fits = (name) => wanted.pattern ? new RegExp(wanted.pattern.source, wanted.pattern.flags).test(name) : wanted.text === null || name === wanted.text;
    return [...root.querySelectorAll(selector)].filter((at) => roleOf(at) === wanted.role && visible(at)
        && (wanted.disabled || !(at.disabled || at.getAttribute("aria-disabled") === "true")) && fits(nameOf(at)));
}
function outline() {
    const controls = [...document.querySelectorAll("a[href], button, summary, input, textarea, select, [role]")].filter(visible)
        .map((at) => "  " + roleOf(at) + " \"" + nameOf(at).slice(0, 80) + "\"" + (at.disabled ? " (disabled)" : ""));
    return location.hash + "\n" + document.body.innerText.slice(0, 3000) + "\n--- controls\n" + controls.slice(0, 120).join("\n");
}
`;
