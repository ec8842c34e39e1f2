// The claims of a mission: found by status and words, kept or rejected, each with where it comes from.

import { Ban, Ellipsis, FilePen, Pin, Quote, Search } from "lucide-react";
import { useState } from "react";

import type { Sorting } from "@/backend";
import {
    AsyncBoundary,
    EmptyState,
    IconButton,
    Menu,
    Select,
    StateMark,
    Table,
    TextField,
    count,
    useDebounced,
    useMediaQuery,
    type Column,
    type MenuEntry,
} from "@/shared";

import { ListFoot } from "./ListFoot";
import { ReportWithout } from "./NextMission";
import { RejectClaim } from "./RejectClaim";
import { useItems, type Claim, type SourceKind } from "./graph";
import { CLAIM_STATUSES, SOURCE_KINDS, claimStatus, shareWord, sourceKind } from "./labels";
import type { PartProps } from "./props";

const icon = { size: 14, strokeWidth: 1.5, "aria-hidden": true } as const;
/** Every status. */
const ANY = "";

export function Claims({ mission, stamp, steering, onClaim }: PartProps) {
    const [status, setStatus] = useState<string>(ANY);
    const [kind, setKind] = useState<string>(ANY);
    const [sort, setSort] = useState<Sorting>("found");
    const [text, setText] = useState("");
    const [rejecting, setRejecting] = useState<Claim>();
    const [leaving, setLeaving] = useState<Claim>();
    const wanted = useDebounced(text.trim(), 200);
    const items = useItems(mission.mission, "claim", stamp, {
        text: wanted,
        sort,
        ...(status === ANY ? {} : { status }),
        ...(kind === ANY ? {} : { sources: kind as SourceKind }),
    });
    const narrow = useMediaQuery("(max-width: 639.98px)");
    const columns: Column<Claim>[] = [
        { id: "statement", heading: "Claim", render: (claim) => <Statement claim={claim} narrow={narrow} /> },
        {
            id: "confidence",
            heading: "Confidence",
            numeric: true,
            width: "w-20",
            render: (claim) => shareWord(claim.confidence),
        },
        {
            id: "status",
            heading: "Status",
            width: "w-28",
            render: (claim) => <ClaimState claim={claim} />,
        },
        {
            id: "sources",
            heading: "Sources",
            numeric: true,
            width: "w-16",
            render: (claim) => claim.parts?.origins ?? 0,
        },
        {
            id: "actions",
            heading: "Actions",
            hideHeading: true,
            width: "w-7",
            render: (claim) => (
                // What is chosen here opens no row.
                <span onClick={(event) => event.stopPropagation()}>
                    <Menu
                        align="end"
                        trigger={
                            <IconButton
                                label={`Actions for ${claim.id}`}
                                size="small"
                                icon={<Ellipsis size={16} strokeWidth={1.5} />}
                            />
                        }
                        entries={entriesOf(claim)}
                    />
                </span>
            ),
        },
    ];
    const entriesOf = (claim: Claim): MenuEntry[] => {
        const gone = claim.status === "rejected" || claim.status === "superseded";
        const closed = { disabled: steering.closed !== undefined || gone };
        return [
            {
                id: "origin",
                label: "Where it comes from",
                icon: <Quote {...icon} />,
                onSelect: () => onClaim(claim.id),
            },
            {
                id: "pin",
                label: claim.pinned === true ? "Kept" : "Keep it",
                icon: <Pin {...icon} />,
                ...closed,
                ...(claim.pinned === true ? { disabled: true } : {}),
                onSelect: () => void steering.say({ say: "pin", claim: claim.id }),
            },
            {
                id: "reject",
                label: "Reject…",
                icon: <Ban {...icon} />,
                danger: true,
                ...closed,
                onSelect: () => setRejecting(claim),
            },
            ...(steering.closed === undefined
                ? []
                : [
                      {
                          id: "without",
                          label: "Reject and write again…",
                          icon: <FilePen {...icon} />,
                          disabled: gone,
                          onSelect: () => setLeaving(claim),
                      },
                      { kind: "heading" as const, id: "closed", label: steering.closed },
                  ]),
        ];
    };
    const filtered = status !== ANY || kind !== ANY || wanted !== "";
    return (
        <div className="@container">
            <div className="mb-2 flex flex-wrap gap-2">
                <TextField
                    label="Words in claims"
                    hideLabel
                    type="search"
                    icon={<Search {...icon} />}
                    placeholder="Words"
                    value={text}
                    onChange={setText}
                    className="min-w-40 flex-1"
                />
                <Select
                    label="Status"
                    value={status}
                    onChange={setStatus}
                    options={[
                        { value: ANY, label: "Every status" },
                        ...CLAIM_STATUSES.map((each) => ({ value: each, label: claimStatus(each).word })),
                    ]}
                    className="w-40"
                />
                <Select
                    label="Sources"
                    value={kind}
                    onChange={setKind}
                    options={[
                        { value: ANY, label: "Every source" },
                        ...SOURCE_KINDS.map((each) => ({ value: each, label: sourceKind(each) })),
                    ]}
                    className="w-40"
                />
                <Select
                    label="Order"
                    value={sort}
                    onChange={setSort}
                    options={[
                        { value: "found", label: "As found" },
                        { value: "newest", label: "Newest first" },
                        { value: "confidence", label: "Surest first" },
                    ]}
                    className="w-40"
                />
            </div>
            <AsyncBoundary of={items.list} what="the claims">
                {({ items: claims, total }) =>
                    claims.length === 0 && !filtered ? (
                        <EmptyState title="No claims yet" className="px-0">
                            Claims appear here as agents find them, each with its sources.
                        </EmptyState>
                    ) : (
                        <>
                            <Table
                                label="Claims"
                                columns={
                                    narrow
                                        ? columns.filter(({ id }) => id === "statement" || id === "actions")
                                        : columns
                                }
                                rows={claims}
                                keyOf={(claim) => claim.id}
                                onOpen={(claim) => onClaim(claim.id)}
                                empty="No claim matches. Try fewer words, another status or every source: nothing is deleted."
                            />
                            <ListFoot items={claims.length} total={total} of={items} />
                        </>
                    )
                }
            </AsyncBoundary>
            {leaving !== undefined && (
                <ReportWithout mission={mission} claim={leaving} onClose={() => setLeaving(undefined)} />
            )}
            {rejecting !== undefined && (
                <RejectClaim claim={rejecting} steering={steering} onClose={() => setRejecting(undefined)} />
            )}
        </div>
    );
}

/** In a narrow window everything known of it stands below its words. */
function Statement({ claim, narrow }: { claim: Claim; narrow: boolean }) {
    const origins = claim.parts?.origins ?? 0;
    return (
        <div className="min-w-48 break-words">
            <span className={claim.status === "rejected" ? "text-ink-3 line-through decoration-ink-faint" : undefined}>
                {claim.text}
            </span>
            {claim.pinned === true && (
                <span className="ml-1.5 inline-flex items-center gap-0.5 align-baseline text-small text-ink-3">
                    <Pin size={12} strokeWidth={1.5} aria-hidden /> Kept
                </span>
            )}
            {typeof claim.rejected === "string" && <p className="text-small text-ink-3">Rejected: {claim.rejected}</p>}
            {narrow && (
                <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-small text-ink-2">
                    <ClaimState claim={claim} />
                    <span className="tabular">
                        {shareWord(claim.confidence)}, {count(origins, "source")}
                    </span>
                </p>
            )}
        </div>
    );
}

function ClaimState({ claim }: { claim: Claim }) {
    const { state, word } = claimStatus(claim.status);
    return <StateMark state={state} word={word} size={14} className="h-5" />;
}
