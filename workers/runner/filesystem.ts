import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { matchesWildcard } from '../../src/lib/wildcard.ts'
import type { OpenedDirectory } from './settings.ts'

const FILES_MAX = 1_000
/** The maximum number of directory entries that are read for one job. */
const LOOKS_MAX = 100_000

/** A file of this machine that a job may read, and its path below the directory where it finds such files. */
export type ReadableFile = { readonly from: string; readonly path: string }

/** The files that fit these patterns, such as `in/*.csv`: the first part names a directory that the operator opened, and
 * `*` stands for anything within one part. The target of a link counts only inside that directory.
 * @throws {RangeError} when a pattern names no opened directory, or too many files fit */
export async function filesFor(
  patterns: readonly string[],
  opened: readonly OpenedDirectory[],
): Promise<ReadableFile[]> {
  const found = new Map<string, string>()
  const budget = { looks: LOOKS_MAX }
  for (const pattern of patterns) {
    const [name = '', ...parts] = pattern.split('/').filter((part) => part !== '')
    const directory = opened.find((each) => each.name === name)
    if (!directory) throw new RangeError(`The runner has no directory ${name} in TIDEMARK_RUNNER_FILES.`)
    const root = await realpath(directory.path)
    for (const path of await pathsFor(parts, root, budget)) {
      const from = await realpath(join(root, path)).catch(() => '')
      if (from.startsWith(`${root}/`) && (await stat(from)).isFile()) found.set(`${name}/${path}`, from)
      if (found.size > FILES_MAX) throw new RangeError(`More than ${FILES_MAX} files match ${pattern}.`)
    }
  }
  return [...found].map(([path, from]) => ({ path, from }))
}

/** The paths below a directory that match the parts of a pattern. */
async function pathsFor(
  parts: readonly string[],
  root: string,
  budget: { looks: number },
): Promise<string[]> {
  let above = ['']
  for (const [depth, part] of parts.entries()) {
    const fitting: string[] = []
    for (const folder of above) {
      const entries = await readdir(join(root, folder), { withFileTypes: true })
      budget.looks -= entries.length
      if (budget.looks < 0) throw new RangeError('The patterns search too many files.')
      const isLast = depth === parts.length - 1
      const wanted = entries.filter((entry) => matchesWildcard(entry.name, part))
      // A link to a directory is not followed.
      fitting.push(
        ...wanted.filter((entry) => isLast || entry.isDirectory()).map(({ name }) => join(folder, name)),
      )
    }
    above = fitting
  }
  return parts.length === 0 ? [] : above.toSorted()
}
