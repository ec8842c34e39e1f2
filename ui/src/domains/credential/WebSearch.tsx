// The web search that agents and conversations share: a key of Brave Search, or the address of a SearXNG instance.

import { useState, type FormEvent } from "react";

import { useCommand, useQuery, type WebSearchState } from "@/backend";
import {
    Button,
    AsyncBoundary,
    RelativeTime,
    SecretField,
    Section,
    StateMark,
    TextField,
    problemText,
    toast,
} from "@/shared";

export function WebSearch() {
    const query = useQuery("web_search_show", null);
    return (
        <Section
            title="Web search"
            note="One for all agents and conversations. Mention @web in a conversation to let its model search."
        >
            <AsyncBoundary of={query} what="the web search">
                {(state) => <Form key={state.address} state={state} />}
            </AsyncBoundary>
        </Section>
    );
}

function Form({ state }: { state: WebSearchState }) {
    const [key, setKey] = useState("");
    const [address, setAddress] = useState(state.address);
    const save = useCommand("web_search_save");
    const changed = key !== "" || address !== state.address;
    const send = async (params: { key?: string; address?: string }) => {
        const { value } = await save.run(params);
        if (value === undefined) return;
        setKey("");
        toast({ text: value.service === "" ? "There is no web search now." : "Saved. The next search uses it." });
    };
    const submit = (event: FormEvent) => {
        event.preventDefault();
        if (!changed || save.pending) return;
        void send({ ...(key === "" ? {} : { key }), ...(address === state.address ? {} : { address }) });
    };
    return (
        <form onSubmit={submit} className="flex max-w-[42rem] flex-col gap-3">
            <p className="flex flex-wrap items-center gap-2 text-ui">
                <StateMark state={state.service === "" ? "skipped" : "done"} word={wordOf(state)} />
                {state.storedAt !== null && (
                    <span className="text-small text-ink-3">
                        key stored <RelativeTime at={state.storedAt} />
                    </span>
                )}
            </p>
            <SecretField
                label="Key of Brave Search"
                value={key}
                onChange={setKey}
                hint="Create one at https://api-dashboard.search.brave.com. Stored in the vault. Search queries go to Brave."
            />
            <TextField
                label="Or the address of a SearXNG instance"
                value={address}
                onChange={setAddress}
                mono
                placeholder="https://search.example.org"
                hint="Used instead of the Brave key when both are set. The instance must allow the format json."
            />
            {save.problem !== undefined && (
                <p role="alert" className="text-ui text-failed">
                    {problemText(save.problem)}
                </p>
            )}
            <div className="flex gap-2">
                <Button type="submit" variant="primary" disabled={!changed || save.pending}>
                    {save.pending ? "Saving…" : "Save"}
                </Button>
                {state.service !== "" && !state.environment && (
                    <Button variant="quiet" disabled={save.pending} onClick={() => void send({ key: "", address: "" })}>
                        Remove
                    </Button>
                )}
            </div>
        </form>
    );
}

function wordOf({ service, environment, locked = false }: WebSearchState): string {
    if (service === "" && locked) return "Not known: the vault is locked, and what it may hold is not used";
    if (service === "") return "None: research continues without a web search";
    const name = service === "brave" ? "Brave Search" : "SearXNG";
    return environment ? `${name}, set in the environment` : name;
}
