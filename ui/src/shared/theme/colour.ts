// Colours as numbers: reading CSS notations, OKLab and OKLCH (Björn Ottosson, "A perceptual color space for image processing", 2020), contrast as WCAG 2.2
// computes it. Colours given out are `#rrggbb`.

/** Parts of gamma-encoded sRGB, 0 to 1. */
export interface Rgb {
    r: number;
    g: number;
    b: number;
}

/** Lightness 0 to 1, chroma from 0, hue in degrees. */
export interface Oklch {
    l: number;
    c: number;
    h: number;
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** A colour with its opacity; undefined for what is no colour: hex, rgb(), hsl(), oklab() or oklch() with numbers alone. */
export function parseColour(text: string): (Rgb & { alpha: number }) | undefined {
    const plain = text.trim().toLowerCase();
    if (plain.length > 64) return undefined;
    if (plain.startsWith("#")) return parseHex(plain.slice(1));
    const [, name, inside] = /^(rgba?|hsla?|oklab|oklch)\(([^()]*)\)$/.exec(plain) ?? [];
    if (name === undefined || inside === undefined) return undefined;
    const parts = inside.split(/[\s,/]+/).filter((part) => part !== "");
    if (parts.length < 3 || parts.length > 4) return undefined;
    const [first, second, third] = parts as [string, string, string];
    const alpha = amount(parts[3] ?? "1", 1);
    const made = ((): Rgb | undefined => {
        if (name.startsWith("rgb")) {
            const [r, g, b] = [amount(first, 255), amount(second, 255), amount(third, 255)];
            return r === undefined || g === undefined || b === undefined
                ? undefined
                : { r: r / 255, g: g / 255, b: b / 255 };
        }
        if (name.startsWith("hsl")) {
            const [h, s, l] = [degrees(first), amount(second, 100), amount(third, 100)];
            return h === undefined || s === undefined || l === undefined
                ? undefined
                : ofHsl(h, clamp(s / 100), clamp(l / 100));
        }
        const l = amount(first, 1);
        if (l === undefined) return undefined;
        if (name === "oklab") {
            const [a, b] = [amount(second, 0.4), amount(third, 0.4)];
            return a === undefined || b === undefined
                ? undefined
                : ofOklch({ l: clamp(l), c: Math.hypot(a, b), h: (Math.atan2(b, a) * 180) / Math.PI });
        }
        const [c, h] = [amount(second, 0.4), degrees(third)];
        return c === undefined || h === undefined ? undefined : ofOklch({ l: clamp(l), c: Math.max(0, c), h });
    })();
    if (made === undefined || alpha === undefined) return undefined;
    return { r: clamp(made.r), g: clamp(made.g), b: clamp(made.b), alpha: clamp(alpha) };
}

function parseHex(digits: string): (Rgb & { alpha: number }) | undefined {
    if (!/^(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.test(digits)) return undefined;
    const size = digits.length < 5 ? 1 : 2;
    const part = (at: number) => {
        const piece = digits.slice(at * size, at * size + size);
        return parseInt(size === 1 ? piece + piece : piece, 16) / 255;
    };
    return { r: part(0), g: part(1), b: part(2), alpha: digits.length % 4 === 0 ? part(3) : 1 };
}

/** A number, or a percentage of `whole`. */
function amount(text: string, whole: number): number | undefined {
    const [, digits, percent] = /^(-?(?:\d+\.?\d*|\.\d+))(%?)$/.exec(text) ?? [];
    if (digits === undefined) return undefined;
    return percent === "%" ? (Number(digits) / 100) * whole : Number(digits);
}

function degrees(text: string): number | undefined {
    const [, digits, unit] = /^(-?(?:\d+\.?\d*|\.\d+))(deg|turn|)$/.exec(text) ?? [];
    if (digits === undefined) return undefined;
    return unit === "turn" ? Number(digits) * 360 : Number(digits);
}

function ofHsl(h: number, s: number, l: number): Rgb {
    const turn = ((h % 360) + 360) % 360;
    const part = (n: number) => {
        const k = (n + turn / 30) % 12;
        return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    };
    return { r: part(0), g: part(8), b: part(4) };
}

const toLinear = (part: number) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const fromLinear = (part: number) => (part <= 0.003_130_8 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055);

export function hexOf({ r, g, b }: Rgb): string {
    return `#${[r, g, b]
        .map((part) =>
            Math.round(clamp(part) * 255)
                .toString(16)
                .padStart(2, "0"),
        )
        .join("")}`;
}

/** A colour of our own, which is `#rrggbb`; anything else is black. */
function rgbOf(colour: string): Rgb {
    return parseColour(colour) ?? { r: 0, g: 0, b: 0 };
}

export function oklchOf(colour: string): Oklch {
    const { r, g, b } = rgbOf(colour);
    const [red, green, blue] = [toLinear(r), toLinear(g), toLinear(b)];
    const l = Math.cbrt(0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue);
    const m = Math.cbrt(0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue);
    const s = Math.cbrt(0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue);
    const lightness = 0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s;
    const a = 1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s;
    const other = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s;
    return { l: lightness, c: Math.hypot(a, other), h: ((Math.atan2(other, a) * 180) / Math.PI + 360) % 360 };
}

function plain({ l, c, h }: Oklch): Rgb {
    const angle = (h * Math.PI) / 180;
    const [a, b] = [c * Math.cos(angle), c * Math.sin(angle)];
    const long = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3;
    const middle = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3;
    const short = (l - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3;
    return {
        r: fromLinear(4.076_741_662_1 * long - 3.307_711_591_3 * middle + 0.230_969_929_2 * short),
        g: fromLinear(-1.268_438_004_6 * long + 2.609_757_401_1 * middle - 0.341_319_396_5 * short),
        b: fromLinear(-0.004_196_086_3 * long - 0.703_418_614_7 * middle + 1.707_614_701 * short),
    };
}

const inGamut = ({ r, g, b }: Rgb) => [r, g, b].every((part) => part >= -0.0005 && part <= 1.0005);

/** The colour, with as much chroma as sRGB has at that lightness and hue. */
function ofOklch(colour: Oklch): Rgb {
    const whole = plain(colour);
    if (inGamut(whole)) return whole;
    let [low, high] = [0, colour.c];
    for (let step = 0; step < 18; step += 1) {
        const middle = (low + high) / 2;
        if (inGamut(plain({ ...colour, c: middle }))) low = middle;
        else high = middle;
    }
    return plain({ ...colour, c: low });
}

export function hexOfOklch(colour: Oklch): string {
    return hexOf(ofOklch({ ...colour, l: clamp(colour.l) }));
}

/** `part` of a colour on another one: 0 is the other one. */
export function mixed(colour: string, ground: string, part: number): string {
    const [over, under] = [rgbOf(colour), rgbOf(ground)];
    const mix = (a: number, b: number) => a * part + b * (1 - part);
    return hexOf({ r: mix(over.r, under.r), g: mix(over.g, under.g), b: mix(over.b, under.b) });
}

/** Relative luminance, 0 to 1. */
export function luminance(colour: string): number {
    const { r, g, b } = rgbOf(colour);
    return 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);
}

/** Contrast of two colours, 1 to 21. */
export function contrast(a: string, b: string): number {
    const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

/** The least contrast of a colour with any of some grounds. */
export function leastContrast(colour: string, grounds: readonly string[]): number {
    return Math.min(...grounds.map((ground) => contrast(colour, ground)));
}

/**
 * The colour of the same hue, as near in lightness as can be, that has a contrast with all the grounds. Where none has it, black or white, whichever has
 * more.
 */
export function readable(colour: string, grounds: readonly string[], ratio: number): string {
    if (leastContrast(colour, grounds) >= ratio) return colour;
    const { l, c, h } = oklchOf(colour);
    const at = (lightness: number) => hexOfOklch({ l: lightness, c, h });
    const found = [0, 1].flatMap((end) => {
        if (leastContrast(at(end), grounds) < ratio) return [];
        // Between the colour and the end the contrast comes to the ratio once.
        let [near, far] = [l, end];
        for (let step = 0; step < 12; step += 1) {
            const middle = (near + far) / 2;
            if (leastContrast(at(middle), grounds) >= ratio) far = middle;
            else near = middle;
        }
        return [far];
    });
    const [best] = found.sort((a, b) => Math.abs(a - l) - Math.abs(b - l));
    if (best !== undefined) return at(best);
    return leastContrast("#000000", grounds) >= leastContrast("#ffffff", grounds) ? "#000000" : "#ffffff";
}

/** The colour with its lightness moved by so much, chroma kept as far as there is room. */
export function shifted(colour: string, by: number): string {
    const { l, c, h } = oklchOf(colour);
    return hexOfOklch({ l: l + by, c, h });
}
