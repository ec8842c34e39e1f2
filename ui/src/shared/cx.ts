/** Class names, without the ones that are off. */
export function cx(...names: (string | false | null | undefined)[]): string {
    return names.filter(Boolean).join(" ");
}
