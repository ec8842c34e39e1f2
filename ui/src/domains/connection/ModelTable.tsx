import { PencilLine } from "lucide-react";
import { useMemo, useState } from "react";

import { useCommand, type ConnectionView, type ModelRow } from "@/backend";
import { Button, IconButton, RelativeTime, Table, TextField, Tooltip, type Column } from "@/shared";

import { ModelDialog } from "./ModelDialog";
import { abilities, knownFromWord, priceWord, windowWord } from "./labels";

/** From this many on, a field to find one. */
const MANY = 12;
/** How many are drawn at first. */
const STEP = 60;

/** The connection's models, what they can do and what they cost. */
export function ModelTable({ view }: { view: ConnectionView }) {
    const [text, setText] = useState("");
    const [most, setMost] = useState(STEP);
    const [edited, setEdited] = useState<ModelRow | undefined>();
    const list = useCommand("connection_models");
    const wanted = text.trim().toLowerCase();
    const found = useMemo(
        () => view.models.filter((model) => model.id.toLowerCase().includes(wanted)),
        [view.models, wanted],
    );
    const editable = view.config !== null;
    const columns: Column<ModelRow>[] = [
        {
            id: "model",
            heading: "Model",
            render: (model) => (
                <Tooltip label={`Values from: ${knownFromWord(model.knownFrom)}`}>
                    <span tabIndex={0} className="rounded-[4px]">
                        <code className="font-mono text-code break-all">{model.id}</code>
                        <span className="block text-small text-ink-3">
                            {[
                                ...abilities(model),
                                ...(model.knownFrom === "assumed"
                                    ? ["assumed"]
                                    : model.knownFrom === "person"
                                      ? ["yours"]
                                      : []),
                            ].join(" · ")}
                        </span>
                    </span>
                </Tooltip>
            ),
        },
        { id: "window", heading: "Context", numeric: true, render: (model) => windowWord(model.contextWindow) },
        { id: "output", heading: "Max. output", numeric: true, render: (model) => windowWord(model.maxOutput) },
        {
            id: "in",
            heading: "Input",
            numeric: true,
            render: (model) => <Price model={model} price={model.inputPrice} />,
        },
        {
            id: "cached",
            heading: "Cached",
            numeric: true,
            render: (model) => <Price model={model} price={model.cacheReadPrice} />,
        },
        {
            id: "out",
            heading: "Output",
            numeric: true,
            render: (model) => <Price model={model} price={model.outputPrice} />,
        },
        ...(editable
            ? [
                  {
                      id: "edit",
                      heading: "Edit",
                      hideHeading: true,
                      width: "w-6",
                      render: (model: ModelRow) => (
                          <IconButton
                              label={`Edit the values of ${model.id}`}
                              size="small"
                              icon={<PencilLine size={14} strokeWidth={1.5} />}
                              onClick={() => setEdited(model)}
                          />
                      ),
                  } satisfies Column<ModelRow>,
              ]
            : []),
    ];
    return (
        <>
            <div className="mb-2 flex flex-wrap items-center gap-3">
                {view.models.length >= MANY && (
                    <TextField
                        label="Find a model"
                        hideLabel
                        type="search"
                        placeholder="Find a model"
                        value={text}
                        onChange={setText}
                        className="w-52"
                    />
                )}
                <p className="min-w-0 flex-1 text-small text-ink-3">
                    {view.listedAt === null ? (
                        `From the built-in table of ${view.tableDate} and your own values.`
                    ) : (
                        <>
                            Listed by the provider, <RelativeTime at={view.listedAt} />.
                        </>
                    )}{" "}
                    Prices in US dollars per million tokens.
                </p>
                {editable && (
                    <Button size="small" disabled={list.pending} onClick={() => void list.run({ slug: view.row.slug })}>
                        {list.pending ? "Loading…" : "Reload list"}
                    </Button>
                )}
            </div>
            {list.problem !== undefined && (
                <p role="alert" className="mb-2 text-ui text-failed">
                    The list could not be loaded; earlier values are kept. {list.problem.message}{" "}
                    <span className="text-ink">{list.problem.action ?? ""}</span>
                </p>
            )}
            <Table
                label="Models"
                columns={columns}
                rows={found.slice(0, most)}
                keyOf={(model) => model.id}
                empty={
                    view.models.length === 0
                        ? "No models yet. Reload the list, or enter a model id in the connection."
                        : "No matching models."
                }
            />
            {found.length > most && (
                <Button size="small" variant="quiet" className="mt-2" onClick={() => setMost(most + STEP * 4)}>
                    {`${found.length - most} more`}
                </Button>
            )}
            {edited !== undefined && (
                <ModelDialog model={edited} config={view.config} onClose={() => setEdited(undefined)} />
            )}
        </>
    );
}

function Price({ model, price }: { model: ModelRow; price: number | null }) {
    return (
        <span
            className={model.ownPrice ? "font-medium" : undefined}
            title={price === null ? "No known price" : model.ownPrice ? "Your price" : undefined}
        >
            {priceWord(price)}
        </span>
    );
}
