import { useEffect, useMemo, useState } from 'react';
import { linesOf, needsTerminal } from '../../timeline/output.ts';
import { screenLines } from './screen.ts';
import { textOfArtifact, textOfCommand, type WholeOutput } from './whole.ts';

/** Where an output comes from: a stored file, or events of the log. */
export type Source =
  | { kind: 'artifact'; id: string }
  | { kind: 'command'; id: string; from: number; to: number | undefined };

const nothing: WholeOutput = { text: '', isDone: false, isCut: false };

/** Reads a whole output, and returns its lines as they arrive; `again` counts what should make it read anew. */
export function useWhole(org: string, session: string, source: Source, again: number) {
  const [whole, setWhole] = useState(nothing);
  const [screen, setScreen] = useState<string[]>();
  const [error, setError] = useState<unknown>();
  const { kind, id } = source;
  const [from, to] = source.kind === 'command' ? [source.from, source.to] : [0, undefined];
  useEffect(() => setWhole(nothing), [org, session, kind, id]);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const read = async () => {
      if (kind === 'command') {
        const text = await textOfCommand(org, session, { id, from, to }, signal);
        setWhole({ text, isDone: true, isCut: false });
        return;
      }
      for await (const part of textOfArtifact(org, session, id, signal)) setWhole(part);
    };
    setError(undefined);
    read().catch((reason: unknown) => {
      if (!signal.aborted) setError(reason);
    });
    return () => stop.abort();
  }, [org, session, kind, id, from, to, again]);
  const { text, isDone, isCut } = whole;
  useEffect(() => {
    setScreen(undefined);
    if (!isDone || !needsTerminal(text)) return undefined;
    return screenLines(text, setScreen);
  }, [text, isDone]);
  const lines = useMemo(() => linesOf(text), [text]);
  return { lines: screen ?? lines, isDone, isCut, error };
}
