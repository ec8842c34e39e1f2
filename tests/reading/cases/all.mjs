// Every case of the corpus, by kind.

import { bidi } from "./bidi.mjs";
import { charsets } from "./charsets.mjs";
import { columns } from "./columns.mjs";
import { elements } from "./elements.mjs";
import { formulas } from "./formulas.mjs";
import { forms } from "./forms.mjs";
import { furniture } from "./furniture.mjs";
import { identity } from "./identity.mjs";
import { lattice } from "./lattice.mjs";
import { layers } from "./layers.mjs";
import { lists } from "./lists.mjs";
import { numbers } from "./numbers.mjs";
import { places } from "./places.mjs";
import { raised } from "./raised.mjs";
import { remarks } from "./remarks.mjs";
import { scripts } from "./scripts.mjs";
import { spans } from "./spans.mjs";
import { spine } from "./spine.mjs";
import { struck } from "./struck.mjs";
import { symbols } from "./symbols.mjs";

/**
 * What reading must give. A phrase is text within a paragraph or a heading, white space aside; a pattern is tested on each of them.
 * @typedef {object} Expected
 * @property {(string | RegExp)[]} [stands]
 * @property {(string | RegExp)[]} [absent]
 * @property {RegExp[]} [told] notes that must be there
 * @property {RegExp[]} [untold] notes that must not be there
 * @property {(string | RegExp)[]} [either] phrases of which one stands; where none does, the notes of `told` must be there, else they may
 * @property {[string, string][]} [under] a title and a phrase: a paragraph that has the phrase has the title, or stands below it
 * @property {[string, number][]} [most] how often a phrase may stand
 * @property {string} [struck] words that the base keeps as struck, beside the text
 * @property {[string, number][]} [pages] a phrase and the page of its paragraph
 * @property {[string, RegExp][]} [ids] a phrase and what the id of its paragraph must match
 * @property {RegExp[]} [notIds] what no id may match
 * @property {string[]} [finds] what a search must find it by
 */

/**
 * A name, a file or several by their names, and what is expected.
 * @typedef {[string, import("../make/input.mjs").Input | Record<string, import("../make/input.mjs").Input>, Expected]} Case
 * @typedef {Case[]} Cases
 */

/** @type {Record<string, Cases>} */
export const KINDS = {
    struck,
    raised,
    formula: formulas,
    symbol: symbols,
    form: forms,
    charset: charsets,
    "table header": columns,
    spans,
    formats: numbers,
    script: scripts,
    bidi,
    lattice,
    spine,
    remarks,
    element: elements,
    layer: layers,
    list: lists,
    place: places,
    furniture,
    identity,
};
