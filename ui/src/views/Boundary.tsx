import { Component, type ReactNode } from "react";

import { Button, ErrorCard } from "@/shared";

interface BoundaryProps {
    /** What is shown: with something else, an error is forgotten. */
    of?: unknown;
    children: ReactNode;
}

/** Keeps a defect of one page from taking the window down. */
export class Boundary extends Component<BoundaryProps, { error: Error | undefined }> {
    override state: { error: Error | undefined } = { error: undefined };

    static getDerivedStateFromError(error: unknown) {
        return { error: error instanceof Error ? error : new Error(String(error)) };
    }

    override componentDidUpdate(before: BoundaryProps) {
        if (before.of !== this.props.of && this.state.error !== undefined) this.setState({ error: undefined });
    }

    override render() {
        const { error } = this.state;
        if (error === undefined) return this.props.children;
        return (
            <div className="p-6">
                <ErrorCard
                    title="This page failed to render"
                    kept="Runs continue, and all stored data is kept."
                    details={`${error.message}\n${error.stack ?? ""}`}
                    actions={
                        <>
                            <Button variant="primary" onClick={() => this.setState({ error: undefined })}>
                                Try again
                            </Button>
                            <Button onClick={() => location.reload()}>Reload window</Button>
                        </>
                    }
                />
            </div>
        );
    }
}
