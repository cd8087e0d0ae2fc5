import type { Examples } from '../../../http/examples.ts';
import type { ClaimRun, ReportRun, SetExecutor } from './schemas.ts';

export const claimAutomationRun: Examples<typeof ClaimRun> = {
  'Any run, at once or within half a minute': { wait_seconds: 30 },
};

export const setExternalExecutor: Examples<typeof SetExecutor> = {
  'A service that takes runs': { url: 'https://executor.example.com/runs' },
  'No receiver: executors claim the runs': { url: '' },
};

export const reportAutomationRun: Examples<typeof ReportRun> = {
  'A heartbeat': { fencing_token: 1, attempt_no: 1, status: 'running' },
  'A success': {
    fencing_token: 1,
    attempt_no: 1,
    status: 'succeeded',
    summary: 'Updated three dependencies.',
    latency_ms: 81_250,
  },
  'A failure': {
    fencing_token: 1,
    attempt_no: 1,
    status: 'failed',
    error_class: 'tests_failed',
    error_message: '2 of 118 tests failed.',
  },
};
