// A small list that opens at a row or a button: type to find, arrows or the mouse to choose.

import { Check, Minus } from "lucide-react";
import { Popover } from "radix-ui";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { Kbd, fuzzyScore, useCombobox } from "@/shared";

export interface PickerOption {
    id: string;
    label: string;
    icon?: ReactNode;
    hint?: string;
    /** Further words that find it. */
    keywords?: string;
    /** Chooses it at once while nothing is typed. */
    shortcut?: string;
    /** How deep it stands below another one. */
    depth?: number;
    /** `"some"`: of some of what is meant. */
    checked?: boolean | "some";
}

export interface PickerProps {
    /** Where it opens. */
    at: DOMRect;
    label: string;
    placeholder: string;
    options: readonly PickerOption[];
    /** What is typed and fits no option may be made into one. */
    create?: { word: (text: string) => string; onCreate: (text: string) => void };
    /** Options go on and off, and the list stays. */
    multiple?: boolean;
    onPick: (id: string) => void;
    onClose: () => void;
    empty: string;
}

export function Picker(props: PickerProps) {
    const { at, onClose } = props;
    const anchor = useRef({ getBoundingClientRect: () => at });
    useEffect(() => {
        anchor.current = { getBoundingClientRect: () => at };
    }, [at]);
    return (
        <Popover.Root open onOpenChange={(open) => !open && onClose()}>
            <Popover.Anchor virtualRef={anchor} />
            <Popover.Portal>
                <Popover.Content
                    aria-label={props.label}
                    align="start"
                    side="bottom"
                    sideOffset={4}
                    collisionPadding={8}
                    // Closing gives the focus back to the list: it knows where.
                    onCloseAutoFocus={(event) => event.preventDefault()}
                    className="float-in z-50 flex max-h-[min(24rem,70vh)] w-64 flex-col overflow-hidden rounded-card border border-hairline bg-raised text-ui text-ink shadow-float outline-none"
                >
                    <PickerList {...props} />
                </Popover.Content>
            </Popover.Portal>
        </Popover.Root>
    );
}

const CREATE = "\u0000create";

function PickerList({ label, placeholder, options, create, multiple = false, onPick, onClose, empty }: PickerProps) {
    const [text, setText] = useState("");
    const wanted = text.trim();
    const found = useMemo(() => {
        if (wanted === "") return [...options];
        const scored = options.flatMap((option) => {
            const scores = [option.label, option.keywords ?? ""]
                .map((words) => fuzzyScore(wanted, words))
                .filter((score) => score !== undefined);
            return scores.length === 0 ? [] : [{ option: { ...option, depth: 0 }, score: Math.max(...scores) }];
        });
        return scored.sort((a, b) => b.score - a.score).map(({ option }) => option);
    }, [options, wanted]);
    const exact = options.some((option) => option.label.toLowerCase() === wanted.toLowerCase());
    const shown: PickerOption[] =
        create !== undefined && wanted !== "" && !exact
            ? [...found, { id: CREATE, label: create.word(wanted) }]
            : found;
    const initial = multiple
        ? 0
        : Math.max(
              0,
              options.findIndex((option) => option.checked === true),
          );
    const box = useCombobox({ count: shown.length, initial, wraps: true });
    const take = (option: PickerOption | undefined) => {
        if (option === undefined) return;
        if (option.id === CREATE) create?.onCreate(wanted);
        else onPick(option.id);
        if (!multiple || option.id === CREATE) onClose();
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.nativeEvent.isComposing) return;
        if (box.moved(event)) return;
        if (event.key === "Home" && wanted === "") box.toEnd("first");
        else if (event.key === "End" && wanted === "") box.toEnd("last");
        else if (event.key === "Enter") {
            if (multiple && (event.ctrlKey || event.metaKey)) onClose();
            else take(shown[box.active]);
        } else {
            const quick =
                wanted === "" && !event.ctrlKey && !event.metaKey && !event.altKey
                    ? options.find((option) => option.shortcut?.toLowerCase() === event.key.toLowerCase())
                    : undefined;
            if (quick === undefined) return;
            take(quick);
        }
        event.preventDefault();
    };
    return (
        <>
            <input
                autoFocus
                {...box.field}
                aria-label={label}
                aria-autocomplete="list"
                autoComplete="off"
                spellCheck={false}
                placeholder={placeholder}
                value={text}
                onChange={(event) => {
                    setText(event.target.value);
                    box.setActive(0);
                }}
                onKeyDown={onKeyDown}
                className="h-9 shrink-0 border-b border-hairline bg-transparent px-3 text-ui outline-none focus-visible:outline-none"
            />
            <div
                {...box.list}
                aria-label={label}
                aria-multiselectable={multiple || undefined}
                className="min-h-0 flex-1 overflow-y-auto p-1"
            >
                {shown.length === 0 && <p className="px-2 py-2 text-small text-ink-3">{empty}</p>}
                {shown.map((option, index) => (
                    <div
                        key={option.id}
                        {...box.option(index, option.checked === true, () => take(option), "items-center gap-2")}
                        style={{ paddingLeft: `${0.5 + (option.depth ?? 0) * 0.875}rem` }}
                    >
                        {option.icon}
                        <span className="min-w-0 flex-1 truncate">{option.label}</span>
                        {option.hint !== undefined && (
                            <span className="shrink-0 text-small text-ink-3">{option.hint}</span>
                        )}
                        {option.checked === true && (
                            <Check size={14} strokeWidth={2} aria-hidden className="shrink-0 text-accent" />
                        )}
                        {option.checked === "some" && (
                            <>
                                <Minus size={14} strokeWidth={2} aria-hidden className="shrink-0 text-ink-3" />
                                <span className="sr-only">on some</span>
                            </>
                        )}
                        {option.shortcut !== undefined && wanted === "" && <Kbd>{option.shortcut}</Kbd>}
                    </div>
                ))}
            </div>
        </>
    );
}
