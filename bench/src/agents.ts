import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { benchPrompts, benchTokens } from './agents-latency.ts';
import { createRepository, startInstallation, type Installation } from './agents-installation.ts';
import { benchMemory } from './agents-memory.ts';
import { benchEdits, benchReplies } from './agents-rates.ts';

export interface AgentsOptions {
  directory: string;
  isQuick: boolean;
  signal: AbortSignal;
  say: (line: string) => void;
}

const atOnce = [1, 8, 32] as const;

/**
 * Measures what the platform adds to a model, with the built-in agent on a whole server: turns per minute, the time to
 * a reply, the delay of a word, and memory. Each part gets a fresh server, so that no part has another's sessions.
 */
export async function benchAgents({ directory, isQuick, signal, say }: AgentsOptions) {
  const data = mkdtempSync(join(directory, 'agents-'));
  const seconds = isQuick ? 5 : 20;
  const on = async <T>(part: (installation: Installation) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const installation = await startInstallation(directory, data);
    try {
      return await part(installation);
    } finally {
      await installation.stop();
    }
  };
  const latencies = await on(async (installation) => {
    await createRepository(installation, directory);
    say('prompt to reply');
    const prompts = await benchPrompts({ installation, count: isQuick ? 20 : 60, signal });
    say('model token to client');
    return { prompts, tokens: await benchTokens({ installation, count: isQuick ? 100 : 300, signal }) };
  });
  const rates = { sessions: atOnce, seconds, signal, say };
  const replies = await on((installation) => benchReplies({ installation, ...rates }));
  const edits = await on((installation) => benchEdits({ installation, ...rates }));
  say('memory of warm sessions');
  const memory = await on((installation) => benchMemory(installation, { sessions: [0, 8, 32], signal }));
  return { ...latencies, replies, edits, memory };
}
