import { Type, type Static } from 'typebox';
import { explain, Id, named, OneOf, Text, Timestamp } from '../../http/schema.ts';

/** The contract's camel case, as the source document has it for this resource alone. */
const sessionId = Type.String({ maxLength: 64, description: 'The id of a browser session, `brs_…`.' });
const page = {
  sessionId,
  url: Type.String({ description: 'Where the page is; `about:blank` before the first one.' }),
  title: Type.String(),
};

export const BrowserSession = named(
  'BrowserSession',
  Type.Object({
    ...page,
    created_at: Timestamp,
    expires_at: Type.Unsafe<Date>({
      ...Timestamp,
      description: 'When it is closed at the latest. It is closed earlier when nobody uses it.',
    }),
  }),
);
export const BrowserPage = named('BrowserPage', Type.Object(page));
export const BrowserNavigation = named(
  'BrowserNavigation',
  Type.Object({ ...page, status: Type.Integer({ description: 'The status that the page was answered with.' }) }),
);
export const BrowserContent = named('BrowserContent', Type.Object({ ...page, content: Type.String() }));
export const BrowserScreenshot = named(
  'BrowserScreenshot',
  Type.Object({
    ...page,
    content_type: Type.String(),
    data: Type.String({ description: 'The picture, in base64.' }),
  }),
);

export const CreateBrowserSession = Type.Object({
  session_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'A session that the pictures become artifacts of; none unless given.' }),
  ),
});
const selector = Text(2_000, { minLength: 1, description: 'A CSS selector; its first visible element is meant.' });
export const Navigate = Type.Object({
  sessionId: Id,
  url: Text(8_192, { minLength: 1, description: 'http or https.' }),
});
export const Click = Type.Object({ sessionId: Id, selector });
export const TypeText = Type.Object({
  sessionId: Id,
  selector,
  text: Text(100_000, { description: 'Replaces what the field held.' }),
  submit: Type.Optional(Type.Boolean({ description: 'Whether to press Enter afterwards; false unless given.' })),
});
export const ReadContent = Type.Object({ sessionId: Id, format: Type.Optional(OneOf(['text', 'html'])) });
export const TakeScreenshot = Type.Object({ sessionId: Id, full_page: Type.Optional(Type.Boolean()) });

export type CreateBrowserSession = Static<typeof CreateBrowserSession>;
export type Navigate = Static<typeof Navigate>;
export type Click = Static<typeof Click>;
export type TypeText = Static<typeof TypeText>;
export type ReadContent = Static<typeof ReadContent>;
export type TakeScreenshot = Static<typeof TakeScreenshot>;

explain(['BrowserSession', 'BrowserPage', 'BrowserNavigation', 'BrowserScreenshot'], {
  title: 'The page\'s own; "" before the first one.',
});
explain('BrowserContent', {
  title: 'The page\'s own; "" before the first one.',
  content: 'What the page says, at most 1 MiB.',
});
explain('ReadBrowserContentRequest', {
  format: '`text`, unless given, is what a person sees; `html` is the document as it is now.',
});
explain('TakeBrowserScreenshotRequest', {
  full_page: 'The whole page instead of what the window shows; false unless given.',
});
