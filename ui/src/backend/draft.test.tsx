import { act, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, expect, it } from "vitest";

import { restOf } from "./draft";
import { useKeptEdit } from "./kept-edit";
import { mockTransport, type MockTransport } from "./mock-transport";

let core: MockTransport;
let kept: { [key: string]: string } = {};

beforeEach(() => {
    localStorage.clear();
    kept = {};
    core = mockTransport();
    core.answers = {
        draft_show: ({ key }: { key: string }) =>
            kept[key] === undefined ? null : { key, text: kept[key], updatedAt: 1 },
        draft_save: ({ key, text }: { key: string; text: string }) => {
            kept[key] = text;
            return null;
        },
    };
});

function Editor({ saved }: { saved: string }) {
    const [text, setText] = useState(saved);
    const { restored } = useKeptEdit("skill/x", saved, { value: text, changed: text !== saved, change: setText });
    return (
        <>
            <input aria-label="Text" value={text} onChange={(event) => setText(event.target.value)} />
            <p>{restored ? "restored" : "as saved"}</p>
        </>
    );
}

const text = () => screen.getByRole<HTMLInputElement>("textbox").value;
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 350)));

it("brings an edit back that was not saved, until it is dropped", async () => {
    const first = render(<Editor saved="one" />);
    await settle();
    fireEvent.change(screen.getByRole("textbox"), { target: { value: "one, two" } });
    await settle();
    first.unmount();
    const second = render(<Editor saved="one" />);
    await settle();
    expect([text(), screen.getByRole("paragraph").textContent]).toEqual(["one, two", "restored"]);
    fireEvent.change(screen.getByRole("textbox"), { target: { value: "one" } });
    await settle();
    expect(kept["skill/x"]).toBe("");
    second.unmount();
    render(<Editor saved="one" />);
    await settle();
    expect([text(), screen.getByRole("paragraph").textContent]).toEqual(["one", "as saved"]);
});

it("brings no edit back to a text that has become another one", async () => {
    const first = render(<Editor saved="one" />);
    await settle();
    fireEvent.change(screen.getByRole("textbox"), { target: { value: "one, two" } });
    await settle();
    first.unmount();
    render(<Editor saved="another" />);
    await settle();
    expect(text()).toBe("another");
});

it("leaves what was written after a text that was sent", () => {
    expect(restOf("First. ", "First.")).toBe("");
    expect(restOf("First. And more", "First.")).toBe("And more");
    expect(restOf("Something else", "First.")).toBe("Something else");
});
