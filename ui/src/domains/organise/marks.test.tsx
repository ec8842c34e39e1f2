import { render } from "@testing-library/react";
import { expect, test } from "vitest";

import type { StatusRow } from "@/backend";

import { StatusIcon } from "./marks";

const drawn = (changed: Partial<StatusRow>) => {
    const status = { id: "waiting", icon: null, color: null, category: "open", picture: null, ...changed } as StatusRow;
    const { container } = render(<StatusIcon status={status} />);
    return container;
};

test("a status shows the icon of its file: a sign, an emoji or a picture", () => {
    expect(drawn({ icon: "⧗" }).querySelector(".lucide-hourglass")).not.toBeNull();
    expect(drawn({ icon: "🚚" }).textContent).toBe("🚚");
    const picture = "data:image/svg+xml;base64,PHN2Zy8+";
    expect(drawn({ icon: "icon.svg", picture }).innerHTML).toContain(picture);
});

test("a status without an icon that can be drawn shows the sign of its category", () => {
    expect(drawn({}).querySelector(".lucide-circle")).not.toBeNull();
    expect(drawn({ icon: "gone.svg", category: "closed" }).querySelector(".lucide-circle-check")).not.toBeNull();
});
