// The field that a message is written in: names in it as badges, and a menu that completes them.

import { useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type Ref } from "react";

import { skip, useQuery, type Completion, type Mention } from "@/backend";
import { MentionIcon, cutAtMentions } from "@/domains/turn";
import { TextArea, cx, useCombobox, useDebounced } from "@/shared";

import { complete, moved, typedNameAt, type TypedName } from "./mentions";

export interface MentionAreaProps {
    label: string;
    session: string | undefined;
    /** Where files are looked for while there is no session. */
    folders: readonly string[];
    text: string;
    mentions: readonly Mention[];
    onChange: (text: string, mentions: Mention[]) => void;
    /** What the menu offers besides; they match by their names. */
    commands?: readonly Completion[];
    onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
    onBlur: () => void;
    onFiles: (files: File[]) => void;
    big: boolean;
    placeholder: string;
    ref: Ref<HTMLTextAreaElement>;
    /** Above the text, inside of the box. */
    children?: ReactNode;
}

const TITLES = { "@": "Agents, sources, files", "/": "Skills and commands", "#": "Labels" } as const;
const DEBOUNCE_MS = 60;
/** The height that the menu takes at most, in CSS pixels. */
const MENU = 320;

export function MentionArea({
    label,
    session,
    folders,
    text,
    mentions,
    onChange,
    commands = [],
    onKeyDown,
    onBlur,
    onFiles,
    big,
    placeholder,
    ref,
    children,
}: MentionAreaProps) {
    const area = useRef<HTMLTextAreaElement | null>(null);
    const mirror = useRef<HTMLDivElement>(null);
    const [typed, setTyped] = useState<TypedName | undefined>();
    const caret = useRef<number>(undefined);
    const asked = useDebounced(typed?.query, DEBOUNCE_MS);
    const { data } = useQuery(
        "mention_complete",
        typed === undefined
            ? skip
            : {
                  session: session ?? null,
                  sigil: typed.sigil,
                  text: asked ?? "",
                  ...(session === undefined && folders.length > 0 ? { folders: [...folders] } : {}),
              },
    );
    // While names for more letters are looked for, those that still fit stay: Enter takes one of them and sends nothing.
    const place = typed === undefined ? undefined : `${typed.sigil} ${typed.start}`;
    const [known, setKnown] = useState<{ place: string; names: readonly Completion[] } | undefined>();
    if (data !== undefined && place !== undefined && (known?.names !== data || known.place !== place))
        setKnown({ place, names: data });
    const names = data ?? (known?.place === place ? known?.names : undefined);
    const fresh = data !== undefined && asked === typed?.query;
    const found = useMemo(() => {
        if (typed === undefined) return [];
        const wanted = typed.query.toLowerCase();
        const own = typed.sigil === "/" ? commands.filter((each) => each.name.startsWith(wanted)) : [];
        const fits = (each: Completion) =>
            fresh || [each.name, each.title].some((name) => name.toLowerCase().includes(wanted));
        return [...own, ...(names ?? []).filter(fits)].slice(0, 40);
    }, [typed, names, fresh, commands]);
    const open = typed !== undefined && found.length > 0;
    const menu = useCombobox({ count: found.length, open, wraps: true });
    // Above the text, unless the menu would leave the window there and has more room below.
    const box = useRef<HTMLDivElement>(null);
    const [below, setBelow] = useState(false);
    useLayoutEffect(() => {
        const edges = open ? box.current?.getBoundingClientRect() : undefined;
        if (edges !== undefined) setBelow(edges.top < MENU && innerHeight - edges.bottom > edges.top);
    }, [open]);
    // A completion leaves the caret behind the name.
    useLayoutEffect(() => {
        if (caret.current === undefined) return;
        area.current?.setSelectionRange(caret.current, caret.current);
        caret.current = undefined;
    });
    const look = () => {
        const field = area.current;
        if (field === null) return;
        const next =
            field.selectionStart === field.selectionEnd ? typedNameAt(field.value, field.selectionStart) : undefined;
        if (next?.start !== typed?.start || next?.sigil !== typed?.sigil) menu.setActive(0);
        if (next?.query !== typed?.query || next?.start !== typed?.start) setTyped(next);
    };
    const take = (chosen: Completion | undefined) => {
        if (chosen === undefined || typed === undefined) return;
        const written = complete(text, mentions, typed, area.current?.selectionStart ?? text.length, chosen);
        caret.current = written.caret;
        setTyped(undefined);
        onChange(written.text, written.mentions);
        area.current?.focus();
    };
    const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
        if (event.nativeEvent.isComposing) return;
        if (open) {
            if (menu.moved(event)) return event.stopPropagation();
            if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && !event.ctrlKey && !event.metaKey)
                take(found[menu.active]);
            else if (event.key === "Escape") setTyped(undefined);
            else return;
            event.preventDefault();
            event.stopPropagation();
            return;
        }
        onKeyDown(event);
    };
    const size = big ? "text-title" : "text-ui";
    return (
        <div ref={box} className="relative">
            {open && (
                <div
                    className={cx(
                        "float-in absolute left-0 z-40 w-[min(28rem,100%)] rounded-card border border-hairline bg-raised p-1 shadow-float",
                        below ? "top-full mt-1" : "bottom-full mb-1",
                    )}
                >
                    <p className="px-2 py-1 text-small text-ink-3">{TITLES[typed.sigil]}</p>
                    <div {...menu.list} aria-label={TITLES[typed.sigil]} className="max-h-64 overflow-y-auto">
                        {found.map((each, index) => (
                            <div
                                key={`${each.kind} ${each.name}`}
                                {...menu.option(
                                    index,
                                    index === menu.active,
                                    () => take(each),
                                    "items-center gap-2 py-0.5 text-ui",
                                )}
                            >
                                <MentionIcon kind={each.kind} size={14} />
                                <span className="max-w-[60%] shrink-0 truncate">{each.title}</span>
                                <span className="min-w-0 flex-1 truncate text-right text-small text-ink-3">
                                    {each.detail}
                                </span>
                            </div>
                        ))}
                    </div>
                </div>
            )}
            {children}
            <div className="relative">
                {/* The same words in the same places, without ink: only the badges behind the names are seen. */}
                {mentions.length > 0 && (
                    <div
                        ref={mirror}
                        aria-hidden
                        className={cx(
                            "pointer-events-none absolute inset-x-3 top-2 bottom-0 overflow-hidden py-1 break-words whitespace-pre-wrap text-transparent",
                            size,
                        )}
                    >
                        {cutAtMentions(text, mentions).map((part, index) =>
                            typeof part === "string" ? (
                                part
                            ) : (
                                <span key={index} className="rounded-[4px] bg-accent-soft ring-2 ring-accent-soft">
                                    {part.text}
                                </span>
                            ),
                        )}
                    </div>
                )}
                <TextArea
                    ref={(field) => {
                        area.current = field;
                        if (typeof ref === "function") ref(field);
                        else if (ref) ref.current = field;
                    }}
                    label={label}
                    hideLabel
                    bare
                    minRows={big ? 4 : 1}
                    maxRows={big ? 16 : 10}
                    value={text}
                    onChange={(next) => {
                        onChange(next, moved(mentions, text, next));
                        look();
                    }}
                    onSelect={look}
                    onBlur={() => {
                        setTyped(undefined);
                        onBlur();
                    }}
                    onScroll={(event) => {
                        if (mirror.current !== null) mirror.current.scrollTop = event.currentTarget.scrollTop;
                    }}
                    onPaste={(event) => {
                        const files = [...event.clipboardData.files];
                        if (files.length === 0) return;
                        event.preventDefault();
                        onFiles(files);
                    }}
                    onKeyDown={keys}
                    placeholder={placeholder}
                    data-composer
                    aria-autocomplete="list"
                    aria-haspopup="listbox"
                    aria-controls={menu.field["aria-controls"]}
                    aria-activedescendant={menu.field["aria-activedescendant"]}
                    className={cx("relative px-3 pt-2", big && "[&_textarea]:text-title")}
                />
            </div>
        </div>
    );
}
