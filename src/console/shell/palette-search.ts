import type { IconName } from '../kit/icons.tsx'

export type Found = {
  readonly id: number
  readonly type: 'group' | 'device' | 'job' | 'slo' | 'slc'
  readonly name: string
  readonly path?: string
}
/** A line of the palette: an object, a screen or a command. */
export type Option = {
  readonly key: string
  readonly icon: IconName
  readonly text: string
  readonly note: string
  /** The address that the option opens, or the function that it calls. */
  readonly act: string | (() => void)
  readonly object: Found | null
}

const ROOT_ID = 1
const FOUND_MAX = 50

/** The URL that finds objects for a typed text: `#12` by id, `a/b` along a path, else by name.
 * @returns null when no object is asked for */
export function searchUrl(typed: string): string | null {
  const text = typed.trim()
  if (text === '' || text.startsWith('>')) return null
  if (text.startsWith('#')) return urlOfId(text.slice(1))
  const segments = text.split('/').map((segment) => segment.trim())
  const pattern = segments.filter((segment) => segment !== '').map(patternOf)
  if (pattern.length === 0) return null
  const path = `**/${pattern.join('/')}`
  return `/root/searchPath?${new URLSearchParams({ path, limit: String(FOUND_MAX) })}`
}

/** Words in their order, with any text between them. */
function patternOf(segment: string): string {
  return `*${segment.replaceAll('*', '\\*').split(/\s+/).join('*')}*`
}

function urlOfId(id: string): string | null {
  if (!/^\d{1,15}$/.test(id)) return null
  const conditions = [{ item: 'id', operator: 'eq', expression: id }]
  const filterDefinition = JSON.stringify({ mode: 'and', conditions })
  return `/groups/${ROOT_ID}/search?${new URLSearchParams({ filterDefinition })}`
}

/** Names that begin with the text first, then shorter paths. */
export function ranked(items: readonly Found[], typed: string): readonly Found[] {
  const text = (typed.split('/').at(-1) ?? '').trim().toLowerCase()
  const rank = ({ name }: Found): number => (name.toLowerCase().startsWith(text) ? 0 : 1)
  const depth = ({ path = '' }: Found): number => path.split('/').length
  return items.toSorted((a, b) => rank(a) - rank(b) || depth(a) - depth(b))
}

/** A name in three parts, of which the middle one is the typed text. */
export function matchIn(
  name: string,
  typed: string,
): readonly [before: string, match: string, after: string] {
  const text = (typed.split('/').at(-1) ?? '').trim()
  const at = text === '' ? -1 : name.toLowerCase().indexOf(text.toLowerCase())
  if (at < 0) return [name, '', '']
  return [name.slice(0, at), name.slice(at, at + text.length), name.slice(at + text.length)]
}
