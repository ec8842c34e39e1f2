import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import { Failure, type WebPage, type WebPolicy } from "@/backend";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, TooltipProvider } from "@/shared";

import { WaitingNotice, WebLibrary } from ".";

const page: WebPage = {
    url: "https://example.org/tides",
    finalUrl: "https://example.org/tides",
    title: "Tides",
    kind: "a web page",
    bytes: 2_048,
    pages: null,
    retrieved: "2026-03-01",
    checked: "2026-03-04",
    sha256: "ab12",
    unreadable: null,
};
const WHY = "the host unknown.example needs approval; nothing was requested from it";
const waiting = { host: "unknown.example", times: 2, url: "https://unknown.example/a", at: 1_000 };
let core: MockTransport;
let policy: WebPolicy;
beforeEach(() => {
    core = mockTransport();
    policy = { profile: "strict", allow: ["example.org"], block: [], only: [], waiting: [waiting] };
    core.answers = {
        web_policy: () => policy,
        web_profile_set: () => policy,
        web_decide: () => policy,
        web_list: ({ words }: { words: string }) =>
            words === "" || words === "tides" ? { pages: [page], total: 1 } : { pages: [], total: 0 },
        web_show: { page, earlier: false, blocks: [{ number: 2, page: null, text: "The tide rose." }], left: 0 },
        web_refresh: { ...page, sha256: "cd34" },
        web_forget: null,
        web_log: [{ at: 2_000, kind: "refused", place: "https://unknown.example/a", code: "needs_approval", why: WHY }],
    };
});

async function show() {
    render(
        <TooltipProvider>
            <WebLibrary />
            <ConfirmHost />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const asked = (name: string) => core.asked.filter((each) => each.name === name).map(({ params }) => params);

it("decides about hosts: those that wait, one by hand, one that is taken back", async () => {
    policy.waiting = [waiting, { ...waiting, host: "other.example", times: 1 }];
    const user = await show();
    const hosts = within(screen.getByRole("list", { name: "Hosts that wait" }));
    expect(hosts.getByText(/^Asked for 2 times/)).toBeTruthy();
    await user.click(hosts.getAllByRole("button", { name: "Block" })[1] as HTMLElement);
    await user.click(screen.getByRole("button", { name: "Allow all" }));
    await user.click(screen.getByRole("tab", { name: "Rules" }));
    await user.type(screen.getByRole("textbox", { name: "Host for Blocked" }), "ads.example{Enter}");
    await user.click(screen.getByRole("button", { name: "Take back example.org" }));
    expect(asked("web_decide")).toEqual([
        { sources: ["other.example"], decision: "block" },
        { sources: ["unknown.example", "other.example"], decision: "allow" },
        { sources: ["ads.example"], decision: "block" },
        { sources: ["example.org"], decision: "withdraw" },
    ]);
});

it("keeps what was written where it is no host, and says why", async () => {
    core.answers.web_decide = () => {
        throw new Failure({ code: "invalid_input", message: "“x y” is no host", retryable: false });
    };
    const user = await show();
    await user.click(screen.getByRole("tab", { name: "Rules" }));
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Host for Allowed" });
    await user.type(field, "x y{Enter}");
    expect((await screen.findByRole("alert")).textContent).toMatch(/is no host/);
    expect(field.value).toBe("x y");
});

it("changes the profile", async () => {
    const user = await show();
    await user.click(screen.getByRole("tab", { name: "Rules" }));
    await user.click(screen.getByRole("radio", { name: /^Permissive/ }));
    expect(asked("web_profile_set")).toEqual([{ profile: "permissive" }]);
});

it("finds a page, shows its text, fetches it again and forgets it when asked twice", async () => {
    const user = await show();
    await user.type(screen.getByRole("searchbox", { name: "Find pages" }), "tides");
    await act(() => new Promise((resolve) => setTimeout(resolve, 300)));
    await user.click(screen.getByRole("button", { name: /^Tides/ }));
    const dialog = within(screen.getByRole("dialog", { name: "Tides" }));
    expect(await dialog.findByText("The tide rose.")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Fetch again" }));
    expect(asked("web_refresh")).toEqual([{ url: page.url }]);
    await user.click(dialog.getByRole("button", { name: "Forget…" }));
    expect(asked("web_forget")).toEqual([]);
    await user.click(within(screen.getByRole("alertdialog")).getByRole("button", { name: "Forget" }));
    expect(asked("web_forget")).toEqual([{ url: page.url }]);
    expect(screen.queryByRole("dialog")).toBeNull();
});

it("reads the log only when it is opened", async () => {
    const user = await show();
    expect(asked("web_log")).toEqual([]);
    await user.click(screen.getByRole("tab", { name: "Log" }));
    expect(await screen.findByText(/: needs approval/)).toBeTruthy();
    expect(screen.getByText(WHY)).toBeTruthy();
});

it("says that a host holds research up, and nothing where none does", async () => {
    const { unmount } = render(<WaitingNotice />);
    expect((await screen.findByText(/^1 web host was left out/)).textContent).toMatch(/decided about it/);
    expect(screen.getByRole("link", { name: "Decide" }).getAttribute("href")).toBe("#/web");
    unmount();
});
