// What a run's model requests were made of: by section and stage, beside what the provider reported.

import { Coins } from "lucide-react";
import { useState } from "react";

import { useCommand, type RequestTokens, type RunTokens, type TokenStrategy, type TokenSum } from "@/backend";
import { Button, ErrorCard, Fold } from "@/shared";

import { SectionBar } from "./SectionBar";
import { formatMoney, formatNumber, formatTokens } from "./labels";
import { cacheWord, inputOf, shareWord, strategyWord } from "./tokens";

const COMPARED: TokenStrategy[] = ["naive", "fresh", "handoff", "continue"];

export function TokenLedger({ run }: { run: string }) {
    const { run: count, pending, problem } = useCommand("run_tokens");
    const [tokens, setTokens] = useState<RunTokens>();
    const show = async () => setTokens((await count({ run: { id: run }, compare: COMPARED })).value);
    return (
        <div className="flex flex-col items-start gap-3">
            <Button
                icon={<Coins size={16} strokeWidth={1.5} />}
                disabled={pending}
                onClick={() => void show()}
                title="Computes what every request sent again from the log. No model is called."
            >
                {pending ? "Counting…" : tokens === undefined ? "Show tokens by section" : "Count again"}
            </Button>
            {problem !== undefined && (
                <ErrorCard
                    title="The tokens can’t be counted."
                    advice={problem.action ?? undefined}
                    details={problem.message}
                />
            )}
            {tokens !== undefined && <Ledger tokens={tokens} />}
        </div>
    );
}

function Ledger({ tokens }: { tokens: RunTokens }) {
    const { measured } = tokens;
    return (
        <div className="flex w-full flex-col gap-4 text-ui">
            <p className="tabular text-ink-2">
                {`Reported by the provider: ${formatNumber(inputOf(measured))} input tokens, ${formatNumber(measured.output)} output tokens, ${cacheWord(measured)}, ${formatMoney(tokens.cost)}. Estimated input: ${formatNumber(tokens.estimated)} tokens. All figures by section are estimates.`}
            </p>
            <Sums title="By stage" sums={tokens.stages} />
            <Sums title="By section" sums={tokens.sections} />
            {(tokens.strategies ?? []).length > 0 && <Strategies tokens={tokens} />}
            <ul>
                {tokens.requests.map((request) => (
                    <li key={`${request.run}.${request.key}`} className="border-b border-hairline py-1 last:border-b-0">
                        <Request request={request} />
                    </li>
                ))}
            </ul>
            {tokens.leftOut.map((each) => (
                <p key={each} className="text-small text-ink-2">{`Not counted: ${each}`}</p>
            ))}
        </div>
    );
}

function Request({ request }: { request: RequestTokens }) {
    return (
        <Fold
            label={`${request.agent}: ${request.title}`}
            note={
                <span className="tabular text-small text-ink-3">
                    {`${formatTokens(request.estimated)} estimated, ${formatNumber(inputOf(request.measured))} reported`}
                </span>
            }
        >
            <SectionBar sections={request.sections} />
            <table className="tabular mb-2 w-full text-small">
                <tbody>
                    {request.sections.map((section, index) => (
                        <tr key={`${section.name}.${index}`}>
                            <th scope="row" className="text-left font-mono text-code font-normal">
                                {section.name}
                            </th>
                            <td className="text-right">{formatNumber(section.tokens)}</td>
                            <td className="text-right">{shareWord(section.share)}</td>
                            <td className="text-right text-ink-2">
                                {section.cached > 0 ? `${formatNumber(section.cached)} cached` : "not cached"}
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
            <p className="tabular text-small text-ink-2">
                {`${request.key}, ${request.model}${request.tries > 1 ? `, ${request.tries} tries` : ""}: ${formatNumber(request.measured.output)} output tokens, ${cacheWord(request.measured)}, ${formatMoney(request.cost)}`}
            </p>
        </Fold>
    );
}

function Sums({ title, sums }: { title: string; sums: readonly TokenSum[] }) {
    return (
        <table className="tabular w-full text-small">
            <caption className="text-left font-medium">{title}</caption>
            <tbody>
                {sums.map((sum) => (
                    <tr key={sum.name}>
                        <th scope="row" className="text-left font-normal">
                            {sum.name}
                        </th>
                        <td className="text-right">{formatNumber(sum.tokens)}</td>
                        <td className="text-right">{shareWord(sum.share)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Strategies({ tokens }: { tokens: RunTokens }) {
    return (
        <table className="tabular w-full text-small">
            <caption className="text-left font-medium">
                The same requests under other strategies (recomputed, not measured)
            </caption>
            <thead>
                <tr className="text-ink-2">
                    <th className="text-left font-normal">Strategy</th>
                    <th className="text-right font-normal">Input</th>
                    <th className="text-right font-normal">Of it cached</th>
                    <th className="text-right font-normal">Cost</th>
                </tr>
            </thead>
            <tbody>
                {(tokens.strategies ?? []).map((each) => (
                    <tr key={each.strategy}>
                        <th scope="row" className="text-left font-normal">
                            {strategyWord(each.strategy)}
                        </th>
                        <td className="text-right">{formatNumber(each.input + each.cached)}</td>
                        <td className="text-right">{formatNumber(each.cached)}</td>
                        <td className="text-right">{formatMoney(each.cost)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
