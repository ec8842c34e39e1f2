import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";

import { Failure, type VaultStatus } from "@/backend";
import { forget } from "@/backend/query";
import { mockTransport, type MockTransport } from "@/backend/mock-transport";
import { ConfirmHost, Toasts, TooltipProvider } from "@/shared";

import { CredentialSettings } from "./CredentialSettings";

const SECRET = "four unrelated words here";
let core: MockTransport;
let status: VaultStatus;

beforeEach(() => {
    forget();
    core = mockTransport();
    status = {
        exists: true,
        locked: false,
        protection: "keychain",
        explained: "Protects from copies of the disk.",
        keychain: true,
        entries: [{ name: "connection/acme/key", usedBy: "Acme", at: Date.now() - 210_000, expiresAt: null }],
        rotatedAt: null,
        problem: null,
    };
    core.answers = {
        vault_show: () => status,
        vault_protect: () => status,
        vault_lock: () => (status = { ...status, locked: true, entries: [] }),
        vault_unlock: () => (status = { ...status, locked: false }),
        secret_remove: null,
        credentials_import: {
            taken: ["connection/anthropic/key"],
            connections: ["anthropic"],
            left: ["google: a sign-in of Craft Agent's own client can't be renewed elsewhere"],
        },
    };
});

async function show() {
    render(
        <TooltipProvider>
            <CredentialSettings />
            <ConfirmHost />
            <Toasts />
        </TooltipProvider>,
    );
    await act(async () => {});
    return userEvent.setup();
}
const sent = (command: string) => core.asked.filter(({ name }) => name === command).map(({ params }) => params);

test("what protects the vault is said in words, and what is in it by name alone", async () => {
    await show();
    expect(await screen.findByText("Protects from copies of the disk.")).toBeTruthy();
    expect(screen.getByText("Unlocked")).toBeTruthy();
    expect(screen.getByRole("row", { name: /Key of acme.*Acme 3 m Never/ })).toBeTruthy();
});

test("an empty vault says how the first secret comes into it", async () => {
    status = { ...status, exists: false, entries: [] };
    await show();
    expect(await screen.findByText("No secrets yet")).toBeTruthy();
    expect(screen.getByText("Created with the first secret")).toBeTruthy();
});

test("a locked vault is opened with its passphrase, which does not stay on the page", async () => {
    status = { ...status, locked: true, protection: "passphrase", entries: [] };
    const user = await show();
    expect(await screen.findByText("Locked")).toBeTruthy();
    await user.type(screen.getByLabelText("Passphrase"), `${SECRET}{Enter}`);
    expect(sent("vault_unlock")).toEqual([{ passphrase: SECRET }]);
    await waitFor(() => expect(screen.queryByLabelText("Passphrase")).toBeNull());
    expect(document.documentElement.innerHTML).not.toContain(SECRET);
});

test("a wrong passphrase says so and leaves an empty field", async () => {
    status = { ...status, locked: true, protection: "passphrase", entries: [] };
    core.answers.vault_unlock = () => {
        throw new Failure({ code: "invalid_input", message: "That is not the passphrase.", retryable: true });
    };
    const user = await show();
    await user.type(await screen.findByLabelText("Passphrase"), "wrong words{Enter}");
    expect(await screen.findByText("That is not the passphrase.")).toBeTruthy();
    expect(screen.getByLabelText("Passphrase")).toHaveProperty("value", "");
});

test("a passphrase is set only when it was typed twice alike", async () => {
    const user = await show();
    await user.click(await screen.findByRole("button", { name: "Change protection…" }));
    await user.click(screen.getByRole("radio", { name: "A passphrase" }));
    await user.type(screen.getByLabelText("Passphrase"), "12345678");
    expect(screen.getByText(/^Weak:/)).toBeTruthy();
    await user.clear(screen.getByLabelText("Passphrase"));
    await user.type(screen.getByLabelText("Passphrase"), SECRET);
    expect(screen.getByText(/^Strong/)).toBeTruthy();
    await user.type(screen.getByLabelText("Repeat the passphrase"), `${SECRET}!`);
    await user.click(screen.getByRole("button", { name: "Change protection" }));
    expect(screen.getByText("The passphrases differ.")).toBeTruthy();
    expect(sent("vault_protect")).toEqual([]);
    await user.type(screen.getByLabelText("Repeat the passphrase"), "{Backspace}");
    await user.click(screen.getByRole("button", { name: "Change protection" }));
    await waitFor(() => expect(sent("vault_protect")).toEqual([{ protection: "passphrase", passphrase: SECRET }]));
});

test("a keychain that is not there can't be chosen", async () => {
    status = { ...status, protection: "key_file", keychain: false };
    const user = await show();
    expect(await screen.findByText("less secure")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Change protection…" }));
    expect(screen.getByRole("radio", { name: "The desktop keychain" })).toHaveProperty("disabled", true);
    expect(screen.getByText(/No working keychain/)).toBeTruthy();
});

test("its key is changed when the person says so", async () => {
    const user = await show();
    await user.click(await screen.findByRole("button", { name: "Change key…" }));
    await user.click(await screen.findByRole("button", { name: "Change key" }));
    await waitFor(() => expect(sent("vault_protect")).toEqual([{ protection: "keychain" }]));
});

test("a secret is removed only when the person knows what uses it", async () => {
    const user = await show();
    await user.click(await screen.findByRole("button", { name: "Remove Key of acme" }));
    const asked = await screen.findByRole("alertdialog");
    expect(asked.textContent).toContain("Acme uses this secret and won’t work without it");
    await user.click(within(asked).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(sent("secret_remove")).toEqual([{ name: "connection/acme/key" }]));
});

test("what Craft Agent stored is taken over, and what is left out is told with its reason", async () => {
    const user = await show();
    await user.type(await screen.findByLabelText("Credential file"), " ~/.craft-agent/credentials.enc{Enter}");
    expect(sent("credentials_import")).toEqual([{ path: "~/.craft-agent/credentials.enc" }]);
    expect(await screen.findByText(/1 secret imported: Key of anthropic/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "anthropic" }).getAttribute("href")).toBe(
        "#/settings/connections?open=anthropic",
    );
    expect(screen.getByText(/can't be renewed elsewhere/)).toBeTruthy();
});

test("a vault that can't be opened says why", async () => {
    status = {
        ...status,
        locked: true,
        problem: {
            code: "corrupt",
            message: "The vault's file is damaged.",
            retryable: false,
            action: "Put back a copy of it.",
        },
    };
    await show();
    expect(await screen.findByText("The vault's file is damaged.")).toBeTruthy();
    expect(screen.getByText("Put back a copy of it.")).toBeTruthy();
});
