import { noSuch } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Changer } from '../changer.ts'
import type { Detection } from '../detection.ts'
import { readTree } from '../files/service.ts'
import { listOwnConfigurations } from '../run-configurations/service.ts'
import { openSecrets } from '../run-configurations/service/changes.ts'
import type { Rules } from '../run-configurations/schema.ts'
import { isSecretName } from '../variables.ts'
import { allDirectories } from '../tree.ts'
import { requireScript } from './changes.ts'

/** Everything that a run of a script needs, as it is now. */
export type Runnable = {
  readonly script: {
    readonly id: number
    readonly name: string
    /** Seconds; 0 means none. */
    readonly timeoutS: number
    readonly acceptedFiles: readonly string[]
  } & Changer
  readonly configuration: Omit<Rules, 'envVariables'> & {
    /** 0 for the one that a script without any has. */
    readonly id: number
    readonly name: string
    /** Seconds; 0 means none. The script's where the configuration has none of its own. */
    readonly timeoutS: number
    /** Secrets as well, as they are. */
    readonly env: Readonly<Record<string, string>>
    readonly secretNames: readonly string[]
  } & Changer
  readonly detection: Detection
  readonly files: readonly {
    readonly path: string
    readonly blob: string
    readonly sha256: string
    readonly sizeBytes: number
  }[]
  /** Every directory of the tree, the outer ones first. */
  readonly directories: readonly string[]
}

/** The values of the secrets of a run configuration. */
export function secretValuesOf({ env, secretNames }: Runnable['configuration']): string[] {
  return secretNames.flatMap((name) => env[name] ?? [])
}

/** The implicit configuration of a script without run configurations. */
const IMPLICIT: Omit<Rules, 'envVariables'> & Changer = {
  kind: 'standard',
  arguments: [],
  concurrency: 'queue',
  retries: 0,
  runnerLabels: [],
  reportTo: null,
  network: [],
  database: null,
  filesystem: null,
  changedBy: null,
  changedRole: null,
}

/** The parts of a run: with the configuration of this id, with the default one for null, and for 0 with the one
 * that a script without any has. @throws {Refusal} not_found for a script or a configuration that is not there */
export async function runnableOf(
  ports: Ports,
  scriptRef: number | string,
  runConfigurationId: number | null,
): Promise<Runnable> {
  const script = await requireScript(ports, scriptRef)
  const { id, name, timeoutS, acceptedFiles, detection, changedBy, changedRole } = script
  const [configuration, tree] = await Promise.all([
    configurationOf(ports, id, runConfigurationId),
    readTree(ports, id),
  ])
  return {
    script: { id, name, timeoutS, acceptedFiles, changedBy, changedRole },
    configuration: { ...configuration, timeoutS: configuration.timeoutS ?? timeoutS },
    detection,
    files: [...tree.values()].flatMap(({ path, blob, sha256, sizeBytes }) =>
      blob === null ? [] : [{ path, blob, sha256, sizeBytes }],
    ),
    directories: [...allDirectories(tree)].sort(),
  }
}

async function configurationOf(ports: Ports, scriptId: number, wanted: number | null) {
  const row = await rowOf(ports, scriptId, wanted)
  if (!row) return { ...IMPLICIT, id: 0, name: 'default', timeoutS: null, env: {}, secretNames: [] }
  const { envVariables, ...rules } = row.rules
  const secrets = await openSecrets(ports, row.secrets)
  const plain = envVariables.flatMap((one) => ('value' in one ? [[one.key, one.value] as const] : []))
  const env = { ...Object.fromEntries(plain), ...secrets }
  const { id, name, timeoutS, changedBy, changedRole } = row
  const changer = { changedBy, changedRole }
  const secretNames = Object.keys(env).filter((key) => key in secrets || isSecretName(key))
  return { ...rules, ...changer, id, name, timeoutS, env, secretNames }
}

async function rowOf(ports: Ports, scriptId: number, wanted: number | null) {
  if (wanted === 0) return undefined
  const rows = await listOwnConfigurations(ports, scriptId)
  const row = rows.find((one) => (wanted === null ? one.isDefault : one.id === wanted))
  if (!row && wanted !== null) throw noSuch('run configuration')
  return row
}
