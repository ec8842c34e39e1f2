// Texts that a page must show as text: what a question, a document, an agent or a source could bring along.

import { createServer } from "node:http";

/**
 * A server that nobody may ask: it counts who does.
 * @param {import("node:test").TestContext} context
 * @returns {Promise<{ address: string, hits: string[] }>}
 */
export async function canary(context) {
    /** @type {string[]} */
    const hits = [];
    const server = createServer((request, response) => {
        hits.push(request.url ?? "");
        response.setHeader("access-control-allow-origin", "*").end("");
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    context.after(() => server.close());
    const bound = server.address();
    const port = typeof bound === "object" && bound !== null ? bound.port : 0;
    return { address: `http://127.0.0.1:${port}`, hits };
}

/**
 * Markdown and HTML, a payload each. Whatever runs sets `window.__owned`; whatever loads asks the canary.
 * @param {string} at the canary's address
 * @returns {Record<string, string>}
 */
export function payloads(at) {
    const own = "window.__owned=(window.__owned||0)+1;parent.__owned=1";
    const code = (/** @type {string} */ language, /** @type {string} */ text) => `\`\`\`${language}\n${text}\n\`\`\``;
    return {
        "a script": `<script>${own}</script><script src="${at}/script.js"></script>`,
        "a module": `<script type="module">import "${at}/module.js"</script>`,
        "a handler": `<img src=x onerror="${own}"><b onmouseover="${own}" onclick="${own}" onfocus="${own}" tabindex=0 autofocus>bold</b>`,
        "a handler in a slash": `<img/src=x/onerror=${own}>`,
        "an open tag": `<img src="${at}/open.png" onerror="${own}"`,
        "details with a handler": `<details open ontoggle="${own}"><summary>more</summary>text</details>`,
        links: `[one](javascript:${own}) [two](JaVaScRiPt:${own}) [three](data:text/html,<script>${own}</script>) [four](vbscript:x) [five](&#106;avascript:${own}) [six](java&#9;script:${own}) [seven](file:///etc/passwd) [eight](tauri://localhost/x) [nine](ipc://localhost/call) [ten](blob:x)`,
        "link tags": `<a href="javascript:${own}">a</a><a href="data:text/html;base64,PHNjcmlwdD4xPC9zY3JpcHQ+">b</a><a href="//127.0.0.1/x" ping="${at}/ping">c</a><area href="javascript:${own}">`,
        "an image": `![remote](${at}/image.png) <img src="${at}/img.png" srcset="${at}/srcset.png 2x"> <picture><source srcset="${at}/source.png"><img></picture>`,
        "an SVG": `<svg onload="${own}"><script>${own}</script><image href="${at}/svg.png"/><use href="data:image/svg+xml,<svg/>#x"/><animate onbegin="${own}" attributeName="x"/><foreignObject><iframe src="javascript:${own}"></iframe></foreignObject></svg>`,
        "an SVG image": `![svg](data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="${own}"><image href="${at}/in-svg.png"/></svg>)`,
        "a frame": `<iframe src="${at}/frame"></iframe><iframe srcdoc="<script>${own}</script><img src=${at}/srcdoc.png>"></iframe><object data="${at}/object"></object><embed src="${at}/embed"><frameset><frame src="${at}/f"></frameset>`,
        "a style": `<style>@import url("${at}/import.css"); body { display: none !important; background: url("${at}/background.png") }</style><div style="position:fixed;inset:0;z-index:99999;background:url(${at}/inline.png)">over everything</div><link rel="stylesheet" href="${at}/link.css">`,
        media: `<video src="${at}/video" poster="${at}/poster.png" autoplay onerror="${own}"></video><audio src="${at}/audio" autoplay></audio><track src="${at}/track">`,
        "a form": `<form action="${at}/form"><button formaction="javascript:${own}" autofocus>Proceed</button><input name=token></form>`,
        meta: `<meta http-equiv="refresh" content="0;url=${at}/refresh"><base href="${at}/"><title>owned</title>`,
        math: `<math><mtext><table><mglyph><style><img src=x onerror="${own}"></style></mglyph></table></mtext></math><noscript><p title="</noscript><img src=x onerror=${own}>"></noscript>`,
        "a template": `<template><img src=x onerror="${own}"></template><xmp><img src=x onerror="${own}"></xmp><textarea><img src=x onerror="${own}"></textarea>`,
        clobbering: `<form id="attributes"><input id="parentNode"></form><img name="body" id="getElementById"><a id="__TAURI_INTERNALS__" href="x">x</a>`,
        TeX: `$\\href{javascript:${own}}{x}$ $$\\includegraphics{${at}/tex.png} \\htmlData{x=1}{y} \\url{javascript:${own}} \\def\\a{\\a\\a}\\a$$ $\\unicode{<img src=x onerror=${own}>}$`,
        mermaid: code(
            "mermaid",
            `graph TD\n  A["<img src=x onerror='${own}'>"] --> B\n  click A "javascript:${own}" "tip"\n  click B call ${own}()`,
        ),
        "a mermaid directive": code(
            "mermaid",
            `%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "* { background: url(${at}/mermaid.png) }", "fontFamily": "x; background: url(${at}/font.png)"}}%%\ngraph LR\n  A["<script>${own}</script>"] --> B["<iframe srcdoc='<script>${own}</script>'></iframe>"]`,
        ),
        "a mermaid sequence": code(
            "mermaid",
            `sequenceDiagram\n  Alice->>Bob: <img src="${at}/seq.png" onerror="${own}">\n  link Alice: Dashboard @ javascript:${own}`,
        ),
        code: code("html", `<script>${own}</script><img src="${at}/code.png">`),
        "a footnote": `Text[^1]\n\n[^1]: <img src=x onerror="${own}"> ![x](${at}/footnote.png)`,
        "an automatic link": `<javascript:${own}> <${at}/auto>`,
        "a reference": `[x][y] ![i][z]\n\n[y]: javascript:${own}\n[z]: ${at}/reference.png "t"`,
        "a table": `| a | b |\n|---|---|\n| <img src=x onerror="${own}"> | ![x](${at}/table.png) |`,
        "hidden text": "safe\u202Etxet\u2066 \u200B\u{E0041}",
    };
}

/** Goes into the page once, before anything hostile is shown: notes what runs and what the policy stopped. */
export const WATCH = `() => {
    window.__owned = 0;
    window.__stopped = [];
    document.addEventListener("securitypolicyviolation", (event) => window.__stopped.push(event.effectiveDirective + " " + event.blockedURI + " " + event.sample));
    for (const name of ["alert", "confirm", "prompt", "open", "print"]) window[name] = () => { window.__owned += 1; };
}`;

/** What was noted, and what stands in the page that must never stand there. */
export const FINDINGS = `() => {
    const names = [...document.querySelectorAll("main *, dialog *, [role=dialog] *, aside *")];
    const handlers = names.filter((at) => [...at.attributes].some((attribute) => /^on/i.test(attribute.name)));
    const links = names.filter((at) => at.matches("a[href], area[href]") && (/^(javascript|data|vbscript|file|ipc|blob):$/i.test(at.protocol) || /^\\s*tauri:/i.test(at.getAttribute("href"))));
    const elements = names.filter((at) => at.matches("script, iframe:not([src*='mermaid.html']), object, embed, base, meta, link, style, frame, form[action], video, audio, foreignObject, animate, area"));
    const remote = names.filter((at) => /^https?:/i.test(at.currentSrc || "") && !at.currentSrc.startsWith(location.origin));
    const tell = (list) => list.map((at) => at.outerHTML.slice(0, 120));
    return { owned: window.__owned, stopped: window.__stopped, title: document.title, hidden: getComputedStyle(document.body).display === "none",
        handlers: tell(handlers), links: tell(links), elements: tell(elements), remote: tell(remote) };
}`;
