import { Type, type Static } from 'typebox';
import { defaults, explain, Id, named, OneOf, Text, Timestamp } from '../../http/schema.ts';

/** Camel case: the contract uses it for this resource only. */
const sessionId = Type.String({ maxLength: 64, description: 'The id of a browser session, `brs_…`.' });
const page = {
  sessionId,
  url: Type.String({ description: 'URL of the page; `about:blank` before the first navigation.' }),
  title: Type.String(),
};

export const BrowserSession = named(
  'BrowserSession',
  Type.Object({
    ...page,
    created_at: Timestamp,
    expires_at: Type.Unsafe<Date>({
      ...Timestamp,
      description: 'When it is closed at the latest; earlier if it is not used.',
    }),
  }),
);
export const BrowserPage = named('BrowserPage', Type.Object(page));
export const BrowserNavigation = named(
  'BrowserNavigation',
  Type.Object({ ...page, status: Type.Integer({ description: 'HTTP status of the page.' }) }),
);
export const BrowserContent = named('BrowserContent', Type.Object({ ...page, content: Type.String() }));
export const BrowserScreenshot = named(
  'BrowserScreenshot',
  Type.Object({
    ...page,
    content_type: Type.String(),
    data: Type.String({ description: 'The image, in base64.' }),
  }),
);

export const CreateBrowserSession = Type.Object({
  session_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'A session that stores the screenshots as artifacts; default none.' }),
  ),
});
const selector = Text(2_000, { minLength: 1, description: 'A CSS selector; its first visible match is used.' });
export const Navigate = Type.Object({
  sessionId: Id,
  url: Text(8_192, { minLength: 1, description: 'http or https.' }),
});
export const Click = Type.Object({ sessionId: Id, selector });
export const TypeText = Type.Object({
  sessionId: Id,
  selector,
  text: Text(100_000, { description: 'Replaces the value of the field.' }),
  submit: Type.Optional(Type.Boolean({ description: 'True to press Enter afterwards.' })),
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
  title: 'Title of the page; "" before the first one.',
});
explain('BrowserContent', {
  title: 'Title of the page; "" before the first one.',
  content: 'Content of the page, at most 1 MiB.',
});
explain('ReadBrowserContentRequest', {
  format: '`text` is the text as a person sees it; `html` is the current document.',
});
explain('TakeBrowserScreenshotRequest', {
  full_page: 'True for the whole page instead of the visible part.',
});
defaults('ReadBrowserContentRequest', { format: 'text' });
defaults('TakeBrowserScreenshotRequest', { full_page: false });
defaults('TypeInBrowserRequest', { submit: false });
