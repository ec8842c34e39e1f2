import { useState, type ReactNode } from "react";

import { useCommand, type AgentRow } from "@/backend";
import { go } from "@/routes";
import { Button, Dialog, TextField, problemText } from "@/shared";

export interface MakeAgentProps {
    /** The agent that is copied; without one the new agent has instructions alone. */
    from?: Pick<AgentRow, "slug" | "name">;
    label: string;
    icon?: ReactNode;
    variant?: "primary" | "secondary";
}

/** A button that asks for a name and makes an agent, which is then edited. */
export function MakeAgent({ from, label, icon, variant = "secondary" }: MakeAgentProps) {
    const [open, setOpen] = useState(false);
    const [name, setName] = useState("");
    const make = useCommand("agent_make");
    const submit = async () => {
        if (name.trim() === "" || make.pending) return;
        const { value } = await make.run({ name, from: from?.slug ?? null });
        if (value === undefined) return;
        setOpen(false);
        go({ page: "agent", slug: value.agent.slug, edit: true });
    };
    return (
        <>
            <Button
                variant={variant}
                icon={icon}
                onClick={() => {
                    make.clear();
                    setName(from === undefined ? "" : `${from.name} (copy)`);
                    setOpen(true);
                }}
            >
                {label}
            </Button>
            <Dialog
                open={open}
                onOpenChange={setOpen}
                width="small"
                title={from === undefined ? "New agent" : `Copy ${from.name}`}
                description={
                    from === undefined
                        ? "The agent answers in conversations, as its instructions say. To start with stages, copy an agent that has them."
                        : "The copy has the same stages, prompts and schemas. You can edit all of them."
                }
                footer={
                    <>
                        <Button onClick={() => setOpen(false)}>Cancel</Button>
                        <Button
                            variant="primary"
                            disabled={name.trim() === "" || make.pending}
                            onClick={() => void submit()}
                        >
                            {make.pending ? "Creating…" : "Create and edit"}
                        </Button>
                    </>
                }
            >
                <form
                    onSubmit={(event) => {
                        event.preventDefault();
                        void submit();
                    }}
                >
                    <TextField
                        label="Name"
                        value={name}
                        onChange={setName}
                        maxLength={80}
                        error={make.problem === undefined ? undefined : problemText(make.problem)}
                    />
                </form>
            </Dialog>
        </>
    );
}
