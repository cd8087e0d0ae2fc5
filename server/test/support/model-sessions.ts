import { startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { createClosing } from './closing.ts';
import { createRuntimeFixture, type RuntimeFixture } from './sessions.ts';
import type { TestWorkerOptions } from './worker.ts';

/** A fixture whose workers find every model provider at one scripted server. */
export interface ModelFixture extends RuntimeFixture {
  readonly model: ScriptedModel;
}

export async function createModelFixture(
  environment: Record<string, string> = {},
  everyWorker: TestWorkerOptions = {},
): Promise<ModelFixture> {
  const model = await startScriptedModel();
  const fixture = await createRuntimeFixture(environment, undefined, { modelUrl: model.url, ...everyWorker });
  return {
    ...fixture,
    model,
    async close() {
      const closing = createClosing();
      closing.add('the model', () => model.close());
      closing.add('the fixture', () => fixture.close());
      await closing.close();
    },
  };
}
