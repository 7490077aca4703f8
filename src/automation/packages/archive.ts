import * as z from 'zod'
import { Refusal } from '../../lib/errors.ts'
import { pointerOf } from '../../lib/pointer.ts'
import { composedName } from '../../http/text-schemas.ts'
import { CONFIGURATIONS_MAX, incomingRunConfiguration } from '../scripts/run-configurations/schema.ts'
import { scheduleConfigurationBody, SCHEDULES_MAX } from '../scripts/schedule-configurations/schema.ts'
import { scriptName, settingsShape } from '../scripts/schema.ts'

/** The list of the script archives in an archive of many. */
export const MANIFEST_FILE = 'manifest.json'
/** The metadata in the archive of a script beside its tree. */
export const METADATA_FILE = 'script_metadata.json'
const FORMAT = 'tidemark-scripts'
const FORMAT_VERSION = 1
const SECRETS_MAX = 100

const manifest = z.object({
  format: z.literal(FORMAT),
  formatVersion: z.literal(FORMAT_VERSION),
  scripts: z.array(z.object({ name: scriptName, group: composedName, file: z.string() })),
})

/** A run configuration without what an installation keeps to itself: of secrets it has the names alone. */
const configuration = z.preprocess(withSecrets, incomingRunConfiguration)

/** A schedule names its run configuration; an id means nothing elsewhere. */
const schedule = scheduleConfigurationBody
  .omit({ runConfigurationId: true })
  .extend({ runConfiguration: z.string().nullable().default(null) })

const metadata = z.object({
  name: scriptName,
  description: settingsShape.description,
  timeout: settingsShape.timeout,
  acceptedFiles: settingsShape.acceptedFiles,
  group: composedName.optional(),
  secretNames: z.array(z.string()).max(SECRETS_MAX).default([]),
  runConfigurations: z.array(configuration).max(CONFIGURATIONS_MAX).default([]),
  defaultRunConfiguration: z.string().nullable().default(null),
  scheduleConfigurations: z.array(schedule).max(SCHEDULES_MAX).default([]),
})

export type Manifest = z.output<typeof manifest>
export type Metadata = z.output<typeof metadata>

const namedSecrets = z.looseObject({
  envVariables: z.array(z.unknown()).default([]),
  secretNames: z.array(z.string()).max(SECRETS_MAX).default([]),
})

function withSecrets(given: unknown): unknown {
  const { success, data } = namedSecrets.safeParse(given)
  if (!success) return given
  const { secretNames, envVariables, ...rest } = data
  return { ...rest, envVariables: [...envVariables, ...secretNames.map((key) => ({ key, secret: true }))] }
}

/** The text of a manifest. */
export function manifestText(
  told: Pick<Manifest, 'scripts'> & { readonly release: string; readonly exportedAt: string },
): string {
  return textOf({ format: FORMAT, formatVersion: FORMAT_VERSION, ...told })
}

/** The text of the metadata of a script in an archive. */
export function metadataText(told: z.input<typeof metadata>): string {
  return textOf(told)
}

/** A manifest; null for the bytes of a file that only has its name.
 * @throws {Refusal} invalid for one that cannot be understood */
export function readManifest(bytes: Uint8Array): Manifest | null {
  const json = jsonOf(bytes)
  const isOurs = z.object({ format: z.literal(FORMAT) }).safeParse(json).success
  return isOurs ? checked(manifest, json, MANIFEST_FILE) : null
}

/** @throws {Refusal} invalid for what cannot be understood */
export function readMetadata(bytes: Uint8Array): Metadata {
  return checked(metadata, jsonOf(bytes), METADATA_FILE)
}

function checked<Schema extends z.ZodType>(schema: Schema, json: unknown, file: string): z.output<Schema> {
  const result = schema.safeParse(json)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, message }) => ({
    pointer: `/${file}${pointerOf(path)}`,
    message,
  }))
  throw new Refusal('invalid', `The file ${file} is invalid; see errors.`, faults)
}

/** Undefined without one. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    return undefined
  }
}

function textOf(json: object): string {
  return `${JSON.stringify(json, null, 2)}\n`
}
