import { readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'

/** Files of the operator that define kinds of forecasts, by the names of the kinds, and the faults of other files. */
export type ForecastFiles = {
  readonly files: ReadonlyMap<string, string>
  readonly refusal: string | null
}

const FILE = /^([a-z][a-z0-9_]{0,49})\.py$/
const FILES_MAX = 50
/** The bits with which a group or all others may write. */
const OTHERS_WRITE = 0o022

/** The kinds in a directory, without files that others could change or that lie elsewhere.
 * @param location null for no directory */
export async function readForecastFiles(location: string | null): Promise<ForecastFiles> {
  const none = new Map<string, string>()
  if (location === null) return { files: none, refusal: null }
  const refused = (why: string) => ({ files: none, refusal: `forecast.script.location: ${location} ${why}` })
  if (!isAbsolute(location)) return refused('is not an absolute path')
  const about = await stat(location).catch(() => null)
  if (!about?.isDirectory()) return refused('is not a directory')
  if ((about.mode & OTHERS_WRITE) !== 0) return refused('can be changed by users besides its owner')
  return filesIn(location)
}

async function filesIn(location: string): Promise<ForecastFiles> {
  const files = new Map<string, string>()
  const faults: string[] = []
  const root = await realpath(location)
  for (const entry of (await readdir(location)).sort()) {
    const name = FILE.exec(entry)?.[1]
    if (name === undefined) continue
    const fault = await faultOf(join(location, entry), join(root, entry))
    if (fault !== null) faults.push(`${entry} ${fault}`)
    else if (files.size >= FILES_MAX) faults.push(`${entry} is beyond ${FILES_MAX} files`)
    else files.set(name, join(root, entry))
  }
  const refusal = faults.length === 0 ? null : `forecast.script.location: ${faults.join('; ')}`
  return { files, refusal }
}

async function faultOf(path: string, expected: string): Promise<string | null> {
  const real = await realpath(path).catch(() => null)
  if (real !== expected) return 'is a link'
  const about = await stat(path)
  if (!about.isFile()) return 'is not a file'
  return (about.mode & OTHERS_WRITE) === 0 ? null : 'can be changed by users besides its owner'
}
