/** Prints all packages of an installation as CycloneDX, by `npm sbom`. With `--omit dev` npm leaves packages out that tools for
 * development need as well, so they are chosen by the lock file here. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { packagesOf } from './licences.ts'

type Sbom = {
  readonly components: readonly {
    readonly 'bom-ref': string
    readonly name: string
    readonly version: string
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const ROOT = join(import.meta.dir, '../..')
const COMMAND = 'npm sbom --sbom-format cyclonedx --sbom-type application --package-lock-only'

const { stdout, stderr, exitCode } = Bun.spawnSync(COMMAND.split(' '), { cwd: ROOT })
process.stderr.write(stderr)
process.exitCode = exitCode
if (exitCode === 0) {
  const all = JSON.parse(stdout.toString()) as Sbom
  const lock = packagesOf(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const installed = new Set(
    lock.filter(({ isDev }) => !isDev).map(({ name, version }) => `${name}@${version}`),
  )
  const components = all.components.filter(({ name, version }) => installed.has(`${name}@${version}`))
  const known = new Set(components.map((component) => component['bom-ref']))
  const dependencies = all.dependencies
    .filter(({ ref }) => known.has(ref) || !all.components.some((one) => one['bom-ref'] === ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => known.has(one)) }))
  process.stdout.write(`${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`)
}
