import { Lexer } from 'marked';
import { memo, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

const plugins = [remarkGfm];

/** Links open beside the console and say where they lead; pictures from elsewhere are not loaded. */
const components: Components = {
  a: ({ href, children }) => (
    <a href={href} title={href} target="_blank" rel="noreferrer noopener" className="underline">
      {children}
    </a>
  ),
  img: ({ alt, src }) => <span className="text-ink-3">[picture: {alt === '' ? String(src).slice(0, 100) : alt}]</span>,
};

/** Text of an agent or a person as Markdown, without raw HTML. A block that is finished is not drawn again. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => new Lexer().blockTokens(text).map(({ raw }) => raw), [text]);
  return (
    <div className="markdown max-w-[72ch] text-read break-words">
      {blocks.map((block, at) => (
        <Block key={at} text={block} />
      ))}
    </div>
  );
}

const Block = memo(({ text }: { text: string }) => (
  <ReactMarkdown remarkPlugins={plugins} components={components} skipHtml>
    {text}
  </ReactMarkdown>
));
