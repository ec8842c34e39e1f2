import { useQuery, type ConnectionPreset } from "@/backend";
import { hrefOf } from "@/routes";
import { AsyncBoundary, Skeleton } from "@/shared";

/** What a connection can be made to, each leading to its form. */
export function PresetGrid() {
    const presets = useQuery("connection_presets", null);
    return (
        <AsyncBoundary of={presets} what="the providers" waiting={<Skeleton lines={6} className="max-w-xl" />}>
            {(all) => (
                <ul aria-label="Providers" className="grid grid-cols-1 gap-2 @md:grid-cols-2 @2xl:grid-cols-3">
                    {all.map((preset) => (
                        <Preset key={preset.preset} preset={preset} />
                    ))}
                </ul>
            )}
        </AsyncBoundary>
    );
}

/** The same as names alone, for a page that is about something else. */
export function PresetNames() {
    const presets = useQuery("connection_presets", null);
    return (
        <AsyncBoundary of={presets} what="the providers" waiting={<Skeleton lines={2} className="max-w-md" />}>
            {(all) => (
                <ul aria-label="Providers" className="flex flex-wrap gap-1.5">
                    {all.map((preset) => (
                        <li key={preset.preset}>
                            <a
                                href={addressOf(preset)}
                                title={preset.description}
                                className="flex h-7 items-center rounded-control border border-hairline bg-surface px-2.5 text-ui hover:border-ink-faint hover:bg-hover"
                            >
                                {preset.name}
                            </a>
                        </li>
                    ))}
                </ul>
            )}
        </AsyncBoundary>
    );
}

function addressOf(preset: ConnectionPreset): string {
    return hrefOf({ page: "settings", section: "connections", add: preset.preset });
}

function Preset({ preset }: { preset: ConnectionPreset }) {
    return (
        <li className="min-w-0">
            <a
                href={addressOf(preset)}
                className="flex h-full flex-col rounded-control border border-hairline bg-surface px-3 py-2 text-ui hover:border-ink-faint hover:bg-hover"
            >
                <span className="font-medium">{preset.name}</span>
                <span className="mt-0.5 line-clamp-2 text-small text-ink-2">{preset.description}</span>
            </a>
        </li>
    );
}
