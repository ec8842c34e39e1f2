// Draws every hostile text at once, for a look in a real browser: nothing may run, nothing may be loaded. Not part of the build.

import { createRoot } from "react-dom/client";

import { TooltipProvider } from "@/shared";
import { Markdown } from "@/shared/markdown";
import { HOSTILE } from "@/shared/markdown/hostile-corpus";

import "@/shared/theme/theme.css";

const place = document.getElementById("app");
if (place !== null) {
    createRoot(place).render(
        <TooltipProvider>
            <div className="h-full overflow-y-auto p-6">
                {HOSTILE.map((source, index) => (
                    <section key={index} data-case={index} className="border-b border-hairline py-2">
                        <Markdown text={source} />
                    </section>
                ))}
            </div>
        </TooltipProvider>,
    );
}
