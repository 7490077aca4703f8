import { fold } from '../../../lib/text.ts'

/** One step of a path search. */
export type Segment = {
  /** A folded name, in which `*` stands for any run of characters. */
  readonly pattern: string
  /** True after `**`: at any depth, not only one level down. */
  readonly isDeep: boolean
}

/** The segments of a path: split at `/`, each trimmed; `\/` is a slash in a name and `\\` a backslash, `**` is any depth.
 * Empty segments count for nothing. */
export function parsePath(path: string): Segment[] {
  const segments: Segment[] = []
  let isDeep = false
  for (const text of split(path)) {
    const pattern = fold(text.trim())
    if (pattern === '') continue
    if (pattern === '**') isDeep = true
    else {
      segments.push({ pattern, isDeep })
      isDeep = false
    }
  }
  if (isDeep) segments.push({ pattern: '*', isDeep })
  return segments
}

/** The path of names that `parsePath` takes apart again. */
export function joinPath(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('\\', '\\\\').replaceAll('/', '\\/')}`).join('')
}

function split(path: string): string[] {
  const segments = ['']
  for (const [token] of path.matchAll(/\\[/\\]|[^]/gu)) {
    if (token === '/') segments.push('')
    else
      segments[segments.length - 1] += token.length === 2 && token.startsWith('\\') ? token.slice(1) : token
  }
  return segments
}
