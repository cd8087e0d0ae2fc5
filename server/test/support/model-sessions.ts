import { startScriptedModel, type ScriptedModel } from '@guildhall/scripted-model';
import { createRuntimeFixture, type RuntimeFixture } from './sessions.ts';

/** A fixture whose workers find every model provider at one scripted server. */
export interface ModelFixture extends RuntimeFixture {
  readonly model: ScriptedModel;
}

export async function createModelFixture(environment: Record<string, string> = {}): Promise<ModelFixture> {
  const model = await startScriptedModel();
  const fixture = await createRuntimeFixture(environment, undefined, { modelUrl: model.url });
  return {
    ...fixture,
    model,
    async close() {
      await fixture.close();
      await model.close();
    },
  };
}
