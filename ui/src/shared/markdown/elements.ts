// A sanitised tree as elements of React. The names of attributes are few, because few leave the sanitiser.

import type { Element, Root, RootContent } from "hast";
import type { ComponentType, ElementType, Key, ReactNode } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";

/** What a component is given besides the attributes of its element. */
export interface ExtraProps {
    node?: Element;
}

/** What is drawn in place of an element, by the name of its tag. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each component takes the attributes of its own element
export type Components = { readonly [tag: string]: ComponentType<any> };

/** Elements in which blank text is no content, and which React allows none in. */
const WITHOUT_BLANKS: ReadonlySet<string> = new Set(["table", "tbody", "thead", "tfoot", "tr"]);

/** The elements of a tree. */
export function elementsIn(tree: Root, components: Components): ReactNode {
    return drawn(Fragment, {}, childrenOf(tree, components));
}

function drawn(
    name: string | Components[string] | typeof Fragment,
    attributes: object,
    children: ReactNode[],
    key?: Key,
): ReactNode {
    const type = name as ElementType;
    const [only] = children;
    if (children.length > 1) return jsxs(type, { ...attributes, children }, key);
    return jsx(type, only === undefined ? attributes : { ...attributes, children: only }, key);
}

function childrenOf(parent: Root | Element, components: Components): ReactNode[] {
    const children: ReactNode[] = [];
    const counts = new Map<string, number>();
    for (const child of parent.children as RootContent[]) {
        if (child.type === "text") {
            const isBlank =
                parent.type === "element" && WITHOUT_BLANKS.has(parent.tagName) && child.value.trim() === "";
            if (!isBlank) children.push(child.value);
        } else if (child.type === "element") {
            const { tagName } = child;
            const count = counts.get(tagName) ?? 0;
            counts.set(tagName, count + 1);
            const own = Object.hasOwn(components, tagName) ? components[tagName] : undefined;
            const attributes = own === undefined ? attributesOf(child) : { ...attributesOf(child), node: child };
            // The key counts elements of its name: text that streams keeps what is drawn already.
            children.push(drawn(own ?? tagName, attributes, childrenOf(child, components), `${tagName}-${count}`));
        }
    }
    return children;
}

function attributesOf({ properties }: Element): { [name: string]: unknown } {
    const attributes: { [name: string]: unknown } = {};
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || Number.isNaN(value)) continue;
        attributes[attributeName(name)] = Array.isArray(value) ? value.join(" ") : value;
    }
    return attributes;
}

/** `ariaDescribedBy` as "aria-describedby", `dataFootnoteRef` as "data-footnote-ref", all others as React has them. */
function attributeName(name: string): string {
    if (/^aria[A-Z]/.test(name)) return `aria-${name.slice("aria".length).toLowerCase()}`;
    return /^data[A-Z]/.test(name) ? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : name;
}
