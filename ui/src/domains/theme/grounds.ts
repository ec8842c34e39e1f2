import { derive, type ColourName, type Colours } from "@/shared";

/** A colour of a side as it is seen, set or derived. */
export function groundOf(colours: Colours, name: ColourName): string {
    const tokens = derive(colours);
    switch (name) {
        case "paper":
            return tokens.surface;
        case "navigator":
            return tokens.sunken;
        case "input":
            return tokens.field;
        case "popover":
            return tokens.raised;
        default:
            return colours[name];
    }
}
