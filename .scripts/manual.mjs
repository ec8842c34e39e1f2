// The manual that the tests ingest: the Debian policy, as its package has it. Nothing of it is in this repository.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { ROOT, ask, which } from "./process.mjs";

const TEXT = "policy.txt.gz";
const INSTALLED = join("/usr", "share", "doc", "debian-policy");
const EXTRACTED = join(ROOT, "target", "test-data", "debian-policy");

/** @returns {string | undefined} the folder that has the manual's text */
export function manual() {
    return [INSTALLED, EXTRACTED].find((folder) => existsSync(join(folder, TEXT)));
}

/**
 * Minimal systems install packages without their documents: then the text is taken out of the package itself.
 * @returns {boolean} whether that worked
 */
export function extractManual() {
    if (which("apt-get") === undefined || which("dpkg-deb") === undefined) return false;
    const work = join(ROOT, "target", "test-data", `.package-${process.pid}`);
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work, { recursive: true });
    // As root, apt would fetch as another user, who may not write here.
    const fetched = ask("apt-get", ["-o", "APT::Sandbox::User=root", "download", "debian-policy"], { cwd: work });
    const file = readdirSync(work).find((name) => name.endsWith(".deb"));
    if (fetched.ok && file !== undefined && ask("dpkg-deb", ["-x", join(work, file), join(work, "out")]).ok) {
        rmSync(EXTRACTED, { recursive: true, force: true });
        renameSync(join(work, "out", "usr", "share", "doc", "debian-policy"), EXTRACTED);
    }
    rmSync(work, { recursive: true, force: true });
    return manual() !== undefined;
}
