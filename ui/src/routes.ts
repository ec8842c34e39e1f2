// Addresses of the window: what each path shows. In the fragment, so that the shell and a plain file server need to know nothing of them.

import { useMemo } from "react";

import { navigate, usePath } from "@/shared/location";

export type Route =
    | { page: "inbox"; view: string }
    /** `message`: a run or turn, or a step of it as `run/step`, that is shown and marked. */
    | { page: "session"; session: string; run?: string; stage?: string; message?: string }
    | { page: "search"; line?: string }
    | { page: "run"; run: string }
    /** Two runs beside each other; without `right` the choice of the second. */
    | { page: "compare"; left: string; right?: string }
    | { page: "new"; agent?: string; input?: string; base?: string }
    | { page: "agents" }
    | { page: "agent"; slug: string; edit?: true }
    | { page: "knowledge"; adding?: true; query?: string }
    | { page: "base"; base: string; paragraph?: string; query?: string }
    | { page: "sources" }
    | { page: "source"; slug: string; edit?: true }
    /** A new source, made from this preset; without one a choice of them. */
    | { page: "new_source"; preset?: string }
    | { page: "skills" }
    | { page: "skill"; slug: string; edit?: true }
    | { page: "help"; slug?: string }
    | { page: "usage"; range?: string }
    /** `add`: a new one, of this profile, empty for a choice. */
    | { page: "missions"; add?: string }
    /** The library of the web. */
    | { page: "web" }
    | { page: "tasks" }
    | { page: "task"; task: string }
    /** `adding`: a new one, made from this template. */
    | { page: "schedule"; id?: string; edit?: true; adding?: string }
    /** `open`: one thing of the section; `add`: a new one, made from this preset, empty for a choice. */
    | { page: "settings"; section: string; open?: string; add?: string }
    | { page: "welcome" };

/** The view that opens first. */
export const FIRST_VIEW = "inbox";

/** A path such as "/session/abc?run=1" as a route; what means nothing leads to the inbox. */
export function parseRoute(path: string): Route {
    const [place = "", search = ""] = path.replace(/^#?\/?/, "").split("?");
    const [page, ...rest] = place.split("/").filter(Boolean).map(decode);
    const query = new URLSearchParams(search);
    const asked = (name: string) => query.get(name) ?? undefined;
    const name = rest.join("/");
    switch (page) {
        case "view":
            return { page: "inbox", view: name || FIRST_VIEW };
        case "session":
            return name === ""
                ? { page: "inbox", view: FIRST_VIEW }
                : {
                      page: "session",
                      session: name,
                      run: asked("run"),
                      stage: asked("stage"),
                      message: asked("message"),
                  };
        case "search":
            return { page: "search", line: asked("q") };
        case "run":
            return name === "" ? { page: "inbox", view: FIRST_VIEW } : { page: "run", run: name };
        case "compare":
            return name === ""
                ? { page: "inbox", view: FIRST_VIEW }
                : { page: "compare", left: name, right: asked("with") };
        case "new":
            return { page: "new", agent: asked("agent"), input: asked("input"), base: asked("base") };
        case "agents":
            return { page: "agents" };
        case "agent":
            return name === ""
                ? { page: "agents" }
                : { page: "agent", slug: name, edit: query.has("edit") || undefined };
        case "knowledge":
            return name === ""
                ? { page: "knowledge", adding: query.has("add") || undefined, query: asked("q") }
                : { page: "base", base: name, paragraph: asked("paragraph"), query: asked("q") };
        case "sources":
            return { page: "sources" };
        case "source":
            return name === ""
                ? { page: "sources" }
                : { page: "source", slug: name, edit: query.has("edit") || undefined };
        case "new-source":
            return { page: "new_source", preset: asked("preset") };
        case "skills":
            return { page: "skills" };
        case "skill":
            return name === ""
                ? { page: "skills" }
                : { page: "skill", slug: name, edit: query.has("edit") || undefined };
        case "help":
            return { page: "help", slug: name === "" ? undefined : name };
        case "settings":
            return { page: "settings", section: name || "appearance", open: asked("open"), add: asked("add") };
        case "usage":
            return { page: "usage", range: asked("range") };
        case "missions":
            return { page: "missions", add: asked("add") };
        case "web":
            return { page: "web" };
        case "tasks":
            return { page: "tasks" };
        case "task":
            return name === "" ? { page: "tasks" } : { page: "task", task: name };
        case "schedule":
            return {
                page: "schedule",
                id: name === "" ? undefined : name,
                edit: query.has("edit") || undefined,
                adding: asked("add"),
            };
        case "welcome":
            return { page: "welcome" };
        default:
            return { page: "inbox", view: FIRST_VIEW };
    }
}

function decode(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/** The path of a route, for a link. */
export function pathOf(route: Route): string {
    // Half a character has no place in an address.
    const part = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
    const query = (values: { [name: string]: string | undefined }) => {
        const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined);
        return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
    };
    switch (route.page) {
        case "inbox":
            return `/view/${part(route.view)}`;
        case "session":
            return `/session/${part(route.session)}${query({ run: route.run, stage: route.stage, message: route.message })}`;
        case "search":
            return `/search${query({ q: route.line })}`;
        case "run":
            return `/run/${part(route.run)}`;
        case "compare":
            return `/compare/${part(route.left)}${query({ with: route.right })}`;
        case "new":
            return `/new${query({ agent: route.agent, input: route.input, base: route.base })}`;
        case "knowledge":
            return `/knowledge${route.adding === true ? "?add" : query({ q: route.query })}`;
        case "agents":
        case "sources":
        case "skills":
        case "tasks":
        case "web":
        case "welcome":
            return `/${route.page}`;
        case "missions":
            return `/missions${query({ add: route.add })}`;
        case "task":
            return `/task/${part(route.task)}`;
        case "agent":
        case "skill":
        case "source":
            return `/${route.page}/${part(route.slug)}${route.edit === true ? "?edit" : ""}`;
        case "new_source":
            return `/new-source${query({ preset: route.preset })}`;
        case "help":
            return route.slug === undefined ? "/help" : `/help/${part(route.slug)}`;
        case "base":
            return `/knowledge/${part(route.base)}${query({ paragraph: route.paragraph, q: route.query })}`;
        case "settings":
            return `/settings/${part(route.section)}${query({ open: route.open, add: route.add })}`;
        case "schedule":
            return route.id === undefined
                ? `/schedule${query({ add: route.adding })}`
                : `/schedule/${part(route.id)}${route.edit === true ? "?edit" : ""}`;
        case "usage":
            return `/usage${query({ range: route.range })}`;
    }
}

/** For `href`. */
export function hrefOf(route: Route): string {
    return `#${pathOf(route)}`;
}

/** Shows a route. */
export function go(route: Route, options?: { replace?: boolean }): void {
    navigate(pathOf(route), options);
}

/** What the window shows. */
export function useRoute(): Route {
    const path = usePath();
    return useMemo(() => parseRoute(path), [path]);
}
