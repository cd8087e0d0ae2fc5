import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Document } from './material.ts';
import { trimOf } from '../lib/trim.ts';

const Text = (maxLength: number) => Type.String({ maxLength });
const SteeringFile = Type.Object({
  exclude: Type.Optional(Type.Array(Text(500), { maxItems: 100 })),
  repo_notes: Type.Optional(Type.Array(Type.Object({ content: Text(10_000) }), { maxItems: 100 })),
  pages: Type.Optional(
    Type.Array(
      Type.Object({
        title: Text(200),
        purpose: Type.Optional(Text(2_000)),
        parent: Type.Optional(Text(200)),
        paths: Type.Optional(Type.Array(Text(500), { maxItems: 50 })),
      }),
      { maxItems: 80 },
    ),
  ),
});

/** The wishes of a repository for its wiki. */
export interface Steering {
  /** The file that says so; `''` without one. */
  path: string;
  /** Directories and files that the wiki leaves out. */
  exclude: string[];
  notes: string[];
  pages: NonNullable<Static<typeof SteeringFile>['pages']>;
  /** The reason not to use the file; `''` if it is. */
  problem: string;
}

const steeringPaths = ['.guildhall/wiki.json', '.devin/wiki.json'];

export function readSteering(documents: readonly Document[]): Steering {
  const none = { path: '', exclude: [], notes: [], pages: [], problem: '' };
  const file = steeringPaths.map((path) => documents.find((one) => one.path === path)).find((one) => one !== undefined);
  if (file === undefined) return none;
  const value = parsed(file.text);
  if (!Value.Check(SteeringFile, value))
    return { ...none, problem: `${file.path} is not used: it must be JSON with repo_notes and pages.` };
  return {
    path: file.path,
    exclude: (value.exclude ?? []).map((one) => trimOf(one, '/')).filter((one) => one !== ''),
    notes: (value.repo_notes ?? []).map(({ content }) => content),
    pages: value.pages ?? [],
    problem: '',
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
