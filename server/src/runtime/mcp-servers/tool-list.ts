import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** A tool as listed by its server. */
export interface ListedTool {
  readonly name: string;
  /** Display title; `''` for none. */
  readonly title: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The server declares the tool read-only. */
  readonly readOnly: boolean;
}

/** Limits for a server's list: more would fill a model's context, or never end. */
const maxTools = 200;
const maxPages = 50;
const maxSchemaLength = 32_768;
const maxTotalLength = 524_288;
const maxNameLength = 256;
const maxDescriptionLength = 4_000;

const Page = Type.Object({ tools: Type.Array(Type.Unknown()), nextCursor: Type.Optional(Type.String()) });
const Tool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: maxNameLength }),
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  inputSchema: Type.Object({ type: Type.Literal('object') }),
  annotations: Type.Optional(
    Type.Object({ title: Type.Optional(Type.String()), readOnlyHint: Type.Optional(Type.Boolean()) }),
  ),
});

/** Reads all pages of the list of tools; `left` counts the omitted ones: duplicates, invalid ones, and those over the limits. */
export async function collectTools(
  readPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<{ tools: ListedTool[]; omitted: number }> {
  const tools = new Map<string, ListedTool>();
  let omitted = 0;
  let length = 0;
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    const page = await readPage(cursor);
    if (!Value.Check(Page, page)) throw new Error('The server returned an invalid list of tools.');
    for (const [at, listed] of page.tools.entries()) {
      if (tools.size >= maxTools || omitted > maxTools) {
        omitted += page.tools.length - at;
        break;
      }
      const tool = parseTool(listed);
      const size = tool === undefined ? 0 : JSON.stringify(tool).length;
      if (tool === undefined || tools.has(tool.name) || length + size > maxTotalLength) {
        omitted += 1;
        continue;
      }
      tools.set(tool.name, tool);
      length += size;
    }
    cursor = page.nextCursor;
    if (cursor === undefined || cursor === '') break;
    if (pages + 1 >= maxPages || tools.size >= maxTools || omitted > maxTools) {
      omitted += 1;
      break;
    }
  }
  return { tools: [...tools.values()], omitted };
}

function parseTool(listed: unknown): ListedTool | undefined {
  if (!Value.Check(Tool, listed)) return undefined;
  const { name, title, description = '', inputSchema, annotations } = listed;
  // Some models' APIs refuse `$schema`.
  const { $schema: _draft, ...schema }: Record<string, unknown> = { properties: {}, ...inputSchema };
  if (JSON.stringify(schema).length > maxSchemaLength) return undefined;
  return {
    name: name.toWellFormed(),
    title: (title ?? annotations?.title ?? '').toWellFormed().slice(0, 200),
    description: description.toWellFormed().slice(0, maxDescriptionLength),
    input: schema,
    readOnly: annotations?.readOnlyHint === true,
  };
}
