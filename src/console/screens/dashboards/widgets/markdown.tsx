import { lexer } from 'marked'
import type { Token, Tokens } from 'marked'
import type { ComponentChildren, JSX } from 'preact'

/** Links of other schemes, such as `javascript:`, are shown as text. */
const SAFE_LINK = /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/

/** Markdown as elements of the page: HTML in it is text, images are their descriptions, and headings are below the titles of
 * widgets. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  return <div class="markdown">{blocks(lexer(text))}</div>
}

const blocks = (tokens: readonly Token[] | undefined): ComponentChildren =>
  tokens?.map((token, at) => <Block key={at} token={token} />)

const inline = (tokens: readonly Token[] | undefined): ComponentChildren =>
  tokens?.map((token, at) => <Inline key={at} token={token} />)

function Block({ token }: { readonly token: Token }): JSX.Element | null {
  switch (token.type) {
    case 'heading':
      return token['depth'] <= 2 ? <h3>{inline(token['tokens'])}</h3> : <h4>{inline(token['tokens'])}</h4>
    case 'paragraph':
      return <p>{inline(token['tokens'])}</p>
    case 'list': {
      const { ordered, items } = token as Tokens.List
      const rows = items.map((item, at) => <li key={at}>{blocks(item.tokens)}</li>)
      return ordered ? <ol>{rows}</ol> : <ul>{rows}</ul>
    }
    case 'blockquote':
      return <blockquote>{blocks(token['tokens'])}</blockquote>
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      )
    case 'table':
      return <MarkdownTable token={token as Tokens.Table} />
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    default:
      // The text of a list item is one of these tokens.
      return 'tokens' in token && token.tokens ? <>{inline(token.tokens)}</> : <>{token.raw}</>
  }
}

function MarkdownTable({ token: { header, rows } }: { readonly token: Tokens.Table }): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at} scope="col">
              {inline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={place}>
            {row.map((cell, at) => (
              <td key={at}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Inline({ token }: { readonly token: Token }): JSX.Element {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token['tokens'])}</strong>
    case 'em':
      return <em>{inline(token['tokens'])}</em>
    case 'del':
      return <del>{inline(token['tokens'])}</del>
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link': {
      const { href, tokens } = token as Tokens.Link
      if (!SAFE_LINK.test(href)) return <>{inline(tokens)}</>
      return (
        <a href={href} rel="noreferrer">
          {inline(tokens)}
        </a>
      )
    }
    case 'image':
      return <em>{(token as Tokens.Image).text}</em>
    case 'text':
      return token['tokens'] ? <>{inline(token['tokens'])}</> : <>{unescaped((token as Tokens.Text).text)}</>
    case 'escape':
      return <>{(token as Tokens.Escape).text}</>
    default:
      return <>{token.raw}</>
  }
}

/** The lexer writes some characters of texts as entities. */
function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
