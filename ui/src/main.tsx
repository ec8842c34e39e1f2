import { createRoot } from "react-dom/client";

import { startEvents } from "@/backend";
import { applyAppearance } from "@/shared";
import App from "@/views/App";

import "@/shared/theme/theme.css";

applyAppearance();
startEvents();
const place = document.getElementById("app");
if (place !== null) createRoot(place).render(<App />);
