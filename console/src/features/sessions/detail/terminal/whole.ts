import { artifactUrl } from '../../artifacts.ts';
import { eventsOf } from '../queries.ts';

/** More than this is not held in memory; the file has the rest. */
const mostCharacters = 30_000_000;

export interface WholeOutput {
  text: string;
  isDone: boolean;
  /** True if only a part fits here. */
  isCut: boolean;
}

/** Yields more and more of a stored text, as it arrives. */
export async function* textOfArtifact(
  org: string,
  session: string,
  artifact: string,
  signal: AbortSignal,
): AsyncGenerator<WholeOutput, void> {
  const response = await fetch(artifactUrl(org, session, artifact), { signal });
  if (!response.ok || response.body === null) throw new Error(`The file answered ${response.status}.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let shown = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += next.value;
    if (text.length > mostCharacters) {
      await reader.cancel();
      yield { text, isDone: true, isCut: true };
      return;
    }
    // Drawn at once, then in ever larger steps: lines are made of all of it each time.
    if (text.length < shown * 1.5 + 50_000) continue;
    shown = text.length;
    yield { text, isDone: false, isCut: false };
  }
  yield { text, isDone: true, isCut: false };
}

/** Returns the output of a command as the log has it. */
export async function textOfCommand(
  org: string,
  session: string,
  command: { id: string; from: number; to: number | undefined },
  signal: AbortSignal,
): Promise<string> {
  const part = { after_seq: command.from - 1, ...(command.to === undefined ? {} : { before_seq: command.to + 1 }) };
  const outputs = await eventsOf(org, session, 'output', part, signal);
  return outputs
    .filter(({ data }) => data.command_id === command.id)
    .map(({ data }) => data.text)
    .join('');
}
