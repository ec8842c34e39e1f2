// Runs before the first paint, so that a chosen theme never flashes in another one's colours.
// Written by src/shared/theme/appearance.ts under the same key.
(function () {
    try {
        var slug = new URLSearchParams(location.search).get("workspace") || sessionStorage.getItem("workspace");
        var kept = JSON.parse((slug && localStorage.getItem("appearance:" + slug)) || localStorage.getItem("appearance") || "{}");
        var root = document.documentElement;
        if (typeof kept.theme === "string") root.dataset.theme = kept.theme;
        if (typeof kept.mode === "string") root.dataset.mode = kept.mode;
        if (typeof kept.zoom === "number") root.style.setProperty("--zoom", String(kept.zoom));
        for (var name in kept.tokens || {}) {
            if (/^--[a-z\d-]+$/.test(name) && /^light-dark\(#[\da-f]{6,8}, #[\da-f]{6,8}\)$/.test(kept.tokens[name])) root.style.setProperty(name, kept.tokens[name]);
        }
    } catch (_) {
        // Storage is off or damaged: the default look.
    }
})();
