import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** A tool as its server offers it. */
export interface OfferedTool {
  readonly name: string;
  /** For people; `''` for none. */
  readonly title: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the server says that it only looks. */
  readonly readOnly: boolean;
}

/** What a server may offer: more would fill a model's context, or never end. */
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

/** Reads all pages of a list of tools; `left` counts those that were left out: twice there, malformed, or too much. */
export async function collectTools(
  readPage: (cursor: string | undefined) => Promise<unknown>,
): Promise<{ tools: OfferedTool[]; left: number }> {
  const tools = new Map<string, OfferedTool>();
  let left = 0;
  let length = 0;
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    const page = await readPage(cursor);
    if (!Value.Check(Page, page)) throw new Error('Its list of tools is none.');
    for (const [at, listed] of page.tools.entries()) {
      if (tools.size >= maxTools || left > maxTools) {
        left += page.tools.length - at;
        break;
      }
      const tool = offered(listed);
      const size = tool === undefined ? 0 : JSON.stringify(tool).length;
      if (tool === undefined || tools.has(tool.name) || length + size > maxTotalLength) {
        left += 1;
        continue;
      }
      tools.set(tool.name, tool);
      length += size;
    }
    cursor = page.nextCursor;
    if (cursor === undefined || cursor === '') break;
    if (pages + 1 >= maxPages || tools.size >= maxTools || left > maxTools) {
      left += 1;
      break;
    }
  }
  return { tools: [...tools.values()], left };
}

function offered(listed: unknown): OfferedTool | undefined {
  if (!Value.Check(Tool, listed)) return undefined;
  const { name, title, description = '', inputSchema, annotations } = listed;
  // Which draft it is written in is of no use to a model, and some refuse it.
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
