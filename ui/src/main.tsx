import { createRoot } from "react-dom/client";

import { startEvents, useWindowWorkspace } from "@/backend";
import { applyAppearance } from "@/shared";
import App, { keepLastPlace } from "@/views/App";

import "@/shared/theme/theme.css";

applyAppearance();
startEvents();
keepLastPlace();
/** All that is shown is of one workspace. */
function Window() {
    const { turn } = useWindowWorkspace();
    return <App key={turn} />;
}

const place = document.getElementById("app");
if (place !== null) createRoot(place).render(<Window />);
