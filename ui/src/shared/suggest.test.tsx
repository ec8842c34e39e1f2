import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, describe, expect, it } from "vitest";

import { SuggestField } from "./SuggestField";

function Field({ first = "" }: { first?: string }) {
    const [value, setValue] = useState(first);
    return (
        <SuggestField
            label="Model"
            value={value}
            onChange={setValue}
            suggestions={[{ value: "alpha-1" }, { value: "beta-1", hint: "8k" }, { value: "beta-2" }]}
        />
    );
}

const options = () => screen.queryAllByRole("option").map((option) => option.textContent);
let user: ReturnType<typeof userEvent.setup>;
beforeEach(() => {
    user = userEvent.setup();
});

describe("a field with suggestions", () => {
    it("takes what is not among them", async () => {
        render(<Field />);
        await user.type(screen.getByRole("combobox"), "gamma");
        expect(options()).toEqual([]);
        expect(screen.getByRole("combobox")).toHaveProperty("value", "gamma");
    });

    it("narrows them to what is typed, and the keys choose one", async () => {
        render(<Field />);
        await user.type(screen.getByRole("combobox"), "beta");
        expect(options()).toEqual(["beta-18k", "beta-2"]);
        await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
        expect(screen.getByRole("combobox")).toHaveProperty("value", "beta-2");
        expect(options()).toEqual([]);
    });

    it("offers all of them to replace what stands there", async () => {
        render(<Field first="alpha-1" />);
        await user.click(screen.getByRole("combobox"));
        expect(options()).toHaveLength(3);
        await user.keyboard("{Escape}");
        expect(options()).toEqual([]);
        await user.keyboard("{ArrowDown}");
        await user.click(screen.getByRole("option", { name: /beta-1/ }));
        expect(screen.getByRole("combobox")).toHaveProperty("value", "beta-1");
    });
});
