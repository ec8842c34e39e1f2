// Layers of PDF that are switched off: what nobody sees is no part of the text.

import { BODY, pdfOf, text } from "../make/pdf.mjs";

/**
 * A page with a line in a layer, and how the file shows its layers.
 * @param {string} shown the inside of the default configuration; `@` is the layer, `%` another
 * @param {string} [membership] the inside of a membership dictionary in place of the layer
 */
const layered = (shown, membership) =>
    pdfOf(
        [
            {
                content: `/OC /L1 BDC\n${text(72, 700, "The layered words of the plan.")}EMC\n${text(72, 680, "The open words of the plan.")}${BODY}`,
            },
        ],
        {},
        { shown, membership },
    );
const GONE = { stands: ["The open words of the plan."], absent: ["layered words"] };
const STAYS = { stands: ["The open words of the plan.", "The layered words of the plan."] };

/** @type {import("./all.mjs").Cases} */
export const layers = [
    ["a layer that is on", layered("/ON [@]"), STAYS],
    ["a layer without a word", layered(""), STAYS],
    ["a layer that is off", layered("/OFF [@]"), { ...GONE, told: [/hidden|layer|not shown|left out/i] }],
    ["all layers off", layered("/BaseState /OFF"), GONE],
    ["all layers off but this", layered("/BaseState /OFF /ON [@]"), STAYS],
    ["all layers off but another", layered("/BaseState /OFF /ON [%]"), GONE],
    ["a member of a layer that is off", layered("/OFF [@]", "/OCGs @"), GONE],
    ["a member of any layer that is on", layered("/OFF [@]", "/OCGs [@ %] /P /AnyOn"), STAYS],
    ["a member of all layers on", layered("/OFF [@]", "/OCGs [@ %] /P /AllOn"), GONE],
    ["a member of any layer that is off", layered("/OFF [@]", "/OCGs [@ %] /P /AnyOff"), STAYS],
    ["a member of all layers off", layered("/OFF [@]", "/OCGs [@ %] /P /AllOff"), GONE],
];
