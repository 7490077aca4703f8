/** A text whose placeholders are marks that no translation has a reason to change. */
export type Masked = { readonly text: string; readonly placeholders: readonly string[] }

/** Marks that look like ours, printf directives, and in markup also tags and entities. */
const IN_TEXT = /\[\[\s*\d+\s*\]\]|%(?:\d+\$)?[-+0 #]*\d*(?:\.\d+)?[sdiufgxXeEc@%]/y
const IN_MARKUP = /<\/?[A-Za-z!][^<>]*>|&(?:\w+|#\d+|#x[\dA-Fa-f]+);/y
const MARK = /\[\[\s*(\d+)\s*\]\]/g

/** Puts marks in place of placeholders: `{name}`, `${name}`, `{{name}}` and any text between matching braces,
 * `%s`, and in markup tags and entities. */
export function mask(text: string, isMarkup: boolean): Masked {
  const placeholders: string[] = []
  let masked = ''
  for (let at = 0; at < text.length;) {
    const end = endOfPlaceholder(text, at, isMarkup)
    if (end === at) {
      masked += text[at]
      at++
      continue
    }
    masked += `[[${placeholders.length}]]`
    placeholders.push(text.slice(at, end))
    at = end
  }
  return { text: masked, placeholders }
}

/** The translation with its placeholders in place of the marks, in any order; null unless each mark occurs exactly once and the
 * translator added no markup. */
export function unmask(translation: string, { placeholders }: Masked, isMarkup: boolean): string | null {
  if (isMarkup && /[<>]/.test(translation)) return null
  const found = [...translation.matchAll(MARK)].map(([, place]) => Number(place))
  const isWhole = found.length === placeholders.length && new Set(found).size === found.length
  if (!isWhole || found.some((place) => place >= placeholders.length)) return null
  return translation.replaceAll(MARK, (_, place: string) => placeholders[Number(place)] ?? '')
}

/** Whether a text has more than placeholders. */
export function hasWords({ text }: Masked): boolean {
  return /\p{L}/u.test(text.replaceAll(MARK, ''))
}

function endOfPlaceholder(text: string, at: number, isMarkup: boolean): number {
  const brace = text[at] === '$' ? at + 1 : at
  if (text[brace] === '{') return endOfBraces(text, brace) ?? at
  return endOfMatch(IN_TEXT, text, at) ?? (isMarkup ? endOfMatch(IN_MARKUP, text, at) : null) ?? at
}

/** The index behind the brace that closes the brace at `at`; null if none does. */
function endOfBraces(text: string, at: number): number | null {
  let depth = 0
  for (let place = at; place < text.length; place++) {
    if (text[place] === '{') depth++
    if (text[place] === '}' && --depth === 0) return place + 1
  }
  return null
}

function endOfMatch(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
