import { posix } from 'node:path'
import type { Finding } from './words.ts'

/** What the pages of the house cite: code spans, link targets, and the lines of a drawn map. */
const CODE_SPAN = /`([^`\n]+)`/g
const LINK = /\]\(([^)\s#]+)[^)\n]*\)/g
const TOP = /^(?:src|db|workers|test|\.ci)\//
const FILE_NAME = /^[\w.-]*\w\.(?:ts|tsx|js|json|jsonc|toml|md|sql|sh|txt|py|scenario)$/
const PATH = /^\.{0,2}[\w./-]+$/

/** The paths that a page cites and that do not exist. Placeholders such as `<room>` or `*` are left alone. */
export function staleCitations(page: string, text: string, paths: ReadonlySet<string>): Finding[] {
  const known = withFolders(paths)
  const folder = page.slice(0, page.lastIndexOf('/') + 1)
  const exists = (cited: string) => candidates(cited, folder).some((path) => known.has(path))
  const findings: Finding[] = []
  let map: MapLine[] | undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) {
      map = map === undefined ? [] : undefined
      continue
    }
    const cited = map === undefined ? citedInProse(line) : citedInMap(line, map)
    for (const path of cited.filter((name) => !exists(name))) {
      findings.push({ line: index + 1, rule: 'a cited path exists', detail: path })
    }
  }
  return findings
}

/** A path may be cited from the root, from the page's folder, or by a file's name alone. */
function candidates(cited: string, folder: string): string[] {
  const path = cited.replace(/^\.\//, '').replace(/\/$/, '')
  return [path, posix.normalize(folder + path), ...(path.includes('/') ? [] : [`**/${path}`])]
}

function citedInProse(line: string): string[] {
  const spans = [...line.matchAll(CODE_SPAN)].flatMap((match) => (match[1] ?? '').split(/\s+/))
  const links = [...line.matchAll(LINK)]
    .map((match) => match[1] ?? '')
    .filter((target) => !target.includes(':'))
  return [...spans.filter(looksLikePath), ...links]
}

function looksLikePath(word: string): boolean {
  if (!PATH.test(word)) return false
  return TOP.test(word) || FILE_NAME.test(word.slice(word.lastIndexOf('/') + 1))
}

type MapLine = { readonly indent: number; readonly path: string }

/** The path that a line of a drawn map stands for: its first word, under the folders it is indented below. */
function citedInMap(line: string, map: MapLine[]): string[] {
  const words = line.trim().split(/\s+/)
  const [word = ''] = words
  if (!isMapEntry(word)) return words.filter((other) => TOP.test(other) && looksLikePath(other))
  const indent = line.search(/\S/)
  while (map.length > 0 && (map.at(-1)?.indent ?? 0) >= indent) map.pop()
  const path = (map.at(-1)?.path ?? '') + word
  if (word.endsWith('/')) map.push({ indent, path })
  return [path]
}

const isMapEntry = (word: string) =>
  PATH.test(word) && !word.startsWith('/') && (word.endsWith('/') || FILE_NAME.test(word))

function withFolders(paths: ReadonlySet<string>): Set<string> {
  const known = new Set<string>()
  for (const path of paths) {
    const segments = path.split('/')
    known.add(`**/${segments.at(-1)}`)
    for (let length = segments.length; length > 0; length -= 1) known.add(segments.slice(0, length).join('/'))
  }
  return known
}
