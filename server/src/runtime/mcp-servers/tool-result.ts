import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

const Part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('image'), data: Type.String(), mimeType: Type.String() }),
  Type.Object({ type: Type.Literal('audio'), data: Type.String(), mimeType: Type.String() }),
  Type.Object({
    type: Type.Literal('resource_link'),
    uri: Type.String(),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
  }),
  Type.Object({
    type: Type.Literal('resource'),
    resource: Type.Object({
      uri: Type.String(),
      mimeType: Type.Optional(Type.String()),
      text: Type.Optional(Type.String()),
      blob: Type.Optional(Type.String()),
    }),
  }),
]);
const Result = Type.Object({
  content: Type.Optional(Type.Array(Type.Unknown())),
  structuredContent: Type.Optional(Type.Unknown()),
  isError: Type.Optional(Type.Boolean()),
});

export interface ToolAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly images: readonly { mediaType: string; data: string }[];
}

const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const maxImages = 4;
/** Number of a result's parts that are read. */
const maxParts = 1_000;
/** Length of one image in base64. */
const maxImageLength = 4 * 1024 * 1024;

/** Converts a tool's result into text and images. An invalid result becomes a failure. */
export function toToolAnswer(result: unknown): ToolAnswer {
  if (!Value.Check(Result, result))
    return { ok: false, text: 'The MCP server returned an invalid result.', images: [] };
  const { content = [], structuredContent, isError = false } = result;
  const images: { mediaType: string; data: string }[] = [];
  const texts: string[] = [];
  for (const part of content.slice(0, maxParts)) {
    if (!Value.Check(Part, part)) texts.push('[Content of an unknown type, not shown.]');
    else if (part.type === 'image' && images.length < maxImages && isImage(part))
      images.push({ mediaType: part.mimeType, data: part.data });
    else texts.push(partText(part));
  }
  if (content.length > maxParts) texts.push(`[${content.length - maxParts} more parts, not shown.]`);
  // Structured content repeats the text for programs, unless it is alone.
  if (structuredContent !== undefined && content.length === 0) texts.push(JSON.stringify(structuredContent));
  return { ok: !isError, text: texts.join('\n').toWellFormed(), images };
}

function isImage({ data, mimeType }: { data: string; mimeType: string }): boolean {
  return imageTypes.has(mimeType) && data.length <= maxImageLength && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

function partText(part: Static<typeof Part>): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type === 'image' ? 'Image' : 'Audio'} (${part.mimeType}), not shown.]`;
    case 'resource_link':
      return `[${part.name ?? part.uri}](${part.uri})${part.description === undefined ? '' : `: ${part.description}`}`;
    case 'resource': {
      const { uri, text, mimeType = 'unknown type' } = part.resource;
      return text === undefined ? `[${uri} (${mimeType}), not shown.]` : `${uri}:\n${text}`;
    }
  }
}
