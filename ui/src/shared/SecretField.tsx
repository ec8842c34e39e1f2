import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";

import { IconButton } from "./Button";
import { TextField, type TextFieldProps } from "./fields";

export type SecretFieldProps = Omit<TextFieldProps, "after" | "type" | "mono">;

/** A field for a secret: hidden while it is typed unless the person looks. What it held is never filled in again. */
export function SecretField(props: SecretFieldProps) {
    const [shown, setShown] = useState(false);
    // Nothing typed, nothing to show: the next secret begins hidden.
    if (shown && props.value === "") setShown(false);
    return (
        <TextField
            {...props}
            mono
            type={shown ? "text" : "password"}
            autoComplete="new-password"
            autoCapitalize="off"
            data-secret
            after={
                <IconButton
                    label={shown ? "Hide the value" : "Show the value"}
                    size="small"
                    className="-mr-1"
                    disabled={props.value === ""}
                    aria-pressed={shown}
                    icon={shown ? <EyeOff size={14} strokeWidth={1.5} /> : <Eye size={14} strokeWidth={1.5} />}
                    onClick={() => setShown(!shown)}
                />
            }
        />
    );
}
