import type { Schemas } from '../../lib/api.ts';
import { Chip } from '../../ui/Chip.tsx';
import { actionWord, ruleLabel } from './rules.ts';

type Finding = Schemas['GuardrailEvaluation']['findings'][number];

/** What rules say against something, each with its evidence. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="flex flex-col gap-3">
      {findings.map((finding, at) => (
        <li key={`${finding.rule} ${at}`} className="flex flex-col gap-1 border-l-2 border-line-strong pl-3">
          <p className="flex flex-wrap items-center gap-2">
            <Chip tone={actionWord(finding.action).tone}>{actionWord(finding.action).word}</Chip>
            <span className="font-medium">{ruleLabel(finding.rule)}</span>
          </p>
          <p className="break-words">{finding.message}</p>
          <Items items={finding.items} />
        </li>
      ))}
    </ul>
  );
}

/** Paths, lines or commands, with secrets masked by the API. */
export function Items({ items }: { items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <ul className="mono rounded-control bg-sunken p-2">
      {items.map((item, at) => (
        <li key={`${at} ${item}`} className="break-all whitespace-pre-wrap">
          {item.slice(0, 2_000)}
        </li>
      ))}
    </ul>
  );
}
