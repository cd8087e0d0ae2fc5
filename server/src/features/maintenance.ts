import type { Context } from '../app/context.ts';
import type { MaintenanceTask } from '../jobs/maintenance.ts';
import { sweepAttachments } from './attachments/service.ts';
import { forgetSignIns } from './auth/sign-in-service.ts';
import { tidyBrowsers } from './browser/host-service.ts';
import { lostCallsGone } from './groups/call-service.ts';
import { forgetMemory } from './memory/upkeep-service.ts';
import { purgeOrganizations } from './organizations/purge-service.ts';
import { pruneRepositories } from './repositories/prune-service.ts';
import { purgeRepositories } from './repositories/purge-service.ts';
import { measureRepositories } from './repositories/size-service.ts';
import { archiveEnded, suspendIdle } from './sessions/dispatch/rest-service.ts';
import { expireApprovals } from './sessions/run/approval-state-service.ts';
import { sweepCheckpoints } from './sessions/run/checkpoint-sweep-service.ts';
import { silentWorkersGone } from './sessions/run/worker-service.ts';
import { forgetDeletedSkills } from './skills/public.ts';
import { sweepLedger } from './storage/ledger-service.ts';

const minuteMs = 60_000;
const every5 = { schedule: '*/5 * * * *', timeoutMs: 5 * minuteMs };
/** Apart from one another, because each reads everything that there is. */
const nightlyAt = (minute: number) => ({ schedule: `${minute} 3 * * *`, timeoutMs: 360 * minuteMs });
const hourlyAt = (minute: number) =>
  ({ queue: 'repository_maintenance', schedule: `${minute} * * * *`, timeoutMs: 180 * minuteMs }) as const;

/** What features do on their own at fixed times. */
export const featureMaintenance: MaintenanceTask<Context>[] = [
  { name: 'suspend-idle-sessions', schedule: '* * * * *', timeoutMs: 5 * minuteMs, run: suspendIdle },
  { name: 'expire-approvals', schedule: '* * * * *', timeoutMs: 5 * minuteMs, run: expireApprovals },
  { name: 'delete-silent-workers', ...every5, run: silentWorkersGone },
  { name: 'delete-lost-model-calls', ...every5, run: lostCallsGone },
  { name: 'delete-browser-sessions', ...every5, run: tidyBrowsers },
  { name: 'delete-sign-ins', ...every5, run: forgetSignIns },
  { name: 'archive-sessions', ...every5, run: archiveEnded },
  { name: 'delete-memory', ...every5, run: forgetMemory },
  { name: 'delete-skills', ...every5, run: forgetDeletedSkills },
  { name: 'sweep-attachments', ...nightlyAt(17), run: sweepAttachments },
  { name: 'sweep-checkpoints', ...nightlyAt(32), run: (ctx) => sweepCheckpoints(ctx) },
  { name: 'sweep-stored-bytes', ...nightlyAt(47), run: sweepLedger },
  { name: 'purge-repositories', ...hourlyAt(17), run: purgeRepositories },
  { name: 'prune-repositories', ...hourlyAt(27), run: pruneRepositories },
  { name: 'measure-repositories', ...hourlyAt(37), run: measureRepositories },
  { name: 'purge-organizations', ...hourlyAt(47), run: purgeOrganizations },
];
