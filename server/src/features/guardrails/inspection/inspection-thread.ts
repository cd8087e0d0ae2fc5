import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../../lib/errors.ts';
import type { Inspection, InspectionAnswer } from './inspection.ts';

/** Inspects texts of others in a thread of its own, one after another, so that none of them can hold up a process. */
async function inspect(inspection: Inspection): Promise<InspectionAnswer> {
  try {
    if (inspection.kind === 'command') {
      const { judgeCommand } = await import('./commands.ts');
      return { kind: 'command', verdict: judgeCommand(inspection.command, inspection.patterns) };
    }
    const { findSecrets } = await import('./secrets.ts');
    return { kind: 'secrets', places: await findSecrets(inspection.path, inspection.text) };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  }
}

parentPort?.on('message', (inspection: Inspection) => {
  void inspect(inspection).then((answer) => parentPort?.postMessage(answer));
});
