import { Type, type Static } from 'typebox';
import { factKinds } from '../symbols/facts.ts';

/** A file in a known language. */
export const SourceFile = Type.Object({ path: Type.String(), blob: Type.String(), lines: Type.Integer() });
/** A definition that other files can use, outside of any other one. */
export const ExportedSymbol = Type.Object({
  path: Type.String(),
  name: Type.String(),
  kind: Type.String(),
  line: Type.Integer(),
  signature: Type.String(),
  doc: Type.String(),
});
export const FileFact = Type.Object({
  path: Type.String(),
  kind: Type.Enum([...factKinds]),
  name: Type.String(),
  detail: Type.String(),
  line: Type.Integer(),
});
/** A file that describes the project: README, manifest, CODEOWNERS, schema, workflow. */
export const Document = Type.Object({ path: Type.String(), blob: Type.String(), text: Type.String() });
export const Commit = Type.Object({
  sha: Type.String(),
  date: Type.String(),
  subject: Type.String(),
  paths: Type.Array(Type.String()),
});

/** A part of what a wiki is made from; `build` is the last one. */
export const Part = Type.Object({
  files: Type.Optional(Type.Array(SourceFile)),
  symbols: Type.Optional(Type.Array(ExportedSymbol)),
  facts: Type.Optional(Type.Array(FileFact)),
  documents: Type.Optional(Type.Array(Document)),
  commits: Type.Optional(Type.Array(Commit)),
  build: Type.Optional(Type.Object({ repo: Type.String() })),
});

export const pageKinds = [
  'overview',
  'architecture',
  'commands',
  'configuration',
  'interfaces',
  'activity',
  'module',
  'steered',
] as const;

export const WikiPage = Type.Object({
  slug: Type.String({ maxLength: 120 }),
  parent: Type.String({ maxLength: 120 }),
  kind: Type.Enum([...pageKinds]),
  title: Type.String({ maxLength: 300 }),
  summary: Type.String({ maxLength: 600 }),
  body: Type.String({ maxLength: 120_000 }),
  blobs: Type.Array(Type.String(), { maxItems: 2_000 }),
});
export const Wiki = Type.Object({ pages: Type.Array(WikiPage, { maxItems: 400 }), note: Type.String() });

export type SourceFile = Static<typeof SourceFile>;
export type ExportedSymbol = Static<typeof ExportedSymbol>;
export type FileFact = Static<typeof FileFact>;
export type Document = Static<typeof Document>;
export type Commit = Static<typeof Commit>;
export type Part = Static<typeof Part>;
export type WikiPage = Static<typeof WikiPage>;
export type Wiki = Static<typeof Wiki>;

export interface Material {
  repo: string;
  files: SourceFile[];
  symbols: ExportedSymbol[];
  facts: FileFact[];
  documents: Document[];
  commits: Commit[];
}
