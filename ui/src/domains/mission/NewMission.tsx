// The form that starts a mission: what is to be found out, by which profile, from what, within which limits.

import { useState } from "react";

import { call, useCommand, useQuery, type BaseRow, type ProfileRow, useDraft } from "@/backend";
import { baseLabel } from "@/domains/knowledge";
import { titled } from "@/domains/run";
import { go } from "@/routes";
import { AsyncBoundary, Button, Checkbox, EmptyState, ErrorCard, Examples, Fold, Select, TextArea } from "@/shared";

import { LimitFields, NO_LIMITS, limitsOf } from "./LimitFields";
import { StartForecast } from "./StartForecast";

/** Chosen where none is named: it fits any question. */
const GENERAL = "general-research";

/** `slug`: the profile that is chosen first. */
export function NewMission({ slug = "" }: { slug?: string }) {
    const profiles = useQuery("profile_list", null);
    return (
        <AsyncBoundary of={profiles} what="the profiles of missions">
            {(rows) => {
                const usable = rows.filter((profile) => profile.problems.length === 0);
                const [first] = usable;
                if (first === undefined)
                    return (
                        <EmptyState
                            title="No profile can be used"
                            className="px-0"
                            actions={<Button onClick={() => go({ page: "missions" })}>Show profiles</Button>}
                        >
                            A mission follows a profile: a folder with a{" "}
                            <code className="font-mono text-code">mission.json</code>. The list of profiles says what is
                            wrong with each.
                        </EmptyState>
                    );
                const named = (name: string) => usable.find((profile) => profile.slug === name);
                return <Form profiles={usable} first={named(slug) ?? named(GENERAL) ?? first} />;
            }}
        </AsyncBoundary>
    );
}

/** What the profile or the program chooses. */
const OWN = "";

function Form({ profiles, first }: { profiles: readonly ProfileRow[]; first: ProfileRow }) {
    const [slug, setSlug] = useState(first.slug);
    const draft = useDraft("new-mission");
    const { text: request, setText: setRequest } = draft;
    const [mode, setMode] = useState(OWN);
    const [corpus, setCorpus] = useState(OWN);
    const [further, setFurther] = useState<readonly string[]>([]);
    const [connection, setConnection] = useState(OWN);
    const [limits, setLimits] = useState(NO_LIMITS);
    const [unattended, setUnattended] = useState(false);
    const [missing, setMissing] = useState(false);
    const bases = useQuery("base_list", null).data ?? [];
    const connections = useQuery("connection_list", null).data ?? [];
    const starting = useCommand("mission_start");
    const profile = profiles.find((each) => each.slug === slug) ?? first;
    const read = limitsOf(limits);
    const asked = connections.find((each) => each.default);
    const given = {
        profile: profile.slug,
        limits: read.limits,
        ...(mode === OWN ? {} : { mode }),
        ...(corpus === OWN ? {} : { corpora: [corpus, ...further.filter((name) => name !== corpus)] }),
        ...(connection === OWN ? {} : { connection }),
    };
    const start = async () => {
        if (starting.pending || read.problem !== undefined) return;
        if (request.trim() === "") return setMissing(true);
        const { value } = await starting.run({ ...given, request: request.trim(), unattended });
        if (value === undefined) return;
        draft.clear();
        try {
            const { session } = await call("mission_show", { mission: value });
            go({ page: "session", session, run: value });
        } catch {
            // It has begun all the same: the list shows it.
            go({ page: "missions" });
        }
    };
    return (
        <form
            className="flex flex-col gap-4"
            onSubmit={(event) => {
                event.preventDefault();
                void start();
            }}
        >
            {profiles.length > 1 && (
                <Select
                    label="Profile"
                    showLabel
                    value={profile.slug}
                    options={profiles.map((each) => ({ value: each.slug, label: each.name }))}
                    onChange={(next) => {
                        setSlug(next);
                        setMode(OWN);
                    }}
                    className="w-72 max-w-full"
                />
            )}
            <p className="text-ui text-ink-2">
                <span className="font-medium text-ink">{profile.name}.</span> {profile.description}
            </p>
            <TextArea
                label="Objective"
                hint="What the mission should find out. You may add the form of the report, for example “Format: table of levels and their purpose”; researchers don’t see that part."
                value={request}
                onChange={(text) => {
                    setRequest(text);
                    setMissing(false);
                }}
                error={missing ? "Write what is to be found out." : undefined}
                minRows={3}
                maxRows={16}
                data-autofocus
                onKeyDown={(event) => {
                    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void start();
                }}
            />
            <div className="flex flex-wrap gap-3">
                {profile.modes.length > 0 && (
                    <Select
                        label="Mode"
                        showLabel
                        value={mode}
                        options={[
                            { value: OWN, label: "Default" },
                            ...profile.modes.map(({ name, description }) => ({
                                value: name,
                                label: titled(name),
                                hint: description,
                            })),
                        ]}
                        onChange={setMode}
                        className="w-56"
                    />
                )}
                <Select
                    label="Knowledge base"
                    showLabel
                    value={corpus}
                    options={[
                        { value: OWN, label: "The agents’ own" },
                        ...bases.map((base) => ({ value: base.name, label: baseLabel(base, bases) })),
                    ]}
                    onChange={setCorpus}
                    className="w-56"
                />
                <Select
                    label="Connection"
                    showLabel
                    value={connection}
                    options={[
                        { value: OWN, label: asked === undefined ? "Default" : `Default (${asked.name})` },
                        ...connections
                            .filter((each) => each.problem === null)
                            .map((each) => ({ value: each.slug, label: each.name })),
                    ]}
                    onChange={setConnection}
                    className="w-56"
                />
            </div>
            {corpus !== OWN && bases.length > 1 && (
                <FurtherBases
                    bases={bases.filter((base) => base.name !== corpus)}
                    chosen={further}
                    onChange={setFurther}
                />
            )}
            <Fold
                label="Limits"
                note={<span className="text-small text-ink-3">{read.isEmpty ? "The profile’s" : "Changed"}</span>}
            >
                <div className="mt-2">
                    <LimitFields values={limits} onChange={setLimits} />
                    <p className="mt-2 text-small text-ink-3">
                        Empty fields keep the profile’s limit. At a limit the mission asks you, or writes its report.
                    </p>
                </div>
            </Fold>
            {read.problem !== undefined && (
                <p role="alert" className="text-small text-failed">
                    {read.problem}
                </p>
            )}
            <StartForecast start={read.problem === undefined ? given : undefined} />
            <Checkbox
                label="Don’t ask me: start without my approval of the plan, and write the report at a limit"
                checked={unattended}
                onChange={setUnattended}
            />
            {starting.problem !== undefined && (
                <ErrorCard
                    title="The mission did not start."
                    kept="Your objective is kept."
                    advice={starting.problem.action ?? undefined}
                >
                    {starting.problem.message}
                </ErrorCard>
            )}
            <div>
                <Button type="submit" variant="primary" shortcut="Ctrl+Enter" disabled={starting.pending}>
                    {starting.pending ? "Starting…" : "Start mission"}
                </Button>
            </div>
            <Examples examples={profile.examples} onChoose={setRequest} className="mt-4" />
        </form>
    );
}

/** Knowledge bases that are asked beside the first one. */
function FurtherBases({
    bases,
    chosen,
    onChange,
}: {
    bases: readonly BaseRow[];
    chosen: readonly string[];
    onChange: (chosen: readonly string[]) => void;
}) {
    const count = bases.filter((base) => chosen.includes(base.name)).length;
    return (
        <Fold
            label="Further knowledge bases"
            note={<span className="text-small text-ink-3">{count === 0 ? "None" : count}</span>}
        >
            <fieldset className="mt-2 flex flex-col gap-2">
                <legend className="mb-2 text-small text-ink-3">
                    Each is asked about every question, before the web.
                </legend>
                {bases.map((base) => (
                    <Checkbox
                        key={base.name}
                        label={baseLabel(base, bases)}
                        checked={chosen.includes(base.name)}
                        onChange={(checked) =>
                            onChange(checked ? [...chosen, base.name] : chosen.filter((name) => name !== base.name))
                        }
                    />
                ))}
            </fieldset>
        </Fold>
    );
}
