// npm start: sets the machine up, builds the application and opens its window.

import { build, buildUi, SOURCE_DESKTOP } from "./build.mjs";
import { become } from "./process.mjs";
import { setUp } from "./setup.mjs";

const cwd = process.env.INIT_CWD ?? process.cwd();
const hasDisplay = process.platform !== "linux" || Boolean(process.env.DISPLAY) || Boolean(process.env.WAYLAND_DISPLAY);

if (!(await setUp({ purpose: hasDisplay ? "window" : "pages" }))) process.exit(1);
const built = (await buildUi()) || (await build(hasDisplay ? "window" : "program"));
if (built !== 0) process.exit(built);
if (!hasDisplay) {
    console.error(
        "Everything is ready, but there is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set).\n" +
            "  target/source/agentnative serve                  the same pages in a browser\n" +
            '  npm run -s research -- --yes "<question>"        in this terminal',
    );
    process.exit(2);
}
process.exit(await become(SOURCE_DESKTOP, process.argv.slice(2), cwd));
