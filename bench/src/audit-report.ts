import type { AuditFigures } from './audit.ts';
import type { Row } from './row.ts';

const count = (value: number): string => Math.round(value).toLocaleString('en');

export function auditRows(audit: AuditFigures | undefined): Row[] {
  if (audit === undefined) return [];
  const { mutations, sustained, linkedPerSecond, verify, exported } = audit;
  const { wanted, perSecond, lagMs } = sustained;
  return [
    {
      what: `mutations a second with the chainer (${count(mutations.linked)}) against without (${count(mutations.alone)})`,
      figure: mutations.ratio.toFixed(2),
      target: '≥ 0.90',
      holds: mutations.ratio >= 0.9,
    },
    {
      what: `mutations a second, ${count(wanted)} asked for`,
      figure: count(perSecond),
      target: `≥ ${count(wanted * 0.98)}`,
      holds: perSecond >= wanted * 0.98,
    },
    {
      what: `from commit to link meanwhile (p50 ${Math.round(lagMs.p50)} ms)`,
      figure: `${Math.round(lagMs.p95)} ms`,
      target: 'p95 ≤ 1000 ms',
      holds: lagMs.p95 <= 1_000,
    },
    { what: 'entries linked a second when behind', figure: count(linkedPerSecond), target: '', holds: undefined },
    {
      what: `verify ${count(verify.entries)} entries; with a break near the end ${verify.brokenSeconds.toFixed(1)} s, ${verify.found ? 'found' : 'missed'}`,
      figure: `${verify.seconds.toFixed(1)} s`,
      target: '≤ 10 s for 1,000,000',
      holds: verify.found && verify.seconds <= 10,
    },
    {
      what: `memory grown while ${count(exported.entries)} entries are exported (${count(exported.mib)} MiB in ${exported.seconds.toFixed(1)} s)`,
      figure: `${Math.round(exported.growthMib)} MiB, ${Math.round(exported.laterMib)} in the second half`,
      target: '≤ 32 MiB in the second half',
      holds: exported.laterMib <= 32,
    },
  ];
}
