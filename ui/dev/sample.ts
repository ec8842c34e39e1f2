/** Text with everything that Markdown can be here. */
export const SAMPLE = `# Materiality in a group audit

The group auditor **shall** determine materiality for the group as a whole [ISA 600.35](#cite-1), and performance materiality for components [ISA 600.36](#cite-2). See the [handbook](https://www.iaasb.org/handbook) or [bank.example](https://evil.example/login).

> Materiality is a matter of professional judgement, and is affected by the auditor's perception of the needs of users.

1. Read the group's instructions.
2. Compare them with the component's.
   - \`performance_materiality\` below the group's
   - and a threshold for what is clearly trivial
- [x] agreed with the component auditor
- [ ] documented

| Component | Benchmark | Share | Materiality |
|---|---|--:|--:|
| Parent | Revenue | 0.5 % | 1,200,000 |
| Subsidiary A | Total assets | 1.0 % | 640,000 |

## A formula

$$
PM = 0.75 \\times \\min\\left(\\frac{R}{200}, \\sqrt{A^2 + \\sum_{i=1}^{n} b_i}\\right)
$$

## A diagram

\`\`\`mermaid
flowchart LR
  A[Analyze] --> B{Clear?}
  B -->|yes| C[Retrieve]
  B -->|no| D[Ask the person]
  D --> C
  C --> E[Verify]
\`\`\`

<details><summary>All details of the plan (JSON)</summary>

\`\`\`json
{ "queries": ["going concern", "ISA 570"], "clarity": 0.64 }
\`\`\`

</details>

![A chart](https://charts.example/1.png)
`;
