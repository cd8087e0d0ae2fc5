import { startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { createRuntimeFixture, type RuntimeFixture } from './sessions.ts';

/** A fixture whose workers find every provider of models at one scripted server. */
export interface ModelFixture extends RuntimeFixture {
  readonly model: ScriptedModel;
}

export async function createModelFixture(environment: Record<string, string> = {}): Promise<ModelFixture> {
  const [fixture, model] = await Promise.all([createRuntimeFixture(environment), startScriptedModel()]);
  return {
    ...fixture,
    model,
    startWorker: (options) => fixture.startWorker({ modelUrl: model.url, ...options }),
    async close() {
      await fixture.close();
      await model.close();
    },
  };
}
