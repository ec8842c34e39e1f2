import { useRef, useState } from "react";

import { send, type ThemeImported } from "@/backend";
import { Button, Checkbox, Dialog, TextArea, asFile, checkSide, complete, fixedAll, type Sides } from "@/shared";

import { keepTheme, wordsOf } from "./files";
import { ThemePreview } from "./ThemePreview";
import { useThemes } from "./useThemes";
import { pairWords, ratioWords } from "./labels";

/** What the core reads at most. */
const MAX_FILE_BYTES = 64 * 1024;

export interface ImportThemeProps {
    onClose: () => void;
    /** With the id of the theme that was kept. */
    onKept: (id: string) => void;
}

/** Reads a theme from a file or from the clipboard, and tells what comes over before it is kept. */
export function ImportTheme({ onClose, onKept }: ImportThemeProps) {
    const { find } = useThemes();
    const [text, setText] = useState("");
    const [problem, setProblem] = useState<string>();
    const [read, setRead] = useState<ThemeImported>();
    const [mend, setMend] = useState(true);
    const [busy, setBusy] = useState(false);
    const chooser = useRef<HTMLInputElement>(null);
    const look = read === undefined ? undefined : complete(read.theme, find);
    const weak =
        look === undefined
            ? []
            : [...checkSide(look.sides.light), ...checkSide(look.sides.dark)].filter(({ passes }) => !passes);
    const mended: Sides | undefined =
        look === undefined || weak.length === 0
            ? look?.sides
            : mend
              ? { light: fixedAll(look.sides.light), dark: fixedAll(look.sides.dark) }
              : look.sides;

    const inspect = async (content: string, name: string) => {
        setProblem(undefined);
        try {
            setRead(await send("theme_import", { text: content, name }));
        } catch (thrown) {
            setProblem(wordsOf(thrown));
        }
    };
    const choose = async (file: File | undefined) => {
        if (file === undefined) return;
        if (file.size > MAX_FILE_BYTES)
            return setProblem(`${file.name} has ${file.size} bytes; the limit is ${MAX_FILE_BYTES}.`);
        await inspect(await file.text(), file.name.replace(/\.json$/i, "").slice(0, 80));
    };
    const keep = async () => {
        if (read === undefined || mended === undefined) return;
        setBusy(true);
        // Mended colours are written out; otherwise the theme stays as it says itself.
        const theme =
            weak.length > 0 && mend
                ? { ...asFile(read.theme.name ?? "", mended), author: read.theme.author, license: read.theme.license }
                : read.theme;
        const id = await keepTheme("new", theme);
        setBusy(false);
        if (id === undefined) return;
        onKept(id);
        onClose();
    };
    return (
        <Dialog
            open
            onOpenChange={(open) => !open && onClose()}
            title="Import a theme"
            description={
                read === undefined
                    ? "A theme exported from this program, or any JSON theme with a background, a foreground and an accent."
                    : undefined
            }
            footer={
                read === undefined ? (
                    <>
                        <Button onClick={() => chooser.current?.click()}>Choose a file…</Button>
                        <Button variant="primary" disabled={text.trim() === ""} onClick={() => void inspect(text, "")}>
                            Preview
                        </Button>
                    </>
                ) : (
                    <>
                        <Button onClick={() => setRead(undefined)}>Back</Button>
                        <Button variant="primary" disabled={busy} onClick={() => void keep()}>
                            {busy ? "Adding…" : "Add and use"}
                        </Button>
                    </>
                )
            }
        >
            <input
                ref={chooser}
                type="file"
                accept=".json,application/json"
                hidden
                aria-label="Theme file"
                onChange={(event) => void choose(event.target.files?.[0])}
            />
            {read === undefined ? (
                <TextArea
                    label="Paste the theme here"
                    mono
                    minRows={8}
                    maxRows={14}
                    value={text}
                    error={problem}
                    spellCheck={false}
                    onChange={(next) => {
                        setText(next);
                        setProblem(undefined);
                    }}
                />
            ) : (
                <div>
                    <p className="font-medium">
                        {read.theme.name}
                        {read.theme.author !== undefined && read.theme.author !== null && (
                            <span className="font-normal text-ink-3"> by {read.theme.author}</span>
                        )}
                    </p>
                    {mended !== undefined && (
                        <div className="mt-2 grid max-w-md grid-cols-2 gap-3">
                            <ThemePreview sides={mended} strength="normal" mode="light" />
                            <ThemePreview sides={mended} strength="normal" mode="dark" />
                        </div>
                    )}
                    {weak.length > 0 && (
                        <div className="mt-4">
                            <Checkbox
                                label={`Fix ${weak.length === 1 ? "1 pair" : `${weak.length} pairs`} with low contrast`}
                                hint={`Each colour is moved to the nearest readable lightness. Lowest contrast: ${weakestWords(weak)}.`}
                                checked={mend}
                                onChange={setMend}
                            />
                        </div>
                    )}
                    {read.notes.length > 0 && (
                        <div className="mt-4">
                            <h3 className="text-small font-medium text-ink-2">Changes</h3>
                            <ul className="mt-1 text-small">
                                {read.notes.map((note) => (
                                    <li
                                        key={`${note.place} ${note.text}`}
                                        className="flex gap-3 border-b border-hairline py-1 last:border-b-0"
                                    >
                                        <code className="w-36 shrink-0 truncate font-mono text-code text-ink-2">
                                            {note.place.slice(1)}
                                        </code>
                                        <span className="min-w-0 flex-1">{note.text}</span>
                                    </li>
                                ))}
                            </ul>
                        </div>
                    )}
                    {read.notes.length === 0 && weak.length === 0 && (
                        <p className="mt-3 text-ink-2">All colours imported; all have enough contrast.</p>
                    )}
                </div>
            )}
        </Dialog>
    );
}

function weakestWords(weak: readonly ReturnType<typeof checkSide>[number][]): string {
    const [worst] = [...weak].sort((a, b) => a.ratio - b.ratio);
    return worst === undefined ? "" : `${pairWords(worst).toLowerCase()}, ${ratioWords(worst.ratio)} to 1`;
}
