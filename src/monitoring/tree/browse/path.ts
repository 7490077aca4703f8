import { foldCase } from '../../../lib/text.ts'

/** One step of a path search. */
export type Segment = {
  /** A case-folded name, in which `*` stands for any characters unless it is exact. */
  readonly pattern: string
  readonly isExact: boolean
  /** True after `**`: any number of levels down, instead of one. */
  readonly isDeep: boolean
}

/** The segments of a path: split at `/`, each trimmed; `\/` is a slash in a name, `\\` a backslash and `\*` an
 * asterisk, `**` any number of levels. A segment with `\*` has no wildcards. Empty segments are ignored. */
export function parsePath(path: string): Segment[] {
  const segments: Segment[] = []
  let isDeep = false
  for (const { text, isExact } of split(path)) {
    const pattern = foldCase(text.trim())
    if (pattern === '') continue
    if (pattern === '**' && !isExact) isDeep = true
    else {
      segments.push({ pattern, isExact, isDeep })
      isDeep = false
    }
  }
  if (isDeep) segments.push({ pattern: '*', isExact: false, isDeep })
  return segments
}

/** The path of names, so that `parsePath` returns these names. */
export function joinPath(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll(/[\\/*]/g, '\\$&')}`).join('')
}

function split(path: string): { text: string; isExact: boolean }[] {
  let segment = { text: '', isExact: false }
  const segments = [segment]
  for (const [token] of path.matchAll(/\\[/\\*]|[^]/gu)) {
    const isEscaped = token.length === 2 && token.startsWith('\\')
    if (token === '/') segments.push((segment = { text: '', isExact: false }))
    else segment.text += isEscaped ? token.slice(1) : token
    if (token === '\\*') segment.isExact = true
  }
  return segments
}
