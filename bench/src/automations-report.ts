import type { AutomationFigures } from './automations.ts';
import type { Row } from './row.ts';

export function automationRows(figures: AutomationFigures | undefined): Row[] {
  if (figures === undefined) return [];
  const { automations, seconds, runs, jobs, bareSeconds } = figures;
  const ratio = `${(seconds / bareSeconds).toFixed(1)} times the bare inserts (${bareSeconds.toFixed(1)} s)`;
  return [
    {
      what: `${automations.toLocaleString('en')} automations due at once, two schedulers: ${runs.toLocaleString('en')} runs and ${jobs.toLocaleString('en')} jobs committed, ${ratio}`,
      figure: `${seconds.toFixed(1)} s`,
      target: '≤ 60 s, each with its run and job',
      holds: seconds <= 60 && runs === automations && jobs === automations,
    },
  ];
}
