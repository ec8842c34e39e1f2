import { ExternalLink } from "@/shared";

const ADDRESS = /(https?:\/\/[^\s,;()]+[^\s,;().])/;
/** An address without its scheme, as people write it: `console.example.com/keys`. */
const BARE = /((?:[a-z0-9-]+\.)+[a-z]{2,}\/[^\s,;()]*[^\s,;().]|(?:[a-z0-9-]+\.)+(?:com|org|net|dev|ai|io|cloud)\b)/;

/** Words in which addresses can be opened. */
export function LinkedText({ text }: { text: string }) {
    const pattern = ADDRESS.test(text) ? ADDRESS : BARE;
    return text.split(pattern).map((part, index) =>
        index % 2 === 0 ? (
            part
        ) : (
            <ExternalLink key={index} href={/^https?:/.test(part) ? part : `https://${part}`}>
                {part.replace(/^https?:\/\//, "")}
            </ExternalLink>
        ),
    );
}
