import { cx } from "./cx";

export interface PictureProps {
    /** A data URL. */
    src: string;
    size?: 14 | 16;
    /** The colour of a picture that has none of its own. */
    color?: string;
    className?: string;
}

/** A small picture beside a name that says what it shows. A drawing that leaves its colour open takes that of the text. */
export function Picture({ src, size = 16, color = "currentColor", className }: PictureProps) {
    const box = cx("inline-block shrink-0", size === 16 ? "size-4" : "size-3.5", className);
    if (!isOpen(src)) return <img src={src} alt="" aria-hidden className={cx(box, "object-contain")} />;
    const mask = `url("${src}") center / contain no-repeat`;
    return <span aria-hidden className={box} style={{ backgroundColor: color, mask, WebkitMask: mask }} />;
}

/** Whether a drawing takes the colour of the text. */
export function isOpen(src: string): boolean {
    const drawing = /^data:image\/svg\+xml;base64,([A-Za-z0-9+/=]+)$/.exec(src)?.[1];
    return drawing !== undefined && atob(drawing).includes("currentColor");
}
