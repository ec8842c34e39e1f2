import type { ExportPreview, Finding } from "@/backend";
import { Badge, Checkbox, count } from "@/shared";

const NAMES: { readonly [K in Finding["kind"]]: string } = {
    vault: "From your vault",
    private_key: "Private key",
    api_key: "Key",
    bearer: "Token",
    named: "Password",
    email: "E-mail",
    home_path: "Home folder",
    file: "Whole file",
    random: "Random text",
};

/** What would be taken out, each with a tick that can be removed. */
export function Findings({
    preview,
    keep,
    onKeep,
}: {
    preview: ExportPreview;
    keep: ReadonlySet<string>;
    onKeep: (keep: ReadonlySet<string>) => void;
}) {
    const toggle = (id: string, takenOut: boolean) => {
        const next = new Set(keep);
        if (takenOut) next.delete(id);
        else next.add(id);
        onKeep(next);
    };
    return (
        <section aria-label="Redactions" className="mt-3">
            {preview.notes.map((note) => (
                <p key={note} className="mb-2 text-ui text-needs">
                    {note}
                </p>
            ))}
            {preview.findings.length === 0 ? (
                <p className="text-ui text-ink-2">No private data found.</p>
            ) : (
                <ul className="max-h-64 divide-y divide-hairline overflow-y-auto rounded-control border border-hairline">
                    {preview.findings.map((finding) => (
                        <li key={finding.id} className="flex items-center gap-2 px-3 py-1.5">
                            <Checkbox
                                label={`${finding.shown} → ${finding.replacement}`}
                                hint={`${count(finding.count, "place")}, first in ${finding.places[0] ?? ""}`}
                                checked={!keep.has(finding.id)}
                                onChange={(checked) => toggle(finding.id, checked)}
                                className="min-w-0 flex-1"
                            />
                            <Badge>{NAMES[finding.kind]}</Badge>
                        </li>
                    ))}
                </ul>
            )}
            {preview.more > 0 && (
                <p className="mt-1 text-small text-ink-3">
                    {count(preview.more, "more place")} not listed; redacted as well.
                </p>
            )}
        </section>
    );
}
