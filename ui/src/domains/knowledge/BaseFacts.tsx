import { Download, RefreshCw } from "lucide-react";

import { skip, useCommand, useQuery, type BaseRow, type BaseView } from "@/backend";
import { Button, ExternalLink, Properties, Switch, Table, formatBytes, type Property, problemText } from "@/shared";

import { BaseSharing } from "./BaseSharing";
import { TIERS, tierWord } from "./tiers";
import { SEARCH_WITHOUT_MODEL, formatWord, modelWord, rulesWord } from "./labels";
import { exampleCitation, namesTheWork } from "./name";

/** The files that a base was made from, and how each was read. */
export function FileTable({ sources }: { sources: BaseView["sources"] }) {
    const catalog = useQuery("knowledge_catalog", null).data;
    return (
        <Table
            label="Files"
            rows={sources}
            keyOf={(row) => row.name}
            className="pb-6"
            empty="No file information."
            columns={[
                {
                    id: "name",
                    heading: "File",
                    render: (row) => <span className="[overflow-wrap:anywhere]">{row.name}</span>,
                },
                {
                    id: "format",
                    heading: "Format",
                    width: "w-24",
                    render: (row) => (row.format === "" ? "–" : formatWord(row.format)),
                },
                {
                    id: "rules",
                    heading: "Rules",
                    width: "w-44",
                    render: (row) => (row.rules === "" ? "–" : rulesWord(row.rules, catalog)),
                },
                {
                    id: "paragraphs",
                    heading: "Paragraphs",
                    numeric: true,
                    width: "w-24",
                    render: (row) => row.paragraphs.toLocaleString("en-GB"),
                },
                { id: "bytes", heading: "Size", numeric: true, width: "w-20", render: (row) => formatBytes(row.bytes) },
            ]}
        />
    );
}

export interface AboutBaseProps {
    base: BaseRow;
    /** Its files are ingested again; absent where they can't be. */
    onAgain?: () => void;
    /** It is downloaded again. */
    onDownload?: () => void;
}

/** Where a base comes from, how it is searched, and how it stays up to date. */
export function AboutBase({ base, onAgain, onDownload }: AboutBaseProps) {
    const watch = useCommand("base_watch");
    const catalog = useQuery("knowledge_catalog", base.origin === null ? skip : null);
    const entry = catalog.data?.corpora.find((each) => base.origin !== null && each.addresses.includes(base.origin));
    const items: Property[] = [
        {
            name: "Authority",
            value: `${tierWord(base.tier)}. ${TIERS.find((tier) => tier.id === base.tier)?.means ?? ""}`,
        },
        {
            name: "Cited as",
            value: namesTheWork(base.citation) ? (
                <code className="font-mono text-code">{exampleCitation(base.citation)}</code>
            ) : (
                "File and page or section, such as report.pdf, page 4."
            ),
        },
        {
            name: "Search",
            value:
                base.vectors === null ? (
                    `${SEARCH_WITHOUT_MODEL} Ingest again with an embedding model to add semantic search.`
                ) : (
                    <>
                        Search uses keywords, a similarity learned from the texts, cross-references, and semantic search
                        with <code className="font-mono text-code">{modelWord(base.vectors)}</code>.
                    </>
                ),
        },
        {
            name: "Origin",
            value: base.shipped ? (
                "Built in."
            ) : base.origin === null ? (
                (base.folder ?? null) === null ? (
                    "Files on this machine."
                ) : (
                    <code className="font-mono text-code [overflow-wrap:anywhere]">{base.folder}</code>
                )
            ) : (
                <ExternalLink href={base.origin}>{base.origin}</ExternalLink>
            ),
        },
        ...(entry === undefined
            ? []
            : [
                  { name: "Publisher", value: entry.publisher },
                  {
                      name: "Licence",
                      value: (
                          <>
                              {entry.license}. {entry.licenseSummary}{" "}
                              <ExternalLink href={entry.licenseAddress}>Licence text</ExternalLink>
                          </>
                      ),
                  },
              ]),
        {
            name: "Generation",
            value: (
                <>
                    {base.generation}, created on{" "}
                    {new Date(base.createdAt).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" })}
                </>
            ),
        },
    ];
    return (
        <div className="max-w-3xl pb-6">
            <Properties items={items} />
            {!base.shipped && <BaseSharing base={base} />}
            {!base.shipped && (
                <div className="mt-5 space-y-4">
                    {base.origin === null && (
                        <Switch
                            label="Ingest again when files change"
                            hint="Files are watched while the program runs. Active runs keep the generation they started with."
                            checked={base.watched}
                            disabled={watch.pending}
                            onChange={(on) => void watch.run({ base: base.name, on })}
                            className="max-w-xl"
                        />
                    )}
                    {watch.problem !== undefined && (
                        <p role="alert" className="text-ui text-failed">
                            {problemText(watch.problem)}
                        </p>
                    )}
                    <div className="flex flex-wrap gap-2">
                        {onAgain !== undefined && (
                            <Button icon={<RefreshCw size={16} strokeWidth={1.5} />} onClick={onAgain}>
                                Ingest again…
                            </Button>
                        )}
                        {onDownload !== undefined && (
                            <Button icon={<Download size={16} strokeWidth={1.5} />} onClick={onDownload}>
                                Download again…
                            </Button>
                        )}
                    </div>
                </div>
            )}
        </div>
    );
}
