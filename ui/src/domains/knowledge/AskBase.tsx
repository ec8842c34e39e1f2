import { MessageCircleQuestionMark } from "lucide-react";

import { go } from "@/routes";
import { Button } from "@/shared";

/** Leads to a new question to the base. */
export function AskBase({ base, size }: { base: string; size?: "small" }) {
    return (
        <Button
            variant={size === undefined ? "primary" : "secondary"}
            size={size}
            icon={<MessageCircleQuestionMark size={size === undefined ? 16 : 14} strokeWidth={1.5} />}
            onClick={() => go({ page: "new", base })}
        >
            Ask this base
        </Button>
    );
}
