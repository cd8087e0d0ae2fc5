import type { ConsumptionFigures } from './consumption.ts';
import type { Row } from './row.ts';

export function consumptionRows(consumption: ConsumptionFigures | undefined): Row[] {
  if (consumption === undefined) return [];
  const { sessions, records, addedSeconds, rebuiltSeconds, isEqual, sizeBytes, costUsd, latency } = consumption;
  const extent = `${sessions.toLocaleString('en')} sessions and ${records.toLocaleString('en')} calls`;
  const rate = Math.round(records / addedSeconds).toLocaleString('en');
  return [
    {
      what: `consumption, rollups of ${extent} computed again (${rebuiltSeconds.toFixed(0)} s; kept with ${rate} calls/s; the database has ${(sizeBytes / 1e9).toFixed(1)} GB): $${costUsd}`,
      figure: isEqual ? 'equal' : 'different',
      target: 'equal to those that were kept, and to the ledger',
      holds: isEqual,
    },
    ...latency.map(({ path, bytes, ms }) => ({
      what: `${path} at ${extent}, ${Math.round(bytes / 1_024)} KiB: p50 ${ms.p50.toFixed(1)} ms`,
      figure: `${ms.p95.toFixed(1)} ms`,
      target: 'p95 ≤ 100 ms',
      holds: ms.p95 <= 100,
    })),
  ];
}
