import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of the lock file. */
export type Package = {
  readonly name: string
  readonly version: string
  /** An SPDX expression; empty where the package names none. */
  readonly licence: string
  /** Whether it is a tool for development, which no installation has. */
  readonly isDev: boolean
  readonly integrity: string
}

type Entry = {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly integrity?: string
}

/** Licences that ask for nothing but a notice. */
const PERMISSIVE = new Set(
  'MIT MIT-0 ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 Python-2.0 Unlicense CC0-1.0 Zlib'.split(
    ' ',
  ),
)
/** Licences that also ask for the source of what was changed. Tools are not passed on, so these are accepted for them. */
const OF_TOOLS = new Set(['MPL-2.0', 'LGPL-3.0-or-later'])

/** The packages of a lock file of npm. */
export function packagesOf(lock: string): readonly Package[] {
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, Entry>> }
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      licence: entry.license ?? '',
      isDev: entry.dev === true,
      integrity: entry.integrity ?? '',
    }))
}

/** Whether a package may be used: one licence of an OR, or each of an AND, is accepted. An expression with both is refused. */
export function isAccepted({ licence, isDev }: Package): boolean {
  const accepts = (name: string) => PERMISSIVE.has(name) || (isDev && OF_TOOLS.has(name))
  const plain = licence.replace(/^\((.*)\)$/, '$1')
  if (plain.includes(' AND ')) return plain.split(' AND ').every(accepts)
  return plain.split(' OR ').some(accepts)
}

if (import.meta.main) {
  const all = packagesOf(readFileSync(join(import.meta.dir, '../../package-lock.json'), 'utf8'))
  const wanted = process.argv.includes('--dev') ? all : all.filter(({ isDev }) => !isDev)
  const lines = wanted.map((one) => {
    const mark = isAccepted(one) ? '' : '  NOT ACCEPTED'
    return `${one.licence.padEnd(20)} ${one.name} ${one.version}${mark}\n`
  })
  process.stdout.write(lines.toSorted().join(''))
  process.exitCode = wanted.every(isAccepted) ? 0 : 1
}
