import { Component, type ReactNode } from "react";

import { Button, ErrorCard } from "@/shared";

/** Keeps a defect of one page from taking the window down. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
    override state: { error: Error | undefined } = { error: undefined };

    static getDerivedStateFromError(error: unknown) {
        return { error: error instanceof Error ? error : new Error(String(error)) };
    }

    override render() {
        const { error } = this.state;
        if (error === undefined) return this.props.children;
        return (
            <div className="p-6">
                <ErrorCard
                    title="This page could not be drawn"
                    kept="Runs go on and everything stored is kept: only the drawing failed."
                    details={`${error.message}\n${error.stack ?? ""}`}
                    actions={
                        <>
                            <Button variant="primary" onClick={() => this.setState({ error: undefined })}>
                                Draw it again
                            </Button>
                            <Button onClick={() => location.reload()}>Reload the window</Button>
                        </>
                    }
                />
            </div>
        );
    }
}
