import { posix } from 'node:path'
import type { Finding } from './words.ts'

const LINK = /\]\(([^)\s#:]*)#([^)\s]+)\)/g
const HEADING = /^#+ (.+)$/gm
const BLOCK = /^```[^]*?^```/gm

type File = { readonly path: string; readonly text: string }
type Violation = Finding & { readonly path: string }

/** Links to a heading that its page does not have. A page that does not exist is left to the citations. */
export function strayHeadings(files: readonly File[]): Violation[] {
  const pages = new Map(
    files.filter(({ path }) => path.endsWith('.md')).map(({ path, text }) => [path, text]),
  )
  const anchors = new Map([...pages].map(([path, text]) => [path, anchorsOf(text)]))
  return [...pages].flatMap(([path, text]) =>
    text.split('\n').flatMap((content, index) =>
      [...content.matchAll(LINK)]
        .filter(([, page = '', anchor = '']) => {
          const target = page === '' ? path : posix.join(posix.dirname(path), page)
          return anchors.get(target)?.has(anchor) === false
        })
        .map(([, page = '', anchor = '']) => ({
          path,
          line: index + 1,
          rule: 'a cited heading exists',
          detail: `${page}#${anchor}`,
        })),
    ),
  )
}

/** The anchors that GitHub gives to the headings of a page; an equal heading has a number behind it. */
function anchorsOf(text: string): Set<string> {
  const counts = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(BLOCK, '').matchAll(HEADING)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}
