import { Glob } from 'bun'
import { join } from 'node:path'

/** A shell block of a Markdown file. */
export type Block = {
  readonly file: string
  /** The line of its first command, from 1. */
  readonly line: number
  readonly text: string
  /** `starts` serves in the foreground until it is stopped; `skipped` cannot run in a test, for the reason that the file
   * names; `shared` defines functions for all pages. */
  readonly kind: 'plain' | 'starts' | 'skipped' | 'shared'
}

const LANGUAGES = new Set(['sh', 'bash', 'shell', 'console', 'zsh'])
const STARTS = '<!-- starts the service -->'
const SHARED = '<!-- used by all pages -->'
const SKIPPED = /^<!-- not run: .{8,} -->$/
const PAGES = ['README.md', '{docs,src,workers,db}/**/*.md']

/** The shell blocks of a text, in order. */
export function blocksOf(file: string, markdown: string): readonly Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const fence = /^\s*(`{3,})(\S*)/.exec(lines[at] ?? '')
    if (!fence) continue
    const [, ticks = '', language = ''] = fence
    const end = lines.findIndex((line, index) => index > at && line.trim() === ticks)
    const text = lines.slice(at + 1, end).join('\n')
    if (LANGUAGES.has(language)) blocks.push({ file, line: at + 2, text, kind: kindOf(lines[at - 1] ?? '') })
    at = end
  }
  return blocks
}

function kindOf(lineBefore: string): Block['kind'] {
  if (lineBefore.trim() === STARTS) return 'starts'
  if (lineBefore.trim() === SHARED) return 'shared'
  return SKIPPED.test(lineBefore.trim()) ? 'skipped' : 'plain'
}

/** The shell blocks of every page, by page. */
export async function pagesWithBlocks(root: string): Promise<ReadonlyMap<string, readonly Block[]>> {
  const pages = new Map<string, readonly Block[]>()
  for (const pattern of PAGES) {
    for (const file of [...new Glob(pattern).scanSync(root)].sort()) {
      const blocks = blocksOf(file, await Bun.file(join(root, file)).text())
      if (blocks.length > 0) pages.set(file, blocks)
    }
  }
  return pages
}
