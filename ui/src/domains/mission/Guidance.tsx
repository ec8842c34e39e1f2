// Words for a mission that is under way.

import { Send } from "lucide-react";
import { useState } from "react";

import { Button, TextArea, toast } from "@/shared";

import type { Steering } from "./Steering";

export function Guidance({ steering }: { steering: Steering }) {
    const [text, setText] = useState("");
    const tell = async () => {
        const said = text.trim();
        if (said === "" || steering.pending) return;
        if (!(await steering.say({ say: "guide", text: said }))) return;
        setText("");
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
