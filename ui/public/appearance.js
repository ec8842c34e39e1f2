// Runs before the first paint, so that a chosen theme never flashes in another one's colours.
// Written by src/shared/theme/appearance.ts under the same key.
(function () {
    try {
        var kept = JSON.parse(localStorage.getItem("appearance") || "{}");
        var root = document.documentElement;
        if (typeof kept.theme === "string") root.dataset.theme = kept.theme;
        if (typeof kept.mode === "string") root.dataset.mode = kept.mode;
        if (typeof kept.zoom === "number") root.style.setProperty("--zoom", String(kept.zoom));
    } catch (_) {
        // Storage is off or damaged: the default look.
    }
})();
