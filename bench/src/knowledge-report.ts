import type { KnowledgeFigures } from './knowledge.ts';
import type { Row } from './row.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export function knowledgeRows(knowledge: KnowledgeFigures | undefined): Row[] {
  if (knowledge === undefined) return [];
  const { pages, packages, prompts, promptPackages, everywhere, ownRepository, unnamed, latency } = knowledge;
  const { held, tuned } = everywhere;
  const corpus = `${prompts} prompts of ${promptPackages} packages, ${pages.toLocaleString('en')} pages of ${packages}`;
  return [
    {
      what: `knowledge, recall at 5 on the held-out ${held.prompts} (${corpus}); plain full text ${percent(held.plain.recall)}`,
      figure: percent(held.ours.recall),
      target: '≥ 90 % and above plain',
      holds: held.ours.recall >= 0.9 && held.ours.recall > held.plain.recall,
    },
    {
      what: `knowledge, precision there (${held.ours.returned.toFixed(1)} notes a prompt); plain full text ${percent(held.plain.precision)} (${held.plain.returned.toFixed(1)})`,
      figure: percent(held.ours.precision),
      target: 'above plain',
      holds: held.ours.precision > held.plain.precision,
    },
    {
      what: `knowledge, recall at 5 and precision on the ${tuned.prompts} it was tuned on; plain ${percent(tuned.plain.recall)}, ${percent(tuned.plain.precision)}`,
      figure: `${percent(tuned.ours.recall)}, ${percent(tuned.ours.precision)}`,
      target: '',
      holds: undefined,
    },
    {
      what: `knowledge, held-out, notes of the session's repository alone; plain ${percent(ownRepository.held.plain.recall)}, ${percent(ownRepository.held.plain.precision)}`,
      figure: `${percent(ownRepository.held.ours.recall)}, ${percent(ownRepository.held.ours.precision)}`,
      target: '',
      holds: undefined,
    },
    {
      what: `knowledge, held-out, headings in the bodies; plain ${percent(unnamed.held.plain.recall)}, ${percent(unnamed.held.plain.precision)}`,
      figure: `${percent(unnamed.held.ours.recall)}, ${percent(unnamed.held.ours.precision)}`,
      target: '',
      holds: undefined,
    },
    ...latency.map(({ notes, ours, plain, ratio }) => ({
      what: `knowledge, a prompt's notes out of ${notes.toLocaleString('en')}: p95 ${ours.p95.toFixed(1)} ms; plain ${plain.p50.toFixed(1)} ms, p95 ${plain.p95.toFixed(1)} ms; ${ratio.toFixed(2)} times`,
      figure: `${ours.p50.toFixed(1)} ms`,
      target: notes === 20_000 ? 'p50 ≤ 50 ms' : '',
      holds: notes === 20_000 ? ours.p50 <= 50 : undefined,
    })),
  ];
}
