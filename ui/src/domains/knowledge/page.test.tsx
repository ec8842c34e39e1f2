import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { Failure, type PagePictureQuery } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { Toasts, TooltipProvider } from "@/shared";

import { FilePlace, type FilePlaceProps } from "./FilePlace";

const PLACE = { file: "handbook.pdf", path: "/d/handbook.pdf", page: 50, fileNote: null, drawable: true };
let transport: MockTransport;

beforeEach(() => {
    forget();
    transport = mockTransport();
    transport.answers = {
        page_picture: ({ page }: PagePictureQuery) => ({
            file: "handbook.pdf",
            path: "/d/handbook.pdf",
            page: page ?? 51,
            pages: 52,
            width: 1600,
            height: 2070,
            marks: typeof page === "number" ? [] : [{ x: 0.1, y: 0.5, width: 0.5, height: 0.02 }],
            png: "iVBORw0KGgo=",
        }),
    };
});

function show(of: FilePlaceProps["of"]) {
    render(
        <TooltipProvider>
            <FilePlace of={of} page={{ run: "r1", id: "5.11.1", quotes: ["ten days"] }} />
            <Toasts />
        </TooltipProvider>,
    );
    return userEvent.setup();
}

const wanted = () =>
    transport.asked.filter(({ name }) => name === "page_picture").map(({ params }) => params as PagePictureQuery);

test("a citation opens the page on which its quote stands, marked, and its neighbours", async () => {
    const user = show(PLACE);
    expect(screen.getByText("handbook.pdf, page 50")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Open page" }));
    const picture = await screen.findByRole("img", { name: "Page 51 of handbook.pdf" });
    expect(picture.getAttribute("src")).toBe("data:image/png;base64,iVBORw0KGgo=");
    expect(screen.getByRole("dialog", { name: "handbook.pdf, page 51" })).toBeTruthy();
    expect(screen.getByText("The passage is marked, 1 line.")).toBeTruthy();
    expect(wanted()[0]).toMatchObject({ base: null, run: "r1", id: "5.11.1", quotes: ["ten days"], page: null });
    await user.click(screen.getByRole("button", { name: "Next page" }));
    await screen.findByRole("img", { name: "Page 52 of handbook.pdf" });
    expect(screen.getByText("The passage is not on this page.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Next page" }).hasAttribute("disabled")).toBe(true);
    screen.getByRole("group", { name: /The page/ }).focus();
    await user.keyboard("{ArrowLeft}");
    await screen.findByRole("img", { name: "Page 51 of handbook.pdf" });
    expect(wanted().map(({ page }) => page)).toEqual([null, 52, 51]);
});

test("the page is enlarged and made smaller", async () => {
    const user = show(PLACE);
    await user.click(screen.getByRole("button", { name: "Open page" }));
    const picture = await screen.findByRole("img", { name: /Page 51/ });
    expect(picture.style.width).toBe("100%");
    await user.click(screen.getByRole("button", { name: "Larger" }));
    expect(picture.style.width).toBe("125%");
    await user.click(screen.getByRole("button", { name: "Smaller" }));
    await user.click(screen.getByRole("button", { name: "Smaller" }));
    expect(picture.style.width).toBe("75%");
});

test("a file that was changed says so and offers no page", () => {
    show({ ...PLACE, path: null, drawable: false, fileNote: "/d/handbook.pdf was changed since it was ingested" });
    expect(screen.getByText(/was changed since it was ingested/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Open page" })).toBeNull();
});

test("a page that can't be drawn says why", async () => {
    transport.answers.page_picture = () => {
        throw new Failure({ code: "source", message: "handbook.pdf cannot be drawn", retryable: false });
    };
    const user = show(PLACE);
    await user.click(screen.getByRole("button", { name: "Open page" }));
    await waitFor(() => expect(screen.getByText("handbook.pdf cannot be drawn")).toBeTruthy());
});
