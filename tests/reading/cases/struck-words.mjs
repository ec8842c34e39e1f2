// Words that were crossed out: they no longer stand, and a note tells of them.

export const KEPT = "The supplier shall disclose the data.";
export const WHOLE = "The supplier shall not disclose the data.";
export const TOLD = /struck|cross(ed)?[ -]?out|strike|line[- ]through/i;
/** The word in the middle is gone. */
export const gone = { stands: [KEPT], absent: [/shall\W+not/], told: [TOLD], struck: "not" };
/** The word in the middle was never struck. */
export const stays = { stands: [WHOLE], untold: [TOLD] };
export const [first, middle, last] = /** @type {const} */ (["The supplier shall ", "not ", "disclose the data."]);
