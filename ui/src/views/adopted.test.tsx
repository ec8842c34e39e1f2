import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { Adopted } from "./Adopted";

it("lists the files of an earlier run that were taken over, and why others are done anew", () => {
    const adoption = [
        { file: "IV-A.json", taken: true, why: null },
        { file: "IV-B.json", taken: false, why: "IV-B.md is missing" },
    ];
    render(<Adopted inputs={{ title: "A memo", adoption }} />);
    expect(screen.getByText("1 file of 2 taken over")).toBeTruthy();
    expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
        "IV-A.json taken over",
        "IV-B.json run again: IV-B.md is missing",
    ]);
});

it("says nothing of a run that was given none", () => {
    render(<Adopted inputs={{ adoption: "IV-A.json" }} />);
    expect(screen.queryByRole("region")).toBeNull();
});
