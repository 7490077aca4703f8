import { BANNED } from './words.ts'

/** Texts in which words are counted: names and comments count like prose. */
const COUNTED = /^(?:README\.md$|(?:docs|src|workers|db)\/)/
const TEXT = /\.(?:ts|md|sh)$/
/** The page about the language names words that it bans; the list of common passwords is not prose. */
const EXEMPT = new Set(['docs/CONTRIBUTING.md', 'src/access/users/common-words.ts'])

/** With more places a list says nothing of the new one. */
const SHOWN_MAX = 20

export type Count = { readonly count: number; readonly places: readonly string[] }

/** How often each banned word stands in the files, with its places. */
export function countWords(
  files: readonly { readonly path: string; readonly text: string }[],
): ReadonlyMap<string, Count> {
  const counted = files.filter(({ path }) => COUNTED.test(path) && TEXT.test(path) && !EXEMPT.has(path))
  return new Map(
    BANNED.map((banned) => {
      const places = counted.flatMap(({ path, text }) =>
        [...text.matchAll(banned.pattern)].map(
          ({ index }) => `${path}:${text.slice(0, index).split('\n').length}`,
        ),
      )
      return [banned.word, { count: places.length, places }]
    }),
  )
}

/** The numbers of a ratchet file: a line for each word. */
export function parseRatchet(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

export function formatRatchet(counts: ReadonlyMap<string, Count>): string {
  return [...counts].map(([name, { count }]) => `${name} ${count}\n`).join('')
}

/** The words whose number rose. */
export function risen(counts: ReadonlyMap<string, Count>, allowed: ReadonlyMap<string, number>): string[] {
  return BANNED.flatMap(({ word: name, use }) => {
    const { count, places } = counts.get(name) ?? { count: 0, places: [] }
    const max = allowed.get(name)
    if (max === undefined || count <= max) return []
    return [`"${name}" stands ${count} times, ${max} are allowed. Use: ${use}. Places: ${placesOf(places)}`]
  })
}

function placesOf(places: readonly string[]): string {
  return places.length > SHOWN_MAX ? 'search your change' : places.join(', ')
}

/** The words whose number fell, or is not in the file yet. */
export function outdated(counts: ReadonlyMap<string, Count>, allowed: ReadonlyMap<string, number>): string[] {
  return [...counts].flatMap(([name, { count }]) => {
    const max = allowed.get(name)
    return max === undefined || count < max ? [`"${name}": ${max ?? 'new'} → ${count}`] : []
  })
}
