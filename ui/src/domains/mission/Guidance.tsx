// Words for a mission that is under way.

import { Send } from "lucide-react";
import { useDraft } from "@/backend";
import { Button, TextArea, toast } from "@/shared";

import type { Steering } from "./Steering";

/** `draft`: the key under which what is typed is kept. */
export function Guidance({ steering, draft: key }: { steering: Steering; draft: string }) {
    const { text, setText, sent } = useDraft(key);
    const tell = async () => {
        const said = text.trim();
        if (said === "" || steering.pending) return;
        if (!(await steering.say({ say: "guide", text: said }))) return;
        sent(text);
        toast({ text: "The mission takes it into account from its next step on." });
    };
    return (
        <form
            className="flex items-end gap-2"
            onSubmit={(event) => {
                event.preventDefault();
                void tell();
            }}
        >
            <TextArea
                label="Guidance for the mission"
                hideLabel
                placeholder="Tell the mission… for example: leave out sources older than 2020"
                value={text}
                onChange={setText}
                maxRows={6}
                data-composer
                className="flex-1"
                onKeyDown={(event) => {
                    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
                    event.preventDefault();
                    void tell();
                }}
            />
            <Button
                type="submit"
                icon={<Send size={14} strokeWidth={1.5} />}
                disabled={text.trim() === "" || steering.pending}
            >
                Tell
            </Button>
        </form>
    );
}
