import { Ellipsis, Import, Plus } from "lucide-react";
import { RadioGroup as Radio } from "radix-ui";
import { useState } from "react";

import type { ThemeRow } from "@/backend";
import {
    Button,
    FIRST_THEME,
    IconButton,
    Menu,
    THEMES,
    asFile,
    cx,
    themeOf,
    toast,
    type MenuEntry,
    type Resolved,
} from "@/shared";

import { ImportTheme } from "./ImportTheme";
import { dropTheme, keepTheme } from "./files";
import { openEditor } from "./open";
import { ThemePreview } from "./ThemePreview";
import { lookOf, useThemes } from "./useThemes";

export interface ThemeGalleryProps {
    /** The program's theme. */
    theme: string;
    onChange: (theme: string) => void;
}

interface Shown extends Resolved {
    id: string;
    name: string;
    row?: ThemeRow;
}

/** All themes to choose from: the program's and the person's. */
export function ThemeGallery({ theme, onChange }: ThemeGalleryProps) {
    const themes = useThemes();
    const [importing, setImporting] = useState(false);
    const { own, find, list } = themes;
    const mine = own.flatMap((row): Shown[] => {
        const look = row.theme === null ? undefined : themeOf(row.id, find);
        return look === undefined ? [] : [{ id: row.id, name: row.theme?.name ?? row.id, row, ...look }];
    });
    const shipped: Shown[] = THEMES.filter(({ id }) => find(id) === undefined).map((each) => ({ ...each }));
    const broken = own.filter((row) => row.problems.length > 0);
    const missing =
        list !== undefined &&
        ![...shipped, ...mine].some(({ id }) => id === theme) &&
        !broken.some(({ id }) => id === theme);
    const changed = list?.workspace;
    const named = list?.workspaceBase ?? undefined;
    const current = [...mine, ...shipped].find(({ id }) => id === theme) ?? { ...FIRST_THEME };

    const copyOf = (each: Shown) =>
        openEditor(
            "new",
            each.row === undefined ? `${each.name}, changed` : `${each.name}, copy`,
            each.sides,
            onChange,
        );
    const entriesOf = (each: Shown): MenuEntry[] => {
        const row = each.row;
        return [
            ...(row === undefined
                ? []
                : [
                      {
                          id: "edit",
                          label: "Edit…",
                          onSelect: () => openEditor({ own: each.id }, each.name, each.sides, onChange, row.digest),
                      },
                  ]),
            { id: "copy", label: "Edit a copy…", onSelect: () => copyOf(each) },
            {
                id: "workspace",
                label: "Use in this workspace only",
                onSelect: () => void keepTheme("workspace", { base: each.id }),
            },
            { id: "json", label: "Copy as JSON", onSelect: () => void copyJson(each) },
            ...(row === undefined
                ? []
                : [
                      { kind: "separator", id: "line" } as const,
                      {
                          id: "remove",
                          label: "Remove",
                          danger: true,
                          onSelect: () => {
                              if (each.id === theme) onChange(FIRST_THEME.id);
                              void dropTheme({ own: each.id }, row.theme, `“${each.name}” removed.`);
                          },
                      },
                  ]),
        ];
    };
    return (
        <>
            {changed !== undefined && changed !== null && (
                <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-hairline bg-sunken px-3 py-2">
                    <p className="min-w-56 flex-1">
                        {changed.theme !== null && (
                            <>
                                This workspace has its own colours{nameOf(changed.theme.base, [...mine, ...shipped])}.
                                Other workspaces use the theme below.
                            </>
                        )}
                        {changed.problems.length > 0 && (
                            <span className="block text-failed">
                                The workspace theme file is not valid
                                {changed.theme === null ? "" : "; the last valid version stays in use"}:{" "}
                                {wrongOf(changed)}
                            </span>
                        )}
                    </p>
                    {changed.theme !== null && (
                        <Button
                            size="small"
                            onClick={() =>
                                openEditor(
                                    "workspace",
                                    changed.theme?.name ?? "",
                                    lookOf(theme, themes).sides,
                                    onChange,
                                    changed.digest,
                                )
                            }
                        >
                            Edit…
                        </Button>
                    )}
                    <Button
                        size="small"
                        onClick={() =>
                            void dropTheme("workspace", changed.theme, "This workspace uses the default theme.")
                        }
                    >
                        Use the default theme
                    </Button>
                </div>
            )}
            {named !== undefined &&
                (changed === undefined || changed === null || (changed.theme?.base ?? undefined) === undefined) && (
                    <p className="mb-3 text-ink-2">
                        This workspace’s settings name a theme{nameOf(named, [...mine, ...shipped])}. Other workspaces
                        use the theme below.
                    </p>
                )}
            {missing && (
                <p className="mb-3 text-needs">
                    The theme “{theme}” no longer exists; {FIRST_THEME.name} is used. Choose another theme.
                </p>
            )}
            {broken.map((row) => (
                <p key={row.id} className="mb-3 text-failed">
                    The file of “{row.theme?.name ?? row.id}” is not valid
                    {row.theme === null ? "" : "; the last valid version stays in use"}: {wrongOf(row)}
                </p>
            ))}
            <Radio.Root aria-label="Theme" value={theme} onValueChange={onChange}>
                <Group
                    label={mine.length > 0 ? "Yours" : undefined}
                    themes={mine}
                    chosen={theme}
                    entriesOf={entriesOf}
                />
                <Group
                    label={mine.length > 0 ? "Built-in" : undefined}
                    themes={shipped}
                    chosen={theme}
                    entriesOf={entriesOf}
                />
            </Radio.Root>
            <div className="mt-4 flex flex-wrap gap-2">
                <Button icon={<Plus size={16} strokeWidth={1.5} />} onClick={() => copyOf(current)}>
                    New theme…
                </Button>
                <Button icon={<Import size={16} strokeWidth={1.5} />} onClick={() => setImporting(true)}>
                    Import…
                </Button>
            </div>
            {importing && <ImportTheme onClose={() => setImporting(false)} onKept={onChange} />}
        </>
    );
}

function Group({
    label,
    themes,
    chosen,
    entriesOf,
}: {
    label: string | undefined;
    themes: Shown[];
    chosen: string;
    entriesOf: (each: Shown) => MenuEntry[];
}) {
    if (themes.length === 0) return null;
    return (
        <div className="mt-4 first:mt-0">
            {label !== undefined && <h3 className="mb-2 text-small font-medium text-ink-2">{label}</h3>}
            <div className="grid grid-cols-2 items-start gap-3 @md:grid-cols-3 @2xl:grid-cols-4">
                {themes.map((each) => (
                    <div key={each.id} className="group relative min-w-0">
                        <Radio.Item value={each.id} className="group/item block w-full rounded-control text-left">
                            <ThemePreview
                                sides={each.sides}
                                strength={each.strength}
                                className={
                                    each.id === chosen
                                        ? "border-accent outline-1 outline-accent"
                                        : "group-hover:border-ink-3"
                                }
                            />
                            <span className="mt-1.5 flex items-center gap-1.5 pr-7 pl-0.5 text-ui">
                                <span
                                    aria-hidden
                                    className="size-3 shrink-0 rounded-full border border-hairline-strong group-data-[state=checked]/item:border-[4px] group-data-[state=checked]/item:border-accent"
                                />
                                <span className="min-w-0 truncate">{each.name}</span>
                            </span>
                        </Radio.Item>
                        <div
                            className={cx(
                                "absolute right-0 bottom-[-2px]",
                                "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-[state=open]:opacity-100",
                            )}
                        >
                            <Menu
                                align="end"
                                trigger={
                                    <IconButton
                                        label={`More actions for ${each.name}`}
                                        size="small"
                                        icon={<Ellipsis size={14} strokeWidth={1.5} />}
                                    />
                                }
                                entries={entriesOf(each)}
                            />
                        </div>
                    </div>
                ))}
            </div>
        </div>
    );
}

function nameOf(id: string | null | undefined, themes: Shown[]): string {
    const named = themes.find((each) => each.id === id);
    return named === undefined ? "" : `: ${named.name}`;
}

function wrongOf({ file, problems }: ThemeRow): string {
    const [first] = problems;
    return first === undefined ? file : `${first.file} ${first.place}: ${first.message}`;
}

async function copyJson(each: Shown): Promise<void> {
    const theme = each.row?.theme ?? asFile(each.name, each.sides);
    try {
        await navigator.clipboard.writeText(`${JSON.stringify(theme, null, 2)}\n`);
        toast({ text: `“${each.name}” copied as JSON.` });
    } catch {
        toast({ text: "Could not copy to the clipboard.", tone: "failed" });
    }
}
