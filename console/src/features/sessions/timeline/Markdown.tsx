import { memo, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Boundary } from '../../../ui/Boundary.tsx';
import { visible } from '../../../lib/visible.ts';
import { blocksOf, longestBlock } from './blocks.ts';

const plugins = [remarkGfm];

/** Others lead nowhere: paths of files, and addresses that are not allowed. */
const address = /^(?:[a-z][a-z+.-]*:|\/)/i;

/** Links open beside the console and say where they lead; pictures from elsewhere are not loaded. */
const usual: Components = {
  // The page has one heading of its own.
  h1: 'h2',
  a: ({ href = '', children }) =>
    address.test(href) ? (
      <a href={href} title={href} target="_blank" rel="noreferrer noopener" className="underline">
        {children}
      </a>
    ) : (
      <span title={href}>{children}</span>
    ),
  code: ({ className, children }) => (
    <code className={className}>{typeof children === 'string' ? visible(children) : children}</code>
  ),
  img: ({ alt, src }) => <span className="text-ink-3">[picture: {alt === '' ? String(src).slice(0, 100) : alt}]</span>,
  // The keyboard scrolls long lines.
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  th: ({ children, style }) => (children === undefined ? <td /> : <th style={style}>{children}</th>),
};

/**
 * Text of an agent as Markdown, without raw HTML. A block that is finished is not drawn again. `components` draw some of
 * its elements in another way; pass the same object again.
 */
export function Markdown({ text, components }: { text: string; components?: Components }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div className="markdown max-w-[72ch] text-read break-words">
      {blocks.map((block, at) => (
        <Block key={at} text={block} components={components} />
      ))}
    </div>
  );
}

/** A block whose Markdown is too long, or nested too deep for the parser, is shown as it was written. */
const Block = memo(({ text, components }: { text: string; components: Components | undefined }) => {
  const all = useMemo(() => ({ ...usual, ...components }), [components]);
  const written = <pre className="whitespace-pre-wrap">{visible(text)}</pre>;
  if (text.length > longestBlock) return written;
  return (
    <Boundary key={text.length} fallback={written}>
      <ReactMarkdown remarkPlugins={plugins} components={all} skipHtml>
        {text}
      </ReactMarkdown>
    </Boundary>
  );
});
