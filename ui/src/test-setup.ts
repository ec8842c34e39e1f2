// What jsdom lacks and the components need, and nothing kept from one test to the next.

import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeAll } from "vitest";

import { dropQuestions } from "@/shared/confirm";
import { preloadParts } from "@/shared/lazy-part";
import { clearToasts } from "@/shared/toast";

// What is waited for comes; how soon depends on what else the machine does. Less than a test may take.
configure({ asyncUtilTimeout: 20_000 });

globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
};
globalThis.IntersectionObserver ??= class {
    readonly root = null;
    readonly rootMargin = "";
    readonly scrollMargin = "";
    readonly thresholds = [];
    observe() {}
    unobserve() {}
    disconnect() {}
    takeRecords() {
        return [];
    }
} as unknown as typeof IntersectionObserver;
globalThis.matchMedia ??= ((query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => {},
    removeEventListener: () => {},
})) as unknown as typeof matchMedia;
Element.prototype.scrollIntoView ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.setPointerCapture ??= () => {};
Element.prototype.releasePointerCapture ??= () => {};

// A window at rest has loaded the parts that its first screen left out: a test begins there, whatever it imports.
beforeAll(preloadParts, 30_000);

afterEach(() => {
    cleanup();
    clearToasts();
    dropQuestions();
    localStorage.clear();
    sessionStorage.clear();
});
