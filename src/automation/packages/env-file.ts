import { isSecretName } from '../scripts/variables.ts'

/** The beginning of a variable in a line: an optional `export`, its name and the equals sign. */
const BEGINNING = /^[ \t]*(?:export[ \t]+)?([^\s=#]+)[ \t]*=[ \t]*/
const QUOTES = ['"', "'", '`']

/** A `.env` without the variables with names of secrets, and these names. A value in quotes may have several
 * lines. Everything else stays as it is. */
export function withoutSecrets(text: string): { readonly text: string; readonly secretNames: string[] } {
  const secretNames = new Set<string>()
  const kept: string[] = []
  for (let at = 0; at < text.length;) {
    const name = BEGINNING.exec(text.slice(at, lineEnd(text, at)))
    const end = name ? valueEnd(text, at + name[0].length) : lineEnd(text, at)
    if (name?.[1] !== undefined && isSecretName(name[1])) secretNames.add(name[1])
    else kept.push(text.slice(at, end))
    at = end
  }
  return { text: kept.join(''), secretNames: [...secretNames] }
}

/** Where the line of a value ends: after the closing quote where it begins with one that is closed. */
function valueEnd(text: string, at: number): number {
  const quote = text[at]
  const closing = quote !== undefined && QUOTES.includes(quote) ? text.indexOf(quote, at + 1) : -1
  return lineEnd(text, Math.max(at, closing))
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}
